#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A portable export of each machine, after a random document, applied to every other machine: it is
set, and then equal, or refused before the first write with a status that says so.
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import documents  # noqa: E402 pylint: disable=wrong-import-position
import machine  # noqa: E402 pylint: disable=wrong-import-position
from properties import Failure, Lab  # noqa: E402 pylint: disable=wrong-import-position

REFUSALS = (2, 3)  # wrong for this machine, or not available here


def export(lab, document):
    """The portable export of the lab's machine after the document."""
    lab.put(document)
    lab.run("state", "apply", str(lab.file))
    return lab.run("state", "export", "--portable").stdout


def try_pair(lab, text):
    """Returns whether the text could be applied to the lab's machine."""
    lab.file.write_text(text, encoding="utf-8")
    lab.run("--simulate-reset")
    run = lab.box.run(lab.program, ["state", "apply", str(lab.file)])
    if run.status in REFUSALS and not lab.writes():
        return False
    if run.status:
        raise Failure(f"status {run.status}, {lab.writes()} writes: {run.stderr}{run.stdout}")
    lab.run("state", "check", str(lab.file))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("platforms", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    sites = [documents.Site(path) for path in arguments.platforms]
    generator = random.Random(arguments.seed)
    applied = failed = 0
    with machine.temporary_directory() as directory:
        labs = [Lab(arguments.program, site, directory, site.platform["name"]) for site in sites]
        sources = [Lab(arguments.program, site, directory, "of-" + site.platform["name"])
                   for site in sites]
        for source in sources:
            default = source.run("state", "export", "--portable").stdout
            other = export(source, documents.Writer(source.site, generator).write())
            for lab in labs:
                for text in (default, other):
                    try:
                        applied += lab.site is not source.site and try_pair(lab, text)
                    except Failure as failure:
                        failed += 1
                        print(f"FAILED: {source.site.platform['name']} to "
                              f"{lab.site.platform['name']}: {failure}\n{text}", flush=True)
    print(f"{len(sites)} machines: {applied} documents of others applied, {failed} failed")
    return 1 if failed or not applied else 0


if __name__ == "__main__":
    sys.exit(main())
