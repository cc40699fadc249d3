#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The last line of cpufreq explain --measure (measure.md, "jitter, ladder, explain"): a complete
command that works when it is pasted and lets the CPUs have more, or "none:" and what else would
help. Limits are set one by one, then at random, on a simulated machine.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

from machine import paste  # noqa: E402 pylint: disable=wrong-import-position

MOST_STEPS = 12


class Failure(Exception):
    """A promise that was not kept."""


class Lab:
    """A simulated machine."""

    def __init__(self, program, platform, directory):
        self.program, self.platform = program, platform
        self.state = pathlib.Path(directory) / "state"
        self.done = []

    def run(self, *argv):
        return subprocess.run(["isst", "--simulate", self.platform, "--simulate-state", self.state, *argv],
                              executable=self.program, capture_output=True, text=True, timeout=120,
                              check=False)

    def set(self, *argv):
        """Makes a change; returns whether this machine and state allow it."""
        allowed = self.run(*argv).returncode == 0
        if allowed:
            self.done.append(shlex.join(argv))
        return allowed

    def reset(self):
        self.run("--simulate-reset")
        self.done = []

    def why(self, cpus, load="scalar"):
        result = self.run("-f", "json", "-c", cpus, "cpufreq", "explain", "--measure", "2", "--load", load)
        if result.returncode:
            raise Failure(f"why: {result.returncode}: {result.stderr}")
        return {cpu["cpu"]: cpu for cpu in json.loads(result.stdout)["cpus"]}

    def settings(self, cpus, load="scalar"):
        """The last lines of the text, one for each group of CPUs, with the CPUs."""
        lines = self.run("-c", cpus, "cpufreq", "explain", "--measure", "2", "--load", load).stdout.splitlines()
        groups = [line.split(None, 1)[1] for line in lines if line.startswith("CPUs ")]
        last = [line.split(None, 1)[1] for line in lines if line.startswith("setting ")]
        if len(groups) != len(last):
            raise Failure(f"{len(groups)} groups, {len(last)} settings")
        return last

    def paste(self, setting):
        """Runs a setting as it was shown."""
        result = paste(self.program, setting)
        if result.returncode or not setting.startswith("isst "):
            raise Failure(f"{setting}: {result.returncode}: {result.stderr}")


def numbers_of(cpus):
    """The numbers of a list of CPUs as a command shows it."""
    found = set()
    for part in cpus.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def predicted(cpu):
    return cpu["predicted-mhz"] or 0


def check_one(lab, cpus, cause=None, load="scalar"):
    """The setting of each CPU alone, as JSON has it."""
    before = lab.why(cpus, load)
    first = min(before)
    if cause and before[first]["limited-by"] != cause:
        raise Failure(f"limited by {before[first]['limited-by']}, not {cause}")
    setting = before[first]["setting"]
    if setting is None:
        if not before[first].get("setting-reason"):
            raise Failure("no setting and no reason")
        return None
    lab.paste(setting)
    after = lab.why(cpus, load)
    moved = "core-power assoc --clos 2" in setting
    better = [cpu for cpu in before if predicted(after[cpu]) > predicted(before[cpu]) or
              after[cpu]["limited-by"] != before[cpu]["limited-by"]]
    if not better or not (moved or first in better):
        raise Failure(f"{setting}: changes nothing: {before[first]['limited-by']}, "
                      f"{predicted(before[first])} to {predicted(after[first])}")
    return setting


def follow(lab, cpus, load="scalar"):
    """Pastes what the text shows until nothing is left, or a turbo limit that only moves."""
    for _ in range(MOST_STEPS):
        settings = [line for line in lab.settings(cpus, load) if not line.startswith("none: ")]
        if not settings:
            return
        lab.paste(settings[0])
        lab.done.append(f"pasted: {settings[0]}")
    if "core-power assoc" not in settings[0]:
        raise Failure(f"still a setting after {MOST_STEPS}: {settings[0]}")


def clos_parameters(lab, clos):
    lines = lab.run("-c", "0", "core-power", "get-config", "--clos", str(clos)).stdout.splitlines()
    return [line.strip() for line in lines if "priority" in line or "clos-min" in line or "epp" in line]


def check_each(lab):
    """Each limit alone."""
    count = 0
    cases = (
        ("scaling-maximum", [["-c", "0-1", "cpufreq", "set", "--max", "1200"]]),
        ("no_turbo", [["cpufreq", "set", "--turbo", "off"]]),
        ("max_perf_pct", [["cpufreq", "set", "--max-pct", "50"]]),
        ("clos-max", [["core-power", "enable"],
                      ["core-power", "config", "--clos", "2", "-w", "5", "-n", "900", "-m", "1000"],
                      ["-c", "0-1", "core-power", "assoc", "--clos", "2"]]),
        ("turbo-ratio-limit", [["-c", "0", "turbo-mode", "set-trl", "-t", "0x1212121212121212"]]),
        ("turbo-freq-clip", [["-c", "4", "turbo-freq", "enable", "-a"]]),
        (None, [["-c", "0-15", "turbo-freq", "enable", "-a"]]),
        ("high-priority-cores", [["-c", "0-31", "turbo-freq", "enable", "-a"],
                                 ["core-power", "assoc", "--clos", "0"]]),
    )
    for cause, changes in cases:
        lab.reset()
        if not all(lab.set(*change) for change in changes):
            continue
        kept = clos_parameters(lab, 2)
        cpus = "0-31" if cause in (None, "high-priority-cores") else "0-1"
        online = numbers_of("0-1")
        try:
            check_one(lab, cpus if max(online) else "0", cause if cpus == "0-1" else None)
        except Failure as failure:
            if cause in ("turbo-ratio-limit", "high-priority-cores") and "limited by" in str(failure):
                continue  # this machine has another limit first
            raise
        if cause == "clos-max" and clos_parameters(lab, 2) != kept:
            raise Failure(f"{cause}: other parameters of the CLOS changed: {clos_parameters(lab, 2)}")
        count += 1
    return count


def change(lab, numbers):
    """A random change."""
    cpus = f"{numbers.randint(0, 3)}-{numbers.randint(4, 20)}"
    mhz = str(numbers.randrange(8, 40) * 100)
    lab.set(*numbers.choice([
        ["cpufreq", "set", "--turbo", "off"], ["cpufreq", "set", "--max-pct", str(numbers.randint(40, 99))],
        ["-c", cpus, "cpufreq", "set", "--max", mhz], ["base-freq", "enable", "-a"],
        ["-c", cpus, "turbo-freq", "enable", "-a"], ["core-power", "enable"],
        ["core-power", "config", "--clos", str(numbers.randint(0, 3)), "-w", "3", "-m", mhz],
        ["-c", cpus, "core-power", "assoc", "--clos", str(numbers.randint(0, 3))],
        ["-c", "0", "turbo-mode", "set-trl", "-t", "0x" + numbers.choice(["12", "1c", "20"]) * 8]]))


def check_platform(program, platform, rounds, seed):
    numbers = random.Random(f"{pathlib.Path(platform).name} {seed}")
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(program, platform, directory)
        try:
            count = check_each(lab)
            for _ in range(rounds):
                lab.reset()
                for _ in range(numbers.randint(1, 5)):
                    change(lab, numbers)
                follow(lab, f"0-{numbers.randint(0, 11)}", numbers.choice(["scalar", "avx512"]))
        except Failure as failure:
            settings = "\n  ".join(lab.done)
            sys.exit(f"FAILED: {platform}: {failure}, after\n  {settings}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("platforms", nargs="+")
    options = parser.parse_args()
    for platform in options.platforms:
        count = check_platform(options.program, platform, options.rounds, options.seed)
        print(f"{pathlib.Path(platform).name}: {count} limits, {options.rounds} random states")


if __name__ == "__main__":
    main()
