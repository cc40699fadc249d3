#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs one script of scripts/ in the machine of the platform that its header names."""

import argparse
import pathlib
import re
import sys

import lab


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    parser.add_argument("script", type=pathlib.Path)
    options = lab.read_options(parser)
    script = options.script.read_bytes()
    platform = lab.find_platform(re.search(rb"^# platform: (\S+)$", script, re.M).group(1).decode())
    place = lab.open_or_skip(options)
    status, stdout, stderr, console = place.run(place.scaled(platform), script, options.timeout)
    sys.stdout.write(stdout.decode() + stderr.decode())
    if status:
        print(f"{options.script.name}: status {status}; the console: {console}")
    return status


if __name__ == "__main__":
    sys.exit(main())
