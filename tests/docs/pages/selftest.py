#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tests of docs have tests of their own: each is shown something that it must find."""

import pathlib
import tempfile
import time
import unittest

import examples
import page
import plain_yaml
import provisioning
import transcript

PAGE = """\
Words.

```console
$ isst --simulate guide one
an old answer
$ isst --simulate guide fail
$ echo $?
```

    $ not run

```console
$ isst --simulate guide two | tr t T
```
"""
FILLED = """\
Words.

```console
$ isst --simulate guide one
one
$ isst --simulate guide fail
no
$ echo $?
3
```

    $ not run

```console
$ isst --simulate guide two | tr t T
Two
```
"""
PROGRAM = """\
#!/bin/sh
for word; do :; done
[ "$word" != fail ] || { echo no >&2; exit 3; }
echo "$word"
"""


class WithProgram(unittest.TestCase):
    """Tests with a program that says its last word, and fails if that is fail."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="isst-page-")  # pylint: disable=R1732
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        for name in ("isst", "intel-speed-select"):
            (self.directory / name).write_text(PROGRAM, encoding="utf-8")
            (self.directory / name).chmod(0o755)
        self.program = self.directory / "intel-speed-select"


class Transcript(WithProgram):
    def test_fills_in_the_answers(self):
        self.assertEqual(transcript.renewed(self.program, PAGE), FILLED)
        self.assertEqual(transcript.renewed(self.program, FILLED), FILLED)

    def refused(self, block, words):
        with self.assertRaisesRegex(transcript.Wrong, words):
            transcript.renewed(self.program, f"```console\n{block}```\n")

    def test_refuses_what_it_cannot_show(self):
        self.refused("", "does not begin with a command")
        self.refused("one\n$ isst\n", "does not begin with a command")
        self.refused("$ isst --simulate guide fail\n$ true\n", "ends with 3")
        self.refused("$ isst --simulate guide fail\n", "ends with 3")
        self.refused("$ exit 0\n$ true\n", "the shell ended after 0")
        with self.assertRaisesRegex(transcript.Wrong, "no command"):
            transcript.renewed(self.program, "    $ indented\n")

    def test_refuses_what_depends_on_what_was_left(self):
        self.refused("$ ls left 2>/dev/null || echo none\n$ touch left\n", "depends on")

    def test_keeps_to_simulated_machines(self):
        self.refused("$ isst cpufreq info\n", "ends with 99")
        self.refused("$ intel-speed-select --info\n", "ends with 99")

    def test_leaves_nothing_running(self):
        path = self.directory / "pid"
        command = f"(sleep 1000 >log 2>&1 & echo $! >{path})"
        transcript.renewed(self.program, f"```console\n$ {command}\n```\n")
        pid = int(path.read_text(encoding="utf-8"))
        status = pathlib.Path(f"/proc/{pid}/stat")
        for _ in range(100):
            if not status.exists() or status.read_text(encoding="utf-8").split()[2] == "Z":
                return
            time.sleep(0.05)
        self.fail("it goes on")


class Blocks(unittest.TestCase):
    def test_by_language(self):
        text = "```sh\na\n```\nprose\n```python\nb\n\nc\n```\n```sh\nd\n```\n    ```sh\n    e\n"
        self.assertEqual(page.blocks(text, "sh"), ["a\n", "d\n"])
        self.assertEqual(page.blocks(text, "python"), ["b\n\nc\n"])


class PlainYaml(unittest.TestCase):
    def test_reads(self):
        text = ("- name: a\n  b.c:\n    d: 'e: f'\n    g: -5\n\n  when: x == \"y\" and z\n"
                "- name: h\n  i:\n    - j k\n    - -l 1\n  m: true\n  n: [0, 3]\n")
        self.assertEqual(plain_yaml.read(text), [
            {"name": "a", "b.c": {"d": "e: f", "g": -5}, "when": 'x == "y" and z'},
            {"name": "h", "i": ["j k", "-l 1"], "m": True, "n": [0, 3]}])

    def test_refuses_what_it_does_not_know(self):
        for text in ("a:\n", "a: |\n  b\n", "a: b: c\n", "a: 'b' c\n", "a: b\na: c\n",
                     "a: b\n  c: d\n", "- a\nb: c\n", "a: {b: c}\n", "a: b # c\n",
                     "  a: b\nc: d\n", "a: 'b\n"):
            with self.subTest(text=text), self.assertRaises(plain_yaml.Wrong):
                plain_yaml.read(text)


class Playbook(WithProgram):
    """What decides about a task."""

    def play(self, is_check=False, **members):
        task = {provisioning.COMMAND: {"cmd": "isst --simulate guide {{ setting }}"},
                "register": "run", **members}
        with page.place(self.program) as place:
            host = provisioning.Host(place, is_check)
            host.play([task], ["one", members.get("name", "two")])
        return host.changed, len(host.failed)

    def test_as_ansible_does(self):
        self.assertEqual(self.play(), (2, 0))
        self.assertEqual(self.play(True), (0, 0))
        self.assertEqual(self.play(True, check_mode=False), (2, 0))
        self.assertEqual(self.play(changed_when="'one' in run.stdout"), (1, 0))
        self.assertEqual(self.play(changed_when=False), (0, 0))
        self.assertEqual(self.play(when="ansible_check_mode"), (0, 0))
        self.assertEqual(self.play(name="fail"), (1, 1))
        self.assertEqual(self.play(name="fail", failed_when="run.rc not in [0, 3]"), (2, 0))
        self.assertEqual(self.play(until="run.rc != 0"), (0, 1))

    def test_refuses_what_it_does_not_know(self):
        with self.assertRaisesRegex(provisioning.Wrong, "become_user"):
            self.play(become_user="root")


class Examples(WithProgram):
    """An example must pass with the program and notice one that only pretends."""

    PASSES = "test \"$(isst --simulate guide one)\" = one\n"

    def problems(self, text):
        with tempfile.TemporaryDirectory(prefix="isst-pretender-") as directory:
            pretender = examples.make_pretender(directory)
            return list(examples.problems_of("example.sh", text, self.program, pretender))

    def test_both_ways(self):
        self.assertEqual(self.problems(self.PASSES), [])
        self.assertRegex(self.problems("isst --simulate guide fail\n")[0], "fails:\nno\n")
        self.assertRegex(self.problems("isst --simulate guide one\n")[0], "nothing is done")

    def test_reads_unittest(self):
        said = ("test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b)\nWords. ... FAIL\n"
                "test_c (m.T.test_c) ... a message\nok\n")
        self.assertEqual(examples.unit_tests(said),
                         {"test_a": "ok", "test_b": "FAIL", "test_c": "ok"})


if __name__ == "__main__":
    unittest.main()
