# SPDX-License-Identifier: GPL-2.0-only
"""
A throwaway machine for programs of others: a root of its own, laid over this machine's, in which
/sys/devices/system/cpu and /proc/cpuinfo are those of a simulated machine, and intel-speed-select
is ours on it. What a program writes, wherever it writes it, is gone with the root. Programs that
are not ours and that a test cannot have (turbostat, stress, systemctl, sudo, ...) are small
stand-ins. Making the root needs the right to mount.
"""

import json
import pathlib
import shlex
import shutil
import subprocess

TIMEOUT_S = 540
CPU_FILES = "sys/devices/system/cpu"

# A program of the root's /usr/bin, after "#!/bin/sh" if it names no other interpreter.
NOTHING = "exit 0\n"
STAND_INS = {
    "cpupower": NOTHING,
    "ldconfig": NOTHING,
    "perf": "exec tail -f /dev/null\n",
    "sleep": NOTHING,
    "sst": "printf 'SST-PP\\n  0    0      0-31,128-159\\nSST-BF\\n'\n",
    "stress": "case $1 in --help) exit 0;; esac\nexec tail -f /dev/null\n",
    "sudo": 'exec "$@"\n',
    "systemctl": "exit 1\n",
    "taskset": 'shift 2\nexec "$@"\n',
    # Columns as lkvs asks for them: a summary, then CPUs, all of one frequency.
    "turbostat": "echo Package Core CPU Busy% Bzy_MHz PkgWatt\n"
                 "for cpu in - 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do\n"
                 "  echo 0 $cpu $cpu 99.0 2000 100.0\n"
                 "done\n",
    "lscpu": """#!/usr/bin/python3
import pathlib, sys
root = pathlib.Path("/sys/devices/system/cpu")
def cpus(text):
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
online = list(cpus((root / "online").read_text()))
def place(cpu):
    topology = root / f"cpu{cpu}" / "topology"
    first = min(cpus((topology / "core_cpus_list").read_text()))
    return (topology / "physical_package_id").read_text().strip(), first
columns = next((word[3:].split(",") for word in sys.argv if word.startswith("-p=")), None)
if columns:
    print("# " + ",".join(columns))
    for cpu in online:
        package, core = place(cpu)
        row = {"CPU": cpu, "SOCKET": package, "CORE": core}
        print(",".join(str(row[column]) for column in columns))
elif "--extended" in sys.argv:
    print("CPU ONLINE")
    for cpu in online:
        print(f"{cpu:3} yes")
else:
    threads = max(len(list(cpus((root / f"cpu{cpu}/topology/core_cpus_list").read_text())))
                  for cpu in online[:1])
    print(f"Thread(s) per core: {threads}")
""",
}

ENTER = """set -e
mount -t tmpfs none {layers}
mkdir {layers}/upper {layers}/work {layers}/root
root={layers}/root
mount -t overlay none -o lowerdir=/,upperdir={layers}/upper,workdir={layers}/work $root
mount -t proc proc $root/proc
mount --rbind /dev $root/dev
mount --rbind /sys $root/sys
for directory in {kept}; do
  mkdir -p $root$directory
  mount --rbind $directory $root$directory
done
mount --bind {tree}/{cpu_files} $root/{cpu_files}
mount --bind {tree}/proc/cpuinfo $root/proc/cpuinfo
cp -a {bin}/. $root/usr/bin/
exec chroot $root "$@"
"""

# The tool as the program finds it. Every call is one line of the log; after a change of level the
# kernel's files are those of the new one.
TOOL = """#!/bin/bash
(exec -a intel-speed-select {program} --simulate {platform} --simulate-state {state} "$@")
status=$?
printf '%s\\t%s\\n' $status "$*" >>{log}
case " $* " in *" set-config-level "*) {make_tree} {platform} {state} {tree};; esac
exit $status
"""


def description(platform):
    return json.loads(pathlib.Path(platform).read_text(encoding="utf-8"))


class Stage:
    """One simulated machine, and a place for the files of others. Settings last as long as it."""

    def __init__(self, build, platform, directory):
        self.build = pathlib.Path(build).resolve()
        self.platform = pathlib.Path(platform).resolve()
        self.machine = description(self.platform)
        self.directory = pathlib.Path(directory).resolve()
        self.state, self.tree = self.directory / "state", self.directory / "tree"
        self.files, self.log = self.directory / "files", self.directory / "log"
        self.program = self.build / "src" / "intel-speed-select"
        self.kept = [self.directory, self.build, self.platform.parent]
        for path in (self.files, self.tree, self.state, self.directory / "layers"):
            path.mkdir(mode=0o700)
        self.make_tree = self.build / "tests/cli/standin" / "make_tree"
        subprocess.run([self.make_tree, self.platform, self.state, self.tree], check=True,
                       timeout=TIMEOUT_S)
        self.write_frequencies()
        self.write_programs()

    def write_frequencies(self):
        """What make_tree leaves out, and scripts read: at first no CPU is limited."""
        most = self.machine["cpufreq"]["max_khz"]
        for cpu in (self.tree / CPU_FILES).glob("cpu[0-9]*/cpufreq"):
            (cpu / "scaling_max_freq").write_text(f"{most}\n", encoding="utf-8")

    def write_programs(self):
        directory = self.directory / "bin"
        directory.mkdir()
        programs = {name: text if text.startswith("#!") else f"#!/bin/sh\n{text}"
                    for name, text in STAND_INS.items()}
        programs["intel-speed-select"] = TOOL.format(**{
            name: shlex.quote(str(getattr(self, name)))
            for name in ("program", "platform", "state", "log", "make_tree", "tree")})
        for name, text in programs.items():
            (directory / name).write_text(text, encoding="utf-8")
            (directory / name).chmod(0o755)

    def run(self, *argv, **variables):
        """Runs a program in the files' directory of a new root."""
        quote = shlex.quote
        enter = ENTER.format(layers=quote(str(self.directory / "layers")), tree=self.tree,
                             cpu_files=CPU_FILES, bin=quote(str(self.directory / "bin")),
                             kept=" ".join(quote(str(path)) for path in self.kept))
        env = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(self.files),
               "LC_ALL": "C.UTF-8", **variables}
        inside = ["sh", "-c", f"cd {quote(str(self.files))} && exec \"$@\"", "sh", *map(str, argv)]
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                               enter, "sh", *inside], env=env, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)

    def put(self, *paths):
        """Copies files of others into the place that is run() in."""
        for path in paths:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, self.files / path.name)

    def write(self, name, text):
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def calls(self):
        """(status, arguments) of the calls of the tool so far."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [(int(status), words) for status, _, words in
                (line.partition("\t") for line in lines)]

    def ask(self, *words):
        """Results of the tool as a document, asked from outside the root."""
        done = subprocess.run([self.program, "--simulate", self.platform, "--simulate-state",
                               self.state, "--json", "-o", "-", *words], capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)
        return json.loads(done.stdout)

    def levels(self):
        """The levels that software may switch to: number, then the description of each."""
        sst = self.machine["sst"]
        return {level["level"]: level for level in (sst["levels"] if sst else ())
                if level["level"] in sst["allowed_levels"]}

    def n_cpus(self):
        return len(list((self.tree / CPU_FILES).glob("cpu[0-9]*")))
