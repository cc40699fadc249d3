#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What the program asks of a machine of 960 CPUs: requests to the driver, mailbox commands, system
calls. What Speed Select is asked is counted without a stored CPU map and with one. With --check the
limits below hold; a limit that is passed is a failure.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import machine  # pylint: disable=wrong-import-position

PHY_ID, REGISTERS, MAILBOX, MSRS = 1, 2, 3, 4
MAILBOX_ENTRY = struct.Struct("<IIIIHHI")
REGISTER_ENTRY = struct.Struct("<IIII")
MSR_ENTRY = struct.Struct("<IIQQ")
FIRST_ASSOCIATION = 0x20  # of the MMIO window, as words below it are of CLOS
ENTRIES_PER_CALL = 64

# Command; the most ioctls for physical ids, mailbox commands, system calls.
LIMITS = [
    (["perf-profile", "get-config-levels"], 15, 8, 400),
    (["perf-profile", "info"], 15, None, 900),
    (["machine", "summary"], 15, 700, 26000),
]

# Command; the command that makes the machine as it was before, or None; the most system calls; what
# a file of CPU 7 holds before and afterwards.
CALL_LIMITS = [
    ("cpufreq info", None, 16500, None),
    ("cpufreq info --each", None, 16500, None),
    ("cpuidle info", None, 12000, None),
    ("machine check throughput", None, 73000, None),
    ("machine choose --cores 400", None, 9000, None),
    ("-c all machine check realtime", None, 90000, None),
    ("machine record", None, 125000, None),
    ("power info", None, 700, None),
    ("power set --pl1 200 --pl2 250", "power set --pl1 300 --pl2 360", 1600, None),
    ("base-freq enable -a", "base-freq disable -a", 9700,
     ("cpufreq/scaling_min_freq", "800000", "3600000")),
    ("perf-profile set-config-level -l 3 -o", "perf-profile set-config-level -l 0 -o", 3100, None),
    ("turbo-mode disable", "turbo-mode enable", 8100,
     ("cpufreq/scaling_max_freq", "3600000", "2000000")),
    ("cpufreq set --min base", "cpufreq set --min min", 21000,
     ("cpufreq/scaling_min_freq", "800000", "2000000")),
    ("cpuidle set --disable C6", "cpuidle set --enable C6", 7000,
     ("cpuidle/state4/disable", "0", "1")),
]


CORES = 480

# The first setting of a boot: the limits of journal.md, "Cost".
FIRST_LIMITS = [
    ("turbo-mode disable", "turbo-mode enable", 7500),
    ("turbo-mode enable", "turbo-mode disable", 7500),
    ("perf-profile set-config-level -l 3 -o", "perf-profile set-config-level -l 0 -o", 3100),
    ("core-power enable", "core-power disable", 650),
    ("core-power config --clos 1 --min 1000", "core-power config --clos 1 --min 800", 650),
    ("-c 0-255,480-735 core-power assoc --clos 1", "-c 0-255,480-735 core-power assoc --clos 0",
     650),
    ("-c 0-63 turbo-freq enable -a", "turbo-freq disable -a", 900),
    ("base-freq enable -a", "base-freq disable -a", 9600),
]
CALLS_OF_CORE = 5  # of metrics, beyond those of machine summary
INTERVAL_OPENS = 100  # of measure run, of the files of packages
INTERVAL_CALLS = 7_700  # where no CPU leaves an idle state
SHOW_LIMIT = 300  # of priority show, on 8,192 CPUs


class Counts:
    """What one run sent, from the stand-in's log and from strace."""

    def __init__(self, box, log, summary):
        self.box = box
        self.requests = collections.Counter()
        self.commands = collections.Counter()
        for line in log.read_text(encoding="utf-8").splitlines():
            number, result, before, _ = line.split()
            self.requests[int(number)] += 1
            if int(number) == MAILBOX:
                self.add_commands(bytes.fromhex(before), int(result))
        self.calls = total_calls(summary)

    def add_commands(self, structure, done):
        """
        Counts the commands that the driver answered: those done, or the first one with its error.
        One that fails in the middle gets no answer: only when it is sent again, first in line,
        does the driver say why (hardware.md, section 2).
        """
        entries = list(MAILBOX_ENTRY.iter_unpack(structure[4:]))
        for cpu, parameter, data, _, command, sub_command, _ in entries[:done if done > 0 else 1]:
            key = (self.package_of(cpu), command, sub_command, parameter, data)
            self.commands[key] += 1

    def package_of(self, cpu):
        path = f"sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"
        return int((self.box.root / path).read_text(encoding="utf-8"))

    def repeated(self):
        return [key for key, times in self.commands.items() if times > 1]

    def __str__(self):
        return (f"{sum(self.requests.values())} requests, {self.requests[PHY_ID]} for physical ids, "
                f"{self.requests[MAILBOX]} for {sum(self.commands.values())} mailbox commands "
                f"({len(self.repeated())} repeated), {self.calls} system calls")


def total_calls(summary):
    """
    The number of system calls in the summary of strace -c, without those of the simulated machine:
    for each command two flock and one pread, and five calls that replace its file after a change.
    """
    calls = {}
    for line in summary.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)", line)
        if match:
            calls[match[2]] = int(match[1])
    return calls["total"] - calls.get("flock", 0) * 3 // 2 - calls.get("renameat2", 0) * 5


def stay_on_a_cpu():
    """
    This process and its children run on one CPU: strace and what it stops take turns, and two idle
    CPUs in a virtual machine wake each other for that five times as slowly.
    """
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[os.getpid() % len(cpus)]})


def strace_command(output, *options):
    """Without the library path of the build, in which the loader searches for each library."""
    def wrap(env):
        settings = [word for name, value in env.items() for word in ("-E", f"{name}={value}")]
        outer = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        return ["strace", "-f", *options, "-o", str(output), *settings], outer
    return wrap


def strace_files(output, calls):
    """Shows these calls; the program stops at no other one."""
    return strace_command(output, "--seccomp-bpf", "-s", "300", "-e", f"trace={','.join(calls)}")


def callgrind_command(profile):
    def wrap(env):
        return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"], env
    return wrap


def count_instructions(box, run):
    """Of what run(wrap=) runs once: those of the program, and those of the stand-in's driver."""
    profile = box.directory / "profile"
    run(wrap=callgrind_command(profile))
    annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile]
    annotated = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    total = re.search(r"^\s*([\d,]+).*PROGRAM TOTALS", annotated, re.M)
    standin = sum(number(match[1]) for match in re.finditer(
        r"^\s*([\d,]+).*:(?:ioctl|simulated_machine_init) \[.*/standin\.so\]", annotated, re.M))
    return number(total[1]) - standin, standin


class Subject:
    """One command of the program on the large machine, with a stored CPU map or without."""

    def __init__(self, program, box, argv, stored_map):
        self.program = program
        self.box = box
        self.argv = argv
        self.stored_map = stored_map

    def __str__(self):
        return f"{' '.join(self.argv)} ({'CPU map stored' if self.stored_map else 'first run'})"

    def run(self, **options):
        self.run_once()  # which stores the map
        for path in (self.box.root / "run/intel-speed-select").glob("*"):
            if not self.stored_map:
                path.unlink()
        self.run_once(**options)

    def run_once(self, **options):
        result = self.box.run(self.program, ["-o", str(self.box.out), *self.argv], **options)
        if result.status:
            raise RuntimeError(f"{self.argv} failed with {result.status}: {result.stderr}")

    def counts(self):
        """Runs once with the stand-in's log and once under strace."""
        log, summary = self.box.directory / "log", self.box.directory / "summary"
        log.unlink(missing_ok=True)
        self.run(log=log)
        self.run(wrap=strace_command(summary, "-c"))
        return Counts(self.box, log, summary)

    def instructions(self):
        return count_instructions(self.box, self.run)


class Calls:
    """How many system calls a command makes, with a machine that has not heard it before."""

    def __init__(self, program, box, command, before, is_first=False):
        self.program = program
        self.box = box
        self.command = command
        self.before = before
        self.is_first = is_first  # of a boot: the run directory is empty

    def __str__(self):
        return self.command + (", the first of a boot" if self.is_first else "")

    def run(self, command, **options):
        result = self.box.run(self.program, ["-o", str(self.box.out), *command.split()], **options)
        if result.status not in ((0, 6) if "machine check" in command else (0,)):
            raise RuntimeError(f"{command} failed with {result.status}: {result.stderr}")
        return result

    def cpu_file(self, name):
        return (self.box.root / "sys/devices/system/cpu/cpu7" / name).read_text().strip()

    def prepare(self):
        if self.before:
            self.run(self.before)
        if self.is_first:
            shutil.rmtree(self.box.root / "run/intel-speed-select")

    def instructions(self):
        self.prepare()
        return count_instructions(self.box, lambda **options: self.run(self.command, **options))

    def counts(self, change):
        """Returns the number of calls, and what is wrong with what the command did."""
        summary = self.box.directory / "summary"
        self.prepare()
        old = self.cpu_file(change[0]) if change else None
        result = self.run(self.command, wrap=strace_command(summary, "-c"))
        problems = []
        if change and (old, self.cpu_file(change[0])) != change[1:]:
            problems.append(f"{change[0]} went from {old} to {self.cpu_file(change[0])}, not from "
                            f"{change[1]} to {change[2]}")
        lines = [line for line in result.stderr.splitlines()
                 if not line.startswith("Information: ")]
        if lines and lines != [f"online cpu {cpu}" for cpu in range(len(lines))]:
            problems.append("what stderr says is not in order")
        return total_calls(summary), problems


def check_calls(calls, most, change):
    """Counts the calls of one command. Returns how much is wrong."""
    count, problems = calls.counts(change)
    print(f"{calls}: {count} system calls")
    if count > most:
        problems.append(f"{count} system calls, at most {most} wanted")
    for problem in problems:
        print(f"FAILED: {problem}")
    return len(problems)


def check_all_calls(arguments, box):
    """
    Counts the commands of CALL_LIMITS and, after what they set is undone, those of FIRST_LIMITS.
    Returns how much is wrong.
    """
    failed = 0
    for command, before, limit, change in CALL_LIMITS:
        calls = Calls(arguments.program, box, command, before)
        failed += check_calls(calls, limit - 1, change)
    Calls(arguments.program, box, None, None).run("state restore")
    for command, before, limit in FIRST_LIMITS:
        calls = Calls(arguments.program, box, command, before, is_first=True)
        failed += check_calls(calls, limit, None)
    return failed


class Writes:
    """What a setting command read and wrote, from the stand-in's log: by word of a package."""

    def __init__(self, box, log):
        self.read, self.written = collections.Counter(), collections.Counter()
        self.requests = 0  # that wrote associations
        self.packages = {}
        self.box = box
        for line in log.read_text(encoding="utf-8").splitlines():
            number_of, result, before, _ = line.split()
            add = {REGISTERS: self.add_registers, MAILBOX: self.add_mailbox,
                   MSRS: self.add_msrs}.get(int(number_of))
            if add and int(result) > 0:
                add(bytes.fromhex(before))

    def package_of(self, cpu):
        """CPUs are numbered package by package, all first threads before all second ones."""
        return cpu % (self.box.cpus // 2) // (self.box.cpus // 2 // self.box.packages)

    def add(self, writes, *word):
        (self.written if writes else self.read)[word] += 1

    def add_registers(self, structure):
        entries = list(REGISTER_ENTRY.iter_unpack(structure[4:]))
        self.requests += any(write and register >= FIRST_ASSOCIATION
                             for write, _, register, _ in entries)
        for write, cpu, register, _ in entries:
            self.add(write, "register", self.package_of(cpu), register)

    def add_msrs(self, structure):
        for write, cpu, msr, _ in MSR_ENTRY.iter_unpack(structure[8:]):
            self.add(write, "msr", self.package_of(cpu), msr)

    def add_mailbox(self, structure):
        """A word is called by what reads it: of a level, with the level and the half."""
        reading = {(0x7f, 2): (0x7f, 1), (0x95, 3): (0x94, 3)}
        for cpu, parameter, data, _, command, sub, _ in MAILBOX_ENTRY.iter_unpack(structure[4:]):
            writes = (command, sub) in reading or (command == 0xd0 and parameter & 0x100)
            word = reading.get((command, sub), (command, sub))
            part = [data] if command == 0x7f and word not in reading.values() else []
            self.add(writes, "mailbox", self.package_of(cpu), word, *part)

    def problems(self, cores):
        associations = [word for word in self.written
                        if word[0] == "register" and word[2] >= FIRST_ASSOCIATION]
        if not 0 < len(associations) <= cores:
            yield f"{len(associations)} associations written, one for each of {cores} cores wanted"
        if self.requests > cores // ENTRIES_PER_CALL + 1:
            yield f"associations went out in {self.requests} requests"
        twice = [word for word, times in self.written.items() if times > 1]
        if twice:
            yield f"written twice: {twice[:3]}"
        asked = [word for word, times in self.read.items() if times > 1 + self.written[word]]
        if asked:
            yield f"read twice, reading back aside: {asked[:3]}"


def check_setting(arguments, platform):
    """turbo-freq enable --auto with one CPU of each package. Returns how much is wrong."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform, arguments.standin)
        topology = json.loads(pathlib.Path(platform).read_text(encoding="utf-8"))["topology"]
        box.packages, box.cpus = len(topology["packages"]), 960
        log = box.directory / "log"
        step = box.cpus // 2 // box.packages
        cpus = ",".join(str(package * step) for package in range(box.packages))
        argv = ["-c", cpus, "turbo-freq", "enable", "-a"]
        run = box.run(arguments.program, ["-o", str(box.out), *argv], log=log)
        if run.status:
            raise RuntimeError(f"{argv} failed with {run.status}: {run.stderr}")
        writes = Writes(box, log)
        # the command ends with what `priority publish` does, which reads on its own
        log.unlink()
        box.run(arguments.program, ["priority", "publish"], log=log)
        writes.read -= Writes(box, log).read
    print(f"{' '.join(argv)}: {sum(writes.written.values())} words written, "
          f"{sum(writes.read.values())} read, associations in {writes.requests} requests")
    problems = list(writes.problems(box.cpus // 2))
    for problem in problems:
        print(f"FAILED: {problem}")
    return len(problems)


def number(text):
    return int(text.replace(",", ""))


def problems_of(counts, max_phy_id, max_commands, max_calls):
    if counts.requests[PHY_ID] > max_phy_id:
        yield f"{counts.requests[PHY_ID]} ioctls for physical ids, at most {max_phy_id} wanted"
    if not counts.commands:
        yield "no mailbox command seen"
    sent = sum(counts.commands.values())
    if max_commands is not None and sent > max_commands:
        yield f"{sent} mailbox commands, at most {max_commands} wanted"
    if counts.repeated():
        yield f"mailbox commands sent twice: {counts.repeated()[:3]}"
    if counts.calls >= max_calls:
        yield f"{counts.calls} system calls, fewer than {max_calls} wanted"


def make_large_platform(arguments, directory, *size):
    target = pathlib.Path(directory) / "large.json"
    script = pathlib.Path(__file__).with_name("make_platform.py")
    subprocess.run([sys.executable, script, arguments.platform, target, *size], check=True)
    return target


def count_show(arguments, packages, cores):
    """System calls of priority show on a machine with SST-BF, and its messages."""
    with machine.temporary_directory() as directory:
        platform = make_large_platform(arguments, directory, str(packages), str(cores))
        box = machine.Machine(directory, platform, arguments.standin, arguments.make_tree)
        box.run(arguments.program, ["base-freq", "enable"])
        run = box.run(arguments.program, ["-o", str(box.out), "priority", "publish"])
        summary = box.directory / "summary"
        if not run.status:
            run = box.run(arguments.program,
                          ["-o", str(box.out), "priority", "show", "--as", "list"],
                          wrap=strace_command(summary, "-c"))
        if run.status or not run.out:
            raise RuntimeError(f"priority failed with {run.status}: {run.stderr}")
        return total_calls(summary), run.stderr


def check_show(arguments):
    """
    priority show on machines of up to 8,192 CPUs: what it does not compare, it notes. Returns how
    much is wrong.
    """
    failed = 0
    for packages, cores, leaves_out in ((40, 64, False), (64, 64, True)):
        count, messages = count_show(arguments, packages, cores)
        print(f"{packages} packages of {cores} cores: priority show: {count} system calls")
        if count >= SHOW_LIMIT:
            failed += 1
            print(f"FAILED: fewer than {SHOW_LIMIT} wanted")
        if ("not compared with the record" in messages) != leaves_out:
            failed += 1
            print(f"FAILED: {messages!r}")
    return failed


def check_metrics(arguments, box):
    """
    metrics ask the hardware nothing twice, and make as many system calls as the summary and
    five more for each core. Returns how much is wrong.
    """
    def count_of(*argv):
        return Subject(arguments.program, box, argv, True).counts()

    most = count_of("machine", "summary").calls + CALLS_OF_CORE * CORES
    failed = 0
    for argv in (["metrics"], ["metrics", "--per-core"]):
        counts = count_of(*argv)
        print(f"{' '.join(argv)}: {counts}, at most {most} system calls wanted")
        for problem in problems_of(counts, 15, None, most + 1):
            failed += 1
            print(f"FAILED: {problem}")
    return failed


def check_intervals(arguments, box):
    """
    An interval of measure run opens none of the files of CPUs again: they stay open. Times of idle
    states that are not in use are not read. Returns how much is wrong.
    """
    def counts_of(seconds):
        summary = box.directory / "summary"
        box.run(arguments.program,
                ["measure", "run", "--each-interval", "--seconds", str(seconds)],
                wrap=strace_command(summary, "-c"))
        opens = re.search(r"(\d+)(?:\s+\d+)?\s+openat$", summary.read_text(), re.M)
        return int(opens[1]), total_calls(summary)

    failed = 0
    for name, most, first, last in zip(("files opened", "system calls"),
                                       (INTERVAL_OPENS, INTERVAL_CALLS), counts_of(2), counts_of(4)):
        count = (last - first) // 2
        print(f"an interval: {count} {name}, at most {most} wanted")
        failed += count > most
    return failed


def report(subject, limits, with_instructions):
    """Prints what was counted. Returns how many of the limits, if any, it passes."""
    counts = subject.counts()
    print(f"{subject}: {counts}")
    if with_instructions:
        own, standin = subject.instructions()
        print(f"  {own} instructions, and {standin} of the stand-in")
    problems = list(problems_of(counts, *limits)) if limits else []
    for problem in problems:
        print(f"FAILED: {problem}")
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platform", "--standin", "--make-tree"):
        parser.add_argument(name, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    arguments = parser.parse_args()
    stay_on_a_cpu()
    failed = 0
    with machine.temporary_directory() as directory:
        platform = make_large_platform(arguments, directory)
        box = machine.Machine(directory, platform, arguments.standin, arguments.make_tree,
                              whole=True)
        for argv, *limits in LIMITS:
            for stored_map in (False, True):
                subject = Subject(arguments.program, box, argv, stored_map)
                failed += report(subject, limits if arguments.check else None,
                                 arguments.instructions)
        failed += check_metrics(arguments, box)
        failed += check_intervals(arguments, box)
        failed += check_all_calls(arguments, box)
        failed += check_setting(arguments, platform)
    failed += check_show(arguments)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
