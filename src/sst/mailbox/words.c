// SPDX-License-Identifier: GPL-2.0-only
/* Encodes and decodes single mailbox words and MMIO registers (hardware.md, section 3, the tables).
 */
#include "sst/mailbox/words.h"

#include <stddef.h>

#include "base/cleanup.h"
#include "sst/platform.h"

const struct word_format word_control = {
	.numbers = { [VALUE_BASE_FREQ] = { 17, 17, 1 }, [VALUE_TURBO_FREQ] = { 16, 16, 1 } },
};

const struct word_format word_pm_config = {
	.numbers = { [VALUE_ENABLED] = { 16, 16, 1 } },
	.other_bits = 1, /* supported */
	.fixed_bits = 1,
};

const struct word_format word_qos_config = {
	.numbers = { [VALUE_ENABLED] = { 1, 1, 1 }, [VALUE_ORDERED] = { 2, 2, 1 } },
	.other_bits = ~(3U << 1),
};

const struct word_format word_clos = {
	.numbers = { [VALUE_EPP] = { 3, 0, 1 },
		     [VALUE_WEIGHT] = { 7, 4, 1 },
		     [VALUE_MIN_MHZ] = { 15, 8, 100 },
		     [VALUE_MAX_MHZ] = { 23, 16, 100 },
		     [VALUE_DESIRED_MHZ] = { 31, 24, 100 } },
};

const struct word_format word_association = {
	.numbers = { { 17, 16, 1 } },
	.other_bits = ~(3U << 16),
};

uint32_t word_encode(const struct word_format *format, const struct target_value *value)
{
	uint32_t word = value->other_bits & format->other_bits & ~format->fixed_bits;

	for (size_t i = 0; i < TARGET_NUMBERS; i++) {
		uint32_t most =
			sst_bits(UINT32_MAX, format->numbers[i].high, format->numbers[i].low);
		uint32_t bits;

		if (!format->numbers[i].unit)
			continue;
		bits = value->numbers[i] / format->numbers[i].unit;
		word |= (bits < most ? bits : most) << format->numbers[i].low;
	}
	return word;
}

struct target_value word_decode(const struct word_format *format, uint32_t word)
{
	struct target_value value = { .other_bits = word & format->other_bits };

	for (size_t i = 0; i < TARGET_NUMBERS; i++) {
		if (format->numbers[i].unit)
			value.numbers[i] = (uint16_t)(format->numbers[i].unit *
						      sst_bits(word, format->numbers[i].high,
							       format->numbers[i].low));
	}
	return value;
}

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

void word_decode_control(uint32_t answer, struct sst_level *level)
{
	level->turbo_freq_supported = sst_bits(answer, 0, 0);
	level->base_freq_supported = sst_bits(answer, 1, 1);
	level->turbo_freq_on = sst_bits(answer, 16, 16);
	level->base_freq_on = sst_bits(answer, 17, 17);
}

void word_decode_bytes(uint64_t word, unsigned int count, uint32_t unit, uint32_t *ret_numbers)
{
	for (unsigned int i = 0; i < count; i++)
		ret_numbers[i] = unit * sst_byte(word, i);
}

uint32_t word_decode_memory(enum generation generation, uint32_t answer)
{
	uint32_t code = sst_bits(answer, 7, 0), mhz;

	if (generation == GENERATION_SAPPHIRE_RAPIDS || generation == GENERATION_EMERALD_RAPIDS)
		return code * 200;
	if (generation != GENERATION_ICE_LAKE || code > 6)
		return 0;
	/* Ice Lake: (12 - code) x 266.66 MHz, truncated, one more if the last digit is above 5 */
	mhz = (12 - code) * 26666 / 100;
	return mhz % 10 > 5 ? mhz + 1 : mhz;
}

void level_word_decode(const struct level_word *word, const struct level_answer *answer,
		       struct level_draft *draft)
{
	bool is_of_level = word->part & PLATFORM_LEVEL;
	struct sst_turbo *turbo =
		is_of_level ? &draft->level.turbo : &draft->level.turbo_freq.buckets;
	uint64_t *mask = is_of_level ? &draft->core_mask : &draft->base_freq_core_mask;

	draft->answered |= 1ULL << word->sub_command;
	switch (word->span) {
	case WORD_CORES:
		*mask |= (uint64_t)answer->word << (32 * answer->half);
		return;
	case WORD_BUCKETS:
		word_decode_bytes(answer->word, 4, 1, &turbo->core_counts[4 * answer->half]);
		return;
	case WORD_RATIOS:
		word_decode_bytes(answer->word, 4, sst_ratio_mhz(1),
				  &turbo->mhz[answer->row][4 * answer->half]);
		return;
	case WORD_ONCE:
		break;
	}
	if (word->sub_command == WORD_GET_TDP_CONTROL)
		word_decode_control(answer->word, &draft->level);
	for (size_t i = 0; i < ARRAY_SIZE(word->figures) && word->figures[i].unit; i++) {
		uint32_t *figure = (uint32_t *)((char *)draft + word->figures[i].member);

		*figure = word->figures[i].unit *
			  sst_bits(answer->word, word->figures[i].high, word->figures[i].low);
	}
}

#define WORD(name) #name, WORD_##name
#define BITS(high, low, member)                                    \
	{                                                          \
		high, low, 1, offsetof(struct level_draft, member) \
	}
#define RATIO(byte, member)                                                                 \
	{                                                                                   \
		8 * (byte) + 7, 8 * (byte), 100, offsetof(struct level_draft, level.member) \
	}

const struct level_word level_words[] = {
	{ WORD(GET_TDP_CONTROL), PLATFORM_SUPPORT, WORD_ONCE, WORD_EXISTENCE, .data = 0 },
	{ WORD(GET_TDP_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED,
	  .figures = { BITS(14, 0, level.tdp_w), BITS(23, 16, level.tdp_ratio) } },
	{ WORD(GET_TJMAX_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED,
	  .figures = { BITS(7, 0, level.tjunction_max_c) } },
	{ WORD(GET_CORE_MASK), PLATFORM_LEVEL | PLATFORM_CPUS, WORD_CORES, WORD_REQUIRED,
	  .data = 0 },
	{ WORD(GET_TURBO_LIMIT_RATIOS), PLATFORM_LEVEL, WORD_RATIOS, WORD_FIRST_ROW, .data = 0 },
	{ WORD(GET_P1_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL,
	  .figures = { RATIO(0, base_mhz), RATIO(1, base_avx2_mhz), RATIO(2, base_avx512_mhz),
		       RATIO(3, base_amx_mhz) } },
	/* a code: its meaning depends on the part */
	{ WORD(GET_MEM_FREQ), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL,
	  .figures = { BITS(31, 0, memory_answer) } },
	{ WORD(GET_RATIO_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, WORD_UNCORE,
	  .figures = { RATIO(0, uncore.max_mhz), RATIO(1, uncore.base_mhz),
		       RATIO(3, uncore.min_mhz) } },
	{ WORD(GET_UNCORE_P0_P1_INFO), PLATFORM_LEVEL, WORD_ONCE, WORD_FALLBACK,
	  .figures = { RATIO(0, uncore.max_mhz), RATIO(1, uncore.base_mhz) } },
	{ WORD(PBF_GET_CORE_MASK_INFO), PLATFORM_BASE_FREQ, WORD_CORES, WORD_REQUIRED, .data = 0 },
	{ WORD(PBF_GET_P1HI_P1LO_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED,
	  .figures = { RATIO(0, base_freq.low_mhz), RATIO(1, base_freq.high_mhz) } },
	{ WORD(PBF_GET_TJ_MAX_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED,
	  .figures = { BITS(7, 0, level.base_freq.tjunction_c) } },
	{ WORD(PBF_GET_TDP_INFO), PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED,
	  .figures = { BITS(15, 0, level.base_freq.tdp_w) } },
	{ WORD(GET_FACT_HP_TURBO_LIMIT_NUMCORES), PLATFORM_TURBO_FREQ, WORD_BUCKETS, WORD_REQUIRED,
	  .data = 0 },
	{ WORD(GET_FACT_HP_TURBO_LIMIT_RATIOS), PLATFORM_TURBO_FREQ, WORD_RATIOS, WORD_FIRST_ROW,
	  .data = 0 },
	/* of the first three turbo-ratio levels only */
	{ WORD(GET_FACT_LP_CLIPPING_RATIO), PLATFORM_TURBO_FREQ, WORD_ONCE, WORD_REQUIRED,
	  .figures = { RATIO(0, turbo_freq.clip_mhz[0]), RATIO(1, turbo_freq.clip_mhz[1]),
		       RATIO(2, turbo_freq.clip_mhz[2]) } },
};

const size_t n_level_words = ARRAY_SIZE(level_words);
