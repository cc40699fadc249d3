#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
`machine verify` on recordings of real machines: each row has what an MSR of the machine has (check()),
and a value that is changed in a recording, on either side, shows in the rows that compare it and in
no others.

    verified.py --program PROGRAM --shipped DIRECTORY
"""

import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/model"))

# pylint: disable=wrong-import-position
import tpmi  # noqa: E402
from described import numbers  # noqa: E402

CPUS = "/sys/devices/system/cpu"
DRIVERS = ("intel_pstate", "intel_cpufreq")
WRONG = ("differs", "not read")
UNKNOWN_RATIOS = (0, 255)


def mhz(ratio):
    return f"{tpmi.RATIO * ratio} MHz"


def of_cpus(tree):
    """What MSRs have of each CPU, by check; the driver scales ratios of hybrid machines."""
    is_hybrid = f"{CPUS}/../../cpu_core/cpus" in tree.files or "/sys/devices/cpu_core/cpus" in tree.files
    capabilities, about = tree.msr(0x771), tree.msr(0xce)
    found = {"highest": {}, "guaranteed": {}, "base": {}, "lowest": {}}
    for cpu in tree.cpus:
        policy = f"{CPUS}/cpu{cpu}/cpufreq"
        if tree.files.get(f"{policy}/scaling_driver", "").strip() not in DRIVERS:
            continue
        has_base = f"{policy}/base_frequency" in tree.files
        if not is_hybrid and cpu in capabilities:
            highest, guaranteed = (tpmi.byte(capabilities[cpu], index) for index in range(2))
            if highest not in UNKNOWN_RATIOS:
                found["highest"][cpu] = mhz(highest)
            if has_base:
                found["guaranteed"][cpu] = mhz(guaranteed)
        if cpu in about:
            found["lowest"][cpu] = mhz(tpmi.byte(about[cpu], 5))
            # another guaranteed ratio: SST-BF, or TDP that was configured
            base = tpmi.byte(about[cpu], 1)
            if not is_hybrid and has_base and tpmi.byte(capabilities.get(cpu, base << 8), 1) == base:
                found["base"][cpu] = mhz(base)
    return found


def of_packages(tree, with_registers):
    """What MSRs have of each package, by check."""
    found = {}
    uncores = tree.files.get(f"{CPUS}/intel_uncore_frequency", "") or any(
        "/intel_uncore_frequency/package_" in path for path in tree.files)
    for package in sorted({place[0] for place in tree.place_of.values()}):
        cpu = min(cpu for cpu in tree.cpus if tree.place_of[cpu][0] == package)
        values = {number: tree.msr(number).get(cpu) for number in
                  (0xce, 0x1ad, 0x1ae, 0x606, 0x614, 0x620)}
        if values[0x620] is not None and uncores:
            low, high = (tpmi.bits(values[0x620], first + 6, first) for first in (8, 0))
            found.setdefault("uncore-limits", {})[package] = f"{mhz(low)[:-4]}-{mhz(high)}"
        if not with_registers:
            continue
        found.setdefault("turbo-cores", {})[package] = " ".join(
            map(str, tpmi.octets(values[0x1ae])))
        found.setdefault("turbo-ratios", {})[package] = " ".join(
            str(tpmi.RATIO * ratio) for ratio in tpmi.octets(values[0x1ad]))
        found.setdefault("level-0-base", {})[package] = mhz(tpmi.byte(values[0xce], 1))
        if values[0x614]:
            watts = tpmi.bits(values[0x614], 14, 0) >> tpmi.bits(values[0x606], 3, 0)
            found.setdefault("tdp", {})[package] = f"{watts} W"
    return found


def verdicts(document, check, member):
    """The rows of a check by CPU or package."""
    return {number: row for row in document.get("rows", []) if row["check"] == check and member in row
            for number in numbers(row[member])}


def check(document, tree, with_registers):
    """What is wrong in the result of machine verify on a real machine, which contradicts nothing."""
    for row in document.get("rows", []):
        if row["result"] in WRONG:
            yield f"machine verify: {row}"
    expected = [("cpus", of_cpus(tree)), ("packages", of_packages(tree, with_registers))]
    for member, values_of in expected:
        for name, values in values_of.items():
            rows = verdicts(document, name, member)
            for number, value in values.items():
                row = rows.get(number, {})
                if (row.get("found"), row.get("result")) != (value, "agrees"):
                    yield f"machine verify: {name} of {number} is {row}, an MSR has {value}"
            for number in rows.keys() - values.keys():
                if rows[number]["result"] != "unknown":
                    yield f"machine verify: {name} of {number} is {rows[number]}, no MSR has it"
    limits = tree.msr(0x1ad).values()
    most = max((max(tpmi.octets(value)) for value in limits), default=0)
    for row in document.get("rows", []):
        if row["check"] == "highest-of-all" and most and row.get("found") != mhz(most):
            yield f"machine verify: {row}, MSR 0x1AD has {most}"


class Machine:
    """A recording that can be changed."""

    def __init__(self, options, name, directory, recorded=None):
        path = options.shipped / f"{name}.json"
        self.program, self.directory = options.program, directory
        self.recording = json.loads(path.read_text(encoding="utf-8"))
        if recorded:
            self.recording["recorded"] = recorded
        self.files = self.recording["recorded"]["files"]

    @classmethod
    def answering(cls, options, name, directory):
        """A platform that was written by hand, with its recording: what is changed there is not what
        its model does."""
        path = directory / "recording.json"
        subprocess.run([options.program, "--simulate", str(options.shipped / f"{name}.json"),
                        "--simulate-state", tempfile.mkdtemp(dir=directory), "-o", str(path),
                        "machine", "record"], check=True, stderr=subprocess.DEVNULL)
        machine = cls(options, name, directory, json.loads(path.read_text("utf-8"))["recorded"])
        machine.recording["recorded"].pop("simulated")
        return machine

    def set_cpu(self, path, cpu, value):
        """Gives a CPU another value of a file."""
        self.files[path] = {",".join(map(str, sorted(numbers(cpus) - {cpu}))): old
                            for cpus, old in self.files[path].items() if numbers(cpus) != {cpu}}
        self.files[path][str(cpu)] = value

    def set_all(self, path, value):
        self.files[path] = {cpus: value for cpus in self.files[path]}

    def edit_requests(self, pattern, replacement):
        lines = self.recording["recorded"]["requests"]
        edited = [re.sub(pattern, replacement, line) for line in lines]
        assert edited != lines, pattern
        self.recording["recorded"]["requests"] = edited

    def verify(self, *words):
        """The status, the result, and the checks with a row that is wrong."""
        path = self.directory / "changed.json"
        path.write_text(json.dumps(self.recording), encoding="utf-8")
        done = subprocess.run(
            [self.program, "--simulate", str(path), "--simulate-state",
             tempfile.mkdtemp(dir=self.directory), "-f", "json", "-o", "-", "machine", "verify", *words], capture_output=True, text=True,
            check=False, timeout=120)
        document = json.loads(done.stdout or "{}")
        wrong = {row["check"] for row in document.get("rows", []) if row["result"] in WRONG}
        return done.returncode, document, wrong, done.stderr


def msr(number):
    return f"/dev/cpu/#/msr@{number:#x}"


def policy(name):
    return f"{CPUS}/cpu#/cpufreq/{name}"


def add_zone(machine, range_uj):
    """powercap, as a machine with energy units of 2^-14 J has it."""
    machine.files["/sys/class/powercap"] = ["intel-rapl", "intel-rapl:0"]
    machine.files["/sys/class/powercap/intel-rapl:0/name"] = "package-0"
    machine.files["/sys/class/powercap/intel-rapl:0/max_energy_range_uj"] = range_uj


# A change of a recording, and the checks that show it.
CHANGES = [
    ("gnr0", lambda m: None, set()),
    ("gnr0", lambda m: m.set_cpu(msr(0x771), 3, "0x0000000005081426"), {"highest"}),
    ("gnr0", lambda m: m.set_cpu(msr(0x771), 300, "0x0000000005081327"), {"guaranteed"}),
    ("gnr0", lambda m: m.set_all(msr(0x614), "0x000f12c000000fa8"), {"tdp"}),
    ("gnr0", lambda m: m.set_all(msr(0xce), "0x0405082cf9801300"), {"base", "level-0-base"}),
    ("gnr0", lambda m: m.set_cpu(msr(0xce), 511, "0x0405072cf9801400"), {"lowest"}),
    ("gnr0", lambda m: m.set_all(policy("cpuinfo_max_freq"), "3800000"),
     {"highest", "highest-of-all"}),
    ("gnr0", lambda m: m.set_cpu(policy("base_frequency"), 5, "2100000"),
     {"guaranteed", "base", "level-base"}),
    ("gnr0", lambda m: m.set_cpu(policy("scaling_driver"), 7, {"error": "EIO"}), {"cpufreq"}),
    ("gnr0", lambda m: m.edit_requests(r"(msr:0x1ae data:0x)80", r"\g<1>7f"), {"turbo-cores"}),
    ("gnr0", lambda m: m.edit_requests(r"(msr:0x1ad data:0x)20", r"\g<1>21"), {"turbo-ratios"}),
    ("gnr0", lambda m: m.edit_requests(r"^(tpmi level cores: .*mask:\d*)7$", r"\g<1>6"),
     {"enabled-cpus"}),
    ("gnr0", lambda m: m.edit_requests(r"^(tpmi level: .*thermal_design_power_w:)500", r"\g<1>499"),
     {"tdp"}),
    ("gnr0", lambda m: m.edit_requests(r"^(tpmi level: .*base_freq_mhz:)2000", r"\g<1>1900"),
     {"level-0-base", "level-base"}),
    ("gnr0", lambda m: add_zone(m, "262143328850"), set()),
    ("gnr0", lambda m: add_zone(m, "131071664425"), {"energy-unit"}),
    # what hypervisors have of MSRs
    ("gnr0", lambda m: [m.set_all(msr(number), "0x0000000000000000") for number in (
        0xce, 0x606, 0x614, 0x771)] + [add_zone(m, "262143328850")], set()),
    ("clx2s0", lambda m: m.set_all(msr(0x620), "0x0000000000000000"), set()),
    ("clx2s0", lambda m: None, set()),
    ("clx2s0", lambda m: m.set_cpu(msr(0x620), 0, "0x0000000000000917"), {"uncore-limits"}),
]


def run_changes(options, directory):
    for number, (name, change, expected) in enumerate(CHANGES):
        machine = Machine(options, name, directory)
        change(machine)
        status, document, wrong, stderr = machine.verify()
        if (status, wrong) != (6 if expected else 0, expected):
            yield f"change {number} of {name}: status {status}, wrong {wrong}: {stderr}"
        count = sum(row["result"] in WRONG for row in document.get("rows", []))
        if document.get("differ") != count:
            yield f"change {number} of {name}: {document.get('differ')} differ, {count} rows do"
    machine = Machine(options, "gnr0", directory)
    add_zone(machine, "262143328850")
    rows = {row["check"]: row for row in machine.verify()[1].get("rows", [])}
    if rows.get("energy-unit", {}).get("found") != "61035 nJ":
        yield f"energy unit: {rows.get('energy-unit')}"


def run_unreadable(options, directory):
    """Without MSRs there is nothing wrong, and the reason is shown."""
    for error, word in ("ENOENT", "module msr"), ("EACCES", "root"), ("EIO", "no such MSR"):
        machine = Machine(options, "emr9", directory)
        for path in [path for path in machine.files if path.startswith("/dev/cpu/")]:
            machine.files[path] = {cpus: {"error": error} for cpus in machine.files[path]}
        status, document, wrong, stderr = machine.verify()
        reasons = {row.get("reason", "") for row in document.get("rows", []) if "MSR" in row.get("source", "")}
        if status != 1 or wrong or "nothing could be compared" not in stderr or \
                not all(word in reason for reason in reasons) or not reasons:
            yield f"{error}: status {status}, wrong {wrong}, reasons {reasons}: {stderr}"


def run_isolated(options, directory):
    """Isolated CPUs are asked nothing: what only they say differently is not seen, nor are they busy."""
    for isolated, expected in ("0,5", "agrees"), ("0-23,48-71", "unknown"):
        machine = Machine(options, "clx2s0", directory)
        machine.files[f"{CPUS}/isolated"] = isolated
        for cpu in numbers(isolated):
            machine.set_cpu(msr(0x620), cpu, "0x0000000000000917")
            machine.set_cpu(msr(0x771), cpu, "0x0000000000051111")
            machine.set_cpu(policy("scaling_driver"), cpu, {"error": "EIO"})
        status, document, wrong, stderr = machine.verify("--measure")
        asked = {cpu for row in document.get("rows", []) for cpu in numbers(row.get("cpus", ""))}
        busy = max(row.get("cores", 0) for row in document.get("rows", [{}]))
        uncore = verdicts(document, "uncore-limits", "packages").get(0, {}).get("result")
        cores = 48 - len(numbers(isolated)) // 2 if expected == "unknown" else 48
        if status or wrong or asked & numbers(isolated) or uncore != expected or busy != cores or \
                f"isolated CPUs {isolated} are not compared" not in stderr or "--cpu" in stderr:
            yield f"isolated {isolated}: status {status}, {wrong}, {busy} busy, {uncore}: {stderr}"


def run_levels(options, directory):
    """A current level that cannot be, of the mailbox and of TPMI, is one that is not read."""
    for name, pattern in (("icx-8360y-2s", r"(sub_command:0x0 .*resp_data:0x80)00"),
                          ("gnr-6776p-2s", r"^(tpmi levels: .*current_level:)\d+")):
        for level, text in (8, "08"), (255, "ff"):
            machine = Machine.answering(options, name, directory)
            machine.edit_requests(pattern, rf"\g<1>{text if 'resp' in pattern else level}")
            status, document, _, stderr = machine.verify()
            failed = {row["check"] for row in document.get("rows", []) if row["result"] == "not read"}
            if status != 6 or "perf-profile" not in failed:
                yield f"{name}, level {level}: status {status}, not read {failed}: {stderr}"


def run_measured(options, directory):
    """Busy cores: the model is the silicon, and the driver's figures are what is predicted."""
    for counts, expected in (None, "by package"), ("power-domain", "by power domain"):
        machine = Machine(options, "gnr0", directory)
        if counts:
            machine.recording["turbo-counts"] = counts
        status, document, wrong, stderr = machine.verify("--measure")
        rows = [row for row in document.get("rows", []) if row["check"] == "turbo-counts"]
        busy = [row["cores"] for row in document.get("rows", []) if row["check"] == "busy-cores"]
        if status or wrong or [row["shown"] for row in rows] != [expected] or \
                not {1, 32, 64, 128, 256} <= set(busy):
            yield f"--measure, {counts}: status {status}, wrong {wrong}, {rows}, {busy}: {stderr}"
    for edits in [[(r"(trl_freq_mhz:)3900", r"\g<1>4100"), (r"(msr:0x1ad data:0x.*)27$", r"\g<1>29")],
                  [(r"(trl_freq_mhz:(?:\d+,){6})3200,3200", r"\g<1>2900,2900")]]:
        machine = Machine.answering(options, "gnr-6980p-2s", directory)
        for edit in edits:
            machine.edit_requests(*edit)
        for path in policy("cpuinfo_max_freq"), policy("scaling_max_freq"):
            machine.set_all(path, "4200000")
        wrong = machine.verify("--measure")[2]
        if "busy-cores" not in wrong:
            yield f"--measure, {edits}: {wrong}"


def run_saved(options, directory):
    """The file has the table, and a recording without names that replays the same table."""
    machine = Machine(options, "gnr0", directory)
    machine.files["/proc/cmdline"] = "quiet isolcpus=5 secret=word"
    machine.files["/proc/irq"] = ["24"]
    machine.files["/proc/irq/24"] = ["eth-customer"]
    saved = directory / "saved.json"
    _, document, _, _ = machine.verify("--save", str(saved))
    text = saved.read_text(encoding="utf-8")
    whole = json.loads(text)
    if whole["rows"] != document.get("rows", []) or whole["kernel"] != "6.18.8":
        yield f"--save: kernel {whole['kernel']}, rows {whole['rows']}"
    for word in "secret", "isolcpus", "customer", "fc43":
        if word in text:
            yield f"--save: the file has {word}"
    again = copy.copy(machine)
    again.recording = whole["recording"]
    if again.verify()[1].get("rows") != document.get("rows", []):
        yield "--save: the recording in the file has another table"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--shipped", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).absolute())
    problems = []
    for run in (run_changes, run_levels, run_unreadable, run_isolated, run_measured, run_saved):
        with tempfile.TemporaryDirectory() as directory:
            problems += run(options, pathlib.Path(directory))
    for problem in problems:
        print(problem)
    sys.exit(f"{len(problems)} problems" if problems else None)


if __name__ == "__main__":
    main()
