#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A recording replays a machine with the kernel's own drivers. The machine is recorded in the virtual
machine; golden cases that only read, and the commands of QUESTIONS, must print the same there and
outside from the recording: stdout, stderr and status.
"""

import json
import pathlib
import sys
import tempfile

import compare
import lab
import qemu

PROFILES = ("realtime", "latency", "throughput")
# What every machine can be asked, besides its golden cases; a profile is in the working directory.
QUESTIONS = ["machine summary", "machine record --list",
             *(f"-c 1 machine check ./{name}.json" for name in PROFILES), "perf-profile info",
             "base-freq info -l 0", "turbo-freq info -l 0", "turbo-mode get-trl", "core-power info",
             "core-power get-config -c 0", "core-power get-assoc -c all", "cpufreq info --each",
             "cpufreq explain", "cpuidle info --each", "uncore info", "state export"]


def questions(platform):
    return [compare.Case({"argv": [*options, *question.split()]}, None, platform)
            for question in QUESTIONS for options in ([], ["-f", "json"])]


def profile(build, name):
    """The text of a profile without the items about processes, which are not recorded."""
    data = json.loads((build / f"profiles/{name}.json").read_text(encoding="utf-8"))
    data["items"] = [item for item in data["items"] if "process" not in item["read"]]
    return json.dumps(data)


def lines_before(profiles):
    """Lines of the guest's script: the profiles, and the recording."""
    for name, text in profiles.items():
        yield f"cat >{name}.json <<'end'\n{text}\nend"
    yield "intel-speed-select machine record -o /run/out/recording >/run/out/said 2>&1"
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
    options = compare.read_options(__doc__)
    place = lab.open_or_skip(options)
    scaled = place.scaled(options.platform)
    cases, _ = compare.load_cases(options.platform, scaled[0],
                                  [options.platform.stem, *options.cases_of])
    cases = [case for case in cases if case.only_reads()] + questions(scaled[0])
    cases = compare.choose(cases, options)
    profiles = {name: profile(options.build, name) for name in PROFILES}
    files, real = compare.run_machine(place, scaled, cases, lines_before(profiles))
    if files["recorded"] != "0\n":
        raise qemu.Failed(f"the machine cannot be recorded: {files['said']}")
    failed = count_differing(place, files["recording"], profiles, list(zip(cases, real)))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
