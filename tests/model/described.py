# SPDX-License-Identifier: GPL-2.0-only
"""
What a platform file says of a machine (intel-speed-select-platform(5)): its cores, their CPUs, and the
levels of their power domains.
"""


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
        self.lowest_mhz = cpufreq.get("min_khz", 0) // 1000

    def number_cpus(self, topology):
        """Gives each core its CPUs (intel-speed-select-platform(5), "topology")."""
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

    def highest_of(self, cpu):
        """The highest frequency in MHz without SST-TF."""
        types = self.platform.get("core_types")
        if types and cpu in numbers(types["efficient"]):
            return types["efficient_max_khz"] // 1000
        return self.highest_mhz

    def base_of(self, cpu):
        """The base frequency in MHz of cpufreq, without Speed Select."""
        cpufreq, types = self.platform["cpufreq"], self.platform.get("core_types")
        if types and cpu in numbers(types["efficient"]):
            return types["efficient_base_khz"] // 1000
        high = cpufreq.get("high_priority")
        is_high = high and cpu in numbers(high["cpus"])
        return (high if is_high else cpufreq)["base_khz"] // 1000

    def physical_cores(self, package):
        """The CPUs of each core in the order of the file; a module has several cores."""
        for domain in self.of_package(package):
            for core in domain.cores:
                if self.module > 1:
                    yield from ((cpu,) for cpu in core.cpus)
                else:
                    yield tuple(core.cpus)

    def siblings(self, cpu):
        """The threads of the CPU's core; a core of a module has one."""
        return [cpu] if self.module > 1 else self.core_of[cpu].cpus

    def policies(self):
        """The CPUs that share a cpufreq policy."""
        shared = [sorted(numbers(cpus)) for cpus in self.platform["cpufreq"].get("policies", [])]
        return shared + [[cpu] for cpu in self.cpus if not any(cpu in part for part in shared)]

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
