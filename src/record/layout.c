// SPDX-License-Identifier: GPL-2.0-only
/* JSON that people read and compare line by line: a value that fits into a line is one, others
 * have a line for each of their members. */
#include "record/parts.h"

#include <string.h>

#include "base/cleanup.h"

#define MAX_COLUMNS 100

/* Appends the value on one line. */
static void append_flat(struct buffer *to, const json_t *value)
{
	_cleanup_free_ char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	if (text)
		buffer_append_string(to, text);
	else
		to->has_failed = true;
}

static void start_line(struct buffer *to, unsigned int indent)
{
	buffer_append_char(to, '\n');
	for (unsigned int i = 0; i < indent; i++)
		buffer_append_char(to, ' ');
}

static bool is_simple(const json_t *value)
{
	return !json_is_array(value) && !json_is_object(value);
}

/* Cheap first look: can the value be a line? */
static bool may_fit(const json_t *value)
{
	return is_simple(value) || json_array_size(value) + json_object_size(value) <= 16;
}

static bool fits(const json_t *value, size_t column)
{
	_cleanup_free_ char *text =
		may_fit(value) ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	return is_simple(value) || (text && column + strlen(text) < MAX_COLUMNS);
}

static void append_value(struct buffer *to, const json_t *value, unsigned int indent, size_t column)
{
	_cleanup_json_ json_t *key = NULL;
	const char *name, *comma = "";
	json_t *member;
	size_t i;

	if (fits(value, column)) {
		append_flat(to, value);
		return;
	}
	buffer_append_char(to, json_is_array(value) ? '[' : '{');
	json_array_foreach (value, i, member) {
		buffer_append_string(to, comma);
		start_line(to, indent + 1);
		append_value(to, member, indent + 1, indent + 1);
		comma = ",";
	}
	json_object_foreach ((json_t *)(uintptr_t)value, name, member) {
		size_t start;

		buffer_append_string(to, comma);
		start_line(to, indent + 1);
		start = to->length;
		key = json_string(name);
		append_flat(to, key);
		json_decref(steal(key));
		buffer_append_string(to, ": ");
		append_value(to, member, indent + 1, indent + 1 + to->length - start);
		comma = ",";
	}
	start_line(to, indent);
	buffer_append_char(to, json_is_array(value) ? ']' : '}');
}

void layout_append(struct buffer *to, const json_t *value, unsigned int indent)
{
	append_value(to, value, indent, indent);
	buffer_append_char(to, '\n');
}
