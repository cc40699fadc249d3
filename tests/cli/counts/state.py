#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What state commands ask of a machine: each file and each request once, and nothing is written when a
document is applied to a machine that is so already. On a machine of 960 CPUs `state check` makes at
most three system calls for each attribute that the document names, and 2,500. The lowest frequency
is read once for each kind of core, and each has its own. A limit that is passed is a failure.
"""

import argparse
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import counts  # pylint: disable=wrong-import-position
import machine  # pylint: disable=wrong-import-position

ONCE_A_MACHINE = (0, 1, 5)  # the driver's version, the cores of CPUs, the instances of a package
ASSOCIATIONS, PERF_SETTING, TPMI_STATES = 8, (10, 11), (6, 7)
ASSOC_ENTRY = struct.Struct("<BBHH")
MAILBOX_SETTING = [(0x7f, 2), (0x7f, 4), (0x7f, 8), (0x95, 3)]
WRITES = ("openat", "rename", "renameat", "renameat2", "unlink", "mkdir", "rmdir")

# System calls of state export, and of state check of what it writes.
MOST_CALLS = 24_000

# Settings of all places; how many attributes each CPU has of them.
DOCUMENTS = [
    ({}, 0),
    ({"cpufreq": {"min-mhz": "min"}}, 1),
    ({"cpufreq": {"min-mhz": "base"}}, 1),
    ({"cpufreq": {"max-mhz": 2000}}, 1),
    ({"cpufreq": {"min-mhz": "min", "max-mhz": "max"}}, 2),
    ({"cpufreq": {"governor": "performance"}}, 1),
    ({"cpufreq": {"epp": "power"}}, 1),
    ({"cpufreq": {"epb": 6}}, 1),
    ({"cpufreq": {"turbo": False}}, 0),
    ({"cpuidle": {"states": {"C6": False, "C1E": True}}}, 2),
    ({"cpuidle": {"qos-latency-us": "none"}}, 1),
    ({"online": "follow-level"}, 0),
    ({"uncore": {"min-mhz": "min", "max-mhz": "max"}}, 0),
    ({"perf-profile": {"level": 3}}, 0),
    ({"base-freq": {"enabled": True}}, 0),
    ({"turbo-mode": {"trl": "level"}, "core-power": {"assoc": 1}}, 0),
]

# Commands that read each feature once, at level 0.
FEATURES = ["perf-profile get-config-current-level", "perf-profile info -l 0",
            "base-freq info -l 0", "turbo-mode get-trl", "core-power info",
            *(f"core-power get-config --clos {clos}" for clos in range(4)),
            "-c {cpus} core-power get-assoc"]


class Requests:
    """Requests and commands in the stand-in's log, but for those that open a machine."""

    def __init__(self, log):
        self.asked, self.writes = collections.Counter(), []
        for line in log.read_text(encoding="utf-8").splitlines():
            number, _, before, _ = line.split()
            if int(number) not in ONCE_A_MACHINE:
                self.add(int(number), bytes.fromhex(before))

    def add(self, number, structure):
        entries, writes = [structure], number in PERF_SETTING
        if number == counts.MAILBOX:
            entries = list(counts.MAILBOX_ENTRY.iter_unpack(structure[4:]))
            writes = any((entry[4], entry[5]) in MAILBOX_SETTING or
                         (entry[4] == 0xd0 and entry[1] & 0x100) for entry in entries)
        elif number in (counts.REGISTERS, counts.MSRS):
            kind, head = ((counts.REGISTER_ENTRY, 4) if number == counts.REGISTERS
                          else (counts.MSR_ENTRY, 8))
            entries = list(kind.iter_unpack(structure[head:]))
            writes = any(entry[0] for entry in entries)
        elif number == ASSOCIATIONS:
            count, writes = struct.unpack_from("<HH", structure)
            entries = list(ASSOC_ENTRY.iter_unpack(structure[6:]))[:count]
        elif number in TPMI_STATES:
            writes = structure[0]
        for entry in entries:
            self.asked[(number, entry)] += 1
        if writes:
            self.writes.append((number, structure[:32].hex()))

    def repeated(self):
        return [key for key, times in self.asked.items() if times > 1]


class Trace:
    """System calls of one run, as strace shows them."""

    def __init__(self, path, root):
        self.root = re.escape(str(root))
        self.lines = path.read_text(encoding="utf-8").splitlines()

    def read_twice(self):
        """Kernel files that were opened more than once."""
        opened = collections.Counter(
            match[1] for line in self.lines
            if (match := re.search(rf'open(?:at)?\(.*"{self.root}(/(?:sys|proc)/[^"]*)"', line)))
        return [path for path, times in opened.items() if times > 1]

    def writes(self):
        """Calls that change a kernel file, or replace or remove one of the run directory."""
        for line in self.lines:
            if re.search(r"open(?:at)?\(", line) and not re.search(r"O_(?:WRONLY|RDWR)", line):
                continue
            if re.search(rf"{self.root}/(?:sys|proc)/|rename", line) and " = -1 " not in line:
                yield line


class Tests:
    """One machine, and what is wrong with what was counted on it."""

    def __init__(self, arguments, directory, platform):
        self.program = arguments.program
        self.box = machine.Machine(directory, platform, arguments.standin, arguments.make_tree,
                                   whole=True)
        self.name = json.loads(pathlib.Path(platform).read_text(encoding="utf-8"))["name"]
        cpus = self.box.root / "sys/devices/system/cpu"
        self.n_cpus = sum(bool(re.fullmatch(r"cpu\d+", path.name)) for path in cpus.iterdir())
        self.document = self.box.directory / "document.json"
        self.failed = 0

    def fail(self, text):
        print(f"FAILED: {self.name}: {text}")
        self.failed += 1

    def run(self, command, statuses=(0,), **options):
        argv = [word.replace("DOCUMENT", str(self.document)) for word in command.split()]
        run = self.box.run(self.program, argv, **options)
        if run.status not in statuses:
            raise RuntimeError(f"{self.name}: {command} failed with {run.status}: "
                               f"{run.stderr[:500]}")
        return run

    def requests(self, command, **options):
        log = self.box.directory / "log"
        log.write_text("")
        self.run(command, log=log, **options)
        return Requests(log)

    def calls(self, command, **options):
        summary = self.box.directory / "summary"
        self.run(command, wrap=counts.strace_command(summary, "-c"), **options)
        return counts.total_calls(summary)

    def trace(self, command, **options):
        path = self.box.directory / "trace"
        self.run(command, wrap=counts.strace_files(path, WRITES), **options)
        return Trace(path, self.box.root)

    def write(self, settings):
        entries = [{"for": "all", **settings}] if settings else []
        self.document.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                             "settings": entries}), encoding="utf-8")

    def limit_check(self):
        """Counts documents of one or two members."""
        for settings, per_cpu in DOCUMENTS:
            self.write(settings)
            limit = 3 * per_cpu * self.n_cpus + 2500
            calls = self.calls("state check DOCUMENT", statuses=(0, 6))
            print(f"{self.name}: state check of {json.dumps(settings)}: {calls} system calls")
            if calls > limit:
                self.fail(f"{calls} system calls, at most {limit} wanted")
            self.check_once("state check DOCUMENT", statuses=(0, 6))

    def check_once(self, command, **options):
        """Nothing is asked or read twice. Returns how much was asked."""
        requests = self.requests(command, **options)
        if requests.repeated():
            self.fail(f"{command}: asked twice: {requests.repeated()[:3]}")
        twice = self.trace(command, **options).read_twice()
        if twice:
            self.fail(f"{command}: read twice: {twice[:3]}")
        return sum(requests.asked.values())

    def check_whole(self, most=None):
        """The document of everything: what each command that reads it costs."""
        self.run("state export --out DOCUMENT")
        exported = self.check_once("state export")
        checked = self.check_once("state check DOCUMENT")
        features = set()
        for command in FEATURES:
            command = command.format(cpus=f"0-{self.n_cpus - 1}")
            features |= set(self.requests(command, statuses=(0, 1, 3)).asked)
        print(f"{self.name}: {exported} commands to the driver for state export, {checked} for "
              f"check, {len(features)} to read each feature")
        if max(exported, checked) > len(features):
            self.fail("more is asked than to read each feature once")
        for command in ("state export", "state check DOCUMENT"):
            calls = self.calls(command)
            print(f"{self.name}: {command}: {calls} system calls")
            if most and calls > most:
                self.fail(f"{command}: {calls} system calls, at most {most} wanted")

    def check_equal(self):
        """A document that is applied already is not written, nor read again."""
        self.run("state export --out DOCUMENT")
        checked = self.calls("state check DOCUMENT")
        self.run("state apply DOCUMENT")
        applied = self.calls("state apply DOCUMENT")
        print(f"{self.name}: state apply of an equal document: {applied} system calls")
        if applied > checked + 100:
            self.fail(f"{applied} system calls, a check takes {checked}")
        requests = self.requests("state apply DOCUMENT")
        if requests.writes or requests.repeated():
            self.fail(f"an equal document: {requests.writes[:3]} {requests.repeated()[:3]}")
        writes = list(self.trace("state apply DOCUMENT").writes())
        if writes:
            self.fail(f"an equal document: {writes[:3]}")

    def check_first(self, setting, back):
        """The first setting of a boot costs what later ones cost, also with a long journal."""
        run = self.box.root / "run/intel-speed-select"
        (run / "journal").unlink(missing_ok=True)
        first = self.calls(setting)
        if not (run / "journal").exists():
            self.fail(f"{setting}: it writes no journal")
        self.run(back)
        later = self.calls(setting)
        self.run(back)
        lines = (run / "journal").read_text(encoding="ascii").splitlines(keepends=True)
        begin = json.loads(lines[1])
        begin["changes"] *= 9_000
        lines[1] = json.dumps(begin, separators=(",", ":")) + "\n"
        (run / "journal").write_text("".join(lines), encoding="ascii")
        size = (run / "journal").stat().st_size
        long = self.calls(setting)
        self.run(back)
        print(f"{self.name}: {setting}: {first} system calls the first time, {later} later, {long} with "
              f"a journal of {size} bytes")
        if max(first, later, long) - min(first, later, long) > 20:
            self.fail(f"{first}, {later} and {long} system calls, which differ by more than 20")


def check_types(arguments, lists_types):
    """Efficient cores have a lowest frequency of their own, which is not that of other cores."""
    with machine.temporary_directory() as directory:
        tests = Tests(arguments, directory, arguments.platforms / "arl-285k-1s.json")
        cpus = tests.box.root / "sys/devices/system/cpu"
        for name, members in (("cpu_core", "0-7"), ("cpu_atom", "8-23")) if lists_types else ():
            (tests.box.root / "sys/devices" / name).mkdir()
            (tests.box.root / "sys/devices" / name / "cpus").write_text(members + "\n")
        for cpu in range(8, 24):
            (cpus / f"cpu{cpu}/cpufreq/cpuinfo_min_freq").write_text("400000\n")
            if lists_types:
                (cpus / f"cpu{cpu}/cpufreq/cpuinfo_max_freq").write_text("5700000\n")
        tests.run("state export --only cpufreq.min-mhz --out DOCUMENT")
        settings = json.loads(tests.document.read_text(encoding="utf-8"))["settings"]
        wanted = [{"for": "cpu 0-7", "cpufreq": {"min-mhz": "min"}},
                  {"for": "cpu 8-23", "cpufreq": {"min-mhz": 800}}]
        if settings != wanted:
            tests.fail(f"limits of {settings}, not of {wanted}")
        tests.write({"cpufreq": {"min-mhz": "min"}})
        different = tests.run("state check DOCUMENT", (0, 6)).stdout
        if different.strip() != "package-0 CPUs 8,12,16,20 cpufreq.min-mhz: 800, wanted 400":
            tests.fail(f"differences: {different}")
        return tests.failed


def check_machine(arguments, platform, is_large, setting, back):
    with machine.temporary_directory() as directory:
        tests = Tests(arguments, directory, platform)
        if is_large:
            tests.limit_check()
        tests.check_whole(MOST_CALLS if is_large else None)
        tests.check_first(setting, back)
        tests.check_equal()
        return tests.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platforms", "--standin", "--make-tree"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    counts.stay_on_a_cpu()
    assoc = ["-c 0 core-power assoc --clos 1", "-c 0 core-power assoc --clos 0"]
    epb = ["-c 0 cpufreq set --epb 0", "-c 0 cpufreq set --epb 6"]
    with machine.temporary_directory() as directory:
        arguments.platform = arguments.platforms / "spr-6438n-2s.json"
        large = counts.make_large_platform(arguments, directory)
        failed = check_machine(arguments, large, True, *assoc)
        failed += check_types(arguments, True) + check_types(arguments, False)
    for name, commands in (("gnr-6776p-2s", assoc), ("guide", assoc), ("clx-6230n-2s", epb)):
        failed += check_machine(arguments, arguments.platforms / f"{name}.json", False, *commands)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
