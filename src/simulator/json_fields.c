// SPDX-License-Identifier: GPL-2.0-only
/* Members of JSON objects by type and range. The path to a value is kept while it is read, for the
 * message about the first problem. */
#include "simulator/json_fields.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define MHZ_PER_RATIO 100
#define MAX_RATIO     255

/* Whatever names and texts hold: a message is one line. */
static void replace_controls(char *message)
{
	for (; *message; message++) {
		if (iscntrl((unsigned char)*message))
			*message = '?';
	}
}

static void keep_message(struct json_reader *reader, char *message)
{
	reader->err = message ? -EINVAL : -ENOMEM;
	reader->message = message;
	if (message)
		replace_controls(message);
}

json_t *json_reader_load(struct json_reader *reader, const char *text, size_t length)
{
	json_error_t error;
	json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	char *message;

	if (value)
		return value;
	if (json_error_code(&error) == json_error_out_of_memory ||
	    asprintf(&message, "%s:%d: %s", reader->file_name, error.line > 0 ? error.line : 1,
		     error.text) < 0)
		message = NULL;
	keep_message(reader, message);
	return NULL;
}

int json_reader_finish(struct json_reader *reader, char **ret_message)
{
	if (reader->message)
		*ret_message = steal_pointer(reader->message);
	return reader->err;
}

void json_refuse(struct json_reader *reader, const char *member, const char *format, ...)
{
	const char *dot = member && *reader->path && *member != '[' ? "." : "";
	bool has_path = member || *reader->path;
	_cleanup_free_ char *problem = NULL;
	char *message = NULL;
	va_list arguments;

	if (reader->err)
		return;
	va_start(arguments, format);
	problem = text_format_list(format, arguments);
	va_end(arguments);
	if (problem && asprintf(&message, "%s: %s%s%s%s%s", reader->file_name, reader->path, dot,
				member ? member : "", has_path ? ": " : "", problem) < 0)
		message = NULL;
	keep_message(reader, message);
}

void json_refuse_memory(struct json_reader *reader)
{
	if (!reader->err)
		reader->err = -ENOMEM;
}

void json_check_limit(struct json_reader *reader, const char *member, uint32_t value,
		      const char *limit_name, uint32_t limit)
{
	if (value > limit)
		json_refuse(reader, member, "%" PRIu32 " is above %s", value, limit_name);
}

/* Appends a member or, without a name, an index to the path. Returns where the path ended. */
static size_t enter(struct json_reader *reader, const char *name, size_t index)
{
	size_t end = strlen(reader->path), left = sizeof(reader->path) - end;

	if (name)
		snprintf(reader->path + end, left, "%s%s", end ? "." : "", name);
	else
		snprintf(reader->path + end, left, "[%zu]", index);
	return end;
}

static void leave(struct json_reader *reader, size_t end)
{
	reader->path[end] = '\0';
}

/* Can the value be read: was there no problem so far, and does it exist? */
static bool is_readable(struct json_reader *reader, const json_t *value)
{
	if (!reader->err && !value)
		json_refuse(reader, NULL, "is missing");
	return !reader->err;
}

static bool read_bool(struct json_reader *reader, json_t *value)
{
	if (is_readable(reader, value) && !json_is_boolean(value))
		json_refuse(reader, NULL, "must be true or false");
	return json_is_true(value);
}

static char *copy_text(struct json_reader *reader, json_t *value)
{
	const char *text = json_read_text(reader, value);
	char *copy;

	if (!text)
		return NULL;
	if (*text == '\0') {
		json_refuse(reader, NULL, "must not be empty");
		return NULL;
	}
	copy = strdup(text);
	if (!copy)
		json_refuse_memory(reader);
	return copy;
}

static void read_value(struct json_reader *reader, json_t *value, const struct json_field *field,
		       void *to)
{
	switch (field->kind) {
	case JSON_U8:
		*(uint8_t *)to = (uint8_t)json_read_number(reader, value, field->min, field->max);
		break;
	case JSON_U16:
		*(uint16_t *)to = (uint16_t)json_read_number(reader, value, field->min, field->max);
		break;
	case JSON_U32:
		*(uint32_t *)to = json_read_number(reader, value, field->min, field->max);
		break;
	case JSON_YES:
		*(bool *)to = read_bool(reader, value);
		break;
	case JSON_FLAG:
		*(bool *)to = json_read_number(reader, value, 0, 1);
		break;
	case JSON_RATIO:
		json_read_ratio(reader, value, to);
		break;
	case JSON_TEXT:
		*(char **)to = copy_text(reader, value);
		break;
	case JSON_WORD:
		*(uint32_t *)to = json_read_word(reader, value, field->words);
		break;
	case JSON_NESTED:
		json_read_fields(reader, value, field->fields, to);
		break;
	case JSON_CALL:
		if (is_readable(reader, value))
			field->read(reader, value, to);
		break;
	case JSON_SKIP:
		is_readable(reader, value);
		break;
	}
}

static void check_names(struct json_reader *reader, json_t *object, const struct json_field *fields)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		const struct json_field *field = fields;

		while (field->name && strcmp(field->name, name) != 0)
			field++;
		if (!field->name)
			json_refuse(reader, name, "a member of this name is not known");
	}
}

void json_read_field(struct json_reader *reader, json_t *object, const struct json_field *field,
		     void *to)
{
	json_t *value = json_object_get(object, field->name);
	size_t end = enter(reader, field->name, 0);

	if (value || !field->is_optional)
		read_value(reader, value, field, (char *)to + field->offset);
	leave(reader, end);
}

void json_read_fields(struct json_reader *reader, json_t *object, const struct json_field *fields,
		      void *to)
{
	if (!is_readable(reader, object))
		return;
	if (!json_is_object(object)) {
		json_refuse(reader, NULL, "must be an object");
		return;
	}
	check_names(reader, object, fields);
	for (const struct json_field *field = fields; field->name && !reader->err; field++)
		json_read_field(reader, object, field, to);
}

void json_read_member(struct json_reader *reader, json_t *object, const char *name, json_read *read,
		      void *to)
{
	size_t end = enter(reader, name, 0);
	json_t *value = json_object_get(object, name);

	if (is_readable(reader, value))
		read(reader, value, to);
	leave(reader, end);
}

size_t json_read_list(struct json_reader *reader, json_t *list, size_t min, size_t max,
		      json_read *read, void *to, size_t element_size)
{
	size_t count = json_array_size(list);

	if (!is_readable(reader, list))
		return 0;
	if (!json_is_array(list))
		json_refuse(reader, NULL, "must be a list");
	else if (count != min && min == max)
		json_refuse(reader, NULL, "must have %zu elements, not %zu", min, count);
	else if (count < min || count > max)
		json_refuse(reader, NULL, "must have %zu to %zu elements, not %zu", min, max,
			    count);
	for (size_t i = 0; i < count && !reader->err; i++) {
		size_t end = enter(reader, NULL, i);

		read(reader, json_array_get(list, i), (char *)to + i * element_size);
		leave(reader, end);
	}
	return reader->err ? 0 : count;
}

bool json_check_range(struct json_reader *reader, const char *member, int64_t number, uint32_t min,
		      uint32_t max)
{
	if (number >= min && number <= max)
		return true;
	if (min == max)
		json_refuse(reader, member, "must be %" PRIu32 ", not %" PRId64, min, number);
	else
		json_refuse(reader, member, "must be from %" PRIu32 " to %" PRIu32 ", not %" PRId64,
			    min, max, number);
	return false;
}

uint32_t json_read_number(struct json_reader *reader, json_t *value, uint32_t min, uint32_t max)
{
	json_int_t number = json_integer_value(value);

	if (!is_readable(reader, value))
		return 0;
	if (!json_is_integer(value))
		json_refuse(reader, NULL, "must be a whole number");
	else if (json_check_range(reader, NULL, number, min, max))
		return (uint32_t)number;
	return 0;
}

void json_read_count(struct json_reader *reader, json_t *value, void *to)
{
	*(uint8_t *)to = (uint8_t)json_read_number(reader, value, 0, UINT8_MAX);
}

void json_read_ratio(struct json_reader *reader, json_t *value, void *to)
{
	uint32_t mhz = json_read_number(reader, value, 0, MAX_RATIO * MHZ_PER_RATIO);

	if (mhz % MHZ_PER_RATIO)
		json_refuse(reader, NULL, "must be a multiple of %d MHz, not %" PRIu32,
			    MHZ_PER_RATIO, mhz);
	*(uint8_t *)to = (uint8_t)(mhz / MHZ_PER_RATIO);
}

const char *json_read_text(struct json_reader *reader, json_t *value)
{
	const char *text = json_string_value(value);

	if (!is_readable(reader, value))
		return NULL;
	if (!text) {
		json_refuse(reader, NULL, "must be a text");
		return NULL;
	}
	for (const char *character = text; *character; character++) {
		if (iscntrl((unsigned char)*character)) {
			json_refuse(reader, NULL, "must not hold control characters");
			return NULL;
		}
	}
	return text;
}

uint32_t json_read_word(struct json_reader *reader, json_t *value, const char *const *words)
{
	const char *text = json_read_text(reader, value);
	_cleanup_buffer_ struct buffer joined = { 0 };

	if (!text)
		return 0;
	for (uint32_t i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
		buffer_append_string(&joined, i ? ", \"" : "\"");
		buffer_append_string(&joined, words[i]);
		buffer_append_char(&joined, '"');
	}
	json_refuse(reader, NULL, "must be one of %s, not \"%s\"", buffer_text(&joined), text);
	return 0;
}

void json_read_set(struct json_reader *reader, json_t *value, uint32_t max, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *text = json_read_text(reader, value);
	int err = text ? cpulist_parse(text, &set) : -EINVAL;

	if (err == -ENOMEM)
		json_refuse_memory(reader);
	else if (err == -ERANGE || (!err && !cpuset_is_empty(&set) && cpuset_last(&set) > max))
		json_refuse(reader, NULL, "must not hold numbers above %" PRIu32, max);
	else if (err)
		json_refuse(reader, NULL, "must be a list such as \"0-3,8\", not \"%s\"",
			    text ? text : "");
	if (reader->err)
		return;
	*ret_set = set;
	set = (struct cpuset){ 0 };
}
