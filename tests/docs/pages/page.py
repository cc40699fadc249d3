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
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PARTS = ("docs", "packaging", "platforms")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
# Without a machine of its own, what would touch the real one is refused. A state directory that a
# page names is that page's; else each machine has one. It is named from the working directory: where
# lines are folded must not depend on where that is.
WRAPPER = """\
#!/bin/sh
machine={machine} state=../state last=
[ "$PWD" = {work} ] || state={state}
for word; do
	[ "$last" != --simulate ] || machine=$word
	last=$word
done
state=$state/${{machine##*/}}
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
    A directory to work in, which has parts of the tree as its root has them, and the environment of
    a shell. Commands name their machine, or are for the one that is given here.
    """

    def __init__(self, program, directory, machine=""):
        self.directory = pathlib.Path(directory).resolve()
        self.work = self.directory / "work"
        self.state = self.directory / "state"
        self.bin = self.directory / "bin"
        for directory in (self.work, self.bin, self.state):
            directory.mkdir(mode=0o700)
        for name in PARTS:
            (self.work / name).symlink_to(ROOT / name)
        for name in ("isst", "intel-speed-select"):
            real = pathlib.Path(program).resolve().parent / name
            wrapper = self.bin / name
            wrapper.write_text(WRAPPER.format(program=shlex.quote(str(real)),
                                              machine=shlex.quote(machine),
                                              work=shlex.quote(str(self.work)),
                                              state=shlex.quote(str(self.state))),
                               encoding="utf-8")
            wrapper.chmod(0o755)

    def environment(self):
        env = {name: value for name, value in os.environ.items()
               if name.endswith("SAN_OPTIONS")}
        env.update(LC_ALL="C.UTF-8", HOME=str(self.directory),
                   PATH=f"{self.bin}:{os.environ['PATH']}")
        return env

    def disturb(self):
        """Sets each machine that there is to what no page begins with."""
        for state in self.state.iterdir():
            for words in (["cpufreq", "set", "--turbo", "off"], ["core-power", "enable"]):
                subprocess.run([self.bin / "isst", "--simulate", state.name, "--simulate-state",
                                state, *words], cwd=self.work, check=False,
                               stdin=subprocess.DEVNULL, capture_output=True)


def without_state(text):
    """What the program printed, its commands without the state directory of the place."""
    return re.sub(r" --simulate-state \.\./state/\S+", "", text)


@contextlib.contextmanager
def place(program, machine=""):
    with tempfile.TemporaryDirectory(prefix="isst-page-") as directory:
        yield Place(program, directory, machine)
