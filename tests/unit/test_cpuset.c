// SPDX-License-Identifier: GPL-2.0-only
/* CPU sets: growing, set arithmetic over sets of unlike sizes, iteration, the three text forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/cpuset.h"

static struct cpuset make_set(const char *list)
{
	struct cpuset set = { 0 };

	assert_int_equal(cpulist_parse(list, &set), 0);
	return set;
}

static void check_set(const struct cpuset *set, const char *list)
{
	_cleanup_free_ char *found = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&found, &length);

	assert_non_null(to);
	cpuset_write_ranges(set, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(found, list);
}

static void test_add_and_remove(void **test)
{
	static const uint32_t cpus[] = { 0, 63, 64, 65, 127, 128, 4095, CPUSET_MAX_CPU };
	_cleanup_cpuset_ struct cpuset set = { 0 };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		assert_false(cpuset_has(&set, cpus[i]));
		assert_int_equal(cpuset_add(&set, cpus[i]), 0);
		assert_int_equal(cpuset_add(&set, cpus[i]), 0);
		assert_true(cpuset_has(&set, cpus[i]));
		assert_int_equal(cpuset_count(&set), i + 1);
		assert_int_equal(cpuset_last(&set), cpus[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		assert_int_equal(cpuset_next(&set, 0), cpus[i]);
		cpuset_remove(&set, cpus[i]);
		cpuset_remove(&set, cpus[i]);
		assert_false(cpuset_has(&set, cpus[i]));
	}
	assert_true(cpuset_is_empty(&set));
}

static void test_limits(void **test)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };

	(void)test;
	assert_int_equal(cpuset_add(&set, CPUSET_MAX_CPU + 1), -ERANGE);
	assert_int_equal(cpuset_add(&set, CPUSET_NONE), -ERANGE);
	assert_null(set.words);
	assert_false(cpuset_has(&set, CPUSET_NONE));
	cpuset_remove(&set, CPUSET_NONE);
	assert_true(cpuset_is_empty(&set));
	assert_int_equal(cpuset_count(&set), 0);
	assert_int_equal(cpuset_last(&set), CPUSET_NONE);
	assert_int_equal(cpuset_next(&set, 0), CPUSET_NONE);
	assert_int_equal(cpuset_next(&set, CPUSET_NONE), CPUSET_NONE);
}

struct arithmetic_case {
	const char *set, *other;
	const char *all, *without, *kept;
	bool equal;
};

static const struct arithmetic_case arithmetic_cases[] = {
	{ .set = "", .other = "", .all = "", .without = "", .kept = "", .equal = true },
	{ .set = "1", .other = "", .all = "1", .without = "1", .kept = "" },
	{ .set = "", .other = "1", .all = "1", .without = "", .kept = "" },
	{ .set = "0-3", .other = "2-5", .all = "0-5", .without = "0-1", .kept = "2-3" },
	{ .set = "0-63", .other = "64-127", .all = "0-127", .without = "0-63", .kept = "" },
	{ .set = "1,500", .other = "1", .all = "1,500", .without = "500", .kept = "1" },
	{ .set = "1", .other = "1,500", .all = "1,500", .without = "", .kept = "1" },
	{ .set = "7,64,8191",
	  .other = "7,64,8191",
	  .all = "7,64,8191",
	  .without = "",
	  .kept = "7,64,8191",
	  .equal = true },
};

static void check_arithmetic(const struct arithmetic_case *sets)
{
	_cleanup_cpuset_ struct cpuset all = make_set(sets->set), kept = make_set(sets->set);
	_cleanup_cpuset_ struct cpuset without = make_set(sets->set), other = make_set(sets->other);

	assert_int_equal(cpuset_equal(&all, &other), sets->equal);
	assert_int_equal(cpuset_equal(&other, &all), sets->equal);
	assert_int_equal(cpuset_intersects(&all, &other), *sets->kept != '\0');
	assert_int_equal(cpuset_intersects(&other, &all), *sets->kept != '\0');
	assert_int_equal(cpuset_add_all(&all, &other), 0);
	check_set(&all, sets->all);
	cpuset_remove_all(&without, &other);
	check_set(&without, sets->without);
	cpuset_keep(&kept, &other);
	check_set(&kept, sets->kept);
	check_set(&other, sets->other);
}

static void test_arithmetic(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(arithmetic_cases); i++)
		check_arithmetic(&arithmetic_cases[i]);
}

/* Two sets are equal by their CPUs, however much room each has. */
static void test_equal_after_shrinking(void **test)
{
	_cleanup_cpuset_ struct cpuset large = make_set("3,1000"), small = make_set("3");

	(void)test;
	cpuset_remove(&large, 1000);
	assert_true(large.n_words > small.n_words);
	assert_true(cpuset_equal(&large, &small));
	assert_true(cpuset_equal(&small, &large));
	assert_int_equal(cpuset_last(&large), 3);
	cpuset_remove(&large, 3);
	assert_true(cpuset_is_empty(&large));
}

static void test_copy(void **test)
{
	_cleanup_cpuset_ struct cpuset set = make_set("1-3,900"), other = make_set("2,64");

	(void)test;
	assert_int_equal(cpuset_copy(&set, &other), 0);
	check_set(&set, "2,64");
	assert_int_equal(cpuset_add(&set, 5), 0);
	check_set(&other, "2,64");
	cpuset_done(&other);
	assert_null(other.words);
	assert_int_equal(cpuset_copy(&set, &other), 0);
	assert_true(cpuset_is_empty(&set));
}

static void test_iteration(void **test)
{
	static const uint32_t wanted[] = { 0, 1, 62, 63, 64, 127, 128, 700 };
	_cleanup_cpuset_ struct cpuset set = make_set("0-1,62-64,127-128,700");
	size_t n_found = 0;

	(void)test;
	cpuset_foreach (cpu, &set) {
		assert_true(n_found < ARRAY_SIZE(wanted));
		assert_int_equal(cpu, wanted[n_found++]);
	}
	assert_int_equal(n_found, ARRAY_SIZE(wanted));
	assert_int_equal(cpuset_next(&set, 2), 62);
	assert_int_equal(cpuset_next(&set, 65), 127);
	assert_int_equal(cpuset_next(&set, 700), 700);
	assert_int_equal(cpuset_next(&set, 701), CPUSET_NONE);
	assert_int_equal(cpuset_next(&set, 100000), CPUSET_NONE);
}

/* Iterating while the CPUs that were seen are taken out, as the topology does. */
static void test_iteration_while_removing(void **test)
{
	_cleanup_cpuset_ struct cpuset set = make_set("0-200");
	uint32_t next = 0;

	(void)test;
	cpuset_foreach (cpu, &set) {
		assert_int_equal(cpu, next++);
		cpuset_remove(&set, cpu);
	}
	assert_int_equal(next, 201);
	assert_true(cpuset_is_empty(&set));
}

struct form_case {
	const char *set;
	size_t n_words;
	const char *list, *ranges, *mask;
};

static const struct form_case form_cases[] = {
	{ .set = "", .n_words = 1, .list = "none", .ranges = "", .mask = "00000000" },
	{ .set = "",
	  .n_words = 3,
	  .list = "none",
	  .ranges = "",
	  .mask = "00000000,00000000,00000000" },
	{ .set = "0", .n_words = 1, .list = "0", .ranges = "0", .mask = "00000001" },
	{ .set = "0-3", .n_words = 1, .list = "0,1,2,3", .ranges = "0-3", .mask = "0000000f" },
	{ .set = "1,3,31", .n_words = 1, .list = "1,3,31", .ranges = "1,3,31", .mask = "8000000a" },
	{ .set = "31-32",
	  .n_words = 2,
	  .list = "31,32",
	  .ranges = "31-32",
	  .mask = "00000001,80000000" },
	{ .set = "63-64",
	  .n_words = 3,
	  .list = "63,64",
	  .ranges = "63-64",
	  .mask = "00000001,80000000,00000000" },
	{ .set = "0,95",
	  .n_words = 5,
	  .list = "0,95",
	  .ranges = "0,95",
	  .mask = "00000000,00000000,80000000,00000000,00000001" },
};

static void check_forms(const struct form_case *form)
{
	_cleanup_free_ char *wanted = NULL;
	_cleanup_cpuset_ struct cpuset set = make_set(form->set);
	_cleanup_buffer_ struct buffer text = { 0 };

	cpuset_append_list(&set, &text);
	buffer_append_char(&text, '|');
	cpuset_append_ranges(&set, &text);
	buffer_append_char(&text, '|');
	cpuset_append_mask(&set, form->n_words, &text);
	assert_true(asprintf(&wanted, "%s|%s|%s", form->list, form->ranges, form->mask) > 0);
	assert_string_equal(buffer_text(&text), wanted);
}

static void test_text_forms(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(form_cases); i++)
		check_forms(&form_cases[i]);
}

/* Every set comes back from the kernel's form as it was. */
static void test_ranges_round_trip(void **test)
{
	uint32_t state = 12345;

	(void)test;
	for (size_t round = 0; round < 200; round++) {
		_cleanup_cpuset_ struct cpuset set = { 0 }, back = { 0 };
		_cleanup_free_ char *text = NULL;
		size_t length = 0;
		FILE *to = open_memstream(&text, &length);

		for (size_t i = 0; i < round; i++) {
			state = state * 1664525 + 1013904223;
			assert_int_equal(cpuset_add(&set, (state >> 16) % 300), 0);
		}
		assert_non_null(to);
		cpuset_write_ranges(&set, to);
		assert_int_equal(fclose(to), 0);
		assert_int_equal(cpulist_parse(text, &back), 0);
		assert_true(cpuset_equal(&set, &back));
	}
}

/* A long list, one CPU after the other, is not copied at each of them. */
static void test_growth(void **state)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	size_t n_words = 0, n_times = 0;

	(void)state;
	for (uint32_t cpu = 0; cpu <= CPUSET_MAX_CPU; cpu++) {
		assert_int_equal(cpuset_add(&set, cpu), 0);
		n_times += set.n_words != n_words;
		n_words = set.n_words;
	}
	assert_in_range(n_times, 1, 20);
	assert_int_equal(cpuset_count(&set), CPUSET_MAX_CPU + 1);
	assert_int_equal(cpuset_last(&set), CPUSET_MAX_CPU);
}

/* A range is what its CPUs are one by one, wherever in the words it begins and ends. */
static void check_range(uint32_t first, uint32_t last)
{
	_cleanup_cpuset_ struct cpuset range = { 0 }, one_by_one = { 0 };
	_cleanup_free_ char *ranges = NULL;
	char expected[32];

	snprintf(expected, sizeof(expected), first < last ? "%u-%u" : "%u", first, last);
	assert_int_equal(cpuset_add_range(&range, first, last), 0);
	for (uint32_t cpu = first; cpu <= last; cpu++)
		assert_int_equal(cpuset_add(&one_by_one, cpu), 0);
	assert_true(cpuset_equal(&range, &one_by_one));
	ranges = cpuset_format_ranges(&range);
	assert_string_equal(ranges, expected);
}

static void test_ranges_at_words(void **state)
{
	static const uint32_t edges[] = { 0, 1, 31, 62, 63, 64, 65, 126, 127, 128, 191, 192, 700 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		for (size_t j = i; j < ARRAY_SIZE(edges); j++)
			check_range(edges[i], edges[j]);
	}
}

static void test_range_limits(void **state)
{
	_cleanup_cpuset_ struct cpuset set = make_set("3,70"), whole = { 0 };

	(void)state;
	assert_int_equal(cpuset_add_range(&set, 5, CPUSET_MAX_CPU + 1), -ERANGE);
	assert_int_equal(cpuset_add_range(&set, 5, CPUSET_NONE), -ERANGE);
	check_set(&set, "3,70");
	assert_int_equal(cpuset_add_range(&set, 60, 64), 0);
	check_set(&set, "3,60-64,70");
	assert_int_equal(cpuset_add_range(&whole, 0, CPUSET_MAX_CPU), 0);
	check_set(&whole, "0-1048575");
	assert_int_equal(cpuset_count(&whole), CPUSET_MAX_CPU + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_remove),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_equal_after_shrinking),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_iteration),
		cmocka_unit_test(test_iteration_while_removing),
		cmocka_unit_test(test_text_forms),
		cmocka_unit_test(test_ranges_round_trip),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_ranges_at_words),
		cmocka_unit_test(test_range_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
