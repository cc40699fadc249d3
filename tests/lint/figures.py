#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Figures are fields: a key of a measured figure, of a saved file or of a level is typed in at most
two source files. The first is the table of fields that makes it; one other may read or make the
object around it. Words of commands, headings and messages do not count. A key with a unit is checked in all
sources, others in those that measure: other objects have a "package", too. What shows levels types
no key of the table of level fields."""

import collections
import pathlib
import re
import sys

ROOMS = ("src/measure", "src/report", "src/features/measure")
OF_SIMULATOR = "src/simulator"  # it spells what it answers itself
UNIT = re.compile(r"-(?:mhz|us|ns|ms|percent|watts|joules|count|seconds|kib)$")
MOST = 2
LEVEL_TABLE = ("src/sst/level_fields.h", "src/sst/level_fields.c")
LEVEL_USERS = ("src/features/perf_profile.c", "src/features/perf_profile_compare.c",
               "src/features/perf_profile_table.c", "src/features/machine/summary_sst.c",
               "src/features/machine/summary_show.c", "src/report/levels.c")
# what has a key among its arguments, up to the end of the statement
ACCESS = re.compile(r"\b(?:json_object_(?:get|set|set_new|del)|json_pack|page_number|"
                    r"page_repeats|page_is_alike|page_find_labels|"
                    r"JSON_[A-Z_]*|FIELD\w*|ROWS|US|PERCENT|COMPARED|CPU|HISTOGRAM)\(")
KEY = re.compile(r'"([a-z][a-z0-9.]*(?:-[a-z0-9.]+)*)"')
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def arguments(text, start):
    """The text from an opening parenthesis to the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


def keys_of(text):
    """The keys that a source types."""
    text = COMMENT.sub("", text)
    found = set()
    for match in ACCESS.finditer(text):
        found.update(KEY.findall(arguments(text, match.end() - 1)))
    return found


def level_problems(root):
    """The keys of the table that its users type."""
    def words(name):
        return set(KEY.findall(COMMENT.sub("", (root / name).read_text())))

    keys = {key for name in LEVEL_TABLE for key in words(name) if "-" in key}
    if len(keys) < 10:
        yield f"{' and '.join(LEVEL_TABLE)}: the table was not found"
    for name in LEVEL_USERS:
        for key in sorted(keys & words(name)):
            yield f"{name}: {key} is typed, which is a key of {LEVEL_TABLE[1]}"


def main():
    """Compares all sources of the rooms."""
    root = pathlib.Path(__file__).parents[2]
    files = collections.defaultdict(list)
    known = set()  # keys of figures
    n_files = 0
    for path in sorted((root / "src").rglob("*.[ch]")):
        name = str(path.relative_to(root))
        is_of_room = name.rpartition("/")[0] in ROOMS
        n_files += is_of_room
        for key in keys_of(path.read_text()):
            known.update([key] if is_of_room else [])
            if is_of_room or (UNIT.search(key) and not name.startswith(OF_SIMULATOR)):
                files[key].append(name)
    files = {key: where for key, where in files.items() if key in known}
    wrong = {key: where for key, where in files.items() if len(where) > MOST}
    for key, where in sorted(wrong.items()):
        print(f"FAILED: {key} is typed in {len(where)} files: {', '.join(where)}")
    level_wrong = list(level_problems(root))
    for problem in level_wrong:
        print(f"FAILED: {problem}")
    print(f"{len(files)} keys in {n_files} files: {len(wrong)} in more than {MOST}")
    if len(files) < 100:
        print("FAILED: the tables of fields were not found")
        return 1
    return 1 if wrong or level_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
