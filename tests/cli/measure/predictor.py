#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
One predictor (measure.md): in random states of a simulated machine, with every online CPU busy,
`measure run` predicts for each CPU what `cpufreq explain` shows as its maximum, and measures the
same in steps of 100 MHz. The simulator has its own settings as input, not what commands read. The
machine is given no TDP, so that no power limit takes anything.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LOADS = {"sse": "scalar", "avx2": "avx2", "avx512": "avx512"}
# Dense FMA: what counts where the level has a table of it (measure.md, "run").
HEAVY = {"avx512": "avx512-heavy"}
CPU = re.compile(r".*:cpu-(\d+)")
RATIO_MHZ = 100
# The TDP of each level: a member of a platform file; in a recording, part of the answer to a request.
TDP = re.compile(r'("tdp_w": |thermal_design_power_w:)\d+')


class Failure(Exception):
    """A prediction that differs."""


class Lab:
    """A simulated machine without power limits."""

    def __init__(self, program, platform, directory):
        self.program = program
        self.directory = pathlib.Path(directory)
        self.file = self.directory / "machine.json"
        text = platform.read_text(encoding="utf-8")
        self.file.write_text(TDP.sub(r"\g<1>0", text), encoding="utf-8")
        self.settings = []

    def run(self, *argv):
        state = str(self.directory / "state")
        return subprocess.run(["isst", "--simulate", str(self.file), "--simulate-state", state, *argv],
                              executable=self.program, capture_output=True, text=True, timeout=120,
                              check=False)

    def set(self, argv):
        """Changes something; what this machine or state does not allow changes nothing."""
        if self.run(*argv).returncode == 0:
            self.settings.append(" ".join(argv))

    def show(self, *argv):
        """The JSON of a command, or None if the machine lacks what is asked for."""
        result = self.run("-f", "json", *argv)
        if result.returncode == 3:
            return None
        if result.returncode:
            raise Failure(f"{argv}: status {result.returncode}: {result.stderr}")
        return json.loads(result.stdout)


def online_cpus(lab):
    """The numbers of all online CPUs."""
    return [cpu["cpu"] for cpu in lab.show("measure", "run", "--seconds", "1")["cpus"]]


def some(random_numbers, numbers):
    """A random list of them, as a user writes it."""
    count = random_numbers.randint(1, max(1, len(numbers) // 2))
    return ",".join(str(number) for number in sorted(random_numbers.sample(numbers, count)))


def change(lab, numbers):
    """Makes one random change."""
    cpus = some(numbers, online_cpus(lab))
    mhz = numbers.randrange(8, 45) * RATIO_MHZ
    lab.set(numbers.choice([
        ["cpufreq", "set", "--turbo", numbers.choice(["on", "off"])],
        ["cpufreq", "set", "--max-pct", str(numbers.randint(40, 100))],
        ["cpufreq", "set", "--max", numbers.choice(["max", "base", str(mhz)])],
        ["perf-profile", "set-config-level", "-l", str(numbers.randint(0, 4)), "-o"],
        ["base-freq", numbers.choice(["enable", "disable"]), "--auto"],
        ["-c", cpus, "turbo-freq", numbers.choice(["enable", "enable", "disable"]), "--auto"],
        ["core-power", numbers.choice(["enable", "disable"])],
        ["-c", cpus, "core-power", "assoc", "--clos", str(numbers.randint(0, 3))],
        ["core-power", "config", "--clos", str(numbers.randint(0, 3)), "--max", str(mhz)],
        ["-c", "0", "turbo-mode", "set-trl", "-t",
         "0x" + numbers.choice(["1c", "20", "ff"]) * 8],
    ]))


def explained(tree):
    """The maximum of each CPU that explain shows, in MHz."""
    matches = ((CPU.fullmatch(name), value) for name, value in tree.items())
    return {int(match[1]): float(value["explain"]["maximum-frequency(MHz)"])
            for match, value in matches if match and "explain" in value}


def compare(lab, isa, load):
    """Compares the three figures of each CPU."""
    cpus = online_cpus(lab)
    explain = ("-c", ",".join(map(str, cpus)), "cpufreq", "explain", "--isa")
    tree = lab.show(*explain, HEAVY[isa]) if isa in HEAVY else None
    if tree is None:
        tree = lab.show(*explain, isa)
    if tree is None:
        return 0
    maxima = explained(tree)
    run = lab.show("measure", "run", "--all", "--load", load, "--seconds", "1")
    if any(package["watts"] is not None for package in run["packages"]):
        raise Failure("the machine has a TDP, by which power limits what is measured")
    for cpu in run["cpus"]:
        predicted, measured = cpu["predicted-mhz"], cpu["mhz"]
        most = maxima[cpu["cpu"]]
        if predicted != most or measured != most // RATIO_MHZ * RATIO_MHZ:
            settings = "\n  ".join(lab.settings)
            raise Failure(f"CPU {cpu['cpu']}, {isa}: explain {most}, predicted {predicted}, "
                          f"measured {measured} MHz, after\n  {settings}")
    return len(maxima)


def check_platform(program, platform, states, seed):
    """Returns how many CPUs were compared."""
    numbers = random.Random(f"{platform.name} {seed}")
    compared = 0
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(program, platform, directory)
        for _ in range(states):
            for isa, load in LOADS.items():
                compared += compare(lab, isa, load)
            for _ in range(numbers.randint(1, 4)):
                change(lab, numbers)
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("platforms", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for platform in options.platforms:
        try:
            count = check_platform(options.program, platform, options.states, options.seed)
        except Failure as failure:
            sys.exit(f"FAILED: {platform.name}: {failure}")
        print(f"{platform.name}: {count} CPUs in {options.states} states")


if __name__ == "__main__":
    main()
