#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What others run and how they read the answer (commands.md, "Who parses this"), in their own words:
shell pipelines and small readers, on simulated machines of both kinds. The shell finds a program of
the usual name that adds --simulate; nothing else stands between.
"""

import argparse
import contextlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TOOL = "intel-speed-select"
MAILBOX = ("icx-8360y-2s", "spr-6438n-2s")
TPMI = ("gnr-6776p-2s",)


class Machine:
    """A simulated machine, its tool in the PATH of the shell."""

    def __init__(self, program, platform, directory):
        self.directory = directory
        tool = directory / TOOL
        tool.write_text(f"#!/bin/sh\nexec {shlex.quote(str(program))} --simulate "
                        f"{shlex.quote(str(platform))} --simulate-state "
                        f"{shlex.quote(str(directory / 'state'))} \"$@\"\n", encoding="utf-8")
        tool.chmod(0o755)

    def sh(self, line):
        """A line of shell: its exit status, stdout and stderr."""
        done = subprocess.run(["sh", "-c", f'PATH="{self.directory}:$PATH"; {line}'],
                              cwd=self.directory, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def run(self, words):
        return self.sh(f"{TOOL} {words}")


@contextlib.contextmanager
def machine(options, name):
    with tempfile.TemporaryDirectory(prefix="isst-consumer-", dir=".") as scratch:
        yield Machine(options.program.resolve(), options.platforms.resolve() / f"{name}.json",
                      pathlib.Path(scratch).resolve())


def expect(condition, what, *shown):
    if not condition:
        sys.exit(f"{what}\n" + "\n".join(str(text) for text in shown))


def counts_lines(text, pattern):
    return len(re.findall(pattern, text, re.M))


def container_experience_kits(box):
    """Ansible: registers stderr, searches it; whole lines of --info; goes on where rc is 0."""
    status, _, err = box.run("--info")
    expect(status == 0, "--info fails", err)
    expect("Intel(R) SST-PP (feature perf-profile) is supported" in err.splitlines(),
           "the line of SST-PP is not whole, or not on stderr", err)
    status, _, err = box.run("perf-profile get-lock-status")
    expect(status == 0 and "unlock" in err, "unlock is not on stderr", err)
    status, _, err = box.run("perf-profile get-config-levels")
    expect(status == 0 and re.search(r"get-config-levels:\d", err), "no get-config-levels", err)
    status, _, err = box.run("core-power enable -a")
    expect(status == 0 and "enable:success" in err, "core-power enable -a", err)
    for feature in ("base-freq", "turbo-freq"):
        if box.run(f"{feature} info -l 0")[0] != 0:
            continue
        status, _, err = box.run(f"{feature} enable" if feature == "turbo-freq"
                                 else f"{feature} enable -a")
        expect(status == 0 and "enable:success" in err, f"{feature} enable", err)
    status, _, err = box.run("perf-profile set-config-level -l 0 -o")
    expect(status == 0 and counts_lines(err, r"^online cpu \d+$") > 0, "no online cpu N", err)


def one_level(box):
    """The same, where base-config is all that there is: get-config-levels:0 is matched."""
    _, _, err = box.run("perf-profile get-config-levels")
    expect("get-config-levels:0" in err, "get-config-levels:0 is not on stderr", err)


def walk(node, visit):
    for name, value in node.items():
        if isinstance(value, dict):
            walk(value, visit)
        else:
            visit(name, value)


def smbios_mdr(box):
    """OpenBMC: stderr is parsed as one document, stdout is scanned for the map of CPUs."""
    status, out, err = box.run("--debug --format json perf-profile info")
    expect(status == 0, "perf-profile info fails", err)
    try:
        document = json.loads(err)
    except ValueError as error:
        sys.exit(f"stderr is no JSON document: {error}\n{err[:400]}")
    names = set()

    def visit(name, value):
        expect(isinstance(value, str), f"{name} is no string", value)
        names.add(name)

    walk(document, visit)
    for name in ("cpu-count", "enable-cpu-count", "enable-cpu-list", "base-frequency(MHz)",
                 "thermal-design-power(W)", "tjunction-max(C)", "core-count",
                 "max-turbo-frequency(MHz)", "speed-select-base-freq"):
        expect(name in names, f"{name} is nowhere in the document", sorted(names))
    place = re.compile(r"^package-(\d+):die-\d+(?::powerdomain-\d+)?:cpu-(?:\d+|None)$")
    expect(all(place.match(name) for name in document), "members are no places", list(document))
    lines = re.findall(r"^map logical_cpu:(\d+) core: (\d+) die:(\d+) pkg:(\d+) punit:(\d+) "
                       r"punit_cpu:(\d+) punit_core:(\d+)$", out, re.M)
    expect(lines, "stdout has no map of CPUs", out[:400])
    listed = {cpu for domain in document.values()
              for cpu in domain.get("perf-profile-level-0", {}).get("enable-cpu-list", "").split(",")
              if cpu}
    expect(listed <= {line[0] for line in lines}, "CPUs of a level are not in the map", listed)


def lnst(box):
    """Network tests: a line of --info on stderr, then the exit status alone."""
    status, _, err = box.run("--info")
    expect(status == 0 and re.search(r"SST-TF \(feature turbo-freq\) is supported", err),
           "SST-TF is not told on stderr", err)
    expect(box.run("turbo-freq enable")[0] == 0, "turbo-freq enable is not 0")
    expect(box.run("turbo-freq disable")[0] == 0, "turbo-freq disable is not 0")
    status, _, _ = box.sh('echo \'{"orders":[{"at":"mailbox","command":"0x7f/0x02","error":"ENXIO"'
                          '},{"at":"tpmi","request":"PERF_SET_FEATURE","error":"EIO"}]}\' '
                          f">state/faults.json && {TOOL} turbo-freq enable")
    expect(status != 0, "turbo-freq enable is 0 though firmware refuses")


def lkvs(box):
    """Kernel tests: everything with -o FILE, then grep and awk on key:value."""
    status, levels, _ = box.sh(f"{TOOL} -o out perf-profile get-config-levels >/dev/null && "
                               "grep get-config-levels out | awk -F: '{print $2}' | sort -u")
    expect(status == 0 and re.fullmatch(r"\d+\n", levels), "get-config-levels of awk", levels)
    level = int(levels)
    for path in (f"perf-profile set-config-level -l {level}", "perf-profile set-config-level -l 0"):
        wanted = path[-1]
        status, said, _ = box.sh(f"{TOOL} -o out {path} >/dev/null; "
                                 "grep -c 'set_tdp_level:success' out")
        expect(status == 0 and int(said) > 0, "no set_tdp_level:success in the file", said)
        status, now, _ = box.sh(f"{TOOL} -o out perf-profile get-config-current-level >/dev/null; "
                                "grep 'get-config-current_level' out | awk -F: '{print $2}'")
        expect(status == 0 and set(now.split()) == {wanted}, f"level {wanted} is told as", now)
    status, _, err = box.sh(f"{TOOL} -o out perf-profile info -l 0 >/dev/null; "
                            "grep -q 'thermal-design-power(W):' out && "
                            "grep 'enable-cpu-list:' out | awk -F: '{exit $2 == \"\"}'")
    expect(status == 0, "figures of a level cannot be read", err)
    status, _, err = box.sh(f"{TOOL} -c 1 -o out core-power assoc -c 3 >/dev/null; "
                            f"grep -q assoc:success out && {TOOL} -c 1 -o out core-power get-assoc "
                            ">/dev/null; grep clos: out | awk -F: '{exit $2 != 3}'")
    expect(status == 0, "an association is not read back", err)


def nri_plugins(box, tpmi):
    """Both streams in one pipe; a probe whose exit status decides whether there is SST-CP."""
    expect(box.run("-c 0 core-power get-assoc >/dev/null 2>&1")[0] == 0, "the probe is not 0")
    _, out, _ = box.sh(f"{TOOL} core-power get-config -c 0 2>&1 | "
                       "grep -E 'package-|die-|powerdomain-|cpu-|clos:'")
    for name in ("package-", "die-", "clos:", *(("powerdomain-",) if tpmi else ())):
        expect(counts_lines(out, rf"^ +{name}\d+$") > 0, f"no line {name}N", out)
    expect(tpmi or "powerdomain-" not in out, "power domains where there are none", out)
    _, out, _ = box.sh(f"{TOOL} core-power info 2>&1 | grep -c 'cpu-None'")
    expect((int(out) > 0) == tpmi, "lines cpu-None", out)
    _, out, _ = box.sh(f"{TOOL} turbo-freq info -l 0 2>&1 | grep -A1 'bucket-0' | "
                       "grep 'high-priority-cores-count:' | cut -d: -f2 | sort -u")
    expect(re.fullmatch(r"(\d+\n)+", out), "bucket lines cannot be read", out)
    _, out, _ = box.sh(f"{TOOL} -c 0-1 core-power get-assoc 2>&1 | grep 'clos:' | wc -l")
    expect(int(out) == 2, "one clos: for each CPU", out)


def probe_without(box):
    """The probe where there is no SST-CP to ask."""
    expect(box.run("-c 0 core-power get-assoc >/dev/null 2>&1")[0] != 0, "the probe is 0")


def ecoran(box):
    """Version first, then classes of service with -p, though it means nothing there."""
    status, out, _ = box.run("--version")
    expect(status == 0 and out.startswith("Version v"), "--version", out)
    for clos in range(4):
        status, _, err = box.run(f"core-power config -c {clos} -p 1 --weight {clos} --min 1000 "
                                 "--max 2000")
        expect(status == 0 and "config:success" in err, f"core-power config -c {clos}", err)
    _, _, err = box.run("core-power get-config -c 2")
    expect("clos-min:1000 MHz" in err and "clos-max:2000 MHz" in err, "what was set is not read",
           err)
    expect(box.run("-c 0-1 core-power assoc -c 2")[0] == 0, "core-power assoc")


CONSUMERS = {
    "container-experience-kits": [(container_experience_kits, MAILBOX + TPMI),
                                  (one_level, ("cpx-5318h-2s",))],
    "smbios-mdr": [(smbios_mdr, MAILBOX + TPMI)],
    "lnst": [(lnst, ("icx-8360y-2s",) + TPMI)],
    "lkvs": [(lkvs, MAILBOX + TPMI)],
    "nri-plugins": [(lambda box: nri_plugins(box, False), ("icx-8360y-2s",)),
                    (lambda box: nri_plugins(box, True), TPMI),
                    (probe_without, ("clx-6230n-2s",))],
    "ecoran": [(ecoran, ("icx-8360y-2s",) + TPMI)],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platforms", type=pathlib.Path, required=True)
    parser.add_argument("consumer", choices=sorted(CONSUMERS))
    options = parser.parse_args()
    for replay, names in CONSUMERS[options.consumer]:
        for name in names:
            print(f"{options.consumer} on {name}", flush=True)
            with machine(options, name) as box:
                replay(box)


if __name__ == "__main__":
    main()
