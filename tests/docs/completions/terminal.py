# SPDX-License-Identifier: GPL-2.0-only
"""
A shell on a terminal of its own. Keys are sent, and what the shell then has on its line is written
by the shell itself into a file: nothing is read from the screen but marks that say "done", and
nothing relies on time.
"""

import fcntl
import os
import select
import struct
import subprocess
import tempfile
import termios
import time

DEADLINE_S = 60
DONE = b"LINE-IS-WRITTEN"
DUMP_KEY = b"\x18d"


# Of ioctl_tty(2), which Python does not name.
TIOCSPTLCK, TIOCGPTPEER = 0x40045431, 0x5441


def open_terminal():
    """Both ends of a new terminal. Root gets one also where nobody has mounted /dev/pts."""
    try:
        return os.openpty()
    except OSError:
        if os.geteuid():
            raise
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "devpts", "-o", "ptmxmode=0666", "devpts", place], check=True)
        try:
            ours = os.open(f"{place}/ptmx", os.O_RDWR | os.O_NOCTTY)
            fcntl.ioctl(ours, TIOCSPTLCK, struct.pack("i", 0))
            return ours, fcntl.ioctl(ours, TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY)
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)


def fork_on_terminal():
    """As pty.fork()."""
    ours, theirs = open_terminal()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        os.login_tty(theirs)
    else:
        os.close(theirs)
    return pid, ours


class Terminal:
    """Its rc file binds DUMP_KEY to: write the line to $DUMP, clear it, print DONE."""

    def __init__(self, argv, sandbox, environment):
        self.dump = sandbox.root / "dump"
        self.screen = b""
        environment["DUMP"] = str(self.dump)
        self.pid, self.fd = fork_on_terminal()
        if self.pid == 0:
            os.chdir(sandbox.work)
            os.execvpe(argv[0], argv, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 1000, 0, 0))
        self.read_to(b"SHELL-IS-READY")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def read_to(self, mark):
        """Reads up to a mark; what stood before it."""
        end = time.monotonic() + DEADLINE_S
        while mark not in self.screen:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                read = os.read(self.fd, 65536) if ready else b""
            except OSError:
                read = b""
            if not read:
                raise RuntimeError(f"the shell did not come to {mark}: {self.screen!r}")
            self.screen += read
        before, self.screen = self.screen.split(mark, 1)
        return before.decode(errors="replace")

    def press(self, line, keys):
        """Types a line and keys; what the line has become, and what the screen showed."""
        os.write(self.fd, line.encode() + keys + DUMP_KEY)
        screen = self.read_to(DONE)
        return self.dump.read_text(encoding="utf-8"), screen
