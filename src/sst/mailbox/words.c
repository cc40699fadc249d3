// SPDX-License-Identifier: GPL-2.0-only
/* Encodes and decodes single mailbox words and MMIO registers (hardware.md, section 3, the tables).
 */
#include "sst/mailbox/words.h"

#include "base/cleanup.h"
#include "sst/platform.h"

struct sst_pp word_decode_levels_info(uint32_t answer)
{
	return (struct sst_pp){
		.version = sst_bits(answer, 7, 0),
		.highest_level = sst_bits(answer, 15, 8),
		.current_level = sst_bits(answer, 23, 16),
		.locked = sst_bits(answer, 24, 24),
		.enabled = sst_bits(answer, 31, 31),
	};
}

struct sst_clos word_decode_clos(uint32_t answer)
{
	return (struct sst_clos){
		.unlimited = sst_byte(answer, 2) == SST_RATIO_UNLIMITED,
		.epp = sst_bits(answer, 3, 0),
		.weight = sst_bits(answer, 7, 4),
		.min_mhz = sst_ratio_mhz(sst_bits(answer, 15, 8)),
		.max_mhz = sst_ratio_mhz(sst_bits(answer, 23, 16)),
		.desired_mhz = sst_ratio_mhz(sst_bits(answer, 31, 24)),
	};
}

void word_decode_control(uint32_t answer, struct sst_level *level)
{
	level->turbo_freq_supported = sst_bits(answer, 0, 0);
	level->base_freq_supported = sst_bits(answer, 1, 1);
	level->turbo_freq_on = sst_bits(answer, 16, 16);
	level->base_freq_on = sst_bits(answer, 17, 17);
}

void word_decode_pm_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->supported = sst_bits(answer, 0, 0);
	core_power->enabled = sst_bits(answer, 16, 16);
}

void word_decode_qos_config(uint32_t answer, struct sst_core_power *core_power)
{
	core_power->clos_enabled = sst_bits(answer, 1, 1);
	core_power->ordered = sst_bits(answer, 2, 2);
}

void word_decode_bucket_counts(uint64_t msr, uint32_t counts[SST_BUCKETS])
{
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		counts[i] = sst_byte(msr, i);
}

void word_decode_bucket_ratios(uint64_t msr, uint32_t mhz[SST_BUCKETS])
{
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = sst_ratio_mhz(sst_byte(msr, i));
}

uint32_t word_decode_association(uint32_t answer)
{
	return sst_bits(answer, 17, 16);
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
	uint32_t ratio = mhz / sst_ratio_mhz(1);

	return ratio < SST_RATIO_UNLIMITED ? ratio : SST_RATIO_UNLIMITED;
}

uint32_t word_encode_clos(const struct sst_clos *clos)
{
	uint32_t max = clos->unlimited ? SST_RATIO_UNLIMITED : encode_ratio(clos->max_mhz);

	return (clos->epp & 0xf) | (clos->weight & 0xf) << 4 | encode_ratio(clos->min_mhz) << 8 |
	       max << 16 | encode_ratio(clos->desired_mhz) << 24;
}

/* (12 - code) x 266.66 MHz, truncated, one more if the last digit is above 5. */
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
	uint32_t code = sst_bits(answer, 7, 0);

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

static void decode_ratios(const struct level_answer *answer, uint32_t mhz[SST_BUCKETS])
{
	for (unsigned int i = 0; i < 4; i++)
		mhz[4 * answer->half + i] = sst_ratio_mhz(sst_byte(answer->word, i));
}

static uint64_t decode_mask(const struct level_answer *answer)
{
	return (uint64_t)answer->word << (32 * answer->half);
}

static uint32_t byte_mhz(const struct level_answer *answer, unsigned int index)
{
	return sst_ratio_mhz(sst_byte(answer->word, index));
}

static void decode_level(uint16_t sub_command, const struct level_answer *answer,
			 struct level_draft *draft)
{
	struct sst_level *level = &draft->level;

	switch (sub_command) {
	case WORD_GET_TDP_INFO:
		level->tdp_w = sst_bits(answer->word, 14, 0);
		level->tdp_ratio = sst_byte(answer->word, 2);
		break;
	case WORD_GET_TJMAX_INFO:
		level->tjunction_max_c = sst_byte(answer->word, 0);
		break;
	case WORD_GET_CORE_MASK:
		draft->core_mask |= decode_mask(answer);
		break;
	case WORD_GET_TURBO_LIMIT_RATIOS:
		decode_ratios(answer, level->turbo.mhz[answer->row]);
		break;
	case WORD_GET_P1_INFO:
		draft->has_p1_info = true;
		level->base_mhz = byte_mhz(answer, 0);
		level->base_avx2_mhz = byte_mhz(answer, 1);
		level->base_avx512_mhz = byte_mhz(answer, 2);
		level->base_amx_mhz = byte_mhz(answer, 3);
		break;
	case WORD_GET_MEM_FREQ: /* a code: its meaning depends on the part */
		draft->memory_answer = answer->word;
		draft->has_memory = true;
		break;
	case WORD_GET_RATIO_INFO:
	case WORD_GET_UNCORE_P0_P1_INFO:
		draft->has_ratio_info = sub_command == WORD_GET_RATIO_INFO;
		level->uncore = (struct sst_fabric){
			.max_mhz = byte_mhz(answer, 0),
			.base_mhz = byte_mhz(answer, 1),
			.min_mhz = draft->has_ratio_info ? byte_mhz(answer, 3) : 0,
		};
		break;
	}
}

static void decode_base_freq(uint16_t sub_command, const struct level_answer *answer,
			     struct level_draft *draft)
{
	struct sst_base_freq *base_freq = &draft->level.base_freq;

	switch (sub_command) {
	case WORD_PBF_GET_CORE_MASK_INFO:
		draft->base_freq_core_mask |= decode_mask(answer);
		break;
	case WORD_PBF_GET_P1HI_P1LO_INFO:
		base_freq->low_mhz = byte_mhz(answer, 0);
		base_freq->high_mhz = byte_mhz(answer, 1);
		break;
	case WORD_PBF_GET_TJ_MAX_INFO:
		base_freq->tjunction_c = sst_byte(answer->word, 0);
		base_freq->has_thermals = true;
		break;
	case WORD_PBF_GET_TDP_INFO:
		base_freq->tdp_w = sst_bits(answer->word, 15, 0);
		break;
	}
}

static void decode_turbo_freq(uint16_t sub_command, const struct level_answer *answer,
			      struct sst_turbo_freq *turbo_freq)
{
	switch (sub_command) {
	case WORD_GET_FACT_HP_TURBO_LIMIT_NUMCORES:
		for (unsigned int i = 0; i < 4; i++)
			turbo_freq->buckets.core_counts[4 * answer->half + i] =
				sst_byte(answer->word, i);
		break;
	case WORD_GET_FACT_HP_TURBO_LIMIT_RATIOS:
		decode_ratios(answer, turbo_freq->buckets.mhz[answer->row]);
		break;
	case WORD_GET_FACT_LP_CLIPPING_RATIO: /* of the first three turbo-ratio levels only */
		for (unsigned int i = 0; i < 3; i++)
			turbo_freq->clip_mhz[i] = byte_mhz(answer, i);
		break;
	}
}

void level_word_decode(const struct level_word *word, const struct level_answer *answer,
		       struct level_draft *draft)
{
	if (word->sub_command == WORD_GET_TDP_CONTROL)
		word_decode_control(answer->word, &draft->level);
	else if (word->part & PLATFORM_LEVEL)
		decode_level(word->sub_command, answer, draft);
	else if (word->part & PLATFORM_BASE_FREQ)
		decode_base_freq(word->sub_command, answer, draft);
	else
		decode_turbo_freq(word->sub_command, answer, &draft->level.turbo_freq);
}

#define WORD(name) #name, WORD_##name

const struct level_word level_word_control = { WORD(GET_TDP_CONTROL), PLATFORM_SUPPORT, WORD_ONCE,
					       WORD_EXISTENCE, 0 };

const struct level_word level_words[] = {
	{ WORD(GET_TDP_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED, 0 },
	{ WORD(GET_TJMAX_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED, 0 },
	{ WORD(GET_CORE_MASK), PLATFORM_LEVEL | PLATFORM_CPUS, WORD_CORES, WORD_REQUIRED, 0 },
	{ WORD(GET_TURBO_LIMIT_RATIOS), PLATFORM_LEVEL, WORD_RATIOS, WORD_FIRST_ROW, 0 },
	{ WORD(GET_P1_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, 0 },
	{ WORD(GET_MEM_FREQ), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, 0 },
	{ WORD(GET_RATIO_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, WORD_UNCORE },
	{ WORD(PBF_GET_CORE_MASK_INFO), PLATFORM_BASE_FREQ, WORD_CORES, WORD_REQUIRED, 0 },
	{ WORD(PBF_GET_P1HI_P1LO_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
	{ WORD(PBF_GET_TJ_MAX_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
	{ WORD(PBF_GET_TDP_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
	{ WORD(GET_FACT_HP_TURBO_LIMIT_NUMCORES), PLATFORM_TURBO_FREQ, WORD_BUCKETS, WORD_REQUIRED,
	  0 },
	{ WORD(GET_FACT_HP_TURBO_LIMIT_RATIOS), PLATFORM_TURBO_FREQ, WORD_RATIOS, WORD_FIRST_ROW,
	  0 },
	{ WORD(GET_FACT_LP_CLIPPING_RATIO), PLATFORM_TURBO_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
};

const size_t n_level_words = ARRAY_SIZE(level_words);

const struct level_word level_word_uncore_fallback = { WORD(GET_UNCORE_P0_P1_INFO), PLATFORM_LEVEL,
						       WORD_ONCE, WORD_OPTIONAL, 0 };
