# SPDX-License-Identifier: GPL-2.0-only
"""
A platform file made small enough for a virtual machine. Simulator and machine both run on what
comes out, so that they can be held against each other. The rule:

- At most two packages, and at most 32 logical CPUs in all.
- Every domain with cores keeps the same number of cores (of modules, where cores come in modules),
  as many as fit. Cores that are alike (enabled at the same levels, high priority at the same ones)
  are a class; cores are taken from each class in turn, lowest ids first. They keep their ids.
- Siblings are numbered next to each other, as QEMU does. Dies are numbered as the kernel does:
  through the whole machine since Linux 6.9, within each package before that.
- cpu0 cannot go offline. There are no C-states and no umwait files: QEMU has none. The kernel is
  the one of the virtual machine.
"""

import itertools

MAX_PACKAGES = 2
MAX_CPUS = 32


def parse_list(text):
    """The numbers of a list such as "0-3,8"."""
    numbers = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def format_list(numbers):
    parts = []
    for _, group in itertools.groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(parts)


def cores_of(value, index):
    """The cores of a domain in a list that may be one for all domains."""
    return parse_list(value if isinstance(value, str) else value[index])


def core_lists(sst):
    """Every object below sst (one for all domains, or a list) that has a list of cores."""
    for of_domain in filter(None, sst if isinstance(sst, list) else [sst]):
        for level in of_domain["levels"]:
            yield level
            if level["base_freq"]:
                yield level["base_freq"]


def choose_cores(cores, lists, count):
    """The cores to keep, by the rule above. lists are the sets that tell classes apart."""
    classes = {}
    for core in cores:
        classes.setdefault(tuple(core in numbers for numbers in lists), []).append(core)
    turns = itertools.zip_longest(*classes.values())
    return sorted([core for turn in turns for core in turn if core is not None][:count])


def number_cpus(topology):
    """(package, domain, core, place in the core) of each logical CPU, in the order of numbers."""
    places = range(topology["threads_per_core"] * topology["cores_per_module"])
    cores = [(index, domain["punit"], core) for index, package in enumerate(topology["packages"])
             for domain in package["domains"] for core in parse_list(domain["cores"])]
    if topology["numbering"] == "siblings-last" and topology["cores_per_module"] == 1:
        return [(*core, place) for place in places for core in cores]
    return [(*core, place) for core in cores for place in places]


def number_dies(packages, is_through_machine):
    """Dies numbered by their labels within each package."""
    before = 0
    for package in packages:
        labels = sorted({domain["die"] for domain in package["domains"] if domain["cores"]})
        for domain in package["domains"]:
            place = labels.index(domain["die"]) if domain["die"] in labels else 0
            domain["die"] = before + place
        if is_through_machine:
            before += len(labels)


def scale(platform, kernel):
    """Changes the platform by the rule above; returns it."""
    topology, sst = platform["topology"], platform["sst"]
    before = number_cpus(topology)
    topology["packages"] = topology["packages"][:MAX_PACKAGES]
    number_dies(topology["packages"], kernel.is_since("6.9"))
    domains = [domain for package in topology["packages"] for domain in package["domains"]
               if domain["cores"]]
    cpus_per_core = topology["threads_per_core"] * topology["cores_per_module"]
    count = min(MAX_CPUS // (len(domains) * cpus_per_core),
                *(len(parse_list(domain["cores"])) for domain in domains))
    kept = []
    for index, domain in enumerate(domains):
        lists = [cores_of(item["cores"], index) for item in core_lists(sst)]
        kept.append(choose_cores(parse_list(domain["cores"]), lists, count))
        domain["cores"] = format_list(kept[-1])
    for item in core_lists(sst):
        item["cores"] = [format_list(set(cores) & set(cores_of(item["cores"], index)))
                         for index, cores in enumerate(kept)]
    topology.update(numbering="siblings-adjacent", cpu0_online_file=False)
    high = platform["cpufreq"].get("high_priority")
    if high:
        chosen = {before[cpu] for cpu in parse_list(high["cpus"])}
        high["cpus"] = format_list(cpu for cpu, place in enumerate(number_cpus(topology))
                                   if place in chosen)
    platform.update(cpuidle=None, umwait=None, name=platform["name"] + "-scaled",
                    kernel=kernel.version)
    return platform


def smp_of(platform):
    """QEMU's -smp for a scaled platform."""
    topology = platform["topology"]
    packages = topology["packages"]
    dies = len({domain["die"] for domain in packages[0]["domains"] if domain["cores"]})
    cores = sum(len(parse_list(domain["cores"])) for domain in packages[0]["domains"])
    cores *= topology["cores_per_module"]
    threads = topology["threads_per_core"]
    total = len(packages) * cores * threads
    return (f"{total},sockets={len(packages)},dies={dies},cores={cores // dies},"
            f"threads={threads}")
