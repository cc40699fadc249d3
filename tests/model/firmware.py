# SPDX-License-Identifier: GPL-2.0-only
"""
What the firmware lets each core have, calculated from a platform file alone (docs/spec/measure.md,
"One predictor" and "The simulator moves"). The program and the simulator have accounts of their
own; tests compare the three.

A Setting is what is set; limits() gives the frequency limits of a CPU while some CPUs are active,
and settle() the frequencies that power leaves of them. Frequencies are MHz; None: the platform
file does not say. Both readings of turbo-ratio limits are here: counted by PACKAGE or by DOMAIN.
"""

import dataclasses
import itertools

from described import by_count, numbers

ISAS = ["sse", "avx2", "avx512", "avx512-heavy", "amx", "level-5"]
BASES = ["sse", "avx2", "avx512", "avx512", "amx"]
PACKAGE, DOMAIN = "package", "power-domain"
RATIO = 100
FAST = (0, 1)  # the CLOS that SST-TF favours
MAILBOX_CLIPS = 3  # turbo-ratio levels of which a mailbox tells the clip frequency


@dataclasses.dataclass
class Clos:
    min_mhz: int = 0
    max_mhz: int = 25500
    weight: int = 0


@dataclasses.dataclass
class Setting:
    """What is set: per power domain (by its place in the file), package, core or CPU."""
    level: dict
    base_freq: set
    turbo_freq: set
    core_power: set  # packages
    ordered: set  # packages
    clos: dict  # four Clos of each package
    assoc: dict  # the CLOS of each core
    online: set
    turbo: bool = True
    max_mhz: dict = dataclasses.field(default_factory=dict)  # scaling maximum of CPUs that have one
    max_pct: int = 100
    follows: bool = True  # Linux takes over a highest frequency that SST-TF raises


def initial(machine):
    """The setting of a machine at its start."""
    setting = Setting({}, set(), set(), set(), set(), {}, {core: 0 for core in machine.cores},
                      set(machine.cpus) - machine.offline)
    setting.turbo = not (machine.platform["cpufreq"] or {"no_turbo": 0})["no_turbo"]
    for domain in machine.domains:
        sst = domain.sst or {}
        setting.level[domain.place] = sst.get("current_level", 0)
        for member, places in [("base_freq_on", setting.base_freq),
                               ("turbo_freq_on", setting.turbo_freq)]:
            if sst.get(member):
                places.add(domain.place)
        power = sst.get("core_power", {})
        if power.get("enabled") and power["clos_enabled"]:
            setting.core_power.add(domain.package)
        if power.get("priority"):
            setting.ordered.add(domain.package)
        setting.clos[domain.package] = [Clos(part["min_mhz"], part["max_mhz"], part["weight"])
                                        for part in sst.get("clos", [])]
        for clos, cores in enumerate(sst.get("assoc", [])):
            setting.assoc.update({core: clos for core in domain.cores
                                  if core.number in numbers(cores)})
    return setting


class Firmware:
    """A machine with a setting, while some of its CPUs are active."""

    def __init__(self, machine, setting, active, reading):
        self.machine, self.setting, self.reading = machine, setting, reading
        self.units = {core for core in machine.cores if set(core.cpus) & set(active)}

    def level(self, domain):
        return domain.levels.get(self.setting.level[domain.place])

    def domains(self, domain):
        """Those that count together with this one."""
        return self.machine.of_package(domain.package) if self.reading == PACKAGE else [domain]

    def turbo_ratio_limit(self, core, isa):
        """The own domain's frequency in the bucket that holds the active units; beyond the table
        its last bucket. On mailbox parts the table is the package's, of TPMI parts the domain's."""
        level = self.level(core.domain)
        if not level or not reported(self.machine, level, isa):
            return None
        together = self.domains(core.domain) if self.machine.is_tpmi else \
            self.machine.of_package(core.domain.package)
        number = sum(unit.domain in together for unit in self.units)
        if not self.machine.is_tpmi:
            return by_count(level["turbo"]["cores"], level["turbo"]["mhz"][isa], number)
        counts = [sum(bucket) for bucket in zip(*(counts_of(domain, self.level(domain))
                                                  for domain in together))]
        return by_count(counts, level["turbo"]["mhz"][isa], number)

    def is_fast(self, core):
        return core.domain.place in self.setting.turbo_freq and self.setting.assoc[core] in FAST

    def count_fast(self, domain):
        """The active cores of high priority of the package, as the buckets count them."""
        high = [unit for unit in self.units
                if unit.domain.package == domain.package and self.is_fast(unit)]
        return self.machine.count_units(self.level(domain), high)

    def turbo(self, core, isa):
        """The limit while turbo is on: by SST-TF or the table."""
        level = self.level(core.domain)
        if core.domain.place not in self.setting.turbo_freq:
            return self.turbo_ratio_limit(core, isa)
        features = level["turbo_freq"]
        if not self.is_fast(core):
            clips = features["clip_mhz"]
            return clips[isa] or None if isa < len(clips) else None
        number = self.count_fast(core.domain)
        if number > max(features["cores"]):
            return self.turbo_ratio_limit(core, isa)
        if isa >= len(features["mhz"]):
            return None
        return by_count(features["cores"], features["mhz"][isa], number) or None

    def base(self, core, cpu, isa):
        """The guaranteed frequency: that of the level and of SST-BF, or of cpufreq."""
        level = self.level(core.domain)
        if not level:
            return self.machine.base_of(cpu)
        base = level["base_mhz"]["sse"]
        own = level["base_mhz"][BASES[isa]] or base
        if core.domain.place not in self.setting.base_freq:
            return own
        fast = core.domain.is_fast(core, level["level"])
        split = level["base_freq"]["high_mhz" if fast else "low_mhz"]
        return min(split, own) if isa else split

    def highest(self, core, cpu):
        """HWP_CAPABILITIES.highest."""
        highest = self.machine.highest_of(cpu)
        if self.is_fast(core):
            highest = max(highest, self.level(core.domain)["turbo_freq"]["mhz"][0][0])
        return highest

    def limits(self, cpu, isa):
        """All upper limits of a CPU by name; None is one that the platform file does not say."""
        core, setting = self.machine.core_of[cpu], self.setting
        highest = self.highest(core, cpu)
        known = highest if setting.follows else self.machine.highest_of(cpu)
        most = known if setting.turbo else self.base(core, cpu, 0)
        found = {"highest": highest, "known": known,
                 "scaling maximum": setting.max_mhz.get(cpu, known),
                 "max_perf_pct": most * setting.max_pct // 100}
        if core.domain.package in setting.core_power:
            found["CLOS maximum"] = self.clos_of(core).max_mhz
        if not setting.turbo:
            found["base"] = self.base(core, cpu, isa)
        elif self.level(core.domain):
            found["turbo"] = self.turbo(core, isa)
        return found

    def maximum(self, cpu, isa):
        """The lowest upper limit, and whether all are known."""
        found = self.limits(cpu, isa).values()
        return min(filter(None, found)), None not in found

    def clos_of(self, core):
        return self.setting.clos[core.domain.package][self.setting.assoc[core]]


def counts_of(domain, level):
    counts = level["turbo"]["cores"]
    return counts[domain.place] if isinstance(counts[0], list) else counts


def reported(machine, level, isa):
    """Is there a table for these instructions?"""
    tables = level["turbo"]["mhz"]
    return isa < len(tables) and bool(tables[isa][0])


def is_told(machine, setting, active, core, isa):
    """Does anything tell the program what limits such instructions?"""
    level = core.domain.levels.get(setting.level[core.domain.place])
    if not level:  # no other driver has base_frequency
        return setting.turbo or machine.platform["cpufreq"]["driver"] == "intel_pstate"
    if isa and not core.domain.sst["enabled"]:
        return False  # MSR 0x1AD has the frequencies of SSE, and nothing those of others
    if not setting.turbo:
        return isa < len(level["turbo"]["mhz"]) and \
            (not isa or reported(machine, level, isa) or bool(level["base_mhz"][BASES[isa]]))
    firmware = Firmware(machine, setting, active, PACKAGE)
    if not core.domain.sst["enabled"] and firmware.is_fast(core) and \
            firmware.count_fast(core.domain) > max(level["turbo_freq"]["cores"]):
        return False  # SST-TF has opened MSR 0x1AD, and no bucket holds them
    is_clipped = core.domain.place in setting.turbo_freq and setting.assoc[core] not in FAST
    return reported(machine, level, isa) and \
        (machine.is_tpmi or isa < MAILBOX_CLIPS or not is_clipped)


def predict(machine, setting, active, cpu, isa):
    """The lower and the higher of the two readings; None if nothing tells the limits."""
    if not is_told(machine, setting, active, machine.core_of[cpu], isa):
        return None
    found = [Firmware(machine, setting, active, reading).maximum(cpu, isa)
             for reading in (PACKAGE, DOMAIN)]
    if not all(known for _, known in found):
        return None
    return min(mhz for mhz, _ in found), max(mhz for mhz, _ in found)


def isa_of_load(machine, setting, cpu, kind):
    """The turbo-ratio level that a load is judged by."""
    domain = machine.core_of[cpu].domain
    level = domain.levels.get(setting.level[domain.place])
    if kind == "avx512":
        return 3 if level and reported(machine, level, 3) else 2
    return 1 if kind == "avx2" else 0


@dataclasses.dataclass
class Busy:
    """An active core (of a module: one of its cores) in the power law."""
    number: int  # in the order of the file
    clos: int
    share: int
    cap: int  # ratios
    floor: int
    ratio: int


class Package:
    """The power law of a package: integers, as the specification has them."""

    def __init__(self, machine, setting, package):
        self.machine, self.setting, self.package = machine, setting, package
        self.levels = [domain.levels.get(setting.level[domain.place])
                       for domain in machine.of_package(package)]
        self.tdp = max((level["tdp_w"] for level in self.levels if level), default=0) * 1000
        if not self.tdp:
            return
        self.cores = machine.module * sum(len(domain.enabled(level["level"])) for domain, level in
                                          zip(machine.of_package(package), self.levels))
        self.base = self.levels[0]["base_mhz"]["sse"] // RATIO

    def share(self, kind):
        """How much of what fills the TDP at the base frequency a core takes, in percent."""
        if kind == "scalar":
            return self.scalar_share()
        if kind in ("tdp", "pipe"):
            return 100 if kind == "tdp" else 30
        own = self.levels[0]["base_mhz"][kind] // RATIO
        return 100 * self.base ** 3 // own ** 3 if own else {"avx2": 165, "avx512": 256}[kind]

    def scalar_share(self):
        """So that any number of active cores stays below 93.3 percent of what is left of the TDP."""
        counts = [counts_of(domain, level) for domain, level in
                  zip(self.machine.of_package(self.package), self.levels)]
        counts = [sum(bucket) * self.machine.module for bucket in zip(*counts)] \
            if self.machine.is_tpmi else counts[0]
        shares = []
        for count, mhz in zip(counts, self.levels[0]["turbo"]["mhz"][0]):
            if count and mhz and self.base:
                active, ratio = min(count, self.cores), mhz // RATIO
                shares.append(933 * self.cores * self.base ** 3 // (10 * active * ratio ** 3))
        return min(shares, default=55)

    def power(self, busy):
        """In mW."""
        idle = 3 * self.tdp // 10
        used = sum(core.share * core.ratio ** 3 for core in busy)
        return idle + (self.tdp - idle) * used // (100 * self.cores * self.base ** 3)

    def loser(self, cores):
        """The core that loses a ratio next."""
        if self.package not in self.setting.core_power:
            return max(cores, key=lambda core: (core.ratio, core.number))
        if self.package in self.setting.ordered:
            return max(cores, key=lambda core: (core.clos, core.ratio, core.number))
        weights = [clos.weight for clos in self.setting.clos[self.package]]
        product = 1  # of all divisors, so that the quotients are integers
        for weight in range(16):
            product *= 16 - weight
        return max(cores, key=lambda core: ((core.ratio - core.floor) * product //
                                            (16 - weights[core.clos]), core.number))

    def settle(self, busy, lowest):
        """Takes ratios while the package has more than 1 % above its TDP."""
        while self.tdp and 100 * self.power(busy) > 101 * self.tdp:
            above = [core for core in busy if core.ratio > core.floor]
            if above:
                self.loser(above).ratio -= 1
                continue
            above = [core for core in busy if core.ratio > min(core.cap, lowest)]
            if not above:
                return
            max(above, key=lambda core: (core.ratio, core.number)).ratio -= 1


def run(machine, setting, loads, reading):
    """What the simulator's law gives: MHz of each CPU of `loads` (its kind of load), and mW of each
    package (None: no TDP)."""
    firmware = Firmware(machine, setting, loads, reading)
    lowest = machine.lowest_mhz // RATIO
    mhz, watts = {}, {}
    for package in machine.packages:
        law, busy = Package(machine, setting, package), {}
        order = itertools.count()
        for cpus in machine.physical_cores(package):
            number, active = next(order), [cpu for cpu in cpus if cpu in loads]
            if not active:
                continue
            core = machine.core_of[active[0]]
            isa = max(isa_of_load(machine, setting, cpu, loads[cpu]) for cpu in active)
            cap = max(firmware.maximum(cpu, isa)[0] for cpu in active) // RATIO
            floor = lowest
            if package in setting.core_power:
                floor = max(floor, firmware.clos_of(core).min_mhz // RATIO)
            share = max(law.share(loads[cpu]) for cpu in active) if law.tdp else 0
            busy[cpus] = Busy(number, setting.assoc[core], share, cap, min(cap, floor), cap)
        law.settle(busy.values(), lowest)
        mhz.update({cpu: core.ratio * RATIO for cpus, core in busy.items() for cpu in cpus
                    if cpu in loads})
        watts[package] = law.power(busy.values()) if law.tdp else None
    return mhz, watts
