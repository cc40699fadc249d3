# SPDX-License-Identifier: GPL-2.0-only
"""Archives in the kernel's cpio form (newc), for the initramfs and for what a run takes along."""

import io
import pathlib
import re
import stat
import subprocess


class Archive:
    """Files are added by their path in the guest; directories above them come by themselves."""

    def __init__(self):
        self.out = io.BytesIO()
        self.directories = set()
        self.count = 0

    def _entry(self, name, mode, data):
        self.count += 1
        encoded = name.encode() + b"\0"
        fields = (self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        self.out.write(b"070701" + b"".join(b"%08x" % field for field in fields) + encoded)
        self.out.write(b"\0" * (-self.out.tell() % 4) + data)
        self.out.write(b"\0" * (-self.out.tell() % 4))

    def directory(self, name):
        if name and name not in self.directories:
            self.directory(name.rpartition("/")[0])
            self.directories.add(name)
            self._entry(name, stat.S_IFDIR | 0o755, b"")

    def file(self, name, data, mode=0o644):
        name = name.lstrip("/")
        self.directory(name.rpartition("/")[0])
        self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        name = name.lstrip("/")
        self.directory(name.rpartition("/")[0])
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def copy(self, name, path):
        path = pathlib.Path(path)
        self.file(name, path.read_bytes(), stat.S_IMODE(path.stat().st_mode))

    def program(self, name, path):
        """A program and the libraries that it is linked with."""
        self.copy(name, path)
        text = subprocess.run(["ldd", path], check=False, capture_output=True, text=True).stdout
        for library in re.findall(r"(/\S+) \(0x", text):
            self.copy(library, library)

    def library(self, name):
        """A library that a program loads when it needs it, and those that it is linked with."""
        text = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True,
                              text=True).stdout
        for path in re.findall(rf"{re.escape(name)} \(.*x86-64.*\) => (\S+)", text)[:1]:
            self.program(path, path)

    def finish(self):
        self._entry("TRAILER!!!", 0, b"")
        return self.out.getvalue()
