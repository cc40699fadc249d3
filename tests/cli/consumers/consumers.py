#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Replays what published programs run (replays.py), line by line on simulated machines, and looks for
what they look for. A program named intel-speed-select in PATH is ours on the machine; nothing else
stands between.
"""

import argparse
import ast
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import replays

TOOL = "intel-speed-select"
TIMEOUT_S = 120
# What the scripts define before: lkvs runs lines by do_cmd, and root needs no sudo.
BEFORE = 'do_cmd() { eval "$*" || exit 1; }\nsudo() { "$@"; }\n'


class Machine:
    """A simulated machine, its tool in PATH under the kernel tree's name."""

    def __init__(self, program, platform, directory):
        self.directory = directory
        self.platform = platform.stem
        tool = directory / "bin" / TOOL
        tool.parent.mkdir()
        tool.write_text(f"#!/bin/bash\nexec -a {TOOL} {shlex.quote(str(program))} --simulate "
                        f"{shlex.quote(str(platform))} --simulate-state "
                        f"{shlex.quote(str(directory / 'state'))} \"$@\"\n", encoding="utf-8")
        tool.chmod(0o755)

    def run(self, argv, variables):
        env = {**os.environ, **variables, "PATH": f"{self.directory}/bin:{os.environ['PATH']}"}
        return subprocess.run(argv, cwd=self.directory, env=env, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)


def fill(text, values):
    """Replaces what the published program replaces: longer texts first."""
    for name in sorted(values, key=len, reverse=True):
        if not name[0].isalpha():
            text = text.replace(name, values[name])
    return text


def list_words(line, values):
    """The words of a Python list in which other texts than names are replaced, too."""
    for name in sorted(values, key=len, reverse=True):
        line = line.replace(name, values[name])
    return ast.literal_eval(line if line.startswith("[") else f"[{line}]")


def command(step, values):
    if step.how == "list":
        return list_words(step.line, values)
    line = fill(step.line, values)
    return shlex.split(line) if step.how == "words" else ["bash", "-c", BEFORE + line]


def pattern_of(text, values):
    for name, value in values.items():
        text = text.replace(f"<{name}>", re.escape(value))
    return text


def members(document):
    for name, value in document.items():
        yield name, value
        if isinstance(value, dict):
            yield from members(value)


PLACE = re.compile(r"package-\d+:die-\d+(?::powerdomain-\d+)?:cpu-(?:\d+|None)$")


def document_problems(text, names):
    """What a reader that wants text values and these members would miss."""
    try:
        document = json.loads(text)
    except ValueError as error:
        yield f"stderr is no JSON document: {error}"
        return
    found = dict(members(document))
    yield from (f"no member {name}" for name in names if name not in found)
    yield from (f"{name} is no text" for name, value in found.items()
                if not isinstance(value, (dict, str)))
    yield from (f"{name} is no place" for name in document if not PLACE.match(name))


def problems(step, done, values):
    if step.status == "fails" and done.returncode == 0:
        yield "it succeeds though firmware refuses"
    if isinstance(step.status, int) and done.returncode != step.status:
        yield f"status {done.returncode}, {step.status} is needed"
    for stream, text, patterns in (("stdout", done.stdout, step.out),
                                   ("stderr", done.stderr, step.err)):
        for pattern in patterns:
            if not re.search(pattern_of(pattern, values), text, re.M):
                yield f"{stream} has no {pattern_of(pattern, values)}"
    if step.never and re.search(step.never, done.stdout + done.stderr):
        yield f"it says {step.never}"
    if step.document:
        yield from document_problems(done.stderr, step.document)


def play(box, replay, values):
    """Carries out the steps; returns what is wrong with the first that fails."""
    variables = {name: value for name, value in values.items() if name[0].isalpha()
                 and name.isidentifier()}
    for step in replay.steps:
        if step.status == "fails":
            (box.directory / "state" / "faults.json").write_text(replay.faults, encoding="utf-8")
        argv = command(step, values)
        done = box.run(argv, variables)
        wrong = list(problems(step, done, values))
        if wrong:
            return "\n".join([f"{replay.source} on {box.platform}, {values}", step.line, *wrong,
                              "stdout:", done.stdout[-3000:], "stderr:", done.stderr[-3000:]])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    parser.add_argument("consumer", choices=sorted(replays.REPLAYS))
    options = parser.parse_args()
    for replay in replays.REPLAYS[options.consumer]:
        for platform in replay.platforms:
            print(f"{options.consumer} on {platform}", flush=True)
            for values in replay.values:
                with tempfile.TemporaryDirectory(prefix="isst-consumer-") as directory:
                    box = Machine(options.program.absolute(),
                                  options.platforms.resolve() / f"{platform}.json",
                                  pathlib.Path(directory))
                    wrong = play(box, replay, values)
                    if wrong:
                        sys.exit(wrong)


if __name__ == "__main__":
    main()
