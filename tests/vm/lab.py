# SPDX-License-Identifier: GPL-2.0-only
"""
The laboratory: a platform file becomes a virtual machine with the kernel's own drivers, saved once
and resumed for each run. Everything made is kept in a cache directory, by what it was made of.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess

import archive
import kernel
import qemu
import scale

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODEL = sorted((ROOT / "src/simulator").glob("punit*.[ch]"))
TOOLS = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "make": "make",
         "gcc-12": "gcc-12", "zstd": "zstd", "dpkg": "dpkg", "ldd": "libc-bin"}
MODULES = {
    "mailbox": ["isst_if_mbox_pci", "isst_if_mmio", "intel-uncore-frequency"],
    "msr": ["isst_if_mbox_msr", "intel-uncore-frequency"],
    "tpmi": ["intel_vsec", "intel_vsec_tpmi", "intel_tpmi_power_domains", "isst_tpmi",
             "intel-uncore-frequency-tpmi"],
    "none": ["intel-uncore-frequency"],
}
MODEL_SKYLAKE_X = 85


def check_tools():
    missing = {package for tool, package in TOOLS.items() if not shutil.which(tool)}
    if missing:
        raise kernel.Missing("needed: apt-get install " + " ".join(sorted(missing)))


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else str(part).encode())
        total.update(b"\0")
    return total.hexdigest()[:16]


def digest_files(paths):
    return digest(*(part for path in paths for part in (path.name, path.read_bytes())))


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


class Lab:
    """Machines by platform. write_blob is the program that translates platform files."""

    def __init__(self, cache, write_blob):
        check_tools()
        self.cache = pathlib.Path(cache).resolve()
        self.write_blob = pathlib.Path(write_blob).resolve()
        self.kernel = kernel.obtain(self.cache)
        self.module = self.make_module()

    def make_module(self):
        sources = sorted(path for path in (HERE / "module").rglob("*") if path.is_file())
        directory = self.cache / f"module-{digest(self.kernel.version, digest_files([*sources, *MODEL]))}"
        module = directory / "isst_lab.ko"
        if not module.exists():
            kernel.make_module(self.kernel, HERE / "module", MODEL, directory)
        return module

    def scaled(self, platform_file, prepare=None):
        """The platform as it fits into the machine: (data, path of its file)."""
        platform = scale.scale(json.loads(pathlib.Path(platform_file).read_text(encoding="utf-8")))
        if prepare:
            prepare(platform)
        text = json.dumps(platform, indent=1) + "\n"
        path = self.cache / "platforms" / f"{platform['name']}-{digest(text)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return platform, path

    def blob(self, path):
        out = path.with_suffix(".blob")
        subprocess.run([self.write_blob, path, out], check=True, stdin=subprocess.DEVNULL)
        return out.read_bytes()

    def initramfs(self, platform, blob):
        box = archive.Archive()
        for directory in ("proc", "sys", "dev", "run", "tmp", "root", "job", "usr/sbin"):
            box.directory(directory)
        box.copy("/bin/busybox", shutil.which("busybox"))
        listed = subprocess.run(["busybox", "--list"], check=True, stdout=subprocess.PIPE, text=True)
        for name in listed.stdout.split():
            if name != "busybox":
                box.link(f"/bin/{name}", "busybox")
        box.copy("/init", HERE / "guest/init")
        modules = self.kernel.with_dependencies(MODULES[driver_kind(platform)])
        box.file("/lab/modules/isst_lab.ko", self.module.read_bytes())
        for name, data in modules.items():
            box.file(f"/lab/modules/{name}.ko", data)
        order = ["isst_lab", *modules]
        box.file("/lab/order", "".join(f"{name}.ko\n" for name in order).encode())
        box.file("/lab/awaited", "".join(f"{name}\n" for name in awaited_files(platform)).encode())
        box.file("/lab/blob", blob)
        return box.finish()

    def machine(self, platform, path):
        """The directory of the saved machine; boots it where there is none."""
        initramfs = self.initramfs(platform, self.blob(path))
        total, smp = scale.smp_of(platform)
        del total
        setup = (cpu_of(platform), smp, len(platform["topology"]["packages"]))
        name = f"machine-{platform['name']}-{digest(self.kernel.version, initramfs, *setup)}"
        directory = self.cache / name
        if not (directory / "state").exists():
            for old in self.cache.glob(f"machine-{platform['name']}-*"):
                shutil.rmtree(old)
            qemu.boot_and_save(directory, *setup, self.kernel.vmlinux, initramfs)
        return directory, setup

    def run(self, scaled, script, programs=(), files=(), timeout_s=120, sinks=(None, None)):
        """
        Runs a shell script (bytes) in the machine of a scaled platform. programs: (path in the
        guest, path here); files: (path in the guest, bytes). Returns qemu.resume()'s.
        """
        directory, setup = self.machine(*scaled)
        box = archive.Archive()
        for name, path in programs:
            box.program(name, path)
        for name, data in files:
            box.file(name, data)
        box.file("/job/script", script)
        return qemu.resume(directory, *setup, box.finish(), timeout_s, sinks)
