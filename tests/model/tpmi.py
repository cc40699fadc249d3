# SPDX-License-Identifier: GPL-2.0-only
"""
The Speed Select registers of a TPMI part (docs/spec/hardware.md, end of section 4), decoded from
the dump of a power domain: debugfs `tpmi-*/tpmi-id-05/mem_dump`. Frequencies are MHz.
"""

import re

LEVELS, BUCKETS, CLOS = 6, 8, 4  # of turbo ratios; of cores; classes of service
RATIO = 100


def read_dump(text):
    """The 64-bit registers of each instance, by its number; those that are not there are left out."""
    instances = {}
    for part in text.split("TPMI Instance:")[1:]:
        head, _, rows = part.partition("\n")
        words = [int(word, 16) for row in rows.splitlines()
                 for word in re.findall(r"\b[0-9a-f]{8}\b", row.partition(":")[2])]
        registers = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        if words[0] != 0xffffffff:
            instances[int(head.split()[0])] = registers
    return instances


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


def byte(word, index):
    return bits(word, 8 * index + 7, 8 * index)


def mhz(words):
    """Eight ratios a word."""
    return [[RATIO * byte(word, bucket) for bucket in range(BUCKETS)] for word in words]


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
