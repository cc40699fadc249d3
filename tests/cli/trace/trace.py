#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What commands leave in the run directory and in syslog (commands.md, "Safety of every setting
command"; journal.md): a transaction for each one that wrote something.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

LEVEL_3 = ["-c", "0", "perf-profile", "set-config-level", "-l", "3"]


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
        """The transactions of the change journal."""
        path = self.run_directory / "journal"
        expect(not path.exists() or path.stat().st_mode & 0o777 == 0o644, "the mode of the journal")
        return journal.transactions(path)

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
    begin, changes, end = (entries[0][name] for name in ("begin", "changes", "end"))
    expect(list(begin) == ["line", "id", "stage", "time", "uptime-s", "command", "process", "uid",
                           "login-uid", "temporary", "forward", "changes"], f"members {list(begin)}")
    time = datetime.datetime.fromisoformat(begin["time"].replace("Z", "+00:00"))
    now = datetime.datetime.now(datetime.timezone.utc)
    expect(datetime.timedelta(0) <= now - time < datetime.timedelta(minutes=5), begin["time"])
    expect(begin["command"] == lab.box.command(lab.program, LEVEL_3), begin["command"])
    expect(begin["uid"] == os.getuid() and begin["id"] == 1 and begin["stage"] == 1, f"it is {begin}")
    expect(begin["login-uid"] is None or isinstance(begin["login-uid"], int), "login-uid")
    expect(changes[0] == {"for": "package-0 die-0", "setting": "perf-profile.level", "was": 0, "now": 3},
           f"changes {changes}")
    expect(end == {"line": "end", "id": 1, "outcome": "done"}, f"it ended as {end}")


def check_undone(lab):
    """The second of two writes fails: the first one is undone."""
    path = lab.box.state / "faults.json"
    lab.run("perf-profile", "set-config-level", "-l", "0")
    path.write_text(json.dumps({"orders": [{"at": "mailbox", "command": "0x7f/0x08", "cpu": 14,
                                            "error": "EINVAL"}]}), encoding="utf-8")
    lab.run("perf-profile", "set-config-level", "-l", "3", status=1)
    path.unlink()
    entry = lab.entries()[-1]
    expect(entry["end"]["outcome"] == "undone" and len(entry["changes"]) > 1,
           f"a command that was undone: {entry}")


def check_limits(lab):
    """The level limits what is written, which the end says."""
    faults = lab.box.state / "faults.json"
    faults.write_text(json.dumps({"clamped_limits": True}), encoding="utf-8")
    lab.run("-c", "0", "turbo-mode", "set-trl", "-t", "0xffffffffffffffff")
    entry = lab.entries()[-1]
    change, read = entry["changes"][0], entry["end"]["read"][0]
    expect(change["now"] == "0xffffffffffffffff" and change["now-word"] == "open", f"it is {change}")
    expect((read["for"], read["setting"]) == ("package-0", "turbo-mode.trl"), f"it is {read}")
    reads = lab.run("-c", "0", "turbo-mode", "get-trl").stderr
    expect(f"{int(read['read'], 16):x}" in reads and read["read"] != change["now"],
           f"{read}, but {reads}")
    faults.unlink()


def check_syslog(lab):
    lab.run(*LEVEL_3)
    lines = lab.syslog()
    wanted = (r"<5>intel-speed-select: status 0, 1 write, uid \d+, login-uid (\d+|null): "
              r"\S*intel-speed-select -c 0 perf-profile set-config-level -l 3")
    expect(len(lines) == 1 and re.fullmatch(wanted, lines[0]), f"syslog has {lines}")


def check_measured(lab):
    """Two CPUs that are measured, one after the other: one lock, one line, one transaction."""
    if not {0, 1} <= os.sched_getaffinity(0):
        print("measure wake is not tried: this process may not use CPUs 0 and 1")
        return
    entries, lines = lab.entries(), lab.syslog()
    locks, times = lab.box.root / "locks", lab.box.root / "stat"
    # how busy the CPUs of this machine are does not matter
    times.write_text("".join(f"{cpu} 1 1 1 1 1 1 1 1 1 1\n" for cpu in ("cpu ", "cpu0", "cpu1")),
                     encoding="utf-8")
    lab.box.extra = {"ISST_STANDIN_LOCKS": str(locks), "ISST_STANDIN_STAT": str(times)}
    run = lab.run("-c", "0,1", "measure", "wake", "--samples", "10", "--gap", "100us")
    lab.box.extra = {}
    expect(all(f"CPU          {cpu} of package 0" in run.stdout for cpu in (0, 1)), run.stdout)
    taken = [line for line in locks.read_text(encoding="utf-8").splitlines()
             if line.startswith(str(lab.run_directory))]
    expect(len(taken) == 1, f"locks that were taken: {taken}")
    added = lab.syslog()[len(lines):]
    wanted = (r"<5>intel-speed-select: changes 16 settings for about \d+ s, uid \d+, login-uid "
              r"(\d+|null): \S*intel-speed-select -c 0,1 measure wake --samples 10 --gap 100us")
    expect(len(added) == 1 and re.fullmatch(wanted, added[0]), f"syslog has {added}")
    entry = lab.entries()[-1]
    expect(len(lab.entries()) == len(entries) + 1, "a measurement is not one transaction")
    expect(entry["begin"]["temporary"] and entry["end"]["outcome"] == "undone" and
           "by" not in entry["end"], f"it is {entry}")


def check_clearing(lab):
    """Limit reasons are everybody's: that they are cleared is in syslog, once for all domains."""
    clears = ["measure", "run", "--seconds", "1", "--clear-limits"]
    lab.run("--dry-run", "-c", "0", *clears)
    expect(lab.syslog() == [], "a dry run is in syslog")
    lab.run("-c", "0", *clears)
    lines = lab.syslog()
    wanted = (r"<5>intel-speed-select: clears the limit reasons of \d+ power domains, uid \d+, "
              r"login-uid (\d+|null): \S*intel-speed-select -c 0 " + " ".join(clears))
    expect(len(lines) == 1 and re.fullmatch(wanted, lines[0]), f"syslog has {lines}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    parser.add_argument("--standin", type=pathlib.Path)
    arguments = parser.parse_args()
    program = arguments.program.absolute()
    with machine.temporary_directory() as directory:
        lab = Lab(program, machine.Machine(directory, arguments.platform))
        for check in (check_entries, check_undone, check_limits):
            check(lab)
        expect(lab.syslog() == [], "a simulated machine is in syslog")
    if arguments.standin and os.geteuid() == 0:
        with machine.temporary_directory() as directory:
            lab = Lab(program, machine.Machine(directory, arguments.platform, arguments.standin))
            check_syslog(lab)
            check_measured(lab)
        with machine.temporary_directory() as directory:
            check_clearing(Lab(program, machine.Machine(
                directory, arguments.platform.with_name("srf-6746e-2s.json"), arguments.standin)))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"{failure}")
