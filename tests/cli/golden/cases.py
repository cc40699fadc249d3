#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Our own cases: reading, error paths, help, and which stream carries what (cases.json); setting, its
refusals and dry runs (setting.json); messages that no other test shows (messages.json); state
documents (state.json), those that are wrong and machines
in odd states (document.json); --oob where there is a daemon
(oob.json).

A case is {name, platform (or null), argv, program, stdout, stderr, status, out} and, where needed,
changes (members of the platform file that are otherwise, by their path: "cpufreq/no_turbo"), files
(what is in the case's directory: JSON by name or path; a text is written as it is), bytes (the same
as a text with a character for each byte), setup (command lines run before it), faults (what goes
into faults.json of the state directory for the case alone), document (the stream that must be one
JSON document) and then (command lines run
after it, whose results are found). Texts are lists of lines. {tmp} means the case's directory,
in argv and in the texts, {time} a time of now; -o {tmp}/out makes out. --regenerate writes what the program does now into
the file: read the difference before you keep it.
"""

import argparse
import json
import pathlib
import re
import sys

import machine
import tree

# musl's words for error numbers, and glibc's.
MUSL_WORDS = {"I/O error": "Input/output error", "Not a tty": "Inappropriate ioctl for device"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
EXPECTED = ("stdout", "stderr", "status", "out", "found")


def to_lines(text):
    """Text as a list of lines where every line is ended, else as it is."""
    if text is None or (text and not text.endswith("\n")):
        return text
    return text.splitlines()


def change(platform, changes, path):
    """Writes a platform file with some members changed."""
    document = json.loads(platform.read_text(encoding="utf-8"))
    for where, value in changes.items():
        *parents, name = where.split("/")
        parent = document
        for step in parents:
            parent = parent[int(step) if isinstance(parent, list) else step]
        parent[name] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_files(box, case):
    """Writes the files of a case into its directory."""
    for name, content in case.get("files", {}).items():
        text = content if isinstance(content, str) else json.dumps(content)
        (box.directory / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (box.directory / name).write_text(text, encoding="utf-8")
    for name, content in case.get("bytes", {}).items():
        (box.directory / name).write_bytes(content.encode("latin-1"))


def prepare(directory, arguments, case):
    """The machine that a case runs on, with its faults and its setup commands done."""
    platform = arguments.platforms / f"{case['platform']}.json" if case["platform"] else None
    if "changes" in case:
        platform = change(platform, case["changes"], pathlib.Path(directory) / "platform.json")
    box = machine.Machine(directory, platform, near=True)
    write_files(box, case)
    for argv in case.get("setup", []):
        run = box.run(arguments.program, [word.replace("{tmp}", directory) for word in argv])
        if run.status:
            raise RuntimeError(f"{case['name']}: setup {argv} failed: {run.stderr}")
    if "faults" in case:
        box.state.mkdir(mode=0o700, exist_ok=True)
        (box.state / "faults.json").write_text(json.dumps(case["faults"]), encoding="utf-8")
    return box


def look(arguments, box, case):
    """What the machine shows after a case, without its faults."""
    (box.state / "faults.json").unlink(missing_ok=True)
    found = []
    for argv in case["then"]:
        run = box.run(arguments.program, ["-o", str(box.out),
                                          *(word.replace("{tmp}", str(box.directory))
                                            for word in argv)])
        if run.status:
            raise RuntimeError(f"{case['name']}: then {argv} failed: {run.stderr}")
        found += TIME.sub("{time}", run.out + run.stderr).splitlines()
    return found


def of_musl(text):
    """Text with glibc's words for error numbers instead of musl's."""
    for word, usual in MUSL_WORDS.items():
        text = text.replace(word, usual)
    return text


def observe(arguments, case):
    """Runs a case. Returns what it left, in the form of EXPECTED."""
    with machine.temporary_directory() as directory:
        box = prepare(directory, arguments, case)
        argv = [word.replace("{tmp}", directory) for word in case["argv"]]
        run = box.run(arguments.program.parent / case["program"], argv)
        words = of_musl if arguments.musl else str
        texts = {name: to_lines(TIME.sub("{time}", words(text.replace(directory, "{tmp}"))))
                 if text is not None else None
                 for name, text in (("stdout", run.stdout), ("stderr", run.stderr),
                                    ("out", run.out))}
        found = {"found": look(arguments, box, case)} if "then" in case else {}
        return {"status": run.status, **texts, **found}


def problems_of(case, seen):
    found = [f"{name}: expected {case[name]!r}, got {seen[name]!r}"
             for name in EXPECTED if case.get(name) != seen.get(name)]
    if "document" in case:
        try:
            tree.from_json("\n".join(seen[case["document"]] or []))
        except tree.Malformed as error:
            found.append(f"{case['document']}: {error}")
    return found


def in_order(case, seen):
    """The case with what was seen, members in the order of the description above."""
    merged = {name: case[name] for name in case if name not in EXPECTED}
    merged.update((name, seen[name]) for name in EXPECTED if name in seen)
    return merged


def write_cases(path, cases):
    path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Runs the cases of cases.json.")
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--platforms", required=True, type=pathlib.Path)
    parser.add_argument("--cases", required=True, type=pathlib.Path)
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("--musl", action="store_true", help="the program is built with musl")
    parser.add_argument("--one-of-each", action="store_true", help="command, format and status")
    arguments = parser.parse_args()
    cases = json.loads(arguments.cases.read_text(encoding="utf-8"))
    if arguments.one_of_each and not arguments.regenerate:
        cases = machine.one_of_each(cases)
    seen = [observe(arguments, case) for case in cases]
    if arguments.regenerate:
        write_cases(arguments.cases, [in_order(*pair) for pair in zip(cases, seen)])
        return 0
    failed = 0
    for case, result in zip(cases, seen):
        problems = problems_of(case, result)
        failed += bool(problems)
        for problem in problems:
            print(f"FAILED: {case['name']}: {problem}")
    print(f"{arguments.cases.name}: {len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
