// SPDX-License-Identifier: GPL-2.0-only
/* Finding the CPUs that another control group has for itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "planned.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "settings/cgroup.h"

#define ROOT    "/sys/fs/cgroup"
#define CONTROL ROOT "/cgroup.subtree_control"

static void make_group(struct files *files, const char *name, const char *cpus, const char *word)
{
	char path[80];

	snprintf(path, sizeof(path), ROOT "/%s", name);
	assert_int_equal(files_change_directory(files, path, true), 0);
	snprintf(path, sizeof(path), ROOT "/%s/cpuset.cpus", name);
	assert_int_equal(files_write(files, path, cpus), 0);
	snprintf(path, sizeof(path), ROOT "/%s/cpuset.cpus.partition", name);
	assert_int_equal(files_write(files, path, word), 0);
}

/* CPUs of another group's valid partition are found; those of members, of invalid partitions and of
 * our groups are not. */
static void test_find_taken(void **test)
{
	static const struct {
		const char *cpus;
		uint32_t taken;
	} cases[] = {
		{ "0-40", 5 },         { "6-40", 13 },         { "14-40", 20 },
		{ "20", 20 },          { "8-9", CPUSET_NONE }, { "30-31", CPUSET_NONE },
		{ "40", CPUSET_NONE }, { "12", CPUSET_NONE },
	};
	struct planned planned;
	uint32_t taken;

	(void)test;
	planned_open(&planned, "guide", NULL);
	assert_int_equal(files_write(planned.host.files, CONTROL, "+cpuset"), 0);
	make_group(planned.host.files, "other", "5", "isolated");
	make_group(planned.host.files, "second", "20-21", "root");
	make_group(planned.host.files, "plain", "8-9", "member");
	make_group(planned.host.files, "wrong", "", "isolated");
	make_group(planned.host.files, "0-0-0", "12", "isolated");
	make_group(planned.host.files, "1-2-3x", "13", "isolated");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		assert_int_equal(cpulist_parse(cases[i].cpus, &cpus), 0);
		assert_int_equal(cgroup_find_taken(planned.host.files, &cpus, &taken), 0);
		assert_int_equal(taken, cases[i].taken);
	}
	planned_close(&planned);
}

static void test_unreadable(void **test)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	uint32_t taken = 7;
	struct fake_files fake;

	(void)test;
	assert_int_equal(cpuset_add(&cpus, 1), 0);
	fake_files_init(&fake);
	assert_int_equal(cgroup_find_taken(&fake.files, &cpus, &taken), -ENOENT);
	assert_int_equal(taken, 7);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_taken),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
