# SPDX-License-Identifier: GPL-2.0-only
"""The change journal of a run directory (journal.md, "Format"), read without the program."""

import json
import re


def lines(path):
    """Its whole lines."""
    text = path.read_text(encoding="ascii") if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def transactions(path):
    """Each transaction: its first begin line, all its changes, and its end line or None."""
    found = {}
    for line in lines(path):
        if line["line"] == "begin":
            one = found.setdefault(line["id"], {"begin": line, "changes": [], "end": None})
            one["changes"] += line["changes"]
        elif line["line"] == "end":
            found[line["id"]]["end"] = line
    return list(found.values())


def is_open(path):
    """Has the last transaction not ended? Then something is being written, or was cut off."""
    every = lines(path)
    return bool(every) and every[-1]["line"] == "begin"


def last_id(path):
    return max((line["id"] for line in lines(path) if "id" in line), default=0)


def cpus_of(place):
    """The CPUs of a place "cpu 0-3,8", else the place itself."""
    if not place.startswith("cpu "):
        return [place]
    ranges = [part.split("-") for part in place[4:].split(",")]
    return [f"cpu {cpu}" for one in ranges for cpu in range(int(one[0]), int(one[-1]) + 1)]


# What a change resets, by setting, or setting and value: settings and the values that they get.
RESETS = {"perf-profile.level": [("base-freq.enabled", False), ("turbo-freq.enabled", False)]}
RESETS_IF_ACTIVE = RESETS | {("cpufreq.governor", "performance"): [("cpufreq.epp", "performance")]}


def writes(transaction, is_active):
    """
    The files and registers that it names, but those of cores: a register can have several settings.
    is_active: intel_pstate was in active mode, in which governors reset the EPP.
    """
    found, changes = set(), transaction["changes"]
    table = RESETS_IF_ACTIVE if is_active else RESETS
    resets = {(place, reset) for change in changes for place in cpus_of(change["for"])
              for reset in table.get((change["setting"], change["now"]), table.get(
                  change["setting"], ()))}
    for change in changes:
        if change["now"] is None or change["setting"] == "core-power.assoc":
            continue  # another write resets it; a core that is named by all its CPUs
        name = re.sub(r"^(core-power\.clos\.\d)\..*", r"\1", change["setting"])
        name = {"turbo-freq.enabled": "base-freq.enabled", "core-power.enabled": "core-power.priority",
                "core-power.enabled.clos": "core-power.priority"}.get(name, name)
        found |= {(place, name) for place in cpus_of(change["for"])
                  if (place, (change["setting"], change["now"])) not in resets}
    return found
