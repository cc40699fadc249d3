#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
`isst priority publish --nfd` on a simulated machine: labels that Node Feature Discovery takes, which
agree with the record; they expire; none are left if nothing can be published.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import machine  # pylint: disable=wrong-import-position
from machine import Failure, expect  # pylint: disable=wrong-import-position

PREFIX = "feature.node.kubernetes.io/sst-"
NAMES = {"level", "turbo-freq", "base-freq", "core-power", "high-priority-cores",
         "high-priority-mhz"}
VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
FILE = "intel-speed-select"
EXPIRE_S = 90
SLACK_S = 600


def parse(text):
    """The labels, and when they end."""
    lines = text.splitlines()
    expiry = None
    if lines[0].startswith("#"):
        name, _, value = lines.pop(0).partition("=")
        expect(name == "# +expiry-time", f"{name} is not known to Node Feature Discovery")
        expiry = datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
    labels = {}
    for line in lines:
        name, _, value = line.partition("=")
        expect(name.startswith(PREFIX) and VALUE.fullmatch(value), f"{line} is no label")
        expect(name not in labels, f"{name} is there twice")
        labels[name[len(PREFIX):]] = value
    expect(set(labels) <= NAMES, f"labels {set(labels) - NAMES}")
    return labels, expiry


def wanted_of(record):
    """The labels of a record, as `priority show --json` has it."""
    fast = [cpu for cpu in record["cpus"] if cpu["reasons"]]
    packages = record["packages"]
    levels = {package["level"] for package in packages}
    labels = {name: str(any(package[name] for package in packages)).lower()
              for name in ("turbo-freq", "base-freq", "core-power")}
    if len(levels) == 1 and None not in levels:
        labels["level"] = str(levels.pop())
    labels["high-priority-cores"] = str(len(fast))
    if fast and all(cpu["mhz"] for cpu in fast):
        labels["high-priority-mhz"] = str(min(cpu["mhz"] for cpu in fast))
    return labels


class Tried:
    """A simulated machine and a directory of feature files."""

    def __init__(self, program, platform, directory):
        self.program, self.directory = program, pathlib.Path(directory) / "features.d"
        self.machine = machine.Machine(directory, platform)
        self.options = ["--simulate", platform, "--simulate-state", self.machine.state]
        self.directory.mkdir()
        self.file = self.directory / FILE

    def run(self, *words):
        return subprocess.run([self.program, *self.options, *words], text=True, check=False,
                              capture_output=True, timeout=machine.TIMEOUT_S)

    def publish(self, *words):
        done = self.run("priority", "publish", "--nfd", self.directory, *words)
        expect(done.returncode == 0, f"publish: status {done.returncode}: {done.stderr}")
        expect(os.listdir(self.directory) == [FILE], f"left: {os.listdir(self.directory)}")
        expect(stat.S_IMODE(self.file.stat().st_mode) == 0o644, "others may not read the file")
        return parse(self.file.read_text(encoding="ascii"))

    def record(self):
        done = self.run("-f", "json", "priority", "show")
        expect(done.returncode == 0, f"show: status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)


def try_labels(tried):
    for words in ((), ("-c", "0-1", "turbo-freq", "enable", "--auto"),
                  ("base-freq", "enable", "--auto"), ("core-power", "enable"),
                  ("perf-profile", "set-config-level", "-l", "1")):
        if words:
            tried.run(*words)
        labels, expiry = tried.publish()
        wanted = wanted_of(tried.record())
        expect(labels == wanted, f"after {words}: {labels}, not {wanted}")
        expect(expiry is None, "the labels expire")


def try_expiry(tried):
    before = datetime.datetime.utcnow().replace(microsecond=0)
    _, expiry = tried.publish("--expire", str(EXPIRE_S))
    late = expiry - before - datetime.timedelta(seconds=EXPIRE_S)
    expect(datetime.timedelta(0) <= late < datetime.timedelta(seconds=SLACK_S),
           f"made at {before}, the labels end at {expiry}")


def try_without_record(tried):
    before = tried.file.stat()
    tried.run("--dry-run", "priority", "publish", "--nfd", tried.directory)
    expect(tried.file.stat() == before, "a dry run writes the file")
    faults = tried.machine.state / "faults.json"
    faults.write_text(json.dumps({"orders": [{"at": "open", "error": "ENOENT"}]}),
                      encoding="ascii")
    done = tried.run("priority", "publish", "--nfd", tried.directory)
    expect(done.returncode == 3, f"no driver: status {done.returncode}: {done.stderr}")
    expect(not os.listdir(tried.directory), "labels of an unknown state are left")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isst-labels-") as directory:
        tried = Tried(arguments.program.absolute(), arguments.platform.resolve(), directory)
        try:
            trials = [try_labels, try_expiry]
            # Cascade Lake-N has no device whose driver can be missing.
            if "clx-" not in arguments.platform.name:
                trials.append(try_without_record)
            for trial in trials:
                trial(tried)
        except Failure as wrong:
            print(f"FAILED: {wrong}")
            sys.exit(1)


if __name__ == "__main__":
    main()
