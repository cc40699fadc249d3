// SPDX-License-Identifier: GPL-2.0-only
/* The registers of a power domain (hardware.md, section 4), encoded from fuses and state when they
 * are read, and decoded when they are written. */
#include "registers.h"

#include <stddef.h>

#define INTERFACE_VERSION 1
#define CAPABLE_CP        1
#define CAPABLE_PP        2
#define NO_INTERFACE      UINT64_MAX
#define POWER_UNIT        8 /* units in a watt */
#define MEMORY_UNIT_MHZ   100

#define CP_CONTROL      1
#define CP_STATUS       2
#define CP_CLOS         3
#define CP_ASSOCIATIONS 7
#define CORES           64 /* that the registers have fields for */
#define CORES_PER_WORD  16

#define PP_HEADER        0
#define PP_PARTS         1
#define PP_LEVELS        2
#define PP_CONTROL       3
#define PP_STATUS        4
#define PP_LOCKED        8
#define PP_LEVEL_REFUSED 1

#define TURBO_ROWS 4 /* words of the PP part */
#define TF_ROWS    2 /* of the TF part */
#define TF_MODULES 8
#define SUPPORTED  (1 << 12)

/* Revision 2 of SST-PP has a second fabric, that of SST-TF counts of modules. */
#define REVISION_2     2
#define MODULE_BUCKETS 3

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

	return fuses->n_levels ? INTERFACE_VERSION | put(capabilities, 8) | put(REGISTERS_CP, 16) |
					 put(REGISTERS_PP, 24)
			       : NO_INTERFACE;
}

static uint64_t read_pp_header(const struct punit_fuses *fuses)
{
	return put(fuses->pp_enabled ? 1 : 0, 0) | put(fuses->pp_version, 4) |
	       put(level_mask(fuses), 12) | put(fuses->allowed_level_mask, 20) |
	       put(REGISTERS_LEVEL_SIZE, 34) | put(!fuses->locked, 42);
}

static uint64_t read_level_offsets(void)
{
	uint64_t word = 0;

	for (unsigned int level = 0; level < PUNIT_MAX_LEVELS; level++)
		word |= put(REGISTERS_LEVEL_0 + level * REGISTERS_LEVEL_SIZE, 8 * level);
	return word;
}

/* The features as they are set, in the bits of punit_show_features(). */
static uint64_t set_features(const struct punit_state *state)
{
	return (state->base_freq_on ? PUNIT_BASE_FREQ : 0) |
	       (state->turbo_freq_on ? PUNIT_TURBO_FREQ : 0);
}

static uint64_t read_pp_state(const struct punit *punit, uint64_t features)
{
	return punit->state->current_level | (punit->fuses->locked ? PP_LOCKED : 0) |
	       put(features, 8);
}

static uint64_t read_pp(struct registers *registers, uint32_t word)
{
	struct punit *punit = &registers->punit;

	switch (word) {
	case PP_HEADER:
		return read_pp_header(punit->fuses);
	case PP_PARTS:
		return put(REGISTERS_PP_PART, 0) | put(REGISTERS_BF_PART, 8) |
		       put(REGISTERS_TF_PART, 16);
	case PP_LEVELS:
		return read_level_offsets();
	case PP_CONTROL:
		return read_pp_state(punit, set_features(punit->state));
	case PP_STATUS:
		return read_pp_state(punit, punit_show_features(punit)) |
		       put(*registers->level_error, 4);
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
		return (state->cp_enabled ? PUNIT_CP_ENABLED : 0) |
		       (state->clos_ordered ? PUNIT_CP_ORDERED : 0);
	if (word == CP_STATUS)
		return punit_show_core_power(punit);
	if (word >= CP_CLOS && word < CP_CLOS + PUNIT_CLOS_COUNT)
		return state->clos[word - CP_CLOS] & 0xfffff0;
	if (word >= CP_ASSOCIATIONS && word < CP_ASSOCIATIONS + CORES / CORES_PER_WORD)
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
		       put(level->uncore[0].max_ratio, 32) | put(level->uncore[0].base_ratio, 40) |
		       put(level->uncore[0].min_ratio, 48);
	case 12: /* only revision 2 can have it */
		return put(level->uncore[1].max_ratio, 0) | put(level->uncore[1].base_ratio, 8) |
		       put(level->uncore[1].min_ratio, 16);
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

/* The counts of modules; 0 if more buckets are used: then the counts of 8 bits hold. */
static uint64_t read_module_counts(const struct punit_turbo_freq *turbo_freq)
{
	uint64_t value = 0;

	if (turbo_freq->core_counts[MODULE_BUCKETS])
		return 0;
	for (unsigned int i = 0; i < MODULE_BUCKETS; i++)
		value |= put(turbo_freq->core_counts[i], 16 * i);
	return value;
}

static uint64_t read_tf_part(const struct punit_level *level, uint8_t revision, uint32_t word)
{
	const struct punit_turbo_freq *turbo_freq = &level->turbo_freq;
	uint64_t value = SUPPORTED | put(revision, 4);

	if (!level->has_turbo_freq)
		return 0;
	if (word == 1)
		return punit_pack_buckets(turbo_freq->core_counts);
	if (word == TF_MODULES)
		return revision >= REVISION_2 ? read_module_counts(turbo_freq) : 0;
	if (word >= TF_ROWS)
		return punit_pack_buckets(turbo_freq->ratios[word - TF_ROWS]);
	for (unsigned int i = 0; i < PUNIT_TRL_LEVELS; i++)
		value |= put(turbo_freq->clip_ratios[i], 16 + 8 * i);
	return value;
}

static uint64_t read_level(const struct punit_level *level, uint8_t revision, uint32_t word)
{
	if (word >= REGISTERS_TF_PART)
		return read_tf_part(level, revision, word - REGISTERS_TF_PART);
	if (word >= REGISTERS_BF_PART)
		return read_bf_part(level, word - REGISTERS_BF_PART);
	return read_pp_part(level, word - REGISTERS_PP_PART);
}

uint64_t registers_read(struct registers *registers, uint32_t quadword)
{
	const struct punit_fuses *fuses = registers->punit.fuses;
	const struct punit_level *level;
	uint32_t word;

	if (quadword == 0)
		return read_header(fuses);
	if (quadword < REGISTERS_PP)
		return read_cp(&registers->punit, quadword - REGISTERS_CP);
	word = quadword - REGISTERS_PP;
	if (word < REGISTERS_LEVEL_0)
		return read_pp(registers, word);
	word -= REGISTERS_LEVEL_0;
	if (word / REGISTERS_LEVEL_SIZE >= PUNIT_MAX_LEVELS)
		return 0;
	level = punit_find_level(fuses, (uint8_t)(word / REGISTERS_LEVEL_SIZE));
	return level ? read_level(level, fuses->pp_version, word % REGISTERS_LEVEL_SIZE) : 0;
}

/* Features are taken only with the level that is current. */
static void write_pp_control(struct registers *registers, const struct punit_response *response,
			     uint64_t value)
{
	struct punit *punit = &registers->punit;
	uint8_t level = value & 7, features = value >> 8 & 0xff;

	*registers->level_error = 0;
	if (level == punit->state->current_level)
		punit_set_features(punit, response, features & PUNIT_BASE_FREQ,
				   features & PUNIT_TURBO_FREQ);
	else if (!punit_set_level(punit, level))
		*registers->level_error = PP_LEVEL_REFUSED;
}

static void write_associations(struct punit_state *state, uint32_t word, uint64_t value)
{
	for (uint32_t i = 0; i < CORES_PER_WORD; i++)
		state->association[word * CORES_PER_WORD + i] = value >> (4 * i) & 3;
}

static void write_cp(struct punit *punit, const struct punit_response *response, uint32_t word,
		     uint64_t value)
{
	if (word == CP_CONTROL)
		punit_set_core_power(punit, response, value & PUNIT_CP_ENABLED,
				     value & PUNIT_CP_ORDERED);
	else if (word >= CP_CLOS && word < CP_CLOS + PUNIT_CLOS_COUNT)
		punit->state->clos[word - CP_CLOS] = (uint32_t)(value & 0xfffff0);
	else if (word >= CP_ASSOCIATIONS && word < CP_ASSOCIATIONS + CORES / CORES_PER_WORD)
		write_associations(punit->state, word - CP_ASSOCIATIONS, value);
}

void registers_write(struct registers *registers, const struct punit_response *response,
		     uint32_t quadword, uint64_t value)
{
	if (response->ignores_writes)
		return;
	if (quadword == REGISTERS_PP + PP_CONTROL)
		write_pp_control(registers, response, value);
	else if (quadword >= REGISTERS_CP && quadword < REGISTERS_PP &&
		 registers->punit.fuses->cp_supported)
		write_cp(&registers->punit, response, quadword - REGISTERS_CP, value);
}
