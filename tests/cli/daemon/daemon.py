#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The daemon on a simulated machine (commands.md, "Daemon"): levels that another process changes are
followed, by the CPUs that are its to move, over restarts and refusals; and how it starts and ends.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import expect  # noqa: E402 pylint: disable=wrong-import-position

PATIENCE_S = 20
SYS_ADMIN, DAC_OVERRIDE = 1 << 21, 1 << 1  # of the capabilities
DISABLED = {0: set(), 3: {4, 6, 12, 18, 20, 26, 32, 34, 40, 46, 48, 54},
            4: {4, 6, 12, 13, 18, 20, 26, 27, 32, 34, 40, 41, 46, 48, 54, 55}}


def named(name):
    """The platform of that name."""
    return lambda platforms, directory: platforms / f"{name}.json"


def without_cpu0(platforms, directory):
    """The guide's machine, where level 3 does not enable CPU 0 and the kernel cannot offline it."""
    document = json.loads((platforms / "guide.json").read_text(encoding="utf-8"))
    document["sst"]["levels"][3]["cores"] = "1-3,5,7-11,13"
    path = directory / "platform.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def cpus_of(text):
    """The CPUs of a list of ranges."""
    ranges = [part.partition("-") for part in text.strip().split(",") if part]
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}


class Lab:
    """A machine, the program, and a daemon that polls every second."""

    def __init__(self, arguments, directory, platform):
        self.program = arguments.program
        self.directory = pathlib.Path(directory)
        self.box = machine.Machine(directory, platform(arguments.platforms, self.directory))
        self.daemon = None

    def run(self, *argv):
        return self.box.run(self.program, ["-o", str(self.box.out), *argv])

    def set_level(self, level, *options, before=()):
        run = self.run(*before, "perf-profile", "set-config-level", "-l", str(level), *options)
        expect(run.status == 0, f"level {level} cannot be set: {run.stderr}")

    def offline(self):
        run = self.run("-f", "json", "-a", "--dry-run", "--info")
        return {int(cpu) for cpu in re.findall(r"cpu(\d+)/online", run.out or "")}

    def groups(self):
        """The groups below the root and their CPUs; None for one that is being made or removed."""
        def read(path):
            try:
                return cpus_of((path / "cpuset.cpus").read_text(encoding="utf-8"))
            except FileNotFoundError:
                return None

        return {path.name: read(path) for path in (self.box.state / "cgroup").iterdir()
                if path.is_dir()}

    def expect_groups(self, level):
        def wanted():
            return {f"{package}-0-0": {cpu for cpu in DISABLED[level] if cpu // 14 % 2 == package}
                    for package in (0, 1) if DISABLED[level]}

        self.wait_for(lambda: self.groups() == wanted(), f"not the groups of level {level}")

    def effective(self):
        """The capabilities of the daemon."""
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"CapEff:\s*(\w+)", status)[1], 16)

    def order(self, *orders):
        self.box.state.mkdir(mode=0o700, exist_ok=True)
        (self.box.state / "faults.json").write_text(json.dumps({"orders": list(orders)}),
                                                    encoding="utf-8")

    def start(self, *options, env=None, ready=True):
        self.log = self.directory / "log"
        with open(self.log, "a", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(
                self.box.command(self.program, ["--oob", "-n", "-w", "1", *options]),
                env={**self.box.environment(), **(env or {})}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        if ready:
            self.wait_for(lambda: "OOB mode is enabled" in self.said(), "it is never ready")

    def said(self):
        return self.log.read_text(encoding="utf-8")

    def stop(self, number=signal.SIGTERM):
        """Ends the daemon. Returns how long that took."""
        began = time.monotonic()
        self.daemon.send_signal(number)
        status = self.daemon.wait(timeout=PATIENCE_S)
        expect(status == 0, f"status {status} after {number.name}: {self.said()}")
        expect(not (self.box.state / "run" / "oob.pid").exists(), "its process file stays")
        self.log.unlink()
        return time.monotonic() - began

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            expect(time.monotonic() < end, f"{what}: {self.said()}")
            expect(self.daemon.poll() is None, f"it ended: {self.said()}")
            time.sleep(0.05)

    def expect_offline(self, cpus):
        self.wait_for(lambda: self.offline() == cpus, f"not these CPUs are offline: {cpus}")

    def expect_record(self, cpus):
        """The record holds these CPUs as taken, and no others."""
        path = self.box.state / "run" / "oob-record.json"

        def taken():
            domains = json.loads(path.read_text(encoding="utf-8"))["domains"]
            return set().union(*(cpus_of(domain["taken"]) for domain in domains))

        self.wait_for(lambda: taken() == cpus, f"not these CPUs are in the record: {cpus}")

    def close(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.kill()
            self.daemon.wait()


def follows(lab):
    """The CPUs of each level, there and back; SIGHUP makes it rescan at once."""
    lab.start()
    for level in (4, 3, 0):
        lab.set_level(level)
        lab.daemon.send_signal(signal.SIGHUP)
        lab.expect_offline(DISABLED[level])
        lab.expect_record(DISABLED[level])
    expect(lab.stop() < 2, "it takes long to end")


def leaves_others(lab):
    """CPUs that were offline before stay so."""
    lab.set_level(3, "-o")
    lab.start()
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    lab.set_level(0)
    lab.expect_offline(DISABLED[3])
    lab.stop(signal.SIGINT)


def command_follows(lab):
    """A level that a command follows is in the record, and the daemon brings its CPUs back."""
    lab.start()
    lab.order({"at": "write", "path": "/sys/devices/system/cpu/cpu*/online", "delay_us": 200000})
    lab.set_level(3, "-o")  # takes longer than the pause between two scans
    lab.order()
    lab.expect_record(DISABLED[3])
    time.sleep(1.5)
    expect("following" not in lab.said(), f"it follows a level again: {lab.said()}")
    lab.set_level(0)
    lab.expect_offline(set())
    lab.expect_record(set())
    lab.daemon.send_signal(signal.SIGSTOP)  # between two scans the level goes and comes back
    lab.set_level(4, "-o")
    lab.set_level(0)
    lab.daemon.send_signal(signal.SIGCONT)
    lab.expect_offline(set())
    lab.stop()
    last = journal.transactions(lab.box.state / "run" / "journal")[-1]
    expect("--oob" in last["begin"]["command"] and last["begin"]["forward"] and
           last["end"]["outcome"] == "done", f"it records {last}")


def state_applies(lab):
    """The daemon does not follow a level that a state document has set, and changes nothing of it."""
    document = lab.box.directory / "state.json"
    document.write_text(json.dumps({
        "format": "intel-speed-select-state", "version": 1,
        "settings": [{"for": "all", "perf-profile": {"level": 3}, "online": "follow-level",
                      "cpufreq": {"max-mhz": "base"}}]}), encoding="utf-8")
    lab.start()
    run = lab.run("state", "apply", str(document))
    expect(run.status == 0, f"the document is not applied: {run.stderr}")
    lab.expect_record(DISABLED[3])
    time.sleep(1.5)
    expect("following" not in lab.said(), f"it follows the level: {lab.said()}")
    run = lab.run("state", "check", str(document))
    expect(run.status == 0, f"the state differs: {run.out}{run.stderr}")
    lab.stop()


def restarts(lab):
    """What it took it gives back, also after a restart; what changed meanwhile is a change."""
    lab.start()
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    lab.stop()
    lab.set_level(3)
    lab.start()
    lab.expect_offline(DISABLED[3])
    lab.daemon.kill()
    lab.daemon.wait()
    lab.set_level(0)
    lab.start()
    lab.expect_offline(set())
    lab.stop()


def damaged_record(lab):
    """Without a valid record the current level counts as followed."""
    lab.start()
    lab.stop()
    (lab.box.state / "run" / "oob-record.json").write_text("{", encoding="utf-8")
    lab.set_level(4)
    lab.start()
    expect("cannot be used (it is damaged, or no file of this program)" in lab.said(), lab.said())
    time.sleep(1.5)
    expect(lab.offline() == set(), "CPUs were moved")
    lab.stop()


def refusals(lab):
    """A CPU that cannot go offline is reported, the others go, and it is tried again."""
    lab.order({"at": "write", "path": "/sys/devices/system/cpu/cpu6/online", "error": "EBUSY",
               "times": 2})
    lab.start()
    lab.set_level(3)
    lab.expect_offline(DISABLED[3] - {6})
    lab.expect_offline(DISABLED[3])
    said = lab.said()
    expect("cpu-6: online: the kernel reports that it is busy" in said, said)
    expect("tried again later" in said, said)
    lab.stop()


def no_driver(lab):
    """Without a driver it does not begin."""
    lab.order({"at": "open", "error": "ENOENT"})
    lab.start(ready=False)
    status = lab.daemon.wait(timeout=PATIENCE_S)
    expect(status == 3, f"status {status} without a driver: {lab.said()}")
    expect("driver" in lab.said(), lab.said())


def driver_goes(lab):
    """A driver that goes and comes back: that is said, and what changed meanwhile is followed."""
    lab.order({"at": "open", "error": "ENOENT", "skip": 5, "times": 2})
    lab.start()
    lab.set_level(4)
    lab.wait_for(lambda: "driver" in lab.said(), "it does not say that the driver is gone")
    lab.expect_offline(DISABLED[4])
    lab.stop()


def publishes(lab):
    """Which cores are fast is published at the start, and after a level was followed."""
    def published():
        """The CPUs of the record, which are those that were online."""
        record = lab.box.state / "run" / "priority.json"
        try:
            groups = json.loads(record.read_text(encoding="utf-8"))["groups"]
        except FileNotFoundError:
            return None
        return set().union(*(cpus_of(cpus) for group in groups for cpus in group["threads"]))

    every = set(range(56))
    lab.start()
    lab.wait_for(lambda: published() == every, "it publishes nothing at its start")
    lab.set_level(4)  # which publishes too, before CPUs go
    lab.wait_for(lambda: published() == every - DISABLED[4], "it does not publish the new level")
    lab.stop()


def silent_domain(lab):
    """A power domain that does not answer is reported once, and followed when it answers again."""
    lab.order({"at": "mailbox", "command": "0x7f/0x00", "cpu": 14, "error": "EIO",
               "times": 2})
    lab.start()
    lab.wait_for(lambda: "every power domain answers again" in lab.said(),
                 "it does not say that all is well")
    told = lab.said().count("package-1 die-0: its performance level cannot be read")
    expect(told == 1, f"told {told} times: {lab.said()}")
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    lab.stop()


def slow_writes(lab):
    """Asked to stop in the middle, it ends soon, and continues after a restart."""
    lab.order({"at": "write", "path": "/sys/devices/system/cpu/cpu*/online", "delay_us": 200000})
    lab.start()
    lab.set_level(4)
    lab.wait_for(lab.offline, "it does nothing")
    expect(lab.stop() < 1.5, "it takes long to end")
    done = lab.offline()
    expect(done and done != DISABLED[4], f"it was not stopped in the middle: {done}")
    lab.start(ready=False)
    lab.expect_offline(DISABLED[4])
    lab.stop()


def killed(lab):
    """Killed in the middle, and the level is back before it is: it gives back what it took."""
    lab.order({"at": "write", "path": "/sys/devices/system/cpu/cpu*/online", "delay_us": 100000})
    lab.start()
    lab.set_level(4)
    lab.wait_for(lambda: len(lab.offline()) > 2, "it takes nothing offline")
    lab.daemon.kill()
    lab.daemon.wait()
    expect(lab.offline() != DISABLED[4], "it was not killed in the middle")
    lab.order()
    lab.set_level(0)
    lab.start()
    lab.expect_offline(set())
    lab.stop()


def rights(lab):
    """Once it is ready it has no capability but the one that it needs, if it had that."""
    lab.start()
    effective = lab.effective()
    expect(effective & ~SYS_ADMIN == 0, f"it has more capabilities: {effective:x}")
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    lab.stop()


def make_cgroup_root(lab):
    """A cgroup tree whose root has mode 0555, as the kernel makes it."""
    lab.set_level(4, "-o", before=["-g"])
    lab.set_level(0, "-o", before=["-g"])
    expect(lab.groups() == {}, f"groups are left: {lab.groups()}")
    (lab.box.state / "cgroup").chmod(0o555)


def isolates(lab):
    """Groups are made and removed in a directory of mode 0555, for each level and over a restart."""
    make_cgroup_root(lab)
    lab.start("-g")
    effective = lab.effective()
    expect(effective & ~SYS_ADMIN & ~DAC_OVERRIDE == 0, f"too many capabilities: {effective:x}")
    for level in (4, 3, 0):
        lab.set_level(level)
        lab.expect_groups(level)
    lab.set_level(3)
    lab.expect_groups(3)
    lab.stop()
    lab.set_level(0)
    lab.start()  # without -g: what an earlier one left is removed
    lab.expect_groups(0)
    expect(lab.offline() == set(), "CPUs were taken offline")
    lab.stop()
    lab.set_level(3, "-o", before=["-g"])
    lab.start()
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    expect(lab.groups() == {}, f"groups are left: {lab.groups()}")
    lab.stop()


def isolates_cpu0(lab):
    """The same for CPU 0 alone."""
    make_cgroup_root(lab)
    lab.start("-u")
    for level, groups in ((3, {"0-0-0": {0}}), (0, {})):
        lab.set_level(level)
        lab.wait_for(lambda wanted=groups: lab.groups() == wanted, "not the groups of the level")
    expect("Warning" not in lab.said(), lab.said())
    lab.stop()


def fails_for_long(lab):
    """A failure that persists is reported once, and not again at each try."""
    lab.order({"at": "write", "path": "/sys/devices/system/cpu/cpu6/online", "error": "EBUSY",
               "times": 6})
    lab.start()
    lab.set_level(3)
    lab.expect_offline(DISABLED[3] - {6})
    time.sleep(4)  # it is tried again after 1 and 2 seconds
    said = lab.said()
    expect(said.count("cpu-6: online: the kernel reports that it is busy") == 1, said)
    retried = "package-0 die-0: performance level 3: retrying what could not be set"
    expect(said.count(retried) == 1, said)
    lab.set_level(4)
    lab.expect_offline(DISABLED[4] - {6})
    expect(lab.said().count("cpu-6: online: the kernel reports that it is busy") == 2, lab.said())
    lab.expect_offline(DISABLED[4])
    lab.stop()


def turbo_unknown(lab):
    """If it is unknown whether turbo is off, limits stay, and the rest follows."""
    lab.order({"at": "read", "path": "/sys/devices/system/cpu/intel_pstate/no_turbo",
               "error": "EIO"})
    lab.start()
    lab.set_level(4)
    lab.expect_offline(DISABLED[4])
    lab.wait_for(lambda: "intel_pstate/no_turbo: Input/output error" in lab.said(), "no reason")
    lab.wait_for(lambda: "package-0 die-0: performance level 4" in lab.said(), "not followed")
    lab.stop()


def unknown_core(lab):
    """A CPU whose core the driver does not report stays as it is, and is reported."""
    lab.order({"at": "phy_id", "cpu": 6, "error": "ENXIO"})
    lab.start()
    lab.set_level(4)
    lab.expect_offline(DISABLED[4] - {6})
    expect("CPUs 6 stay as they are, since their cores are unknown" in lab.said(), lab.said())
    lab.set_level(0)
    lab.expect_offline(set())
    lab.stop()


def power_domains(lab):
    """On a TPMI machine one power domain of a package alone."""
    lab.start()
    lab.run("-c", "32", "perf-profile", "set-config-level", "-l", "1")
    lab.expect_offline({60, 61, 62, 63, 188, 189, 190, 191})
    expect("package-0 die-0 powerdomain-1: performance level 1" in lab.said(), lab.said())
    lab.run("-c", "32", "perf-profile", "set-config-level", "-l", "0")
    lab.expect_offline(set())
    lab.stop()


def second(lab):
    lab.start()
    run = lab.box.run(lab.program, ["--oob", "-n", "-w", "1"])
    expect(run.status == 5, f"status {run.status}: {run.stderr}")
    message = f"Error: --oob runs already: process {lab.daemon.pid}\n"
    expect(run.stderr == message, run.stderr)
    for argv in (["-n", "-w", "1"], []):
        run = lab.box.run(lab.program, ["-f", "json", "-o", "-", "--oob", *argv])
        expect(run.status == 5 and run.stderr == message, f"{argv}: {run.status}: {run.stderr}")
        expect(isinstance(json.loads(run.stdout), dict), f"{argv}: {run.stdout}")
    lab.stop()


def locked_by_reader(lab):
    """Who can read the process file can lock it: that keeps no daemon from starting."""
    run = lab.box.state / "run"
    lab.start()
    expect((run / "oob.pid").stat().st_mode & 0o777 == 0o644, "the process file is not readable")
    expect((run / "oob.lock").stat().st_mode & 0o777 == 0o600, "others can lock the lock's file")
    with open(run / "oob.pid", encoding="utf-8") as reader:
        lab.daemon.kill()
        lab.daemon.wait()
        fcntl.flock(reader, fcntl.LOCK_EX)
        fcntl.lockf(reader, fcntl.LOCK_SH)
        lab.log.unlink()
        lab.start()
        expect((run / "oob.pid").read_text(encoding="utf-8") == f"{lab.daemon.pid}\n",
               "the process file is not its own")
        lab.stop()
    expect(not (run / "oob.lock").exists(), "its lock's file stays")


def unheard(lab):
    """Who reads its lines goes away; it follows all the same."""
    lab.log = lab.directory / "log"
    os.mkfifo(lab.log)
    reader = os.open(lab.log, os.O_RDONLY | os.O_NONBLOCK)
    lab.start(ready=False)
    lab.log.unlink()
    lab.log.write_text("(nobody listens)", encoding="utf-8")
    heard = b""
    while b"OOB mode is enabled" not in heard:
        select.select([reader], [], [], PATIENCE_S)
        heard += os.read(reader, 4096)
    os.close(reader)
    for level in (4, 0):
        lab.set_level(level)
        lab.expect_offline(DISABLED[level])
    lab.stop()


def notifies(lab):
    """The service manager gets READY, the levels, the watchdog keep-alive, and STOPPING."""
    path = lab.directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.settimeout(PATIENCE_S)
        heard = []

        def listen():
            while "STOPPING=1" not in heard:
                heard.append(listener.recv(4096).decode())

        reader = threading.Thread(target=listen, daemon=True)
        reader.start()
        lab.start(env={"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "400000"})
        lab.set_level(4)
        lab.expect_offline(DISABLED[4])
        lab.stop()
        reader.join(PATIENCE_S)
    heard = "\n".join(heard)
    for word in ("READY=1", "STATUS=package-0 die-0: level 0", ": level 4",
                 "WATCHDOG=1", "STOPPING=1"):
        expect(word in heard, f"{word} is missing: {heard}")


def unread(lab):
    """A service manager that does not read holds up neither a level nor the end."""
    path = lab.directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        lab.start(env={"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "20000"})
        time.sleep(1)  # the socket is full
        lab.set_level(4)
        lab.expect_offline(DISABLED[4])
        lab.stop()


def no_stderr(lab):
    """If its errors cannot be written it does not start, and the status is not 0."""
    command = lab.box.command(lab.program, ["--oob", "-n", "-w", "1"])
    status = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], check=False,
                            env=lab.box.environment(), timeout=PATIENCE_S).returncode
    expect(status == 1, f"status {status} without stderr")
    lab.box.out = lab.directory / "results"
    lab.start("-o", str(lab.box.out))
    lab.stop()
    expect(not lab.box.out.exists(), "a daemon that was ready has written results")


def keeps_cpu0(lab):
    """CPU 0, which the level does not enable and which cannot go offline, is reported."""
    lab.start()
    lab.set_level(3)
    lab.expect_offline(DISABLED[3] | {14, 28, 42})
    expect("package-0 die-0: performance level 3 does not enable CPU 0" in lab.said(), lab.said())
    expect("--cpu0-workaround or --cgroupv2 isolates it" in lab.said(), lab.said())
    lab.stop()
    lab.set_level(0)
    lab.start("-u")
    lab.set_level(3)
    lab.expect_offline(DISABLED[3] | {14, 28, 42})
    expect("CPU 0" not in lab.said(), lab.said())
    lab.stop()


CHECKS = [follows, leaves_others, command_follows, state_applies, restarts, damaged_record,
          refusals, no_driver, driver_goes, publishes, silent_domain, slow_writes, killed, rights,
          turbo_unknown, unknown_core, power_domains, second, locked_by_reader, unheard, notifies,
          unread, no_stderr, keeps_cpu0, isolates, isolates_cpu0, fails_for_long]
PLATFORMS = {power_domains: named("gnr-6776p-2s"), keeps_cpu0: without_cpu0,
             isolates_cpu0: without_cpu0}  # else the guide's

NEED_ROOT = (isolates, isolates_cpu0)  # another user's directory of mode 0555 is not its own


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="the name of one check")
    arguments = parser.parse_args()

    def make_lab(check, directory):
        if check in NEED_ROOT and os.geteuid() != 0:
            print(f"{check.__name__}: skipped, it needs root")
            return None
        return Lab(arguments, directory, PLATFORMS.get(check, named("guide")))

    return machine.run_checks(CHECKS, arguments.only, make_lab, together=8)


if __name__ == "__main__":
    sys.exit(main())
