// SPDX-License-Identifier: GPL-2.0-only
/* The workload model against the table of measure.md, "The simulator moves": a package of the
 * machine of the kernel's guide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulator/workload.h"

#define CORES  14
#define LOWEST 8

/* Cores of a package that are equal. */
struct cores {
	size_t count;
	uint8_t cap, clos, weight, minimum;
};

#define BUCKETS                                                                                 \
	{                                                                                       \
		{ 2, 32 }, { 4, 31 }, { 6, 31 }, { 8, 31 }, { 10, 31 }, { 12, 31 }, { 14, 31 }, \
			{ 16, 31 },                                                             \
	}

static const struct workload_package_fuses level_0 = { 14, { 26, 22, 19 }, BUCKETS };
static const struct workload_package_fuses level_4 = { 10, { 28, 24, 21 }, BUCKETS };

static const struct {
	const char *what;
	const struct workload_package_fuses *fuses;
	uint32_t tdp_mw;
	enum load_kind kind;
	enum workload_sharing sharing;
	struct cores cores[3];
	uint64_t power_mw;
	uint8_t ratios[CORES];
} rows[] = {
	{ "scalar, turbo off",
	  &level_0,
	  205000,
	  LOAD_SCALAR,
	  WORKLOAD_FASTEST_LOSES,
	  { { 14, 26, 0, 0, 0 } },
	  140425,
	  { 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26 } },
	{ "level 4",
	  &level_4,
	  185000,
	  LOAD_SCALAR,
	  WORKLOAD_FASTEST_LOSES,
	  { { 10, 28, 0, 0, 0 } },
	  143560,
	  { 28, 28, 28, 28, 28, 28, 28, 28, 28, 28 } },
	{ "tdp, SST-BF, turbo off",
	  &level_0,
	  205000,
	  LOAD_TDP,
	  WORKLOAD_FASTEST_LOSES,
	  { { 4, 30, 0, 0, 0 }, { 10, 24, 0, 0, 0 } },
	  205102,
	  { 30, 30, 30, 30, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24 } },
	{ "scalar, turbo on",
	  &level_0,
	  205000,
	  LOAD_SCALAR,
	  WORKLOAD_FASTEST_LOSES,
	  { { 14, 31, 0, 0, 0 } },
	  195276,
	  { 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31 } },
	{ "scalar, SST-TF on two cores",
	  &level_0,
	  205000,
	  LOAD_SCALAR,
	  WORKLOAD_ORDERED,
	  { { 12, 26, 3, 0, 0 }, { 2, 32, 0, 0, 0 } },
	  150170,
	  { 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 32, 32 } },
	{ "avx512, SST-CP off",
	  &level_0,
	  205000,
	  LOAD_AVX512,
	  WORKLOAD_FASTEST_LOSES,
	  { { 14, 27, 0, 0, 0 } },
	  206564,
	  { 20, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19 } },
	{ "avx512, ordered",
	  &level_0,
	  205000,
	  LOAD_AVX512,
	  WORKLOAD_ORDERED,
	  { { 4, 27, 0, 0, 0 }, { 10, 27, 3, 0, 0 } },
	  206941,
	  { 27, 27, 27, 27, 13, 13, 13, 12, 12, 12, 12, 12, 12, 12 } },
	{ "avx512, ordered, a minimum of 1500 MHz",
	  &level_0,
	  205000,
	  LOAD_AVX512,
	  WORKLOAD_ORDERED,
	  { { 4, 27, 0, 0, 0 }, { 10, 27, 3, 0, 15 } },
	  205195,
	  { 25, 25, 25, 25, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15 } },
	{ "avx512, proportional",
	  &level_0,
	  205000,
	  LOAD_AVX512,
	  WORKLOAD_PROPORTIONAL,
	  { { 4, 27, 0, 0, 0 }, { 10, 27, 3, 8, 0 } },
	  205204,
	  { 24, 24, 24, 24, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16 } },
	{ "nothing runs",
	  &level_0,
	  205000,
	  LOAD_SCALAR,
	  WORKLOAD_FASTEST_LOSES,
	  { { 0 } },
	  61500,
	  { 0 } },
	{ "no TDP: no power limit",
	  &level_0,
	  0,
	  LOAD_AVX512,
	  WORKLOAD_FASTEST_LOSES,
	  { { 14, 27, 0, 0, 0 } },
	  0,
	  { 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27 } },
	{ "minimums that cannot be held",
	  &level_0,
	  205000,
	  LOAD_AVX512,
	  WORKLOAD_ORDERED,
	  { { 4, 27, 0, 0, 25 }, { 10, 27, 3, 0, 20 } },
	  206564,
	  { 20, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19 } },
};

static size_t make_cores(size_t row, struct workload_core cores[CORES])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows[row].cores); i++) {
		const struct cores *of = &rows[row].cores[i];

		for (size_t j = 0; j < of->count; j++)
			cores[count++] = (struct workload_core){
				.load_percent =
					workload_load_percent(rows[row].kind, rows[row].fuses),
				.cap_ratio = of->cap,
				.floor_ratio = of->minimum > LOWEST ? of->minimum : LOWEST,
				.lowest_ratio = LOWEST,
				.clos = of->clos,
				.weight = of->weight,
			};
	}
	return count;
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_core cores[CORES] = { 0 };
		struct workload_package package = {
			.tdp_mw = rows[i].tdp_mw,
			.fuses = *rows[i].fuses,
			.sharing = rows[i].sharing,
			.cores = cores,
			.n_cores = make_cores(i, cores),
		};

		workload_settle(&package);
		if (package.power_mw != rows[i].power_mw)
			fail_msg("%s: %llu mW", rows[i].what, (unsigned long long)package.power_mw);
		for (size_t j = 0; j < CORES; j++) {
			if (cores[j].ratio != rows[i].ratios[j])
				fail_msg("%s: core %zu has ratio %u", rows[i].what, j,
					 cores[j].ratio);
		}
	}
}

/* Scalar: the smallest of 933 n b^3 / (10 c t^3), c at most n. Level 0: 229,557,120 / (10 x 14 x
 * 31^3) = 55.04; level 4: 204,812,160 / (10 x 10 x 31^3) = 68.7. */
static void test_loads(void **state)
{
	static const struct workload_package_fuses no_bases = { 14, { 26, 0, 0 }, BUCKETS };
	static const struct workload_package_fuses no_table = { 14, { 26, 22, 19 }, { { 0 } } };
	static const struct workload_package_fuses no_base = { 14, { 0, 22, 19 }, BUCKETS };
	/* 64 cores at 2100: 25.2 of the bucket of 40 at 38, see test_firmware.c */
	static const struct workload_package_fuses granite_rapids = {
		64,
		{ 21, 18, 15 },
		{ { 32, 39 },
		  { 40, 38 },
		  { 44, 36 },
		  { 48, 35 },
		  { 52, 34 },
		  { 56, 33 },
		  { 60, 32 },
		  { 64, 32 } },
	};

	(void)state;
	assert_int_equal(workload_load_percent(LOAD_SCALAR, &level_0), 55);
	assert_int_equal(workload_load_percent(LOAD_SCALAR, &level_4), 68);
	assert_int_equal(workload_load_percent(LOAD_SCALAR, &granite_rapids), 25);
	assert_int_equal(workload_load_percent(LOAD_SCALAR, &no_table), 55);
	assert_int_equal(workload_load_percent(LOAD_SCALAR, &no_base), 55);
	assert_int_equal(workload_load_percent(LOAD_TDP, &level_0), 100);
	assert_int_equal(workload_load_percent(LOAD_PIPE, &level_0), 30);
	assert_int_equal(workload_load_percent(LOAD_AVX2, &level_0), 165);
	assert_int_equal(workload_load_percent(LOAD_AVX512, &level_0), 256);
	assert_int_equal(workload_load_percent(LOAD_AVX2, &level_4), 158);
	assert_int_equal(workload_load_percent(LOAD_AVX2, &no_bases), 165);
	assert_int_equal(workload_load_percent(LOAD_AVX512, &no_bases), 256);
	assert_int_equal(workload_load_percent(LOAD_AVX512, &no_base), 256);
	assert_int_equal(workload_busy_percent(LOAD_AVX2), 100);
	assert_int_equal(workload_busy_percent(LOAD_PIPE), 50);
}

static void test_spins(void **state)
{
	(void)state;
	assert_int_equal(workload_spin_percent("POLL"), 40);
	assert_int_equal(workload_spin_percent("C0.1"), 25);
	assert_int_equal(workload_spin_percent("C0.2"), 25);
	assert_int_equal(workload_spin_percent("C1"), 0);
	assert_int_equal(workload_spin_percent("C10"), 0);
	assert_int_equal(workload_spin_percent("C0.3"), 0);
}

/* 6102.9 and 5628.4 ns: 7.8 percent less; 3200 instead of 3100 MHz: 1.7 percent less. */
static void test_pipe(void **state)
{
	(void)state;
	assert_int_equal(workload_pipe_ps(2600), 6102923);
	assert_int_equal(workload_pipe_ps(3000), 5628400);
	assert_int_equal(workload_pipe_ps(3100), 5528903);
	assert_int_equal(workload_pipe_ps(3200), 5435625);
}

static void test_temperature(void **state)
{
	(void)state;
	assert_int_equal(workload_temperature_mc(0, 205000), 40000);
	assert_int_equal(workload_temperature_mc(61500, 205000), 56500);
	assert_int_equal(workload_temperature_mc(205000, 205000), 95000);
}

/* The exit latency, up to half more, and 2 us; one in a thousand takes five times as long. */
static void test_wake(void **state)
{
	struct workload_wake wake = { .seed = 1, .cpu = 13, .state = 3, .gap_us = 1000 };
	size_t n_outliers = 0;
	uint64_t least = UINT64_MAX, most = 0;

	(void)state;
	for (wake.round = 0; wake.round < 100000; wake.round++) {
		uint64_t ns = workload_wake_ns(&wake, 170);

		if (ns >= 5 * (2000 + 170000)) {
			n_outliers++;
			continue;
		}
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	assert_int_equal(least, 2000 + 170000);
	assert_int_equal(most, 2000 + 170000 * 149 / 100);
	assert_in_range(n_outliers, 70, 130);
	wake.round = 0;
	assert_int_equal(workload_wake_ns(&wake, 0), 2000);
	assert_int_equal(workload_wake_ns(&wake, 170), workload_wake_ns(&wake, 170));
}

static void test_scale(void **state)
{
	(void)state;
	assert_int_equal(workload_scale(7, 3, 2), 10);
	assert_int_equal(workload_scale(UINT64_MAX, 1000, 2000), UINT64_MAX / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),       cmocka_unit_test(test_loads),
		cmocka_unit_test(test_spins),       cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_temperature), cmocka_unit_test(test_wake),
		cmocka_unit_test(test_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
