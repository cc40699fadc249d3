// SPDX-License-Identifier: GPL-2.0-only
/* Which frequency a CPU can be expected to have, and which of its limits binds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/predict.h"

static const uint32_t counts[SST_BUCKETS] = { 2, 8, 14, 0, 99 };
static const uint32_t full[SST_BUCKETS] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint32_t mhz[SST_BUCKETS] = { 3200, 3100, 3000, 9999, 9999, 9999, 9999, 2000 };
static const uint32_t none[SST_BUCKETS] = { 0 };

static const struct {
	const uint32_t *counts;
	size_t cores;
	unsigned int bucket;
	uint32_t mhz; /* the last bucket counts for more cores */
} buckets[] = {
	{ counts, 0, 0, 3200 }, { counts, 1, 0, 3200 },         { counts, 2, 0, 3200 },
	{ counts, 3, 1, 3100 }, { counts, 14, 2, 3000 },        { counts, 15, SST_BUCKETS, 3000 },
	{ full, 8, 7, 2000 },   { full, 9, SST_BUCKETS, 2000 }, { none, 1, SST_BUCKETS, 0 },
};

static void test_buckets(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(buckets); i++) {
		unsigned int bucket = frequency_find_bucket(buckets[i].counts, buckets[i].cores);
		uint32_t found = frequency_by_cores(buckets[i].counts, mhz, buckets[i].cores);

		if (bucket != buckets[i].bucket || found != buckets[i].mhz)
			fail_msg("row %zu: bucket %u, %u MHz", i, bucket, found);
	}
}

static void test_capacity(void **state)
{
	(void)state;
	assert_int_equal(frequency_capacity(&(struct sst_turbo){ .core_counts = { 2, 8, 14 } }),
			 14);
	assert_int_equal(frequency_capacity(&(struct sst_turbo){ .core_counts = { 8, 2, 0, 99 } }),
			 8);
	assert_int_equal(frequency_capacity(&(struct sst_turbo){ 0 }), 0);
}

/* Those who reach the frequency that so many cores have. */
static void test_capacity_of(void **state)
{
	static const struct sst_turbo table = { .core_counts = { 2, 4, 6, 8 },
						.mhz = { { 3200, 3100, 3100, 3000 } } };
	static const uint32_t expected[] = { 2, 2, 2, 6, 6, 6, 6, 8, 8, 8 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(frequency_capacity_of(&table, i), expected[i]);
	assert_int_equal(frequency_capacity_of(&(struct sst_turbo){ 0 }, 1), 0);
}

/* SSE, AVX2, AVX-512: turbo limits of 2, 8 and 14 cores, SST-BF and SST-TF. */
static const struct sst_level level = {
	.base_mhz = 2600,
	.base_avx2_mhz = 2200,
	.base_avx512_mhz = 1900,
	.base_amx_mhz = 1,
	.turbo = { .core_counts = { 2, 8, 14 },
		   .mhz = { { 3500, 3300, 3100 }, { 3200, 3000, 2800 }, { 3000, 2800, 2000 } } },
	.base_freq = { .high_mhz = 3000, .low_mhz = 2400 },
	.turbo_freq = { .buckets = { .core_counts = { 2, 4 },
				     .mhz = { { 3700, 3600 }, { 3300, 3250 }, { 2900, 2700 } } },
			.clip_mhz = { 2500, 2300, 2100 } },
};

/* The same without SST-PP: its limits are those of the register, which SST-TF has opened. */
static const struct sst_level open_level = {
	.turbo = { .core_counts = { 2, 8, 14 }, .mhz = { { 25500, 25500, 25500 } } },
	.turbo_freq = { .buckets = { .core_counts = { 2, 4 }, .mhz = { { 3700, 3600 } } },
			.clip_mhz = { 2500 } },
};

#define LEVEL_TRL 0x1f2123 /* 3500, 3300, 3100 */

/* Active cores, and those with high priority, of a part that counts them by package. */
#define UNITS(active, high)                                     \
	{                                                       \
		.units = { active, active }, .high_units = high \
	}

/* The default of every member of a row. */
#define USUAL                                                                                \
	.lowest_khz = 800000, .highest_khz = 4000000, .min_khz = 800000, .max_khz = 4000000, \
	.base_khz = 2600000
#define AT_LEVEL USUAL, .level = &level, .has_trl = true, .trl = LEVEL_TRL
#define HIGH     .has_clos = true
#define LOW      .has_clos = true, .clos = 3
#define TURBO_FREQ \
	USUAL, .level = &level, .has_trl = true, .trl = FREQUENCY_TRL_OPEN, .turbo_freq_on = true

#define OPEN_TURBO_FREQ                                                          \
	USUAL, .level = &open_level, .has_trl = true, .trl = FREQUENCY_TRL_OPEN, \
	       .turbo_freq_on = true

static const struct {
	const char *what;
	struct frequency_inputs inputs;
	unsigned int trl_level;
	struct frequency_activity activity;
	enum frequency_limit upper;
	uint32_t upper_khz;
	enum frequency_limit lower;
	uint32_t floor_khz;
} vectors[] = {
	{ "nothing known", { 0 }, 0, UNITS(14, 0), FREQUENCY_NO_LIMIT, 0, FREQUENCY_NO_LIMIT, 0 },
	{ "no Speed Select",
	  { USUAL },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_HIGHEST_POSSIBLE,
	  4000000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "scaling limits: a minimum is a request, and does not hold against power",
	  { .lowest_khz = 800000,
	    .highest_khz = 4000000,
	    .min_khz = 1000000,
	    .max_khz = 2000000,
	    .max_percent = 100 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_SCALING_MAXIMUM,
	  2000000,
	  FREQUENCY_SCALING_MINIMUM,
	  800000 },
	{ "percent",
	  { USUAL, .min_percent = 50, .max_percent = 75 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_MAX_PERF_PCT,
	  3000000,
	  FREQUENCY_MIN_PERF_PCT,
	  800000 },
	{ "two active cores",
	  { AT_LEVEL },
	  0,
	  UNITS(2, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3500000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "more active cores than the table has",
	  { AT_LEVEL },
	  0,
	  UNITS(99, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3100000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "AVX-512",
	  { AT_LEVEL },
	  2,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  2000000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "AVX2, and a register that somebody lowered",
	  { USUAL, .level = &level, .has_trl = true, .trl = 0x1a1a1a },
	  1,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  2600000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "a register that SST-TF in another power domain has opened",
	  { USUAL, .level = &level, .has_trl = true, .trl = FREQUENCY_TRL_OPEN, LOW },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3100000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "the same, AVX2",
	  { USUAL, .level = &level, .has_trl = true, .trl = FREQUENCY_TRL_OPEN, HIGH },
	  1,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  2800000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "a register above the limits of the level",
	  { USUAL, .level = &level, .has_trl = true, .trl = 0x272727 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3100000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "a register that cannot be read",
	  { USUAL, .level = &level },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_HIGHEST_POSSIBLE,
	  4000000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off",
	  { AT_LEVEL, .turbo_off = true },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  2600000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off, AVX2",
	  { AT_LEVEL, .turbo_off = true },
	  1,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  2200000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off, an instruction set of which neither base nor limits are reported",
	  { AT_LEVEL, .turbo_off = true },
	  5,
	  UNITS(14, 0),
	  FREQUENCY_NO_LIMIT,
	  0,
	  FREQUENCY_LOWEST_POSSIBLE,
	  0 },
	{ "turbo off, and no base frequency at all",
	  { .lowest_khz = 800000, .highest_khz = 5700000, .turbo_off = true },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_LIMIT,
	  0,
	  FREQUENCY_LOWEST_POSSIBLE,
	  0 },
	{ "turbo off, no base frequency of cpufreq",
	  { .highest_khz = 4000000, .level = &level, .turbo_off = true },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  2600000,
	  FREQUENCY_NO_LIMIT,
	  0 },
	{ "turbo off, a core that SST-BF makes fast",
	  { AT_LEVEL, .turbo_off = true, .base_freq_on = true, .is_base_freq_core = true },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  3000000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off, a core that SST-BF makes slow",
	  { AT_LEVEL, .turbo_off = true, .base_freq_on = true },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  2400000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off, SST-BF, AVX-512",
	  { AT_LEVEL, .turbo_off = true, .base_freq_on = true, .is_base_freq_core = true },
	  2,
	  UNITS(14, 0),
	  FREQUENCY_NO_TURBO,
	  1900000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "turbo off: SST-TF does not limit",
	  { TURBO_FREQ, LOW, .turbo_off = true },
	  0,
	  UNITS(14, 2),
	  FREQUENCY_NO_TURBO,
	  2600000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "a class of service",
	  { AT_LEVEL, LOW, .clos_min_mhz = 1500, .clos_max_mhz = 2500 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_CLOS_MAX,
	  2500000,
	  FREQUENCY_CLOS_MIN,
	  1500000 },
	{ "a minimum of a class above the maximum of cpufreq",
	  { .max_khz = 1200000, .level = &level, LOW, .clos_min_mhz = 1500 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_SCALING_MAXIMUM,
	  1200000,
	  FREQUENCY_CLOS_MIN,
	  1200000 },
	{ "SST-TF, high priority",
	  { TURBO_FREQ, HIGH },
	  0,
	  UNITS(14, 3),
	  FREQUENCY_TURBO_FREQ_BUCKET,
	  3600000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "SST-TF, high priority, AVX-512",
	  { TURBO_FREQ, HIGH },
	  2,
	  UNITS(14, 2),
	  FREQUENCY_TURBO_FREQ_BUCKET,
	  2900000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "SST-TF, more high-priority cores than the largest bucket has",
	  { TURBO_FREQ, HIGH },
	  0,
	  UNITS(14, 5),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3100000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "SST-TF, low priority",
	  { TURBO_FREQ, LOW },
	  1,
	  UNITS(14, 2),
	  FREQUENCY_TURBO_FREQ_CLIP,
	  2300000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "SST-TF, and a register that is not open",
	  { AT_LEVEL, .turbo_freq_on = true, HIGH },
	  0,
	  UNITS(14, 2),
	  FREQUENCY_TURBO_RATIO_LIMIT,
	  3100000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "limits of a level that are open, SST-TF off",
	  { USUAL, .level = &open_level, .has_trl = true, .trl = FREQUENCY_TRL_OPEN },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_NO_LIMIT,
	  0,
	  FREQUENCY_LOWEST_POSSIBLE,
	  0 },
	{ "the same, SST-TF on, more cores than its buckets have",
	  { OPEN_TURBO_FREQ, HIGH },
	  0,
	  UNITS(14, 5),
	  FREQUENCY_NO_LIMIT,
	  0,
	  FREQUENCY_LOWEST_POSSIBLE,
	  0 },
	{ "the same, a bucket",
	  { OPEN_TURBO_FREQ, HIGH },
	  0,
	  UNITS(14, 2),
	  FREQUENCY_TURBO_FREQ_BUCKET,
	  3700000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "the same, low priority",
	  { OPEN_TURBO_FREQ, LOW },
	  0,
	  UNITS(14, 5),
	  FREQUENCY_TURBO_FREQ_CLIP,
	  2500000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "the same, turbo off",
	  { OPEN_TURBO_FREQ, HIGH, .turbo_off = true },
	  0,
	  UNITS(14, 5),
	  FREQUENCY_NO_TURBO,
	  2600000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
	{ "of equal ones that of the hardware",
	  { TURBO_FREQ, LOW, .clos_max_mhz = 2500 },
	  0,
	  UNITS(14, 0),
	  FREQUENCY_TURBO_FREQ_CLIP,
	  2500000,
	  FREQUENCY_LOWEST_POSSIBLE,
	  800000 },
};

static void test_prediction(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct frequency_prediction found = frequency_predict(
			&vectors[i].inputs, vectors[i].trl_level, &vectors[i].activity);
		enum frequency_limit lower = frequency_find_binding(&found, FREQUENCY_LOWER);

		if (found.cap_by != vectors[i].upper || found.cap_khz != vectors[i].upper_khz ||
		    lower != vectors[i].lower || found.floor_khz != vectors[i].floor_khz)
			fail_msg("%s: limit %d at %u kHz, limit %d below, floor %u kHz",
				 vectors[i].what, found.cap_by, found.cap_khz, lower,
				 found.floor_khz);
	}
}

/* What holds with all cores busy; other instruction sets than SSE only have the base of the level.
 */
static void test_guaranteed(void **state)
{
	const struct frequency_inputs inputs = { AT_LEVEL, .base_freq_on = true };
	const struct frequency_activity activity = UNITS(14, 0);
	struct frequency_prediction sse = frequency_predict(&inputs, 0, &activity);
	struct frequency_prediction avx2 = frequency_predict(&inputs, 1, &activity);

	(void)state;
	assert_int_equal(sse.khz[FREQUENCY_LEVEL_BASE], 2600000);
	assert_int_equal(sse.khz[FREQUENCY_BASE_FREQ_BASE], 2400000);
	assert_int_equal(sse.khz[FREQUENCY_CPUFREQ_BASE], 2600000);
	assert_int_equal(avx2.khz[FREQUENCY_LEVEL_BASE], 2200000);
	assert_int_equal(avx2.khz[FREQUENCY_BASE_FREQ_BASE], 0);
	assert_int_equal(avx2.khz[FREQUENCY_CPUFREQ_BASE], 0);
}

static void test_names(void **state)
{
	(void)state;
	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++)
		assert_non_null(frequency_limit_name(i));
	assert_string_equal(frequency_limit_name(FREQUENCY_NO_TURBO), "no_turbo");
	assert_int_equal(frequency_limit_kind(FREQUENCY_NO_TURBO), FREQUENCY_UPPER);
	assert_int_equal(frequency_limit_kind(FREQUENCY_CLOS_MIN), FREQUENCY_LOWER);
	assert_int_equal(frequency_limit_kind(FREQUENCY_LEVEL_BASE), FREQUENCY_GUARANTEED);
}

static void test_register(void **state)
{
	(void)state;
	assert_int_equal(frequency_trl_of_level(&level), LEVEL_TRL);
}

/* The tables of a Xeon 6980P: two dies of 43 cores and one of 42; the sums are what MSR 0x1AE of
 * such a package holds. */
#define TABLE                                                                  \
	{                                                                      \
		.core_counts = { 21, 26, 30, 32, 36, 38, 40, 43 },             \
		.mhz = { { 3900, 3800, 3600, 3500, 3400, 3300, 3200, 3200 } }, \
	}
#define SUMS                                       \
	{                                          \
		64, 78, 90, 96, 108, 114, 120, 128 \
	}

/* By hand: the first column whose count is at least that of the active cores. */
static const struct {
	size_t of_domain, of_package;
	uint32_t by_domain_mhz, by_package_mhz;
} readings[] = {
	{ 14, 42, 3900, 3900 }, /* 14 busy cores in each die */
	{ 21, 64, 3900, 3900 }, /* the last ones with the first column */
	{ 22, 64, 3800, 3900 },  { 21, 65, 3900, 3800 }, { 43, 43, 3200, 3900 }, /* one die alone */
	{ 43, 128, 3200, 3200 }, { 1, 120, 3900, 3200 }, { 44, 129, 3200, 3200 },
};

static void test_readings(void **state)
{
	const struct sst_level table = { .turbo = TABLE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
		const struct frequency_inputs inputs = {
			.level = &table,
			.has_trl = true,
			.trl = FREQUENCY_TRL_OPEN,
			.package_counts = SUMS,
		};
		const struct frequency_activity activity = {
			.units = { readings[i].of_domain, readings[i].of_package },
		};
		struct frequency_prediction found = frequency_predict(&inputs, 0, &activity);
		uint32_t by_domain = readings[i].by_domain_mhz * 1000;
		uint32_t by_package = readings[i].by_package_mhz * 1000;
		uint32_t low = by_domain < by_package ? by_domain : by_package;
		uint32_t high = by_domain < by_package ? by_package : by_domain;

		if (found.cap_khz != low || found.high_khz != high ||
		    found.khz[FREQUENCY_TURBO_RATIO_LIMIT] != low || found.high_trl_khz != high ||
		    found.reading_khz[FREQUENCY_BY_DOMAIN] != by_domain ||
		    found.reading_khz[FREQUENCY_BY_PACKAGE] != by_package)
			fail_msg("row %zu: %u to %u kHz", i, found.cap_khz, found.high_khz);
	}
}

/* A range ends where another limit begins. */
static void test_range_is_capped(void **state)
{
	const struct sst_level table = { .turbo = TABLE };
	const struct frequency_activity activity = { .units = { 43, 43 } };
	struct frequency_inputs inputs = {
		.level = &table,
		.has_trl = true,
		.trl = FREQUENCY_TRL_OPEN,
		.package_counts = SUMS,
		.max_khz = 3500000,
	};
	struct frequency_prediction found = frequency_predict(&inputs, 0, &activity);

	(void)state;
	assert_int_equal(found.cap_khz, 3200000);
	assert_int_equal(found.high_khz, 3500000);
	inputs.max_khz = 3000000;
	found = frequency_predict(&inputs, 0, &activity);
	assert_int_equal(found.cap_khz, 3000000);
	assert_int_equal(found.high_khz, 3000000);
	assert_int_equal(found.cap_by, FREQUENCY_SCALING_MAXIMUM);
}

/* A bucket of 4600 MHz with a cpuinfo_max_freq of 3900: a fact of now, and no limit of another
 * state. */
static void test_highest(void **state)
{
	const struct sst_level table = {
		.turbo = { .core_counts = { 32 }, .mhz = { { 3900 } } },
		.turbo_freq = { .buckets = { .core_counts = { 8 }, .mhz = { { 4600 } } },
				.clip_mhz = { 2100 } },
	};
	const struct frequency_activity activity = { .units = { 16, 32 }, .high_units = 8 };
	struct frequency_inputs inputs = {
		.level = &table,
		.highest_khz = 3900000,
		.has_trl = true,
		.trl = FREQUENCY_TRL_OPEN,
		.turbo_freq_on = true,
		.has_clos = true,
	};
	struct frequency_prediction now, planned;

	(void)state;
	inputs.max_percent = 100;
	now = frequency_predict(&inputs, 0, &activity);
	assert_int_equal(now.cap_by, FREQUENCY_HIGHEST_POSSIBLE);
	assert_int_equal(now.cap_khz, 3900000);
	assert_int_equal(now.above_highest_khz, 4600000);
	inputs.is_planned = true;
	planned = frequency_predict(&inputs, 0, &activity);
	assert_int_equal(planned.cap_khz, 4600000);
	assert_int_equal(planned.above_highest_khz, 0);
	inputs.max_percent = 50; /* of what will be the highest */
	planned = frequency_predict(&inputs, 0, &activity);
	assert_int_equal(planned.cap_khz, 2300000);
	inputs.max_percent = 100;
	inputs.clos = 3; /* has the clip, and follows nothing */
	planned = frequency_predict(&inputs, 0, &activity);
	assert_int_equal(planned.cap_khz, 2100000);
}

/* The words of the turbo-ratio levels 0 to 5: the base of avx512-heavy is that of AVX-512. */
static void test_bases(void **state)
{
	static const uint32_t expected[] = { 2600, 2200, 1900, 1900, 1700, 0 };
	struct sst_level bases = level;

	(void)state;
	bases.base_amx_mhz = 1700;
	for (unsigned int i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(frequency_base_mhz(&bases, i), expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),     cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_prediction),  cmocka_unit_test(test_guaranteed),
		cmocka_unit_test(test_names),       cmocka_unit_test(test_register),
		cmocka_unit_test(test_readings),    cmocka_unit_test(test_range_is_capped),
		cmocka_unit_test(test_highest),     cmocka_unit_test(test_bases),
		cmocka_unit_test(test_capacity_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
