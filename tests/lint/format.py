#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds every C file against .clang-format."""

import shutil
import subprocess
import sys

import source

# The version that the tree is formatted with comes first: others differ in details.
PROGRAMS = ("clang-format-14", "clang-format")


def main():
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if not program:
        print("SKIPPED: install clang-format")
        sys.exit(77)
    paths = source.files(["src", "include", "tests"], ".c", ".h")
    result = subprocess.run([program, "--style=file", "--dry-run", "--Werror",
                             *map(source.name, paths)],
                            cwd=source.ROOT, capture_output=True, text=True, check=False)
    firsts = {}  # the first complaint about each file
    for line in result.stderr.splitlines():
        if ": error: " in line:
            firsts.setdefault(line.partition(":")[0], line)
    problems = list(firsts.values())
    if result.returncode and not problems:
        problems = [result.stderr.strip() or f"clang-format ends with {result.returncode}"]
    source.finish(f"format of {len(paths)} files", problems)


if __name__ == "__main__":
    main()
