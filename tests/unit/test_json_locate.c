// SPDX-License-Identifier: GPL-2.0-only
/* Lines of members and elements, in texts written in many ways. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulator/json_locate.h"

#define MAX_STEPS 5

static const char TEXT[] = "\n"
			   "{ \"one\": 1, \"two\":\n" /* 2 */
			   "   [10,\n" /* 3 */
			   "    11, 12,\n"
			   "    [], {}, [\n" /* 5 */
			   "      13]\n"
			   "   ],\n"
			   "  \"tricky\": \"]},{[\\\"two\\\\\",\n" /* 8 */
			   "  \"esc\\u0061p\\\"ed\": {\"x\" :\n" /* 9 */
			   "     true,\r\n"
			   "\t\"\": null,\n" /* 11 */
			   "  \"deep\": {\"two\": {\n" /* 12 */
			   "     \"two\": -1.5e3}}}, \"last\"\n" /* 13 */
			   "  : false\n"
			   "}\n";

static const struct {
	struct json_step steps[MAX_STEPS];
	size_t n_steps;
	size_t line;
} PLACES[] = {
	{ .n_steps = 0, .line = 2 },
	{ .n_steps = 1, .line = 2, .steps = { { .member = "one" } } },
	{ .n_steps = 1, .line = 2, .steps = { { .member = "two" } } },
	{ .n_steps = 2, .line = 3, .steps = { { .member = "two" }, { .index = 0 } } },
	{ .n_steps = 2, .line = 4, .steps = { { .member = "two" }, { .index = 1 } } },
	{ .n_steps = 2, .line = 4, .steps = { { .member = "two" }, { .index = 2 } } },
	{ .n_steps = 2, .line = 5, .steps = { { .member = "two" }, { .index = 3 } } },
	{ .n_steps = 2, .line = 5, .steps = { { .member = "two" }, { .index = 4 } } },
	{ .n_steps = 2, .line = 5, .steps = { { .member = "two" }, { .index = 5 } } },
	{ .n_steps = 3,
	  .line = 6,
	  .steps = { { .member = "two" }, { .index = 5 }, { .index = 0 } } },
	{ .n_steps = 1, .line = 8, .steps = { { .member = "tricky" } } },
	{ .n_steps = 1, .line = 9, .steps = { { .member = "escap\"ed" } } },
	{ .n_steps = 2, .line = 9, .steps = { { .member = "escap\"ed" }, { .member = "x" } } },
	{ .n_steps = 2, .line = 11, .steps = { { .member = "escap\"ed" }, { .member = "" } } },
	{ .n_steps = 3,
	  .line = 12,
	  .steps = { { .member = "escap\"ed" }, { .member = "deep" }, { .member = "two" } } },
	{ .n_steps = 4,
	  .line = 13,
	  .steps = { { .member = "escap\"ed" },
		     { .member = "deep" },
		     { .member = "two" },
		     { .member = "two" } } },
	{ .n_steps = 1, .line = 13, .steps = { { .member = "last" } } },
	/* What is not there: the line of what should have it. */
	{ .n_steps = 1, .line = 2, .steps = { { .member = "three" } } },
	{ .n_steps = 1, .line = 2, .steps = { { .index = 0 } } },
	{ .n_steps = 2, .line = 2, .steps = { { .member = "two" }, { .index = 6 } } },
	{ .n_steps = 2, .line = 2, .steps = { { .member = "two" }, { .member = "x" } } },
	{ .n_steps = 3,
	  .line = 5,
	  .steps = { { .member = "two" }, { .index = 3 }, { .index = 0 } } },
	{ .n_steps = 3,
	  .line = 5,
	  .steps = { { .member = "two" }, { .index = 4 }, { .member = "x" } } },
	{ .n_steps = 2, .line = 8, .steps = { { .member = "tricky" }, { .member = "two" } } },
	{ .n_steps = 3,
	  .line = 12,
	  .steps = { { .member = "escap\"ed" }, { .member = "deep" }, { .member = "one" } } },
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
		size_t line = json_locate(TEXT, strlen(TEXT), PLACES[i].steps, PLACES[i].n_steps);

		if (line != PLACES[i].line)
			fail_msg("place %zu: line %zu, not %zu", i, line, PLACES[i].line);
	}
}

/* A copy without the zero at its end: sanitizers see a step beyond it. */
static char *copy_exactly(const char *text, size_t length)
{
	char *copy = malloc(length ? length : 1);

	assert_non_null(copy);
	memcpy(copy, text, length);
	return copy;
}

static void test_any_prefix_is_safe(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(TEXT); length++) {
		char *copy = copy_exactly(TEXT, length);

		for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
			size_t line = json_locate(copy, length, PLACES[i].steps, PLACES[i].n_steps);

			assert_in_range(line, 1, 15);
		}
		free(copy);
	}
}

static void test_broken_texts_are_safe(void **state)
{
	static const char *const TEXTS[] = {
		"",        "\"", "\"\\",  "{\"two\"", "{\"two\":", "{\"two\":[",
		"{\"two]", "}",  "[]]]]", "{]}[",     "{\"\\",     "{\"a\\u00zz\":1}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++) {
		size_t length = strlen(TEXTS[i]);
		char *copy = copy_exactly(TEXTS[i], length);

		for (size_t j = 0; j < ARRAY_SIZE(PLACES); j++)
			assert_int_equal(
				json_locate(copy, length, PLACES[j].steps, PLACES[j].n_steps), 1);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_any_prefix_is_safe),
		cmocka_unit_test(test_broken_texts_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
