// SPDX-License-Identifier: GPL-2.0-only
/* Encoding and decoding of single words (hardware.md, sections 2 and 3, the tables). */
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

uint32_t word_encode_current_level(uint32_t level)
{
	return level << 16 & WORD_LEVELS_INFO_CURRENT;
}

uint32_t word_encode_control(bool base_freq_on, bool turbo_freq_on)
{
	return (turbo_freq_on ? 1U << 16 : 0) | (base_freq_on ? 1U << 17 : 0);
}

uint32_t word_encode_pm_config(bool enabled)
{
	return enabled ? WORD_PM_CONFIG_ENABLED : 0;
}

uint32_t word_encode_qos_config(uint32_t old, bool clos_enabled, bool ordered)
{
	return (old & ~WORD_QOS_CONFIG_SETTINGS) | (clos_enabled ? 1U << 1 : 0) |
	       (ordered ? 1U << 2 : 0);
}

uint32_t word_encode_association(uint32_t old, uint32_t clos)
{
	return (old & ~WORD_ASSOCIATION) | (clos << 16 & WORD_ASSOCIATION);
}

static uint32_t encode_ratio(uint32_t mhz)
{
	uint32_t ratio = mhz / word_ratio_mhz(1);

	return ratio < WORD_RATIO_UNLIMITED ? ratio : WORD_RATIO_UNLIMITED;
}

uint32_t word_encode_clos(const struct sst_clos *clos)
{
	uint32_t max = clos->unlimited ? WORD_RATIO_UNLIMITED : encode_ratio(clos->max_mhz);

	return (clos->epp & 0xf) | (clos->weight & 0xf) << 4 | encode_ratio(clos->min_mhz) << 8 |
	       max << 16 | encode_ratio(clos->desired_mhz) << 24;
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

uint32_t word_decode_tpmi_core(uint32_t physical_cpu)
{
	return word_bits(physical_cpu, 10, 3);
}

uint32_t word_decode_tpmi_punit_cpu(uint32_t physical_cpu)
{
	return word_bits(physical_cpu, 10, 0);
}

uint32_t word_decode_tpmi_domain(uint32_t physical_cpu)
{
	return word_bits(physical_cpu, 15, 11);
}
