// SPDX-License-Identifier: GPL-2.0-only
/* Values of settings in state documents. */
#include "settings/value.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"

bool value_is_word(const struct state_value *value, const char *word)
{
	return value && value->kind == STATE_WORD && strcmp(value->text, word) == 0;
}

struct state_value value_of_file_error(int err)
{
	bool lacks = err == -ENOENT || err == -ENODEV || err == -ENXIO || err == -EOPNOTSUPP;

	return lacks ? value_of(STATE_LACKING, 0) : value_of_error(err);
}

struct state_value value_of_text(enum setting_id id, const char *text)
{
	const struct setting *setting = setting_get(id);
	uint64_t number;

	if (setting->from_file)
		text = setting->from_file(text);
	if (setting->type == SETTING_TYPE_TEXT || number_parse_file(text, &number))
		return value_of_word(text);
	switch (setting->type) {
	case SETTING_TYPE_BOOLEAN:
		return value_of(STATE_BOOLEAN, number != 0);
	case SETTING_TYPE_MHZ:
	case SETTING_TYPE_HUNDREDS:
		return value_of(STATE_KHZ, number);
	case SETTING_TYPE_DECIMAL:
		return value_of(STATE_DECIMAL,
				(number + setting->file_units / 2) / setting->file_units);
	default:
		return value_of(STATE_NUMBER, number);
	}
}

static bool is_name(const char *text)
{
	size_t length = 0;

	while (text[length] > ' ' && text[length] <= '~')
		length++;
	return length > 0 && length <= STATE_MAX_TEXT && text[length] == '\0';
}

bool state_value_is_possible(enum setting_id id, const struct state_value *value)
{
	const struct setting *setting = setting_get(id);
	const uint32_t step =
		setting->type == SETTING_TYPE_HUNDREDS ? KHZ_PER_RATIO : setting->step;

	switch (value->kind) {
	case STATE_NUMBER:
	case STATE_DECIMAL:
	case STATE_KHZ:
		return value->number >= setting->min && value->number <= setting->max &&
		       value->number % (step ?: 1) == 0;
	case STATE_WORD:
		for (size_t i = 0; setting->words && setting->words[i]; i++) {
			if (strcmp(setting->words[i], value->text) == 0)
				return true;
		}
		return setting->type == SETTING_TYPE_TEXT && is_name(value->text);
	default:
		return true;
	}
}

bool state_is_partly(const struct state_value *value)
{
	return value_is_word(value, STATE_PARTLY) || value_is_word(value, STATE_PM_CONFIG_ONLY) ||
	       value_is_word(value, STATE_CLOS_ONLY);
}

void state_value_merge(struct state_value *value, struct state_value part)
{
	if (value->kind == STATE_ASKED)
		*value = part;
	else if (value->kind != STATE_UNREADABLE && part.kind == STATE_UNREADABLE)
		*value = part;
	else if (value->kind != STATE_UNREADABLE && !state_value_equal(value, &part))
		*value = value_of_word(STATE_PARTLY);
}

bool state_value_equal(const struct state_value *left, const struct state_value *right)
{
	if (left->kind != right->kind)
		return false;
	switch (left->kind) {
	case STATE_NONE:
	case STATE_ASKED:
	case STATE_LACKING:
		return true;
	case STATE_UNREADABLE:
		return left->error == right->error;
	case STATE_WORD:
		return strcmp(left->text, right->text) == 0;
	default:
		return left->number == right->number;
	}
}

char *state_value_format(const struct state_value *value)
{
	char mhz[NUMBER_MHZ_SIZE];

	switch (value->kind) {
	case STATE_BOOLEAN:
		return strdup(value->number ? "true" : "false");
	case STATE_NUMBER:
		return text_format("%" PRIu64, value->number);
	case STATE_KHZ:
	case STATE_DECIMAL:
		if (value->is_highest)
			return strdup("max");
		number_format_mhz((uint32_t)value->number, mhz);
		return strdup(mhz);
	case STATE_RATIOS:
		return text_format("0x%016" PRIx64, value->number);
	case STATE_WORD:
		return strdup(value->text);
	default:
		return strdup("-");
	}
}

json_t *state_value_to_json(const struct state_value *value)
{
	_cleanup_free_ char *text = NULL;

	switch (value->kind) {
	case STATE_BOOLEAN:
		return json_boolean(value->number);
	case STATE_NUMBER:
		return json_integer((json_int_t)value->number);
	case STATE_KHZ:
	case STATE_DECIMAL:
		if (value->is_highest)
			return json_string("max");
		return value->number % KHZ_PER_MHZ
			       ? json_real((double)value->number / KHZ_PER_MHZ)
			       : json_integer((json_int_t)(value->number / KHZ_PER_MHZ));
	case STATE_RATIOS:
	case STATE_WORD:
		text = state_value_format(value);
		return text ? json_string(text) : NULL;
	default:
		return json_null();
	}
}
