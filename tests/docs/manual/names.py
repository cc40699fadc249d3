#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
intel-speed-select-output(7) promises that names stay: every name that a reading command shows on
the simulated machines must be on that page, or, what limits are called, on that of cpufreq.
intel-speed-select-platform(5) must have every member of the platform files,
intel-speed-select-machine(8) every member of the JSON of machine summary and machine check.
"""

import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import page

OUTPUT = page.PAGES / "intel-speed-select-output.7"
CPUFREQ = page.PAGES / "intel-speed-select-cpufreq.8"
PLATFORM = page.PAGES / "intel-speed-select-platform.5"
MACHINE = page.PAGES / "intel-speed-select-machine.8"
# So that limits are there to be named; where a machine lacks one of these it is no matter.
SETTINGS = (["-c", "0", "turbo-freq", "enable", "--auto"], ["base-freq", "enable"],
            ["core-power", "config", "--clos", "0", "-n", "1000", "-m", "2000"],
            ["core-power", "enable"], ["cpufreq", "set", "--turbo", "off"])
LEAST_NAMES = 2000 # that the reading commands show on all machines together
# What the page has as NAME or N, or speaks of as words of the machine.
PATTERNS = ((re.compile(r"turbo-ratio-limits-.+"), "turbo-ratio-limits-NAME"),
            (re.compile(r"(perf-profile-level|bucket|state|cluster)-\d+"), r"\1-N"),
            (re.compile(r"(?:high|low)-priority-max-level-\d+-frequency\(MHz\)"),
             "high-priority-max-level-0-frequency(MHz)"),
            (re.compile(r"level-\d+"), "level-0"),
            (re.compile(r"\w.*-highest"), "-highest"),
            (re.compile(r"(Error\d+|Warning:\d+|Information:\d+)"), "message"))
# The values below these are on the page of cpufreq, without their unit.
LIMIT_NODES = ("upper-limits", "lower-limits", "guaranteed")


def reading_commands(description):
    """The command lines that read, each with what it must have."""
    for feature in description["features"]:
        for command in feature["commands"]:
            # Places and settings are members there; the page of state documents has the settings.
            if command["writes"] or feature["name"] in ("state", "machine", "metrics"):
                continue
            words = ["-c", "0-1"] if command["needs-cpus"] else []
            words += [feature["name"], command["name"]]
            for option in command["options"]:
                if option.get("required"):
                    words += [f"--{option['name']}", "0"]
            yield words
    yield ["--info"]


def names_of(node):
    """The page that must have it, and the name, of each node and value."""
    if isinstance(node, list):
        for element in node:
            yield from names_of(element)
    for name, value in node.items() if isinstance(node, dict) else ():
        yield OUTPUT, generic(name)
        if name in LIMIT_NODES:
            yield from ((CPUFREQ, limit.removesuffix("(MHz)").removesuffix("-mhz"))
                        for limit in value)
        else:
            yield from names_of(value)


def shown_names(run, words):
    document = json.loads(run(words))
    if words == ["--info"]:
        return set(names_of(document))
    return {found for node in document.values() for found in names_of(node)}


def machine(program, platform, state):
    """Runs command lines on a simulated machine; they return what is on standard output."""
    simulated = [program, "--simulate", platform, "--simulate-state", state, "-f", "json", "-o", "-"]
    return lambda words: subprocess.run(simulated + words, capture_output=True, text=True,
                                        check=False).stdout


@functools.cache
def generic(name):
    for pattern, words in PATTERNS:
        if pattern.fullmatch(name):
            return pattern.sub(words, name)
    return name


def documented_names(path):
    """All words of a page, examples left out."""
    source = re.sub(r"^\.Bd(?:.*\n)*?\.Ed$", "", path.read_text(encoding="utf-8"), flags=re.M)
    return set(re.findall(r"[^\s,{}]+", page.unescape(source)))


def members_of(value):
    """The names of all members, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from members_of(element)


def report(path, names):
    """Prints the names that a page lacks, and returns how many there are."""
    missing = names - documented_names(path)
    for name in sorted(missing):
        print(f"{path.name} does not name {name}")
    return len(missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    options = parser.parse_args()
    description = json.loads(subprocess.run([options.program, "--describe"], check=True,
                                            capture_output=True, text=True).stdout)
    shown, summary, members, count = set(), set(), set(), 0
    for platform in sorted(options.platforms.glob("*.json")):
        document = json.loads(platform.read_text(encoding="utf-8"))
        document.get("recorded", {}).pop("files", None)  # its members are paths
        members |= set(members_of(document))
        with tempfile.TemporaryDirectory(prefix="isst-names-", dir=".") as state:
            run = machine(options.program, platform, f"{state}/state")
            for settings in ((), SETTINGS):
                for words in settings:
                    run(words)
                for words in reading_commands(description):
                    names = shown_names(run, words)
                    shown |= names
                    count += len(names)
                summary |= set(members_of(json.loads(run(["machine", "summary"]))))
                summary |= set(members_of(json.loads(run(["-c", "0", "machine", "check", "realtime"]))))
    missing = sum(report(where, {name for at, name in shown if at == where})
                  for where in (OUTPUT, CPUFREQ)) + report(PLATFORM, members)
    missing += report(MACHINE, summary)
    print(f"{count} names shown, {len(members)} members of platform files, {missing} missing")
    sys.exit(missing > 0 or count < LEAST_NAMES)


if __name__ == "__main__":
    main()
