// SPDX-License-Identifier: GPL-2.0-only
/* The JSON Schema of state documents has the members of the table with their values, and no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "state/document.h"

/* The member of an object at a path whose parts are divided by blanks. */
static json_t *at(json_t *object, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	char *rest = copy;

	assert_non_null(copy);
	for (char *part = strtok_r(rest, " ", &rest); part; part = strtok_r(NULL, " ", &rest))
		object = json_object_get(object, part);
	return object;
}

/* The schema of the values of a member. */
static json_t *find_member(json_t *entry, const struct setting *member)
{
	_cleanup_free_ char *path = strdup(member->path);
	char *rest = path;

	assert_non_null(path);
	for (char *part = strtok_r(rest, ".", &rest); part; part = strtok_r(NULL, ".", &rest)) {
		if (strcmp(part, "N") == 0)
			entry = at(entry, "patternProperties ^[0-3]$");
		else if (strcmp(part, "NAME") == 0)
			entry = at(entry, "patternProperties .");
		else
			entry = json_object_get(json_object_get(entry, "properties"), part);
	}
	return entry;
}

static bool is_text(const json_t *value, const char *text)
{
	return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static bool has_words(const json_t *list, const char *const *words)
{
	size_t count = 0;

	for (; words[count]; count++) {
		if (!is_text(json_array_get(list, count), words[count]))
			return false;
	}
	return json_array_size(list) == count;
}

static bool has_range(json_t *schema, const char *type, double min, double max, uint32_t step)
{
	return is_text(at(schema, "type"), type) &&
	       json_number_value(at(schema, "minimum")) == min &&
	       json_number_value(at(schema, "maximum")) == max &&
	       json_integer_value(at(schema, "multipleOf")) == step;
}

/* What the member takes besides its words. */
static bool has_type(json_t *schema, const struct setting *member)
{
	double min = (double)member->min, max = (double)member->max;

	switch (member->type) {
	case SETTING_TYPE_BOOLEAN:
		return is_text(at(schema, "type"), "boolean");
	case SETTING_TYPE_NUMBER:
		return has_range(schema, "integer", min, max, member->step);
	case SETTING_TYPE_MHZ:
	case SETTING_TYPE_DECIMAL:
		return has_range(schema, "number", min / 1000, max / 1000, 0);
	case SETTING_TYPE_HUNDREDS:
		return has_range(schema, "integer", min / 1000, max / 1000, 100);
	default:
		return is_text(at(schema, "type"), "string") && at(schema, "pattern");
	}
}

static bool is_right(json_t *schema, const struct setting *member)
{
	json_t *both = at(schema, "anyOf");
	const char *title = json_string_value(at(schema, "title"));

	if (!title || !at(schema, "description") ||
	    strncmp(title, member->about, strlen(member->about)) != 0 ||
	    (member->unit && !strstr(title, member->unit)))
		return false;
	if (!member->words)
		return has_type(schema, member);
	if (member->type == SETTING_TYPE_WORD)
		return has_words(at(schema, "enum"), member->words);
	return json_array_size(both) == 2 &&
	       has_words(at(json_array_get(both, 0), "enum"), member->words) &&
	       has_type(json_array_get(both, 1), member);
}

static void test_members(void **test)
{
	json_auto_t *schema = document_schema();
	json_t *entry = at(schema, "properties settings items");

	(void)test;
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const struct setting *member = setting_get((enum setting_id)i);

		if (member->path && !is_right(find_member(entry, member), member))
			fail_msg("%s", member->path);
	}
}

/* Values below an object: what is no object of the document. */
static size_t count_values(json_t *schema)
{
	json_t *properties = at(schema, "properties") ?: at(schema, "patternProperties");
	size_t count = 0;
	const char *key;
	json_t *value;

	if (!properties)
		return 1;
	assert_true(is_text(at(schema, "type"), "object"));
	assert_true(json_is_false(at(schema, "additionalProperties")));
	json_object_foreach (properties, key, value)
		count += count_values(value);
	return count;
}

static void test_nothing_else(void **test)
{
	json_auto_t *schema = document_schema();
	json_t *entry = at(schema, "properties settings items");
	size_t n_members = 0;

	(void)test;
	for (size_t i = 0; i < N_SETTINGS; i++)
		n_members += setting_get((enum setting_id)i)->path ? 1 : 0;
	/* and "for", "optional", "comment" */
	assert_int_equal(count_values(entry), n_members + 3);
	/* "format", "version", "comment", the five of "require", "incomplete", "settings" */
	assert_int_equal(count_values(schema), 10);
}

static void test_form(void **test)
{
	json_auto_t *schema = document_schema(), *again = NULL;
	_cleanup_free_ char *text = json_dumps(schema, JSON_INDENT(2) | JSON_REAL_PRECISION(15));

	(void)test;
	assert_non_null(text);
	again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(again);
	assert_true(is_text(at(again, "$schema"), "https://json-schema.org/draft/2020-12/schema"));
	assert_true(is_text(at(again, "properties format const"), DOCUMENT_FORMAT));
	assert_int_equal(json_integer_value(at(again, "properties version const")),
			 DOCUMENT_VERSION);
	assert_int_equal(json_integer_value(at(again, "properties settings maxItems")),
			 DOCUMENT_MAX_ENTRIES);
	assert_non_null(strstr(text, "4294967.295"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_nothing_else),
		cmocka_unit_test(test_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
