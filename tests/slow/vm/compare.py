#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Golden cases in the simulator and in the virtual machine: both must say the same.

The cases are those of tests/cli/golden for a platform: transcripts, our own and those that set, with
their faults where hardware can have them. Simulator and machine run on the scaled platform file,
so what a case expects there is not looked at: only that the two agree on stdout, stderr, status
and on what the machine reads afterwards.
"""

import argparse
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile

import lab
import qemu
import scale

GOLDEN = lab.HERE.parents[1] / "cli/golden"
sys.path.insert(0, str(GOLDEN))

import machine  # noqa: E402 pylint: disable=wrong-import-position

OWN_LISTS = ("cases", "machine", "setting", "tpmi")
SETTING = {"enable", "disable", "config", "assoc", "set", "set-trl", "set-config-level"}
# The machines have no C-states and no energy bias, and their module's cpufreq driver has not all files
# of intel_pstate (frequency.sh tests cpufreq): what these commands print is not the simulator's.
OTHER_FILES = ("cpuidle", "cpufreq", "machine summary")
FOR_SIMULATORS = ("--simulate", "--list-platforms", "--oob", "{tmp}", "/dev/full")
AFTERWARDS = [["perf-profile", "get-config-current-level"], ["core-power", "get-config", "--clos", "0"],
              ["core-power", "get-assoc", "-c", "all"]]
CORE_ID = re.compile(r"(?<= core:) \d+(?= die:)")
TIMEOUT_S = 900
# The driver of Linux 6.1 does not pass this command on.
UNKNOWN_TO_6_1 = {"at": "mailbox", "command": "0x7f/0x0c", "error": "EINVAL"}


def sets(argv):
    return bool(SETTING & set(argv))


def move_fault(fault, original, scaled):
    """A fault of one CPU is moved to the first CPU of its package in the scaled machine."""
    if "cpu" not in fault or fault.get("at") != "mailbox":
        return fault
    package = scale.number_cpus(original["topology"])[fault["cpu"]][0]
    places = scale.number_cpus(scaled["topology"])
    first = next(cpu for cpu, place in enumerate(places) if place[0] == package)
    return {**fault, "cpu": first}


def order_line(order, platform):
    """A fault order for the module, or None where the machine's hardware cannot have it."""
    known = {"at", "command", "data", "cpu", "code", "error", "skip", "times", "delay_us"}
    if order.get("at") != "mailbox" or set(order) - known:
        return None
    error = order.get("error")
    if error not in (None, "EBUSY", "ENXIO"):
        return None
    command, _, sub = order.get("command", "").partition("/")
    number = int(command or "0", 16) << 8 | int(sub or "0", 16)
    mask = (0xff00 if command else 0) | (0xff if sub else 0)
    package = -1
    if "cpu" in order:
        package = scale.number_cpus(platform["topology"])[order["cpu"]][0]
    code = order.get("code", 22 if error == "ENXIO" else 0)
    return (f"mailbox {number:x} {mask:x} {order.get('data', -1)} {package} {order.get('skip', 0)} "
            f"{order.get('times', -1)} {code} {int(error == 'EBUSY')} 0 {order.get('delay_us', 0)}")


def control_lines(faults, platform):
    """Faults as orders for the module; None where the machine cannot have them all."""
    lines = []
    for name, value in faults.items():
        if name == "orders":
            lines += [order_line(order, platform) for order in value]
        elif name == "allowed_levels":
            lines.append(f"allowed {sum(1 << level for level in value)}")
        elif name in ("locked", "hwp_off", "ignored_writes"):
            lines.append(f"{name} {int(value)}")
        elif name != "missing_capability":
            lines.append(None)
    return None if None in lines else lines


class Case:
    """One command line with what goes before it."""

    def __init__(self, data, original, platform):
        self.argv = data["argv"]
        self.setup = data.get("setup", [])
        self.faults = dict(data.get("faults", {}))
        if "orders" in self.faults:
            self.faults["orders"] = [move_fault(fault, original, platform)
                                     for fault in self.faults["orders"]]
        self.lines = control_lines(self.faults, platform)
        self.then = AFTERWARDS if sets(self.argv) else []
        if platform["interface"]["kind"] == "none":
            self.then = []
        self.program = data.get("program", "intel-speed-select")

    def commands(self):
        return [*self.setup, self.argv, *self.then]

    def title(self):
        return " ".join(self.argv) + (f" with {json.dumps(self.faults)}" if self.faults else "")

    def has(self, *parts):
        words = " ".join(word for argv in self.commands() for word in argv)
        return any(part in words for part in parts)

    def only_reads(self):
        return not self.faults and not any(map(sets, self.commands()))


def load_cases(path, platform, names):
    """(cases of the named platforms that a machine can run, how many were left out)."""
    original = json.loads(path.read_text(encoding="utf-8"))
    found = []
    for name in names:
        transcripts = GOLDEN / f"{name}.json"
        if transcripts.exists():
            found += json.loads(transcripts.read_text(encoding="utf-8"))
    for name in OWN_LISTS:
        own = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
        found += [data for data in own if data["platform"] in names and "changes" not in data]
    cases = [Case(data, original, platform) for data in found]
    able = [case for case in cases if case.lines is not None and not case.has(*FOR_SIMULATORS)]
    return able, len(cases) - len(able)


def choose(cases, options):
    """The cases that --only and --most leave."""
    cases = [case for case in cases if not options.only or options.only in case.title()]
    if options.most and len(cases) > options.most:
        cases = [cases[index * len(cases) // options.most] for index in range(options.most)]
    return cases


def simulate(program, path, case, of_driver=(), directory=None):
    """
    [(status, stdout, stderr)] of the case's commands in the simulator, run in directory, with the
    fault orders of_driver. What marks the results as simulated is left out.
    """
    results = []
    with tempfile.TemporaryDirectory(prefix="isst-test-") as run_directory:
        state = pathlib.Path(run_directory) / "state"
        state.mkdir(mode=0o700)
        faults = state / "faults.json"
        for number, argv in enumerate(case.commands()):
            of_case = case.faults if number == len(case.setup) else {}
            orders = [*of_driver, *of_case.get("orders", [])]
            faults.write_text(json.dumps({**of_case, "orders": orders}), encoding="utf-8")
            run = subprocess.run(
                [program.parent / case.program, "--simulate", path, "--simulate-state", state, *argv],
                check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                cwd=directory)
            results.append((run.returncode, machine.unmarked(run.stdout),
                            machine.unmarked(run.stderr)))
    return results


def script_of(cases, first):
    """A guest script that runs the lines first and every case, and prints an archive of /run/out."""
    lines = [". ./functions.sh", "mkdir /run/out", *first]
    for index, case in enumerate(cases):
        for number, argv in enumerate(case.commands()):
            is_case = number == len(case.setup)
            if is_case:
                lines += [f"echo {shlex.quote(line)} >/proc/isst_lab" for line in case.lines]
            words = shlex.join([f"/usr/bin/{case.program}", *argv])
            if is_case and case.faults.get("missing_capability"):
                words = f"helper without-admin {words}"
            at = f"/run/out/{index}.{number}"
            lines.append(f"{words} >{at}.stdout 2>{at}.stderr; echo $? >{at}.status")
            if is_case and case.lines:
                lines.append("echo orders_done >/proc/isst_lab")
        if case.lines or any(map(sets, case.commands())):
            lines.append("reset_machine")
        else:
            lines.append("rm -rf /run/intel-speed-select")
    lines.append("tar -c -C /run/out .")
    return "\n".join(lines).encode() + b"\n"


def run_machine(place, scaled, cases, first=()):
    """({file: text} of /run/out, [[(status, stdout, stderr)]] of each case's commands)."""
    status, stdout, stderr, console = place.run(scaled, script_of(cases, first), TIMEOUT_S)
    if status or stderr:
        raise qemu.Failed(f"the script failed with {status}: {stderr.decode()}\n{console}")
    with tarfile.open(fileobj=io.BytesIO(stdout)) as archive:
        files = {member.name.removeprefix("./"): archive.extractfile(member).read().decode()
                 for member in archive if member.isfile()}
    return files, [[(int(files[f"{index}.{number}.status"]), files[f"{index}.{number}.stdout"],
                     files[f"{index}.{number}.stderr"]) for number in range(len(case.commands()))]
                   for index, case in enumerate(cases)]


def comparable(text):
    """
    What both must print. Debug output shows the kernel's core ids, which QEMU numbers without the
    holes that the PUNIT's ids have.
    """
    return CORE_ID.sub("", text) if isinstance(text, str) else text


def report(case, source, simulated, real):
    """Prints where the two differ. Returns whether they do."""
    for argv, ours, theirs in zip(case.commands(), simulated, real):
        if ours != theirs:
            print(f"DIFFERS: {case.title()}: at {' '.join(argv)}")
            for name, left, right in zip(("status", "stdout", "stderr"), ours, theirs):
                if left != right:
                    print(f"  {name}: {source} {left!r}\n  {' ' * len(name)}  machine   {right!r}")
            return True
    return False


def read_options(parser):
    """The options of a test that runs golden cases in a machine, with the parser's own."""
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    parser.add_argument("--cases-of", action="append", default=[], metavar="NAME",
                        help="the cases of another platform too")
    parser.add_argument("--only", help="cases whose command line has this in it")
    parser.add_argument("--most", type=int, help="at most so many cases, evenly out of all")
    return lab.read_options(parser)


def main():
    options = read_options(
        argparse.ArgumentParser(description="Golden cases in the simulator and in a machine."))
    place = lab.open_or_skip(options)
    scaled = place.scaled(options.platform)
    cases, left_out = load_cases(options.platform, scaled[0],
                                 [options.platform.stem, *options.cases_of])
    able = [case for case in cases if not case.has(*OTHER_FILES)]
    left_out += len(cases) - len(able)
    cases = choose(able, options)
    _, real = run_machine(place, scaled, cases)
    of_driver = [] if place.kernel.is_since("6.12") else [UNKNOWN_TO_6_1]
    failed = 0
    for case, results in zip(cases, real):
        simulated = simulate(place.program, scaled[1], case, of_driver)
        failed += report(case, "simulator", *([tuple(map(comparable, result)) for result in side]
                                              for side in (simulated, results)))
    print(f"{left_out} cases of {options.platform.stem} are for the simulator alone")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
