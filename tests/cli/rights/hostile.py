#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Wrong and hostile files, given to every option that takes one and put wherever the simulator looks
for its own: each must end in time and in little memory, with one line that says what is wrong (or
none where it does not matter) and a status that tells of it.
"""

import argparse
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import time

MOST_S = 20
MOST_KB = 700_000
MOST_LETTERS = 13_000 # paths are shown whole
READ = ("perf-profile", "get-config-current-level")
SET = ("perf-profile", "set-config-level", "-l", "3", "-o")
RESULT = "get-config-current_level:0"
LONG_NAME = "n" * 300
LONG_PATH = "/".join(["d" * 200] * 30)


def sparse(path, size=10 << 30):
    with path.open("wb") as file:
        file.truncate(size)


def holding(data):
    return lambda path: path.write_bytes(data)


def socket_at(path):
    """Names of sockets are short: it is made from within its directory."""
    here = os.getcwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def loop(path):
    path.symlink_to(path.name)


# What may lie where a file is wanted.
HOSTILE = {
    "sparse": sparse,
    "binary": lambda path: path.write_bytes(os.urandom(100_000)),
    "zeros": holding(bytes(100_000)),
    "empty": holding(b""),
    "deep arrays": holding(b"[" * 1_000_000),
    "deep objects": holding(b'{"a":' * 200_000),
    "many numbers": holding(b"[" + b"0," * 2_000_000 + b"0]"),
    "long line": holding(b'"' + b"x" * 3_000_000 + b'"'),
    "same key twice": holding(b'{"name": "a", "name": "b"}'),
    "zero byte": holding(b'{"na\0me": 1}'),
    "zero character": holding(b'{"schema": 1, "name": "a\\u0000b"}'),
    "not UTF-8": holding(b'{"name": "\xff\xfe"}'),
    "large number": holding(b'{"schema": 99999999999999999999999}'),
    "larger number": holding(b'{"schema": 1e999}'),
    "negative number": holding(b'{"schema": -1}'),
    "terminal codes": holding(b'{"\x1b[2J": "\x1b]0;title\x07"}'),
    "long list": holding(b'{"schema": 1, "topology": {"online": "'
                         + b"0-1048575," * 300_000 + b'0"}}'),
    "directory": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "socket": socket_at,
    "loop": loop,
}
PLACES = ["/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "/proc/kmsg", "/none/file.json",
          "/etc/passwd/file.json", f"./{LONG_NAME}", f"./{LONG_PATH}.json", "guide.json/"]


class Failure(Exception):
    pass


def expect(condition, words):
    if not condition:
        raise Failure(words)


class Lab:
    """A directory with a state of its own."""

    peak_kb = 0  # the most that any run has used so far

    def __init__(self, directory, program):
        self.directory = pathlib.Path(directory)
        self.program = pathlib.Path(program).absolute()
        self.state = self.directory / "state"

    def run(self, *argv, simulate="guide", state=None, limit=None):
        """One run: status, stdout, stderr; it fails where that takes too long or too much."""
        command = [self.program, "--simulate", simulate, "--simulate-state",
                   state if state is not None else self.state, *argv]
        before = time.monotonic()
        run = subprocess.run(command, cwd=self.directory, capture_output=True, timeout=3 * MOST_S,
                             stdin=subprocess.DEVNULL, check=False, preexec_fn=limit)
        took = time.monotonic() - before
        expect(took < MOST_S, f"it took {took:.1f} s")
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        known, Lab.peak_kb = Lab.peak_kb, used
        expect(used < MOST_KB or used == known, f"it used {used} KB")
        expect(all(byte >= 32 or byte == 10 for byte in run.stderr), f"{run.stderr!r}")
        return run.returncode, run.stdout.decode(), run.stderr.decode()

    def refused(self, statuses, *argv, **more):
        status, _, said = self.run(*argv, **more)
        errors = [line for line in said.splitlines() if line.startswith("Error: ")]
        expect(status in statuses, f"status {status}: {said}")
        expect(len(errors) == 1 and len(errors[0]) < MOST_LETTERS, f"{len(errors)} errors: {said[:300]}")
        expect("Success" not in said and "Unknown error" not in said, said)

    def served(self, *argv, **more):
        status, shown, said = self.run("-o", "-", *argv, **more)
        expect(status == 0, f"status {status}: {said[:300]}")
        return shown, said


def platform_file(lab, name):
    path = lab.directory / "file.json"
    HOSTILE[name](path)
    lab.refused((1, 2), *READ, simulate=path)


def platform_place(lab, path):
    lab.refused((1, 2, 4), *READ, simulate=path)


def faults_file(lab, name):
    lab.served(*READ)
    HOSTILE[name](lab.state / "faults.json")
    lab.refused((1, 2), *READ)


def state_file(lab, name):
    """In every case --simulate-reset restores the initial state."""
    lab.state.mkdir(mode=0o700)
    HOSTILE[name](lab.state / "state")
    lab.refused((1, 2, 4), *READ)
    shown, _ = lab.served("--simulate-reset", *READ)
    expect(RESULT in shown, shown)


def state_directory(lab, name):
    HOSTILE[name](lab.state)
    if lab.state.is_dir():
        lab.state.chmod(0o700)
        lab.served(*READ)
    else:
        lab.refused((1, 2, 4), *READ)


def state_place(lab, path):
    lab.refused((1, 2, 4), *READ, state=path)


def run_file(lab, name, file):
    """Files of the run directory: foreign files are not used, and block no command for ever."""
    lab.served(*READ)
    run = lab.state / "run"
    for made in run.iterdir():
        made.unlink()
    HOSTILE[name](run / file)
    lab.served(*READ)
    status, _, said = lab.run(*SET)
    expect(status in (0, 1, 4), f"status {status}: {said[:300]}")
    if status == 0:
        shown, _ = lab.served(*READ)
        expect("current_level:3" in shown, shown)
    else:
        expect("Error: " in said, said[:300])
    lab.served(*READ)


def control_group(lab, name):
    lab.served(*READ)
    group = lab.state / "cgroup"
    group.mkdir(mode=0o700, exist_ok=True)
    HOSTILE[name](group / "cgroup.subtree_control")
    status, _, said = lab.run("-g", *SET)
    expect(status in (0, 1, 4), f"status {status}: {said[:300]}")


def out(lab, path, statuses, make=None, **more):
    if make:
        make(lab.directory / path)
    before = sorted(lab.directory.iterdir())
    lab.refused(statuses, "-o", path, *READ, **more)
    lab.refused(statuses, "-o", path, *SET[:-1], **more)
    after = [entry for entry in lab.directory.iterdir() if entry != lab.state]
    expect(sorted(after) == [entry for entry in before if entry != lab.state],
           f"it left {after}")


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))


def cpu_list(lab, text):
    lab.refused((2,), "-c", text, *READ)


def cases():
    for name in HOSTILE:
        yield f"--simulate, {name}", platform_file, (name,)
        yield f"faults.json, {name}", faults_file, (name,)
        yield f"state, {name}", state_file, (name,)
        yield f"--simulate-state, {name}", state_directory, (name,)
        yield f"cgroup, {name}", control_group, (name,)
        for file in ("lock", "journal", "cpu-map.json"):
            yield f"{file}, {name}", run_file, (name, file)
    for path in PLACES:
        yield f"--simulate {path[:40]}", platform_place, (path,)
    for path in ("/dev/null", "/dev/null/state", "/proc/none/state", f"./{LONG_NAME}",
                 f"./{LONG_PATH * 2}", ""):
        yield f"--simulate-state {path[:40]}", state_place, (path,)
    yield "-o directory", out, ("out", (1,), lambda path: path.mkdir())
    yield "-o directory/", out, ("out/", (1,), lambda path: path.mkdir())
    yield "-o loop", out, ("out", (1,), loop)
    yield "-o socket", out, ("out", (1,), socket_at)
    yield "-o in none", out, ("none/out", (1,))
    yield "-o below a file", out, ("/dev/null/out", (1,))
    yield "-o long name", out, (LONG_NAME, (1,))
    yield "-o long path", out, (f"{LONG_PATH * 2}", (1,))
    yield "-o nothing", out, ("", (2,))
    yield "-o /proc", out, ("/proc/out", (1, 4))
    for name, text in (("long ranges", ",".join(["0-1048575"] * 12_000)),
                       ("many numbers", ",".join(map(str, range(0, 40_000, 2)))),
                       ("only commas", "," * 100_000),
                       ("one long number", "9" * 100_000)):
        yield f"-c {name}", cpu_list, (text,)


def full_device(lab):
    """Results that cannot be written, found only at the end: the settings are made."""
    status, _, said = lab.run("-o", "/dev/full", *READ)
    expect(status == 1 and "No space left" in said, said)


def full_help(lab):
    """Help, and what else goes straight to stdout, that cannot be written; under both names."""
    for program in (lab.program, lab.program.with_name("isst")):
        for argv in (("--help",), ("help",), ("--help", "all"), ("perf-profile", "info", "-h"),
                     ("-f", "json", "--help"), ("--version",), ("--list-platforms",),
                     ("--describe",), ("--complete", "--", "")):
            with open("/dev/full", "wb") as full:
                run = subprocess.run([program, *argv], stdout=full, stderr=subprocess.PIPE,
                                     cwd=lab.directory, timeout=MOST_S, check=False)
            said = run.stderr.decode()
            expect(run.returncode == 1, f"{argv}: status {run.returncode}")
            expect(said == "Error: stdout: No space left on device\n", f"{argv}: {said}")


def closed_stdout(lab):
    """A setting command that cannot write its results reports that, and sets nothing."""
    for argv in (SET[:-1], ("core-power", "enable")):
        lab.refused((1,), "-o", "-", *argv, limit=lambda: os.close(1))
    shown, _ = lab.served(*READ)
    expect(RESULT in shown, shown)


def full_disk(lab):
    path = lab.directory / "out"
    path.write_text("old\n", encoding="utf-8")
    status, _, _ = lab.run("-o", path, *READ, limit=small_files)
    expect(status != 0, f"status {status}")
    expect(path.read_text(encoding="utf-8") == "old\n", "the old results are gone")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    failed, n_cases = 0, 0
    for name, case, more in [*cases(), ("-o /dev/full", full_device, ()),
                             ("--help >/dev/full", full_help, ()),
                             ("-o -, closed", closed_stdout, ()),
                             ("-o on a full disk", full_disk, ())]:
        n_cases += 1
        with tempfile.TemporaryDirectory() as directory:
            try:
                case(Lab(directory, arguments.program), *more)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAILED: {name}: {str(failure)[:600]}")
    print(f"{n_cases} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
