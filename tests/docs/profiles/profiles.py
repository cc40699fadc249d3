#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Profiles as users meet them: the example profile judges a machine; the manual page names every fact of
the program; and each command that the installed profiles give as a remedy makes its item ok on
simulated machines.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "cli/golden"))

from machine import paste  # noqa: E402 pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).parents[3]
MANUAL = ROOT / "man/intel-speed-select-profile.5"
EXAMPLE = ROOT / "docs/examples/profiles/trading-host.json"
# What is set before a profile judges the machine.
ROUNDS = (
    ("realtime", ()),
    ("realtime", ("-c 0 turbo-freq enable --auto",)),
    ("latency", ("turbo-freq disable", "core-power disable", "uncore set --min min",
                 "-c 2-3 core-power assoc --clos 3",
                 "cpufreq set --governor powersave --min min --max max",
                 "cpufreq set --epp power --turbo off --max-pct 80",
                 "cpuidle set --max-latency 4294967295us --qos-latency none")),
    ("throughput", ("cpufreq set --governor powersave",
                    "cpufreq set --epp power --turbo off --max-pct 80",
                    "cpuidle set --max-latency 1us --qos-latency 1us")),
)
# The same on a machine that has power limits.
POWER_ROUNDS = (("throughput", ("power set --pl1 150 --pl2 260",)),)
# Results of the example on the guide's machine, CPUs 2 and 3.
EXPECTED = {"locked-frequency": "differs", "class": "ok", "swap": "unknown",
            "core-watch": "differs", "mitigations": "ok", "cpufrequtils": "unknown"}


class Machine:
    """A simulated machine whose settings last."""

    def __init__(self, options, platform, directory):
        self.command = [options.program, "--simulate", options.platforms / f"{platform}.json",
                        "--simulate-state", directory]

    def run(self, *words):
        return subprocess.run([*self.command, *words], capture_output=True, text=True, check=False)

    def judge(self, profile, *words):
        """The exit status, and the items by name."""
        done = self.run("-f", "json", "-o", "-", "machine", "check", profile, *words)
        document = json.loads(done.stdout) if done.returncode in (0, 1, 6) else {"items": []}
        return done.returncode, {item["name"]: item for item in document["items"]}, done.stderr


def page_problems(options):
    with tempfile.TemporaryDirectory(prefix="isst-profile-") as directory:
        machine = Machine(options, "guide", f"{directory}/state")
        status, items, errors = machine.judge(str(EXAMPLE), "-c", "2-3")
        found = {name: item["result"] for name, item in items.items()}
        if status != 6 or found != EXPECTED:
            yield f"{EXAMPLE.name}: status {status}, {found}, {errors}"
        wrong = pathlib.Path(directory) / "wrong.json"
        wrong.write_text(EXAMPLE.read_text(encoding="utf-8").replace("frequency-locked", "mood"),
                         encoding="utf-8")
        errors = machine.run("machine", "check", str(wrong)).stderr
    facts = re.search(r"there are ([a-z, -]+)", errors)[1].split(", ")
    if len(facts) < 10:
        yield f"not many facts: {errors}"
    terms = re.findall(r"^\.It Li ([a-z-]+)$", MANUAL.read_text(encoding="utf-8")
                       .partition(".Sh FACTS")[2].partition(".Sh EXPECT")[0], re.M)
    if terms != facts:
        yield f"{MANUAL.name} has the facts {terms}, the program {facts}"


def remedy_problems(options, platform, tried, rounds):
    """Runs remedies that are commands of ours; each must make its item ok."""
    with tempfile.TemporaryDirectory(prefix="isst-profile-") as directory:
        machine = Machine(options, platform, directory)
        for profile, setup in rounds:
            for line in setup:
                done = machine.run(*line.split())
                if done.returncode:
                    yield f"{platform}: {line}: {done.stderr}"
            _, items, _ = machine.judge(profile, "-c", "2-3")
            for name, item in items.items():
                command = item.get("remedy", {}).get("command", "")
                if not command.startswith("isst "):
                    continue
                tried.add((profile, name))
                done = paste(options.program, command)
                _, after, _ = machine.judge(profile, "-c", "2-3")
                if done.returncode or after[name]["result"] != "ok":
                    yield (f"{platform}, {profile}: {name}: {command}: status {done.returncode}, "
                           f"then {after[name]['result']}: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    options = parser.parse_args()
    problems, tried, known = list(page_problems(options)), set(), set()
    for platform, rounds in (("guide", ROUNDS), ("gnr-6776p-2s", ROUNDS),
                             ("icx-8360y-2s", POWER_ROUNDS)):
        problems += remedy_problems(options, platform, tried, rounds)
    for profile in {profile for profile, _ in ROUNDS}:
        document = json.loads((ROOT / f"profiles/{profile}.json").read_text(encoding="utf-8"))
        known |= {(profile, item["name"]) for item in document["items"]
                  if item["remedy"].get("command", "").startswith("isst ")}
    problems += [f"{profile}: the remedy of {name} was not tried" for profile, name in known - tried]
    print(f"{len(tried)} remedies tried")
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(bool(problems) or len(tried) < 20)


if __name__ == "__main__":
    main()
