#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The failure matrix: for each setting command, the n-th write of its plan is refused, for every n;
afterwards the machine must read as before. What is refused is found by --dry-run, so that the plan
that is shown is held against the writes that are made. Of plans with more than --most writes every
k-th is refused, the first and the last of each kind always.

Writes to the device are also lost, altered and delayed, of each kind the first and the last, of
MSRs and SST-CP every one: a write that is lost or altered must fail as one that is refused, one
that is delayed must succeed.
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

MOST = 24
FEW = 3
WORD = re.compile(r"cpu-(\d+) (mailbox|mmio|msr) (\S+)(?: parameter (\S+))?")
CONDITION = " where below "  # such a write may be left out
LIMITED = "is in force: the level limits it"
ALWAYS = (" msr ", " mailbox 0x95/", "ioctl CORE_POWER_STATE")  # each of these, in every way
# In any value these bits make a difference that is found: turbo-ratio limits become higher than
# what was written, or lower than the level allows.
FLIPS = {"msr": "0xfefefefefefefefe", "0x95/0x03": "0x10000", "0x7f/0x02": "0x10000",
         "0x7f/0x08": "0x1", "0xd0/0x00": "0x10000", "0xd0/0x01": "0x100", "0xd0/0x02": "0x4",
         "mmio": "0x10100", "ioctl PERF_SET_FEATURE": "0x2", "ioctl": "0x1"}
WAYS = {"lost": {"ignored": True}, "altered": {}, "delayed": {"delay_us": 3000}}
TPMI_WORD = re.compile(r"package-(\d+) powerdomain-(\d+) ioctl (\S+)")

LEVEL_1 = ["perf-profile", "set-config-level", "-l", "1"]
AUTO_BASE = ["base-freq", "enable", "-a"]
AUTO_TURBO = ["-c", "2", "turbo-freq", "enable", "-a"]
MAILBOX = [
    ([], AUTO_BASE),
    ([AUTO_BASE], ["base-freq", "disable", "-a"]),
    ([], AUTO_TURBO),
    ([AUTO_TURBO], ["-c", "2", "turbo-freq", "disable", "-a"]),
    ([], ["core-power", "enable", "-p", "1"]),
    ([["core-power", "enable", "-p", "1"]], ["core-power", "disable"]),
    ([], ["core-power", "config", "-c", "1", "-n", "1200", "-m", "2600"]),
    ([], ["-c", "2,3", "core-power", "assoc", "-c", "3"]),
    ([], ["turbo-mode", "disable"]),
    ([["turbo-mode", "disable"]], ["turbo-mode", "enable"]),
    ([], ["turbo-mode", "set-trl", "-t", "0x1717181819191a1a"]),
]


def levels(level):
    """Level changes, on machines that have more than one, also with SST-TF on before."""
    change = ["perf-profile", "set-config-level", "-l", level]
    return [([], change), ([AUTO_TURBO], change), ([], [*change, "-o"]), ([], ["-g", *change, "-o"]),
            ([[*change, "-o"]], ["perf-profile", "set-config-level", "-l", "0", "-o"])]


def all_online(level, cpu):
    """
    With -a, on a machine some CPUs of which are offline, this one too: where a write is refused
    they are offline again. Its level has SST-BF, and the limits of CPUs are not the highest.
    """
    offline = [["turbo-mode", "disable"], ["perf-profile", "set-config-level", "-l", level, "-o"]]
    base = [*offline, ["perf-profile", "set-config-level", "-l", "0"]]
    return [(base, ["-a", "-c", cpu, "core-power", "assoc", "-c", "1"]),
            (base, ["-a", *AUTO_BASE] if level == "4" else ["-a", "core-power", "enable"]),
            (base, ["-a", "-c", cpu, "turbo-freq", "enable", "-a"]),
            (base, ["-a", "core-power", "config", "-c", "1", "-m", "2600"]),
            (offline, ["-a", "perf-profile", "set-config-level", "-l", "0", "-o"]),
            (offline, ["-a", "turbo-mode", "enable"]),
            (offline, ["-a", "-c", cpu, "cpufreq", "set", "--governor", "performance"]),
            (offline, ["-a", "-c", cpu, "cpuidle", "set", "--disable", "C6"]),
            (offline, ["-a", "uncore", "set", "--max", "1500"])]


COMMANDS = {
    "guide": MAILBOX + levels("4") + all_online("4", "13"),
    "gnr-6776p-2s": [([LEVEL_1], AUTO_BASE), ([LEVEL_1, AUTO_BASE], ["base-freq", "disable", "-a"]),
                     *MAILBOX[2:], *levels("1"), *all_online("1", "28")],
    "emr-8592-2s": MAILBOX + levels("1"),
    "cpx-5318h-2s": MAILBOX,
    "clx-6230n-2s": [([], ["base-freq", "enable"]),
                     ([["base-freq", "enable"]], ["base-freq", "disable"])],
}
READING = [["perf-profile", "info"], ["perf-profile", "get-config-current-level"],
           ["core-power", "info"], ["turbo-mode", "get-trl"],
           *(["core-power", "get-config", "-c", str(clos)] for clos in range(4)),
           ["--dry-run", "turbo-mode", "enable"], ["--dry-run", "base-freq", "disable", "-a"]]


def read(box, program, argv):
    run = box.run(program, ["-f", "json", "-o", str(box.out), *argv])
    return run.status, run.out, run.stderr


def groups(box):
    """The simulated groups, which are kept as directories and files; the root's come with use."""
    top = box.state / "cgroup"
    return sorted((str(path.relative_to(top)), path.read_text("utf-8") if path.is_file() else None)
                  for path in top.rglob("*") if path.is_dir() or path.parent != top)


def snapshot(box, program):
    """All that the reading commands tell, and the frequency limits that plans show as old."""
    shown = [read(box, program, argv) for argv in READING]
    offline = re.findall(r"cpu(\d+)/online", read(box, program, ["-a", "--dry-run", "--info"])[1])
    cpus = [cpu for cpu in re.findall(r"\d+", " ".join(re.findall(r'cpu-list": "([^"]*)"',
                                                                 shown[0][1])))
            if cpu not in offline]
    assoc = read(box, program, ["-c", ",".join(sorted(set(cpus), key=int)) or "0",
                                "core-power", "get-assoc"])
    return [shown, offline, assoc, groups(box)]


def check_snapshot(program, platform, setup, argv):
    """Yields a problem where the snapshot does not see what the command does."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform)
        for step in setup:
            box.run(program, step)
        before = snapshot(box, program)
        if box.run(program, argv).status:
            yield "it fails with no write refused"
        if snapshot(box, program) == before:
            yield "the snapshot shows no difference when it succeeds"


def flip_for(where):
    """Bits whose change makes another value of what is written there."""
    return next(bits for part, bits in FLIPS.items() if f" {part}" in where)


def order_for(write):
    """The fault that refuses this write and no other."""
    match = TPMI_WORD.fullmatch(write["where"])
    if match:
        package, domain, request = match.groups()
        return {"at": "tpmi", "request": request, "access": "write", "package": int(package),
                "power_domain": int(domain), "error": "EINVAL"}
    match = WORD.fullmatch(write["where"])
    if not match:
        path = write["where"].split(" ")[-1]
        return {"at": "write", "path": path, "error": "EBUSY"}
    cpu, kind, address, parameter = match.groups()
    if kind == "mailbox":
        order = {"at": kind, "command": address, "cpu": int(cpu), "error": "ENXIO"}
        return {**order, "parameter": parameter} if parameter else order
    name = "register" if kind == "mmio" else "msr"
    return {"at": kind, name: address, "access": "write", "cpu": int(cpu), "error": "ENXIO"}


def ends_of(kinds):
    """The numbers of the first and the last of each kind."""
    ends = {kinds.index(kind) for kind in kinds}
    return ends | {len(kinds) - 1 - kinds[::-1].index(kind) for kind in kinds}


def choose(writes, most):
    """The numbers of the writes to refuse."""
    if len(writes) <= most:
        return range(len(writes))
    kinds = [re.sub(r"[\d]+", "", write["where"]) for write in writes]
    return sorted(ends_of(kinds) | set(range(0, len(writes), len(writes) // most + 1)))


def choose_device_writes(writes, most):
    """
    The numbers of those to lose, alter and delay: kinds are commands, registers and requests. Where
    few are to be tried, only those that always are.
    """
    kinds = {number: re.sub(r"^(cpu|package)-\d+( powerdomain-\d+)?|mmio .*| parameter .*", "",
                            write["where"]) for number, write in enumerate(writes)
             if WORD.fullmatch(write["where"]) or TPMI_WORD.fullmatch(write["where"])}
    numbers = list(kinds)
    chosen = {numbers[end] for end in ends_of(list(kinds.values())) if most > FEW}
    chosen |= {number for number in numbers
               if any(part in writes[number]["where"] for part in ALWAYS)}
    return sorted(chosen)


def run_with(box, program, argv, order):
    """Runs the command with a fault."""
    faults = box.state / "faults.json"
    box.state.mkdir(mode=0o700, exist_ok=True)
    faults.write_text(json.dumps({"orders": [order]}), encoding="utf-8")
    run = box.run(program, ["-o", str(box.out), *argv])
    faults.unlink()
    return run


def refuse(box, program, argv, order, before, may_be_limited=False):
    """Runs the command with one write that must fail. Yields what is wrong."""
    run = run_with(box, program, argv, order)
    if may_be_limited and run.status == 0 and LIMITED in run.stderr:
        return
    if run.status != 1:
        yield f"status {run.status}, not 1: {run.stderr}"
    if "not undone" in run.stderr:
        yield f"not undone: {run.stderr}"
    elif snapshot(box, program) != before:
        yield f"the machine does not read as before: {run.stderr}"


def disturb(box, program, argv, write, way, before):
    """Runs the command with one write lost, altered or delayed. Yields what is wrong."""
    order = {**order_for(write), **WAYS[way]}
    del order["error"]
    if way == "delayed":
        run = run_with(box, program, argv, order)
        if run.status:
            yield f"status {run.status}: {run.stderr}"
        if "write-" in read(box, program, ["--dry-run", *argv])[1]:
            yield "it is not set"
        return
    if way == "altered":
        order["flip"] = flip_for(write["where"])
    # Only the first one, so that undoing can be told from doing.
    order["times"] = 1
    opens = way == "lost" and write["new"] == "0xffffffffffffffff"
    yield from refuse(box, program, argv, order, before, opens)


def check_command(program, platform, setup, argv, most):
    """Yields (number of the write, what is wrong); None once for each write that was refused."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform)
        for step in setup:
            if box.run(program, step).status:
                yield -1, f"setup {step} failed"
        plan = json.loads(read(box, program, ["--dry-run", *argv])[1])
        before = snapshot(box, program)
    writes = [plan[name] for name in plan if name.startswith("write-")
              and CONDITION not in plan[name]["new"]]
    if not writes:
        yield -1, "the plan is empty"
    for problem in check_snapshot(program, platform, setup, argv):
        yield -1, problem
    cases = [(number, "refused") for number in choose(writes, most)]
    cases += [(number, way) for number in choose_device_writes(writes, most) for way in WAYS]
    for number, way in cases:
        with machine.temporary_directory() as directory:
            box = machine.Machine(directory, platform)
            for step in setup:
                box.run(program, step)
            yield number, None
            problems = (refuse(box, program, argv, order_for(writes[number]), before)
                        if way == "refused"
                        else disturb(box, program, argv, writes[number], way, before))
            for problem in problems:
                yield number, f"{way}: {problem}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("machine")
    arguments = parser.parse_args()
    tried, failed = 0, 0
    for setup, argv in COMMANDS[arguments.machine]:
        platform = arguments.platforms / f"{arguments.machine}.json"
        for number, problem in check_command(arguments.program, platform, setup, argv,
                                             arguments.most):
            tried += problem is None
            if problem:
                failed += 1
                print(f"FAILED: {setup} {' '.join(argv)}: write {number}: {problem}")
    print(f"{arguments.machine}: {tried} writes refused or disturbed, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
