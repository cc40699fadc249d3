#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The device away for one open: for each setting command of the failure matrix, the n-th open of the
device fails, for every n. Afterwards the machine must read as before, with a status that is not 0
and a message that names the device; or all must be set.
"""

import argparse
import pathlib
import sys

import matrix

ERRORS = ("ENOENT", "EACCES", "EIO")
DEVICE = "/dev/isst_interface"
OPENS = 4  # more than any command needs


def problems_of(trial, box, order):
    """Yields what is wrong with the command if this open fails."""
    run = trial.run(box, order)
    if trial.journal_problem:
        yield trial.journal_problem
    now = trial.look(box)
    wanted = trial.before if run.status else trial.after
    if now != wanted:
        yield (f"status {run.status}, but the machine is not as {'before' if run.status else 'asked'}: "
               f"{matrix.differences(wanted, now)}: {run.stderr}")
    if "not undone" in run.stderr:
        yield f"not undone: {run.stderr}"
    if run.status and (run.status not in (1, 3, 4) or DEVICE not in run.stderr):
        yield f"status {run.status} without the cause: {run.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("machine")
    arguments = parser.parse_args()
    platform = arguments.platforms / f"{arguments.machine}.json"
    commands = [*matrix.COMMANDS.get(arguments.machine, []),
                *matrix.STATE_COMMANDS.get(arguments.machine, [])]
    tried, failed = 0, 0
    for number, (setup, argv) in enumerate(commands):
        trial = matrix.Trial(arguments.program, platform, setup, argv)
        for n in range(OPENS):
            order = {"at": "open", "error": ERRORS[(number + n) % len(ERRORS)], "skip": n,
                     "times": 1}
            with trial.machine() as box:
                for problem in problems_of(trial, box, order):
                    failed += 1
                    print(f"FAILED: {setup} {' '.join(argv)}: open {n + 1}: {problem}")
            tried += 1
    print(f"{arguments.machine}: the device away {tried} times, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
