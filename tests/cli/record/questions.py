# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of recordings ask a machine and its replay, besides golden cases."""

import json

PROFILES = ("realtime", "latency", "throughput")
# Command lines for every machine; a profile is in the working directory.
QUESTIONS = ["machine summary", "machine record --list",
             *(f"-c 1 machine check ./{name}.json" for name in PROFILES), "perf-profile info",
             "perf-profile compare", "base-freq info -l 0", "base-freq info -l 1",
             "turbo-freq info -l 0", "turbo-freq info -l 1", "turbo-mode get-trl",
             "core-power info", "core-power get-config --clos 0", "core-power get-assoc -c all",
             "cpufreq info --each", "cpufreq explain", "cpuidle info --each", "uncore info",
             "--info", "state export"]
# What reads, on machines of others.
READING = [command.split() for command in """
machine summary|machine check realtime|machine check latency|machine check throughput|cpufreq info
cpuidle info|uncore info|-c 0 cpufreq explain|-c 0-1 cpufreq explain --isa avx512|perf-profile info
perf-profile compare|perf-profile get-config-levels|perf-profile get-lock-status|base-freq info -l 0
turbo-freq info -l 0|core-power info|core-power get-config --clos 0|-c 0 core-power get-assoc
-c 0 turbo-mode get-trl|machine choose --cores 2|machine verify|machine verify --measure
priority publish --dry-run|priority show
state export|state export --portable|state restore --to clean --dry-run|--info|-c 0 measure run --seconds 1
""".strip().replace("\n", "|").split("|")]


def profile(build, name):
    """The text of a profile without the items about processes, which are not recorded."""
    data = json.loads((build / f"profiles/{name}.json").read_text(encoding="utf-8"))
    data["items"] = [item for item in data["items"] if "process" not in item["read"]]
    return json.dumps(data)


def formats():
    """The words of every command line, as text and as JSON."""
    for question in QUESTIONS:
        for options in ([], ["-f", "json"]):
            yield [*options, *question.split()]
