// SPDX-License-Identifier: GPL-2.0-only
/* The table of a level's mailbox words (hardware.md, section 3), each with its decoder. */
#include "platform/level_words.h"

#include "base/cleanup.h"
#include "platform/platform.h"

void level_words_decode_control(uint32_t answer, struct sst_level *level)
{
	level->turbo_freq_supported = word_bits(answer, 0, 0);
	level->base_freq_supported = word_bits(answer, 1, 1);
	level->turbo_freq_on = word_bits(answer, 16, 16);
	level->base_freq_on = word_bits(answer, 17, 17);
}

static void decode_tdp_info(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.tdp_w = word_bits(answer->word, 14, 0);
	draft->level.tdp_ratio = word_byte(answer->word, 2);
}

static void decode_tjmax(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.tjunction_max_c = word_byte(answer->word, 0);
}

static void decode_core_mask(const struct level_answer *answer, struct level_draft *draft)
{
	draft->core_mask |= (uint64_t)answer->word << (32 * answer->half);
}

static void decode_ratios(const struct level_answer *answer, uint32_t mhz[SST_BUCKETS])
{
	for (unsigned int i = 0; i < 4; i++)
		mhz[4 * answer->half + i] = word_ratio_mhz(word_byte(answer->word, i));
}

static void decode_turbo_limits(const struct level_answer *answer, struct level_draft *draft)
{
	decode_ratios(answer, draft->level.turbo.mhz[answer->row]);
}

static void decode_p1_info(const struct level_answer *answer, struct level_draft *draft)
{
	draft->has_p1_info = true;
	draft->level.base_mhz = word_ratio_mhz(word_byte(answer->word, 0));
	draft->level.base_avx2_mhz = word_ratio_mhz(word_byte(answer->word, 1));
	draft->level.base_avx512_mhz = word_ratio_mhz(word_byte(answer->word, 2));
	draft->level.base_amx_mhz = word_ratio_mhz(word_byte(answer->word, 3));
}

/* Keeps the code: what it means depends on the part. */
static void decode_memory(const struct level_answer *answer, struct level_draft *draft)
{
	draft->memory_answer = answer->word;
	draft->has_memory = true;
}

static void decode_ratio_info(const struct level_answer *answer, struct level_draft *draft)
{
	draft->has_ratio_info = true;
	draft->level.uncore = (struct sst_fabric){
		.max_mhz = word_ratio_mhz(word_byte(answer->word, 0)),
		.base_mhz = word_ratio_mhz(word_byte(answer->word, 1)),
		.min_mhz = word_ratio_mhz(word_byte(answer->word, 3)),
	};
}

static void decode_uncore_p0_p1(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.uncore = (struct sst_fabric){
		.max_mhz = word_ratio_mhz(word_byte(answer->word, 0)),
		.base_mhz = word_ratio_mhz(word_byte(answer->word, 1)),
	};
}

static void note_uncore_refusal(int err, struct level_draft *draft)
{
	draft->level.uncore_error = err;
}

static void decode_base_freq_core_mask(const struct level_answer *answer, struct level_draft *draft)
{
	draft->base_freq_core_mask |= (uint64_t)answer->word << (32 * answer->half);
}

static void decode_base_freq_p1(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.base_freq.low_mhz = word_ratio_mhz(word_byte(answer->word, 0));
	draft->level.base_freq.high_mhz = word_ratio_mhz(word_byte(answer->word, 1));
}

static void decode_base_freq_tjmax(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.base_freq.tjunction_c = word_byte(answer->word, 0);
	draft->level.base_freq.has_thermals = true;
}

static void decode_base_freq_tdp(const struct level_answer *answer, struct level_draft *draft)
{
	draft->level.base_freq.tdp_w = word_bits(answer->word, 15, 0);
}

static void decode_turbo_freq_counts(const struct level_answer *answer, struct level_draft *draft)
{
	for (unsigned int i = 0; i < 4; i++)
		draft->level.turbo_freq.buckets.core_counts[4 * answer->half + i] =
			word_byte(answer->word, i);
}

static void decode_turbo_freq_ratios(const struct level_answer *answer, struct level_draft *draft)
{
	decode_ratios(answer, draft->level.turbo_freq.buckets.mhz[answer->row]);
}

/* The mailbox has clip ratios of the first three turbo-ratio levels only. */
static void decode_turbo_freq_clips(const struct level_answer *answer, struct level_draft *draft)
{
	for (unsigned int i = 0; i < 3; i++)
		draft->level.turbo_freq.clip_mhz[i] = word_ratio_mhz(word_byte(answer->word, i));
}

#define LEVEL_WORD(word, belongs_to, how_often, how_needed, decoder)                          \
	.name = #word, .sub_command = WORD_##word, .part = (belongs_to), .span = (how_often), \
	.need = (how_needed), .decode = (decoder)

const struct level_word level_words[] = {
	{ LEVEL_WORD(GET_TDP_INFO, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_REQUIRED,
		     decode_tdp_info) },
	{ LEVEL_WORD(GET_TJMAX_INFO, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_REQUIRED,
		     decode_tjmax) },
	{ LEVEL_WORD(GET_CORE_MASK, PLATFORM_LEVEL | PLATFORM_CPUS, LEVEL_WORD_CORE_HALVES,
		     LEVEL_WORD_REQUIRED, decode_core_mask) },
	{ LEVEL_WORD(GET_TURBO_LIMIT_RATIOS, PLATFORM_LEVEL, LEVEL_WORD_TRL_HALVES,
		     LEVEL_WORD_FIRST_ROW_REQUIRED, decode_turbo_limits) },
	{ LEVEL_WORD(GET_P1_INFO, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_OPTIONAL,
		     decode_p1_info) },
	{ LEVEL_WORD(GET_MEM_FREQ, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_OPTIONAL,
		     decode_memory) },
	{ LEVEL_WORD(GET_RATIO_INFO, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_OPTIONAL,
		     decode_ratio_info),
	  .data = WORD_UNCORE, .note_refusal = note_uncore_refusal },
	{ LEVEL_WORD(PBF_GET_CORE_MASK_INFO, PLATFORM_BASE_FREQ, LEVEL_WORD_CORE_HALVES,
		     LEVEL_WORD_REQUIRED, decode_base_freq_core_mask) },
	{ LEVEL_WORD(PBF_GET_P1HI_P1LO_INFO, PLATFORM_BASE_FREQ, LEVEL_WORD_ONCE,
		     LEVEL_WORD_REQUIRED, decode_base_freq_p1) },
	{ LEVEL_WORD(PBF_GET_TJ_MAX_INFO, PLATFORM_BASE_FREQ, LEVEL_WORD_ONCE, LEVEL_WORD_REQUIRED,
		     decode_base_freq_tjmax) },
	{ LEVEL_WORD(PBF_GET_TDP_INFO, PLATFORM_BASE_FREQ, LEVEL_WORD_ONCE, LEVEL_WORD_REQUIRED,
		     decode_base_freq_tdp) },
	{ LEVEL_WORD(GET_FACT_HP_TURBO_LIMIT_NUMCORES, PLATFORM_TURBO_FREQ,
		     LEVEL_WORD_BUCKET_HALVES, LEVEL_WORD_REQUIRED, decode_turbo_freq_counts) },
	{ LEVEL_WORD(GET_FACT_HP_TURBO_LIMIT_RATIOS, PLATFORM_TURBO_FREQ, LEVEL_WORD_TRL_HALVES,
		     LEVEL_WORD_FIRST_ROW_REQUIRED, decode_turbo_freq_ratios) },
	{ LEVEL_WORD(GET_FACT_LP_CLIPPING_RATIO, PLATFORM_TURBO_FREQ, LEVEL_WORD_ONCE,
		     LEVEL_WORD_REQUIRED, decode_turbo_freq_clips) },
};

const size_t n_level_words = ARRAY_SIZE(level_words);

const struct level_word level_word_uncore_fallback = {
	LEVEL_WORD(GET_UNCORE_P0_P1_INFO, PLATFORM_LEVEL, LEVEL_WORD_ONCE, LEVEL_WORD_OPTIONAL,
		   decode_uncore_p0_p1),
	.note_refusal = note_uncore_refusal,
};
