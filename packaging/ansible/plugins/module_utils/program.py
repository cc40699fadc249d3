# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""Runs the program intel-speed-select and reads its JSON."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

import json

ARGUMENTS = dict(
    program=dict(type="path", default="isst"),
    options=dict(type="list", elements="str", default=[]),
)

MEANINGS = {
    1: "the hardware or the kernel refused it, wholly or in part; nothing half-done is left",
    2: "the command line or the document is wrong for this machine",
    3: "this machine or its performance level lacks it, or no driver is loaded",
    4: "not permitted",
    5: "another instance is setting this machine",
    6: "it differs",
}


def run(module, words, member, data=None):
    """Runs the program. Returns its status, what it printed as JSON ({} if that is none), and its messages.
    An answer to success has the member."""
    program = module.params["program"]
    if "/" not in program:
        program = module.get_bin_path(program, required=True, opt_dirs=["/usr/bin", "/usr/sbin"])
    status, out, messages = module.run_command([program] + module.params["options"] + ["--json"] + words,
                                               data=data, binary_data=True)
    try:
        document = json.loads(out) if out.strip() else {}
    except ValueError:
        document = None
    if not isinstance(document, dict) or (status == 0 and member not in document):
        module.fail_json(msg="%s did not answer as intel-speed-select does" % program, status=status, stdout=out, stderr=messages)
    return status, document, messages.strip()


def message(status, messages):
    """What to report: the program's messages, else what its status means."""
    return messages or MEANINGS.get(status, "status %d" % status)
