# SPDX-License-Identifier: GPL-2.0-only
"""The tree's files, for the lint scripts."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT_SUFFIXES = {".c", ".h", ".py", ".sh", ".md", ".build", ".ini", ".txt", ".json", ".5", ".7", ".8",
                 ".in", ""}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def files(directories, *suffixes):
    """Every file below the directories with one of the suffixes, sorted."""
    return sorted(path for directory in directories for path in (ROOT / directory).rglob("*")
                  if path.suffix in suffixes and path.is_file())


def text_files():
    """Every text file of the tree; those of build directories are not looked at."""
    for directory, directories, names in os.walk(ROOT):
        directories[:] = sorted(name for name in directories
                                if name not in (".git", "__pycache__") and name[:5] != "build"
                                and not pathlib.Path(directory, name, "meson-info").exists())
        for path in (pathlib.Path(directory, name) for name in sorted(names)):
            # In a linked worktree .git is a file.
            if path.is_file() and path.suffix in TEXT_SUFFIXES and path.name != ".git":
                yield path


def pages():
    """The Markdown files but for docs/spec."""
    return [path for path in text_files()
            if path.suffix == ".md" and not name(path).startswith("docs/spec/")]


def name(path):
    return path.relative_to(ROOT).as_posix()


def text(path):
    return path.read_text(encoding="utf-8")


def without_comments(code):
    """The code with comments and string contents blanked, line numbers unchanged."""
    def blank(match):
        kept = '""' if match[0].startswith('"') else " "
        return kept + "\n" * match[0].count("\n")
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, code, flags=re.S)


def finish(title, problems):
    """Prints the problems and ends with the status of the check."""
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{title}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
