# SPDX-License-Identifier: GPL-2.0-only
"""
Random state documents that are valid for a simulated machine whatever its settings are: a document
names all that its own values depend on, such as the level beside a frequency given by a word.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "model"))

from described import numbers, ranges  # noqa: E402,F401 pylint: disable=wrong-import-position

FORMAT = {"format": "intel-speed-select-state", "version": 1}
EPPS = ["performance", "balance_performance", "balance_power", "power", 0, 64, 128, 200, 255]
PASSIVE = ["conservative", "ondemand", "schedutil", "userspace", "powersave"]


class Domain:
    """A power domain of a machine, with its cores as lists of CPUs."""

    def __init__(self, package, about):
        self.package, self.die, self.punit = package, about["die"], about["punit"]
        self.ids = sorted(numbers(about["cores"]))
        self.cores = [[] for _ in self.ids]

    @property
    def cpus(self):
        return [cpu for core in self.cores for cpu in core]


class Site:
    """What a platform file says of a machine."""

    def __init__(self, path):
        self.path = path
        self.platform = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        topology = self.platform["topology"]
        self.packages = len(topology["packages"])
        self.domains = [Domain(package, about)
                        for package, part in enumerate(topology["packages"])
                        for about in part["domains"]]
        self.busy = [domain for domain in self.domains if domain.cores]
        self.number_cpus(topology)
        self.kind = self.platform["interface"]["kind"]
        self.is_tpmi = self.kind == "tpmi"
        self.sst = self.platform["sst"]
        self.levels = {level["level"]: level for level in (self.sst or {"levels": []})["levels"]}
        self.is_clx_n = bool(self.platform["cpufreq"].get("high_priority"))

    def number_cpus(self, topology):
        """Gives each core its CPUs (intel-speed-select-platform(5), "topology")."""
        cores = [core for domain in self.busy for core in domain.cores]
        threads, size = topology["threads_per_core"], topology["cores_per_module"]
        for number, core in enumerate(cores):
            if topology["numbering"] == "siblings-last":
                core += [number + thread * len(cores) for thread in range(threads)]
            else:
                core += range(number * threads * size, (number + 1) * threads * size)
        self.cpus = sorted(cpu for core in cores for cpu in core)
        self.core_of = {cpu: core[0] for core in cores for cpu in core}
        self.domain_of = {cpu: domain for domain in self.busy for cpu in domain.cpus}

    def allowed_levels(self):
        if not self.sst or self.sst["locked"] or not self.sst["enabled"]:
            return []
        return self.sst["allowed_levels"]

    def level_cpus(self, domain, level):
        """The CPUs of a domain that the level enables."""
        lists = self.levels[level]["cores"]
        cores = numbers(lists if isinstance(lists, str) else lists[self.busy.index(domain)])
        return {cpu for number, core in zip(domain.ids, domain.cores) if number in cores
                for cpu in core}

    def lowest_base_khz(self):
        """No CPU has a lower base frequency, at any level."""
        found = [self.platform["cpufreq"]["base_khz"]]
        for level in self.levels.values():
            found.append(level["base_mhz"]["sse"] * 1000)
            if level["base_freq"]:
                found.append(level["base_freq"]["low_mhz"] * 1000)
        return min(found)


class Writer:
    """Writes one random document; after it, what is online is known if the document names it."""

    def __init__(self, site, random):
        self.site, self.random = site, random
        self.entries = []
        self.levels = None  # by package, if the document names them
        self.online = None  # the CPUs, if the document names them
        self.isolated = False

    def add(self, on, members):
        self.entries.append({"for": on, **members})

    def chance(self, share):
        return self.random.random() < share

    # Selectors.

    def packages(self):
        """A selector of packages, and the packages."""
        if self.chance(0.5):
            return "all", range(self.site.packages)
        package = self.random.randrange(self.site.packages)
        return f"package-{package}", [package]

    def part(self):
        """A selector of power domains that have cores."""
        domain = self.random.choice(self.site.busy)
        if self.site.is_tpmi and self.chance(0.4):
            return f"package-{domain.package} powerdomain-{domain.punit}"
        if self.site.sst and not self.site.is_tpmi and self.chance(0.3):
            return f"package-{domain.package} die-{domain.die}"
        return self.packages()[0]

    def cpu_list(self):
        """Whole cores by number that are online after the document was applied."""
        cores = [core for domain in self.site.busy for core in domain.cores
                 if set(core) <= self.online]
        chosen = self.random.sample(cores, self.random.randint(1, max(1, len(cores) // 3)))
        return "cpu " + ranges({cpu for core in chosen for cpu in core})

    def named_set(self):
        package = self.random.randrange(self.site.packages)
        domain = next(d for d in self.site.busy if d.package == package)
        names = ["all", "online", f"package:{package}", f"die:{package}:{domain.die}",
                 f"node:{package}", f"package:{package},!{domain.cores[-1][0]}",
                 f"near:0{package}:00.0", "all,!nohz-full"]
        if self.online is None:
            names.append("online,!isolated")
        if self.levels and all(self.site.levels[level]["base_freq"]
                               for level in self.levels.values()):
            names.append("base-freq")
        if self.online:
            names.append(f"siblings:{min(self.online)}")
        return "cpu " + self.random.choice(names)

    def places(self):
        """A selector of cores, policies or CPUs."""
        kind = self.random.randrange(5)
        if kind == 0:
            return self.part()
        if kind == 1 and self.online:
            return self.cpu_list()
        if kind == 2:
            return self.named_set()
        return "cpu other" if kind == 3 else "all"

    # Groups of settings.

    def write_level(self):
        allowed = self.site.allowed_levels()
        if not allowed or self.chance(0.3):
            return
        level = self.random.choice(allowed)
        self.levels = {package: level for package in range(self.site.packages)}
        self.add("all", {"perf-profile": {"level": level}})
        if self.chance(0.4):
            package = self.random.randrange(self.site.packages)
            self.levels[package] = self.random.choice(allowed)
            self.add(f"package-{package}", {"perf-profile": {"level": self.levels[package]}})

    def choose_offline(self):
        """Some CPUs that are not in the first cores of their domains."""
        chosen = set()
        for domain in self.site.busy:
            for core in domain.cores[2:]:
                if self.chance(0.1):
                    chosen.update(core if self.chance(0.7) else core[-1:])
        return chosen

    def write_online(self):
        kind = self.random.randrange(3)
        if kind == 0 or self.site.platform["topology"].get("smt"):
            return
        how = {"offline-by": self.random.choice(["hotplug", "cgroup"])} if self.chance(0.4) else {}
        self.online = set(self.site.cpus)
        if kind == 1 and self.levels:
            self.add("all", {"online": "follow-level", **how})
            self.online = {cpu for domain in self.site.busy for cpu in
                           self.site.level_cpus(domain, self.levels[domain.package])}
        else:
            self.add(f"cpu {ranges(self.site.cpus)}", {"online": True})
        offline = self.choose_offline()
        if offline and self.chance(0.7):
            self.add(f"cpu {ranges(offline)}", {"online": False, **how})
            self.online -= offline

    def write_features(self):
        """SST-CP, SST-BF, SST-TF and turbo-ratio limits, in parts of their own."""
        if self.site.is_clx_n and self.chance(0.3):
            self.add("all", {"base-freq": {"enabled": self.chance(0.5)}})
        if not self.site.sst or not self.site.sst["core_power"]["supported"]:
            return
        for _ in range(self.random.randrange(3)):
            on, packages = self.packages()
            is_on, ordered = self.chance(0.6), self.chance(0.6)
            fast = is_on and ordered and self.has(packages, "turbo_freq") and self.chance(0.6)
            entry = {"core-power": {"enabled": is_on,
                                    "priority": "ordered" if ordered else "proportional"},
                     "turbo-freq": {"enabled": fast}}
            if self.chance(0.3):
                entry["turbo-mode"] = {"trl": self.trl()}
            self.add(on, entry)
        for _ in range(self.random.randrange(2)):
            on, packages = self.packages()
            self.add(on, {"base-freq": {"enabled": self.has(packages, "base_freq") and
                                        self.chance(0.6)}})
        if self.chance(0.3):
            self.add(self.packages()[0], {"turbo-mode": {"trl": self.trl()}})

    def has(self, packages, feature):
        """Do the levels that the document names have the feature?"""
        return bool(self.levels) and all(self.site.levels[self.levels[package]][feature]
                                         for package in packages)

    def trl(self):
        words = ["open"] + (["level"] if self.levels else [])
        if self.chance(0.3):
            return "0x" + "".join(f"{self.random.randint(16, 40):02x}" for _ in range(8))
        return self.random.choice(words)

    def write_clos(self):
        if not self.site.sst or not self.site.sst["core_power"]["supported"]:
            return
        for _ in range(self.random.randrange(4)):
            parameters = {}
            if self.chance(0.7):
                high = self.random.randrange(1000, 4000, 100)
                low = self.random.randrange(0, high + 100, 100)
                pairs = [("min", "max"), ("min", high), (low, high), (low, "max")]
                if self.levels:
                    pairs += [("base", "max"), ("min", "base"), ("base", "base"), ("max", "max")]
                parameters["min-mhz"], parameters["max-mhz"] = self.random.choice(pairs)
            if self.chance(0.4):
                parameters["weight"] = self.random.randrange(16)
            if not self.site.is_tpmi and self.chance(0.4):
                parameters["epp"] = self.random.randrange(16)
            if not self.site.is_tpmi and self.chance(0.3):
                parameters["desired-mhz"] = self.random.randrange(0, 3000, 100)
            if parameters:
                self.add(self.packages()[0], {"core-power": {
                    "clos": {str(self.random.randrange(4)): parameters}}})
        for _ in range(self.random.randrange(3)):
            self.add(self.places(), {"core-power": {"assoc": self.random.randrange(4)}})

    def write_cpufreq(self):
        for _ in range(self.random.randrange(4)):
            members = {}
            if self.chance(0.6) and not any("base-freq" in entry for entry in self.entries):
                members["min-mhz"], members["max-mhz"] = self.limits()
            if self.chance(0.5):
                epp = self.random.choice(EPPS)
                members["epp"] = epp
                members["governor"] = "performance" if epp in ("performance", 0) else "powersave"
            if self.chance(0.3):
                members["epb"] = self.random.randrange(16)
            if members:
                self.add(self.places(), {"cpufreq": members})

    def limits(self):
        low, high = (self.site.platform["cpufreq"][name] for name in ("min_khz", "max_khz"))
        base = self.site.lowest_base_khz()
        least = self.random.choice([self.random.randrange(low, base, 100000),
                                    self.random.randrange(low, base, 500)]) / 1000
        most = self.random.randrange(base, high + 1, 100000) / 1000
        pairs = [("min", "max"), ("min", most), (least, "max"), (least, most)]
        is_known = self.levels and any("base-freq" in entry for entry in self.entries)
        if not self.site.sst or is_known:
            pairs += [("base", "max"), ("min", "base"), ("base", "base")]
        return self.random.choice(pairs)

    def write_machine(self):
        members = {}
        if self.chance(0.3):
            members["turbo"] = self.chance(0.5)
        if self.chance(0.2):
            members["min-pct"] = self.random.randint(30, 50)
            members["max-pct"] = self.random.randint(50, 100)
        if self.chance(0.15):
            members["pstate"] = self.random.choice(["active", "passive"])
            if members["pstate"] == "active" and self.chance(0.5):
                members["hwp-boost"] = self.chance(0.5)
        entry = {"cpufreq": members} if members else {}
        if self.chance(0.4):
            entry["cpuidle"] = self.idle_members()
        if entry:
            self.add(self.random.choice(["machine", "all"]), entry)
        if members.get("pstate") == "passive" and self.chance(0.3):
            self.add("all", {"cpufreq": {"governor": self.random.choice(PASSIVE)}})

    def idle_members(self):
        about = self.site.platform
        members = {"governor": self.random.choice(["menu", "teo", "ladder"])}
        if about["umwait"] and self.chance(0.6):
            members["c02"] = self.chance(0.5)
            members["umwait-max-time"] = self.random.randrange(0, 400000, 4)
        if about["cpuidle"].get("c1_demotion") is not None:
            members["c1-demotion"] = self.chance(0.5)
        return members

    def write_cpuidle(self):
        names = [state["name"] for state in self.site.platform["cpuidle"]["states"]]
        for _ in range(self.random.randrange(3)):
            members = {}
            if self.chance(0.7):
                chosen = self.random.sample(names, self.random.randint(1, len(names)))
                members["states"] = {name: self.chance(0.5) for name in chosen}
            if self.chance(0.4):
                members["qos-latency-us"] = self.random.choice(["none", 0, 20, 2147483646])
            if members:
                self.add(self.places(), {"cpuidle": members})

    def write_uncore(self):
        for _ in range(self.random.randrange(3)):
            low, high = (self.site.platform["uncore"][name] // 1000
                         for name in ("min_khz", "max_khz"))
            least = self.random.randrange(low, high, 100)
            most = self.random.randrange(least, high + 1, 100)
            pairs = [(least, most)]
            if self.levels:
                pairs += [("min", "max"), ("min", most), (least, "max"), ("base", "max")]
            pair = self.random.choice(pairs)
            members = {"min-mhz": pair[0], "max-mhz": pair[1]}
            on = self.packages()[0]
            if self.site.is_tpmi and self.chance(0.6):
                members.update({"elc-low-threshold": self.random.randrange(0, 50),
                                "elc-high-threshold": self.random.randrange(50, 101),
                                "elc-high": self.chance(0.5),
                                "elc-floor-mhz": self.random.randrange(800, 2000, 100)})
            if self.site.is_tpmi and self.chance(0.3):
                domain = self.random.choice(self.site.domains)
                on = f"package-{domain.package} powerdomain-{domain.punit} cluster-0"
            self.add(on, {"uncore": members})

    def write(self):
        self.write_level()
        self.write_online()
        groups = [self.write_features, self.write_clos, self.write_cpufreq, self.write_machine,
                  self.write_cpuidle, self.write_uncore]
        for group in groups:
            if self.chance(0.6):
                group()
        return {**FORMAT, "settings": self.merged()}

    def merged(self):
        """Entries in a row on the same places become one, if they name different members."""
        merged = []
        for entry in self.entries:
            last = merged[-1] if merged else {}
            if last.get("for") == entry["for"] and not set(last) & set(entry) - {"for"}:
                last.update(entry)
            else:
                merged.append(dict(entry))
        return merged
