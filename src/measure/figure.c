// SPDX-License-Identifier: GPL-2.0-only
/* Sets figures of measurements in JSON objects, with their sources or the reasons why there are
 * none. */
#include "measure/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOURCE "-source"

#include "base/buffer.h"

static void set_beside(json_t *object, const char *name, const char *suffix, const char *text)
{
	char key[96];

	snprintf(key, sizeof(key), "%s-%s", name, suffix);
	if (text)
		json_object_set_new(object, key, json_string(text));
}

void figure_set(json_t *object, const char *name, double value, int decimals, const char *source)
{
	double unit = 1;

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	value = round(value * unit) / unit;
	if (!isfinite(value)) {
		figure_lack(object, name, "the counters give no number");
		return;
	}
	/* -0 would be shown as such */
	json_object_set_new(object, name, json_real(value == 0 ? 0 : value));
	set_beside(object, name, "source", source);
}

void figure_set_count(json_t *object, const char *name, uint64_t count, const char *source)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
	set_beside(object, name, "source", source);
}

void figure_lack(json_t *object, const char *name, const char *reason)
{
	json_object_set_new(object, name, json_null());
	set_beside(object, name, "reason", reason);
}

void figure_mark_model(json_t *value)
{
	const char *key, *text;
	json_t *member;
	void *next;
	size_t i;

	json_array_foreach (value, i, member)
		figure_mark_model(member);
	json_object_foreach_safe(value, next, key, member)
	{
		const size_t length = strlen(key);

		figure_mark_model(member);
		text = json_string_value(member);
		if (text && length > strlen(SOURCE) &&
		    strcmp(key + length - strlen(SOURCE), SOURCE) == 0 &&
		    strncmp(text, FIGURE_MODEL, strlen(FIGURE_MODEL)) != 0)
			json_object_set_new(value, key, json_sprintf(FIGURE_MODEL "%s", text));
	}
}

int figure_get(const json_t *object, const char *name, double *ret_value)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_number(value))
		return -ENODATA;
	*ret_value = json_number_value(value);
	return 0;
}

const char *figure_reason(const json_t *object, const char *name)
{
	char key[96];

	snprintf(key, sizeof(key), "%s-reason", name);
	return json_string_value(json_object_get(object, key));
}

char *figure_format_range(const json_t *object, const char *low_name, const char *high_name)
{
	double low, high;

	if (figure_get(object, low_name, &low))
		return NULL;
	return figure_get(object, high_name, &high) ? text_format("%.0f", low)
						    : text_format("%.0f-%.0f", low, high);
}
