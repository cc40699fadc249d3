#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Every message of the program is shown by a test or a page. A message is a string of the source that
reads like a sentence; it is shown if a test, a golden case or a page has its longest fixed part,
or at least four words of it in a row.
"""

import re
import sys

import source

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
JOINED = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI[a-zX]\w*\s*)?"(?:[^"\\\n]|\\.)*")*')
CONVERSION = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|%%")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
