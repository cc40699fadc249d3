#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
machine summary fits its screen: on the machines of all cases of summary.json no line without a
command, which is not folded, is wider than --width, and from 80 columns on the text has at most 40 lines.
"""

import argparse
import json
import pathlib
import sys

import cases
import machine

WIDTHS = 40, 45, 59, 60, 70, 79, 80, 100, 200
LINES = 40
LINES_FROM_WIDTH = 80


def problems_of(arguments, case):
    with machine.temporary_directory() as directory:
        box = cases.prepare(directory, arguments, case)
        program = arguments.program.parent / case["program"]
        for width in WIDTHS:
            run = box.run(program, ["machine", "summary", "--width", str(width)])
            lines = machine.unmarked(run.stdout).splitlines()
            if not lines:
                yield f"{width} columns: {run.stderr}"
            for line in lines:
                if len(line) > width and len(line.split()) > 1 and ": isst " not in line:
                    yield f"{width} columns: {line}"
            if width >= LINES_FROM_WIDTH and len(lines) > LINES:
                yield f"{width} columns: {len(lines)} lines"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    machines = {}  # each machine once
    for case in json.loads(arguments.cases.read_text(encoding="utf-8")):
        key = [case.get(name) for name in ("platform", "changes", "setup", "files", "faults")]
        if case["status"] < 2:
            machines[json.dumps(key)] = case
    failed = 0
    for case in machines.values():
        problems = list(problems_of(arguments, case))
        failed += bool(problems)
        for problem in problems:
            print(f"FAILED: {case['name']}: {problem}")
    print(f"{len(machines) - failed} passed, {failed} failed")
    return 1 if failed or not machines else 0


if __name__ == "__main__":
    sys.exit(main())
