#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
state apply --wait: it waits for the device and for the lock, no longer than it may, and not at all
if the document is wrong; a signal ends the wait (state.md, "Apply").
"""

import argparse
import json
import pathlib
import signal
import sys
import time

import concurrency
from concurrency import Failure, expect

LEVEL = [{"for": "all", "perf-profile": {"level": 1}}]


class Lab(concurrency.Lab):
    """With a document, and a device that is there or not."""

    def __init__(self, program, platform, directory):
        super().__init__(program, platform, directory)
        self.document = pathlib.Path(directory) / "document.json"
        self.describe(LEVEL)

    def describe(self, settings, **members):
        text = json.dumps({"format": "intel-speed-select-state", "version": 1,
                           "settings": settings, **members})
        self.document.write_text(text, encoding="utf-8")

    def lack_device(self, **what):
        """Opening the device fails, as "times" says."""
        order = {"at": "open", "error": "ENOENT", **what}
        (self.box.state / "faults.json").write_text(json.dumps({"orders": [order]}),
                                                    encoding="utf-8")

    def apply(self, seconds, *options):
        return self.start([*options, "state", "apply", "--wait", str(seconds), str(self.document)])

    def hold(self):
        """Another instance that sets something for a long time."""
        self.order(delay_us=400000)
        holder = self.start(concurrency.REQUESTS[2])
        concurrency.wait_for(holder, self.is_writing)
        (self.box.state / "faults.json").unlink()
        return holder

    def level(self):
        return self.run(["perf-profile", "get-config-current-level"]).out


def ended(run, status, least_s, most_s, *words):
    """Waits for its end, and checks status, time and words. Returns what it said."""
    began = time.monotonic()
    output, said = run.communicate(timeout=60)
    took = time.monotonic() - began
    expect(run.returncode == status, f"status {run.returncode}, not {status}: {said}")
    expect(least_s <= took <= most_s, f"it took {took} s, not {least_s} to {most_s}: {said}")
    for word in words:
        expect(word in said, f"{word!r} is not in: {said}")
    return output + said


def device_comes(lab):
    lab.lack_device(times=12)
    said = ended(lab.apply(60), 0, 2.5, 20, "Information: waiting for up to 60 seconds: ",
                 "/dev/isst_interface")
    expect("level: 0 -> 1" in said and "Error" not in said, said)


def device_missing(lab):
    lab.lack_device()
    said = ended(lab.apply(1), 3, 0.8, 20, "Error: ", "/dev/isst_interface")
    expect(said.count("/dev/isst_interface") == 1, f"not said once: {said}")
    ended(lab.apply(1, "--dry-run"), 3, 0.8, 20)


def lock_comes(lab):
    holder = lab.hold()
    run = lab.apply(60)
    time.sleep(3)
    holder.kill()
    concurrency.end_of(holder)
    ended(run, 0, 0, 20, f"seconds: another instance is setting this machine: intel-speed-select, "
                         f"process {holder.pid}")


def lock_missing(lab):
    holder = lab.hold()
    try:
        ended(lab.apply(3), 5, 2.5, 20, "Error: another instance", f"process {holder.pid}")
    finally:
        holder.kill()
        concurrency.end_of(holder)


def lock_and_device_missing(lab):
    holder = lab.hold()
    try:
        lab.lack_device()
        said = ended(lab.apply(3), 3, 2.5, 20, "Error: another instance", f"process {holder.pid}",
                     "Error: ", "/dev/isst_interface")
        expect(said.count("/dev/isst_interface") == 1, f"not said once: {said}")
        lab.describe([{"for": "cpu 0", "cpufreq": {"min-mhz": 1000}}])
        said = ended(lab.apply(1), 5, 0.8, 20, "Error: another instance")
        expect("/dev/isst_interface" not in said and "scaling" not in said, said)
    finally:
        holder.kill()
        concurrency.end_of(holder)


def check_beside_writer(lab):
    holder = lab.hold()
    try:
        ended(lab.start(["state", "check", str(lab.document)]), 6, 0, 20,
              f"Information: another instance is setting this machine (intel-speed-select, process "
              f"{holder.pid}): the result may be transient")
    finally:
        holder.kill()
        concurrency.end_of(holder)
    said = ended(lab.start(["state", "check", str(lab.document)]), 6, 0, 20)
    expect("transient" not in said, said)


def wrong_document(lab):
    lab.describe(LEVEL, require={"model": 1})
    ended(lab.apply(60), 3, 0, 20, "require.model")
    lab.lack_device()
    lab.describe([{"for": "all", "perf-profile": {"level": 9}}])
    ended(lab.apply(60), 2, 0, 20, "perf-profile.level")


def asked_to_stop(lab):
    lock = lab.box.state / "run" / "lock"
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        lock.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)  # ignored if this runs below nohup
        lab.lack_device()
        run = lab.apply(60)
        concurrency.wait_for(run, lock.exists)
        time.sleep(0.6)
        run.send_signal(number)
        ended(run, 1, 0, 20, "a stop was requested", "nothing had been changed")


CHECKS = [device_comes, device_missing, lock_comes, lock_missing, lock_and_device_missing,
          check_beside_writer, wrong_document, asked_to_stop]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    failed = 0
    for check in CHECKS:
        with concurrency.machine.temporary_directory() as directory:
            try:
                check(Lab(arguments.program, arguments.platform, directory))
            except Failure as failure:
                print(f"FAILED: {check.__name__}: {failure}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
