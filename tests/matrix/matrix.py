#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The failure matrix: for each setting command, the n-th write of its plan is refused, for every n;
afterwards the machine must read as before. What is refused is found by --dry-run, so that the plan
that is shown is held against the writes that are made. Of plans with more than --most writes every
k-th is refused, the first and the last of each kind always.
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

MOST = 24
WORD = re.compile(r"cpu-(\d+) (mailbox|mmio|msr) (\S+)(?: parameter (\S+))?")
CONDITION = " where below "  # such a write may be left out
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
    ([], ["turbo-mode", "set-trl", "-t", "0x2121222223232424"]),
]


def levels(level):
    """Level changes, on machines that have more than one, also with SST-TF on before."""
    change = ["perf-profile", "set-config-level", "-l", level]
    return [([], change), ([AUTO_TURBO], change), ([], [*change, "-o"]), ([], ["-g", *change, "-o"]),
            ([[*change, "-o"]], ["perf-profile", "set-config-level", "-l", "0", "-o"]),
            ([[*change, "-o"]], ["-a", "turbo-mode", "enable"])]


COMMANDS = {
    "guide": MAILBOX + levels("4"),
    "gnr-6776p-2s": [([LEVEL_1], AUTO_BASE), ([LEVEL_1, AUTO_BASE], ["base-freq", "disable", "-a"]),
                     *MAILBOX[2:], *levels("1")],
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


def choose(writes, most):
    """The numbers of the writes to refuse."""
    if len(writes) <= most:
        return range(len(writes))
    kinds = [re.sub(r"[\d]+", "", write["where"]) for write in writes]
    ends = {kinds.index(kind) for kind in kinds}
    ends |= {len(kinds) - 1 - kinds[::-1].index(kind) for kind in kinds}
    return sorted(ends | set(range(0, len(writes), len(writes) // most + 1)))


def refuse(box, program, argv, write):
    """Runs the command with one write refused. Yields what is wrong."""
    before = snapshot(box, program)
    faults = box.state / "faults.json"
    faults.write_text(json.dumps({"orders": [order_for(write)]}), encoding="utf-8")
    run = box.run(program, ["-o", str(box.out), *argv])
    faults.unlink()
    if run.status != 1:
        yield f"status {run.status}, not 1: {run.stderr}"
    if "not undone" in run.stderr:
        yield f"not undone: {run.stderr}"
    elif snapshot(box, program) != before:
        yield f"the machine does not read as before: {run.stderr}"


def check_command(program, platform, setup, argv, most):
    """Yields (number of the write, what is wrong); None once for each write that was refused."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform)
        for step in setup:
            if box.run(program, step).status:
                yield -1, f"setup {step} failed"
        plan = json.loads(read(box, program, ["--dry-run", *argv])[1])
    writes = [plan[name] for name in plan if name.startswith("write-")
              and CONDITION not in plan[name]["new"]]
    if not writes:
        yield -1, "the plan is empty"
    for problem in check_snapshot(program, platform, setup, argv):
        yield -1, problem
    for number in choose(writes, most):
        with machine.temporary_directory() as directory:
            box = machine.Machine(directory, platform)
            for step in setup:
                box.run(program, step)
            yield number, None
            for problem in refuse(box, program, argv, writes[number]):
                yield number, problem


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
    print(f"{arguments.machine}: {tried} writes refused, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
