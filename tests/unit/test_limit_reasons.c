// SPDX-License-Identifier: GPL-2.0-only
/* Why the hardware limits frequencies: files of power domains, their lines, what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "fake_files.h"
#include "instruments/limit_reasons.h"

#define PLR "/sys/kernel/debug/tpmi-0000:00:03.1/plr"

static void test_find(void **state)
{
	_cleanup_(files_free_names) char **paths = NULL;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(limit_reasons_find(&fake.files, &paths), -ENOENT);
	assert_null(paths);
	fake_files_set(&fake, "x", "/sys/kernel/debug/sched/debug");
	fake_files_set(&fake, "x", "/sys/kernel/debug/tpmi-0000:00:03.2/uncore/x");
	assert_int_equal(limit_reasons_find(&fake.files, &paths), 0);
	assert_null(paths[0]);
	files_free_names(&paths);
	fake_files_set(&fake, "cpus none", PLR "/domain0/status");
	fake_files_set(&fake, "cpus none", PLR "/domain3/status");
	fake_files_set(&fake, "x", PLR "/other");
	assert_int_equal(limit_reasons_find(&fake.files, &paths), 0);
	assert_string_equal(paths[0], PLR "/domain0/status");
	assert_string_equal(paths[1], PLR "/domain3/status");
	assert_null(paths[2]);
	fake_files_done(&fake);
}

static void test_read(void **state)
{
	struct limit_reasons reasons = { .count = 42 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons), -ENOENT);
	assert_int_equal(reasons.count, 42);
	fake_files_set(&fake,
		       "cpus POWER_PKG_PL1\ncpu0 none\ncpu12 POWER_PKG_PL1 FREQUENCY_PCS_TRL\n"
		       "cpux none\nsomething else\n\n",
		       PLR "/domain0/status");
	assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons), 0);
	assert_int_equal(reasons.count, 3);
	assert_int_equal(reasons.list[0].cpu, CPUSET_NONE);
	assert_string_equal(reasons.list[0].reasons, "POWER_PKG_PL1");
	assert_int_equal(reasons.list[1].cpu, 0);
	assert_string_equal(reasons.list[1].reasons, "");
	assert_int_equal(reasons.list[2].cpu, 12);
	assert_string_equal(reasons.list[2].reasons, "POWER_PKG_PL1 FREQUENCY_PCS_TRL");
	limit_reasons_done(&reasons);
	fake_files_set(&fake, "", PLR "/domain0/status");
	assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons), 0);
	assert_int_equal(reasons.count, 0);
	fake_files_done(&fake);
}

/* What the driver of Linux 6.17 showed of a Xeon 6 (three of its 65 lines). */
static const char of_a_machine[] = "cpus POWER\n"
				   "cpu0 POWER POWER_PLATFORM_PL1_PCS\n"
				   "cpu63 POWER POWER_PLATFORM_PL1_PCS\n";

/* Bits that the driver has no name for, lines that end after the CPU, and words of another form:
 * each is kept, or is no reason, and no other line is lost. */
static void test_unknown_words(void **state)
{
	static const struct {
		const char *line, *reasons;
	} rows[] = {
		{ "cpu7 UNKNOWN(10)", "UNKNOWN(10)" },
		{ "cpu7 POWER UNKNOWN(10) POWER_PKG_PL1_MSR_TPMI",
		  "POWER UNKNOWN(10) POWER_PKG_PL1_MSR_TPMI" },
		{ "cpu7", "" },
		{ "cpu7 ", "" },
		{ "cpu7:", "" },
		{ "cpu7 none", "" },
		{ "cpu7 a=b", "a=b" },
		{ "cpu7 \xff\x01 POWER", "?? POWER" },
		{ "cpu7   POWER  ", "POWER" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_limit_reasons_ struct limit_reasons reasons = { 0 };
		_cleanup_free_ char *text = text_format("%s%s\n", of_a_machine, rows[i].line);
		struct fake_files fake;

		fake_files_init(&fake);
		fake_files_set(&fake, text, PLR "/domain0/status");
		assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons),
				 0);
		assert_int_equal(reasons.count, 4);
		assert_string_equal(reasons.list[0].reasons, "POWER");
		assert_string_equal(reasons.list[1].reasons, "POWER POWER_PLATFORM_PL1_PCS");
		assert_int_equal(reasons.list[2].cpu, 63);
		assert_int_equal(reasons.list[3].cpu, 7);
		assert_string_equal(reasons.list[3].reasons, rows[i].reasons);
		fake_files_done(&fake);
	}
}

/* The line of the die ends after its first word: it has no reasons. */
static void test_no_words(void **state)
{
	struct limit_reasons reasons = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "cpus\ncpu0 POWER\n", PLR "/domain0/status");
	assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons), 0);
	assert_int_equal(reasons.count, 2);
	assert_int_equal(reasons.list[0].cpu, CPUSET_NONE);
	assert_string_equal(reasons.list[0].reasons, "");
	assert_string_equal(reasons.list[1].reasons, "POWER");
	limit_reasons_done(&reasons);
	fake_files_done(&fake);
}

/* A text of something else. */
static void test_garbled(void **state)
{
	static const char *const texts[] = { "\xff\xfe", "garbled\n", "cpux none\n" };
	struct limit_reasons reasons = { .count = 42 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		fake_files_set(&fake, texts[i], PLR "/domain0/status");
		assert_int_equal(limit_reasons_read(&fake.files, PLR "/domain0/status", &reasons),
				 -EINVAL);
		assert_int_equal(reasons.count, 42);
	}
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),          cmocka_unit_test(test_read),
		cmocka_unit_test(test_unknown_words), cmocka_unit_test(test_no_words),
		cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
