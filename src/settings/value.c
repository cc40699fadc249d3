// SPDX-License-Identifier: GPL-2.0-only
/* Values of settings in state documents. */
#include "settings/value.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"

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
