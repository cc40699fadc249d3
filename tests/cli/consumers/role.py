# SPDX-License-Identifier: GPL-2.0-only
"""
Surroundings of the Ansible role configure_sst: inventory, playbook, variables, and stand-ins for
the modules that install packages and start units. A started unit's program is run once, and must
succeed; AssertPathExists= is looked at before.
"""

import json
import shutil

PACKAGES = """
from ansible.plugins.action import ActionBase
class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        return {"changed": True}
"""
UNITS = """
import pathlib, re, shlex, subprocess
from ansible.plugins.action import ActionBase
class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        name = self._task.args["name"]
        text = pathlib.Path(f"/lib/systemd/system/{name}.service").read_text()
        wanted = re.search("^AssertPathExists=(.*)$", text, re.M)[1]
        line = re.search("^ExecStart=(.*)$", text, re.M)[1]
        if not pathlib.Path(wanted).exists():
            return {"failed": True, "msg": f"{name}: {wanted} is missing"}
        done = subprocess.run(shlex.split(line), capture_output=True, text=True)
        return {"changed": True, "failed": done.returncode != 0, "msg": f"{name}: {line}",
                "stderr": done.stderr}
"""
PLAYBOOK = [{
    "hosts": "kube_node", "gather_facts": False, "roles": ["configure_sst"],
    "vars_files": ["variables.json"],
}]
MACHINE = {
    "ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3",
    "ansible_distribution": "Rocky", "ansible_distribution_version": "9.2",
    "ansible_os_family": "RedHat", "ansible_kernel": "5.14.0",
    "is_icx": True, "is_spr": False, "is_clx": False,
}
# The example of the role's own documentation (generate/profiles_templates/common/host_vars.j2).
CLASSES = {
    "sst_cp_priority_type": "1",
    "sst_cp_clos_groups": [{"id": number, "frequency_weight": 0, "min_MHz": 0, "max_MHz": 25500}
                           for number in range(4)],
    "sst_cp_cpu_clos": [{"clos": 0, "cpus": "2,3,5"}, {"clos": 1, "cpus": 12}],
}


def playbook_program():
    return shutil.which("ansible-playbook")


def second_half(settings):
    """SST-PP with SST-BF, SST-CP and SST-TF as settings have them."""
    return {"sst_pp_configuration_enabled": True, "sst_pp_config_list": [
        {"sst_bf": settings["sst_bf"]}, {"sst_cp": settings["sst_cp"]},
        {"sst_tf": settings["sst_tf"], "online_cpus_range": settings["online_cpus_range"]}]}


def first_half():
    """SST-BF, SST-CP and SST-TF one by one."""
    return {"sst_bf_configuration_enabled": True, "sst_cp_configuration_enabled": True,
            "sst_tf_configuration_enabled": True, "icx_sst_bf_enabled": True,
            "icx_sst_bf_with_core_priority": True, **CLASSES}


def write(stage, variables):
    project = {"project_root_dir": str(stage.files / "project")}
    stage.write("project/made", "")
    stage.write("inventory", "[kube_node]\nnode1\n")
    stage.write("host_vars/node1.json", json.dumps({**MACHINE, **project, **variables}))
    stage.write("variables.json", "{}")
    stage.write("playbook.yml", json.dumps(PLAYBOOK))
    stage.write("actions/dnf.py", PACKAGES)
    stage.write("actions/apt.py", PACKAGES)
    stage.write("actions/systemd.py", UNITS)


def environment():
    return {"ANSIBLE_ACTION_PLUGINS": "actions", "ANSIBLE_ROLES_PATH": ".", "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1", "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_DEPRECATION_WARNINGS": "0", "ANSIBLE_REMOTE_TMP": "remote"}


def saved(stage):
    """The files that the role saves."""
    directory = stage.files / "project" / "sst_pp_config"
    return {"profile": (directory / "sst_pp_perf_profile.txt").read_text(encoding="utf-8"),
            "details": (directory / "sst_pp_config_details.txt").read_text(encoding="utf-8")}
