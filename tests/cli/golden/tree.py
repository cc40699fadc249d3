# SPDX-License-Identifier: GPL-2.0-only
"""The tree of named nodes (output.md) behind the program's text and its JSON."""

import json
import re

DOMAIN_NODE = re.compile(r"(package|die|powerdomain|cpu)-")
LOOSE_LINE = re.compile(r"(Information|Error): (.*)")

INFO_LINES = [
    (r"Platform: API version : (\d+)", ["api-version"]),
    (r"Platform: Driver version : (\d+)", ["driver-version"]),
    (r"Platform: mbox supported : (\d+)", ["mbox-supported"]),
    (r"Platform: mmio supported : (\d+)", ["mmio-supported"]),
    (r"Intel\(R\) SST-.. \(feature ([a-z-]+)\) is (supported|not supported)", None),
    (r"Intel\(R\) SST-.. \(feature ([a-z-]+)\) status is (unknown)", None),
    (r"Only performance level 0 \(base level\) is present", []),
    (r"TDP level change control is (locked)", ["level-change"]),
    (r"TDP level change control is (unlocked), max level: (\d+)", ["level-change", "max-level"]),
]


class Malformed(Exception):
    """The output of the program is not a tree."""


def unique_members(pairs):
    """Makes an object of its members; a duplicate member is an error."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Malformed(f"a member stands twice among {[name for name, _ in pairs]}")
    return members


def from_json(text):
    """Reads one JSON document, strictly."""
    try:
        return json.loads(text, object_pairs_hook=unique_members)
    except ValueError as error:
        raise Malformed(f"not one JSON document: {error}") from error


def depth_of(line):
    """Level 1 has one blank, level n > 1 has 2 x (n - 1) blanks."""
    blanks = len(line) - len(line.lstrip(" "))
    if blanks > 1 and blanks % 2:
        raise Malformed(f"indented by {blanks} blanks: {line!r}")
    return 1 if blanks == 1 else blanks // 2 + 1


def domain_name(path):
    """How JSON calls the domain whose nodes in the text are those of path."""
    if path[0] == "package--1" and not any(node.startswith("powerdomain") for node in path):
        return "package--1:die--1:cpu--1"
    if path[0] == "package--1":
        return "package--1:die-IO:powerdomain--1:cpu-None"
    return ":".join(path)


def add_line(tree, path, line):
    """Adds one indented line; path holds (name, node) of the nodes that are open around it."""
    depth = depth_of(line)
    if depth > len(path) + 1:
        raise Malformed(f"too deep under {[name for name, _ in path]}: {line!r}")
    del path[depth - 1:]
    name, colon, value = line.strip().partition(":")
    if not colon and DOMAIN_NODE.match(name):
        node = None
        if name.startswith("cpu-"):
            node = {}
            put(tree, domain_name([above for above, _ in path] + [name]), node)
    else:
        if not path or path[-1][1] is None:
            raise Malformed(f"outside of any domain: {line!r}")
        node = value if colon else {}
        put(path[-1][1], name, node)
    path.append((name, None if colon else node))


def put(members, name, value):
    if name in members:
        raise Malformed(f"{name} stands twice")
    members[name] = value


def from_text(text):
    """Reads the indented text as the object that JSON shows."""
    if text and not text.endswith("\n"):
        raise Malformed("the last line is not ended")
    tree, path, loose = {}, [], 0
    for line in text.splitlines():
        match = LOOSE_LINE.fullmatch(line)
        if match:
            separator = ":" if match[1] == "Information" else ""
            tree[f"{match[1]}{separator}{loose}"] = {"message": match[2]}
            loose += 1
            path.clear()
        elif line.startswith(" "):
            add_line(tree, path, line)
        else:
            raise Malformed(f"no line of a tree: {line!r}")
    return tree


def from_info_text(text):
    """Reads the sentences of --info as the members that its JSON has (commands.md, --info)."""
    tree = {}
    for line in text.splitlines():
        for pattern, names in INFO_LINES:
            match = re.fullmatch(pattern, line)
            if not match:
                continue
            if names is None:
                tree[match[1]] = match[2]
            else:
                tree.update(zip(names, match.groups()))
            break
        else:
            raise Malformed(f"no sentence of --info: {line!r}")
    return tree
