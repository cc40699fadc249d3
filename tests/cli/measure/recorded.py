#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
measure on a recording (record.md): what a machine that has worked for a while measures, its recording
measures, too: counters go on from what they were when they were recorded.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

COMMANDS = (("measure", "run", "--seconds", "2", "--each", "--load", "scalar:0"),
            ("cpufreq", "explain", "--measure", "2", "--load", "scalar"), ("measure", "ladder"))


def run(program, platform, state, *argv):
    result = subprocess.run(["isst", "--simulate", platform, "--simulate-state", state, *argv],
                            executable=program, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode not in (0, 6):
        sys.exit(f"FAILED: {argv}: {result.returncode}: {result.stderr}")
    return result.stdout


def differences(left, right, path):
    """The paths at which two documents differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        return [found for name in {**left, **right}
                for found in differences(left.get(name), right.get(name), f"{path}/{name}")]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [found for i, pair in enumerate(zip(left, right))
                for found in differences(*pair, f"{path}[{i}]")]
    return [] if left == right else [f"{path}: {left}, recorded {right}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("platforms", nargs="+")
    options = parser.parse_args()
    for platform in options.platforms:
        with tempfile.TemporaryDirectory() as directory:
            state, recording = pathlib.Path(directory) / "state", pathlib.Path(directory) / "recording.json"
            run(options.program, platform, state, "-c", "1", "cpufreq", "set", "--max", "1500")
            run(options.program, platform, state, "measure", "run", "--seconds", "7", "--load", "scalar:1-3")
            run(options.program, platform, state, "-o", str(recording), "machine", "record")
            for i, command in enumerate(COMMANDS):
                documents = [json.loads(machine.unmarked(
                    run(options.program, *place, "-f", "json", "-c", "0,1,4", *command)))
                             for place in ((platform, state),
                                           (recording, pathlib.Path(directory) / f"replay{i}"))]
                found = differences(*documents, "")
                if found:
                    sys.exit(f"FAILED: {platform}: {command}: " + "; ".join(found[:8]))
        print(f"{pathlib.Path(platform).name}: {len(COMMANDS)} commands")


if __name__ == "__main__":
    main()
