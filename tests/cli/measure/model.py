#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The workload model (measure.md, "The simulator moves"), calculated once more here: random loads on
random cores of a simulated machine, with and without SST-CP in ordered mode. Frequencies and power are
calculated of the platform file alone.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

TDP, MOST_MHZ = 100, 100
WIDE = {"avx2": 165, "avx512": 256}
EMERALD_RAPIDS = 0xcf


def count(cores):
    """How many numbers a list such as "0-3,7" has."""
    parts = [part.split("-") for part in cores.split(",") if part]
    return sum(int(part[-1]) - int(part[0]) + 1 for part in parts)


class Package:
    """The constants of a package at level 0."""

    def __init__(self, platform):
        level, topology = platform["sst"]["levels"][0], platform["topology"]
        domains = sum(1 for domain in topology["packages"][0]["domains"] if domain["cores"])
        self.tdp = level["tdp_w"] * 1000
        self.bases = {isa: mhz // 100 for isa, mhz in level["base_mhz"].items()}
        lists = level["cores"] if isinstance(level["cores"], list) else [level["cores"]] * domains
        self.cores = sum(map(count, lists[:domains])) * topology.get("cores_per_module", 1)
        self.lowest = platform["cpufreq"]["min_khz"] // 100000
        self.highest = platform["cpufreq"]["max_khz"] // 100000
        self.module = topology.get("cores_per_module", 1)
        self.rows = [[mhz // 100 for mhz in row] for row in level["turbo"]["mhz"]]
        is_tpmi = platform["interface"]["kind"] == "tpmi"
        if not is_tpmi and platform["cpu"]["model"] != EMERALD_RAPIDS:
            self.rows = self.rows[:3]
        counts = level["turbo"]["cores"]
        if is_tpmi:  # of each power domain
            lists = counts if isinstance(counts[0], list) else [counts] * domains
            counts = [sum(column) for column in zip(*lists[:domains])]
        self.counts = counts

    def row(self, kind):
        """The turbo-ratio limits for a load."""
        isa = {"avx2": 1, "avx512": 3 if len(self.rows) > 3 and any(self.rows[3]) else 2}.get(kind, 0)
        return self.rows[isa] if isa < len(self.rows) else []

    def cap(self, kind, cores):
        """What the limits allow while so many cores (modules) of the package are active."""
        used = [place for place, most in enumerate(self.counts) if most]
        place = next((place for place in used if cores <= self.counts[place]), used[-1])
        return min(self.highest, self.row(kind)[place])

    def load(self, kind):
        """Percent of what fills the TDP at the base frequency."""
        if kind == "tdp":
            return TDP
        if kind == "scalar":
            return min(933 * self.cores * self.bases["sse"] ** 3 //
                       (10 * min(most * self.module, self.cores) * ratio ** 3)
                       for most, ratio in zip(self.counts, self.rows[0]))
        own = self.bases[kind]
        return 100 * self.bases["sse"] ** 3 // own ** 3 if own else WIDE[kind]

    def power(self, busy):
        idle = 3 * self.tdp // 10
        used = sum(core["load"] * core["ratio"] ** 3 for core in busy)
        return idle + (self.tdp - idle) * used // (100 * self.cores * self.bases["sse"] ** 3)

    def settle(self, busy, ordered):
        """Takes ratios until the power suffices."""
        while 100 * self.power(busy) > 101 * self.tdp:
            above = [core for core in busy if core["ratio"] > min(self.lowest, core["cap"])]
            if not above:
                return
            loser = max(above, key=lambda core: (core["clos"] if ordered else 0, core["ratio"], core["core"]))
            loser["ratio"] -= 1


def run(program, file, state, *argv):
    return subprocess.run(["isst", "--simulate", file, "--simulate-state", state, *argv], executable=program,
                          capture_output=True, text=True, timeout=120, check=False)


def check(program, file, state, numbers, ordered):
    """One random load; returns how many cores were compared."""
    package = Package(json.loads(file.read_text(encoding="utf-8")))
    idle = json.loads(run(program, file, state, "-f", "json", "measure", "run", "--seconds", "1").stdout)
    first = [cpu["cpu"] for cpu in idle["cpus"] if cpu["package"] == 0][:package.cores]
    cpus = sorted(numbers.sample(first, numbers.randint(1, len(first))))
    usual = ["scalar", "tdp", "avx2", "avx512"][:numbers.randint(1, 4)]
    kinds = {cpu: numbers.choice(usual) for cpu in cpus}
    clos = {}
    if ordered:
        if run(program, file, state, "core-power", "enable", "--priority", "1").returncode:
            return 0
        for number in range(4):
            some = ",".join(str(cpu) for cpu in cpus if cpu % 4 == number)
            if some and run(program, file, state, "-c", some, "core-power", "assoc", "--clos", str(number)).returncode:
                sys.exit(f"FAILED: assoc of {some}")
            clos.update({cpu: number for cpu in cpus if cpu % 4 == number})
    loads = [word for kind in sorted(set(kinds.values()))
             for word in ("--load", f"{kind}:" + ",".join(str(cpu) for cpu in cpus if kinds[cpu] == kind))]
    result = run(program, file, state, "-f", "json", "-c", ",".join(map(str, cpus)), "measure", "run",
                 "--seconds", "1", *loads)
    if result.returncode:
        sys.exit(f"FAILED: {loads}: {result.stderr}")
    document = json.loads(result.stdout)
    if not all(any(package.row(kind)) for kind in kinds.values()):
        return 0  # the machine has no limits for these instructions
    active = len({cpu // package.module for cpu in cpus})  # CPUs of a module follow one another
    caps = {kind: package.cap(kind, active) for kind in set(kinds.values())}
    busy = [{"core": cpu["cpu"], "load": package.load(kinds[cpu["cpu"]]), "clos": clos.get(cpu["cpu"], 0),
             "cap": caps[kinds[cpu["cpu"]]], "ratio": caps[kinds[cpu["cpu"]]]}
            for cpu in document["cpus"]]
    package.settle(busy, ordered)
    for core, cpu in zip(busy, document["cpus"]):
        if abs(cpu["mhz"] - core["ratio"] * MOST_MHZ) > 1:
            sys.exit(f"FAILED: {file.name}: {loads}, ordered {ordered}: CPU {cpu['cpu']} has {cpu['mhz']}, "
                     f"not {core['ratio'] * MOST_MHZ} MHz")
    watts = document["packages"][0]["watts"]
    if abs(watts * 1000 - package.power(busy)) > 1:
        sys.exit(f"FAILED: {file.name}: {loads}: {watts} W, not {package.power(busy)} mW")
    return len(busy)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--loads", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("platforms", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for file in options.platforms:
        if not (json.loads(file.read_text(encoding="utf-8"))["sst"] or {}).get("levels"):
            print(f"{file.name}: no levels, no power limit")
            continue
        numbers = random.Random(f"{file.name} {options.seed}")
        with tempfile.TemporaryDirectory() as directory:
            compared = sum(check(options.program, file, f"{directory}/{i}", numbers, i % 2 == 1)
                           for i in range(options.loads))
        print(f"{file.name}: {compared} cores under {options.loads} loads")


if __name__ == "__main__":
    main()
