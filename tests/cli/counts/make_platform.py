#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Makes the platform file of a large machine: 8 packages of 60 cores and 120 threads, 960 CPUs, or as
many packages and cores as given; else as the platform that it is made from.

make_platform.py FROM TO [PACKAGES CORES]
"""

import json
import pathlib
import sys

PACKAGES, CORES = 8, 60


def enlarge(platform, packages, n_cores):
    cores = f"0-{n_cores - 1}"
    platform["name"] = "large"
    platform["description"] = f"{packages} packages of {n_cores} cores"
    platform["source"] = f"made up: {platform['source']}"
    platform["topology"]["packages"] = [
        {"domains": [{"die": 0, "punit": 0, "cores": cores}]} for _ in range(packages)]
    platform["io_sst"] = None  # there is no domain without CPUs
    platform["powercap"] = platform.get("powercap") or {"long_term_w": 300, "short_term_w": 360}
    for level in platform["sst"]["levels"]:
        level["cores"] = cores
        if level["base_freq"] and not isinstance(level["base_freq"]["cores"], str):
            level["base_freq"]["cores"] = level["base_freq"]["cores"][0]
        if isinstance(level["turbo"]["cores"][0], list):
            level["turbo"]["cores"] = level["turbo"]["cores"][0]
    return platform


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    packages, cores = map(int, sys.argv[3:]) if sys.argv[3:] else (PACKAGES, CORES)
    platform = enlarge(json.loads(source.read_text(encoding="utf-8")), packages, cores)
    target.write_text(json.dumps(platform, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
