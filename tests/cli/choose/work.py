#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
priority check (choose.md, "priority") on processes of this machine, with a record in a mount
namespace that says which of its CPUs is fast: work pinned to the fast CPU, to another one, in two
processes of a control group, that rests, that ends, and that does not exist.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

RUN = pathlib.Path("/run/intel-speed-select")
INSIDE = "ISST_TEST_IN_NAMESPACE"
DEVICES = pathlib.Path("/sys/bus/pci/devices")
SPIN = "while :; do :; done"
GROUP = pathlib.Path("/sys/fs/cgroup/isst-test-work")


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def write_record(directory, fast, other):
    """As priority publish writes it (choose.md), of one package without SST-TF."""
    group = {"package": 0, "node": None, "mhz": None, "high-mhz": None, "not-taken-over-mhz": None,
             "base-mhz": 0, "bucket": None}
    record = {
        "format": "intel-speed-select-priority", "version": 1,
        "boot-id": pathlib.Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip(),
        "time": "2026-01-01T00:00:00Z", "program": "1", "warnings": [],
        "packages": [{"package": 0, "level": 0, "turbo-freq": False, "base-freq": False,
                      "core-power": True, "capacity": 0, "buckets": [], "used": 1, "unit": "cores",
                      "counted": "per package", "fast": None, "other": None}],
        "groups": [{**group, "reasons": ["clos"], "clos": 0, "threads": [str(fast)]},
                   {**group, "reasons": [], "clos": 3, "threads": [str(other)]}]}
    path = directory / "priority.json"
    path.write_text(json.dumps(record), encoding="ascii")
    path.chmod(0o644)


class Lab:
    def __init__(self, program):
        self.program = program
        self.processes = []

    def spin(self, cpu):
        process = subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", SPIN])
        self.processes.append(process)
        while os.sched_getaffinity(process.pid) != {cpu}:  # taskset has not begun
            time.sleep(0.01)
        time.sleep(0.1)
        return process.pid

    def rest(self):
        self.processes.append(subprocess.Popen(["sleep", "60"]))
        time.sleep(0.2)
        return self.processes[-1].pid

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def check(self, status, work, *argv):
        run = subprocess.run([self.program, "--json", "priority", "check", str(work), "--seconds",
                              "1", *argv], capture_output=True, text=True, timeout=60, check=False)
        expect(run.returncode == status, f"{work} {argv}: {run.returncode}: {run.stdout}{run.stderr}")
        return json.loads(run.stdout) if status in (0, 6) else run.stdout + run.stderr


def check_processes(lab, fast, other):
    pid = lab.spin(fast)
    found = lab.check(0, pid)
    expect((found["fast-percent"], found["allowed-cpus"], found["change"]) ==
           (100.0, str(fast), None), found)
    expect(found["threads"] == found["threads-that-ran"] == 1 and found["cpu-seconds"] > 0.1, found)
    pid = lab.spin(other)
    found = lab.check(6, pid)
    expect((found["fast-percent"], found["change"]) == (0.0, f"taskset -acp {fast} {pid}"), found)
    lab.check(0, pid, "--require", "0")
    # its advice works
    subprocess.run(found["change"].split(), check=True, stdout=subprocess.DEVNULL)
    expect(lab.check(0, pid)["fast-percent"] == 100.0, "after the change")
    found = lab.check(0, lab.rest())
    expect((found["fast-percent"], found["change"]) == (None, None), found)
    expect("no such process" in lab.check(3, 4194304), "a process that is not there")
    expect("no such process" in lab.check(3, "isst-no-such/group"), "a group that is not there")
    with subprocess.Popen(["sleep", "0.6"]) as ending:
        lab.check(0, ending.pid)


def check_text(lab, fast, other):
    """Text, and the share beside a device that is close to the other CPU."""
    device = DEVICES / "0000:3b:00.0"
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", DEVICES], check=True)
    device.mkdir()
    (device / "local_cpulist").write_text(f"{other}\n", encoding="ascii")
    pid = lab.spin(other)
    near = ["--near", device.name]
    expect(lab.check(6, pid, *near)["near-percent"] == 100.0, "beside the device")
    run = subprocess.run([lab.program, "priority", "check", str(pid), "--seconds", "1", *near],
                         capture_output=True, text=True, timeout=60, check=False)
    for text in ("threads      1, of which 1 ran; ", f"may run on   {other}\n", "fast cores   ",
                 "time         0.0 % on fast cores, 100.0 % on others\n",
                 "near         100.0 % on CPUs local to the device\n",
                 f"change       taskset -acp {fast} ",
                 f"or its launcher: numactl --physcpubind={fast} COMMAND\n"):
        expect(text in run.stdout, f"\"{text}\" is not in {run.stdout}")
    run = subprocess.run([lab.program, "priority", "check", str(lab.rest()), "--seconds", "1"],
                         capture_output=True, text=True, timeout=60, check=False)
    expect("not checked: it used less than 1 % of a CPU\n" in run.stdout, run.stdout)


def check_group(lab, fast, other):
    """Two processes, of which one is in a group of the group."""
    below = GROUP / "below"
    below.mkdir(parents=True)
    try:
        (GROUP / "cgroup.procs").write_text(str(lab.spin(fast)), encoding="ascii")
        (below / "cgroup.procs").write_text(str(lab.spin(other)), encoding="ascii")
        found = lab.check(6, GROUP.name)
        expect(found["threads"] == 2 and 20 < found["fast-percent"] < 80, found)
        expect(found["change"] == f"echo {fast} >{GROUP}/cpuset.cpus", found)
        expect(lab.check(0, GROUP, "--require", "10")["change"] is None, "the whole path")
    finally:
        lab.end()
        below.rmdir()
        GROUP.rmdir()


def mount_namespace():
    """In a chroot "/" has no propagation of its own to change; nor need it if nothing is shared."""
    is_shared = " shared:" in pathlib.Path("/proc/1/mountinfo").read_text(encoding="utf-8")
    return ["unshare", "--mount", *([] if is_shared else ["--propagation", "unchanged"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    if os.geteuid() != 0 or len(cpus) < 2:
        print("SKIPPED: priority check needs root, for a mount namespace, and two CPUs")
        return 77
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", [*mount_namespace(), sys.executable, *sys.argv])
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    subprocess.run(["mount", "-t", "cgroup2", "none", GROUP.parent], check=True)
    RUN.mkdir(mode=0o755)
    write_record(RUN, cpus[-1], cpus[0])
    lab = Lab(options.program.absolute())
    try:
        check_processes(lab, cpus[-1], cpus[0])
        check_text(lab, cpus[-1], cpus[0])
        check_group(lab, cpus[-1], cpus[0])
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    finally:
        lab.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
