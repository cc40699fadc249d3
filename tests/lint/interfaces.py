#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Tables of pages and manual pages against the program. docs/interfaces.md lists what other programs
read: families of metrics and their labels, labels of nodes, return values of the Ansible modules,
exit statuses. docs/security.md lists files in the run directory and environment variables. Each of
them, and nothing else.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import source

PAGE = "docs/interfaces.md"
SECURITY = "docs/security.md"
MANUAL = "man/intel-speed-select.8.in"
MACHINES = ("guide", "gnr-6776p-2s", "icx-8360y-2s", "gnr-6980p-2s")
SETUP = (("-c", "0", "turbo-freq", "enable", "--auto"),
         ("core-power", "config", "--clos", "1", "-m", "2000"),
         ("measure", "run", "-c", "0", "--seconds", "1", "--load", "avx512"), ("metrics",))
MODULES = ("speed_select_state", "speed_select_facts")
FAMILY = re.compile(r'\] =\s+(GAUGE|COUNTER)\(\s*"(isst_\w+)"')
VARIABLE = re.compile(r'(?:getenv|read_variable)\("([A-Z_]+)"\)')
SAMPLE = re.compile(r"^(isst_\w+)(?:\{(.*)\})? ", re.M)


def read(path):
    return (pathlib.Path(source.ROOT) / path).read_text(encoding="utf-8")


def rows_of(section, page=PAGE):
    """The rows of the table below a heading: cells without backquotes."""
    text = read(page).split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ?(.*?) ?\|$", text, re.M)[2:]
    return [[cell.replace("`", "").strip() for cell in re.split(r" ?\| ?", row)] for row in rows]


def run(program, *words):
    return subprocess.run([program, *words], text=True, check=False, capture_output=True).stdout


def statuses_of(program):
    text = " ".join(run(program, "--help", "all").split()).split("Exit status: ")[1].rstrip(".")
    return dict(part.split(" ", 1) for part in text.split("; "))


def terms_of(section, macro=""):
    """The terms of the lists in a section of the main manual page."""
    text = read(MANUAL).split(f"\n.Sh {section}\n")[1].split("\n.Sh ")[0]
    return {term.strip() for line in re.findall(rf"^\.It {macro}(.*)$", text, re.M)
            for term in re.sub(r" Ns (Ar )?", "", line).split(" , ")}


def status_problems(program):
    statuses = statuses_of(program)
    listed = {row[0]: row[1] for row in rows_of("Exit statuses")}
    if statuses != listed:
        yield f"exit statuses are {statuses}, not {listed}"
    if terms_of("EXIT STATUS") != set(statuses):
        yield f"{MANUAL} has the exit statuses {sorted(terms_of('EXIT STATUS'))}"


def run_files_of(program):
    """{name: mode}, after commands of each kind and while the daemon follows."""
    with tempfile.TemporaryDirectory(prefix="isst-interfaces-") as directory:
        options = ("--simulate", MACHINES[2], "--simulate-state", directory + "/state")
        for words in SETUP:
            run(program, *options, *words)
        with subprocess.Popen([program, *options, "--oob", "-n", "-w", "1"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as daemon:
            found = {}
            if daemon.stdout.readline() and not daemon.poll():
                path = pathlib.Path(directory, "state/run")
                found = {re.sub(r"\d+$", "*", file.name): f"{file.stat().st_mode & 0o777:04o}"
                         for file in path.iterdir()}
            daemon.terminate()
    return found


def run_file_problems(program):
    listed = {row[0]: row[1] for row in rows_of("Files", SECURITY)}
    found = run_files_of(program)
    # Without the daemon the program leaves no file of it.
    if "oob.lock" not in found:
        listed = {name: mode for name, mode in listed.items() if not name.startswith("oob")}
    if found != listed:
        yield f"{SECURITY}: the run directory has {found}, not {listed}"
    run_directory = "/run/intel-speed-select/"
    named = {term.removeprefix(run_directory) for term in terms_of("FILES", "Pa ")
             if term.startswith(run_directory)}
    if not set(listed) <= named:
        yield f"{MANUAL}, FILES lacks {sorted(set(listed) - named)}"


def variable_problems():
    names = {name for path in source.files(["src"], ".c") for name in
             VARIABLE.findall(source.text(path))}
    listed = {name for row in rows_of("Environment variables", SECURITY)
              for name in row[0].split(", ")}
    if names != listed:
        yield f"{SECURITY}: the program reads {sorted(names)}, not {sorted(listed)}"
    if terms_of("ENVIRONMENT", "Ev ") != names:
        yield f"{MANUAL}, ENVIRONMENT differs from {sorted(names)}"


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
        yield f"{PAGE}: {name} is not both on the page and in the program"
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
        yield f"{PAGE}: label {name} is not both on the page and in the program"


def module_problems():
    rows = rows_of("Return values of the Ansible modules")
    for module in MODULES:
        text = read(f"packaging/ansible/plugins/modules/{module}.py").split('RETURN = r"""')[1]
        names = set(re.findall(r"^ *(\w+):$", text.split('"""')[0], re.M)) - {"contains"}
        for name in sorted(names ^ {row[1] for row in rows if row[0] == module}):
            yield f"{name} of {module} is not both on the page and in the module"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    problems = [*metrics_problems(program), *node_problems(), *module_problems(),
                *status_problems(program), *run_file_problems(program), *variable_problems()]
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"interfaces: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
