#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The manual pages against the program and against each other: the main page names every option before
the feature; each feature has a page, whose synopsis names every command, and which has a part for
each that names its options; no page names an option that the program lacks; what a page refers to
is there; each page is installed; lines keep to their width; groff, which most systems show pages
with, has nothing to say (what mandoc says is a test of its own). Their examples are tests/docs/manual's
affair.
"""

import re
import shutil
import subprocess
import sys

import source
import words

MAIN = "man/intel-speed-select.8.in"
# Pages of others that ours send the reader to.
OTHERS = {"jq 1", "systemctl 1", "turbostat 8"}
PARTS = re.compile(r"^\.S[hs] (.*)$", re.M)


def all_pages():
    """The pages by name and section: "intel-speed-select 8"."""
    found = {}
    for path in sorted((source.ROOT / "man").iterdir()):
        match = re.match(r"(.+)\.([1-9])(?:\.in)?$", path.name)
        if match:
            found[f"{match[1]} {match[2]}"] = path
    return found


def parts(text):
    """The parts of a page by heading, macros of options turned into their spelling."""
    pieces = PARTS.split(re.sub(r"\bFl ", "-", text))
    return dict(zip(pieces[1::2], pieces[2::2]))


def feature_problems(feature, where, text):
    found = parts(text)
    for command in feature["commands"]:
        name = command["name"]
        yield from words.missing(f"{where}, SYNOPSIS", found.get("SYNOPSIS", ""), [name])
        if name not in found:
            yield f"{where} has no part {name}"
            continue
        yield from words.missing(f"{where}, {name}", found[name],
                                 words.spellings(command["options"]))


def coverage_problems(description):
    options = parts(source.text(source.ROOT / MAIN)).get("OPTIONS", "")
    yield from words.missing(f"{MAIN}, OPTIONS", options, words.spellings(description["options"]))
    pages = all_pages()
    for feature in description["features"]:
        path = pages.get(f"intel-speed-select-{feature['name']} 8")
        if path:
            yield from feature_problems(feature, source.name(path), source.text(path))
        else:
            yield f"{feature['name']} has no manual page"


def reference_problems(name, text, known):
    """What a page refers to, and whether it has a section for references."""
    for target in re.findall(r"^\.(?:It )?Xr (\S+ \d)", text, re.M):
        if target not in known:
            yield f"{name} refers to {target}, which is missing"
    if "\n.Sh SEE ALSO\n.Xr " not in text:
        yield f"{name} has no SEE ALSO"


def title_problems(name, title, text):
    """The name that a page gives itself."""
    own, section = title.split()
    short = own.replace("intel-speed-select-", "isst-").upper()
    if f"\n.Dt {short} {section}\n" not in text or f"\n.Sh NAME\n.Nm {own}" not in text:
        yield f"{name} has another name in it"
    if "\n.ds doc-volume-operating-system Linux\n" not in text or "\n.Os Linux\n" not in text:
        yield f"{name} is shown as a page of BSD"


def width_problems(name, text):
    """Examples are as wide as they must be."""
    literal = False
    for number, line in enumerate(text.splitlines(), 1):
        literal = line.startswith(".Bd -literal") or literal and not line.startswith(".Ed")
        if len(line) > words.MAX_COLUMNS and not literal:
            yield f"{name}:{number} has {len(line)} columns, over {words.MAX_COLUMNS}"


def groff_problems():
    for path in all_pages().values():
        done = subprocess.run(["groff", "-mandoc", "-ww", "-z", "-Tutf8", path], check=False,
                              stderr=subprocess.PIPE, text=True)
        if done.stderr or done.returncode:
            yield f"{source.name(path)}: {done.stderr.strip()}"


def problems(description):
    pages = all_pages()
    build = source.text(source.ROOT / "man/meson.build")
    yield from coverage_problems(description)
    for title, path in pages.items():
        name, text = source.name(path), source.text(path)
        feature = re.match(r"intel-speed-select-(.+) 8$", title)
        yield from words.invented_problems(description, name, parts(text))
        yield from reference_problems(name, text, set(pages) | OTHERS)
        yield from title_problems(name, title, text)
        yield from width_problems(name, text)
        if f"'{feature[1] if feature else path.name}'" not in build:
            yield f"man/meson.build does not name {name}"


def main():
    found = list(problems(words.describe(sys.argv[1])))
    if not found and not shutil.which("groff"):
        print("SKIPPED: install groff-base")
        sys.exit(77)
    source.finish("pages", [*found, *groff_problems()])


if __name__ == "__main__":
    main()
