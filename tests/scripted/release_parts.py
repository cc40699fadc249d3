#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What scripts/release-parts promises, with a small table of parts in a tree of our own: which results
there are, what the log keeps, where a run goes on, and what an interrupted one leaves.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIP_STATUS = 77


def load():
    path = str(ROOT / "scripts/release-parts")
    loader = importlib.machinery.SourceFileLoader("release_parts", path)
    spec = importlib.util.spec_from_loader("release_parts", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
release = load()


def shell(name, script, **options):
    return release.Part(name, f"what {name} is", [release.command("sh", "-c", script)], **options)


# Each notes that it ran; "fails" fails until there is a file.
FAKES = (
    shell("good", "echo good >>build-release/ran"),
    shell("fails", "echo fails >>build-release/ran; [ -e build-release/repaired ]"),
    shell("cannot", "echo cannot >>build-release/ran; echo no such kernel; exit 77"),
    shell("counts", "echo counts >>build-release/ran; echo '12 passed, 0 failed'"),
    shell("slow", "echo $$ >build-release/pid; echo slow >>build-release/ran\n"
                  "[ -e build-release/quick ] || exec sleep 1000"),
    shell("last", "echo last >>build-release/ran"),
)


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="isst-release-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.build = self.root / "build-release"
        (self.root / ".gitignore").write_text("/build*/\n", encoding="utf-8")
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example", *words],
                              cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "t")

    def start(self, *words):
        return subprocess.Popen([sys.executable, __file__, "--fakes", str(self.root), *words],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run_fakes(self, *words):
        """(status, rows of the table by name, the last line)"""
        with self.start(*words) as process:
            output = process.communicate(timeout=60)[0]
        lines = output.splitlines()
        table = lines[-len(FAKES) - 1:]
        return process.returncode, {line.split()[0]: line for line in table[:-1]}, lines[-1]

    def ran(self):
        """What ran since the last call."""
        path = self.build / "ran"
        names = path.read_text(encoding="utf-8").split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def lines(self):
        return [line.split("\t") for line in
                (self.build / "parts.log").read_text(encoding="utf-8").splitlines()]

    def interrupt(self, number):
        """A run that is stopped while "slow" runs."""
        with self.start() as process:
            deadline = time.monotonic() + 60
            while "slow" not in (self.build / "ran").read_text(encoding="utf-8") \
                    if (self.build / "ran").exists() else True:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            process.send_signal(number)
            process.communicate(timeout=60)
        return process.returncode

    def make_quick(self):
        self.build.mkdir(exist_ok=True)
        (self.build / "quick").touch()


class Runs(Tree):
    def test_table_without_a_run(self):
        status, table, last = self.run_fakes("--table")
        self.assertEqual(status, 1)
        self.assertEqual(list(table), [part.name for part in FAKES])
        for row in table.values():
            self.assertIn("not seen", row)
        self.assertIn("0 of 6 parts passed, 0 failed, 0 not run, 6 not seen", last)
        self.assertEqual(self.ran(), [])

    def test_results(self):
        self.make_quick()
        status, table, last = self.run_fakes()
        self.assertEqual(status, 1)
        self.assertIn("4 of 6 parts passed, 1 failed, 1 not run, 0 not seen", last)
        self.assertRegex(table["good"], r"passed +0 s +1 tests")
        self.assertRegex(table["counts"], r"passed +0 s +12 tests")
        self.assertRegex(table["cannot"], r"not run +0 s +1 of 1: no such kernel")
        self.assertRegex(table["fails"], r"failed +0 s +1 of 1")
        head = self.git("rev-parse", "HEAD").strip()
        self.assertEqual([line[:4] for line in self.lines()],
                         [["good", head, "passed", "0"], ["fails", head, "failed", "0"],
                          ["cannot", head, "not run", "0"], ["counts", head, "passed", "0"],
                          ["slow", head, "passed", "0"], ["last", head, "passed", "0"]])

    def test_goes_on_with_what_did_not_pass(self):
        self.make_quick()
        self.run_fakes()
        self.ran()
        (self.build / "repaired").touch()
        _, table, _ = self.run_fakes()
        self.assertEqual(self.ran(), ["fails", "cannot"])
        self.assertIn("passed", table["fails"])

    def test_unseen_parts_come_before_failed_ones(self):
        self.make_quick()
        self.run_fakes("--parts", "fails", "good")
        self.assertEqual(self.ran(), ["good", "fails"])
        self.run_fakes()
        self.assertEqual(self.ran(), ["cannot", "counts", "slow", "last", "fails"])

    def test_named_parts_run_again(self):
        self.run_fakes("--parts", "good")
        self.run_fakes("--parts", "good")
        self.assertEqual(self.ran(), ["good", "good"])

    def test_status_is_0_if_all_passed(self):
        self.make_quick()
        (self.build / "repaired").touch()
        self.run_fakes()
        log = self.build / "parts.log"
        text = log.read_text(encoding="utf-8")
        log.write_text(text.replace("not run", "passed"), encoding="utf-8")
        self.assertEqual(self.run_fakes("--table")[0], 0)

    def test_unknown_part(self):
        self.assertEqual(self.run_fakes("--parts", "nothing")[0], 2)


class Commits(Tree):
    def run_here(self, part):
        log = release.Log(self.build / "parts.log")
        self.addCleanup(log.file.close)
        with contextlib.redirect_stdout(io.StringIO()):
            release.run_parts([part], log, self.root, "no")

    def test_other_commit_is_not_seen(self):
        self.run_fakes("--parts", "good")
        self.commit()
        _, table, _ = self.run_fakes("--table")
        self.assertRegex(table["good"], r"not seen +passed on [0-9a-f]{12}$")

    def test_changes_are_another_commit(self):
        self.run_fakes("--parts", "good")
        for name in (".gitignore", "new"):
            with (self.root / name).open("a", encoding="utf-8") as file:
                file.write("# changed\n")
            self.assertIn("not seen", self.run_fakes("--table")[1]["good"])
            self.run_fakes("--parts", "good")
            self.assertIn("passed", self.run_fakes("--table")[1]["good"])
        self.assertEqual(len({line[1] for line in self.lines()}), 3)
        self.git("checkout", "-q", ".")
        (self.root / "new").unlink()
        self.assertIn("passed  ", self.run_fakes("--table")[1]["good"])

    def test_sources_that_change_meanwhile(self):
        self.run_here(shell("changes", "echo x >new"))
        self.assertEqual(self.lines()[0][2], "failed")

    def test_what_needs_a_commit(self):
        (self.root / "new").touch()
        self.run_here(shell("archive", "true", needs_commit=True))
        self.assertEqual(self.lines()[0][2], "not run")


class Benchmarks(Tree):
    """Meson runs benchmarks one after another: a part has one of its runs for each core."""
    def test_each_runs_once(self):
        (self.root / "meson.build").write_text(
            "project('t', meson_version: '>= 1.0')\nsh = find_program('sh')\n"
            "foreach name : ['a', 'b', 'c', 'd']\n"
            "  benchmark(name, sh, suite: 'mine', args: ['-c', 'echo $0 >>$1', name,\n"
            "            meson.project_source_root() / 'build-release/ran'])\n"
            "endforeach\n"
            "benchmark('other', sh, suite: 'others', args: ['-c', 'exit 1'])\n"
            "benchmark('fails', sh, suite: 'failing', args: ['-c', 'exit 1'])\n", encoding="utf-8")
        self.commit()
        self.build.mkdir()
        part = release.Part("t", "t", [release.benchmarks("mine")])
        self.assertEqual(release.Runner(self.root, part, "no").carry_out(), ("passed", "4 tests"))
        self.assertEqual(sorted(self.ran()), ["a", "b", "c", "d"])
        part = release.Part("t", "t", [release.benchmarks("failing", "mine")])
        self.assertEqual(release.Runner(self.root, part, "no").carry_out(),
                         ("failed", "1 of 5: t:failing / fails"))
        part = release.Part("t", "t", [release.benchmarks("none")])
        self.assertEqual(release.Runner(self.root, part, "no").carry_out()[0], "failed")


class Interrupted(Tree):
    def wait_until_gone(self, process):
        """The process that inherits a killed one may collect it later."""
        deadline = time.monotonic() + 30
        while pathlib.Path(f"/proc/{process}").exists():
            self.assertLess(time.monotonic(), deadline, "the part is still running")
            time.sleep(0.05)

    def test_goes_on_where_it_was_stopped(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                self.assertEqual(self.interrupt(number), 130)
                self.assertIn("slow", self.ran())
                self.assertEqual([line[0] for line in self.lines()][:4],
                                 ["good", "fails", "cannot", "counts"])
                self.assertNotIn("slow", [line[0] for line in self.lines()])
                self.wait_until_gone(int((self.build / "pid").read_text(encoding="utf-8")))
        self.make_quick()
        self.run_fakes()
        self.assertEqual(self.ran(), ["slow", "last", "fails", "cannot"])

    def test_stopped_while_a_command_starts(self):
        """The signal comes when the command runs and before anybody knows its process."""
        processes = []

        class Stopped(subprocess.Popen):
            def __init__(self, *words, **options):
                super().__init__(*words, **options)
                processes.append(self)
                os.kill(os.getpid(), signal.SIGTERM)

        for number in release.SIGNALS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        runner = release.Runner(self.root, shell("slow", ""), "no")
        with mock.patch.object(release.subprocess, "Popen", Stopped), \
                self.assertRaises(KeyboardInterrupt):
            runner.run_together([["sleep", "1000"]])
        [process] = processes
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(timeout=1), -signal.SIGTERM)

    def test_line_that_was_cut(self):
        self.run_fakes("--parts", "good")
        with (self.build / "parts.log").open("a", encoding="utf-8") as log:
            log.write("counts\tabc")
        self.run_fakes("--parts", "last")
        _, table, last = self.run_fakes("--table")
        self.assertIn("2 of 6 parts passed, 0 failed", last)
        self.assertIn("not seen", table["counts"])

    def test_remark_of_many_reasons(self):
        self.run_fakes("--parts", "good")
        log = release.Log(self.build / "parts.log")
        self.addCleanup(log.file.close)
        log.add("last", "commit", release.FAILED, 1, "a reason of 20 chars " * 1000)
        self.assertEqual(self.lines()[0][0], "good")
        remark = log.results()["last"]["commit"][2]
        self.assertTrue(remark.startswith("a reason of 20 chars a reason"))
        self.assertTrue(remark.endswith(" ..."))
        self.assertLess(len(remark), 500)

    def test_one_run_at_a_time(self):
        log = release.Log(self.build / "parts.log")
        self.addCleanup(log.file.close)
        log.lock()
        self.assertNotEqual(self.run_fakes("--parts", "good")[0], 0)
        self.assertEqual(self.ran(), [])


class Table(unittest.TestCase):
    # fuzz-long, mutants: run by their commands; vm-kernels: a part for each.
    OTHERWISE = {"fuzz-long", "mutants", "vm-kernels"}

    def test_every_slow_suite_is_in_a_part(self):
        files = (ROOT / "tests").rglob("meson.build")
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        suites = set(re.findall(r"benchmark\([^)]*?suite: '([^']+)'", text))
        self.assertGreater(len(suites), 10)
        words = {word for part in release.PARTS for step in part.steps for word in step.words}
        self.assertEqual(suites - words - self.OTHERWISE, set())

    def test_commands_can_be_run(self):
        paths = [step.words[0] for part in release.PARTS for step in part.steps
                 if isinstance(step, release.Command)]
        self.assertGreater(len(paths), 4)
        self.assertEqual([path for path in paths if not os.access(ROOT / path, os.X_OK)], [])

    def test_names_differ(self):
        names = [part.name for part in release.PARTS]
        self.assertEqual(len(set(names)), len(names))


class Counting(unittest.TestCase):
    def judge_meson(self, *results):
        tests = release.Tests()
        tests.add_meson_log("".join(
            f'{{"name": "t{i}", "result": "{result}", "stdout": "SKIPPED: install qemu\\n"}}\n'
            for i, result in enumerate(results)))
        return tests.judge()

    def judge_command(self, status, output):
        tests = release.Tests()
        tests.add_command(status, output, "it")
        return tests.judge()

    def test_logs_of_meson(self):
        self.assertEqual(self.judge_meson(), ("failed", "no test ran"))
        self.assertEqual(self.judge_meson("OK", "OK"), ("passed", "2 tests"))
        self.assertEqual(self.judge_meson("OK", "TIMEOUT", "SKIP"), ("failed", "1 of 3: t1"))
        self.assertEqual(self.judge_meson("OK", "SKIP", "SKIP"),
                         ("not run", "2 of 3: install qemu"))

    def test_commands(self):
        self.assertEqual(self.judge_command(0, "0 passed, 0 failed\n"), ("failed", "no test ran"))
        self.assertEqual(self.judge_command(0, "a\n3 passed, 0 failed\n"), ("passed", "3 tests"))
        self.assertEqual(self.judge_command(1, "3 passed, 2 failed"), ("failed", "2 of 5: it"))
        self.assertEqual(self.judge_command(1, "3 passed, 0 failed"), ("failed", "1 of 4: it"))
        self.assertEqual(self.judge_command(0, "SKIPPED: install x\n3 passed, 0 failed, 1 skipped"),
                         ("not run", "1 of 4: install x"))
        self.assertEqual(self.judge_command(SKIP_STATUS, "no kvm"), ("not run", "1 of 1: no kvm"))
        self.assertEqual(self.judge_command(0, ""), ("passed", "1 tests"))

    def test_packages_that_are_missing(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "build-release").mkdir()
            shutil.copytree(ROOT / "scripts", root / "scripts")
            if not shutil.which("dpkg-query"):
                self.skipTest("not Debian")
            part = shell("wants", "true", packages=("dpkg", "isst-no-such-package"))
            self.assertEqual(release.Runner(root, part, "no").carry_out(),
                             ("not run", "packages: isst-no-such-package"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fakes"]:
        sys.exit(release.main(sys.argv[3:], FAKES, pathlib.Path(sys.argv[2])))
    if not shutil.which("git"):
        print("SKIPPED: install git")
        sys.exit(SKIP_STATUS)
    # A repository of the caller, as in a hook, is not ours.
    for variable in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[variable]
    unittest.main()
