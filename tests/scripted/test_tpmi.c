// SPDX-License-Identifier: GPL-2.0-only
/* Reading TPMI parts: which power domains there are, and what is made of the driver's answers
 * (hardware.md, section 4). The fake driver checks that structures are zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tpmi_bench.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "sst/limits.h"

static void assert_cpus(const struct cpuset *cpus, const char *list)
{
	_cleanup_cpuset_ struct cpuset wanted = { 0 };

	if (*list)
		assert_int_equal(cpulist_parse(list, &wanted), 0);
	assert_true(cpuset_equal(cpus, &wanted));
}

struct wanted_domain {
	uint32_t package;
	uint32_t id;
	uint32_t cpu; /* 1 is CPU 0; 0: none */
	const char *cpus;
	uint32_t die;
	bool die_is_io;
	bool is_unserved;
};

struct enumeration {
	const char *name;
	struct fake_tpmi_shape shape;
	uint32_t unserved;
	const char *offline; /* or NULL */
	struct wanted_domain domains[8];
	size_t n_domains;
};

#define CPU(number) (1U + (number))

static const struct enumeration enumerations[] = {
	{ .name = "dies of their own",
	  .shape = { .packages = 1, .cores = 1, .n_compute = 2, .n_io = 2, .ids = { 0, 1, 3, 4 } },
	  .domains = { { 0, 0, CPU(0), "0,2", 0, false, false },
		       { 0, 1, CPU(1), "1,3", 1, false, false },
		       { 0, 3, 0, "", 0, true, false },
		       { 0, 4, 0, "", 0, true, false } },
	  .n_domains = 4 },
	{ .name = "one die a package, unique over the system",
	  .shape = { .packages = 2,
		     .cores = 1,
		     .n_compute = 2,
		     .n_io = 1,
		     .ids = { 0, 1, 3 },
		     .one_die = true },
	  .domains = { { 0, 0, CPU(0), "0,4", 0, false, false },
		       { 0, 1, CPU(1), "1,5", 0, false, false },
		       { 0, 3, 0, "", 0, false, false },
		       { 1, 0, CPU(2), "2,6", 1, false, false },
		       { 1, 1, CPU(3), "3,7", 1, false, false },
		       { 1, 3, 0, "", 1, false, false } },
	  .n_domains = 6 },
	{ .name = "a hole among the compute dies, modules",
	  .shape = { .packages = 1,
		     .cores = 4,
		     .cores_of_module = 2,
		     .n_compute = 2,
		     .ids = { 0, 2 } },
	  .domains = { { 0, 0, CPU(0), "0-3,8-11", 0, false, false },
		       { 0, 2, CPU(4), "4-7,12-15", 1, false, false } },
	  .n_domains = 2 },
	{ .name = "no instance for a package",
	  .shape = { .packages = 2, .cores = 1, .n_compute = 1, .n_io = 1, .ids = { 0, 3 } },
	  .unserved = 0x2,
	  .domains = { { 0, 0, CPU(0), "0,2", 0, false, false },
		       { 0, 3, 0, "", 0, false, false },
		       { 1, 0, CPU(1), "1,3", 0, false, true } },
	  .n_domains = 3 },
	{ .name = "all CPUs of a domain offline, and their places unknown",
	  .shape = { .packages = 1, .cores = 1, .n_compute = 2, .n_io = 1, .ids = { 0, 1, 3 } },
	  .offline = "1,3",
	  .domains = { { 0, 0, CPU(0), "0,2", 0, false, false },
		       { 0, 1, 0, "", 0, false, false },
		       { 0, 3, 0, "", 0, false, false } },
	  .n_domains = 3 },
};

static void assert_domain(const struct power_domain *domain, const struct wanted_domain *wanted)
{
	assert_int_equal(domain->package, wanted->package);
	assert_int_equal(domain->id, wanted->id);
	assert_true(domain->has_id);
	assert_int_equal(domain->cpu, wanted->cpu ? wanted->cpu - 1 : CPUSET_NONE);
	assert_cpus(&domain->cpus, wanted->cpus);
	assert_int_equal(domain->die_is_io, wanted->die_is_io);
	if (!wanted->die_is_io)
		assert_int_equal(domain->die, wanted->die);
	assert_int_equal(domain->is_served, !wanted->is_unserved);
}

static void enumerates(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(enumerations); i++) {
		const struct enumeration *vector = &enumerations[i];
		_cleanup_cpuset_ struct cpuset offline = { 0 };
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &vector->shape);
		bench.tpmi.unserved = vector->unserved;
		if (vector->offline)
			assert_int_equal(cpulist_parse(vector->offline, &offline), 0);
		cpuset_remove_all(&bench.tpmi.machine.online, &offline);
		tpmi_bench_open(&bench);
		assert_int_equal(bench.platform->domains.n_domains, vector->n_domains);
		for (size_t j = 0; j < vector->n_domains; j++)
			assert_domain(&bench.platform->domains.domains[j], &vector->domains[j]);
		assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_COUNT_TPMI_INSTANCES, false),
				 vector->shape.packages);
		assert_int_equal(bench.tpmi.n_records, vector->shape.packages);
		tpmi_bench_close(&bench);
	}
}

struct levels_vector {
	unsigned int api_version;
	struct isst_perf_level_info levels;
	uint32_t level;
	int error;
	struct sst_pp pp;
	bool base_freq;
	bool turbo_freq;
	bool base_freq_on;
	bool turbo_freq_on;
};

static const struct levels_vector levels_vectors[] = {
	/* The only level is 3. */
	{ .levels = { .max_level = 3,
		      .feature_rev = 2,
		      .level_mask = 0x8,
		      .current_level = 3,
		      .enabled = 1,
		      .sst_bf_support = 0x8 },
	  .level = 3,
	  .pp = { .enabled = true, .version = 2, .highest_level = 3, .current_level = 3 },
	  .base_freq = true },
	{ .levels = { .max_level = 3, .level_mask = 0x8, .current_level = 3, .enabled = 1 },
	  .level = 0,
	  .error = -ENOENT,
	  .pp = { .enabled = true, .highest_level = 3, .current_level = 3 } },
	/* Features count where the mask has the level, and show as on at every level. */
	{ .levels = { .max_level = 4,
		      .level_mask = 0x15,
		      .feature_state = 0x2,
		      .locked = 1,
		      .enabled = 1,
		      .sst_tf_support = 0x10,
		      .sst_bf_support = 0x01 },
	  .level = 4,
	  .pp = { .enabled = true, .locked = true, .highest_level = 4 },
	  .turbo_freq = true,
	  .turbo_freq_on = true },
	/* With API version 2 one yes or no holds for all levels. */
	{ .api_version = 2,
	  .levels = { .max_level = 4,
		      .level_mask = 0x11,
		      .feature_state = 0x1,
		      .enabled = 1,
		      .sst_tf_support = 0,
		      .sst_bf_support = 1 },
	  .level = 4,
	  .pp = { .enabled = true, .highest_level = 4 },
	  .base_freq = true,
	  .base_freq_on = true },
	/* Without SST-PP level 0 is there all the same. */
	{ .levels = { .max_level = 0 }, .level = 0, .pp = { .highest_level = 0 } },
};

static void reads_the_list_of_levels(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(levels_vectors); i++) {
		const struct levels_vector *vector = &levels_vectors[i];
		struct fake_tpmi_shape shape = tpmi_bench_shape;
		struct tpmi_bench bench;
		struct platform_pp_query pp = { 0 };
		struct platform_level_query level = { .level = vector->level };

		shape.api_version = vector->api_version;
		tpmi_bench_init(&bench, &shape);
		fake_tpmi_domain(&bench.tpmi, 1, 1)->levels = vector->levels;
		tpmi_bench_open(&bench);
		pp.domain = level.domain = tpmi_bench_domain(&bench, 1, 1);
		assert_int_equal(bench.platform->ops->read_pp(bench.platform, &pp, 1), 0);
		assert_int_equal(bench.platform->ops->read_levels(bench.platform, PLATFORM_SUPPORT,
								  &level, 1),
				 0);
		assert_int_equal(pp.error, 0);
		assert_memory_equal(&pp.pp, &vector->pp, sizeof(pp.pp));
		assert_int_equal(level.error, vector->error);
		assert_int_equal(level.info.base_freq_supported, vector->base_freq);
		assert_int_equal(level.info.turbo_freq_supported, vector->turbo_freq);
		assert_int_equal(level.info.base_freq_on, vector->base_freq_on);
		assert_int_equal(level.info.turbo_freq_on, vector->turbo_freq_on);
		fake_tpmi_assert_once(&bench.tpmi);
		tpmi_bench_close(&bench);
	}
}

static void assert_turbo(const struct sst_turbo *turbo, uint32_t first_count)
{
	assert_int_equal(turbo->core_counts[0], first_count);
	assert_int_equal(turbo->core_counts[1], 2 * first_count);
	assert_int_equal(turbo->core_counts[2], 0); /* what is not counted is not used */
	assert_int_equal(turbo->mhz[0][0], 4000);
	assert_int_equal(turbo->mhz[1][1], 3700);
	assert_int_equal(turbo->mhz[0][2], 0);
	assert_int_equal(turbo->mhz[2][0], 0);
}

/* Both a compute domain and an IO die, of which no masks are asked. */
static void reads_a_level(void **state)
{
	struct tpmi_bench bench;
	struct platform_level_query queries[] = { { .level = 1 }, { .level = 1 } };
	const struct sst_level *level = &queries[0].info;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	tpmi_bench_open(&bench);
	queries[0].domain = tpmi_bench_domain(&bench, 0, 1);
	queries[1].domain = tpmi_bench_domain(&bench, 0, 4);
	fake_tpmi_domain(&bench.tpmi, 0, 1)->core_mask = 0x2;
	assert_int_equal(bench.platform->ops->read_levels(bench.platform,
							  PLATFORM_LEVEL | PLATFORM_BASE_FREQ |
								  PLATFORM_TURBO_FREQ,
							  queries, 2),
			 0);
	assert_int_equal(queries[0].error, 0);
	assert_true(level->has_enabled_cpus);
	assert_cpus(&level->enabled_cpus, "3,11");
	assert_int_equal(level->tdp_ratio, 21);
	assert_int_equal(level->base_mhz, 2100);
	assert_int_equal(level->base_avx2_mhz, 1900);
	assert_int_equal(level->base_avx512_mhz, 0);
	assert_int_equal(level->uncore.min_mhz, 800);
	assert_int_equal(level->uncore.max_mhz, 2500);
	assert_int_equal(level->uncore.base_mhz, 1400);
	assert_int_equal(level->uncore1.max_mhz, 0); /* revision 1 has none */
	assert_int_equal(level->memory_mhz, 6400);
	assert_true(level->has_cooling_type);
	assert_int_equal(level->cooling_type, 1);
	assert_int_equal(level->tdp_w, 350);
	assert_int_equal(level->tjunction_max_c, 100);
	assert_turbo(&level->turbo, 4);
	assert_int_equal(level->base_freq.high_mhz, 2400);
	assert_int_equal(level->base_freq.low_mhz, 1900);
	assert_true(level->base_freq.has_thermals);
	assert_cpus(&level->base_freq.high_cpus, "2,10");
	assert_turbo(&level->turbo_freq.buckets, 4);
	assert_int_equal(level->turbo_freq.clip_mhz[0], 2100);
	assert_int_equal(level->turbo_freq.clip_mhz[1], 0);
	assert_false(queries[1].info.has_enabled_cpus);
	assert_int_equal(queries[1].info.turbo_freq.buckets.core_counts[0], 0);
	assert_int_equal(queries[1].info.turbo_freq.clip_mhz[0], 2100);
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_GET_PERF_LEVEL_CPU_MASK, false), 1);
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_GET_BASE_FREQ_CPU_MASK, false), 1);
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, false),
			 0);
	fake_tpmi_assert_once(&bench.tpmi);
	sst_level_done(&queries[0].info);
	sst_level_done(&queries[1].info);
	tpmi_bench_close(&bench);
}

/* The second fabric, where SST-PP is of revision 2 and the driver knows the request. */
static void reads_the_second_fabric(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct platform_level_query query = { .level = 0 };
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		bench.tpmi.has_fabrics = known;
		fake_tpmi_domain(&bench.tpmi, 0, 0)->levels.feature_rev = 2;
		tpmi_bench_open(&bench);
		query.domain = tpmi_bench_domain(&bench, 0, 0);
		assert_int_equal(bench.platform->ops->read_levels(bench.platform, PLATFORM_LEVEL,
								  &query, 1),
				 0);
		assert_int_equal(query.error, 0);
		assert_int_equal(query.info.uncore1.max_mhz, known ? 2601 : 0);
		assert_int_equal(query.info.uncore1.base_mhz, known ? 1501 : 0);
		assert_int_equal(query.info.uncore1.min_mhz, known ? 901 : 0);
		sst_level_done(&query.info);
		tpmi_bench_close(&bench);
	}
}

/* Each request that fails is named; the answers to others are not lost with it. */
static void names_what_fails(void **state)
{
	static const struct {
		uint32_t request;
		const char *name;
	} rows[] = {
		{ ISST_IF_PERF_LEVELS, "PERF_LEVELS" },
		{ ISST_IF_GET_PERF_LEVEL_INFO, "GET_PERF_LEVEL_INFO" },
		{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, "GET_PERF_LEVEL_CPU_MASK" },
		{ ISST_IF_GET_BASE_FREQ_INFO, "GET_BASE_FREQ_INFO" },
		{ ISST_IF_GET_BASE_FREQ_CPU_MASK, "GET_BASE_FREQ_CPU_MASK" },
		{ ISST_IF_GET_TURBO_FREQ_INFO, "GET_TURBO_FREQ_INFO" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct platform_level_query queries[] = { { .level = 1 }, { .level = 1 } };
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		tpmi_bench_open(&bench);
		queries[0].domain = tpmi_bench_domain(&bench, 0, 0);
		queries[1].domain = tpmi_bench_domain(&bench, 1, 0);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = rows[i].request,
							     .first = 1,
							     .last = 1 };
		assert_int_equal(bench.platform->ops->read_levels(
					 bench.platform,
					 PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ,
					 queries, 2),
				 0);
		assert_int_equal(queries[0].error, -ENOTTY);
		assert_string_equal(queries[0].failed, rows[i].name);
		assert_int_equal(queries[1].error, 0);
		sst_level_done(&queries[0].info);
		sst_level_done(&queries[1].info);
		tpmi_bench_close(&bench);
	}
}

/* What the driver has no instance for is not asked for. */
static void sends_nothing_to_unserved_domains(void **state)
{
	struct platform_pp_query pp = { 0 };
	struct platform_core_power_query core_power = { 0 };
	struct platform_query assoc = { .cpu = 4 };
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	bench.tpmi.unserved = 0x2;
	tpmi_bench_open(&bench);
	fake_tpmi_forget(&bench.tpmi);
	pp.domain = core_power.domain = tpmi_bench_domain(&bench, 1, 0);
	assert_int_equal(bench.platform->ops->read_pp(bench.platform, &pp, 1), 0);
	assert_int_equal(bench.platform->ops->read_core_power(bench.platform, PLATFORM_CORE_POWER,
							      &core_power, 1),
			 0);
	assert_int_equal(platform_read_assoc(bench.platform, &assoc, 1), 0);
	assert_int_equal(pp.error, -ENODEV);
	assert_int_equal(core_power.error, -ENODEV);
	assert_int_equal(assoc.error, -ENODEV);
	assert_int_equal(bench.tpmi.n_records, 0);
	tpmi_bench_close(&bench);
}

/* The limits of a package are read once, those of a level are made of MHz. */
static void reads_limits(void **state)
{
	struct platform_query queries[4] = { 0 };
	struct tpmi_bench bench;
	uint64_t trl = 0;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	bench.tpmi.limits[1] = 0x2121212121212121;
	tpmi_bench_open(&bench);
	for (uint32_t i = 0; i < 4; i++)
		queries[i].domain = tpmi_bench_domain(&bench, i / 2, i % 2);
	assert_int_equal(limits_read(bench.platform, queries, 4), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(queries[i].error, 0);
		assert_int_equal(queries[i].value.number, bench.tpmi.limits[i / 2]);
	}
	assert_int_equal(
		bench.platform->ops->read_level_trl(bench.platform, queries[0].domain, 1, &trl), 0);
	assert_int_equal(trl & 0xffff, 0x2628);
	fake_tpmi_assert_once(&bench.tpmi);
	tpmi_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enumerates),
		cmocka_unit_test(reads_the_list_of_levels),
		cmocka_unit_test(reads_a_level),
		cmocka_unit_test(reads_the_second_fabric),
		cmocka_unit_test(names_what_fails),
		cmocka_unit_test(sends_nothing_to_unserved_domains),
		cmocka_unit_test(reads_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
