#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The state documents of docs/examples/state and docs/examples/guides: each is applied, checked and
taken back in each way on a fitting simulated machine, and docs/keep-a-state.md names it. The manual
page shows exactly the first ones.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/cli/golden"), str(ROOT / "tests/docs/manual")]

import cases  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
import page as manual  # noqa: E402 pylint: disable=wrong-import-position

EXAMPLES = ROOT / "docs/examples"
# A processor that no Speed Select driver binds to (hardware.md, section 1).
WITHOUT_SST = {"cpu/model": 158,
               "interface": {"kind": "none", "api_version": 0, "driver_version": 0,
                             "max_cmds_per_ioctl": 0, "mbox": 0, "mmio": 0},
               "sst": None, "msr": None}
# The machine of each, and what of it is changed.
MACHINES = {"dpdk-host": ("spr-6438n-2s", {}), "gpu-host": ("gnr-6776p-2s", {}),
            "real-time-node": ("icx-8360y-2s", {}), "batch-node": ("emr-8592-2s", {}),
            "plain-machine": ("guide", WITHOUT_SST),
            "gpu-priority-cores": ("gnr-6776p-pct-2s", {"powercap": {"long_term_w": 400,
                                                                      "short_term_w": 450}}),
            "vran-node": ("icx-8360y-2s", {"powercap": {"long_term_w": 265, "short_term_w": 300}}),
            "hana-host": ("spr-8460h-4s", {"powercap/long_term_w": 300}),
            "hpc-power-cap": ("emr-8592-2s", {"powercap": {"long_term_w": 350,
                                                           "short_term_w": 420}}),
            "trading-host": ("guide", {"powercap": {"long_term_w": 205, "short_term_w": 246,
                                                    "max_w": 300}})}
# What is run in order, its status, and whether it changes something.
STEPS = ((["check", "FILE"], 6, None), (["apply", "FILE"], 0, True), (["check", "FILE"], 0, None),
         (["apply", "FILE"], 0, False), (["restore"], 0, True), (["restore"], 0, False),
         (["restore", "--to", "previous"], 0, True), (["check", "FILE"], 0, None),
         (["restore", "--to", "0"], 0, True), (["apply", "FILE", "--exact"], 0, True),
         (["restore", "--to", "clean"], 0, True), (["restore", "--to", "clean"], 0, False))


def run_problems(options, path, directory):
    name, changes = MACHINES[path.stem]
    platform = cases.change(options.platforms / f"{name}.json", changes,
                            pathlib.Path(directory) / "platform.json")
    box = machine.Machine(directory, platform)
    for words, status, changed in STEPS:
        argv = ["state", *(str(path) if word == "FILE" else word for word in words)]
        run = box.run(options.program, ["--json", "-o", str(box.out), *argv])
        if run.status != status:
            yield f"state {words[0]} ends with {run.status}: {run.stderr or run.out}"
            return
        if changed is not None and json.loads(run.out)["changed"] != changed:
            yield f"state {words[0]}: changed is {not changed}"


def page_problems(path):
    text = path.read_text(encoding="utf-8")
    shown = {display.file: "\n".join(display.lines) + "\n" for display in
             manual.displays((ROOT / "man/intel-speed-select-state.5").read_text(encoding="utf-8"))}
    if path.parent.name == "state" and shown.get(path.name) != text:
        yield "intel-speed-select-state(5) shows it differently"
    if f"(examples/{path.parent.name}/{path.name})" not in (ROOT / "docs/keep-a-state.md").read_text("utf-8"):
        yield "docs/keep-a-state.md does not name it"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    options = parser.parse_args()
    found = []
    paths = sorted(path for room in ("state", "guides") for path in (EXAMPLES / room).glob("*.json"))
    if {path.stem for path in paths} != set(MACHINES):
        found.append(f"{EXAMPLES} and the machines of this test differ")
    for path in paths:
        with machine.temporary_directory() as directory:
            found += [f"{path.name}: {problem}" for problem in
                      (*run_problems(options, path, directory), *page_problems(path))]
    print("\n".join(found) or f"{len(paths)} documents")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
