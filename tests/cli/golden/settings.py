#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The features that need no Speed Select, on one simulated machine: text and JSON of each are the same
tree, what is set is found, and what is set back leaves the machine as it was, as does a command of
which a write is refused.
"""

import argparse
import json
import pathlib
import re
import sys

import machine
import tree

READING = [["cpufreq", "info"], ["cpufreq", "info", "--each"], ["cpuidle", "info", "--usage"],
           ["uncore", "info"], ["-c", "0,1", "cpufreq", "explain"]]
SETTING = [
    ("cpufreq", ["-c", "0-1", "cpufreq", "set", "--lock", "base"],
     ["-c", "0-1", "cpufreq", "set", "--min", "min", "--max", "max"]),
    ("cpufreq", ["cpufreq", "set", "--max", "min"], ["cpufreq", "set", "--max", "max"]),
    ("cpufreq", ["cpufreq", "set", "--governor", "performance"],
     ["cpufreq", "set", "--governor", "powersave"]),
    ("cpufreq", ["cpufreq", "set", "--hwp-boost", "on", "--max-pct", "60"],
     ["cpufreq", "set", "--hwp-boost", "off", "--max-pct", "100"]),
    ("cpufreq", ["cpufreq", "set", "--pstate", "passive"], ["cpufreq", "set", "--pstate", "active"]),
    ("cpufreq", ["-c", "1", "cpufreq", "set", "--epp", "power", "--epb", "power"], None),
    ("cpuidle", ["cpuidle", "set", "--deepest", "POLL", "--qos-latency", "0"],
     ["cpuidle", "set", "--max-latency", "4294967295us", "--qos-latency", "none"]),
    ("cpuidle", ["cpuidle", "set", "--governor", "teo"], ["cpuidle", "set", "--governor", "menu"]),
    ("uncore", ["uncore", "set", "--min", "1000", "--max", "1200"], None),
]
UMWAIT = ("cpuidle", ["cpuidle", "set", "--c02", "off", "--umwait-max-time", "4"],
          ["cpuidle", "set", "--c02", "on", "--umwait-max-time", "100000"])
DEMOTION = ("cpuidle", ["cpuidle", "set", "--c1-demotion", "off"],
            ["cpuidle", "set", "--c1-demotion", "on"])
# Of each of these every single write is refused.
REFUSED = [
    ("cpufreq", [], ["-c", "0-1", "cpufreq", "set", "--lock", "base", "--epp", "192", "--epb", "8",
                     "--turbo", "off"]),
    ("cpufreq", [], ["-c", "0-1", "cpufreq", "set", "--governor", "performance", "--min", "max"]),
    ("cpufreq", ["-c", "0-1", "cpufreq", "set", "--governor", "performance", "--lock", "base"],
     ["-c", "0-1", "cpufreq", "set", "--governor", "powersave", "--epp", "power", "--min", "min",
      "--max", "min"]),
    ("cpufreq", [], ["cpufreq", "set", "--min-pct", "50", "--max-pct", "60", "--hwp-boost", "on"]),
    ("cpufreq", ["-c", "0-1", "cpufreq", "set", "--governor", "performance", "--lock", "base",
                 "--hwp-boost", "on", "--max-pct", "90"],
     ["-c", "0-1", "cpufreq", "set", "--pstate", "passive", "--governor", "schedutil", "--min",
      "min", "--epp", "power", "--max-pct", "80"]),
    ("cpufreq", ["cpufreq", "set", "--pstate", "passive", "--governor", "ondemand"],
     ["-c", "0", "cpufreq", "set", "--pstate", "active", "--hwp-boost", "on", "--turbo", "off",
      "--governor", "performance"]),
    ("cpuidle", [], ["-c", "0-1", "cpuidle", "set", "--deepest", "C1", "--qos-latency", "0",
                     "--governor", "teo"]),
    ("uncore", [], ["uncore", "set", "--min", "1000", "--max", "1200"]),
]
PLACE = re.compile(r"(package|die|powerdomain|cpu)-")


def cpus_of(name):
    """The CPUs of a node of text: "cpu-0,2-3"."""
    for part in name.removeprefix("cpu-").split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def join_places(node, path, into):
    """Moves what is below packages, dies and CPUs to members named by their paths."""
    for name, value in node.items():
        if not PLACE.match(name):
            (into if not path else into.setdefault(":".join(path), {}))[name] = value
        elif name.startswith("cpu-"):
            for cpu in cpus_of(name):
                into[":".join([*path, f"cpu-{cpu}"])] = value
        else:
            join_places(value, [*path, name], into)


def from_text(text):
    """Indented text as the object that JSON shows."""
    mark, _, lines = text.partition("\n")
    root, path = {"simulated": mark.removeprefix("simulated machine ")}, []
    for line in lines.splitlines():
        depth = tree.depth_of(line)
        del path[depth - 1:]
        parent = path[-1] if path else root
        name, colon, value = line.strip().partition(":")
        node = value if colon else parent.setdefault(name, {})
        if colon:
            tree.put(parent, name, value)
        path.append(node)
    joined = {}
    join_places(root, [], joined)
    return joined


class Checker:
    """Runs the program on one machine; problems collect what is wrong."""

    def __init__(self, program, box):
        self.program = program
        self.box = box
        self.problems = []

    def run(self, argv, status=0):
        run = self.box.run(self.program, ["-o", str(self.box.out), *argv])
        if run.status != status:
            self.problems.append(f"{argv}: status {run.status}: {run.stderr or run.out}")
        return run

    def look(self, feature):
        return self.run([feature, "info"]).out

    def check_reading(self, argv):
        text = self.run(argv).out
        document = self.run(["-f", "json", *argv]).out
        if text is None or document is None:
            self.problems.append(f"{argv}: no output")
        elif from_text(text) != tree.from_json(document):
            self.problems.append(f"{argv}: text and JSON differ")

    def check_setting(self, feature, argv, back):
        """Dry runs change nothing, settings do, and setting back restores the first state."""
        before = self.look(feature)
        plan = self.run(["--dry-run", *argv]).out
        if not plan or self.look(feature) != before:
            self.problems.append(f"{argv}: a dry run shows nothing or changes something")
        self.run(argv)
        if self.look(feature) == before:
            self.problems.append(f"{argv}: nothing has changed")
        if self.run(["--dry-run", *argv]).out:
            self.problems.append(f"{argv}: not all of it was set")
        if back:
            self.run(back)
        if back and self.look(feature) != before:
            self.problems.append(f"{back}: it is not as it was before {argv}")

    def check_refusals(self, feature, setup, argv):
        """If one write is refused, all are undone, and the result of each part shows that."""
        if setup:
            self.run(setup)
        before = self.look(feature)
        plan = tree.from_json(self.run(["-f", "json", "--dry-run", *argv]).out)
        for write in (plan[name] for name in plan if name != "simulated"):
            faults = self.box.state / "faults.json"
            faults.write_text(json.dumps({"orders": [
                {"at": "write", "path": write["where"], "error": "EIO",
                 # undoing another mode of intel_pstate writes the same files
                 **({"times": 1} if "--pstate" in argv else {})}]}), encoding="utf-8")
            run = self.run(argv, status=1)
            faults.unlink()
            if "Input/output error" not in run.stderr or "success" in run.out:
                self.problems.append(f"{argv}: {write}: {run.stderr}{run.out}")
            if self.look(feature) != before:
                self.problems.append(f"{argv}: {write}: not as it was before")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True)
    arguments = parser.parse_args()
    problems = []
    with machine.temporary_directory() as directory:
        checker = Checker(arguments.program, machine.Machine(directory, arguments.platform))
        for argv in READING:
            checker.check_reading(argv)
        for setting in SETTING:
            checker.check_setting(*setting)
        platform = json.loads(pathlib.Path(arguments.platform).read_text(encoding="utf-8"))
        for setting, has_it in ((UMWAIT, platform["umwait"]),
                                (DEMOTION, "c1_demotion" in platform["cpuidle"])):
            if has_it:
                checker.check_setting(*setting)
            else:
                checker.run(setting[1], status=3)
        for argv in READING:
            checker.check_reading(argv)
        problems += checker.problems
    for refused in REFUSED:
        with machine.temporary_directory() as directory:
            checker = Checker(arguments.program, machine.Machine(directory, arguments.platform))
            checker.check_refusals(*refused)
            problems += checker.problems
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
