# SPDX-License-Identifier: GPL-2.0-only
"""
Citations of the pages in docs/spec and docs: by section number or by heading, in comments and in
other pages. Each must be found there. A heading may be cited by its beginning, and so may what a
paragraph or a point of a list opens with, before its colon.
"""

import re

import source

PLACES = ("docs/spec", "docs", ".")
ITEM = r'(?:sections? \d+(?:(?:, | and )\d+)*|"[^"]+")'
CITATION = re.compile(rf'(?<![\w./-])((?:[\w-]+/)*[\w-]+\.md)\b`?((?:,? (?:and )?{ITEM})*)')
COMMENT = {
    ".c": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
    ".py": re.compile(r'""".*?"""|#[^\n]*', re.S),
    ".md": re.compile(r"(?:^(?!--- |\+\+\+ ).*\n?)+", re.M),
    "": re.compile(r"#[^\n]*"),
}
COMMENT[".h"] = COMMENT[".c"]
COMMENT[".sh"] = COMMENT[".build"] = COMMENT[""]
# The edges of a comment's lines.
MARGIN = re.compile(r"\n\s*(?:\*/|\*|#)?\s*")


def page_of(path, cited):
    """The file that is cited at path, or None."""
    places = [source.ROOT / place for place in PLACES]
    if path.suffix == ".md":
        places.insert(0, path.parent)
    return next((place / cited for place in places if (place / cited).is_file()), None)


def plain(text):
    return re.sub(r"[`*]", "", text).strip()


def openings(page):
    """What a citation may name: headings without their number, and openings before a colon."""
    text = source.text(page)
    return [plain(heading) for heading in
            re.findall(r"^#+ (?:\d+\. )?(.*)$", text, re.M)
            + re.findall(r"^(?:- )?([^:\n]+):", text, re.M)]


def sections(page):
    return set(re.findall(r"^#+ (\d+)\. ", source.text(page), re.M))


def item_problems(page, items):
    for group in re.findall(r"sections? ([\d, and]+)", re.sub(r'"[^"]*"', "", items)):
        for number in re.findall(r"\d+", group):
            if number not in sections(page):
                yield f"section {number}"
    for heading in re.findall(r'"([^"]+)"', items):
        if not any(re.match(rf"{re.escape(heading)}(?!\w)", opening) for opening in openings(page)):
            yield f'"{heading}"'


def problems_of(path):
    if path.suffix not in COMMENT:
        return
    for comment in COMMENT[path.suffix].findall(source.text(path)):
        for cited, items in CITATION.findall(MARGIN.sub(" ", comment)):
            page = page_of(path, cited)
            if not page:
                yield f"{source.name(path)} cites {cited}, which is missing"
                continue
            for item in item_problems(page, items):
                yield f"{source.name(path)} cites {cited}, {item}, which it lacks"


def problems():
    return [problem for path in source.text_files() for problem in problems_of(path)]
