# SPDX-License-Identifier: GPL-2.0-only
"""
What commands show of a machine beside its registers (tpmi.py). A machine is asked by show(words...),
which returns the JSON of a command. What differs is returned as text; nothing, if it is the same.
"""

import re

import tpmi

SETTINGS = ("get-lock-status", "get-config-levels", "get-config-version", "get-config-enabled",
            "get-config-current-level")
CLOS = [f"core-power get-config --clos {clos}" for clos in range(tpmi.CLOS)]
FEATURES = [f"{feature} info -l {level}" for feature in ("base-freq", "turbo-freq")
            for level in range(2)]
# All that is asked.
QUESTIONS = ["perf-profile info", *(f"perf-profile {name}" for name in SETTINGS), "core-power info",
             *CLOS, "core-power get-assoc -c all", *FEATURES, "uncore info", "turbo-mode get-trl",
             "cpufreq info --each"]
MHZ = "(MHz)"
NEWER = {"agent-types", "instance-id"}  # members of `uncore info` since Linux 7.0 and 7.2


class Part:
    """A power domain: its registers, and its logical CPUs by core."""

    def __init__(self, package, number, registers, cpus):
        self.package, self.number, self.registers, self.cpus = package, number, registers, cpus

    def all_cpus(self):
        return sorted(cpu for cpus in self.cpus.values() for cpu in cpus)

    def select(self, mask):
        return sorted(cpu for core, cpus in self.cpus.items() if mask >> core & 1 for cpu in cpus)

    def place(self):
        first = min(self.all_cpus(), default=None)
        return f"package-{self.package} powerdomain-{self.number} cpu-{first}"


def by_place(tree):
    """The results of each power domain; errors are left out."""
    found = {}
    for name, value in tree.items():
        match = re.fullmatch(r"(package-\d+):die-\d+:(powerdomain-\d+):(cpu-\w+)", name)
        if match:
            found[" ".join(match.groups())] = value
    return found


def differences(found, expected, where):
    """What differs between two trees, member by member."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return [text for name in sorted({*found, *expected})
                for text in differences(found.get(name), expected.get(name), f"{where}: {name}")]
    return [] if found == expected else [f"{where}: shown {found}, expected {expected}"]


def values(members):
    """Members as they are shown; those without a value are left out."""
    return {name: str(value) for name, value in members.items() if value is not None}


def listed(kind, cpus, mask):
    """A mask of CPUs as it is shown, in words of 32 bits, and its list."""
    bits = sum(1 << cpu for cpu in cpus)
    words = [f"{bits >> 32 * word & 0xffffffff:08x}" for word in range(mask.count(",") + 1)]
    return {f"{kind}-mask": ",".join(reversed(words)),
            f"{kind}-list": ",".join(map(str, cpus)) or "none"}


def fast_base(part, level, shown):
    """SST-BF of a level."""
    fast = part.registers.base_freq(level)
    if not fast:
        return None
    return {**listed("high-priority-cpu", part.select(fast["cores"]),
                     shown.get("high-priority-cpu-mask", "")),
            **values({f"high-priority-base-frequency{MHZ}": fast["high"],
                      f"low-priority-base-frequency{MHZ}": fast["low"],
                      "tjunction-temperature(C)": fast["prochot_c"],
                      "thermal-design-power(W)": fast["tdp_w"]})}


def fast_turbo(part, level):
    """SST-TF of a level: buckets with cores, and what is not 0."""
    turbo = part.registers.turbo_freq(level)
    if not turbo:
        return None
    shown = {"speed-select-turbo-freq-clip-frequencies": values(
        {f"low-priority-max-level-{isa}-frequency{MHZ}": mhz or None
         for isa, mhz in enumerate(turbo["clip"])})}
    for bucket, count in enumerate(turbo["counts"]):
        if count:
            shown[f"bucket-{bucket}"] = values({
                "high-priority-cores-count": count,
                **{f"high-priority-max-level-{isa}-frequency{MHZ}": row[bucket] or None
                   for isa, row in enumerate(turbo["mhz"])}})
    return shown


def turbo_limits(info):
    """The turbo-ratio limits of a level: buckets with cores, rows with frequencies."""
    return {f"turbo-ratio-limits-level-{isa}": {
        f"bucket-{bucket}": values({"core-count": count, f"max-turbo-frequency{MHZ}": mhz})
        for bucket, (count, mhz) in enumerate(zip(info["counts"], row)) if count and mhz}
            for isa, row in enumerate(info["mhz"]) if any(row) and any(info["counts"])}


def status(is_there, is_on):
    return ("enabled" if is_on else "disabled") if is_there else "unsupported"


def level_of(part, level, shown):
    """A level as `perf-profile info` shows it."""
    registers = part.registers
    info, cpus = registers.info(level), part.select(registers.cores(level))
    fast = fast_base(part, level, shown.get("speed-select-base-freq-properties", {}))
    turbo = fast_turbo(part, level)
    sse, avx2, avx512, amx = info["base"]
    expected = values({
        "thermal-design-power-ratio": sse // tpmi.RATIO, f"base-frequency{MHZ}": sse,
        f"base-frequency-avx2{MHZ}": avx2 or None, f"base-frequency-avx512{MHZ}": avx512 or None,
        f"base-frequency-amx{MHZ}": amx or None, f"uncore-frequency-max{MHZ}": info["fabric"][0],
        f"uncore-frequency-base{MHZ}": info["fabric"][1],
        f"uncore-frequency-min{MHZ}": info["fabric"][2],
        f"max-mem-frequency{MHZ}": info["memory_mhz"], "cooling_type": info["cooling"],
        "speed-select-base-freq": status(fast, registers.features & 1),
        "speed-select-turbo-freq": status(turbo, registers.features & 2),
        "speed-select-core-power": status(registers.has_cp, registers.core_power()["enable"]),
        "thermal-design-power(W)": info["tdp_w"], "tjunction-max(C)": info["tjunction_c"],
        "cpu-count": len(part.all_cpus()) or None,
        "enable-cpu-count": len(cpus) if part.cpus else None})
    if part.cpus:
        expected |= listed("enable-cpu", cpus, shown.get("enable-cpu-mask", ""))
    expected |= turbo_limits(info)
    if fast:
        expected["speed-select-base-freq-properties"] = fast
    if turbo:
        expected["speed-select-turbo-freq-properties"] = turbo
    return expected


def compare_levels(show, parts):
    """Every level of every power domain, in one table and one by one."""
    shown = by_place(show(*"perf-profile info".split()))
    expected = {part.place(): {
        f"perf-profile-level-{level}": level_of(part, level, shown.get(part.place(), {}).get(
            f"perf-profile-level-{level}", {})) for level in part.registers.levels()}
                for part in parts}
    yield from differences(shown, expected, "perf-profile info")
    for question in FEATURES:
        name = f"speed-select-{question.split()[0]}-properties"
        level = f"perf-profile-level-{question[-1]}"
        yield from differences(by_place(show(*question.split())), {
            place: {name: levels[level][name]} for place, levels in expected.items()
            if name in levels.get(level, {})}, question)


def compare_settings(show, parts):
    for name in SETTINGS:
        expected = {}
        for part in parts:
            domain = part.registers
            value = {"get-lock-status": "locked" if domain.locked else "unlocked",
                     "get-config-levels": max(domain.levels()),
                     "get-config-version": domain.revision,
                     "get-config-enabled": "enabled" if domain.has_pp else "disabled",
                     "get-config-current-level": domain.current_level}[name]
            expected[part.place()] = values({name.replace("current-", "current_"): value})
        yield from differences(by_place(show("perf-profile", name)), expected, name)


def compare_core_power(show, parts):
    expected = {}
    for part in parts:
        state = part.registers.core_power()
        on = "enabled" if state["enable"] else "disabled"
        expected[part.place()] = {"core-power": {
            "support-status": "supported" if part.registers.has_cp else "unsupported",
            "enable-status": on, "clos-enable-status": on,
            "priority-type": "ordered" if state["priority_type"] else "proportional"}}
    yield from differences(by_place(show("core-power", "info")), expected, "core-power info")
    for number, question in enumerate(CLOS):
        expected = {}
        for part in parts:
            clos = part.registers.clos(number)
            highest = clos["max_freq_mhz"]
            expected[part.place()] = {"core-power": {
                "clos": str(number), "epp": "0", "clos-desired": "0 MHz",
                "clos-proportional-priority": str(clos["prop_prio"]),
                "clos-min": f"{clos['min_freq_mhz']} MHz",
                "clos-max": "Max Turbo frequency" if highest == 25500 else f"{highest} MHz"}}
        yield from differences(by_place(show(*question.split())), expected, question)
    question = "core-power get-assoc -c all"
    expected = {re.sub(r"cpu-\d+", f"cpu-{cpu}", part.place()):
                {"get-assoc": {"clos": str(part.registers.assoc(core))}}
                for part in parts for core, cpus in part.cpus.items() for cpu in cpus}
    yield from differences(by_place(show(*question.split())), expected, question)


def uncore_of(cluster, instance):
    """A cluster as `uncore info` shows it."""
    return values({"agent-types": " ".join(cluster["agents"]), "instance-id": instance} |
                  {f"{name}minimum-frequency{MHZ}": cluster["min_mhz"] for name in ("", "initial-")} |
                  {f"{name}maximum-frequency{MHZ}": cluster["max_mhz"] for name in ("", "initial-")} |
                  {f"current-frequency{MHZ}": cluster["current_mhz"],
                   f"elc-floor-frequency{MHZ}": cluster["floor_mhz"],
                   "elc-low-threshold(%)": cluster["low_percent"],
                   "elc-high-threshold(%)": cluster["high_percent"],
                   "elc-high-threshold-enabled": cluster["high_enabled"]})


def compare_uncore(show, packages):
    """packages: for each its clusters by power domain. Older kernels have not every member."""
    found, expected = show("uncore", "info"), {}
    lacking = NEWER.difference(*(cluster for value in found.values()
                                 for cluster in value["uncore"].values()))
    for package, domains in enumerate(packages):
        for number, clusters in domains.items():
            expected[f"package-{package}:powerdomain-{number}"] = {"uncore": {
                f"cluster-{index}": {name: value for name, value in uncore_of(
                    cluster, number).items() if name not in lacking}
                for index, cluster in enumerate(clusters)}}
    yield from differences(found, expected, "uncore info")


def compare_power(metrics, packages):
    """packages: for each its power domains by name, tpmi.read_power(). metrics: what is printed."""
    found = {name: float(value) for name, value in re.findall(
        r"^(isst_(?:power_limit_watts|energy_joules_total)\S*) (\S+)$", metrics, re.M)}
    expected = {}
    for package, domains in enumerate(packages):
        for name, domain in domains.items():
            of_package = f'package="{package}",' if name != "psys" else ""
            key = f'isst_energy_joules_total{{{of_package}domain="{name}"}}'
            # The driver counts in whole nJ.
            if domain["joules"] and abs(found.get(key, 0) / domain["joules"] - 1) < 1e-5:
                found[key] = domain["joules"]
            expected[key] = domain["joules"]
        for constraint, watts in domains["package"]["limits_w"].items():
            key = f'isst_power_limit_watts{{package="{package}",constraint="{constraint}"}}'
            expected[key] = watts
    yield from differences(found, expected, "metrics")


def compare_twice(show, parts, tree):
    """What hardware says twice: MSRs and files of the machine that the registers are of."""
    shown = by_place(show(*"perf-profile info".split()))
    packages = sorted({part.package for part in parts})
    for package in packages:
        sums, cpu = [0] * tpmi.BUCKETS, min(cpu for cpu in tree.cpus
                                             if tree.place_of[cpu][0] == package)
        msrs = {number: tree.msr(number).get(cpu) for number in (0xce, 0x1ad, 0x1ae, 0x614, 0x771)}
        for part in (part for part in parts if part.package == package and part.cpus):
            for level in part.registers.levels():
                yield from differences(part.registers.cores(level).bit_count(),
                                       part.registers.count(level), f"{part.place()}: count of cores")
            level = shown[part.place()]["perf-profile-level-0"]
            limits = [level["turbo-ratio-limits-level-0"][f"bucket-{bucket}"]
                      for bucket in range(tpmi.BUCKETS)]
            sums = [total + int(limit["core-count"]) for total, limit in zip(sums, limits)]
            ratios = [int(limit[f"max-turbo-frequency{MHZ}"]) // tpmi.RATIO for limit in limits]
            yield from differences(ratios, tpmi.octets(msrs[0x1ad]), f"{part.place()}: MSR 0x1AD")
            yield from differences(level[f"base-frequency{MHZ}"],
                                   str(tpmi.RATIO * tpmi.byte(msrs[0xce], 1)),
                                   f"{part.place()}: MSR 0xCE")
            if msrs[0x614]:
                yield from differences(level["thermal-design-power(W)"],
                                       str(tpmi.bits(msrs[0x614], 14, 0) // 8),
                                       f"{part.place()}: MSR 0x614")
        yield from differences(sums, tpmi.octets(msrs[0x1ae]), f"package {package}: MSR 0x1AE")
    limits = {value["get-trl"]["trl"] for value in by_place(show("turbo-mode", "get-trl")).values()}
    yield from differences(limits, {hex(value) for value in tree.msr(0x1ad).values()}, "get-trl")
    yield from compare_cpufreq(show, tree)


def compare_units(tree, packages):
    """The units and the TDP of tpmi.read_power() and of MSRs 0x606 and 0x614."""
    for name, msr, high, low in (("power_unit", 0x606, 3, 0), ("energy_unit", 0x606, 12, 8),
                                 ("tdp_w", 0x614, 14, 0)):
        scale = 8 if name == "tdp_w" else 1
        found = {tpmi.bits(value, high, low) / scale for value in tree.msr(msr).values()}
        if found:
            yield from differences({domains["package"][name] for domains in packages}, found,
                                   f"MSR {msr:#x}: {name}")


def compare_uncore_files(show, tree):
    """The limits of the machine that the registers are of."""
    top = "/sys/devices/system/cpu/intel_uncore_frequency/uncore"
    expected = {}
    for path in tree.files:
        match = re.fullmatch(top + r"(\d+)/package_id", path)
        if match:
            about = {name: tree.files[f"{top}{match[1]}/{name}"] for name in
                     ("package_id", "domain_id", "fabric_cluster_id", "initial_min_freq_khz",
                      "initial_max_freq_khz")}
            package, domain, cluster, *limits = about.values()
            expected[f"{package} {domain} {cluster}"] = [int(khz) // 1000 for khz in limits]
    found = {}
    for place, value in show("uncore", "info").items():
        package, domain = re.findall(r"\d+", place)
        for cluster, members in value["uncore"].items():
            found[f"{package} {domain} {cluster.removeprefix('cluster-')}"] = [
                int(members[f"initial-{name}-frequency{MHZ}"]) for name in ("minimum", "maximum")]
    yield from differences(found, expected, "uncore info, files")


def compare_cpufreq(show, tree):
    """The files of cpufreq, and MSRs 0xCE and 0x771, which the driver makes them of."""
    names = {f"base-frequency{MHZ}": "base_frequency",
             f"highest-possible-frequency{MHZ}": "cpuinfo_max_freq",
             f"lowest-possible-frequency{MHZ}": "cpuinfo_min_freq"}
    files = {name: {str(int(tree.files[f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}"]) // 1000)
                    for cpu in tree.cpus} for name, file in names.items()}
    msrs = dict(zip(names, (
        {str(tpmi.RATIO * tpmi.byte(value, index)) for value in tree.msr(number).values()}
        for number, index in ((0xce, 1), (0x771, 0), (0xce, 5)))))
    shown = [value["cpufreq"] for name, value in show(*"cpufreq info --each".split()).items()
             if name.startswith("package")]
    found = {name: {cpu[name] for cpu in shown} for name in names}
    yield from differences(found, files, "cpufreq info, files")
    yield from differences(found, msrs, "cpufreq info, MSRs")


def brief_level(registers, level):
    """The figures of a level in JSON that is not the kernel tool's."""
    info, fast, turbo = (read(level) for read in (registers.info, registers.base_freq,
                                                  registers.turbo_freq))
    sse, avx2, avx512, amx = (mhz or None for mhz in info["base"])
    return {"base-mhz": sse, "base-avx2-mhz": avx2, "base-avx512-mhz": avx512,
            "base-amx-mhz": amx, "tdp-w": info["tdp_w"], "memory-mhz": info["memory_mhz"],
            "uncore-max-mhz": info["fabric"][0], "uncore-min-mhz": info["fabric"][2],
            "base-freq": fast and {"high-mhz": fast["high"], "low-mhz": fast["low"]},
            "turbo-freq": turbo and [{"cores": count, "mhz": mhz} for count, mhz in
                                     zip(turbo["counts"], turbo["mhz"][0]) if count]}


def brief_bucket(bucket):
    """A bucket by its first frequency, where others are shown too."""
    rows = bucket["mhz"]
    return {**bucket, "mhz": rows["level-0"] if isinstance(rows, dict) else rows}


def compare_brief(shown, parts, where):
    """A level of a group of packages: the members of brief_level()."""
    found = dict(shown)
    for feature, members in ("base-freq", ("high-mhz", "low-mhz")), ("turbo-freq", None):
        of_feature = shown[feature]
        found[feature] = of_feature and ({name: of_feature[name] for name in members} if members
                                         else list(map(brief_bucket, of_feature["buckets"])))
    for part in parts:
        expected = brief_level(part.registers, shown["level"])
        yield from differences({name: found[name] for name in expected}, expected,
                               f"{where}: level {shown['level']}: {part.place()}")


def compare_summaries(show, parts):
    """machine summary, perf-profile compare and priority show."""
    summary = show("machine", "summary")
    for group in summary["speed-select"]:
        for part in parts:
            if part.cpus and f"package-{part.package}" in group["places"]:
                domain, state = part.registers, part.registers.core_power()
                yield from differences(
                    {name: group[name] for name in ("level", "locked", "base-freq", "turbo-freq",
                                                    "clos", "turbo-ratio-limits")},
                    {"level": domain.current_level, "locked": bool(domain.locked),
                     **{name: bool(domain.features & bit) if has else None for name, bit, has in
                        (("base-freq", 1, domain.base_freq(domain.current_level)),
                         ("turbo-freq", 2, domain.turbo_freq(domain.current_level)))},
                     "clos": bool(state["enable"]) if domain.has_cp else None,
                     "turbo-ratio-limits": "level"},
                    f"machine summary: {part.place()}")
    for level in summary["levels"]:
        places = [part for part in parts if part.cpus and f"package-{part.package}" in level["places"]]
        yield from compare_brief(level, places, "machine summary")
    for group in show("perf-profile", "compare")["groups"]:
        places = [part for part in parts if part.cpus and part.package in group["packages"]]
        for level in group["levels"]:
            yield from compare_brief(level, places, "perf-profile compare")
            yield from differences(level["allowed"],
                                   all(part.registers.current_level == level["level"]
                                       for part in places), "perf-profile compare: allowed")
    for package in show("priority", "show")["packages"]:
        for part in (part for part in parts if part.cpus and part.package == package["package"]):
            turbo = brief_level(part.registers, part.registers.current_level)["turbo-freq"]
            yield from differences([package["level"], package["buckets"]],
                                   [part.registers.current_level, turbo or []],
                                   f"priority show: {part.place()}")


CHECKS = (compare_levels, compare_settings, compare_core_power, compare_summaries)
