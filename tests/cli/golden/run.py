#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Golden test of one machine: every case of its file, as text and as JSON.

Text is held against the transcript to the letter, JSON by value and order of members; text and JSON
of one case must be the same tree. Exit status, the banner and stderr (empty, but for what setting
says there) are checked too. A case with "departs" shows what the specification wants instead of
what was captured.
"""

import argparse
import difflib
import functools
import json
import pathlib
import re
import sys

import machine
import tree


SETTING = {"enable", "disable", "config", "assoc", "set-trl", "set-config-level"}
SAID_WHEN_SETTING = re.compile(r"(?:online|offline) cpu \d+|Information: .+")


def sets(argv):
    """Does this command line change the machine?"""
    return bool(SETTING & set(argv))


def difference(expected, actual):
    """The first differing lines, as a unified diff."""
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual",
                                 lineterm="", n=2)
    return "\n".join(list(lines)[:40])


def as_lines(value):
    return json.dumps(value, indent=1)


class Case:
    """One case on a machine of its own; problems collect what is wrong."""

    def __init__(self, program, box, data):
        self.program = program
        self.box = box
        self.data = data
        self.problems = []

    def expect(self, what, expected, actual):
        if expected == actual:
            return
        text = difference(expected, actual) if isinstance(actual, str) else ""
        self.problems.append(f"{what}:\n{text or f'expected {expected!r}, got {actual!r}'}")

    def run(self, options):
        argv = [*options, "-o", str(self.box.out), *self.data["argv"]]
        run = self.box.run(self.program, argv)
        self.expect("exit status", 0, run.status)
        said = run.stderr.splitlines()
        if sets(self.data["argv"]):
            said = [line for line in said if not SAID_WHEN_SETTING.fullmatch(line)]
        self.expect("stderr", [], said)
        self.expect("stdout", self.box.banner(), run.stdout)
        if run.out is None:
            self.problems.append("no output file was made")
        return run.out

    def check(self):
        for argv in self.data["setup"]:
            self.expect(f"setup {argv}", 0, self.box.run(self.program, argv).status)
        text = self.run([])
        document = self.run(["-f", "json"])
        if text is None or document is None:
            return
        self.expect("text", self.data["text"], text)
        try:
            self.check_trees(text, tree.from_json(document))
        except tree.Malformed as error:
            self.problems.append(f"output is malformed: {error}")

    def check_trees(self, text, shown):
        info = "--info" in self.data["argv"]
        parsed = tree.from_info_text(text) if info else tree.from_text(text)
        self.expect("JSON against text", as_lines(parsed), as_lines(shown))
        if self.data["json"] is not None:
            self.expect("JSON", as_lines(self.data["json"]), as_lines(shown))


def check_cases(arguments, cases):
    """
    Runs the cases and yields the problems of each. A machine is new for each case; but the tree of
    files that make_tree writes for the stand-in takes long, so that cases that change nothing have
    one in common there.
    """
    make = functools.partial(machine.Machine, platform=arguments.platform,
                             standin=arguments.standin)
    with machine.temporary_directory() as shared_directory:
        shared = None
        if arguments.make_tree:
            shared = make(shared_directory, make_tree=arguments.make_tree)
        for data in cases:
            with machine.temporary_directory() as directory:
                box = None if data["setup"] or sets(data["argv"]) else shared
                case = Case(arguments.program, box or make(directory), data)
                case.check()
                yield case.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    parser.add_argument("--standin", help="run without --simulate, through this library")
    parser.add_argument("--make-tree", help="the program that makes the stand-in's files")
    parser.add_argument("--one-of-each", action="store_true", help="command, format and status")
    arguments = parser.parse_args()
    cases = json.loads(arguments.cases.read_text(encoding="utf-8"))
    if arguments.one_of_each:
        cases = machine.one_of_each(cases)
    failed = 0
    for data, problems in zip(cases, check_cases(arguments, cases)):
        failed += bool(problems)
        for problem in problems:
            print(f"FAILED: {' '.join(data['argv'])}: {problem}")
    print(f"{arguments.cases.name}: {len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
