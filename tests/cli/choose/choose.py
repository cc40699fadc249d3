#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The promises of machine choose (docs/spec/choose.md, "machine choose"). For each number of cores and
each row that serves: state apply takes its document, and then cpufreq explain gives the frequencies
that were promised, to the CPUs that were chosen and to all others; its commands, pasted into a shell
as they are printed, reach the same state and the same frequencies; without --allow-offline no CPU
goes offline; and a calculation from the platform file (machines.py) has the same frequencies, and
finds nothing better. The order of the rows is that of the page.

    choose.py --program PROGRAM --platform FILE [--numbers COUNT] [--rows COUNT]
              [--random COUNT] [--seed N] [--keep FILE]

--numbers, --rows: so many numbers of cores, and rows of each (default: all). --random: so many
random machines made out of the file, each with random settings before, in place of it; one that
fails is written to the file of --keep.
"""

import argparse
import difflib
import itertools
import json
import pathlib
import random as randomness
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

from machine import paste  # noqa: E402 pylint: disable=wrong-import-position
import machines  # noqa: E402 pylint: disable=wrong-import-position
from machines import ISAS, Machine, Setting, numbers, ranges


class Failure(Exception):
    pass


class Tested:
    """A simulated machine, and the program on it."""

    def __init__(self, program, path, directory):
        self.program, self.path = program, str(path)
        self.state, self.document = directory / "state", directory / "document.json"
        self.machine = Machine(machines.read(path))

    def run(self, words, status=(0,)):
        done = subprocess.run(["isst", "--simulate", self.path, "--simulate-state",
                               str(self.state), *words], executable=self.program,
                              capture_output=True, text=True, check=False)
        if done.returncode not in status:
            raise Failure(f"{shlex.join(words)}: status {done.returncode}\n{done.stderr}")
        return done

    def reset(self, setup):
        """A machine as it was at its start, but for the setup."""
        shutil.rmtree(self.state, ignore_errors=True)
        for words in setup:
            self.run(words, (0, 1, 2, 3))

    def export_without_dies(self):
        """Switches SST-BF off in dies without cores, where it has no effect: commands for all CPUs
        set it there, documents leave it. Returns what is set then."""
        dies = [f"package-{number} powerdomain-{about['punit']}"
                for number, package in enumerate(self.machine.platform["topology"]["packages"])
                for about in package["domains"] if not about["cores"]]
        if dies:
            dies_document = self.document.with_name("dies.json")
            dies_document.write_text(json.dumps({
                "format": "intel-speed-select-state", "version": 1,
                "settings": [{"for": die, "optional": True, "base-freq": {"enabled": False}}
                             for die in dies]}))
            self.run(["state", "apply", str(dies_document)])
        return self.run(["state", "export"]).stdout

    def choose(self, words, status=(0, 3)):
        done = self.run(["-f", "json", "machine", "choose", *words], status)
        return json.loads(done.stdout) if done.stdout else None

    def paste(self, words):
        """Runs the commands that choose prints as text, in a shell."""
        text = self.run(["machine", "choose", *words]).stdout
        commands = text.partition("\ncommands that set it:\n")[2]
        done = paste(self.program, commands)
        if done.returncode:
            raise Failure(f"pasted: status {done.returncode}\n{commands}\n{done.stderr}")
        return commands

    def levels(self):
        """The level of each domain with an online CPU, by the package and the domain's place."""
        done = self.run(["-f", "json", "perf-profile", "get-config-current-level"], (0, 1, 3))
        found = {}
        for name, value in json.loads(done.stdout or "{}").items():
            cpu = name.rpartition(":cpu-")[2]
            if cpu.isdigit():
                found[self.machine.core_of[int(cpu)].domain] = \
                    int(value["get-config-current_level"])
        return found

    def explain(self, isa):
        """The highest and the guaranteed frequency in MHz of each CPU that is online."""
        done = self.run(["-f", "json", "-c", "online", "cpufreq", "explain", "--isa", ISAS[isa]])
        found = {}
        collect(json.loads(done.stdout), None, found)
        return found


def collect(tree, cpu, found):
    """Reads the results of explain."""
    for name, value in tree.items():
        if not isinstance(value, dict):
            continue
        if name == "explain":
            guaranteed = value.get("guaranteed", {})
            found[cpu] = (value.get("maximum-frequency(MHz)"),
                          guaranteed.get("base-freq-base(MHz)") or
                          guaranteed.get("level-base(MHz)") or
                          guaranteed.get("cpufreq-base(MHz)"))
            found[cpu] = tuple(int(float(part)) if part else None for part in found[cpu])
        else:
            number = name.rpartition("cpu-")[2]
            collect(value, int(number) if number.isdigit() else cpu, found)


def merits(row, by_frequency):
    """What rows are ordered by, the better the higher (docs/spec/choose.md, "Order")."""
    return ((row["high-mhz"] or 0) if by_frequency else 0, row["cores-online"], row["others-mhz"] or 0,
            row["guaranteed-mhz"] or 0, not row["changes-level"], -(row["tdp-w"] or 1e9),
            -row["others-slowed"], not row["levels-differ"])


def name_of(row):
    return f"level {row['level']} {row['feature']} {row['bucket']}"


def require(is_so, text):
    if not is_so:
        raise Failure(text)


class Case:
    """One command line of choose, on a machine with some settings."""

    def __init__(self, tested, setup, isa, words):
        self.tested, self.setup, self.isa, self.words = tested, setup, isa, words
        self.machine = tested.machine
        self.lacks_profile = not self.machine.is_clx_n and \
            not self.machine.domains[0].sst["enabled"]
        self.n_cores = int(words[words.index("--cores") + 1])
        self.mhz, self.others_mhz = self.number("--mhz"), self.number("--others-mhz")

    def number(self, option):
        return int(self.words[self.words.index(option) + 1]) if option in self.words else 0

    def check(self, random, most_rows):
        tested = self.tested
        tested.reset(self.setup)
        self.before = tested.run(["state", "export"]).stdout
        self.now = self.by_core(tested.explain(self.isa))
        self.levels = {} if self.machine.is_clx_n else tested.levels()
        result = tested.choose(self.words)
        serving = [row for row in result["rows"] if row["row"]]
        require((result["chosen"] is None) == (not serving), "chosen without a row")
        require([row["row"] for row in serving] == list(range(1, len(serving) + 1)), "numbers")
        for row in result["rows"]:
            require(bool(row["reason"]) != bool(row["row"]),
                    f"{name_of(row)}: neither row nor reason, or both")
        self.check_order(serving)
        chosen = serving if most_rows >= len(serving) else random.sample(serving, most_rows)
        if serving and serving[0] not in chosen:
            chosen.append(serving[0])
        for row in chosen:
            try:
                self.check_row(row)
            except Failure as failure:
                raise Failure(f"row {row['row']}, {name_of(row)}: {failure}") from failure
        return result, len(chosen)

    def by_core(self, explained):
        """The MHz of each core with an online CPU: that of its slowest one."""
        found = {}
        for cpu, (mhz, _) in explained.items():
            core = self.machine.core_of[cpu]
            found[core] = min(mhz or 0, found.get(core, mhz or 0))
        return found

    def check_order(self, serving):
        """The best first; the present setting before all, if it serves."""
        ranked = [row for row in serving if row["feature"] != "present"]
        require(len(serving) - len(ranked) <= 1, "the present setting twice")
        for better, worse in zip(ranked, ranked[1:]):
            require(merits(better, not self.mhz) >= merits(worse, not self.mhz),
                    f"row {worse['row']} is better than row {better['row']}")
        for row in ranked:
            require((row["high-mhz"] or 0) >= self.mhz, f"row {row['row']}: --mhz")
            require((row["others-mhz"] or self.others_mhz) >= self.others_mhz,
                    f"row {row['row']}: --others-mhz")
            require("--allow-offline" in self.words or not row["cores-lost"],
                    f"row {row['row']} takes cores offline")
        enabled = [core for core in self.now if self.machine.is_clx_n or
                   core in core.domain.enabled(self.levels[core.domain])]
        enabled.sort(key=self.now.get, reverse=True)
        wanted = self.mhz or (ranked[0]["high-mhz"] or 0 if ranked else 0)
        slowest = enabled[self.n_cores - 1:self.n_cores]
        others = [self.now[core] for core in self.now if core not in enabled[:self.n_cores]]
        serves = bool(slowest) and self.now[slowest[0]] >= wanted and \
            min(others, default=self.others_mhz) >= self.others_mhz
        require(serves == (len(serving) > len(ranked)),
                f"the present setting {'serves' if serves else 'does not serve'}")
        require(not serves or serving[0]["feature"] == "present", "it is not the first row")

    def check_row(self, row):
        tested = self.tested
        tested.reset(self.setup)
        words = [*self.words, "--pick", str(row["row"])]
        result = tested.choose([*words, "--state", str(tested.document)])
        require(result["rows"][row["row"] - 1] == row, "another order with --pick")
        require(tested.run(["state", "export"]).stdout == self.before, "choose set something")
        require(json.loads(tested.document.read_text()) == result["chosen"]["document"],
                "another document in the file")
        chosen = self.check_cores(row, numbers(result["chosen"]["cpus"]))
        tested.run(["state", "apply", str(tested.document)])
        tested.run(["state", "check", str(tested.document)])
        self.check_promise(row, chosen)
        after = tested.export_without_dies()
        tested.reset(self.setup)
        commands = tested.paste(words)
        require(bool(commands) == bool(result["chosen"]["commands"]), "printed without commands")
        as_set = tested.run(["state", "export"]).stdout
        tested.run(["state", "check", str(tested.document)])
        self.check_promise(row, chosen)
        again = tested.export_without_dies()
        if again != after:
            differences = difflib.unified_diff(after.splitlines(), again.splitlines(),
                                               "the document", "the commands", n=0, lineterm="")
            raise Failure("\n".join([commands, *differences]))
        if row["feature"] == "present":
            require(not commands and as_set == self.before, "the present setting is changed")

    def check_cores(self, row, cpus):
        """Whole cores, so many, enabled at the level, and no more than the bucket."""
        machine, level = self.machine, row["level"]
        chosen = {machine.core_of[cpu] for cpu in cpus}
        require(len(chosen) == self.n_cores, f"{len(chosen)} cores")
        for core in chosen:
            missing = set(core.cpus) - cpus
            require(missing <= machine.offline, f"CPUs {ranges(missing)} of a core are missing")
            if machine.is_clx_n:
                continue
            if row["feature"] == "present":
                level = self.levels[core.domain]
            require(core in core.domain.enabled(level), f"core of CPU {core.cpus[0]} is disabled")
            if "base-freq" in row["feature"]:
                require(core.domain.is_fast(core, level), f"CPU {core.cpus[0]} is not of SST-BF")
        for package in {core.domain.package for core in chosen if not machine.is_clx_n}:
            if "turbo-freq" in row["feature"]:
                about = machine.of_package(package)[0].levels[level]
                units = machine.count_units(about, [core for core in chosen
                                                    if core.domain.package == package])
                require(units <= about["turbo_freq"]["cores"][row["bucket"]],
                        f"{units} cores in bucket {row['bucket']} of package {package}")
        return chosen

    def compare(self, who, found, promised):
        """Without SST-PP, while SST-BF is on, nothing shows the base frequency without it; and
        while SST-TF is on, not the turbo-ratio limits without it."""
        if self.lacks_profile:
            found = tuple(None if was is None else part for part, was in zip(found, promised))
        require(found == promised, f"promised for {who} {promised}, and it is {found}")

    def check_promise(self, row, chosen):
        machine = self.machine
        explained = self.tested.explain(self.isa)
        online = set(explained)
        setting = Setting(machine, row, chosen, online,
                          ["--known-cpus-only", "cpufreq", "set", "--turbo", "off"] in self.setup)
        groups = {True: [], False: []}
        for core in machine.cores:
            for cpu in set(core.cpus) & online:
                groups[core in chosen].append(explained[cpu])
                if core.domain.package not in setting.packages or row["feature"] == "present":
                    continue
                own = (setting.frequency(core, self.isa), setting.base(core, self.isa))
                require(explained[cpu] == own,
                        f"CPU {cpu}: explained {explained[cpu]}, calculated {own}")
        self.compare("the cores", lowest(groups[True]), (row["high-mhz"], row["guaranteed-mhz"]))
        self.compare("others", lowest(groups[False]),
                     (row["others-mhz"], row["others-guaranteed-mhz"]))
        self.check_price(row, chosen, self.by_core(explained))

    def check_price(self, row, chosen, after):
        """What the row costs the other cores: those that are offline then, or slower."""
        others = [core for core in after if core not in chosen]
        had = [self.now[core] for core in others if core in self.now]
        price = {
            "cores-online": len(after),
            "cores-lost": len(set(self.now) - set(after)),
            "others-slowed": sum(after[core] < self.now.get(core, 0) for core in others)
                             if row["others-mhz"] or not self.lacks_profile
                             else row["others-slowed"],
            "others-now-mhz": min(had, default=0) or None,
        }
        for name, value in price.items():
            require(row[name] == value, f"{name} is {row[name]}, and should be {value}")
        levels = {} if self.machine.is_clx_n else self.tested.levels()
        require(row["levels-differ"] == (len(set(levels.values())) > 1), "levels-differ")
        require(row["changes-level"] ==
                any(self.levels.get(domain, level) != level for domain, level in levels.items()),
                "changes-level")


def lowest(pairs):
    """The lowest of each figure."""
    if not pairs:
        return (None, None)
    return tuple(min((pair[part] or 0 for pair in pairs)) or None for part in range(2))


def find_best(machine, n_cores, isa, allow_offline):
    """The highest frequency that so many cores can have, by trying all levels and features of a
    machine at its start; only those that leave cores online, unless allow_offline. None: no setting
    serves."""
    found = []
    for level in sorted({number for domain in machine.domains for number in domain.levels}):
        packages = [machine.of_package(package) for package in machine.packages]
        packages = [part for part in packages
                    if all(level in domain.levels and
                           (level == domain.sst["current_level"] or
                            (domain.sst["enabled"] and not domain.sst["locked"]))
                           for domain in part)]
        for feature in ["none", "base-freq", "turbo-freq", "base-freq+turbo-freq"]:
            found += try_feature(machine, packages, level, feature, n_cores, isa, allow_offline)
    return max(found, default=None)


def try_feature(machine, packages, level, feature, n_cores, isa, allow_offline):
    """The frequencies with one feature: of SST-TF, with each number of cores of a package."""
    kinds = [kind for kind in ["base_freq", "turbo_freq"] if kind.replace("_", "-") in feature]
    packages = [part for part in packages
                if all(domain.levels[level][kind] for domain in part for kind in kinds)]
    usable = [[core for domain in part for core in domain.enabled(level)
               if set(core.cpus) - machine.offline and
               ("base_freq" not in kinds or domain.is_fast(core, level))] for part in packages]
    sizes = [[0, len(part)] for part in usable]
    if "turbo_freq" in kinds:
        sizes = [[0, *filter(None, part[0].levels[level]["turbo_freq"]["cores"])]
                 for part in packages]
    answer = []
    for limits in itertools.product(*sizes):
        chosen = []
        for part, limit in zip(usable, limits):
            weight = machine.count_units(part[0].domain.levels[level], part[:1]) \
                if "turbo_freq" in kinds and part else 1
            chosen += part[:limit // weight]
        if len(chosen) < n_cores:
            continue
        online = set(machine.cpus) - machine.offline
        lost = {cpu for domain in machine.domains for core in domain.cores for cpu in core.cpus
                if domain.package in {core.domain.package for core in chosen} and
                level != domain.sst["current_level"] and core not in domain.enabled(level)}
        if online & lost and not allow_offline:
            continue
        setting = Setting(machine, {"level": level, "feature": feature}, chosen, online - lost)
        answer.append(sorted((setting.frequency(core, isa) for core in chosen),
                             reverse=True)[n_cores - 1])
    return answer


def reported(machine, isa):
    """Does the machine report frequencies of the instruction set? Without SST-PP, and on Cascade
    Lake-N, only those of SSE."""
    if machine.is_clx_n or not machine.domains[0].sst["enabled"]:
        return isa == 0
    return all(level["turbo"]["mhz"][isa][0] for domain in machine.domains
               for level in domain.levels.values() if len(level["turbo"]["mhz"]) > isa) and \
        all(len(level["turbo"]["mhz"]) > isa for domain in machine.domains
            for level in domain.levels.values())


def random_setup(random, tested):
    """Settings before choose."""
    machine, setup = tested.machine, []
    levels = sorted(machine.domains[0].levels)
    cpus = [cpu for cpu in machine.cpus if cpu not in machine.offline]
    some = ranges(random.sample(cpus, min(len(cpus), random.randint(1, 4))))
    choices = [
        ["perf-profile", "set-config-level", "-l", str(random.choice(levels)), "-o"],
        ["base-freq", "enable", "--auto"],
        ["-c", some, "turbo-freq", "enable", "--auto"],
        ["core-power", "config", "--clos", str(random.randrange(4)), "--max",
         str(random.choice([1500, 2000]))],
        ["core-power", "enable", "-p", "1"],
        ["-c", some, "core-power", "assoc", "--clos", str(random.randrange(4))],
        ["-c", some, "cpufreq", "set", "--max", "base"],
        *([["cpufreq", "set", "--turbo", "off"]] if random.random() < 0.4 else []),
    ]
    for words in choices:
        if random.random() < 0.3:
            setup.append(["--known-cpus-only", *words])
    return setup


def run_machine(tested, random, arguments, setup):
    """Checks numbers of cores, and returns how many rows were checked."""
    machine, checked = tested.machine, 0
    n_all = len(machine.cores)
    counts = list(range(1, n_all + 1))
    if arguments.numbers and arguments.numbers < n_all:
        counts = sorted({1, n_all, *random.sample(counts, max(0, arguments.numbers - 2))})
    isas = [isa for isa in range(3) if reported(machine, isa)] or [0]
    mhz = range(1500, machine.highest_mhz + 100, 100)
    for n_cores in counts:
        for isa in isas if arguments.numbers == 0 else [random.choice(isas)]:
            words = ["--cores", str(n_cores), "--isa", ISAS[isa]]
            words += random.choice([[], [], ["--spread"], ["--pack"]])
            words += random.choice([[], ["--allow-offline"]])
            words += random.choice([[], [], ["--mhz", str(random.choice(mhz))]])
            words += random.choice([[], [], ["--others-mhz", str(random.choice(mhz))]])
            case = Case(tested, setup, isa, words)
            try:
                result, count = case.check(random, arguments.rows)
                check_best(machine, result, n_cores, isa, words, setup)
            except Failure as failure:
                raise Failure(f"{tested.path}: after {setup}: {shlex.join(words)}: {failure}") \
                    from failure
            checked += count
    return checked


def check_best(machine, result, n_cores, isa, words, setup):
    """Nothing is better than the first row; only of a machine that nothing was set on."""
    if setup or {"--spread", "--pack", "--mhz", "--others-mhz"} & set(words) or \
            machine.is_clx_n or any(domain.sst["current_level"] for domain in machine.domains):
        return
    best = find_best(machine, n_cores, isa, "--allow-offline" in words)
    first = result["rows"][0]
    require(first["high-mhz"] == best,
            f"the first row has {first['high-mhz']} MHz, and {best} is possible")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--numbers", type=int, default=0)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        try:
            for turn in range(max(1, arguments.random)):
                random = randomness.Random(f"{arguments.platform.rsplit('/', 1)[-1]}"
                                           f" {arguments.seed} {turn}")
                path, setup = arguments.platform, []
                if arguments.random:
                    path = directory / "invented.json"
                    path.write_text(json.dumps(machines.invent(random, arguments.platform)))
                tested = Tested(arguments.program, path, directory)
                if arguments.random:
                    setup = random_setup(random, tested)
                checked += run_machine(tested, random, arguments, setup)
        except Failure as failure:
            print(failure, file=sys.stderr)
            if arguments.random:
                print(f"the machine of turn {turn}", file=sys.stderr)
                if arguments.keep:
                    pathlib.Path(arguments.keep).write_text(path.read_text())
            return 1
    print(f"{checked} rows checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
