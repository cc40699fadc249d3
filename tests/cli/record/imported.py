#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Real machines of Intel's pepc (scripts/import-pepc): every reading command ends with a known status
and says something, JSON is JSON, a state that is exported is the machine's, a recording of the
replay is the recording, and what is shown of CPUs, uncores and Speed Select is what their files
and registers have.

    imported.py --program PROGRAM --archive FILE [--keep DIRECTORY] [NAME...]

Without NAME: all machines. Without the archive, nothing is tested. --keep: a directory for the
recordings.
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
import tpmi  # noqa: E402
from described import numbers  # noqa: E402
from pepc import Tree, read_archive, read_domains  # noqa: E402

COMMANDS = [command.split() for command in """
machine summary|machine check realtime|machine check latency|machine check throughput|cpufreq info
cpuidle info|uncore info|-c 0 cpufreq explain|-c 0-1 cpufreq explain --isa avx512|perf-profile info
perf-profile compare|perf-profile get-config-levels|perf-profile get-lock-status|base-freq info -l 0
turbo-freq info -l 0|core-power info|core-power get-config -c 0|-c 0 core-power get-assoc
-c 0 turbo-mode get-trl|machine choose --cores 2|priority publish --dry-run|priority show
state export|state export --portable|state reset --dry-run|--info|-c 0 measure run --seconds 1
""".strip().replace("\n", "|").split("|")]
STATUSES = {0, 1, 2, 3, 6}
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
    for words in COMMANDS:
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


def shown(value, path):
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
        expected = None if value is None else shown(value, file)
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
    expected = sorted(tuple(shown(files[f"{top}{name}/{file}"], file)
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


def check_registers(replay, tree):
    """Every level of every power domain; what hardware says twice."""
    packages = read_domains(tree)
    tree_shown = {}
    for name, value in replay.show("perf-profile", "info").items():
        match = re.match(r"package-(\d+):.*powerdomain-(\d+):cpu", name)
        if match:
            tree_shown[int(match[1]), int(match[2])] = value
    for package, domains in enumerate(packages):
        counts = [0] * tpmi.BUCKETS
        for number, domain in domains.items():
            for level in domain.levels():
                check_level(f"package {package}, power domain {number}, level {level}",
                            tree_shown[package, number][f"perf-profile-level-{level}"], domain, level)
            if domain.cores(0):
                counts = [sum(pair) for pair in zip(counts, domain.info(0)["counts"])]
        cpu = min(cpu for cpu in tree.cpus if tree.place_of[cpu][0] == package)
        msr = tree.msr(0x1ae)[cpu]
        require(counts == [tpmi.byte(msr, bucket) for bucket in range(tpmi.BUCKETS)],
                f"package {package}: MSR 0x1AE has {msr:#x}, the power domains {counts}")


def check_level(where, level, domain, number):
    """A level's figures beside its registers."""
    info, fast, turbo = (read(number) for read in (domain.info, domain.base_freq,
                                                   domain.turbo_freq))
    expected = {"thermal-design-power-ratio": info["base"][0] // tpmi.RATIO,
                "base-frequency(MHz)": info["base"][0], "base-frequency-avx2(MHz)": info["base"][1],
                "base-frequency-avx512(MHz)": info["base"][2],
                "base-frequency-amx(MHz)": info["base"][3],
                "uncore-frequency-max(MHz)": info["fabric"][0],
                "uncore-frequency-base(MHz)": info["fabric"][1],
                "uncore-frequency-min(MHz)": info["fabric"][2],
                "max-mem-frequency(MHz)": info["memory_mhz"],
                "thermal-design-power(W)": info["tdp_w"], "tjunction-max(C)": info["tjunction_c"],
                "speed-select-base-freq": "disabled" if fast else "unsupported",
                "speed-select-turbo-freq": "disabled" if turbo else "unsupported"}
    for name, value in expected.items():
        require(level.get(name) == (str(value) if value else None),
                f"{where}: {name} is {level.get(name)}, and the register has {value}")
    for isa, row in enumerate(info["mhz"]):
        buckets = level.get(f"turbo-ratio-limits-level-{isa}", {})
        found = [(int(bucket["core-count"]), int(bucket["max-turbo-frequency(MHz)"]))
                 for bucket in buckets.values()]
        require(found == [pair for pair in zip(info["counts"], row) if pair[1]],
                f"{where}: turbo-ratio limits {isa}: {found}")
    found = level.get("speed-select-base-freq-properties", {})
    if fast:
        require(found.get("high-priority-base-frequency(MHz)") == str(fast["high"]) and
                found.get("low-priority-base-frequency(MHz)") == str(fast["low"]),
                f"{where}: SST-BF is {found}, and the register has {fast}")


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


def check_machine(options, name, directory):
    path = (options.keep or directory) / f"{name}.json"
    import_machine(options, name, path)
    tree = Tree(read_archive(options.archive, name))
    replay = Replay(options.program, path, directory)
    check_commands(replay)
    check_state(replay)
    check_tree(replay, tree)
    domains = read_domains(tree)
    if domains:
        check_registers(replay, tree)
        unlocked = Replay(options.program, directory / "unlocked.json", directory / "unlocked")
        unlocked.directory.mkdir()
        import_machine(options, name, unlocked.path, "--unlocked")
        check_lock(replay, unlocked, max(domains[0][0].levels()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not options.archive.exists():
        print(f"{options.archive} is not there: nothing is tested")
        return
    names, failed = options.names, []
    if not names and options.archive.is_dir():
        names = sorted(path.name for path in (options.archive / "tests/emul-data").iterdir())
    elif not names:
        with tarfile.open(options.archive) as archive:
            names = sorted({member.name.split("/")[-3] for member in archive
                            if member.name.endswith("/proc/cpuinfo")})
    for name in names:
        with tempfile.TemporaryDirectory() as directory:
            try:
                check_machine(options, name, pathlib.Path(directory))
                print(f"{name}: as recorded", flush=True)
            except Failure as failure:
                print(f"{name}: {failure}", flush=True)
                failed.append(name)
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
