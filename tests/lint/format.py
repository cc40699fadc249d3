#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds every C file against .clang-format. A missing clang-format is a failure."""

import shutil
import subprocess

import source

# The version that the tree is formatted with comes first: others differ in details.
PROGRAMS = ("clang-format-14", "clang-format")


def main():
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if not program:
        source.finish("format", ["clang-format is not installed"])
    problems = []
    paths = source.files(["src", "include", "tests"], ".c", ".h")
    for path in paths:
        result = subprocess.run([program, "--style=file", "--dry-run", "--Werror",
                                 source.name(path)],
                                cwd=source.ROOT, capture_output=True, text=True, check=False)
        if result.returncode:
            problems.append(result.stderr.splitlines()[0] if result.stderr else source.name(path))
    source.finish(f"format of {len(paths)} files", problems)


if __name__ == "__main__":
    main()
