#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Properties of `state apply` and `state check` with random documents (documents.py), each applied to
the machine as the one before left it: apply makes as many writes as its dry run shows, and the
same ones to the device; then check finds no difference, and a second apply writes nothing. Of some
documents: what they do not name stays, and what they name does not depend on what was before; and
the state that is exported then is the machine's.
"""

import argparse
import json
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import documents  # noqa: E402 pylint: disable=wrong-import-position
import journal  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
import snapshot  # noqa: E402 pylint: disable=wrong-import-position

FULL_EVERY = 10
DEVICE = re.compile(r"cpu-(\d+) (mmio|msr) (0x[0-9a-f]+)")
TRACE = re.compile(r"(mmio|msr) write: logical_cpu:(\d+) (?:reg|msr):(0x[0-9a-f]+)")


class Failure(Exception):
    """A property that does not hold."""


class Lab:
    """A simulated machine and the documents that were applied to it."""

    def __init__(self, program, site, directory, name, path=None):
        self.program, self.site = program, site
        directory = pathlib.Path(directory) / name
        directory.mkdir()
        self.box = machine.Machine(directory, path or site.path)
        self.file = directory / "document.json"
        self.seen = 0

    def put(self, document):
        self.file.write_text(json.dumps(document), encoding="utf-8")

    def run(self, *argv, status=0):
        run = self.box.run(self.program, argv)
        if run.status != status:
            raise Failure(f"{argv}: status {run.status}: {run.stderr}{run.stdout}")
        return run

    def writes(self):
        """How many files and registers were written since forget_writes()."""
        made = journal.transactions(self.box.state / "run/journal")[self.seen:]
        return sum(len(journal.writes(one, self.is_active())) for one in made)

    def is_active(self):
        """Is intel_pstate in active mode?"""
        shown = snapshot.read(self, "cpufreq", "info")["machine"]["cpufreq"]
        return shown.get("intel_pstate-status") == "active"

    def forget_writes(self):
        self.seen = len(journal.transactions(self.box.state / "run/journal"))


def device_writes_of_plan(plan):
    """Registers that a dry run would write."""
    matches = [DEVICE.match(write["where"]) for write in plan.values()]
    return sorted({(m[2], int(m[1]), int(m[3], 16)) for m in matches if m})


def device_writes_of_trace(text):
    return sorted({(m[1], int(m[2]), int(m[3], 16)) for m in TRACE.finditer(text)})


def apply(lab, is_full):
    """Applies the document of the lab. Raises Failure if a property does not hold."""
    plan = lab.run("--format", "json", "-o", str(lab.box.out), "--dry-run", "state", "apply",
                   str(lab.file))
    plan = json.loads(plan.out or plan.stdout or "{}")
    planned = {name: write for name, write in plan.items() if name.startswith("write-")}
    # what CPUs that come online have, or a new mode of intel_pstate sets, is known only then
    is_most = any(write["what"] == "online" and write["new"] == "1" or
                  write["where"].endswith("intel_pstate/status") for write in planned.values())
    lab.forget_writes()
    run = lab.run(*(["-d"] if is_full else []), "state", "apply", str(lab.file))
    made = lab.writes()
    places = {(write["where"], write["what"]) for write in planned.values()
              if not write["what"].startswith("association of core")}
    if made > len(places) or (made < len(places) and not is_most):
        raise Failure(f"the dry run shows writes of {len(places)}, apply makes {made}")
    if is_full and not is_most:
        shown, traced = device_writes_of_plan(planned), device_writes_of_trace(run.stdout +
                                                                               run.stderr)
        if shown != traced:
            raise Failure(f"the dry run writes {shown}, apply {traced}")
    lab.run("state", "check", str(lab.file))
    lab.forget_writes()
    again = json.loads(lab.run("--format", "json", "state", "apply", str(lab.file)).stdout)
    if again["changed"] or again["changes"] or lab.writes():
        raise Failure(f"a second apply makes {lab.writes()} writes: {again}")


def check_export(lab):
    """The exported state equals the machine, and exporting it again gives the same text."""
    first = lab.run("state", "export").stdout
    lab.file.write_text(first, encoding="utf-8")
    lab.forget_writes()
    lab.run("state", "apply", str(lab.file))
    if lab.writes():
        raise Failure(f"applying the exported state makes {lab.writes()} writes")
    if lab.run("state", "export").stdout != first:
        raise Failure("the exported state is another one after it was applied")


def compare(site, document, before, after, other):
    """The document was applied to before, which made after, and to another state."""
    reading = snapshot.Reading(site, document)
    is_lowered = "1" in (before["machine", "turbo"], after["machine", "turbo"])
    for key in sorted(after):
        if reading.is_named(key) and key in other and other[key] != after[key]:
            raise Failure(f"{key} is named, and is {after[key]} here, {other[key]} there")
        if not reading.may_change(key, is_lowered) and before.get(key, after[key]) != after[key]:
            raise Failure(f"{key} is not named, and was {before[key]}, is {after[key]}")


def fixed_documents(site):
    """What random documents seldom have: a name, and settings to apply one after the other."""
    # the governor performance resets the EPP in active mode; in passive mode that is a write of its own
    for mode, governor in (("active", "powersave"), ("passive", "schedutil")):
        yield f"{mode} mode", {"cpufreq": {"pstate": mode, "governor": governor,
                                           "epp": "balance_performance"}}
        yield f"{mode} mode, performance", {"cpufreq": {"governor": "performance",
                                                        "epp": "performance"}}
    # SST-TF is off at a level without it, and does not move the highest frequency
    lacking = {"turbo-freq": {"enabled": False}, "cpufreq": {"max-mhz": "max"}}
    for number in site.allowed_levels():
        if not site.levels[number]["turbo_freq"]:
            yield f"level {number}", {"perf-profile": {"level": number}, **lacking}
    if site.levels and not any(level["turbo_freq"] for level in site.levels.values()):
        yield "no level", lacking


def check_fixed(arguments, site, directory):
    """Returns how many fixed documents failed."""
    lab, failed = Lab(arguments.program, site, directory, "fixed"), 0
    for name, settings in fixed_documents(site):
        lab.put({**documents.FORMAT, "settings": [{"for": "all", **settings}]})
        try:
            apply(lab, False)
        except Failure as failure:
            failed += 1
            print(f"FAILED: {name}: {failure}", flush=True)
    return failed


def check_offline(arguments, site, directory, generator):
    """The state of a machine that starts without some of its CPUs, whose places no map has, equals
    the machine, too. Returns how many times it does not."""
    platform = json.loads(site.path.read_text(encoding="utf-8"))
    cpus = sorted(generator.sample(range(1, len(site.cpus)), min(6, len(site.cpus) - 1)))
    platform["topology"]["offline"] = ",".join(map(str, cpus))
    path = pathlib.Path(directory) / "offline.json"
    path.write_text(json.dumps(platform), encoding="utf-8")
    try:
        check_export(Lab(arguments.program, site, directory, "offline", path))
    except Failure as failure:
        print(f"FAILED: CPUs {cpus} offline at the start: {failure}", flush=True)
        return 1
    return 0


def try_documents(arguments, site, directory):
    """Tries as many documents as wanted. Returns how many failed."""
    generator = random.Random(f"{site.platform['name']} {arguments.seed}")
    lab = Lab(arguments.program, site, directory, "one")
    failed = 0
    for number in range(arguments.count):
        other = documents.Writer(site, generator).write()
        document = documents.Writer(site, generator).write()
        is_full = number % FULL_EVERY == FULL_EVERY - 1
        try:
            before = snapshot.take(lab) if is_full else {}
            lab.put(document)
            apply(lab, is_full)
            if is_full:
                after = snapshot.take(lab)
                check_export(lab)
                second = Lab(arguments.program, site, directory, f"other{number}")
                for step in (other, document):
                    second.put(step)
                    second.run("state", "apply", str(second.file))
                compare(site, document, before, after, snapshot.take(second))
        except Failure as failure:
            failed += 1
            print(f"FAILED: document {number}: {failure}\n{json.dumps(document)}", flush=True)
            if failed >= arguments.most_failures:
                break
            lab.run("--simulate-reset")
    return (failed + check_fixed(arguments, site, directory) +
            check_offline(arguments, site, directory, generator))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-failures", type=int, default=5)
    arguments = parser.parse_args()
    site = documents.Site(arguments.platform)
    start = time.monotonic()
    with machine.temporary_directory() as directory:
        failed = try_documents(arguments, site, directory)
    seconds = time.monotonic() - start
    print(f"{site.platform['name']}: {arguments.count} documents, {failed} failed; "
          f"{1000 * seconds / arguments.count:.0f} ms each")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
