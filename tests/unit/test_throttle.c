// SPDX-License-Identifier: GPL-2.0-only
/* Counters of thermal throttling: of cores and packages, on old kernels, garbled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "instruments/throttle.h"

#define CPU3 "/sys/devices/system/cpu/cpu3/thermal_throttle/"

static void test_scopes(void **state)
{
	struct throttle_counts counts = { .events = 42 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(throttle_read(&fake.files, 3, THROTTLE_CORE, &counts), -ENOENT);
	assert_true(counts.events == 42);
	fake_files_set(&fake, "7\n", CPU3 "core_throttle_count");
	fake_files_set(&fake, "1234\n", CPU3 "core_throttle_total_time_ms");
	fake_files_set(&fake, "9\n", CPU3 "package_throttle_count");
	assert_int_equal(throttle_read(&fake.files, 3, THROTTLE_CORE, &counts), 0);
	assert_true(counts.events == 7);
	assert_true(counts.has_total_ms);
	assert_true(counts.total_ms == 1234);
	/* an old kernel */
	assert_int_equal(throttle_read(&fake.files, 3, THROTTLE_PACKAGE, &counts), 0);
	assert_true(counts.events == 9);
	assert_false(counts.has_total_ms);
	assert_int_equal(throttle_read(&fake.files, 4, THROTTLE_PACKAGE, &counts), -ENOENT);
	fake_files_done(&fake);
}

static void test_garbled(void **state)
{
	struct throttle_counts counts = { .events = 42 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "many\n", CPU3 "core_throttle_count");
	assert_int_equal(throttle_read(&fake.files, 3, THROTTLE_CORE, &counts), -EINVAL);
	fake_files_set(&fake, "7\n", CPU3 "core_throttle_count");
	fake_files_set(&fake, "\n", CPU3 "core_throttle_total_time_ms");
	assert_int_equal(throttle_read(&fake.files, 3, THROTTLE_CORE, &counts), -EINVAL);
	assert_true(counts.events == 42);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
