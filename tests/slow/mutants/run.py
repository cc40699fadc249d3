#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Seeds each fault of mutants.json into a copy of the tree, builds it and runs the tests until one
fails: those that are named for it first, then whole suites, the quickest first. Each must be caught,
but for a fault that is said to be equivalent; one that does not build is a mistake.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import mutants

SUITES = ("unit", "scripted", "golden", "daemon")
FAILED_TEST = re.compile(r" / (\S+) +(?:FAIL|TIMEOUT) ")
SCRATCH = "isst-mutants-"
NEVER_COPIED = {".git", "__pycache__", "vm-cache"}


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def left_out(directory, names):
    """What a copy of the tree does without; builds are at its top, and tests/slow/builds is none."""
    at_top = pathlib.Path(directory) == mutants.ROOT
    return [name for name in names
            if name in NEVER_COPIED or name.startswith(SCRATCH)  # else a copy has itself in it
            or (at_top and name != "build-dev.ini" and name[:5] == "build")]


def prepare(scratch):
    """A copy of the tree and its build, which passes what the faults are tried with."""
    tree, build = scratch / "tree", scratch / "build"
    shutil.copytree(mutants.ROOT, tree, ignore=left_out)
    done = run("meson", "setup", build, tree, "-Dvm=disabled", "-Doptimization=0", "-Dfuzz=false")
    if done.returncode == 0:
        done = run("ninja", "-C", build)
    if done.returncode:
        sys.exit(f"the tree cannot be built:\n{done.stdout[-4000:]}")
    return tree, build


def test(build, *which):
    """Do these tests, built where necessary, pass? A build that fails is no test that fails."""
    done = run("meson", "test", "-C", build, "--maxfail", "1", *which)
    return done.returncode == 0, done.stdout


def builds(build):
    done = run("ninja", "-C", build, "src/intel-speed-select")
    if done.returncode:
        print(done.stdout[-2000:])
    return done.returncode == 0


def try_tests(build, first):
    """What catches the fault: the name of a test, or None."""
    rounds = [[name] for name in first] + [["--suite", suite] for suite in SUITES]
    for which in rounds:
        passed, output = test(build, *which)
        if not passed and not FAILED_TEST.search(output):
            sys.exit(f"{' '.join(which)} could not be run:\n{output[-2000:]}")
        if not passed:
            return FAILED_TEST.search(output)[1]
    return None


def try_fault(tree, build, mutant):
    """As try_tests, or "" for a fault that does not build."""
    path = tree / mutant["file"]
    sound = path.read_text(encoding="utf-8")
    path.write_text(sound.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    try:
        return try_tests(build, mutant.get("first", [])) if builds(build) else ""
    finally:
        path.write_text(sound, encoding="utf-8")


def report(number, mutant, caught):
    state = f"caught by {caught}" if caught else "does not build" if caught == "" else "NOT CAUGHT"
    if not caught and mutant.get("equivalent"):
        state = f"not caught: {mutant['equivalent']}"
    print(f"{number:3} {mutant['file']}: {mutant['what']}: {state}", flush=True)


def try_next(waiting, directory):
    """
    Tries faults in a copy of the tree, each time the next of those that wait. Returns how many of
    those that count were caught, and how many count.
    """
    caught = counted = 0
    with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=directory) as scratch:
        tree, build = prepare(pathlib.Path(scratch).resolve())
        for number, mutant in waiting:
            by = try_fault(tree, build, mutant)
            report(number, mutant, by)
            caught += bool(by)
            counted += bool(by) or not mutant.get("equivalent")
    return caught, counted


def try_all(chosen, directory):
    """The same of all: the tests of a fault are few, so that each core tries faults of its own."""
    waiting = iter(chosen)
    n_copies = min(os.cpu_count() or 1, len(chosen))
    with concurrent.futures.ThreadPoolExecutor(n_copies) as pool:
        results = list(pool.map(lambda _: try_next(waiting, directory), range(n_copies)))
    return sum(result[0] for result in results), sum(result[1] for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="of faults, counted from 1; else all")
    parser.add_argument("--directory", default=".", help="in which the copy of the tree is made")
    options = parser.parse_args()
    numbers = options.numbers
    listed = mutants.load()
    for problem in mutants.problems(listed):
        sys.exit(problem)
    chosen = [(number, mutant) for number, mutant in enumerate(listed, 1)
              if not numbers or number in numbers]
    caught, counted = try_all(chosen, options.directory)
    print(f"{caught} of {len(chosen)} faults caught; {counted} count")
    sys.exit(0 if caught == counted else 1)


if __name__ == "__main__":
    main()
