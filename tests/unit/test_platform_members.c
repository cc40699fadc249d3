// SPDX-License-Identifier: GPL-2.0-only
/* Every member of a platform file: left out, of the wrong type, with an unknown member next to it.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "platform_texts.h"

/* The machines that between them have every member. */
static const char *const COMPLETE[] = { "clx-6230n-2s", "guide", "gnr-6980p-2s" };

typedef void visit_function(const json_t *root, const char *object, const char *member);

static char *join_path(const char *parent, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s%s%s", parent, *parent ? "." : "", name) >= 0);
	return path;
}

/* Calls visit for every member of the value at a path and of all within it. */
static size_t visit_members(json_t *root, const char *path, visit_function *visit)
{
	json_t *value = platform_texts_at(root, path), *child;
	size_t index, count = 0;
	const char *name;

	json_object_foreach (value, name, child) {
		_cleanup_free_ char *child_path = join_path(path, name);

		visit(root, path, name);
		count += 1 + visit_members(root, child_path, visit);
	}
	json_array_foreach (value, index, child) {
		_cleanup_free_ char *child_path = NULL;

		assert_true(asprintf(&child_path, "%s[%zu]", path, index) >= 0);
		count += visit_members(root, child_path, visit);
	}
	return count;
}

static void visit_complete(visit_function *visit)
{
	for (size_t i = 0; i < ARRAY_SIZE(COMPLETE); i++) {
		json_t *json = platform_texts_load(COMPLETE[i]);

		assert_in_range(visit_members(json, "", visit), 60, 1000);
		json_decref(json);
	}
}

static void check_without(const json_t *root, const char *object, const char *name)
{
	json_t *copy = json_deep_copy(root);
	char *path = join_path(object, name);

	json_object_del(platform_texts_at(copy, object), name);
	if (strcmp(name, "high_priority") == 0 || strcmp(name, "powercap") == 0 ||
	    strcmp(name, "io_max_khz") == 0 || strcmp(name, "estimates") == 0)
		platform_file_free(platform_texts_make(copy));
	else
		platform_texts_check_refused(copy, path, "is missing");
	free(path);
	json_decref(copy);
}

static void test_every_missing_member(void **state)
{
	(void)state;
	visit_complete(check_without);
}

static void check_wrong_type(const json_t *root, const char *object, const char *name)
{
	json_t *copy = json_deep_copy(root);
	char *path = join_path(object, name);
	const json_t *value = platform_texts_at(copy, path);

	platform_texts_set(copy, path, json_is_boolean(value) ? json_integer(1) : json_true());
	platform_texts_check_refused(copy, path, "must be ");
	free(path);
	json_decref(copy);
}

static void test_every_wrong_type(void **state)
{
	(void)state;
	visit_complete(check_wrong_type);
}

static void check_unknown_beside(const json_t *root, const char *object, const char *name)
{
	json_t *copy = json_deep_copy(root);
	char *path = join_path(object, "extra");

	(void)name;
	platform_texts_set(copy, path, json_integer(1));
	platform_texts_check_refused(copy, path, "unknown");
	free(path);
	json_decref(copy);
}

static void test_unknown_members_everywhere(void **state)
{
	(void)state;
	visit_complete(check_unknown_beside);
}

/* A name that would break a line, or be taken for a path, does neither. */
static void test_names_with_control_characters(void **state)
{
	json_t *json = platform_texts_load("guide");

	(void)state;
	json_object_set_new(json_object_get(json, "cpu"), "a.b[0]\n\"", json_integer(1));
	platform_texts_check_refused(json, "cpu.a.b[0]?\"", "unknown");
	json_decref(json);
}

static const struct {
	const char *text;
	const char *start;
	const char *words;
} TEXTS[] = {
	{ "", "FILE: ", "the file is empty" },
	{ "[]", "FILE: ", "must be an object" },
	{ "\n\n{}", "FILE: schema: ", "is missing" },
	{ "{\n\"schema\": 1,\n\"name\": }", "FILE:3: ", "unexpected" },
	{ "{\n\"schema\": 1,\n\"schema\": 1}", "FILE:3: ", "duplicate object key" },
	{ "{\"schema\": 1}\n}", "FILE:2: ", "end of file" },
	{ "{\n\"schema\": 99999999999999999999}", "FILE:2: ", "too big" },
	{ "{\n\"\xff\": 1}", "FILE:2: ", "unable to decode" },
	{ "{\"schema\":\n {\"schema\": 1}}", "FILE: schema: ", "must be a whole number" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++) {
		struct sim_platform *platform = NULL;
		char *message = NULL;

		assert_int_equal(platform_file_parse("FILE", TEXTS[i].text, strlen(TEXTS[i].text),
						     &platform, &message),
				 -EINVAL);
		assert_null(platform);
		if (strncmp(message, TEXTS[i].start, strlen(TEXTS[i].start)) != 0 ||
		    !strstr(message, TEXTS[i].words) || strchr(message, '\n'))
			fail_msg("%zu: %s", i, message);
		free(message);
	}
}

/* A text that stops anywhere is refused, whatever it stops in. */
static void test_prefixes(void **state)
{
	char *text = platform_texts_read("clx-6230n-2s");
	size_t last = strlen(text);

	(void)state;
	while (text[last - 1] != '}')
		last--;
	for (size_t length = 0; length < last; length++) {
		struct sim_platform *platform;
		char *message = NULL;

		assert_int_equal(platform_file_parse("FILE", text, length, &platform, &message),
				 -EINVAL);
		assert_non_null(message);
		free(message);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_missing_member),
		cmocka_unit_test(test_every_wrong_type),
		cmocka_unit_test(test_unknown_members_everywhere),
		cmocka_unit_test(test_names_with_control_characters),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
