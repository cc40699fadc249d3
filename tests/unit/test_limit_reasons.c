// SPDX-License-Identifier: GPL-2.0-only
/* Why the hardware limits frequencies: files of power domains, their lines, what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

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

/* A line of a CPU that says nothing, or no words, leaves all unknown. */
static void test_garbled(void **state)
{
	static const char *const texts[] = { "cpus none\ncpu3", "cpu3:\n", "cpu3 POWER \xff\n",
					     "cpus none\x01\n", "cpu1 a=b\n" };
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
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
