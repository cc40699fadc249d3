#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The sizes that CONTRIBUTING.md sets: functions, files, headers, mutable variables, amount of tests;
and that of recordings.
Prints the figures. The library is given to count variables in; a sanitized one has others of its
own, so then it is left out.
"""

import re
import statistics
import subprocess
import sys

import source

MAX_FILE_LINES = 800
MAX_HEADER_LINES = 250
MAX_HEADER_INCLUDES = 4
MAX_FUNCTION_LINES = 60
MAX_TEST_FUNCTION_LINES = 80  # a table of vectors may be in it
MAX_FUNCTION_P95 = 45
MAX_FUNCTION_MEDIAN = 20
MAX_VARIABLES = 5
MIN_TEST_SHARE = 0.8
MAX_RECORDING = 60_000  # bytes, compressed


def functions(path):
    """(name, lines) of each function: in kernel style a body opens and closes in column 0."""
    lines = source.text(path).splitlines()
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield function_name(lines[:start]), number - start + 1
            start = None


def function_name(before):
    """The name in the signature directly before a body."""
    signature = " ".join(before[-6:])
    names = re.findall(r"(\w+)\s*\(", signature.rpartition(";")[2].rpartition("}")[2])
    return names[0] if names else "?"


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def function_problems(paths, label, most):
    sizes = [(size, f"{source.name(path)}: {name}") for path in paths
             for name, size in functions(path)]
    lines = [size for size, _ in sizes]
    median, p95 = statistics.median(lines), percentile(lines, 0.95)
    print(f"{label}: {len(lines)} functions, median {median:g} lines, 95th percentile {p95}, "
          f"longest {max(sizes)[0]} ({max(sizes)[1]})")
    for size, name in sizes:
        if size > most:
            yield f"{name} has {size} lines, over {most}"
    if median > MAX_FUNCTION_MEDIAN:
        yield f"{label}: median function has {median:g} lines, over {MAX_FUNCTION_MEDIAN}"
    if p95 >= MAX_FUNCTION_P95:
        yield f"{label}: 95th percentile is {p95} lines, {MAX_FUNCTION_P95} or more"


def file_problems(path):
    text = source.text(path)
    lines, includes = text.count("\n"), len(source.INCLUDE.findall(text))
    in_abi = path.parent.name == "include"
    if lines >= MAX_FILE_LINES:
        yield f"{source.name(path)} has {lines} lines, {MAX_FILE_LINES} or more"
    if path.suffix == ".h" and not in_abi and lines >= MAX_HEADER_LINES:
        yield f"{source.name(path)} has {lines} lines, {MAX_HEADER_LINES} or more"
    if path.suffix == ".h" and includes > MAX_HEADER_INCLUDES:
        yield f"{source.name(path)} includes {includes} of ours, over {MAX_HEADER_INCLUDES}"


def variables(library):
    """Mutable variables of the library: its symbols in .data and .bss."""
    output = subprocess.run(["nm", "--format=sysv", library], check=True, capture_output=True,
                            text=True).stdout
    for line in output.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and re.fullmatch(r"\.(data|bss|tdata|tbss)(\.(?!rel\.ro).*)?|\*COM\*",
                                              columns[6]):
            yield columns[0]


def variable_problems(library):
    names = list(variables(library))
    print(f"mutable variables: {len(names)} {names}")
    if len(names) >= MAX_VARIABLES:
        yield f"{len(names)} mutable variables, {MAX_VARIABLES} or more: {names}"


def share_problems(code, tests):
    code_lines, test_lines = (sum(source.text(path).count("\n") for path in paths)
                              for paths in (code, tests))
    share = test_lines / code_lines
    print(f"source: {len(code)} files, {code_lines} lines; tests: {len(tests)} files, "
          f"{test_lines} lines; share {share:.2f}")
    if share < MIN_TEST_SHARE:
        yield f"tests are {share:.2f} of the source, under {MIN_TEST_SHARE}"


def main():
    code = source.files(["src", "include"], ".c", ".h")
    tests = source.files(["tests"], ".c", ".h", ".py")
    problems = [problem for path in code + source.files(["tests"], ".c", ".h")
                for problem in file_problems(path)]
    problems += function_problems([path for path in code if path.suffix == ".c"], "source",
                                  MAX_FUNCTION_LINES)
    problems += function_problems([path for path in tests if path.suffix == ".c"], "tests",
                                  MAX_TEST_FUNCTION_LINES)
    problems += share_problems(code, tests)
    problems += [f"{source.name(path)} has over {MAX_RECORDING} bytes"
                 for path in source.files(["platforms/recorded"], ".xz")
                 if path.stat().st_size > MAX_RECORDING]
    for library in sys.argv[1:]:
        problems += variable_problems(library)
    source.finish("sizes", problems)


if __name__ == "__main__":
    main()
