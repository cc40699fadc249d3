# SPDX-License-Identifier: GPL-2.0-only
"""The seeded faults of mutants.json: read, and held against the tree."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
MIN_FAULTS = 40
FIELDS = {"what", "file", "old", "new", "first", "equivalent"}


def load():
    data = json.loads((ROOT / "tests/slow/mutants/mutants.json").read_text(encoding="utf-8"))
    return data["mutants"]


def problems_of(mutant):
    """What is wrong with one of them, as lines."""
    label = f"{mutant.get('file')}: {mutant.get('what')}"
    unknown = set(mutant) - FIELDS
    if unknown or not all(mutant.get(name) for name in ("what", "file", "old")):
        return [f"{label}: its members are not as they should be"]
    path = ROOT / mutant["file"]
    if not path.is_file():
        return [f"{label}: there is no such file"]
    count = path.read_text(encoding="utf-8").count(mutant["old"])
    if count != 1:
        return [f"{label}: the old text is there {count} times"]
    if mutant["new"] == mutant["old"]:
        return [f"{label}: nothing changes"]
    return []


def problems(mutants):
    found = [problem for mutant in mutants for problem in problems_of(mutant)]
    if len(mutants) < MIN_FAULTS:
        found.append(f"{len(mutants)} faults are fewer than {MIN_FAULTS}")
    return found
