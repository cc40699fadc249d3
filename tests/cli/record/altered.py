#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Machines of other published sets can have fewer files than those of Intel's pepc, other processors,
or CPUs that are offline. A real machine is altered in these ways and imported (scripts/import-pepc):
what it still shows must be what the unaltered one shows.

    altered.py --program PROGRAM --archive FILE
"""

import argparse
import pathlib
import re
import sys
import tempfile

import imported
from imported import Replay, require

NAME = "srf8"
INFO, LIST = "proc/cpuinfo", "sys/inlinefiles.txt"
READING = [words.split() for words in ("perf-profile info", "core-power info", "-c all cpufreq info",
                                       "uncore info", "-c 0 cpufreq explain")]
POLICY = "rw|/sys/devices/system/cpu/cpufreq/policy{}/{}|{}\n"  # files that the archive leaves out
POLICY_FILES = {"scaling_driver": "intel_pstate", "scaling_governor": "powersave",
                "scaling_min_freq": "800000", "scaling_max_freq": "3200000"}
ARM = "processor\t: {}\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"


def without(pattern):
    """Removes the lines of files of /sys that match."""
    return lambda files: files.update({LIST: re.sub(rf"^r.\|{pattern}\|.*\n", "", files[LIST],
                                                    flags=re.M)})


def as_other_model(files):
    files[INFO] = re.sub(r"^model\t.*", "model\t\t: 222", files[INFO], flags=re.M)


def with_offline(files):
    files[INFO] = re.sub(r"processor\t: [34]\n(.+\n)+\n", "", files[INFO])
    files[LIST] = files[LIST].replace("cpu/online|0-127", "cpu/online|0-2,5-127")


def as_arm(files):
    """Without MSRs and registers, with ids of the kernel that are -1."""
    files[INFO] = "\n".join(ARM.format(cpu) for cpu in range(128))
    files[LIST] += "".join(f"ro|/sys/devices/system/cpu/cpu{cpu}/topology/{name}|-1\n"
                           for cpu in range(128) for name in ("physical_package_id", "core_id"))
    for path in [path for path in files if path.startswith(("msr/", "sys/kernel/"))]:
        del files[path]


# What is altered, how, whether all else is as before, and what machine summary shows.
ALTERED = [
    ("no lists of CPUs", without("/sys/devices/system/cpu/(?:online|present)"), True,
     ["2 packages, 128 cores, 128 CPUs, all online"]),
    ("no CPUs of policies", without(r"\S+/related_cpus"), True, ["Intel(R) Xeon(R) 6710E"]),
    ("an unknown processor with registers", as_other_model, True, ["model 222"]),
    ("CPUs that are offline", with_offline, False, ["126 of 128 CPUs online; offline 3-4"]),
    ("another architecture", as_arm, False,
     ["recording of unknown processor", "1 package, 128 cores, 128 CPUs, all online",
      "none: this CPU is not Intel's"]),
]


def make(options, directory, name, alter):
    """A recording of the machine as it was altered."""
    files = imported.read_archive(options.archive, NAME)
    files[LIST] += "".join(POLICY.format(cpu, *file) for cpu in range(128)
                           for file in POLICY_FILES.items())
    before = dict(files)
    alter(files)
    require(files != before or name == NAME, "nothing is altered")
    for path, text in files.items():
        file = directory / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    options.archive, archive = directory, options.archive
    path = directory / f"{name}.json"
    imported.import_machine(options, name, path)
    options.archive = archive
    (directory / f"{name}-state").mkdir()
    return Replay(options.program, path, directory / f"{name}-state")


def check(replay, expected, summary):
    text = replay.run("machine", "summary").stdout
    for fragment in summary:
        require(fragment in text, f"no {fragment!r} in: {text}")
    if not expected:
        imported.check_commands(replay)
        imported.check_state(replay)
    for words, tree in (expected or {}).items():
        require(replay.show(*words) == tree, f"{' '.join(words)}: another answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="isst-test-") as name:
        directory = pathlib.Path(name)
        plain = make(options, directory, NAME, lambda files: None)
        answers = {tuple(words): plain.show(*words) for words in READING}
        require(all(answers.values()), "a command shows nothing")
        for number, (title, alter, is_same, summary) in enumerate(ALTERED):
            try:
                check(make(options, directory, f"altered{number}", alter),
                      answers if is_same else None, summary)
            except imported.Failure as error:
                failed += 1
                print(f"FAILED: {title}: {error}")
    print(f"{len(ALTERED) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
