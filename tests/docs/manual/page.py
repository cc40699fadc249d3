# SPDX-License-Identifier: GPL-2.0-only
"""
The source of a manual page. Its literal displays are all of two kinds: a session, of lines that
begin with "$ " (a backslash at the end: the next line belongs to it) and what the program answers,
in which a line "..." means lines that are left out; or a file, with the comment `.\\" file:
NAME` on the line before. Characters that roff would turn into others are escaped in both.
"""

import dataclasses
import pathlib
import re

PAGES = pathlib.Path(__file__).resolve().parents[3] / "man"
NAME = re.compile(r"(.+)\.([1-9])(?:\.in)?$")
FILE = re.compile(r'\.\\" file: ([\w.-]+)$')
# A backslash first, and last when they are taken back.
ESCAPES = (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"),
           ("~", "\\(ti"))
PROMPT = "$ "
LEFT_OUT = "..."


class Malformed(Exception):
    """What is wrong with a page, with its line."""


@dataclasses.dataclass
class Step:
    """A command of a session, and the lines that it is to answer."""
    line: int
    command: str
    answer: list


@dataclasses.dataclass
class Display:
    """A literal display: where its lines are in the page, and what they say."""
    first: int
    last: int
    file: str
    lines: list


def all_pages():
    return sorted(path for path in PAGES.iterdir() if NAME.match(path.name))


def title(path):
    """Name and section: ("isst", "8")."""
    return NAME.match(path.name).groups()


def escape(line):
    for plain, escaped in ESCAPES:
        line = line.replace(plain, escaped)
    return "\\&" + line if line.startswith(".") else line


def unescape(line):
    line = line.removeprefix("\\&")
    for plain, escaped in reversed(ESCAPES):
        line = line.replace(escaped, plain)
    return line


def displays(source):
    """The literal displays of a page."""
    found, first = [], None
    lines = source.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(".Bd -literal"):
            first = number + 1
        elif line.startswith(".Ed") and first is not None:
            file = FILE.match(lines[first - 2])
            found.append(Display(first, number, file[1] if file else None,
                                 [unescape(line) for line in lines[first:number]]))
            first = None
    return found


def steps(display):
    """The commands of a session."""
    found, continued = [], False
    for number, line in enumerate(display.lines, display.first + 1):
        if continued:
            found[-1].command += "\n" + line
        elif line.startswith(PROMPT):
            found.append(Step(number, line.removeprefix(PROMPT), []))
        elif found:
            found[-1].answer.append(line)
        else:
            raise Malformed(f"line {number}: neither a session nor a file")
        continued = (continued or line.startswith(PROMPT)) and line.endswith("\\")
    return found


def matches(answer, text):
    """Is the text what the lines say?"""
    pattern = "".join("(?:.*\n)+?" if line.strip() == LEFT_OUT else re.escape(line) + "\n"
                      for line in answer)
    return re.fullmatch(pattern, text) is not None


def escape_problems(source):
    """Lines of displays that mandoc would format differently."""
    lines = source.splitlines()
    for display in displays(source):
        for number in range(display.first, display.last):
            if escape(unescape(lines[number])) != lines[number]:
                yield f"line {number + 1}: characters that must be escaped"
