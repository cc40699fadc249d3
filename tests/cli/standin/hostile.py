#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A driver that fails, stalls and lies: a trick of the stand-in (trick.h) is played on the n-th
request that writes, for every n. A failure must be told, and undone so that the machine reads as
before; a success must be one.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

READING = [["perf-profile", "info"], ["perf-profile", "get-config-current-level"],
           ["core-power", "info"], ["turbo-mode", "get-trl"],
           *(["core-power", "get-config", "--clos", str(clos)] for clos in range(4)),
           ["-c", "0-3", "core-power", "get-assoc"], ["-a", "--dry-run", "--info"],
           ["--dry-run", "turbo-mode", "enable"], ["--dry-run", "base-freq", "disable", "-a"]]
# The trick, and whether a command that meets it must fail, must succeed, or may do either. A lie
# about turbo-ratio limits may be found by a second write, which then sets them.
TRICKS = {"ENXIOx1": "fail", "EPERMx1": "fail", "EIOx1": "fail", "ENOTTYx1": "fail",
          "EBUSYx2": "succeed", "EINTRx2": "succeed", "EBUSYx3": "fail", "latex1": "succeed",
          "latex3": "fail", "dropx1": "fail or set", "otherx1": "fail or set",
          "shortx1": "succeed", "stallx1": "succeed", "lostx1": "fail"}


# TPMI's driver returns no usable errno and no count: only associations are worth a second try.
TPMI_TRICKS = {"ENOTTYx1": "either", "latex1": "either", "dropx1": "fail or set",
               "otherx1": "fail or set", "stallx1": "succeed", "lostx1": "fail"}
# Requests that come late in a plan, each of which meets each trick: MSR_COMMAND, CORE_POWER_STATE.
LATE = {"mailbox": [4], "tpmi": [4, 6]}


def commands_of(platform):
    """What can be set on a machine: every kind of setting, at its present level."""
    levels = {level["level"]: level for level in platform["sst"]["levels"]}
    change = ["perf-profile", "set-config-level", "-l", str(max(levels))]
    base_freq = [["base-freq", "enable", "-a"]]
    return [change, [*change, "-o"],
            *(base_freq if levels[platform["sst"]["current_level"]]["base_freq"] else []),
            ["-c", "1,15", "turbo-freq", "enable", "-a"],
            ["core-power", "enable", "-p", "1"],
            ["core-power", "config", "--clos", "2", "-n", "1200", "-m", "2600"],
            ["-c", "0-3", "core-power", "assoc", "--clos", "2"],
            ["turbo-mode", "set-trl", "-t", "0x1717181819191a1a"]]


class Lab:
    """A machine of the stand-in, whose kernel files change with the settings."""

    def __init__(self, arguments, directory):
        self.program = arguments.program
        self.box = machine.Machine(directory, arguments.platform, arguments.standin)

    def look(self):
        return [self.box.run(self.program, ["-o", str(self.box.out), *argv]).out
                for argv in READING]

    def run(self, argv, trick=None):
        """Runs a command. Returns how it ended, and whether the trick was played."""
        played = self.box.directory / "played"
        if trick:
            self.box.extra = {"ISST_STANDIN_TRICK": trick, "ISST_STANDIN_PLAYED": str(played)}
        run = self.box.run(self.program, ["-o", str(self.box.out), *argv])
        self.box.extra = {}
        return run, played.exists()


def problems_of(lab, argv, promise, run, before, wanted):
    """Yields what is wrong with a run that met its trick."""
    seen = lab.look()
    if run.status == 0:
        if promise == "fail":
            yield "success is reported"
        if seen != wanted:
            yield "success is reported, but it is not set"
        if "success" not in (run.out or ""):
            yield f"no result: {run.out}"
        return
    if promise == "succeed":
        yield f"it fails with {run.status}: {run.stderr}"
    if run.status not in (1, 3, 4):
        yield f"status {run.status}"
    if "Error: " not in run.stderr or "failed(error -" not in (run.out or ""):
        yield f"it does not say what failed: {run.stderr} {run.out}"
    if "not undone" in run.stderr:
        yield f"not undone: {run.stderr}"
    elif seen != before:
        yield f"the machine does not read as before: {run.stderr}"


def try_command(arguments, argv, name, promise, request=None):
    """Plays a trick on each write in turn, or on those of one request. Yields its number and what is
    wrong."""
    kind, times = name.split("x")
    with machine.temporary_directory() as directory:
        lab = Lab(arguments, directory)
        before = lab.look()
        if lab.run(argv)[0].status:
            yield 0, "it fails without a trick"
        wanted = lab.look()
    number, step = 1, 1
    while True:
        with machine.temporary_directory() as directory:
            lab = Lab(arguments, directory)
            run, played = lab.run(argv, f"{kind}@{number}x{times}"
                                  + (f"/{request}" if request else ""))
            if not played:
                break
            yield number, None
            for problem in problems_of(lab, argv, promise, run, before, wanted):
                yield number, problem
        number += step
        if number > arguments.most:
            break


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platform", "--standin"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=8, help="writes of a command to try")
    arguments = parser.parse_args()
    platform = json.loads(arguments.platform.read_text(encoding="utf-8"))
    kind = platform["interface"]["kind"]
    tricks = TPMI_TRICKS if kind == "tpmi" else TRICKS
    played, failed = 0, 0
    for argv in commands_of(platform):
        for name, promise in tricks.items():
            met = 0
            for request in [None, *(LATE[kind] if "turbo-freq" in argv else [])]:
                for number, problem in try_command(arguments, argv, name, promise, request):
                    met += problem is None
                    if problem:
                        failed += 1
                        print(f"FAILED: {' '.join(argv)}: {name} at write {number} of request "
                              f"{request or 'any'}: {problem}")
            played += met
            if not met:
                failed += 1
                print(f"FAILED: {' '.join(argv)}: {name} was never played")
    print(f"{played} tricks played, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
