#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Several processes that set one machine at a time, and some that are stopped or killed in the middle
(commands.md, "Safety of every setting command"). What the machine is in the end is held against
what it is when each command runs alone. Moments are random, from a seed that is printed.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

SLOW_US = 2000  # what a write takes, so that a run lasts some tens of milliseconds
REQUESTS = [["perf-profile", "set-config-level", "-l", "4", "-o"],
          ["perf-profile", "set-config-level", "-l", "3", "-o"],
          ["-c", "0,14", "turbo-freq", "enable", "-a"],
          ["base-freq", "enable", "-a"]]
READING = [["perf-profile", "info"], ["perf-profile", "get-config-current-level"],
           ["core-power", "info"], ["turbo-mode", "get-trl"],
           *(["core-power", "get-config", "--clos", str(clos)] for clos in range(4)),
           ["-c", "0-3,14-17", "core-power", "get-assoc"],
           ["-a", "--dry-run", "--info"], ["--dry-run", "turbo-mode", "enable"],
           ["--dry-run", "base-freq", "disable", "-a"]]
# On a machine at level 0 some CPUs of which are offline, and were online in this boot.
CPUS_OFFLINE = [["perf-profile", "set-config-level", "-l", "4", "-o"],
                ["perf-profile", "set-config-level", "-l", "0"]]
ALL_ONLINE = [["-a", "turbo-mode", "disable"], ["-a", "base-freq", "enable", "-a"],
              ["-a", "-c", "13", "core-power", "assoc", "--clos", "1"],
              ["-a", "perf-profile", "set-config-level", "-l", "3", "-o"],
              ["-a", "perf-profile", "info"]]
PROMPT_S = 5  # a stop that waits for a pause takes much longer
LEFT = re.compile(r"Information: a command was interrupted while it was changing settings \(.*, process (\d+), begun")
UNDONE = re.compile(r"Information: (?:undone: )?command .*, process (\d+), begun at \S+(?:: \d+ change| was cut)")


def wait_for(run, event):
    """Waits for it, as long as the program runs."""
    while not event() and run.poll() is None:
        time.sleep(0.001)


class Lab:
    """A simulated machine whose writes are slow, and the program."""

    def __init__(self, program, platform, directory):
        self.program = program
        self.box = machine.Machine(directory, platform)
        self.box.state.mkdir(mode=0o700)
        self.journal = self.box.state / "run" / "journal"
        self.order(delay_us=SLOW_US)

    def is_writing(self):
        """Has a transaction begun, and not ended?"""
        return journal.is_open(self.journal)

    def has_written(self):
        """Has a transaction ended? That it is open may be too short to be seen."""
        return self.journal.exists() and any(one["end"]
                                             for one in journal.transactions(self.journal))

    def order(self, **what):
        """Writes of every kind get that fault."""
        orders = [{"at": "mailbox", "command": "0x7f/0x08", **what},
                  {"at": "mailbox", "command": "0xd0/0x02", "parameter": "0x100", **what},
                  {"at": "mmio", "access": "write", **what},
                  {"at": "msr", "access": "write", **what},
                  {"at": "write", "path": "/sys/devices/system/cpu/cpu*/*", **what},
                  {"at": "write", "path": "/sys/devices/system/cpu/cpu*/cpufreq/*", **what}]
        (self.box.state / "faults.json").write_text(json.dumps({"orders": orders}),
                                                    encoding="utf-8")

    def start(self, argv, **streams):
        return subprocess.Popen(self.box.command(self.program, argv), text=True,
                                env=self.box.environment(),
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, **streams})

    def run(self, argv):
        return self.box.run(self.program, argv)

    def look(self):
        """Everything that the machine shows."""
        return [self.box.run(self.program, ["-f", "json", "-o", str(self.box.out), *argv]).out
                for argv in READING]

    def is_free(self):
        return self.run(["core-power", "enable"]).status == 0


class Labs:
    """Makes labs, and knows what each request makes of a new machine."""

    def __init__(self, program, platform):
        self.program = program
        self.platform = platform
        self.before = self.after([])
        self.wanted = [self.after([request]) for request in REQUESTS]

    def make(self, directory):
        return Lab(self.program, self.platform, directory)

    def after(self, commands):
        with machine.temporary_directory() as directory:
            lab = self.make(directory)
            for argv in commands:
                expect(lab.run(argv).status == 0, f"{argv} fails alone")
            return lab.look()


def end_of(process):
    _, said = process.communicate(timeout=machine.TIMEOUT_S)
    return process.returncode, said


def busy(labs, _chance):
    """Who finds another one at work waits for two seconds, names it, and sets nothing."""
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        lab.order(delay_us=400000)
        holder = lab.start(REQUESTS[2])
        wait_for(holder, lab.is_writing)
        began = time.monotonic()
        other = lab.run(REQUESTS[1])
        took = time.monotonic() - began
        reading = lab.run(["perf-profile", "get-config-current-level"])
        holder.kill()
        holder.wait()
        expect(other.status == 5, f"status {other.status}, not 5: {other.stderr}")
        expect(f"intel-speed-select, process {holder.pid}" in other.stderr, other.stderr)
        expect(1.9 < took < 10, f"it waited for {took} s")
        expect(reading.status == 0 and "Information" not in reading.stderr,
               f"reading was disturbed: {reading.stderr}")


def together(labs, chance):
    """Two at once: both run, one after the other, or one fails and names the other."""
    first, second = chance.sample(range(2), 2)
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        runs = [lab.start(REQUESTS[first])]
        time.sleep(chance.random() * 0.15)
        runs.append(lab.start(REQUESTS[second]))
        ends = [end_of(run) for run in runs]
        expect(all(status in (0, 5) for status, _ in ends), f"{ends}")
        expect(any(status == 0 for status, _ in ends), f"{ends}")
        expect(lab.look() in labs.wanted[:2], "the machine is a mixture of two requests")


def kill_at_the_end(labs, _chance):
    """Killed after its last write, before its end is recorded: the next command undoes it."""
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        expect(lab.run(REQUESTS[1]).status == 0, "it fails alone")
        whole = lab.journal.read_text(encoding="ascii").splitlines(keepends=True)
        expect(json.loads(whole[-1])["line"] == "end", "no end is recorded")
        lab.journal.write_text("".join(whole[:-1]), encoding="ascii")
        expect(LEFT.search(lab.run(READING[1]).stderr), "it is not reported")
        again = lab.run(["-c", "0", "cpufreq", "set", "--epb", "9"])
        expect(again.status == 0 and UNDONE.search(again.stderr), f"not undone: {again.stderr}")
        expect(lab.look() == labs.before, "it does not read as before")
        expect(not LEFT.search(lab.run(READING[1]).stderr), "it is reported again")
    return True


def kill(labs, chance, number):
    """After a kill the next command undoes what was done, and says so."""
    request = chance.randrange(len(REQUESTS))
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        run = lab.start(REQUESTS[request])
        time.sleep(chance.random() * 0.2)
        run.send_signal(number)
        status, said = end_of(run)
        reading = lab.run(READING[1])
        left = LEFT.search(reading.stderr)
        seen = lab.look()
        if status == 0:
            expect(seen == labs.wanted[request], "it ended well, but not as wanted")
        elif not left:
            # It may have been killed when all was done, too.
            expect(seen in (labs.before, labs.wanted[request]), f"a mixture that is not reported: {said}")
        else:
            expect(left[1] == str(run.pid), f"another one is blamed: {left[0]}")
        again = lab.run(REQUESTS[request])
        expect(again.status == 0, f"it cannot be repeated: {again.stderr}")
        expect(bool(UNDONE.search(again.stderr)) == bool(left), f"told otherwise: {again.stderr}")
        expect(lab.look() == labs.wanted[request], "the repetition is not as wanted")
        expect(not LEFT.search(lab.run(READING[1]).stderr), "it is told for ever")
        return bool(left)


def stop(labs, chance, number):
    """A command that is asked to stop rolls back what it did, and reports so."""
    request = chance.randrange(len(REQUESTS))
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        run = lab.start(REQUESTS[request])
        wait_for(run, lab.is_writing)
        time.sleep(chance.random() * 0.1)
        run.send_signal(number)
        status, said = end_of(run)
        if status == 0:
            expect(lab.look() == labs.wanted[request], f"status {status}, but not as wanted: {said}")
            return False
        expect(status == 1, f"status {status}, not 1: {said}")
        expect("a stop was requested" in said or "Interrupted" in said, said)
        expect("not undone" not in said, said)
        expect(lab.look() == labs.before, f"the machine does not read as before: {said}")
        expect(lab.is_free(), "the lock is still held")
        return True


def tell_late(labs, number):
    """A signal after the last write: the command shows its results; a second one ends it."""
    for times in (1, 2):
        with machine.temporary_directory() as directory:
            lab = labs.make(directory)
            results = pathlib.Path(directory) / "results"
            os.mkfifo(results, 0o600)  # writing waits for a reader
            run = lab.start(["-o", str(results), *REQUESTS[0]])
            wait_for(run, lab.has_written)
            for _ in range(times):
                time.sleep(0.2)
                run.send_signal(number)
            reader = os.open(results, os.O_RDONLY | os.O_NONBLOCK)
            status, said = end_of(run)
            shown = os.read(reader, 1 << 16).decode()
            os.close(reader)
            expect(status == (0 if times == 1 else -number), f"status {status}: {said}")
            expect("perf-profile" in shown or times == 2, f"no results: {shown}")
            expect(lab.look() == labs.wanted[0], f"told {times} times, not as wanted: {said}")


def stop_undoing(labs, number):
    """A second signal ends undoing; what is left is named, and nothing else is."""
    made, path = 40, "/sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq"
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        orders = [{"at": "write", "path": path, "skip": made, "times": 1, "error": "EBUSY"},
                  {"at": "write", "path": path, "skip": made + 1, "delay_us": 200000}]
        faults = lab.box.state / "faults.json"
        faults.write_text(json.dumps({"orders": orders}), encoding="utf-8")
        run = lab.start(["turbo-mode", "disable"])
        wait_for(run, lab.is_writing)
        time.sleep(1)
        for _ in range(2):
            expect(run.poll() is None, "the first signal ends undoing")
            run.send_signal(number)
            time.sleep(0.5)
        began = time.monotonic()
        status, said = end_of(run)
        expect(time.monotonic() - began < PROMPT_S / 2, "the second signal does not end undoing")
        expect(status == 1, f"status {status}, not 1: {said}")
        faults.unlink()
        left = lab.run(["-f", "json", "-o", "-", "--dry-run", "turbo-mode", "enable"]).stdout
        named = re.findall(r"cpu-(\d+).*: not undone: a stop was requested again", said)
        expect(0 < len(named) < made, f"{len(named)} of {made} left: {said}")
        expect(sorted(named) == sorted(re.findall(r"cpu(\d+)/cpufreq", left)),
               f"other CPUs are left: {left}{said}")
    return True


def stop_all_online(labs, chance, number):
    """A command that is asked to stop takes the CPUs offline again that -a brought online."""
    argv = chance.choice(ALL_ONLINE)
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        for step in CPUS_OFFLINE:
            expect(lab.run(step).status == 0, f"{step} fails")
        before = lab.look()
        run = lab.start(argv)
        wait_for(run, lab.is_writing)
        time.sleep(chance.random() * 0.1)
        run.send_signal(number)
        status, said = end_of(run)
        if status == 0:
            return False
        expect(status == 1, f"{argv}: status {status}, not 1: {said}")
        expect("a stop was requested" in said or "Interrupted" in said, f"{argv}: {said}")
        expect("not undone" not in said, f"{argv}: {said}")
        expect("Information: undone: " not in said or "online of CPU" in said, f"{argv}: {said}")
        expect(lab.look() == before, f"{argv}: the machine does not read as before: {said}")
        return True


def stop_pause(labs, number):
    """A pause between two requests ends at once; nothing was written before it."""
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        run = lab.start(["-p", "30000", *REQUESTS[3]])
        time.sleep(0.7)
        expect(run.poll() is None and not lab.is_writing(), "it does not pause")
        began = time.monotonic()
        run.send_signal(number)
        status, said = end_of(run)
        took = time.monotonic() - began
        expect(status == 1 and took < PROMPT_S, f"status {status} after {took} s: {said}")
        expect(said.splitlines() == ["Error: a stop was requested",
                                     "Information: nothing had been changed before that"], said)
        expect(lab.look() == labs.before, f"the machine does not read as before: {said}")


def stop_waiting(labs, number):
    """So does the wait for the lock."""
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        lab.order(delay_us=400000)
        holder = lab.start(REQUESTS[2])
        wait_for(holder, lab.is_writing)
        other = lab.start(REQUESTS[1])
        time.sleep(0.3)
        began = time.monotonic()
        other.send_signal(number)
        status, said = end_of(other)
        took = time.monotonic() - began
        holder.kill()
        end_of(holder)
        expect(status == 1 and took < 1, f"status {status} after {took} s: {said}")
        expect("a stop was requested" in said, said)


def limited(labs, n_bytes, room, is_set):
    """
    A limit on file sizes (ulimit -f) that messages meet ends nothing halfway: if the map of CPUs
    does not fit, nothing is set; else only results are lost.
    """
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        lab.look()  # its state must exist before the limit
        path = pathlib.Path(directory) / "said"
        path.write_text("." * (n_bytes - room), encoding="utf-8")
        with open(path, "a", encoding="utf-8") as said:
            run = lab.start(REQUESTS[0], stderr=said, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (n_bytes, n_bytes)))
            status, _ = end_of(run)
        expect(path.stat().st_size == n_bytes, "the limit is not met")
        expect(status == 1, f"status {status}, not 1")
        expect(not LEFT.search(lab.run(READING[1]).stderr), "it died in the middle")
        expect(lab.look() == (labs.wanted[0] if is_set else labs.before), "not as wanted")


def unheard(labs, chance):
    """Whose reader goes away in the middle (a pipe into head) finishes all the same."""
    with machine.temporary_directory() as directory:
        lab = labs.make(directory)
        run = lab.start(REQUESTS[0])
        for _ in range(chance.randrange(1, 40)):
            run.stderr.readline()
        run.stderr.close()
        run.stdout.close()
        status = run.wait(timeout=machine.TIMEOUT_S)
        expect(not LEFT.search(lab.run(READING[1]).stderr), f"it died in the middle: {status}")
        expect(lab.look() == labs.wanted[0], f"not as wanted: status {status}")


def repeat(times, name, check, *arguments):
    """Runs a check some times. Returns how often it fails; and that it never happens, too."""
    failed, happened = 0, 0
    for _ in range(times):
        try:
            happened += check(*arguments) is not False
        except Failure as failure:
            failed += 1
            print(f"FAILED: {name}: {failure}")
    print(f"{name}: {times} times, {happened} of them in the middle, {failed} failed")
    return failed + (happened == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"--seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    labs = Labs(arguments.program, arguments.platform)
    failed = repeat(1, "busy", busy, labs, chance)
    failed += repeat(arguments.times // 3, "together", together, labs, chance)
    failed += repeat(arguments.times, "killed", kill, labs, chance, signal.SIGKILL)
    failed += repeat(1, "killed at the end", kill_at_the_end, labs, chance)
    failed += repeat(arguments.times // 3, "unheard", unheard, labs, chance)
    failed += repeat(1, "limit of no bytes", limited, labs, 0, 0, False)
    failed += repeat(1, "limit of 9000 bytes", limited, labs, 9000, 500, True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # ignored where this runs below nohup
        failed += repeat(arguments.times // 3, number.name, stop, labs, chance, number)
        failed += repeat(1, f"late {number.name}", tell_late, labs, number)
        failed += repeat(arguments.times // 3, f"-a and {number.name}", stop_all_online, labs,
                         chance, number)
        failed += repeat(1, f"pause and {number.name}", stop_pause, labs, number)
        if number != signal.SIGHUP:
            failed += repeat(1, f"{number.name} twice", stop_undoing, labs, number)
    failed += repeat(1, "wait for the lock", stop_waiting, labs, signal.SIGTERM)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
