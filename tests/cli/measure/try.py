#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
measure try puts back what it found, however it ends (measure.md, "try" and "Settings for a while"):
killed at random moments, asked to stop, with a request to the driver or a write refused, lost or
altered. With --standin real commands run, and the effect of what they meet is found.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

SEED = 22
LONGEST_S = 0.25  # about as long as a trial takes here
ATTEMPTS = 3  # of what other work on this machine can spoil
BASE_FREQ = [{"for": "package-0", "base-freq": {"enabled": True}}]
NO_C6 = [{"for": "all", "cpuidle": {"states": {"C6": False}}}]
CORE_POWER = {"enabled": True, "priority": "ordered"}
BEFORE = [
    [],
    [{"for": "all", "core-power": CORE_POWER, "turbo-freq": {"enabled": True}}],
    [{"for": "all", "base-freq": {"enabled": True}},
     {"for": "all", "cpufreq": {"min-mhz": 1000, "max-mhz": 2500, "epp": "balance_power"}}],
    [{"for": "machine", "cpufreq": {"turbo": False}}, {"for": "cpu 13", "online": False}],
]
TRIED = [
    BASE_FREQ,
    [{"for": "all", "core-power": {**CORE_POWER, "clos": {"0": {"min-mhz": 2000},
                                                        "3": {"max-mhz": 1500}}}},
     {"for": "cpu 0-3", "core-power": {"assoc": 0}}, {"for": "cpu other", "core-power": {"assoc": 3}}],
    [{"for": "package-0", "core-power": CORE_POWER, "turbo-freq": {"enabled": True}}],
    [{"for": "package-0", "perf-profile": {"level": 3}, "online": "follow-level"}],
    [{"for": "all", "perf-profile": {"level": 4}}],
    [{"for": "machine", "cpufreq": {"turbo": False}},
     {"for": "all", "cpufreq": {"max-mhz": 1800, "epp": "power"}}],
    [{"for": "all", "cpufreq": {"governor": "performance"}}],
    [{"for": "machine", "cpufreq": {"pstate": "passive"}}],
    [{"for": "all", "uncore": {"max-mhz": 1500}, "cpuidle": {"states": {"C6": False}}}],
    [{"for": "cpu 5-8", "online": False}],
    [{"for": "all", "perf-profile": {"level": 1}},
     {"for": "all", "optional": True, "base-freq": {"enabled": True}}],
]
# The n-th request or write of these is disturbed.
ORDERS = [{"at": "mailbox"}, {"at": "msr", "access": "write"}, {"at": "write"}]
WAYS = [{"error": "EIO"}, {"ignored": True}, {"error": "EBUSY"}]
MOST_SKIPPED = {"mailbox": 400, "msr": 12, "write": 60}
# With turbo, the work alone; without, beside a second one on the same CPU.
COMMAND = """\
work() { i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; }
[ "$(cat /sys/devices/system/cpu/intel_pstate/no_turbo)" = 0 ] || work &
work
wait
"""


# A command that sets something else than the documents: it undoes first what was cut off.
RECOVER = ["-c", "20", "cpuidle", "set", "--qos-latency", "none"]


class Lab:
    """A machine whose state is known, and a document that is tried on it."""

    def __init__(self, arguments, before=(), tried=()):
        self.program = arguments.program
        self.directory = tempfile.TemporaryDirectory(prefix="isst-test-")
        self.box = machine.Machine(self.directory.name, arguments.platform, arguments.standin)
        self.run_directory = self.box.state / "run"
        self.journal = self.run_directory / "journal"
        self.faults = self.box.state / "faults.json"
        if before:
            self.run("state", "apply", self.write("before", before), status=None)
        self.document = self.write("tried", tried)
        self.before = self.export()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def write(self, name, settings):
        path = self.box.directory / f"{name}.json"
        path.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                    "settings": settings}), encoding="utf-8")
        return str(path)

    def run(self, *argv, status=0):
        run = self.box.run(self.program, argv)
        expect(status is None or run.status == status,
               f"{argv}: status {run.status}: {run.stderr}{run.stdout}")
        return run

    def export(self):
        return self.run("state", "export").stdout

    def trial(self, runs=4):
        return ["measure", "try", "--allow-offline", "--runs", str(runs), "--pipe", "1,2",
                self.document]

    def start(self, *argv):
        return subprocess.Popen(self.box.command(self.program, argv), text=True,
                                env=self.box.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_as_before(self, what):
        after = self.export()
        if after == self.before:
            return
        lines = set(self.before.splitlines()) ^ set(after.splitlines())
        raise Failure(f"{what}: it is not as before: {sorted(lines)[:4]}")


def each_machine(arguments, count):
    """Machines and documents in turn, with a name for messages. A machine may lack what one sets."""
    for number in range(count):
        before = BEFORE[number % len(BEFORE)]
        tried = TRIED[(number // len(BEFORE) + number) % len(TRIED)]
        with Lab(arguments, before, tried) as lab:
            yield f"{number}: {tried} after {before}", lab


def check_traces(arguments):
    """One temporary transaction, which is undone; the record of fast cores is back."""
    with Lab(arguments, tried=NO_C6) as lab:
        lab.run("priority", "publish", status=None)
        lab.run(*lab.trial())
        last = journal.transactions(lab.journal)
        expect(len(last) == 1 and last[0]["begin"]["temporary"] and
               last[0]["end"]["outcome"] == "undone", f"{last}")
        expect((lab.run_directory / "priority.json").exists(), "no record of fast cores")
        lab.expect_as_before("a trial")


def check_busy(arguments):
    """Another setting command ends with 5; a reading one is told."""
    with Lab(arguments, tried=NO_C6) as lab:
        lab.faults.write_text(json.dumps({"orders": [{"at": "write", "delay_us": 2000,
                                                      "times": 5000}]}),
                              encoding="utf-8")
        trial = lab.start(*lab.trial(200))  # longer than the other one waits for the lock
        while not journal.is_open(lab.journal) and trial.poll() is None:
            time.sleep(0.01)
        lab.run("-c", "5", "cpuidle", "set", "--disable", "C6", status=5)
        text = lab.run("-c", "5", "cpuidle", "info").stderr
        expect("settings are changed for a while by " in text and "measure try" in text, text)
        trial.send_signal(signal.SIGTERM)
        trial.communicate()
        lab.faults.unlink()
        lab.expect_as_before("a trial that was asked to stop")


def check_kills(arguments, count):
    for name, lab in each_machine(arguments, count):
        trial = lab.start(*lab.trial(10))
        time.sleep(random.random() * LONGEST_S)
        trial.kill()
        trial.communicate()
        # any setting command undoes it before its own work
        argv = random.choice([RECOVER, ["--dry-run", "state", "restore"]])
        text = lab.run(*argv, status=None)
        lab.run(*RECOVER, status=None)
        lab.expect_as_before(f"{name}, killed, {argv}: {text.stderr}")
        expect(not journal.is_open(lab.journal), f"{name}: the transaction stays open")


def check_partial(arguments, count):
    """
    Killed between two of the many writes that one setting takes: SST-BF of Cascade Lake-N is the
    limits of 80 CPUs, 160 writes.
    """
    befores = [[], [{"for": "all", "base-freq": {"enabled": True}}],
               [{"for": "cpu 0-30", "cpufreq": {"min-mhz": 1200, "max-mhz": 3000}}]]
    for number in range(count):
        before = befores[number % len(befores)]
        enabled = not before or "base-freq" not in before[0]
        with Lab(arguments, before, [{"for": "all", "base-freq": {"enabled": enabled}}]) as lab:
            skip = random.randrange(170)
            lab.faults.write_text(json.dumps({"orders": [
                {"at": "write", "skip": skip, "times": 1, "delay_us": 1000000}]}), encoding="utf-8")
            trial = lab.start(*lab.trial())
            while not journal.is_open(lab.journal) and trial.poll() is None:
                time.sleep(0.005)
            time.sleep(LONGEST_S)
            trial.kill()
            trial.communicate()
            lab.faults.unlink()
            text = lab.run(*RECOVER, status=None).stderr
            lab.expect_as_before(f"{number}: killed at write {skip} after {before}: {text}")


def check_signals(arguments, count):
    for name, lab in each_machine(arguments, count):
        number = random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        trial = lab.start(*lab.trial(10))
        time.sleep(random.random() * LONGEST_S)
        trial.send_signal(number)
        _, messages = trial.communicate()
        expect(trial.returncode in (0, 1, 3, -number), f"{name}: {trial.returncode}: {messages}")
        expect(not journal.is_open(lab.journal), f"{name}: the transaction stays open")
        lab.expect_as_before(f"{name}, {number}: {messages}")


def check_faults(arguments, count):
    """Whatever fails is reported, and what stays changed is named and put back later."""
    for name, lab in each_machine(arguments, count):
        order = {**random.choice(ORDERS), **random.choice(WAYS)}
        if order["at"] == "mailbox" and order.get("ignored"):
            order["times"] = 1  # answers that are lost read as zeros, which may look undone
        order["skip"] = random.randrange(MOST_SKIPPED[order["at"]])
        lab.faults.write_text(json.dumps({"orders": [order]}), encoding="utf-8")
        run = lab.run(*lab.trial(), status=None)
        lab.faults.unlink()
        text = run.stdout + run.stderr
        what = f"{name}, {order}: {run.status}: {text}"
        expect(run.status in (0, 1, 2, 3) and (run.status == 0 or "Error: " in text), what)
        expect(not journal.is_open(lab.journal), what)
        last = journal.transactions(lab.journal)[-1:]
        if last and last[0]["end"]["outcome"] == "mixed":
            expect("not undone" in text and last[0]["end"]["left"], what)
            lab.run("state", "restore", "--to", str(last[0]["begin"]["id"] - 1))
        elif "not undone" in text and order["at"] == "mailbox" and order.get("ignored"):
            # the answer that was lost looked undone
            lab.run("state", "apply", lab.write("undone", json.loads(lab.before)["settings"]))
        lab.expect_as_before(what)


def check_effect(arguments):
    """A command that meets a second one on its CPU is slower; the same work twice is not."""
    found = []
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for settings, expected in (([{"for": "machine", "cpufreq": {"turbo": False}}], "more"),
                               ([{"for": "machine", "cpufreq": {"turbo": True}}], "no difference")):
        for _ in range(ATTEMPTS):
            with Lab(arguments, tried=settings) as lab:
                run = lab.run("-f", "json", "-o", "-", "measure", "try", lab.document,
                              "--", "sh", "-c", COMMAND)
                figures = {one["figure"]: one for one in json.loads(run.stdout)["figures"]}
                lab.expect_as_before("a trial of a command")
            found.append(figures["seconds"])
            if found[-1]["result"] == expected:
                break
        expect(found[-1]["result"] == expected, f"{settings}: {found}")


def check_commands(arguments):
    """A command that fails ends the trial, and everything is put back."""
    for argv, status in ((["false"], 125), (["/nowhere/x"], 127), (["sh", "-c", "kill $$"], 125)):
        with Lab(arguments, tried=BASE_FREQ) as lab:
            run = lab.run("measure", "try", lab.document, "--", *argv, status=status)
            if argv == ["false"]:
                expect("false ended with status 1: the trial ends" in run.stderr, run.stderr)
            lab.expect_as_before(argv)
    with Lab(arguments, tried=BASE_FREQ) as lab:
        trial = lab.start("measure", "try", lab.document, "--", "sleep", "30")
        time.sleep(LONGEST_S * 2)
        trial.send_signal(signal.SIGTERM)
        _, messages = trial.communicate(timeout=20)
        expect(trial.returncode == 1 and "a stop was requested" in messages,
               f"{trial.returncode}: {messages}")
        lab.expect_as_before(messages)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    parser.add_argument("--standin", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=12, help="of machines for each check")
    parser.add_argument("--partial", action="store_true", help="kill between writes, and nothing else")
    arguments = parser.parse_args()
    random.seed(SEED)
    checks = [check_commands, check_effect]
    if not arguments.standin:
        checks = [check_traces, check_busy,
                  *(lambda lab, check=check: check(lab, arguments.count)
                    for check in (check_kills, check_signals, check_faults))]
    if arguments.partial:
        checks = [lambda lab: check_partial(lab, arguments.count)]
    for check in checks:
        try:
            check(arguments)
        except Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
