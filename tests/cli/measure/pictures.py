#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Tables and pictures of measure wake, jitter and ladder on terminals (measure.md): no line is wider
than the terminal, and on 40 columns they are as they are here.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

WIDTHS = 40, 50, 59, 60, 72, 80, 100, 200
LADDER = ["-c", "package:0", "measure", "ladder", "--seconds", "1"]
WAKE = ["-c", "3", "measure", "wake", "--gap", "1000us,10000us"]
LADDER_40 = """\
simulated machine guide
load         scalar, 14 cores
ladder
  cores  predicted  measured   result
    1-2       3200       3200  pass
   3-14  2600/3200  2600/3200  pass
stairs       measured MHz #, predicted |
   1-2  3200  #########################|
  3-14  2600  ####################|
  3-14  3200  #########################|
"""
WAKE_40 = """\
us
  state  gap    n     p50   p99   max
  C1E     1000  1000  7.00  7.96  38.4
  C1E    10000  1000  7.04  7.96  38.2
  C6      1000  1000   214   255  1081
  C6     10000  1000   213   255   255
C1E us
    5-7   947  #######################
   7-10  1049  #########################
    ...
  30-50     4  #
C6 us
    150-200   693  ###########
    200-300  1305  #####################
    300-500     0
    500-700     0
   700-1000     1  #
  1000-1500     1  #
"""


def on_terminal(width, command):
    """What a command shows on a terminal of that width."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        os.execv(command[0], command)
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the end of a terminal
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    expect(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, f"{command}: {text.decode()}")
    return text.decode("ascii").replace("\r\n", "\n")


def check_widths(program, machine):
    cpu = str(min(os.sched_getaffinity(0)))
    for width in WIDTHS:
        for argv in (machine + LADDER, machine + WAKE, ["-c", cpu, "measure", "jitter", "--seconds", "1"]):
            for line in on_terminal(width, [program, *argv]).splitlines():
                is_long = len(line) > width and not line.startswith("Information: ")
                expect(not is_long, f"{argv} on {width} columns: {line}")


def check_narrow(program, machine):
    text = on_terminal(40, [program, *machine, *LADDER])
    expect(text == LADDER_40, f"ladder on 40 columns:\n{text}")
    text = on_terminal(40, [program, *machine, *WAKE, "--states", "C1E,C6"])
    expect(text.endswith(WAKE_40), f"wake on 40 columns:\n{text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--platform", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        machine = ["--simulate", arguments.platform,
                   "--simulate-state", str(pathlib.Path(directory) / "state")]
        subprocess.run([arguments.program, *machine, "-c", "12,13", "turbo-freq", "enable", "-a"],
                       check=True, timeout=60, capture_output=True)
        for check in (check_narrow, check_widths):
            try:
                check(arguments.program, machine)
            except Failure as failure:
                print(f"{check.__name__}: {failure}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
