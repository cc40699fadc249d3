#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: speed_select_facts
short_description: Facts about Intel Speed Select on a machine
version_added: "1.0.0"
description:
  - Reads which performance levels and features a machine has, what is on, and which cores are fast.
  - Runs the program C(intel-speed-select) with JSON and parses no text. Changes nothing.
  - On a machine without Speed Select, or without its driver, C(supported) is false, and the task does not fail.
options:
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
    support: none
  facts:
    description: Action returns an C(ansible_facts) dictionary that will update existing host facts.
    support: full
seealso:
  - module: isst.speed_select.speed_select_state
author:
  - the authors of intel-speed-select (@intel-speed-select)
"""

EXAMPLES = r"""
- name: See what this machine has
  isst.speed_select.speed_select_facts:

- name: Set the level where there are levels
  isst.speed_select.speed_select_state:
    document:
      settings:
        - for: all
          perf-profile:
            level: 4
  when: ansible_facts.speed_select.levels | selectattr("level", "equalto", 4) | list
"""

RETURN = r"""
ansible_facts:
  description: Facts to add to those of the host.
  returned: always
  type: dict
  contains:
    speed_select:
      description: What the machine has.
      type: dict
      contains:
        supported:
          description: Whether Speed Select can be used on this machine.
          type: bool
        reason:
          description: Why it cannot, or null.
          type: str
        api:
          description: The way to the hardware, V(mailbox) or V(tpmi), the version of its interface, and that of the driver.
          type: dict
        packages:
          description: How many packages the machine has.
          type: int
        levels:
          description: The performance levels by place, with their figures, as C(machine summary) shows them in JSON.
          type: list
          elements: dict
        features:
          description: What is on in each place, as C(machine summary) shows it in JSON.
          type: list
          elements: dict
        priority_cores:
          description: One CPU of each core that is fast now. Null if that is not published.
          type: list
          elements: int
status:
  description: The exit status of C(machine summary).
  returned: if the program could be run
  type: int
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.isst.speed_select.plugins.module_utils import program


def read_priority(module):
    """The CPUs that are fast, or None without a record of the present state."""
    status, answer, messages = program.run(module, ["priority", "show"], "cpus")
    if status != 0:
        return None
    return [cpu["cpu"] for cpu in answer["cpus"]]


def main():
    module = AnsibleModule(argument_spec=program.ARGUMENTS, supports_check_mode=True)
    status, summary, messages = program.run(module, ["machine", "summary"], "driver")
    if "driver" not in summary:
        module.fail_json(msg=program.message(status, messages), status=status)
    driver = summary["driver"]
    features = summary.get("speed-select") or []
    module.exit_json(
        changed=False,
        status=status,
        msg=messages,
        ansible_facts=dict(
            speed_select=dict(
                supported=bool(features),
                reason=driver["reason"] if not features else None,
                api=dict(interface=driver["interface"], version=driver["api-version"], driver=driver["driver-version"]),
                packages=summary["cpus"]["packages"],
                levels=summary.get("levels") or [],
                features=features,
                priority_cores=read_priority(module) if features else None,
            )
        ),
    )


if __name__ == "__main__":
    main()
