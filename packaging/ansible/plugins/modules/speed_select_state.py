#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: speed_select_state
short_description: Set a machine as a state document of intel-speed-select describes
version_added: "1.0.0"
description:
  - Applies a state document, all or nothing, or takes back what was changed in this boot, or sets a clean state.
  - Runs the program C(intel-speed-select) with JSON and parses no text.
  - Only what the document names is compared and set. Settings that already match are not written.
options:
  state:
    description:
      - V(present) applies the document of O(document) or O(src).
      - V(restored) takes back what this program changed in this boot, see O(to). Other settings stay.
      - V(clean) sets a clean state.
    type: str
    choices: [present, restored, clean]
    default: present
  document:
    description:
      - The state document, inline. Its members C(format) and C(version) can be left out.
      - Numbers and booleans must be of these types. Ansible before 2.19 makes a text of what a filter returns, in a
        template that is not the whole document.
    type: dict
  src:
    description:
      - The path of a state document on the managed host.
    type: path
  to:
    description:
      - With O(state=restored), which settings to return to, those before the first change of this boot (V(boot)), those
        before the last change (V(previous)), or those after a change, by its number in C(isst state history).
      - V(previous) is not idempotent, since a restore is a change, too.
    type: str
    default: boot
  exact:
    description:
      - With O(state=present), what was changed in this boot and the document does not name goes back to its value before
        the first change.
    type: bool
    default: false
  level:
    description:
      - With O(state=clean), the performance level to change to first. Without it the level is kept.
    type: int
  wait:
    description:
      - With O(state=present), how many seconds to wait for drivers that are still missing, and for another instance.
    type: int
    default: 0
  program:
    description:
      - The program, a name that is searched for or a path.
    type: path
    default: isst
  options:
    description:
      - Options before the command, such as C(--simulate) and a machine.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Can run in check mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in check mode), when in diff mode.
    support: full
notes:
  - Needs root, or the capability CAP_SYS_ADMIN and access to the device.
  - In check mode the program makes a dry run. What becomes of CPUs that are brought online first can differ from it.
seealso:
  - module: isst.speed_select.speed_select_facts
author:
  - the authors of intel-speed-select (@intel-speed-select)
"""

EXAMPLES = r"""
- name: Give priority to the cores of the data plane
  isst.speed_select.speed_select_state:
    document:
      settings:
        - for: all
          perf-profile:
            level: 0
          base-freq:
            enabled: true

- name: Apply a document that the machine has
  isst.speed_select.speed_select_state:
    src: /etc/intel-speed-select/state.json

- name: Take back all changes of this boot
  isst.speed_select.speed_select_state:
    state: restored
"""

RETURN = r"""
changes:
  description: What was changed, or in check mode what would be.
  returned: success
  type: list
  elements: dict
  contains:
    place:
      description: The place, C(machine) or such as C(package-0 die-0 cpu-4).
      type: str
    setting:
      description: The name of the setting as documents write it.
      type: str
    was:
      description: The value before. Null if it was not known.
      type: raw
    now:
      description: The value after.
      type: raw
  sample: [{"place": "package-0 die-0", "setting": "perf-profile.level", "was": 0, "now": 3}]
level_changed:
  description: Whether a performance level was changed.
  returned: success
  type: bool
cpus_offlined:
  description: CPUs that were taken offline.
  returned: success
  type: list
  elements: int
status:
  description: The exit status of the program, 0 to 6.
  returned: if the program could be run
  type: int
msg:
  description: The messages of the program, or what its status means.
  returned: always
  type: str
"""

import json

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.isst.speed_select.plugins.module_utils import program


def command(module):
    """The words of the command, and what it reads from standard input."""
    params = module.params
    if params["state"] == "restored":
        return ["state", "restore", "--to", params["to"]], None
    if params["state"] == "clean":
        words = ["state", "restore", "--to", "clean"]
        if params["level"] is not None:
            words += ["--level", str(params["level"])]
        return words, None
    words = ["state", "apply"]
    if params["wait"]:
        words += ["--wait", str(params["wait"])]
    if params["exact"]:
        words.append("--exact")
    if params["src"]:
        return words + [params["src"]], None
    document = {"format": "intel-speed-select-state", "version": 1}
    document.update(params["document"])
    return words + ["-"], json.dumps(document)


def list_changes(answer):
    return [
        {"place": place, "setting": setting, "was": values["was"], "now": values["now"]}
        for place, settings in answer.get("changes", {}).items()
        for setting, values in settings.items()
    ]


def cpu_of(place):
    return int(place.rpartition("cpu-")[2])


def as_ranges(cpus):
    """[0, 1, 2, 5] as "0-2,5"."""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else "%d-%d" % (first, last) for first, last in ranges)


def as_texts(changes):
    """A line for each change before and after; CPUs that change alike share one."""
    lines = {}
    for change in changes:
        on_cpu = "cpu-" in change["place"]
        line = (None if on_cpu else change["place"], change["setting"], json.dumps(change["was"]), json.dumps(change["now"]))
        lines.setdefault(line, []).append(cpu_of(change["place"]) if on_cpu else None)
    before, after = "", ""
    for (place, setting, was, now), cpus in lines.items():
        start = "%s %s: " % (place or "cpu " + as_ranges(cpus), setting)
        before += start + was + "\n"
        after += start + now + "\n"
    return before, after


def main():
    module = AnsibleModule(
        argument_spec=dict(
            state=dict(type="str", choices=["present", "restored", "clean"], default="present"),
            document=dict(type="dict"),
            src=dict(type="path"),
            to=dict(type="str", default="boot"),
            exact=dict(type="bool", default=False),
            level=dict(type="int"),
            wait=dict(type="int", default=0),
            **program.ARGUMENTS
        ),
        mutually_exclusive=[["document", "src"]],
        required_if=[["state", "present", ["document", "src"], True]],
        supports_check_mode=True,
    )
    words, data = command(module)
    if module.check_mode:
        words.append("--dry-run")
    status, answer, messages = program.run(module, words, "changed", data)
    text = program.message(status, messages)
    if status != 0:
        module.fail_json(msg=text, status=status)
    changes = list_changes(answer)
    before, after = as_texts(changes)
    module.exit_json(
        changed=answer["changed"],
        changes=changes,
        level_changed=any(change["setting"] == "perf-profile.level" for change in changes),
        cpus_offlined=[cpu_of(change["place"]) for change in changes if change["setting"] == "online" and change["now"] is False],
        status=status,
        msg=text,
        diff=dict(before_header="settings as they were", after_header="settings as they are",
                  before=before, after=after),
    )


if __name__ == "__main__":
    main()
