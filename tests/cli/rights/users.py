# SPDX-License-Identifier: GPL-2.0-only
"""
A place that several users share: a victim, who runs the program, and an attacker, who was there
before. The program is a copy that all of them may run.
"""

import os
import pathlib
import shutil
import stat
import subprocess

ROOT_USER, VICTIM, ATTACKER = 0, 4321, 4322
DEADLINE_S = 60


class Place:
    """
    shared/ is for everybody, and sticky; open/ for everybody, and not; of_attacker/ is the
    attacker's, as a home is; safe/ is the user's who runs the program, and so is victim in it.
    """

    def __init__(self, directory, program, user):
        self.root = pathlib.Path(directory)
        self.user = user
        self.root.chmod(0o755)
        self.program = self.root / "isst"
        shutil.copy(program, self.program)
        self.program.chmod(0o755)
        self.shared = self.make("shared", ROOT_USER, 0o1777)
        self.open = self.make("open", ROOT_USER, 0o777)
        self.of_attacker = self.make("of_attacker", ATTACKER, 0o755)
        self.safe = self.make("safe", user, 0o755)
        self.victim = self.put(self.safe / "victim", user, 0o600)

    def make(self, name, owner, mode):
        path = self.root / name
        path.mkdir()
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    @staticmethod
    def put(path, owner, mode, text="precious\n"):
        path.write_text(text, encoding="utf-8")
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    @staticmethod
    def link(path, target, owner):
        path.symlink_to(target)
        os.lchown(path, owner, owner)
        return path

    @staticmethod
    def pipe(path, owner):
        os.mkfifo(path)
        os.chown(path, owner, owner)
        path.chmod(0o666)
        return path

    def run(self, *argv, state=None, mask=0o022, **more):
        """Runs the program as the user of the place; a run that hangs fails the test."""
        return self.start("--simulate-state", state or self.safe / "state", *argv, mask=mask, **more)

    def start(self, *argv, mask=0o022, **more):
        """The same, with the state where the program keeps it without the option."""
        command = [self.program, "--simulate", "guide", *argv]
        return subprocess.run(command, user=self.user, group=self.user, extra_groups=[],
                              umask=mask, cwd=self.root, capture_output=True, text=True,
                              timeout=DEADLINE_S, check=False, **more)


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)
