#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs what a page shows and compares the answers.

In blocks of the kind "console" a line that begins with "$ " is a command, and what follows is what
it printed, to either stream. The commands of a page run in order, in one shell, so that settings
follow from each other. One that fails must be followed by "echo $?". They run a second time, where
their files are left and each machine is set otherwise, and must print the same: a page does not
depend on what another one has left, and resets its machines first.

    transcript.py --program BUILD/src/intel-speed-select docs/guide.md            compares
    transcript.py --program BUILD/src/intel-speed-select --update docs/guide.md   writes the answers
"""

import argparse
import contextlib
import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys

import page

TIMEOUT_S = 240
PROMPT = "$ "
MARK = "---- the next command ----"
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.M | re.S)


class Wrong(Exception):
    """What is wrong with a page."""


def commands_of(text):
    """The commands of a page in order."""
    found = []
    for block in CONSOLE.findall(text):
        lines = block.splitlines()
        if not lines or not lines[0].startswith(PROMPT):
            raise Wrong(f"a block does not begin with a command: {block[:60]!r}")
        found += [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]
    if not found:
        raise Wrong("there is no command")
    return found


def script_of(commands):
    """The commands as one script, which prints the exit status after each of them."""
    return "".join(f"{command}\nended=$?; echo; echo '{MARK}' $ended; (exit $ended)\n"
                   for command in commands)


def run_script(script, place):
    """What the script prints. Whatever it leaves running in the background ends with it."""
    with subprocess.Popen(["sh", script], cwd=place.work, env=place.environment(), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            return process.communicate(timeout=TIMEOUT_S)[0]
        except subprocess.TimeoutExpired as error:
            raise Wrong(f"the commands take more than {TIMEOUT_S} seconds") from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def answers_of(place, commands):
    """The answer to each command and its exit status."""
    script = place.directory / "script"
    script.write_text(script_of(commands), encoding="utf-8")
    said = page.without_state(run_script(script, place))
    answers = re.findall(rf"(.*?)\n{MARK} (\d+)\n", said, re.S)
    if len(answers) != len(commands):
        raise Wrong(f"the shell ended after {len(answers)} commands:\n{said}")
    return [(answer, int(status)) for answer, status in answers]


def run(program, commands):
    with page.place(program) as place:
        first = answers_of(place, commands)
        place.disturb()
        second = answers_of(place, commands)
    for command, one, other in zip(commands, first, second):
        if one != other:
            raise Wrong(f"{command} depends on what was before the page:\n{one[0]}\n{other[0]}")
    return first


def check_statuses(commands, answers):
    """A command that fails silently would go unnoticed."""
    for command, after, (answer, status) in zip(commands, [*commands[1:], ""], answers):
        if status and after != "echo $?":
            raise Wrong(f"{command} ends with {status} and the page does not show it:\n{answer}")


def filled(text, answers):
    """The page with these answers in the place of those that it shows."""
    rest = iter(answers)

    def fill(match):
        return "".join(f"{line}\n{next(rest)[0]}" for line in match[0].splitlines()
                       if line.startswith(PROMPT))

    return CONSOLE.sub(fill, text)


def renewed(program, text):
    """The page as it should be."""
    commands = commands_of(text)
    answers = run(program, commands)
    check_statuses(commands, answers)
    return filled(text, answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="rewrite the answers in the page")
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()
    text = options.page.read_text(encoding="utf-8")
    try:
        new = renewed(options.program, text)
    except Wrong as wrong:
        sys.exit(f"FAILED: {options.page}: {wrong}")
    if options.update:
        options.page.write_text(new, encoding="utf-8")
    elif new != text:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), new.splitlines(True),
                                                   f"{options.page} as it is", "as it should be"))
        sys.exit(f"FAILED: {options.page} shows other answers than the program gives "
                 "(--update writes these)")


if __name__ == "__main__":
    main()
