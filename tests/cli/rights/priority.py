#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
priority show as an ordinary user and in containers: every user reads a record of root; a
record that another user can have made is refused. A preloaded library puts a directory in place of
the run directory and of kernel files, and says what a user namespace and a read-only mount look
like. If users may make namespaces (not in a chroot), containers are tried in real ones, too. To be
root is needed.
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
# In a container of a user its root is the user outside, and no other user of the outside is known.
UID_MAP = "         0{user:>11}          1\n"
NO_MAP = "         0          0 4294967295\n"
# In a real one a bind mount, read-only or not, has the record; another has the files of CPUs.
MOUNT = ("mount -t tmpfs tmpfs /run && mkdir /run/intel-speed-select && "
         "mount --bind '{cpus}' /sys/devices/system/cpu && "
         "mount --bind '{directory}' /run/intel-speed-select && ")
READ_ONLY = "mount -o remount,bind,ro /run/intel-speed-select && "
NAMESPACES = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]


class Place:
    """
    A tree with the record of a simulated machine, made to be of this boot. Containers are imitated,
    or real ones.
    """

    def __init__(self, directory, program, standin):
        self.root = pathlib.Path(directory)
        self.root.chmod(0o755)
        self.program = self.copy(program)
        self.standin = self.copy(standin)
        self.has_namespaces = False
        self.run_directory = self.root / "run/intel-speed-select"
        self.run_directory.mkdir(mode=0o755, parents=True)
        self.record = self.run_directory / "priority.json"
        self.kernel = self.root / "proc/sys/kernel"
        (self.kernel / "random").mkdir(parents=True)
        (self.kernel / "overflowuid").write_text(f"{OVERFLOW}\n", encoding="ascii")
        (self.root / "proc/self").mkdir()
        self.document = self.make()
        self.cpus = self.root / "sys/devices/system/cpu"
        self.cpus.mkdir(mode=0o755, parents=True)
        self.put_cpu_file("online", "0-55")
        self.put_cpu_file("possible", "0-55")
        for package in self.document["packages"]:
            for witness in filter(None, (package["fast"], package["other"])):
                self.put_cpu_file(BASE.format(witness["cpu"]), str(witness["base-khz"]))

    def copy(self, path):
        """A copy that every user can open."""
        copy = self.root / path.name
        shutil.copy(path, copy)
        copy.chmod(0o755)
        return copy

    def put_cpu_file(self, name, text):
        path = self.cpus / name
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")

    def make(self):
        state = self.root / "state"
        subprocess.run([self.program, "--simulate", "guide", "--simulate-state", state, "-c", "0-3",
                        "turbo-freq", "enable", "--auto"], check=True, capture_output=True)
        document = json.loads((state / "run/priority.json").read_text(encoding="utf-8"))
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        (self.kernel / "random/boot_id").write_text(boot, encoding="ascii")
        return {**document, "boot-id": boot.strip()}

    def put(self, document=None, owner=0, mode=0o644):
        """Replaces the record."""
        if self.record.is_dir() and not self.record.is_symlink():
            self.record.rmdir()
        self.record.unlink(missing_ok=True)
        text = document if isinstance(document, str) else json.dumps(document or self.document)
        self.record.write_text(text, encoding="utf-8")
        os.chown(self.record, owner, owner)
        self.record.chmod(mode)

    def environment(self, read_only):
        env = {name: value for name, value in os.environ.items()
               if name == "PATH" or name.endswith("SAN_OPTIONS")}
        sanitizer = env.get("ASAN_OPTIONS")
        env.update(LC_ALL="C", LD_PRELOAD=str(self.standin), ISST_STANDIN_ROOT=str(self.root),
                   ASAN_OPTIONS=f"{sanitizer + ':' if sanitizer else ''}verify_asan_link_order=0")
        if read_only:
            env["ISST_STANDIN_READ_ONLY"] = "1"
        return env

    def show(self, user=USER, container=False, read_only=True, arguments="--as list"):
        """priority show, as a user, or as root of a container of that user."""
        if container and self.has_namespaces:
            return self.show_in_namespaces(user, read_only, arguments)
        (self.root / "proc/self/uid_map").write_text(
            UID_MAP.format(user=user) if container else NO_MAP, encoding="ascii")
        owner = self.record.lstat().st_uid if self.record.exists() else None
        if container and owner is not None:  # as the namespace shows it
            os.chown(self.record, 0 if owner == user else OVERFLOW, -1, follow_symlinks=False)
        try:
            return subprocess.run([self.program, "priority", "show", *arguments.split()],
                                  user=user, group=user, extra_groups=[], cwd="/",
                                  env=self.environment(container and read_only), check=False,
                                  capture_output=True, text=True, timeout=DEADLINE_S)
        finally:
            if container and owner is not None:
                os.chown(self.record, owner, -1, follow_symlinks=False)

    def show_in_namespaces(self, user, read_only, arguments):
        inside = (MOUNT.format(directory=self.run_directory, cpus=self.cpus) +
                  (READ_ONLY if read_only else "") +
                  f"exec '{self.program}' priority show {arguments}")
        return subprocess.run([*NAMESPACES, inside], user=user, group=user, extra_groups=[],
                              cwd="/", capture_output=True, text=True, timeout=DEADLINE_S,
                              check=False)


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
    checker.expect("a launch script", place.show(arguments="--cores 2 --threads all --as numactl"),
                   0, "--physcpubind=0-1,28-29\n")
    for form, line in (("list", "0-3"), ("taskset", "0-3"), ("numactl", "--physcpubind=0-3"),
                       ("systemd", "CPUAffinity=0-3"), ("mask", "000000,0000000f")):
        checker.expect(f"as {form}", place.show(arguments=f"--as {form}"), 0, f"{line}\n")
    checker.expect("too many cores", place.show(arguments="--cores 5 --as list"), 1, "",
                   "5 fast cores requested, and the record has 4")


def check_owners(place, checker):
    for what, owner, user in (
            ("another user's record", OTHER, USER),
            ("a record of the user who asks", USER, USER),
            ("a record of nobody", OVERFLOW, USER),
            ("a record of nobody, for root", OVERFLOW, 0)):
        place.put(owner=owner)
        checker.expect(what, place.show(user=user), 3, "", "belongs to another user")
    for mode in (0o664, 0o646, 0o666):
        place.put(mode=mode)
        checker.expect(f"mode {mode:o}", place.show(), 3, "", "users other than its owner")


def check_containers(place, checker):
    kind = "namespaces" if place.has_namespaces else "imitated"
    place.put()
    checker.expect(f"{kind}: a container of an ordinary user", place.show(container=True), 0,
                   "0-3\n")
    checker.expect(f"{kind}: a container of root", place.show(user=0, container=True), 0, "0-3\n")
    checker.expect(f"{kind}: a container that may write",
                   place.show(container=True, read_only=False), 3, "", "not mounted read-only")
    place.put(owner=USER)
    checker.expect(f"{kind}: a record of the user, in a container of root",
                   place.show(user=0, container=True), 3, "", "belongs to another user")
    place.put(mode=0o646)
    checker.expect(f"{kind}: a record that others may write", place.show(container=True), 3, "",
                   "users other than its owner")


def check_contents(place, checker):
    boot = {**place.document, "boot-id": "00000000-0000-0000-0000-000000000000"}
    place.put(boot)
    checker.expect("another boot", place.show(), 3, "", "it was written in another boot")
    damaged = {
        "no JSON": "{",
        "no record": '{"format": "other"}',
        "another version": {**place.document, "version": 2},
        "a list that is wrong": {**place.document, "groups": [
            {**place.document["groups"][0], "threads": ["0-3", "28-29"]}]},
        "CPUs of several groups": {**place.document, "groups": place.document["groups"] * 3},
        "threads that are one CPU": {**place.document, "groups": [
            {**place.document["groups"][0], "threads": ["0-3", "0-3"]}]},
        "a group of no package": {**place.document, "packages": []},
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
    place.put(json.dumps(place.document) + " " * (16 << 20))
    checker.expect("a huge record", place.show(), 3, "", "larger than 16 MiB")


def check_state(place, checker):
    """The record is compared with what the kernel shows now."""
    place.put()
    place.put_cpu_file("online", "0,2-55")
    checker.expect("a thread that is offline: the other one", place.show(), 0, "0,2-3,29\n")
    place.put_cpu_file("online", "0,2-28,30-55")
    checker.expect("a core that is offline", place.show(), 0, "0,2-3\n")
    checker.expect("too few that are online", place.show(arguments="--cores 4 --as list"), 1, "",
                   "4 fast cores requested, and the record has 3")
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
    # of the requests of this command, publishing alone reads all of the level
    (state / "faults.json").write_text(json.dumps(
        {"orders": [{"at": "mailbox", "command": "0x7f/0x05", "error": "EBUSY"}]}),
        encoding="utf-8")
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


def may_make_namespaces():
    probe = [*NAMESPACES, "mount -t tmpfs tmpfs /run"]
    return subprocess.run(probe, user=USER, group=USER, extra_groups=[], cwd="/",
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--standin", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIPPED: it needs root, to be several users")
        return SKIPPED
    checker = Checker()
    with tempfile.TemporaryDirectory(prefix="isst-priority-", dir="/tmp") as directory:
        place = Place(directory, arguments.program, arguments.standin)
        for check in (check_readers, check_owners, check_containers, check_contents, check_state,
                      check_kinds):
            check(place, checker)
        if may_make_namespaces():
            place.has_namespaces = True
            check_containers(place, checker)
        check_failures(place, checker)
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
