// SPDX-License-Identifier: GPL-2.0-only
/* Decoding of single words (hardware.md, sections 2 and 3, the tables). */
#include "platform/words.h"

static uint32_t bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & (UINT32_MAX >> (31 - (high - low)));
}

struct sst_pp word_decode_levels_info(uint32_t answer)
{
	return (struct sst_pp){
		.version = bits(answer, 7, 0),
		.highest_level = bits(answer, 15, 8),
		.current_level = bits(answer, 23, 16),
		.locked = bits(answer, 24, 24),
		.enabled = bits(answer, 31, 31),
	};
}

struct sst_clos word_decode_clos(uint32_t answer)
{
	return (struct sst_clos){
		.epp = bits(answer, 3, 0),
		.weight = bits(answer, 7, 4),
		.min_mhz = word_ratio_mhz(bits(answer, 15, 8)),
		.max_mhz = word_ratio_mhz(bits(answer, 23, 16)),
		.desired_mhz = word_ratio_mhz(bits(answer, 31, 24)),
	};
}

void word_decode_pm_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->supported = bits(answer, 0, 0);
	core_power->enabled = bits(answer, 16, 16);
}

void word_decode_qos_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->clos_enabled = bits(answer, 1, 1);
	core_power->ordered = bits(answer, 2, 2);
}

uint32_t word_decode_association(uint32_t answer)
{
	return bits(answer, 17, 16);
}

/* (12 - code) x 266.66 MHz, truncated, one more where the last digit is above 5. */
static uint32_t ice_lake_memory_mhz(uint32_t code)
{
	uint32_t mhz;

	if (code > 6)
		return 0;
	mhz = (12 - code) * 26666 / 100;
	return mhz % 10 > 5 ? mhz + 1 : mhz;
}

uint32_t word_decode_memory(enum word_memory_code kind, uint32_t answer)
{
	uint32_t code = bits(answer, 7, 0);

	switch (kind) {
	case WORD_MEMORY_UNKNOWN:
		return 0;
	case WORD_MEMORY_ICE_LAKE:
		return ice_lake_memory_mhz(code);
	case WORD_MEMORY_200_MHZ:
		return code * 200;
	}
	return 0;
}

uint32_t word_decode_core(uint32_t physical_cpu)
{
	return bits(physical_cpu, 8, 1);
}

uint32_t word_decode_punit_cpu(uint32_t physical_cpu)
{
	return bits(physical_cpu, 8, 0);
}

uint32_t word_decode_punit(uint32_t physical_cpu)
{
	uint32_t punit = bits(physical_cpu, 13, 9);

	return punit < 8 ? punit : 0;
}
