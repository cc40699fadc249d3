// SPDX-License-Identifier: GPL-2.0-only
/* Idle states by name and by latency: what each state is to be, and names that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "host/cpuidle.h"

enum { STATES = 5 };

static struct cpuidle_state states[STATES] = {
	{ .number = 0, .name = (char[]){ "POLL" }, .latency_us = 0 },
	{ .number = 1, .name = (char[]){ "C1" }, .latency_us = 1 },
	{ .number = 2, .name = (char[]){ "C1E" }, .latency_us = 4, .disabled = 1 },
	{ .number = 3, .name = (char[]){ "C6" }, .latency_us = 170 },
	{ .number = 4, .name = (char[]){ "haltpoll idle" }, .latency_us = 170 },
};

static const struct cpuidle_cpu cpu = { .states = states, .n_states = STATES };

static const struct {
	struct cpuidle_choice choice;
	const char *disabled; /* a digit for each state */
	const char *wrong;
} vectors[] = {
	{ { 0 }, "00100", NULL },
	{ { .enable = "C1E" }, "00000", NULL },
	{ { .enable = "C1E", .disable = "C6,POLL" }, "10010", NULL },
	{ { .disable = "haltpoll idle" }, "00101", NULL },
	{ { .deepest = "POLL" }, "01111", NULL },
	{ { .deepest = "C1E" }, "00011", NULL },
	{ { .deepest = "haltpoll idle" }, "00000", NULL },
	{ { .deepest = "C6", .disable = "C1" }, "01001", NULL },
	{ { .has_max_latency = true, .max_latency_us = 0 }, "01111", NULL },
	{ { .has_max_latency = true, .max_latency_us = 4 }, "00011", NULL },
	{ { .has_max_latency = true, .max_latency_us = 169 }, "00011", NULL },
	{ { .has_max_latency = true, .max_latency_us = 170 }, "00000", NULL },
	{ { .has_max_latency = true, .max_latency_us = 1, .enable = "C6" }, "00101", NULL },
	{ { .enable = "C7" }, NULL, "C7" },
	{ { .disable = "C1,C" }, NULL, "C" },
	{ { .disable = "c1" }, NULL, "c1" },
	{ { .disable = "C1," }, NULL, "" },
	{ { .disable = "C1 " }, NULL, "C1 " },
	{ { .deepest = "C1,C6" }, NULL, "C1,C6" },
	{ { .deepest = "haltpoll" }, NULL, "haltpoll" },
};

static void test_apply(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *wrong = NULL;
		const char *option = NULL;
		bool disabled[STATES];
		int err = cpuidle_choose(&vectors[i].choice, &cpu, disabled, &option, &wrong);

		assert_int_equal(err, vectors[i].wrong ? -ENOENT : 0);
		if (vectors[i].wrong)
			assert_string_equal(wrong, vectors[i].wrong);
		if (vectors[i].wrong)
			assert_string_equal(option, vectors[i].choice.enable    ? "--enable"
						    : vectors[i].choice.disable ? "--disable"
										: "--deepest");
		for (size_t j = 0; vectors[i].disabled && j < STATES; j++) {
			if (disabled[j] != (vectors[i].disabled[j] == '1'))
				fail_msg("vector %zu, state %zu", i, j);
		}
	}
}

static void test_conflict(void **state)
{
	static const struct {
		struct cpuidle_choice choice;
		const char *conflict;
	} cases[] = {
		{ { 0 }, NULL },
		{ { .enable = "C1" }, NULL },
		{ { .disable = "C1" }, NULL },
		{ { .enable = "C1", .disable = "C1E" }, NULL },
		{ { .enable = "C1,C6", .disable = "POLL,C6" }, "C6" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *conflict = cpuidle_find_conflict(&cases[i].choice);

		assert_int_equal(!conflict, !cases[i].conflict);
		if (conflict)
			assert_string_equal(conflict, cases[i].conflict);
	}
}

static void test_names(void **state)
{
	_cleanup_free_ char *names = cpuidle_format_names(&cpu);

	(void)state;
	assert_string_equal(names, "POLL, C1, C1E, C6, haltpoll idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_conflict),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
