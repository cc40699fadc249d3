#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
docs/interfaces.md lists what other programs read: families of metrics and their labels, labels of
nodes, return values of the Ansible modules, exit statuses; each of them, and nothing else.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import source

PAGE = "docs/interfaces.md"
MACHINES = ("guide", "gnr-6776p-2s", "icx-8360y-2s", "gnr-6980p-2s")
SETUP = (("-c", "0", "turbo-freq", "enable", "--auto"),
         ("core-power", "config", "--clos", "1", "-m", "2000"),
         ("measure", "run", "-c", "0", "--seconds", "1", "--load", "avx512"))
MODULES = ("speed_select_state", "speed_select_facts")
FAMILY = re.compile(r'\] =\s+(GAUGE|COUNTER)\(\s*"(isst_\w+)"')
SAMPLE = re.compile(r"^(isst_\w+)(?:\{(.*)\})? ", re.M)


def read(path):
    return (pathlib.Path(source.ROOT) / path).read_text(encoding="utf-8")


def rows_of(section):
    """The rows of the table below a heading: cells without backquotes."""
    text = read(PAGE).split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ?(.*?) ?\|$", text, re.M)[2:]
    return [[cell.replace("`", "").strip() for cell in re.split(r" ?\| ?", row)] for row in rows]


def run(program, *words):
    return subprocess.run([program, *words], text=True, check=False, capture_output=True).stdout


def statuses_of(program):
    text = " ".join(run(program, "--help", "all").split()).split("Exit status: ")[1].rstrip(".")
    return dict(part.split(" ", 1) for part in text.split("; "))


def labels_of(program):
    """{family: the sets of labels that its series have}, on machines with much to show."""
    found = {}
    for name in MACHINES:
        with tempfile.TemporaryDirectory(prefix="isst-interfaces-") as directory:
            options = ("--simulate", name, "--simulate-state", directory + "/state")
            for words in SETUP:
                run(program, *options, *words)
            run(program, *options, "-o", directory + "/state/state.json", "state", "export")
            text = run(program, *options, "metrics", "--per-core", "--limit-reasons")
        for family, labels in SAMPLE.findall(text):
            found.setdefault(family, set()).add(tuple(re.findall(r'(\w+)="', labels)))
    return found


def metrics_problems(program):
    rows = {row[0]: row[1:] for row in rows_of("Metrics")}
    families = {name: kind.lower() for kind, name in
                FAMILY.findall(read("src/features/metrics/metrics.c"))}
    for name in sorted(families.keys() ^ rows.keys()):
        yield f"{name} is not both on the page and in the program"
    for name in sorted(families.keys() & rows.keys()):
        if rows[name][0] != families[name]:
            yield f"{name} is a {families[name]}, not a {rows[name][0]}"
    found = labels_of(program)
    for name in sorted(families.keys() - found.keys()):
        yield f"{name} is not seen on any machine"
    for name in sorted(found.keys() & rows.keys()):
        words = rows[name][1].split(", ") if rows[name][1] else []
        most = [word.strip("()") for word in words]
        least = {word for word in words if not word.startswith("(")}
        for labels in found[name]:
            if labels != tuple(word for word in most if word in labels) or not least <= set(labels):
                yield f"{name} has the labels {labels}, not {words}"


def node_problems():
    names = set(re.findall(r'append_(?:label|number)\(to, "([a-z-]+)"', read("src/choose/labels.c")))
    listed = {row[0].removeprefix("sst-") for row in rows_of("Labels of nodes")}
    for name in sorted(names ^ listed):
        yield f"label {name} is not both on the page and in the program"


def module_problems():
    rows = rows_of("Return values of the Ansible modules")
    for module in MODULES:
        text = read(f"packaging/ansible/plugins/modules/{module}.py").split('RETURN = r"""')[1]
        names = set(re.findall(r"^ *(\w+):$", text.split('"""')[0], re.M)) - {"contains"}
        for name in sorted(names ^ {row[1] for row in rows if row[0] == module}):
            yield f"{name} of {module} is not both on the page and in the module"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    problems = [*metrics_problems(program), *node_problems(), *module_problems()]
    statuses = statuses_of(program)
    listed = dict(rows_of("Exit statuses"))
    if statuses != listed:
        problems.append(f"exit statuses are {statuses}, not {listed}")
    for problem in problems:
        print(f"FAILED: {PAGE}: {problem}")
    print(f"interfaces: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
