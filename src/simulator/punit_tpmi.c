// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a power domain (hardware.md, section 4): what is fused is put together when it
 * is read, what is set is in the state that the mailbox would set too. Freestanding.
 */
#include "simulator/punit_tpmi.h"

#include <stddef.h>

#include "simulator/punit_levels.h"

#define INTERFACE_VERSION 1
#define CAPABLE_CP        1
#define CAPABLE_PP        2
#define NO_INTERFACE      UINT64_MAX
#define POWER_UNIT        8 /* a watt has so many */
#define MEMORY_UNIT_MHZ   100

#define CP_CONTROL      1
#define CP_STATUS       2
#define CP_CLOS         3
#define CP_ASSOCIATIONS 7
#define CORES_PER_WORD  16
#define CP_ENABLED      1
#define CP_ORDERED      2

#define PP_HEADER        0
#define PP_PARTS         1
#define PP_LEVELS        2
#define PP_CONTROL       3
#define PP_STATUS        4
#define PP_LOCKED        8
#define PP_LEVEL_REFUSED 1
#define FEATURE_BF       1
#define FEATURE_TF       2

#define TURBO_ROWS 4 /* words of the PP part */
#define TF_ROWS    2 /* of the TF part */
#define SUPPORTED  (1 << 12)

static uint64_t put(uint64_t value, unsigned int shift)
{
	return value << shift;
}

static uint64_t level_mask(const struct punit_fuses *fuses)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < fuses->n_levels; i++)
		mask |= put(1, fuses->levels[i].level);
	return mask;
}

static uint64_t read_header(const struct punit_fuses *fuses)
{
	uint64_t capabilities = CAPABLE_PP | (fuses->cp_supported ? CAPABLE_CP : 0);

	return fuses->n_levels ? INTERFACE_VERSION | put(capabilities, 8) | put(PUNIT_TPMI_CP, 16) |
					 put(PUNIT_TPMI_PP, 24)
			       : NO_INTERFACE;
}

static uint64_t read_pp_header(const struct punit_fuses *fuses)
{
	return put(fuses->pp_enabled ? 1 : 0, 0) | put(fuses->pp_version, 4) |
	       put(level_mask(fuses), 12) | put(fuses->allowed_level_mask, 20) |
	       put(PUNIT_TPMI_LEVEL_SIZE, 34) | put(!fuses->locked, 42);
}

static uint64_t read_level_offsets(void)
{
	uint64_t word = 0;

	for (unsigned int level = 0; level < PUNIT_MAX_LEVELS; level++)
		word |= put(PUNIT_TPMI_LEVEL_0 + level * PUNIT_TPMI_LEVEL_SIZE, 8 * level);
	return word;
}

static uint64_t feature_state(const struct punit_state *state)
{
	return (state->base_freq_on ? FEATURE_BF : 0) | (state->turbo_freq_on ? FEATURE_TF : 0);
}

static uint64_t cp_state(const struct punit_state *state)
{
	return (state->cp_enabled ? CP_ENABLED : 0) | (state->clos_ordered ? CP_ORDERED : 0);
}

/* What a status shows: what was before, for as many reads as it lags. */
static uint64_t show(struct punit_lag *lag, uint64_t now)
{
	if (!lag->reads)
		return now;
	lag->reads--;
	return lag->shown;
}

static uint64_t read_pp_state(const struct punit *punit, uint64_t features)
{
	return punit->state->current_level | (punit->fuses->locked ? PP_LOCKED : 0) |
	       put(features, 8);
}

static uint64_t read_pp(struct punit *punit, uint32_t word)
{
	struct punit_state *state = punit->state;

	switch (word) {
	case PP_HEADER:
		return read_pp_header(punit->fuses);
	case PP_PARTS:
		return put(PUNIT_TPMI_PP_PART, 0) | put(PUNIT_TPMI_BF_PART, 8) |
		       put(PUNIT_TPMI_TF_PART, 16);
	case PP_LEVELS:
		return read_level_offsets();
	case PP_CONTROL:
		return read_pp_state(punit, feature_state(state));
	case PP_STATUS:
		return read_pp_state(punit, show(&state->feature_lag, feature_state(state))) |
		       put(state->level_error, 4);
	}
	return 0;
}

static uint64_t read_associations(const struct punit_state *state, uint32_t word)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < CORES_PER_WORD; i++)
		value |= put(state->association[word * CORES_PER_WORD + i], 4 * i);
	return value;
}

static uint64_t read_cp(struct punit *punit, uint32_t word)
{
	struct punit_state *state = punit->state;

	if (word == CP_CONTROL)
		return cp_state(state);
	if (word == CP_STATUS)
		return show(&state->cp_lag, cp_state(state));
	if (word >= CP_CLOS && word < CP_CLOS + PUNIT_CLOS_COUNT)
		return state->clos[word - CP_CLOS] & 0xfffff0;
	if (word >= CP_ASSOCIATIONS && word < CP_ASSOCIATIONS + PUNIT_TPMI_CORES / CORES_PER_WORD)
		return read_associations(state, word - CP_ASSOCIATIONS);
	return 0;
}

static uint64_t read_pp_part(const struct punit_level *level, uint32_t word)
{
	switch (word) {
	case 0:
		return put(level->base_ratio_sse, 0) | put(level->base_ratio_avx2, 8) |
		       put(level->base_ratio_avx512, 16) | put(level->base_ratio_amx, 24);
	case 1:
		return put((uint64_t)level->tdp_w * POWER_UNIT, 32) |
		       put(level->tjunction_max_c, 47) | put(level->memory / MEMORY_UNIT_MHZ, 55) |
		       put(level->cooling_type, 62);
	case 2:
		return level->core_mask;
	case 10:
		return punit_pack_buckets(level->turbo_core_counts);
	case 11:
		return put(level->turbo_ratios[0][0], 0) | put(level->base_ratio_sse, 8) |
		       put(level->uncore_max_ratio, 32) | put(level->uncore_base_ratio, 40) |
		       put(level->uncore_min_ratio, 48);
	}
	if (word >= TURBO_ROWS && word < TURBO_ROWS + PUNIT_TRL_LEVELS)
		return punit_pack_buckets(level->turbo_ratios[word - TURBO_ROWS]);
	return 0;
}

static uint64_t read_bf_part(const struct punit_level *level, uint32_t word)
{
	const struct punit_base_freq *base_freq = &level->base_freq;

	if (!level->has_base_freq)
		return 0;
	if (word == 1)
		return base_freq->core_mask;
	return SUPPORTED | put(base_freq->high_ratio, 13) | put(base_freq->low_ratio, 21) |
	       put(base_freq->tjunction_c, 38) | put((uint64_t)base_freq->tdp_w * POWER_UNIT, 46);
}

static uint64_t read_tf_part(const struct punit_level *level, uint32_t word)
{
	const struct punit_turbo_freq *turbo_freq = &level->turbo_freq;
	uint64_t value = SUPPORTED;

	if (!level->has_turbo_freq)
		return 0;
	if (word == 1)
		return punit_pack_buckets(turbo_freq->core_counts);
	if (word >= TF_ROWS)
		return punit_pack_buckets(turbo_freq->ratios[word - TF_ROWS]);
	for (unsigned int i = 0; i < PUNIT_TRL_LEVELS; i++)
		value |= put(turbo_freq->clip_ratios[i], 16 + 8 * i);
	return value;
}

static uint64_t read_level(const struct punit_level *level, uint32_t word)
{
	if (word >= PUNIT_TPMI_TF_PART)
		return read_tf_part(level, word - PUNIT_TPMI_TF_PART);
	if (word >= PUNIT_TPMI_BF_PART)
		return read_bf_part(level, word - PUNIT_TPMI_BF_PART);
	return read_pp_part(level, word - PUNIT_TPMI_PP_PART);
}

uint64_t punit_tpmi_read(struct punit *punit, uint32_t quadword)
{
	const struct punit_level *level;
	uint32_t word;

	if (quadword == 0)
		return read_header(punit->fuses);
	if (quadword < PUNIT_TPMI_PP)
		return read_cp(punit, quadword - PUNIT_TPMI_CP);
	word = quadword - PUNIT_TPMI_PP;
	if (word < PUNIT_TPMI_LEVEL_0)
		return read_pp(punit, word);
	word -= PUNIT_TPMI_LEVEL_0;
	if (word / PUNIT_TPMI_LEVEL_SIZE >= PUNIT_MAX_LEVELS)
		return 0;
	level = punit_find_level(punit->fuses, (uint8_t)(word / PUNIT_TPMI_LEVEL_SIZE));
	return level ? read_level(level, word % PUNIT_TPMI_LEVEL_SIZE) : 0;
}

static void lag(struct punit_lag *lag, const struct punit_tpmi_manner *manner, uint64_t before)
{
	lag->reads = manner->slow_reads;
	lag->shown = (uint8_t)before;
}

/* Firmware's answer to a level in the control register. Returns whether it is followed. */
static bool take_level(struct punit *punit, uint8_t number)
{
	const struct punit_fuses *fuses = punit->fuses;
	const struct punit_level *level = punit_find_level(fuses, number);

	if (fuses->locked || !level || !(fuses->allowed_level_mask >> number & 1))
		return false;
	punit->state->current_level = number;
	punit->state->base_freq_on = 0;
	punit->state->turbo_freq_on = 0;
	if (level->n_turbo_rows)
		punit->package->turbo_ratio_limit = punit_pack_buckets(level->turbo_ratios[0]);
	return true;
}

static void write_pp_control(struct punit *punit, const struct punit_tpmi_manner *manner,
			     uint64_t value)
{
	struct punit_state *state = punit->state;
	const struct punit_level *level;
	uint64_t before = feature_state(state), features = value >> 8 & 0xff;
	uint8_t number = value & 7;

	state->level_error = 0;
	if (number != state->current_level) {
		state->level_error = take_level(punit, number) ? 0 : PP_LEVEL_REFUSED;
		return;
	}
	level = punit_find_level(punit->fuses, number);
	state->base_freq_on = level && level->has_base_freq && (features & FEATURE_BF);
	state->turbo_freq_on = level && level->has_turbo_freq && (features & FEATURE_TF);
	lag(&state->feature_lag, manner, before);
}

static void write_cp_control(struct punit_state *state, const struct punit_tpmi_manner *manner,
			     uint64_t value)
{
	uint64_t before = cp_state(state);

	state->cp_enabled = value & CP_ENABLED;
	state->clos_enabled = state->cp_enabled;
	state->clos_ordered = (value & CP_ORDERED) != 0;
	lag(&state->cp_lag, manner, before);
}

static void write_associations(struct punit_state *state, uint32_t word, uint64_t value)
{
	for (uint32_t i = 0; i < CORES_PER_WORD; i++)
		state->association[word * CORES_PER_WORD + i] = value >> (4 * i) & 3;
}

static void write_cp(struct punit_state *state, const struct punit_tpmi_manner *manner,
		     uint32_t word, uint64_t value)
{
	if (word == CP_CONTROL)
		write_cp_control(state, manner, value);
	else if (word >= CP_CLOS && word < CP_CLOS + PUNIT_CLOS_COUNT)
		state->clos[word - CP_CLOS] = (uint32_t)(value & 0xfffff0);
	else if (word >= CP_ASSOCIATIONS &&
		 word < CP_ASSOCIATIONS + PUNIT_TPMI_CORES / CORES_PER_WORD)
		write_associations(state, word - CP_ASSOCIATIONS, value);
}

void punit_tpmi_write(struct punit *punit, const struct punit_tpmi_manner *manner,
		      uint32_t quadword, uint64_t value)
{
	if (manner->is_deaf)
		return;
	if (quadword == PUNIT_TPMI_PP + PP_CONTROL)
		write_pp_control(punit, manner, value);
	else if (quadword >= PUNIT_TPMI_CP && quadword < PUNIT_TPMI_PP &&
		 punit->fuses->cp_supported)
		write_cp(punit->state, manner, quadword - PUNIT_TPMI_CP, value);
}
