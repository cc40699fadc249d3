#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Power limits on a machine that fails: each write of `power set`, and of a state document with all
power settings, is refused, lost, altered and delayed; each file that can be read before it fails;
and a zone goes away, before the command or at any moment of it. Afterwards all is set or the
machine reads as before, what is left is reported, the status is right, and the message names the
zone.
"""

import argparse
import json
import pathlib
import re
import sys

import matrix

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import cases  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position

ROOT = "/sys/class/powercap"
POWERCAP = {"long_term_w": 205, "short_term_w": 246, "dram_w": 40, "max_w": 400, "min_w": 50}
# The zones of a machine with two packages, and how messages call each.
ZONES = {"intel-rapl:0": "package-0", "intel-rapl:0:0": "package-0", "intel-rapl:1": "psys",
         "intel-rapl:2": "package-1", "intel-rapl:2:0": "package-1"}
FILES = ["name", "enabled",
         *(f"constraint_{number}_{name}" for number in (0, 1)
           for name in ("name", "power_limit_uw", "time_window_us", "max_power_uw",
                        "min_power_uw"))]
STATUS = {"ENOENT": (1, 3), "EACCES": (1, 4), "EIO": (1,)}  # of a file that is read
LOCKED = {"EACCES": True, "EIO": True, "ENODATA": True, "EINVAL": False, "EBUSY": False,
          "ENOENT": False}  # of one that is written: is it what a lock of BIOS is like?
FLIP = "0x4000000"  # 67 W, 67 s
READS = 40  # more files than any command reads of a zone
DOCUMENT = {"format": "intel-speed-select-state", "version": 1, "settings": [
    {"for": "all", "power": {"pl1-w": 150, "pl1-window-ms": 5000, "pl2-w": 300,
                             "pl2-window-ms": 5, "dram": {"pl1-w": 30}}},
    {"for": "machine", "power": {"psys": {"pl1-w": 300}}}]}
LOWER = ["power", "set", "--pl1", "150", "--pl1-window", "5s", "--pl2", "300", "--pl2-window", "5ms"]
COMMANDS = [LOWER,
            ["power", "set", "--pl1", "220", "--pl1-window", "30s", "--pl2", "230"],
            ["power", "set", "--domain", "dram", "--pl1", "30.5"],
            ["power", "set", "--domain", "psys", "--pl1", "300"],
            ["power", "set", "--disable"]]


class Trial(matrix.Trial):
    """A command that sets power limits. What it left is what powercap shows."""

    latest = None

    def look(self, box):
        shown = box.run(self.program, ["--json", "power", "info"])
        zones = json.loads(shown.stdout)["zones"]
        for zone in zones:
            del zone["present-w"]
        return zones

    def run(self, box, order):
        orders = order if isinstance(order, list) else [order]
        faults = box.state / "faults.json"
        box.state.mkdir(mode=0o700, exist_ok=True)
        faults.write_text(json.dumps({"orders": orders}), encoding="utf-8")
        last_id = matrix.journal.last_id(box.state / "run/journal")
        self.latest = box.run(self.program, self.argv)
        faults.unlink()
        self.journal_problem = matrix.journal_problem(box, self.latest, last_id)
        return self.latest

    def names(self, zone):
        """Does the message name the zone?"""
        return any(name in self.latest.stderr for name in (ZONES[zone], f"{ROOT}/{zone}/"))

    def attack_write(self, box, write, error):
        """Yields what is wrong if a write is refused, always or once, lost or altered."""
        path = write["where"].split(" ")[-1]
        order = {"at": "write", "path": path}
        kind, _, times = error.partition(" ")
        order |= {"lost": {"ignored": True}, "altered": {"flip": FLIP}}.get(kind, {"error": kind})
        if path.endswith("enabled") and kind == "altered":
            order["flip"] = "0x1"
        if times or kind == "altered":
            order["times"] = 1
        yield from self.refuse(box, order)
        if not self.names(path.split("/")[-2]):
            yield f"it does not name {path}: {self.latest.stderr}"
        if kind in LOCKED and ("locked by BIOS" in self.latest.stderr) != LOCKED[kind]:
            yield f"what it says of a lock is wrong: {self.latest.stderr}"

    def attack_reading(self, box, path, error, skip=0, times=None, about=None):
        """
        Yields what is wrong if a file, or all of a zone, cannot be read; or if it is other than it
        was, which is about a zone.
        """
        order = {"at": "read", "path": path, "skip": skip,
                 **({"bytes": error.encode("ascii").hex()} if about else {"error": error})}
        run = self.run(box, order | ({"times": times} if times else {}))
        now = self.look(box)
        if self.journal_problem:
            yield self.journal_problem
        if now != (self.before if run.status else self.after):
            yield (f"status {run.status}, but the machine is not as "
                   f"{'before' if run.status else 'requested'}: {run.stderr}"
                   f"{matrix.differences(self.before, now)}")
        if run.status and run.status not in STATUS.get(error, (3,)):
            yield f"status {run.status}: {run.stderr}"
        zone = about or path.split("/")[-2]
        if run.status and zone in ZONES and not self.names(zone):
            yield f"it does not name {path}: {run.stderr}"
        if run.status and "does not have" in run.stderr and error in ("EACCES", "EIO"):
            yield f"a file that cannot be read is missing: {run.stderr}"

    def lose_zone(self, box, zone, reads, writes):
        """Yields what is wrong if a zone goes after so many reads and writes of its files."""
        gone = {"path": f"{ROOT}/{zone}/*", "error": "ENOENT"}
        run = self.run(box, [{**gone, "at": "read", "skip": reads},
                             {**gone, "at": "write", "skip": writes}])
        now = self.look(box)
        is_reported = "not undone" in run.stderr
        if self.journal_problem:
            yield self.journal_problem
        if run.status == 0 and now != self.after:
            yield f"it is not set: {matrix.differences(self.after, now)}"
        if run.status and now != self.before and not is_reported:
            yield f"what is left is not reported: {matrix.differences(self.before, now)}: {run.stderr}"
        if run.status and not self.names(zone):
            yield f"it does not name {zone}: {run.stderr}"
        if run.status not in (0, 1, 3):
            yield f"status {run.status}: {run.stderr}"
        if is_reported and run.status != 1:
            yield f"status {run.status} with something left: {run.stderr}"
        others = [[is_of for is_of in look if is_of["zone"] != zone] for look in (self.before, now)]
        if run.status and others[0] != others[1]:
            yield f"other zones are not as before: {matrix.differences(*others)}: {run.stderr}"
        again = box.run(self.program, ["state", "restore"]) if now != self.before else None
        if again and (again.status or self.look(box) != self.before):
            yield f"state restore does not bring it back: {again.stderr}"

    def attacks(self, most):
        """Each attack: what it is called, and a function of the machine that yields problems."""
        for write in self.writes:
            for error in [*LOCKED, *(f"{error} once" for error in LOCKED), "lost", "lost once",
                          "altered"]:
                yield (f"{write['where']}: {error}",
                       lambda box, write=write, error=error: self.attack_write(box, write, error))
            yield (f"{write['where']}: delayed",
                   lambda box, write=write: self.disturb(box, write, "delayed"))
            path = write["where"].split(" ")[-1]
            for skip in range(4):
                yield (f"{path}: not read after {skip} times",
                       lambda box, path=path, skip=skip:
                       self.attack_reading(box, path, "EIO", skip, 1))
        for error in STATUS:
            for path in [ROOT, *(f"{ROOT}/{zone}/*" for zone in ZONES),
                         *(f"{ROOT}/{zone}/{file}" for zone in ZONES for file in FILES)]:
                yield (f"{path}: {error}", lambda box, path=path, error=error:
                       self.attack_reading(box, path, error))
        for zone in ZONES if self.argv[0] == "power" else []:  # of a document only those that are
            left = "\n".join(name for name in ZONES if not f"{name}:".startswith(f"{zone}:"))
            yield (f"{zone} absent", lambda box, zone=zone, left=left:
                   self.attack_reading(box, ROOT, left, about=zone))
        for zone in ZONES:
            n_writes = sum(f"/{zone}/" in write["where"] for write in self.writes)
            for number in range((READS + 1) * (n_writes + 1) if n_writes else 0):
                reads, writes = divmod(number, n_writes + 1)
                if number % most == 0:
                    yield (f"{zone} gone after {reads} reads and {writes} writes",
                           lambda box, zone=zone, reads=reads, writes=writes:
                           self.lose_zone(box, zone, reads, writes))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1,
                        help="Try every so many of the moments at which a zone goes")
    parser.add_argument("machine")
    arguments = parser.parse_args()
    tried, failed = 0, 0
    with machine.temporary_directory() as directory:
        platform = cases.change(arguments.platforms / f"{arguments.machine}.json",
                                {"powercap": POWERCAP}, pathlib.Path(directory) / "platform.json")
        document = pathlib.Path(directory) / "power.json"
        document.write_text(json.dumps(DOCUMENT), encoding="utf-8")
        for argv in [*COMMANDS, ["state", "apply", str(document)]]:
            trial = Trial(arguments.program, platform, [], argv)
            problems = [("no fault", problem) for problem in trial.check()]
            for name, attack in trial.attacks(arguments.every):
                tried += 1
                with trial.machine() as box:
                    problems += [(name, problem) for problem in attack(box)]
            for name, problem in problems:
                print(f"FAILED: {re.sub(directory, '', ' '.join(argv))}: {name}: {problem}")
            failed += len(problems)
    print(f"{arguments.machine}: {tried} attacks on power limits, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
