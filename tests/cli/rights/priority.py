#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
priority show as an ordinary user and in containers: every user reads a record of root; a
record that another user can have made is refused. Everything is done in namespaces of mounts, in
which /run is ours. To be root is needed, and that users may make namespaces.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

USER, OTHER, OVERFLOW = 4321, 4322, 65534
DEADLINE_S = 60
BASE = "cpu{}/cpufreq/base_frequency"
SKIPPED = 77
# In the namespace: DIRECTORY is /run/intel-speed-select, CPUS has the kernel's files of CPUs. A container of an ordinary user has it by
# a bind mount, which is read-only or not.
MOUNT = ("mount -t tmpfs tmpfs /run && mkdir /run/intel-speed-select && "
         "mount --bind '{cpus}' /sys/devices/system/cpu && "
         "mount --bind '{directory}' /run/intel-speed-select && ")
READ_ONLY = "mount -o remount,bind,ro /run/intel-speed-select && "


class Place:
    """A directory with the record of a simulated machine, made to be of this boot."""

    def __init__(self, directory, program):
        self.root = pathlib.Path(directory)
        self.root.chmod(0o755)
        self.program = self.root / "isst"
        shutil.copy(program, self.program)
        self.program.chmod(0o755)
        self.run_directory = self.root / "record"
        self.run_directory.mkdir(mode=0o755)
        self.record = self.run_directory / "priority.json"
        self.document = self.make()
        self.cpus = self.root / "cpus"
        self.cpus.mkdir(mode=0o755)
        self.put_cpu_file("online", "0-55")
        self.put_cpu_file("possible", "0-55")
        for package in self.document["packages"]:
            for witness in filter(None, (package["fast"], package["other"])):
                self.put_cpu_file(BASE.format(witness["cpu"]), str(witness["base-khz"]))

    def put_cpu_file(self, name, text):
        path = self.cpus / name
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")

    def make(self):
        state = self.root / "state"
        subprocess.run([self.program, "--simulate", "guide", "--simulate-state", state, "-c", "0-3",
                        "turbo-freq", "enable", "--auto"], check=True, capture_output=True)
        document = json.loads((state / "run/priority.json").read_text(encoding="utf-8"))
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return {**document, "boot-id": boot}

    def put(self, document=None, owner=0, mode=0o644):
        """Replaces the record."""
        if self.record.is_dir() and not self.record.is_symlink():
            self.record.rmdir()
        self.record.unlink(missing_ok=True)
        text = document if isinstance(document, str) else json.dumps(document or self.document)
        self.record.write_text(text, encoding="utf-8")
        os.chown(self.record, owner, owner)
        self.record.chmod(mode)

    def show(self, user=USER, container=False, read_only=True, arguments="--as list"):
        """priority show, as a user, or as root of a container of that user."""
        mount = MOUNT.format(directory=self.run_directory, cpus=self.cpus)
        command = f"'{self.program}' priority show {arguments}"
        if container:
            inside = mount + (READ_ONLY if read_only else "") + f"exec {command}"
            argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", inside]
            return subprocess.run(argv, user=user, group=user, extra_groups=[], cwd="/",
                                  capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        inside = mount + (f"exec setpriv --reuid {user} --regid {user} --clear-groups "
                          f"--bounding-set -all {command}" if user else f"exec {command}")
        return subprocess.run(["unshare", "--mount", "sh", "-c", inside], cwd="/", check=False,
                              capture_output=True, text=True, timeout=DEADLINE_S)


class Checker:
    """Counts what is wrong."""

    def __init__(self):
        self.failed = 0

    def expect(self, what, run, status, out="", word=""):
        if (run.returncode, run.stdout) != (status, out) or word not in run.stderr:
            self.failed += 1
            print(f"FAILED: {what}: status {run.returncode}, {run.stdout!r}, {run.stderr!r}; "
                  f"expected {status}, {out!r}, {word!r}")
        else:
            print(f"{what}: passed")


def check_readers(place, checker):
    place.put()
    checker.expect("an ordinary user", place.show(), 0, "0-3\n")
    checker.expect("root", place.show(user=0), 0, "0-3\n")
    checker.expect("a container of an ordinary user", place.show(container=True), 0, "0-3\n")
    checker.expect("a container of root", place.show(user=0, container=True), 0, "0-3\n")
    checker.expect("a launch script", place.show(arguments="--count 2 --threads all --as numactl"),
                   0, "--physcpubind=0-1,28-29\n")
    checker.expect("too many cores", place.show(arguments="--count 5 --as list"), 1, "",
                   "5 cores wanted")


def check_owners(place, checker):
    place.put()
    checker.expect("a container that may write", place.show(container=True, read_only=False), 3, "",
                   "not mounted read-only")
    for what, owner, user, container in (
            ("another user's record", OTHER, USER, False),
            ("a record of the user who asks", USER, USER, False),
            ("a record of nobody", OVERFLOW, USER, False),
            ("a record of nobody, for root", OVERFLOW, 0, False),
            ("a record of the user, in a container of root", USER, 0, True)):
        place.put(owner=owner)
        checker.expect(what, place.show(user=user, container=container), 3, "",
                       "belongs to another user")
    for mode in (0o664, 0o646, 0o666):
        place.put(mode=mode)
        checker.expect(f"mode {mode:o}", place.show(), 3, "", "others than its owner")
        checker.expect(f"mode {mode:o} in a container", place.show(container=True), 3, "",
                       "others than its owner")


def check_contents(place, checker):
    boot = {**place.document, "boot-id": "00000000-0000-0000-0000-000000000000"}
    place.put(boot)
    checker.expect("another boot", place.show(), 3, "", "of another boot")
    damaged = {
        "no JSON": "{",
        "no record": '{"format": "other"}',
        "another version": {**place.document, "version": 2},
        "a list that is wrong": {**place.document, "groups": [
            {**place.document["groups"][0], "threads": ["0-3", "28-29"]}]},
        "a CPU above all": {**place.document, "groups": [
            {**place.document["groups"][0], "threads": ["0-99999999"]}]},
        "a time that would act on a terminal": {**place.document, "time": "\x1b[2J"},
        "a version that would act on a terminal": {**place.document, "program": "1\n\u009b2J"},
        "a reason that is unknown": {**place.document, "groups": [
            {**place.document["groups"][0], "reasons": ["luck"]}]},
        "a package in words": {**place.document, "packages": [
            {**place.document["packages"][0], "package": "0"}]},
    }
    for what, document in damaged.items():
        place.put(document)
        checker.expect(what, place.show(), 3, "", "damaged")


def check_state(place, checker):
    """The record is compared with what the kernel shows now."""
    place.put()
    place.put_cpu_file("online", "0,2-55")
    checker.expect("a thread that is offline: the other one", place.show(), 0, "0,2-3,29\n")
    place.put_cpu_file("online", "0,2-28,30-55")
    checker.expect("a core that is offline", place.show(), 0, "0,2-3\n")
    checker.expect("too few that are online", place.show(arguments="--count 4 --as list"), 1, "",
                   "4 cores wanted")
    place.put_cpu_file("online", "0-55")
    for cpu in (0, 4, 14):  # fast, other, and the other of a package without a fast one
        place.put_cpu_file(BASE.format(cpu), "2800000")
        checker.expect(f"CPU {cpu} at another level", place.show(), 3, "",
                       f"base_frequency of CPU {cpu} is 2800 MHz, and was 2600")
        place.put_cpu_file(BASE.format(cpu), "2600000")
    (place.cpus / BASE.format(4)).unlink()
    checker.expect("a base frequency that cannot be read", place.show(), 0, "0-3\n",
                   "base_frequency of CPUs 4 cannot be read")
    place.put_cpu_file(BASE.format(4), "2600000")


def check_failures(place, checker):
    """
    On a simulated machine: a record that cannot be removed keeps everything from being set; one that
    cannot be written afterwards is gone, and the setting stays.
    """
    state = place.root / "state"
    record = state / "run/priority.json"

    def run(*argv):
        return subprocess.run([place.program, "--simulate", "guide", "--simulate-state", state,
                               *argv], capture_output=True, text=True, check=False)

    enabled = run("core-power", "info").stdout
    record.unlink()
    record.mkdir()
    refused = run("turbo-freq", "disable", "--auto")
    checker.expect("a record that cannot be removed", refused, 1, refused.stdout,
                   "cannot be removed")
    after = run("core-power", "info")
    checker.expect("nothing was set", after, 0, enabled)
    record.rmdir()
    (state / "faults.json").write_text(json.dumps(
        {"orders": [{"at": "open", "skip": 1, "error": "EBUSY"}]}), encoding="utf-8")
    done = run("turbo-freq", "disable", "--auto")
    checker.expect("a record that cannot be written", done, 0, done.stdout, "is not published")
    (state / "faults.json").unlink()
    checker.expect("no record afterwards", run("priority", "show"), 3, "", "there is no record")
    left = [path.name for path in record.parent.glob("priority*")]
    if left:
        checker.failed += 1
        print(f"FAILED: after a failure there are {left}")


def check_kinds(place, checker):
    place.record.unlink()
    checker.expect("no record", place.show(), 3, "", "priority publish")
    os.mkfifo(place.record)
    checker.expect("a FIFO", place.show(), 3, "", "not a regular file")
    place.record.unlink()
    place.record.mkdir()
    checker.expect("a directory", place.show(), 3, "", "not a regular file")
    place.record.rmdir()
    target = place.root / "target"
    target.write_text(json.dumps(place.document), encoding="utf-8")
    place.record.symlink_to(target)
    checker.expect("a link", place.show(), 3, "", "it is a link")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    probe = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs",
             "/run"]
    if os.geteuid() != 0 or subprocess.run(probe, user=USER, group=USER, extra_groups=[],
                                           cwd="/", check=False).returncode:
        print("SKIPPED: it needs root, and users who may make namespaces: not in a chroot")
        return SKIPPED
    checker = Checker()
    with tempfile.TemporaryDirectory(prefix="isst-priority-", dir="/tmp") as directory:
        place = Place(directory, arguments.program)
        check_readers(place, checker)
        check_owners(place, checker)
        check_contents(place, checker)
        check_state(place, checker)
        check_kinds(place, checker)
        check_failures(place, checker)
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
