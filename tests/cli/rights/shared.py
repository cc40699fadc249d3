#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What another user may have planted: in the way of -o, of the state directory and of the files in it.
Each case is run by root and by a user of its own, with what the attacker left lying there. Only
root can act as three users; without root, tests/unit has what can be tested alone.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from users import ATTACKER, ROOT_USER, VICTIM, Place, mode_of

RESULT = "get-config-current_level:0"
READ = ("perf-profile", "get-config-current-level")
SET = ("perf-profile", "set-config-level", "-l", "3")
SKIP = 77


class Failure(Exception):
    pass


def expect(condition, words):
    if not condition:
        raise Failure(words)


def expect_refused(place, run, words):
    """One line with the reason, a status that is not 0, and no change."""
    expect(run.returncode in (1, 4), f"status {run.returncode}: {run.stderr}")
    expect(words in run.stderr or "Permission denied" in run.stderr, run.stderr)
    expect(place.victim.read_text(encoding="utf-8") == "precious\n", "the victim was written")


def expect_unplaced(place, path, *wanted):
    """Results that cannot go to a path, by a reading and by a setting command, which sets nothing."""
    words = "another user is in the way"
    expect_refused(place, place.run("-o", path, *READ), words)
    expect_refused(place, place.run("-o", path, *SET), words)
    level = place.run("-o", "-", *READ)
    expect(RESULT in level.stdout, f"it was set all the same: {level.stdout}")
    for absent in wanted:
        expect(not absent.exists(), f"{absent} was made")


def expect_placed(place, path, owner, mode):
    run = place.run("-o", path, *READ)
    expect(run.returncode == 0, run.stderr)
    # With fs.protected_symlinks root, too, may not follow another user's link in a sticky directory.
    target = path.resolve()
    expect(RESULT in target.read_text(encoding="utf-8"), "the results are missing")
    expect(target.stat().st_uid == owner, f"they belong to {target.stat().st_uid}")
    expect(mode_of(target) == mode, f"mode {mode_of(target):o}")


def link_in_shared(place):
    place.link(place.shared / "out", place.victim, ATTACKER)
    expect_unplaced(place, place.shared / "out")


def link_in_open(place):
    place.link(place.open / "out", place.victim, ATTACKER)
    expect_unplaced(place, place.open / "out")


def link_in_home(place):
    place.link(place.of_attacker / "out", place.victim, ATTACKER)
    expect_unplaced(place, place.of_attacker / "out")


def dangling_link(place):
    place.link(place.shared / "out", place.safe / "new", ATTACKER)
    expect_unplaced(place, place.shared / "out", place.safe / "new")


def link_on_the_way(place):
    place.link(place.shared / "way", place.safe, ATTACKER)
    expect_unplaced(place, place.shared / "way/victim")
    expect_unplaced(place, place.shared / "way/new", place.safe / "new")


def link_behind_a_link(place):
    place.link(place.safe / "first", place.shared / "second", place.user)
    place.link(place.shared / "second", place.victim, ATTACKER)
    expect_unplaced(place, place.safe / "first")


def link_of_ours(place):
    place.link(place.shared / "out", place.victim, place.user)
    expect_placed(place, place.shared / "out", place.user, 0o600)
    expect((place.shared / "out").is_symlink(), "the link was replaced")


def second_name_of_a_link(place):
    """Root's own link somewhere, which an attacker gave a second name in a shared directory."""
    place.link(place.safe / "link", place.victim, ROOT_USER)
    os.link(place.safe / "link", place.shared / "out", follow_symlinks=False)
    expect_unplaced(place, place.shared / "out")


def second_name_of_a_file(place):
    os.link(place.victim, place.shared / "out")
    expect_placed(place, place.shared / "out", place.user, 0o600)
    expect(place.victim.read_text(encoding="utf-8") == "precious\n", "the victim was written")


def file_of_attacker(place):
    path = place.put(place.shared / "out", ATTACKER, 0o666)
    expect_unplaced(place, path)
    expect(path.read_text(encoding="utf-8") == "precious\n", "the attacker's file was written")


def pipe_of_attacker(place):
    """It would wait for a reader for ever."""
    expect_unplaced(place, place.pipe(place.shared / "out", ATTACKER))
    expect_unplaced(place, place.pipe(place.of_attacker / "out", ATTACKER))


def pipe_of_ours(place):
    path = place.pipe(place.shared / "out", place.user)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text(encoding="utf-8")))
    reader.start()
    run = place.run("-o", path, *READ)
    reader.join()
    expect(run.returncode == 0 and RESULT in read[0], f"{run.stderr} {read}")


def new_file(place):
    for number, (mask, mode) in enumerate(((0o022, 0o644), (0o077, 0o600), (0, 0o664))):
        path = place.shared / f"out-{number}"
        run = place.run("-o", path, *READ, mask=mask)
        expect(run.returncode == 0, run.stderr)
        expect(mode_of(path) == mode and path.stat().st_uid == place.user, f"{path.stat()}")
    expect(len(list(place.shared.iterdir())) == 3, "something was left beside it")


def file_of_ours(place):
    place.put(place.shared / "out", place.user, 0o640)
    expect_placed(place, place.shared / "out", place.user, 0o640)


def file_in_a_home(place):
    """Root writes into the home of a user: the file still belongs to that user."""
    path = place.put(place.of_attacker / "out", ATTACKER, 0o644)
    if place.user == ROOT_USER:
        expect_placed(place, path, ATTACKER, 0o644)
        return
    run = place.run("-o", path, *READ)
    expect(run.returncode == 1 and "Permission denied" in run.stderr, run.stderr)


def expect_no_state(place, state, words):
    run = place.run(*READ, state=state)
    expect_refused(place, run, words)
    expect(list(place.safe.iterdir()) == [place.victim], "something was made")


def state_link(place):
    place.link(place.shared / "state", place.safe, ATTACKER)
    expect_no_state(place, place.shared / "state", "is a link")
    expect_no_state(place, f"{place.shared}/state/", "is a link")


def state_link_of_ours(place):
    place.link(place.safe.parent / "state", place.safe, place.user)
    expect_no_state(place, place.root / "state", "is a link")


def state_link_on_the_way(place):
    place.link(place.shared / "way", place.safe, ATTACKER)
    expect_no_state(place, place.shared / "way/state", "may have put a link")


def state_of_attacker(place):
    expect_no_state(place, place.of_attacker, "belongs to another user")


def state_in_planted_directory(place):
    path = place.make("shared/planted", ATTACKER, 0o777)
    expect_no_state(place, path / "state", "may have put")
    expect_no_state(place, path / "more/state", "may have put")
    expect(not list(path.iterdir()), "something was made")


def state_in_open_directory(place):
    path = place.make("open/ours", place.user, 0o755)
    expect_no_state(place, path / "state", "may have put")


def state_for_all(place):
    for mode in (0o777, 0o770, 0o757):
        path = place.make(f"state-{mode:o}", place.user, mode)
        expect_no_state(place, path, "may be written by other users")


def usual_state_not_ours(place):
    """The directory was not given: the message names the option. Root heeds no environment."""
    if place.user == ROOT_USER:
        return
    run = place.start(*READ, env={"XDG_STATE_HOME": str(place.of_attacker)})
    expect(run.returncode == 4, f"status {run.returncode}: {run.stderr}")
    expect(run.stderr.endswith("; name another directory with --simulate-state\n"), run.stderr)


def state_with_more_rights(place):
    """A program with more rights than its caller, here a group, does not heed the environment."""
    if place.user == ROOT_USER or os.statvfs(place.root).f_flag & os.ST_NOSUID:
        return
    for mode, heeds in ((0o755, True), (0o2755, False)):
        place.program.chmod(mode)
        home = place.make(f"home-{mode:o}", place.user, 0o755)
        place.start(*READ, env={"XDG_STATE_HOME": str(home)})
        expect(bool(list(home.iterdir())) == heeds, f"mode {mode:o}: {list(home.iterdir())}")


def state_modes(place):
    for mask in (0, 0o022, 0o077):
        state = place.safe / f"state-{mask:o}"
        run = place.run(*SET, "-o", state=state, mask=mask)
        expect(run.returncode == 0, run.stderr)
        modes = {name: mode_of(state / name) for name in
                 (".", "state", "run", "run/lock", "run/cpu-map.json")}
        wanted = {".": 0o700, "state": 0o600, "run": 0o755, "run/lock": 0o600,
                  "run/cpu-map.json": 0o644}
        expect(modes == wanted, f"umask {mask:o}: {modes}")


def expect_same(run, wanted):
    """A reading command needs no run directory, and says nothing of one that it cannot use."""
    expect((run.returncode, run.stdout, run.stderr) ==
           (wanted.returncode, wanted.stdout, wanted.stderr), run.stderr)


def map_of_reader(place):
    """The first reading command that may write the map of CPUs does it; others go on without."""
    cpu_map = place.safe / "state/run/cpu-map.json"
    first = place.run(*READ)
    expect(first.returncode == 0, first.stderr)
    expect(mode_of(cpu_map) == 0o644, "no map")
    cpu_map.unlink()
    cpu_map.parent.chmod(0o500)
    expect_same(place.run(*READ), first)
    expect(cpu_map.exists() == (place.user == ROOT_USER), "who may write?")


def run_directory(place):
    """The run directory, in which lock and maps are, must be no other user's, either."""
    target = place.make("target", place.user, 0o755)
    first = place.run(*READ)
    shutil.rmtree(place.safe / "state/run")
    path = place.link(place.safe / "state/run", target, place.user)
    expect_same(place.run(*READ), first)
    run = place.run(*SET, "-o")
    expect(run.returncode == 1 and "no link is followed" in run.stderr, run.stderr)
    path.unlink()
    place.make("safe/state/run", place.user, 0o777)
    expect_same(place.run(*READ), first)
    run = place.run(*SET, "-o")
    expect(run.returncode == 4 and "others may write" in run.stderr, run.stderr)
    expect(not list(target.iterdir()) and not list(path.iterdir()), "something was made there")
    level = place.run("-o", "-", *READ)
    expect(RESULT in level.stdout, f"it was set all the same: {level.stdout}")


CASES = (link_in_shared, link_in_open, link_in_home, dangling_link, link_on_the_way,
         link_behind_a_link, link_of_ours, second_name_of_a_link, second_name_of_a_file,
         file_of_attacker, pipe_of_attacker, pipe_of_ours, new_file, file_of_ours, file_in_a_home,
         state_link, state_link_of_ours, state_link_on_the_way, state_of_attacker,
         state_in_planted_directory, state_in_open_directory, state_for_all,
         usual_state_not_ours, state_with_more_rights, state_modes, map_of_reader, run_directory)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIPPED: only root can be several users")
        return SKIP
    failed = 0
    for user in (ROOT_USER, VICTIM):
        for case in CASES:
            with tempfile.TemporaryDirectory() as directory:
                try:
                    case(Place(directory, arguments.program, user))
                except (Failure, subprocess.TimeoutExpired) as failure:
                    failed += 1
                    print(f"FAILED: {case.__name__} as user {user}: {failure}")
    print(f"{2 * len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
