#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The examples of docs/keep-a-state.md and fleet.md on simulated machines. Of the Ansible tasks each
command line is run, and what decides about them (when, changed_when and so on) is evaluated, as Ansible would do
it: the first time they change the machine, the second time they do not, in check mode they never
do. The units must please systemd, and what they start must work, twice.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import types

import page
import plain_yaml

UNIT = re.compile(r"^`/etc/systemd/system/(\S+)`:\n\n```ini\n(.*?)^```$", re.M | re.S)
COMMAND = "ansible.builtin.command"
INCLUDE = "ansible.builtin.include_tasks"
TASK_KEYS = {"name", COMMAND, "register", "when", "check_mode", "changed_when", "failed_when",
             "retries", "delay", "until"}


class Wrong(Exception):
    """What is wrong with the page."""


def expect(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(word) for word in what))


class Host:
    """A machine that a playbook is for; results are the registered ones, by name."""

    def __init__(self, place, check_mode=False):
        self.place = place
        self.results = {"ansible_check_mode": check_mode}
        self.changed = 0
        self.failed = []

    def is_true(self, expression):
        """Jinja's expressions of these examples are Python's, too."""
        if isinstance(expression, bool):
            return expression
        return bool(eval(expression, {"__builtins__": {}}, self.results))  # pylint: disable=W0123

    def run(self, line):
        words = shlex.split(line)
        expect(words[0] == "isst", "this is no command of ours:", line)
        process = subprocess.run(words, cwd=self.place.work, env=self.place.environment(),
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=60, check=False)
        return types.SimpleNamespace(rc=process.returncode, stdout=process.stdout,
                                     stderr=process.stderr)

    def run_task(self, task, setting):
        expect(set(task) <= TASK_KEYS, "the test knows no such key:", set(task) - TASK_KEYS)
        if self.results["ansible_check_mode"] and task.get("check_mode", True):
            return
        if not self.is_true(task.get("when", True)):
            return
        line = task[COMMAND]["cmd"].replace("{{ setting }}", setting)
        result = self.run(line)
        self.results[task["register"]] = result
        if not self.is_true(task.get("until", True)) or \
                self.is_true(task.get("failed_when", f"{task['register']}.rc != 0")):
            self.failed.append(f"{line}: {result.rc}: {result.stderr}")
        else:
            self.changed += self.is_true(task.get("changed_when", True))

    def play(self, tasks, settings):
        for setting in settings:
            for task in tasks:
                if not self.failed:
                    self.run_task(task, setting)


def read_ansible(text):
    """The tasks, the settings, and the task that reads."""
    tasks, playbook, (reading,) = map(plain_yaml.read, page.blocks(text, "yaml"))
    (play,) = playbook
    (include,) = play["tasks"]
    expect(play["become"] is True, "setting needs root")
    expect(f"`{include[INCLUDE]}`:" in text and include["loop_control"] == {"loop_var": "setting"},
           "the playbook includes other tasks")
    return tasks, include["loop"], reading


def settings_of_machine(place):
    """All that these settings are about."""
    host = Host(place)
    return [host.run(line).stdout for line in
            ("isst perf-profile get-config-current-level", "isst core-power info",
             "isst core-power get-config --clos 0", "isst -c 10,11 core-power get-assoc",
             "isst cpufreq info")]


def play(place, tasks, settings, check_mode=False):
    """Returns how much has changed."""
    before = settings_of_machine(place)
    host = Host(place, check_mode)
    host.play(tasks, settings)
    expect(not host.failed, host.failed)
    is_same = settings_of_machine(place) == before
    expect(is_same == (check_mode or not host.changed), "check mode", check_mode, "says changed",
           host.changed, "times, and the machine is the same:", is_same)
    return host.changed


def check_changes(program, tasks, settings):
    with page.place(program, "guide") as place:
        count = len(settings)
        expect(play(place, tasks, settings, True) == count, "check mode does not tell all changes")
        expect(play(place, tasks, settings) == count, "not every setting changes something")
        expect(play(place, tasks, settings) == 0, "the second time something changes")
        expect(play(place, tasks, settings, True) == 0, "check mode tells changes that are none")


def check_failures(program, tasks, settings):
    """A machine without the features is skipped; a refusal and a held lock are reported."""
    with page.place(program, "platforms/clx-6230n-2s.json") as place:
        expect(play(place, tasks, settings) == 0, "a machine without the features is changed")
    for order, status in (({"at": "mailbox", "command": "0x7f/0x08", "code": 22}, 1),
                          ({"at": "open", "error": "EACCES"}, 4)):
        with page.place(program, "guide") as place:
            state = place.state / "guide"
            state.mkdir(mode=0o700)
            (state / "faults.json").write_text(json.dumps({"orders": [order]}), encoding="utf-8")
            host = Host(place)
            host.play(tasks, settings)
            expect(len(host.failed) == 1 and f": {status}: " in host.failed[0],
                   "a failure is not told:", host.failed)
    busy = Host(None)
    busy.run = lambda line: types.SimpleNamespace(rc=5 if "--dry-run" not in line else 0,
                                                  stdout="write-0", stderr="")
    busy.play(tasks, settings[:1])
    expect(len(busy.failed) == 1, "a lock that is held is not told")
    expect(not busy.is_true(tasks[1]["until"]) and tasks[1]["retries"] * tasks[1]["delay"] > 3,
           "it is not tried again for a while")


def check_reading(program, task):
    with page.place(program, "guide") as place:
        host = Host(place, check_mode=True)
        host.run_task(task, "")
        document = json.loads(host.results[task["register"]].stdout)
        expect(document["package-0:die-0:cpu-0"]["perf-profile-level-0"]["enable-cpu-list"],
               "no list of CPUs")
        expect(not host.changed and not host.failed, "reading changes or fails")


def check_ansible(program, text):
    tasks, settings, reading = read_ansible(text)
    check_changes(program, tasks, settings)
    check_failures(program, tasks, settings)
    check_reading(program, reading)


def verify(directory, name):
    """systemd may find nothing to say about a unit. It ends with 0 also when it ignores a line."""
    process = subprocess.run(["systemd-analyze", "verify", "--man=no", directory / name],
                             capture_output=True, text=True, timeout=60, check=False)
    expect(process.returncode == 0 and not process.stdout + process.stderr,
           f"{name}: systemd says", (process.stdout + process.stderr).strip())


def check_units(program, units, text):
    """
    The installed units; the unit of the page, the same after the daemon, and the daemon's unit with
    its drop-in.
    """
    dropin, setting = page.blocks(text, "ini")
    (after,) = re.findall(r"^    (After=.*)$", text, re.M)
    with page.place(program, "guide") as place:
        def written(name, content):
            path = place.directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(re.sub(r"(?<==)/usr/bin(?=/)", str(place.bin), content),
                            encoding="utf-8")

        for unit in units.glob("*.service"):
            written(unit.name, re.sub(r"(?<=^Exec)(Start|Reload)=/\S+/(?=i)",
                                      r"\1=/usr/bin/", unit.read_text("utf-8"), flags=re.M))
            verify(place.directory, unit.name)
        written("intel-speed-select-oob.service.d/change.conf", dropin)
        verify(place.directory, "intel-speed-select-oob.service")
        written("speed-select.service", setting)
        verify(place.directory, "speed-select.service")
        written("speed-select.service", setting.replace("[Service]", f"{after}\n\n[Service]"))
        verify(place.directory, "speed-select.service")
        host = Host(place)
        lines = re.findall(r"^ExecStart=/usr/bin/(isst .*)$", setting, re.M)
        expect(lines, "the unit starts nothing of ours")
        for line in [*lines, *lines]:
            expect(host.run(line).rc == 0, line, "does not work")
            plan = host.run(line.replace("isst ", "isst --dry-run -f json "))
            expect("write-0" not in plan.stdout, line, "does not set everything")


def check_more_units(text):
    """Units of a page that has each of them as a whole, after its path."""
    units = UNIT.findall(text)
    expect(units, "the page has no unit")
    with tempfile.TemporaryDirectory(prefix="isst-units-") as directory:
        for name, content in units:
            content = content.replace("/usr/bin/isst", "/bin/true")
            (pathlib.Path(directory) / name).write_text(content, encoding="utf-8")
        for name, _ in units:
            verify(pathlib.Path(directory), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--units", required=True, type=pathlib.Path,
                        help="the directory of the installed units")
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("fleet", type=pathlib.Path)
    options = parser.parse_args()
    try:
        fleet = options.fleet.read_text(encoding="utf-8")
        check_ansible(options.program, fleet)
        check_units(options.program, options.units, options.state.read_text(encoding="utf-8"))
        check_more_units(fleet)
    except (Wrong, plain_yaml.Wrong, KeyError, ValueError) as wrong:
        sys.exit(f"FAILED: {wrong}")


if __name__ == "__main__":
    main()
