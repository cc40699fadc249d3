#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
How much memory commands take on a machine of 8,192 CPUs: the most bytes that are allocated at a
time, which tests/cli/standin/memory.c counts. With --check the limits below hold. With --few only
the commands that take the most of their kind run.
"""

import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import machine  # pylint: disable=wrong-import-position

PACKAGES, CORES = 64, 64
LAST_CPU = PACKAGES * CORES * 2 - 1

# Commands in order, and the most bytes: each setting command finds something to set.
READING = [
    ("cpufreq info", 10_000_000),
    ("cpuidle info", 10_000_000),
    ("--format json cpufreq info", 16_000_000),
    ("--format json cpuidle info --usage", 16_000_000),
    ("cpufreq info --each", 16_000_000),
    ("cpuidle info --each", 16_000_000),
    ("cpuidle info --each --usage", 16_000_000),
    ("-c 0-8191 cpufreq explain", 16_000_000),
]
SETTING = [
    ("cpufreq set --min base --max base --governor powersave", 16_000_000),
    ("cpufreq set --min min --max max --governor performance", 16_000_000),
    ("cpuidle set --disable C6", 16_000_000),
    ("--dry-run cpuidle set --disable C6,C1E", 16_000_000),
]
SPEED_SELECT = [
    ("perf-profile info", 16_000_000),
    ("base-freq enable -a", 16_000_000),
    ("base-freq disable -a", 16_000_000),
    ("turbo-mode disable", 16_000_000),
    ("turbo-mode enable", 16_000_000),
    ("perf-profile set-config-level -l 0 -o", 16_000_000),
    (f"-c 0-{LAST_CPU} core-power assoc --clos 1", 16_000_000),
    (f"-c 0-{LAST_CPU} core-power get-assoc", 16_000_000),
]
# What the change journal has is restored.
STATE = [
    ("-c 0 core-power assoc --clos 1", 16_000_000),
    ("state export", 16_000_000),
    ("--format json state check {document}", 16_000_000),
    ("--format json state apply {document}", 16_000_000),
    ("--format json state restore --to clean --level 0", 16_000_000),
    (f"-c 0-{LAST_CPU} core-power assoc --clos 2", 16_000_000),
    ("cpufreq set --min base --max base", 16_000_000),
    ("cpuidle set --disable C6", 16_000_000),
    ("state history", 16_000_000),
    ("--format json state restore --to boot", 16_000_000),
]
# A recording of the machine, made and compared; and what its replay takes as a whole.
RECORDING = [
    ("machine record", 16_000_000),
    ("--format json machine diff {recording} {recording}", 16_000_000),
    ("--simulate {recording} --simulate-state {state} perf-profile info", 16_000_000),
]
FEW = {  # of these, the ones that take the most
    "spr-6438n-2s": [STATE[0], STATE[2], READING[5], READING[7], SETTING[0], SETTING[2],
                     SPEED_SELECT[1], SPEED_SELECT[6], *RECORDING],
    "gnr-6980p-2s": [SPEED_SELECT[1]],
    "cwf-6990e-2s": [READING[2]],
}
MACHINES = {  # cores or modules of a package, and commands
    "spr-6438n-2s": (CORES, STATE + READING + SETTING + SPEED_SELECT + RECORDING),
    "gnr-6980p-2s": (CORES, SPEED_SELECT + RECORDING),
    # six idle states: the JSON text of their usage alone has more than 16 MB
    "cwf-6990e-2s": (CORES // 2, [case for case in READING if "--usage" not in case[0]] + [
        ("cpuidle info --each --usage", 16_000_000), ("perf-profile info", 16_000_000),
        ("cpuidle set --disable C6SP", 16_000_000)]),
}


def make_machine(arguments, name, directory):
    target = pathlib.Path(directory) / "huge.json"
    script = pathlib.Path(__file__).with_name("make_platform.py")
    subprocess.run([sys.executable, script, arguments.platforms / f"{name}.json", target,
                    str(PACKAGES), str(MACHINES[name][0])], check=True)
    box = machine.Machine(directory, target, arguments.standin)
    box.extra = {"LD_PRELOAD": f"{arguments.memory.resolve()}:{arguments.standin.resolve()}",
                 "ISST_MEMORY_LOG": str(box.directory / "memory")}
    return box


def measure(arguments, box, command):
    """Returns the most bytes that the command allocated at a time."""
    document = box.directory / "document.json"
    recording = box.directory / "made.json"
    command = command.format(document=document, recording=recording,
                             state=box.directory / "replay")
    if str(document) in command and not document.exists():
        box.run(arguments.program, ["state", "export", "--out", str(document)])
    result = box.run(arguments.program, ["-o", str(box.out), *command.split()])
    if result.status:
        raise RuntimeError(f"{command} failed with {result.status}: {result.stderr[:500]}")
    if not result.out:
        raise RuntimeError(f"{command} gave no results")
    if command == "machine record":
        recording.write_text(result.out, encoding="utf-8")
    return int((box.directory / "memory").read_text(encoding="utf-8"))


def check_machine(arguments, name):
    """Prints what the commands take. Returns how many take too much."""
    failed = 0
    with machine.temporary_directory() as directory:
        box = make_machine(arguments, name, directory)
        for command, limit in FEW[name] if arguments.few else MACHINES[name][1]:
            most = measure(arguments, box, command)
            print(f"{name}, 8192 CPUs: {command}: {most} bytes")
            if most == 0 or (arguments.check and most > limit):
                print(f"FAILED: {most} bytes, at most {limit} wanted")
                failed += 1
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platforms", "--standin", "--memory"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--few", action="store_true")
    arguments = parser.parse_args()
    os.umask(0o077)
    return 1 if sum(check_machine(arguments, name) for name in MACHINES) else 0


if __name__ == "__main__":
    sys.exit(main())
