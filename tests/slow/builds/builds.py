#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Builds the tree with other options than the usual ones, each without a warning, and runs the tests
that an option can change. Names of combinations may follow the directory: only these are built.
--names alone lists them.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMBINATIONS = {
    "no-daemon": ["-Ddaemon=false"],
    "no-simulator": ["-Dsimulator=false"],
    "least": ["-Ddaemon=false", "-Dsimulator=false", "-Dman=false", "-Dcompletions=false",
              "-Dsystemd=false"],
    "static": ["-Dstatic=true"],
    "static-no-daemon": ["-Dstatic=true", "-Ddaemon=false"],
    "no-extras": ["-Dcompat-name=false", "-Dman=false", "-Dcompletions=false", "-Dsystemd=false",
                  "--prefix=/usr", "--bindir=sbin"],
    "no-tests": ["-Dtests=disabled"],
    "release": ["--buildtype=release", "-Db_lto=true"],
}
# Sources are the same in all of them: the usual build looks at these, and at virtual machines.
USUAL = ["--werror", "-Dvm=disabled", "-Dlint=disabled"]
SUITES = ["unit", "scripted", "golden", "daemon", "rights", "install", "manual", "completions"]


def run(directory, options):
    """What went wrong, or None."""
    wipe = ["--wipe"] if directory.exists() else []
    steps = [["meson", "setup", *wipe, directory, ROOT, *USUAL, *options],
             ["meson", "compile", "-C", directory],
             ["meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs",
              *(word for suite in SUITES for word in ("--suite", suite))]]
    for step in steps:
        result = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        if result.returncode:
            return f"{' '.join(map(str, step))}\n{result.stdout[-6000:]}"
    return None


def main():
    if sys.argv[1:] == ["--names"]:
        print(" ".join(COMBINATIONS))
        return
    place, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(COMBINATIONS)
    failed = 0
    for name in names:
        problem = run(place / name, COMBINATIONS[name])
        failed += problem is not None
        print(f"{name}: {'FAILED: ' + problem if problem else 'built and tested'}", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
