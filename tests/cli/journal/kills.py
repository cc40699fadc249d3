#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Setting commands that are killed before and after each write to the machine and each line of the
change journal, then another command that sets another place: the machine reads as if the killed
command had never run or, if its end line is there, as if it had run to its end (journal.md,
"How it is proven"). In some states of the machine before; --most takes some moments of each.
"""

import argparse
import json
import pathlib
import random
import sys
import time

from lab import KILLED, Failure, Lab, differences, expect, is_alike, machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "state"))

import documents  # noqa: E402 pylint: disable=wrong-import-position

HALF_ON = "half on"  # SST-CP: pm-config is on, CLOS is off
AWAY = "without a journal"
LEVEL_1 = ["perf-profile", "set-config-level", "-l", "1", "-o"]


class Scenes:
    """The states of a machine before, and commands that may run there."""

    def __init__(self, site, directory):
        self.site, self.directory = site, directory
        self.cpus = sorted(site.cpus)
        first = [domain.cores for domain in site.busy]
        self.some = ",".join(str(cpu) for cores in first[-2:] for cpu in cores[0])
        self.offline = documents.ranges({cpu for cores in first for cpu in cores[-1]})
        self.number = 0

    def apply(self, *entries):
        self.number += 1
        path = self.directory / f"document{self.number}.json"
        path.write_text(json.dumps({**documents.FORMAT, "settings": list(entries)}),
                        encoding="utf-8")
        return ["state", "apply", str(path)]

    def states(self):
        some = ["-c", self.some]
        return {
            "new": [],
            "CPUs offline": [self.apply({"for": f"cpu {self.offline}", "online": False})],
            "SST-CP half on": [["core-power", "config", "--clos", "1", "-n", "1200"], HALF_ON],
            "CLOS maximum 0": [["core-power", "config", "--clos", "2", "-m", "0"],
                               [*some, "core-power", "assoc", "--clos", "2"]],
            "SST-TF on": [[*some, "turbo-freq", "enable", "-a"]],
            "SST-BF on": [["base-freq", "enable", "-a"]],
            "EPP set": [[*some, "cpufreq", "set", "--epp", "17"]],
            "performance": [[*some, "cpufreq", "set", "--governor", "performance"]],
            "turbo off": [["cpufreq", "set", "--turbo", "off"]],
            "passive": [["cpufreq", "set", "--pstate", "passive"]],
            "limited": [[*some, "cpufreq", "set", "--min", "1200", "--max", "2000", "--epp", "99"]],
            "level 1": [LEVEL_1],
        }

    def try_state(self):
        path = self.apply({"for": "all", "cpufreq": {"max-mhz": 1900, "epb": 9}},
                          {"for": "all", "optional": True, "core-power": {"enabled": True}})[2]
        return ["measure", "try", "--runs", "2", "--pipe", f"{self.cpus[0]},{self.cpus[1]}", path]

    def two_stages(self):
        """CPUs come online, and then have settings that can only be read then."""
        return self.apply({"for": "all", "online": True},
                          {"for": "all", "cpufreq": {"min-mhz": 1000, "max-mhz": 2100, "epb": 4},
                           "cpuidle": {"qos-latency-us": 50}},
                          {"for": "all", "optional": True, "core-power": {"assoc": 1}})

    def commands(self):
        some = ["-c", self.some]
        state = self.site.platform["cpuidle"]["states"][-1]["name"]
        return [
            ["core-power", "enable", "-p", "1"],
            ["core-power", "disable"],
            ["core-power", "config", "--clos", "1", "-n", "1300", "-m", "2600"],
            [*some, "core-power", "assoc", "--clos", "3"],
            [*some, "turbo-freq", "enable", "-a"],
            [*some, "turbo-freq", "disable", "-a"],
            ["base-freq", "enable", "-a"],
            ["base-freq", "enable"],
            ["base-freq", "disable", "-a"],
            LEVEL_1,
            ["-g", *LEVEL_1],
            ["-a", "perf-profile", "set-config-level", "-l", "0", "-o"],
            ["-a", "turbo-mode", "disable"],
            ["turbo-mode", "set-trl", "-t", "0x1717181819191a1a"],
            [*some, "cpufreq", "set", "--min", "1100", "--max", "1800", "--epp", "200", "--epb",
             "7"],
            [*some, "cpufreq", "set", "--governor", "performance"],
            [*some, "cpufreq", "set", "--governor", "powersave", "--epp", "balance_power"],
            self.apply({"for": "all", "cpufreq": {"max-mhz": 1900}}),
            ["cpufreq", "set", "--turbo", "off"],
            ["cpufreq", "set", "--pstate", "passive"],
            ["cpufreq", "set", "--pstate", "active"],
            [*some, "cpuidle", "set", "--disable", state, "--max-latency", "30us"],
            ["uncore", "set", "--min", "1000", "--max", "1500"],
            # values that registers round
            ["power", "set", "--pl1", "120.3", "--pl1-window", "5s", "--pl2", "240.2",
             "--pl2-window", "3ms"],
            self.apply({"for": "all", "power": {"pl1-w": 110.7, "pl2-w": 300.1}},
                       {"for": "all", "cpufreq": {"epb": 3}}),
            self.two_stages(),
            self.apply({"for": "all", "online": "follow-level", "offline-by": "cgroup",
                        "perf-profile": {"level": 1}}),
            self.apply({"for": f"cpu {self.offline}", "online": False, "offline-by": "cgroup"},
                       {"for": "machine", "cpufreq": {"turbo": False}}),
            ["state", "restore"],
            ["state", "restore", "--to", "clean"],
            self.try_state(),
            ["-c", str(self.cpus[1]), "measure", "wake", "--samples", "5", "--gap", "100us"],
        ]

    def others(self):
        """Commands of which one can set a place that no other one here sets."""
        first, last = self.cpus[0], self.cpus[-1]
        state = self.site.platform["cpuidle"]["states"][1]["name"]
        return [*(["-c", str(cpu), "cpufreq", "set", "--epb", "11"] for cpu in (last, first)),
                ["cpufreq", "set", "--max-pct", "91"],
                ["-c", str(first), "cpuidle", "set", "--disable", state]]


class Trial:
    """A command on a machine that was prepared, and what it and the other command make of it."""

    def __init__(self, before, argv, others):
        self.before, self.argv, self.others, self.other = before, argv, others, []
        self.kills, self.problems = 0, []

    def run(self, generator, most):
        with self.before.copy("never") as never, self.before.copy("done") as done:
            kinds, run = done.moments(*self.argv)
            if run.status or "append" not in kinds:
                return False
            self.other = next(other for other in self.others
                              if not any(lab.run("--dry-run", *other, status=None).status
                                         for lab in (done, never)))
            done.run(*self.other)
            never.run(*self.other)
            for at, how in self.choose(kinds, generator, most):
                self.kills += 1
                try:
                    self.kill(never, done, at, how)
                except Failure as failure:
                    self.problems.append(f"killed {how} {at} ({kinds[at]}) of {len(kinds)}: "
                                         f"{failure}")
        return True

    @staticmethod
    def choose(kinds, generator, most):
        """Moments and how: those of the journal and their neighbours first."""
        every = [(at, how) for at in range(len(kinds)) for how in ("before", "after")]
        if len(every) <= most:
            return every
        special = [(at, how) for at, how in every if kinds[at] == "append"]
        rest = [moment for moment in every if moment not in special]
        chosen = special if len(special) < most else generator.sample(special, most // 2)
        return sorted(chosen + generator.sample(rest, min(len(rest), most - len(chosen))))

    def kill(self, never, done, at, how):
        with self.before.copy("killed") as lab:
            begun = lab.lines()
            run = lab.run(*self.argv, killer={"at": at, "how": how}, status=None)
            expect(run.status == KILLED, f"it ends with {run.status}, not killed: {run.stderr}")
            lines = lab.lines()
            is_done = len(lines) > len(begun) and lines[-1]["line"] == "end"
            is_temporary = any(line.get("temporary") for line in lines[len(begun):])
            run = lab.run(*self.other, status=None)
            wanted = done if is_done and not is_temporary else never
            expect(is_alike(wanted, lab),
                   f"the machine {differences(wanted, lab)}; the other command: {run.status} "
                   f"{run.stderr.strip()}")
            expect(run.status == 0, f"the other command: {run.status} {run.stderr.strip()}")


def prepare(lab, steps):
    """Returns whether the machine can be in that state."""
    for step in steps:
        if step != HALF_ON:
            if lab.run(*step, status=None).status:
                return False
            continue
        argv = ["core-power", "enable"]
        with lab.copy("half") as half:
            kinds, _ = half.moments(*argv)
        writes = [number for number, kind in enumerate(kinds) if kind == "write"]
        if len(writes) < 2:
            return False
        lab.run(*argv, killer={"at": writes[0], "how": "after"}, status=None)
        lab.journal.unlink()
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--most", type=int, default=6, help="moments of each command")
    parser.add_argument("--share", type=float, default=1, help="of the commands in each state")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", help="only that state before")
    parser.add_argument("--only", default="", help="only commands with this text")
    parser.add_argument("machine")
    arguments = parser.parse_args()
    platform = arguments.platforms / f"{arguments.machine}.json"
    generator = random.Random(f"{arguments.machine} {arguments.seed}")
    start, kills, commands, mixtures = time.monotonic(), 0, 0, 0
    with machine.temporary_directory() as directory:
        scenes = Scenes(documents.Site(platform), pathlib.Path(directory))
        for name, steps in scenes.states().items():
            if arguments.state not in (None, name):
                continue
            lab = Lab(arguments, directory, platform, f"before-{name.replace(' ', '-')}")
            lab.run("state", "export", status=None)  # which makes the state directory
            if not prepare(lab, steps):
                continue
            for argv in scenes.commands():
                if (arguments.only not in " ".join(argv)
                        or generator.random() >= arguments.share):
                    continue
                trial = Trial(lab, argv, scenes.others())
                commands += trial.run(generator, arguments.most)
                kills += trial.kills
                mixtures += len(trial.problems)
                for problem in trial.problems:
                    print(f"FAILED: {name}: {' '.join(argv)}: {problem}", flush=True)
    print(f"{arguments.machine}: {commands} commands, {kills} kills, {mixtures} mixtures, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if mixtures or not kills else 0


if __name__ == "__main__":
    sys.exit(main())
