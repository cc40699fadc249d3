// SPDX-License-Identifier: GPL-2.0-only
/*
 * The firmware's side of the mailbox and of the MMIO window (hardware.md, section 3, and
 * platform-file.md, "What the machine does with it"). A request that fails leaves everything as it
 * was. The answers about one level are in punit_levels.c. Freestanding: nothing here calls a
 * library.
 */
#include "simulator/punit_levels.h"

#include <stddef.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define COMMAND_CONFIG_TDP 0x7f
#define COMMAND_READ_PM    0x94
#define COMMAND_WRITE_PM   0x95
#define COMMAND_CLOS       0xd0

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

/* The answer to a word. */
typedef uint8_t word_answer(struct punit *punit, uint32_t parameter, uint32_t data,
			    uint32_t *ret_answer);

struct word {
	uint8_t command;
	uint8_t sub_command;
	word_answer *answer;
};

const struct punit_level *punit_find_level(const struct punit_fuses *fuses, uint8_t level)
{
	for (size_t i = 0; i < fuses->n_levels; i++) {
		if (fuses->levels[i].level == level)
			return &fuses->levels[i];
	}
	return NULL;
}

/* Words that read or set the state. */

static uint8_t get_levels_info(struct punit *punit, uint32_t parameter, uint32_t data,
			       uint32_t *ret_answer)
{
	const struct punit_fuses *fuses = punit->fuses;
	uint8_t highest = 0;

	(void)parameter;
	(void)data;
	for (size_t i = 0; i < fuses->n_levels; i++) {
		if (fuses->levels[i].level > highest)
			highest = fuses->levels[i].level;
	}
	*ret_answer = fuses->pp_version | (uint32_t)highest << 8 |
		      (uint32_t)punit->state->current_level << 16 |
		      punit_make_bit(fuses->locked, 24) | punit_make_bit(fuses->pp_enabled, 31);
	return PUNIT_SUCCESS;
}

static uint8_t get_tdp_control(struct punit *punit, uint32_t parameter, uint32_t data,
			       uint32_t *ret_answer)
{
	const struct punit_level *level = punit_find_level(punit->fuses, (uint8_t)(data & 0xff));
	const struct punit_state *state = punit->state;
	bool is_current;

	(void)parameter;
	if (!level)
		return PUNIT_ILLEGAL_DATA;
	is_current = level->level == state->current_level;
	*ret_answer = punit_make_bit(level->has_turbo_freq, 0) |
		      punit_make_bit(level->has_base_freq, 1) |
		      punit_make_bit(is_current && state->turbo_freq_on, BIT_TURBO_FREQ) |
		      punit_make_bit(is_current && state->base_freq_on, BIT_BASE_FREQ);
	return PUNIT_SUCCESS;
}

static uint8_t set_tdp_control(struct punit *punit, uint32_t parameter, uint32_t data,
			       uint32_t *ret_answer)
{
	struct punit_state *state = punit->state;
	const struct punit_level *level = punit_find_level(punit->fuses, state->current_level);
	bool turbo_freq = punit_has_bit(data, BIT_TURBO_FREQ),
	     base_freq = punit_has_bit(data, BIT_BASE_FREQ);

	(void)parameter;
	if (turbo_freq && (!level || !level->has_turbo_freq || !state->clos_enabled))
		return PUNIT_ILLEGAL_DATA;
	if (base_freq && (!level || !level->has_base_freq))
		return PUNIT_ILLEGAL_DATA;
	state->turbo_freq_on = turbo_freq;
	state->base_freq_on = base_freq;
	*ret_answer = 0;
	return PUNIT_SUCCESS;
}

/* To set the level that is current changes nothing: only a change resets the features. */
static uint8_t set_level(struct punit *punit, uint32_t parameter, uint32_t data,
			 uint32_t *ret_answer)
{
	const struct punit_fuses *fuses = punit->fuses;
	const struct punit_level *level = punit_find_level(fuses, (uint8_t)(data & 0xff));

	(void)parameter;
	if (fuses->locked || !level || !punit_has_bit(fuses->allowed_level_mask, level->level))
		return PUNIT_ILLEGAL_DATA;
	*ret_answer = 0;
	if (level->level == punit->state->current_level)
		return PUNIT_SUCCESS;
	punit->state->current_level = level->level;
	punit->state->base_freq_on = 0;
	punit->state->turbo_freq_on = 0;
	if (level->n_turbo_rows)
		punit->package->turbo_ratio_limit = punit_pack_buckets(level->turbo_ratios[0]);
	return PUNIT_SUCCESS;
}

static uint8_t read_pm_config(struct punit *punit, uint32_t parameter, uint32_t data,
			      uint32_t *ret_answer)
{
	(void)parameter;
	(void)data;
	*ret_answer = punit_make_bit(punit->fuses->cp_supported, 0) |
		      punit_make_bit(punit->state->cp_enabled, BIT_CP_ENABLED);
	return PUNIT_SUCCESS;
}

static uint8_t write_pm_config(struct punit *punit, uint32_t parameter, uint32_t data,
			       uint32_t *ret_answer)
{
	(void)parameter;
	if (!punit->fuses->cp_supported)
		return PUNIT_ILLEGAL_DATA;
	punit->state->cp_enabled = punit_has_bit(data, BIT_CP_ENABLED);
	*ret_answer = 0;
	return PUNIT_SUCCESS;
}

static uint32_t read_association(const struct punit_state *state, size_t core)
{
	return (uint32_t)state->association[core] << SHIFT_ASSOCIATION;
}

static void write_association(struct punit_state *state, size_t core, uint32_t word)
{
	state->association[core] = (uint8_t)(word >> SHIFT_ASSOCIATION & 3);
}

static uint32_t read_qos_config(const struct punit_state *state)
{
	return punit_make_bit(state->clos_enabled, BIT_CLOS_ENABLED) |
	       punit_make_bit(state->clos_ordered, BIT_CLOS_ORDERED);
}

static uint8_t write_qos_config(struct punit_state *state, uint32_t word)
{
	if (state->turbo_freq_on && !punit_has_bit(word, BIT_CLOS_ENABLED))
		return PUNIT_ILLEGAL_DATA;
	state->clos_enabled = punit_has_bit(word, BIT_CLOS_ENABLED);
	state->clos_ordered = punit_has_bit(word, BIT_CLOS_ORDERED);
	return PUNIT_SUCCESS;
}

/* The id in the parameter of a CLOS word, or limit where that is not an id or more is set there. */
static uint32_t clos_word_id(uint32_t parameter, uint32_t limit)
{
	uint32_t id = parameter & ~(1U << BIT_WRITE);

	return id < limit ? id : limit;
}

static uint8_t access_association(struct punit *punit, uint32_t parameter, uint32_t data,
				  uint32_t *ret_answer)
{
	uint32_t core = clos_word_id(parameter, PUNIT_MAX_CORES);

	if (!punit->fuses->clos_by_mailbox)
		return PUNIT_INVALID_COMMAND;
	if (core == PUNIT_MAX_CORES)
		return PUNIT_ILLEGAL_DATA;
	if (punit_has_bit(parameter, BIT_WRITE))
		write_association(punit->state, core, data);
	*ret_answer = read_association(punit->state, core);
	return PUNIT_SUCCESS;
}

static uint8_t access_clos(struct punit *punit, uint32_t parameter, uint32_t data,
			   uint32_t *ret_answer)
{
	uint32_t clos = clos_word_id(parameter, PUNIT_CLOS_COUNT);

	if (!punit->fuses->clos_by_mailbox)
		return PUNIT_INVALID_COMMAND;
	if (clos == PUNIT_CLOS_COUNT)
		return PUNIT_ILLEGAL_DATA;
	if (punit_has_bit(parameter, BIT_WRITE))
		punit->state->clos[clos] = data;
	*ret_answer = punit->state->clos[clos];
	return PUNIT_SUCCESS;
}

static uint8_t access_qos_config(struct punit *punit, uint32_t parameter, uint32_t data,
				 uint32_t *ret_answer)
{
	uint8_t code = PUNIT_SUCCESS;

	if (clos_word_id(parameter, 1) != 0)
		return PUNIT_ILLEGAL_DATA;
	if (punit_has_bit(parameter, BIT_WRITE))
		code = write_qos_config(punit->state, data);
	if (code == PUNIT_SUCCESS)
		*ret_answer = read_qos_config(punit->state);
	return code;
}

static const struct word words[] = {
	{ .command = COMMAND_CONFIG_TDP, .sub_command = 0x00, .answer = get_levels_info },
	{ .command = COMMAND_CONFIG_TDP, .sub_command = 0x01, .answer = get_tdp_control },
	{ .command = COMMAND_CONFIG_TDP, .sub_command = 0x02, .answer = set_tdp_control },
	{ .command = COMMAND_CONFIG_TDP, .sub_command = 0x08, .answer = set_level },
	{ .command = COMMAND_CLOS, .sub_command = 0x00, .answer = access_association },
	{ .command = COMMAND_CLOS, .sub_command = 0x01, .answer = access_clos },
	{ .command = COMMAND_CLOS, .sub_command = 0x02, .answer = access_qos_config },
	{ .command = COMMAND_READ_PM, .sub_command = 0x03, .answer = read_pm_config },
	{ .command = COMMAND_WRITE_PM, .sub_command = 0x03, .answer = write_pm_config },
};

/* Does this part's firmware refuse the sub-command of 0x7F? */
static bool is_unanswered(const struct punit_fuses *fuses, uint8_t sub_command)
{
	return sub_command >= 64 || (fuses->unanswered >> sub_command & 1);
}

uint8_t punit_mailbox(struct punit *punit, uint8_t command, uint8_t sub_command, uint32_t parameter,
		      uint32_t data, uint32_t *ret_answer)
{
	if (command == COMMAND_CONFIG_TDP && is_unanswered(punit->fuses, sub_command))
		return PUNIT_INVALID_COMMAND;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (words[i].command == command && words[i].sub_command == sub_command)
			return words[i].answer(punit, parameter, data, ret_answer);
	}
	if (command != COMMAND_CONFIG_TDP)
		return PUNIT_INVALID_COMMAND;
	return punit_levels_answer(punit->fuses, sub_command, data, ret_answer);
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

/* Is reg one of count registers from first on? */
static bool find_register(uint32_t reg, uint32_t first, uint32_t count, uint32_t *ret_index)
{
	if (reg < first || reg % REGISTER_SIZE || (reg - first) / REGISTER_SIZE >= count)
		return false;
	*ret_index = (reg - first) / REGISTER_SIZE;
	return true;
}

uint32_t punit_mmio_read(const struct punit *punit, uint32_t reg)
{
	uint32_t index;

	if (reg == REGISTER_QOS_CONFIG)
		return read_qos_config(punit->state);
	if (find_register(reg, REGISTER_CLOS, PUNIT_CLOS_COUNT, &index))
		return punit->state->clos[index];
	if (find_register(reg, REGISTER_ASSOCIATION, PUNIT_MAX_CORES, &index))
		return read_association(punit->state, index);
	return 0;
}

void punit_mmio_write(struct punit *punit, uint32_t reg, uint32_t value)
{
	uint32_t index;

	if (reg == REGISTER_QOS_CONFIG)
		(void)write_qos_config(punit->state, value);
	else if (find_register(reg, REGISTER_CLOS, PUNIT_CLOS_COUNT, &index))
		punit->state->clos[index] = value;
	else if (find_register(reg, REGISTER_ASSOCIATION, PUNIT_MAX_CORES, &index))
		write_association(punit->state, index, value);
}
