# SPDX-License-Identifier: GPL-2.0-only
"""
All settings of a simulated machine as the reading commands show them, by (place, setting); and
which of them a state document names, by a reading of its selectors that is not the program's.
"""

import json
import re

import documents

NODE = re.compile(r"package-(\d+)(?::die-(\w+))?(?::powerdomain-(\d+))?(?::cpu-(\d+))?")
CPUFREQ = {"minimum-frequency(MHz)": "min", "maximum-frequency(MHz)": "max",
           "governor": "governor", "energy-performance-preference": "epp",
           "energy-performance-bias": "epb"}
MACHINE = {"intel_pstate-status": "pstate", "no_turbo": "turbo", "min_perf_pct": "min-pct",
           "max_perf_pct": "max-pct", "hwp_dynamic_boost": "hwp-boost",
           "governor": "idle-governor", "c02": "c02", "umwait-max-time": "umwait-max-time",
           "c1-demotion": "c1-demotion"}
UNCORE = {"minimum-frequency(MHz)": "uncore-min", "maximum-frequency(MHz)": "uncore-max",
          "elc-low-threshold(%)": "elc-low", "elc-high-threshold(%)": "elc-high",
          "elc-high-threshold-enabled": "elc-high-on", "elc-floor-frequency(MHz)": "elc-floor"}


def read(lab, *argv):
    document = json.loads(lab.run("--format", "json", "-o", str(lab.box.out), *argv).out or "{}")
    document.pop("simulated", None)
    return document


def take_files(lab, found):
    for command in ("cpufreq", "cpuidle"):
        for node, parts in read(lab, command, "info", "--each").items():
            match = NODE.fullmatch(node)
            values = parts[command]
            for name, value in values.items():
                if node == "machine" and name in MACHINE and isinstance(value, str):
                    found["machine", MACHINE[name]] = value
                elif match and command == "cpufreq" and name in CPUFREQ:
                    found[f"cpu-{match[4]}", CPUFREQ[name]] = value
                    # An upper limit as high as the hardware goes follows it, also when SST-TF
                    # changes how high that is.
                    if CPUFREQ[name] == "max" and value == values.get("highest-possible-frequency(MHz)"):
                        found[f"cpu-{match[4]}", "max"] = "highest"
                elif match and name == "qos-latency(us)":
                    found[f"cpu-{match[4]}", "latency"] = value
                elif match and name.startswith("state-"):
                    found[f"cpu-{match[4]}", f"idle {value['name']}"] = value["status"]


def take_uncore(lab, found):
    for node, parts in read(lab, "uncore", "info").items():
        values = parts["uncore"].get("cluster-0", parts["uncore"])
        for name, value in values.items():
            if name in UNCORE:
                found[node, UNCORE[name]] = value


def take_power(lab, found):
    """Settings of power domains: those of the first CPU's node, whose CPU may change."""
    def place(node):
        return node.partition(":cpu-")[0]

    for node, parts in read(lab, "perf-profile", "get-config-current-level").items():
        found[place(node), "level"] = parts["get-config-current_level"]
    for node, parts in read(lab, "perf-profile", "info").items():
        level = found.get((place(node), "level"), "0")
        values = parts.get(f"perf-profile-level-{level}", {}) if isinstance(parts, dict) else {}
        for feature in ("base-freq", "turbo-freq"):  # a level that lacks it has it off
            value = values.get(f"speed-select-{feature}")
            found[place(node), feature] = "disabled" if value == "unsupported" else value
    for node, parts in read(lab, "core-power", "info").items():
        found[place(node), "core-power"] = parts["core-power"]["clos-enable-status"]
        found[place(node), "priority"] = parts["core-power"]["priority-type"]
    for clos in range(4):
        for node, parts in read(lab, "core-power", "get-config", "--clos", str(clos)).items():
            for name, value in parts["core-power"].items():
                found[place(node), f"clos {clos} {name}"] = value
    for node, parts in read(lab, "turbo-mode", "get-trl").items():
        found[f"package-{NODE.fullmatch(node)[1]}", "trl"] = parts["get-trl"]["trl"]


def take(lab):
    found = {}
    take_files(lab, found)
    take_uncore(lab, found)
    cpus = sorted({int(place[4:]) for place, _ in found if place.startswith("cpu-")})
    if lab.site.sst:
        if lab.site.sst["core_power"]["supported"]:
            take_power(lab, found)
            for node, parts in read(lab, "-c", documents.ranges(cpus), "core-power",
                                    "get-assoc").items():
                found[f"cpu-{NODE.fullmatch(node)[4]}", "assoc"] = parts["get-assoc"]["clos"]
    for cpu in lab.site.cpus:
        found[f"cpu-{cpu}", "online"] = cpu in cpus
    return found



MEMBERS = {
    ("perf-profile", "level"): "level", ("base-freq", "enabled"): "base-freq",
    ("turbo-freq", "enabled"): "turbo-freq", ("core-power", "enabled"): "core-power",
    ("core-power", "priority"): "priority", ("core-power", "assoc"): "assoc",
    ("cpufreq", "min-mhz"): "min", ("cpufreq", "max-mhz"): "max",
    ("cpuidle", "qos-latency-us"): "latency", ("cpuidle", "governor"): "idle-governor",
    ("uncore", "min-mhz"): "uncore-min", ("uncore", "max-mhz"): "uncore-max",
    ("uncore", "elc-low-threshold"): "elc-low", ("uncore", "elc-high-threshold"): "elc-high",
    ("uncore", "elc-high"): "elc-high-on", ("uncore", "elc-floor-mhz"): "elc-floor",
}
CLOS = {"min-mhz": "clos-min", "max-mhz": "clos-max", "desired-mhz": "clos-desired",
        "weight": "clos-proportional-priority", "epp": "epp"}
# What else changes with a setting, wherever the document names it.
FOLLOWING = {
    "level": {"base-freq", "turbo-freq", "trl"}, "turbo-freq": {"trl"},
    "base-freq": {"min", "max"}, "governor": {"epp"}, "turbo": {"min-pct"},
    "pstate": {"min", "max", "governor", "epp", "turbo", "min-pct", "max-pct", "hwp-boost"},
}


def settings_of(entry):
    """The settings that an entry names, as a snapshot calls them."""
    for feature, members in entry.items():
        if feature == "online":
            yield "online"
        for name, value in members.items() if isinstance(members, dict) else ():
            if name == "clos":
                for clos, parameters in value.items():
                    yield from (f"clos {clos} {CLOS[parameter]}" for parameter in parameters)
            elif name == "states":
                yield from (f"idle {state}" for state in value)
            else:
                yield MEMBERS.get((feature, name), name)


class Reading:
    """Which settings a document names, or may change besides."""

    def __init__(self, site, document):
        self.site = site
        self.is_sure, self.is_possible = set(), set()
        listed = set()
        for entry in document["settings"]:
            places, is_known = self.places(entry["for"], listed)
            for setting in settings_of(entry):
                keys = {(place, setting) for place in places}
                self.is_possible |= keys
                # Which CPUs a named set means is left to the program; turbo-ratio limits that are
                # as high as the level's count as open, and without turbo a frequency limit that is
                # as high as the base frequency counts as any above it.
                if is_known and setting not in ("trl", "max"):
                    self.is_sure |= keys
        self.following = set()
        for _, setting in self.is_possible:
            self.following |= FOLLOWING.get(setting, set())
        if not site.is_clx_n and "pstate" not in {setting for _, setting in self.is_possible}:
            self.following -= {"min", "max"}

    def places(self, on, listed):
        """The places of a selector, and whether all of them are known."""
        site = self.site
        words = on.split()
        if on in ("all", "machine"):
            return self.whole(range(site.packages), None) | {"machine"}, True
        if words[0].startswith("package-"):
            part = [int(word.rpartition("-")[2]) for word in words if word[:5] == "power"]
            return self.whole([int(words[0][8:])], part[0] if part else None), True
        if on == "cpu other":
            return {f"cpu-{cpu}" for cpu in site.cpus}, False
        is_list = words[1][0].isdigit()
        cpus = documents.numbers(words[1]) if is_list else site.cpus
        listed.update(cpus)
        return {f"cpu-{cpu}" for cpu in cpus}, is_list

    def whole(self, packages, part):
        """Packages and all in them, or in one power domain of them."""
        found = {f"package-{package}" for package in packages if part is None}
        for domain in self.site.domains:
            if domain.package not in packages or part not in (None, domain.punit):
                continue
            found |= {f"cpu-{cpu}" for cpu in domain.cpus}
            found.add((domain.package, domain.punit))
        return found

    def keys_of(self, key):
        """The key of a snapshot, as places() names its place."""
        place, setting = key
        match = NODE.fullmatch(place)
        if not match or place.startswith("cpu-"):
            return {key}
        parts = [d.punit for d in self.site.domains if d.package == int(match[1])
                 and (match[3] is None or d.punit == int(match[3]))]
        return {key} | {((int(match[1]), punit), setting) for punit in parts}

    def is_named(self, key):
        return bool(self.keys_of(key) & self.is_sure)

    def may_change(self, key, is_lowered):
        """is_lowered: turbo was off, and limits were lowered to the base frequency."""
        named = {setting for _, setting in self.is_possible}
        if is_lowered and key[1] in ("min", "max") and named & {"turbo", "level", "base-freq"}:
            return True
        return key[1] in self.following or bool(self.keys_of(key) & self.is_possible)
