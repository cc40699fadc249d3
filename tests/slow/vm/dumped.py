#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A real machine made small enough for a virtual machine (tests/model/pepc.py). Its TPMI devices have the
registers that the real ones had. What is made smaller is which cores there are:

- Up to 64 logical CPUs, each package with as many cores (modules of E-cores are whole).
- Each power domain has cores in turn: the first and the last one of each mask (enabled cores of a
  level, SST-BF), and the first and the last one that is not in it, be it on the silicon or not. They
  keep their ids. Further cores make the packages equal.

CPUs are numbered as QEMU does. The frequencies of cpufreq are those of MSRs 0xCE and 0x771, as
intel_pstate takes them.

    dumped.py ARCHIVE     # writes real-machines.tar.xz: what is needed here of the five machines
"""

import io
import pathlib
import re
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "model"))

# pylint: disable=wrong-import-position
import tpmi  # noqa: E402
from described import ranges  # noqa: E402
from pepc import EMULATED, plain_sst, read_archive, read_domains  # noqa: E402

NAMES = ("gnr0", "gnr3", "srf2", "srf8", "cwf0")
OWN = HERE / "real-machines.tar.xz"
# Files that are kept, and the lines of each.
KEPT = {
    r"proc/(version|cmdline)": r".*",
    r"proc/cpuinfo": r"$|(processor|vendor_id|cpu family|model|model name|stepping|physical id|"
                     r"core id)\s*:",
    r"msr/msr\.txt": r"(54|ce|1ad|1ae|606|610|614|771):",
    r"sys/inlinefiles\.txt": r"r.\|/sys/devices/system/cpu/(online|present|cpu\d+/topology/die_id|"
                             r"intel_uncore_frequency/.*|cpufreq/policy\d+/(related_cpus|"
                             r"base_frequency|cpuinfo_m.._freq))\|",
    r"sys/kernel/debug/tpmi-[^/]*/(pfs_dump|tpmi-id-(00|02|05|0c|80|81)/mem_dump|"
    r"plr/domain\d+/status)": r".*"}

MAX_CPUS = 64
CORES = 64  # that a mask has bits for
MODULE = {173: 1, 174: 1, 175: 4, 221: 4}  # cores of a module, by CPU model
RATIO_KHZ = 100_000
MSR_PLATFORM, MSR_TURBO_LIMIT, MSR_TURBO_CORES, MSR_CAPABILITIES = 0xce, 0x1ad, 0x1ae, 0x771
WINDOW_SIZE = 0x20000  # LAB_TPMI_SIZE of the module


def ratios(value):
    return list(value.to_bytes(8, "little"))


def masks_of(domain):
    """The masks of a power domain that have cores."""
    masks = [domain.cores(level) for level in domain.levels()]
    masks += [fast["cores"] for fast in map(domain.base_freq, domain.levels()) if fast]
    return [mask for mask in masks if mask]


def wanted_cores(domain):
    """The cores that tell the masks, those that tell most first."""
    masks, chosen = masks_of(domain), []
    for value, index in (1, 0), (1, -1), (0, 0), (0, -1):
        chosen += [[core for core in range(CORES) if mask >> core & 1 == value][index]
                   for mask in masks]
    return list(dict.fromkeys(chosen))


def fill(domains, chosen, count):
    """Adds enabled cores until there are so many."""
    for number, domain in domains.items():
        for core in range(CORES):
            missing = count - sum(map(len, chosen.values()))
            if missing and domain.cores(0) >> core & 1:
                chosen[number].add(core)


def choose_cores(packages, most):
    """{domain: its cores} of each package, at most so many in a package."""
    chosen = []
    for domains in packages:
        wanted = {number: wanted_cores(domain) for number, domain in domains.items()}
        turns = [(place, number, core) for number, cores in wanted.items()
                 for place, core in enumerate(cores)]
        cores = {number: set() for number in domains}
        for _, number, core in sorted(turns)[:most]:
            cores[number].add(core)
        chosen.append(cores)
    count = max(sum(map(len, cores.values())) for cores in chosen)
    for domains, cores in zip(packages, chosen):
        fill(domains, cores, count)
    return chosen


def topology_of(tree, packages):
    module = MODULE[int(tree.model["model"])]
    threads = 1 if module > 1 else len(tree.cpus) // len(set(tree.place_of.values()))
    chosen = choose_cores(packages, MAX_CPUS // (len(packages) * module * threads))
    return {"threads_per_core": threads, "cores_per_module": module,
            "numbering": "siblings-adjacent", "cpu0_online_file": False, "packages": [
                {"domains": [{"die": package, "punit": number, "cores": ranges(numbers)}
                             for number, numbers in cores.items()]}
                for package, cores in enumerate(chosen)]}


def platform_of(name, tree, kernel):
    """The platform file of the machine; of Speed Select the registers have everything."""
    packages = read_domains(tree)
    topology = topology_of(tree, packages)
    about, limits, counts, capabilities = (
        ratios(min(tree.msr(number).values()))
        for number in (MSR_PLATFORM, MSR_TURBO_LIMIT, MSR_TURBO_CORES, MSR_CAPABILITIES))
    lowest, base, highest = about[5], about[1], capabilities[0]
    domains = [domain for package in topology["packages"] for domain in package["domains"]]
    return {"schema": 1, "name": name, "description": "-", "source": "-",
            "kernel": kernel.version,
            "cpu": {"family": int(tree.model["cpu family"]), "model": int(tree.model["model"]),
                    "stepping": int(tree.model["stepping"]),
                    "model_name": tree.model["model name"], "hfi": False},
            "interface": {"kind": "tpmi", "api_version": 3, "driver_version": 1,
                          "max_cmds_per_ioctl": 64, "mbox": 0, "mmio": 0},
            "topology": topology,
            "cpufreq": {"driver": "intel_pstate", "min_khz": lowest * RATIO_KHZ,
                        "max_khz": highest * RATIO_KHZ, "base_khz": base * RATIO_KHZ,
                        "governor": "powersave", "governors": ["performance", "powersave"],
                        "epp": "balance_performance",
                        "epps": ["default", "performance", "balance_performance", "balance_power",
                                 "power"], "epb": 6, "no_turbo": 0},
            "cpuidle": None, "umwait": None,
            "uncore": {"layout": "tpmi", "min_khz": lowest * RATIO_KHZ, "max_khz": base * RATIO_KHZ},
            "msr": {"turbo_ratio_limit": limits, "turbo_ratio_limit_cores": counts},
            "io_sst": None, "sst": [plain_sst(domain["cores"], base * tpmi.RATIO)
                                    for domain in domains if domain["cores"]]}


def windows(tree):
    """The memory of the TPMI device of each package, one after the other, for the module."""
    tops = sorted(path.rpartition("/")[0] for path in tree.source if path.endswith("/pfs_dump"))
    return b"".join(tpmi.read_window(tree.source, top).ljust(WINDOW_SIZE, b"\0") for top in tops)


def reduce_machine(files):
    """The files of a machine that are needed, with the lines that are."""
    for path, text in sorted(files.items()):
        lines = next((kept for name, kept in KEPT.items() if re.fullmatch(name, path)), None)
        if lines:
            yield path, "".join(line for line in text.splitlines(True) if re.match(lines, line))


def main():
    source = pathlib.Path(sys.argv[1])
    with tarfile.open(source) as whole:
        license_text = whole.extractfile("LICENSE.md").read()
    files = {"LICENSE.md": license_text}
    for name in NAMES:
        for path, text in reduce_machine(read_archive(source, name)):
            files[f"{EMULATED}{name}/{path}"] = text.encode()
    with tarfile.open(OWN, "w:xz", preset=9) as archive:
        for path, data in files.items():
            about = tarfile.TarInfo(path)
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))


if __name__ == "__main__":
    main()
