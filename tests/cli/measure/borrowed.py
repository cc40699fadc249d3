#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What commands make of settings that a measurement has borrowed and that it could not put back
(measure.md, "Borrowed settings"): borrowed.json is made as a measurement leaves it that is killed.
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

import machine  # noqa: E402 pylint: disable=wrong-import-position

STATE = "/sys/devices/system/cpu/cpu3/cpuidle/state2/disable"
SET_LIGHT = ["-c", "5", "cpuidle", "set", "--disable", "POLL"]
READ = ["-c", "3", "cpuidle", "info"]
PUT_BACK = ("measure wake, process 99999999, ended before it put back what it had changed; put back "
            "now: cpu3/cpuidle/state2/disable")


class Failure(Exception):
    """A promise that was not kept."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Lab:
    """A simulated machine whose CPU 3 has an idle state disabled that was enabled before."""

    def __init__(self, program, directory, platform):
        self.program = program
        self.box = machine.Machine(directory, platform)
        self.run_directory = self.box.state / "run"
        self.file = self.run_directory / "borrowed.json"
        self.disable()
        boot = json.loads((self.run_directory / "boot-state.json").read_text(encoding="utf-8"))
        self.boot = boot["boot-id"]
        (self.run_directory / "boot-state.json").unlink()

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
        self.run("-c", "3", "cpuidle", "set", "--disable", list(self.states())[2])

    def leave(self, boot=None, **setting):
        """What a measurement leaves: the state is disabled, and was enabled."""
        entry = {"file": STATE, "found": "0", "set": ["0", "1"], **setting}
        self.file.write_text(json.dumps(
            {"format": "intel-speed-select borrowed settings", "version": 1,
             "boot": boot or self.boot, "command": "measure wake", "process": 99999999,
             "until-s": 1, "settings": [entry]}, separators=(",", ":")), encoding="utf-8")
        self.file.chmod(0o644)

    def status(self):
        return list(self.states().values())[2]


def check_reading(lab):
    """Reading commands say so, and leave it; so do dry runs."""
    lab.leave()
    for argv in (READ, ["--dry-run", *SET_LIGHT], ["--dry-run", "measure", "restore"]):
        text = lab.run(*argv)
        expect("measure wake, process 99999999, ended before it put back what it had changed (1 "
               "settings at most): the next setting command does it, or measure restore" in text,
               f"{argv}: {text}")
        expect(lab.file.exists() and lab.status() == "disabled", f"{argv} puts back")


def check_setting(lab):
    """The state at boot is saved after that, and the log of changes does not have it."""
    text = lab.run(*SET_LIGHT)
    expect(PUT_BACK in text, text)
    expect(not lab.file.exists() and lab.status() == "enabled", "it is not put back")
    lab.run("state", "restore")
    expect(lab.status() == "enabled", "the state at boot has what was borrowed")
    text = (lab.run_directory / "changes.json").read_text(encoding="utf-8")
    expect([entry["changes"] for entry in json.loads(text)["entries"]] == [1, 1, 1], text)


def check_restore(lab):
    for argv in (["measure", "restore"], ["state", "restore"], ["-a", "perf-profile", "info"]):
        lab.disable()
        lab.leave()
        text = lab.run(*argv)
        expect(PUT_BACK in text, f"{argv}: {text}")
        expect(not lab.file.exists() and lab.status() == "enabled", f"{argv}: it is not put back")
    expect("nothing to put back" in lab.run("measure", "restore"), "nothing is borrowed")


def check_changed(lab):
    """A value that no measurement wrote stays."""
    lab.leave(found="1", set=["7"])
    text = lab.run("measure", "restore")
    expect("somebody else has changed since what measure wake, process 99999999 had borrowed; left "
           "as it is: cpu3/cpuidle/state2/disable (now 0)" in text, text)
    expect(not lab.file.exists() and lab.status() == "enabled", "it was changed")


def check_failed(lab):
    """Nothing is set while something cannot be put back."""
    lab.disable()
    lab.leave()
    faults = lab.box.state / "faults.json"
    faults.write_text(json.dumps({"orders": [{"at": "write", "path": STATE, "error": "EPERM"}]}),
                      encoding="utf-8")
    for argv in (SET_LIGHT, ["measure", "restore"]):
        text = lab.run(*argv, status=1)
        expect("not put back: cpu3/cpuidle/state2/disable (Operation not permitted); try again with "
               "measure restore" in text, text)
        expect(lab.file.exists(), "what is left to do is forgotten")
    faults.unlink()
    lab.run("measure", "restore")
    expect(not lab.file.exists() and lab.status() == "enabled", "it is not put back")


def check_unusable(lab):
    """Files that are of another boot, damaged, or not to be trusted."""
    lab.disable()
    lab.leave(boot="another")
    expect("measure wake" not in lab.run(*SET_LIGHT) + lab.run(*READ), "it is of another boot")
    for damage in (lambda: lab.file.write_text("somebody", encoding="utf-8"),
                   lambda: (lab.leave(), lab.file.chmod(0o666)),
                   lambda: lab.leave(file="/etc/passwd")):
        damage()
        expect("Warning: borrowed.json in " in lab.run(*SET_LIGHT), "a file that cannot be used")
        expect("borrowed.json cannot be used" in lab.run(*READ), "a reading command")
        lab.run("measure", "restore", status=1)
        expect(lab.status() == "disabled", "it was used")
    lab.file.unlink()


def check_busy(lab):
    """The one that holds the lock is named with the time that is left."""
    with open(lab.run_directory / "lock", "r+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate()
        lock.write("isst, process 99999999\n")
        lock.flush()
        lab.leave()
        for argv in (SET_LIGHT, ["measure", "restore"]):
            text = lab.run(*argv, status=5)
            expect("another instance is setting this machine: isst, process 99999999: measure wake, "
                   "0 s left" in text, text)
        text = lab.run(*READ)
        expect("measure wake, process 99999999, has changed 1 settings for a while, 0 s left" in text,
               text)
    lab.file.unlink()


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
        n_left += lab.file.exists()
        lab.run("measure", "restore")
        expect(not lab.file.exists() and lab.states() == before, f"kill {number}: {lab.states()}")
    expect(n_left > 0, "no measurement was killed while it had borrowed settings")


def check_stopped(lab):
    """Asked to stop, it puts back itself."""
    before = lab.states()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = start(lab)
        for _ in range(200):
            if lab.file.exists():
                break
            time.sleep(0.01)
        process.send_signal(number)
        _, text = process.communicate()
        expect(process.returncode in (0, 1), f"{number}: status {process.returncode}: {text}")
        expect(process.returncode == 0 or "the program was asked to stop" in text, text)
        expect(not lab.file.exists() and lab.states() == before, f"{number}: {lab.states()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    os.umask(0o022)
    with machine.temporary_directory() as directory:
        lab = Lab(arguments.program.resolve(), directory, arguments.platform)
        for check in (check_reading, check_setting, check_restore, check_changed, check_failed,
                      check_unusable, check_busy, check_killed, check_stopped):
            check(lab)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"{failure}")
