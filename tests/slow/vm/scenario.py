#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs one script of scripts/ in the machine of the platform that its header names. If the machine itself
fails (its kernel under emulation can stop while CPUs come and go), it is run once more.
"""

import argparse
import pathlib
import re
import sys

import lab
import packages
import qemu

TRIES = 2


def run(place, platform, script, timeout_s):
    for attempt in range(1, TRIES + 1):
        try:
            return place.run(place.scaled(platform), script, timeout_s)
        except qemu.Failed as error:
            if attempt == TRIES:
                raise
            print(f"Try {attempt}: {error}", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timeout", type=float, default=1000, metavar="SECONDS")
    parser.add_argument("script", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable of the script")
    parser.add_argument("--platform", metavar="NAME", help="instead of the one of the header")
    options = lab.read_options(parser)
    settings = "".join(f"{line}\n" for line in options.set).encode()
    script = settings + options.script.read_bytes()
    platform = lab.find_platform(options.platform or re.search(
        rb"^# platform: (\S+)$", script, re.M).group(1).decode())
    place = lab.open_or_skip(options)
    try:
        status, stdout, stderr, console = run(place, platform, script, options.timeout)
    except packages.Missing as error:  # of what the script has beside the machine
        lab.skip(error)
    sys.stdout.write(stdout.decode() + stderr.decode())
    if status:
        print(f"{options.script.name}: status {status}; the console: {console}")
    return status


if __name__ == "__main__":
    sys.exit(main())
