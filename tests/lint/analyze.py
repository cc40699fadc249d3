#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the analyzers over the program's source: clang-tidy (.clang-tidy says what of it), cppcheck,
gcc -fanalyzer; shellcheck is a lint test. Needs a build directory, for its compile_commands.json.
A finding that is none is in KNOWN below, with the reason; one that is found no more is an error.
"""

import json
import multiprocessing.pool
import os
import re
import shlex
import subprocess
import sys

import source

FINDING = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):(?:\d+:)? warning: (?P<text>.*) "
                     r"\[(?P<check>[^][]+)\]$", re.M)
CWE = re.compile(r" \[CWE-\d+\]")

# gcc 12 does not know the cleanup attribute, nor that a structure is freed through the one that it
# begins with; and takes what asprintf() and outputs of other files fill for uninitialized.
GCC = ["-fanalyzer", "-Wno-analyzer-malloc-leak", "-Wno-analyzer-use-of-uninitialized-value",
       "-fdiagnostics-color=never", "-fdiagnostics-path-format=none", "-o", "/dev/null"]
# cppcheck: unreadVariable and memleak do not know the cleanup attribute; unusedStructMember sees
# no offsetof(); variableScope is against declarations at the top; clarifyCalculation is for
# calloc(x * size ?: 1), selfAssignment for err = f() ?: err; badBitmaskCheck for tables of bits
# where one is 0; varFuncNullUB for a C library whose NULL is no pointer; shadowVariable and
# shadowFunction count what is declared only later, and -Wshadow has the rest; nullPointer takes
# what _Generic does not evaluate for a dereference, and both others look for those.
CPPCHECK = ["--enable=warning,style,performance,portability", "--std=c11", "-D_GNU_SOURCE",
            "-Djson_array_foreach(array,index,value)=while(next(array,&index,&value))",
            "-Djson_object_foreach(object,key,value)=while(next(object,&key,&value))",
            "--quiet", "--template={file}:{line}: warning: {message} [{id}]",
            *(f"--suppress={name}" for name in
              ("unreadVariable", "memleak", "unusedStructMember", "variableScope",
               "clarifyCalculation", "selfAssignment", "badBitmaskCheck", "varFuncNullUB",
               "shadowVariable", "shadowFunction", "nullPointer"))]

# (tool, file, check): why it is no defect.
KNOWN = {
    ("clang-tidy", "src/base/cpuset.h", "bugprone-macro-parentheses"):
        "a name that the macro declares takes none",
    ("clang-tidy", "src/base/error_name.c", "bugprone-macro-parentheses"):
        "its text is the name",
    ("clang-tidy", "src/choose/priority.c", "cert-err34-c"):
        "the kernel writes the numbers",
    ("clang-tidy", "src/daemon/events.c", "bugprone-macro-parentheses"):
        "a name that the macro declares takes none",
    ("clang-tidy", "src/measure/compare.c", "clang-analyzer-optin.portability.UnixAPI"):
        "there is always a group",
    ("clang-tidy", "src/report/html.c", "clang-analyzer-core.DivideZero"):
        "a table has columns",
    ("clang-tidy", "src/report/svg.c", "cert-flp30-c"):
        "the number of ticks ends it, too",
    ("clang-tidy", "src/run/result.c", "cert-err34-c"):
        "a number of digits that the program has written",
    ("clang-tidy", "src/settings/power.c", "bugprone-macro-parentheses"):
        "texts of a table",
    ("clang-tidy", "src/settings/power.c", "misc-redundant-expression"):
        "the first row of a table",
    ("clang-tidy", "src/simulator/power.c", "cert-err34-c"):
        "names without a number stay as they are",
    ("clang-tidy", "src/simulator/recorded_places.c", "clang-analyzer-optin.portability.UnixAPI"):
        "the function is called for a place",
    ("clang-tidy", "src/simulator/sysfs/cpu.c", "bugprone-too-small-loop-variable"):
        "there are three names",
    ("clang-tidy", "src/sst/level_fields.h", "bugprone-macro-parentheses"):
        "a name that the macro declares takes none",
    ("clang-tidy", "src/change/transaction.c", "readability-non-const-parameter"):
        "the outcome takes it over",
    ("clang-tidy", "src/record/verify.c", "readability-non-const-parameter"):
        "the row takes it over",
    ("cppcheck", "src/base/buffer.c", "memleakOnRealloc"):
        "the caller keeps the array without memory",
    ("cppcheck", "src/base/json_write.c", "ctunullpointer"):
        "parts without a table have a function",
    ("cppcheck", "src/change/journal_fold.c", "internalAstError"):
        "it cannot parse steal()",
    ("cppcheck", "src/cli/names.c", "nullPointerRedundantCheck"):
        "the loop ends with the text",
    ("cppcheck", "src/host/powercap.c", "internalAstError"):
        "it cannot parse steal()",
    ("cppcheck", "src/record/diff.c", "constParameter"):
        "json_pack() counts a reference to it",
    ("cppcheck", "src/simulator/state_directory.c", "ctunullpointer"):
        "there is a path wherever it is called",
    ("cppcheck", "src/sst/mailbox/mailbox.c", "duplicateExpressionTernary"):
        "it takes the middle of a ?: without one for the other branch",
    ("cppcheck", "src/state/assumption.c", "internalAstError"):
        "it cannot parse steal()",
    ("cppcheck", "src/sst/predict.c", "arrayIndexOutOfBoundsCond"):
        "it takes the comparison with 0 for one with the number of levels",
    ("cppcheck", "src/sst/tpmi/targets.c", "knownConditionTrueFalse"):
        "it takes a ternary for its first value",
    ("gcc", "src/base/fileio.c", "-Wanalyzer-null-argument"):
        "what was read has a text",
    ("gcc", "src/base/json_fields.c", "-Wanalyzer-null-dereference"):
        "a field has a place",
    ("gcc", "src/choose/future.c", "-Wanalyzer-possible-null-argument"):
        "it is looked at before",
    ("gcc", "src/cli/parse.c", "-Wanalyzer-null-dereference"):
        "an option of CPUs has a value",
    ("gcc", "src/settings/journaled.c", "-Wanalyzer-null-dereference"):
        "paths of CLOS have an N",
    ("gcc", "src/simulator/sysfs/powercap.c", "-Wanalyzer-null-dereference"):
        "these files are there only for a zone",
}


def commands(build):
    """(file, words) for each file of the program in the build."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as listed:
        for entry in json.load(listed):
            path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
            if path.startswith(f"{source.ROOT}/src/") and "/libisst.a.p/" in entry["output"]:
                yield path, shlex.split(entry["command"])


def without_outputs(words):
    """A compiler's command without what it writes."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MQ"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    return kept


def run(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def jobs(build):
    """(tool, command) of all that is to be run."""
    for path, words in commands(build):
        yield "gcc", ["gcc", *without_outputs(words)[1:], *GCC]
        yield "clang-tidy", ["clang-tidy", "-p", build, "--quiet", path]
    yield "cppcheck", ["cppcheck", *CPPCHECK, "-I", source.ROOT / "include", "-I",
                       source.ROOT / "src", source.ROOT / "src"]


def findings(build, tool, command):
    for found in FINDING.finditer(CWE.sub("", run(command, build))):
        path = os.path.relpath(os.path.realpath(os.path.join(build, found["file"])), source.ROOT)
        if not path.startswith(".."):
            yield tool, path, found["check"], found["line"], found["text"]


def main():
    build = os.path.realpath(sys.argv[1])
    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        lists = pool.map(lambda job: list(findings(build, *job)), list(jobs(build)), chunksize=1)
    found = sorted({finding for one in lists for finding in one})
    problems = [f"{path}:{line}: {text} [{tool}: {check}]"
                for tool, path, check, line, text in found if (tool, path, check) not in KNOWN]
    gone = set(KNOWN) - {(tool, path, check) for tool, path, check, _, _ in found}
    problems += [f"{path}: {check} of {tool} is found no more; take it out of KNOWN"
                 for tool, path, check in sorted(gone)]
    source.finish("analyze", problems)


if __name__ == "__main__":
    main()
