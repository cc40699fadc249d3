// SPDX-License-Identifier: GPL-2.0-only
/* Makes JSON objects of structures with tables of fields, and frees what the structures own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"

static void write_figure(json_t *object, const char *key, const struct figure *figure)
{
	const bool is_known = figure_is_known(figure);
	char name[96];

	if (figure->state == FIGURE_NONE)
		return;
	json_object_set_new(object, key,
			    !is_known          ? json_null()
			    : figure->is_count ? json_integer((json_int_t)figure->value)
					       : json_real(figure->value));
	snprintf(name, sizeof(name), "%s-%s", key, is_known ? "source" : "reason");
	if (figure->about)
		json_object_set_new(object, name, json_string(figure->about));
}

static void write_named(json_t *object, const struct json_field *field, const char *from)
{
	const struct named_figure *list =
		*(const struct named_figure *const *)(const void *)(from + field->offset);
	const size_t count = *(const size_t *)(const void *)(from + field->count);

	for (size_t i = 0; i < count; i++)
		write_figure(object, list[i].name, &list[i].figure);
}

static json_t *write_counts(const struct json_field *field, const uint64_t *counts)
{
	json_t *object = json_object();

	for (size_t i = 0; i < field->max; i++) {
		if (counts[i])
			json_object_set_new(object, field->words[i],
					    json_integer((json_int_t)counts[i]));
	}
	return object;
}

json_t *json_cpu_list(const struct cpuset *cpus)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	return json_string(list);
}

static json_t *write_numbers(const struct cpuset *cpus)
{
	json_t *list = json_array();

	cpuset_foreach (cpu, cpus)
		json_array_append_new(list, json_integer((json_int_t)cpu));
	return list;
}

static json_t *write_texts(const struct texts *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(list, json_string(texts->list[i]));
	return list;
}

static json_t *write_words(uint32_t bits, const char *const *words)
{
	json_t *list = json_array();

	for (size_t i = 0; words[i]; i++) {
		if (bits & (UINT32_C(1) << i))
			json_array_append_new(list, json_string(words[i]));
	}
	return list;
}

static json_t *write_rows(const struct json_field *field, const char *rows, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_write_fields(field->fields,
							      rows + i * field->element_size));
	return list;
}

/* Returns true if there is nothing to write. */
static bool is_empty(const struct json_field *field, const char *from)
{
	const void *at = from + field->offset;

	switch (field->kind) {
	case JSON_U32:
		return field->is_nullable && !field->has && *(const uint32_t *)at == field->null;
	case JSON_PART:
		return field->is_nullable && !field->has && is_empty(field->fields, at);
	case JSON_TEXT:
		return !*(const char *const *)at;
	case JSON_TEXTS:
		return ((const struct texts *)at)->is_null;
	case JSON_ROWS: /* NULL is an empty list, unless the list needs elements */
		return !*(const void *const *)at && (field->is_nullable || field->min);
	case JSON_ANY:
		return !*(json_t *const *)at;
	default:
		return false;
	}
}

static json_t *write_value(const struct json_field *field, const char *from);

/* Returns true after the last element. */
static bool is_end(const struct json_field *element, const char *at)
{
	return element->kind == JSON_CPUS
		       ? cpuset_is_empty((const struct cpuset *)(const void *)at)
		       : !*(const uint32_t *)(const void *)(at + element->fields->offset);
}

/* Makes a list of sets, or of parts that begin with a number above 0. */
static json_t *write_list(const struct json_field *field, const char *at)
{
	json_t *list = json_array();

	for (size_t i = 0; i < field->max && !is_end(field->element, at); i++) {
		json_array_append_new(list, write_value(field->element, at));
		at += field->element_size;
	}
	return list;
}

static json_t *write_value(const struct json_field *field, const char *from)
{
	const void *at = from + field->offset;

	switch (field->kind) {
	case JSON_U8:
		return json_integer(*(const uint8_t *)at);
	case JSON_U16:
		return json_integer(*(const uint16_t *)at);
	case JSON_U32:
		return json_integer(*(const uint32_t *)at);
	case JSON_COUNT:
		return json_integer((json_int_t) * (const uint64_t *)at);
	case JSON_NUMBER:
		return json_real(*(const double *)at);
	case JSON_BOOL:
		return json_boolean(*(const bool *)at);
	case JSON_TEXT:
		return json_string(*(const char *const *)at);
	case JSON_WORD:
		return json_string(field->words[*(const uint32_t *)at]);
	case JSON_WORDS:
		return write_words(*(const uint32_t *)at, field->words);
	case JSON_LIST:
		return write_list(field, at);
	case JSON_CPUS:
		return json_cpu_list(at);
	case JSON_NUMBERS:
		return write_numbers(at);
	case JSON_TEXTS:
		return write_texts(at);
	case JSON_COUNTS:
		return write_counts(field, at);
	case JSON_ROWS:
		return write_rows(field, *(const char *const *)at,
				  *(const size_t *)(const void *)(from + field->count));
	case JSON_ANY:
		return json_incref(*(json_t *const *)at);
	case JSON_PART:
		return json_write_fields(field->fields, at);
	default:
		return NULL;
	}
}

void json_write_to(json_t *object, const struct json_field *fields, const void *from)
{
	const char *base = from;

	for (const struct json_field *field = fields; field->name; field++) {
		if (field->has && !*(const bool *)(base + field->has))
			continue;
		if (field->kind == JSON_FIGURE)
			write_figure(object, field->name, (const void *)(base + field->offset));
		else if (field->kind == JSON_NAMED)
			write_named(object, field, base);
		else if (!is_empty(field, base))
			json_object_set_new(object, field->name, write_value(field, base));
		else if (field->is_nullable)
			json_object_set_new(object, field->name, json_null());
	}
}

json_t *json_write_fields(const struct json_field *fields, const void *from)
{
	json_t *object = json_object();

	if (object)
		json_write_to(object, fields, from);
	return object;
}

const struct json_field *json_find_field(const struct json_field *fields, size_t offset)
{
	while (fields->name && fields->offset != offset)
		fields++;
	return fields->name ? fields : NULL;
}

void json_free_fields(const struct json_field *fields, void *structure)
{
	for (const struct json_field *field = fields; field->name; field++) {
		char *at = (char *)structure + field->offset;

		switch (field->kind) {
		case JSON_CPUS:
		case JSON_NUMBERS:
			cpuset_done((struct cpuset *)(void *)at);
			break;
		case JSON_LIST:
			for (size_t i = 0; field->element->kind == JSON_CPUS && i < field->max; i++)
				cpuset_done(
					(struct cpuset *)(void *)(at + i * field->element_size));
			break;
		case JSON_TEXTS:
			texts_done((struct texts *)(void *)at);
			break;
		case JSON_ANY:
			json_decref(*(json_t **)(void *)at);
			*(json_t **)(void *)at = NULL;
			break;
		case JSON_PART:
			json_free_fields(field->fields, at);
			break;
		case JSON_NAMED:
			free(*(void **)(void *)at);
			*(void **)(void *)at = NULL;
			break;
		case JSON_ROWS: {
			char **rows = (char **)(void *)at;
			size_t *count = (size_t *)(void *)((char *)structure + field->count);

			for (size_t i = 0; i < *count; i++)
				json_free_fields(field->fields, *rows + i * field->element_size);
			free(*rows);
			*rows = NULL;
			*count = 0;
			break;
		}
		default:
			break;
		}
	}
}
