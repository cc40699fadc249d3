#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Words against the program: command lines that are shown are right; README.md shows what the program
prints, and the example of a new command fits; each page begins with its commands; links and citations
lead somewhere; prose keeps to its width; nothing names paths of the machine that it was written on.
The program is asked by its hidden option --describe. With --rewrite README.md gets what the program
prints.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import citations
import examples
import source

README = source.ROOT / "README.md"
PICTURE = re.compile(r"^(```\n\$ (.*)\n)(?:.*\n)*?```$", re.M)
MAX_COLUMNS = 100
STRANGE_PATH = re.compile(r"(?<![\w.}>-])/(?:home|root|tmp|work)/")
# A message with a path in it, and the test of the rule.
PATHS_ALLOWED = {"tests/unit/test_json.c", "tests/lint/selftest.py"}
LONG_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]+)")


def describe(program):
    result = subprocess.run([program, "--describe"], check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def visible(options):
    return [option for option in options if not option.get("hidden")]


def spellings(options):
    """How the options of a table are written: long names, letters; FILE if it is a word alone."""
    for option in visible(options):
        if option.get("positional"):
            yield option["value"]
            continue
        yield f"--{option['name']}"
        if option.get("letter"):
            yield f"-{option['letter']}"


def has_word(text, word):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def missing(where, text, words):
    return [f"{where} does not name {word}" for word in words if not has_word(text, word)]


def known_options(description):
    names = {"help"}
    tables = [description["options"]] + [command["options"] for feature in description["features"]
                                         for command in feature["commands"]]
    names.update(option["name"] for table in tables for option in table
                 if not option.get("positional"))
    return names


def invented_problems(description, where, sections):
    """Options that the words promise and the program lacks."""
    known = known_options(description)
    named = {name for text in sections.values() for name in LONG_OPTION.findall(text)}
    return [f"{where} names --{name}, which the program lacks" for name in sorted(named - known)]


def help_problems(description):
    """A help line says what the option is, and ends with its default if it names that."""
    tables = [description["options"]] + [command["options"] for feature in description["features"]
                                         for command in feature["commands"]]
    for option in (option for table in tables for option in table):
        line = option.get("help", "")
        if "default" in line and not re.search(r" \(default:? [^()]+\)$", line):
            yield f"the help of --{option['name']} does not end with (default X): {line}"


def path_problems():
    """Paths of the machine that something was written on."""
    for path in source.text_files():
        if source.name(path) in PATHS_ALLOWED:
            continue
        for found in STRANGE_PATH.findall(path.read_text(encoding="utf-8", errors="replace")):
            yield f"{source.name(path)} names {found}"


def width_problems():
    """Prose ends at column 100; tables and code are as wide as they must be."""
    for path in source.pages():
        fenced = False
        for number, line in enumerate(source.text(path).splitlines(), 1):
            fenced ^= line.startswith("```")
            if len(line) > MAX_COLUMNS and not fenced and not line.startswith(("|", "    ", "\t")):
                yield f"{source.name(path)}:{number} has {len(line)} columns, over {MAX_COLUMNS}"


def room_problems():
    """The files that docs/architecture.md and docs/adding-a-command.md send the reader to."""
    for page in ("docs/architecture.md", "docs/adding-a-command.md"):
        for named in re.findall(r"`((?:src|tests|docs|platforms|man)/[\w./*-]+)`",
                                source.text(source.ROOT / page)):
            if not list(source.ROOT.glob(named)):
                yield f"{page} names {named}, which is not there"


def anchors_of(page):
    """What a link to a part of the page can name, as GitHub makes it of headings."""
    found = []
    for heading in re.findall(r"^#+ (.*)$", source.text(page), re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
    return found


def link_problems():
    for path in source.text_files():
        if path.suffix != ".md":
            continue
        for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", source.text(path)):
            page = path.parent / target if target else path
            if "://" in target:
                continue
            if not page.exists():
                yield f"{source.name(path)} links to {target}, which is not there"
            elif anchor and anchor not in anchors_of(page):
                yield f"{source.name(path)} links to {target}#{anchor}, which is not there"


def installed_link_problems():
    """An installed page links to installed files alone; README.md has links for developers, too."""
    docs = source.ROOT / "docs"
    installed = {(docs / name).resolve()
                 for name in re.findall(r"'([\w./-]+)'", source.text(docs / "meson.build"))}
    for page in sorted(installed):
        if page.suffix != ".md" or page.name in ("README.md", "CHANGELOG.md"):
            continue
        for target in re.findall(r"\]\(([^)#]+)", source.text(page)):
            if "://" not in target and (page.parent / target).resolve() not in installed:
                yield f"{source.name(page)} links to {target}, which is not installed"


def pictures(program):
    """README.md as it is, and with what the program prints behind each prompt."""
    def answer(match):
        name, *argv = match[2].split()
        with tempfile.TemporaryDirectory() as state:
            argv = [pathlib.Path(program).parent / name, "--simulate-state", f"{state}/s", *argv]
            shown = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
        return f"{match[1]}{shown}```"

    text = source.text(README)
    return text, PICTURE.sub(answer, text)


def picture_problems(program):
    shown, wanted = pictures(program)
    if not PICTURE.search(shown):
        yield "README.md shows no run of the program"
    if shown != wanted:
        yield f"README.md shows other answers than the program gives; run {sys.argv[0]} --rewrite"


def diff_problems():
    """The diffs that docs/adding-a-command.md shows still fit the files that they are for."""
    page = source.text(source.ROOT / "docs/adding-a-command.md")
    diffs = re.findall(r"^```diff\n--- a/.*\n\+\+\+ b/(.*)\n((?:.*\n)*?)```$", page, re.M)
    if not diffs:
        yield "docs/adding-a-command.md shows no diff"
    for name, diff in diffs:
        text = source.text(source.ROOT / name)
        for hunk in re.split(r"^@@.*\n", diff, flags=re.M)[1:]:
            old = "".join(line[1:] or "\n" for line in hunk.splitlines(keepends=True)
                          if not line.startswith("+"))
            if old not in text:
                yield f"docs/adding-a-command.md: the diff of {name} does not fit: {old[:60]!r}"


def opening_problems():
    """A page of docs begins with its commands: code before the first heading below its title."""
    for path in sorted((source.ROOT / "docs").glob("*.md")):
        opening = re.split(r"^## ", source.text(path), maxsplit=1, flags=re.M)[0]
        if not re.search(r"^(?:```|    )", opening, re.M):
            yield f"{source.name(path)} does not begin with its commands"


DIALECT = re.compile(
    r"\b(?:wish(?:es|ed)?|lawless|homeless|deaf|forgiv(?:e|es|en|ing)|insist(?:s|ed)?|stubborn(?:ly)?|"
    r"suffer(?:s|ed)?|outdone|whoever|for who|nobody (?:tells|knows|asks|says)|what is so already|"
    r"of which it is not known|is no (?:option|number)|looks? again|umask wants|without a word|"
    r"those that there are|what there is|that there is not|cannot be had|goes on working|"
    r"cannot (?:be told|tell)|stands (?:in|below|beside|behind)|"
    r"behind the (?:command|feature|option))\b", re.I)


def dialect_problems():
    """Words that CONTRIBUTING.md has plain ones for, in sources, pages and tests."""
    for path in source.text_files():
        name = source.name(path)
        if (name.startswith(("docs/spec/", "tests/lint/", "tests/fuzz/corpus/"))
                or path.name in ("LICENSE", "COPYING")):
            continue
        for number, line in enumerate(source.text(path).splitlines(), 1):
            for found in DIALECT.findall(line):
                yield f"{name}:{number}: write {found!r} in plain words"


def main():
    if sys.argv[2:] == ["--rewrite"]:
        README.write_text(pictures(sys.argv[1])[1], encoding="utf-8")
        return
    description = describe(sys.argv[1])
    problems = [*help_problems(description), *path_problems(), *width_problems(),
                *room_problems(), *link_problems(), *installed_link_problems(),
                *citations.problems(), *examples.problems(description),
                *picture_problems(sys.argv[1]), *diff_problems(), *dialect_problems(),
                *opening_problems()]
    source.finish("words", problems)


if __name__ == "__main__":
    main()
