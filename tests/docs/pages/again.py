#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What docs/keep-a-state.md says in "Commands that are repeated", on one simulated machine:
the second time each setting command is a success with the same results, and a dry run shows that
nothing is written; while turbo is off, nothing but the writes that the page names.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli/golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

LEVEL = ["perf-profile", "set-config-level", "-l"]
COMMANDS = [
    [*LEVEL, "1"], [*LEVEL, "1", "-o"], [*LEVEL, "0", "-o"], ["-g", *LEVEL, "1", "-o"],
    ["base-freq", "enable"], ["base-freq", "enable", "-a"], ["base-freq", "disable", "-a"],
    ["turbo-freq", "enable"], ["-c", "1,2", "turbo-freq", "enable", "-a"],
    ["turbo-freq", "disable", "-a"],
    ["core-power", "enable"], ["core-power", "enable", "-p", "1"], ["core-power", "disable"],
    ["core-power", "config", "--clos", "1", "-n", "1000", "-m", "2000"],
    ["-c", "1", "core-power", "assoc", "--clos", "2"],
    ["turbo-mode", "enable"], ["turbo-mode", "disable"],
    ["turbo-mode", "set-trl", "-t", "0x1d1d1d1d1d1d1d1e"],
    ["-c", "0-1", "cpufreq", "set", "--lock", "base"], ["cpufreq", "set", "--turbo", "off"],
    ["cpuidle", "set", "--deepest", "POLL"], ["uncore", "set", "--max", "1200"],
]
TURBO_OFF = ["cpufreq", "set", "--turbo", "off"]
# Of these every CPU's limit is written again while turbo is off.
WRITTEN_AGAIN = ([*LEVEL, "1", "-o"], [*LEVEL, "0", "-o"], ["-g", *LEVEL, "1", "-o"],
                 ["base-freq", "enable", "-a"], ["base-freq", "disable", "-a"],
                 ["turbo-mode", "enable"])
OPENED = "scaling_max_freq"


def planned(program, box, argv):
    """The writes of a dry run."""
    out = box.run(program, ["-f", "json", "-o", str(box.out), "--dry-run", *argv]).out
    return [value for name, value in json.loads(out).items() if name.startswith("write-")]


def is_allowed(argv, setup, write):
    return setup and argv in WRITTEN_AGAIN and write["what"] == OPENED


def problems_of(program, box, setup, argv):
    """A list; None where the machine lacks the feature."""
    for command in setup:
        box.run(program, command)
    first = box.run(program, ["-o", str(box.out), *argv])
    if first.status:
        return None
    left = [write for write in planned(program, box, argv) if not is_allowed(argv, setup, write)]
    second = box.run(program, ["-o", str(box.out), *argv])
    problems = [f"the second time it would write {write}" for write in left[:1]]
    if second.status or second.out != first.out:
        problems.append(f"the second time it says {second.status}: {second.out}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    options = parser.parse_args()
    tried, failed = 0, 0
    for setup in ([], [TURBO_OFF]):
        for argv in COMMANDS:
            with machine.temporary_directory() as directory:
                box = machine.Machine(directory, options.platform)
                problems = problems_of(options.program, box, setup, argv)
            tried += problems is not None
            for problem in problems or []:
                failed += 1
                print(f"FAILED: {setup} {argv}: {problem}")
    print(f"{tried} commands, {failed} problems")
    return 1 if failed or tried < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
