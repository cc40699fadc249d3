#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Dry runs beside a command that was killed: they list what would be undone first, and then the writes
of the command from the state after that (journal.md, "Recovery"). The oracle is a copy of the
machine on which the command really runs: what is undone as it says, and what its files and
registers read before it, undone, and after it. A dry run that cannot know the state says so, and
lists no writes.
"""

import argparse
import json
import pathlib
import random
import re
import sys

from kills import LEVEL_1, Scenes
from lab import KILLED, Failure, Lab, expect, machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "state"))

import documents  # noqa: E402 pylint: disable=wrong-import-position

PREVIEW = re.compile(r"would first undo the interrupted command \(.*Z\): ([^\n;]*)")
UNDONE = re.compile(r"undone: command .*: \d+ changes?: ([^\n]*)")
UNLISTED = "the writes of the command itself are not listed"
# What a command alters beside its own places, so that the state after undoing it is unknown.
WIDE = ("set-config-level", "--pstate", "offline-by")
# And what alters frequencies that these commands plan from.
FREQUENCIES = ("turbo-freq", "base-freq", "--turbo", "set-trl", "turbo-mode")
READERS = ("cpufreq", "base-freq", "turbo-mode", "state", "set-trl", "-a turbo-freq")
MSR = "msr 0x1ad"  # one of each package
DOMAIN = r"socket_id:(\d+) power_domain_id:(\d+)"


def is_one(argv, words):
    return any(word in " ".join(argv) for word in words)


def features(base_freq, turbo_freq):
    return (f"SST-BF {'on' if base_freq else 'off'}, SST-TF {'on' if turbo_freq else 'off'}")


def mailbox(numbers):
    cpu, command, sub, parameter, data, answer = (int(number, 0) for number in numbers)
    del data
    if (command, sub) == (0x94, 3):
        return f"cpu-{cpu} mailbox 0x95/0x03", "on" if answer >> 16 & 1 else "off"
    if (command, sub) == (0x7f, 1):
        return f"cpu-{cpu} mailbox 0x7f/0x02", features(answer >> 17 & 1, answer >> 16 & 1)
    if (command, sub) == (0xd0, 0):
        return f"cpu-{cpu} mailbox 0xd0/0x00 parameter {parameter | 0x100:#x}", f"CLOS {answer >> 16 & 3}"
    if command == 0xd0:
        return f"cpu-{cpu} mailbox 0xd0/{sub:#04x} parameter {parameter | 0x100:#x}", answer
    return None


def mmio(numbers):
    cpu, register, value = (int(number, 0) for number in numbers)
    return (f"cpu-{cpu} mmio {register:#04x}", f"CLOS {value >> 16 & 3}" if register >= 0x20 else value)


def of_domain(numbers, ioctl, value, number=None):
    where = f"package-{numbers[0]} powerdomain-{numbers[1]} ioctl {ioctl}"
    return where if number is None else f"{where} {number}", value


# Lines of recorded requests: the place of a write, as a dry run shows it, and what is read there: as
# a dry run shows it, or a number if that takes more.
LINES = [
    (r"mbox: logical_cpu:(\S+) command:(\S+) sub_command:(\S+) parameter:(\S+) req_data:(\S+) "
     r"resp_data:(\S+)$", mailbox),
    (r"mmio read: logical_cpu:(\S+) reg:(\S+) value:(\S+)$", mmio),
    (r"msr read: logical_cpu:(\d+) msr:0x1ad data:(\S+)$", lambda n: (f"cpu-{n[0]} {MSR}", n[1])),
    (rf"tpmi assoc: {DOMAIN} core:(\d+) clos:(\d+)",
     lambda n: of_domain(n, "CLOS_ASSOC", f"CLOS {n[3]}", n[2])),
    (rf"tpmi core-power state: .*{DOMAIN} enable:(\d+) supported:\d+ priority_type:(\d+)",
     lambda n: of_domain(n, "CORE_POWER_STATE", int(n[2] + n[3]))),
    (rf"tpmi clos: .*{DOMAIN} clos:(\d+) (.*)", lambda n: of_domain(n, "CLOS_PARAM", hash(n[3]), n[2])),
    (rf"tpmi levels: {DOMAIN} .*feature_state:(\d+)",
     lambda n: of_domain(n, "PERF_SET_FEATURE", features(int(n[2]) & 1, int(n[2]) & 2))),
]


def read_lines(lines):
    places = {}
    for line in lines:
        for pattern, take in LINES:
            found = re.match(pattern, line)
            place = take(found.groups()) if found else None
            if place:
                # the answer of the current level is the one that can differ
                places[place[0]] = (places.get(place[0], ()) + (place[1],)
                                    if "0x7f/0x02" in place[0] else (place[1],))
    return places


def parse_ranges(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read_files(files):
    """The contents by path; those of CPUs are recorded together."""
    places = {}
    for path, value in files.items():
        if "#" not in path:
            places[path] = (value,) if isinstance(value, str) else ()
            continue
        for cpus, text in value.items():
            for cpu in parse_ranges(cpus) if re.match(r"[\d,-]+$", cpus) else ():
                places[path.replace("#", str(cpu), 1)] = (text,) if isinstance(text, str) else ()
    return places


def look(lab):
    """What the machine reads, by place."""
    lab.run("machine", "record")
    recorded = json.loads(lab.box.out.read_text("utf-8"))["recorded"]
    return {**read_files(recorded["files"]), **read_lines(recorded["requests"])}


def named(writes, before):
    """Registers of packages are named by the CPUs that they are recorded of."""
    package = "/sys/devices/system/cpu/cpu{}/topology/physical_package_id"
    recorded = {before[package.format(place.split()[0][4:])]: place for place in before
                if place.endswith(MSR)}
    return {recorded[before[package.format(place.split()[0][4:])]] if place.endswith(MSR) else place:
            values for place, values in writes.items()}


def is_shared(place, before):
    """Is it a file of a policy whose files are shown for another CPU, too?"""
    directory, _, _ = place.rpartition("/")
    return " " in before.get(f"{directory}/related_cpus", ("",))[0]


def place_of(write):
    number = re.search(r"(\d+)$", write["what"])
    return (f"{write['where']} {number[1]}" if re.search("CLOS_(ASSOC|PARAM)$", write["where"])
            else write["where"])


def writes_of(lab):
    """By place: the first value before, and the last one after, of a dry run."""
    text = lab.box.out.read_text("utf-8") if lab.box.out.exists() else "{}"
    writes = {}
    for name, write in json.loads(text).items():
        if name.startswith("write-"):
            old = writes.get(place_of(write), (write["old"],))[0]
            writes[place_of(write)] = (old, write["new"])
    return writes


class Trial:
    """A machine where a command was killed, and the same when that is undone."""

    def __init__(self, lab, recovered, argv, other):
        self.lab, self.recovered, self.argv = lab, recovered, argv
        self.undone = UNDONE.search(recovered.run(*other).stderr)
        self.before = look(self.recovered)
        self.counts = {"listed": 0, "unlisted": 0, "refused": 0, "writes": 0}

    def check(self, own):
        with self.lab.copy("dry") as dry, self.lab.copy("real") as real:
            start = dry.raw(), dry.lines()
            run = dry.run("-f", "json", "--dry-run", *own, status=None)
            writes = writes_of(dry)
            expect((dry.raw(), dry.lines()) == start, "the dry run has written")
            listed = PREVIEW.search(run.stderr)
            expect(listed and listed[1] == (self.undone[1] if self.undone else "nothing"),
                   f"it undoes {self.undone and self.undone[1]}, not as in {run.stderr}")
            if UNLISTED in run.stderr:
                expect(run.status == 1 and not writes, f"status {run.status}, {writes}")
                self.check_unlisted(own)
                return
            expect(not is_one(self.argv, WIDE) or not self.undone, "it cannot know the state")
            done = real.run(*own, status=None)
            expect(done.status == run.status,
                   f"status {run.status}, and not {done.status}: {run.stderr}{done.stderr}")
            self.counts["refused" if run.status else "listed"] += 1
            if not run.status:
                self.counts["writes"] += len(writes)
                self.compare(named(writes, self.before), self.before, look(real))
                # there "previous" is something else
                if own[-1] != "previous":
                    self.recovered.run("-f", "json", "--dry-run", *own)
                    expect(writes == writes_of(self.recovered), "other writes than after it")

    def check_unlisted(self, own):
        self.counts["unlisted"] += 1
        expect(self.undone and (is_one(self.argv, WIDE) or (is_one(self.argv, FREQUENCIES)
                                                            and is_one(own, READERS))),
               f"{' '.join(own)} can be listed")

    @staticmethod
    def compare(writes, before, after):
        """Each write is of a place that reads so before and after; and no other place differs."""
        for place, values in writes.items():
            expect(place in before, f"{place} is not recorded")
            for value, read in zip(values, (before[place], after[place])):
                expect(value in read or not isinstance(read[0], str),
                       f"{place}: {value} is listed, {read} is read")
        # the directory of a package shows the limits of its dies
        names = {place.rsplit("/", 1)[1] for place in writes if place[0] == "/"}
        before = {place: read for place, read in before.items() if "/uncore" not in str(writes)
                  or "intel_uncore_frequency/package_" not in place}
        # and CPUs of a policy share its files
        before = {place: read for place, read in before.items()
                  if place in writes or not is_shared(place, before)}
        changed = {place for place in before if before[place] != after.get(place)
                   and (place[0] != "/" or place.rsplit("/", 1)[1] in names)}
        same = {place for place, values in writes.items() if values[0] == values[1]}
        expect(changed == set(writes) - same,
               f"changed, not listed: {sorted(changed - set(writes))[:3]}; listed, not changed: "
               f"{sorted(set(writes) - same - changed)[:3]}")


class Machine:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.generator = random.Random(arguments.machine)
        platform = arguments.platforms / f"{arguments.machine}.json"
        self.scenes = Scenes(documents.Site(platform), pathlib.Path(directory))
        self.lab = Lab(arguments, directory, platform, "before")
        self.lab.run("state", "export", status=None)
        self.epb = self.present_epb()

    def present_epb(self):
        """A command that sets what is set: all that it does is to undo."""
        cpu = self.scenes.cpus[-1]
        self.lab.run("machine", "record")
        files = read_files(json.loads(self.lab.box.out.read_text("utf-8"))["recorded"]["files"])
        value = files[f"/sys/devices/system/cpu/cpu{cpu}/power/energy_perf_bias"][0]
        return ["-c", str(cpu), "cpufreq", "set", "--epb", value]

    def killed(self):
        some, apply = ["-c", self.scenes.some], self.scenes.apply
        return [
            ["core-power", "enable", "-p", "1"],
            ["core-power", "config", "--clos", "1", "-n", "1300", "-m", "2600"],
            [*some, "core-power", "assoc", "--clos", "3"],
            [*some, "turbo-freq", "enable", "-a"],
            ["base-freq", "enable", "-a"],
            ["turbo-mode", "set-trl", "-t", "0x1717181819191a1a"],
            ["cpufreq", "set", "--min", "1100", "--max", "1800", "--epb", "7"],
            [*some, "cpufreq", "set", "--governor", "performance"],
            ["cpufreq", "set", "--turbo", "off"],
            [*some, "cpuidle", "set", "--disable", self.idle_state(), "--max-latency", "30us"],
            ["uncore", "set", "--min", "1000", "--max", "1500"],
            LEVEL_1,
            apply({"for": "all", "cpufreq": {"max-mhz": 1900, "epb": 3}},
                  {"for": "all", "optional": True, "core-power": {"assoc": 2}}),
        ]

    def idle_state(self):
        return self.scenes.site.platform["cpuidle"]["states"][-1]["name"]

    def own(self):
        some, one = ["-c", self.scenes.some], ["-c", str(self.scenes.cpus[0])]
        return [
            ["core-power", "enable", "-p", "1"],
            ["core-power", "config", "--clos", "1", "-n", "1300"],
            [*some, "core-power", "assoc", "--clos", "2"],
            [*some, "turbo-freq", "enable", "-a"],
            ["turbo-freq", "disable", "-a"],
            ["base-freq", "enable"],
            ["base-freq", "enable", "-a"],
            [*one, "cpufreq", "set", "--min", "1000", "--max", "1800", "--epb", "7"],
            [*some, "cpuidle", "set", "--disable", self.idle_state()],
            ["uncore", "set", "--max", "1500"],
            self.scenes.apply({"for": "all", "cpufreq": {"max-mhz": 1900, "epb": 3},
                               "cpuidle": {"qos-latency-us": 30}},
                              {"for": "all", "optional": True, "core-power": {"assoc": 1}}),
            ["state", "restore"],
            ["state", "restore", "--to", "1"],
            ["state", "restore", "--to", "previous"],
        ]

    def run(self, problems):
        totals = {}
        for argv in self.killed():
            with self.lab.copy("whole") as whole:
                kinds, run = whole.moments(*argv, status=None)
            moments = [at for at, kind in enumerate(kinds) if kind == "write"]
            if run.status or not moments:
                continue
            for at in sorted({moments[0], moments[len(moments) // 2], moments[-1]}):
                chosen = self.choose()
                if not chosen:
                    continue
                with self.lab.copy("killed") as lab:
                    run = lab.run(*argv, killer={"at": at, "how": "after"}, status=None)
                    expect(run.status == KILLED, f"{argv} is not killed: {run.stderr}")
                    with lab.copy("recovered") as recovered:
                        trial = Trial(lab, recovered, argv, self.epb)
                        self.try_all(trial, chosen, f"{' '.join(argv)} killed after {at}", problems)
                for name, count in trial.counts.items():
                    totals[name] = totals.get(name, 0) + count
        return totals

    def choose(self):
        return [own for own in self.own() if self.arguments.only in " ".join(own)
                and self.generator.random() < self.arguments.share]

    @staticmethod
    def try_all(trial, chosen, what, problems):
        for own in chosen:
            try:
                trial.check(own)
            except Failure as failure:
                problems.append(f"{what}: {' '.join(own)}: {failure}")
                print(f"FAILED: {problems[-1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="only dry runs with this text")
    parser.add_argument("--share", type=float, default=1, help="of the dry runs")
    parser.add_argument("machine")
    arguments = parser.parse_args()
    problems = []
    with machine.temporary_directory() as directory:
        totals = Machine(arguments, directory).run(problems)
    print(f"{arguments.machine}: {totals}")
    return 1 if problems or not totals.get("writes") else 0


if __name__ == "__main__":
    sys.exit(main())
