# SPDX-License-Identifier: GPL-2.0-only
"""Runs the built program on a simulated machine: by --simulate, or through the stand-in device."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile

TIMEOUT_S = 120


# What marks results of a simulated machine: a line, a member of JSON, options of printed commands.
MARK_LINE = re.compile(r"^(?:simulated machine|recording of) .*\n", re.M)
MARK_MEMBER = re.compile(r'^\{\n  "simulated": ".*"(?:,\n|\n(?=\}))', re.M)
MARK_OPTIONS = re.compile(r" --simulate \S+(?: --simulate-state \S+)?(?= )")


def unmarked(text):
    """Results without the mark of a simulated machine, and commands without its options."""
    text = MARK_OPTIONS.sub("", text)
    return MARK_MEMBER.sub("{\n", MARK_LINE.sub("", text)).replace("{\n}\n", "{}\n")


def one_of_each(cases):
    """The first case of each command, format and status; for slow runs."""
    chosen = {}
    for case in cases:
        words = [word for word in case["argv"]
                 if re.fullmatch("[a-z][a-z-]*", word) and word not in ("json", "text")]
        chosen.setdefault((*words[:2], "json" in case["argv"], case.get("status")), case)
    return list(chosen.values())


class Failure(Exception):
    """What the program did is not right."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def paste(program, commands):
    """Runs commands as they were printed, in a shell whose isst is the program."""
    with tempfile.TemporaryDirectory(prefix="isst-bin-") as directory:
        (pathlib.Path(directory) / "isst").symlink_to(pathlib.Path(program).resolve())
        return subprocess.run(["sh", "-e", "-c", commands], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"},
                              timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)


class Run:
    """What one run of the program left behind."""

    def __init__(self, process, out):
        self.status = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.out = out


class Machine:
    """
    One simulated machine with a state directory of its own. Through the stand-in its kernel files
    are those that make_tree writes once (whole: all of each CPU), or, without make_tree, as they
    are at any moment. near: the program runs in the directory and its options name the machine from
    there, so that commands that it prints do not depend on where the directory is.
    """

    def __init__(self, directory, platform, standin=None, make_tree=None, whole=False, near=False):
        self.directory = pathlib.Path(directory)
        self.platform = pathlib.Path(platform).resolve() if platform else None
        self.standin = pathlib.Path(standin).resolve() if standin else None
        self.state = self.directory / "state"
        self.out = self.directory / "out"
        self.root = self.directory / "root"
        self.extra = {}  # more for the stand-in's environment
        self.near = near and platform and not standin
        self.live = bool(standin) and not make_tree
        if self.near and self.platform.parent != self.directory.resolve():
            (self.directory / self.platform.name).symlink_to(self.platform)
        if self.standin:
            self.state.mkdir(mode=0o700)
        if self.live:
            (self.root / "run").mkdir(parents=True)
        elif self.standin:
            subprocess.run([make_tree, self.platform, self.state, self.root,
                            *(["whole"] if whole else [])], check=True, timeout=TIMEOUT_S)

    def banner(self):
        """The two lines that open text output on stdout."""
        model = json.loads(self.platform.read_text(encoding="utf-8"))["cpu"]["model"]
        return ("Intel(R) Speed Select Technology\n"
                f"Executing on CPU model:{model}[0x{model:x}]\n")

    def environment(self, log=None):
        env = {name: value for name, value in os.environ.items()
               if name == "PATH" or name.endswith("SAN_OPTIONS")}
        env["LC_ALL"] = "C"
        if not self.standin:
            return env
        sanitizer = env.get("ASAN_OPTIONS")
        env.update(LD_PRELOAD=str(self.standin), ISST_STANDIN_PLATFORM=str(self.platform),
                   ISST_STANDIN_STATE=str(self.state), ISST_STANDIN_ROOT=str(self.root),
                   ASAN_OPTIONS=f"{sanitizer + ':' if sanitizer else ''}verify_asan_link_order=0")
        if self.live:
            env["ISST_STANDIN_LIVE"] = "1"
        if log:
            env["ISST_STANDIN_LOG"] = str(log)
        env.update(self.extra)
        return env

    def command(self, program, argv):
        """The whole command line for argv on this machine."""
        if self.standin or not self.platform:
            return [str(program), *argv]
        if self.near:
            return [os.path.abspath(program), "--simulate", self.platform.name,
                    "--simulate-state", self.state.name, *argv]
        return [str(program), "--simulate", str(self.platform), "--simulate-state",
                str(self.state), *argv]

    def run(self, program, argv, log=None, wrap=None):
        """
        Runs argv. wrap is for tracers: from the program's environment it makes the command to put
        in front and the environment of that.
        """
        self.out.unlink(missing_ok=True)
        env = self.environment(log)
        prefix, env = wrap(env) if wrap else ([], env)
        process = subprocess.run([*prefix, *self.command(program, argv)], env=env,
                                 capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                                 stdin=subprocess.DEVNULL,
                                 cwd=self.directory if self.near else None)
        out = self.out.read_text(encoding="utf-8") if self.out.exists() else None
        return Run(process, out)


def temporary_directory():
    return tempfile.TemporaryDirectory(prefix="isst-test-")


def passes(check, make_lab):
    """Does it pass on a lab of its own, or is there none?"""
    with temporary_directory() as directory:
        lab = make_lab(check, directory)
        if lab is None:
            return True
        try:
            check(lab)
            print(f"{check.__name__}: passed")
            return True
        except (Failure, subprocess.TimeoutExpired) as failure:
            print(f"FAILED: {check.__name__}: {failure}")
            return False
        finally:
            getattr(lab, "close", int)()


def run_checks(checks, only, make_lab, together=1):
    """
    Runs each check, or the one of that name, on a lab that make_lab(check, directory) makes, or not
    if that is None; so many together. Returns the status of the test.
    """
    chosen = [check for check in checks if only in (None, check.__name__)]
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        results = list(pool.map(lambda check: passes(check, make_lab), chosen))
    return 0 if all(results) else 1
