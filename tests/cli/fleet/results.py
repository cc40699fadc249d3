# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback for Ansible: the results of all tasks as one JSON document, {task: {host: result}}."""
import json

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: results
type: stdout
short_description: Results as one JSON document
description: Results as one JSON document
"""


class CallbackModule(CallbackBase):
    """Keeps the results, and prints them at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "results"

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.tasks = {}

    def _keep(self, result, **more):
        task = self.tasks.setdefault(result._task.get_name(), {})  # pylint: disable=protected-access
        task[result._host.get_name()] = {**result._result, **more}  # pylint: disable=protected-access

    def v2_runner_on_ok(self, result):
        self._keep(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._keep(result, failed=True)

    def v2_runner_on_unreachable(self, result):
        self._keep(result, unreachable=True)

    def v2_runner_on_skipped(self, result):
        self._keep(result, skipped=True)

    def v2_playbook_on_stats(self, stats):
        self._display.display(json.dumps(self.tasks, default=str))
