# SPDX-License-Identifier: GPL-2.0-only
"""
The guest's kernel: Debian's own, version 6.12, unpacked from its packages, never installed.

The packages come from the archive that this machine is set up with; where that lacks them, its
security archive is asked too, through lists of our own.
"""

import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess

SERIES = "6.12"
IMAGE = re.compile(rf"linux-image-({re.escape(SERIES)}\.\d+\S*)-amd64-unsigned")
PARTS = ("linux-image-{}-amd64-unsigned", "linux-headers-{}-amd64", "linux-headers-{}-common",
         "linux-kbuild-{}")


class Missing(Exception):
    """Something that the lab needs is missing; the text names it and how to get it."""


def run(argv, **options):
    return subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, **options)


def output(argv):
    return run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def version_key(version):
    return [int(part) for part in re.findall(r"\d+", version)]


class Archive:
    """apt-get with the system's lists, or with lists in a directory of our own."""

    def __init__(self, options=()):
        self.options = [word for option in options for word in ("-o", option)]

    def versions(self):
        """Kernel versions of the series for which every package is available, oldest first."""
        listed = output(["apt-cache", *self.options, "pkgnames", "linux-"]).split()
        names = set(listed)
        found = [match.group(1) for match in map(IMAGE.fullmatch, listed) if match]
        return sorted((version for version in found
                       if all(part.format(version) in names for part in PARTS)), key=version_key)

    def download(self, version, directory):
        run(["apt-get", *self.options, "-o", "APT::Sandbox::User=", "-qq", "download",
             *(part.format(version) for part in PARTS)], cwd=directory)


def configured_sources():
    """(URI, suite, options) of the archives that apt is set up with, Debian's own only."""
    text = output(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(SIGNED_BY)",
                   "Created-By: Packages"])
    for line in text.splitlines():
        site, suite, *signed = line.split()
        if site.rstrip("/").endswith("/debian"):
            yield site.rstrip("/"), suite, signed


def security_archive(directory):
    """The security archive beside the configured one, with lists below directory."""
    codename = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(
        encoding="utf-8"), re.M).group(1)
    lists = directory / "apt"
    (lists / "lists/partial").mkdir(parents=True, exist_ok=True)
    sources = sorted({f"deb {site}-security {codename}-security main"
                      for site, _, _ in configured_sources()})
    if not sources:
        return None
    (lists / "sources.list").write_text("\n".join(sources) + "\n", encoding="utf-8")
    archive = Archive([f"Dir::Etc::SourceList={lists}/sources.list", "Dir::Etc::SourceParts=/dev/null",
                       f"Dir::State::Lists={lists}/lists", f"Dir::Cache={lists}",
                       "APT::Sandbox::User="])
    run(["apt-get", *archive.options, "-qq", "update"], stdout=subprocess.DEVNULL)
    return archive


def choose(directory):
    """The archive and the newest version there."""
    if not shutil.which("apt-get"):
        raise Missing("the guest's kernel comes from Debian packages, and there is no apt-get here")
    for archive in (Archive(), None):
        archive = archive or security_archive(directory)
        versions = archive.versions() if archive else []
        if versions:
            return archive, versions[-1]
    raise Missing(f"no package linux-image-{SERIES}.* is available: apt-get update; or add the "
                  "distribution's security archive to apt's sources")


def extract_vmlinux(bzimage):
    """The ELF kernel in a bzImage, whose header says where its payload is."""
    data = bzimage.read_bytes()
    offset, length = struct.unpack_from("<II", data, 0x248)
    offset += (data[0x1f1] + 1) * 512
    payload = data[offset:offset + length - 4]
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq"], input=payload, check=True,
                              stdout=subprocess.PIPE).stdout
    return lzma.decompress(payload)


class Kernel:
    """An unpacked kernel: vmlinux, its modules, the headers to build one more."""

    def __init__(self, directory, version):
        self.directory = directory
        self.version = f"{version}-amd64"
        self.root = directory / "root"
        self.vmlinux = directory / "vmlinux"
        self.headers = self.root / f"usr/src/linux-headers-{self.version}"

    def unpack(self):
        for package in self.directory.glob("*.deb"):
            run(["dpkg", "-x", package, self.root])
            package.unlink()
        makefile = self.headers / "Makefile"
        makefile.write_text(makefile.read_text(encoding="utf-8").replace(
            "/usr/src", str(self.root / "usr/src")), encoding="utf-8")
        vmlinux = extract_vmlinux(self.root / f"boot/vmlinuz-{self.version}")
        partial = self.vmlinux.with_suffix(".partial")
        partial.write_bytes(vmlinux)
        partial.rename(self.vmlinux)

    def module(self, name):
        """The bytes of one of its modules, by file name without ending."""
        found = list((self.root / f"lib/modules/{self.version}").rglob(f"{name}.ko*"))
        if not found:
            raise Missing(f"kernel {self.version} has no module {name}")
        data = found[0].read_bytes()
        return lzma.decompress(data) if found[0].suffix == ".xz" else data

    def compiler(self):
        """The compiler that the kernel was built with, as its build files name it."""
        text = (self.headers / ".kernelvariables").read_text(encoding="utf-8")
        prefix = re.search(r"CROSS_COMPILE = (\S+)", text).group(1)
        return prefix + re.search(r"\$\(CROSS_COMPILE\)(gcc\S*)", text).group(1)

    def with_dependencies(self, names):
        """{file name: bytes} of modules, each behind those that it needs."""
        modules = {}

        def add(name):
            if name in modules:
                return
            data = self.module(name)
            needed = re.search(rb"\0depends=([^\0]*)\0", b"\0" + data).group(1).decode()
            for other in filter(None, needed.split(",")):
                add(self.file_name(other))
            modules[name] = data

        for name in names:
            add(name)
        return modules

    def file_name(self, name):
        """A module's file may have dashes where its name has underscores."""
        for path in (self.root / f"lib/modules/{self.version}").rglob("*.ko*"):
            stem = path.name.partition(".ko")[0]
            if stem.replace("-", "_") == name.replace("-", "_"):
                return stem
        raise Missing(f"kernel {self.version} has no module {name}")


def obtain(cache):
    """The kernel in the cache; fetched and unpacked where it is missing."""
    ready = sorted(cache.glob("kernel-*/vmlinux"), key=lambda path: version_key(path.parent.name))
    if ready:
        return Kernel(ready[-1].parent, ready[-1].parent.name.removeprefix("kernel-"))
    cache.mkdir(parents=True, exist_ok=True)
    archive, version = choose(cache)
    directory = cache / f"kernel-{version}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    archive.download(version, directory)
    kernel = Kernel(directory, version)
    kernel.unpack()
    return kernel


def make_module(kernel, source, model, directory):
    """Builds isst_lab.ko in directory from source and the PUNIT model's files."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(source, directory)
    (directory / "simulator").mkdir()
    for path in model:
        shutil.copy(path, directory / "simulator")
    compiler = kernel.compiler()
    if not shutil.which(compiler):
        raise Missing(f"needed to build a kernel module: apt-get install {compiler.split('-gnu-')[-1]}")
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    build = subprocess.run(["make", "-C", kernel.headers, f"M={directory}",
                            "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"], check=False, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                           stdin=subprocess.DEVNULL)
    if build.returncode or "warning:" in build.stdout:
        raise RuntimeError(f"the module does not build cleanly:\n{build.stdout}")
    return directory / "isst_lab.ko"
