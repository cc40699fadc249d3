#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Recordings of machines that no platform file describes: trees of kernel files (standin/trees.py), and
machines that answer otherwise, which are recordings with other answers and files. Each is recorded,
and the questions of questions.py are answered the same by the machine and by its recording.
"""

import argparse
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "golden"), str(HERE.parent / "standin")]

import machine  # noqa: E402 pylint: disable=wrong-import-position
import questions  # noqa: E402 pylint: disable=wrong-import-position
import roundtrip  # noqa: E402 pylint: disable=wrong-import-position
import trees  # noqa: E402 pylint: disable=wrong-import-position

# Where a request goes, and what is asked for; what follows is the answer.
KEYS = ("logical_cpu", "command", "sub_command", "parameter", "req_data", "msr", "reg", "get_set",
        "socket_id", "power_domain_id", "level", "core", "clos")
ERRORS = ["ENXIO", "EIO", "ENODEV", "EINVAL", "ENOTTY"]
FILE_ERRORS = ["ENOENT", "EIO", "EBUSY", "EACCES", "ENODEV"]
TEXTS = ["", "garbage", "-1", "0", "1", "n/a", "4294967296", "a b", {"hex": "00ff"}, {"exact": "12"}]
# Without these nothing can be recorded, or the file is not of one machine.
NEEDED = re.compile(r"/proc/cpuinfo|/topology/|/online$|/present$|/possible$|boot_id")

# name, platform, and what is changed in the lines of the requests: (pattern, replacement).
REFUSALS = [
    ("SST-BF of a level is refused, SST-TF is not", "gnr-6776p-2s",
     [(r"^(tpmi base-freq: socket_id:1 .*)$", r"\1 error:EIO")]),
    ("SST-BF is refused, and uncore limits have another word", "guide",
     [(r"^(mbox: .* sub_command:0x21 .*)$", r"\1 error:EIO"),
      (r"^(mbox: .* sub_command:0xc .*)$", r"\1 error:EINVAL")]),
    ("CPUs of a level are refused", "gnr-6776p-2s",
     [(r"^(tpmi level cores: socket_id:0 .* level:1 .*)$", r"\1 error:EIO")]),
]


class Pair:
    """A machine, and the replay of its recording."""

    def __init__(self, arguments, directory, box):
        self.program = arguments.program
        self.boxes = [box]
        run = box.run(self.program, ["-o", str(box.out), "machine", "record"])
        if run.status:
            raise RuntimeError(f"it cannot be recorded: {run.stderr}")
        recording = directory / "recording.json"
        recording.write_text(run.out, encoding="utf-8")
        (directory / "replay").mkdir()
        self.boxes.append(machine.Machine(directory / "replay", recording))
        for pair in self.boxes:
            for name in questions.PROFILES:
                (pair.directory / f"{name}.json").write_text(
                    questions.profile(arguments.build, name), encoding="utf-8")

    def problems(self, argvs):
        """Yields how the machine and its replay differ."""
        for argv in argvs:
            seen = [roundtrip.left_by(box, self.program, [
                word.replace("./", f"{box.directory}/") for word in argv]) for box in self.boxes]
            yield from roundtrip.differences(argv, *seen)


def try_tree(arguments, make):
    with machine.temporary_directory() as name:
        directory = pathlib.Path(name)
        (directory / "machine").mkdir()
        tree = trees.Tree(directory / "machine", arguments.standin)
        make(tree)
        return list(Pair(arguments, directory, tree).problems(questions.formats()))


def record(arguments, platform):
    """The recording of a platform as it starts."""
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, arguments.platforms / f"{platform}.json")
        run = box.run(arguments.program, ["-o", str(box.out), "machine", "record"])
        return json.loads(run.out)


def try_changed(arguments, document, argvs):
    """A machine that answers as the document says."""
    with machine.temporary_directory() as name:
        directory = pathlib.Path(name)
        (directory / "machine").mkdir()
        path = directory / "machine.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        box = machine.Machine(directory / "machine", path)
        return list(Pair(arguments, directory, box).problems(argvs))


def replace_number(dice, line):
    """The line of a request with another number in its answer."""
    numbers = [match for match in re.finditer(r"(?<=[:,])(0x[0-9a-f]+|\d+)", line)
               if line[:match.start()].rsplit(" ", 1)[1].split(":")[0] not in KEYS]
    if not numbers or line.startswith(("phys id", "platform info")):
        return line
    match = dice.choice(numbers)
    base = 16 if match[1].startswith("0x") else 10
    number, most = int(match[1], base), max(255, int(match[1], base))
    number = dice.choice([0, number ^ 1 << dice.randrange(most.bit_length()), dice.randrange(most)])
    return line[:match.start()] + (hex(number) if base == 16 else str(number)) + line[match.end():]


def change_request(dice, recorded):
    index = dice.randrange(len(recorded["requests"]))
    line = recorded["requests"][index].partition(" error:")[0]
    if dice.random() < .3 and not line.startswith(("phys id", "platform info")):
        line += f" error:{dice.choice(ERRORS)}"
    else:
        line = replace_number(dice, line)
    recorded["requests"][index] = line
    return line


def change_file(dice, recorded):
    """Another value of a file; of a file by CPU, for one of its lists of CPUs."""
    path = dice.choice([path for path in recorded["files"] if not NEEDED.search(path)])
    value = dice.choice([{"error": dice.choice(FILE_ERRORS)}, dice.choice(TEXTS)])
    if "#" in path and recorded["files"][path]:
        recorded["files"][path][dice.choice(list(recorded["files"][path]))] = value
    elif "#" not in path:
        recorded["files"][path] = value
    return f"{path} {value}"


def try_random(arguments, seed, platform, document):
    """Random changes of a recording, and some of the questions."""
    dice = random.Random(f"{seed} {platform}")
    document = json.loads(json.dumps(document))
    recorded = document["recorded"]
    changes = [(change_request if recorded["requests"] and dice.random() < .6 else change_file)(
        dice, recorded) for _ in range(dice.choice([1, 2, 4, 10]))]
    problems = try_changed(arguments, document, dice.sample(list(questions.formats()), 12))
    return [f"{', '.join(changes)}: {problem}" for problem in problems]


def results(arguments):
    """Yields (name, problems) of everything that is tried."""
    for name, make, _ in trees.TREES:
        yield name, try_tree(arguments, make)
    for name, platform, changes in REFUSALS:
        document = record(arguments, platform)
        recorded = document["recorded"]
        before = list(recorded["requests"])
        for pattern, replacement in changes:
            recorded["requests"] = [re.sub(pattern, replacement, line.partition(" error:")[0])
                                    if re.match(pattern, line) else line
                                    for line in recorded["requests"]]
        if recorded["requests"] == before:
            raise RuntimeError(f"{name}: no request is changed")
        yield name, try_changed(arguments, document, questions.formats())
    platforms = sorted(path.stem for path in arguments.platforms.glob("*.json"))
    documents = {platform: record(arguments, platform)
                 for platform in platforms[:None if arguments.random else 0]}
    for seed in range(arguments.seed, arguments.seed + arguments.random):
        for platform, document in documents.items():
            yield (f"{platform}, seed {seed}", try_random(arguments, seed, platform, document))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--platforms", "--build"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--standin", required=True)
    parser.add_argument("--random", type=int, default=0, metavar="N",
                        help="so many machines that answer at random, of each platform")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    passed = failed = 0
    for name, problems in results(arguments):
        failed += bool(problems)
        passed += not problems
        for problem in problems[:5]:
            print(f"FAILED: {name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
