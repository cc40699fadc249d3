#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Figures of measure beside those of tools that others wrote, on the same kernel and the same CPU. Where
one run can be measured by both, it is; else the two alternate, and the figure is the median of the
ratios of neighbours, so that other work on the machine disturbs both alike. Prints a table for
docs/measuring.md. A tool that cannot run here has its own message in it. Ends with 1 if a ratio is
outside of its bounds.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

INTERVAL_US = 250
GAP_US = 1000
PRIORITY = 80
HISTOGRAM_US = 20000
PIPE_OPERATIONS = 20000
IDLE_TRIES = 120

# factor: how far the ratio may be from 1, as a factor.
Row = collections.namedtuple("Row", "what ours theirs tool ratio factor")


class Unavailable(Exception):
    """A tool cannot measure here, or we cannot; with the message."""


def run(*words, timeout=120):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          timeout=timeout, env={**os.environ, "LC_ALL": "C"})


def messages(process):
    """What a tool says when it fails, or its last words."""
    lines = [line.strip() for line in (process.stderr + process.stdout).splitlines() if line.strip()]
    problems = [re.sub(r",.*", "", line) for line in lines
                if re.search(r"fail|fatal|error|cannot|denied|not supported", line, re.I)]
    return "; ".join(dict.fromkeys(problems or lines[-1:] or [f"ends with {process.returncode}"]))


def quantile(values, share):
    """By nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


class Machine:
    """The program and the tools on this machine, measuring on its last CPU."""

    def __init__(self, program, directory):
        self.program = program
        self.directory = pathlib.Path(directory)
        self.cpus = sorted(os.sched_getaffinity(0))
        self.cpu = self.cpus[-1]

    def isst(self, *words):
        """The JSON of a command, or what it says."""
        out = self.directory / "out.json"
        result = run(self.program, "--json", "-o", out, *words)
        if result.returncode:
            raise Unavailable(messages(result))
        return json.loads(out.read_text(encoding="utf-8"))

    def cyclictest(self, interval_us, seconds):
        """Latencies in microseconds, which it shows without decimals."""
        result = run("cyclictest", "-q", "-m", "--default-system", "-t1", f"-a{self.cpu}",
                     f"-p{PRIORITY}", f"-i{interval_us}", f"-D{seconds}", f"-h{HISTOGRAM_US}")
        found = [int(us) + 0.5 for us, count in re.findall(r"^(\d+) (\d+)$", result.stdout, re.M)
                 for _ in range(int(count))]
        if result.returncode or not found:
            raise Unavailable(messages(result))
        return found

    def jitter(self, seconds):
        saved = self.directory / "jitter.json"
        self.isst("-c", self.cpu, "measure", "jitter", "--seconds", seconds,
                  "--interval", f"{INTERVAL_US}us",
                  "--save", saved)
        document = json.loads(saved.read_text(encoding="utf-8"))
        saved.unlink()
        return [ns / 1000 for ns in document["samples"][0]["ns"]]

    def wake(self, samples):
        """The row with the most rounds, once the CPU is idle enough."""
        for _ in range(IDLE_TRIES):
            try:
                document = self.isst("-c", self.cpu, "measure", "wake", "--no-force",
                                     "--gap", f"{GAP_US}us",
                                     "--samples", samples)
                return max(document["cpus"][0]["rows"], key=lambda row: row["rounds"])
            except Unavailable as busy:
                last = busy
                if "not idle" not in str(busy):
                    break
                self.cpu = self.cpus[self.cpus.index(self.cpu) - 1]
        raise last

    def perf_pipe(self):
        """perf bench, with it and its other process pinned to a CPU each as soon as they run."""
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        with subprocess.Popen(["perf", "bench", "sched", "pipe", "-l", str(PIPE_OPERATIONS)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            workers = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            found = []
            while not found and process.poll() is None:
                found = workers.read_text(encoding="ascii").split()
            for worker, cpu in zip([process.pid, *found], self.cpus):
                os.sched_setaffinity(int(worker), {cpu})
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            said = process.communicate(timeout=120)[0]
        match = re.search(r"([\d.]+) usecs/op", said)
        if not match:
            raise Unavailable(said.strip().splitlines()[-1])
        return float(match[1])

    def perf_stat(self, event, words):
        """What perf stat counts on our CPU while the words run, for each second."""
        result = run("perf", "stat", "-x,", "-a", "-C", self.cpu, "-e", event, *words)
        match = re.search(r"^([\d.]+),[^,]*,[^,]*,(\d+),", result.stderr, re.M)
        if result.returncode or not match:
            raise Unavailable(messages(result))
        return float(match[1]) / (int(match[2]) / 1e9)


def alternating(ours, theirs, rounds):
    """Both in turn; the medians, and that of the ratios of neighbours."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return (*(statistics.median(side) for side in zip(*pairs)),
            statistics.median(first / second for first, second in pairs))


def compare_jitter(machine, rounds):
    seconds = 2
    found = [(machine.jitter(seconds), machine.cyclictest(INTERVAL_US, seconds)) for _ in range(rounds)]
    for share, factor in ((50, 1.5), (99, 3)):
        pairs = [tuple(quantile(side, share) for side in pair) for pair in found]
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        yield Row(f"jitter, p{share}", f"{ours:.1f} us", f"{theirs:.1f} us", "cyclictest",
                  statistics.median(a / b for a, b in pairs), factor)


def compare_wake(machine, rounds):
    ours, theirs, ratio = alternating(lambda: machine.wake(200)["p50-us"],
                                      lambda: quantile(machine.cyclictest(GAP_US, 1), 50), rounds)
    yield Row("wake --no-force, p50", f"{ours:.1f} us", f"{theirs:.1f} us", "cyclictest", ratio, 1.5)


def compare_pipe(machine, rounds):
    pair = ",".join(str(cpu) for cpu in machine.cpus[:2])
    ours, theirs, ratio = alternating(
        lambda: machine.isst("measure", "run", "--pipe", pair, "--seconds", 2)["pipe"]["usecs-per-op"],
        machine.perf_pipe, rounds)
    yield Row("run --pipe", f"{ours:.1f} us", f"{theirs:.1f} us", "perf bench sched pipe", ratio, 1.5)


def compare_tsc(machine, _rounds):
    theirs = machine.perf_stat("msr/tsc/", ["sleep", "5"]) / 1e6
    ours = machine.isst("-c", machine.cpu, "measure", "run", "--seconds", 5)["tsc-mhz"]
    yield Row("run, TSC MHz", f"{ours:.1f}", f"{theirs:.1f}", "perf stat -e msr/tsc/", ours / theirs, 1.02)
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    if re.search(r"^flags.*\bhypervisor\b", text, re.M): # which shows the TSC there
        theirs = float(re.search(r"cpu MHz\s*: ([\d.]+)", text)[1])
        yield Row("run, TSC MHz", f"{ours:.1f}", f"{theirs:.1f}", "/proc/cpuinfo", ours / theirs, 1.02)


def compare_loop(machine, _rounds):
    """The frequency that a load finds out by itself, beside cycles that the hardware counts."""
    words = ["-c", str(machine.cpu), "measure", "run", "--load", "scalar", "--seconds", "3"]
    theirs = machine.perf_stat("cycles", [machine.program, *words]) / 1e6
    cpu = machine.isst(*words)["cpus"][0]
    ours = cpu["mhz"] * cpu["load-cpu-percent"] / 100
    yield Row("run --load, million cycles a second", f"{ours:.0f}", f"{theirs:.0f}", "perf stat -e cycles",
              ours / theirs, 1.1)


def idle_of_cpupower(said):
    """The share of all idle states by CPU. A column of its table is named CPU; states come after it."""
    rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if "|" in line]
    names = next((row for row in rows if "CPU" in row), None)
    if not names:
        return {}
    at = names.index("CPU")
    return {int(row[at]): sum(float(cell) for cell in row[at + 1:] if cell) for row in rows
            if row[at].isdigit()}


def compare_idle(machine, rounds):
    """Both watch the same seconds; the CPU with the most idle time of each round."""
    found = []
    for _ in range(rounds):
        with subprocess.Popen(["cpupower", "monitor", "-m", "Idle_Stats", "-i", "3"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            document = machine.isst("measure", "run", "--each", "--seconds", 3)
            said = process.communicate(timeout=60)[0]
        if any(cpu["idle-states"] is None for cpu in document["cpus"]):
            raise Unavailable("the machine has no idle states")
        theirs = idle_of_cpupower(said)
        pairs = [(sum(state["time-percent"] for state in cpu["idle-states"]), theirs.get(cpu["cpu"]))
                 for cpu in document["cpus"]]
        if process.returncode or len(theirs) < len(pairs):
            raise Unavailable(messages(subprocess.CompletedProcess("", process.returncode, said, "")))
        found.append(max(pairs))
    ours, theirs = (statistics.median(side) for side in zip(*found))
    yield Row("run, time in idle states", f"{ours:.1f} %", f"{theirs:.1f} %", "cpupower monitor",
              statistics.median((100 + ours) / (100 + theirs) for ours, theirs in found), 1.05)


def compare_busy(machine, _rounds):
    """Beside /proc/stat, by mpstat, in the same seconds."""
    with subprocess.Popen(["mpstat", "-P", str(machine.cpu), "5", "1"], stdout=subprocess.PIPE,
                          text=True, env={**os.environ, "LC_ALL": "C"}) as process:
        cpu = machine.isst("-c", machine.cpu, "measure", "run", "--seconds", 5)["cpus"][0]
        said = process.communicate(timeout=60)[0]
    theirs = 100 - float(said.split()[-1])
    if cpu["busy-percent"] is None:
        raise Unavailable(f"isst: {cpu['busy-percent-reason']}; mpstat: {theirs:.1f} %")
    yield Row("run, busy", f"{cpu['busy-percent']:.1f} %", f"{theirs:.1f} %", "mpstat",
              (100 + cpu["busy-percent"]) / (100 + theirs), 1.05)


def compare_command(machine, _rounds):
    """One run of hackbench inside of both."""
    text = machine.directory / "perf.txt"
    document = machine.isst("measure", "run", "--", "perf", "stat", "-x,", "-o", text, "-e", "task-clock",
                            "hackbench", "-g", "2", "-l", "1000", "-P")
    theirs = float(re.search(r"^([\d.]+),", text.read_text(encoding="utf-8"), re.M)[1]) / 1000
    process = document["process"]
    ours = process["user-seconds"] + process["system-seconds"]
    yield Row("run -- hackbench, CPU time", f"{ours:.2f} s", f"{theirs:.2f} s", "perf stat -e task-clock",
              ours / theirs, 1.1)


def compare_turbostat(machine, _rounds):
    """Frequency and power of a load, in the same seconds."""
    with subprocess.Popen(["turbostat", "-q", "-n", "1", "-i", "3", "--show", "CPU,Bzy_MHz,PkgWatt"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        document = machine.isst("-c", machine.cpu, "measure", "run", "--load", "scalar", "--seconds", 4)
        said = process.communicate(timeout=60)[0]
    if process.returncode or "Bzy_MHz" not in said:
        raise Unavailable(messages(subprocess.CompletedProcess("", process.returncode, said, "")))
    shown = re.search(rf"^{machine.cpu}\s+([\d.]+)", said, re.M)
    if not shown:
        raise Unavailable("no row of the CPU")
    theirs = float(shown[1])
    ours = document["cpus"][0]["mhz"]
    yield Row("run --load, MHz", f"{ours:.0f}", f"{theirs:.0f}", "turbostat", ours / theirs, 1.05)


COMPARISONS = (("jitter", "cyclictest", compare_jitter), ("wake", "cyclictest", compare_wake),
               ("run --pipe", "perf bench sched pipe", compare_pipe),
               ("run, TSC MHz", "perf stat -e msr/tsc/", compare_tsc),
               ("run --load, MHz", "perf stat -e cycles", compare_loop),
               ("run --load, MHz", "turbostat", compare_turbostat),
               ("run, time in idle states", "cpupower monitor", compare_idle),
               ("run, busy", "mpstat", compare_busy),
               ("run -- hackbench, CPU time", "perf stat -e task-clock", compare_command))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("only", nargs="*", help="tools to compare with")
    options = parser.parse_args()
    far = []
    print("| figure | isst measure | other tool | its figure | ratio | bounds |\n"
          "| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="isst-beside-") as directory:
        machine = Machine(options.program, directory)
        for what, tool, compare in COMPARISONS:
            if options.only and not any(word in tool for word in options.only):
                continue
            try:
                for row in compare(machine, options.rounds):
                    print(f"| {row.what} | {row.ours} | {row.tool} | {row.theirs} | {row.ratio:.2f} | "
                          f"{1 / row.factor:.2f} to {row.factor:.2f} |", flush=True)
                    if not 1 / row.factor <= row.ratio <= row.factor:
                        far.append(row)
            except Unavailable as message:
                print(f"| {what} | - | {tool} | {message} | - | - |", flush=True)
    for row in far:
        print(f"FAILED: {row.what}: {row.ours}, {row.tool} {row.theirs}: ratio {row.ratio:.2f}")
    return bool(far)


if __name__ == "__main__":
    sys.exit(main())
