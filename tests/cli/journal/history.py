#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Random transactions, and the way back to each of them: `state restore --to ID` gives the state that
was exported after that transaction, whatever came later (journal.md, "Restore and history").
"""

import argparse
import json
import pathlib
import random
import sys
import time

from lab import Failure, Lab, expect, machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "state"))

import documents  # noqa: E402 pylint: disable=wrong-import-position


def last_id(lab):
    lines = lab.lines()
    return lines[-1]["id"] if len(lines) > 1 else 0


def commands(site, generator, path):
    """A setting command; most are state documents, which set everything."""
    core = generator.choice(generator.choice(site.busy).cores)
    some = ["-c", str(generator.choice(core))]
    choice = generator.random()
    if choice < 0.1:
        return [*some, "core-power", "assoc", "--clos", str(generator.randrange(4))]
    if choice < 0.2:
        return [*some, "cpufreq", "set", "--governor",
                generator.choice(["performance", "powersave"])]
    if choice < 0.3:
        return generator.choice([["core-power", "disable"], ["core-power", "enable", "-p", "1"],
                                 ["base-freq", "enable", "-a"], [*some, "turbo-freq", "enable", "-a"],
                                 ["base-freq", "disable", "-a"]])
    if choice < 0.35:
        return ["state", "restore", "--to", "previous"]
    path.write_text(json.dumps(documents.Writer(site, generator).write()), encoding="utf-8")
    return ["state", "apply", str(path)]


def export(lab):
    lab.run("state", "export")
    return lab.box.out.read_text("utf-8").splitlines()


def make_history(lab, site, generator, count):
    """Returns the exported state by id; 0 is the boot."""
    states = {0: export(lab)}
    path = lab.box.directory / "document.json"
    attempts = 0
    while len(states) <= count:
        attempts += 1
        expect(attempts < 10 * count, "hardly any command changes anything")
        argv = commands(site, generator, path)
        run = lab.run(*argv, status=None)
        expect(run.status in (0, 1, 2, 3), f"{argv}: {run.status}: {run.stderr}")
        if last_id(lab) not in states:
            states[last_id(lab)] = export(lab)
    return states


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("machine")
    arguments = parser.parse_args()
    platform = arguments.platforms / f"{arguments.machine}.json"
    generator = random.Random(f"{arguments.machine} {arguments.seed}")
    start, failed = time.monotonic(), 0
    with machine.temporary_directory() as directory:
        lab = Lab(arguments, directory, platform)
        lab.run("state", "export")
        states = make_history(lab, documents.Site(platform), generator, arguments.count)
        for number, wanted in states.items():
            try:
                with lab.copy("back") as back:
                    back.run("state", "restore", "--to", str(number or "boot"))
                    now = export(back)
                expect(now == wanted, "; ".join(
                    [f"lacks {line}" for line in wanted if line not in now][:3] +
                    [f"has {line}" for line in now if line not in wanted][:3]))
            except Failure as failure:
                failed += 1
                print(f"FAILED: to {number}: {failure}", flush=True)
    print(f"{arguments.machine}: {len(states)} states, {failed} not restored, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
