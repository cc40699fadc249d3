#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The calculation of firmware.py beside figures that were calculated by hand: those of the guide's
machine in docs/spec/measure.md ("The simulator moves"), and both readings of the turbo-ratio limits
of machines with several power domains ("One predictor").

    vectors.py PLATFORMS
"""

import json
import pathlib
import sys

from described import Machine, numbers
from firmware import DOMAIN, ISAS, PACKAGE, initial, predict, run


def machine_of(platforms, name):
    return Machine(json.loads((platforms / f"{name}.json").read_text(encoding="utf-8")))


def arrange(machine, level=0, fast="", tf=False, bf=False, turbo=True, ordered=True):
    """A setting: SST-CP if there are fast CPUs, which are in CLOS 0; the others are in CLOS 3."""
    setting, places = initial(machine), {domain.place for domain in machine.domains}
    setting.level, setting.turbo = dict.fromkeys(places, level), turbo
    setting.base_freq, setting.turbo_freq = places if bf else set(), places if tf else set()
    if fast:
        setting.core_power = set(machine.packages)
        setting.ordered = set(machine.packages) if ordered else set()
        setting.assoc = {core: 0 if set(core.cpus) & numbers(fast) else 3 for core in machine.cores}
    return setting


GUIDE = [  # load, setting, CLOS 3, MHz of CPUs, mW of package 0
    ("scalar:0-13", {"turbo": False}, {}, {"0-13": 2600}, 140425),
    ("scalar:0-9", {"level": 4, "turbo": False}, {}, {"0-9": 2800}, 143560),
    ("pipe:3-4", {"turbo": False}, {}, {"3-4": 2600}, None),
    ("pipe:5-6", {"turbo": False, "bf": True}, {}, {"5-6": 3000}, None),
    ("tdp:0-13", {"turbo": False, "bf": True}, {}, {"5-6,8,13": 3000, "0-4,7,9-12": 2400}, 205102),
    ("scalar:0-13", {}, {}, {"0-13": 3100}, 195276),
    ("scalar:0-13", {"tf": True, "fast": "12-13"}, {}, {"12-13": 3200, "0-11": 2600}, 150170),
    ("avx512:0-13", {}, {}, {"0": 2000, "1-13": 1900}, 206564),
    ("avx512:0-13", {"fast": "0-3"}, {}, {"0-3": 2700, "4-6": 1300, "7-13": 1200}, 206941),
    ("avx512:0-13", {"fast": "0-3"}, {"min_mhz": 1500}, {"0-3": 2500, "4-13": 1500}, 205195),
    ("avx512:0-13", {"fast": "0-3", "ordered": False}, {"weight": 8}, {"0-3": 2400, "4-13": 1600},
     205204),
]

READINGS = [  # machine, active CPUs, setting, instruction set, CPU, lower and higher reading
    # each of three dies: 14 of a first bucket of 21 or 22; together 42 of 64
    ("gnr-6980p-2s", "0-13,43-56,86-99", {}, "sse", 0, (3900, 3900)),
    # all in one die: 43 of 43, in the package 43 of 64
    ("gnr-6980p-2s", "0-42", {}, "sse", 0, (3200, 3900)),
    # 32 of 32 in one domain; 32 of 32 in the first bucket of both
    ("gnr-6776p-2s", "0-31", {}, "sse", 0, (3200, 3900)),
    ("gnr-6776p-2s", "0-31", {}, "avx512-heavy", 0, (2600, 3600)),
    # 20 and 20: the second bucket of both readings
    ("gnr-6776p-2s", "0-19,32-51", {}, "amx", 32, (2700, 2700)),
    # two modules busy with one core each in the first die, 24 in the second, none in the third
    ("cwf-6990e-2s", "0,4,96-191", {}, "sse", 0, (3000, 3200)),
    ("cwf-6990e-2s", "0,4,96-191", {}, "sse", 96, (2800, 3000)),
    # SST-TF counts 8 of the package in both readings, and raises the highest frequency
    ("gnr-6776p-2s", "0-55", {"level": 1, "tf": True, "fast": "0-3,32-35"}, "sse", 0, (4600, 4600)),
    ("gnr-6776p-2s", "0-55", {"level": 1, "tf": True, "fast": "0-3,32-35"}, "sse", 5, (2100, 2100)),
    # beyond the largest bucket of 32: the table, with 28 of 28 active, or 24 and 28
    ("gnr-6776p-2s", "0-27,32-55", {"level": 1, "tf": True, "fast": "0-55"}, "sse", 0,
     (3300, 3400)),
]


def check_guide(machine):
    for loads, setting, clos, mhz, milliwatts in GUIDE:
        kind, _, cpus = loads.partition(":")
        what = arrange(machine, **setting)
        for name, value in clos.items():
            setattr(what.clos[0][3], name, value)
        found, power = run(machine, what, dict.fromkeys(numbers(cpus), kind), PACKAGE)
        for cpus, frequency in mhz.items():
            yield f"guide {loads} {setting}: CPUs {cpus}", {found[cpu] for cpu in numbers(cpus)}, \
                {frequency}
        if milliwatts:
            yield f"guide {loads} {setting}: mW", power[0], milliwatts


def check_readings(platforms):
    for name, active, setting, isa, cpu, expected in READINGS:
        machine = machine_of(platforms, name)
        what, active = arrange(machine, **setting), numbers(active)
        yield f"{name} {setting} {isa}: CPU {cpu}", \
            predict(machine, what, active, cpu, ISAS.index(isa)), expected
        if not setting and isa == "sse":
            simulated = {run(machine, what, dict.fromkeys(active, "scalar"), reading)[0][cpu]
                         for reading in (PACKAGE, DOMAIN)}
            yield f"{name}: CPU {cpu} simulated", simulated, set(expected)


def main():
    platforms = pathlib.Path(sys.argv[1])
    failed = [f"{what}: {found}, not {expected}"
              for what, found, expected in [*check_guide(machine_of(platforms, "guide")),
                                            *check_readings(platforms)] if found != expected]
    if failed:
        sys.exit("FAILED: " + "\n".join(failed))


if __name__ == "__main__":
    main()
