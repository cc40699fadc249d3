#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The environment: runs are traced with every variable that a library is known to look at set to a
path of its own. None of these paths may turn up in what the program asks the kernel for. The
variables of the dynamic loader are left out: they are obeyed before there is a program.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 60
NAMES = ("HOME", "TMPDIR", "TMP", "TEMP", "TEMPDIR", "PWD", "OLDPWD", "SHELL", "PATH",
         "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_DATA_HOME",
         "XDG_DATA_DIRS", "XDG_STATE_HOME", "LANG", "LC_ALL", "LC_MESSAGES", "LC_NUMERIC",
         "LANGUAGE", "LOCPATH", "NLSPATH", "OUTPUT_CHARSET", "CHARSET", "TZ", "TZDIR",
         "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "TERM", "TERMINFO", "TERMCAP", "PAGER",
         "EDITOR", "NLSYSCONFDIR", "NLCB", "NLDBG", "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY",
         "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "MALLOC_TRACE", "GETCONF_DIR", "POSIXLY_CORRECT")
COMMANDS = (
    ("perf-profile", "info"),
    ("perf-profile", "set-config-level", "-l", "3", "-o"),
    ("-f", "json", "-o", "out", "core-power", "info"),
    ("cpufreq", "info"),
    ("cpuidle", "set", "--deepest", "C1"),
    ("uncore", "info"),
    ("machine", "summary"),
    ("--info",),
    ("-w", "1", "--oob"),
)
# Without --simulate: the machine that the test runs on, which is not written to.
ELSEWHERE = (("--help",), ("--version",), ("--list-platforms",), ("--complete", "--", "perf"),
             ("--describe",), ("--info",), ("perf-profile", "info"), ("uncore", "info"))


# A root without /sys has nothing to read.
ALLOWED = (0, 3, 4) if os.path.exists("/sys/devices/system/cpu/present") else (0, 1, 3, 4)


class Lab:
    def __init__(self, directory, program):
        self.directory = pathlib.Path(directory)
        self.program = pathlib.Path(program).absolute()
        self.marker = self.directory / "variable"
        self.trace = self.directory / "trace"

    def environment(self):
        """NOTIFY_SOCKET is the daemon's to obey, and no other user's."""
        sanitizer = {name: f"{os.environ.get(name, '')}:detect_leaks=0"
                     for name in ("ASAN_OPTIONS",)}
        return {**sanitizer, **{name: f"{self.marker}/{name}" for name in NAMES},
                "NLCB": "debug", "TZ": f":{self.marker}/TZ"}

    def run(self, argv):
        """Runs it traced; a daemon is ended when it has made its process file."""
        settings = [word for name, value in self.environment().items()
                    for word in ("-E", f"{name}={value}")]
        command = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file,%network", "-o",
                   self.trace, *settings, self.program, *argv]
        with subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            if "--oob" in argv:
                self.end_daemon()
            said, _ = process.communicate(timeout=DEADLINE_S)
        return process.returncode, said

    def end_daemon(self):
        path = self.directory / "state/run/oob.pid"
        end = time.monotonic() + DEADLINE_S
        while not path.exists() or not path.read_text(encoding="utf-8"):
            if time.monotonic() > end:
                raise RuntimeError("the daemon did not start")
            time.sleep(0.02)
        time.sleep(0.5)
        os.kill(int(path.read_text(encoding="utf-8")), signal.SIGTERM)

    def problems(self, argv):
        status, said = self.run(argv)
        if status not in ALLOWED:
            yield f"status {status}: {said}"
        if "Debug: " in said:
            yield "libnl shows its messages"
        asked = self.trace.read_text(encoding="utf-8", errors="replace")
        if "openat(" not in asked:
            yield "nothing was traced"
        for line in asked.splitlines():
            if str(self.marker) in line and "execve(" not in line:
                yield line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--no-daemon", action="store_true", help="it was built without")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        control = Lab(directory, "/bin/cat")
        if not list(control.problems([f"{control.marker}/HOME"])):
            print("FAILED: the trace does not show a path that is asked for")
            failed += 1
    commands = [argv for argv in COMMANDS if "--oob" not in argv or not arguments.no_daemon]
    for simulated, argv in [(True, argv) for argv in commands] + [(False, argv)
                                                                 for argv in ELSEWHERE]:
        with tempfile.TemporaryDirectory() as directory:
            lab = Lab(directory, arguments.program)
            machine = ("--simulate", "guide", "--simulate-state", "state") if simulated else ()
            for problem in lab.problems([*machine, *argv]):
                failed += 1
                print(f"FAILED: {' '.join(argv)}: {problem}")
    print(f"{len(commands) + len(ELSEWHERE)} commands, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
