// SPDX-License-Identifier: GPL-2.0-only
/* Makes the JSON Schema of state documents from the table of members. */
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/units.h"
#include "state/document.h"

/* Returns the schema of the values of a member that are not words. */
static json_t *typed_schema(const struct setting *member)
{
	switch (member->type) {
	case SETTING_TYPE_BOOLEAN:
		return json_pack("{s:s}", "type", "boolean");
	case SETTING_TYPE_NUMBER:
		return json_pack("{s:s, s:I, s:I, s:o*}", "type", "integer", "minimum",
				 (json_int_t)member->min, "maximum", (json_int_t)member->max,
				 "multipleOf", member->step ? json_integer(member->step) : NULL);
	case SETTING_TYPE_MHZ:
	case SETTING_TYPE_DECIMAL:
		return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum",
				 (double)member->min / KHZ_PER_MHZ, "maximum",
				 (double)member->max / KHZ_PER_MHZ);
	case SETTING_TYPE_HUNDREDS:
		return json_pack("{s:s, s:I, s:I, s:i}", "type", "integer", "minimum",
				 (json_int_t)member->min / KHZ_PER_MHZ, "maximum",
				 (json_int_t)member->max / KHZ_PER_MHZ, "multipleOf", 100);
	case SETTING_TYPE_TEXT:
		return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[!-~]{1,15}$");
	case SETTING_TYPE_RATIOS:
		return json_pack("{s:s, s:s}", "type", "string", "pattern", "^0x[0-9a-fA-F]{16}$");
	default:
		return NULL;
	}
}

static json_t *words_schema(const char *const *words)
{
	_cleanup_json_ json_t *list = json_array();

	for (; *words; words++) {
		if (json_array_append_new(list, json_string(*words)) < 0)
			return NULL;
	}
	return json_pack("{s:O}", "enum", list);
}

/* Returns the schema of the values of a member, with their meaning. */
static json_t *value_schema(const struct setting *member)
{
	_cleanup_free_ char *title =
		text_format("%s%s%s%s", member->about, member->unit ? " (" : "", member->unit ?: "",
			    member->unit ? ")" : "");
	_cleanup_free_ char *description =
		text_format("Set for %s. Clean state: %s.", place_kind_scope(member->place),
			    member->reset ?: "kept");
	_cleanup_json_ json_t *schema = NULL, *values = NULL;

	if (!member->words)
		values = typed_schema(member);
	else if (member->type == SETTING_TYPE_WORD)
		values = words_schema(member->words);
	else
		values = json_pack("{s:[o, o]}", "anyOf", words_schema(member->words),
				   typed_schema(member));
	schema = title && description
			 ? json_pack("{s:s, s:s}", "title", title, "description", description)
			 : NULL;
	return values && json_object_update(schema, values) == 0 ? steal(schema) : NULL;
}

/* Returns the member of an object; if it is missing, sets it to value. NULL: no memory. */
static json_t *get_or_set(json_t *object, const char *key, json_t *value)
{
	json_t *found = json_object_get(object, key);

	if (found) {
		json_decref(value);
		return found;
	}
	return json_object_set_new(object, key, value) < 0 ? NULL : value;
}

/* Adds a member, and the objects of its path, to the schema. Returns false without memory. */
static bool add_member(json_t *schema, const struct setting *member)
{
	const char *part = member->path;

	while (schema) {
		size_t length = strcspn(part, ".");
		_cleanup_free_ char *key = text_format("%.*s", (int)length, part);
		bool is_clos = key && strcmp(key, "N") == 0;
		bool is_any = key && strcmp(key, "NAME") == 0;
		const char *name = is_clos ? "^[0-3]$" : is_any ? "." : key;
		const char *of = is_clos || is_any ? "patternProperties" : "properties";
		json_t *properties = get_or_set(schema, of, json_object());

		if (!name)
			return false;
		if (!part[length])
			return get_or_set(properties, name, value_schema(member));
		schema = get_or_set(properties, name,
				    json_pack("{s:s, s:b}", "type", "object",
					      "additionalProperties", 0));
		part += length + 1;
	}
	return false;
}

static json_t *entry_schema(void)
{
	_cleanup_json_ json_t *entry = json_pack(
		"{s:s, s:[s], s:b, s:{s:[s]}, s:{s:{s:s, s:s, s:s}, s:{s:s, s:s}, s:{s:s}}}",
		"type", "object", "required", "for", "additionalProperties", 0, "dependentRequired",
		"offline-by", "online", "properties", "for", "type", "string", "pattern",
		"^(machine|all|package-(0|[1-9][0-9]*)( die-(0|[1-9][0-9]*))?"
		"( powerdomain-(0|[1-9][0-9]*))?( cluster-(0|[1-9][0-9]*))?"
		"( uncore-(0|[1-9][0-9]*))?|cpu  *[^ ].*)$",
		"description",
		"machine: settings of the whole machine; all: every location; package-N, with "
		"parts that narrow it; cpu SET: a list of CPUs or of named sets; cpu other: cores, "
		"policies and CPUs that no earlier entry for a cpu SET names",
		"optional", "type", "boolean", "description",
		"true: the entry is skipped if it matches nothing; so is a setting that the "
		"location does not have",
		"comment", "type", "string");

	for (size_t i = 0; i < N_SETTINGS && entry; i++) {
		const struct setting *member = setting_get((enum setting_id)i);

		if (member->path && !add_member(entry, member))
			return NULL;
	}
	return steal(entry);
}

static json_t *require_schema(void)
{
	_cleanup_json_ json_t *number = json_pack("{s:s, s:i, s:I}", "type", "integer", "minimum",
						  0, "maximum", (json_int_t)UINT32_MAX);

	return json_pack(
		"{s:s, s:s, s:b, s:{s:{s:s, s:i}, s:O, s:O, s:O, s:O}}", "description",
		"The machine that the document is for; members that are left out may be anything.",
		"type", "object", "additionalProperties", 0, "properties", "vendor", "type",
		"string", "minLength", 1, "family", number, "model", number, "packages", number,
		"cpus", number);
}

json_t *document_schema(void)
{
	return json_pack(
		"{s:s, s:s, s:s, s:[s, s, s], s:b,"
		" s:{s:{s:s}, s:{s:i}, s:{s:s}, s:o, s:{s:s, s:{s:s, s:i}}, s:{s:s, s:i, s:o}}}",
		"$schema", "https://json-schema.org/draft/2020-12/schema", "title",
		"settings of a machine, as intel-speed-select applies them", "type", "object",
		"required", "format", "version", "settings", "additionalProperties", 0,
		"properties", "format", "const", DOCUMENT_FORMAT, "version", "const",
		DOCUMENT_VERSION, "comment", "type", "string", "require", require_schema(),
		"incomplete", "type", "array", "items", "type", "string", "minLength", 1,
		"settings", "type", "array", "maxItems", DOCUMENT_MAX_ENTRIES, "items",
		entry_schema());
}
