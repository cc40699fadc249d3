#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The daemon, killed at each moment of following a level: the next start ends the transaction as
"mixed", undoes nothing, and follows again (journal.md, "Recovery").
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time

from lab import KILLED, Failure, Lab, expect, machine

PATIENCE_S = 20
LEVEL = ["perf-profile", "set-config-level", "-l", "4"]  # -o: the daemon moves the CPUs


def start(lab, **killer):
    """Starts the daemon, which polls each second."""
    environment = {f"ISST_KILLER_{name.upper()}": str(value) for name, value in killer.items()}
    return subprocess.Popen(
        lab.box.command(lab.arguments.program, ["--oob", "-n", "-w", "1"]),
        env={**lab.box.environment(), "LD_PRELOAD": str(lab.arguments.killer.resolve()),
             "ASAN_OPTIONS": "verify_asan_link_order=0", **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def offline(lab):
    lab.run("-f", "json", "state", "export")
    return sorted(text for text in lab.box.out.read_text("utf-8").splitlines()
                  if '"online"' in text)


def is_followed(lab, ends):
    """Are as many transactions ended, and the last line an end?"""
    lines = lab.lines()
    return (lines and lines[-1]["line"] == "end"
            and sum(line.get("forward", False) for line in lines) >= ends)


def follow(lab, process, ends):
    """Waits until the daemon has followed, and ends it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_followed(lab, ends) and time.monotonic() < deadline:
        expect(process.poll() is None, f"the daemon ended with {process.returncode}")
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=PATIENCE_S)
    expect(is_followed(lab, ends), f"it does not follow: {lab.lines()[-1]}")


def make_record(lab):
    """What the daemon follows is a change since it last looked."""
    process = start(lab)
    deadline = time.monotonic() + PATIENCE_S
    while not (lab.box.state / "run/oob-record.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=PATIENCE_S)


def kill(lab, at, how, wanted):
    with lab.copy("killed") as copy:
        process = start(copy, at=at, how=how)
        expect(process.wait(timeout=PATIENCE_S) == KILLED, "it is not killed")
        lines = copy.lines()
        is_begun = lines[-1].get("forward", False)
        ends = 2 if is_begun and offline(copy) != wanted else 1
        process = start(copy)
        try:
            follow(copy, process, ends)
        finally:
            process.kill()
            process.wait()
        if is_begun:
            ended = copy.lines()[len(lines)]
            expect(ended["line"] == "end" and ended["outcome"] == "mixed", json.dumps(ended))
        expect(offline(copy) == wanted, f"{offline(copy)}, not {wanted}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--step", type=int, default=1)
    arguments = parser.parse_args()
    failed = tried = 0
    with machine.temporary_directory() as directory:
        lab = Lab(arguments, directory, arguments.platforms / "guide.json")
        make_record(lab)
        lab.run(*LEVEL)
        with lab.copy("done") as done:
            log = done.log
            process = start(done, log=log)
            follow(done, process, 1)
            wanted = offline(done)
            count = len(log.read_text(encoding="utf-8").split())
        for at in range(0, count, arguments.step):
            for how in ("before", "after"):
                tried += 1
                try:
                    kill(lab, at, how, wanted)
                except Failure as failure:
                    failed += 1
                    print(f"FAILED: killed {how} {at} of {count}: {failure}", flush=True)
    print(f"{tried} kills, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
