#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tests of docs have tests of their own: each is shown something that it must find."""

import pathlib
import tempfile
import unittest

import page
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

    def test_keeps_to_simulated_machines(self):
        self.refused("$ isst cpufreq info\n", "ends with 99")
        self.refused("$ intel-speed-select --info\n", "ends with 99")


class Blocks(unittest.TestCase):
    def test_by_language(self):
        text = "```sh\na\n```\nprose\n```python\nb\n\nc\n```\n```sh\nd\n```\n    ```sh\n    e\n"
        self.assertEqual(page.blocks(text, "sh"), ["a\n", "d\n"])
        self.assertEqual(page.blocks(text, "python"), ["b\n\nc\n"])


if __name__ == "__main__":
    unittest.main()
