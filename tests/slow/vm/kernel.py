# SPDX-License-Identifier: GPL-2.0-only
"""
The guest's kernel: one of Debian's, unpacked from its packages, never installed (packages.py), and
our module built for it. A kernel of another release is built for with the compiler of that release,
which is unpacked beside it.
"""

import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile

from packages import Missing, choose, depends, run, version_key

IS_FOR_BUILD = re.compile(r"gcc-|lib|zlib")  # of the headers' dependencies
# A driver that Debian's kernels do not have: its module, and what that is built of.
PLR = "intel_plr_tpmi"
PLR_SOURCE = "drivers/platform/x86/intel/plr_tpmi.c"
PLR_HEADER = "drivers/platform/x86/intel/tpmi_power_domains.h"
# What a kernel's build uses beside its compiler and the libraries of its own programs.
BUILD_TOOLS = ("binutils", "coreutils", "dash", "diffutils", "findutils", "grep", "make", "mawk",
               "sed")


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

    def __init__(self, directory):
        self.directory = directory
        self.version = directory.name.removeprefix("kernel-") + "-amd64"
        self.root = directory / "root"
        self.vmlinux = directory / "vmlinux"
        self.headers = pathlib.Path("/usr/src") / f"linux-headers-{self.version}"
        self.modules = self.root / f"lib/modules/{self.version}"
        self.has_own_tools = (self.root / "usr/bin/make").exists()

    def is_since(self, number):
        """Is this version number or a later one?"""
        return version_key(self.version) >= version_key(number)

    def unpack(self, archive):
        """Unpacks the packages in its directory, and what is needed to use the headers."""
        packages = list(self.directory.glob("*.deb"))
        if archive.is_foreign:
            relations = [relation for package in packages
                         for relation in depends(package, IS_FOR_BUILD.match)]
            packages += archive.download_closure([*BUILD_TOOLS, *relations],
                                                 self.directory / "apt")
            self.merge_usr()
        for package in packages:
            run(["dpkg", "-x", package, self.root])
            package.unlink()
        shutil.rmtree(self.directory / "apt", ignore_errors=True)
        if not archive.is_foreign:
            makefile = self.root / self.headers.relative_to("/") / "Makefile"
            makefile.write_text(makefile.read_text(encoding="utf-8").replace(
                "/usr/src", str(self.root / "usr/src")), encoding="utf-8")

    def merge_usr(self):
        """The links of a system whose programs and libraries are all below /usr."""
        for name in ("bin", "lib", "lib64", "sbin"):
            (self.root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (self.root / name).symlink_to(f"usr/{name}")
        for name in ("build", "dev", "proc"):
            (self.root / name).mkdir()
        (self.root / "usr/bin/awk").symlink_to("mawk")

    def extract(self):
        """The last step: with vmlinux the kernel is complete."""
        image = next(path for path in (self.root / f"boot/vmlinuz-{self.version}",
                                       self.modules / "vmlinuz.unsigned") if path.exists())
        partial = self.vmlinux.with_suffix(".partial")
        partial.write_bytes(extract_vmlinux(image))
        partial.rename(self.vmlinux)

    def file(self, name):
        """A module's file; it may have dashes where the module's name has underscores."""
        for path in self.modules.rglob("*.ko*"):
            if path.name.partition(".ko")[0].replace("-", "_") == name.replace("-", "_"):
                return path
        raise Missing(f"kernel {self.version} has no module {name}")

    def is_built_in(self, name):
        listed = (self.modules / "modules.builtin").read_text(encoding="utf-8").split()
        return name in (pathlib.Path(path).stem.replace("-", "_") for path in listed)

    def compiler(self):
        """The compiler that the kernel was built with, as its build files name it."""
        text = (self.root / self.headers.relative_to("/") / ".kernelvariables").read_text(
            encoding="utf-8")
        return re.search(r"\$\(CROSS_COMPILE\)(gcc\S*)", text).group(1)

    def with_dependencies(self, names):
        """{name: bytes} of modules, each behind those that it needs; none that are built in."""
        modules = {}

        def add(name):
            if name in modules or self.is_built_in(name):
                return
            path = self.file(name)
            data = path.read_bytes()
            if path.suffix == ".xz":
                data = lzma.decompress(data)
            needed = re.search(rb"\0depends=([^\0]*)\0", b"\0" + data).group(1).decode()
            for other in filter(None, needed.split(",")):
                add(other.replace("-", "_"))
            modules[name] = data

        for name in names:
            add(name)
        return modules

    def make(self, directory):
        """Runs make for the module in a directory. Returns (status, what it prints)."""
        words = ["CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
        environment = {"PATH": os.environ["PATH"], "HOME": "/"}
        if not self.has_own_tools:
            headers = self.root / self.headers.relative_to("/")
            command = ["make", "-C", headers, f"M={directory}", *words]
        else:
            # The compiler is a program of another release: it runs in the directory that has the
            # libraries of that release.
            script = ('mount --bind "$0" "$1/build" && mount --rbind /dev "$1/dev" && '
                      'mount --rbind /proc "$1/proc" && exec chroot "$@"')
            namespace = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
            command = ["unshare", *namespace, "sh", "-c", script, directory, self.root, "make", "-C",
                       self.headers, "M=/build", *words]
        build = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env=environment, stdin=subprocess.DEVNULL)
        return build.returncode, build.stdout


def obtain(cache, name):
    """The kernel of that name in the cache; fetched and unpacked if it is missing."""
    chosen = cache / f"kernel-for-{name}"
    if (chosen / "vmlinux").exists():
        return Kernel(chosen.resolve())
    cache.mkdir(parents=True, exist_ok=True)
    archive, version, parts = choose(cache, name)
    directory = cache / f"kernel-{version}"
    kernel = Kernel(directory)
    if not kernel.vmlinux.exists():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        archive.download(parts, directory)
        kernel.unpack(archive)
        kernel.extract()
    chosen.unlink(missing_ok=True)
    chosen.symlink_to(directory.name)
    return Kernel(directory)


def make_module(kernel, source, model, directory):
    """Builds isst_lab.ko in directory from source and the PUNIT model's files."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(source, directory)
    (directory / "simulator").mkdir()
    for path in model:
        shutil.copy(path, directory / "simulator")
    compiler = kernel.compiler()
    if not kernel.has_own_tools and not shutil.which(compiler):
        raise Missing(f"needed to build a kernel module: apt-get install {compiler}")
    status, text = kernel.make(directory)
    if status or ": warning:" in text:
        raise RuntimeError(f"the module does not build cleanly:\n{text}")
    return directory / "isst_lab.ko"


def extract_sources(package, paths, directory):
    """Puts files of the kernel's sources, as Debian packs them, into a directory."""
    wanted = set(paths)
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                          stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as outer:
            packed = next(member for member in outer if member.name.endswith(".tar.xz"))
            with tarfile.open(fileobj=outer.extractfile(packed), mode="r|xz") as inner:
                for member in inner:
                    path = member.name.partition("/")[2]
                    if path in wanted:
                        name = directory / pathlib.PurePath(path).name
                        name.write_bytes(inner.extractfile(member).read())
                        wanted.remove(path)
                    if not wanted:
                        break
        process.kill()
    if wanted:
        raise Missing(f"{package.name} lacks {', '.join(sorted(wanted))}")


def obtain_plr(cache, name, kernel):
    """
    The driver of limit reasons, as bytes, built of Debian's package of the kernel's sources. Nothing of
    these is kept but the module.
    """
    module = kernel.directory / f"{PLR}.ko"
    if module.exists():
        return module.read_bytes()
    archive, _, _ = choose(cache, name)
    series = re.match(r"\d+\.\d+", kernel.version)[0]
    with tempfile.TemporaryDirectory(dir=kernel.directory) as place:
        directory = pathlib.Path(place)
        try:
            archive.download([f"linux-source-{series}"], directory)
        except subprocess.CalledProcessError:
            raise Missing(f"linux-source-{series} is not available") from None
        package = next(directory.glob("*.deb"))
        extract_sources(package, [PLR_SOURCE, PLR_HEADER], directory)
        package.unlink()
        (directory / "Kbuild").write_text(
            f"obj-m := {PLR}.o\n{PLR}-y := {pathlib.PurePath(PLR_SOURCE).stem}.o\n",
            encoding="utf-8")
        status, text = kernel.make(directory)
        if status:
            errors = [line for line in text.splitlines() if "error:" in line]
            raise Missing(f"{PLR} cannot be built for {kernel.version}: {' '.join(errors)}")
        (directory / module.name).rename(module)
    return module.read_bytes()
