#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What the daemon does between an event and the first CPU that it moves: the system calls from the
return of poll to the write to cpuN/online. A limit that is passed is a failure.
"""

import argparse
import collections
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import machine  # pylint: disable=wrong-import-position

PATIENCE_S = 30
ACTION = re.compile(r'openat\(.*/cpu\d+/online", O_(?:WRONLY|RDWR)')
CALL = re.compile(r"(?:\d+ +)?(\w+)\(")
POLL = re.compile(r"\bpoll(?:\(| resumed)")

# Platform, level; the most system calls up to the first action, and of them the most fsyncs.
STATE = re.compile(r'openat\(\d+, "state", ')
LIMITS = [
    ("guide", 3, 75, 0),
    ("gnr-6776p-2s", 1, 90, 0),
]


class Failure(Exception):
    """A promise that was not kept."""


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise Failure(what)
        time.sleep(0.05)


def calls_of_event(lines):
    """The calls after the last poll before the first CPU action, that action included."""
    action = next((i for i, line in enumerate(lines) if ACTION.search(line)), None)
    if action is None:
        return None
    start = max(i for i in range(action) if POLL.search(lines[i]))
    kept, before, in_state = [], "", False
    for line in lines[start + 1:action + 1]:
        name = CALL.match(line)
        in_state = in_state or STATE.search(line) is not None
        # The simulated machine locks its state, and reads the header to see if it was replaced.
        if name and not in_state and name[1] != "flock" and not (name[1] == "pread64" and
                                                                 before == "flock"):
            kept.append(line)
        before = name[1] if name else ""
        in_state = in_state and before != "close"
    return kept


def count(arguments, platform, level):
    """The calls of one event, as strace shows them."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, arguments.platforms / f"{platform}.json",
                              arguments.standin, arguments.make_tree)
        trace, log = box.directory / "trace", box.directory / "log"
        env = box.environment()
        settings = [word for name, value in env.items() for word in ("-E", f"{name}={value}")]
        command = ["strace", "-f", "-s", "200", "-o", trace, *settings, arguments.program, "--oob",
                   "-n", "-w", "86400"]
        with open(log, "w", encoding="utf-8") as output, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=output) as tracer:
            try:
                wait_for(lambda: "OOB mode is enabled" in log.read_text(encoding="utf-8"),
                         "it is never ready")
                run = box.run(arguments.program, ["-o", str(box.out), "-c", "0", "perf-profile",
                                                  "set-config-level", "-l", str(level)])
                if run.status:
                    raise Failure(f"level {level} cannot be set: {run.stderr}")
                pid = int((box.root / "run/intel-speed-select/oob.pid").read_text("utf-8"))
                signal_process(pid, signal.SIGHUP)
                wait_for(lambda: calls_of_event(trace.read_text("utf-8").splitlines()) is not None,
                         "it moves no CPU")
            finally:
                signal_process(int((box.root / "run/intel-speed-select/oob.pid")
                                   .read_text("utf-8")), signal.SIGTERM)
                tracer.wait(timeout=PATIENCE_S)
        return calls_of_event(trace.read_text("utf-8").splitlines())


def signal_process(pid, number):
    subprocess.run(["kill", f"-{number.value}", str(pid)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platforms", "--standin", "--make-tree"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="print the calls")
    arguments = parser.parse_args()
    failed = 0
    for platform, level, most, most_syncs in LIMITS:
        lines = count(arguments, platform, level)
        names = collections.Counter(CALL.match(line)[1] for line in lines)
        print(f"{platform}: {len(lines)} system calls from the event to the first CPU: "
              f"{', '.join(f'{name} {times}' for name, times in names.most_common())}")
        if arguments.show:
            print("\n".join(lines))
        if len(lines) > most or names["fsync"] + names["fdatasync"] > most_syncs:
            failed += 1
            print(f"FAILED: {platform}: at most {most} system calls wanted, and {most_syncs} syncs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
