// SPDX-License-Identifier: GPL-2.0-only
/*
 * The firmware's answers about one level (hardware.md, section 3), in the order of their
 * sub-commands of 0x7F. What a level does not have is illegal data.
 */
#include "simulator/punit_levels.h"

#include <stddef.h>

#define BIT_UPPER_HALF  8 /* cores 32-63 of a mask, buckets 4-7 of a list */
#define BIT_UNCORE      16
#define SHIFT_TURBO_ROW 16
#define CLIPS_IN_WORD   3 /* more turbo-ratio levels than that have no clip ratio here */
#define FIELD_15_BITS   0x7fffU
#define N_SUB_COMMANDS  (sizeof(level_answers) / sizeof(level_answers[0]))

/* The answer to a query about one level. */
typedef uint8_t level_answer(const struct punit_level *level, uint32_t data, uint32_t *ret_answer);

/* Buckets 0-3, or 4-7 where data asks for them. */
static uint32_t pack_half(const uint8_t buckets[PUNIT_BUCKETS], uint32_t data)
{
	return punit_pack_bytes(punit_has_bit(data, BIT_UPPER_HALF) ? buckets + 4 : buckets);
}

static uint32_t mask_half(uint64_t mask, uint32_t data)
{
	return (uint32_t)(punit_has_bit(data, BIT_UPPER_HALF) ? mask >> 32 : mask);
}

static uint8_t get_tdp(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	(void)data;
	*ret_answer = (level->tdp_w & FIELD_15_BITS) | (uint32_t)level->tdp_ratio << 16;
	return PUNIT_SUCCESS;
}

static uint8_t get_power(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	(void)data;
	*ret_answer = (level->power_max_w & FIELD_15_BITS) | (level->power_min_w & FIELD_15_BITS)
								     << 16;
	return PUNIT_SUCCESS;
}

static uint8_t get_tjunction(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	(void)data;
	*ret_answer = level->tjunction_max_c;
	return PUNIT_SUCCESS;
}

static uint8_t get_core_mask(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	*ret_answer = mask_half(level->core_mask, data);
	return PUNIT_SUCCESS;
}

static uint8_t get_turbo_ratios(const struct punit_level *level, uint32_t data,
				uint32_t *ret_answer)
{
	uint32_t row = data >> SHIFT_TURBO_ROW & 7;

	if (row >= level->n_turbo_rows)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = pack_half(level->turbo_ratios[row], data);
	return PUNIT_SUCCESS;
}

static uint8_t get_uncore_ratios(const struct punit_level *level, uint32_t data,
				 uint32_t *ret_answer)
{
	(void)data;
	*ret_answer = level->uncore_max_ratio | (uint32_t)level->uncore_base_ratio << 8;
	return PUNIT_SUCCESS;
}

static uint8_t get_base_ratios(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	const uint8_t ratios[4] = { level->base_ratio_sse, level->base_ratio_avx2,
				    level->base_ratio_avx512, level->base_ratio_amx };

	(void)data;
	*ret_answer = punit_pack_bytes(ratios);
	return PUNIT_SUCCESS;
}

static uint8_t get_memory(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	(void)data;
	*ret_answer = level->memory & 0xffU;
	return PUNIT_SUCCESS;
}

/* A platform file has no lowest ratio of the cores: their Pm is 0. */
static uint8_t get_ratios(const struct punit_level *level, uint32_t data, uint32_t *ret_answer)
{
	const uint8_t core[4] = { level->n_turbo_rows ? level->turbo_ratios[0][0] : 0,
				  level->base_ratio_sse, 0, 0 };
	const uint8_t uncore[4] = { level->uncore_max_ratio, level->uncore_base_ratio, 0,
				    level->uncore_min_ratio };

	*ret_answer = punit_pack_bytes(punit_has_bit(data, BIT_UNCORE) ? uncore : core);
	return PUNIT_SUCCESS;
}

static uint8_t get_turbo_freq_cores(const struct punit_level *level, uint32_t data,
				    uint32_t *ret_answer)
{
	if (!level->has_turbo_freq)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = pack_half(level->turbo_freq.core_counts, data);
	return PUNIT_SUCCESS;
}

static uint8_t get_turbo_freq_ratios(const struct punit_level *level, uint32_t data,
				     uint32_t *ret_answer)
{
	uint32_t row = data >> SHIFT_TURBO_ROW & 7;

	if (!level->has_turbo_freq || row >= level->turbo_freq.n_rows)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = pack_half(level->turbo_freq.ratios[row], data);
	return PUNIT_SUCCESS;
}

static uint8_t get_turbo_freq_clips(const struct punit_level *level, uint32_t data,
				    uint32_t *ret_answer)
{
	uint8_t clips[4] = { 0, 0, 0, 0 };

	(void)data;
	if (!level->has_turbo_freq)
		return PUNIT_ILLEGAL_DATA;
	for (size_t i = 0; i < CLIPS_IN_WORD && i < level->turbo_freq.n_clips; i++)
		clips[i] = level->turbo_freq.clip_ratios[i];
	*ret_answer = punit_pack_bytes(clips);
	return PUNIT_SUCCESS;
}

static uint8_t get_base_freq_mask(const struct punit_level *level, uint32_t data,
				  uint32_t *ret_answer)
{
	if (!level->has_base_freq)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = mask_half(level->base_freq.core_mask, data);
	return PUNIT_SUCCESS;
}

static uint8_t get_base_freq_ratios(const struct punit_level *level, uint32_t data,
				    uint32_t *ret_answer)
{
	(void)data;
	if (!level->has_base_freq)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = level->base_freq.low_ratio | (uint32_t)level->base_freq.high_ratio << 8;
	return PUNIT_SUCCESS;
}

static uint8_t get_base_freq_temperatures(const struct punit_level *level, uint32_t data,
					  uint32_t *ret_answer)
{
	(void)data;
	if (!level->has_base_freq)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = level->base_freq.tjunction_c | (uint32_t)level->base_freq.control_c << 8;
	return PUNIT_SUCCESS;
}

static uint8_t get_base_freq_tdp(const struct punit_level *level, uint32_t data,
				 uint32_t *ret_answer)
{
	(void)data;
	if (!level->has_base_freq)
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = level->base_freq.tdp_w;
	return PUNIT_SUCCESS;
}

/* By sub-command of 0x7F. */
static level_answer *const level_answers[] = {
	[0x03] = get_tdp,
	[0x04] = get_power,
	[0x05] = get_tjunction,
	[0x06] = get_core_mask,
	[0x07] = get_turbo_ratios,
	[0x09] = get_uncore_ratios,
	[0x0a] = get_base_ratios,
	[0x0b] = get_memory,
	[0x0c] = get_ratios,
	[0x10] = get_turbo_freq_cores,
	[0x11] = get_turbo_freq_ratios,
	[0x12] = get_turbo_freq_clips,
	[0x20] = get_base_freq_mask,
	[0x21] = get_base_freq_ratios,
	[0x22] = get_base_freq_temperatures,
	[0x23] = get_base_freq_tdp,
};

uint8_t punit_levels_answer(const struct punit_fuses *fuses, uint8_t sub_command, uint32_t data,
			    uint32_t *ret_answer)
{
	const struct punit_level *level = punit_find_level(fuses, (uint8_t)(data & 0xff));

	if (sub_command >= N_SUB_COMMANDS || !level_answers[sub_command])
		return PUNIT_INVALID_COMMAND;
	if (!level)
		return PUNIT_ILLEGAL_DATA;
	return level_answers[sub_command](level, data, ret_answer);
}
