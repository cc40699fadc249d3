#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The Ansible collection without a machine: ansible-doc shows each module with its options and return
values, and the role with its options. With --lint, ansible-lint finds nothing. With --sanity,
neither does ansible-test, which needs to fetch pip.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLLECTION = ROOT / "packaging/ansible"
NAME = "isst.speed_select"
TIMEOUT_S = 280
SKIPPED = 77
# About publishing the collection, which is in the source of the program only.
LEFT_OUT = ("galaxy[no-changelog]", "galaxy[version-incorrect]", "schema[galaxy]")


class Wrong(Exception):
    """What was found is not what was promised."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def run(words, directory, collection):
    env = {"PATH": os.environ["PATH"], "HOME": directory, "LC_ALL": "C.UTF-8",
           "ANSIBLE_COLLECTIONS_PATH": directory, "ANSIBLE_COLLECTIONS_PATHS": directory,
           "ANSIBLE_LOCAL_TEMP": f"{directory}/tmp"}
    return subprocess.run(words, env=env, cwd=collection, text=True, check=False,
                          capture_output=True, timeout=TIMEOUT_S)


def try_documentation(directory, collection):
    for kind, names in (("module", sorted(path.stem for path in
                                          (COLLECTION / "plugins/modules").glob("*.py"))),
                        ("role", sorted(os.listdir(COLLECTION / "roles")))):
        full = [f"{NAME}.{name}" for name in names]
        done = run(["ansible-doc", "--json", "-t", kind, *full], directory, collection)
        expect(done.returncode == 0, f"ansible-doc: {done.stderr}")
        shown = json.loads(done.stdout)
        expect(set(full) == set(shown), f"ansible-doc shows {list(shown)}")
        for name in full:
            about = shown[name]
            if kind == "module":
                expect(about["doc"]["options"] and about["return"] and about["examples"],
                       f"{name} lacks a part: {list(about)}")
            else:
                expect(about["entry_points"]["main"]["options"], f"{name} lacks options")


def try_lint(directory, collection):
    done = run(["ansible-lint", "--offline", "--nocolor", "-q", "-p"], directory, collection)
    found = [line for line in done.stdout.splitlines()
             if re.match(r"\S+:\d+", line) and not any(rule in line for rule in LEFT_OUT)]
    expect(not found and "Traceback" not in done.stderr,
           f"ansible-lint: {found} {done.stderr[-1000:]}")


def try_sanity(directory, collection):
    subprocess.run(["git", "init", "-q"], cwd=collection, check=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    done = run(["ansible-test", "sanity", "--python", version], directory, collection)
    if "does not have pip available" in done.stdout + done.stderr:
        print("SKIPPED: ansible-test cannot fetch pip")
        sys.exit(SKIPPED)
    expect(done.returncode == 0, f"ansible-test: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lint", action="store_const", dest="tried", const="ansible-lint")
    parser.add_argument("--sanity", action="store_const", dest="tried", const="ansible-test")
    tried = parser.parse_args().tried
    if tried and not shutil.which(tried):
        print(f"SKIPPED: install {'ansible-lint' if tried == 'ansible-lint' else 'ansible-core'}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="isst-collection-") as directory:
        collection = pathlib.Path(directory) / "ansible_collections/isst/speed_select"
        shutil.copytree(COLLECTION, collection)
        try:
            {"ansible-lint": try_lint, "ansible-test": try_sanity,
             None: try_documentation}[tried](directory, collection)
        except Wrong as wrong:
            print(f"FAILED: {wrong}")
            sys.exit(1)


if __name__ == "__main__":
    main()
