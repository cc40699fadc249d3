# SPDX-License-Identifier: GPL-2.0-only
"""
The Speed Select registers of a TPMI part (docs/spec/hardware.md, end of section 4), decoded from
the dump of a power domain: debugfs `tpmi-*/tpmi-id-05/mem_dump`. Frequencies are MHz.
"""

import re
import struct

LEVELS, BUCKETS, CLOS = 6, 8, 4  # of turbo ratios; of cores; classes of service
RATIO = 100


def read_instances(text):
    """(number, address, words of 32 bits) of each instance."""
    for number, address, rows in re.findall(r"TPMI Instance:(\d+) offset:0x(\w+)\n([^T]*)", text):
        yield int(number), int(address, 16), [
            int(word, 16) for row in rows.splitlines()
            for word in re.findall(r"\b[0-9a-f]{8}\b", row.partition(":")[2])]


def read_dump(text):
    """The 64-bit registers of each instance, by its number; those that are not there are left out."""
    return {number: [low | high << 32 for low, high in zip(words[::2], words[1::2])]
            for number, _, words in read_instances(text) if words[0] != 0xffffffff}


def read_window(files, top):
    """
    The memory that the driver maps: the table of features, of `pfs_dump` below top, and the registers
    of those that have a dump, each at its address.
    """
    head, _, rows = files[f"{top}/pfs_dump"].partition("\n")
    start, memory = int(head.rpartition(":")[2], 16), {}
    for index, row in enumerate(rows.splitlines()[1:]):
        feature, count, size, place, attribute = (int(text, 16) for text in row.split()[:5])
        entry = feature | count << 8 | size << 16 | place << 32 | attribute << 48
        memory[8 * index] = entry.to_bytes(8, "little")
        dump = files.get(f"{top}/tpmi-id-{feature:02x}/mem_dump", "")
        for _, address, words in read_instances(dump):
            memory[address - start] = struct.pack(f"<{len(words)}I", *words)
    window = bytearray(max(at + len(data) for at, data in memory.items()))
    for at, data in memory.items():
        window[at:at + len(data)] = data
    return bytes(window)


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


def byte(word, index):
    return bits(word, 8 * index + 7, 8 * index)


def octets(word):
    return [byte(word, index) for index in range(8)]


def mhz(words):
    """Eight ratios a word."""
    return [[RATIO * byte(word, bucket) for bucket in range(BUCKETS)] for word in words]


def percent(value):
    """A threshold as the driver shows it."""
    return -(-100 * value // 127)


AGENTS = {23: "core", 24: "cache", 25: "memory", 26: "io"}


def read_clusters(registers):
    """The uncore clusters of a power domain, from the dump of feature 02."""
    clusters = []
    for index in range(bits(registers[0], 15, 8).bit_count()):
        state, control = registers[(start := byte(registers[1], index)):start + 2]
        clusters.append({
            "agents": [name for bit, name in AGENTS.items() if state >> bit & 1],
            "current_mhz": RATIO * bits(state, 6, 0), "max_mhz": RATIO * bits(control, 14, 8),
            "min_mhz": RATIO * bits(control, 21, 15), "floor_mhz": RATIO * bits(control, 28, 22),
            "low_percent": percent(bits(control, 38, 32)), "high_enabled": bits(control, 39, 39),
            "high_percent": percent(bits(control, 46, 40))})
    return clusters


POWER_DOMAIN = 16  # registers
POWER_TYPES = {1: "psys", 2: "package", 4: "dram"}
POWER_LIMITS = {"long_term": 2, "short_term": 3, "peak_power": 5}


REASONS = {0: "FREQUENCY", 2: "POWER", 48: "POWER_PLATFORM_PL1_MSR_TPMI", 50: "POWER_PLATFORM_PL1_PCS"}


def read_reasons(registers):
    """
    Why a power domain is limited, and why the core that was read last is, from the dump of feature 0c;
    None if there is no such domain.
    """
    if registers[0] == (1 << 64) - 1:
        return None
    return tuple([REASONS.get(bit, f"UNKNOWN({bit})") for bit in range(64) if word >> bit & 1]
                 for word in (registers[3], registers[2]))


def read_power(registers):
    """The power domains of a package by name, from the dump of feature 00."""
    domains = {}
    for start in range(0, len(registers), POWER_DOMAIN):
        words = registers[start:start + POWER_DOMAIN]
        name, flags, units = POWER_TYPES[byte(words[0], 1)], bits(words[0], 47, 32), words[1]
        is_root = not flags >> 10 & 1 or words[10] & 1
        if name != "psys" or is_root:
            domains[name] = {
                "joules": bits(words[7], 31, 0) / (1 << bits(units, 10, 6)),
                "energy_unit": bits(units, 10, 6), "power_unit": bits(units, 3, 0),
                "tdp_w": bits(words[9], 17, 0) / (1 << bits(units, 3, 0)),
                "limits_w": {limit: bits(words[index], 17, 0) / (1 << bits(units, 3, 0))
                             for limit, index in POWER_LIMITS.items() if flags >> index & 1}}
    return domains


class Domain:
    """A power domain."""

    def __init__(self, registers):
        self.registers = registers
        header = registers[0]
        self.has_cp, self.has_pp = bool(bits(header, 8, 8)), bool(bits(header, 9, 9))
        self.cp, self.pp = byte(header, 2), byte(header, 3)
        pp, status = registers[self.pp], registers[self.pp + 4]
        self.revision, self.level_mask = bits(pp, 11, 4), bits(pp, 19, 12)
        self.allowed_mask = bits(pp, 27, 20)
        self.current_level, self.locked = bits(status, 2, 0), bits(status, 3, 3)
        self.features = bits(status, 15, 8)

    def unlock(self):
        self.locked = 0

    def core_power(self):
        status = self.registers[self.cp + 2]
        return {"enable": bits(status, 0, 0), "supported": int(self.has_cp),
                "priority_type": bits(status, 1, 1)}

    def clos(self, number):
        word = self.registers[self.cp + 3 + number]
        return {"min_freq_mhz": RATIO * byte(word, 1), "max_freq_mhz": RATIO * byte(word, 2),
                "prop_prio": bits(word, 7, 4)}

    def assoc(self, core):
        return bits(self.registers[self.cp + 7 + core // 16], core % 16 * 4 + 3, core % 16 * 4)

    def levels(self):
        return [level for level in range(8) if self.level_mask >> level & 1]

    def part(self, level, index):
        """The registers of a part of a level: 0 SST-PP, 1 SST-BF, 2 SST-TF."""
        start = self.pp + byte(self.registers[self.pp + 2], level) + \
            byte(self.registers[self.pp + 1], index)
        return self.registers[start:start + 13]

    def cores(self, level):
        return self.part(level, 0)[2]

    def count(self, level):
        """Enabled cores, as a register counts them."""
        return bits(self.part(level, 0)[1], 15, 8)

    def info(self, level):
        words = self.part(level, 0)
        return {"base": [RATIO * byte(words[0], isa) for isa in range(4)],
                "tdp_w": bits(words[1], 46, 32) // 8, "tjunction_c": bits(words[1], 54, 47),
                "memory_mhz": RATIO * bits(words[1], 61, 55), "cooling": bits(words[1], 63, 62),
                "mhz": mhz(words[4:4 + LEVELS]),
                "counts": [byte(words[10], bucket) for bucket in range(BUCKETS)],
                "core": [RATIO * byte(words[11], index) for index in range(4)],
                "fabric": [RATIO * byte(words[11], index) for index in range(4, 7)]}

    def base_freq(self, level):
        """SST-BF, or None."""
        word, mask = self.part(level, 1)[:2]
        if not bits(word, 12, 12):
            return None
        return {"high": RATIO * bits(word, 20, 13), "low": RATIO * bits(word, 28, 21),
                "prochot_c": bits(word, 45, 38), "tdp_w": bits(word, 60, 46) // 8, "cores": mask}

    def turbo_freq(self, level):
        """SST-TF, or None."""
        words = self.part(level, 2)
        if not bits(words[0], 12, 12):
            return None
        return {"clip": [RATIO * byte(words[0], 2 + isa) for isa in range(LEVELS)],
                "counts": [byte(words[1], bucket) for bucket in range(BUCKETS)],
                "mhz": mhz(words[2:2 + LEVELS])}
