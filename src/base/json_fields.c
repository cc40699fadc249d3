// SPDX-License-Identifier: GPL-2.0-only
/* Reads members of JSON objects by type and range. The reader keeps the path to a value while it
 * reads it, for the message about the first problem. */
#include "base/json_fields.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/units.h"

#define NO_DOCUMENT "'[' or '{' expected" /* a text of jansson */
#define MAX_MHZ     25500 /* a ratio has 8 bits */

/* A message is one line, even if names and texts have newlines. */
static void keep_message(struct json_reader *reader, char *message)
{
	reader->err = message ? -EINVAL : -ENOMEM;
	reader->message = message;
	for (; message && *message; message++) {
		if (iscntrl((unsigned char)*message))
			*message = '?';
	}
}

char *json_describe_error(const char *file, const json_error_t *error)
{
	const int line = error->line > 0 ? error->line : 1;

	if (json_error_code(error) == json_error_out_of_memory)
		return NULL;
	if (json_error_code(error) == json_error_premature_end_of_input)
		return text_format("%s:%d: the file ends too early: it is not complete", file,
				   line);
	if (strncmp(error->text, NO_DOCUMENT, strlen(NO_DOCUMENT)) == 0)
		return text_format("%s:%d: this is not a JSON document, which begins with {", file,
				   line);
	return text_format("%s:%d: %s", file, line, error->text);
}

json_t *json_reader_load(struct json_reader *reader, const char *text, size_t length)
{
	json_error_t error;
	json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	if (!length)
		keep_message(reader, text_format("%s: the file is empty", reader->file_name));
	else if (!value)
		keep_message(reader, json_describe_error(reader->file_name, &error));
	return value;
}

int json_reader_finish(struct json_reader *reader, char **ret_message)
{
	if (reader->message)
		*ret_message = steal(reader->message);
	return reader->err;
}

void json_refuse(struct json_reader *reader, const char *member, const char *format, ...)
{
	const char *dot = member && *reader->path && *member != '[' ? "." : "";
	_cleanup_free_ char *problem = NULL;
	va_list arguments;

	if (reader->err)
		return;
	va_start(arguments, format);
	problem = text_format_list(format, arguments);
	va_end(arguments);
	keep_message(reader, problem ? text_format("%s: %s%s%s%s%s", reader->file_name,
						   reader->path, dot, member ? member : "",
						   member || *reader->path ? ": " : "", problem)
				     : NULL);
}

void json_refuse_memory(struct json_reader *reader)
{
	if (!reader->err)
		reader->err = -ENOMEM;
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

/* Reads a number from min to max. Returns it, or 0. */
static uint32_t read_number(struct json_reader *reader, json_t *value,
			    const struct json_field *field)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value))
		json_refuse(reader, NULL, "must be a whole number");
	else if (!json_check_range(reader, NULL, number, field->min, field->max))
		return 0;
	if (field->step && number % field->step)
		json_refuse(reader, NULL,
			    "must be a multiple of %" PRIu32 "%s, not %" JSON_INTEGER_FORMAT,
			    field->step, field->unit, number);
	return (uint32_t)number;
}

const char *json_read_text(struct json_reader *reader, json_t *value)
{
	const char *text = json_string_value(value);

	if (!text)
		json_refuse(reader, NULL, "must be a string");
	for (const char *character = text; character && *character; character++) {
		if (iscntrl((unsigned char)*character))
			json_refuse(reader, NULL, "must not contain control characters");
	}
	return reader->err ? NULL : text;
}

/* Reads one of the words. Returns its index. */
static uint32_t read_word(struct json_reader *reader, json_t *value, const char *const *words)
{
	const char *text = json_read_text(reader, value);
	_cleanup_buffer_ struct buffer joined = { 0 };

	for (uint32_t i = 0; text && words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
		buffer_append_string(&joined, i ? ", \"" : "\"");
		buffer_append_string(&joined, words[i]);
		buffer_append_char(&joined, '"');
	}
	json_refuse(reader, NULL, "must be one of %s, not \"%s\"", buffer_text(&joined),
		    text ? text : "");
	return 0;
}

/* Reads one of the names. Returns its value. */
static int read_name(struct json_reader *reader, json_t *value, const struct json_name *names)
{
	const char *text = json_read_text(reader, value);

	for (; text && names->name; names++) {
		if (strcmp(names->name, text) == 0)
			return names->value;
	}
	json_refuse(reader, NULL, "\"%s\" is an unknown value", text ? text : "");
	return 0;
}

/* Reads a list such as "0-3,8" ("" is empty) of ids up to max. */
static void read_set(struct json_reader *reader, json_t *value, uint32_t max,
		     struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *text = json_read_text(reader, value);
	int err = text ? cpulist_parse(text, &set) : -EINVAL;

	if (err == -ENOMEM)
		json_refuse_memory(reader);
	else if (err == -ERANGE || (!err && !cpuset_is_empty(&set) && cpuset_last(&set) > max))
		json_refuse(reader, NULL, "must not contain numbers above %" PRIu32, max);
	else if (err)
		json_refuse(reader, NULL, "must be a list such as \"0-3,8\", not \"%s\"",
			    text ? text : "");
	if (!reader->err)
		*ret_set = steal(set);
}

static void read_element(struct json_reader *reader, json_t *list, size_t index,
			 const struct json_field *field, void *structure)
{
	size_t end = strlen(reader->path);

	snprintf(reader->path + end, sizeof(reader->path) - end, "[%zu]", index);
	json_read_value(reader, json_array_get(list, index), field, structure);
	reader->path[end] = '\0';
}

/* Returns the number of elements, or 0. */
static size_t count_elements(struct json_reader *reader, json_t *list, size_t min, size_t max)
{
	size_t count = json_array_size(list);

	if (!json_is_array(list))
		json_refuse(reader, NULL, "must be a list");
	else if (count != min && min == max)
		json_refuse(reader, NULL, "must have %zu elements, not %zu", min, count);
	else if (count < min || count > max)
		json_refuse(reader, NULL, "must have %zu to %zu elements, not %zu", min, max,
			    count);
	return reader->err ? 0 : count;
}

/* Returns the address of a member. A value that is only checked has no structure. */
static void *find_place(void *structure, size_t offset)
{
	return structure ? (char *)structure + offset : NULL;
}

/* Reads the elements into the array at to. Returns their number. */
static size_t read_list(struct json_reader *reader, json_t *list, const struct json_field *field,
			void *to)
{
	size_t count = count_elements(reader, list, field->min, field->max);

	for (size_t i = 0; i < count && !reader->err; i++)
		read_element(reader, list, i, field->element,
			     find_place(to, i * field->element_size));
	return reader->err ? 0 : count;
}

static const struct json_field mhz = { .max = MAX_MHZ, .step = MHZ_PER_RATIO, .unit = " MHz" };

/* Reads a number with its source (KEY-source), or null with its reason (KEY-reason). */
static void read_figure(struct json_reader *reader, const json_t *object,
			const struct json_field *field, const char *key, struct figure *to)
{
	const json_t *value = json_object_get(object, key);
	char name[96];

	if (!value)
		return;
	snprintf(name, sizeof(name), "%s-%s", key, json_is_null(value) ? "reason" : "source");
	to->state = json_is_null(value) ? FIGURE_MISSING : FIGURE_KNOWN;
	to->is_count = json_is_integer(value);
	to->value = json_number_value(value);
	to->about = json_get_text(object, name);
	if (!json_is_null(value) &&
	    (!json_is_number(value) || (!field->is_signed && !(to->value >= 0))))
		json_refuse(reader, key, "must be null or a number%s",
			    field->is_signed ? "" : " that is not negative");
}

/* Reads the figures whose names begin with the name of the field. */
static void read_named(struct json_reader *reader, json_t *object, const struct json_field *field,
		       char *structure)
{
	struct named_figure **list = (void *)(structure + field->offset), *to;
	size_t *count = (void *)(structure + field->count);
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		if (strncmp(key, field->name, strlen(field->name)) != 0 || json_is_string(value) ||
		    strlen(key) >= sizeof(to->name))
			continue;
		to = array_add(list, count, sizeof(*to));
		if (json_lacks_memory(reader, !to))
			return;
		*to = (struct named_figure){ .figure.state = FIGURE_NONE };
		snprintf(to->name, sizeof(to->name), "%s", key);
		read_figure(reader, object, field, key, &to->figure);
	}
}

static void read_texts(struct json_reader *reader, json_t *list, struct texts *to)
{
	json_t *item;
	size_t i;

	if (!json_is_array(list))
		json_refuse(reader, NULL, "must be a list");
	json_array_foreach (list, i, item) {
		const char *text = json_string_value(item);

		if (!text)
			json_refuse(reader, NULL, "must be a list of strings");
		else if (!texts_take(to, strdup(text)))
			json_refuse_memory(reader);
	}
}

static void read_numbers(struct json_reader *reader, json_t *list, struct cpuset *to)
{
	json_t *item;
	size_t i;

	if (!json_is_array(list))
		json_refuse(reader, NULL, "must be a list");
	json_array_foreach (list, i, item) {
		const json_int_t number = json_integer_value(item);

		if (!json_is_integer(item) || number < 0 || number > CPUSET_MAX_CPU)
			json_refuse(reader, NULL, "must be a list of CPU numbers");
		else if (cpuset_add(to, (uint32_t)number))
			json_refuse_memory(reader);
	}
}

static void read_counts(struct json_reader *reader, const json_t *object,
			const struct json_field *field, uint64_t *to)
{
	if (!json_is_object(object))
		json_refuse(reader, NULL, "must be an object");
	for (size_t i = 0; i < field->max; i++)
		to[i] = (uint64_t)json_integer_value(json_object_get(object, field->words[i]));
}

/* Reads objects into a new array. */
static void read_rows(struct json_reader *reader, json_t *list, const struct json_field *field,
		      void *structure)
{
	const struct json_field each = { .fields = field->fields };
	size_t count = count_elements(reader, list, field->min, field->max);
	char *rows = calloc(count + 1, field->element_size);

	json_lacks_memory(reader, !rows);
	*(char **)find_place(structure, field->offset) = rows;
	*(size_t *)find_place(structure, field->count) = rows ? count : 0;
	for (size_t i = 0; i < count && !reader->err; i++)
		read_element(reader, list, i, &each, rows + i * field->element_size);
}

static void read_result_kind(struct json_reader *reader, json_t *value,
			     const struct json_field *field, void *structure)
{
	void *to = find_place(structure, field->offset);

	switch (field->kind) {
	case JSON_COUNT:
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			json_refuse(reader, NULL, "must be a whole number");
		else
			*(uint64_t *)to = (uint64_t)json_integer_value(value);
		break;
	case JSON_NUMBER:
		if (!json_is_number(value))
			json_refuse(reader, NULL, "must be a number");
		*(double *)to = json_number_value(value);
		break;
	case JSON_COUNTS:
		read_counts(reader, value, field, to);
		break;
	case JSON_NUMBERS:
		read_numbers(reader, value, to);
		break;
	case JSON_TEXTS:
		read_texts(reader, value, to);
		break;
	case JSON_ROWS:
		read_rows(reader, value, field, structure);
		break;
	case JSON_ANY:
		*(json_t **)to = json_incref(value);
		break;
	default:
		break;
	}
}

/* Reads a list of words. Returns their bits. */
static uint32_t read_words(struct json_reader *reader, json_t *list, const char *const *words)
{
	uint32_t bits = 0;
	json_t *item;
	size_t i;

	if (!json_is_array(list))
		json_refuse(reader, NULL, "must be a list");
	json_array_foreach (list, i, item)
		bits |= UINT32_C(1) << read_word(reader, item, words);
	return bits;
}

static void read_bit(struct json_reader *reader, json_t *value, const struct json_field *field,
		     uint64_t *bits)
{
	const uint64_t bit = UINT64_C(1) << read_number(reader, value, field);

	if (*bits & bit)
		json_refuse(reader, NULL, "is listed twice");
	*bits |= bit;
}

/* Reads a value into its member of the structure. */
static void read_kind(struct json_reader *reader, json_t *value, const struct json_field *field,
		      void *structure)
{
	const struct json_field bit = { .kind = JSON_BIT, .max = field->max };
	const struct json_field bits = { .max = field->max + 1, .element = &bit };
	void *to = find_place(structure, field->offset);
	size_t count;

	switch (field->kind) {
	case JSON_PART:
		if (field->fields)
			json_read_fields(reader, value, field->fields, to);
		break;
	case JSON_U8:
		*(uint8_t *)to = (uint8_t)read_number(reader, value, field);
		break;
	case JSON_U16:
		*(uint16_t *)to = (uint16_t)read_number(reader, value, field);
		break;
	case JSON_U32:
		*(uint32_t *)to = read_number(reader, value, field);
		break;
	case JSON_BOOL:
		if (!json_is_boolean(value))
			json_refuse(reader, NULL, "must be true or false");
		*(uint8_t *)to = json_is_true(value);
		break;
	case JSON_RATIO:
		*(uint8_t *)to = (uint8_t)(read_number(reader, value, &mhz) / MHZ_PER_RATIO);
		break;
	case JSON_TEXT:
		*(const char **)to = json_read_text(reader, value);
		if (!reader->err && json_string_length(value) == 0)
			json_refuse(reader, NULL, "must not be empty");
		break;
	case JSON_WORD:
		*(uint32_t *)to = read_word(reader, value, field->words);
		break;
	case JSON_WORDS:
		*(uint32_t *)to = read_words(reader, value, field->words);
		break;
	case JSON_NAME:
		*(int *)to = read_name(reader, value, field->names);
		break;
	case JSON_CPUS:
		read_set(reader, value, field->max, to);
		break;
	case JSON_BIT:
		read_bit(reader, value, field, to);
		break;
	case JSON_BITS:
		read_list(reader, value, &bits, to);
		break;
	case JSON_LIST:
		count = read_list(reader, value, field, to);
		if (field->count)
			*((uint8_t *)structure + field->count) = (uint8_t)count;
		break;
	default:
		read_result_kind(reader, value, field, structure);
	}
}

void json_read_value(struct json_reader *reader, json_t *value, const struct json_field *field,
		     void *structure)
{
	struct json_field one = *field;

	if (field->is_each && json_is_array(value) && !json_is_integer(json_array_get(value, 0))) {
		one.is_each = false;
		if (count_elements(reader, value, reader->n_each, reader->n_each))
			read_element(reader, value, reader->each, &one, structure);
		return;
	}
	read_kind(reader, value, field, structure);
	if (field->kind == JSON_PART && field->read)
		field->read(reader, value, find_place(structure, field->offset));
	else if (field->read && !reader->err)
		field->read(reader, value, structure);
}

/* Sets the number that stands for null. */
static void take_null(const struct json_field *field, void *structure)
{
	if (field->has)
		return;
	if (field->kind == JSON_U32)
		*(uint32_t *)find_place(structure, field->offset) = field->null;
	else if (field->kind == JSON_PART && field->fields)
		take_null(field->fields, find_place(structure, field->offset));
}

void json_read_field(struct json_reader *reader, json_t *object, const struct json_field *field,
		     void *to)
{
	json_t *value = json_object_get(object, field->name);
	size_t end = strlen(reader->path);

	if (field->kind == JSON_FIGURE && !reader->err)
		read_figure(reader, object, field, field->name, find_place(to, field->offset));
	if (field->kind == JSON_NAMED && !reader->err)
		read_named(reader, object, field, to);
	if (field->kind == JSON_FIGURE || field->kind == JSON_NAMED || reader->err ||
	    (!value && field->is_optional))
		return;
	if (field->is_nullable && json_is_null(value)) {
		take_null(field, to);
		return;
	}
	snprintf(reader->path + end, sizeof(reader->path) - end, "%s%s", end ? "." : "",
		 field->name);
	if (field->has)
		*((uint8_t *)to + field->has) = true;
	if (value)
		json_read_value(reader, value, field, to);
	else
		json_refuse(reader, NULL, "is missing");
	reader->path[end] = '\0';
}

/* Refuses a member that no field has. */
static void refuse_unknown(struct json_reader *reader, const struct json_field *fields,
			   const char *name)
{
	struct nearest nearest = nearest_start(name);

	for (; fields->name; fields++)
		nearest_try(&nearest, fields->name);
	json_refuse(reader, name, "unknown member%s%s%s", nearest.name ? "; did you mean " : "",
		    nearest.name ?: "", nearest.name ? "?" : "");
}

void json_read_fields(struct json_reader *reader, json_t *object, const struct json_field *fields,
		      void *to)
{
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		json_refuse(reader, NULL, "must be an object");
	json_object_foreach (object, name, value) {
		const struct json_field *field = fields;

		while (field->name && strcmp(field->name, name) != 0)
			field++;
		if (!field->name && !reader->ignores_others)
			refuse_unknown(reader, fields, name);
	}
	for (const struct json_field *field = fields; field->name; field++)
		json_read_field(reader, object, field, to);
	for (const struct json_field *field = fields; field->name; field++) {
		json_int_t number = json_integer_value(json_object_get(object, field->name));

		if (field->not_above &&
		    number > json_integer_value(json_object_get(object, field->not_above)))
			json_refuse(reader, field->name, "%" JSON_INTEGER_FORMAT " is above %s",
				    number, field->not_above);
	}
}

/* Is there a figure of that name before the end? */
static bool has_figure(const struct json_field *fields, const struct json_field *end,
		       const char *name)
{
	for (; fields != end && fields->name; fields++) {
		if (fields->kind == JSON_FIGURE && strcmp(fields->name, name) == 0)
			return true;
	}
	return false;
}

char *json_list_figures(const struct json_field *const *tables)
{
	_cleanup_buffer_ struct buffer names = { 0 };

	for (size_t i = 0; tables[i]; i++) {
		for (const struct json_field *field = tables[i]; field->name; field++) {
			bool is_known = has_figure(tables[i], field, field->name);

			for (size_t before = 0; before < i && !is_known; before++)
				is_known = has_figure(tables[before], NULL, field->name);
			if (field->kind != JSON_FIGURE || is_known)
				continue;
			buffer_append_string(&names, names.length ? " " : "");
			buffer_append_string(&names, field->name);
		}
	}
	return buffer_steal(&names, NULL);
}
