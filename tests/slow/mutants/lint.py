#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every seeded fault still fits the tree: its old text is in its file once."""

import sys

import mutants


def main():
    listed = mutants.load()
    found = mutants.problems(listed)
    for problem in found:
        print(problem)
    print(f"{len(listed)} faults, {len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
