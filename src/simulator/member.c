// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading of JSON members by type and range. The way to a value is a chain of structures on the
 * callers' stacks; it becomes text, and its line is looked for, only when something is wrong.
 */
#include "simulator/member.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "simulator/json_locate.h"

#define MHZ_PER_RATIO 100
#define MAX_RATIO     255

struct member member_root(struct member_reader *reader, json_t *value)
{
	return (struct member){ .reader = reader, .value = value };
}

struct member member_of(const struct member *object, const char *name)
{
	return (struct member){
		.reader = object->reader,
		.parent = object,
		.name = name,
		.value = json_object_get(object->value, name),
	};
}

struct member member_at(const struct member *array, size_t index)
{
	return (struct member){
		.reader = array->reader,
		.parent = array,
		.index = index,
		.value = json_array_get(array->value, index),
	};
}

bool member_is_given(const struct member *member)
{
	return member->value && !json_is_null(member->value);
}

void member_refuse_memory(const struct member *member)
{
	if (!member->reader->err)
		member->reader->err = -ENOMEM;
}

static size_t count_steps(const struct member *member)
{
	size_t count = 0;

	for (; member->parent; member = member->parent)
		count++;
	return count;
}

/* Returns 0 when memory runs out: a line that no text has. */
static size_t find_line(const struct member *member)
{
	const struct member_reader *reader = member->reader;
	size_t n_steps = count_steps(member);
	_cleanup_free_ struct json_step *steps = calloc(n_steps + 1, sizeof(*steps));

	if (!steps)
		return 0;
	for (size_t i = n_steps; i > 0; i--) {
		steps[i - 1] = (struct json_step){ .member = member->name, .index = member->index };
		member = member->parent;
	}
	return json_locate(reader->text, reader->length, steps, n_steps);
}

static void write_path(const struct member *member, FILE *to)
{
	if (!member->parent)
		return;
	write_path(member->parent, to);
	if (!member->name)
		fprintf(to, "[%zu]", member->index);
	else
		fprintf(to, "%s%s", member->parent->parent ? "." : "", member->name);
}

/* Whatever the names and texts in it hold. */
void member_replace_controls(char *message)
{
	for (; *message; message++) {
		if (iscntrl((unsigned char)*message))
			*message = '?';
	}
}

__attribute__((format(printf, 2, 0))) static char *make_message(const struct member *member,
								const char *format,
								va_list arguments)
{
	size_t length, line = find_line(member);
	char *message = NULL;
	FILE *to = line ? open_memstream(&message, &length) : NULL;

	if (!to)
		return NULL;
	fprintf(to, "%s:%zu: ", member->reader->file_name, line);
	write_path(member, to);
	if (member->parent)
		fputs(": ", to);
	vfprintf(to, format, arguments);
	if (fclose(to) == 0) {
		member_replace_controls(message);
		return message;
	}
	free(message);
	return NULL;
}

void member_refuse(const struct member *member, const char *format, ...)
{
	struct member_reader *reader = member->reader;
	va_list arguments;

	if (reader->err)
		return;
	va_start(arguments, format);
	reader->message = make_message(member, format, arguments);
	va_end(arguments);
	reader->err = reader->message ? -EINVAL : -ENOMEM;
}

/* Can the member be read: is nothing wrong so far, and is it there? */
static bool is_readable(const struct member *member)
{
	if (!member->reader->err && !member->value)
		member_refuse(member, "is missing");
	return !member->reader->err;
}

static bool table_has(const struct member_field *fields, size_t n_fields, const char *name)
{
	for (size_t i = 0; i < n_fields; i++) {
		if (strcmp(fields[i].name, name) == 0)
			return true;
	}
	return false;
}

static void check_names(const struct member *object, const struct member_field *fields,
			size_t n_fields)
{
	const char *name;
	json_t *value;

	json_object_foreach (object->value, name, value) {
		struct member child = member_of(object, name);

		if (!table_has(fields, n_fields, name))
			member_refuse(&child, "a member of this name is not known");
	}
}

static bool read_bool(const struct member *member)
{
	if (is_readable(member) && !json_is_boolean(member->value))
		member_refuse(member, "must be true or false");
	return json_is_true(member->value);
}

static char *copy_text(const struct member *member)
{
	const char *text = member_read_text(member);
	char *copy;

	if (!text)
		return NULL;
	if (*text == '\0') {
		member_refuse(member, "must not be empty");
		return NULL;
	}
	copy = strdup(text);
	if (!copy)
		member_refuse_memory(member);
	return copy;
}

static void read_field(const struct member *member, const struct member_field *field, void *to)
{
	switch (field->kind) {
	case MEMBER_U8:
		*(uint8_t *)to = (uint8_t)member_read_number(member, field->min, field->max);
		break;
	case MEMBER_U16:
		*(uint16_t *)to = (uint16_t)member_read_number(member, field->min, field->max);
		break;
	case MEMBER_U32:
		*(uint32_t *)to = member_read_number(member, field->min, field->max);
		break;
	case MEMBER_BOOL:
		*(bool *)to = read_bool(member);
		break;
	case MEMBER_FLAG:
		*(bool *)to = member_read_number(member, 0, 1);
		break;
	case MEMBER_RATIO:
		*(uint8_t *)to = member_read_ratio(member);
		break;
	case MEMBER_TEXT:
		*(char **)to = copy_text(member);
		break;
	case MEMBER_NESTED:
		is_readable(member);
		break;
	case MEMBER_OPTIONAL:
		break;
	}
}

void member_read_fields(const struct member *object, const struct member_field *fields,
			size_t n_fields, void *to)
{
	if (!is_readable(object))
		return;
	if (!json_is_object(object->value)) {
		member_refuse(object, "must be an object");
		return;
	}
	check_names(object, fields, n_fields);
	for (size_t i = 0; i < n_fields && !object->reader->err; i++) {
		struct member child = member_of(object, fields[i].name);

		read_field(&child, &fields[i], to ? (char *)to + fields[i].offset : NULL);
	}
}

size_t member_read_list(const struct member *member, size_t min, size_t max)
{
	size_t count;

	if (!is_readable(member))
		return 0;
	if (!json_is_array(member->value)) {
		member_refuse(member, "must be a list");
		return 0;
	}
	count = json_array_size(member->value);
	if (count >= min && count <= max)
		return count;
	if (min == max)
		member_refuse(member, "must have %zu elements, not %zu", min, count);
	else
		member_refuse(member, "must have %zu to %zu elements, not %zu", min, max, count);
	return 0;
}

uint32_t member_read_number(const struct member *member, uint32_t min, uint32_t max)
{
	json_int_t value;

	if (!is_readable(member))
		return 0;
	if (!json_is_integer(member->value)) {
		member_refuse(member, "must be a whole number");
		return 0;
	}
	value = json_integer_value(member->value);
	if (value >= min && value <= max)
		return (uint32_t)value;
	if (min == max)
		member_refuse(member, "must be %" PRIu32 ", not %" JSON_INTEGER_FORMAT, min, value);
	else
		member_refuse(member,
			      "must be from %" PRIu32 " to %" PRIu32 ", not %" JSON_INTEGER_FORMAT,
			      min, max, value);
	return 0;
}

uint8_t member_read_ratio(const struct member *member)
{
	uint32_t mhz = member_read_number(member, 0, MAX_RATIO * MHZ_PER_RATIO);

	if (mhz % MHZ_PER_RATIO)
		member_refuse(member, "must be a multiple of %d MHz, not %" PRIu32, MHZ_PER_RATIO,
			      mhz);
	return (uint8_t)(mhz / MHZ_PER_RATIO);
}

const char *member_read_text(const struct member *member)
{
	const char *text;

	if (!is_readable(member))
		return NULL;
	text = json_string_value(member->value);
	if (!text) {
		member_refuse(member, "must be a text");
		return NULL;
	}
	for (const char *character = text; *character; character++) {
		if (iscntrl((unsigned char)*character)) {
			member_refuse(member, "must not hold control characters");
			return NULL;
		}
	}
	return text;
}

static char *join_words(const char *const *words, size_t n_words)
{
	char *joined = NULL;
	size_t length;
	FILE *to = open_memstream(&joined, &length);

	if (!to)
		return NULL;
	for (size_t i = 0; i < n_words; i++)
		fprintf(to, "%s\"%s\"", i ? ", " : "", words[i]);
	if (fclose(to) == 0)
		return joined;
	free(joined);
	return NULL;
}

uint32_t member_read_word(const struct member *member, const char *const *words, size_t n_words)
{
	const char *text = member_read_text(member);
	_cleanup_free_ char *joined = NULL;

	if (!text)
		return 0;
	for (size_t i = 0; i < n_words; i++) {
		if (strcmp(words[i], text) == 0)
			return (uint32_t)i;
	}
	joined = join_words(words, n_words);
	if (joined)
		member_refuse(member, "must be one of %s, not \"%s\"", joined, text);
	else
		member_refuse_memory(member);
	return 0;
}

void member_read_set(const struct member *member, uint32_t max, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *text = member_read_text(member);
	int err = text ? cpulist_parse(text, &set) : -EINVAL;

	if (err == -ENOMEM)
		member_refuse_memory(member);
	else if (err == -ERANGE || (!err && !cpuset_is_empty(&set) && cpuset_last(&set) > max))
		member_refuse(member, "must not hold numbers above %" PRIu32, max);
	else if (err)
		member_refuse(member, "must be a list such as \"0-3,8\", not \"%s\"", text ?: "");
	if (member->reader->err)
		return;
	*ret_set = set;
	set = (struct cpuset){ 0 };
}
