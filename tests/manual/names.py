#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
intel-speed-select-output(7) promises that names stay: every name that a reading command shows on
the simulated machines must be on that page.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import page

OUTPUT = page.PAGES / "intel-speed-select-output.7"
# What the page has as NAME or N, or speaks of as words of the machine.
PATTERNS = ((re.compile(r"turbo-ratio-limits-.+"), "turbo-ratio-limits-NAME"),
            (re.compile(r"(perf-profile-level|bucket|state|cluster)-\d+"), r"\1-N"),
            (re.compile(r"(?:high|low)-priority-max-level-\d+-frequency\(MHz\)"),
             "high-priority-max-level-0-frequency(MHz)"),
            (re.compile(r"(Error\d+|Information:\d+)"), "message"))
LIMIT_NODES = ("upper-limits", "lower-limits", "guaranteed")


def reading_commands(description):
    """The command lines that read, each with what it must have."""
    for feature in description["features"]:
        for command in feature["commands"]:
            if command["writes"]:
                continue
            words = ["-c", "0"] if command["needs-cpus"] else []
            words += [feature["name"], command["name"]]
            for option in command["options"]:
                if option.get("required"):
                    words += [f"--{option['name']}", "0"]
            yield words
    yield ["--info"]


def names_of(node):
    """Names of nodes and values; what limits are called stands on the page of cpufreq."""
    for name, value in node.items():
        yield name
        if isinstance(value, dict) and name not in LIMIT_NODES:
            yield from names_of(value)


def shown_names(program, platform, state, words):
    done = subprocess.run([program, "--simulate", platform, "--simulate-state", state, "-f", "json",
                           "-o", "-", *words], capture_output=True, text=True, check=False)
    lines = done.stdout.partition("{")
    document = json.loads("".join(lines[1:]))
    if words == ["--info"]:
        return set(names_of(document))
    return {name for node in document.values() for name in names_of(node)}


def generic(name):
    for pattern, words in PATTERNS:
        if pattern.fullmatch(name):
            return pattern.sub(words, name)
    return name


def documented_names(source):
    """All words of the page."""
    return set(re.findall(r"[^\s,{}]+", page.unescape(source)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    options = parser.parse_args()
    description = json.loads(subprocess.run([options.program, "--describe"], check=True,
                                            capture_output=True, text=True).stdout)
    known, missing, count = documented_names(OUTPUT.read_text(encoding="utf-8")), set(), 0
    for platform in sorted(options.platforms.glob("*.json")):
        with tempfile.TemporaryDirectory(prefix="isst-names-", dir=".") as state:
            for words in reading_commands(description):
                names = shown_names(options.program, platform, f"{state}/state", words)
                missing |= {generic(name) for name in names} - known
                count += len(names)
    for name in sorted(missing):
        print(f"{OUTPUT.name} does not name {name}")
    print(f"{count} names, {len(missing)} missing")
    sys.exit(bool(missing) or count < 1000)


if __name__ == "__main__":
    main()
