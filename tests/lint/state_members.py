#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The members of state documents: what the table of settings has, the schema and
intel-speed-select-state(5) have too, and the command line has an option for each. With --rewrite the
manual page gets its list from the source.
"""

import json
import re
import subprocess
import sys
import textwrap

import source
import words

MANUAL = "man/intel-speed-select-state.5"
MANUAL_HEAD = ".Sh MEMBERS\n.Bl -tag -width Ds\n"
# The command and the option that set a member, "" if the command alone does. Others are set by the
# command "set" and the option with their name, with or without its unit.
OPTIONS = {
    "power.dram.pl1-w": ("power set", "pl1"),
    "power.psys.pl1-w": ("power set", "pl1"),
    "power.enabled": ("power set", "enable"),
    "perf-profile.level": ("perf-profile set-config-level", "level"),
    "base-freq.enabled": ("base-freq enable", ""),
    "turbo-freq.enabled": ("turbo-freq enable", ""),
    "turbo-mode.trl": ("turbo-mode set-trl", "trl"),
    "core-power.enabled": ("core-power enable", ""),
    "core-power.priority": ("core-power enable", "priority"),
    "core-power.clos.N.min-mhz": ("core-power config", "min"),
    "core-power.clos.N.max-mhz": ("core-power config", "max"),
    "core-power.clos.N.desired-mhz": ("core-power config", "desired"),
    "core-power.clos.N.epp": ("core-power config", "epp"),
    "core-power.clos.N.weight": ("core-power config", "weight"),
    "core-power.assoc": ("core-power assoc", "clos"),
    "online": ("perf-profile set-config-level", "online"),
    "offline-by": ("", "cgroupv2"),
    "cpuidle.states.NAME": ("cpuidle set", "enable"),
}
UNIT = re.compile("-(mhz|ms|us|w)$")


def number_text(member):
    """Its numbers, in words."""
    low, high = member["min"], member["max"]
    if member["type"] == "number":
        unit = f" {member['unit']}" if member.get("unit") else ""
        step = f", a multiple of {member['step']}" if member["step"] else ""
        return f"{low} to {high}{unit}{step}"
    if member["type"] == "hundreds":
        return f"{low // 1000} to {high // 1000} MHz, a multiple of 100"
    return f"{member['unit']} with up to three decimals"


def values_text(member):
    """What it takes, in words; words of documents in quotation marks."""
    typed = {"boolean": "true or false", "word": "", "text": "1 to 15 printable characters",
             "ratios": '"0x" and 16 hexadecimal digits'}
    rest = typed[member["type"]] if member["type"] in typed else number_text(member)
    quoted = [f'"{word}"' for word in member["words"]]
    return ", ".join(quoted + ([rest] if rest else []))


def manual_list(members):
    """mdoc; a line has one sentence, and words of documents are literal."""
    def item(member):
        about = member["about"][0].upper() + member["about"][1:]
        clean = member.get("reset") or "kept"
        return (f".It Li {member['path']}\n{about}.\nSet for {member['scope']}.\n"
                f"{textwrap.fill(f'Values: {values_text(member)}.', 95)}\nClean state: {clean}.\n")
    return MANUAL_HEAD + "".join(map(item, members)) + ".El\n"


def schema_paths(schema, prefix=""):
    """The members of an entry that the schema has."""
    for key, value in schema.get("properties", {}).items():
        yield from schema_paths(value, f"{prefix}{key}.")
    for key, value in schema.get("patternProperties", {}).items():
        yield from schema_paths(value, f"{prefix}{'N' if '3' in key else 'NAME'}.")
    if not {"properties", "patternProperties"} & set(schema):
        yield prefix[:-1]


def schema_problems(table):
    entry = table["schema"]["properties"]["settings"]["items"]
    found = set(schema_paths(entry)) - {"for", "comment", "optional"}
    for path in sorted(found ^ {member["path"] for member in table["members"]}):
        yield f"the schema and the table of members differ in {path}"


def option_problems(table, description):
    options = {"": {option["name"] for option in description["options"]}}
    for feature in description["features"]:
        for command in feature["commands"]:
            options[f"{feature['name']} {command['name']}"] = {
                "", *(option["name"] for option in command["options"])}
    paths = [member["path"] for member in table["members"]]
    for path in paths:
        feature, _, name = path.partition(".")
        command, option = OPTIONS.get(path, (f"{feature} set", name))
        if not {option, UNIT.sub("", option)} & options.get(command, set()):
            yield f"{path}: {command} has no option --{option} to set it"
    yield from (f"{path} of OPTIONS is no member" for path in OPTIONS if path not in paths)


def manual_problems(members, is_rewriting):
    """The part of the manual page that the table of members makes."""
    path = source.ROOT / MANUAL
    before, _, rest = source.text(path).partition(MANUAL_HEAD)
    found, _, after = rest.partition(".El\n")
    wanted = manual_list(members)
    if MANUAL_HEAD + found + ".El\n" == wanted:
        return
    if is_rewriting:
        path.write_text(before + wanted + after, encoding="utf-8")
    else:
        yield f"{MANUAL}: the members differ from the source; run {sys.argv[0]} --rewrite"


def main():
    program, dump, *rest = sys.argv[1:]
    table = json.loads(subprocess.run([dump], check=True, capture_output=True).stdout)
    members = table["members"]
    found = [*schema_problems(table), *option_problems(table, words.describe(program)),
             *manual_problems(members, rest == ["--rewrite"])]
    source.finish("state members", found)


if __name__ == "__main__":
    main()
