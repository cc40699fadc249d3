#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What commands make of a measurement that could not restore the settings that it changed for a while
(measure.md, "Settings for a while"; journal.md, "Recovery"): the change journal is made as a
measurement leaves it that is killed.
"""

import argparse
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

STATE = "/sys/devices/system/cpu/cpu3/cpuidle/state2/disable"
SET_LIGHT = ["-c", "5", "cpuidle", "set", "--disable", "POLL"]
READ = ["-c", "3", "cpuidle", "info"]
RESTORE = ["state", "restore", "--to", "previous"]
OWNER = "isst measure wake, process 99999999, begun at 2026-01-31T23:59:59Z"


class Lab:
    """A simulated machine whose CPU 3 has an idle state disabled that was enabled before."""

    def __init__(self, program, directory, platform):
        self.program = program
        self.box = machine.Machine(directory, platform)
        self.run_directory = self.box.state / "run"
        self.file = self.run_directory / "journal"
        self.name = list(self.states())[2]
        self.disable()

    def run(self, *argv, status=0):
        run = self.box.run(self.program, argv)
        expect(run.status == status, f"{argv}: status {run.status}: {run.stderr}{run.stdout}")
        return run.stdout + run.stderr

    def states(self):
        at = json.loads(self.box.run(self.program, ["-f", "json", "-o", "-", *READ]).stdout)
        while "cpuidle" not in at:
            at = next(value for key, value in at.items() if key.startswith(("package", "die", "cpu")))
        return {value["name"]: value["status"] for key, value in at["cpuidle"].items()
                if key.startswith("state-")}

    def disable(self):
        self.run("-c", "3", "cpuidle", "set", "--disable", self.name)

    def leave(self, forward=False, **members):
        """What a measurement leaves: the state is disabled, and was enabled."""
        change = {"for": "cpu 3", "setting": f"cpuidle.states.{self.name}", "was": True, "now": None}
        line = {"line": "begin", "id": journal.last_id(self.file) + 1, "stage": 1,
                "time": "2026-01-31T23:59:59Z", "uptime-s": 1, "command": ["isst", "measure", "wake"],
                "process": 99999999, "uid": 0, "login-uid": None, "temporary": not forward, "forward": forward,
                "changes": [{**change, **members}]}
        with open(self.file, "a", encoding="ascii") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def status(self):
        return self.states()[self.name]

    def is_open(self):
        return journal.is_open(self.file)


def check_reading(lab):
    """Reading commands say so, and leave it; dry runs list what would be undone first."""
    lab.leave()
    noted = (f"a command was interrupted while it was changing settings ({OWNER}): its changes are "
             "undone by the next setting command or by state restore")
    listed = (f"the command would first undo the interrupted command ({OWNER}): package-0 die-0 cpu-3 "
              f"cpuidle.states.{lab.name}: false -> true")
    for argv, wanted in ((READ, noted), (["--dry-run", *SET_LIGHT], listed),
                         (["--dry-run", *RESTORE], listed)):
        text = lab.run(*argv)
        expect(wanted in text, f"{argv}: {text}")
        expect(lab.is_open() and lab.status() == "disabled", f"{argv} undoes it")


def check_following(lab):
    """What the daemon has set stays, and no command says that it is undone."""
    lab.disable()
    lab.leave(forward=True)
    noted = (f"the daemon was interrupted while it followed a change ({OWNER}): what it had set is kept, and "
             "when it is started again it follows the present level")
    for argv in (READ, ["--dry-run", *SET_LIGHT]):
        text = lab.run(*argv)
        expect(noted in text and "undo" not in text, f"{argv}: {text}")
    text = lab.run("-f", "json", "machine", "summary")
    expect(text.count(noted) == 2, f"it is no finding: {text}")
    text = lab.run(*SET_LIGHT)
    expect(f"command {OWNER} was interrupted" in text and "undone" not in text, text)
    expect(not lab.is_open() and lab.status() == "disabled", "it is undone")


def check_setting(lab):
    """The next setting command undoes it first; the way back does not count it."""
    text = lab.run(*SET_LIGHT)
    expect(f"undone: command {OWNER}: 1 change: package-0 die-0 cpu-3 cpuidle.states.{lab.name}: "
           "false -> true" in text, text)
    last = journal.transactions(lab.file)[-2]
    expect(last["end"]["outcome"] == "undone" and last["end"]["by"] != 99999999, f"it ended as {last}")
    expect(lab.status() == "enabled", "it is not undone")
    lab.run("state", "restore")
    expect(lab.status() == "enabled", "the state at boot has what was changed for a while")


def check_restore(lab):
    for argv in (RESTORE, ["state", "restore"], ["-a", "perf-profile", "info"]):
        lab.disable()
        lab.leave()
        text = lab.run(*argv)
        expect(f"undone: command {OWNER}: 1 change" in text, f"{argv}: {text}")
        expect(not lab.is_open() and lab.status() == "enabled", f"{argv}: it is not undone")


def check_changed(lab):
    """A value that the measurement did not write stays."""
    lab.run("-c", "3", "cpuidle", "set", "--enable", lab.name)
    lab.leave(was=False, now=False)
    text = lab.run(*SET_LIGHT)
    expect(f"another program has changed what {OWNER} had set, and it is left as it is: package-0 die-0 "
           f"cpu-3 cpuidle.states.{lab.name} (now true)" in text, text)
    expect(not lab.is_open() and lab.status() == "enabled", "it was changed")


def check_failed(lab):
    """What cannot be undone is named, and listed in the journal."""
    lab.disable()
    lab.leave()
    faults = lab.box.state / "faults.json"
    faults.write_text(json.dumps({"orders": [{"at": "write", "path": STATE, "error": "EPERM"}]}),
                      encoding="utf-8")
    text = lab.run(*SET_LIGHT, status=1)
    expect(f"not undone of {OWNER}: " in text and lab.name in text, text)
    last = journal.transactions(lab.file)[-1]["end"]
    expect(last["outcome"] == "mixed" and
           last["left"] == [{"for": "cpu 3", "setting": f"cpuidle.states.{lab.name}"}], f"{last}")
    faults.unlink()
    lab.run(*SET_LIGHT)
    lab.run("-c", "3", "cpuidle", "set", "--enable", lab.name)


def check_busy(lab):
    """The one that holds the lock is named."""
    with open(lab.run_directory / "lock", "r+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate()
        lock.write("isst, process 99999999\n")
        lock.flush()
        lab.leave()
        text = lab.run(*SET_LIGHT, status=5)
        expect("another instance is setting this machine: isst, process 99999999" in text, text)
        text = lab.run(*READ)
        expect(f"settings are changed for a while by {OWNER}" in text, text)
        lock.truncate(0)
        text = lab.run(*SET_LIGHT, status=5)
        expect("another instance is setting this machine: another process" in text, text)
    lab.run(*SET_LIGHT)


def start(lab):
    """Starts a measurement that takes a second or more."""
    argv = lab.box.command(lab.program, ["-c", "3", "measure", "wake", "--samples", "100000"])
    return subprocess.Popen(argv, env=lab.box.environment(), stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def check_killed(lab):
    """Killed at any moment: the next setting command makes the machine what it was."""
    before = lab.states()
    n_left = 0
    for number in range(12):
        process = start(lab)
        time.sleep(0.02 + 0.04 * number)
        process.kill()
        process.communicate()
        n_left += lab.is_open()
        lab.run("-c", "5", "cpufreq", "set", "--epb", str(number))
        expect(not lab.is_open() and lab.states() == before, f"kill {number}: {lab.states()}")
    expect(n_left > 0, "no measurement was killed while it had changed settings")


def check_stopped(lab):
    """Asked to stop, it restores them itself."""
    before = lab.states()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = start(lab)
        for _ in range(200):
            if lab.is_open():
                break
            time.sleep(0.01)
        process.send_signal(number)
        _, text = process.communicate()
        expect(process.returncode in (0, 128 + number),
               f"{number}: status {process.returncode}: {text}")
        expect(process.returncode == 0 or "ended early by a signal" in text, text)
        expect(not lab.is_open() and lab.states() == before, f"{number}: {lab.states()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    os.umask(0o022)
    with machine.temporary_directory() as directory:
        lab = Lab(arguments.program.absolute(), directory, arguments.platform)
        for check in (check_reading, check_setting, check_following, check_restore, check_changed,
                      check_failed, check_busy, check_killed, check_stopped):
            check(lab)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"{failure}")
