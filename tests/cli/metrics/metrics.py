#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
`isst metrics` on a simulated machine: the text is valid (checked by a parser of our own, stricter
than Prometheus'), the figures are those that `machine summary` shows, what is absent has no series,
and files are replaced whole, once or at an interval.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import machine  # pylint: disable=wrong-import-position
from machine import Failure, expect  # pylint: disable=wrong-import-position

HELP = re.compile(r"# HELP (\S+) (\S.*[^.\s])")
TYPE = re.compile(r"# TYPE (\S+) (gauge|counter)")
SAMPLE = re.compile(r"([a-z_]+)(?:\{(.+)\})? (\d+(?:\.\d*[1-9])?|\d(?:\.\d+)?e-\d+)")
LABEL = re.compile(r'([a-z_]+)="([^"\\\n]*)"(?:,|$)')
# Texts of families; those of a machine are some of them.
HELPS = {"build_info": "The program that writes these metrics",
         "clos_cores": "Online cores in the CLOS",
         "scaling_limit_frequency_hertz":
             "Lowest and highest of the limits that cpufreq policies have now",
         "thermal_throttle_events_total":
             "Times that cores, each counted once, or the package were throttled for heat",
         "thermal_throttle_seconds_total":
             "Time that cores, added up, or the package were throttled for heat",
         "energy_joules_total": "Energy used since boot or since the first reading",
         "last_change_success": "1 if that succeeded",
         "collect_duration_seconds": "How long reading it took"}
MOST_SERIES = 300
HZ = 1000000
UJ_PER_J = 1000000
ENERGY_RANGE_UJ = 262143328850  # of simulated counters
WAIT_S = 60


def parse_labels(text):
    labels = dict(LABEL.findall(text))
    expect(",".join(f'{name}="{value}"' for name, value in labels.items()) == text,
           f"labels {text}")
    return labels


def parse(text):
    """{family: {labels: value}}: families in one piece, each series once."""
    families, types, last = {}, {}, None
    lines = text.splitlines()
    expect(text.endswith("\n# EOF\n"), "the text does not end in # EOF")
    for line in lines[:-1]:
        found = HELP.fullmatch(line)
        if found:
            last = found[1]
            expect(last not in families, f"{last} is begun twice")
            expect(found[2] == HELPS.get(last.removeprefix("isst_"), found[2]), line)
            families[last] = {}
            continue
        found = TYPE.fullmatch(line)
        if found:
            expect(found[1] == last and not families[last], f"TYPE is misplaced: {line}")
            expect((found[2] == "counter") == last.endswith("_total"), f"the type of {last}")
            types[last] = found[2]
            continue
        found = SAMPLE.fullmatch(line)
        expect(found and found[1] == last and last in types, f"this is no sample: {line}")
        key = frozenset(parse_labels(found[2] or "").items())
        expect(key not in families[last], f"this series is there twice: {line}")
        families[last][key] = float(found[3])
    expect(all(families.values()), "a family has no sample")
    return families


def series(families, family, **labels):
    """The values of a family with these labels."""
    wanted = set(labels.items())
    return {key: value for key, value in families.get(family, {}).items() if wanted <= key}


class Tried:
    """A simulated machine."""

    def __init__(self, program, platform, directory):
        self.program, self.directory = program, pathlib.Path(directory)
        self.machine = machine.Machine(directory, platform)
        self.options = ["--simulate", platform, "--simulate-state", self.directory / "state"]

    def run(self, *words, status=0):
        done = subprocess.run([self.program, *self.options, *words], text=True, check=False,
                              capture_output=True, timeout=machine.TIMEOUT_S)
        expect(status is None or done.returncode == status,
               f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr}")
        return done

    def metrics(self, *words, status=0):
        return parse(self.run("metrics", *words, status=status).stdout)

    def summary(self):
        return json.loads(self.run("machine", "summary", "--json", status=None).stdout)


def places_of(rows):
    """Each row with the packages and power domains that it is about."""
    for row in rows or []:
        for place in row["places"]:
            yield re.findall(r"\d+", place.partition(" ")[0])[0], place, row


def compare_switches(families, summary):
    """The level and switches of each power domain are those of the summary."""
    names = {"base-freq": "base-freq", "turbo-freq": "turbo-freq", "clos": "core-power"}
    for package, place, row in places_of(summary["speed-select"]):
        domain = re.search(r"powerdomain-(\d+)", place)
        labels = {"package": package, **({"power_domain": domain[1]} if domain else {})}
        levels = set(series(families, "isst_performance_level", **labels).values())
        expect(levels == {row["level"]}, f"{place}: level {levels}, not {row['level']}")
        locked = set(series(families, "isst_performance_level_locked", **labels).values())
        expect(locked == {float(row["locked"])}, f"{place}: locked {locked}")
        for name, label in names.items():
            found = set(series(families, "isst_feature_enabled", feature=label, **labels).values())
            wanted = set() if row.get(name) is None else {float(row[name])}
            expect(found == wanted, f"{place}: {label} is {found}, not {wanted}")


def compare(families, summary):
    compare_switches(families, summary)
    online = sum(series(families, "isst_online_cores").values())
    if summary["speed-select"]:
        expect(online == summary["cpus"]["cores"], f"{online} cores are online")
    limits = {key: value for key, value in families.get("isst_uncore_limit_frequency_hertz",
                                                         {}).items()}
    wanted = {(row["min-mhz"] * HZ, row["max-mhz"] * HZ) for row in summary["uncore"] or []}
    found = {(low, limits[key - {("limit", "min")} | {("limit", "max")}])
             for key, low in limits.items() if ("limit", "min") in key}
    expect(found == wanted, f"uncore limits {found}, not {wanted}")
    groups = (summary["cpufreq"] or {}).get("groups", [])
    for of, pick in (("lowest", min), ("highest", max)):
        for limit in ("min", "max"):
            found = series(families, "isst_scaling_limit_frequency_hertz", of=of, limit=limit)
            expect(pick(found.values()) == pick(row[f"{limit}-mhz"] for row in groups) * HZ,
                   f"the {of} scaling {limit}imum is {found}")
    powers = sum(len([key for key in row if key.endswith("-w") and row[key]])
                 * len(row["places"]) for row in summary["power-limits"] or [])
    expect(bool(powers) == bool(series(families, "isst_power_limit_watts")), "power limits")


def compare_clos(families, tried):
    """Cores in CLOS: as --per-core shows each of them, and as the sums."""
    cores = tried.metrics("--per-core").get("isst_core_clos", {})
    sums = series(families, "isst_clos_cores")
    expect(len(cores) == sum(sums.values()), f"{len(cores)} cores are in a CLOS, not {sums}")
    for clos in "0123":
        found = sum(series(families, "isst_clos_cores", clos=clos).values())
        expect(list(cores.values()).count(float(clos)) == found, f"{found} cores are in CLOS {clos}")
    used = sum(series(families, "isst_high_priority_used_cores").values())
    high = sum(sum(series(families, "isst_clos_cores", clos=clos).values()) for clos in "01")
    capacity = series(families, "isst_high_priority_capacity_cores")
    expect(not capacity or used <= high, f"{used} high-priority cores of {high} in CLOS 0 and 1")


def expect_few(families, packages):
    """No more series than dashboards are made for (fleet.md), without those of each core."""
    count = sum(map(len, families.values()))
    expect(count <= MOST_SERIES * max(1, len(packages) / 2), f"{count} series")


def try_settings(tried):
    """As it is, and after each of these commands that the machine takes."""
    packages = set()
    for words in ((), ("-c", "0-1", "turbo-freq", "enable", "--auto"), ("base-freq", "enable"),
                  ("core-power", "config", "--clos", "2", "-m", "2000"), ("core-power", "enable"),
                  ("cpufreq", "set", "-c", "1", "--max", "base"), ("uncore", "set", "--max", "min")):
        before = tried.metrics()
        changed = tried.run(*words, status=None).returncode == 0 if words else False
        families = tried.metrics()
        compare(families, tried.summary())
        compare_clos(families, tried)
        packages |= {value for key in families.get("isst_online_cores", {}) for name, value in key
                     if name == "package"}
        expect_few(families, packages)
        if changed:
            expect(families["isst_last_change_success"] == {frozenset(): 1.0}, "the last change")
            expect(words[0] in ("uncore", "base-freq") or families != before, f"{words}: no change")
    expect(set(families["isst_source_up"].values()) == {1.0}, "a source is not read")


def try_drift(tried):
    expect("isst_state_drift" not in tried.metrics(), "drift without a state file")
    document = tried.directory / "state/state.json"
    tried.run("-o", document, "state", "export", "--only", "cpufreq")
    families = tried.metrics()
    expect(families["isst_state_drift"] == {frozenset(): 0.0}, "an equal machine drifts")
    tried.run("cpufreq", "set", "-c", "0", "--min", "min", "--max", "min")
    families = tried.metrics()
    expect(families["isst_state_drift"] == {frozenset(): 1.0}, "no drift is seen")
    expect(families["isst_state_drift_settings"][frozenset()] >= 1, "no setting drifts")
    document.write_text('{"version": 9}', encoding="utf-8")
    done = tried.run("metrics", status=1)
    families = parse(done.stdout)
    expect(f"the comparison with the state file: {document}" in done.stderr,
           f"the error is {done.stderr}")
    expect(series(families, "isst_source_up", source="state") ==
           {frozenset({("source", "state")}): 0.0}, "a wrong document counts as read")
    expect("isst_state_drift" not in families, "a wrong document has a drift")
    document.unlink()


def try_damaged_journal(tried):
    tried.run("cpufreq", "set", "-c", "0", "--max", "max")
    journal = tried.directory / "state/run/journal"
    kept = journal.read_text(encoding="utf-8")
    journal.write_text("damaged\n" + kept, encoding="utf-8")
    done = tried.run("metrics", status=1)
    expect("the change journal: a line of it is damaged" in done.stderr, f"the error is {done.stderr}")
    journal.write_text(kept, encoding="utf-8")


def try_file(tried):
    directory = tried.directory / "files"
    directory.mkdir()
    path = directory / "isst.prom"
    os.umask(0o077)
    tried.run("metrics", "--textfile", path)
    parse(path.read_text(encoding="utf-8"))
    expect(stat.S_IMODE(path.stat().st_mode) == 0o644, "others may not read the file")
    expect(os.listdir(directory) == ["isst.prom"], f"left: {os.listdir(directory)}")
    before = path.stat()
    tried.run("--dry-run", "metrics", "--textfile", path)
    expect(path.stat() == before, "a dry run writes the file")
    tried.run("metrics", "--textfile", directory / "isst.txt", status=2)
    tried.run("metrics", "--textfile", directory / "none/isst.prom", status=1)
    tried.run("metrics", "--interval", "1", status=2)
    expect(os.listdir(directory) == ["isst.prom"], f"left: {os.listdir(directory)}")


def wait_for_new(path, before):
    end = time.monotonic() + WAIT_S
    while path.stat().st_ino == before.st_ino:
        expect(time.monotonic() < end, "the file is not written again")
        time.sleep(0.05)
    return path.stat()


def try_interval(tried):
    path = tried.directory / "files/isst.prom"
    before = path.stat()
    with subprocess.Popen([tried.program, *tried.options, "metrics", "--textfile", path,
                           "--interval", "1"], stderr=subprocess.PIPE) as process:
        try:
            before = wait_for_new(path, before)
            tried.run("cpufreq", "set", "-c", "0", "--max", "max")
            before = wait_for_new(path, wait_for_new(path, before))
            families = parse(path.read_text(encoding="utf-8"))
            expect("isst_last_change_success" in families, "the file does not show the change")
            process.send_signal(signal.SIGTERM)
            process.wait(WAIT_S)
            expect(process.returncode == -signal.SIGTERM, f"ended with {process.returncode}")
            expect(process.stderr.read() == b"", "there are messages")
        finally:
            process.kill()


def energy_of(families):
    return families.get("isst_energy_joules_total", {})


def try_energy(tried):
    """Counters that begin again go on; a file of another boot, or a damaged one, counts as none."""
    kept = tried.directory / "state/run/energy.json"
    before = energy_of(tried.metrics())
    if not before:
        expect(not kept.exists(), "energy.json without a counter")
        return
    expect(stat.S_IMODE(kept.stat().st_mode) == 0o600, "others may read the energy")
    text = kept.read_text(encoding="utf-8")
    document = json.loads(text)
    for zone in document["zones"].values():
        expect(zone["offset"] == 0, f"it has not begun again: {zone}")
        zone["raw"] += UJ_PER_J
    kept.write_text(json.dumps(document), encoding="utf-8")
    wrapped = energy_of(tried.metrics())
    expect(wrapped.keys() == before.keys(), "other counters")
    expect(all(round((wrapped[key] - before[key]) * UJ_PER_J) == ENERGY_RANGE_UJ + 1
               for key in before), f"counters that began again: {before}, then {wrapped}")
    expect(energy_of(tried.metrics()) == wrapped, "another reading adds to the counters")
    document["zones"] = {name: {"raw": zone["raw"] + UJ_PER_J, "offset": UJ_PER_J}
                         for name, zone in document["zones"].items()}
    document["boot"] = "of another boot"
    for wrong in (json.dumps(document), "{", "", text.replace("raw", "row"),
                  '{"format": "intel-speed-select energy", "zones": 1}'):
        kept.write_text(wrong, encoding="utf-8")
        found = energy_of(tried.metrics())
        expect(found == before, f"after {wrong[:60]!r}: {found}, not {before}")
        expect(json.loads(kept.read_text(encoding="utf-8")).keys() >= {"zones"}, "it is not replaced")
    kept.unlink()
    kept.mkdir()
    families = parse(tried.run("metrics", status=1).stdout)
    expect(series(families, "isst_source_up", source="powercap") ==
           {frozenset({("source", "powercap")}): 0.0}, "offsets that cannot be kept count as read")
    expect("isst_energy_joules_total" not in families, "counters that may go back are shown")
    kept.rmdir()


def try_limit_reasons(tried):
    """Only if asked for; those of a load that takes all of the power stay."""
    source = {"source": "limit_reasons"}
    expect(not series(tried.metrics(), "isst_source_up", **source), "limit reasons unasked")
    if not series(tried.metrics("--limit-reasons"), "isst_source_up", **source):
        return
    tried.run("measure", "run", "--seconds", "1", "--all", "--load", "avx512")
    families = tried.metrics("--limit-reasons")
    expect_few(families, {dict(key)["package"] for key in families["isst_performance_level"]})
    reason = "POWER_PKG_PL1_MSR_TPMI"
    active = families["isst_limit_reason_active"]
    domains = {key - {("reason", reason)} for key, value in active.items()
               if ("reason", reason) in key and value}
    expect(domains == set(families["isst_performance_level"]), f"limited are {domains}")
    expect(set(active.values()) <= {0.0, 1.0}, "reasons are neither 0 nor 1")
    reasons = {dict(key)["reason"] for key in active}
    expect(len(active) == len(reasons) * len(domains), "a domain has no series of a reason")
    expect("isst_limit_reason_active" not in tried.metrics(), "limit reasons unasked")


def try_lacking(tried):
    """
    A source that the machine lacks is absent: a kernel without a driver has an empty directory.
    Where Speed Select has no device, cpufreq is all that tells of it.
    """
    document = json.loads(tried.machine.platform.read_text(encoding="utf-8"))
    has_device = document["interface"]["kind"] != "none"
    document["cpufreq"] = document["uncore"] = None
    platform = tried.directory / "lacking.json"
    platform.write_text(json.dumps(document), encoding="utf-8")
    recording = tried.directory / "recording.json"
    lacking = Tried(tried.program, platform, tried.directory / "lacking")
    lacking.run("machine", "record", "-o", recording)
    document = json.loads(recording.read_text(encoding="utf-8"))
    document["recorded"]["files"]["/sys/devices/system/cpu/cpufreq"] = []
    recording.write_text(json.dumps(document), encoding="utf-8")
    up = Tried(tried.program, recording, tried.directory / "recorded").metrics()["isst_source_up"]
    sources = {dict(key)["source"] for key in up}
    expect("thermal_throttle" in sources and not sources & {"cpufreq", "uncore"},
           f"a machine without cpufreq and uncore has {sources}")
    expect(("speed_select" in sources) == has_device, f"Speed Select without cpufreq: {sources}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isst-metrics-") as directory:
        tried = Tried(arguments.program.absolute(), arguments.platform.resolve(), directory)
        try:
            for trial in (try_settings, try_drift, try_damaged_journal, try_file, try_interval,
                          try_energy, try_limit_reasons, try_lacking):
                trial(tried)
        except Failure as wrong:
            print(f"FAILED: {wrong}")
            sys.exit(1)


if __name__ == "__main__":
    main()
