# SPDX-License-Identifier: GPL-2.0-only
"""
Virtual machines without KVM. One is booted once for each platform and saved while its process 1
waits for an archive; a run goes on from there with the saved memory mapped privately.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

MEMORY_MIB = 512
BOOT_TRIES = 3
BOOT_S = 300  # three seconds on an idle machine
POWER_OFF_S = 120
# The longest script uses 80 s. By this a guest that stops is found on a busy machine as on an idle
# one.
MOST_CPU_S = 160
END = b"\0end\n"
PORTS = ("archive", "stdout", "stderr", "status")
KERNEL_WORDS = ("console=ttyS0 loglevel=4 panic=-1 mitigations=off cryptomgr.notests "
                "ipv6.disable=1 tsc=reliable nowatchdog memmap=4M$0x18000000")


class Failed(Exception):
    """The machine did not do what it was to do; the text has what its console says."""


class Port:
    """One serial port of the guest: a socket that QEMU connects to."""

    def __init__(self, directory, name):
        self.path = directory / name
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(1)
        self.connection = None

    def connect(self, deadline):
        self.listener.settimeout(max(0.1, deadline - time.monotonic()))
        self.connection, _ = self.listener.accept()
        # A guest may be silent for as long as it works; the machine's deadline ends QEMU and with
        # it the connection.
        self.connection.settimeout(None)

    def close(self):
        if self.connection:
            self.connection.close()
        self.listener.close()


class Reader(threading.Thread):
    """
    Collects what comes out of a port until QEMU closes it. At the end of what a script prints the
    guest puts END, which no sink gets to see.
    """

    def __init__(self, port, sink=None):
        super().__init__(daemon=True)
        self.port = port
        self.sink = sink
        self.data = b""
        self.shown = 0
        self.error = None  # why nothing more is read, if it is not the end
        self.start()

    def run(self):
        try:
            while chunk := self.port.connection.recv(65536):
                self.data += chunk
                if self.sink:
                    self.show()
        except OSError as error:
            self.error = error

    def show(self):
        """Hands on what cannot be the beginning of END."""
        begin = self.data.find(END[:1], self.shown)
        end = begin if begin >= 0 and END.startswith(self.data[begin:]) else len(self.data)
        self.sink.write(self.data[self.shown:end])
        self.sink.flush()
        self.shown = end

    def is_complete(self):
        return self.data.endswith(END)

    def text(self):
        return self.data.removesuffix(END)


class Monitor:
    """QEMU's machine protocol, just enough of it."""

    def __init__(self, port):
        self.stream = port.connection.makefile("rw", encoding="utf-8")
        if not self.stream.readline():  # its greeting
            raise Failed("QEMU went away at its start")
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline() or "null")
            if answer is None:
                raise Failed(f"QEMU went away at {command}")
            if "error" in answer:
                raise Failed(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def wait_migrated(self):
        while True:
            status = self.ask("query-migrate").get("status")
            if status == "completed":
                return
            if status in ("failed", "cancelled"):
                raise Failed("the machine's state could not be moved")
            time.sleep(0.005)

    def share_memory(self):
        self.ask("migrate-set-capabilities",
                 capabilities=[{"capability": "x-ignore-shared", "state": True}])


class Machine:
    """A running QEMU with its ports."""

    def __init__(self, arguments, timeout_s, sinks=(None, None)):
        self.directory = tempfile.TemporaryDirectory(prefix="isst-vm-")
        path = pathlib.Path(self.directory.name)
        self.console = path / "console"
        self.words = path / "qemu"  # what QEMU itself says: it warns of each feature of each CPU
        self.deadline = time.monotonic() + timeout_s
        self.ports = {name: Port(path, name) for name in (*PORTS, "monitor")}
        with self.words.open("wb") as words:
            self.process = subprocess.Popen(
                [*arguments, *self.port_arguments(), "-serial", f"file:{self.console}"],
                stdin=subprocess.DEVNULL, stdout=words, stderr=words)
        try:
            self.ports["monitor"].connect(self.deadline)
            for name in PORTS:
                self.ports[name].connect(self.deadline)
        except TimeoutError:
            self.process.kill()
            raise Failed(f"QEMU did not start: {self.words.read_text()[-2000:]}") from None
        try:
            self.monitor = Monitor(self.ports["monitor"])
        except Failed as error:
            raise Failed(f"{error}: {self.words.read_text()[-2000:]}") from None
        self.readers = {"stdout": Reader(self.ports["stdout"], sinks[0]),
                        "stderr": Reader(self.ports["stderr"], sinks[1]),
                        "status": Reader(self.ports["status"])}

    def port_arguments(self):
        words = ["-device", "virtio-serial-pci,ioeventfd=off"]
        for number, (name, port) in enumerate(self.ports.items(), 1):
            words += ["-chardev", f"socket,id={name},path={port.path}"]
            if name == "monitor":
                words += ["-mon", "chardev=monitor,mode=control"]
            else:
                words += ["-device", f"virtserialport,chardev={name},nr={number},name={name}"]
        return words

    def wait_status(self, done):
        """Waits until done() of what the status port said; its text."""
        while not done(self.readers["status"].data):
            lost = [f"{name}: {reader.error}" for name, reader in self.readers.items()
                    if reader.error]
            if lost:
                raise Failed(f"a port of the machine was lost: {', '.join(lost)}\n{self.said()}")
            if self.process.poll() is not None and not self.readers["status"].is_alive():
                break
            if time.monotonic() > self.deadline or self.cpu_s() > MOST_CPU_S:
                raise Failed(f"the machine took too long. Its console:\n{self.said()}")
            time.sleep(0.01)
        data = self.readers["status"].data
        if not done(data):
            raise Failed(f"the machine stopped by itself. Its console:\n{self.said()}")
        return data.decode()

    def cpu_s(self):
        """The processor time that QEMU has used, in seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def said(self):
        if not self.console.exists():
            return ""
        return self.console.read_text(encoding="utf-8", errors="replace")[-6000:]

    def close(self):
        self.process.kill()
        self.process.wait()
        for reader in self.readers.values():
            reader.join(5)
        for port in self.ports.values():
            port.close()
        self.directory.cleanup()


def arguments_of(cpu, smp, n_packages, memory, is_shared):
    """QEMU's arguments but for kernel, initramfs and ports. memory: a file for each package."""
    words = ["qemu-system-x86_64", "-machine", "q35,hpet=off", "-accel", "tcg,thread=single",
             "-cpu", cpu, "-smp", smp, "-m", str(MEMORY_MIB), "-nodefaults", "-no-user-config",
             "-display", "none", "-no-reboot"]
    size = MEMORY_MIB // n_packages
    for node, path in enumerate(memory):
        words += ["-object", f"memory-backend-file,id=ram{node},size={size}M,mem-path={path},"
                             f"share={'on' if is_shared else 'off'}",
                  "-numa", f"node,nodeid={node},memdev=ram{node}"]
    for node in range(n_packages):
        words += ["-numa", f"cpu,node-id={node},socket-id={node}"]
    return words


def boot_and_save(directory, *setup):
    """
    Boots a machine and leaves it saved in directory, which is made whole or not at all. A kernel
    under emulation may stumble while it starts many CPUs, and on a busy host it may take a wrong
    frequency for that of its clock: it gets three tries. The last machine is taken also with a wrong
    clock, because most tests need none.
    """
    for attempt in range(1, BOOT_TRIES + 1):
        try:
            return boot_once(directory, ["ready\n", "wrong clock\n"] if attempt == BOOT_TRIES
                             else ["ready\n"], *setup)
        except Failed:
            if attempt == BOOT_TRIES:
                raise


def boot_once(directory, expected, cpu, smp, n_packages, vmlinux, initramfs, words):
    partial = directory.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / "initramfs").write_bytes(initramfs)
    memory = [partial / f"ram{node}" for node in range(n_packages)]
    machine = Machine([*arguments_of(cpu, smp, n_packages, memory, True), "-kernel", str(vmlinux),
                       "-initrd", str(partial / "initramfs"), "-append", f"{KERNEL_WORDS} {words}"],
                      BOOT_S)
    try:
        machine.wait_status(lambda data: b"\n" in data)
        status = machine.readers["status"].data.decode()
        if status not in expected:
            raise Failed(f"{status}{machine.said()}")
        time.sleep(0.2)  # process 1 goes from its last write to its read
        machine.monitor.share_memory()
        machine.monitor.ask("migrate", uri=f"exec:cat > {partial / 'state'}")
        machine.monitor.wait_migrated()
    finally:
        machine.close()
    shutil.rmtree(directory, ignore_errors=True)
    partial.rename(directory)


def resume(directory, cpu, smp, n_packages, archive, timeout_s, sinks=(None, None)):
    """Goes on from a saved machine with an archive. Returns (status, stdout, stderr, console)."""
    memory = [directory / f"ram{node}" for node in range(n_packages)]
    machine = Machine([*arguments_of(cpu, smp, n_packages, memory, False), "-incoming", "defer"],
                      timeout_s, sinks)
    try:
        machine.monitor.share_memory()
        machine.monitor.ask("migrate-incoming", uri=f"exec:cat {directory / 'state'}")
        machine.monitor.wait_migrated()
        machine.ports["archive"].connection.sendall(archive)
        outputs = [machine.readers["stdout"], machine.readers["stderr"]]
        status = int(machine.wait_status(
            lambda data: data.endswith(b"\n") and all(map(Reader.is_complete, outputs))))
        machine.ports["archive"].connection.sendall(b"done\n")
        machine.process.wait(POWER_OFF_S)
        return (status, *map(Reader.text, outputs), machine.said())
    finally:
        machine.close()
