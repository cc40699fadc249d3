# SPDX-License-Identifier: GPL-2.0-only
"""
Machines as Intel's pepc publishes them (its folder tests/emul-data): files of /sys and /proc, MSRs,
and dumps of registers. What the program reads and the folder does not have is derived if something
else shows it: lists of CPUs and topology from /proc/cpuinfo, links of cpufreq from its policies.
"""

import re
import tarfile

import tpmi
from described import numbers, ranges

CPUS, EMULATED = "/sys/devices/system/cpu", "tests/emul-data/"
OF_CPU = r"(/sys/devices/system/cpu/cpu|/dev/cpu/)(\d+)/(.*)"  # a file of a CPU
MISSING = {"error": "ENOENT"}


def read_archive(path, name):
    """The files of the machine, by their paths in its folder; none if there is no such machine."""
    if path.is_dir():
        top = next((top for top in (path / EMULATED / name, path / name) if top.is_dir()), path / name)
        return {str(file.relative_to(top)): file.read_bytes().decode("utf-8", "replace")
                for file in top.rglob("*") if file.is_file()}
    with tarfile.open(path) as archive:
        found = {member.name.partition(f"{EMULATED}{name}/")[2]: archive.extractfile(member).read()
                 for member in archive if member.isfile()}
    return {file: text.decode("utf-8", "replace") for file, text in found.items() if file}


class Tree:
    """The files of a machine, as a recording has them."""

    def __init__(self, source):
        self.source, self.files = source, {}
        for line in source["sys/inlinefiles.txt"].split("\n"):
            mode, _, rest = line.partition("|")
            path, is_file, value = rest.partition("|")
            if mode in ("ro", "rw") and is_file:
                self.files[path] = value
            elif line and not line.startswith("#") and self.files:
                self.files[list(self.files)[-1]] += "\n" + line
        stanzas = [dict(re.findall(r"^([^\t:]+?)\s*:[ \t]*(.*)$", text, re.M))
                   for text in source["proc/cpuinfo"].strip().split("\n\n")]
        self.stanzas = {int(part["processor"]): part for part in stanzas if "processor" in part}
        self.files.setdefault(f"{CPUS}/online", ranges(self.stanzas))
        self.cpus = sorted(numbers(self.files[f"{CPUS}/online"]))
        self.present = numbers(self.files.setdefault(f"{CPUS}/present", ranges(self.cpus)))
        self.model = self.stanzas.get(self.cpus[0], {})
        self.place()
        self.add_policies()
        self.add_proc()
        self.add_msrs()

    def place(self):
        """Topology from /proc/cpuinfo, die_id and the sharing of caches."""
        self.place_of = {}
        for cpu in self.cpus:
            stanza, path = self.stanzas.get(cpu, {}), f"{CPUS}/cpu{cpu}/topology"
            package = self.files.setdefault(f"{path}/physical_package_id",
                                            stanza.get("physical id", "0"))
            core = self.files.setdefault(f"{path}/core_id", stanza.get("core id", str(cpu)))
            die = max(0, int(self.files.get(f"{path}/die_id", 0)))
            self.place_of[cpu] = (int(package), die, cpu if core == "-1" else int(core))
        for name, length in [("package_cpus_list", 1), ("die_cpus_list", 2), ("core_cpus_list", 3),
                             ("thread_siblings_list", 3)]:
            groups = {}
            for cpu, place in self.place_of.items():
                groups.setdefault(place[:length], []).append(cpu)
            for cpus in groups.values():
                for cpu in cpus:
                    self.files.setdefault(f"{CPUS}/cpu{cpu}/topology/{name}", ranges(cpus))
        for cpu in self.cpus:
            shared = self.files.get(f"{CPUS}/cpu{cpu}/cache/index2/shared_cpu_list")
            if shared:
                self.files[f"{CPUS}/cpu{cpu}/topology/cluster_cpus_list"] = shared
        self.files[f"{CPUS}/possible"] = self.files[f"{CPUS}/present"]
        self.files[f"{CPUS}/offline"] = ranges(self.present - set(self.cpus))

    def add_policies(self):
        """cpuN/cpufreq is a link to the CPU's policy."""
        for path, value in list(self.files.items()):
            match = re.fullmatch(CPUS + r"/cpufreq/policy(\d+)/(.*)", path)
            if match:
                cpus = self.files.get(f"{CPUS}/cpufreq/policy{match[1]}/related_cpus", match[1])
                self.files.update({f"{CPUS}/cpu{cpu}/cpufreq/{match[2]}": value
                                   for cpu in cpus.split()})

    def add_proc(self):
        cmdline = self.source.get("proc/cmdline")
        self.files.update({
            "/proc/cpuinfo": self.source["proc/cpuinfo"].split("\n\n")[0] + "\n",
            "/proc/sys/kernel/random/boot_id": "00000000-0000-0000-0000-000000000000"})
        match = re.match(r"Linux version (\S+) .*?(#\d+ .*)$",
                         self.source.get("proc/version", "").strip())
        if match:
            self.files.update({"/proc/sys/kernel/osrelease": match[1],
                               "/proc/sys/kernel/version": match[2]})
        if cmdline is not None:
            self.files["/proc/cmdline"] = cmdline.rstrip("\n")
        if "isolcpus=" not in (cmdline or ""):
            self.files[f"{CPUS}/isolated"] = ""

    def add_msrs(self):
        """MSRs, as the program reads them by the kernel's module msr."""
        for line in self.source.get("msr/msr.txt", "").split("\n"):
            number = line.partition(":")[0]
            if re.fullmatch("[0-9a-f]+", number):
                self.files.update({f"/dev/cpu/{cpu}/msr@0x{number}": f"{value:#018x}"
                                   for cpu, value in self.msr(int(number, 16)).items()})

    def msr(self, number):
        """The values of an MSR by CPU."""
        for line in self.source.get("msr/msr.txt", "").split("\n"):
            name, _, values = line.partition(":")
            if name == f"{number:x}":
                return {int(cpu): int(value, 16) for cpu, _, value in
                        (part.partition("|") for part in values.split())}
        return {}

    def vendor(self):
        return self.model.get("vendor_id")

    def folded(self):
        """All files, those of each CPU as `cpu#`, and the names in each directory."""
        files, directories = {}, {}
        for path, value in self.files.items():
            match = re.fullmatch(OF_CPU, path)
            if match:
                files.setdefault(f"{match[1]}#/{match[3]}", {}).setdefault(value, set()).add(
                    int(match[2]))
            else:
                files[path] = value
            if path.startswith("/dev/"):
                continue
            while not path.endswith("/cpu") and path.count("/") > 2:
                path, _, name = path.rpartition("/")
                directories.setdefault(path, set()).add(name)
        for path, values in files.items():
            if isinstance(values, dict):
                rest = set(self.cpus).difference(*values.values())
                files[path] = {ranges(cpus): value for value, cpus in values.items()}
                if rest:
                    files[path][ranges(rest)] = MISSING
        for path, names in directories.items():
            match = re.fullmatch(CPUS + r"/cpu(\d+)/(.*)", path)
            if match and match[2] == "cpuidle":
                files.setdefault(f"{CPUS}/cpu#/cpuidle", {})[match[1]] = sorted(names)
            elif not path.startswith(f"{CPUS}/cpu") or path == f"{CPUS}/cpufreq":
                files[path] = sorted(names)
        return files


def read_domains(tree):
    """The power domains of each package, by their numbers; none without dumps."""
    return [{number: tpmi.Domain(words) for number, words in dump.items()}
            for dump in read_dumps(tree, 5)]


def read_dumps(tree, feature):
    """The registers of a TPMI feature of each package, by instance."""
    return [tpmi.read_dump(tree.source[path]) for path in sorted(tree.source)
            if path.endswith(f"tpmi-id-{feature:02x}/mem_dump")]


def plain_sst(cores, base_mhz=0):
    """Speed Select of a domain, of which the registers have the rest."""
    zeros, none = [0] * 8, {"max": 0, "base": 0, "min": 0}
    level = {"level": 0, "cores": cores, "tdp_w": 0, "tdp_ratio": base_mhz // tpmi.RATIO,
             "base_mhz": {"sse": base_mhz, "avx2": 0, "avx512": 0, "amx": 0}, "tjunction_max_c": 0,
             "uncore_mhz": none, "memory": 0, "power_w": {"max": 0, "min": 0}, "cooling_type": 0,
             "turbo": {"cores": zeros, "mhz": [zeros]}, "base_freq": None, "turbo_freq": None}
    clos = {"epp": 0, "weight": 0, "min_mhz": 0, "max_mhz": 25500, "desired_mhz": 0}
    return {"enabled": True, "version": 1, "locked": True, "current_level": 0,
            "allowed_levels": [0], "core_power": {"supported": False, "enabled": False,
                                                  "clos_enabled": False, "priority": 0},
            "clos": [clos] * 4, "unanswered": [], "levels": [level]}
