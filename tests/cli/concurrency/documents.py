#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
state apply, stopped and killed at random moments (from a seed that is printed), two at once, and
with files that change, block or cannot be written (state.md, "How it is proven"). The documents are
those of the failure matrix.
"""

import argparse
import functools
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import threading
import time

import concurrency
from concurrency import LEFT, end_of, expect, repeat, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "matrix"))

import matrix  # noqa: E402 pylint: disable=wrong-import-position

FIRST, SECOND = matrix.apply("guide"), matrix.apply("guide-back")
LARGEST = 16 << 20
FILES = [{"at": "write", "path": f"/sys/devices/system/cpu/{path}", "delay_us": 2000}
         for path in ("*/*", "cpu*/cpuidle/*/*", "cpu*/power/*", "intel_uncore_frequency/*/*")]


class Lab(concurrency.Lab):
    """With slow writes of all that the documents name."""

    def order(self, **what):
        super().order(**what)
        faults = self.box.state / "faults.json"
        orders = json.loads(faults.read_text(encoding="utf-8"))["orders"]
        faults.write_text(json.dumps({"orders": orders + FILES}), encoding="utf-8")

    def look(self):
        return matrix.snapshot(self.box, self.program, True)

    def saved(self, name):
        return self.box.state / "run" / name

    def document(self, *settings):
        path = self.box.directory / "document.json"
        path.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                    "settings": list(settings)}), encoding="utf-8")
        return path


class Labs(concurrency.Labs):
    """What the documents make of a new machine, one after the other in either order."""

    def __init__(self, program, platform):  # pylint: disable=super-init-not-called
        self.program, self.platform = program, platform
        self.before = self.after([])
        self.wanted = self.after([FIRST])

    def make(self, directory):
        return Lab(self.program, self.platform, directory)


def in_lab(check):
    """Gives a check a lab of its own."""
    @functools.wraps(check)
    def run(labs, *arguments):
        with concurrency.machine.temporary_directory() as directory:
            return check(labs, labs.make(directory), *arguments)
    return run


@in_lab
def stop(labs, lab, chance, number):
    """A signal: all is undone and reported, or all is done."""
    run = lab.start(FIRST)
    wait_for(run, lab.is_writing)
    time.sleep(chance.random() * 0.25)
    run.send_signal(number)
    status, said = end_of(run)
    if status == 0:
        expect(lab.look() == labs.wanted, f"status 0, but not as wanted: {said}")
        return False
    expect(status == 1, f"status {status}, not 1: {said}")
    expect("a stop was requested" in said or "Interrupted" in said, said)
    expect("not undone" not in said, said)
    expect(lab.look() == labs.before, f"the machine does not read as before: {said}")
    expect(lab.run(FIRST).status == 0 and lab.look() == labs.wanted, "it cannot be repeated")
    return True


@in_lab
def stop_at_last_reading(labs, lab):
    """A signal while all is read again after the last write: shown as set if it is set."""
    document = lab.document({"for": "cpu 0", "cpufreq": {"min-mhz": 1200}})
    order = {"at": "read", "path": "/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq",
             "delay_us": 400000, "skip": 2, "times": 1}
    (lab.box.state / "faults.json").write_text(json.dumps({"orders": [order]}), encoding="utf-8")
    run = lab.start(["state", "apply", str(document)])
    wait_for(run, lambda: lab.saved("journal").exists())
    time.sleep(0.1)
    run.send_signal(signal.SIGTERM)
    shown, said = run.communicate(timeout=concurrency.machine.TIMEOUT_S)
    expect((" -> " in shown) == (run.returncode == 0), f"status {run.returncode}: {shown}{said}")
    expect((lab.look() == labs.before) == (run.returncode != 0), f"{run.returncode}: {said}")


@in_lab
def kill(labs, lab, chance):
    """After a kill the next command reports it; restore goes back, and apply completes it."""
    run = lab.start(FIRST)
    wait_for(run, lab.is_writing)
    time.sleep(chance.random() * 0.25)
    run.kill()
    status, said = end_of(run)
    seen = lab.look()
    left = LEFT.search(lab.run(["state", "check", FIRST[-1]]).stderr)
    expect(left or seen in (labs.before, labs.wanted), f"a mixture that nothing reports: {said}")
    again = lab.run(["state", "restore"] if chance.random() < 0.6 else FIRST)
    expect(again.status == 0, f"{again.stderr}")
    expect(bool(concurrency.UNDONE.search(again.stderr)) == bool(left),
           f"reported otherwise: {again.stderr}")
    expect(lab.look() in (labs.before, labs.wanted), f"neither as before nor as wanted: {again.stderr}")
    restored = lab.run(["state", "restore"])
    expect(restored.status == 0 and lab.look() == labs.before, f"not as before: {restored.stderr}")
    expect(not LEFT.search(lab.run(["state", "export"]).stderr), "it is reported again")
    return status != 0 and seen not in (labs.before, labs.wanted)


@in_lab
def together(labs, lab, chance):
    """Two documents at once: one after the other, or one fails and names the other."""
    pair = [matrix.apply("guide"),
            ["state", "apply", str(lab.document({"for": "all", "cpufreq": {"max-mhz": 2000}}))]]
    chance.shuffle(pair)
    runs = []
    for argv in pair:
        runs.append(lab.start(argv))
        time.sleep(chance.random() * 0.1)
    ends = [end_of(run) for run in runs]
    done = [argv for argv, (status, _) in zip(pair, ends) if status == 0]
    expect(done and all(status in (0, 5) for status, _ in ends), f"{ends}")
    expect(lab.look() in [labs.after(order) for order in (done, done[::-1])],
           f"the machine is a mixture of two documents: {ends}")


@in_lab
def replaced(labs, lab, chance):
    """A document that is replaced while it is read: one or the other is applied, never a mixture."""
    texts = [json.dumps({"format": "intel-speed-select-state", "version": 1, "comment": "x" * 100000,
                         "settings": [{"for": f"cpu {cpu}", "cpufreq": {"epb": epb}}
                                      for cpu in range(56)]}) for epb in (1, 9)]
    path, other = lab.box.directory / "document.json", lab.box.directory / "new.json"
    path.write_text(texts[0], encoding="utf-8")
    (lab.box.state / "faults.json").unlink()
    over = threading.Event()

    def replace():
        number = 0
        while not over.is_set():
            number += 1
            if chance.random() < 0.8:
                other.write_text(texts[number % 2], encoding="utf-8")
                other.rename(path)
            else:
                path.write_text(texts[number % 2], encoding="utf-8")

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for _ in range(12):
            run = lab.run(["state", "apply", str(path)])
            expect(run.status in (0, 2), f"status {run.status}: {run.stderr}")
            entries = json.loads(lab.run(["state", "export", "--only", "cpufreq.epb"]).stdout)
            found = {entry["cpufreq"]["epb"] for entry in entries["settings"]}
            expect(len(found) == 1, f"a mixture: {found}: {run.stderr}")
    finally:
        over.set()
        thread.join()


def refused(lab, argv, status, words, **streams):
    """The command ends with a status and words, within some seconds. Nothing is written."""
    run = lab.start(argv, **streams)
    found, said = end_of(run)
    expect(found == status and words in said, f"{argv[-1]}: status {found}, not {status}: {said}")
    expect(not lab.journal.exists(), f"{argv[-1]}: something was written")


@in_lab
def sources(_labs, lab):
    """Documents that are no regular files, or too large."""
    text = lab.document({"for": "machine", "cpufreq": {"turbo": False}}).read_bytes()
    apply = ["state", "apply"]
    large = lab.box.directory / "large.json"
    large.write_bytes(text + b" " * (LARGEST + 1 - len(text)))
    refused(lab, [*apply, str(large)], 2, "large.json")
    refused(lab, [*apply, str(lab.box.directory)], 2, "Is a directory")
    refused(lab, [*apply, "/dev/null"], 2, "/dev/null:1:1: ")
    refused(lab, [*apply, "/dev/zero"], 2, "larger than 16 MiB")
    refused(lab, [*apply, "-"], 2, "standard input:1:1: ")
    refused(lab, [*apply, "/proc/self/mem"], 2, "cannot be read: ")
    lab.box.directory.joinpath("loop").symlink_to("loop")
    refused(lab, [*apply, str(lab.box.directory / "loop")], 2, "symbolic links")
    endless = subprocess.Popen(["yes", ""], stdout=subprocess.PIPE)
    refused(lab, [*apply, "-"], 2, "standard input", stdin=endless.stdout)
    endless.kill()
    endless.communicate()
    fifo = lab.box.directory / "fifo"
    os.mkfifo(fifo, 0o600)
    for command in (["state", "check"], apply, ["machine", "check"]):
        refused(lab, [*command, str(fifo)], 2, "is empty")  # no process writes to it
    large.write_bytes(text + b" " * (LARGEST - len(text)))
    expect(lab.run(["--dry-run", *apply, str(large)]).status == 0, "16 MiB are refused")
    run = lab.start([*apply, str(fifo)])
    fifo.write_bytes(text)
    expect(end_of(run)[0] == 0, "a FIFO is refused")
    run = lab.start(["state", "check", "-"], stdin=subprocess.PIPE)
    output, _ = run.communicate(text.decode(), timeout=concurrency.machine.TIMEOUT_S)
    expect(run.returncode == 0 and not output, f"standard input: {output}")


@in_lab
def journal_fails(labs, lab):
    """Without a journal nothing is set; one that is damaged is refused, and named with the remedy."""
    path = lab.journal
    path.mkdir(parents=True, mode=0o755)
    path.chmod(0o755)
    path.parent.chmod(0o755)
    clean = ["state", "restore", "--to", "clean", "--level", "1"]
    for argv in (FIRST, clean, concurrency.REQUESTS[0]):
        run = lab.run(argv)
        expect(run.status == 1 and "journal" in run.stderr, f"{run.stderr}")
    path.rmdir()
    expect(lab.look() == labs.before, "something was written")
    expect(lab.run(["state", "restore"]).status == 0, "nothing is to be restored")
    expect(lab.run(["state", "restore", "--to", "previous"]).status == 3, "nothing was changed")
    expect(lab.run(FIRST).status == 0, "it fails although the journal can be written")
    saved = path.read_text(encoding="ascii")
    for text in (saved.replace("begin", "other"), "damaged\n" + saved, saved.replace('"id":1', '"id":x')):
        path.write_text(text, encoding="ascii")
        for argv in (["state", "restore"], concurrency.REQUESTS[0]):
            run = lab.run(argv)
            expect(run.status == 1 and "remove the file" in run.stderr, f"{text[:20]}: {run.stderr}")
    path.write_text(saved, encoding="ascii")
    expect(lab.look() == labs.wanted, "a damaged journal was restored")
    expect(lab.run(["state", "restore"]).status == 0 and lab.look() == labs.before, "not restored")


@in_lab
def output_fails(_labs, lab):
    """An export that cannot be written, whole or in part, ends with 1."""
    part = lab.box.directory / "part.json"
    lab.run(["state", "export"])
    for argv, limit in ((["state", "export", "-o", "/dev/full"], resource.RLIM_INFINITY),
                        (["state", "export", "-o", str(part)], 100)):
        run = lab.start(argv, preexec_fn=lambda size=limit: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size)))
        status, said = end_of(run)
        expect((status == 1 and "Error: " in said) or status == -signal.SIGXFSZ,
               f"{argv}: status {status}: {said}")
    expect(not part.exists(), "a part of an export is left")
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = lab.start(["state", "export"], stdout=full)
        expect(end_of(run)[0] == 1, "an export to a full disk ends well")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    parser.add_argument("--times", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"--seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    labs = Labs(arguments.program, arguments.platform)
    failed = repeat(arguments.times, "killed", kill, labs, chance)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # ignored if this runs below nohup
        failed += repeat(arguments.times // 2, number.name, stop, labs, chance, number)
    failed += repeat(arguments.times // 3, "together", together, labs, chance)
    failed += repeat(1, "replaced", replaced, labs, chance)
    for check in (stop_at_last_reading, sources, journal_fails, output_fails):
        failed += repeat(1, check.__name__, check, labs)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
