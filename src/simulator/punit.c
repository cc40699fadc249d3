// SPDX-License-Identifier: GPL-2.0-only
/* Answers the mailbox, the MMIO window and TPMI control as firmware does (hardware.md, sections 3
 * and 4, and simulator.md, "Behaviour of the simulated machine"). A request that fails changes
 * nothing. */
#include "simulator/punit.h"

#include <stddef.h>

/* Words of the mailbox: command << 8 | sub-command. */
#define COMMAND_CONFIG_TDP  0x7f
#define WORD_LEVELS_INFO    0x7f00
#define WORD_GET_CONTROL    0x7f01
#define WORD_SET_CONTROL    0x7f02
#define WORD_SET_LEVEL      0x7f08
#define WORD_READ_PM        0x9403
#define WORD_WRITE_PM       0x9503
#define WORD_ASSOCIATION    0xd000
#define WORD_CLOS           0xd001
#define WORD_QOS_CONFIG     0xd002
#define MAX_SUB_COMMAND     63
#define LEVEL_SUB_COMMANDS  0xf00071ef8ULL /* 03-07, 09-0c, 10-12, 20-23 */
#define CORE_MASK           0x06
#define TURBO_RATIOS        0x07
#define RATIO_INFO          0x0c
#define FIRST_OF_TURBO_FREQ 0x10
#define TURBO_FREQ_RATIOS   0x11
#define FIRST_OF_BASE_FREQ  0x20

#define BIT_UPPER_HALF    8 /* of request data: cores 32-63 of a mask, buckets 4-7 of a list */
#define BIT_UNCORE        16
#define SHIFT_TURBO_ROW   16
#define BIT_TURBO_FREQ    16
#define BIT_BASE_FREQ     17
#define BIT_CLOS_ENABLED  1
#define BIT_CLOS_ORDERED  2
#define BIT_CP_ENABLED    16
#define BIT_WRITE         8 /* of the parameter of the CLOS words */
#define SHIFT_ASSOCIATION 16

#define REGISTER_QOS_CONFIG  0x04
#define REGISTER_CLOS        0x08
#define REGISTER_ASSOCIATION 0x20
#define REGISTER_SIZE        4

static bool has_bit(uint32_t word, unsigned int bit)
{
	return word >> bit & 1;
}

static uint32_t make_bit(bool set, unsigned int bit)
{
	return (uint32_t)set << bit;
}

static uint32_t pack(uint8_t first, uint8_t second, uint8_t third, uint8_t fourth)
{
	return (uint32_t)first | (uint32_t)second << 8 | (uint32_t)third << 16 |
	       (uint32_t)fourth << 24;
}

/* Packs buckets 0-3, or 4-7 if the request data has BIT_UPPER_HALF. */
static uint32_t pack_half(const uint8_t buckets[PUNIT_BUCKETS], uint32_t data)
{
	const uint8_t *half = has_bit(data, BIT_UPPER_HALF) ? buckets + 4 : buckets;

	return pack(half[0], half[1], half[2], half[3]);
}

static uint32_t mask_half(uint64_t mask, uint32_t data)
{
	return (uint32_t)(has_bit(data, BIT_UPPER_HALF) ? mask >> 32 : mask);
}

const struct punit_level *punit_find_level(const struct punit_fuses *fuses, uint8_t level)
{
	for (size_t i = 0; i < fuses->n_levels; i++) {
		if (fuses->levels[i].level == level)
			return &fuses->levels[i];
	}
	return NULL;
}

/* Returns the row of turbo ratios that request data selects. */
static uint32_t row_of(uint32_t data)
{
	return data >> SHIFT_TURBO_ROW & 7;
}

/* A figure of a level in the answer to a sub-command. */
struct fuse_figure {
	uint8_t sub_command;
	bool is_uncore; /* only if the request data has BIT_UNCORE */
	uint8_t shift;
	uint8_t bits;
	uint8_t size; /* in struct punit_level */
	uint16_t offset;
};

#define FIGURE(sub_command, shift, bits, member)                                                  \
	{                                                                                         \
		(sub_command), false, (shift), (bits), sizeof(((struct punit_level *)0)->member), \
			offsetof(struct punit_level, member)                                      \
	}
#define UNCORE(shift, member)                                                                   \
	{                                                                                       \
		RATIO_INFO, true, (shift), 8, 1, offsetof(struct punit_level, uncore[0].member) \
	}

/* A platform file has no lowest ratio of the cores: their Pm is 0. Turbo-ratio levels after the
 * third one have no clip ratio here. */
static const struct fuse_figure figures[] = {
	FIGURE(0x03, 0, 15, tdp_w),
	FIGURE(0x03, 16, 8, tdp_ratio),
	FIGURE(0x04, 0, 15, power_max_w),
	FIGURE(0x04, 16, 15, power_min_w),
	FIGURE(0x05, 0, 8, tjunction_max_c),
	FIGURE(0x09, 0, 8, uncore[0].max_ratio),
	FIGURE(0x09, 8, 8, uncore[0].base_ratio),
	FIGURE(0x0a, 0, 8, base_ratio_sse),
	FIGURE(0x0a, 8, 8, base_ratio_avx2),
	FIGURE(0x0a, 16, 8, base_ratio_avx512),
	FIGURE(0x0a, 24, 8, base_ratio_amx),
	FIGURE(0x0b, 0, 8, memory),
	FIGURE(RATIO_INFO, 0, 8, turbo_ratios[0][0]),
	FIGURE(RATIO_INFO, 8, 8, base_ratio_sse),
	UNCORE(0, max_ratio),
	UNCORE(8, base_ratio),
	UNCORE(24, min_ratio),
	FIGURE(0x12, 0, 8, turbo_freq.clip_ratios[0]),
	FIGURE(0x12, 8, 8, turbo_freq.clip_ratios[1]),
	FIGURE(0x12, 16, 8, turbo_freq.clip_ratios[2]),
	FIGURE(0x21, 0, 8, base_freq.low_ratio),
	FIGURE(0x21, 8, 8, base_freq.high_ratio),
	FIGURE(0x22, 0, 8, base_freq.tjunction_c),
	FIGURE(0x22, 8, 8, base_freq.control_c),
	FIGURE(0x23, 0, 16, base_freq.tdp_w),
};

#define N_FIGURES (sizeof(figures) / sizeof(*figures))

static bool is_answered(const struct fuse_figure *figure, uint8_t sub_command, uint32_t data)
{
	return figure->sub_command == sub_command &&
	       (sub_command != RATIO_INFO || figure->is_uncore == has_bit(data, BIT_UNCORE));
}

/* Answers a query about a level, which must have what the query is about. */
static uint32_t answer_level(const struct punit_level *level, uint8_t sub_command, uint32_t data)
{
	uint32_t answer = 0;

	switch (sub_command) {
	case CORE_MASK:
		return mask_half(level->core_mask, data);
	case FIRST_OF_BASE_FREQ:
		return mask_half(level->base_freq.core_mask, data);
	case TURBO_RATIOS:
		return pack_half(level->turbo_ratios[row_of(data)], data);
	case FIRST_OF_TURBO_FREQ:
		return pack_half(level->turbo_freq.core_counts, data);
	case TURBO_FREQ_RATIOS:
		return pack_half(level->turbo_freq.ratios[row_of(data)], data);
	}
	for (size_t i = 0; i < N_FIGURES; i++) {
		const void *fuse = (const char *)level + figures[i].offset;
		uint32_t value =
			figures[i].size == 1 ? *(const uint8_t *)fuse : *(const uint16_t *)fuse;

		if (is_answered(&figures[i], sub_command, data))
			answer |= (value & ((1U << figures[i].bits) - 1)) << figures[i].shift;
	}
	return answer;
}

static void take_mask(uint64_t *mask, uint32_t data, uint32_t answer)
{
	*mask |= has_bit(data, BIT_UPPER_HALF) ? (uint64_t)answer << 32 : answer;
}

static void take_half(uint8_t buckets[PUNIT_BUCKETS], uint32_t data, uint32_t answer)
{
	for (unsigned int i = 0; i < PUNIT_BUCKETS / 2; i++)
		buckets[has_bit(data, BIT_UPPER_HALF) ? 4 + i : i] = (uint8_t)(answer >> 8 * i);
}

void punit_take_answer(struct punit_level *level, uint8_t sub_command, uint32_t data,
		       uint32_t answer)
{
	if (sub_command == CORE_MASK)
		take_mask(&level->core_mask, data, answer);
	else if (sub_command == FIRST_OF_BASE_FREQ)
		take_mask(&level->base_freq.core_mask, data, answer);
	else if (sub_command == TURBO_RATIOS && row_of(data) < PUNIT_TRL_LEVELS)
		take_half(level->turbo_ratios[row_of(data)], data, answer);
	else if (sub_command == FIRST_OF_TURBO_FREQ)
		take_half(level->turbo_freq.core_counts, data, answer);
	else if (sub_command == TURBO_FREQ_RATIOS && row_of(data) < PUNIT_TRL_LEVELS)
		take_half(level->turbo_freq.ratios[row_of(data)], data, answer);
	for (size_t i = 0; i < N_FIGURES; i++) {
		bool has_own = sub_command != RATIO_INFO || has_bit(data, BIT_UNCORE);
		void *fuse = (char *)level + figures[i].offset;
		uint32_t value = answer >> figures[i].shift & ((1U << figures[i].bits) - 1);

		if (!has_own || !is_answered(&figures[i], sub_command, data))
			continue;
		if (figures[i].size == 1)
			*(uint8_t *)fuse = (uint8_t)value;
		else
			*(uint16_t *)fuse = (uint16_t)value;
	}
}

/* A query about something that the level does not have is illegal data. */
static uint8_t query_level(const struct punit_fuses *fuses, uint8_t sub_command, uint32_t data,
			   uint32_t *ret_answer)
{
	const struct punit_level *level = punit_find_level(fuses, (uint8_t)(data & 0xff));

	if (!(LEVEL_SUB_COMMANDS >> sub_command & 1))
		return PUNIT_INVALID_COMMAND;
	if (!level || (sub_command >= FIRST_OF_BASE_FREQ && !level->has_base_freq))
		return PUNIT_ILLEGAL_DATA;
	if (sub_command >= FIRST_OF_TURBO_FREQ && sub_command < FIRST_OF_BASE_FREQ &&
	    !level->has_turbo_freq)
		return PUNIT_ILLEGAL_DATA;
	if ((sub_command == TURBO_RATIOS && row_of(data) >= level->n_turbo_rows) ||
	    (sub_command == TURBO_FREQ_RATIOS && row_of(data) >= level->turbo_freq.n_rows))
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = answer_level(level, sub_command, data);
	return PUNIT_SUCCESS;
}

static uint32_t levels_info(const struct punit *punit)
{
	const struct punit_fuses *fuses = punit->fuses;
	uint8_t highest = 0;

	for (size_t i = 0; i < fuses->n_levels; i++) {
		if (fuses->levels[i].level > highest)
			highest = fuses->levels[i].level;
	}
	return pack(fuses->pp_version, highest, punit->state->current_level, 0) |
	       make_bit(fuses->locked, 24) | make_bit(fuses->pp_enabled, 31);
}

static uint8_t get_control(const struct punit *punit, uint32_t data, uint32_t *ret_answer)
{
	const struct punit_level *level = punit_find_level(punit->fuses, (uint8_t)(data & 0xff));
	const struct punit_state *state = punit->state;
	bool is_current;

	if (!level)
		return PUNIT_ILLEGAL_DATA;
	is_current = level->level == state->current_level;
	*ret_answer = make_bit(level->has_turbo_freq, 0) | make_bit(level->has_base_freq, 1) |
		      make_bit(is_current && state->turbo_freq_on, BIT_TURBO_FREQ) |
		      make_bit(is_current && state->base_freq_on, BIT_BASE_FREQ);
	return PUNIT_SUCCESS;
}

static uint8_t set_control(struct punit *punit, uint32_t data)
{
	struct punit_state *state = punit->state;
	const struct punit_level *level = punit_find_level(punit->fuses, state->current_level);
	bool turbo_freq = has_bit(data, BIT_TURBO_FREQ), base_freq = has_bit(data, BIT_BASE_FREQ);

	if (turbo_freq && (!level || !level->has_turbo_freq || !state->clos_enabled))
		return PUNIT_ILLEGAL_DATA;
	if (base_freq && (!level || !level->has_base_freq))
		return PUNIT_ILLEGAL_DATA;
	state->turbo_freq_on = turbo_freq;
	state->base_freq_on = base_freq;
	return PUNIT_SUCCESS;
}

bool punit_set_level(struct punit *punit, uint8_t number)
{
	const struct punit_fuses *fuses = punit->fuses;
	const struct punit_level *level = punit_find_level(fuses, number);

	if (fuses->locked || !level || !(fuses->allowed_level_mask >> number & 1))
		return false;
	if (number == punit->state->current_level)
		return true;
	punit->state->current_level = number;
	punit->state->base_freq_on = 0;
	punit->state->turbo_freq_on = 0;
	/* the ratios of an IO die, which has no cores, are zeros */
	if (level->n_turbo_rows && level->turbo_ratios[0][0])
		punit->package->turbo_ratio_limit = punit_pack_buckets(level->turbo_ratios[0]);
	return true;
}

/* Reads or writes an association, a CLOS or the configuration of CLOS, for mailbox and MMIO. */
static uint8_t access_clos(struct punit_state *state, uint32_t word, uint32_t id, bool writes,
			   uint32_t data, uint32_t *ret_answer)
{
	if (word == WORD_ASSOCIATION && id < PUNIT_MAX_CORES) {
		if (writes)
			state->association[id] = (uint8_t)(data >> SHIFT_ASSOCIATION & 3);
		*ret_answer = (uint32_t)state->association[id] << SHIFT_ASSOCIATION;
	} else if (word == WORD_CLOS && id < PUNIT_CLOS_COUNT) {
		if (writes)
			state->clos[id] = data;
		*ret_answer = state->clos[id];
	} else if (word == WORD_QOS_CONFIG && id == 0) {
		if (writes && state->turbo_freq_on && !has_bit(data, BIT_CLOS_ENABLED))
			return PUNIT_ILLEGAL_DATA;
		if (writes) {
			state->clos_enabled = has_bit(data, BIT_CLOS_ENABLED);
			state->clos_ordered = has_bit(data, BIT_CLOS_ORDERED);
		}
		*ret_answer = make_bit(state->clos_enabled, BIT_CLOS_ENABLED) |
			      make_bit(state->clos_ordered, BIT_CLOS_ORDERED);
	} else {
		return PUNIT_ILLEGAL_DATA;
	}
	return PUNIT_SUCCESS;
}

uint8_t punit_mailbox(struct punit *punit, uint8_t command, uint8_t sub_command, uint32_t parameter,
		      uint32_t data, uint32_t *ret_answer)
{
	uint32_t word = (uint32_t)command << 8 | sub_command, answer = 0;
	uint8_t code = PUNIT_SUCCESS;

	/* The firmware of a part may refuse a sub-command. */
	if (command == COMMAND_CONFIG_TDP &&
	    (sub_command > MAX_SUB_COMMAND || punit->fuses->unanswered >> sub_command & 1))
		return PUNIT_INVALID_COMMAND;
	switch (word) {
	case WORD_LEVELS_INFO:
		answer = levels_info(punit);
		break;
	case WORD_GET_CONTROL:
		code = get_control(punit, data, &answer);
		break;
	case WORD_SET_CONTROL:
		code = set_control(punit, data);
		break;
	case WORD_SET_LEVEL:
		if (!punit_set_level(punit, (uint8_t)(data & 0xff)))
			code = PUNIT_ILLEGAL_DATA;
		break;
	case WORD_READ_PM:
		answer = make_bit(punit->fuses->cp_supported, 0) |
			 make_bit(punit->state->cp_enabled, BIT_CP_ENABLED);
		break;
	case WORD_WRITE_PM:
		if (punit->fuses->cp_supported)
			punit->state->cp_enabled = has_bit(data, BIT_CP_ENABLED);
		else
			code = PUNIT_ILLEGAL_DATA;
		break;
	case WORD_ASSOCIATION:
	case WORD_CLOS:
	case WORD_QOS_CONFIG:
		/* Only the Skylake generation has associations and CLOS in the mailbox. */
		if (word != WORD_QOS_CONFIG && !punit->fuses->clos_by_mailbox)
			return PUNIT_INVALID_COMMAND;
		code = access_clos(punit->state, word, parameter & ~(1U << BIT_WRITE),
				   has_bit(parameter, BIT_WRITE), data, &answer);
		break;
	default:
		if (command != COMMAND_CONFIG_TDP)
			return PUNIT_INVALID_COMMAND;
		code = query_level(punit->fuses, sub_command, data, &answer);
	}
	if (code == PUNIT_SUCCESS)
		*ret_answer = answer;
	return code;
}

uint64_t punit_clamp_limits(const struct punit *punit, uint64_t limits)
{
	const struct punit_level *level =
		punit_find_level(punit->fuses, punit->state->current_level);
	uint64_t clamped = 0;

	if (!level || !level->n_turbo_rows)
		return limits;
	for (unsigned int bucket = 0; bucket < PUNIT_BUCKETS; bucket++) {
		uint8_t limit = (uint8_t)(limits >> 8 * bucket);
		uint8_t most = level->turbo_ratios[0][bucket];

		clamped |= (uint64_t)(limit < most ? limit : most) << 8 * bucket;
	}
	return clamped;
}

uint32_t punit_mmio(struct punit *punit, uint32_t reg, bool writes, uint32_t value)
{
	uint32_t word = WORD_QOS_CONFIG, first = REGISTER_QOS_CONFIG, answer = 0;

	if (reg >= REGISTER_ASSOCIATION) {
		word = WORD_ASSOCIATION;
		first = REGISTER_ASSOCIATION;
	} else if (reg >= REGISTER_CLOS) {
		word = WORD_CLOS;
		first = REGISTER_CLOS;
	}
	if (reg % REGISTER_SIZE == 0)
		access_clos(punit->state, word, (reg - first) / REGISTER_SIZE, writes, value,
			    &answer);
	return answer;
}

static uint8_t features(const struct punit_state *state)
{
	return (uint8_t)((state->base_freq_on ? PUNIT_BASE_FREQ : 0) |
			 (state->turbo_freq_on ? PUNIT_TURBO_FREQ : 0));
}

static uint8_t core_power(const struct punit_state *state)
{
	return (uint8_t)((state->cp_enabled ? PUNIT_CP_ENABLED : 0) |
			 (state->clos_ordered ? PUNIT_CP_ORDERED : 0));
}

void punit_set_features(struct punit *punit, const struct punit_response *response, bool base_freq,
			bool turbo_freq)
{
	struct punit_state *state = punit->state;
	const struct punit_level *level = punit_find_level(punit->fuses, state->current_level);

	if (response->ignores_writes)
		return;
	state->feature_lag = (struct punit_lag){ response->slow_reads, features(state) };
	state->base_freq_on = base_freq && level && level->has_base_freq;
	state->turbo_freq_on = turbo_freq && level && level->has_turbo_freq;
}

void punit_set_core_power(struct punit *punit, const struct punit_response *response, bool enabled,
			  bool ordered)
{
	struct punit_state *state = punit->state;

	if (response->ignores_writes || !punit->fuses->cp_supported)
		return;
	state->cp_lag = (struct punit_lag){ response->slow_reads, core_power(state) };
	state->cp_enabled = enabled;
	state->clos_enabled = enabled;
	state->clos_ordered = ordered;
}

static uint8_t show(struct punit_lag *lag, uint8_t now)
{
	if (!lag->reads)
		return now;
	lag->reads--;
	return lag->shown;
}

uint8_t punit_show_features(struct punit *punit)
{
	return show(&punit->state->feature_lag, features(punit->state));
}

uint8_t punit_show_core_power(struct punit *punit)
{
	return show(&punit->state->cp_lag, core_power(punit->state));
}
