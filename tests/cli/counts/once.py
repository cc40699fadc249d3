#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
No command sends a request or opens a kernel file twice: neither a reading command, nor a setting
command before its first write, as its dry run shows. Requests are counted in the stand-in's log,
files in the output of strace, on several platforms: as they are, and with features on. What is read
twice is a failure.
"""

import argparse
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import counts  # pylint: disable=wrong-import-position
import machine  # pylint: disable=wrong-import-position
import state  # pylint: disable=wrong-import-position

PLATFORMS = ["guide", "spr-6438n-2s", "gnr-6776p-2s", "clx-6230n-2s", "icx-8360y-2s"]
SETUPS = [[], ["turbo-freq enable -a", "base-freq enable -a", "priority publish"]]
ANY = range(256)  # statuses: not each platform has what each command is about

READING = [
    "--info", "perf-profile info", "perf-profile info -l 0", "perf-profile compare",
    "perf-profile get-lock-status", "perf-profile get-config-levels",
    "perf-profile get-config-version", "perf-profile get-config-enabled",
    "perf-profile get-config-current-level", "base-freq info -l 0", "turbo-freq info -l 0",
    "core-power info", "core-power get-config --clos 0", "-c 0-3 core-power get-assoc",
    "turbo-mode get-trl", "cpufreq info", "cpufreq info --each", "-c 0-7 cpufreq explain",
    "cpuidle info", "cpuidle info --usage", "cpuidle info --each", "uncore info",
    "priority show", "state export", "state check DOCUMENT", "state history",
    "machine summary", "machine check throughput", "machine check realtime", "machine check latency",
    "machine verify", "machine choose --cores 4", "metrics show", "-c base-freq cpufreq info",
    "-c clos:0 cpufreq info", "-c base-freq,clos:1 cpufreq explain", "-c isolated cpufreq info",
    "-c package:0,!isolated cpufreq info", "-c node:0 cpufreq explain",
]
SETTING = [
    "cpufreq set --min base", "cpufreq set --governor powersave --epp power",
    "cpuidle set --disable C6", "uncore set --max min", "base-freq enable -a",
    "base-freq disable -a", "-c 0-3 turbo-freq enable -a", "turbo-freq disable -a",
    "core-power enable", "-c 0-3 core-power assoc --clos 1", "core-power config --clos 1 --min 1",
    "turbo-mode disable", "perf-profile set-config-level -l 1 -o", "state apply DOCUMENT",
    "power set --pl1 200 --pl2 220", "-c 0 power set --pl1 200", "power set --domain psys --pl1 90",
]

ZONE_NAME = re.compile(r"/sys/class/powercap/[^/]+/name")

# Of requests with commands: hexadecimal digits of what precedes the commands, and of each.
SIZES = {2: (8, 32), 3: (8, 48), 4: (16, 48)}


class Requests(state.Requests):
    """
    Requests that were answered. A command that was not carried out is sent again, alone, and counts
    then (hardware.md, section 2).
    """

    def __init__(self, log):  # pylint: disable=super-init-not-called
        self.asked, self.writes = collections.Counter(), []
        for line in log.read_text(encoding="utf-8").splitlines():
            number, result, before, _ = line.split()
            if int(number) in SIZES:
                head, size = SIZES[int(number)]
                before = before[:head + max(int(result), 1) * size]
            if int(number) not in state.ONCE_A_MACHINE:
                super().add(int(number), bytes.fromhex(before))


class Trace(state.Trace):
    """Files that were opened, without directories."""

    def __init__(self, path, root):
        super().__init__(path, root)
        self.lines = [line for line in self.lines if "O_DIRECTORY" not in line]


class Tests(state.Tests):
    """One machine, and which commands read something twice there."""

    def check(self, command):
        log, trace = self.box.directory / "log", self.box.directory / "trace"
        log.write_text("")
        run = self.run(command, statuses=ANY, log=log,
                       wrap=counts.strace_files(trace, state.WRITES))
        requests, files = Requests(log).repeated(), Trace(trace, self.box.root).read_twice()
        if command == "metrics show":  # limits, and counters of energy, each find their zones
            files = [file for file in files if not ZONE_NAME.fullmatch(file)]
        if requests:
            self.fail(f"{command}: {len(requests)} requests were sent twice: {requests[:3]}")
        if files:
            self.fail(f"{command}: {len(files)} files were opened twice: {files[:3]}")
        return run.status


def check_machine(arguments, name, setup):
    statuses = collections.Counter()
    with machine.temporary_directory() as directory:
        tests = Tests(arguments, directory, arguments.platforms / f"{name}.json")
        for command in [*setup, "state export --out DOCUMENT"]:
            tests.run(command, statuses=ANY)
        for command in READING:
            statuses[tests.check(command)] += 1
        for command in SETTING:
            statuses[tests.check(f"--dry-run {command}")] += 1
    print(f"{name}{', features on' if setup else ''}: commands by their status: {dict(statuses)}")
    if statuses[0] < len(READING) // 2:
        tests.fail("most commands fail")
    return tests.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platforms", "--standin", "--make-tree"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--only", help="one platform")
    arguments = parser.parse_args()
    counts.stay_on_a_cpu()
    failed = sum(check_machine(arguments, name, setup) for setup in SETUPS
                 for name in ([arguments.only] if arguments.only else PLATFORMS))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
