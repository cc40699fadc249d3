#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What --save of run, wake, jitter and ladder writes (measure.md): one format, latencies in the order
measured, and no setting that would have to be asked of isolated CPUs.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

COMMON = ["format", "version", "command", "simulated", "host", "time", "given-work", "kernel", "program", "processor", "samples", "state",
          "machine", "levels", "limits"]
LOOK_S = "1"


class Lab:
    def __init__(self, program, directory, platform):
        self.program = program
        self.directory = pathlib.Path(directory)
        self.platform = platform

    def save(self, *argv, simulate=(), status=0):
        """The saved document of a command, once its common members are checked."""
        file = self.directory / "saved.json"
        file.unlink(missing_ok=True)
        command = [self.program, *simulate, *argv, "--save", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        expect(result.returncode == status, f"{command}: {result.returncode}: {result.stderr}")
        saved = json.loads(file.read_text(encoding="utf-8"))
        for member in COMMON:
            expect(member in saved, f"{command}: no {member}")
        expect((saved["format"], saved["version"]) == ("intel-speed-select-run", 1), saved["format"])
        word = argv[argv.index("measure") + 1]
        expect(saved["command"] == word, f"{saved['command']} of {word}")
        expect(saved["state"]["format"] == "intel-speed-select-state", f"{word}: the state")
        return saved

    def simulate(self, name):
        """Options for a machine of this name."""
        return ["--simulate", str(self.platform), "--simulate-state", str(self.directory / name)]


def settings_of(saved):
    return {member for entry in saved["state"]["settings"] for value in entry.values()
            if isinstance(value, dict) for member in value}


def check_simulated(lab):
    machine = lab.simulate("plain")
    wake = ("-c", "3", "measure", "wake", "--samples", "200", "--gap", "100us,1000us")
    lists = lab.save("-c", "3", *wake, simulate=machine)["samples"]
    expect([(one["state"], one["gap-us"]) for one in lists if one["state"] in ("POLL", "C6")] ==
           [("POLL", 100), ("POLL", 1000), ("C6", 100), ("C6", 1000)], "lists of latencies")
    for one in lists:
        expect((one["cpu"], len(one["ns"])) == (3, 200), f"{one['cpu']}: {len(one['ns'])} latencies")
    expect(lists[-1]["ns"] != sorted(lists[-1]["ns"]), "latencies are not in the order measured")
    for argv in (wake, ("measure", "run", "--seconds", LOOK_S),
                 ("-c", "0,1", "measure", "ladder", "--seconds", LOOK_S)):
        saved = lab.save(*argv, simulate=machine)
        expect("perf-profile" in {key for entry in saved["state"]["settings"] for key in entry},
               f"{argv}: no Speed Select in the state")
        expect({"epp", "epb"} <= settings_of(saved), f"{argv}: EPP and EPB are not saved")


def check_head(lab):
    """The machine, its host, the time of the beginning and the work as it was given."""
    work = ["--load", "scalar:0", "--load", "avx2:1", "--pipe", "2,3"]
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    saved = lab.save("measure", "run", "--seconds", LOOK_S, *work, simulate=lab.simulate("head"))
    time = datetime.datetime.strptime(saved["time"], "%Y-%m-%dT%H:%M:%S%z")
    expect(before <= time <= datetime.datetime.now(datetime.timezone.utc), saved["time"])
    expect(saved["host"] == socket.gethostname(), saved["host"])
    expect(saved["simulated"] == "guide", saved["simulated"])
    expect(saved["given-work"] == work, saved["given-work"])


def check_described(lab):
    """The CPUs, levels and limits are those that other commands show; no request is sent twice."""
    machine = lab.simulate("described")

    def show(*argv):
        result = subprocess.run([lab.program, *machine, "-o", "-", *argv], check=True, timeout=60,
                                capture_output=True, text=True)
        if "json" in argv:
            return json.loads(result.stdout)
        return (result.stdout + result.stderr).splitlines()

    show("-c", "12,13", "turbo-freq", "enable", "-a")
    show("-c", "12", "core-power", "config", "--clos", "0", "--max", "2900", "--min", "0")
    saved = lab.save("-c", "0-27", "measure", "run", "--seconds", LOOK_S, simulate=machine)
    expect(saved["levels"] == show("-f", "json", "perf-profile", "compare")["groups"], "levels")
    cpus = {one["cpu"]: (one["package"], one["core"], one.get("clos"), one["priority"])
            for one in saved["machine"]["cpus"]}
    expect(len(cpus) == 56, f"{len(cpus)} CPUs")
    expect(cpus[40] == (0, 12, 0, "high"), f"CPU 40: {cpus[40]}")
    expect(cpus[0] == (0, 0, 3, "low"), f"CPU 0: {cpus[0]}")
    expect(cpus[14] == (1, 0, None, "none"), f"CPU 14: {cpus[14]}")
    expect([one["cpu"] for one in saved["limits"]] == [0, 12, 14], f"{saved['limits']}")
    for one in saved["limits"]:
        shown = show("-c", str(one["cpu"]), "-f", "json", "cpufreq", "explain")
        explained = next(one for name, one in shown.items() if name != "simulated")["explain"]
        expect(float(explained["maximum-frequency(MHz)"]) == one["mhz"], f"{one}: {explained}")
        expect(explained["maximum-bound-by"] == one["bound-by"], f"{one}: {explained}")
        limits = {f"{step['limit']}(MHz)": step["mhz"] for step in one["steps"]}
        expect(limits == {name: float(mhz) for name, mhz in explained["upper-limits"].items()},
               f"{limits}: {explained}")
    asked = [line for line in show("-d", "-c", "3", "measure", "wake", "--samples", "10", "--save",
                                   str(lab.directory / "saved.json")) if "cpu:" in line]
    expect(len(asked) > 100, f"{len(asked)} requests")
    expect(len(set(asked)) == len(asked), "a request was sent twice")


def limited_cpus(saved):
    """The selectors of entries with an upper limit of cpufreq."""
    return [entry["for"] for entry in saved["state"]["settings"]
            if "max-mhz" in entry.get("cpufreq", {})]


def check_isolated(lab):
    """EPP and EPB of isolated CPUs are never read, so nobody's are saved; nor is base_frequency,
    which tells with turbo off what was set."""
    machine = lab.simulate("isolated")
    subprocess.run([lab.program, *machine, "-g", "perf-profile", "set-config-level", "-l", "4", "-o"],
                   check=True, timeout=60, capture_output=True)  # isolates CPU 13 among others
    for argv in (("-c", "13", "measure", "wake", "--samples", "10"),
                 ("measure", "run", "--seconds", LOOK_S),
                 ("-c", "13", "measure", "ladder", "--seconds", LOOK_S)):
        saved = lab.save(*argv, simulate=machine)
        expect(not {"epp", "epb"} & settings_of(saved), f"{argv}: {settings_of(saved)}")
        expect("governor" in settings_of(saved), f"{argv}: {settings_of(saved)}")
        expect(limited_cpus(saved) == ["all"], f"{argv}: limits of {limited_cpus(saved)}")
    subprocess.run([lab.program, *machine, "cpufreq", "set", "--turbo", "off"], check=True, timeout=60,
                   capture_output=True)
    saved = lab.save("measure", "run", "--seconds", LOOK_S, simulate=machine)
    limits = limited_cpus(saved)
    expect(limits and "all" not in limits, f"with turbo off: limits of {limits}")
    expect(all(cpu not in re.split("[ ,]", limits[0]) for cpu in ("13", "41")), f"{limits}")


def check_jitter(lab):
    """On the machine at hand: latencies of a few cycles, a histogram of many."""
    cpus = sorted(os.sched_getaffinity(0))
    jitter = ("-c", str(cpus[0]), "measure", "jitter", "--seconds", LOOK_S)
    saved = lab.save(*jitter, "--interval", "1000us")
    expect((saved["simulated"], saved["given-work"]) == (None, []), "hardware without work")
    expect([one["cpu"] for one in saved["samples"]] == cpus[:1], "CPUs")
    cycles = saved["cpus"][0]["cycles"]
    latencies = saved["samples"][0]["ns"]
    expect(len(latencies) == cycles, f"{len(latencies)} latencies of {cycles} cycles")
    expect(round(max(latencies) / 1000, 3) == round(saved["cpus"][0]["max-us"], 3), "the largest one")
    saved = lab.save("-c", str(cpus[0]), "measure", "jitter", "--seconds", "6", "--interval", "50us")
    expect(saved["samples"][0]["histogram"] == saved["cpus"][0]["histogram"], "histogram")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(arguments.program, directory, arguments.platform)
        for check in (check_simulated, check_head, check_described, check_isolated, check_jitter):
            try:
                check(lab)
            except Failure as failure:
                print(f"{check.__name__}: {failure}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
