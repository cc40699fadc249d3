# SPDX-License-Identifier: GPL-2.0-only
"""
What a management controller would tell of a simulated machine, read from its platform file and not
from the tool: the figures of a level, in the form of Redfish's OperatingConfig.
"""


def numbers(text):
    """The set of a list such as "0-3,8"."""
    answer = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        answer.update(range(int(first), int(last or first) + 1))
    return answer


def count_cpus(machine):
    return machine["topology"]["threads_per_core"] * sum(
        len(numbers(domain["cores"])) for package in machine["topology"]["packages"]
        for domain in package["domains"])


def place_of(machine, package):
    """The index of the first domain of a package among all that have cores."""
    index = 0
    for before in machine["topology"]["packages"][:package]:
        index += sum(bool(domain["cores"]) for domain in before["domains"])
    return index


def of_domain(machine, package, lists):
    """The list of cores of the first domain of a package."""
    return numbers(lists if isinstance(lists, str) else lists[place_of(machine, package)])


def base_freq(machine, package, level):
    """The high-priority cores of SST-BF."""
    if not level["base_freq"]:
        return set()
    return of_domain(machine, package, level["base_freq"]["cores"])


def priority_settings(machine, package, level):
    settings = level["base_freq"]
    if not settings:
        return []
    high = base_freq(machine, package, level)
    others = of_domain(machine, package, level["cores"]) - high
    return [{"BaseSpeedMHz": settings["high_mhz"], "CoreIDs": sorted(high)},
            {"BaseSpeedMHz": settings["low_mhz"], "CoreIDs": sorted(others)}]


def turbo_counts(machine, package, level):
    counts = level["turbo"]["cores"]
    return counts[place_of(machine, package)] if isinstance(counts[0], list) else counts


def operating_config(machine, package, level):
    turbo = zip(turbo_counts(machine, package, level), level["turbo"]["mhz"][0])
    return {
        "Id": f"config{level['level']}",
        "BaseSpeedMHz": level["base_mhz"]["sse"],
        "BaseSpeedPrioritySettings": priority_settings(machine, package, level),
        "MaxJunctionTemperatureCelsius": level["tjunction_max_c"],
        "MaxSpeedMHz": max(level["turbo"]["mhz"][0]),
        "TDPWatts": level["tdp_w"],
        "TotalAvailableCoreCount": len(of_domain(machine, package, level["cores"])),
        "TurboProfile": [{"ActiveCoreCount": cores, "MaxSpeedMHz": mhz} for cores, mhz in turbo],
    }
