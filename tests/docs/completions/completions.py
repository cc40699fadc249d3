#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Completion, asked of the shells themselves: bash by its function, bash on a terminal without and
with the package bash-completion, fish, and zsh on a terminal. All are asked the same (cases.py),
and what one of them has beyond that.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

import cases
import sandbox as boxes
import shells


def case_problem(shell, line, wanted, may_be_more=False):
    found = shell.candidates(line)
    missing = [word for word in wanted if word not in found]
    if sorted(found) == sorted(wanted) or (may_be_more and not missing):
        return []
    return [f"{line!r} offers {found} instead of {wanted}"]


def tab_problems(shell):
    """The tabulator's own work on a line: what is unique is put there, quoted, with a blank."""
    whole = (("isst per", ["isst", "perf-profile"]),
             ("isst --form", ["isst", "--format"]),
             ("isst --format=j", ["isst", "--format=json"]),
             ("isst -c 0-3 core-power as", ["isst", "-c", "0-3", "core-power", "assoc"]),
             ("isst --simulate odd", ["isst", "--simulate", cases.ODD]),
             ("isst --simulate lev", ["isst", "--simulate", "levels.json"]))
    for line, words in whole:
        became = shell.complete(line)
        if not became.endswith(" ") or shlex.split(became) != words:
            yield f"the tabulator makes {became!r} of {line!r}"
    for line, became in (("isst nothing x", "isst nothing x"),
                         ("isst tu", "isst turbo-"),
                         ("isst \"per", "isst \"perf-profile\" ")):
        if shell.complete(line) != became:
            yield f"the tabulator makes {shell.complete(line)!r} of {line!r}"


def sudo_problems(shell):
    return case_problem(shell, "sudo isst core-power get", ["get-config", "get-assoc"])


def path_problems(shell):
    """A program that is called by its path, also from home."""
    home = shell.sandbox.home
    (home / "bin").symlink_to(shell.sandbox.programs)
    return (case_problem(shell, f"{shell.sandbox.programs}/isst per", ["perf-profile"]) +
            case_problem(shell, "~/bin/isst per", ["perf-profile"]))


def variable_problems(shell):
    return case_problem(shell, "LC_ALL=C isst per", ["perf-profile"])


def order_problems(shell):
    """Numbers are in their order."""
    found = shell.candidates("isst core-power config -e ")
    return [] if found == cases.EPP else [f"numbers are offered as {found}"]


def fish_words_problems(shell):
    """The description of a candidate is shown next to it."""
    for line, told in (("isst perf-p", "perf-profile\tIntel(R) SST-PP: performance levels"),
                       ("isst turbo-freq info --bu", "--bucket\tOnly this bucket, 0 to 7")):
        if shell.lines(line) != [told]:
            yield f"{line!r} is told as {shell.lines(line)}"


def zsh_words_problems(shell):
    _, screen = shell.terminal.press("isst tur", shells.LIST_KEY)
    for told in ("turbo-freq", "Intel(R) SST-TF: higher turbo frequencies", "turbo-mode"):
        if told not in screen:
            yield f"{told} is not listed: {screen!r}"


MORE = {
    "bash": (order_problems,),
    "bash-terminal": (order_problems, tab_problems, path_problems, variable_problems),
    "bash-completion": (tab_problems, sudo_problems, path_problems, variable_problems),
    "fish": (fish_words_problems, path_problems, variable_problems),
    "zsh": (order_problems, tab_problems, sudo_problems, path_problems, variable_problems,
            zsh_words_problems),
}


def describe(program):
    run = subprocess.run([program, "--describe"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("shell", choices=shells.SHELLS)
    arguments = parser.parse_args()
    asked = [*cases.PINNED, *cases.table_cases(describe(arguments.program))]
    if arguments.shell != "bash":
        asked += cases.PATHS
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        sandbox = boxes.Sandbox(directory, arguments.program)
        with shells.SHELLS[arguments.shell](sandbox) as shell:
            for case in asked:
                problems += case_problem(shell, *case)
            for more in MORE[arguments.shell]:
                problems += more(shell)
        if not sandbox.is_clean():
            problems.append("a completion ran what stood in a word")
    for problem in problems:
        print(f"{arguments.shell}: {problem}")
    print(f"{arguments.shell}: {len(asked)} lines, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
