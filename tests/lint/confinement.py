#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The units forbid what docs/security.md promises. What they forbid besides, systemd-analyze weighs: it
takes many small limits for one of these.
"""

import collections

import source

# The values of a directive, in the order of the unit; none: the unit must not have it.
ALL = {
    # The file system is read-only but for the run directory.
    "ProtectSystem": ["strict"], "RuntimeDirectory": ["intel-speed-select"], "ReadWritePaths": [],
    "ProtectHome": ["yes"], "PrivateTmp": ["yes"],
    "DevicePolicy": ["closed"],
    "IPAddressDeny": ["any"], "IPAddressAllow": [],
    # Owners, user ids and kernel modules stay.
    "NoNewPrivileges": ["yes"], "AmbientCapabilities": [], "RestrictSUIDSGID": ["yes"],
    "SystemCallFilter": ["@system-service", "~@chown @keyring @memlock @resources @setuid"],
    "ProtectKernelModules": ["yes"],
}
READ_ONLY_KERNEL = {"ProtectKernelTunables": ["yes"], "ProtectControlGroups": ["yes"]}
THE_DEVICE, MISC_DEVICES = ({"DeviceAllow": [f"{name} rw"]} for name in ("/dev/isst_interface",
                                                                         "char-misc"))
UNITS = {
    "intel-speed-select": {
        **MISC_DEVICES, "CapabilityBoundingSet": ["CAP_SYS_ADMIN CAP_DAC_OVERRIDE"],
        "RestrictAddressFamilies": ["AF_UNIX"]},
    "intel-speed-select-metrics": {
        **MISC_DEVICES, **READ_ONLY_KERNEL,
        "CapabilityBoundingSet": ["CAP_SYS_ADMIN CAP_DAC_OVERRIDE"],
        "ReadWritePaths": ["/var/lib/prometheus/node-exporter"],
        "RestrictAddressFamilies": ["none"]},
    "intel-speed-select-oob": {
        **THE_DEVICE, "CapabilityBoundingSet": ["CAP_SYS_ADMIN CAP_DAC_OVERRIDE"],
        "RestrictAddressFamilies": ["AF_NETLINK AF_UNIX"]},
    "intel-speed-select-priority": {
        **THE_DEVICE, **READ_ONLY_KERNEL, "CapabilityBoundingSet": ["CAP_SYS_ADMIN"],
        "RestrictAddressFamilies": ["none"]},
}


def read_unit(text):
    """{directive: [value]}"""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[name].append(value)
    return found


def problems():
    paths = {path.name.partition(".")[0]: path for path in source.files(["systemd"], ".in")}
    for name in sorted(set(paths) ^ set(UNITS)):
        yield f"{name} is not both a unit and in the table of confinement.py"
    for name in sorted(set(paths) & set(UNITS)):
        found = read_unit(source.text(paths[name]))
        for directive, values in {**ALL, **UNITS[name]}.items():
            if found[directive] != values:
                yield (f"{source.name(paths[name])}: {directive} is {found[directive]}, "
                       f"and is to be {values}")


if __name__ == "__main__":
    source.finish(f"confinement of {len(UNITS)} units", list(problems()))
