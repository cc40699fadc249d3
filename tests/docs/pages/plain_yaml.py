# SPDX-License-Identifier: GPL-2.0-only
"""
Reads the YAML of our pages, so that no test needs a library for it: maps and lists by indentation,
plain or quoted values on one line. What it does not know is an error.
"""

import re

KEY = re.compile(r"([\w.]+):(?: +(.*))?$")
ODD = tuple("&*!|>%@`{[#")


class Wrong(Exception):
    """What cannot be read."""


def read_scalar(text):
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text[0] in "'\"":
        if len(text) < 2 or text[-1] != text[0] or text[0] in text[1:-1] or "\\" in text:
            raise Wrong(text)
        return text[1:-1]
    if re.fullmatch(r"\[(\d+(, )?)*\]", text):
        return [int(number) for number in re.findall(r"\d+", text)]
    if text.startswith(ODD) or ": " in text or " #" in text:
        raise Wrong(text)
    return text


class Reader:
    """The lines of a document, each with its indentation, the next one first."""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if line.strip()]
        self.lines = [[len(line) - len(line.lstrip()), line.strip()] for line in lines]

    def deeper(self, indent):
        return self.lines and self.lines[0][0] > indent

    def read_value(self, text, indent):
        """The text after a key or a dash, or below it."""
        if text:
            return read_scalar(text)
        if not self.deeper(indent):
            raise Wrong("nothing below a key")
        return self.read_node(self.lines[0][0])

    def read_node(self, indent):
        is_list = self.lines[0][1].startswith("- ")
        node = [] if is_list else {}
        while self.lines and self.lines[0][0] == indent:
            text = self.lines[0][1]
            if text.startswith("- ") != is_list:
                raise Wrong(text)
            if is_list:
                node.append(self.read_item(indent))
            else:
                self.read_member(node, indent)
        if self.deeper(indent):
            raise Wrong(self.lines[0][1])
        return node

    def read_item(self, indent):
        text = self.lines[0][1].removeprefix("- ").strip()
        if KEY.match(text):
            self.lines[0] = [indent + 2, text]
            return self.read_node(indent + 2)
        self.lines.pop(0)
        return read_scalar(text)

    def read_member(self, node, indent):
        text = self.lines.pop(0)[1]
        match = KEY.match(text)
        if not match or match[1] in node:
            raise Wrong(text)
        node[match[1]] = self.read_value(match[2], indent)


def read(text):
    reader = Reader(text)
    node = reader.read_node(0)
    if reader.lines:
        raise Wrong(reader.lines[0][1])
    return node
