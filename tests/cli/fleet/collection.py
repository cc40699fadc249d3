#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The Ansible collection without a machine: ansible-doc shows each module with its options and return
values, and the role with its options. With --lint, ansible-lint finds nothing. With --sanity,
neither does ansible-test. With --newest both are those of PyPI's ansible-core.
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

import newest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLLECTION = ROOT / "packaging/ansible"
NAME = "isst.speed_select"
TIMEOUT_S = 280
SANITY_S = 3000
# About publishing the collection, which is in the source of the program only.
LEFT_OUT = ("galaxy[no-changelog]", "galaxy[version-incorrect]", "schema[galaxy]")
# ansible-test fetches a script that installs pip from a host of its own, unless it is there already.
BOOTSTRAP = re.compile(r"manually downloaded and saved to: (\S+/get_pip_([\d_]+)\.py)")
BOOTSTRAP_SCRIPT = """\
import runpy
import sys

sys.path.insert(0, "{wheel}")
sys.argv[1:] = ["install", *(word for word in sys.argv[1:]
                             if word not in ("--no-setuptools", "--no-wheel"))]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


class Wrong(Exception):
    """What was found is not what was promised."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def run(words, directory, collection, timeout_s=TIMEOUT_S):
    env = {"PATH": os.environ["PATH"], "HOME": directory, "LC_ALL": "C.UTF-8",
           "ANSIBLE_COLLECTIONS_PATH": directory, "ANSIBLE_COLLECTIONS_PATHS": directory,
           "ANSIBLE_LOCAL_TEMP": f"{directory}/tmp"}
    return subprocess.run(words, env=env, cwd=collection, text=True, check=False,
                          capture_output=True, timeout=timeout_s)


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


def bootstrap(found, directory):
    """Puts a script where ansible-test looks for it, which installs pip from the wheel of PyPI."""
    version = found[2].replace("_", ".")
    newest.pip("download", "-q", "--no-deps", "-d", directory, f"pip=={version}")
    (wheel,) = pathlib.Path(directory).glob(f"pip-{version}-*.whl")
    pathlib.Path(found[1]).write_text(BOOTSTRAP_SCRIPT.format(wheel=wheel), encoding="ascii")


def try_sanity(directory, collection):
    subprocess.run(["git", "init", "-q"], cwd=collection, check=True)
    subprocess.run(["git", "add", "."], cwd=collection, check=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    words = ["ansible-test", "sanity", "-v", "--color", "no", "--python", version]
    done = run(words, directory, collection, SANITY_S)
    found = BOOTSTRAP.search(done.stdout + done.stderr)
    if found:
        bootstrap(found, directory)
        done = run(words, directory, collection, SANITY_S)
    if "does not have pip available" in done.stdout + done.stderr:
        newest.skip("ansible-test cannot have pip")
    expect(done.returncode == 0, f"ansible-test: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    ran = re.findall(r'Running sanity test "(.*?)".*\n(?!No tests applicable)',
                     done.stdout + done.stderr)
    expect("validate-modules" in ran, f"of ansible-test only {ran} ran")
    print("ran:", *ran)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lint", action="store_const", dest="tried", const="ansible-lint")
    parser.add_argument("--sanity", action="store_const", dest="tried", const="ansible-test")
    parser.add_argument("--newest", action="store_true")
    arguments = parser.parse_args()
    tried = arguments.tried
    with tempfile.TemporaryDirectory(prefix="isst-collection-") as directory:
        if arguments.newest:
            os.environ["PATH"] = newest.install(directory)
            newest.print_version(os.environ["PATH"])
        if tried and not shutil.which(tried):
            newest.skip(f"install {'ansible-lint' if tried == 'ansible-lint' else 'ansible-core'}")
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
