#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Answers of machine choose that are known beforehand. Intel's page on priority core turbo sets 16
cores of a server with two Xeon 6776P: level 1 in both packages, four cores of each power domain at
4600 MHz. Where level 1 has fewer cores, this needs --allow-offline. An upper limit of cpufreq below
the base frequency holds while turbo is off, too: what is promised to all cores opens it.

    known.py PROGRAM PLATFORMS
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CPUS = "0-3,32-35,64-67,96-99,128-131,160-163,192-195,224-227"
# of the machine, for these options: level, feature, bucket, MHz and CPUs of the first row
VECTORS = [
    ("gnr-6776p-pct-2s", [], (1, "turbo-freq", 0, 4600, CPUS)),
    ("gnr-6776p-pct-2s", ["--mhz", "4600"], (1, "turbo-freq", 0, 4600, CPUS)),
    ("gnr-6776p-2s", ["--mhz", "4600"], None),
    # the first four SST-BF cores of each power domain, as the platform file has them
    ("gnr-6776p-2s", ["--mhz", "4600", "--allow-offline"],
     (1, "base-freq+turbo-freq", 0, 4600,
      "0-3,40-43,64-67,100-103,128-131,168-171,192-195,228-231")),
]


def run(program, machine, state, *words):
    return subprocess.run(["isst", "--simulate", str(machine), "--simulate-state", str(state), *words],
                          executable=program, capture_output=True, text=True, check=False).stdout


def answer(result):
    if not result["chosen"]:
        return None
    row = result["rows"][0]
    return (*(row[name] for name in ["level", "feature", "bucket", "high-mhz"]),
            result["chosen"]["cpus"])


def check(program, platforms, state, vector):
    """What is wrong, or None."""
    name, options, expected = vector
    machine, document = platforms / f"{name}.json", state.with_suffix(".json")
    words = ["machine", "choose", "--cores", "16", *options]
    result = json.loads(run(program, machine, state, "-f", "json", *words, "--state", str(document)))
    if answer(result) != expected:
        return f"{answer(result)}, not {expected}"
    if not expected:
        text = run(program, machine, state, *words)
        return None if "--allow-offline adds" in text and "level 1, " in text else text
    run(program, machine, state, "state", "apply", str(document))
    levels = run(program, machine, state, "--each", "perf-profile", "get-config-current-level")
    if "level:0" in levels or levels.count("level:1") < 4:
        return levels
    fast = run(program, machine, state, "priority", "show", "--cores", "16", "--as", "list")
    first = expected[4].partition(",128")[0]  # one CPU of each core
    return None if fast.strip() == first else f"fast is {fast}, not {first}"


def check_limit(program, machine, state):
    """The same of all cores, as fast as possible, with turbo off and two CPUs limited."""
    base = json.loads(machine.read_text())["cpufreq"]["base_khz"] // 1000
    document = state.with_suffix(".json")
    run(program, machine, state, "-c", "0,2", "cpufreq", "set", "--max", "1100")
    run(program, machine, state, "cpufreq", "set", "--turbo", "off")
    result = json.loads(run(program, machine, state, "-f", "json", "machine", "choose", "--cores",
                            "28", "--state", str(document)))
    commands = result["chosen"]["commands"]
    if answer(result) != (0, "none", None, base, "0-55") or len(commands) != 1 or \
            not commands[0].endswith(" -c 0-55 cpufreq set --max max"):
        return result["chosen"]
    run(program, machine, state, "state", "apply", str(document))
    text = run(program, machine, state, "-c", "0-3", "cpufreq", "explain", "--each")
    return None if text.count(f"maximum-frequency(MHz):{base}\n") == 4 else text


def main():
    program, platforms = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = 0
    with tempfile.TemporaryDirectory() as name:
        problem = check_limit(program, platforms / "guide.json", pathlib.Path(name) / "state")
    if problem:
        print(f"turbo is off: {problem}", file=sys.stderr)
        problems += 1
    for vector in VECTORS:
        directory = pathlib.Path(tempfile.mkdtemp())
        problem = check(program, platforms, directory / "state", vector)
        shutil.rmtree(directory)
        if problem:
            print(f"{vector[0]} {' '.join(vector[1])}: {problem}", file=sys.stderr)
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
