# SPDX-License-Identifier: GPL-2.0-only
"""
What the tests of docs have in common: the code blocks of a page, and a place to try them in, where
the program has its usual names and keeps simulated machines to itself.
"""

import contextlib
import os
import pathlib
import re
import shlex
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PARTS = ("docs", "packaging", "platforms")
NEAR_STATE = "../state"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
# Without a machine of its own, what would touch the real one is refused. A state directory that a
# page names is that page's. The other is named from the working directory: where lines are folded
# must not depend on where that is.
WRAPPER = """\
#!/bin/sh
machine={machine} state={state}
[ "$PWD" != {work} ] || state={near_state}
case " $* " in
*" --simulate-state"* | *" --help "* | *" --version "* | *" --list-platforms "*) ;;
*" --simulate "*) set -- --simulate-state "$state" "$@" ;;
*)
	[ -n "$machine" ] || {{ echo "$0 $*: not on a simulated machine" >&2 && exit 99; }}
	set -- --simulate "$machine" --simulate-state "$state" "$@"
	;;
esac
exec {program} "$@"
"""


def blocks(text, language):
    """The texts of the fenced blocks of one language, in order."""
    return [match[2] for match in BLOCK.finditer(text) if match[1] == language]


class Place:
    """
    A directory to work in, with parts of the tree, and the environment of a shell. Commands
    name their machine, or are for the one that is given here.
    """

    def __init__(self, program, directory, machine=""):
        self.directory = pathlib.Path(directory).resolve()
        self.work = self.directory / "work"
        self.state = self.directory / "state"
        self.bin = self.directory / "bin"
        self.work.mkdir()
        self.bin.mkdir()
        for name in PARTS:
            (self.work / name).symlink_to(ROOT / name)
        (self.work / "examples").symlink_to(ROOT / "docs/examples")
        for name in ("isst", "intel-speed-select"):
            real = pathlib.Path(program).resolve().parent / name
            wrapper = self.bin / name
            wrapper.write_text(WRAPPER.format(program=shlex.quote(str(real)),
                                              machine=shlex.quote(machine),
                                              work=shlex.quote(str(self.work)),
                                              near_state=NEAR_STATE,
                                              state=shlex.quote(str(self.state))),
                               encoding="utf-8")
            wrapper.chmod(0o755)

    def environment(self):
        env = {name: value for name, value in os.environ.items()
               if name.endswith("SAN_OPTIONS")}
        env.update(LC_ALL="C.UTF-8", HOME=str(self.directory),
                   PATH=f"{self.bin}:{os.environ['PATH']}")
        return env


def without_state(text):
    """What the program printed, its commands without the state directory of the place."""
    return text.replace(f" --simulate-state {NEAR_STATE}", "")


@contextlib.contextmanager
def place(program, machine=""):
    with tempfile.TemporaryDirectory(prefix="isst-page-") as directory:
        yield Place(program, directory, machine)
