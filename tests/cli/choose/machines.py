# SPDX-License-Identifier: GPL-2.0-only
"""
Machines for the tests of machine choose: the frequencies that follow from a platform file (a
calculation of its own, which shares nothing with the program), and random machines made out of one.
"""

import copy
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "model"))

import firmware  # noqa: E402 pylint: disable=wrong-import-position
from described import Machine, numbers, ranges  # noqa: E402 pylint: disable=wrong-import-position

ISAS = ["sse", "avx2", "avx512"]


class Setting:
    """A level and a feature in some packages, with these cores chosen; all cores are busy."""

    def __init__(self, machine, row, chosen, online, turbo_is_off=False):
        self.machine, self.row = machine, row
        self.packages = {core.domain.package for core in chosen}
        setting = firmware.initial(machine)
        setting.online, setting.turbo = online, not turbo_is_off
        setting.core_power -= self.packages  # no CLOS limits a core
        for domain in machine.domains:
            if domain.package in self.packages:
                setting.level[domain.place] = row["level"]
                for kind in ["base_freq", "turbo_freq"]:
                    getattr(setting, kind).discard(domain.place)
                    if kind.replace("_", "-") in row["feature"]:
                        getattr(setting, kind).add(domain.place)
        setting.assoc.update({core: 0 if core in chosen else 3 for core in machine.cores
                              if core.domain.package in self.packages})
        self.readings = [firmware.Firmware(machine, setting, online, reading)
                         for reading in (firmware.PACKAGE, firmware.DOMAIN)]

    def frequency(self, core, isa):
        """Turbo with all cores busy, of a core in a package that is set: the lower reading."""
        return min(reading.maximum(core.cpus[0], isa)[0] for reading in self.readings)

    def base(self, core, isa):
        cpufreq = self.machine.platform["cpufreq"]
        if self.machine.is_clx_n:
            is_high = core.cpus[0] in numbers(cpufreq["high_priority"]["cpus"])
            return (cpufreq["high_priority"] if is_high else cpufreq)["base_khz"] // 1000
        level = core.domain.levels[self.row["level"]]
        if isa == 0 and "base-freq" in self.row["feature"]:
            fast = core.domain.is_fast(core, self.row["level"])
            return level["base_freq"]["high_mhz" if fast else "low_mhz"]
        return level["base_mhz"][ISAS[isa]] or None


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def shuffle_levels(random, features, sst, ids):
    """Other cores of the levels of one domain, whose cores have these ids, and other features,
    which are the same in all domains of a package."""
    for level in sst["levels"]:
        everything = level is sst["levels"][0] or random.random() < 0.3
        # the first core stays: CPU 0 cannot go offline on many machines
        enabled = ids if everything else sorted(
            {ids[0], *random.sample(ids, random.randint(1, len(ids)))})
        level["cores"] = ranges(enabled)
        loses = [features.random() < 0.2, features.random() < 0.2]
        counts = sorted(features.sample(range(1, 16), 3)) + [0] * 5
        if level["base_freq"]:
            level["base_freq"]["cores"] = ranges(
                random.sample(enabled, random.randint(1, len(enabled))))
        if level["turbo_freq"]:
            level["turbo_freq"]["cores"] = counts
        if loses[0]:
            level["base_freq"] = None
        if loses[1]:
            level["turbo_freq"] = None


def invent(random, path):
    """A random machine out of a platform file: odd numbers of cores, other levels and features, in
    each package others, levels that are locked, CPUs that are offline. The power domains of a
    package have the same levels with the same features."""
    platform = copy.deepcopy(read(path))
    platform["name"] = "invented"
    sst = platform["sst"][0] if isinstance(platform["sst"], list) else platform["sst"]
    is_locked, platform["sst"] = random.random() < 0.15, []
    # other levels, which no CPU has followed
    is_mixed = not is_locked and not platform["io_sst"] and random.random() < 0.3
    levels = [level["level"] for level in sst["levels"]]
    if platform["io_sst"]:
        platform["io_sst"]["locked"] = is_locked
        platform["io_sst"]["allowed_levels"] = [level["level"]
                                                for level in platform["io_sst"]["levels"]]
    for part in platform["topology"]["packages"]:
        seed, current = random.random(), random.choice(levels)
        for about in part["domains"]:
            if not about["cores"]:
                continue
            ids = sorted(numbers(about["cores"]))
            ids = sorted(random.sample(ids, random.randint(2, min(9, len(ids)))))
            about["cores"] = ranges(ids)
            own = copy.deepcopy(sst)
            own["locked"] = is_locked
            if is_mixed and own["enabled"]:
                own["current_level"] = current
            own["allowed_levels"] = [level["level"] for level in own["levels"]]
            platform["sst"].append(own)
            shuffle_levels(random, type(random)(seed), own, ids)
    if random.random() < 0.4:
        cpus = Machine(platform).cpus
        platform["topology"]["offline"] = ranges(random.sample(cpus[1:], min(3, len(cpus) // 4)))
    return platform
