#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Speed Select that cannot be asked (state.md): a device that is absent, not permitted or broken is
named, with three messages; documents say what they miss; nothing is restored; and CPUs that are
offline do not lose their places.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

CAUSES = {"ENOENT": "no Speed Select driver is loaded", "EACCES": "may not be opened: Permission denied",
          "EIO": "cannot be opened: Input/output error"}
# One TPMI device is not bound: the driver has no instance for its package, or, with the kernels that
# would kill the program then, is not asked.
UNBOUND = {"unbound": "package 1 has no TPMI device", "guard": "only 1 of 2 TPMI devices"}
ORDERS = {"unbound": {"at": "tpmi", "package": 1, "error": "EINVAL"},
          "guard": {"at": "read", "error": "ENOENT",
                    "path": "/sys/bus/auxiliary/devices/intel_vsec.tpmi-sst.1/driver"},
          "unanswered": {"at": "tpmi", "request": "PERF_LEVELS", "package": 1, "error": "EIO"}}
CAUSES |= UNBOUND
MEMBER = {**CAUSES, "ENOENT": "Speed Select: no driver is loaded"}
GOVERNOR = [{"for": "all", "cpufreq": {"governor": "performance"}}]
LEVEL = [{"for": "all", "perf-profile": {"level": 0}}]
OPTIONAL = [{"for": "all", "optional": True, "turbo-freq": {"enabled": False}}]


class Lab:
    """A machine whose device can be taken away."""

    def __init__(self, program, platform, directory):
        self.program = program
        self.box = machine.Machine(directory, platform)
        self.box.state.mkdir(mode=0o700)
        self.file = self.box.directory / "document.json"
        self.level = max(level["level"] for level in
                         json.loads(platform.read_text(encoding="utf-8"))["sst"]["levels"])

    def run(self, *argv, status=0):
        run = self.box.run(self.program, argv)
        expect(run.status == status, f"{argv}: status {run.status}, not {status}: {run.stderr}")
        return run

    def lose(self, error):
        order = ORDERS.get(error, {"at": "open", "error": error})
        (self.box.state / "faults.json").write_text(json.dumps({"orders": [order]}), encoding="utf-8")

    def find(self):
        (self.box.state / "faults.json").unlink()

    def document(self, settings, **members):
        self.file.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                         **members, "settings": settings}), encoding="utf-8")
        return str(self.file)

    def look(self):
        """All settings, and which CPUs are offline, with the device."""
        return self.run("state", "export").stdout


def missing(lab, error):
    """Every command of state while the device is away."""
    complete = lab.look()
    lab.lose(error)
    run = lab.run("state", "export", status=1)
    exported = json.loads(run.stdout)
    expect(CAUSES[error] in run.stderr, run.stderr)
    expect(len(exported["incomplete"]) == 1 and MEMBER[error] in exported["incomplete"][0],
           exported.get("incomplete"))
    expect("cpufreq" in json.dumps(exported["settings"]), "the rest is missing, too")
    expect("incomplete" not in json.loads(lab.run("state", "export", "--only", "cpufreq").stdout),
           "an export without Speed Select says that it is incomplete")
    for command in ("check", "apply"):
        run = lab.run("state", command, lab.document(GOVERNOR[:0], incomplete=exported["incomplete"]))
        expect(f"is incomplete: {exported['incomplete'][0]}" in run.stderr, run.stderr)
        for settings in (LEVEL, GOVERNOR + LEVEL, GOVERNOR + OPTIONAL):
            run = lab.run("state", command, lab.document(settings), status=1)
            expect(CAUSES[error] in run.stderr, run.stderr)
    run = lab.run("state", "restore", "--to", "clean", status=1)
    expect(CAUSES[error] in run.stderr, run.stderr)
    lab.find()
    expect(lab.look() == complete, "something was set")


def not_restored(lab, error):
    """Settings of Speed Select, and then the device goes."""
    lab.run("-c", "0", "turbo-freq", "enable", "-a")
    changed = lab.look()
    lab.lose(error)
    run = lab.run("state", "restore", status=1)
    expect(CAUSES[error] in run.stderr, run.stderr)
    lab.find()
    expect(lab.look() == changed, "something was restored")
    lab.run("state", "restore")
    expect(lab.look() != changed, "nothing is restored later")


def first_without(lab, error):
    """The first setting of the boot has no device: later ones of Speed Select are restored."""
    before = lab.look()
    lab.lose(error)
    lab.run("state", "apply", lab.document(GOVERNOR))
    lab.find()
    lab.run("-c", "0", "turbo-freq", "enable", "-a")
    lab.run("state", "restore")
    expect(lab.look() == before, "settings are not as before")


def cut_off(lab, error):
    """A command of Speed Select was killed, and the device is away: it is undone once that is back."""
    before = lab.look()
    epb = ["-c", "1", "cpufreq", "set", "--epb", "6"]
    lab.run("-c", "0", "turbo-freq", "enable", "-a")
    path = lab.box.state / "run" / "journal"
    path.write_text("".join(path.read_text(encoding="ascii").splitlines(keepends=True)[:-1]),
                    encoding="ascii")
    lab.lose(error)
    run = lab.run(*epb, status=1)
    expect("the next setting command tries it again" in run.stderr, run.stderr)
    lab.find()
    run = lab.run(*epb)
    expect("Information: undone: command " in run.stderr, run.stderr)
    expect(lab.look() == before, "it is not undone")


def unanswered(lab, _error):
    """The driver has the device, and refuses what it is asked of package 1."""
    lab.run("perf-profile", "set-config-level", "-l", str(lab.level))
    lab.run("-c", "0", "turbo-freq", "enable", "-a")
    changed = lab.look()
    lab.lose("unanswered")
    run = lab.run("state", "export", status=1)
    expect("package-1 turbo-freq.enabled: " in run.stderr, run.stderr)
    for words in (["restore"], ["restore", "--to", "clean"], ["check", lab.document(LEVEL)],
                  ["apply", lab.document(LEVEL)]):
        run = lab.run("state", *words, status=1)
        expect("package-1" in run.stderr, run.stderr)
    lab.find()
    expect(lab.look() == changed, "something was set")


def places(lab, error):
    """A document without Speed Select is applied while CPUs are offline and the device is away."""
    before = lab.look()
    lab.run("perf-profile", "set-config-level", "-l", str(lab.level), "-o")
    lab.lose(error)
    lab.run("state", "apply", lab.document(GOVERNOR))
    lab.find()
    lab.run("state", "restore")
    expect(lab.look() == before, "CPUs or settings are not as at boot")


def no_map(lab, _error):
    """The map is lost: restoring brings the CPUs back all the same, or fails and names them."""
    before = lab.look()
    lab.run("perf-profile", "set-config-level", "-l", str(lab.level), "-o")
    offline = set(re.findall(r"cpu(\d+)/online", lab.run("-a", "-f", "json", "-o", "-", "--dry-run",
                                                         "--info").stdout))
    expect(offline, "no CPU is offline")
    path = lab.box.state / "run" / "cpu-map.json"
    path.unlink()
    order = {"at": "write", "path": f"/sys/devices/system/cpu/cpu{max(offline, key=int)}/online",
             "error": "EBUSY"}
    faults = lab.box.state / "faults.json"
    faults.write_text(json.dumps({"orders": [order]}), encoding="utf-8")
    run = lab.run("state", "restore", status=1)
    expect(f"cpu-{max(offline, key=int)}" in run.stderr, run.stderr)
    faults.unlink()
    path.unlink(missing_ok=True)
    lab.run("state", "restore")
    expect(lab.look() == before, "CPUs or settings are not as at boot")


def by_hand(lab, _error):
    """CPUs go offline by hand, after the first command of a boot: they come back with their level."""
    for first in (["-o", "-", "perf-profile", "get-config-levels"], ["priority", "publish"],
                  ["cpufreq", "set", "--governor", "performance"]):
        lab.run("cpufreq", "set", "--governor", "powersave")
        come_back(lab, first)


def come_back(lab, first):
    before = lab.look()
    counts = lab.run("-o", "-", "perf-profile", "info", "-l", "0").stdout
    run = lab.box.state / "run"
    shutil.rmtree(run)
    lab.run(*first)
    kept = lab.box.directory / "run"
    shutil.copytree(run, kept)
    lab.run("state", "apply", lab.document([{"for": "cpu 3,5,19", "online": False}]))
    shutil.rmtree(run)
    kept.rename(run)
    offline = lab.run("-o", "-", "perf-profile", "info", "-l", "0")
    expect(offline.stdout == counts, f"after {first} CPUs are not counted: {offline.stderr}")
    lab.run("-o", "-", "perf-profile", "set-config-level", "-l", "0", "-o")
    lab.run("cpufreq", "set", "--governor", "powersave")
    expect(lab.look() == before, f"after {first} CPUs or settings are not as at boot")
    shutil.rmtree(run)
    shutil.rmtree(kept, ignore_errors=True)


def write_platform(path, directory, error):
    """The machine, with a kernel that has the defect for the guard against it."""
    platform = json.loads(path.read_text(encoding="utf-8"))
    platform["kernel"] = "6.18" if error == "guard" else "7.2"
    written = pathlib.Path(directory) / path.name
    written.write_text(json.dumps(platform), encoding="utf-8")
    return written


def causes_of(path, check):
    """Why the device is away in this check."""
    is_tpmi = json.loads(path.read_text(encoding="utf-8"))["interface"]["kind"] == "tpmi"
    if check in (no_map, by_hand, unanswered):
        return ["none"] if is_tpmi or check != unanswered else []
    return [cause for cause in CAUSES if is_tpmi or cause not in UNBOUND]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("machines", nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.machines:
        path = arguments.platforms / f"{name}.json"
        for check in (missing, not_restored, first_without, places, no_map, cut_off, by_hand,
                      unanswered):
            for error in causes_of(path, check):
                with machine.temporary_directory() as directory:
                    lab = Lab(arguments.program, write_platform(path, directory, error), directory)
                    try:
                        check(lab, error)
                    except Failure as failure:
                        failed += 1
                        print(f"FAILED: {name}: {check.__name__}: {error}: {failure}")
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
