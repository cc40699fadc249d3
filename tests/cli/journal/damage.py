#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A change journal that cannot be appended to, is torn, damaged, or not ours (journal.md, "Format"):
without its begin line nothing is written, without its second begin line or its end line everything
is undone; a torn last line is cut off; what is refused names the remedy, and readers go on.
"""

import argparse
import json
import os
import pathlib
import re
import sys

from kills import Scenes, documents
from lab import Lab, expect, is_alike, machine

SET = ["core-power", "enable", "-p", "1"]
OTHER = ["-c", "1", "cpufreq", "set", "--epb", "11"]
OFFLINE = {"for": "cpu 13", "online": False}
STAGES = [{"for": "cpu 13", "online": True}, {"for": "cpu 13", "cpufreq": {"max-mhz": 1900}}]


def put(lab, *settings):
    path = lab.box.directory.parent / "document.json"
    path.write_text(json.dumps({"format": "intel-speed-select-state", "version": 1,
                                "settings": settings}), encoding="utf-8")
    return ["state", "apply", str(path)]


def fill(lab, argv, number, how):
    """No room for an append of the command, for all or for half of the line: nothing is set."""
    with lab.copy("full") as full, lab.copy("never") as never:
        run = full.run(*argv, killer={"full_at": number, "how": how}, status=1)
        what = f"{argv} without room for line {number} ({how})"
        expect("journal" in run.stderr, f"{what}: {run.stderr}")
        expect(" -> " not in (run.out or ""), f"{what}: shown as set: {run.out}")
        if number:
            # that it was undone may not be written down: the next command does it
            full.run(*OTHER)
            never.run(*OTHER)
        expect(is_alike(never, full), f"{what}: something is set")
        full.run(*argv)


def full_disk(lab):
    """No room at each append in turn."""
    lab.run(*put(lab, OFFLINE))
    for argv, appends in ((SET, 2), (put(lab, *STAGES), 3)):
        for number in range(appends):
            for how in ("full", "short"):
                fill(lab, argv, number, how)


def full_disk_of_all(lab):
    """The same of each setting command that appends something where SST-CP and SST-TF are on."""
    scenes = Scenes(documents.Site(lab.platform), lab.box.directory)
    for argv in scenes.states()["SST-TF on"]:
        lab.run(*argv)
    n_commands = 0
    for argv in scenes.commands():
        with lab.copy("done") as done:
            run = done.run(*argv, status=None)
            appends = len(done.lines()) - len(lab.lines())
        if run.status or not appends:
            continue
        n_commands += 1
        for number in range(appends):
            fill(lab, argv, number, "full" if (number + n_commands) % 2 else "short")
    expect(n_commands > 15, f"only {n_commands} commands set something")


def torn(lab):
    """The last line ends at each of its bytes."""
    lab.run(*SET)
    lab.run("core-power", "disable")
    text = lab.journal.read_bytes()
    begin = text.rfind(b"\n", 0, -1) + 1
    for size in range(begin, len(text)):
        with lab.copy("torn") as copy:
            copy.journal.write_bytes(text[:size])
            copy.run("state", "history")
            run = copy.run(*OTHER)
            expect("undone" in run.stderr, f"cut at {size}: {run.stderr}")
            copy.run("core-power", "disable")
            expect([line["line"] for line in copy.lines()][-2:] == ["begin", "end"],
                   f"cut at {size}: {copy.lines()}")


def refuse(lab, what, spoil, root_only=False):
    if root_only and os.geteuid():
        return
    with lab.copy("spoilt") as copy, lab.copy("before") as before:
        spoil(copy.journal)
        run = copy.run(*SET, status=1)
        expect("remove" in run.stderr, f"{what}: {run.stderr}")
        run = copy.run("--dry-run", *SET, status=1)
        expect("cannot be used" in run.stderr and "->" not in (run.out or ""), f"{what}: {run.out}")
        expect(is_alike(before, copy), f"{what}: something is set")
        for argv in (["state", "history"], ["core-power", "info"], ["state", "export"]):
            run = copy.run(*argv, status=None)
            expect(run.status in (0, 1, 2, 3), f"{what}: {argv}: {run.status} {run.stderr}")
        copy.journal.unlink()
        copy.run(*SET)


def damaged(lab):
    """What setting commands refuse."""
    def spoil_middle(path):
        lines = path.read_bytes().split(b"\n")
        lines[1] = lines[1][:50] + b"\0" + lines[1][60:]
        path.write_bytes(b"\n".join(lines))

    def link(path):
        path.rename(path.with_name("elsewhere"))
        path.symlink_to("elsewhere")

    lab.run(*OTHER)
    refuse(lab, "a damaged line", spoil_middle)
    refuse(lab, "a link", link)
    refuse(lab, "two names", lambda path: os.link(path, path.with_name("elsewhere")))
    refuse(lab, "writable by others", lambda path: path.chmod(0o666))
    refuse(lab, "another owner", lambda path: os.chown(path, 65534, 65534), root_only=True)


def changed_meanwhile(lab):
    """What another program has changed since a command was killed is left as it is, and named; its
    neighbours, whose changes were the same, are undone."""
    lab.run("-c", "0-3", "cpufreq", "set", "--epb", "9", killer={"at": 4, "how": "after"},
            status=None)
    kept = lab.journal.read_bytes()
    lab.journal.unlink()
    lab.run("-c", "1", "cpufreq", "set", "--epb", "3")
    lab.journal.write_bytes(kept)
    for options in (["--dry-run"], []):
        run = lab.run(*options, "-c", "5", "cpufreq", "set", "--epb", "11")
        expect("another program" in run.stderr and "cpu-1 cpufreq.epb (now 3)" in run.stderr,
               f"{options}: {run.stderr}")
    expect(epb_of(lab, 4) == ["6", "3", "6", "6"], f"{epb_of(lab, 4)}")


def epb_of(lab, count):
    shown = [lab.run("-c", str(cpu), "-f", "json", "cpufreq", "info").out for cpu in range(count)]
    return [re.search(r'performance-bias": "(\d+)"', text)[1] for text in shown]


def hidden_meanwhile(lab):
    """What cannot be undone, of a CPU that another program took offline, is named, the rest is
    undone, and the next command goes on; the way back has what was left."""
    lab.run("-c", "0-3", "cpufreq", "set", "--epb", "9", killer={"at": 4, "how": "after"},
            status=None)
    kept = lab.journal.read_bytes()
    lab.journal.unlink()
    lab.run(*put(lab, {"for": "cpu 2", "online": False}))
    lab.journal.write_bytes(kept)
    run = lab.run(*OTHER, status=1)
    expect("CPU 2 is offline" in run.stderr, run.stderr)
    last = lab.lines()[-1]
    expect(last["outcome"] == "mixed"
           and last["left"] == [{"for": "cpu 2", "setting": "cpufreq.epb"}], f"{last}")
    lab.run(*OTHER)
    lab.run(*put(lab, {"for": "cpu 2", "online": True}))
    expect(epb_of(lab, 4) == ["6", "11", "9", "6"], f"{epb_of(lab, 4)}")
    lab.run("state", "restore")
    lab.run(*put(lab, {"for": "cpu 2", "online": True}))
    expect(epb_of(lab, 4) == ["6", "6", "6", "6"], f"{epb_of(lab, 4)}")


def make_unreadable(lab):
    """The performance bias of CPU 2, until the file that is returned is removed."""
    faults = lab.box.state / "faults.json"
    faults.write_text(json.dumps({"orders": [
        {"at": "read", "path": "/sys/devices/system/cpu/cpu2/power/energy_perf_bias",
         "error": "EIO"}]}))
    return faults


def unreadable_meanwhile(lab):
    """The same of a file that cannot be read."""
    lab.run("-c", "0-3", "cpufreq", "set", "--epb", "9", killer={"at": 4, "how": "after"},
            status=None)
    faults = make_unreadable(lab)
    run = lab.run(*OTHER, status=1)
    last = lab.lines()[-1]
    expect(last.get("outcome") == "mixed" and "cpufreq.epb" in run.stderr, f"{last} {run.stderr}")
    faults.unlink()
    expect(epb_of(lab, 4) == ["6", "6", "9", "6"], f"{epb_of(lab, 4)}")
    lab.run("state", "restore")
    expect(epb_of(lab, 4) == ["6", "6", "6", "6"], f"{epb_of(lab, 4)}")


def killed_early(lab):
    """A command that was killed before its first write is named, and nothing is undone."""
    notes = ""
    for at in range(0, 8):
        lab.run("cpufreq", "set", "--max", "2000", killer={"at": at, "how": "before"}, status=None)
        notes += lab.run(*OTHER).stderr
    expect("was interrupted, and had changed nothing" in notes, notes)


def listed_before(lab):
    """A dry run lists what the command would undo first, and writes nothing."""
    lab.run("-c", "0-3", "turbo-freq", "enable", "-a", killer={"at": 12, "how": "after"},
            status=None)
    before, lines = lab.raw(), lab.lines()
    notes = lab.run("--dry-run", *OTHER).stderr
    expect((lab.raw(), lab.lines()) == (before, lines), "a dry run has written")
    listed = re.search(r"would first undo the interrupted command \(.*Z\): (.*)", notes)
    expect(listed, notes)
    notes = lab.run(*OTHER).stderr
    undone = re.search(r"undone: command .*: \d+ changes?: (.*)", notes)
    expect(undone and listed[1] == undone[1], f"{listed[1]} and {notes}")
    expect("undo" not in lab.run("--dry-run", *OTHER).stderr, "nothing is cut off any more")


def many_listed(lab):
    """A command that changed many CPUs: the note names some of them, and counts the others."""
    argv = ["cpufreq", "set", "--max", "2000"]
    lab.run(*argv, killer={"at": 40, "how": "after"}, status=None)
    notes = lab.run(*OTHER).stderr
    undone = re.search(r"undone: command .*: (\d+) changes: (.*) and (\d+) more\n", notes)
    expect(undone and len(undone[2].split(", ")) == 16 and
           int(undone[1]) == 16 + int(undone[3]), notes)


def unlisted(lab):
    """A dry run does not list the writes of the command if it cannot know the state before them."""
    unlisted_since = "the writes of the command itself are not listed: "

    def expect_unlisted(reason, *argv):
        run = lab.run("--dry-run", *argv, status=1)
        expect(unlisted_since + reason in run.stderr and "->" not in (run.out or ""),
               f"{argv}: {run.stderr}{run.out}")

    lab.run("-c", "0", "turbo-freq", "enable", "-a", killer={"at": 5000, "how": "before"}, status=None)
    lab.run("turbo-freq", "disable", "-a", killer={"at": 2, "how": "after"}, status=-9)
    expect_unlisted("they depend on /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq, which may "
                    "change when the interrupted command is undone", *put(lab, {"for": "cpu 0", "cpufreq": {
                        "max-mhz": "max"}}))
    lab.run("--dry-run", "turbo-freq", "disable", "-a")
    lab.run(*OTHER)
    lab.run("-c", "1", "cpufreq", "set", "--min", "3000")
    lab.run("-a", "turbo-mode", "disable", killer={"at": 8, "how": "after"}, status=None)
    expect_unlisted("they depend on /sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq",
                    "-c", "1", "cpufreq", "set", "--min", "2600")
    lab.run(*OTHER)
    lab.run("perf-profile", "set-config-level", "-l", "3", "-o", killer={"at": 2, "how": "after"},
            status=-9)
    expect_unlisted("they depend on the state after that, and undoing perf-profile.level changes other "
                    "settings, too", *OTHER)
    lab.run(*OTHER)
    lab.run("-c", "0-3", "cpufreq", "set", "--epb", "9", killer={"at": 4, "how": "after"},
            status=None)
    make_unreadable(lab)
    expect_unlisted("it would end before them, with something not undone: cpufreq.epb cannot be read",
                    *OTHER)


def killed_again(lab):
    """Recovery that is killed itself is done by the command after it."""
    with lab.copy("never") as never:
        never.run(*OTHER)
        argv = ["-c", "0", "turbo-freq", "enable", "-a"]
        lab.run(*argv, killer={"at": 20, "how": "before"}, status=-9)
        for at in range(0, 12):
            lab.run(*OTHER, killer={"at": at, "how": "after"}, status=None)
        lab.run(*OTHER)
        expect(is_alike(never, lab), "it is not as before")


def cannot_return(lab):
    """CPUs that cannot come online again: the rest is undone, and the transaction is mixed."""
    lab.run(*put(lab, {"for": "cpu 12-13", "online": False}, {"for": "all", "cpufreq": {"epb": 2}}),
            killer={"at": 40, "how": "after"}, status=None)
    (lab.box.state / "faults.json").write_text(json.dumps({"orders": [
        {"at": "write", "path": "/sys/devices/system/cpu/cpu13/online", "error": "EIO"}]}))
    run = lab.run(*OTHER, status=None)
    last = lab.lines()[-1]
    if run.status:
        expect(run.status == 1 and last.get("outcome") == "mixed" and last.get("left"),
               f"{run.status} {run.stderr} {last}")
        run = lab.run(*OTHER)
    expect(run.status == 0, run.stderr)


CHECKS = [full_disk, full_disk_of_all, torn, damaged, changed_meanwhile,
          hidden_meanwhile, unreadable_meanwhile, killed_early, listed_before, many_listed,
          unlisted, killed_again, cannot_return]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--killer", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="the name of one check")
    arguments = parser.parse_args()

    def make_lab(_, directory):
        lab = Lab(arguments, directory, arguments.platforms / "guide.json")
        lab.run("state", "export")
        return lab

    return machine.run_checks(CHECKS, arguments.only, make_lab)


if __name__ == "__main__":
    sys.exit(main())
