# SPDX-License-Identifier: GPL-2.0-only
"""A simulated machine that can be copied, commands that are killed there, and all that it shows."""

import contextlib
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position
from machine import Failure, expect  # noqa: E402,F401 pylint: disable=wrong-import-position

HEADER_BYTES = 48  # of the simulator's state file: a checksum, and the number of writes
KILLED = -9
PER_RUN = ("boot-id", "time")


class Lab:
    """A machine with a state directory of its own."""

    def __init__(self, arguments, directory, platform, name="lab"):
        self.arguments, self.platform = arguments, platform
        directory = pathlib.Path(directory) / name
        directory.mkdir()
        self.box = machine.Machine(directory, platform)
        self.journal = self.box.state / "run/journal"
        self.log = directory / "moments"

    def copy(self, name):
        """A machine that is in the same state, for a while."""
        lab = Lab(self.arguments, self.box.directory.parent, self.platform, name)
        shutil.copytree(self.box.state, lab.box.state)
        return contextlib.closing(lab)

    def close(self):
        shutil.rmtree(self.box.directory)

    def run(self, *argv, killer=None, status=0):
        """Runs it, with what the killer is to do: at, full_at, how. status None: any."""
        environment = {f"ISST_KILLER_{name.upper()}": str(value)
                       for name, value in (killer or {}).items()}
        preload = {"LD_PRELOAD": str(self.arguments.killer.resolve()),
                   "ASAN_OPTIONS": "verify_asan_link_order=0", **environment} if killer else {}
        run = self.box.run(self.arguments.program, ["-o", str(self.box.out), *argv],
                           wrap=lambda env: ([], {**env, **preload}))
        expect(status is None or run.status == status,
               f"{argv}: status {run.status}, not {status}: {run.stderr}{run.out}")
        return run

    def moments(self, *argv, status=None):
        """Runs it, and returns the kinds of its moments and the run."""
        self.log.unlink(missing_ok=True)
        run = self.run(*argv, killer={"log": self.log}, status=status)
        kinds = self.log.read_text(encoding="utf-8").split() if self.log.exists() else []
        return kinds, run

    def lines(self):
        """The whole lines of the journal."""
        if not self.journal.exists():
            return []
        return [json.loads(line) for line in
                self.journal.read_text(encoding="utf-8").splitlines(keepends=True)
                if line.endswith("\n")]

    def groups(self):
        """The simulated control groups; files of the root come with use."""
        top = self.box.state / "cgroup"
        return sorted((str(path.relative_to(top)),
                       path.read_text("utf-8") if path.is_file() else None)
                      for path in top.rglob("*") if path.is_dir() or path.parent != top)

    def raw(self):
        """Settings of the simulated machine byte by byte, its groups, and no counters."""
        return (self.box.state / "state").read_bytes()[HEADER_BYTES:], self.groups()

    def look(self):
        """All that can be read: the exported state, and a recording of files and registers. The map
        of CPUs is what the program remembers of the machine."""
        self.run("state", "export", status=None)
        exported = (self.box.out.read_text("utf-8") if self.box.out.exists() else "")
        self.run("machine", "record", status=None)
        recorded = self.box.out.read_text("utf-8") if self.box.out.exists() else ""
        return [line for text in (exported, recorded) for line in text.splitlines()
                if "generated" not in line and "time" not in line and '"cpu_map"' not in line
                and "cgroup.subtree_control" not in line] + self.groups()


def is_alike(one, other):
    """Are two machines in the same state? What cannot be read does not count."""
    left, right = one.raw(), other.raw()
    size = min(len(left[0]), len(right[0]))
    return ((left[0][:size], left[1]) == (right[0][:size], right[1])
            or one.look() == other.look())


def differences(one, other):
    """The first lines that differ, of a recording if the exported state does not."""
    left, right = one.look(), other.look()
    return "; ".join([f"lacks {line}" for line in left if line not in right][:2] +
                     [f"has {line}" for line in right if line not in left][:2])
