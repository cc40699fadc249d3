# SPDX-License-Identifier: GPL-2.0-only
"""
The laboratory: a platform file becomes a virtual machine with the kernel's own drivers, saved once
and resumed for each run. Everything made is kept in a cache directory, by what it was made of.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import archive
import kernel
import packages
import qemu
import scale

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/model"))

import dumped  # noqa: E402 pylint: disable=wrong-import-position

MODEL = sorted((ROOT / "src/simulator").glob("punit.[ch]"))
TOOLS = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "make": "make",
         "gcc": "gcc", "zstd": "zstd", "dpkg": "dpkg", "ldd": "libc-bin"}
PORT_MODULES = ["virtio_pci", "virtio_console"]
MODULES = {
    "mailbox": ["isst_if_mbox_pci", "isst_if_mmio", "intel_uncore_frequency"],
    "msr": ["isst_if_mbox_msr", "intel_uncore_frequency"],
    "tpmi": ["intel_vsec", "intel_vsec_tpmi", "intel_tpmi_power_domains", "isst_tpmi",
             "intel_uncore_frequency_tpmi"],
    "none": ["intel_uncore_frequency"],
}
# Those that scripts load: what they show changes the output of commands.
MODULES_OF_SCRIPTS = {"tpmi": ["intel_rapl_tpmi"], "mailbox": ["intel_rapl_msr", "msr"]}
MODEL_SKYLAKE_X = 85
MACHINE_IN_USE_S = 3600  # longer than any test
SKIPPED = 77  # for meson


def add_kernel_option(parser):
    parser.add_argument("--kernel", default=packages.DEFAULT, metavar="NAME",
                        help=f"{', '.join(packages.NAMES)}, or a version of one of their suites; "
                             f"{packages.DEFAULT} without it")


def read_options(parser):
    """The options of every test here, with the parser's own."""
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build directory")
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    add_kernel_option(parser)
    parser.add_argument("--merge", type=pathlib.Path, metavar="FILE",
                        help="members that replace those of the platform file")
    return parser.parse_args()


def open_or_skip(options):
    """The laboratory; if something is missing, the test is skipped with a message."""
    try:
        return Lab(options.cache, options.build, options.kernel, options.merge)
    except packages.Missing as error:
        skip(error)


def skip(error):
    print(f"SKIPPED, nothing was tested: {error}")
    sys.exit(SKIPPED)


def check_tools():
    if os.uname().machine != "x86_64":
        raise packages.Missing("the virtual machine has this machine's program in it: x86-64 only")
    missing = {package for tool, package in TOOLS.items() if not shutil.which(tool)}
    if missing:
        raise packages.Missing("needed: apt-get install " + " ".join(sorted(missing)))


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else str(part).encode())
        total.update(b"\0")
    return total.hexdigest()[:16]


def digest_files(paths):
    return digest(*(part for path in paths for part in (path.name, path.read_bytes())))


def merge(value, changes):
    """A JSON value with changes: members of objects, and elements of lists one by one."""
    if isinstance(changes, dict):
        return {**value, **{name: merge(value.get(name), change)
                            for name, change in changes.items()}} if value else changes
    if isinstance(changes, list) and isinstance(value, list) and len(changes) == len(value):
        return [merge(*pair) for pair in zip(value, changes)]
    return changes


def driver_kind(platform):
    kind = platform["interface"]["kind"]
    if kind == "mailbox" and platform["cpu"]["model"] == MODEL_SKYLAKE_X:
        return "msr"
    return kind


def cpu_of(platform):
    cpu = platform["cpu"]
    name = cpu["model_name"].replace(",", ",,")
    return (f"Icelake-Server,family={cpu['family']},model={cpu['model']},"
            f"stepping={cpu['stepping']},model-id={name},hypervisor=off")


def awaited_files(platform):
    """Files that show that every driver has found its hardware."""
    files = [] if driver_kind(platform) == "none" else ["/dev/isst_interface"]
    base = "/sys/devices/system/cpu/intel_uncore_frequency"
    packages = platform["topology"]["packages"]
    if platform["uncore"]["layout"] == "tpmi":
        count = sum(len(package["domains"]) for package in packages)
        files += [f"{base}/uncore{number:02}" for number in range(count)]
    else:
        files += [f"{base}/package_{number:02}_die_{package['domains'][0]['die']:02}"
                  for number, package in enumerate(packages)]
    return files


def find_platform(name):
    """The platform file of that path, or whose name begins so."""
    if "/" in name:
        return pathlib.Path(name)
    found = sorted((ROOT / "platforms").glob(f"{name}*.json"))
    if not found:
        raise packages.Missing(f"no platform file in platforms is named {name}")
    return found[0]


@contextlib.contextmanager
def locked(cache):
    """Only one process at a time makes what goes into the cache."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def own_name(path):
    """A name beside the path for this process alone: tests of one platform run at once."""
    return path.with_name(f"{path.name}.{os.getpid()}")


def put(path, data):
    """Writes a file of the cache, which another test never sees in part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own_name(path).write_bytes(data)
    own_name(path).replace(path)


class Lab:
    """Machines by platform, with what a build directory has: the program and the lab's tools."""

    def __init__(self, cache, build, kernel_name, merge=None):
        check_tools()
        self.cache = pathlib.Path(cache).resolve()
        self.merged = json.loads(merge.read_text(encoding="utf-8")) if merge else {}
        build = pathlib.Path(build).resolve()
        self.program = build / "src/intel-speed-select"
        self.write_blob = build / "tests/slow/vm/write_blob"
        self.helper = build / "tests/slow/vm/helper"
        self.units = sorted((build / "systemd").glob("*.service"))
        self.kernel_name = kernel_name
        with locked(self.cache):
            self.kernel = kernel.obtain(self.cache, kernel_name)
            self.module = self.make_module()

    def make_module(self):
        sources = sorted(path for path in (HERE / "module").rglob("*") if path.is_file())
        made_of = digest(self.kernel.version, digest_files([*sources, *MODEL]))
        directory = self.cache / f"module-{made_of}"
        module = directory / "isst_lab.ko"
        if not module.exists():
            kernel.make_module(self.kernel, HERE / "module", MODEL, directory)
        return module

    def scaled(self, platform_file):
        """The platform as it fits into the machine: (data, path of its file)."""
        platform = json.loads(pathlib.Path(platform_file).read_text(encoding="utf-8"))
        platform = scale.scale(merge(platform, self.merged), self.kernel)
        text = json.dumps(platform, indent=1) + "\n"
        path = self.cache / "platforms" / f"{platform['name']}-{digest(text)}.json"
        put(path, text.encode())
        return platform, path

    def dumped(self, name, tree):
        """A real machine as it fits into the machine: the same, with its registers beside the file."""
        platform = dumped.platform_of(name, tree, self.kernel)
        registers = dumped.windows(tree)
        text = json.dumps(platform, indent=1) + "\n"
        path = self.cache / "platforms" / f"{name}-{digest(text, registers)}.json"
        put(path, text.encode())
        put(path.with_suffix(".registers"), registers)
        return platform, path

    def blob(self, path):
        out = own_name(path)
        subprocess.run([self.write_blob, path, out], check=True, stdin=subprocess.DEVNULL)
        blob = out.read_bytes()
        out.unlink()
        return blob

    def initramfs(self, platform, path, blob):
        box = archive.Archive()
        for directory in ("proc", "sys", "dev", "run", "tmp", "root", "job", "usr/bin"):
            box.directory(directory)
        box.copy("/bin/busybox", shutil.which("busybox"))
        listed = subprocess.run(["busybox", "--list"], check=True, stdout=subprocess.PIPE, text=True)
        for name in listed.stdout.split():
            if name != "busybox":
                box.link(f"/bin/{name}", "busybox")
        box.copy("/init", HERE / "guest/init")
        ports = self.kernel.with_dependencies(PORT_MODULES)
        modules = {**ports, "isst_lab": self.module.read_bytes(),
                   **self.kernel.with_dependencies(MODULES[driver_kind(platform)])}
        box.file("/lab/order", "".join(f"{name}.ko\n" for name in modules).encode())
        of_scripts = MODULES_OF_SCRIPTS.get(driver_kind(platform), [])
        for name, data in {**modules, **self.kernel.with_dependencies(of_scripts)}.items():
            box.file(f"/lab/modules/{name}.ko", data)
        box.file("/lab/awaited", "".join(f"{name}\n" for name in awaited_files(platform)).encode())
        box.file("/lab/blob", blob)
        registers = path.with_suffix(".registers")
        if registers.exists():
            box.copy("/lab/registers", registers)
        return box.finish()

    def machine(self, platform, path, words=""):
        """
        The directory of the saved machine; boots it where there is none. words: further ones of the
        kernel's command line.
        """
        setup = (cpu_of(platform), scale.smp_of(platform), len(platform["topology"]["packages"]))
        # The blob itself does not tell machines apart: padding of its structures can have any value.
        made_of = digest(self.kernel.version, self.initramfs(platform, path, b""), path.read_bytes(),
                         self.write_blob.read_bytes(), *setup, *words.split())
        directory = self.cache / f"machine-{platform['name']}-{made_of}"
        with locked(self.cache / platform["name"]):
            if not (directory / "state").exists():
                self.forget_machines(platform["name"])
                qemu.boot_and_save(directory, *setup, self.kernel.vmlinux,
                                   self.initramfs(platform, path, self.blob(path)), words)
            os.utime(directory / "state")
        return directory, setup

    def forget_machines(self, name):
        """Removes old machines of a platform; a young one may be in use by another test."""
        for state in self.cache.glob(f"machine-{name}-*/state"):
            if time.time() - state.stat().st_mtime > MACHINE_IN_USE_S:
                shutil.rmtree(state.parent)

    def add_service_manager(self, box):
        """What `service.sh` needs: systemd, its log, the installed units, and empty targets."""
        if not shutil.which("systemctl"):
            raise packages.Missing("needed: apt-get install systemd")
        for path in ("/lib/systemd/systemd", "/lib/systemd/systemd-journald", "/bin/systemctl",
                     "/bin/journalctl"):
            box.program(path, path)
        box.link("/usr/lib/systemd", "/lib/systemd")
        units = "/etc/systemd/system"
        for path in self.units:
            unit = path.read_text(encoding="utf-8")
            box.file(f"{units}/{path.name}",
                     re.sub(r"(?<==)/\S+/(?=(intel-speed-select|isst) )", "/usr/bin/",
                            unit).encode())
        box.link(f"{units}/default.target", "multi-user.target")
        for name in ("multi-user", "sysinit", "basic", "shutdown"):
            box.file(f"{units}/{name}.target",
                     b"[Unit]\nDescription=A target\nDefaultDependencies=no\n")
        box.file("/etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
        box.file("/etc/group", b"root:x:0:\n")
        box.file("/etc/machine-id", b"0123456789abcdef0123456789abcdef\n")

    def run(self, scaled, script, timeout_s=300, sinks=(None, None)):
        """
        Runs a shell script (bytes) in a scaled platform's machine; one that has the line "# with:
        systemd" or "# with: plr" finds that there, one with "# boot: WORDS" a kernel that was booted
        with them. Returns qemu.resume()'s.
        """
        words = re.search(rb"^# boot: (.*)$", script, re.M)
        directory, setup = self.machine(*scaled, words.group(1).decode() if words else "")
        box = archive.Archive()
        for name in ("intel-speed-select", "isst"):
            box.program(f"/usr/bin/{name}", self.program)
        box.library("libnl-genl-3.so.200")
        box.program("/bin/helper", self.helper)
        box.program("/bin/probe", self.helper.parent / "probe")
        box.copy("/job/functions.sh", HERE / "guest/functions.sh")
        if b"\n# with: systemd\n" in script:
            self.add_service_manager(box)
        if b"\n# with: plr\n" in script:
            with locked(self.cache):
                box.file(f"/job/{kernel.PLR}.ko",
                         kernel.obtain_plr(self.cache, self.kernel_name, self.kernel))
        box.file("/job/script", script)
        return qemu.resume(directory, *setup, box.finish(), timeout_s, sinks)
