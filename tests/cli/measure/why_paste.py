#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What cpufreq explain --measure says to change, pasted, with every other core as it may be
(measure.md, "jitter, ladder, explain"): fast cores are drawn, others are asked about, and all
commands that are shown are pasted. No CPU that was busy is slower then, whichever fast cores are
busy or idle, unless the price says so; no command undoes another; and those that are asked about
gain. What CPUs have is what the simulator's firmware gives them.
"""

import argparse
import itertools
import json
import pathlib
import random
import sys
import tempfile

import why

SUBSETS = 3
FEW = 4  # fast cores: every subset of them
STEP_MHZ = 60  # less is rounding
Failure = why.Failure


class Lab(why.Lab):
    """A simulated machine of which groups of CPUs are asked about."""

    def why(self, cpus):
        result = self.run("-f", "json", "-c", join(cpus), "cpufreq", "explain", "--measure", "1",
                          "--load", "scalar")
        if result.returncode:
            raise Failure(f"why: {result.returncode}: {result.stderr}")
        return {cpu["cpu"]: cpu for cpu in json.loads(result.stdout)["cpus"]}

    def lines(self, cpus, label):
        text = self.run("-c", join(cpus), "cpufreq", "explain", "--measure", "1", "--load", "scalar").stdout
        found = [line.split(None, 1)[1] for line in text.splitlines() if line.startswith(label + " ")]
        return list(dict.fromkeys(found))

    def mhz(self, busy):
        """What these CPUs have when they are busy together."""
        result = self.run("-f", "json", "-c", join(busy), "measure", "run", "--seconds", "1",
                          "--load", "scalar")
        return {cpu["cpu"]: cpu["mhz"] for cpu in json.loads(result.stdout)["cpus"]}

    def paste(self, setting):
        super().paste(setting)
        self.done.append(f"pasted: {setting}")


def join(cpus):
    return ",".join(map(str, sorted(cpus)))


def cores_of(lab):
    """The first CPU of each core of package 0."""
    result = lab.run("-f", "json", "measure", "run", "--seconds", "1")
    cpus = [cpu["cpu"] for cpu in json.loads(result.stdout)["cpus"] if cpu["package"] == 0]
    return cpus[:len(cpus) // 2] if len(cpus) > 16 else cpus


def prepare(lab, cores, numbers):
    """Draws what is set. Returns the fast cores."""
    fast = set(numbers.sample(cores, numbers.randint(0, min(20, len(cores)))))
    if fast:
        lab.set("-c", join(fast), "turbo-freq", "enable", "-a")
    if fast and numbers.random() < 0.3:
        more = numbers.sample(cores, numbers.randint(1, len(cores) // 2))
        lab.set("-c", join(more), "core-power", "assoc", "--clos", numbers.choice("01"))
        fast |= set(more)
    if numbers.random() < 0.3:
        lab.set("-c", join(numbers.sample(cores, 3)), "cpufreq", "set", "--max", "2000")
    if numbers.random() < 0.2:
        lab.set("core-power", "config", "--clos", "0", "-m", "3000")
    if numbers.random() < 0.2:
        lab.set("cpufreq", "set", "--turbo", "off")
    return fast


def check(lab, cores, numbers):
    """One machine, and one question. Returns whether a command was pasted."""
    fast = prepare(lab, cores, numbers)
    asked = set(numbers.sample(cores, numbers.randint(1, len(cores))))
    subsets = [set(some) for count in range(len(fast) + 1)
               for some in itertools.combinations(sorted(fast), count)] if len(fast) <= FEW else \
        [set(), fast] + [{cpu for cpu in fast if numbers.random() < 0.5} for _ in range(SUBSETS)]
    before = [lab.mhz(asked | subset) for subset in subsets]
    whole = lab.why(asked)
    settings = [line for line in lab.lines(asked, "setting") if not line.startswith("none: ")]
    prices = [cpu["setting-price"] for cpu in whole.values() if "setting-price" in cpu]
    if {cpu["setting"] for cpu in whole.values() if cpu["setting"]} != set(settings):
        raise Failure(f"text has {settings}, JSON has others")
    if bool(prices) != bool(lab.lines(asked, "price")):
        raise Failure(f"text has another price than {prices}")
    for setting in settings:
        lab.paste(setting)
    gains = False
    for subset, old in zip(subsets, before):
        new = lab.mhz(asked | subset)
        for cpu, mhz in old.items():
            gains = gains or new[cpu] > mhz + STEP_MHZ
            if new[cpu] < mhz - STEP_MHZ and not any(is_named(cpu, price) for price in prices):
                raise Failure(f"busy {join(asked | subset)}: cpu {cpu} fell from {mhz:.0f} to "
                              f"{new[cpu]:.0f}, prices {prices}")
    after = lab.why(asked)
    moved = any(after[cpu]["limited-by"] != whole[cpu]["limited-by"] for cpu in asked)
    if settings and not gains and not moved:
        raise Failure(f"{settings}: nobody gains")
    return bool(settings)


def is_named(cpu, price):
    """Is the CPU in the list of a price?"""
    for part in price["cpus"].split(","):
        first, _, last = part.partition("-")
        if int(first) <= cpu <= int(last or first):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("platforms", nargs="+")
    options = parser.parse_args()
    for platform in options.platforms:
        numbers = random.Random(f"{pathlib.Path(platform).name} {options.seed}")
        pasted = 0
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as directory:
                lab = Lab(options.program, platform, directory)
                try:
                    pasted += check(lab, cores_of(lab), numbers)
                except Failure as failure:
                    settings = "\n  ".join(lab.done)
                    sys.exit(f"FAILED: {platform}: {failure}, after\n  {settings}")
        print(f"{pathlib.Path(platform).name}: {pasted} of {options.rounds} had a command")


if __name__ == "__main__":
    main()
