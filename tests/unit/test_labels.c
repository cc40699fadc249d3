// SPDX-License-Identifier: GPL-2.0-only
/* The record of fast cores as labels for Node Feature Discovery. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "choose/priority.h"

#define PREFIX "feature.node.kubernetes.io/sst-"

static struct priority_package packages[2];
static struct priority_group groups[3];
static struct priority priority = {
	.packages = packages, .n_packages = 2, .groups = groups, .n_groups = 3
};

static int set_up(void **state)
{
	(void)state;
	packages[0] = (struct priority_package){ .level = 4, .turbo_freq_on = true };
	packages[1] = (struct priority_package){ .level = 4, .core_power_on = true };
	for (size_t i = 0; i < 3; i++)
		groups[i] =
			(struct priority_group){ .reasons = i == 2 ? 0 : PRIORITY_OF_CLOS,
						 .mhz = i == 2 ? 2000 : 3200 - 100 * (uint32_t)i };
	return cpuset_add_range(&groups[0].threads[0], 0, 3) ||
	       cpuset_add_range(&groups[0].threads[1], 8, 11) ||
	       cpuset_add_range(&groups[1].threads[0], 4, 5) ||
	       cpuset_add_range(&groups[2].threads[0], 6, 7);
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < PRIORITY_THREADS; j++)
			cpuset_done(&groups[i].threads[j]);
	}
	return 0;
}

static void check(const char *expiry, const char *expected)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	assert_int_equal(priority_format_labels(&priority, expiry, &text), 0);
	assert_string_equal(buffer_text(&text), expected);
}

static void test_labels(void **state)
{
	(void)state;
	check("2026-01-31T23:59:59Z",
	      "# +expiry-time=2026-01-31T23:59:59Z\n" PREFIX "level=4\n" PREFIX
	      "turbo-freq=true\n" PREFIX "base-freq=false\n" PREFIX "core-power=true\n" PREFIX
	      "high-priority-cores=6\n" PREFIX "high-priority-mhz=3100\n");
}

/* Levels that differ, and a frequency that is not known. */
static void test_unknown(void **state)
{
	(void)state;
	packages[1].level = 3;
	groups[0].mhz = 0;
	check(NULL, PREFIX "turbo-freq=true\n" PREFIX "base-freq=false\n" PREFIX
			   "core-power=true\n" PREFIX "high-priority-cores=6\n");
	packages[0].level = packages[1].level = PRIORITY_UNKNOWN;
	check(NULL, PREFIX "turbo-freq=true\n" PREFIX "base-freq=false\n" PREFIX
			   "core-power=true\n" PREFIX "high-priority-cores=6\n");
}

static void test_nothing_fast(void **state)
{
	(void)state;
	groups[0].reasons = groups[1].reasons = 0;
	packages[0].turbo_freq_on = packages[1].core_power_on = false;
	check(NULL, PREFIX "level=4\n" PREFIX "turbo-freq=false\n" PREFIX "base-freq=false\n" PREFIX
			   "core-power=false\n" PREFIX "high-priority-cores=0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_labels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_fast, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
