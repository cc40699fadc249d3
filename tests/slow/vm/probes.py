#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Raw requests to the driver: the kernel's in the virtual machine, the simulated one behind the
stand-in. Both must answer the same, byte by byte, with CAP_SYS_ADMIN and without.
"""

import argparse
import difflib
import json
import pathlib
import sys

import lab

sys.path.insert(0, str(lab.HERE.parents[1] / "cli/golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

TIMEOUT_S = 120


def simulate(build, platform, faults):
    """What the probe prints on the simulated driver."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform, standin=build / "tests/cli/standin/standin.so")
        (box.state / "faults.json").write_text(json.dumps(faults), encoding="utf-8")
        run = box.run(build / "tests/slow/vm/probe", ["set"])
        return run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    options = lab.read_options(parser)
    place = lab.open_or_skip(options)
    scaled = place.scaled(options.platform)
    failed = passed = 0
    for command, faults in (("probe set", {}),
                            ("helper without-admin probe set", {"missing_capability": True})):
        status, real, stderr, console = place.run(scaled, command.encode() + b"\n", TIMEOUT_S)
        if status:
            print(f"{command}: status {status}: {stderr.decode()}{console}")
        ours = simulate(options.build, scaled[1], faults).splitlines()
        theirs = real.decode().splitlines()
        same = len(set(ours) & set(theirs))
        differing = [line for line in difflib.unified_diff(ours, theirs, "simulator", "machine",
                                                           lineterm="", n=0)]
        print("\n".join([f"== {command}", *differing]))
        failed += bool(status) + len([line for line in differing if line.startswith("+ ")
                                      or line.startswith("+") and not line.startswith("+++")])
        failed += len(ours) != len(theirs)
        passed += same
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
