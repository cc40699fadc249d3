#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Three accounts of the frequencies that a processor gives (docs/spec/measure.md, "One predictor"):
what the program predicts, what the simulator measures, and what tests/model/firmware.py calculates
from the platform file alone. They are compared for random loads on random CPUs, at every level,
with and without SST-BF, SST-TF, CLOS limits and turbo, for every instruction set, and for both
readings of the turbo-ratio limits; MSR 0x1AE is compared with the sums of the bucket counts.

    frequencies.py --program PROGRAM [--cases COUNT] [--seed N] PLATFORM...

--cases: so many random settings of each level and reading.
"""

import argparse
import itertools
import json
import pathlib
import random as randomness
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "model"))

# pylint: disable=wrong-import-position
from described import Machine, ranges  # noqa: E402
from firmware import (DOMAIN, ISAS, PACKAGE, RATIO, Clos, counts_of, initial,  # noqa: E402
                      isa_of_load, predict, reported, run)

KINDS = ["scalar", "tdp", "avx2", "avx512"]
CPU = re.compile(r"(?:.*:)?cpu-(\d+)")


class Failure(Exception):
    """Accounts that differ."""


def require(is_so, text):
    if not is_so:
        raise Failure(text)


class Lab:
    """A simulated machine with one reading of its turbo-ratio limits."""

    def __init__(self, program, platform, directory, reading):
        self.program, self.directory, self.reading = program, directory, reading
        platform = dict(platform)
        if platform["interface"]["kind"] == "tpmi":
            platform["turbo-counts"] = reading
        self.machine = Machine(platform)
        self.file = directory / "machine.json"
        self.file.write_text(json.dumps(platform), encoding="utf-8")

    def run(self, *argv, status=(0,)):
        done = subprocess.run(["isst", "--simulate", str(self.file), "--simulate-state",
                               str(self.directory / "state"), *argv], executable=self.program,
                              capture_output=True, text=True, timeout=300, check=False)
        require(done.returncode in status, f"{' '.join(argv)}: status {done.returncode}: {done.stderr}")
        return done

    def apply(self, document):
        shutil.rmtree(self.directory / "state", ignore_errors=True)
        path = self.directory / "document.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        self.run("state", "apply", str(path))


def random_setting(random, machine, number):
    """A setting, and the entries of a state document that reach it. `number` is the level."""
    setting, entries = initial(machine), []
    for domain in machine.domains:
        if number is not None:
            setting.level[domain.place] = number
    if number is not None:
        if machine.domains[0].sst["enabled"]:
            entries.append({"for": "all", "perf-profile": {"level": number},
                            "online": "follow-level"})
        setting.online = {cpu for domain in machine.domains for core in domain.enabled(number)
                          for cpu in core.cpus}
    if random.random() < 0.4:
        lost = sorted(setting.online - {0})
        lost = random.sample(lost, random.randint(1, len(lost) // 2))
        setting.online -= set(lost)
        entries.append({"for": f"cpu {ranges(lost)}", "online": False})
    for package in machine.packages:
        domains = machine.of_package(package)
        about = domains[0].levels.get(number)
        if not about:
            continue
        on = {"for": f"package-{package}"}
        if about["base_freq"] and random.random() < 0.4:
            setting.base_freq |= {domain.place for domain in domains}
            entries.append({**on, "base-freq": {"enabled": True}})
        if not domains[0].sst["core_power"]["supported"] or random.random() < 0.25:
            continue
        with_tf = about["turbo_freq"] and random.random() < 0.6
        set_core_power(random, setting, entries, machine, package, with_tf)
        if with_tf:
            setting.turbo_freq |= {domain.place for domain in domains}
            entries.append({**on, "turbo-freq": {"enabled": True}})
    if machine.is_clx_n and random.random() < 0.4:
        setting.max_mhz = {cpu: machine.base_of(cpu) for cpu in machine.cpus}
        entries.append({"for": "all", "base-freq": {"enabled": True}})
    set_cpufreq(random, setting, entries, machine)
    return setting, {"format": "intel-speed-select-state", "version": 1, "settings": entries}


def set_core_power(random, setting, entries, machine, package, with_tf):
    """SST-CP, with a CLOS for every core of the package."""
    is_skylake = not machine.is_tpmi and machine.platform["cpu"]["model"] == 85
    ordered = bool(with_tf or is_skylake or random.random() < 0.6)
    setting.core_power.add(package)
    (setting.ordered.add if ordered else setting.ordered.discard)(package)
    parts = {}
    for clos in range(4):
        low = random.choice([0, 0, 0, 10, 14])
        high = random.choice([25500, 25500, 25500, 100 * random.randint(max(low, 9), 40)])
        weight = random.choice([0, 0, 4, 8, 15])
        setting.clos[package][clos] = Clos(low * RATIO, high, weight)
        parts[str(clos)] = {"min-mhz": low * RATIO, "weight": weight,
                            "max-mhz": "max" if high == 25500 else high}
        if is_skylake:
            setting.clos[package][clos].weight = 0
            del parts[str(clos)]["weight"]
    entries.append({"for": f"package-{package}", "core-power": {
        "enabled": True, "priority": "ordered" if ordered else "proportional", "clos": parts}})
    cores = [core for domain in machine.of_package(package) for core in domain.cores
             if set(core.cpus) & setting.online]
    share = random.random()
    for core in cores:
        setting.assoc[core] = random.choice([0, 1] if random.random() < share ** 2 else [2, 3])
    for clos in range(4):
        cpus = [cpu for core in cores if setting.assoc[core] == clos for cpu in core.cpus]
        if cpus:
            entries.append({"for": f"cpu {ranges(set(cpus) & setting.online)}",
                            "core-power": {"assoc": clos}})


def set_cpufreq(random, setting, entries, machine):
    """Turbo off, and scaling limits of some policies."""
    if random.random() < 0.25:
        setting.turbo = False
        entries.append({"for": "machine", "cpufreq": {"turbo": False}})
    for cpus in random.sample(machine.policies(), 2 if random.random() < 0.3 else 0):
        # all threads of a core, which has the highest of what they ask for
        cpus = {cpu for other in cpus for cpu in machine.siblings(other)} & setting.online
        if not cpus or machine.is_clx_n:
            continue
        most = min(map(machine.highest_of, cpus)) // RATIO
        mhz = RATIO * random.randint(machine.lowest_mhz // RATIO + 1, most - 1)
        setting.max_mhz.update({cpu: mhz for cpu in cpus})
        entries.append({"for": f"cpu {ranges(cpus)}", "cpufreq": {"max-mhz": mhz}})


def random_loads(random, machine, setting):
    """The kind of load of some CPUs; both threads of a core have the same."""
    kinds = random.sample(KINDS, random.randint(1, len(KINDS)))
    cores = [sorted(set(cpus) & setting.online) for package in machine.packages
             for cpus in machine.physical_cores(package)]
    cores = [cpus for cpus in cores if cpus]
    weights = {package: random.random() for package in machine.domains}  # uneven over domains
    loads = {}
    for cpus in cores:
        if random.random() < weights[machine.core_of[cpus[0]].domain]:
            kind = random.choice(kinds)
            loads.update({cpu: kind for cpu in random.sample(cpus, random.randint(1, len(cpus)))})
    return loads or {cores[0][0]: kinds[0]}


def random_idle(random, setting, loads):
    """Some CPUs that have no load."""
    others = sorted(setting.online - set(loads))
    return random.sample(others, min(len(others), 8))


def check_run(lab, setting, loads, idle):
    """What `measure run` predicts and measures under these loads; an idle CPU is predicted as one
    more that is active."""
    machine, words = lab.machine, []
    for kind in sorted(set(loads.values())):
        words += ["--load", f"{kind}:{ranges({cpu for cpu in loads if loads[cpu] == kind})}"]
    done = lab.run("-f", "json", "-c", ranges({*loads, *idle}), "measure", "run", "--seconds", "1",
                   *words)
    document = json.loads(done.stdout)
    mhz, milliwatts = run(machine, setting, loads, lab.reading)
    for cpu in document["cpus"]:
        who, kind = f"{' '.join(words)}: CPU {cpu['cpu']}", loads.get(cpu["cpu"])
        require(cpu["mhz"] == mhz.get(cpu["cpu"]),
                f"{who}: {cpu['mhz']} MHz measured, {mhz.get(cpu['cpu'])} calculated")
        both = predict(machine, setting, {*loads, cpu["cpu"]}, cpu["cpu"],
                       isa_of_load(machine, setting, cpu["cpu"], kind))
        found = figures(cpu["predicted-mhz"], cpu.get("predicted-high-mhz"))
        require(found == both, f"{who}: {found} MHz predicted, {both} calculated")
    for package in document["packages"]:
        watts, own = package["watts"], milliwatts[package["package"]]
        require((watts is None) == (own is None) and (own is None or abs(watts * 1000 - own) <= 1),
                f"{' '.join(words)}: package {package['package']}: {watts} W, {own} mW calculated")


def figures(low, high):
    """A range as the calculation has it."""
    return None if low is None else (int(low), int(low if high is None else high))


def count_cores(machine, setting, package):
    """Those that are online."""
    return sum(bool(set(cpus) & setting.online) for cpus in machine.physical_cores(package))


def check_explain(lab, setting, isa):
    """What `cpufreq explain` shows while all cores are active, and how many it counts."""
    words = ["-f", "json", "-c", ranges(setting.online), "cpufreq", "explain", "--isa", ISAS[isa]]
    done = lab.run(*words, status=(0, 3))
    found = {}
    for name, value in json.loads(done.stdout or "{}").items():
        if CPU.fullmatch(name) and "explain" in value:
            cpu = int(CPU.fullmatch(name)[1])
            found[cpu] = figures(value["explain"].get("maximum-frequency(MHz)"),
                                 value["explain"].get("maximum-frequency-high(MHz)"))
            own = count_cores(lab.machine, setting, lab.machine.core_of[cpu].domain.package)
            cores = int(value["explain"].get("active-cores-at-most", own))
            require(cores == own, f"CPU {cpu}: {cores} cores explained, {own} calculated")
    for cpu in sorted(setting.online):
        both = predict(lab.machine, setting, setting.online, cpu, isa)
        level = lab.machine.core_of[cpu].domain.levels.get(
            setting.level[lab.machine.core_of[cpu].domain.place])
        if isa and level and not reported(lab.machine, level, isa):
            both = None  # explain asks for the table, even while turbo is off
        require(found.get(cpu) == both,
                f"--isa {ISAS[isa]}: CPU {cpu}: {found.get(cpu)} MHz explained, {both} calculated")


def check_sums(machine):
    """MSR 0x1AE has the sums of the bucket counts of a package at level 0."""
    msr = machine.platform["msr"]
    for package in machine.packages:
        tables = [counts_of(domain, domain.levels[0]) for domain in machine.of_package(package)
                  if 0 in domain.levels]
        if not tables:
            continue
        counts = (msr[package] if isinstance(msr, list) else msr)["turbo_ratio_limit_cores"]
        sums = [sum(bucket) for bucket in zip(*tables)]
        require(counts == sums, f"package {package}: MSR 0x1AE has {counts}, the levels {sums}")


def check_platform(program, path, cases, seed):
    """Returns how many settings were compared."""
    platform = json.loads(path.read_text(encoding="utf-8"))
    is_tpmi = platform["interface"]["kind"] == "tpmi"
    sst = (platform["sst"][0] if isinstance(platform["sst"], list) else platform["sst"]) or {}
    levels = sst.get("allowed_levels", [None])
    if sst.get("locked"):
        levels = [sst["current_level"]]
    check_sums(Machine(platform))
    compared = 0
    with tempfile.TemporaryDirectory() as name:
        for reading in [PACKAGE, DOMAIN] if is_tpmi else [PACKAGE]:
            lab = Lab(program, platform, pathlib.Path(name), reading)
            for level, case in itertools.product(levels, range(cases)):
                random = randomness.Random(f"{path.name} {seed} {reading} {level} {case}")
                setting, document = random_setting(random, lab.machine, level)
                try:
                    lab.apply(document)
                    loads = random_loads(random, lab.machine, setting)
                    idle = random_idle(random, setting, loads)
                    check_run(lab, setting, loads, idle)
                    check_explain(lab, setting, random.randrange(5) if sst else 0)
                except Failure as failure:
                    raise Failure(f"{path.name}, counted by {reading}, level {level}, case {case}: "
                                  f"{failure}\nafter {json.dumps(document)}") from failure
                compared += 1
    return compared


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=3)
    parser.add_argument("--seed", default="1")
    parser.add_argument("platforms", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for path in options.platforms:
        try:
            compared = check_platform(options.program, path, options.cases, options.seed)
        except Failure as failure:
            sys.exit(f"FAILED: {failure}")
        print(f"{path.name}: {compared} settings")


if __name__ == "__main__":
    main()
