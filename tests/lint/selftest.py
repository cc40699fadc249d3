#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The test machinery's own tests: each check is shown something that it must find."""

import io
import pathlib
import socket
import struct
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / name)
                for name in ("cli/golden", "cli/counts", "docs/manual", "slow/vm")]
# pylint: disable=wrong-import-position
import citations
import counts
import examples
import layering
import messages
import page
import pages
import qemu
import sizes
import source
import tree
import words

TEXT = """\
Information: just base-config level 0 is valid
 package-0
  die-0
    cpu-0
      perf-profile-level-0
        cpu-count:28
        bucket-0
          core-count:2
 package-1
  die-1
    powerdomain-3
      cpu-None
        get-lock-status:locked
"""
TREE = {
    "Information:0": {"message": "just base-config level 0 is valid"},
    "package-0:die-0:cpu-0": {
        "perf-profile-level-0": {"cpu-count": "28", "bucket-0": {"core-count": "2"}}},
    "package-1:die-1:powerdomain-3:cpu-None": {"get-lock-status": "locked"},
}


class Tree(unittest.TestCase):
    def test_reads_text(self):
        self.assertEqual(list(tree.from_text(TEXT).items()), list(TREE.items()))

    def test_refuses_malformed_text(self):
        for text in ("x\n", "   package-0\n", " package-0\n      a:1\n", " a:1\n", TEXT + TEXT,
                     TEXT.rstrip("\n"), " package-0\n  die-0\n    cpu-0\n      a:1\n      a:2\n"):
            with self.subTest(text=text), self.assertRaises(tree.Malformed):
                tree.from_text(text)

    def test_refuses_malformed_json(self):
        for text in ("", "{", "{}{}", '{"a": 1, "a": 2}', '{"a": "b\nc"}', "{},\n"):
            with self.subTest(text=text), self.assertRaises(tree.Malformed):
                tree.from_json(text)

    def test_reads_info(self):
        text = ("Platform: API version : 1\n"
                "Intel(R) SST-TF (feature turbo-freq) is not supported\n"
                "TDP level change control is unlocked, max level: 4\n")
        self.assertEqual(tree.from_info_text(text),
                         {"api-version": "1", "turbo-freq": "not supported",
                          "level-change": "unlocked", "max-level": "4"})
        with self.assertRaises(tree.Malformed):
            tree.from_info_text("Platform: nothing\n")


class Messages(unittest.TestCase):
    def test_finds_messages(self):
        code = ('/* "a comment is none" */\nreport("%s is not " OF\n\t"allowed \\"here\\"", x);\n'
                'add("two words"); tag("<p class=x>of a page");\n')
        self.assertEqual(list(messages.messages(code)), [(2, '%s is not %sallowed \\"here\\"')])

    def test_needs_words_in_a_row(self):
        shown = messages.normalize('Error: cpu-3: no such file\n  of it "is" here')
        for message, is_shown in (("%s: no such file of it", True), ("such file of %s", True),
                                  ("no such file of them", True), ("%s: such files of it", False),
                                  ("it \\\"is\\\" here", True), ("of it%s is there", False)):
            with self.subTest(message=message):
                self.assertEqual(messages.is_shown(message, shown), is_shown)


class Layering(unittest.TestCase):
    def test_rooms(self):
        for room, target, included, allowed in (
                ("main", "simulator", "simulator/simulator.h", True),
                ("features", "simulator", "simulator/simulator.h", False),
                ("features", "cli", "cli/command.h", True),
                ("cli", "features", "features/list.h", False),
                ("machine", "output", "output/output.h", False),
                ("platform", "output", "output/output.h", False),
                ("cli", "output", "output/output.h", True),
                ("base", "include", "isst_abi.h", True),
                ("simulator", "machine", "host/files.h", True),
                ("simulator", "machine", "host/topology.h", False),
                ("platform", "elsewhere", "elsewhere/x.h", False)):
            with self.subTest(room=room, included=included):
                self.assertEqual(layering.may_include(room, target, included), allowed)

    def test_finds_full_directories_and_repeated_names(self):
        paths = [source.ROOT / f"src/x/{name}.c" for name in [*map(str, range(25)), "x"]]
        self.assertEqual(len(list(layering.directory_problems(paths))), 1)
        self.assertEqual(list(layering.directory_problems(paths[1:])), [])
        self.assertEqual(len(list(layering.directory_problems([source.ROOT / "src/x/x_y.h"]))), 1)

    def test_finds_behaviour(self):
        code = ('/* exit(1) and printf() in words */\nint f(void)\n{\n\tputs("exit(1)");\n'
                '\tfprintf(stderr, "x");\n\texit(1);\n}\n')
        with temporary_source("src/base/x.c", code) as path:
            found = list(layering.behaviour_problems(path))
        self.assertEqual([problem.split(":")[1] for problem in found], ["6", "4", "5"])

    def test_finds_words(self):
        with temporary_source("src/features/x.c", "/* The simulated machine. */\n") as path:
            self.assertEqual(len(list(layering.word_problems(path))), 1)


class Sizes(unittest.TestCase):
    def test_measures_functions(self):
        code = "static int\nfirst(int a,\n      int b)\n{\n\treturn 0;\n}\n\nint second(void)\n{\n}\n"
        with temporary_source("src/base/x.c", code) as path:
            self.assertEqual(list(sizes.functions(path)), [("first", 3), ("second", 2)])

    def test_finds_large_function(self):
        code = "void f(void)\n{\n" + "\tg();\n" * 60 + "}\n"
        with temporary_source("src/base/x.c", code) as path:
            self.assertEqual(len(list(sizes.function_problems([path], "code", 60))), 3)

    def test_finds_large_header(self):
        code = "".join(f'#include "{n}.h"\n' for n in range(5)) + "\n" * 800
        with temporary_source("src/base/x.h", code) as path:
            self.assertEqual(len(list(sizes.file_problems(path))), 3)

    def test_counts_variables(self):
        listing = ("seen     |0000|   d  |  OBJECT|0004|     |.data\n"
                   "zeroed   |0000|   b  |  OBJECT|0004|     |.bss\n"
                   "table    |0000|   d  |  OBJECT|0004|     |.data.rel.ro.local\n"
                   "constant |0000|   r  |  OBJECT|0004|     |.rodata\n")
        with mock.patch.object(sizes.subprocess, "run") as run:
            run.return_value.stdout = listing
            self.assertEqual(list(sizes.variables("x.a")), ["seen", "zeroed"])


class Ports(unittest.TestCase):
    """The serial ports of a virtual machine."""

    def test_waits_for_a_silent_port(self):
        with tempfile.TemporaryDirectory() as directory:
            port = qemu.Port(pathlib.Path(directory), "stdout")
            with socket.socket(socket.AF_UNIX) as guest:
                guest.connect(str(port.path))
                port.connect(qemu.time.monotonic() + 5)
                self.assertIsNone(port.connection.gettimeout())
            port.close()

    def test_tells_a_lost_port_from_its_end(self):
        ours, guest = socket.socketpair()
        reader = qemu.Reader(types.SimpleNamespace(connection=ours), io.BytesIO())
        guest.sendall(b"said\0end\n")
        guest.close()
        reader.join(5)
        self.assertEqual((reader.text(), reader.error), (b"said", None))
        silent, _guest = socket.socketpair()
        silent.settimeout(0.01)
        reader = qemu.Reader(types.SimpleNamespace(connection=silent))
        reader.join(5)
        self.assertIsInstance(reader.error, TimeoutError)


class Words(unittest.TestCase):
    DESCRIPTION = {"options": [{"name": "cpu", "letter": "c"}, {"name": "secret", "hidden": True}],
                   "features": [{"name": "base-freq", "commands": [
                       {"name": "info", "options": [{"name": "level", "letter": "l"}]}]}]}

    def test_finds_missing(self):
        options = words.spellings(self.DESCRIPTION["options"])
        self.assertEqual(words.missing("page", "-c, --cpu-list", options),
                         ["page does not name --cpu"])

    def test_finds_invented(self):
        found = words.invented_problems(self.DESCRIPTION, "page", {"": "--cpu --secret --frobnicate"})
        self.assertEqual(found, ["page names --frobnicate, which the program lacks"])

    def test_finds_defaults(self):
        for line, count in (("Duration (default 10s)", 0), ("Output; text is the default", 1),
                            ("Tries; default 3", 1), ("File (default: standard output)", 0),
                            ("One (default), or all", 1)):
            options = {"options": [{"name": "x", "help": line}], "features": []}
            with self.subTest(line=line):
                self.assertEqual(len(list(words.help_problems(options))), count)

    def test_finds_strange_paths(self):
        for text, count in (("/home/me/x", 1), ("see /tmp/x", 1), ("build/tmp/x", 0), ("/run/x", 0),
                            ("$root/tmp/x", 0)):
            with self.subTest(text=text), temporary_source("docs/x.md", text + "\n"):
                self.assertEqual(len(list(words.path_problems())), count)

    def test_finds_dialect(self):
        for text, count in (("whoever wants", 1), ("a wish, forgiven", 2), ("wishbone, request", 0)):
            with self.subTest(text=text), temporary_source("docs/x.md", text + "\n"):
                self.assertEqual(len(list(words.dialect_problems())), count)

    def test_finds_links_that_are_not_installed(self):
        with temporary_source("docs/meson.build", "install_data('a.md', 'b.md')\n") as path:
            (path.parent / "a.md").write_text("[b](b.md#x), [c](c.json), [web](https://web/)\n",
                                              encoding="utf-8")
            (path.parent / "b.md").write_text("[a](a.md)\n", encoding="utf-8")
            self.assertEqual(list(words.installed_link_problems()),
                             ["docs/a.md links to c.json, which is not installed"])

    def test_finds_wide_prose(self):
        wide = "x" * 101
        text = f"{wide}\n\n    {wide}\n\n| {wide} |\n\n```\n{wide}\n```\n"
        with temporary_source("docs/x.md", text):
            self.assertEqual(len(list(words.width_problems())), 1)
        with temporary_source("docs/spec/x.md", text):
            self.assertEqual(len(list(words.width_problems())), 0)


class Citations(unittest.TestCase):
    PAGE = "# Title\n\n## 1. First part\n\n## Last `part` (of two)\n\nGeneral: it rains.\n"

    def cite(self, comment):
        with temporary_source("docs/spec/page.md", self.PAGE) as path:
            source_file = path.parent.parent / "x.c"
            source_file.write_text(f"/*\n * {comment}\n */\n", encoding="utf-8")
            return list(citations.problems_of(source_file))

    def test_finds_what_is_there(self):
        for comment in ("page.md", "(page.md, section 1)", 'page.md, "First part"',
                        'page.md, section 1, "Last part"', 'page.md, "General" and\n * "Last"',
                        "docs/spec/page.md, section\n * 1"):
            with self.subTest(comment=comment):
                self.assertEqual(self.cite(comment), [])

    def test_finds_what_is_missing(self):
        for comment, count in (("other.md", 1), ("page.md, section 2", 1),
                               ("page.md, sections 1, 2 and 3", 2), ('page.md, "Las"', 1),
                               ('page.md, "General" and\n * "Other"', 1),
                               ("page.md, section\n * 2", 1)):
            with self.subTest(comment=comment):
                self.assertEqual(len(self.cite(comment)), count)


class Examples(unittest.TestCase):
    LEVEL = {"name": "level", "letter": "l", "kind": "number", "min": 0, "max": 7, "required": True}
    FORMAT = {"name": "format", "letter": "f", "kind": "word", "words": ["text", "json"]}
    DESCRIPTION = {"options": [FORMAT, {"name": "info", "letter": "i", "kind": "flag"}],
                   "features": [{"name": "base-freq",
                                 "commands": [{"name": "info", "options": [LEVEL]}]},
                                {"name": "measure", "commands": [{"name": "run", "options": [
                                    {"name": "command", "kind": "rest", "positional": True}]}]}]}

    def problems(self, line):
        lines = examples.code_lines(f"    {line}\n")
        return list(examples.problems_of(self.DESCRIPTION, "page", lines))

    def test_takes_what_is_right(self):
        for line in ("isst -f json base-freq info -l 0 | grep x", "isst --info  # all of it",
                     "isst base-freq info -l 0 2>log", "isst base-freq info -l 0 >a 2>&1 &",
                     "$ intel-speed-select base-freq info --level=7", "isst base-freq --help",
                     "isst [OPTIONS] FEATURE COMMAND", "isst measure run",
                     "isst measure run -- make -j8 all", "isst base-freq info --help", "other --x",
                     "./build/src/isst base-freq info \\\n        -l 1"):
            with self.subTest(line=line):
                self.assertEqual(self.problems(line), [])

    def test_finds_what_is_wrong(self):
        for line in ("isst -x", "isst -f json", "isst base-freq enable", "isst turbo-freq info",
                     "isst base-freq info", "isst base-freq info -l", "isst base-freq info -l 8",
                     "isst base-freq info -l x", "isst -f xml base-freq info -l 0",
                     "isst base-freq info -l 0 more", "isst measure run make", "isst base-freq info 2>log",
                     "./build/src/isst base-freq info -b 1"):
            with self.subTest(line=line):
                self.assertEqual(len(self.problems(line)), 1)


class Pages(unittest.TestCase):
    DESCRIPTION = {"options": [{"name": "cpu", "letter": "c"}], "features": [
        {"name": "base-freq", "commands": [
            {"name": "info", "options": [{"name": "level", "letter": "l"}]}]}]}
    MAIN = ".Sh OPTIONS\n.It Fl c , Fl -cpu\n"
    PAGE = (".Dd Today\n.ds doc-volume-operating-system Linux\n.Dt ISST-BASE-FREQ 8\n.Os Linux\n"
            ".Sh NAME\n.Nm intel-speed-select-base-freq\n.Sh SYNOPSIS\n.Cm info\n.Ss info\n.It Fl l , Fl -level\n"
            ".Sh SEE ALSO\n.Xr intel-speed-select-base-freq 8\n")

    def problems(self, text, main=MAIN):
        with temporary_source("man/intel-speed-select-base-freq.8", text) as path:
            (path.parent / "intel-speed-select.8.in").write_text(main, encoding="utf-8")
            (path.parent / "meson.build").write_text("'base-freq'", encoding="utf-8")
            return [problem for problem in pages.problems(self.DESCRIPTION)
                    if "base-freq" in problem or "OPTIONS" in problem]

    def test_takes_what_is_right(self):
        self.assertEqual(self.problems(self.PAGE), [])

    def test_finds_what_is_wrong(self):
        for right, wrong, count in ((".Ss info", ".Ss get", 1), (".Cm info", ".Cm get", 1),
                                    ("-level", "-levels", 2), ("Fl l ,", "Fl m ,", 1),
                                    (".Xr intel-speed-select-base-freq 8", ".Xr nowhere 8", 1),
                                    ("SEE ALSO", "SEE", 1), (".Dt ISST", ".Dt AMD", 1),
                                    (".Os Linux", ".Os", 1)):
            with self.subTest(wrong=wrong):
                self.assertEqual(len(self.problems(self.PAGE.replace(right, wrong))), count)
        self.assertEqual(len(self.problems(self.PAGE, self.MAIN.replace("cpu", "cpus"))), 1)

    def test_reads_displays(self):
        source_text = ('.\\" file: x.json\n.Bd -literal\n{\n.Ed\n.Bd -literal -offset indent\n'
                       "$ isst \\-c 0 \\e\n    more\n\\&.x\n\\&...\n$ echo $?\n2\n.Ed\n")
        shown = page.displays(source_text)
        self.assertEqual([display.file for display in shown], ["x.json", None])
        steps = page.steps(shown[1])
        self.assertEqual([(step.command, step.answer) for step in steps],
                         [("isst -c 0 \\\n    more", [".x", "..."]), ("echo $?", ["2"])])
        self.assertEqual(list(page.escape_problems(source_text)), [])
        self.assertEqual(len(list(page.escape_problems(source_text.replace("\\-", "-")))), 1)
        with self.assertRaises(page.Malformed):
            page.steps(page.displays(".Bd -literal\nx\n.Ed\n")[0])

    def test_compares_answers(self):
        for answer, text, same in ((["a"], "a\n", True), (["a"], "b\n", False), (["a"], "", False),
                                   (["a"], "a\nb\n", False), ([], "a\n", False), ([], "", True),
                                   (["a", "...", "c"], "a\nb\nb\nc\n", True),
                                   (["a", "...", "c"], "a\nc\n", False),
                                   (["a", "..."], "a\nb\n", True), (["."], "a\n", False)):
            with self.subTest(answer=answer, text=text):
                self.assertEqual(page.matches(answer, text), same)


class Counts(unittest.TestCase):
    def test_counts_log(self):
        entries = [(0, 0, 0, 0, 0x7F, 0, 0), (1, 0, 0, 0, 0x7F, 0, 0), (0, 0, 1, 0, 0x7F, 1, 0)]
        structure = struct.pack("<I", 3) + b"".join(counts.MAILBOX_ENTRY.pack(*entry)
                                                    for entry in entries)
        with tempfile.TemporaryDirectory() as directory:
            box = mock.Mock(root=pathlib.Path(directory))
            for cpu in (0, 1):
                place = box.root / f"sys/devices/system/cpu/cpu{cpu}/topology"
                place.mkdir(parents=True)
                (place / "physical_package_id").write_text("0\n", encoding="utf-8")
            log, summary = box.root / "log", box.root / "summary"
            done = f"{structure.hex()} {structure.hex()}\n"
            log.write_text(f"3 2 {done}3 -6 {done}", encoding="utf-8")
            summary.write_text(" 10.00    0.001           0       100           flock\n"
                               "100.00    0.001           0       551         2 total\n",
                               encoding="utf-8")
            seen = counts.Counts(box, log, summary)
        self.assertEqual(len(seen.repeated()), 1)
        self.assertEqual(len(list(counts.problems_of(seen, 0, 2, 401))), 3)
        self.assertEqual(len(list(counts.problems_of(seen, 0, 3, 402))), 1)
        self.assertEqual(seen.calls, 401)


class temporary_source:
    """A file at a path of its own tree, which the lint scripts take for theirs meanwhile."""

    def __init__(self, path, code):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.path = self.root / path
        self.code = code
        self.patch = mock.patch.object(source, "ROOT", self.root)

    def __enter__(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_text(self.code, encoding="utf-8")
        self.patch.start()
        return self.path

    def __exit__(self, *exception):
        self.patch.stop()
        self.directory.cleanup()


if __name__ == "__main__":
    unittest.main()
