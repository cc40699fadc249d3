#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The failure matrix: for each setting command, the n-th write of its plan is refused, for every n;
afterwards the machine must read as before. What is refused is found by --dry-run, so that the plan
that is shown is held against the writes that are made. Of plans with more than --most writes every
k-th is refused, the first and the last of each kind always.

Writes to the device are also lost, altered and delayed, of each kind the first and the last, of
MSRs and SST-CP every one: a write that is lost or altered must fail as one that is refused, one
that is delayed must succeed.

With --documents the commands are those of the state feature, with the documents in the directory
documents: many settings in one transaction. Writes to files are lost and altered there, too. What a
CPU that comes online or a new mode of intel_pstate needs is known only then, so a write of the dry
run may prove unnecessary: the command may succeed if the machine is as without the fault.
"""

import argparse
import contextlib
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position

MOST = 24
FEW = 3
WORD = re.compile(r"cpu-(\d+) (mailbox|mmio|msr) (\S+)(?: parameter (\S+))?")
CONDITIONS = (" where below ", " if the level moves it")  # such a write may be left out
OPTIONAL = "; continuing without it"  # an empty control group may stay
REMOVAL = "rmdir "
ALWAYS = (" msr ", " mailbox 0x95/", "ioctl CORE_POWER_STATE")  # each of these, in every way
# In any value these bits make a difference that is found: turbo-ratio limits become higher than
# what was written, or lower than the level allows.
FLIPS = {"msr": "0xfefefefefefefefe", "0x95/0x03": "0x10000", "0x7f/0x02": "0x10000",
         "0x7f/0x08": "0x1", "0xd0/0x00": "0x10000", "0xd0/0x01": "0x100", "0xd0/0x02": "0x4",
         "mmio": "0x10100", "ioctl PERF_SET_FEATURE": "0x2", "ioctl": "0x1"}
# The hardware rounds power limits (uW) by up to 1 W, and their windows (us) by up to a fifth.
FILE_FLIPS = {"power_limit_uw": "0x8000000", "time_window_us": "0x2000000"}
WAYS = {"lost": {"ignored": True}, "altered": {}, "delayed": {"delay_us": 3000}}
TPMI_WORD = re.compile(r"package-(\d+) powerdomain-(\d+) ioctl (\S+)")

DOCUMENTS = pathlib.Path(__file__).resolve().parent / "documents"
DOCUMENTS_READING = [["cpufreq", "info", "--each"], ["cpuidle", "info", "--each"],
                     ["uncore", "info"], ["state", "export"]]
STAGES = ("/online", "intel_pstate/status")

LEVEL_1 = ["perf-profile", "set-config-level", "-l", "1"]
AUTO_BASE = ["base-freq", "enable", "-a"]
AUTO_TURBO = ["-c", "2", "turbo-freq", "enable", "-a"]
MAILBOX = [
    ([], AUTO_BASE),
    ([AUTO_BASE], ["base-freq", "disable", "-a"]),
    ([], AUTO_TURBO),
    ([AUTO_TURBO], ["-c", "2", "turbo-freq", "disable", "-a"]),
    ([], ["core-power", "enable", "-p", "1"]),
    ([["core-power", "enable", "-p", "1"]], ["core-power", "disable"]),
    ([], ["core-power", "config", "--clos", "1", "-n", "1200", "-m", "2600"]),
    ([], ["-c", "2,3", "core-power", "assoc", "--clos", "3"]),
    ([], ["turbo-mode", "disable"]),
    ([["turbo-mode", "disable"]], ["turbo-mode", "enable"]),
    ([], ["turbo-mode", "set-trl", "-t", "0x1717181819191a1a"]),
]


def levels(level):
    """Level changes, on machines that have more than one, also with SST-TF on before."""
    change = ["perf-profile", "set-config-level", "-l", level]
    return [([], change), ([AUTO_TURBO], change), ([], [*change, "-o"]), ([], ["-g", *change, "-o"]),
            ([[*change, "-o"]], ["perf-profile", "set-config-level", "-l", "0", "-o"])]


def all_online(level, cpu):
    """
    With -a, on a machine some CPUs of which are offline, this one too: where a write is refused
    they are offline again. Its level has SST-BF, and the limits of CPUs are not the highest.
    """
    offline = [["turbo-mode", "disable"], ["perf-profile", "set-config-level", "-l", level, "-o"]]
    base = [*offline, ["perf-profile", "set-config-level", "-l", "0"]]
    return [(base, ["-a", "-c", cpu, "core-power", "assoc", "--clos", "1"]),
            (base, ["-a", *AUTO_BASE] if level == "4" else ["-a", "core-power", "enable"]),
            (base, ["-a", "-c", cpu, "turbo-freq", "enable", "-a"]),
            (base, ["-a", "core-power", "config", "--clos", "1", "-m", "2600"]),
            (offline, ["-a", "perf-profile", "set-config-level", "-l", "0", "-o"]),
            (offline, ["-a", "turbo-mode", "enable"]),
            (offline, ["-a", "-c", cpu, "cpufreq", "set", "--governor", "performance"]),
            (offline, ["-a", "-c", cpu, "cpuidle", "set", "--disable", "C6"]),
            (offline, ["-a", "uncore", "set", "--max", "1500"])]


def apply(name):
    return ["state", "apply", str(DOCUMENTS / f"{name}.json")]


def returns(name, *more):
    """Applying a document; from there back to what was before, and to the clean state."""
    return [([], apply(name)), *more, ([apply(name)], ["state", "restore"]),
            ([apply(name)], ["state", "restore", "--to", "clean"])]


POWER = ["power", "set", "--pl1", "180", "--pl1-window", "4s", "--pl2", "220",
         "--pl2-window", "5ms"]
STATE_COMMANDS = {
    "guide": returns("guide", ([apply("guide")], apply("guide-back")),
                     ([apply("guide"), apply("guide-back")], ["state", "restore"])),
    "gnr-6776p-2s": returns("gnr-6776p-2s"),
    "cpx-5318h-2s": returns("cpx-5318h-2s"),
    "clx-6230n-2s": returns("clx-6230n-2s", ([apply("clx-6230n-2s")], apply("clx-6230n-2s-back"))),
    "icx-8360y-2s": returns("icx-8360y-2s", ([], POWER), ([POWER], apply("icx-8360y-2s"))),
    "gnr-6980p-2s": returns("gnr-6980p-2s", ([], ["-c", "0", *POWER])),
}
TPMI = [([LEVEL_1], AUTO_BASE), ([LEVEL_1, AUTO_BASE], ["base-freq", "disable", "-a"]),
        *MAILBOX[2:], *levels("1")]
COMMANDS = {
    "guide": MAILBOX + levels("4") + all_online("4", "13"),
    "gnr-6776p-2s": [*TPMI, *all_online("1", "28")],
    "gnr-split-2s": [*TPMI, *all_online("1", "6")],
    "emr-8592-2s": MAILBOX + levels("1"),
    "cpx-5318h-2s": MAILBOX,
    "gnr0": MAILBOX,
    "clx-6230n-2s": [([], ["base-freq", "enable"]),
                     ([["base-freq", "enable"]], ["base-freq", "disable"])],
}
READING = [["perf-profile", "info"], ["perf-profile", "get-config-current-level"],
           ["core-power", "info"], ["turbo-mode", "get-trl"],
           *(["core-power", "get-config", "--clos", str(clos)] for clos in range(4)),
           ["--dry-run", "turbo-mode", "enable"], ["--dry-run", "base-freq", "disable", "-a"]]


def read(box, program, argv):
    run = box.run(program, ["-f", "json", "-o", str(box.out), *argv])
    return run.status, run.out, run.stderr


def groups(box):
    """The simulated groups, which are kept as directories and files; the root's come with use."""
    top = box.state / "cgroup"
    return sorted((str(path.relative_to(top)), path.read_text("utf-8") if path.is_file() else None)
                  for path in top.rglob("*") if path.is_dir() or path.parent != top)


def snapshot(box, program, is_of_state):
    """
    All that the reading commands tell, and the frequency limits that plans show as old; for a
    document every other setting, too.
    """
    shown = [read(box, program, reading)
             for reading in READING + (DOCUMENTS_READING if is_of_state else [])]
    offline = re.findall(r"cpu(\d+)/online", read(box, program, ["-a", "--dry-run", "--info"])[1])
    cpus = [cpu for cpu in re.findall(r"\d+", " ".join(re.findall(r'cpu-list": "([^"]*)"',
                                                                 shown[0][1])))
            if cpu not in offline]
    assoc = read(box, program, ["-c", ",".join(sorted(set(cpus), key=int)) or "0",
                                "core-power", "get-assoc"])
    return [shown, offline, assoc, groups(box)]


def is_file(where):
    return not WORD.fullmatch(where) and not TPMI_WORD.fullmatch(where)


def order_for(write):
    """The fault that refuses this write and no other."""
    match = TPMI_WORD.fullmatch(write["where"])
    if match:
        package, domain, request = match.groups()
        return {"at": "tpmi", "request": request, "access": "write", "package": int(package),
                "power_domain": int(domain), "error": "EINVAL"}
    match = WORD.fullmatch(write["where"])
    if not match:
        path = write["where"].split(" ")[-1]
        return {"at": "write", "path": path, "error": "EBUSY"}
    cpu, kind, address, parameter = match.groups()
    if kind == "mailbox":
        order = {"at": kind, "command": address, "cpu": int(cpu), "error": "ENXIO"}
        return {**order, "parameter": parameter} if parameter else order
    name = "register" if kind == "mmio" else "msr"
    return {"at": kind, name: address, "access": "write", "cpu": int(cpu), "error": "ENXIO"}


def flip_for(where):
    """Bits whose change makes another value of what is written there."""
    if is_file(where):
        return next((bits for name, bits in FILE_FLIPS.items() if where.endswith(name)), "0x1")
    return next(bits for part, bits in FLIPS.items() if f" {part}" in where)


def ends_of(kinds):
    """The numbers of the first and the last of each kind."""
    ends = {kinds.index(kind) for kind in kinds}
    return ends | {len(kinds) - 1 - kinds[::-1].index(kind) for kind in kinds}


def choose(writes, most):
    """The numbers of the writes to refuse."""
    if len(writes) <= most:
        return range(len(writes))
    kinds = [re.sub(r"[\d]+", "", write["where"]) for write in writes]
    return sorted(ends_of(kinds) | set(range(0, len(writes), len(writes) // most + 1)))


def choose_disturbed(writes, most, with_files):
    """
    The numbers of those to lose, alter and delay: kinds are commands, registers, requests and file
    names. Where few are to be tried, only those that always are.
    """
    kinds = {number: re.sub(r"^(cpu|package)-\d+( powerdomain-\d+)?|mmio .*| parameter .*|[\d]+", "",
                            write["where"]) for number, write in enumerate(writes)
             if (with_files or not is_file(write["where"]))
             and not write["where"].startswith(REMOVAL)}
    numbers = list(kinds)
    chosen = {numbers[end] for end in ends_of(list(kinds.values())) if most > FEW}
    chosen |= {number for number in numbers
               if any(part in writes[number]["where"] for part in ALWAYS)}
    return sorted(chosen)


def journal_problem(box, run, last_id):
    """What the change journal says of a transaction after last_id, if that is not what became of
    it; or None."""
    made = [one for one in journal.transactions(box.state / "run/journal")
            if one["begin"]["id"] > last_id]
    outcome = "done" if not run.status else "mixed" if "not undone" in run.stderr else "undone"
    for one in made:
        if not one["end"] or one["end"]["outcome"] != outcome:
            return f"the journal ends with {one['end']}, not as {outcome}: {run.stderr}"
        if (outcome == "mixed") != ("left" in one["end"]):
            return f"what is left is not in the journal: {one['end']}: {run.stderr}"
    return None


class Trial:
    """A command on a machine that setup commands have prepared, and what it is to do there."""

    def __init__(self, program, platform, setup, argv):
        self.program, self.platform, self.setup, self.argv = program, platform, setup, argv
        self.is_of_state = "state" in argv or "power" in argv
        self.journal_problem = None
        with self.machine() as box:
            plan = json.loads(read(box, program, ["--dry-run", *argv])[1])
            self.before = self.look(box)
        self.writes = [plan[name] for name in plan if name.startswith("write-")
                       and not any(words in plan[name]["new"] for words in CONDITIONS)]
        with self.machine() as box:
            self.status = box.run(program, argv).status
            self.after = self.look(box)
        # Writes of a later stage may prove unnecessary.
        self.has_stages = any(write["where"].endswith(STAGES) and write["new"] != "0" for write in self.writes)

    @contextlib.contextmanager
    def machine(self):
        with machine.temporary_directory() as directory:
            box = machine.Machine(directory, self.platform)
            for step in self.setup:
                run = box.run(self.program, step)
                if run.status:
                    raise RuntimeError(f"setup {step} failed: {run.stderr}")
            yield box

    def look(self, box):
        return snapshot(box, self.program, self.is_of_state)

    def check(self):
        """Yields what is wrong without any fault."""
        if not self.writes:
            yield "the plan is empty"
        if self.status:
            yield "it fails with no write refused"
        if self.after == self.before:
            yield "the snapshot shows no difference when it succeeds"

    def run(self, box, order):
        """Runs the command with a fault."""
        faults = box.state / "faults.json"
        box.state.mkdir(mode=0o700, exist_ok=True)
        faults.write_text(json.dumps({"orders": [order]}), encoding="utf-8")
        last_id = journal.last_id(box.state / "run/journal")
        run = box.run(self.program, ["-o", str(box.out), *self.argv])
        faults.unlink()
        self.journal_problem = journal_problem(box, run, last_id)
        return run

    def refuse(self, box, order, is_written_again=False):
        """Runs the command with one write that must fail. Yields what is wrong."""
        run = self.run(box, order)
        if self.journal_problem:
            yield self.journal_problem
        if run.status == 0 and OPTIONAL in run.stderr:
            return
        now = self.look(box)
        is_harmless = (is_written_again or self.has_stages
                       or (self.is_of_state and "times" in order))
        if run.status == 0 and now == self.after and is_harmless:
            return  # it was not needed, was tried again, or the kernel made the same of it
        if run.status != 1:
            yield f"status {run.status}, not 1: {run.stderr}{differences(self.after, now)}"
            return
        is_reported = "not undone" in run.stderr
        if is_reported and (not self.is_of_state or "times" in order):
            yield f"not undone: {run.stderr}"
        elif now != self.before and not is_reported:
            yield f"the machine does not read as before: {run.stderr}{differences(self.before, now)}"

    def disturb(self, box, write, way):
        """Runs the command with one write lost, altered or delayed. Yields what is wrong."""
        order = {**order_for(write), **WAYS[way]}
        del order["error"]
        if way == "delayed":
            run = self.run(box, order)
            if run.status:
                yield f"status {run.status}: {run.stderr}"
            if "write-" in read(box, self.program, ["--dry-run", *self.argv])[1]:
                yield "it is not set"
            return
        if way == "altered":
            order["flip"] = flip_for(write["where"])
        # Only the first one, so that undoing can be told from doing.
        order["times"] = 1
        # Limits below what was written are written again, to prove that they are limits.
        yield from self.refuse(box, order, is_written_again=" msr " in write["where"])

    def cases(self, most):
        """The numbers of writes and what becomes of them; of documents at most so many writes."""
        if self.is_of_state and most <= FEW:
            last = len(self.writes) - 1
            numbers = {round(last * (step + 0.5) / most) for step in range(most)}
            return [(number, way) for number in sorted(numbers)
                    for way in ("refused", "refused once", *WAYS)
                    if way in ("refused", "refused once") or
                    not self.writes[number]["where"].startswith(REMOVAL)]
        refused = [(number, "refused") for number in choose(self.writes, most)]
        if self.is_of_state:
            refused += [(number, "refused once") for number, _ in refused]
        return refused + [(number, way)
                          for number in choose_disturbed(self.writes, most, self.is_of_state)
                          for way in WAYS]

    def try_case(self, number, way):
        """Yields what is wrong if that becomes of a write."""
        write = self.writes[number]
        with self.machine() as box:
            if way == "refused":
                yield from self.refuse(box, order_for(write))
            elif way == "refused once":
                yield from self.refuse(box, {**order_for(write), "times": 1})
            else:
                yield from self.disturb(box, write, way)


def differences(one, other):
    """The first lines that differ."""
    pairs = zip(*(json.dumps(look, indent=0).replace("\\n", "\n").splitlines()
                  for look in (one, other)))
    return "; ".join([f"{left} is {right}" for left, right in pairs if left != right][:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--documents", action="store_true")
    parser.add_argument("machine")
    arguments = parser.parse_args()
    platform = arguments.platforms / f"{arguments.machine}.json"
    commands = (STATE_COMMANDS if arguments.documents else COMMANDS)[arguments.machine]
    tried, failed = 0, 0
    for setup, argv in commands:
        trial = Trial(arguments.program, platform, setup, argv)
        problems = [(-1, "no fault", problem) for problem in trial.check()]
        for number, way in trial.cases(arguments.most):
            tried += 1
            problems += [(number, way, problem) for problem in trial.try_case(number, way)]
        for number, way, problem in problems:
            where = trial.writes[number]["where"] if number >= 0 else ""
            print(f"FAILED: {setup} {' '.join(argv)}: write {number}, {where}: {way}: {problem}")
        failed += len(problems)
    print(f"{arguments.machine}: {tried} writes refused or disturbed, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
