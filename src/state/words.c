// SPDX-License-Identifier: GPL-2.0-only
/* Resolves the words of a state document, such as "base" and "max", to values for the state after
 * apply. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "sst/values.h"
#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "state/compare.h"

static struct state_value khz(uint64_t value)
{
	return (struct state_value){ .kind = STATE_KHZ, .number = value };
}

uint64_t comparison_find_base_khz(const struct setting_view *view, const struct place *place)
{
	const struct wanted_level *level = view_find_level(view, place);
	const struct platform *platform = view->state->platform;
	const struct power_domain *domain =
		level ? domains_find(&platform->domains, place->cpu) : NULL;
	const struct sst_base_freq *base_freq;
	const struct state_value *wanted;
	bool is_on;

	if (!level || level->info_error || !domain || platform->base_freq_by_cpufreq)
		return 0;
	wanted = state_rows_find_value(view->wanted, SETTING_BASE_FREQ, 0,
				       (size_t)(level - view->levels));
	is_on = wanted && wanted->kind == STATE_BOOLEAN
			? wanted->number
			: !level->is_changed && level->info.base_freq_on;
	base_freq = &level->info.base_freq;
	if (is_on && level->info.base_freq_supported)
		return (cpuset_has(&base_freq->high_cpus, place->cpu) ? base_freq->high_mhz
								      : base_freq->low_mhz) *
		       KHZ_PER_MHZ;
	return level->info.base_mhz * KHZ_PER_MHZ;
}

/* A limit of a policy: the words are files, but for the base frequency that Speed Select has. */
static int resolve_policy_word(struct setting_view *view, const struct place *place,
			       const char *word, struct state_value *ret_value)
{
	enum policy_frequency which = strcmp(word, "base") == 0  ? POLICY_BASE
				      : strcmp(word, "min") == 0 ? POLICY_LOWEST
								 : POLICY_HIGHEST;
	uint64_t base_khz = which == POLICY_BASE ? comparison_find_base_khz(view, place) : 0;
	uint32_t number = 0;
	int err = base_khz ? 0 : state_read_frequency(view->state, place->cpu, which, &number);

	if (!err)
		*ret_value = khz(base_khz ?: number);
	return err;
}

static int resolve_clos_word(struct setting_view *view, const struct state_row *row,
			     const struct place *place, const char *word,
			     struct state_value *ret_value)
{
	const struct wanted_level *level = view_find_level(view, place);
	bool is_known = level && !level->info_error;
	uint32_t mhz;
	int err = value_find_clos_limit(word, row->setting == SETTING_CLOS_MAX,
					is_known ? &level->info : NULL, &mhz);

	if (err)
		return level && level->info_error ? level->info_error : err;
	*ret_value = khz(mhz * KHZ_PER_MHZ);
	return 0;
}

static int resolve_trl_word(struct setting_view *view, const struct place *place, const char *word,
			    struct state_value *ret_value)
{
	*ret_value = (struct state_value){ .kind = STATE_RATIOS, .number = STATE_OPEN_RATIOS };
	return strcmp(word, "open") == 0 ? 0
					 : comparison_read_ratios(view, place, &ret_value->number);
}

/* A part of SST-CP, as documents of past values have it, beside the other part as it is now. */
static struct state_value resolve_core_power(const struct setting_view *view, size_t place,
					     const char *word)
{
	const struct state_value *is = view_find_present(view, SETTING_CORE_POWER, place);
	bool is_on = is && is->kind == STATE_BOOLEAN && is->number;
	const char *only = is && is->kind == STATE_WORD ? is->text : "";
	bool has_pm_config = is_on || strcmp(only, STATE_PM_CONFIG_ONLY) == 0;
	bool has_clos = is_on || strcmp(only, STATE_CLOS_ONLY) == 0;

	if (strcmp(word, STATE_PM_CONFIG_ON) == 0 || strcmp(word, STATE_PM_CONFIG_OFF) == 0)
		has_pm_config = strcmp(word, STATE_PM_CONFIG_ON) == 0;
	else if (strcmp(word, STATE_CLOS_ON) == 0 || strcmp(word, STATE_CLOS_OFF) == 0)
		has_clos = strcmp(word, STATE_CLOS_ON) == 0;
	else
		return (struct state_value){ .kind = STATE_WORD, .text = word };
	if (has_pm_config == has_clos)
		return (struct state_value){ .kind = STATE_BOOLEAN, .number = has_clos };
	return (struct state_value){ .kind = STATE_WORD,
				     .text = has_clos ? STATE_CLOS_ONLY : STATE_PM_CONFIG_ONLY };
}

/* Resolves a word to the value that it means here. Words of files, and those of CPUs that are
 * still offline, stay. Returns 0, or why it cannot: -ENODATA: nothing reports it. */
static int resolve_word(struct setting_view *view, const struct state_row *row, size_t index,
			struct state_value *value)
{
	const struct place *place = &view_places(view, row->setting)->list[index];
	struct state_value resolved = *value;
	int err = 0;

	if (setting_get(row->setting)->resolve)
		err = setting_get(row->setting)->resolve(view, row, index, &resolved);
	switch (row->setting) {
	case SETTING_CPUFREQ_MIN:
	case SETTING_CPUFREQ_MAX:
		if (!cpuset_has(view->coming, place->cpu) || strcmp(value->text, "base") == 0)
			err = resolve_policy_word(view, place, value->text, &resolved);
		resolved.is_highest = view->moves_highest && resolved.kind == STATE_KHZ &&
				      strcmp(value->text, "max") == 0;
		if (cpuset_has(view->coming, place->cpu))
			err = 0;
		break;
	case SETTING_CLOS_MIN:
	case SETTING_CLOS_MAX:
		err = resolve_clos_word(view, row, place, value->text, &resolved);
		break;
	case SETTING_CORE_POWER:
		resolved = resolve_core_power(view, index, value->text);
		break;
	case SETTING_TRL:
		err = resolve_trl_word(view, place, value->text, &resolved);
		break;
	default:
		break;
	}
	if (err)
		return err;
	resolved.entry = value->entry;
	resolved.is_implied = value->is_implied;
	resolved.is_past = value->is_past;
	*value = resolved;
	return 0;
}

const char *comparison_find_epp_name(const struct state_value *value, char number[24])
{
	if (value->kind == STATE_WORD)
		return cpufreq_find_epp_name(value->text) ?: value->text;
	snprintf(number, 24, "%" PRIu64, value->number);
	return cpufreq_find_epp_name(number) ?: number;
}

/* The kernel raises a lower limit in percent to the share that the lowest frequency has of the
 * highest one, which differs between machines. While turbo is off, that is not known. */
static void raise_percent(struct setting_view *view, struct state_value *value)
{
	struct state_machine *state = view->state;
	uint32_t cpu = cpuset_next(&state->machine->topology.online, 0), lowest, highest;
	const struct state_value *turbo = view_find_present(view, SETTING_TURBO, 0);

	if (value->kind == STATE_NUMBER && turbo && turbo->kind == STATE_BOOLEAN && turbo->number &&
	    !state_read_frequency(state, cpu, POLICY_LOWEST, &lowest) &&
	    !state_read_frequency(state, cpu, POLICY_HIGHEST, &highest) && highest &&
	    value->number < (uint64_t)lowest * 100 / highest)
		value->number = (uint64_t)lowest * 100 / highest;
}

int comparison_resolve_words(struct setting_view *view)
{
	struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];

		if (row->setting == SETTING_MIN_PCT)
			raise_percent(view, row->values);
		for (size_t j = 0; j < view_places(view, row->setting)->count; j++) {
			struct state_value *value = &row->values[j];
			const char *word = value->kind == STATE_WORD ? value->text : NULL;
			int err = word ? resolve_word(view, row, j, value) : 0;

			if (err == -ENOMEM)
				return err;
			if (!err)
				continue;
			view->report_value(view, row, j,
					   err == -ENODATA || err == -ENOENT || err == -ENOTSUP
						   ? REPORT_UNSUPPORTED
						   : report_kind_of(err),
					   "\"%s\" is not known here: %s", word,
					   err == -ENODATA || err == -ENOENT || err == -ENOTSUP
						   ? "nothing reports such a frequency"
						   : strerror(-err));
			value->kind = STATE_NONE;
		}
	}
	return 0;
}
