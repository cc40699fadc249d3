#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The examples of a manual page, run on simulated machines: each must answer what the page shows, and
one that fails must show its status, by "$ echo $?" after it. Those of a page run in order, and
what is set stays set for the next. One that pipes to jq is passed over where that is not installed.
With --rewrite the page gets the answers.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import page

NAMES = ("intel-speed-select", "isst")
JQ = re.compile(r"\bjq -")
# The state directory of a machine, which the page does not show.
STATE = re.compile(r" --simulate-state \.\./state-[\w.-]+")
# Never the machine that the test runs on.
TOOL = """#!/bin/sh
state=
case " $* " in
*" --simulate "*) ;;
*" --help "*|*" -h "*|*" --version "*|*" --list-platforms "*) exec {program} "$@" ;;
*) echo "an example without --simulate: $*"; exit 99 ;;
esac
for word; do
	shift
	if [ "$last" = --simulate ]; then
		state=../state-${{word##*/}}
	fi
	set -- "$@" "$word"
	last=$word
done
case " $* " in
*" --simulate-state "*) exec {program} "$@" ;;
*) exec {program} --simulate-state "$state" "$@" ;;
esac
"""


class Shell:
    """Runs one line after the other; $? is that of the last one."""

    def __init__(self, options, scratch):
        self.status = 0
        self.directory = scratch / "work"
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("JOURNAL_STREAM", "NOTIFY_SOCKET", "XDG_STATE_HOME")}
        self.environment.update(PATH=f"{scratch}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                                HOME=str(scratch))
        (scratch / "bin").mkdir()
        (scratch / "real").mkdir()
        self.directory.mkdir()
        for name in NAMES:
            real, tool = scratch / "real" / name, scratch / "bin" / name
            real.symlink_to(options.program.resolve())
            words = {"program": real, "scratch": scratch}
            quoted = {name: shlex.quote(str(path)) for name, path in words.items()}
            tool.write_text(TOOL.format(**quoted), encoding="utf-8")
            tool.chmod(0o755)

    def run(self, command):
        """What the command writes to both streams, as on a terminal."""
        script = f"last() {{ return {self.status}; }}; last\n{command}\n"
        done = subprocess.run(["sh", "-c", script], cwd=self.directory, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.status = done.returncode
        return STATE.sub("", done.stdout)


def lines_of(answer):
    return "".join(line + "\n" for line in answer)


def step_problems(shell, step, after, text):
    """What is wrong with a step that answered this; after: the one after it, or None."""
    if not page.matches(step.answer, text):
        yield (f"line {step.line}: {step.command}\nanswers\n{text}and the page has\n"
               f"{lines_of(step.answer)}")
    if shell.status and not (after and after.command == "echo $?"):
        yield (f"line {step.line}: {step.command}\nends with {shell.status}, and the page does not "
               "show it")


def run_session(shell, display):
    """The steps of a session with what they really answered, and what is wrong with them."""
    steps, problems, done = page.steps(display), [], []
    for step, after in zip(steps, steps[1:] + [None]):
        text = lines_of(step.answer)
        if not JQ.search(step.command) or shutil.which("jq"):
            text = shell.run(step.command)
            problems += step_problems(shell, step, after, text)
        # What is left out on the page stays so.
        is_same = page.matches(step.answer, text)
        done.append((step, lines_of(step.answer) if is_same else text))
    return done, problems


def session_lines(done):
    for step, text in done:
        yield from (page.PROMPT + step.command).split("\n")
        yield from text.splitlines()


def run_page(options, scratch, source):
    """What is wrong with the page, and its text with the real answers."""
    shell, problems, lines = Shell(options, scratch), [], source.splitlines()
    shown = page.displays(source)
    replaced = []
    for display in shown:
        if display.file:
            (shell.directory / display.file).write_text(lines_of(display.lines), encoding="utf-8")
            replaced.append((display, display.lines))
            continue
        done, wrong = run_session(shell, display)
        problems += wrong
        replaced.append((display, session_lines(done)))
    for display, new in reversed(replaced):
        lines[display.first:display.last] = [page.escape(line) for line in new]
    if not shown:
        problems.append("no example")
    return problems, lines_of(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    parser.add_argument("--rewrite", action="store_true", help="write the answers into the page")
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()
    source = options.page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="isst-manual-", dir=".") as scratch:
        try:
            problems, text = run_page(options, pathlib.Path(scratch).resolve(), source)
        except page.Malformed as error:
            sys.exit(f"{options.page.name}: {error}")
    if options.rewrite:
        options.page.write_text(text, encoding="utf-8")
        return
    problems = [*page.escape_problems(source), *problems]
    for problem in problems:
        print(f"{options.page.name}: {problem}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
