# SPDX-License-Identifier: GPL-2.0-only
"""
Command lines in the code blocks of README.md and docs against the tables of the program: feature
and command exist and so do the options, each takes its value, and numbers are within their limits.
A word in brackets, or FEATURE, ends what is looked at.
"""

import re
import shlex

import source

PROGRAM = re.compile(r"^(?:\$ )?(?:\S*/)?(?:intel-speed-select|isst) +(.*)$")
# Options that do without a feature.
ALONE = {"help", "info", "list-platforms", "oob", "simulate-reset", "version"}
# Words in place of a feature.
WORDS = {"help", "version"}
END = re.compile(r"\||&&?|;|\d?>.*")


class Wrong(Exception):
    """What is wrong with a command line."""


def code_lines(text):
    """The lines of fenced and of indented blocks; continued lines are put together."""
    fenced, lines = False, []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith(("    ", "\t")):
            lines.append(line.strip())
    return lines


def words_of(line):
    """The words of a command line up to a pipe or what else ends it; None: another program's."""
    match = PROGRAM.match(line)
    if not match:
        return None
    words = shlex.split(match[1], comments=True)
    return words[:next((i for i, word in enumerate(words) if END.fullmatch(word)), len(words))]


def find_option(word, options):
    """The row of an option as written, its value where that is joined to it."""
    name, equals, value = word.partition("=")
    for option in options:
        if option.get("positional"):
            continue
        if name in (f"--{option['name']}", f"-{option.get('letter')}"):
            return option, value if equals else None
    raise Wrong(f"no option {name}")


def check_value(option, value):
    if option["kind"] == "number" and not option["min"] <= int(value, 0) <= option["max"]:
        raise Wrong(f"--{option['name']} {value} is out of range")
    if option["kind"] == "word" and value not in option["words"]:
        raise Wrong(f"--{option['name']} does not take {value}")


def take_options(words, options):
    """Takes the options off the front of the words; returns the names of those given."""
    given = []
    while words and words[0].startswith("-") and words[0] not in ("-", "--"):
        word = words.pop(0)
        if word in ("-h", "--help"):
            given.append("help")
            continue
        option, value = find_option(word, options)
        given.append(option["name"])
        if option["kind"] in ("flag", "choice"):
            continue
        if value is None:
            if not words:
                raise Wrong(f"{word} lacks its value")
            value = words.pop(0)
        check_value(option, value)
    return given


def long_alone(options):
    """Options as they are understood after the feature: by their long names, the file by its letter."""
    return [{**option, "letter": option.get("letter") if option["name"] == "out" else None}
            for option in options]


def take_row(words, rows, what):
    name = words.pop(0)
    for row in rows:
        if row["name"] == name:
            return row
    raise Wrong(f"no {what} {name}")


def is_placeholder(words):
    return words[0].startswith("[") or words[0] in ("FEATURE", "COMMAND")


def check(description, words):
    """Raises Wrong where the program would not take these words."""
    words = list(words)
    given = take_options(words, description["options"])
    if not words and not ALONE & set(given):
        raise Wrong("no feature")
    if not words or is_placeholder(words) or words[0] in WORDS:
        return
    feature = take_row(words, description["features"], "feature")
    after = long_alone(description["options"])
    command = feature["commands"][0]
    if not command.get("implied"):
        if not words or is_placeholder(words) or take_options(words, after) == ["help"]:
            return
        command = take_row(words, feature["commands"], "command")
    elif words[:1] == [command["name"]]:
        words.pop(0)
    options = command["options"] + long_alone(description["options"])
    given = take_options(words, options)
    for option in command["options"]:
        if option["kind"] == "rest":
            if words and words.pop(0) != "--":
                raise Wrong("a command follows --")
            words.clear()
        elif option.get("positional"):
            while words and (option["kind"] == "texts" or option["name"] not in given):
                words.pop(0)
                given += [option["name"], *take_options(words, options)]
    if words and not is_placeholder(words):
        raise Wrong(f"{words[0]} is left over")
    for option in command["options"]:
        if option.get("required") and not {option["name"], "help"} & set(given) and not words:
            raise Wrong(f"--{option['name']} is missing")


def problems_of(description, where, lines):
    for words in filter(None, map(words_of, lines)):
        try:
            check(description, words)
        except (Wrong, ValueError) as error:
            yield f"{where}: {' '.join(words)}: {error}"


def problems(description):
    found = []
    for path in source.pages():
        found += problems_of(description, source.name(path), code_lines(source.text(path)))
    return found
