// SPDX-License-Identifier: GPL-2.0-only
/* What a setting changed: known values, and seeded trials that count how often an effect is found,
 * and how often one is reported where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "measure/trial.h"

#define TRIALS 20000

/* Noise. */

static uint64_t seed;

/* splitmix64: a number above 0 and below 1 */
static double uniform(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double exponential(void)
{
	return -log(uniform());
}

/* One value in twenty is ten times as far away. */
static double with_outliers(void)
{
	return normal() * (uniform() < 0.05 ? 10 : 1);
}

/* The share (percent) of trials in which a difference is found. The effect is in true standard
 * errors of noise with deviation 1; drift is that of one run. */
static double found(size_t runs, double effect, double drift, double (*noise)(void))
{
	double figures[40];
	size_t count = 0;

	assert_true(2 * runs <= ARRAY_SIZE(figures));
	seed = 1;
	for (int i = 0; i < TRIALS; i++) {
		struct trial trial;

		for (size_t run = 0; run < 2 * runs; run++) {
			double y = noise() + drift * (double)run;

			if (trial_is_with(run))
				y += effect * sqrt(2 / (double)runs);
			figures[run] = 100 * exp(y / 100);
		}
		assert_int_equal(trial_of_runs(figures, runs, NULL, &trial), 0);
		count += trial.verdict != TRIAL_NO_DIFFERENCE;
	}
	return 100.0 * (double)count / TRIALS;
}

static void check_between(const char *what, size_t runs, double share, double low, double high)
{
	if (share < low || share > high)
		fail_msg("%s, %zu runs: %.2f %%, not %.0f to %.0f", what, runs, share, low, high);
}

static const size_t run_counts[] = { 4, 6, 10, 20 };

static void test_false_alarms(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(run_counts); i++) {
		size_t runs = run_counts[i];

		check_between("normal", runs, found(runs, 0, 0, normal), 4, 6);
		check_between("drift", runs, found(runs, 0, 2, normal), 4, 6);
		check_between("uniform", runs, found(runs, 0, 0, uniform), 0, 6);
		check_between("exponential", runs, found(runs, 0, 0, exponential), 0, 6);
		check_between("outliers", runs, found(runs, 0, 0, with_outliers), 0, 6);
	}
}

static void test_power(void **test)
{
	static const double shares[] = { 37, 43, 47, 50 };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(run_counts); i++) {
		size_t runs = run_counts[i];

		check_between("effect", runs, found(runs, 2, 1, normal), shares[i] - 2,
			      shares[i] + 2);
		check_between("less", runs, found(runs, -2, 1, normal), shares[i] - 2,
			      shares[i] + 2);
	}
}

/* Known values. */

static void check_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.12g, not %.12g", value, expected);
}

static void test_student_limit(void **test)
{
	static const struct {
		double v, limit;
	} rows[] = {
		{ 1, 12.7062 },   { 2, 4.30265 },   { 3, 3.18245 },  { 4, 2.77645 },
		{ 5, 2.57058 },   { 9, 2.26216 },   { 17, 2.10982 }, { 37, 2.02619 },
		{ 100, 1.98397 }, { 1e6, 1.95997 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_near(trial_student_limit(rows[i].v), rows[i].limit, 1e-5 * rows[i].limit);
}

/* Worked out by hand, from logarithms in tenths. */
static void test_alternation(void **test)
{
	static const double tenths[] = { 0, 1, 2, 1, 0, 3, 2, 1 };
	double figures[8], residuals[8], squares = 0;
	struct trial trial;

	(void)test;
	for (size_t i = 0; i < 8; i++)
		figures[i] = exp(tenths[i] / 10);
	assert_int_equal(trial_of_runs(figures, 4, residuals, &trial), 0);
	/* without: 0, 1, 0, 1; with: 1, 2, 3, 2 */
	check_near(log(trial.without), 0.05, 1e-9);
	check_near(log(trial.with), 0.2, 1e-9);
	check_near(log1p(trial.change), 0.15, 1e-9);
	/* sum of t y: (-3.5 x 0 - 2.5 x 1 - 1.5 x 2 - 0.5 x 1 + 0 + 1.5 x 3 + 2.5 x 2 + 3.5 x 1)
	 * / 10 = 0.7; sum of t^2: 42 */
	check_near(log1p(trial.drift), 0.7 / 42, 1e-9);
	assert_false(trial.drifts);
	/* squares about the means: 4 x 0.0025 + 0.02 = 0.03; less 0.7^2 / 42 */
	check_near(trial.deviation, sqrt((0.03 - 0.49 / 42) / 5), 1e-9);
	check_near(log1p(trial.high), 0.15 + 2.570582 * trial.deviation * sqrt(0.5), 1e-6);
	check_near(log1p(trial.low), 0.15 - 2.570582 * trial.deviation * sqrt(0.5), 1e-6);
	assert_int_equal(trial.verdict, TRIAL_MORE);
	for (size_t i = 0; i < 8; i++)
		squares += residuals[i] * residuals[i];
	check_near(squares, 5, 1e-9);
}

/* Runs without noise: the change is a point, and none is one only if all are equal. */
static void test_without_noise(void **test)
{
	double same[] = { 7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1 };
	double less[] = { 8, 6, 6, 8, 8, 6, 6, 8 };
	double residuals[8];
	struct trial trial;

	(void)test;
	assert_int_equal(trial_of_runs(same, 4, residuals, &trial), 0);
	assert_int_equal(trial.verdict, TRIAL_NO_DIFFERENCE);
	assert_false(trial.drifts);
	assert_true(residuals[3] == 0);
	assert_int_equal(trial_of_runs(less, 4, NULL, &trial), 0);
	assert_int_equal(trial.verdict, TRIAL_LESS);
	check_near(trial.change, -0.25, 1e-12);
	check_near(trial.low, -0.25, 1e-9);
	check_near(trial.high, -0.25, 1e-9);
	assert_false(trial.drifts);
}

static void test_drift(void **test)
{
	double figures[12];
	struct trial trial;

	(void)test;
	seed = 3;
	for (size_t i = 0; i < 12; i++)
		figures[i] = 50 * exp(0.01 * (double)i + 0.001 * normal());
	assert_int_equal(trial_of_runs(figures, 6, NULL, &trial), 0);
	assert_int_equal(trial.verdict, TRIAL_NO_DIFFERENCE);
	assert_true(trial.drifts);
	check_near(trial.drift, 0.01, 0.001);
}

static void test_residual_of_outlier(void **test)
{
	double figures[40], residuals[40];
	struct trial trial;

	(void)test;
	seed = 5;
	for (size_t i = 0; i < 40; i++)
		figures[i] = exp(0.01 * normal() + (i == 17 ? 0.2 : 0));
	assert_int_equal(trial_of_runs(figures, 20, residuals, &trial), 0);
	for (size_t i = 0; i < 40; i++) {
		if ((fabs(residuals[i]) > 4) != (i == 17))
			fail_msg("run %zu: %g", i, residuals[i]);
	}
}

static void test_saved_runs(void **test)
{
	static const double without[] = { 1, 2.718281828459045, 7.38905609893065 };
	static const double with[] = { 20.085536923187668, 54.598150033144236, 54.598150033144236,
				       148.4131591025766 };
	struct trial trial;

	(void)test;
	assert_int_equal(trial_of_files(without, 3, with, 4, &trial), 0);
	/* logarithms 0, 1, 2 and 3, 4, 4, 5: means 1 and 4, squares of the errors 1/3 and 1/6,
	 * degrees of freedom (1/2)^2 / (1/18 + 1/108) = 27/7 */
	check_near(log1p(trial.change), 3, 1e-9);
	assert_true(trial.has_interval);
	check_near(log1p(trial.high), 3 + trial_student_limit(27.0 / 7) * sqrt(0.5), 1e-9);
	check_near(log1p(trial.low), 3 - trial_student_limit(27.0 / 7) * sqrt(0.5), 1e-9);
	assert_int_equal(trial.verdict, TRIAL_MORE);
	assert_int_equal(trial_of_files(without, 2, with, 4, &trial), 0);
	assert_false(trial.has_interval);
	assert_int_equal(trial.verdict, TRIAL_NO_DIFFERENCE);
	check_near(log(trial.without), 0.5, 1e-9);
}

static void test_wrong_input(void **test)
{
	double figures[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct trial trial = { .change = 42 };

	(void)test;
	assert_int_equal(trial_of_runs(figures, 2, NULL, &trial), -EINVAL);
	assert_int_equal(trial_of_runs(figures, 5, NULL, &trial), -EINVAL);
	assert_int_equal(trial_of_files(figures, 0, figures, 3, &trial), -EINVAL);
	assert_int_equal(trial_of_files(figures, 3, figures, 0, &trial), -EINVAL);
	figures[3] = 0;
	assert_int_equal(trial_of_runs(figures, 4, NULL, &trial), -EDOM);
	figures[3] = -1;
	assert_int_equal(trial_of_files(figures, 3, figures, 4, &trial), -EDOM);
	figures[3] = INFINITY;
	assert_int_equal(trial_of_runs(figures, 4, NULL, &trial), -EDOM);
	figures[3] = NAN;
	assert_int_equal(trial_of_files(figures, 4, figures, 3, &trial), -EDOM);
	assert_true(trial.change == 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student_limit),
		cmocka_unit_test(test_alternation),
		cmocka_unit_test(test_without_noise),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_residual_of_outlier),
		cmocka_unit_test(test_saved_runs),
		cmocka_unit_test(test_wrong_input),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
