#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Tries what a page shows without answers, and what it shows of a real machine.

Indented lines that begin with "isst " are run in order on the simulated machine of --machine, each
CPU set "isolated" being CPUs 2 and 3 there. They must end with 0, or with 6: something differs. What
a simulated machine cannot do is left out: to run a command (after "--"), and files of a site in
/etc. `measure jitter`, which it refuses, and the commands of blocks of the kind "text" are run on the
machine at hand, for a second: figures differ there, so the answer must have the headings that the page
shows.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

import page

COMMAND = re.compile(r"^ {4,}(isst .*)", re.M)
HEADING = re.compile(r"^\w+", re.M)
REAL = "measure jitter"
LEFT_OUT = re.compile(r" -- | /etc/")
TIMEOUT_S = 120


def simulated_problems(place, text):
    environment = {**place.environment(), "state": "C1"}
    for command in COMMAND.findall(text):
        if REAL in command or LEFT_OUT.search(command):
            continue
        command = command.split("#")[0].replace("isolated", "2-3")
        run = subprocess.run(["sh", "-c", command], cwd=place.work, env=environment, text=True,
                             capture_output=True, timeout=TIMEOUT_S, check=False)
        if run.returncode not in (0, 6):
            yield f"{command}: ends with {run.returncode}: {run.stderr}{run.stdout}"


def here(program, command):
    """Runs a command of the page for a second on the last CPU of this machine, disturbed on the first."""
    words = shlex.split(command)[1:]
    last = str(max(os.sched_getaffinity(0)))
    for option, value in (("-c", last), ("--disturb", "0"), ("--seconds", "1"), ("--pulse", "1")):
        if option in words:
            words[words.index(option) + 1] = value
    path = f"{program.resolve().parent}:{os.environ['PATH']}"  # for the command of measure run
    return subprocess.run(["isst", *words], executable=program, capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False, env={**os.environ, "PATH": path})


def real_problems(program, text):
    shown = [(command.split("#")[0], "") for command in COMMAND.findall(text)
             if REAL in command and not LEFT_OUT.search(command)]
    for block in page.blocks(text, "text"):
        command, answer = block.removeprefix("$ ").split("\n", 1)
        shown.append((command, answer))
    if os.cpu_count() < 2:
        print("SKIPPED: commands that need two CPUs")
        return
    for command, answer in shown:
        run = here(program, command)
        missing = set(HEADING.findall(answer)) - set(HEADING.findall(run.stdout))
        if run.returncode not in (0, 6) or missing:
            yield f"{command}: ends with {run.returncode}, without {missing}: {run.stderr}{run.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()
    text = options.page.read_text(encoding="utf-8")
    with page.place(options.program, options.machine) as place:
        problems = [*simulated_problems(place, text), *real_problems(options.program, text)]
    for problem in problems:
        print(f"FAILED: {options.page}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
