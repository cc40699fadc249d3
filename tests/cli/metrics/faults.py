#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
`isst metrics` where files, signals or the machine get in its way: the file that node_exporter reads
is always whole, nothing else is left beside it, and what cannot be read is reported and absent.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import metrics

WAIT_S = 60
SMALL = 2048 # less than the figures, and more than what the program keeps
ROUNDS = 5
MOST_DRIFT_S = 0.4
TRIES = 4
OLD_S = 60
# A file of each source, and the families that are absent without it.
SOURCES = {
    "cpufreq": ("/sys/devices/system/cpu/cpu*/cpufreq/scaling_m*_freq",
                ["isst_scaling_limit_frequency_hertz"]),
    "uncore": ("/sys/devices/system/cpu/intel_uncore_frequency/*/m*_freq_khz",
               ["isst_uncore_limit_frequency_hertz"]),
    "thermal_throttle": ("/sys/devices/system/cpu/cpu*/thermal_throttle/*",
                         ["isst_thermal_throttle_events_total"]),
    "powercap": ("/sys/class/powercap/*/energy_uj", ["isst_energy_joules_total"]),
}


class Files:
    """A directory of text files, and the simulated machine that writes there."""

    def __init__(self, tried):
        self.tried = tried
        self.directory = tried.directory / "textfiles"
        self.directory.mkdir()
        self.path = self.directory / "isst.prom"
        self.words = [str(word) for word in (tried.program, *tried.options, "metrics",
                                             "--textfile", self.path)]

    def expect_whole(self, others=0):
        metrics.parse(self.path.read_text(encoding="utf-8"))
        left = [name for name in os.listdir(self.directory) if name != self.path.name]
        metrics.expect(len(left) == others and all(name.startswith(".") for name in left),
                       f"left: {left}")

    @contextlib.contextmanager
    def running(self, seconds=1):
        process = subprocess.Popen([*self.words, "--interval", str(seconds)],
                                   stderr=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def wait_for_round(self):
        before = self.path.stat().st_ino if self.path.exists() else 0
        end = time.monotonic() + WAIT_S
        while not self.path.exists() or self.path.stat().st_ino == before:
            metrics.expect(time.monotonic() < end, "the file is not written again")
            time.sleep(0.01)
        return self.path.stat().st_mtime


def try_places(files):
    """Directories in which no file can be made."""
    for place in ("missing/isst.prom", "isst.prom/isst.prom"):
        done = files.tried.run("metrics", "--textfile", files.directory / place, status=1)
        metrics.expect(f"{place} cannot be written" in done.stderr, f"{place}: {done.stderr}")
    done = files.tried.run("metrics", "--textfile", "/sys/isst.prom", status=1)
    metrics.expect("/sys/isst.prom cannot be written" in done.stderr, done.stderr)


def try_full_disk(files):
    """The old file stays, and the process ends with a message."""
    with files.running() as process:
        files.wait_for_round()
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (SMALL, SMALL))
        _, messages = process.communicate(timeout=WAIT_S)
    metrics.expect(process.returncode == 1, f"a full disk: status {process.returncode}")
    metrics.expect("cannot be written" in messages, f"a full disk: {messages}")
    files.expect_whole()


def try_mount(files, options, error):
    """A file system of its own that cannot take the file: the old one stays, alone."""
    place = files.tried.directory / "mounted"
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", place], check=False,
                          capture_output=True, text=True)
    if done.returncode:
        print(f"a small disk is not tried: {done.stderr.strip()}")
        return
    try:
        path = place / "isst.prom"
        path.write_text("old\n", encoding="ascii")
        subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)
        done = files.tried.run("metrics", "--textfile", path, status=1)
        metrics.expect(f"Error: {path} cannot be written: {error}" in done.stderr, done.stderr)
        metrics.expect(path.read_text("ascii") == "old\n", f"{error}: the old file is changed")
        metrics.expect(os.listdir(place) == [path.name], f"{error}: left: {os.listdir(place)}")
    finally:
        subprocess.run(["umount", place], check=True)


def try_mounts(files):
    try_mount(files, "size=4k", "No space left on device")
    try_mount(files, "ro", "Read-only file system")


def try_mode(files):
    """node_exporter, which is another user, must be able to read it."""
    for mode in (0o600, 0o640, 0o666):
        files.path.chmod(mode)
        files.tried.run("metrics", "--textfile", files.path)
        metrics.expect(files.path.stat().st_mode & 0o7777 == 0o644, f"{mode:o} stays")


def try_killed(files):
    """Killed between write and rename: the old file stays, and the new one goes, at once or later."""
    if not shutil.which("strace"):
        print("being killed before a rename is not tried: install strace")
        return
    before = files.path.read_bytes()
    calls = "rename,renameat,renameat2"
    trace = files.tried.directory / "trace"
    subprocess.run(["strace", "-f", "-o", trace, "-e", f"trace={calls}", *files.words], check=True,
                   timeout=WAIT_S)
    renames = [line for line in trace.read_text("utf-8").splitlines() if " rename" in line]
    (last,) = [i for i, line in enumerate(renames, 1) if '"isst.prom"' in line]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # nohup, or a shell's &, has it ignored
        files.path.write_bytes(before)
        for _ in range(TRIES):  # a busy machine may rename fewer files before the last one
            done = subprocess.run(["strace", "-f", "-o", trace, "-e", f"inject={calls}:"
                                   f"signal={number.name[3:]}:when={last}", *files.words],
                                  check=False, timeout=WAIT_S)
            if done.returncode != 0:
                break
            files.path.write_bytes(before)
        metrics.expect(done.returncode in (-number, 128 + number),
                       f"it does not end: {done.returncode}")
        files.expect_whole()
        metrics.expect(files.path.read_bytes() != before, "it ends before the rename")
    files.path.write_bytes(before)
    done = subprocess.run(["strace", "-f", "-o", trace, "-e",
                           f"inject={calls}:signal=KILL:when={last}", *files.words], check=False,
                          timeout=WAIT_S)
    metrics.expect(done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL),
                   f"it is not killed: {done.returncode}")
    metrics.expect(files.path.read_bytes() == before, "a killed process changes the file")
    files.expect_whole(1)
    files.tried.run("metrics", "--textfile", files.path)
    files.expect_whole(1)
    for path in files.directory.glob(".*"):
        os.utime(path, (time.time() - OLD_S,) * 2)
    files.tried.run("metrics", "--textfile", files.path)
    files.expect_whole()


def try_two(files):
    """Two instances: every reader sees a whole file."""
    with files.running() as one, files.running() as other:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            metrics.parse(files.path.read_text(encoding="utf-8"))
        for process, number in ((one, signal.SIGTERM), (other, signal.SIGHUP)):
            process.send_signal(number)
            process.wait(WAIT_S)
            metrics.expect(process.returncode in (0, -number), f"signal {number}: status "
                           f"{process.returncode}")
            metrics.expect(not process.stderr.read(), "a signal causes messages")
    files.expect_whole()


def try_pace(files):
    """An interval is from start to start, so rounds do not get later and later."""
    for _ in range(TRIES):
        with files.running() as process:
            times = [files.wait_for_round() for _ in range(ROUNDS + 1)]
            process.terminate()
            process.wait(WAIT_S)
        late = [times[-1] - times[i] - (ROUNDS - i) for i in (0, 1)]
        if min(map(abs, late)) < MOST_DRIFT_S:
            return
    raise metrics.Failure(f"{ROUNDS} rounds of a second: {late} s late")


def try_sources(files):
    """A source that fails is down and absent; the others stay. The message names it once."""
    faults = files.tried.directory / "state/faults.json"
    whole = files.tried.metrics()
    for source, (path, families) in SOURCES.items():
        if not metrics.series(whole, "isst_source_up", source=source):
            continue
        if not all(family in whole for family in families):
            continue
        faults.write_text(json.dumps({"orders": [{"at": "read", "path": path, "error": "EIO"}]}),
                          encoding="ascii")
        done = files.tried.run("metrics", status=1)
        found = metrics.parse(done.stdout)
        metrics.expect(set(metrics.series(found, "isst_source_up", source=source).values()) == {0.0},
                       f"{source} is up")
        metrics.expect(len(re.findall("^Error", done.stderr, re.M)) == 1, done.stderr)
        absent = set(whole) - set(found)
        metrics.expect(set(families) <= absent, f"{source} fails, and {families} are shown")
        others = [family for name, (_, more) in SOURCES.items() if name != source
                  for family in more]
        metrics.expect(not absent & {*others, "isst_performance_level"}, f"{source}: {absent}")
        files.tried.run("metrics", "--textfile", files.path, status=1)
        files.expect_whole()
    faults.unlink(missing_ok=True)
    metrics.expect(files.tried.metrics().keys() == whole.keys(), "it does not recover")


def try_details(files):
    """Of details of the uncore only the present frequency is a figure. A file is named."""
    directory = "/sys/devices/system/cpu/intel_uncore_frequency/*"
    faults = files.tried.directory / "state/faults.json"
    for name, status in (("initial_max_freq_khz", 0), ("current_freq_khz", 1)):
        faults.write_text(json.dumps({"orders": [
            {"at": "read", "path": f"{directory}/{name}", "error": "EACCES"}]}), encoding="utf-8")
        done = files.tried.run("metrics", status=status)
        found = metrics.parse(done.stdout)
        metrics.expect("isst_uncore_limit_frequency_hertz" in found, f"{name}: no limits")
        metrics.expect((f"{name}: Permission denied" in done.stderr) == bool(status), done.stderr)
    for order, reason in (({"error": "EIO"}, "Input/output error"),
                          ({"bytes": "780a"}, "not a number")):
        order.update(at="read", path="/sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq")
        faults.write_text(json.dumps({"orders": [order]}), encoding="utf-8")
        done = files.tried.run("metrics", status=1)
        metrics.expect(f"cpu-0: scaling_max_freq: {reason}" in done.stderr, done.stderr)
    faults.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isst-metrics-") as directory:
        files = Files(metrics.Tried(arguments.program.absolute(), arguments.platform.resolve(),
                                    directory))
        files.tried.run("metrics", "--textfile", files.path)
        try:
            for trial in (try_places, try_full_disk, try_mounts, try_mode, try_killed, try_two,
                          try_pace, try_sources, try_details):
                trial(files)
        except metrics.Failure as wrong:
            print(f"FAILED: {wrong}")
            sys.exit(1)


if __name__ == "__main__":
    main()
