#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Real machines' registers under the kernel's own drivers (dumped.py): what each reading command shows is
what a decoder of the registers says (tests/model), and what hardware says a second time, by MSRs and
by files of the machine. Levels, which these machines have locked, are not changed. The recording of
the virtual machine answers as the machine does.

    real_registers.py --build DIRECTORY --cache DIRECTORY [--kernel NAME] [--limit-reasons] NAME

If the whole archive is there, the machine is taken from it; else from what real-machines.tar.xz has.
"""

import argparse
import json
import pathlib
import re
import sys

import compare
import dumped
import lab
import packages
import qemu
import replay
import scale

for directory in ("tests/model", "tests/cli/record"):
    sys.path.insert(0, str(lab.ROOT / directory))

# pylint: disable=wrong-import-position
import questions  # noqa: E402
import shown  # noqa: E402
import tpmi  # noqa: E402
from pepc import Tree, read_archive, read_domains, read_dumps  # noqa: E402

SHARED = lab.ROOT / "../shared/real-machines/pepc-emul-data.tar.xz"
JSON = ("-f", "json", "-o", "-")
POWER, UNCORE, REASONS = 0x00, 0x02, 0x0c  # TPMI features
DEBUGFS = "/sys/kernel/debug"
EXPORTED = "/run/exported"
TURBO_ROW_OF_AVX512 = 2
USAGE, UNSUPPORTED, REFUSED, DIFFERS = 2, 3, 1, 6  # statuses
BEFORE = {("priority", "show"): [["priority", "publish"]]}
# Words of command lines that answer otherwise later, or set something.
NOT_FROM_RECORDING = {"metrics", "measure", "publish", "show", "set-config-level", EXPORTED}
LOAD_POWER = ["insmod /lab/modules/intel_rapl_common.ko", "insmod /lab/modules/intel_rapl_tpmi.ko",
              "wait_until 5 [ -e /sys/class/powercap/intel-rapl:1/name ] || exit 1"]
LOAD_REASONS = ["# with: plr", f"mount -t debugfs debugfs {DEBUGFS}", "insmod intel_plr_tpmi.ko",
                f"wait_until 5 [ -e {DEBUGFS}/tpmi-0011:30:00.0/plr/domain0/status ] || exit 1",
                f"grep . {DEBUGFS}/tpmi-*/plr/domain*/status >/run/out/reasons"]


class Machine:
    """A real machine, and what of it the virtual machine has."""

    def __init__(self, place, name, archive):
        files = read_archive(dumped.OWN, name)
        if archive.exists():
            whole = read_archive(archive, name)
            if dict(dumped.reduce_machine(whole)) != files:
                raise SystemExit(f"{dumped.OWN.name} is not what dumped.py makes of {archive}")
            files = whole
        self.tree = Tree(files)
        self.scaled = place.dumped(name, self.tree)
        cpus = {}
        for cpu, (package, number, core, _) in enumerate(
                scale.number_cpus(self.scaled[0]["topology"])):
            cpus.setdefault((package, number), {}).setdefault(core, []).append(cpu)
        self.parts = [shown.Part(package, number, registers, cpus.get((package, number), {}))
                      for package, domains in enumerate(read_domains(self.tree))
                      for number, registers in domains.items()]
        self.levels = self.parts[0].registers.levels()

    def dumps(self, feature):
        return read_dumps(self.tree, feature)

    def recorded_reasons(self, package, number):
        """The lines of the driver's file on the real machine; none if it had no driver."""
        tops = sorted(path.rpartition("/")[0] for path in self.tree.source
                      if path.endswith("/pfs_dump"))
        return self.tree.source.get(f"{tops[package]}/plr/domain{number}/status", "").splitlines()


class Guest:
    """What the commands printed in the virtual machine."""

    def __init__(self, place, machine, profiles, with_reasons):
        words = [*map(str.split, questions.QUESTIONS), *map(str.split, shown.QUESTIONS),
                 *(words for words in questions.READING if words[:2] != ["machine", "check"] and
                   "--measure" not in words),
                 ["metrics"], *(["perf-profile", "set-config-level", "-l", str(level)]
                                for level in machine.levels), ["state", "check", EXPORTED]]
        first = [f"isst state export >{EXPORTED} 2>/dev/null", *LOAD_POWER]
        if with_reasons:
            words += [["metrics", "--limit-reasons"]]
            first += LOAD_REASONS
        self.words = list(dict.fromkeys(map(tuple, words)))
        self.cases = [compare.Case({"argv": [*options, *words], "setup": BEFORE.get(words, []),
                                    "program": "isst"}, None, machine.scaled[0])
                      for words in self.words for options in ((), JSON)]
        self.files, self.results = compare.run_machine(
            place, machine.scaled, self.cases, [*first, *replay.lines_before(profiles, [])])
        self.found = {tuple(case.argv): results[len(case.setup)]
                      for case, results in zip(self.cases, self.results)}

    def result(self, *words):
        return self.found[words]

    def show(self, *words):
        """The JSON of a command."""
        stdout = self.found[(*JSON, *words)][1]
        return json.loads(stdout) if stdout.strip() else {}


def expected_statuses(words, machine):
    """The statuses with which a command may end on the machine."""
    domains = [part.registers for part in machine.parts if part.cpus]
    if words[1:3] == ("info", "-l") and int(words[3]) not in machine.levels:
        return {USAGE}
    if words[1:3] == ("info", "-l"):
        read = tpmi.Domain.base_freq if words[0] == "base-freq" else tpmi.Domain.turbo_freq
        return {0 if all(read(domain, int(words[3])) for domain in domains) else UNSUPPORTED}
    if "set-config-level" in words:
        return {0 if int(words[3]) == domains[0].current_level else REFUSED}
    if "avx512" in words:
        return {0 if any(domains[0].info(0)["mhz"][TURBO_ROW_OF_AVX512]) else UNSUPPORTED}
    if words[0] == "cpuidle":
        return {UNSUPPORTED}
    if "verify" in words:  # cores that the level does not have are online here
        return {DIFFERS}
    return {0, DIFFERS} if "check" in words and EXPORTED not in words else {0}


def find_answered(guest, machine):
    """Statuses, and JSON that is none."""
    for words in guest.words:
        for options in ((), JSON):
            status, stdout, stderr = guest.result(*options, *words)
            is_silent = not stdout + stderr and EXPORTED not in words
            if status not in expected_statuses(words, machine) or is_silent:
                yield f"{' '.join(words)}: status {status}: {stdout[-300:]}{stderr}"
        try:
            if words[0] != "metrics" and "--list" not in words:
                guest.show(*words)
        except ValueError as error:
            yield f"{' '.join(words)}: no JSON: {error}"
    if not guest.result("metrics")[1].endswith("# EOF\n"):
        yield "metrics: no end"


def find_differing(guest, machine):
    """What the machine's registers, MSRs and files contradict."""
    power = [tpmi.read_power(dump[0]) for dump in machine.dumps(POWER)]
    for check in shown.CHECKS:
        yield from check(guest.show, machine.parts)
    yield from shown.compare_uncore(guest.show, [
        {number: tpmi.read_clusters(registers) for number, registers in dump.items()}
        for dump in machine.dumps(UNCORE)])
    yield from shown.compare_power(guest.result("metrics")[1], power)
    yield from shown.compare_twice(guest.show, machine.parts, machine.tree)
    yield from shown.compare_units(machine.tree, power)
    yield from shown.compare_uncore_files(guest.show, machine.tree)
    for row in guest.show("machine", "verify")["rows"]:
        if row["result"] in ("differs", "not read") and row["check"] != "enabled-cpus":
            yield f"machine verify: {row}"


def find_reasons(guest, machine):
    """Limit reasons: the driver's files, those of the machine where it has them, and metrics."""
    files, series = set(), set()
    for package, dump in enumerate(machine.dumps(REASONS)):
        for number, registers in dump.items():
            of_domain, of_cores = tpmi.read_reasons(registers)
            part = next(part for part in machine.parts
                        if (part.package, part.number) == (package, number))
            top = f"{DEBUGFS}/tpmi-{0x10 + package:04x}:30:00.0/plr/domain{number}/status:"
            files.add(f"{top}cpus {' '.join(of_domain) or 'none'}")
            files |= {f"{top}cpu{cpu} {' '.join(of_cores) or 'none'}" for cpu in part.all_cpus()}
            for line in machine.recorded_reasons(package, number):
                words = of_domain if line.startswith("cpus ") else of_cores
                yield from shown.differences(line.split()[1:], words, f"{top}recorded: {line}")
            series |= {f'{{package="{package}",power_domain="{number}",reason="{reason}"}}'
                       for reason in of_domain + of_cores}
    yield from shown.differences(set(guest.files["reasons"].splitlines()), files, "limit reasons")
    metrics = guest.result("metrics", "--limit-reasons")[1]
    found = set(re.findall(r"^isst_limit_reason_active(\S+) 1$", metrics, re.M))
    yield from shown.differences(found, series, "metrics --limit-reasons")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=dumped.NAMES)
    parser.add_argument("--archive", type=pathlib.Path, default=SHARED)
    parser.add_argument("--limit-reasons", action="store_true",
                        help="those too: by a driver that is built for it")
    options = lab.read_options(parser)
    place = lab.open_or_skip(options)
    machine = Machine(place, options.name, options.archive)
    profiles = {name: questions.profile(options.build, name) for name in questions.PROFILES}
    try:
        guest = Guest(place, machine, profiles, options.limit_reasons)
    except packages.Missing as error:  # the driver of limit reasons
        lab.skip(error)
    if guest.files["recorded"] != "0\n":
        raise qemu.Failed(f"the machine cannot be recorded: {guest.files['said']}")
    problems = [*find_answered(guest, machine), *find_differing(guest, machine)]
    if options.limit_reasons:
        problems += find_reasons(guest, machine)
    for problem in problems:
        print(problem)
    runs = [(case, results) for case, results in zip(guest.cases, guest.results)
            if not NOT_FROM_RECORDING & set(case.argv)]
    failed = replay.count_differing(place, guest.files["recording"], profiles, runs)
    print(f"{len(guest.words)} commands on {options.name}: {len(problems)} differences; "
          f"{failed} of {len(runs)} answers differ in the recording")
    return 1 if problems or failed else 0


if __name__ == "__main__":
    sys.exit(main())
