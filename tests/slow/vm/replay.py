#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A recording replays a machine with the kernel's own drivers. The machine is recorded in the virtual
machine; golden cases that only read, and those of questions.py, must print the same there and
outside from the recording: stdout, stderr and status. With --changed the machine is changed before
it is recorded; with --setting the cases that set something run on both.
"""

import argparse
import pathlib
import sys
import tempfile

import compare
import lab
import qemu

sys.path.insert(0, str(lab.HERE.parents[1] / "cli/record"))

import questions  # noqa: E402 pylint: disable=wrong-import-position



def changes_of(platform):
    """Commands of the guest's shell that change what the machine has."""
    changes = ["isst -c 4-5 cpufreq set --governor performance", "isst -c 8-9 cpufreq set --max 2000",
               "isst uncore set --package 0 --max 1500",
               "echo 0 >/sys/devices/system/cpu/cpu5/online"]
    sst = platform["sst"]
    if not sst:
        return changes
    levels, of_sst = sst["levels"][:2], []
    if len(levels) > 1:
        of_sst.append(f"isst perf-profile set-config-level -l {levels[1]['level']} -o")
    if sst["core_power"]["supported"]:
        of_sst += ["isst core-power enable", "isst core-power config --clos 1 --min 1000 --max 2500",
                   "isst -c 2-3 core-power assoc --clos 1"]
    if levels[-1]["turbo_freq"]:
        of_sst.append("isst -c 1,3 turbo-freq enable --auto")
    return of_sst + changes


def lines_before(profiles, changes):
    """Lines of the guest's script: the profiles, changes of the machine, and the recording."""
    for name, text in profiles.items():
        yield f"cat >{name}.json <<'end'\n{text}\nend"
    yield from (f"{{ {change}; }} >>/run/out/said 2>&1 || {{ cat /run/out/said >&2; exit 1; }}"
               for change in changes)
    yield "rm -rf /run/intel-speed-select"
    yield "intel-speed-select machine record -o /run/out/recording >>/run/out/said 2>&1"
    yield "echo $? >/run/out/recorded"


def count_differing(place, recording, profiles, runs):
    """How many of runs, [(case, results in the machine)], the recording answers otherwise."""
    with tempfile.TemporaryDirectory(prefix="isst-test-") as name:
        directory = pathlib.Path(name)
        for profile_name, text in profiles.items():
            (directory / f"{profile_name}.json").write_text(text, encoding="utf-8")
        path = directory / "recording"
        path.write_text(recording, encoding="utf-8")
        return sum(compare.report(case, "recording",
                                  compare.simulate(place.program, path, case, directory=directory),
                                  results)
                   for case, results in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changed", action="store_true", help="change the machine first")
    parser.add_argument("--setting", action="store_true", help="the cases that set something")
    options = compare.read_options(parser)
    place = lab.open_or_skip(options)
    scaled = place.scaled(options.platform)
    cases, _ = compare.load_cases(options.platform, scaled[0],
                                  [options.platform.stem, *options.cases_of])
    if options.setting:
        cases = [case for case in cases if not case.faults and not case.only_reads()
                 and not case.has(*compare.OTHER_FILES)]
    else:
        cases = [case for case in cases if case.only_reads()] 
        cases += [compare.Case({"argv": argv}, None, scaled[0]) for argv in questions.formats()]
    cases = compare.choose(cases, options)
    profiles = {name: questions.profile(options.build, name) for name in questions.PROFILES}
    files, real = compare.run_machine(
        place, scaled, cases, lines_before(profiles, changes_of(scaled[0]) if options.changed else []))
    if files["recorded"] != "0\n":
        raise qemu.Failed(f"the machine cannot be recorded: {files['said']}")
    failed = count_differing(place, files["recording"], profiles, list(zip(cases, real)))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
