#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The tests that docs/simulator.md gives to others: they pass with the program, and
each fails with one that only says that all is well.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import page

TIMEOUT_S = 120
# Says that it did it, and does nothing.
PRETENDER = "#!/bin/sh\necho '{}'\n"


def run(place, name, text):
    """The exit status and the output of an example."""
    path = place.work / name
    path.write_text(text, encoding="utf-8")
    command = ["sh", path] if name.endswith(".sh") else [sys.executable, path, "-v"]
    process = subprocess.run(command, cwd=place.work, env=place.environment(), timeout=TIMEOUT_S,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
    return process.returncode, process.stdout


def unit_tests(said):
    """The tests that unittest has run, with what became of each."""
    return dict(re.findall(r"^(test_\w+) .*?\b(ok|FAIL|ERROR)$", said, re.M | re.S))


def problems_of(name, text, program, pretender):
    with page.place(program) as place:
        status, said = run(place, name, text)
        if status:
            yield f"{name} fails:\n{said}"
        elif name.endswith(".py") and len(unit_tests(said)) < 2:
            yield f"{name} has no tests:\n{said}"
    with page.place(pretender) as place:
        status, said = run(place, name, text)
        if not status:
            yield f"{name} does not notice that nothing is done"
        for test, result in unit_tests(said).items():
            if result == "ok":
                yield f"{test} of {name} does not notice that nothing is done"


def make_pretender(directory):
    for name in ("isst", "intel-speed-select"):
        path = pathlib.Path(directory) / name
        path.write_text(PRETENDER, encoding="utf-8")
        path.chmod(0o755)
    return pathlib.Path(directory) / "intel-speed-select"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()
    text = options.page.read_text(encoding="utf-8")
    problems, examples = [], []
    with tempfile.TemporaryDirectory(prefix="isst-pretender-") as directory:
        pretender = make_pretender(directory)
        for language, suffix in (("sh", "sh"), ("python", "py")):
            examples += [(f"example.{suffix}", block) for block in page.blocks(text, language)]
        for name, block in examples:
            problems += problems_of(name, block, options.program, pretender)
    if len(examples) < 2:
        problems.append("an example is missing")
    for problem in problems:
        print(f"FAILED: {options.page}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
