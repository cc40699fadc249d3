#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
meson install into a directory of its own: everything is where the build's options want it, nothing
else is there, no other may write it, links lead to what was installed, and the program runs from
there with nothing but what was installed.
"""

import json
import pathlib
import shutil
import stat
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[3]
FEATURES = ["base-freq", "core-power", "cpufreq", "cpuidle", "machine", "measure", "metrics", "oob",
            "perf-profile", "power", "priority", "state", "turbo-freq", "turbo-mode", "uncore"]
PROGRAM = "intel-speed-select"
COLLECTION = ROOT / "packaging/ansible"


def read_options(build):
    text = subprocess.run(["meson", "introspect", "--buildoptions", build], check=True,
                          capture_output=True, text=True).stdout
    return {option["name"]: option["value"] for option in json.loads(text)}


def names(options):
    return ("isst", PROGRAM) if options["compat-name"] else ("isst",)


def manual_pages(directory, options):
    yield from (f"{directory}/man8/{name}.8" for name in names(options))
    yield from (f"{directory}/man8/{name}-{feature}.8" for name in names(options)
                for feature in FEATURES)
    yield from (f"{directory}/man5/{name}-{page}.5" for name in ("isst", PROGRAM)
                for page in ("platform", "profile", "state"))
    yield from (f"{directory}/man7/{name}-output.7" for name in ("isst", PROGRAM))


def completions(directory, options):
    for name in names(options):
        yield f"{directory}/bash-completion/completions/{name}"
        yield f"{directory}/fish/vendor_completions.d/{name}.fish"
    yield f"{directory}/zsh/site-functions/_{PROGRAM}"


def parts_for_others(data):
    yield f"{data}/{PROGRAM}/grafana/{PROGRAM}.json"
    yield from (f"lib/tuned/{name}" for name in ("isst-state", "profiles/isst-state/tuned.conf",
                                                 "profiles/isst-state/script.sh"))
    yield from (f"{data}/ansible/collections/ansible_collections/isst/speed_select/"
                f"{path.relative_to(COLLECTION)}" for path in COLLECTION.rglob("*")
                if path.is_file() and path.suffix != ".pyc")


def expected(options):
    """What is to be installed, below the prefix or with its whole path."""
    data = options["datadir"]
    yield from (f"{options['bindir']}/{name}" for name in names(options))
    yield from (f"{data}/doc/{PROGRAM}/{name}" for name in ("README.md", "CHANGELOG.md"))
    documents = (ROOT / "docs/meson.build").read_text(encoding="utf-8").split("'")
    yield from (f"{data}/doc/{PROGRAM}/docs/{name}" for name in documents
                if (ROOT / "docs" / name).is_file() and not name.startswith("."))
    yield from (f"{data}/{PROGRAM}/profiles/{path.name}" for path in ROOT.glob("profiles/*.json"))
    if options["simulator"]:
        yield from (f"{data}/{PROGRAM}/platforms/{path.name.removesuffix('.xz')}"
                    for path in ROOT.glob("platforms/**/*.json*"))
    yield from parts_for_others(data)
    if options["man"]:
        yield from manual_pages(options["mandir"], options)
    if options["completions"]:
        yield from completions(data, options)
    if options["systemd"]:
        units = options["systemdsystemunitdir"] or "lib/systemd/system"
        yield from (f"{units}/{name}.service" for name in
                    [PROGRAM, f"{PROGRAM}-metrics", f"{PROGRAM}-priority", *[f"{PROGRAM}-oob"] * options["daemon"]])


def problems_of(path, shown):
    if path.is_symlink():
        if not path.exists():
            yield f"{shown} leads nowhere"
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o022:
        yield f"{shown} has mode {mode:o}"


def run_installed(place, options):
    """The main job with nothing but what is installed."""
    prefix = place / options["prefix"].lstrip("/")
    program = prefix / options["bindir"] / "isst"
    if not options["simulator"]:
        result = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        return None if result.returncode == 0 else f"it does not run: {result.stderr}"
    platform = prefix / options["datadir"] / PROGRAM / "platforms/guide.json"
    result = subprocess.run([program, "--simulate", platform, "--simulate-state", place / "state",
                             "perf-profile", "get-config-levels"], env={}, cwd="/",
                            capture_output=True, text=True, check=False)
    return None if "get-config-levels:4" in result.stdout else f"it does not run: {result.stderr}"


def check(build, place):
    options = read_options(build)
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", place],
                   check=True, stdout=subprocess.DEVNULL)
    found = {f"/{path.relative_to(place)}" for path in place.rglob("*") if not path.is_dir() or
             path.is_symlink()}
    prefix = pathlib.Path(options["prefix"])
    wanted = {str(prefix / path) for path in expected(options)}
    problems = [f"{path} is missing" for path in sorted(wanted - found)]
    problems += [f"{path} is not to be there" for path in sorted(found - wanted)]
    for path in sorted(found):
        problems += problems_of(place / path.lstrip("/"), path)
    return [*problems, *filter(None, [run_installed(place, options)])], len(found)


def main():
    build = pathlib.Path(sys.argv[1])
    place = build / "installed"
    shutil.rmtree(place, ignore_errors=True)
    try:
        problems, count = check(build, place.resolve())
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"install: {count} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
