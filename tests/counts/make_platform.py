#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Makes the platform file of a large machine: 8 packages of 60 cores and 120 threads, 960 CPUs, else
as the Sapphire Rapids platform that it is made from.

make_platform.py FROM TO
"""

import json
import pathlib
import sys

PACKAGES = 8
CORES = "0-59"


def enlarge(platform):
    platform["name"] = "large"
    platform["description"] = "8 packages of 60 cores"
    platform["source"] = f"made up: {platform['source']}"
    platform["topology"]["packages"] = [
        {"domains": [{"die": 0, "punit": 0, "cores": CORES}]} for _ in range(PACKAGES)]
    for level in platform["sst"]["levels"]:
        level["cores"] = CORES
        if level["base_freq"] and not isinstance(level["base_freq"]["cores"], str):
            level["base_freq"]["cores"] = level["base_freq"]["cores"][0]
    return platform


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    platform = enlarge(json.loads(source.read_text(encoding="utf-8")))
    target.write_text(json.dumps(platform, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
