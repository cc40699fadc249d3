#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What a write changes besides itself, and places that differed before, are restored, too (journal.md,
"Format", "Recovery").
"""

import argparse
import json
import pathlib
import re
import sys

from lab import Failure, Lab, differences, expect, is_alike, machine


def document(lab, *settings):
    path = lab.box.directory.parent / "document.json"
    path.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                "settings": settings}), encoding="utf-8")
    return str(path)


def put(lab, *settings, status=0):
    return lab.run("state", "apply", document(lab, *settings), status=status)


def cpufreq(lab, cpu, name):
    lab.run("-c", str(cpu), "-f", "json", "cpufreq", "info")
    return re.search(re.escape(f'"{name}"') + ': "([^"]*)"', lab.box.out.read_text("utf-8"))[1]


def governor_moves_preference(lab):
    """The performance governor resets the energy preference of its CPU."""
    before = cpufreq(lab, 3, "energy-performance-preference")
    lab.run("-c", "3", "cpufreq", "set", "--governor", "performance")
    put(lab, {"for": "cpu 3", "cpufreq": {"governor": "powersave", "epp": 255}})
    lab.run("state", "restore", "--to", "1")
    expect(cpufreq(lab, 3, "governor") == "performance", "the governor is not restored")
    lab.run("state", "restore")
    after = cpufreq(lab, 3, "energy-performance-preference")
    expect(after == before, f"the preference was {before}, and is {after}")


def preference_under_another_governor(lab):
    """A document may name the preference that the governor kept so far."""
    lab.run("-c", "3", "cpufreq", "set", "--governor", "performance")
    put(lab, {"for": "cpu 3", "cpufreq": {"governor": "powersave", "epp": "performance"}})
    after = cpufreq(lab, 3, "energy-performance-preference")
    expect(after == "performance", f"the preference is {after}")


def preference_of_passive_mode(lab):
    """Only active mode keeps the preference under the performance governor."""
    lab.run("cpufreq", "set", "--pstate", "passive")
    lab.run("-c", "3", "cpufreq", "set", "--governor", "performance", "--epp", "power")
    lab.run("-c", "3", "cpufreq", "set", "--epp", "performance")
    lab.run("state", "restore", "--to", "2")
    after = cpufreq(lab, 3, "energy-performance-preference")
    expect(after == "power", f"the preference was power, and is {after}")


def limit_lowered_without_turbo(lab):
    """A limit that the kernel lowers while turbo is off is the highest one."""
    before = cpufreq(lab, 2, "maximum-frequency(MHz)")
    lab.run("-c", "1", "cpufreq", "set", "--epb", "3")
    lab.run("cpufreq", "set", "--turbo", "off")
    lab.run("-c", "2", "cpufreq", "set", "--max", "1000")
    lab.run("cpufreq", "set", "--turbo", "on")
    lab.run("state", "restore", "--to", "1")
    after = cpufreq(lab, 2, "maximum-frequency(MHz)")
    expect(after == before, f"the limit was {before}, and is {after}")


def limit_of_moved_range(lab):
    """A limit at the end of the range is not the end any more when SST-TF raises that."""
    lab.run("perf-profile", "set-config-level", "-l", "1")
    highest = float(cpufreq(lab, 0, "highest-possible-frequency(MHz)"))
    put(lab, {"for": "all", "core-power": {"enabled": True, "priority": "ordered"}},
        {"for": "cpu 0", "core-power": {"assoc": 0}},
        {"for": "all", "turbo-freq": {"enabled": True}},
        {"for": "cpu 0", "cpufreq": {"max-mhz": highest}})
    set_to = cpufreq(lab, 0, "maximum-frequency(MHz)")
    put(lab, {"for": "cpu 0", "cpufreq": {"max-mhz": highest - 500}})
    lab.run("state", "restore", "--to", "2")
    after = cpufreq(lab, 0, "maximum-frequency(MHz)")
    expect(cpufreq(lab, 0, "highest-possible-frequency(MHz)") != set_to, "the highest does not move")
    expect(after == set_to, f"the limit was {set_to}, and is {after}")


def limit_hidden_without_turbo(lab):
    """While turbo is off a limit reads as the base frequency; it is not lowered by undoing."""
    lab.run("cpufreq", "set", "--turbo", "off")
    argv = ["-g", "perf-profile", "set-config-level", "-l", "1", "-o"]
    before = cpufreq(lab, 0, "highest-possible-frequency(MHz)")
    for at in writes_of_copy(lab, *argv):
        with lab.copy("killed") as killed:
            killed.run(*argv, killer={"at": at, "how": "after"}, status=-9)
            killed.run("cpufreq", "set", "--turbo", "on")
            after = cpufreq(killed, 0, "maximum-frequency(MHz)")
            expect(after == before, f"killed after {at}: the limit was {before}, and is {after}")
    (lab.box.state / "faults.json").write_text(json.dumps({"orders": [
        {"at": "write", "path": "/sys/devices/system/cpu/cpu53/cpufreq/scaling_max_freq",
         "error": "EIO"}]}), encoding="utf-8")
    lab.run(*argv, status=1)
    (lab.box.state / "faults.json").unlink()
    lab.run("cpufreq", "set", "--turbo", "on")
    after = cpufreq(lab, 0, "maximum-frequency(MHz)")
    expect(after == before, f"rolled back, the limit was {before}, and is {after}")


def writes_of_copy(lab, *argv):
    with lab.copy("done") as done:
        return writes_of(done, *argv)


def writes_of(lab, *argv):
    kinds, _ = lab.moments(*argv)
    return [number for number, kind in enumerate(kinds) if kind == "write"]


def kill_and_go_on(lab, argv):
    """Kills a command after each of its writes; another one undoes them."""
    other = ["-c", "1", "cpufreq", "set", "--epb", "11"]
    with lab.copy("never") as never, lab.copy("done") as done:
        never.run(*other)
        writes = writes_of(done, *argv)
        expect(writes, f"{argv} writes nothing: {done.run(*argv, status=None).stderr}")
        for at in writes[:: max(1, len(writes) // 8)] + writes[-1:]:
            with lab.copy("killed") as killed:
                killed.run(*argv, killer={"at": at, "how": "after"}, status=-9)
                run = killed.run(*other)
                expect("another program" not in run.stderr, f"killed after {at}: {run.stderr}")
                expect(is_alike(never, killed),
                       f"killed after write {at}: the machine {differences(never, killed)}")


def domains_that_differ(lab):
    """SST-CP and CLOS are of packages, but power domains may have differed before."""
    for argv in (["core-power", "config", "--clos", "1", "-n", "1200"], ["core-power", "enable"]):
        writes = writes_of_copy(lab, *argv)
        lab.run(*argv, killer={"at": writes[0], "how": "after"}, status=-9)
        lab.journal.unlink()
    kill_and_go_on(lab, ["core-power", "config", "--clos", "1", "-n", "1500"])
    kill_and_go_on(lab, ["core-power", "disable"])
    lab.run("-c", "1", "cpufreq", "set", "--epb", "11")
    with lab.copy("before") as before:
        lab.run("core-power", "config", "--clos", "1", "-n", "1500")
        lab.run("state", "restore", "--to", "previous")
        expect(is_alike(before, lab), f"restored, the machine {differences(before, lab)}")


def cores_without_online_cpus(lab):
    """A core keeps its association while its CPUs are offline, and gets it back."""
    put(lab, {"for": "cpu 17,53", "online": False})
    kill_and_go_on(lab, ["base-freq", "enable", "-a"])
    with lab.copy("before") as before:
        lab.run("base-freq", "enable", "-a")
        lab.run("state", "restore", "--to", "previous")
        expect(is_alike(before, lab), f"restored, the machine {differences(before, lab)}")


def settings_that_are_reset(lab):
    """What a level, a mode or a governor resets is neither as before nor as set."""
    lab.run("base-freq", "enable", "-a")
    put(lab, {"for": "all", "cpufreq": {"governor": "performance"}})
    path = document(lab, {"for": "all", "perf-profile": {"level": 1}, "online": "follow-level"},
                    {"for": "cpu 0-3", "cpufreq": {"governor": "powersave", "epp": 200}})
    kill_and_go_on(lab, ["state", "apply", path])
    path = document(lab, {"for": "machine", "cpufreq": {"pstate": "passive", "turbo": False}},
                    {"for": "cpu 0-3", "cpufreq": {"governor": "powersave", "epp": 17}})
    kill_and_go_on(lab, ["state", "apply", path])


def power_of(lab, package):
    """The power limits of a package in W."""
    lab.run("-f", "json", "power", "info")
    zones = json.loads(lab.box.out.read_text("utf-8"))["zones"]
    zone = next(zone for zone in zones if zone["place"] == f"package-{package}")
    return tuple(limit["w"] for limit in zone["limits"])


def power_that_follows(lab):
    """Firmware may move a power limit with the level: the line of the level has it, the way back
    and the undoing of a killed command restore it."""
    platform = json.loads(lab.platform.read_text(encoding="utf-8"))
    platform["powercap"]["follows_level"] = True
    path = lab.box.directory.parent / "follows.json"
    path.write_text(json.dumps(platform), encoding="utf-8")
    lab = Lab(lab.arguments, lab.box.directory.parent, path, "follows")
    lab.run("power", "set", "--pl1", "210")
    change = ["perf-profile", "set-config-level", "-l", "4"]
    lab.run(*change)
    expect([power_of(lab, package) for package in (0, 1)] == [(235, 300)] * 2,
           f"{power_of(lab, 0)}")
    begun = [line for line in lab.lines() if line["line"] == "begin"][-1]["changes"]
    for package in (0, 1):
        expect({"for": f"package-{package}", "setting": "power.pl1-w", "was": 210, "now": None}
               in begun, f"{begun}")
    lab.run("state", "restore", "--to", "previous")
    expect([power_of(lab, package) for package in (0, 1)] == [(210, 300)] * 2,
           f"{power_of(lab, 0)}")
    kill_and_go_on(lab, change)
    lab.run("state", "restore")
    expect(power_of(lab, 0) == (250, 300), f"{power_of(lab, 0)}")
    # a limit that matches before is set if the level moves it
    entry = {"for": "all", "perf-profile": {"level": 4}, "power": {"pl1-w": 250}}
    put(lab, entry)
    expect(power_of(lab, 0) == (250, 300), f"{power_of(lab, 0)}")
    lab.run("state", "restore")
    kill_and_go_on(lab, ["state", "apply", document(lab, entry)])


def cpus_that_are_gone(lab):
    """CPUs that were online at boot, and that the machine does not have any more, are named."""
    put(lab, {"for": "cpu 12-13", "online": False})
    text = lab.journal.read_text("utf-8")
    text = re.sub('"online":"([^"]*)"', r'"online":"\1,998-999"', text, count=1)
    lab.journal.write_text(text.replace('"cpu 12-13"', '"cpu 12-13,998-999"'), encoding="utf-8")
    run = lab.run("state", "restore", status=1)
    expect("CPUs 998-999 were online at boot" in run.stderr, run.stderr)
    lab.run("state", "restore", "--to", "previous")


CHECKS = {
    governor_moves_preference: "icx-8360y-2s",
    preference_under_another_governor: "icx-8360y-2s",
    preference_of_passive_mode: "icx-8360y-2s",
    limit_lowered_without_turbo: "clx-6230n-2s",
    limit_hidden_without_turbo: "guide",
    limit_of_moved_range: "gnr-6776p-2s",
    settings_that_are_reset: "guide",
    cpus_that_are_gone: "guide",
    power_that_follows: "icx-8360y-2s",
    domains_that_differ: "gnr-split-2s",
    cores_without_online_cpus: "cpx-5318h-2s",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="the name of one check")
    arguments = parser.parse_args()
    failed = 0
    for check, name in CHECKS.items():
        if arguments.only not in (None, check.__name__):
            continue
        with machine.temporary_directory() as directory:
            lab = Lab(arguments, directory, arguments.platforms / f"{name}.json")
            lab.run("state", "export")
            try:
                check(lab)
                print(f"{check.__name__}: passed")
            except Failure as failure:
                failed += 1
                print(f"FAILED: {check.__name__}: {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
