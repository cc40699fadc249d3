// SPDX-License-Identifier: GPL-2.0-only
/* Frequencies by a number of cores, and the lowest limit of a CPU. */
#include <errno.h>
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

/* Two power domains of a package: SST-TF is on in the first, which has opened the turbo-ratio-limit
 * register of the package. In the second the limits of the level hold. */
static void test_open_register(void **state)
{
	static const struct {
		uint64_t trl;
		bool turbo_freq_on;
		uint32_t clos;
		unsigned int trl_level;
		uint32_t mhz;
	} rows[] = {
		{ UINT64_MAX, false, 3, 0, 3000 }, { UINT64_MAX, false, 0, 0, 3000 },
		{ UINT64_MAX, false, 3, 1, 2700 }, { 0x1d1d, false, 3, 0, 2900 },
		{ 0x2020, false, 3, 0, 3000 },     { UINT64_MAX, true, 3, 0, 2100 },
		{ UINT64_MAX, true, 0, 0, 3900 },
	};
	struct cpu_place place = { .has_physical_cpu = true };
	struct machine machine = { .topology.places = &place };
	struct power_domain domain = { 0 };
	struct platform platform = {
		.machine = &machine,
		.domains = { .domains = &domain, .n_domains = 1 },
	};
	struct platform_pp_query pp = { .domain = &domain };
	struct platform_core_power_query core_power = { .core_power.clos_enabled = true };
	struct platform_query trl = { 0 }, assoc = { 0 }, clos[SST_CLOS_COUNT] = { 0 };
	struct platform_level_query level = {
		.domain = &domain,
		.info.turbo = { .core_counts = { 1 }, .mhz = { { 3000 }, { 2700 } } },
		.info.turbo_freq = { .buckets = { .core_counts = { 1 }, .mhz = { { 3900 } } },
				     .clip_mhz = { 2100 } },
	};
	struct expected expected = {
		.platform = &platform,
		.n_domains = 1,
		.pp = &pp,
		.levels = &level,
		.core_power = &core_power,
		.trl = &trl,
		.clos = clos,
		.assocs = &assoc,
		.n_assocs = 1,
	};

	(void)state;
	for (size_t i = 0; i < SST_CLOS_COUNT; i++)
		clos[i].error = -ENODATA;
	assert_return_code(cpuset_add(&domain.cpus, 0), 0);
	assert_return_code(cpuset_add(&machine.topology.online, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct expected_cpu facts;

		trl.value.number = rows[i].trl;
		assoc.value.number = rows[i].clos;
		level.info.turbo_freq_on = rows[i].turbo_freq_on;
		assert_return_code(expected_of_cpu(&expected, 0, 0, rows[i].trl_level, &facts), 0);
		if (expected_mhz(&facts) != rows[i].mhz)
			fail_msg("row %zu: %u MHz", i, expected_mhz(&facts));
	}
	cpuset_done(&domain.cpus);
	cpuset_done(&machine.topology.online);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),       cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_base),          cmocka_unit_test(test_lowest),
		cmocka_unit_test(test_open_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
