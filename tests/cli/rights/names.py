#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Names that turn the direction of writing, in kernel files, documents and on the command line: none
of their characters gets into what the program prints or into its files.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PLATFORMS = pathlib.Path(__file__).resolve().parents[3] / "platforms"
MARK = "\u202e\u2066x\u2069\u200f\u061c\u2028"
MISLEADING = re.compile("[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
DEADLINE_S = 120
HEAD = {"format": "intel-speed-select-state", "version": 1}


def machine(platform):
    """A machine whose names have these characters."""
    made = json.loads(platform.read_text(encoding="utf-8"))
    made["cpu"]["model_name"] += MARK
    made["cpufreq"]["driver"] += MARK
    made["cpufreq"]["governors"] = [name + MARK for name in made["cpufreq"]["governors"]]
    made["cpufreq"]["governor"] += MARK
    made["cpuidle"]["driver"] += MARK
    for state in made["cpuidle"]["states"][1:]:
        state["name"] += MARK
        state["desc"] += MARK
    return made


def command_lines(box):
    """With what is written before."""
    put(box / "document.json", {**HEAD, "comment": MARK, "settings": [
        {"for": "all", "cpufreq": {"governor": "x" + MARK}}]})
    put(box / "unknown.json", {**HEAD, "settings": [], "x" + MARK: 1})
    put(box / "profile.json", {"x" + MARK: 1})
    run, record, other = box / "run.json", box / "record.json", box / "other.json"
    for words in (["--info"], ["cpufreq", "info"], ["cpuidle", "info", "--usage"],
                  ["-c", "0", "cpufreq", "explain"], ["machine", "summary"],
                  ["machine", "check", "realtime", "-c", "0"], ["state", "export"],
                  ["machine", "check", box / "profile.json"],
                  ["state", "check", box / "document.json"],
                  ["state", "check", box / "unknown.json"], ["machine", "record"],
                  ["machine", "record", "-o", record], ["metrics"],
                  ["measure", "run", "-c", "0-3", "--seconds", "1", "--save", run],
                  ["measure", "wake", "-c", "2", "--samples", "20"],
                  ["measure", "report", run, "-o", box / "page.html"],
                  ["measure", "compare", run, run], ["-o", f"/nowhere{MARK}/x", "cpufreq", "info"],
                  ["-c", "0", "cpufreq", "set", "--governor", "x" + MARK], ["x" + MARK]):
        yield words
    other.write_text(record.read_text(encoding="utf-8").replace("C1", "C9"), encoding="utf-8")
    yield ["machine", "diff", record, other]


def put(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def problems(program, platform, box):
    put(box / "platform.json", machine(platform))
    options = ["--simulate", box / "platform.json", "--simulate-state", box / "state"]
    for words in command_lines(box):
        for form in ("text", "json"):
            done = subprocess.run([program, *options, "-f", form, *words], capture_output=True,
                                  text=True, check=False, timeout=DEADLINE_S)
            if not done.stdout + done.stderr and "-o" not in words:
                yield f"{form} {words}: nothing is printed"
            for text in (done.stdout, done.stderr):
                if MISLEADING.search(text):
                    yield f"{form} {words}: {text!r}"
    for name in ("run.json", "record.json", "page.html"):
        if MISLEADING.search((box / name).read_text(encoding="utf-8")):
            yield f"{name} has them"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    program = parser.parse_args().program.absolute()
    found = []
    for name in ("guide", "gnr-6776p-2s"):
        with tempfile.TemporaryDirectory(prefix="isst-names-") as directory:
            found += problems(program, PLATFORMS / f"{name}.json", pathlib.Path(directory))
    for problem in found:
        print(f"FAILED: {problem[:1000]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
