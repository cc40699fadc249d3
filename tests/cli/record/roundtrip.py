#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A recording replays its machine: golden cases print the same on the machine and on its recording,
standard output, standard error, file and status, those that set something too. Machines are
simulated, or behind the stand-in device. A recording is made before the setup commands of a case,
which then run on both machines, or (--late) after them.
"""

import argparse
import concurrent.futures
import difflib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import cases  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position

RECORD = ["machine", "record", "--pci"]
# The stand-in has the nodes, the PCI devices and the time of the machine that the test runs on; and
# its summary lacks the line that marks a simulated machine, so that more of the tables fits a screen.
OF_SIMULATED = {"reset alone", "cpuidle over an interval", "sets: a node and a PCI device",
                "sets: all CPUs online first, carried out",
                "machine summary: more than a screen has room for, 80 columns"}
# What no file shows, once it was set: the preference at boot, limits above what is in force, and what
# the run directory has: turbo-ratio limits that kernels before 6.16 write again, and the change journal.
HIDDEN_LATE = {"cpufreq set: default EPP", "cpufreq set: passive mode",
               "state restore: a package whose CPUs are all offline",
               "state apply: CPUs, a level and turbo-ratio limits in two stages, undone",
               "state apply, dry run: the limits after the last CPU came online, and only of its "
               "package",
               "state apply: turbo goes on, and a limit that was perhaps higher",
               "set-config-level -o: kernels before 6.16 set old turbo-ratio limits when CPUs come "
               "online",
               "state restore: power domains of a package that have the same number (Linux 6.12)",
               "state apply: SST-BF goes off while turbo is off, and only lower limits are named"}
# What a recording leaves out on purpose: boot parameters that no profile of ours judges. And a line
# that is broken elsewhere, since the run directories have names of different lengths.
EXCEPTED = {"machine check: nothing differs", "machine summary: a change journal that cannot be used"}


def load(path):
    """The cases of a file: our own lists, or the transcripts of one machine."""
    for case in json.loads(path.read_text(encoding="utf-8")):
        if "name" in case:
            # no reading request tells which levels firmware refuses to change to
            refused = any("allowed_levels" in member for member in case.get("changes", {}))
            if case["platform"] and not refused and case["name"] not in EXCEPTED:
                yield case
            continue
        for options in ([], ["-f", "json"]):
            yield {"name": " ".join([*options, *case["argv"]]), "platform": path.stem,
                   "argv": [*options, "-o", "{tmp}/out", *case["argv"]],
                   "setup": case["setup"], "program": "intel-speed-select"}


def is_of_simulated(case):
    """Is it about the simulator: its faults, or files in its state directory?"""
    return ("faults" in case or case["name"] in OF_SIMULATED
            or any(name.startswith("state/") for name in case.get("files", {})))


def left_by(box, program, argv):
    """What a command line leaves: status and texts, without the places where it ran."""
    run = box.run(program, argv)
    texts = [run.stdout, run.stderr, run.out or ""]
    for path, word in ((box.state / "run", "{run}"), (box.directory, "{tmp}"),
                       ("/run/intel-speed-select", "{run}")):
        texts = [text.replace(str(path), word) for text in texts]
    if box.standin:
        texts = [text.replace(str(box.root), "") for text in texts]
    return [f"status {run.status}", *map(machine.unmarked, texts)]


def differences(argv, expected, seen):
    """Yields how what two machines left differs."""
    for left, right in zip(expected, seen):
        if left != right:
            lines = difflib.unified_diff(left.splitlines(), right.splitlines(), "machine", "replay",
                                         lineterm="", n=1)
            yield f"{' '.join(argv)}:\n" + "\n".join(list(lines)[:20])


class Pair:
    """A machine, and the replay of its recording."""

    def __init__(self, arguments, directory, case):
        self.arguments = arguments
        self.case = case
        self.directory = directory
        platform = arguments.platforms / f"{case['platform']}.json"
        if "changes" in case:
            platform = cases.change(platform, case["changes"], directory / "platform.json")
        self.machine = machine.Machine(self.make("machine"), platform, arguments.standin)
        self.replay = None

    def make(self, name):
        path = self.directory / name
        path.mkdir()
        return path

    def record(self):
        key = json.dumps([self.case["platform"], self.case.get("changes")])
        text = None if self.arguments.late else self.arguments.recordings.get(key)
        if not text:
            run = self.machine.run(self.arguments.program, ["-o", str(self.machine.out), *RECORD])
            if run.status:
                raise RuntimeError(f"it cannot be recorded: {run.stderr}")
            text = self.arguments.recordings[key] = run.out
        recording = self.directory / "recording.json"
        recording.write_text(text, encoding="utf-8")
        self.replay = machine.Machine(self.make("replay"), recording)

    def run(self, box, argv):
        words = [word.replace("{tmp}", str(box.directory)) for word in argv]
        return left_by(box, self.arguments.program.parent / self.case["program"], words)

    def order_faults(self, box):
        if "faults" in self.case:
            box.state.mkdir(mode=0o700, exist_ok=True)
            (box.state / "faults.json").write_text(json.dumps(self.case["faults"]),
                                                   encoding="utf-8")

    def problems(self):
        """Yields how the machine and its replay differ."""
        steps = self.case.get("setup", [])
        if self.arguments.late:
            for argv in steps:
                self.run(self.machine, argv)
            steps = []
        self.record()
        for box in (self.machine, self.replay):
            cases.write_files(box, self.case)
        for argv in steps:
            self.run(self.machine, argv)
            self.run(self.replay, argv)
        for box in (self.machine, self.replay):
            self.order_faults(box)
        yield from self.compare(self.case["argv"])
        for box in (self.machine, self.replay):
            (box.state / "faults.json").unlink(missing_ok=True)
        for argv in self.case.get("then", []):
            yield from self.compare(["-o", "{tmp}/out", *argv])

    def compare(self, argv):
        yield from differences(argv, self.run(self.machine, argv), self.run(self.replay, argv))


def try_case(arguments, case):
    with machine.temporary_directory() as directory:
        return list(Pair(arguments, pathlib.Path(directory), case).problems())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--standin", help="machines behind this library, not simulated ones")
    parser.add_argument("--late", action="store_true", help="record after the setup of a case")
    parser.add_argument("--step", type=int, default=1, help="try one case of so many")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.recordings = {}  # of machines as they start, by platform and changes
    chosen = [case for path in arguments.cases for case in load(path)
              if not (arguments.standin and is_of_simulated(case))
              and not (arguments.late and case["name"] in HIDDEN_LATE)][::arguments.step]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, problems in zip(chosen, pool.map(lambda case: try_case(arguments, case), chosen)):
            failed += bool(problems)
            for problem in problems:
                print(f"FAILED: {case['platform']}: {case['name']}: {problem}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
