/* SPDX-License-Identifier: GPL-2.0-only */
/* The queries about one level, and how the PUNIT's words are put together. Freestanding. */
#ifndef SIMULATOR_PUNIT_LEVELS_H
#define SIMULATOR_PUNIT_LEVELS_H

#include "simulator/punit.h"

/* Is bit, 0 to 31, of word set? */
static inline bool punit_has_bit(uint32_t word, unsigned int bit)
{
	return word >> bit & 1;
}

/* A word with nothing but that bit, 0 to 31; or 0. */
static inline uint32_t punit_make_bit(bool set, unsigned int bit)
{
	return (uint32_t)set << bit;
}

/* Four bytes as a word, the first one lowest. */
static inline uint32_t punit_pack_bytes(const uint8_t bytes[4])
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* The buckets as an MSR has them, the first one lowest. */
static inline uint64_t punit_pack_buckets(const uint8_t buckets[PUNIT_BUCKETS])
{
	return punit_pack_bytes(buckets) | (uint64_t)punit_pack_bytes(buckets + 4) << 32;
}

/*
 * Answers the sub-commands of 0x7F that ask about one level, whose number is in bits 7:0 of data.
 * Returns a completion code; *ret_answer only with PUNIT_SUCCESS.
 */
uint8_t punit_levels_answer(const struct punit_fuses *fuses, uint8_t sub_command, uint32_t data,
			    uint32_t *ret_answer);

#endif
