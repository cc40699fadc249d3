#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The script of the tuned profile on a simulated machine: start applies the state file, stop returns to
what start found, verify tells whether the machine differs; nothing is printed if that succeeds.
"""

import argparse
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "packaging/tuned/isst-state/script.sh"
TIMEOUT_S = 120
DOCUMENT = {"format": "intel-speed-select-state", "version": 1,
            "settings": [{"for": "all", "perf-profile": {"level": 3}, "online": "follow-level"},
                         {"for": "all", "cpufreq": {"governor": "performance"}}]}
IMPOSSIBLE = {**DOCUMENT, "settings": [{"for": "all", "perf-profile": {"level": 2}},
                                       {"for": "all", "cpufreq": {"max-mhz": 99999}}]}


class Wrong(Exception):
    """What the script did is not right."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


class Machine:
    """A simulated machine, and the environment in which tuned would run the script."""

    def __init__(self, program, directory):
        self.directory = pathlib.Path(directory)
        self.program = self.directory / "isst"
        self.program.write_text(f"#!/bin/sh\nexec '{program}' --simulate guide "
                                f"--simulate-state '{self.directory}/machine' \"$@\"\n",
                                encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.document = self.directory / "state.json"
        self.saved = self.directory / "run/before.json"
        self.environment = {**os.environ, "ISST": str(self.program),
                            "ISST_STATE_FILE": str(self.document), "ISST_SAVED": str(self.saved)}
        self.write(DOCUMENT)

    def write(self, document):
        self.document.write_text(json.dumps(document), encoding="utf-8")

    def run(self, *words):
        return subprocess.run(list(map(str, words)), env=self.environment, text=True, check=False,
                              capture_output=True, timeout=TIMEOUT_S)

    def script(self, word, status=0):
        done = self.run(SCRIPT, word)
        expect(done.returncode == status,
               f"{word}: status {done.returncode}, not {status}: {done.stderr}")
        expect(not done.stdout, f"{word} prints {done.stdout}")
        expect(bool(done.stderr) == bool(status), f"{word}: messages {done.stderr!r}")

    def state(self):
        done = self.run(self.program, "state", "export")
        expect(done.returncode == 0, f"export: {done.stderr}")
        return json.loads(done.stdout)["settings"]


def try_script(machine):
    expect(machine.run(machine.program, "cpufreq", "set", "--max", "2400").returncode == 0, "set")
    before = machine.state()
    machine.script("stop")
    machine.script("verify", 1)
    expect(machine.state() == before, "stop without start, or verify, changes something")
    for _ in range(2):
        machine.script("start")
        machine.script("verify")
        expect(machine.state() != before, "start changes nothing")
    machine.run(machine.program, "cpufreq", "set", "-c", "0", "--governor", "powersave")
    machine.script("verify", 1)
    machine.script("stop")
    expect(machine.state() == before, "stop does not return to what start found")
    expect(not machine.saved.exists(), "what start saved is left")


def try_failure(machine):
    before = machine.state()
    machine.write(IMPOSSIBLE)
    machine.script("start", 1)
    expect(machine.state() == before and not machine.saved.exists(), "a failed start leaves traces")
    machine.document.unlink()
    machine.script("verify", 2)
    machine.script("start", 2)
    machine.script("restart", 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isst-tuned-") as directory:
        machine = Machine(arguments.program.absolute(), directory)
        try:
            try_script(machine)
            try_failure(machine)
        except Wrong as wrong:
            print(f"FAILED: {wrong}")
            sys.exit(1)


if __name__ == "__main__":
    main()
