// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that show the same become one list, but never across dies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "run/cpu_records.h"

enum { CPUS = 6 };

static bool are_equal(const void *left, const void *right)
{
	return *(const int *)left == *(const int *)right;
}

struct vector {
	uint32_t packages[CPUS];
	int records[CPUS]; /* 0: could not be read */
	bool each;
	const char *groups[CPUS + 1]; /* up to the first NULL */
};

static struct vector vectors[] = {
	{ { 0 }, { 1, 1, 1, 1, 1, 1 }, false, { "0-5" } },
	{ { 0 }, { 1, 2, 1, 1, 2, 3 }, false, { "0,2-3", "1,4", "5" } },
	{ { 0, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 1, 1 }, false, { "0,2,4", "1,3,5" } },
	{ { 1, 1, 1, 0, 0, 0 }, { 1, 1, 2, 1, 1, 2 }, false, { "3-4", "5", "0-1", "2" } },
	{ { 0 }, { 0, 1, 1, 0, 1, 0 }, false, { "1-2,4" } },
	{ { 0 }, { 0 }, false, { NULL } },
	{ { 0 }, { 1, 1, 1, 0, 1, 1 }, true, { "0", "1", "2", "4", "5" } },
};

static void check(struct vector *vector)
{
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	struct cpu_place places[CPUS] = { 0 };
	const struct topology topology = { .places = places };
	struct cpu_record records[CPUS] = { 0 };
	size_t count = 0;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		places[cpu].package = vector->packages[cpu];
		records[cpu].cpu = cpu;
		records[cpu].data = vector->records[cpu] ? &vector->records[cpu] : NULL;
	}
	assert_int_equal(cpu_groups_make(&topology, records, CPUS, vector->each ? NULL : are_equal,
					 &groups),
			 0);
	for (; vector->groups[count]; count++) {
		struct output_place place = cpu_groups_place(&groups.groups[count]);
		_cleanup_cpuset_ struct cpuset alone = { 0 };
		_cleanup_free_ char *list = NULL;

		assert_int_equal(cpuset_add(&alone, (uint32_t)place.cpu), 0);
		list = cpuset_format_ranges(place.cpus ?: &alone);
		assert_string_equal(list, vector->groups[count]);
		if (place.cpus)
			assert_int_equal(cpuset_next(place.cpus, 0), place.cpu);
	}
	assert_int_equal(groups.count, count);
}

static void test_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		check(&vectors[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_groups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
