#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Who may know whom (docs/architecture.md): includes run downwards only, nothing below main knows the
simulator, only main.c ends the process, and layers below the features do not print. No directory
has more than 25 .c files, and no file repeats the name of its directory.
"""

import collections
import re

import source

# A room may include rooms of a lower rank, and itself.
RANK = {"main": 14, "features": 13, "run": 12, "cli": 11, "daemon": 10, "report": 10, "profile": 9, "choose": 9,
        "measure": 9, "state": 8, "record": 8, "settings": 7, "sst": 6, "change": 5, "instruments": 4, "host": 3,
        "output": 2, "base": 1, "include": 0}
# The simulator is outside this order; it replaces the host.
SIMULATOR_MAY = {"simulator", "base", "include"}
SIMULATOR_HEADERS = {"host/files.h", "host/host.h", "instruments/perf.h", "host/requests.h", "host/transport.h",
                     "instruments/workload.h"}
# Results and messages are made by these rooms alone; the output room itself knows none of them.
OUTPUT_USERS = {"main", "features", "run", "cli", "state", "settings", "output"}
# The rooms that must not know that there is a simulator, and the seams that may name it once.
UNAWARE = {"features", "profile", "choose", "measure", "report", "state", "record", "settings", "sst", "change", "output", "host",
           "instruments", "base", "daemon"}
SEAMS = {"src/host/host.h": 3, "src/host/files.h": 1, "src/host/transport.h": 1,
         "src/output/output.h": 1}
# The output room is where results and messages leave the program.
SILENT = {"base", "host", "instruments", "change", "sst", "settings", "state", "record", "profile", "choose", "measure", "report", "daemon", "simulator"}
PRINTS = re.compile(r"\b(?:v?printf|puts|putchar|perror|v?warnx?|v?errx?)\s*\(|\bstd(?:out|err)\b")
# Processes that these start end here.
CHILDREN = {"src/instruments/wake_rounds.c", "src/instruments/workload.c", "src/measure/command.c"}
MOST_FILES = 25
EXITS = re.compile(r"\b(?:exit|_exit|_Exit|quick_exit|abort)\s*\(")


def room_of(path):
    """The room of a file below src/ or include/."""
    parts = path.relative_to(source.ROOT).parts
    if parts[0] == "include":
        return "include"
    return parts[1] if len(parts) > 2 else "main"


def room_of_include(path, included):
    """The room of an included header; what has no directory is a neighbour or of include/."""
    if "/" in included:
        return included.split("/")[0]
    return room_of(path) if (path.parent / included).exists() else "include"


def may_include(room, target, included):
    if target == "simulator":
        return room in ("simulator", "main")
    if room == "simulator":
        return target in SIMULATOR_MAY or included in SIMULATOR_HEADERS
    if target == "output" and room not in OUTPUT_USERS:
        return False
    if target not in RANK or room not in RANK:
        return False
    return room == target or RANK[target] < RANK[room]


def include_problems(path):
    room = room_of(path)
    for included in source.INCLUDE.findall(source.text(path)):
        target = room_of_include(path, included)
        if not may_include(room, target, included):
            yield f"{source.name(path)}: {room} must not include {included} of {target}"


def word_problems(path):
    name = source.name(path)
    if room_of(path) not in UNAWARE:
        return
    count = len(re.findall("simulat", source.text(path), re.I))
    if count > SEAMS.get(name, 0):
        yield f"{name}: names the simulator {count} times, {SEAMS.get(name, 0)} allowed"


def matches(path, pattern):
    """The lines of code that match a pattern."""
    code = source.without_comments(source.text(path))
    for number, line in enumerate(code.splitlines(), 1):
        if pattern.search(line):
            yield f"{source.name(path)}:{number}"


def behaviour_problems(path):
    room = room_of(path)
    if room != "main" and source.name(path) not in CHILDREN:
        for place in matches(path, EXITS):
            yield f"{place}: ends the process outside main.c"
    if room in SILENT:
        for place in matches(path, PRINTS):
            yield f"{place}: prints below the features"


def directory_problems(paths):
    counts = collections.Counter(path.parent for path in paths if path.suffix == ".c")
    for directory, count in counts.items():
        if count > MOST_FILES:
            yield f"{source.name(directory)}: {count} .c files; at most {MOST_FILES}"
    for path in paths:
        if path.name.startswith(f"{path.parent.name}_"):
            yield f"{source.name(path)}: repeats the name of its directory"


def main():
    checks = (include_problems, word_problems, behaviour_problems)
    paths = source.files(["src", "include"], ".c", ".h")
    source.finish(f"layering of {len(paths)} files",
                  [problem for path in paths for check in checks for problem in check(path)] +
                  list(directory_problems(paths)))


if __name__ == "__main__":
    main()
