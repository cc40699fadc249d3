// SPDX-License-Identifier: GPL-2.0-only
/* Lines of a log that repeat are written ever less often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "daemon/log.h"

static void test_pauses(void **state)
{
	static const struct {
		uint64_t now_s;
		const char *line;
		bool due;
	} vectors[] = {
		{ 1000, "cpu-6 is busy", true },   { 1000, "cpu-6 is busy", false },
		{ 1010, "cpu-8 is busy", true },   { 1059, "cpu-6 is busy", false },
		{ 1060, "cpu-6 is busy", true },   { 1069, "cpu-8 is busy", false },
		{ 1070, "cpu-8 is busy", true },   { 1179, "cpu-6 is busy", false },
		{ 1180, "cpu-6 is busy", true }, /* the pause was two minutes, and is four */
		{ 1419, "cpu-6 is busy", false },  { 1420, "cpu-6 is busy", true },
		{ 900000, "cpu-6 is busy", true }, { 900400, "cpu-6 is busy", false },
	};
	struct log log = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(log_is_due(&log, vectors[i].line, vectors[i].now_s),
				 vectors[i].due);
	log_forget(&log);
	assert_true(log_is_due(&log, "cpu-6 is busy", 900401));
	log_forget(&log);
}

/* The pause never is longer than a day. */
static void test_longest(void **state)
{
	struct log log = { 0 };
	uint64_t now_s = 0, last_s = 0;

	(void)state;
	for (; now_s < 30 * 86400; now_s += 30) {
		if (!log_is_due(&log, "no driver", now_s))
			continue;
		assert_true(now_s - last_s <= 86400);
		last_s = now_s;
	}
	assert_true(now_s - last_s <= 86400);
	log_forget(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
