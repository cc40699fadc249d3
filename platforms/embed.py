#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a C file that holds a platform file's text: embed.py PLATFORM.json OUTPUT.c"""
import pathlib
import sys

source, output = map(pathlib.Path, sys.argv[1:3])
text = source.read_bytes()
rows = [text[start:start + 16] for start in range(0, len(text), 16)]
lines = [
    "// SPDX-License-Identifier: GPL-2.0-only",
    f"/* Made from {source.name}. */",
    '#include "simulator/catalog.h"',
    "",
    "const unsigned char catalog_guide_text[] = {",
    *("\t" + " ".join(f"{byte:#04x}," for byte in row) for row in rows),
    "};",
    "",
    "const size_t catalog_guide_length = sizeof(catalog_guide_text);",
]
output.write_text("\n".join(lines) + "\n")
