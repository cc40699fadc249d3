// SPDX-License-Identifier: GPL-2.0-only
/* Resolves the words of a state document, such as "base" and "max", to values for the state after
 * apply. */
#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "sst/values.h"
#include "base/cleanup.h"
#include "state/compare.h"

static struct state_value khz(uint64_t value)
{
	return (struct state_value){ .kind = STATE_KHZ, .number = value };
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

/* Resolves a value to the one that it means here. Words of files, and those of CPUs that are
 * still offline, stay. Returns 0, or why it cannot: -ENODATA: nothing reports it. */
static int resolve(struct setting_view *view, const struct state_row *row, size_t index,
		   struct state_value *value)
{
	const struct place *place = &view_places(view, row->setting)->list[index];
	struct state_value resolved = *value;
	int err = 0;

	if (setting_get(row->setting)->resolve)
		err = setting_get(row->setting)->resolve(view, row, index, &resolved);
	else if (value->kind != STATE_WORD)
		return 0;
	switch (row->setting) {
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

int comparison_resolve_words(struct setting_view *view)
{
	struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < view_places(view, row->setting)->count; j++) {
			struct state_value *value = &row->values[j];
			const char *word = value->kind == STATE_WORD ? value->text : NULL;
			int err = value->kind == STATE_NONE ? 0 : resolve(view, row, j, value);

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
