// SPDX-License-Identifier: GPL-2.0-only
/* Writes JSON that people read and compare line by line. A value that fits into a line is one line;
 * other values have a line for each member. */
#include "record/parts.h"

#include <string.h>

#include "base/cleanup.h"

#define MAX_COLUMNS 100
#define MAX_MEMBERS 16 /* of a value that may be on one line */

/* Appends the value on one line if it fits. A value without members always fits. Returns false if
 * the value does not fit. */
static bool append_flat(struct buffer *to, const json_t *value, size_t column)
{
	size_t n_members = json_array_size(value) + json_object_size(value);
	bool is_list = json_is_array(value) || json_is_object(value);
	_cleanup_free_ char *text = NULL;

	if (n_members > MAX_MEMBERS)
		return false;
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	to->has_failed |= !text;
	if (!text || (is_list && column + strlen(text) >= MAX_COLUMNS))
		return false;
	buffer_append_string(to, text);
	return true;
}

static void start_line(struct buffer *to, unsigned int indent)
{
	buffer_append_char(to, '\n');
	for (unsigned int i = 0; i < indent; i++)
		buffer_append_char(to, ' ');
}

static void append_value(struct buffer *to, const json_t *value, unsigned int indent, size_t column)
{
	_cleanup_json_ json_t *key = NULL;
	const char *name, *comma = "";
	json_t *member;
	size_t i;

	if (append_flat(to, value, column))
		return;
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
		append_flat(to, key, 0);
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
