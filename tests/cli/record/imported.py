#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Real machines of Intel's pepc (scripts/import-pepc): every reading command ends with a known status
and says something, JSON is JSON, a state that is exported is the machine's, a recording of the
replay is the recording, and what is shown of CPUs, uncores and Speed Select is what their files,
MSRs and registers have.

    imported.py --program PROGRAM --archive FILE [--shipped DIRECTORY] [--keep DIRECTORY] [NAME...]

Without NAME: all machines. --shipped: the machines are platforms there; without the archive, these
are held beside the files that are recorded in them, else the test is skipped. --keep: a directory
for the recordings.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/model"))

# pylint: disable=wrong-import-position
import questions  # noqa: E402
import shown  # noqa: E402
import tpmi  # noqa: E402
import verified  # noqa: E402
from described import numbers  # noqa: E402
from pepc import Tree, read_archive, read_domains  # noqa: E402

STATUSES = {0, 1, 2, 3, 6}
SKIPPED = 77
MHZ, POLICY = 1000, "cpufreq/"
CPU_FILES = {  # what cpufreq info and cpuidle info show of a CPU, and its file
    "driver": POLICY + "scaling_driver", "governor": POLICY + "scaling_governor",
    "minimum-frequency(MHz)": POLICY + "scaling_min_freq",
    "maximum-frequency(MHz)": POLICY + "scaling_max_freq",
    "lowest-possible-frequency(MHz)": POLICY + "cpuinfo_min_freq",
    "highest-possible-frequency(MHz)": POLICY + "cpuinfo_max_freq",
    "base-frequency(MHz)": POLICY + "base_frequency",
    "current-frequency(MHz)": POLICY + "scaling_cur_freq",
    "energy-performance-preference": POLICY + "energy_performance_preference",
    "energy-performance-bias": "power/energy_perf_bias",
}
STATE_FILES = {"name": "name", "description": "desc", "exit-latency(us)": "latency",
               "target-residency(us)": "residency"}
UNCORE_FILES = {f"{name}-frequency(MHz)": file for name, file in
                [("minimum", "min_freq_khz"), ("maximum", "max_freq_khz"),
                 ("initial-minimum", "initial_min_freq_khz"),
                 ("initial-maximum", "initial_max_freq_khz"), ("current", "current_freq_khz")]}
CPUS = "/sys/devices/system/cpu"
WRITTEN = {"gnr0": "gnr-6980p-2s", "srf2": "srf-6746e-2s", "spr1": "spr-8460h-4s",
           "cwf0": "cwf-6990e-2s"}
COMPARED = [words.split() for words in ("perf-profile info", "core-power info", "cpuidle info",
                                        "-c 0 turbo-mode get-trl")]


class Failure(Exception):
    """Something that the machine contradicts."""


def require(is_so, text):
    if not is_so:
        raise Failure(text)


class Replay:
    """A recording, and the program on it."""

    def __init__(self, program, path, directory):
        self.program, self.path, self.directory = program, path, directory

    def run(self, *words):
        done = subprocess.run(["isst", "--simulate", str(self.path), "--simulate-state",
                               str(self.directory / "state"), *words], executable=self.program,
                              capture_output=True, text=True, timeout=600, check=False)
        require(done.returncode in STATUSES and "Sanitizer" not in done.stderr,
                f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
        return done

    def show(self, *words):
        """The JSON of a command; {} if the machine lacks what it shows."""
        done = self.run("-f", "json", "-o", "/dev/stdout", *words)
        try:
            tree = json.loads(done.stdout) if done.stdout.strip() else {}
        except ValueError as error:
            raise Failure(f"-f json {' '.join(words)}: {error}") from error
        tree.pop("simulated", None)
        return tree


def check_commands(replay):
    for words in questions.READING:
        done = replay.run(*words)
        require(done.stdout.strip() or done.stderr.strip(), f"{' '.join(words)}: says nothing")
        replay.show(*words)
    require(replay.run("metrics").stdout.endswith("# EOF\n"), "metrics: no end")


def check_state(replay):
    """What is exported is the machine's state, and the replay's recording the recording."""
    document = replay.directory / "state.json"
    document.write_text(replay.run("state", "export").stdout, encoding="utf-8")
    done = replay.run("state", "check", str(document))
    require(done.returncode == 0, f"state check: status {done.returncode}: {done.stdout}{done.stderr}")
    again = replay.directory / "again.json"
    replay.run("--simulate-reset")
    replay.run("machine", "record", "-o", str(again))
    first, second = (json.loads(path.read_text(encoding="utf-8")) for path in (replay.path, again))
    for name in first["recorded"]:
        require(first["recorded"][name] == second["recorded"].get(name),
                f"machine record: {name} of the replay differ")


def format_value(value, path):
    """The text of a file as commands show it."""
    if path.endswith("freq") or path.endswith("khz") or path.endswith("base_frequency"):
        return f"{int(value) / MHZ:.3f}".rstrip("0").rstrip(".")
    return value.strip()


def check_files(where, members, names, prefix, files):
    """Each member is what its file has, and is there if the file is."""
    nominal = files.get(prefix + "acpi_cppc/nominal_freq", "0")  # the base of other vendors, MHz
    for name, file in names.items():
        value = files.get(prefix + file)
        if value is None and file.endswith("base_frequency") and nominal != "0":
            value = f"{nominal}000"
        if value is not None and re.fullmatch(r"<.*>", value):
            continue
        expected = None if value is None else format_value(value, file)
        require(members.get(name) == expected,
                f"{where}: {name} is {members.get(name)}, and {prefix}{file} has {value}")


def cpus_of(tree):
    """The results of each CPU."""
    for name, value in tree.items():
        match = re.search(r"cpu-(\d+)$", name)
        if match:
            yield int(match[1]), value


def check_tree(replay, tree):
    """cpufreq, cpuidle and uncore."""
    files, seen = tree.files, set()
    for cpu, value in cpus_of(replay.show("cpufreq", "info")):
        seen.add(cpu)
        check_files(f"CPU {cpu}", value["cpufreq"], CPU_FILES, f"{CPUS}/cpu{cpu}/", files)
    require(seen == set(tree.cpus) or f"{CPUS}/cpu0/cpufreq/scaling_driver" not in files,
            "cpufreq info: CPUs are missing")
    for cpu, value in cpus_of(replay.show("cpuidle", "info")):
        for number in range(10):
            prefix = f"{CPUS}/cpu{cpu}/cpuidle/state{number}/"
            state = value["cpuidle"].get(f"state-{number}", {})
            check_files(f"CPU {cpu}", state, STATE_FILES, prefix, files)
            disable = files.get(prefix + "disable")
            status = {"0": "enabled", "1": "disabled", None: None}[disable]
            require(state.get("status") == status, f"CPU {cpu}: {prefix}disable has {disable}")
    check_uncore(replay.show("uncore", "info"), files)


def check_uncore(shown_tree, files):
    """Each directory is shown once; the sums of TPMI machines are not."""
    top = f"{CPUS}/intel_uncore_frequency/"
    directories = {path[len(top):].partition("/")[0] for path in files if path.startswith(top)}
    clusters = {name for name in directories if name.startswith("uncore")}
    expected = sorted(tuple(format_value(files[f"{top}{name}/{file}"], file)
                            if f"{top}{name}/{file}" in files else None
                            for file in UNCORE_FILES.values())
                      for name in clusters or directories)
    found = []
    for value in shown_tree.values():
        parts = [value["uncore"]] if "minimum-frequency(MHz)" in value["uncore"] else \
            value["uncore"].values()
        found += [tuple(part.get(name) for name in UNCORE_FILES) for part in parts]
    require(sorted(found, key=str) == sorted(expected, key=str),
            f"uncore info: {found}, and the files have {expected}")


def check_msrs(replay, tree):
    """What hardware says in MSRs too. The driver scales the figures of hybrid machines."""
    is_hybrid = "/sys/devices/cpu_core/cpus" in tree.files
    capabilities, about, limits = (tree.msr(number) for number in (0x771, 0xce, 0x1ad))
    highest, base, lowest = (f"{name}-frequency(MHz)" for name in
                             ("highest-possible", "base", "lowest-possible"))
    shown_of = {cpu: value["cpufreq"] for cpu, value in cpus_of(replay.show("cpufreq", "info"))
                if value["cpufreq"].get("driver") in ("intel_pstate", "intel_cpufreq")}
    for cpu, members in shown_of.items():
        expected = {}
        if not is_hybrid and tpmi.byte(capabilities.get(cpu, 255), 0) != 255:
            expected = {highest: tpmi.byte(capabilities[cpu], 0)}
            if base in members:
                expected[base] = tpmi.byte(capabilities[cpu], 1)
        if cpu in about:
            expected[lowest] = tpmi.byte(about[cpu], 5)
        for name, ratio in expected.items():
            require(members[name] == str(tpmi.RATIO * ratio),
                    f"CPU {cpu}: {name} is {members[name]}, and an MSR has {ratio}")
    if limits and shown_of:
        ratio = max(max(tpmi.octets(value)) for value in limits.values())
        most = max(int(members[highest]) for members in shown_of.values())
        require(most == tpmi.RATIO * ratio, f"the highest frequency is {most}, MSR 0x1AD has {ratio}")


def check_uncore_msr(replay, tree):
    """MSR 0x620 of a package has the limits of its uncore."""
    limits = tree.msr(0x620)
    for place, value in replay.show("uncore", "info").items() if limits else ():
        cpu = min(cpu for cpu in limits if tree.place_of[cpu][0] == int(re.findall(r"\d+", place)[0]))
        require([value["uncore"][f"{name}-frequency(MHz)"] for name in ("maximum", "minimum")] ==
                [str(tpmi.RATIO * tpmi.bits(limits[cpu], low + 6, low)) for low in (0, 8)],
                f"{place}: uncore is {value['uncore']}, and MSR 0x620 has {limits[cpu]:#x}")


def check_registers(replay, tree, packages):
    """What is shown of Speed Select beside the registers, and what hardware says twice."""
    cpus = {}
    for cpu, value in tree.msr(0x54).items():
        place = (tree.place_of[cpu][0], value >> 11 & 31)
        cpus.setdefault(place, {}).setdefault(value >> 3 & 255, []).append(cpu)
    parts = [shown.Part(package, number, registers, cpus.get((package, number), {}))
             for package, domains in enumerate(packages) for number, registers in domains.items()]
    replay.run("priority", "publish")
    problems = [problem for check in shown.CHECKS for problem in check(replay.show, parts)]
    problems += shown.compare_twice(replay.show, parts, tree)
    require(not problems, "\n".join(problems))


def check_lock(replay, unlocked, level):
    """The lock refuses a level that the machine without it takes; the description says it."""
    for machine, is_locked in (replay, True), (unlocked, False):
        machine.run("--simulate-reset")
        description = json.loads(machine.path.read_text(encoding="utf-8"))["description"]
        require(("unlocked here" in description) != is_locked, f"description: {description}")
        done = machine.run("perf-profile", "set-config-level", "-l", str(level))
        require(level == 0 or (done.returncode == 0) != is_locked,
                f"set-config-level -l {level}, locked {is_locked}: status {done.returncode}")


def import_machine(options, name, path, *words):
    subprocess.run([ROOT / "scripts/import-pepc", name, "--archive", options.archive, "--program",
                    options.program, "-o", path, *words], check=True)


def check_verified(replay, tree, with_registers):
    """machine verify beside the MSRs; on other processors than Intel's there is nothing to compare."""
    if tree.vendor() == "GenuineIntel":
        problems = list(verified.check(replay.show("machine", "verify"), tree, with_registers))
        require(not problems, "\n".join(problems))


class Recorded:
    """The files in a recording, of each CPU by its own path."""

    def __init__(self, path):
        recording, self.files = json.loads(path.read_text(encoding="utf-8")), {}
        for file, value in recording["recorded"]["files"].items():
            by_cpu = {file.replace("#", str(cpu), 1): one for cpus, one in value.items()
                      for cpu in numbers(cpus)} if "#/" in file else {file: value}
            self.files.update({name: one for name, one in by_cpu.items() if isinstance(one, str)})
        self.cpus = sorted(numbers(self.files[f"{CPUS}/online"]))
        self.place_of = {cpu: (int(self.files[f"{CPUS}/cpu{cpu}/topology/physical_package_id"]),)
                         for cpu in self.cpus}

    def msr(self, number):
        paths = {cpu: f"/dev/cpu/{cpu}/msr@{number:#x}" for cpu in self.cpus}
        return {cpu: int(self.files[path], 16) for cpu, path in paths.items() if path in self.files}

    def vendor(self):
        return re.search(r"vendor_id\s*: (\S+)", self.files["/proc/cpuinfo"])[1]


def check_written(replay, path):
    """A platform file that was written for this processor by hand shows the same of it."""
    written = Replay(replay.program, path, replay.directory / "written")
    written.directory.mkdir()
    for words in COMPARED:
        found, expected = (machine.show(*words) for machine in (written, replay))
        for name in expected:
            require(name == "machine" or found.get(name) == expected[name],
                    f"{path.stem}: {' '.join(words)}: {name} is otherwise recorded")


def check_shipped(options, name, directory):
    """A platform of ours, without the archive."""
    replay = Replay(options.program, options.shipped / f"{name}.json", directory)
    if name in WRITTEN:
        check_written(replay, options.shipped / f"{WRITTEN[name]}.json")
    check_commands(replay)
    check_state(replay)
    recorded = Recorded(replay.path)
    check_tree(replay, recorded)
    with_registers = "tpmi levels" in replay.path.read_text(encoding="utf-8")
    check_verified(replay, recorded, with_registers)


def check_machine(options, name, directory):
    path = (options.keep or directory) / f"{name}.json"
    import_machine(options, name, path)
    if options.shipped:
        require(path.read_bytes() == (options.shipped / path.name).read_bytes(),
                "the platform is not what is imported now")
    tree = Tree(read_archive(options.archive, name))
    replay = Replay(options.program, path, directory)
    if not options.shipped:
        check_commands(replay)
        check_state(replay)
    check_tree(replay, tree)
    check_msrs(replay, tree)
    check_uncore_msr(replay, tree)
    domains = read_domains(tree)
    check_verified(replay, tree, bool(domains))
    if domains:
        check_registers(replay, tree, domains)
        unlocked = Replay(options.program, directory / "unlocked.json", directory / "unlocked")
        unlocked.directory.mkdir()
        import_machine(options, name, unlocked.path, "--unlocked")
        check_lock(replay, unlocked, max(domains[0][0].levels()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--shipped", type=pathlib.Path, help="platforms that are imported machines")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names, failed, checks = options.names, [], []
    if options.shipped:
        checks.append(check_shipped)
    if options.archive.exists():
        checks.append(check_machine)
    else:
        print(f"{options.archive} is not there: nothing is compared with it")
    if checks == [check_machine] and not names and options.archive.is_dir():
        names = sorted(path.name for path in (options.archive / "tests/emul-data").iterdir())
    elif checks == [check_machine] and not names:
        with tarfile.open(options.archive) as archive:
            names = sorted({member.name.split("/")[-3] for member in archive
                            if member.name.endswith("/proc/cpuinfo")})
    if not checks or not names:
        reason = "no machine is chosen" if checks else "no archive"
        print(f"SKIPPED: {reason}: {options.archive}")
        sys.exit(SKIPPED)
    for name in names:
        with tempfile.TemporaryDirectory() as directory:
            try:
                for check in checks:
                    check(options, name, pathlib.Path(directory))
                print(f"{name}: as recorded", flush=True)
            except Failure as failure:
                print(f"{name}: {failure}", flush=True)
                failed.append(name)
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
