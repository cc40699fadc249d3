#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
One core has one figure: what cpufreq explain, machine summary, priority show and the prediction of
measure run say of each online CPU, all of them busy, in several settings; and what measure run
finds is that, unless power limits it. Prints the figures that differ, side by side.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

DEADLINE_S = 120
NEAR_MHZ = 5
FAST = ["-c", "siblings:0-3"]
LEVEL = ["perf-profile", "set-config-level", "-l", "1", "-o"]
# Settings; one that a machine lacks is left out there.
SETTINGS = {
    "as it is": [],
    "SST-TF": [["turbo-freq", "enable"]],
    "SST-TF of some cores": [[*FAST, "turbo-freq", "enable", "-a"]],
    "SST-BF": [["base-freq", "enable", "-a"]],
    "another level": [LEVEL],
    "another level with SST-TF": [LEVEL, [*FAST, "turbo-freq", "enable", "-a"]],
    "a limit": [[*FAST, "cpufreq", "set", "--max", "1800"]],
    "a CLOS with a limit": [["core-power", "enable", "-p", "1"],
                            ["core-power", "config", "--clos", "2", "-m", "1700"],
                            [*FAST, "core-power", "assoc", "--clos", "2"]],
    "turbo off": [["cpufreq", "set", "--turbo", "off"]],
    "low turbo-ratio limits": [["turbo-mode", "set-trl", "-t", "0x1818181818181818"]],
}


def cpus_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Box:
    """A simulated machine."""

    def __init__(self, program, platform, directory):
        self.command = [program, "--simulate", platform, "--simulate-state", directory]

    def run(self, *words):
        return subprocess.run([*self.command, *words], capture_output=True, text=True,
                              check=False, timeout=DEADLINE_S)

    def json(self, *words):
        done = self.run("-f", "json", *words)
        return json.loads(done.stdout) if done.stdout else {}

    def figures(self):
        """By CPU: what each command says, in MHz; and the CPUs that power limits."""
        summary = self.json("machine", "summary")
        online = summary["cpus"]["online-cpus"]
        found = {cpu: {} for cpu in cpus_of(online)}
        for place, node in self.json("-c", online, "cpufreq", "explain").items():
            if isinstance(node, dict):
                cpu = int(place.rpartition("-")[2])
                explain = node["explain"]
                found[cpu]["explain"] = (None if "maximum-unknown" in explain
                                         else float(explain["maximum-frequency(MHz)"]))
        for row in summary["cpufreq"]["groups"]:
            for cpu in cpus_of(row["cpus"]):
                found[cpu]["summary"] = row["up-to-mhz"]
        for row in self.json("priority", "show", "--threads", "all").get("cpus", []):
            found[row["cpu"]]["priority"] = row["mhz"]
        run = self.json("measure", "run", "-c", online, "--seconds", "1", "--load", "scalar")
        tdp_w = min((level["tdp-w"] or 0 for level in summary["levels"]), default=0)
        at_limit = {row["package"] for row in run["packages"]
                    if (row["watts"] or 0) > 0.98 * tdp_w}
        for row in run["cpus"]:
            found[row["cpu"]]["predicted"] = row["predicted-mhz"]
            if "predicted-high-mhz" not in row and row["package"] not in at_limit:
                found[row["cpu"]]["measured"] = row["mhz"]
        return found


def problems(program, platforms):
    for platform in platforms:
        for setting, steps in SETTINGS.items():
            with tempfile.TemporaryDirectory(prefix="isst-figures-") as directory:
                box = Box(program, platform, directory)
                if any(box.run(*words).returncode for words in steps):
                    continue
                differing = {}
                for cpu, figures in box.figures().items():
                    is_unknown = "explain" in figures and figures["explain"] is None
                    figures = {name: mhz for name, mhz in figures.items() if mhz is not None}
                    if is_unknown and set(figures) <= {"measured"}:
                        continue  # no command says otherwise
                    if "explain" not in figures or len(figures) < 3:
                        yield f"{platform.stem}, {setting}: CPU {cpu} has only {figures}"
                    if max(figures.values()) - min(figures.values()) > NEAR_MHZ:
                        differing.setdefault(str(figures), []).append(cpu)
                for figures, cpus in differing.items():
                    yield f"{platform.stem}, {setting}: {len(cpus)} CPUs from {cpus[0]}: {figures}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("platform", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    found = list(problems(arguments.program.absolute().parent / "isst", arguments.platform))
    for problem in found:
        print(f"FAILED: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
