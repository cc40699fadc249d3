#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What commands leave in the run directory and in syslog (commands.md, "Safety of every setting
command"): an entry for each one that wrote something.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

LEVEL_3 = ["-c", "0", "perf-profile", "set-config-level", "-l", "3"]


class Failure(Exception):
    """A promise that was not kept."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Lab:
    """A machine, simulated or with the stand-in's device, and its run directory."""

    def __init__(self, program, box):
        self.program = program
        self.box = box
        self.run_directory = (box.root / "run/intel-speed-select" if box.standin
                              else box.state / "run")

    def run(self, *argv, status=0):
        run = self.box.run(self.program, argv)
        expect(run.status == status, f"{argv}: status {run.status}: {run.stderr}")
        return run

    def entries(self):
        path = self.run_directory / "changes.json"
        if not path.exists():
            return []
        expect(path.stat().st_mode & 0o777 == 0o644, "the mode of changes.json")
        return json.loads(path.read_text(encoding="utf-8"))["entries"]

    def syslog(self):
        path = self.box.root / "syslog"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def check_entries(lab):
    lab.run("-c", "0", "perf-profile", "get-config-current-level")
    lab.run("--dry-run", *LEVEL_3)
    expect(lab.entries() == [], "a command that writes nothing has an entry")
    mask = os.umask(0o077)
    lab.run(*LEVEL_3)
    os.umask(mask)
    lab.run(*LEVEL_3)  # nothing is left to write
    entries = lab.entries()
    expect(len(entries) == 1, f"not one entry: {entries}")
    entry = entries[0]
    expect(list(entry) == ["time", "uptime-s", "command", "uid", "login-uid", "status", "changes"],
           f"members {list(entry)}")
    time = datetime.datetime.fromisoformat(entry["time"].replace("Z", "+00:00"))
    now = datetime.datetime.now(datetime.timezone.utc)
    expect(datetime.timedelta(0) <= now - time < datetime.timedelta(minutes=5), entry["time"])
    expect(entry["command"] == lab.box.command(lab.program, LEVEL_3), entry["command"])
    expect(entry["uid"] == os.getuid() and entry["status"] == 0 and entry["changes"] == 1,
           f"it is {entry}")
    expect(entry["login-uid"] is None or isinstance(entry["login-uid"], int), "login-uid")


def check_undone(lab):
    """The second of two writes fails: the first one is undone."""
    path = lab.box.state / "faults.json"
    lab.run("perf-profile", "set-config-level", "-l", "0")
    path.write_text(json.dumps({"orders": [{"at": "mailbox", "command": "0x7f/0x08", "cpu": 14,
                                            "error": "EINVAL"}]}), encoding="utf-8")
    lab.run("perf-profile", "set-config-level", "-l", "3", status=1)
    path.unlink()
    entry = lab.entries()[-1]
    expect(entry["status"] == 1 and entry["changes"] == 1, f"a command that was undone: {entry}")


def check_damaged(lab):
    path = lab.run_directory / "changes.json"
    path.write_text("damaged", encoding="utf-8")
    run = lab.run("perf-profile", "set-config-level", "-l", "4")
    expect("changes.json could not be used (it is damaged" in run.stderr, run.stderr)
    expect(len(lab.entries()) == 1, "a damaged file is not replaced")
    path.unlink()
    path.mkdir()
    run = lab.run("perf-profile", "set-config-level", "-l", "0")
    expect("Information: this change is not recorded in " in run.stderr, run.stderr)
    path.rmdir()


def check_limits(lab):
    """The level limits what is written; a write that is undone leaves the note of the first."""
    def note():
        path = lab.run_directory / "trl.json"
        expect(path.stat().st_mode & 0o777 == 0o644, "the mode of trl.json")
        return json.loads(path.read_text(encoding="utf-8"))["packages"]

    # undoing a change of level restored the limits
    expect(note()["0"]["written"] == note()["0"]["read"], f"after that: {note()}")
    (lab.run_directory / "trl.json").unlink()
    lab.run("-c", "0", "turbo-mode", "set-trl", "-t", "0xffffffffffffffff")
    first = note()
    expect(list(first) == ["0"] and first["0"]["written"] == "0xffffffffffffffff", f"it is {first}")
    reads = lab.run("-c", "0", "turbo-mode", "get-trl").stderr
    expect(f"{int(first['0']['read'], 16):x}" in reads, f"{first}, but {reads}")
    path = lab.box.state / "faults.json"
    path.write_text(json.dumps({"orders": [{"at": "msr", "msr": "0x1ad", "access": "write", "cpu": 14,
                                            "error": "EINVAL"}]}), encoding="utf-8")
    lab.run("turbo-mode", "set-trl", "-t", "0x0101010101010101", status=1)
    path.unlink()
    expect(note() == first, f"after a write that was undone: {note()}")


def check_syslog(lab):
    lab.run(*LEVEL_3)
    lines = lab.syslog()
    wanted = (r"<5>intel-speed-select: status 0, 1 write, uid \d+, login-uid (\d+|null): "
              r"\S*intel-speed-select -c 0 perf-profile set-config-level -l 3")
    expect(len(lines) == 1 and re.fullmatch(wanted, lines[0]), f"syslog has {lines}")


def check_measured(lab):
    """Two CPUs that are measured, one after the other: one lock, one line, no entry."""
    if not {0, 1} <= os.sched_getaffinity(0):
        print("measure wake is not tried: this process may not use CPUs 0 and 1")
        return
    entries, lines = lab.entries(), lab.syslog()
    locks, times = lab.box.root / "locks", lab.box.root / "stat"
    # how busy the CPUs of this machine are does not matter
    times.write_text("".join(f"{cpu} 1 1 1 1 1 1 1 1 1 1\n" for cpu in ("cpu ", "cpu0", "cpu1")),
                     encoding="utf-8")
    lab.box.extra = {"ISST_STANDIN_LOCKS": str(locks), "ISST_STANDIN_STAT": str(times)}
    run = lab.run("-c", "0,1", "measure", "wake", "--samples", "10", "--gap", "100")
    lab.box.extra = {}
    expect(all(f"CPU          {cpu} of package 0" in run.stdout for cpu in (0, 1)), run.stdout)
    taken = [line for line in locks.read_text(encoding="utf-8").splitlines()
             if line.startswith(str(lab.run_directory))]
    expect(len(taken) == 1, f"locks that were taken: {taken}")
    added = lab.syslog()[len(lines):]
    wanted = (r"<5>intel-speed-select: borrows 16 settings for about \d+ s, uid \d+, login-uid "
              r"(\d+|null): \S*intel-speed-select -c 0,1 measure wake --samples 10 --gap 100")
    expect(len(added) == 1 and re.fullmatch(wanted, added[0]), f"syslog has {added}")
    expect(lab.entries() == entries, "a measurement has an entry")
    expect({path.name for path in lab.run_directory.iterdir()} & {"borrowed.json", "unfinished"} ==
           set(), "what was borrowed is still listed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    parser.add_argument("--standin", type=pathlib.Path)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    with machine.temporary_directory() as directory:
        lab = Lab(program, machine.Machine(directory, arguments.platform))
        for check in (check_entries, check_undone, check_damaged, check_limits):
            check(lab)
        expect(lab.syslog() == [], "a simulated machine is in syslog")
    if arguments.standin and os.geteuid() == 0:
        with machine.temporary_directory() as directory:
            lab = Lab(program, machine.Machine(directory, arguments.platform, arguments.standin))
            check_syslog(lab)
            check_measured(lab)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"{failure}")
