# SPDX-License-Identifier: GPL-2.0-only
"""
Machines for the tests of machine choose: what a platform file says of one, the frequencies that
follow from it (a calculation of its own, which shares nothing with the program), and random machines
made out of a platform file.
"""

import copy
import json
import pathlib

ISAS = ["sse", "avx2", "avx512"]


def numbers(text):
    """The set of a list such as "0-3,8"."""
    answer = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        answer.update(range(int(first), int(last or first) + 1))
    return answer


def ranges(cpus):
    """The list of a set, as numbers() reads it."""
    parts = []
    for cpu in sorted(cpus):
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in parts)


class Core:
    """A PUNIT core: a core with its threads, or a module."""

    def __init__(self, domain, number):
        self.domain, self.number, self.cpus = domain, number, []


class Domain:
    """A power domain with cores."""

    def __init__(self, package, place, about, sst):
        self.package, self.place, self.punit, self.sst = package, place, about["punit"], sst
        self.cores = [Core(self, number) for number in sorted(numbers(about["cores"]))]
        self.levels = {level["level"]: level for level in (sst or {"levels": []})["levels"]}

    def listed(self, lists):
        """The cores of a list, which may be one list for all domains."""
        return numbers(lists if isinstance(lists, str) else lists[self.place])

    def enabled(self, level):
        chosen = self.listed(self.levels[level]["cores"])
        return [core for core in self.cores if core.number in chosen]

    def is_fast(self, core, level):
        """Is it an SST-BF core of the level?"""
        base_freq = self.levels[level]["base_freq"]
        return bool(base_freq) and core.number in self.listed(base_freq["cores"])


class Machine:
    """What a platform file says."""

    def __init__(self, platform):
        self.platform = platform
        topology, sst = platform["topology"], platform["sst"]
        self.domains = []
        for package, part in enumerate(topology["packages"]):
            for about in part["domains"]:
                place = len(self.domains)
                if about["cores"]:
                    own = sst[place] if isinstance(sst, list) else sst
                    self.domains.append(Domain(package, place, about, own))
        self.packages = sorted({domain.package for domain in self.domains})
        self.cores = [core for domain in self.domains for core in domain.cores]
        self.number_cpus(topology)
        self.cpus = sorted(cpu for core in self.cores for cpu in core.cpus)
        self.core_of = {cpu: core for core in self.cores for cpu in core.cpus}
        self.offline = numbers(topology.get("offline", ""))
        self.is_tpmi = platform["interface"]["kind"] == "tpmi"
        self.is_clx_n = bool((platform["cpufreq"] or {}).get("high_priority"))
        self.module = topology["cores_per_module"]
        cpufreq = platform["cpufreq"] or {"max_khz": 25500000}
        self.highest_mhz = cpufreq["max_khz"] // 1000

    def number_cpus(self, topology):
        """Gives each core its CPUs (platform-file.md, "topology")."""
        threads, size = topology["threads_per_core"], topology["cores_per_module"]
        cores = self.cores
        if topology["numbering"] == "packages-interleaved":
            by_package = [[core for core in cores if core.domain.package == package]
                          for package in self.packages]
            cores = [part[turn] for turn in range(max(map(len, by_package)))
                     for part in by_package if turn < len(part)]
        for number, core in enumerate(cores):
            if topology["numbering"] == "siblings-adjacent" or size > 1:
                core.cpus = list(range(number * threads * size, (number + 1) * threads * size))
            else:
                core.cpus = [number + thread * len(cores) for thread in range(threads)]

    def of_package(self, package):
        return [domain for domain in self.domains if domain.package == package]

    def count_units(self, level, cores):
        """High-priority cores as the buckets of a level count them."""
        turbo_freq = level["turbo_freq"]
        counts_modules = (self.is_tpmi and self.domains[0].sst["version"] >= 2 and
                          sum(map(bool, turbo_freq["cores"])) <= 3)
        return len(cores) * (1 if counts_modules else self.module)


def by_count(counts, mhz, number):
    """The frequency of the first bucket that holds that many cores; beyond them that of the last."""
    found = None
    for count, frequency in zip(counts, mhz):
        if not count:
            break
        found = frequency
        if count >= number:
            break
    return found


class Setting:
    """A level and a feature in some packages, with these cores chosen; all cores are busy."""

    def __init__(self, machine, row, chosen, online, turbo_is_off=False):
        self.turbo_is_off = turbo_is_off
        self.machine, self.row, self.chosen, self.online = machine, row, set(chosen), online
        self.packages = {core.domain.package for core in chosen}

    def active(self, package):
        """Active cores as turbo-ratio limits count them: those of the package."""
        return sum(self.machine.module for domain in self.machine.of_package(package)
                   for core in domain.cores if self.online & set(core.cpus))

    def frequency(self, core, isa):
        """Turbo with all cores busy, of a core in a package that is set."""
        domain, machine = core.domain, self.machine
        if self.turbo_is_off:
            base = self.base(core, 0) or machine.highest_mhz
            return min(base, core.domain.levels[self.row["level"]]["base_mhz"].get(ISAS[isa], 0)
                       or base) if isa else base
        if machine.is_clx_n:
            return machine.highest_mhz
        level = domain.levels[self.row["level"]]
        if self.row["feature"] == "turbo-freq":
            if core not in self.chosen:
                return min(level["turbo_freq"]["clip_mhz"][isa], machine.highest_mhz)
            units = machine.count_units(level, [other for other in self.chosen
                                                if other.domain.package == domain.package])
            mhz = by_count(level["turbo_freq"]["cores"], level["turbo_freq"]["mhz"][isa], units)
            return min(mhz, machine.highest_mhz)
        counts = level["turbo"]["cores"]
        if isinstance(counts[0], list):
            counts = counts[domain.place]
        mhz = by_count(counts, level["turbo"]["mhz"][isa], self.active(domain.package))
        return min(mhz, machine.highest_mhz)

    def base(self, core, isa):
        cpufreq = self.machine.platform["cpufreq"]
        if self.machine.is_clx_n:
            is_high = core.cpus[0] in numbers(cpufreq["high_priority"]["cpus"])
            return (cpufreq["high_priority"] if is_high else cpufreq)["base_khz"] // 1000
        level = core.domain.levels[self.row["level"]]
        if isa == 0 and self.row["feature"] == "base-freq":
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
