// SPDX-License-Identifier: GPL-2.0-only
/* Quantiles by nearest rank, and their intervals over blocks: calculated by hand, and how often
 * they hold the true quantile of correlated samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "base/cleanup.h"
#include "measure/statistics.h"

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
		assert_false(found.has_interval);
	}
}

/* Blocks of equal samples, 100 in the first one, 101 in the next. By hand, of ten blocks: the
 * median is 104; the blocks deviate by -4 to 5, squares 85; Student's limit of 9 degrees
 * is 2.262157; half of the interval 2.262157 x sqrt(85 / 9 / 10) = 2.198. Of three: 101; -1, 0,
 * 1; 4.302653 x sqrt(2 / 2 / 3) = 2.484. p99 of ten: 109; -9 to 0, squares 285; 2.262157 x sqrt(285
 * / 9 / 10) = 4.026. */
static void test_interval(void **state)
{
	static const struct {
		size_t n_blocks, of_block;
		unsigned int permille;
		bool has_interval;
		uint64_t low, high;
	} vectors[] = {
		{ 10, 20, 500, true, 101, 107 }, { 3, 20, 500, true, 98, 104 },
		{ 2, 20, 500, false, 0, 0 },     { 10, 100, 990, true, 104, 114 },
		{ 10, 99, 990, false, 0, 0 }, /* no round of a block is above its p99 */
		{ 1, 1000, 990, false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t samples[1000];
		size_t ends[10], count = 0;
		const struct sample_blocks blocks = { samples, ends, vectors[i].n_blocks };
		struct quantile found;

		for (size_t block = 0; block < vectors[i].n_blocks; block++) {
			for (size_t j = 0; j < vectors[i].of_block; j++)
				samples[count++] = 100 + block;
			ends[block] = count;
		}
		found = statistics_find(samples, count, vectors[i].permille);
		statistics_find_interval(&blocks, vectors[i].permille, &found);
		print_message("row %zu: %lu to %lu\n", i, (unsigned long)found.low,
			      (unsigned long)found.high);
		assert_int_equal(found.has_interval, vectors[i].has_interval);
		assert_int_equal(found.low, vectors[i].low);
		assert_int_equal(found.high, vectors[i].high);
	}
}

/* Blocks that were not run, or are shorter, as after a stop; and a low end that would be below 0.
 */
static void test_short_blocks(void **state)
{
	static const uint64_t samples[] = { 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9,
					    9, 1, 1, 1, 1, 1, 1, 1, 1, 7 };
	static const size_t ends[] = { 6, 12, 20, 21, 0, 0 };
	const struct sample_blocks blocks = { samples, ends, ARRAY_SIZE(ends) };
	struct quantile found = { .is_known = true, .value = 1 };

	(void)state;
	statistics_find_interval(&blocks, 500, &found);
	/* medians 1, 9, 1: 4.302653 x sqrt(64 / 2 / 3) = 14.05 */
	assert_true(found.has_interval);
	assert_int_equal(found.low, 0);
	assert_int_equal(found.high, 16);
	found = (struct quantile){ .is_known = false };
	statistics_find_interval(&blocks, 500, &found);
	assert_false(found.has_interval);
}

static uint64_t seed;

/* A number from 0 to 1. */
static double draw(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 0x1p53;
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw())) * cos(2 * 3.14159265358979 * draw());
}

/* How often, in percent, the interval of a quantile of ten blocks holds the true one. Latencies
 * have a normal distribution, and each is correlated with the one before it. */
static double find_coverage(size_t count, double correlation, unsigned int permille)
{
	const double z = permille == 500 ? 0 : 2.3263479; /* of the normal distribution */
	const uint64_t truth = (uint64_t)(1000000 + 100000 * z);
	static uint64_t samples[10000], sorted[10000];
	const unsigned int trials = count > 1000 ? 500 : 2000;
	unsigned int held = 0;
	size_t ends[10];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		ends[i] = (i + 1) * count / ARRAY_SIZE(ends);
	for (unsigned int trial = 0; trial < trials; trial++) {
		double last = draw_normal();
		struct quantile found;

		for (size_t i = 0; i < count; i++) {
			last = correlation * last +
			       sqrt(1 - correlation * correlation) * draw_normal();
			samples[i] = sorted[i] = (uint64_t)(1000000 + 100000 * last);
		}
		statistics_sort(sorted, count);
		found = statistics_find(sorted, count, permille);
		statistics_find_interval(&(struct sample_blocks){ samples, ends, ARRAY_SIZE(ends) },
					 permille, &found);
		held += found.has_interval && found.low <= truth && truth <= found.high;
	}
	return 100.0 * held / trials;
}

/* An interval of 95 % holds the quantile in 95 % of the cases, whether rounds are correlated or
 * not, as long as a block is long beside the correlation. With the fewest rounds that have a p99 a
 * block has one round above it: 90 % and more. */
static void test_coverage(void **state)
{
	static const struct {
		size_t count;
		double correlation;
		unsigned int permille;
		double least;
	} vectors[] = {
		{ 1000, 0, 500, 92 },    { 1000, 0.5, 500, 92 }, { 1000, 0.9, 500, 92 },
		{ 10000, 0.9, 990, 92 }, { 1000, 0, 990, 90 },   { 1000, 0.5, 990, 90 },
	};

	(void)state;
	seed = 1;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const double percent = find_coverage(vectors[i].count, vectors[i].correlation,
						     vectors[i].permille);

		print_message("%zu rounds, correlation %.1f, %u permille: %.1f %%\n",
			      vectors[i].count, vectors[i].correlation, vectors[i].permille,
			      percent);
		assert_true(percent >= vectors[i].least && percent <= 98);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_short_blocks),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
