#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Each source of a figure (measure.md, "Sources, rights, traps") in turn is absent, unreadable or
garbled, at all readings, from the second one on, or at the first one only. Then each figure of
measure run, why and ladder is what it is on the whole machine, or null with a reason beside it; the
program ends with a status that the manual lists, and with a message if it shows nothing.
"""

import argparse
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

CPU = "/sys/devices/system/cpu/"
PMUS = "/sys/bus/event_source/devices/"
ZONE = "/sys/class/powercap/intel-rapl:"
UNCORE = CPU + "intel_uncore_frequency/*/"
DEBUG = "/sys/kernel/debug"

# Patterns of paths, as faults.json takes them; "#" is one number, or all.
SOURCES = (
    [f"{CPU}cpu#/{name}" for name in (
        "topology/thread_siblings_list", "topology/cluster_cpus_list", "cpuidle",
        "cpuidle/state#/name", "cpuidle/state#/usage", "cpuidle/state#/time",
        "cpuidle/state#/above", "cpuidle/state#/below", "cpuidle/state#/rejected",
        "thermal_throttle/core_throttle_count", "thermal_throttle/core_throttle_total_time_ms",
        "thermal_throttle/package_throttle_count",
        "thermal_throttle/package_throttle_total_time_ms")] +
    [PMUS + name for name in (
        "msr/type", "msr/format/event", "msr/events/tsc", "msr/events/aperf", "msr/events/mperf",
        "msr/events/smi", "cstate_core/type", "cstate_core/cpumask", "cstate_core/events",
        "cstate_core/events/c6-residency", "cstate_core/format/event", "cstate_pkg/type",
        "cstate_pkg/cpumask", "cstate_pkg/events", "cstate_pkg/events/c6-residency",
        "cstate_pkg/format/event", "power/type", "power/cpumask", "power/events/energy-pkg",
        "power/events/energy-pkg.scale", "power/events/energy-pkg.unit", "power/format/event",
        "cpu/type", "cpu/format/event", "cpu/format/umask")] +
    ["/sys/class/hwmon", "/sys/class/hwmon/hwmon#/name", "/sys/class/hwmon/hwmon#/temp1_label",
     "/sys/class/hwmon/hwmon#/temp1_input", "/proc/sys/kernel/perf_event_paranoid", "/proc/stat",
     CPU + "cpuidle/intel_c1_demotion", CPU + "umwait_control/enable_c02",
     "/sys/class/powercap"] +
    [ZONE + "#/" + name for name in (
        "name", "energy_uj", "max_energy_range_uj", "enabled", "constraint_0_name",
        "constraint_0_power_limit_uw")] +
    [CPU + "intel_uncore_frequency", UNCORE + "current_freq_khz", UNCORE + "min_freq_khz"] +
    [DEBUG, DEBUG + "/tpmi-*", DEBUG + "/tpmi-*/plr", DEBUG + "/tpmi-*/plr/domain#/status"])

# What the settings allow is read of these.
SETTINGS = [CPU + name for name in (
    "cpu#/cpufreq/scaling_max_freq", "cpu#/cpufreq/cpuinfo_max_freq", "cpu#/cpufreq/base_frequency",
    "intel_pstate/no_turbo", "intel_pstate/max_perf_pct", "intel_pstate/status")]

GARBLED = {
    "empty": b"", "newline": b"\n", "word": b"garbage\n", "above 64 bits": b"99999999999999999999\n",
    "64 bits": b"18446744073709551615\n", "negative": b"-1\n", "no number": b"-nan\n",
    "unit": b"5 W\n", "binary": b"\0\xff\xfe\x01\n", "not UTF-8": b"cpus \xc3\x28\ncpu0 \xff\n",
    "long": b"A" * 300_000, "digits": b"1" * 300_000, "hex": b"0x\n",
}
ERRORS = ("ENOENT", "EACCES", "EPERM", "EIO")
PERF_ERRORS = ("EACCES", "EPERM", "EMFILE", "ENODEV", "EINVAL", "EBUSY", "ENOENT", "EIO")
TIMES = ({}, {"skip": 1}, {"times": 1})

DOCUMENTED = {0, 1, 2, 3, 6}
CORES = "/thread_siblings_list"  # without which a ladder cannot count cores, 4: the right to read it
# Members that explain and are not figures.
NOTES = re.compile(r".*-(?:reason|source)|evidence|conclusion|reasons|not-checked-cpus")


class Failure(Exception):
    """A promise that was not kept."""


class Lab:
    """A simulated machine in a state in which each limit that can be set is one."""

    def __init__(self, program, platform, directory):
        self.program, self.platform = program, platform
        self.state = pathlib.Path(directory) / "state"
        self.limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.kept = pathlib.Path(directory) / "kept"
        self.run("--info")
        last = self.documents(("measure", "run", "--seconds", "1"))["cpus"][-1]["cpu"]
        self.cpus = f"0,1,{last}"
        for argv in (["-c", "1", "cpufreq", "set", "--max", "1500"],
                     ["-c", "0,1", "core-power", "assoc", "--clos", "0"]):
            self.run(*argv)
        self.state.rename(self.kept)
        self.commands = (
            ("-c", self.cpus, "measure", "run", "--seconds", "1", "--each", "--load", f"scalar:0,{last}"),
            ("-c", self.cpus, "cpufreq", "explain", "--measure", "1", "--load", "scalar"),
            ("-c", self.cpus, "measure", "ladder", "--seconds", "1"),
        )
        self.whole = {command: self.measure(command, None) for command in self.commands}

    def run(self, *argv):
        try:
            return subprocess.run(["isst", "--simulate", self.platform, "--simulate-state", self.state,
                                   *argv], executable=self.program, capture_output=True, timeout=30,
                                  check=False, preexec_fn=self.set_limit)
        except subprocess.TimeoutExpired as error:
            raise Failure("it hangs") from error

    def set_limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, self.limit)

    def documents(self, argv):
        result = self.run("-f", "json", *argv)
        if result.returncode:
            raise Failure(f"{argv}: {result.returncode} {result.stderr}")
        return json.loads(result.stdout)

    def measure(self, command, order):
        """The status, the document and the messages of a command under an order."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self.kept, self.state)
        if order:
            (self.state / "faults.json").write_text(json.dumps({"orders": [order]}))
        result = self.run("-f", "json", *command)
        documented = DOCUMENTED | ({4} if order and order.get("path", "").endswith(CORES) and
                                   "ladder" in command else set())
        if result.returncode not in documented:
            raise Failure(f"status {result.returncode}: {result.stderr[:500]}")
        document = json.loads(result.stdout.decode("utf-8")) if result.stdout.strip() else {}
        if not document and not result.stderr:
            raise Failure("neither results nor a message")
        return result.returncode, document, result.stderr.decode("utf-8")


def lacks(found, name):
    """Is a member null with a reason; or of a group that is missing as a whole?"""
    if name in found:
        return found[name] is None and bool(found.get(f"{name}-reason"))
    group = name.split("-", maxsplit=1)[0]
    return any(key.startswith(group) and value is None and found.get(f"{key}-reason")
               for key, value in found.items())


def has_unreadable(whole, found):
    """Are the words those of the whole machine, and others with characters that cannot be shown?"""
    return set(whole) <= set(found) and all("?" in word for word in found if word not in whole)


def compare(whole, found, path):
    """Raises Failure for a figure that is neither the same nor explained."""
    if isinstance(whole, dict):
        if not isinstance(found, dict):
            raise Failure(f"{path}: {found}")
        for name, value in found.items():
            if value is None and not NOTES.fullmatch(name) and not found.get(f"{name}-reason"):
                raise Failure(f"{path}/{name} has no reason")
        for name, value in whole.items():
            if NOTES.fullmatch(name) or lacks(found, name):
                continue
            if value is None and name in found:
                continue
            if name not in found:
                raise Failure(f"{path}/{name} is gone")
            compare(value, found[name], f"{path}/{name}")
    elif isinstance(whole, list) and isinstance(found, list) and whole and isinstance(whole[0], dict):
        if len(whole) != len(found):
            raise Failure(f"{path}: {len(found)} instead of {len(whole)}")
        for i, (left, right) in enumerate(zip(whole, found)):
            compare(left, right, f"{path}[{i}]")
    elif whole != found and not path.endswith(("/name", "/top-idle-state")) and \
            not (path.endswith(("/limits", "/limits-earlier")) and has_unreadable(whole, found)):
        raise Failure(f"{path}: {found} instead of {whole}")


def judged(status, document, whole):
    """What a command concludes must be what it concludes on the whole machine, or nothing."""
    whole_status, whole_document, _ = whole
    if status == 6 and whole_status != 6:
        raise Failure("a step fails")
    for name in ("failed", "passed", "not-checked"):
        whole_document.pop(name, None)
        document.pop(name, None)
    for step in document.get("steps", []):
        if step.get("result") == "not-checked":
            step["result"] = None
            step["result-reason"] = "; ".join(step["reasons"])
            step["groups"] = None
            step["groups-reason"] = step["result-reason"]
    for cpu in document.get("cpus", []):
        if cpu.get("limited-by") in ("not-checked", "unknown"):
            for name in ("limited-by", "setting"):
                cpu[name] = None
                cpu[f"{name}-reason"] = cpu["conclusion"]
        if cpu.get("predicted-mhz", 0) is None and "upper-limits" in cpu:
            cpu["upper-limits"] = None
            cpu["upper-limits-reason"] = cpu["predicted-mhz-reason"]


def check(lab, command, order):
    if order["at"] == "read" and order.get("error") == "ENOENT" and \
            order["path"].endswith(("enable_c02", "aperf", "cpu/type", "max_perf_pct")):
        return  # machines without these are in order: without umwait, virtual, hybrid, with other limits
    status, document, _ = lab.measure(command, order)
    if status in (1, 2, 3, 4) or not document:
        return
    judged(status, document, lab.whole[command])
    compare(lab.whole[command][1], document, "")


def orders(numbers, source):
    """All orders about a source, each at a random place and time."""
    for kind, content in [(name, None) for name in ERRORS] + list(GARBLED.items()):
        path = source.replace("#", numbers.choice(["[01]", "*"]))
        order = {"at": "read", "path": path, **numbers.choice(TIMES)}
        if content is None:
            order["error"] = kind
        else:
            order["bytes"] = content.hex()
        yield f"{path} {kind}", order


def check_open_files(lab):
    """The limit of open files is raised; if it cannot be, the first CPUs are measured."""
    command = lab.commands[0]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lab.limit = (24, hard)
    status, document, _ = lab.measure(command, None)
    if (status, document) != lab.whole[command][:2]:
        raise Failure("the limit of open files was not raised")
    lab.limit = (24, 24)
    document = lab.measure(command, None)[1]
    lab.limit = (soft, hard)
    compare(lab.whole[command][1], document, "")
    if document["cpus"][0]["mhz"] is None or "ulimit" not in document["cpus"][-1].get("busy-percent-reason", ""):
        raise Failure("not the first CPUs are measured when few files may be open")


def check_platform(program, platform, settings):
    numbers = random.Random(f"{pathlib.Path(platform).stem} {settings.seed}")
    count = 0
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(program, platform, directory)
        check_open_files(lab)
        plan = [item for source in SOURCES + SETTINGS for item in orders(numbers, source)]
        plan += [(f"perf {error} {times}", {"at": "perf", "error": error, **times})
                 for error in PERF_ERRORS for times in ({}, {"skip": 1}, {"skip": 2}, {"skip": 5}, {"cpu": 0})]
        for name, order in plan if settings.all else plan[settings.seed % 3::3]:
            commands = lab.commands if settings.all else \
                [numbers.choices(lab.commands, (3, 1, 1))[0]]
            for command in commands:
                try:
                    check(lab, command, order)
                except Failure as failure:
                    when = ["from the second on", "the first"][order["skip"] == 0] if "skip" in order else \
                        "the first" if "times" in order else "always"
                    failures.append(f"{' '.join(command)}: {name}, {when}: {failure}")
                count += 1
    return count, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="every command with every order; else a third, each with one command")
    parser.add_argument("platforms", nargs="+")
    arguments = parser.parse_args()
    status = 0
    for platform in arguments.platforms:
        count, failures = check_platform(arguments.program, platform, arguments)
        for failure in failures:
            print(f"FAILED: {pathlib.Path(platform).name}: {failure}")
        status = status or bool(failures)
        print(f"{pathlib.Path(platform).name}: {count} orders")
    sys.exit(status)


if __name__ == "__main__":
    main()
