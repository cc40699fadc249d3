// SPDX-License-Identifier: GPL-2.0-only
/* Frequencies by a number of cores, and the lowest limit of a CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/expected.h"

static const uint32_t counts[SST_BUCKETS] = { 2, 8, 14, 0, 99 };
static const uint32_t full[SST_BUCKETS] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint32_t mhz[SST_BUCKETS] = { 3200, 3100, 3000, 9999, 9999, 9999, 9999, 2000 };
static const uint32_t none[SST_BUCKETS] = { 0 };

static const struct {
	const uint32_t *counts;
	size_t cores;
	unsigned int bucket;
	uint32_t beyond_mhz; /* the last bucket counts for more cores */
	uint32_t mhz;
} vectors[] = {
	{ counts, 0, 0, 3200, 3200 },   { counts, 1, 0, 3200, 3200 },
	{ counts, 2, 0, 3200, 3200 },   { counts, 3, 1, 3100, 3100 },
	{ counts, 14, 2, 3000, 3000 },  { counts, 15, SST_BUCKETS, 3000, 0 },
	{ full, 8, 7, 2000, 2000 },     { full, 9, SST_BUCKETS, 2000, 0 },
	{ none, 1, SST_BUCKETS, 0, 0 },
};

static void test_buckets(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		unsigned int bucket = expected_find_bucket(vectors[i].counts, vectors[i].cores);
		uint32_t beyond = expected_by_cores(vectors[i].counts, mhz, vectors[i].cores, true);
		uint32_t within =
			expected_by_cores(vectors[i].counts, mhz, vectors[i].cores, false);

		if (bucket != vectors[i].bucket || beyond != vectors[i].beyond_mhz ||
		    within != vectors[i].mhz)
			fail_msg("row %zu: bucket %u, %u and %u MHz", i, bucket, beyond, within);
	}
}

static void test_capacity(void **state)
{
	(void)state;
	assert_int_equal(expected_capacity(&(struct sst_turbo){ .core_counts = { 2, 8, 14 } }), 14);
	assert_int_equal(expected_capacity(&(struct sst_turbo){ .core_counts = { 8, 2, 0, 99 } }),
			 8);
	assert_int_equal(expected_capacity(&(struct sst_turbo){ 0 }), 0);
}

static void test_base(void **state)
{
	const struct sst_level level = {
		.base_mhz = 2600, .base_avx2_mhz = 2200, .base_avx512_mhz = 1900, .base_amx_mhz = 1
	};

	(void)state;
	assert_int_equal(expected_base_mhz(&level, 0), 2600);
	assert_int_equal(expected_base_mhz(&level, 1), 2200);
	assert_int_equal(expected_base_mhz(&level, 2), 1900);
	assert_int_equal(expected_base_mhz(&level, 3), 0);
	assert_int_equal(expected_base_mhz(&level, 5), 0);
}

/* Zeros are no limits. */
static void test_lowest(void **state)
{
	(void)state;
	assert_int_equal(expected_mhz(&(struct expected_cpu){ 0 }), 0);
	assert_int_equal(expected_mhz(&(struct expected_cpu){ .clip_mhz = 2000 }), 2000);
	assert_int_equal(expected_mhz(&(struct expected_cpu){ .turbo_freq_mhz = 3200,
							      .clos_max_mhz = 2500 }),
			 2500);
	assert_int_equal(expected_mhz(&(struct expected_cpu){ .turbo_limit_mhz = 3000,
							      .clos_max_mhz = 3100 }),
			 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_lowest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
