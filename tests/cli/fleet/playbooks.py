#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The Ansible collection on many simulated machines at once, each with its own platform and state:
check mode predicts exactly what a run then changes; the second run changes nothing; one machine
that refuses fails alone and is left as it was; drift on a few is found and mended. With --tasks: a
task that cannot succeed fails with a message. With --seed: the platforms are drawn from all of them.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import newest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLLECTION = ROOT / "packaging/ansible"
PLATFORMS = ["guide", "icx-8360y-2s", "gnr-6776p-2s", "arl-285k-1s", "clx-6230n-2s", "emr-8592-2s",
             "spr-6438n-2s", "srf-6746e-2s", "cpx-5318h-2s", "gnr-split-2s"]
TIMEOUT_S = 280
MOST_TEXT = 1000 # of a message

# What each machine can do.
EVERYWHERE = [{"for": "all", "cpufreq": {"max-mhz": "max", "governor": "performance"}}]
WITH_LEVELS = [{"for": "all", "perf-profile": {"level": 3}, "online": "follow-level"}]
WITH_CLASSES = [{"for": "all", "core-power": {"enabled": True}},
                {"for": "cpu 0-3", "core-power": {"assoc": 0}}]
SETTINGS = {
    "guide": EVERYWHERE + WITH_LEVELS + WITH_CLASSES,
    "icx-8360y-2s": EVERYWHERE + WITH_LEVELS,
    "gnr-6776p-2s": EVERYWHERE + WITH_CLASSES,
    "cpx-5318h-2s": EVERYWHERE + WITH_CLASSES,
    "spr-6438n-2s": EVERYWHERE + WITH_CLASSES,
}
NO_SPEED_SELECT = ("arl-285k-1s",)

PLAY = """
- hosts: all
  gather_facts: false
  tasks:
    - name: state
      isst.speed_select.speed_select_state:
        document: "{{ document }}"
        program: "{{ program }}"
        options: "{{ simulated }}"
"""
PREDICTED = PLAY.replace("name: state", "name: predicted").replace(
    "    - name", "    - check_mode: true\n      name")
FACTS = """
- hosts: all
  gather_facts: false
  tasks:
    - name: facts
      isst.speed_select.speed_select_facts:
        program: "{{ program }}"
        options: "{{ simulated }}"
"""
ROLE = """
- hosts: all
  gather_facts: false
  roles:
    - role: isst.speed_select.speed_select
      vars:
        speed_select_manage_system: false
        speed_select_document: "{{ document }}"
        speed_select_program: "{{ program }}"
        speed_select_options: "{{ simulated }}"
        speed_select_directory: "{{ state_directory }}"
"""
OTHER = {"settings": [{"for": "all", "cpufreq": {"governor": "powersave"}}]}
REFUSED = {"settings": [{"for": "all", "cpufreq": {"epb": 99}}]}
RESTORED = """
- hosts: all
  gather_facts: false
  tasks:
    - name: restored
      isst.speed_select.speed_select_state:
        state: restored
        program: "{{ program }}"
        options: "{{ simulated }}"
"""
# On the first of the hosts, after each other: which machine, what it is told, and what becomes of it.
TASK = """
    - name: {name}
      isst.speed_select.{module}: {arguments}
      ignore_errors: true
"""
TASKS = [
    ("no document", {"src": "/nonexistent/state.json"}, {"status": 2, "msg": "No such file"}),
    ("wrong value", {"document": {"settings": [{"for": "all", "cpufreq": {"epb": 99}}]}},
     {"status": 2, "msg": "epb"}),
    ("text for a number", {"document": {"settings": [{"for": "all", "perf-profile":
                                                      {"level": "{{ 3 | string }} "}}]}},
     {"status": 2, "msg": "perf-profile.level"}),
    ("text for a boolean", {"document": {"settings": [{"for": "all", "core-power":
                                                       {"enabled": "yes"}}]}},
     {"status": 2, "msg": "core-power.enabled"}),
    # YAML reads the key `on` as true.
    ("on without quotes", {"document": {"settings": [{"on": "all", "cpufreq": {"epb": 1}}]}},
     {"status": 2, "msg": 'write "for" (YAML reads on without quotes as true)'}),
    ("nothing", {}, {"msg": "src"}),
    ("both", {"document": {"settings": []}, "src": "/nonexistent"}, {"msg": "exclusive"}),
    ("no program", {"document": {"settings": []}, "program": "/nonexistent/isst"}, {"msg": ""}),
    ("no program found", {"document": {"settings": []}, "program": "isst-nonexistent"},
     {"msg": "isst-nonexistent"}),
    ("silent", {"src": "/dev/null", "program": "/bin/true"}, {"msg": "/bin/true"}),
    ("text", {"src": "/dev/null", "program": "/bin/echo"}, {"msg": "/bin/echo"}),
    ("list", {"src": "/dev/null", "program": "{{ lister }}"}, {"msg": "isst-list"}),
    ("locked", {"document": {"settings": [{"for": "all", "cpufreq": {"governor": "powersave"}}]},
                "program": "{{ locked }}"}, {"status": 5, "msg": "another instance"}),
    ("level", {"document": {"settings": [{"for": "all", "perf-profile": {"level": "{{ level }}"}}]}},
     {"changed": True}),
    ("document", {"document": "{{ whole }}"}, {"changed": True}),
    ("clean", {"state": "clean", "level": "{{ 0 | int }}"}, {"changed": True}),
    ("clean again", {"state": "clean"}, {"changed": False}),
    ("previous", {"state": "restored", "to": "previous"}, {"changed": True}),
    ("boot", {"state": "restored", "to": 0}, {"changed": True}),
    ("boot again", {"state": "restored"}, {"changed": False}),
    ("before boot", {"state": "restored", "to": "previous"}, {"changed": True}),
    ("exact", {"document": {"settings": []}, "exact": True}, {"changed": True}),
    ("no such change", {"state": "restored", "to": 99}, {"status": 3, "msg": "no such change"}),
]


class Wrong(Exception):
    """What was found is not what was promised."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


class Fleet:
    """Simulated machines as the hosts of an inventory."""

    def __init__(self, program, directory, platforms):
        self.program, self.directory = program, pathlib.Path(directory)
        self.platforms = {f"node{i:02}": platform for i, platform in enumerate(platforms)}
        collections = self.directory / "collections/ansible_collections/isst"
        collections.mkdir(parents=True)
        (collections / "speed_select").symlink_to(COLLECTION)
        for host in self.platforms:
            (self.directory / host).mkdir()
        self.write_inventory()

    def options(self, host):
        return ["--simulate", str(ROOT / f"platforms/{self.platforms[host]}.json"),
                "--simulate-state", str(self.directory / host / "state")]

    def write_inventory(self):
        hosts = {host: {"ansible_connection": "local", "program": str(self.program),
                        "ansible_python_interpreter": sys.executable,
                        "simulated": self.options(host),
                        "state_directory": str(self.directory / host / "etc"),
                        "document": {"settings": SETTINGS.get(platform, EVERYWHERE)}}
                 for host, platform in self.platforms.items()}
        (self.directory / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}),
                                                   encoding="utf-8")

    def run(self, host, *words):
        done = subprocess.run([self.program, *self.options(host), *words], text=True, check=False,
                              capture_output=True, timeout=TIMEOUT_S)
        expect(done.returncode == 0, f"{host}: {' '.join(words)}: {done.stderr}")
        return done.stdout

    def play(self, text, *options, hosts=None):
        """{task: {host: result}}, by the name of the task; none of a host that was not reached."""
        book = self.directory / "play.yml"
        book.write_text(text, encoding="utf-8")
        env = {"PATH": os.environ["PATH"], "HOME": str(self.directory), "LC_ALL": "C.UTF-8",
               "ANSIBLE_STDOUT_CALLBACK": "results",
               "ANSIBLE_CALLBACK_PLUGINS": str(pathlib.Path(__file__).resolve().parent),
               "ANSIBLE_LOCALHOST_WARNING": "false",
               "ANSIBLE_COLLECTIONS_PATH": str(self.directory / "collections"),
               "ANSIBLE_COLLECTIONS_PATHS": str(self.directory / "collections"),
               "ANSIBLE_LOCAL_TEMP": str(self.directory / "tmp"), "ANSIBLE_FORKS": "8",
               "ANSIBLE_REMOTE_TMP": str(self.directory / "remote"), "ANSIBLE_PIPELINING": "true",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        limit = ["--limit", ",".join(hosts)] if hosts else []
        done = subprocess.run(["ansible-playbook", "-i", self.directory / "hosts.json", *options,
                               *limit, book], env=env, text=True, check=False, capture_output=True,
                              timeout=TIMEOUT_S)
        try:
            played = json.loads(done.stdout[done.stdout.index("{"):])
        except ValueError as error:
            raise Wrong(f"ansible-playbook: {done.stdout}{done.stderr}") from error
        return {name.rpartition(" : ")[2]: results for name, results in played.items()}


def changes_of(result):
    return {(change["place"], change["setting"]): (change["was"], change["now"])
            for change in result["changes"]}


def short_place(place):
    """A CPU by its number alone."""
    return place[place.index("cpu-"):] if "cpu-" in place else place


def read_diff(text):
    """{(place, setting): value}, by one line for a place, and for all CPUs that change alike."""
    values = {}
    for line in text.splitlines():
        start, _, value = line.partition(": ")
        place, _, setting = start.rpartition(" ")
        places = [place]
        if place.startswith("cpu "):
            places = [f"cpu-{cpu}" for first, _, last in
                      (part.partition("-") for part in place[4:].split(","))
                      for cpu in range(int(first), int(last or first) + 1)]
        for one in places:
            expect((one, setting) not in values, f"{one} {setting} is in two lines of the diff")
            values[one, setting] = json.loads(value)
    return values


def without_coming(changes):
    """What of the changes is not about CPUs that come online first."""
    coming = {place for (place, setting), (_, now) in changes.items()
              if setting == "online" and now is True}
    return {key: value for key, value in changes.items() if key[0] not in coming}


def try_converge(fleet, refusing):
    """Returns nothing; the one host that refuses stays as it was."""
    faults = fleet.directory / refusing / "state/faults.json"
    fleet.run(refusing, "machine", "summary")
    before = fleet.run(refusing, "state", "export")
    faults.write_text(json.dumps({"orders": [{"at": "write", "error": "EIO", "skip": 3, "times": 1,
                                              "path": "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"}]}), encoding="utf-8")
    predicted = fleet.play(PLAY, "--check", "--diff")["state"]
    expect(set(predicted) == set(fleet.platforms), "a host has no result in check mode")
    done = fleet.play(PLAY, "--diff")["state"]
    for host, result in done.items():
        if host == refusing:
            expect(result.get("failed") and result["status"] == 1, f"{host} does not fail: {result}")
            expect("Input/output error" in result["msg"], f"{host}: {result['msg']}")
            continue
        expect(not result.get("failed"), f"{host} fails: {result}")
        expect(result["changed"] and result["changes"], f"{host}: nothing is changed")
        expect(without_coming(changes_of(result)) == without_coming(changes_of(predicted[host])),
               f"{host}: check mode predicts {predicted[host]['changes']}, "
               f"and the run makes {result['changes']}")
        for side, value in (("before", 0), ("after", 1)):
            expect(read_diff(result["diff"][side]) ==
                   {(short_place(place), setting): values[value]
                    for (place, setting), values in changes_of(result).items()},
                   f"{host}: {side}: {result['diff'][side]}")
        expect(result["diff"] == predicted[host]["diff"], f"{host}: another diff")
        level = any(setting == "perf-profile.level" for _, setting in changes_of(result))
        expect(result["level_changed"] == level, f"{host}: level_changed")
    faults.unlink()
    expect(fleet.run(refusing, "state", "export") == before, f"{refusing} is not as it was")


def try_again(fleet, refusing):
    """The second run changes nothing, but on the host that refused in the first one."""
    played = fleet.play(PLAY + FACTS)
    for host, result in played["state"].items():
        expect(not result.get("failed"), f"{host} fails: {result}")
        expect(result["changed"] == (host == refusing), f"{host}: changed again: {result}")
    expect(set(played["facts"]) == set(fleet.platforms), "a host has no facts")
    for host, result in played["facts"].items():
        facts = result["ansible_facts"]["speed_select"]
        platform = fleet.platforms[host]
        expect(facts["supported"] == (platform not in NO_SPEED_SELECT), f"{host}: {facts}")
        expect(facts["packages"] > 0 and not result["changed"], f"{host}: {facts}")
        if WITH_LEVELS[0] in SETTINGS.get(platform, []):
            expect({row["level"] for row in facts["features"]} == {3}, f"{host}: {facts}")
        if WITH_CLASSES[0] in SETTINGS.get(platform, []):
            expect(all(row["clos"] for row in facts["features"]), f"{host}: {facts}")


def try_drift(fleet, drifted):
    """Found on all hosts, and mended where it is found."""
    for host in drifted:
        fleet.run(host, "cpufreq", "set", "-c", "0", "--governor", "powersave")
    mend = PLAY.replace("hosts: all", f"hosts: {','.join(drifted)}")
    played = fleet.play(PREDICTED + mend + mend.replace("name: state", "name: again"))
    found, mended = played["predicted"], played["state"]
    expect(set(found) == set(fleet.platforms), "a host has no result in check mode")
    expect({host for host, result in found.items() if result["changed"]} == set(drifted),
           f"drift is found on {[host for host in found if found[host]['changed']]}")
    for host in drifted:
        expect(mended[host]["changed"], f"{host} is not mended: {mended[host]}")
        expect(changes_of(mended[host]) == changes_of(found[host]), f"{host}: another change")
        expect(not played["again"][host]["changed"], f"{host} is mended again")


def play_role_with(fleet, host, document, *options):
    return fleet.play(ROLE.replace('"{{ document }}"', json.dumps(document)), *options, hosts=[host])


def try_role(fleet, hosts):
    """Check mode shows both steps; a document that is refused does not replace the one of the boot."""
    played = play_role_with(fleet, hosts[0], OTHER, "--check")
    for task in ("Apply it", "Write it"):
        expect(played[task][hosts[0]]["changed"], f"check mode: {task}: {played[task]}")
    played = fleet.play(ROLE, hosts=hosts)
    for host, result in played["Apply it"].items():
        expect(not result.get("failed") and not result["changed"], f"{host}: {result}")
        document = json.loads((fleet.directory / host / "etc/state.json").read_text("utf-8"))
        expect(document["format"] == "intel-speed-select-state", f"{host}: {document}")
    path = fleet.directory / hosts[0] / "etc/state.json"
    before = path.read_bytes()
    played = play_role_with(fleet, hosts[0], REFUSED)
    expect(played["Apply it"][hosts[0]].get("failed"), f"a refused document: {played}")
    expect(path.read_bytes() == before, "a document that is refused replaces the one of the boot")


def try_restored(fleet, hosts):
    """The way back."""
    for host, result in fleet.play(RESTORED, hosts=hosts)["restored"].items():
        expect(result["changed"] and not result.get("failed"), f"{host}: {result}")
        levels = json.loads(fleet.run(host, "machine", "summary", "--json"))["speed-select"]
        expect(not levels or {row["level"] for row in levels} == {0}, f"{host}: {levels}")


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def try_tasks(fleet, host):
    """Arguments, programs and machines that are wrong, and the types of templates."""
    lock = fleet.directory / host / "state/run/lock"
    variables = {
        "lister": write_program(fleet.directory / "isst-list", "echo '[]'"),
        "locked": write_program(fleet.directory / "isst-locked",
                                f"exec flock {lock} {fleet.program} \"$@\""),
        "level": 3, "whole": {"settings": [{"for": "all", "perf-profile": {"level": 1}}]}}
    text = f"- hosts: {host}\n  gather_facts: false\n  vars: {json.dumps(variables)}\n  tasks:\n"
    for name, arguments, _ in TASKS:
        text += TASK.format(name=name, module="speed_select_state", arguments=json.dumps(
            {"program": "{{ program }}", "options": "{{ simulated }}", **arguments}
        ).replace('"on": ', "on: "))
    played = fleet.play(text)
    for name, _, wanted in TASKS:
        result = played[name][host]
        expect(bool(result.get("failed")) == ("changed" not in wanted), f"{name}: {result}")
        expect(wanted.get("msg", "") in result["msg"], f"{name}: {result['msg']}")
        for member in ("status", "changed"):
            expect(result.get(member) == wanted.get(member, result.get(member)),
                   f"{name}: {result}")
        expect("Traceback" not in json.dumps(result), f"{name}: {result}")


def choose_platforms(count, seed):
    """Some that differ much, or drawn by a seed."""
    if seed is None:
        return [PLATFORMS[i % len(PLATFORMS)] for i in range(count)]
    names = sorted(path.stem for path in (ROOT / "platforms").glob("*.json"))
    return random.Random(seed).choices(names, k=count)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--hosts", type=int, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--tasks", action="store_true", help="also those that cannot succeed")
    parser.add_argument("--newest", action="store_true", help="with the ansible-core of PyPI")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isst-fleet-") as directory:
        if arguments.newest:
            os.environ["PATH"] = newest.install(directory)
        newest.print_version(os.environ["PATH"])
        fleet = Fleet(arguments.program.absolute(), directory,
                      choose_platforms(arguments.hosts, arguments.seed))
        hosts = list(fleet.platforms)
        refusing, drifted = hosts[1], hosts[-max(1, arguments.hosts // 10):]
        try:
            try_converge(fleet, refusing)
            try_again(fleet, refusing)
            try_drift(fleet, drifted)
            few = hosts[:1 + arguments.hosts // 10]
            try_role(fleet, few)
            try_restored(fleet, few)
            if arguments.tasks:
                try_tasks(fleet, hosts[0])
        except Wrong as wrong:
            print(f"FAILED: {wrong}"[:MOST_TEXT])
            sys.exit(1)
        print(f"{len(hosts)} hosts")


if __name__ == "__main__":
    main()
