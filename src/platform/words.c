// SPDX-License-Identifier: GPL-2.0-only
/* Decoding of single words (hardware.md, sections 2 and 3, the tables). */
#include "platform/words.h"

struct sst_pp word_decode_levels_info(uint32_t answer)
{
	return (struct sst_pp){
		.version = word_bits(answer, 7, 0),
		.highest_level = word_bits(answer, 15, 8),
		.current_level = word_bits(answer, 23, 16),
		.locked = word_bits(answer, 24, 24),
		.enabled = word_bits(answer, 31, 31),
	};
}

struct sst_clos word_decode_clos(uint32_t answer)
{
	return (struct sst_clos){
		.unlimited = word_byte(answer, 2) == WORD_RATIO_UNLIMITED,
		.epp = word_bits(answer, 3, 0),
		.weight = word_bits(answer, 7, 4),
		.min_mhz = word_ratio_mhz(word_bits(answer, 15, 8)),
		.max_mhz = word_ratio_mhz(word_bits(answer, 23, 16)),
		.desired_mhz = word_ratio_mhz(word_bits(answer, 31, 24)),
	};
}

void word_decode_pm_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->supported = word_bits(answer, 0, 0);
	core_power->enabled = word_bits(answer, 16, 16);
}

void word_decode_qos_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->clos_enabled = word_bits(answer, 1, 1);
	core_power->ordered = word_bits(answer, 2, 2);
}

void word_decode_bucket_counts(uint64_t msr, uint32_t counts[SST_BUCKETS])
{
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		counts[i] = word_byte(msr, i);
}

void word_decode_bucket_ratios(uint64_t msr, uint32_t mhz[SST_BUCKETS])
{
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = word_ratio_mhz(word_byte(msr, i));
}

uint32_t word_decode_association(uint32_t answer)
{
	return word_bits(answer, 17, 16);
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
	uint32_t code = word_bits(answer, 7, 0);

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
	return word_bits(physical_cpu, 8, 1);
}

uint32_t word_decode_punit_cpu(uint32_t physical_cpu)
{
	return word_bits(physical_cpu, 8, 0);
}

uint32_t word_decode_punit(uint32_t physical_cpu)
{
	uint32_t punit = word_bits(physical_cpu, 13, 9);

	return punit < 8 ? punit : 0;
}
