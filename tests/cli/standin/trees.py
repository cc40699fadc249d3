#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The program on trees of kernel files that no simulated machine has: other architectures, other
vendors, guests, old kernels; and a TPMI driver from which a device was unbound.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

CPU = "sys/devices/system/cpu"
BUS = "sys/bus/auxiliary"
ESCAPES = "\x1b[2J\x07"

ARM = """\
processor\t: 0
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

"""
AMD = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC 9354 32-Core Processor
stepping\t: 1

"""
INTEL = """\
processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Processor
stepping\t: 8
flags\t\t: fpu hypervisor

"""


class Tree(machine.Machine):
    """Kernel files below a directory, in place of the real ones; there is no device."""

    def __init__(self, directory, standin):
        super().__init__(directory, None, standin)
        self.live = False

    def environment(self, log=None):
        env = super().environment(log)
        del env["ISST_STANDIN_PLATFORM"]
        return env

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8").strip()

    def write_cpu(self, cpu, files):
        for name, text in files.items():
            self.write(f"{CPU}/cpu{cpu}/{name}", text + "\n")

    def write_lists(self, cpuinfo, cpus):
        self.write("proc/cpuinfo", cpuinfo)
        self.write("proc/sys/kernel/osrelease", "6.12.0\n")
        self.write("proc/sys/kernel/random/boot_id", "0b007000-0000-4000-8000-000000000001\n")
        for name in ("present", "possible", "online"):
            self.write(f"{CPU}/{name}", f"0-{cpus - 1}\n")

    def write_policy(self, cpus, files):
        """A policy that CPUs share: each has a link to it."""
        policy = self.root / CPU / f"cpufreq/policy{cpus[0]}"
        numbers = " ".join(str(cpu) for cpu in cpus)
        for name, text in {"related_cpus": numbers, "affected_cpus": numbers, **files}.items():
            self.write(policy.relative_to(self.root) / name, text + "\n")
        for cpu in cpus:
            (self.root / CPU / f"cpu{cpu}/cpufreq").symlink_to(policy)

    def write_idle(self, cpu, states):
        for number, (name, desc, latency) in enumerate(states):
            self.write_cpu(cpu, {f"cpuidle/state{number}/{file}": text for file, text in {
                "name": name, "desc": desc, "latency": str(latency), "residency": str(latency * 3),
                "usage": "10", "time": "1000", "disable": "0"}.items()})


def arm(tree, package="36", die=None, alone=False):
    """Two sockets with CPPC and policies of two CPUs. alone: an old kernel's lists."""
    tree.write_lists(ARM, 8)
    packages = {0: package, 1: package if package == "-1" else "5388"}
    for cpu in range(8):
        siblings = f"{cpu // 4 * 4}-{cpu // 4 * 4 + 3}"
        siblings = str(cpu) if alone else "0-7" if package == "-1" else siblings
        tree.write_cpu(cpu, {
            "topology/physical_package_id": packages[cpu // 4], "topology/cluster_id": str(cpu),
            "topology/core_id": str(cpu), "topology/core_cpus_list": str(cpu),
            "topology/package_cpus_list": siblings, "acpi_cppc/nominal_freq": "2600",
            **({"topology/die_id": die, "topology/die_cpus_list": str(cpu)} if die else {})})
        tree.write_cpu(cpu, {"power/pm_qos_resume_latency_us": "0"})
        tree.write_idle(cpu, [("WFI", "ARM WFI", 1), ("LPI-1", "cpu-sleep", 500)])
    for first in range(0, 8, 2):
        tree.write_policy([first, first + 1], {
            "scaling_driver": "cppc_cpufreq", "scaling_governor": "ondemand",
            "scaling_available_governors": "ondemand userspace performance schedutil ",
            "scaling_min_freq": "1000000", "scaling_max_freq": "3000000",
            "cpuinfo_min_freq": "1000000", "cpuinfo_max_freq": "3000000",
            "cpuinfo_cur_freq": "2400000", "scaling_cur_freq": "2400000",
            "scaling_setspeed": "<unsupported>"})
    tree.write(f"{CPU}/cpuidle/current_driver", "psci_idle\n")
    tree.write(f"{CPU}/cpuidle/current_governor", "menu\n")
    tree.write(f"{CPU}/cpuidle/available_governors", "ladder menu teo \n")


def amd(tree):
    tree.write_lists(AMD, 4)
    for cpu in range(4):
        tree.write_cpu(cpu, {
            "topology/physical_package_id": "0", "topology/die_id": "0",
            "topology/core_id": str(cpu), "topology/package_cpus_list": "0-3",
            "topology/die_cpus_list": "0-3", "acpi_cppc/nominal_freq": "3250"})
        tree.write_policy([cpu], {
            "scaling_driver": "amd-pstate-epp", "scaling_governor": "powersave",
            "scaling_available_governors": "performance powersave",
            "scaling_min_freq": "1500000", "scaling_max_freq": "3799072",
            "cpuinfo_min_freq": "400000", "cpuinfo_max_freq": "3799072",
            "energy_performance_preference": "balance_performance",
            "energy_performance_available_preferences":
                "default performance balance_performance balance_power power "})
        tree.write_idle(cpu, [("POLL", "CPUIDLE CORE POLL IDLE", 0), ("C1", "ACPI FFH MWAIT 0x0", 1),
                              ("C2", "ACPI IOPORT 0x814", 800)])
    tree.write(f"{CPU}/cpufreq/boost", "1\n")
    tree.write(f"{CPU}/amd_pstate/status", "active\n")
    tree.write(f"{CPU}/cpuidle/current_driver", "acpi_idle\n")
    tree.write(f"{CPU}/cpuidle/current_governor", "menu\n")


def tuned(tree):
    """CPUs 2 and 3 are isolated for real-time work; irqbalance was forgotten."""
    amd(tree)
    for cpu in range(4):
        tree.write_cpu(cpu, {"topology/thread_siblings_list": f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}",
                             "thermal_throttle/core_throttle_count": "0",
                             "thermal_throttle/package_throttle_count": str(cpu // 3 * 4)})
    tree.write(f"{CPU}/isolated", "2-3\n")
    tree.write(f"{CPU}/nohz_full", "2-3\n")
    tree.write("proc/cmdline", 'ro isolcpus=2-3 nohz_full=2-3 note="rcu_nocbs=9 x" quiet\n')
    for name, text in {"nmi_watchdog": "0", "timer_migration": "0", "split_lock_mitigate": "1",
                       "version": "#1 SMP PREEMPT_RT"}.items():
        tree.write(f"proc/sys/kernel/{name}", text + "\n")
    tree.write("proc/irq/default_smp_affinity", "3\n")
    for number, cpus in {"9": "0", "30": "1", "31": "3"}.items():
        tree.write(f"proc/irq/{number}/effective_affinity_list", f"{cpus}\n")
        tree.write(f"proc/irq/{number}/nvme0q{number}/unused", "")
    tree.write("proc/irq/99/effective_affinity_list", "2-3\n")  # without a handler
    for number, name in {"1": "systemd", "2": "kthreadd", "77": "irqbalance"}.items():
        tree.write(f"proc/{number}/comm", name + "\n")
    tree.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
    tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n")


def guest(tree, package=None):
    """Neither cpufreq nor cpuidle; a package for each CPU, or none that is known."""
    tree.write_lists(INTEL, 4)
    for cpu in range(4):
        tree.write_cpu(cpu, {
            "topology/physical_package_id": package or str(cpu), "topology/die_id": package or "0",
            "topology/core_id": "0", "topology/package_cpus_list": str(cpu),
            "topology/die_cpus_list": str(cpu)})
    tree.write(f"{CPU}/cpuidle/current_driver", "none\n")
    tree.write(f"{CPU}/cpuidle/current_governor", "haltpoll\n")


def old_kernel(tree):
    """Before dies were known: no die_id, and the package's CPUs under another name."""
    tree.write_lists(AMD, 4)
    for cpu in range(4):
        tree.write_cpu(cpu, {
            "topology/physical_package_id": str(cpu // 2), "topology/core_id": str(cpu % 2),
            "topology/core_siblings_list": f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}"})
        tree.write_policy([cpu], {
            "scaling_driver": "acpi-cpufreq", "scaling_governor": "ondemand",
            "scaling_available_governors": "conservative ondemand performance",
            "scaling_min_freq": "1500000", "scaling_max_freq": "2500000",
            "cpuinfo_min_freq": "1500000", "cpuinfo_max_freq": "2500000"})
    tree.write(f"{CPU}/cpufreq/boost", "1\n")


UNREAD = ("initial_min_freq_khz, initial_max_freq_khz, current_freq_khz, elc_low_threshold_percent, "
          "elc_high_threshold_enable, elc_floor_freq_khz: not a number")


def hostile(tree):
    """Texts of the kernel with what a terminal would obey, in every file that is shown."""
    tree.write_lists(INTEL.replace("Processor", ESCAPES).replace(": 8", ": 7")
                     .replace("143", "85"), 2)
    for cpu in range(2):
        tree.write_cpu(cpu, {"topology/physical_package_id": "0", "topology/die_id": "0",
                             "topology/package_cpus_list": "0-1", "topology/die_cpus_list": "0-1",
                             "power/energy_perf_bias": ESCAPES,
                             "power/pm_qos_resume_latency_us": ESCAPES})
        tree.write_policy([cpu], {
            **{name: f"{name}{ESCAPES}" for name in (
                "scaling_driver", "scaling_governor", "energy_performance_preference")},
            "scaling_available_governors": f"performance powersave {ESCAPES}",
            "energy_performance_available_preferences": f"power {ESCAPES}",
            "scaling_min_freq": "800000", "scaling_max_freq": "2000000",
            "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "2000000"})
        tree.write_idle(cpu, [(f"C1{ESCAPES}", f"MWAIT{ESCAPES}", 1), ("C6", "MWAIT 0x20", 100)])
        tree.write_cpu(cpu, {"cpuidle/state1/default_status": ESCAPES})
    for name in ("cpuidle/current_driver", "cpuidle/current_governor",
                 "cpuidle/available_governors", "umwait_control/enable_c02",
                 "umwait_control/max_time", "intel_pstate/status", "intel_pstate/no_turbo",
                 "intel_pstate/min_perf_pct", "intel_pstate/max_perf_pct",
                 "intel_pstate/hwp_dynamic_boost", "cpufreq/boost"):
        tree.write(f"{CPU}/{name}", f"{ESCAPES}\n")
    for name, text in {"package_id": "0", "domain_id": "0", "fabric_cluster_id": "0",
                       "min_freq_khz": "800000", "max_freq_khz": "2000000",
                       "initial_min_freq_khz": ESCAPES, "initial_max_freq_khz": ESCAPES,
                       "current_freq_khz": ESCAPES, "agent_types": f"core{ESCAPES}",
                       "elc_low_threshold_percent": f"10{ESCAPES}",
                       "elc_high_threshold_percent": "95", "elc_high_threshold_enable": ESCAPES,
                       "elc_floor_freq_khz": ESCAPES}.items():
        tree.write(f"{CPU}/intel_uncore_frequency/uncore00/{name}", f"{text}\n")


NO_CPUFREQ = "this machine has no cpufreq"
NO_CPUIDLE = "this machine has no cpuidle"
NO_UNCORE = "this machine has no uncore frequencies"
NO_SST = "this CPU is not Intel's: it has no Speed Select Technology"
NO_DRIVER = "no Speed Select driver is loaded"


def without_uncore(lacks):
    """What every machine without Speed Select and uncore answers."""
    return [("uncore info", 3, [NO_UNCORE]), ("uncore set --min 800", 3, [NO_UNCORE]),
            ("perf-profile info", 3, [lacks, "cpufreq, cpuidle, uncore and power work without"]),
            ("perf-profile set-config-level -l 0", 3, [lacks]),
            ("core-power info", 3, [lacks]), ("-f json perf-profile info", 3, [lacks]),
            ("--info", 0, [lacks, "uncore (feature uncore) is not available"])]


def with_arm(first, second, cpus=""):
    """first and second: what text shows of the packages. cpus: and of CPUs that are alike."""
    policies = [f"    cpu-{cpu}-{cpu + 1}\n      cpufreq\n        policy-cpus:{cpu}-{cpu + 1}\n"
                for cpu in range(0, 8, 2)]
    return [("cpufreq info", 0, [*first, *second, *policies, "driver:cppc_cpufreq",
                                 "governor:ondemand", "base-frequency(MHz):2600",
                                 "highest-possible-frequency(MHz):3000"]),
            ("-c 5 cpufreq explain", 0, ["maximum-frequency(MHz):3000", NO_SST]),
            ("cpuidle info", 0, [*first, *second, cpus, "name:WFI", "description:cpu-sleep",
                                 "driver:psci_idle"]),
            ("--info", 0, ["driver cppc_cpufreq, governor ondemand", "idle states WFI, LPI-1"]),
            ("-c 0,1 cpufreq set --max 2600 --governor schedutil", 0, ["success"]),
            ("-c 0,1 cpufreq info", 0, ["maximum-frequency(MHz):2600", "governor:schedutil"]),
            ("-c 2 cpufreq set --max base", 0, ["success"]),
            ("cpufreq set --turbo off", 3, ["turbo"]),
            ("cpuidle set --deepest WFI", 0, ["success"]),
            ("cpuidle info", 0, ["status:disabled"]),
            ("machine summary", 0, ["Processor    unknown", "s, 8 CPUs, all online\n"
                                    if second else "1 package, 8 CPUs, all online\n"]),
            ("machine record", 0, ['"description": "unknown processor, ']),
            *without_uncore(NO_SST)]


# Each: a name, what makes the tree, and commands with their status and what they show.
TREES = [
    ("ARM, packages by firmware's numbers", arm, with_arm([" package-36\n  die-0\n"],
                                                          [" package-5388\n  die-0\n"])),
    ("ARM, dies -1", lambda tree: arm(tree, die="-1"),
     with_arm([" package-36\n  die-0\n"], [" package-5388\n  die-0\n"])),
    ("ARM, packages -1", lambda tree: arm(tree, package="-1"),
     with_arm([" package-0\n  die-0\n"], [], "    cpu-0-7\n")),
    ("ARM, all -1, each CPU alone", lambda tree: arm(tree, package="-1", die="-1", alone=True),
     with_arm([" package-0\n  die-0\n"], [], "    cpu-0-7\n")),
    ("AMD", amd, [
        ("cpufreq info", 0, ["driver:amd-pstate-epp", "base-frequency(MHz):3250", "boost:1",
                             "energy-performance-preference:balance_performance", "cpu-0-3"]),
        ("-c 3 cpufreq explain", 0, ["maximum-frequency(MHz):3799.072"]),
        ("cpuidle info", 0, ["name:C2", "description:ACPI IOPORT 0x814"]),
        ("cpufreq set --turbo off --epp power", 0, ["success"]),
        ("cpufreq info", 0, ["boost:0", "energy-performance-preference:power"]),
        ("-c 1 cpufreq explain", 0, ["maximum-frequency(MHz):3250"]),
        ("cpuidle set --disable C2", 0, ["success"]),
        *without_uncore(NO_SST)]),
    ("AMD, tuned", tuned, [
        ("machine check realtime", 6, [
            "CPUs         2-3\n", "ok           isolated               yes\n",
            "ok           rcu-nocbs              yes\n", "ok           sibling-works          no\n",
            "differs      irqs                   1 (31 nvme0q31) on CPU 3; expected 0\n",
            "differs      irqbalance             yes; expected no\n",
            "             Command: systemctl disable --now irqbalance\n",
            "ok           tuned                  no\n", "ok           preempt-rt             yes\n",
            "differs      throttled              4 (core 0, package 4) on CPU 3; expected 0\n",
            "core-power, clos, turbo-freq, sst-driver: this CPU is", "Boot parameter: irqaffinity=0-1"]),
        ("-f json machine check realtime", 6, ['"cpus": "2-3"']),
        ("machine check realtime -c 1", 6, ["differs      isolated               no; expected yes\n"]),
        ("-c 2-3 cpufreq set --governor performance", 0, ["success"]),
        ("machine check latency", 6, ["ok           governor               performance\n"])]),
    *((f"guest, {what}", make, [
        ("cpufreq info", 3, [NO_CPUFREQ]), ("cpufreq set --max 2000", 3, [NO_CPUFREQ]),
        ("-c 1 cpufreq explain", 3, [NO_CPUFREQ]), ("cpuidle info", 3, [NO_CPUIDLE]),
        ("cpuidle set --disable C1", 3, [NO_CPUIDLE]),
        ("--info", 0, ["cpufreq (feature cpufreq) is not available"]),
        ("machine check throughput", 0, ["0 differ, 13 unknown, 1 ok"]),
        *without_uncore(NO_DRIVER)])
      for what, make in (("a package for each CPU", guest),
                         ("packages -1", lambda tree: guest(tree, "-1")))),
    ("a kernel without dies", old_kernel, [
        ("cpufreq info", 0, [" package-0\n  die-0\n    cpu-0-1\n",
                             " package-1\n  die-0\n    cpu-2-3\n"]),
        ("machine summary", 0, ["CPUs         2 packages, 4 CPUs, all online\n"]),
        ("-c 2 cpufreq set --max 2000", 0, ["success"]),
        ("cpufreq set --turbo off", 0, ["success"]), ("cpuidle info", 3, [NO_CPUIDLE]),
        *without_uncore(NO_SST)]),
    ("hostile texts", hostile, [
        ("cpufreq info", 0, ["scaling_governor?[2J?", "energy-performance-bias:?[2J?"]),
        ("-f json cpufreq info", 0, ["scaling_governor?[2J?"]),
        ("cpuidle info --usage", 0, ["description:MWAIT?[2J?"]),
        ("-f json cpuidle info", 0, ["MWAIT?[2J?"]),
        ("-c 0 cpufreq explain", 0, ["highest-possible(MHz):2000"]),
        ("uncore info", 1, ["agent-types:core?[2J?", "elc-high-threshold(%):95",
                             f"powerdomain-0 (uncore00): {UNREAD}"]),
        ("-f json uncore info", 1, ["core?[2J?", UNREAD]),
        ("--info", 0, ["governor scaling_governor?[2J?"]),
        ("-f json --info", 0, ["scaling_governor?[2J?"]),
        ("-c 0 machine check realtime", 6, ["scaling_governor?[2J?"]),
        ("-f json -c 0 machine check realtime", 6, ["scaling_governor?[2J?"]),
        ("perf-profile info", 3, ["this Cascade Lake CPU (Intel(R) Xeon(R) ?[2J?)"]),
        ("--dry-run cpufreq set --governor performance", 0, ["?[2J? -> performance"]),
        ("cpufreq set --max 1500", 1, ["intel_pstate/no_turbo: not a number"]),
        ("-f json --dry-run cpufreq set --governor performance", 0, ["?[2J?"]),
        ("cpufreq set --governor none", 2, []), ("cpufreq set --epp none", 2, []),
        ("cpuidle set --disable none", 2, []), ("cpuidle set --disable C6", 0, ["success"])]),
]


def problems_of(run, status, fragments):
    """Yields what is wrong with a run."""
    shown = (run.out or "") + run.stdout + run.stderr
    if run.status != status:
        yield f"status {run.status}, not {status}: {shown}"
    for fragment in fragments:
        if fragment not in shown:
            yield f"no {fragment!r} in: {shown}"
    if any(ord(letter) < 32 and letter != "\n" or ord(letter) == 127 for letter in shown):
        yield f"control characters: {shown!r}"


def texts_of(value):
    """All names and texts of a document, one after the other."""
    if isinstance(value, dict):
        return "".join(name + texts_of(member) for name, member in value.items())
    return str(value)


def try_tree(arguments, make, commands):
    """Runs commands one after the other on a tree. Yields what is wrong."""
    with machine.temporary_directory() as directory:
        tree = Tree(directory, arguments.standin)
        make(tree)
        for words, status, fragments in commands:
            run = tree.run(arguments.program, ["-o", str(tree.out), *words.split()])
            for problem in problems_of(run, status, fragments):
                yield f"{words}: {problem}"
            if "-f json" in words and any(letter < " " for letter in texts_of(json.loads(run.out))):
                yield f"{words}: control characters in {run.out}"


def bind(box, devices):
    """A bus with devices: package and whether one is bound, in the order of their numbers."""
    bus = box.root / BUS
    (bus / "devices").mkdir(parents=True)
    (bus / "drivers/isst_tpmi").mkdir(parents=True)
    for number, (cpus, is_bound) in enumerate(devices):
        pci = box.root / f"sys/devices/pci0000:{number}0/0000:{number}0:00.0"
        device = pci / f"intel_vsec.tpmi.{number}" / f"intel_vsec.tpmi-sst.{number}"
        device.mkdir(parents=True)
        (pci / "local_cpulist").write_text(f"{cpus}\n", encoding="utf-8")
        (bus / "devices" / device.name).symlink_to(device)
        if is_bound:
            (bus / "drivers/isst_tpmi" / device.name).symlink_to(device)
            (device / "driver").symlink_to(bus / "drivers/isst_tpmi")


def try_devices(arguments):
    """A kernel that a request kills is not asked while a device is unbound. Yields what is wrong."""
    package_cpus = ["0-63,128-191", "64-127,192-255"]
    both, one = [(cpus, True) for cpus in package_cpus], [(package_cpus[0], True),
                                                          (package_cpus[1], False)]
    for release, devices, status, says in (
            ("6.18.5+deb14-amd64", both, 0, None), ("6.12.0", one, 0, None),
            ("6.18.5+deb14-amd64", one, 1, "package 1 has none"),
            ("7.1.0", [one[1], one[0]], 1, "bind intel_vsec.tpmi-sst.0 to isst_tpmi")):
        with machine.temporary_directory() as directory:
            box = machine.Machine(directory, arguments.platform, arguments.standin,
                                  arguments.make_tree)
            (box.root / "proc/sys/kernel/osrelease").write_text(f"{release}\n", encoding="utf-8")
            bind(box, devices)
            log = box.directory / "log"
            for words in ("perf-profile get-config-levels", "--dry-run core-power enable"):
                log.unlink(missing_ok=True)
                run = box.run(arguments.program, ["-o", str(box.out), *words.split()], log=log)
                yield from (f"{release}, {words}: {problem}"
                            for problem in problems_of(run, status, [says] if says else []))
                counted = any(line.startswith("5 ") for line in log.read_text("utf-8").splitlines())
                if counted != (status == 0):
                    yield f"{release}, {words}: COUNT_TPMI_INSTANCES sent: {counted}"


def try_libraries(arguments):
    """Only the daemon needs libnl; it reports that it is missing, other commands work."""
    env = {"PATH": "/usr/bin:/bin", "LD_TRACE_LOADED_OBJECTS": "1"}
    loaded = subprocess.run([arguments.program, "--version"], env=env, capture_output=True,
                            text=True, check=True).stdout
    if "libjansson" not in loaded or "libnl" in loaded:
        yield f"libraries: {loaded}"
    if arguments.no_daemon:
        return
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, arguments.platform, arguments.standin)
        broken = box.directory / "libraries"
        broken.mkdir()
        (broken / "libnl-genl-3.so.200").write_text("no library", encoding="utf-8")
        box.extra = {"LD_LIBRARY_PATH": str(broken)}
        yield from (f"libnl missing: {problem}" for problem in problems_of(
            box.run(arguments.program, ["--oob", "-n"]), 1,
            ["libnl cannot be loaded", "--poll-interval SECONDS lets --oob poll instead"]))
        yield from problems_of(box.run(arguments.program, ["perf-profile", "get-lock-status"]), 0,
                               ["get-lock-status:"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platform", "--standin", "--make-tree"):
        parser.add_argument(name, required=True)
    parser.add_argument("--no-daemon", action="store_true", help="it was built without")
    arguments = parser.parse_args()
    failed = 0
    for name, make, commands in TREES:
        for problem in try_tree(arguments, make, commands):
            failed += 1
            print(f"FAILED: {name}: {problem}")
    for problem in (*try_devices(arguments), *try_libraries(arguments)):
        failed += 1
        print(f"FAILED: {problem}")
    print(f"{len(TREES)} trees: {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
