# SPDX-License-Identifier: GPL-2.0-only
"""A place with the program, its completions where a system has them, and a directory to work in."""

import os
import pathlib
import shutil

import cases

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Sandbox:
    """Everything is in one directory, which belongs to the test."""

    def __init__(self, directory, program):
        self.root = pathlib.Path(directory)
        self.programs = self.root / "build/src"
        self.share = self.root / "share"
        self.work = self.root / "work"
        self.home = self.root / "home"
        for path in (self.programs, self.work / "sub dir", self.home):
            path.mkdir(parents=True)
        shutil.copy(program, self.programs / "intel-speed-select")
        (self.programs / "isst").symlink_to("intel-speed-select")
        (self.work / "levels.json").touch()
        # A copy of the build tree's layout, which is where a program finds platforms by name.
        platforms = self.root / "build/platforms"
        platforms.mkdir()
        shutil.copy(ROOT / "platforms/guide.json", platforms / f"{cases.ODD}.json")
        self.install()

    def install(self):
        """The completions, under the names that completions/meson.build gives them."""
        source = ROOT / "completions"
        for name in ("isst", "intel-speed-select"):
            self.put(source / "intel-speed-select.bash", f"bash-completion/completions/{name}")
            self.put(source / "intel-speed-select.fish", f"fish/vendor_completions.d/{name}.fish")
        self.put(source / "_intel-speed-select", "zsh/site-functions/_intel-speed-select")

    def put(self, source, where):
        path = self.share / where
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, path)

    def environment(self, **more):
        return {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.home),
                "LC_ALL": "C.UTF-8", "TERM": "vt100", "INPUTRC": "/dev/null",
                "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), **more}

    def is_clean(self):
        """Whether no completion ran what stood in a word."""
        return not any(self.root.rglob("planted"))
