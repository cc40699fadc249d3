#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What is in a recording, and how it is made: no request that sets anything and none twice, no file
opened that --list does not name, nothing that says whose machine it is, and a file that is not too
large. Machines are behind the stand-in device.
"""

import argparse
import datetime
import fnmatch
import json
import pathlib
import re
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

import machine  # noqa: E402 pylint: disable=wrong-import-position

MAX_BYTES = 2_000_000  # of 960 CPUs
PLATFORM_INFO, PHY_ID, IO, MBOX, MSR, COUNT, CORE_POWER, CLOS, ASSOC, LEVELS, SET_LEVEL, \
    SET_FEATURE = range(12)
SETTING_WORDS = {(0x7f, 0x02), (0x7f, 0x08), (0x95, 0x03)}
MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.I)
IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
PCI = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b", re.I)
SECRETS = {"node17.lab.invalid", "52:54:00:12:34:56", "192.0.2.7", "SERIAL4711", "tenant-a",
           "b0071d00-1111-4222-8333-444455556666"}
CMDLINE = ("BOOT_IMAGE=/vmlinuz root=UUID=b0071d00-1111-4222-8333-444455556666 ro isolcpus=2,3 "
           "ip=192.0.2.7::192.0.2.1:255.255.255.0:node17.lab.invalid:eth0 ifname=eth0:"
           "52:54:00:12:34:56 nohz_full=2,3 idle=poll systemd.machine_id=SERIAL4711 mitigations=off "
           "intel_idle.max_cstate=1\n")
# Commands that read all that they can, whatever machine this is.
READING = (["--info"], ["cpufreq", "info"], ["--cpu", "0", "cpufreq", "explain"],
           ["cpuidle", "info", "--usage"], ["uncore", "info"], ["machine", "summary"],
           ["machine", "check", "realtime", "-c", "0"], ["machine", "check", "throughput"],
           ["machine", "verify"],
           ["state", "export"])
# Processes, and what is of the program itself.
NOT_RECORDED = re.compile(r"/proc/(?:self|\d+)/|/proc/?$|/proc/sys/(?:vm|fs)/|/sys/?$")


class Lab(machine.Machine):
    """A machine behind the stand-in."""

    def __init__(self, arguments, directory, platform):
        super().__init__(directory, platform, arguments.standin)
        self.program = arguments.program

    def record(self, *options, log=None):
        run = self.run(self.program, ["-o", str(self.out), "machine", "record", *options], log)
        if run.status or run.stderr:
            raise RuntimeError(f"machine record: status {run.status}: {run.stderr}")
        return run.out


def entries(line):
    """The request of a line of the stand-in's log, and its entries before it was carried out."""
    number, _, before, _ = line.split()
    number, data = int(number), bytes.fromhex(before)
    sizes = {PHY_ID: (4, 8), IO: (4, 16), MBOX: (4, 24), MSR: (8, 24), ASSOC: (6, 6)}
    if number not in sizes:
        return number, [data]
    header, size = sizes[number]
    if number == ASSOC and data[2]:
        return SET_LEVEL, [data]
    data = data[header:]
    return number, [data[i:i + size] for i in range(0, len(data), size)]


def sets(number, entry):
    """Does an entry set anything?"""
    if number in (SET_LEVEL, SET_FEATURE):
        return True
    if number in (IO, MSR):
        return entry[0] != 0
    if number in (CORE_POWER, CLOS):
        return entry[0] == 1
    if number == MBOX:
        words = int.from_bytes(entry[16:18], "little"), int.from_bytes(entry[18:20], "little")
        return words in SETTING_WORDS or (words[0] == 0xd0 and entry[5] & 1)
    return False


def request_problems(arguments):
    for platform in arguments.platform:
        with machine.temporary_directory() as directory:
            lab = Lab(arguments, directory, platform)
            log = lab.directory / "log"
            lab.record(log=log)
            seen = set()
            for line in log.read_text(encoding="utf-8").splitlines():
                number, asked = entries(line)
                for entry in asked:
                    if sets(number, entry):
                        yield f"{platform.stem}: request {number} sets: {entry.hex()}"
                    if (number, entry) in seen:
                        yield f"{platform.stem}: request {number} is sent twice: {entry.hex()}"
                    seen.add((number, entry))
            if len(seen) < 20:
                yield f"{platform.stem}: only {len(seen)} requests"


def opened(arguments, lab, argv):
    """The files of the kernel that a command line opens, by strace."""
    log = lab.directory / "strace"
    subprocess.run(["strace", "-f", "-e", "trace=openat,open", "-o", log, arguments.program, *argv],
                   env={"PATH": "/usr/bin:/bin"}, check=False, capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=machine.TIMEOUT_S)
    return re.findall(r'"(/(?:sys|proc|dev/cpu)/[^"]+)"', log.read_text(encoding="utf-8"))


def list_problems(arguments):
    """--list against what recording opens on the machine that the test runs on."""
    with machine.temporary_directory() as directory:
        lab = machine.Machine(directory, None)
        text = lab.run(arguments.program, ["-o", str(lab.out), "machine", "record", "--list",
                                           "--pci"]).out
    patterns = [line.rstrip("/").replace("#", "[0-9]*").partition("@")[0]
                for line in text.splitlines() if line.startswith("/")]
    if len(patterns) < 40:
        yield f"--list has only {len(patterns)} files"
    if not any(line.startswith("MSR_COMMAND") for line in text.splitlines()):
        yield "--list names no requests"
    if not arguments.strace:
        return
    with machine.temporary_directory() as directory:
        lab = machine.Machine(directory, None)
        listing = opened(arguments, lab, ["machine", "record", "--list"])
        recorded = opened(arguments, lab, ["-o", str(lab.out), "machine", "record", "--pci"])
        read = {path for argv in READING for path in opened(arguments, lab, argv)}
    for path in set(listing):
        # what dispatching any command reads
        if "/cpufreq" in path or "/sys/fs/cgroup" in path or "/sys/bus" in path:
            yield f"--list opens {path}"
    for path in set(recorded):
        if not path.startswith("/proc/self") and \
           not any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
            yield f"{path} is opened, but --list does not name it"
    for path in read:
        if not NOT_RECORDED.match(path) and \
           not any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
            yield f"a command reads {path}, which is not recorded"


def make_secret_lab(arguments, directory):
    """A machine whose command line holds what must not be told."""
    lab = Lab(arguments, directory, arguments.platform[0])
    secret = lab.root / "proc/cmdline"
    secret.parent.mkdir(parents=True)
    secret.write_text(CMDLINE, encoding="utf-8")
    lab.extra["ISST_STANDIN_CMDLINE"] = str(secret)
    return lab


def privacy_problems(arguments):
    """Recordings with and without --pci, of a machine whose files hold what must not be told."""
    with machine.temporary_directory() as directory:
        lab = make_secret_lab(arguments, directory)
        group = lab.state / "cgroup/tenant-a"
        group.mkdir(parents=True)
        plain, with_pci = lab.record(), lab.record("--pci")
        boot_id = lab.run("cat", ["/proc/sys/kernel/random/boot_id"]).stdout.strip()
    for text, may_have_pci in ((plain, False), (with_pci, True)):
        for word in (SECRETS | {boot_id, socket.gethostname()}) - {""}:
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                yield f"{word} is in the recording"
        found = MAC.findall(text) + IPV4.findall(text)
        if found:
            yield f"addresses are in the recording: {found}"
        if bool(PCI.search(text)) != may_have_pci:
            yield f"PCI addresses in the recording: {not may_have_pci}"
    files = json.loads(plain)["recorded"]["files"]
    wanted = "isolcpus=2,3 nohz_full=2,3 idle=poll mitigations=off intel_idle.max_cstate=1"
    if files["/proc/cmdline"] != wanted:
        yield f"/proc/cmdline is {files['/proc/cmdline']!r}"
    if "group-1" not in files["/sys/fs/cgroup"] or "tenant-a" in files["/sys/fs/cgroup"]:
        yield f"control groups: {files['/sys/fs/cgroup']}"
    if "recorded by intel-speed-select from a machine with kernel" not in plain:
        yield "the recording has no source"
    if set(files["/proc/sys/kernel/random/boot_id"]) != set("0-"):
        yield "the boot id is recorded"


def write_msr(lab, cpu, msr, value):
    """A file as the module msr has one: eight bytes at an offset."""
    path = lab.root / f"dev/cpu/{cpu}/msr"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "r+b" if path.exists() else "w+b") as file:
        file.seek(msr)
        file.write(value.to_bytes(8, "little"))


def msr_problems(arguments):
    """MSRs are read at their offsets, and compared; one that a CPU lacks is an error of reading."""
    with machine.temporary_directory() as directory:
        lab = Lab(arguments, directory, arguments.platform[-1])
        write_msr(lab, 0, 0x771, 0x0000000005081527)
        write_msr(lab, 1, 0x771, 0x0000000005081526)
        write_msr(lab, 2, 0x614, 0)  # the file ends before 0x771
        files = json.loads(lab.record())["recorded"]["files"]
        run = lab.run(arguments.program, ["-f", "json", "-o", str(lab.out), "machine", "verify"])
        rows = json.loads(run.out)["rows"]
    found = {cpu: value for cpus, value in files["/dev/cpu/#/msr@0x771"].items()
             for cpu in cpus.split(",")}
    expected = {"0": "0x0000000005081527", "1": "0x0000000005081526", "2": {"error": "EIO"}}
    if {cpu: found.pop(cpu, None) for cpu in expected} != expected or \
            list(found.values()) != [{"error": "ENOENT"}]:
        yield f"MSR 0x771 is recorded as {files['/dev/cpu/#/msr@0x771']}"
    shown = {row["cpus"]: (row.get("found"), row["result"]) for row in rows
             if row["check"] == "highest"}
    if run.status != 6 or (shown.get("0"), shown.get("1")) != (
            ("3900 MHz", "agrees"), ("3800 MHz", "differs")):
        yield f"machine verify: status {run.status}, {shown}"


def shared_problems(arguments):
    """--share: no command line, no name of an interrupt or a kernel, and all that is left is shown."""
    with machine.temporary_directory() as directory:
        lab = make_secret_lab(arguments, directory)
        path = lab.directory / "shared.json"
        shown = lab.run(arguments.program, ["-o", str(lab.out), "machine", "record", "--share",
                                            str(path)]).out
        plain, text = lab.record(), path.read_text(encoding="utf-8")
    for word in [*SECRETS, "isolcpus", "mitigations"]:
        if word in text:
            yield f"{word} is in the shared recording"
    if PCI.search(text) or MAC.search(text) or IPV4.search(text):
        yield "the shared recording has addresses"
    recorded, other = (json.loads(source)["recorded"] for source in (text, plain))
    if recorded["files"]["/proc/cmdline"] != {"error": "ENODATA"}:
        yield f"/proc/cmdline is {recorded['files']['/proc/cmdline']}"
    names = {name for path, value in recorded["files"].items()
             if re.fullmatch(r"/proc/irq/\d+", path) for name in value}
    if not names or any(not name.startswith("handler-") for name in names):
        yield f"interrupts are named {names}"
    if recorded["requests"] != other["requests"]:
        yield "the shared recording has other requests"
    lines = shown.splitlines()
    patterns = [line.replace("#", "[#]") for line in lines if line.startswith("/")]
    for path, value in recorded["files"].items():
        texts = list(value.values()) if "#/" in path else [value]
        has_text = any(text not in ([], ) and "error" not in text for text in texts)
        is_shown = any(fnmatch.fnmatch(path, pattern) for pattern in patterns)
        if has_text and not is_shown:
            yield f"{path} is in the shared recording, and is not shown"
    count = sum(int(line.split(": ")[1].split()[0]) for line in lines if not line.startswith("/"))
    if count != len(recorded["requests"]):
        yield f"{count} answers are shown, there are {len(recorded['requests'])}"


def today():
    """The date as a recording has it."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def marks_of(arguments, directory, text):
    """How a replay of a recording calls its results: the first line, and the member of JSON."""
    path = directory / "recording.json"
    path.write_text(text, encoding="utf-8")
    box = machine.Machine(directory, path)
    runs = [box.run(arguments.program.parent / "isst", [*options, "cpufreq", "info"])
            for options in ([], ["--json"])]
    again = box.run(arguments.program, ["-o", str(box.out), "machine", "record"]).out
    return (runs[0].stdout.partition("\n")[0], json.loads(runs[1].stdout)["simulated"],
            json.loads(again)["recorded"])


def mark_problems(arguments):
    """A recording of hardware has its date, and its replay both; one of a simulated machine is that."""
    platform = arguments.platform[0]
    with machine.temporary_directory() as directory:
        dates = [today()]
        real = Lab(arguments, directory, platform).record()
        dates.append(today())
    with machine.temporary_directory() as directory:
        box = machine.Machine(directory, platform)
        box.run(arguments.program, ["-o", str(box.out), "machine", "record"])
        simulated = box.out.read_text(encoding="utf-8")
    date = json.loads(real)["recorded"].get("date")
    model = re.search(r"model name\s*: (.*)", json.loads(real)["recorded"]["files"]["/proc/cpuinfo"])
    called = f"recording of {model[1]}, {date}"
    for text, name, line, members in (
            (real, called, called, {"date": date}),
            (simulated, platform.stem, f"simulated machine {platform.stem}",
             {"simulated": platform.stem})):
        with machine.temporary_directory() as directory:
            first, member, again = marks_of(arguments, pathlib.Path(directory), text)
        found = [{key: recorded[key] for key in ("date", "simulated") if key in recorded}
                 for recorded in (json.loads(text)["recorded"], again)]
        if date not in dates or (first, member) != (line, name) or found != [members, members]:
            yield f"{name}: {first}, {member}, {found}"


def size_problems(arguments):
    with machine.temporary_directory() as directory:
        large = pathlib.Path(directory) / "large.json"
        subprocess.run([sys.executable, arguments.make_platform, arguments.platform[-1], large],
                       check=True)
        lab = machine.Machine(pathlib.Path(directory), large)
        run = lab.run(arguments.program, ["-o", str(lab.out), "machine", "record"])
        cpus = run.out.count('"phys id: ')
    if cpus != 960 or len(run.out) > MAX_BYTES:
        yield f"{cpus} CPUs take {len(run.out)} bytes"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--standin", "--make-platform"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--strace", action="store_true", help="strace is installed")
    parser.add_argument("platform", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    problems = [problem for check in (request_problems, list_problems, privacy_problems,
                                      msr_problems, shared_problems, mark_problems, size_problems)
                for problem in check(arguments)]
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
