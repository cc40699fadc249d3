// SPDX-License-Identifier: GPL-2.0-only
/* Quantiles by nearest rank and their intervals, held against tables of the binomial
 * distribution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "measure/statistics.h"

/* Ranks of 95 % intervals. Those of the median are in the tables of the sign test; all are computed
 * with exact fractions. 0: there is no such sample. */
static void test_ranks(void **state)
{
	static const struct {
		size_t count;
		unsigned int permille;
		size_t low, high;
	} vectors[] = {
		{ 5, 500, 0, 0 },          { 6, 500, 1, 6 },       { 7, 500, 1, 7 },
		{ 8, 500, 1, 8 },          { 9, 500, 2, 8 },       { 10, 500, 2, 9 },
		{ 11, 500, 2, 10 },        { 12, 500, 3, 10 },     { 15, 500, 4, 12 },
		{ 20, 500, 6, 15 },        { 25, 500, 8, 18 },     { 30, 500, 10, 21 },
		{ 40, 500, 14, 27 },       { 50, 500, 18, 33 },    { 100, 500, 40, 61 },
		{ 1000, 500, 469, 532 },   { 100, 900, 84, 96 },   { 300, 990, 0, 0 },
		{ 368, 990, 360, 368 },    { 500, 990, 490, 500 }, { 1000, 990, 983, 997 },
		{ 2000, 990, 1971, 1989 }, { 2000, 999, 0, 0 },    { 4000, 999, 3992, 4000 },
		{ 0, 500, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		size_t low = 0, high = 0;
		bool found =
			statistics_find_ranks(vectors[i].count, vectors[i].permille, &low, &high);

		print_message("%zu samples, %u permille\n", vectors[i].count, vectors[i].permille);
		assert_int_equal(found, vectors[i].low > 0);
		assert_int_equal(low, vectors[i].low);
		assert_int_equal(high, vectors[i].high);
	}
}

/* Samples are 1 to count, so that a value is its rank. */
static void test_quantiles(void **state)
{
	static const struct {
		size_t count;
		unsigned int permille;
		bool is_known;
		uint64_t value;
	} vectors[] = {
		{ 0, 500, false, 0 },    { 19, 500, false, 0 },      { 20, 500, true, 10 },
		{ 21, 500, true, 11 },   { 99, 900, false, 0 },      { 100, 900, true, 90 },
		{ 101, 900, true, 91 },  { 999, 990, false, 0 },     { 1000, 990, true, 990 },
		{ 9999, 999, false, 0 }, { 10000, 999, true, 9990 }, { 10001, 999, true, 9991 },
	};
	static uint64_t samples[10001];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = ARRAY_SIZE(samples) - i;
	statistics_sort(samples, ARRAY_SIZE(samples));
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct quantile found =
			statistics_find(samples, vectors[i].count, vectors[i].permille);

		print_message("%zu samples, %u permille\n", vectors[i].count, vectors[i].permille);
		assert_int_equal(found.is_known, vectors[i].is_known);
		assert_int_equal(found.value, vectors[i].value);
		assert_int_equal(found.has_interval, vectors[i].is_known);
		assert_true(found.low <= found.value && found.value <= found.high);
	}
	assert_int_equal(statistics_find(samples, 1000, 990).low, 983);
	assert_int_equal(statistics_find(samples, 1000, 990).high, 997);
}

/* In 2,000 trials of 200 samples each the interval of the median misses it in at most 5 % of them,
 * and not much less often. */
static void test_coverage(void **state)
{
	uint64_t seed = 1, samples[200];
	unsigned int missed = 0;

	(void)state;
	for (int trial = 0; trial < 2000; trial++) {
		struct quantile median;

		for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			samples[i] = seed >> 33;
		}
		statistics_sort(samples, ARRAY_SIZE(samples));
		median = statistics_find(samples, ARRAY_SIZE(samples), 500);
		missed += median.low > UINT64_C(1) << 30 || median.high < UINT64_C(1) << 30;
	}
	print_message("%u of 2000 missed\n", missed);
	assert_true(missed >= 50 && missed <= 105);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
