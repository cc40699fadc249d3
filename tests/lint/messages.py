#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Every message of the program is in a test or on a page. A message is a string of the source with
three words or more; it counts as shown if its longest fixed part is there, or four words of it in
a row. Texts of --describe are shown by --help and the manual pages.
"""

import json
import re
import subprocess
import sys

import source

WORDS_IN_A_ROW = 4
LEAST_WORDS = 3
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
LITERAL = re.compile(PIECE.pattern + r'(?:\s*(?:[A-Z]\w*\s*)?"(?:[^"\\\n]|\\.)*")*')
MACRO = re.compile(r'(?<=")\s*[A-Z]\w*\s*(?=")')
NOT_CODE = re.compile(r"/\*.*?\*/|^\s*#\s*include[^\n]*|\b_Static_assert\([^;]*;", re.S | re.M)
CONVERSION = re.compile(r"%(?:\d+\$)?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?"
                        r"(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]?")
INDENTED = re.compile(r"^ {4,}(Error|Warning|Information): (.*)$", re.M)
ESCAPE = re.compile(r"\\([nt\"\\])")
# Texts that are no messages: the style of a page, the layout of requests, files of a simulated
# kernel.
NO_MESSAGES = ("src/report/style.c", "src/host/requests.c", "src/simulator/sysfs/")
# Tags, instructions, patterns, commands, and what only a lack of memory shows.
NO_MESSAGE = re.compile(r"<[a-z!/]|^\.p2align|^\^|^ ACPI|^out of memory$|^isst ")
# What no test can order: words inside of tables that other checks see in another form, and what
# only hardware, another process at one moment, or a rare failure of a failure shows.
EXEMPT = {
    "%s: its value before is unknown",
    "a directory of uncore limits", "pm-config off",
    "modules of the package", "what the reasons name", "settings of the firmware",
    "settings of the hypervisor", "none that both have", "idle or not measured",
    "seconds of the command",
    "lowest to highest CPU", "Wake-up latency of many CPUs", "%s: %zu CPUs together, woken by %s",
    "up to %.2g %% stolen by a hypervisor",
    "%s after %.0f us, block%s %s of 10: up to %.0f us; %s",
    "%s: has more than %d states and gaps of a CPU", "%s: has more than %d CPUs, steps or limits",
    "cpu-%s went offline: the cycles before that are shown",
    "--pulse has no effect without --disturb",
    "sets %zu settings %zu times for a while",
    "control groups removed", "not ended: running, or interrupted: %s%s",
    "%s cannot be restored: its value before is unknown",
    "cannot be checked by a second write: %s", " no longer answers (ENODEV)",
    "the record cannot be written in %s: %s",
    "the daemon's record in %s cannot be written (%s): a running daemon follows the level again",
    "its owner is unknown in this user namespace, and its file system is not mounted read-only",
    "its frequency is not reported", "the frequency of others is not reported",
    "max_energy_range_uj cannot be read",
    "state apply refuses it: %s", "turbo-freq status",
    "there is no Speed Select", "%s: Speed Select is not available here",
    "; use --simulate-reset to start again",
}
# Where messages are shown.
PLACES = ("tests", "docs", "man", "README.md")
NOT_SHOWN = ("tests/lint/", "tests/slow/mutants/", "tests/fuzz/corpus/", "docs/spec/")
TEXT_SUFFIXES = {".c", ".h", ".py", ".json", ".md", ".in", ".txt", ".sh", ".1", ".5", ".7", ".8"}


def unescape(text):
    return ESCAPE.sub(lambda match: {"n": " ", "t": " "}.get(match[1], match[1]), text)


def messages(code):
    """The strings of a file that read like a message, adjacent ones joined, and their lines."""
    code = NOT_CODE.sub(lambda match: "\n" * match[0].count("\n"), code)
    for match in LITERAL.finditer(code):
        text = "".join(PIECE.findall(MACRO.sub('"%s"', match[0]))).replace("%%s", "%s")
        fixed = CONVERSION.sub(" ", unescape(text))
        if len(re.findall(r"\b[a-z]{2,}", fixed)) >= LEAST_WORDS and " " in text.strip() \
           and not NO_MESSAGE.search(text):
            yield code.count("\n", 0, match.start()) + 1, text


def normalize(text):
    """A text as it is searched: joined strings, blanks folded, without marks of manual pages."""
    text = re.sub(r'"\s*\n\s*f?"', "", text)
    text = re.sub(r"\\f[BIRP]|\\&", "", text).replace("\\-", "-").replace("\\n", " ")
    return re.sub(r"\s+", " ", text.replace('\\"', '"').replace("`", "")).lower()


def shown_texts():
    """All that tests and pages have, in one text."""
    def files():
        for place in PLACES:
            path = source.ROOT / place
            yield from sorted(path.rglob("*")) if path.is_dir() else [path]
    return "\n".join(normalize(source.text(path)) for path in files()
                     if path.suffix in TEXT_SUFFIXES and path.is_file()
                     and not source.name(path).startswith(NOT_SHOWN))


def fixed_words(part, is_first, is_last):
    """The whole words of a fixed part: not those that touch a value."""
    words = part.replace("`", "").lower().split()
    if words and not is_first and not part[0].isspace():
        words.pop(0)
    if words and not is_last and not part[-1].isspace():
        words.pop()
    return words


def is_shown(message, shown):
    parts = CONVERSION.split(unescape(message))
    parts = [fixed_words(part, i == 0, i == len(parts) - 1) for i, part in enumerate(parts)]
    count = min(WORDS_IN_A_ROW, max(len(part) for part in parts))
    return any(" ".join(part[at:at + count]) in shown
               for part in parts for at in range(len(part) - count + 1))


def to_pattern(message):
    """What a message can become."""
    return re.compile(".*".join(map(re.escape, CONVERSION.split(unescape(message)))))


def invented_messages(found):
    """Messages that pages show in indented lines, which no test runs, as no message can become."""
    patterns = [to_pattern(message) for message in found]
    for path in source.pages():
        for kind, text in INDENTED.findall(source.text(path)):
            if not any(pattern.fullmatch(text) for pattern in patterns):
                yield f"{source.name(path)}: the program has no such message: {kind}: {text}"


def texts_of(description):
    """All strings in the answer of --describe."""
    if isinstance(description, str):
        yield description
    elif isinstance(description, dict):
        for value in description.values():
            yield from texts_of(value)
    elif isinstance(description, list):
        for value in description:
            yield from texts_of(value)


def main():
    described = subprocess.run([sys.argv[1], "--describe"], check=True, capture_output=True,
                               text=True).stdout
    shown = shown_texts() + normalize("\n".join(texts_of(json.loads(described))))
    problems, found = [], set()
    for path in source.files(["src"], ".c", ".h"):
        name = source.name(path)
        if name.startswith(NO_MESSAGES):
            continue
        for line, message in messages(source.text(path)):
            found.add(message)
            if message not in EXEMPT and not is_shown(message, shown):
                problems.append(f"{name}:{line}: no test and no page shows: {message}")
    problems += invented_messages(found)
    for message in EXEMPT - found:
        problems.append(f"EXEMPT: no longer in the source: {message}")
    source.finish(f"{len(found)} messages", problems)


if __name__ == "__main__":
    main()
