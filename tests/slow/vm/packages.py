# SPDX-License-Identifier: GPL-2.0-only
"""
Debian packages of kernels and of the compilers that they need: chosen by the kernel's name, downloaded
and unpacked into a directory, never installed.

The packages come from the archive that this machine is set up with. Other suites of that archive are
read through lists in a directory of our own: they are never added to the system's.
"""

import pathlib
import re
import shutil
import subprocess

DEFAULT = "6.12"
SERIES = ("6.1", "6.12")  # of the suites that the machine is set up with
SUITES = {"trixie-backports": ("trixie-backports", "trixie"), "sid": ("sid",),
          "experimental": ("experimental", "sid")}
NAMES = (*SERIES, *SUITES)

# The image is in one package up to Linux 6.18 and in three since then.
IMAGE = re.compile(r"linux-(?:image-(?P<old>\d\S*)-amd64-unsigned|"
                   r"binary-unsigned-(?P<new>\d\S*)-amd64)")
IMAGES = {"old": ("linux-image-{}-amd64-unsigned",),
          "new": ("linux-binary-unsigned-{}-amd64", "linux-modules-{}-amd64", "linux-base-{}-amd64")}
HEADERS = ("linux-headers-{}-amd64", "linux-headers-{}-common", "linux-kbuild-{}")
SHARED_KBUILD = re.compile(r"(?<=linux-kbuild-)6\.1(?=\.)\S*")  # one for all revisions of 6.1


class Missing(Exception):
    """Something that the lab needs is missing; the text names it and how to get it."""


def run(argv, **options):
    return subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, **options)


def output(argv):
    return run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def version_key(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def depends(package, is_wanted):
    """The relations of a package file that begin with a wanted name."""
    relations = output(["dpkg-deb", "-f", package, "Depends"]).strip().split(",")
    return [relation.strip() for relation in relations if is_wanted(relation.strip())]


def parts_of(version, image):
    """The names of a kernel's packages; image is one of IMAGES."""
    return [SHARED_KBUILD.sub("6.1", part.format(version)) for part in IMAGES[image] + HEADERS]


class Archive:
    """apt-get with the system's lists, or with lists in a directory of our own."""

    def __init__(self, options=(), is_foreign=False):
        self.options = [word for option in options for word in ("-o", option)]
        self.is_foreign = is_foreign  # programs in its packages need the libraries of that release

    def kernels(self):
        """{version: packages} of the kernels for which every package is available."""
        names = output(["apt-cache", *self.options, "pkgnames", "linux-"]).split()
        found = {}
        for match in filter(None, map(IMAGE.fullmatch, names)):
            version = match[match.lastgroup]
            found[version] = parts_of(version, match.lastgroup)
        return {version: parts for version, parts in found.items() if set(parts) <= set(names)}

    def download(self, parts, directory):
        run(["apt-get", *self.options, "-o", "APT::Sandbox::User=", "-qq", "download", *parts],
            cwd=directory)

    def download_closure(self, relations, directory):
        """Packages that satisfy the relations on a system that has none yet."""
        (directory / "archives/partial").mkdir(parents=True)
        (directory / "status").touch()
        run(["apt-get", *self.options, "-o", f"Dir::State::Status={directory}/status", "-o",
             f"Dir::Cache={directory}", "-o", "APT::Install-Recommends=false", "-qq",
             "--download-only", "--yes", "satisfy", ", ".join(relations)], stdout=subprocess.DEVNULL)
        return list((directory / "archives").glob("*.deb"))


class Pool(Archive):
    """
    For kernels of backports that left the lists: their files are still in the pool, under a name
    that follows from the version.
    """

    def __init__(self, site, archive):
        super().__init__(is_foreign=True)
        self.options = archive.options
        self.site = site

    def download(self, parts, directory):
        version = re.search(r"\d+(\.\d+)+", parts[0])[0] + "-1~bpo13+1"
        for part in parts:
            architecture = "all" if part.endswith("-common") else "amd64"
            name = f"{part}_{version}_{architecture}.deb"
            run(["/usr/lib/apt/apt-helper", "-qq", "-o", "APT::Sandbox::User=", "download-file",
                 f"{self.site}/pool/main/l/linux/{name}", directory / name])


def configured_sources():
    """(URI, suite, options) of the archives that apt is set up with, Debian's own only."""
    text = output(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(SIGNED_BY)",
                   "Created-By: Packages"])
    for line in text.splitlines():
        site, suite, *signed = line.split()
        if site.rstrip("/").endswith("/debian"):
            yield site.rstrip("/"), suite, signed


def own_lists(directory, sources, is_foreign=False):
    """An archive with lists below directory, or None without sources."""
    if not sources:
        return None
    (directory / "lists/partial").mkdir(parents=True, exist_ok=True)
    (directory / "sources.list").write_text("\n".join(sources) + "\n", encoding="utf-8")
    archive = Archive([f"Dir::Etc::SourceList={directory}/sources.list",
                       "Dir::Etc::SourceParts=/dev/null", f"Dir::State::Lists={directory}/lists",
                       f"Dir::Cache={directory}", "APT::Sandbox::User=",
                       "Acquire::Languages=none",
                       "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"], is_foreign)
    run(["apt-get", *archive.options, "-qq", "update"], stdout=subprocess.DEVNULL)
    return archive


def security_archive(directory):
    """The security archive beside the configured one."""
    codename = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(
        encoding="utf-8"), re.M).group(1)
    return own_lists(directory / "apt-security", sorted(
        {f"deb {site}-security {codename}-security main" for site, _, _ in configured_sources()}))


def suite_archive(directory, name):
    """A suite of the configured archive that apt does not use."""
    sites = sorted({site for site, _, _ in configured_sources()})
    return own_lists(directory / f"apt-{name}",
                     [f"deb {sites[0]} {suite} main" for suite in SUITES[name]] if sites else [],
                     True)


def archives(directory, name):
    """The archives that can have the kernel of that name, the nearest first."""
    if name not in SUITES:
        yield Archive()
        yield security_archive(directory)
    for suite in SUITES if name not in NAMES else [name] if name in SUITES else []:
        yield suite_archive(directory, suite)


def matches(version, name):
    """Is this a version that the name means?"""
    return name in SUITES or version == name or (name in SERIES and version.startswith(f"{name}."))


def choose(directory, name):
    """(archive, version, packages) of the newest kernel of that name."""
    if not shutil.which("apt-get"):
        raise Missing("the guest's kernel comes from Debian packages, and there is no apt-get here")
    for archive in filter(None, archives(directory, name)):
        found = {version: parts for version, parts in archive.kernels().items()
                 if matches(version, name)}
        if found:
            version = max(found, key=version_key)
            return archive, version, found[version]
    if name.endswith("+deb13"):
        return choose_from_pool(directory, name)
    raise Missing(f"no packages of kernel {name} are available: apt-get update; or add the "
                  "distribution's security archive to apt's sources")


def choose_from_pool(directory, version):
    site = next(configured_sources())[0]
    image = "old" if version_key(version) < [6, 19] else "new"
    archive = Pool(site, suite_archive(directory, "trixie-backports"))
    return archive, version, parts_of(version, image)

