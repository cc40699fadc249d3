#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
measure run on the machine at hand (measure.md, "run"): the status and the signals of a command, the
streams, what it costs, what an ordinary user gets, and that a CPU that is measured is not disturbed.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

NOBODY = 65534
PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
MANY_KILLS = 9
LONGEST_S = 0.15  # until a measurement is killed: it begins in a few milliseconds
SEED = 21


def run(program, *argv, user=None, environment=None):
    return subprocess.run([program, *argv], capture_output=True, text=True, timeout=120, user=user,
                          check=False, env={**os.environ, **(environment or {})})


def check_status(program):
    """As env(1) and timeout(1)."""
    script = pathlib.Path(tempfile.mkdtemp()) / "not-executable"
    script.write_text("", encoding="utf-8")
    for command, status in ((["true"], 0), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -9 $$"], 137),
                            (["/nonexistent"], 127), ([str(script)], 126)):
        result = run(program, "measure", "run", "--", *command)
        expect(result.returncode == status, f"{command}: {result.returncode}: {result.stderr}")
    for argv in (["--load", "wrong"], ["--interval", "2"], ["--pipe", "0,0"],
                 ["--save", "/nonexistent/file"]):
        result = run(program, "measure", "run", *argv, "--", "true")
        expect(result.returncode == 125, f"{argv}: {result.returncode}: {result.stderr}")
    for argv in (["word"], ["--"]):
        result = run(program, "measure", "run", *argv)
        expect(result.returncode == 2, f"{argv}: {result}")
    script.unlink()
    script.parent.rmdir()


def check_streams(program):
    """Standard output is the command's; results go to standard error or to the file."""
    with tempfile.TemporaryDirectory() as directory:
        command = ["--", "sh", "-c", "echo output; echo error >&2"]
        result = run(program, "measure", "run", *command)
        expect(result.stdout == "output\n", f"standard output: {result.stdout}")
        expect("error\n" in result.stderr and "exit 0" in result.stderr, result.stderr)
        result = run(program, "measure", "run", "--", "sh", "-c", "yes | head -n 1")
        expect(result.stdout == "y\n" and "yes" not in result.stderr, "SIGPIPE is ignored")
        path = pathlib.Path(directory) / "result"
        result = run(program, "-f", "json", "-o", str(path), "measure", "run", *command)
        expect(result.stdout == "output\n" and result.stderr == "error\n", f"{result}")
        document = json.loads(path.read_text(encoding="utf-8"))
        expect(document["process"]["command-exit"] == 0, f"{document['process']}")
        saved = pathlib.Path(directory) / "saved.json"
        run(program, "measure", "run", "--save", str(saved), "--", "true")
        document = json.loads(saved.read_text(encoding="utf-8"))
        expect((document["format"], document["version"]) == ("intel-speed-select-run", 1), "format")
        expect(len(document["samples"]) == 1 and "settings" in document["state"], "saved document")


def check_reasons(program):
    """Each figure has a source or, being null, a reason; none is 0 for want of a source."""
    document = json.loads(run(program, "-f", "json", "measure", "run", "--seconds", "1").stdout)
    for place in document["cpus"] + document["packages"]:
        for name, value in place.items():
            if value is None:
                expect(place.get(f"{name}-reason"), f"{name} has no reason")


def check_signals(program):
    """SIGTERM and SIGHUP reach the command; SIGINT is left to it."""
    script = "trap 'echo $1; exit 7' TERM; trap 'exit 8' HUP; echo ready; while :; do sleep 0.1; done"
    for number, status in ((signal.SIGTERM, 7), (signal.SIGHUP, 8)):
        with subprocess.Popen([program, "measure", "run", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            expect(process.poll() is None, "SIGINT ended it")
            process.send_signal(number)
            expect(process.wait(60) == status, f"{number}: {process.returncode}")


def check_end(program):
    """A command that ends early ends the measurement; one that is late is measured to its end."""
    begin = time.monotonic()
    run(program, "measure", "run", "--seconds", "100", "--", "true")
    expect(time.monotonic() - begin < 50, "waited after the command")
    result = run(program, "-f", "json", "-o", "-", "measure", "run", "--seconds", "1", "--", "sleep", "2")
    expect(json.loads(result.stdout)["seconds"] >= 2, "did not wait for the command")


def check_intervals(program):
    """A table is there when its interval ends, not when all do."""
    with subprocess.Popen([program, "measure", "run", "--seconds", "60", "--each-interval"],
                          stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.terminate()
        expect(line.startswith("time "), line)
        expect(process.wait(60) == 128 + signal.SIGTERM, f"ended with {process.returncode}")


def check_open_files(program):
    """A command has the limit of open files that this program was given."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 100), hard))
    result = run(program, "measure", "run", "--", "sh", "-c", "ulimit -Sn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    expect(result.stdout.strip() == str(min(soft, 100)), f"limit of open files: {result.stdout}")


def check_cost(program):
    """At most 20 ms and 0.1 ms for each CPU; the best of several runs, since others work here, too."""
    count = len(os.sched_getaffinity(0))
    best = None
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(program, "measure", "run", "--seconds", "1")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = spent if best is None else min(best, spent)
    print(f"cost: {best * 1000:.1f} ms for {count} CPUs")
    expect(best <= 0.020 + 0.0001 * count, f"{best} s of CPU time")


def check_user(program):
    """An ordinary user gets what that user may read, and no failure."""
    if os.getuid() != 0 or not os.access(program, os.X_OK):
        return
    result = run(program, "-f", "json", "measure", "run", "--", "true", user=NOBODY)
    document = json.loads(result.stderr)
    process, cpu = document["process"], document["cpus"][0]
    expect(process["command-exit"] == 0, f"{process}")
    for figure in ("user-seconds", "system-seconds", "max-rss-kib"):
        expect(process[figure] is not None, f"no {figure}: {process}")
    expect(document["seconds"] > 0, "no wall time")
    paranoid = int(PARANOID.read_text(encoding="ascii"))
    if paranoid <= 0:
        print(f"perf_event_paranoid is {paranoid}: others have the right to counters")
        return
    expect(cpu["mhz"] is None, "counters of CPUs without a right")
    if pathlib.Path("/sys/bus/event_source/devices/msr").exists():
        reason = cpu["busy-percent-reason"]
        expect(f"perf_event_paranoid is {paranoid}:" in reason
               and "kernel.perf_event_paranoid=0" in reason, reason)
    if paranoid > 1:
        expect(process["mhz"] is None and process["mhz-reason"], f"{process}")


def check_setuid(program):
    """A command that becomes another user runs as it would by itself, and its status is passed on."""
    directory = pathlib.Path(program).parent
    if os.getuid() != 0 or os.statvfs(directory).f_flag & os.ST_NOSUID:
        print("no command with the bit setuid is possible")
        return
    for name, argv, status in (("id", ["-u"], 0), ("sh", ["-p", "-c", "id -u; exit 7"], 7)):
        command = directory / f"setuid-{name}"
        shutil.copy(shutil.which(name), command)
        command.chmod(0o4755)
        result = run(program, "-f", "json", "measure", "run", "--", str(command), *argv, user=NOBODY)
        expect((result.returncode, result.stdout) == (status, "0\n"), f"{command}: {result}")
        expect(json.loads(result.stderr)["process"]["command-exit"] == status, f"{command}: {result}")


def session(number):
    """The processes of a session that are not zombies: names by id."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")
        fields = rest.split()
        if int(fields[3]) == number and fields[0] not in "ZX":
            found[int(path.parent.name)] = name
    return found


def end_session(number, what):
    """No process of it is there any more, at the latest in 2 s; those that are left are ended."""
    end = time.monotonic() + 2
    while session(number) and time.monotonic() < end:
        time.sleep(0.01)
    left = session(number)
    for process in left:
        os.kill(process, signal.SIGKILL)
    expect(not left, f"{what}: {left} run on")


def check_kills(program):
    """
    Signals at any moment: no process of ours is left, nor a COMMAND, which the kernel kills with us.
    The status is that of the command, or the signal's.
    """
    cpus = sorted(os.sched_getaffinity(0))
    first, second = str(cpus[0]), str(cpus[-1])
    load = ["--load", f"scalar:{first}"] if first == second else ["--pipe", f"{first},{second}"]
    cases = [["run", "--seconds", "30", *load, "--", "sleep", "30"],
             ["run", "--seconds", "30", *load],
             ["ladder", "--seconds", "30"],
             ["explain", "--measure", "30", "--load", "scalar"]]
    for case in range(MANY_KILLS * len(cases)):
        words = cases[case % len(cases)]
        number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[case // len(cases) % 3]
        with subprocess.Popen([program, "-c", first, "cpufreq" if words[0] == "explain" else "measure", *words], start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            delay = random.random() * LONGEST_S
            what = f"{number!r} after {delay:.4f} s of {' '.join(words)}"
            time.sleep(delay)
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as a terminal does
            else:
                process.send_signal(number)
            process.wait(20)
            end_session(process.pid, what)
            messages = process.stderr.read()
        wanted = {-number}
        if number != signal.SIGKILL:
            wanted.add(128 + number)
        expect(process.returncode in wanted, f"{what}: {process.returncode}: {messages}")


def check_early(program):
    """A signal ends a measurement early: what was measured is shown and saved, and the status is
    that of a process which the signal ends."""
    cpu = str(min(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as directory:
        saved = pathlib.Path(directory) / "saved.json"
        for number, words, shown in (
                (signal.SIGINT, ["run", "--seconds", "60"], "time  "),
                (signal.SIGTERM, ["run", "--seconds", "60", "--each-interval"], "time  "),
                (signal.SIGHUP, ["run", "--seconds", "60", "--load", "scalar"], "time  "),
                (signal.SIGINT, ["jitter", "--seconds", "60"], "cycles")):
            with subprocess.Popen([program, "-c", cpu, "measure", *words, "--save", str(saved)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                time.sleep(1.5)
                process.send_signal(number)
                out, messages = process.communicate(timeout=20)
            what = f"{number!r} to {' '.join(words)}: {process.returncode}: {messages}{out}"
            expect(process.returncode == 128 + number, what)
            expect("ended early by a signal" in messages and shown in out.lower(), what)
            document = json.loads(saved.read_text(encoding="utf-8"))
            expect(document["command"] == words[0], what)
            expect(words[0] != "run" or 0.5 < document["seconds"] < 20, f"{document['seconds']} s")
            saved.unlink()


def interrupts(cpu):
    """Calls that other CPUs made to a CPU: "CAL:" of /proc/interrupts."""
    lines = pathlib.Path("/proc/interrupts").read_text(encoding="ascii").splitlines()
    columns = lines[0].split()
    row = next((line.split() for line in lines if line.strip().startswith("CAL:")), None)
    return int(row[1 + columns.index(f"CPU{cpu}")]) if row else None


def allowed_interrupts():
    """An isolated CPU reads its own counters. Another one is called to open, read and close each."""
    isolated = pathlib.Path("/sys/devices/system/cpu/isolated").read_text(encoding="ascii")
    if any(int((part.split("-") + part.split("-"))[0]) <= 1 <= int(part.split("-")[-1])
           for part in isolated.strip().split(",") if part):
        return 2
    try:
        events = len(os.listdir("/sys/bus/event_source/devices/msr/events"))
    except FileNotFoundError:
        events = 0
    return 2 + 2 * events + 2


def check_requirements(program):
    """--require on the machine at hand: an exit status, the results in any case, and the status of
    a command that fails."""
    cpu = str(min(os.sched_getaffinity(0)))
    jitter = ["-c", cpu, "measure", "jitter", "--seconds", "1"]
    run = ["-c", cpu, "measure", "run"]
    for argv, status, shown in (
            (jitter + ["--require", "max-us>0", "--require", "cycles>10"], 0, "max-us>0: met"),
            (jitter + ["--require", "max-us<0"], 6, "max-us<0: not met"),
            (jitter + ["--require", "p99.99-us<9999999"], 1, "the cycles are too few"),
            (jitter + ["--require", "mhz<1"], 2, "unknown figure mhz; there are cycles"),
            (jitter + ["--require", "max-us<20us"], 2, "is expected, such as max-us<20"),
            (run + ["--require", "seconds<9", "--", "true"], 0, "seconds<9: met"),
            (run + ["--require", "seconds>9", "--", "true"], 6, "seconds>9: not met"),
            (run + ["--require", "seconds>9", "--", "sh", "-c", "exit 9"], 9, "not met"),
            (run + ["--require", "usecs-per-op<9"], 2, "only --pipe has it"),
            (run + ["--require", "usecs-per-op<9", "--", "true"], 125, "only --pipe has it")):
        done = subprocess.run([program, *argv], capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        expect(done.returncode == status and shown in text, f"{argv}: {done.returncode}: {text}")
        expect(status in (2, 125) or "us" in text or "time" in text.lower(), f"{argv}: no results: {text}")
    done = subprocess.run([program, "-f", "json", *jitter, "--require", "max-us<0"],
                          capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    expect(document["requirements"] == [{"requirement": "max-us<0", "met": False}], done.stdout)
    row = document["cpus"][0]
    expect(row["min-us"] <= row["p50-us"] * 1.001 and row["p50-us"] <= row["max-us"], f"{row}")
    expect(row["p99.99-us"] is None and row["p99.99-us-reason"], f"{row}")


def terminal_messages(argv):
    """What a command shows on a terminal that is its standard error alone."""
    master, slave = os.openpty()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        os.close(slave)
        out = process.communicate(timeout=60)[0]
    messages = b""
    try:
        while piece := os.read(master, 4096):
            messages += piece
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return out, messages.decode()


def check_progress(program):
    """What takes longer than two seconds shows how far it is, on a terminal alone, and removes it
    before the results."""
    cpu = str(min(os.sched_getaffinity(0)))
    for argv, shown in (
            (["run", "--seconds", "4"], "3 of 4 seconds"),
            (["jitter", "--seconds", "4"], "3 of 4 seconds"),
            (["ladder", "--seconds", "4"], "3 of 4 seconds"),
            (["run", "--seconds", "4", "--", "sleep", "4"], None),
            (["run", "--seconds", "4", "--each-interval"], None)):
        argv = [program, "-c", cpu, "measure", *argv]
        out, messages = terminal_messages(argv)
        expect(shown in messages if shown else " of 4 " not in messages, f"{argv}: {messages!r}")
        expect(not shown or messages.rindex("\r\033[K") > messages.rindex(shown),
               f"{argv}: {messages!r}")
        expect(" of 4 seconds" not in out, f"{argv}: {out}")
    done = subprocess.run([program, "-c", cpu, "measure", "run", "--seconds", "3"], text=True,
                          capture_output=True, check=False)
    expect(" of 3 " not in done.stderr + done.stdout, f"in a pipe: {done.stderr}")


def check_interrupts(program):
    """A CPU that is measured alone is hardly called by others; other tests may call it at times."""
    if 1 not in os.sched_getaffinity(0) or interrupts(1) is None:
        print("CPU 1 or its interrupts are not available")
        return
    best = None
    for _ in range(12):
        counts = []
        for argv in (["sleep", "2"], [program, "measure", "run", "-c", "1", "--seconds", "2"]):
            before = interrupts(1)
            subprocess.run(argv, check=True, capture_output=True)
            counts.append(interrupts(1) - before)
        extra = counts[1] - counts[0]
        best = extra if best is None else min(best, extra)
        if best <= allowed_interrupts():
            break
    print(f"interrupts of CPU 1: {best} more than without")
    expect(best <= allowed_interrupts(), f"{best} calls of CPU 1")


def check_siblings(program, standin, platform):
    """jitter, if CPUs have the siblings of a simulated machine, 28 that of 0: --disturb leaves out
    those on a core of -c. If timers are always late, it ends."""
    if not {0, 1} <= os.sched_getaffinity(0):
        print("jitter beside siblings is not tried: this process may not use CPUs 0 and 1")
        return
    jitter = ["-f", "json", "-o", "-", "-c", "0", "measure", "jitter", "--seconds"]
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform, standin)
        done = box.run(program, [*jitter, "1", "--disturb", "28"])
        expect(done.status == 1 and "no online CPU is left of it that is on another core than the "
               "CPUs of -c" in done.stderr, f"{done.status}: {done.stderr}")
        done = box.run(program, [*jitter, "1", "--disturb", "0,1,28"])
        expect(done.status == 0 and "--disturb: CPUs that are offline or on a core of the CPUs of -c "
               "are left out" in done.stderr, f"{done.status}: {done.stderr}")
        expect(json.loads(done.stdout)["disturbed-by"] == "1", done.stdout)
        box.extra = {"ISST_STANDIN_LATE": "1"}
        done = box.run(program, [*jitter, "60", "--interval", "50us"])
        expect(done.status == 1 and "1000 cycles in a row ran too late" in done.stderr,
               f"{done.status}: {done.stderr}")
        expect(json.loads(done.stdout)["cpus"][0]["cycles"] == 1000, done.stdout)


def check_absent(program, standin, platform):
    """jitter on CPUs on which this process may not run, here because only a simulated machine has
    them."""
    if os.cpu_count() > 54:
        print("jitter on absent CPUs is not tried: this machine has them")
        return
    cpu = str(min(os.sched_getaffinity(0)))
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform, standin)
        for argv, what in ((["-c", "55"], "a thread on CPU 55"),
                           (["-c", cpu, "--disturb", "54"], "--disturb: CPU 54")):
            done = box.run(program, ["measure", "jitter", "--seconds", "1", *argv])
            expect(done.status == 1 and f"Error: {what}: it is offline, or this process may not run "
                   "there\n" in done.stderr, f"{argv}: {done.status}: {done.stderr}")


CHECKS = (check_status, check_streams, check_reasons, check_signals, check_kills, check_end,
          check_early, check_user, check_setuid,
          check_intervals, check_open_files, check_cost, check_requirements, check_progress,
          check_interrupts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--platform", type=pathlib.Path)
    parser.add_argument("--standin", type=pathlib.Path)
    arguments = parser.parse_args()
    random.seed(SEED)
    # a test run under nohup(1) would hand on that they are ignored
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as directory:
        # results go where a command of the name isst puts them
        copy = pathlib.Path(directory) / "isst"
        # a copy: the directory of the program may be closed to others
        shutil.copy(arguments.program, copy)
        os.chmod(directory, 0o755)
        try:
            for check in CHECKS:
                check(str(copy))
            for check in (check_siblings, check_absent) if arguments.standin else ():
                check(str(copy), arguments.standin, arguments.platform)
        except Failure as failure:
            sys.exit(f"FAILED: {failure}")
    print(f"measure run: {len(CHECKS)} checks")


if __name__ == "__main__":
    main()
