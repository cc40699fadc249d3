// SPDX-License-Identifier: GPL-2.0-only
/* Reading SST-CP of TPMI parts: switches, parameters, associations (hardware.md, section 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "tpmi_bench.h"
#include "sst/tpmi/tpmi.h"

static void reads_core_power(void **state)
{
	struct platform_core_power_query core_power = { 0 };
	struct platform_query clos[] = { { .index = 2 }, { .index = 3 } };
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	fake_tpmi_domain(&bench.tpmi, 1, 3)->state =
		(struct isst_core_power){ .supported = 1, .enable = 1, .priority_type = 1 };
	fake_tpmi_domain(&bench.tpmi, 1, 3)->clos[2] = (struct isst_clos_param){
		.min_freq_mhz = 800,
		.max_freq_mhz = 2600,
		.prop_prio = 5,
	};
	tpmi_bench_open(&bench);
	core_power.domain = clos[0].domain = clos[1].domain = tpmi_bench_domain(&bench, 1, 3);
	assert_int_equal(bench.platform->ops->read_core_power(bench.platform, PLATFORM_CLOS,
							      &core_power, 1),
			 0);
	assert_int_equal(core_power.error, 0);
	assert_true(core_power.core_power.supported && core_power.core_power.enabled);
	assert_true(core_power.core_power.clos_enabled && core_power.core_power.ordered);
	assert_int_equal(platform_read_clos(bench.platform, clos, 2), 0);
	assert_int_equal(value_to_clos(&clos[0].value).min_mhz, 800);
	assert_int_equal(value_to_clos(&clos[0].value).max_mhz, 2600);
	assert_int_equal(value_to_clos(&clos[0].value).weight, 5);
	assert_false(value_to_clos(&clos[0].value).unlimited);
	assert_true(value_to_clos(&clos[1].value).unlimited);
	assert_int_equal(value_to_clos(&clos[1].value).epp, 0);
	assert_int_equal(value_to_clos(&clos[1].value).desired_mhz, 0);
	fake_tpmi_assert_once(&bench.tpmi);
	tpmi_bench_close(&bench);
}

/* 4 CPUs are one core of the PUNIT where it has modules: 200 CPUs ask for 50 cores, once. */
static void reads_associations_by_core(void **state)
{
	const struct fake_tpmi_shape shape = {
		.packages = 1,
		.cores = 100,
		.cores_of_module = 2,
		.n_compute = 1,
		.ids = { 0 },
	};
	struct platform_query queries[200] = { 0 };
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &shape);
	tpmi_bench_open(&bench);
	fake_tpmi_domain(&bench.tpmi, 0, 0)->assoc[7] = 3;
	for (uint32_t cpu = 0; cpu < ARRAY_SIZE(queries); cpu++)
		queries[cpu].cpu = cpu;
	assert_int_equal(platform_read_assoc(bench.platform, queries, 200), 0);
	for (uint32_t cpu = 0; cpu < ARRAY_SIZE(queries); cpu++) {
		assert_int_equal(queries[cpu].error, 0);
		assert_int_equal(queries[cpu].value.number, cpu % 100 / 2 == 7 ? 3 : 0);
	}
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_CLOS_ASSOC, false), 50);
	assert_int_equal(bench.tpmi.n_assoc_requests, 1);
	fake_tpmi_assert_once(&bench.tpmi);
	tpmi_bench_close(&bench);
}

/* The driver does not say which entry failed: cores 64 and up are found by asking one by one. */
static void finds_the_association_that_fails(void **state)
{
	const struct fake_tpmi_shape shape = {
		.packages = 1,
		.cores = 70,
		.n_compute = 1,
		.ids = { 0 },
	};
	struct platform_query queries[] = { { .cpu = 1 }, { .cpu = 66 }, { .cpu = 2 } };
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &shape);
	tpmi_bench_open(&bench);
	assert_int_equal(platform_read_assoc(bench.platform, queries, 3), 0);
	assert_int_equal(queries[0].error, 0);
	assert_int_equal(queries[1].error, -ENOTTY);
	assert_int_equal(queries[2].error, 0);
	assert_int_equal(bench.tpmi.n_assoc_requests, 4);
	assert_int_equal(platform_read_assoc(bench.platform, queries, 2), 0);
	assert_int_equal(queries[0].error, 0);
	assert_int_equal(queries[1].error, -ENOTTY);
	tpmi_bench_close(&bench);
}

/* Two entries in each request: after a request in which one entry failed, nothing more is set. */
static void stops_after_the_association_that_fails(void **state)
{
	const struct fake_tpmi_shape shape = {
		.packages = 1,
		.cores = 64,
		.n_compute = 1,
		.ids = { 0 },
	};
	static const uint32_t cores[] = { 1, 66, 2, 3 };
	struct write_target targets[ARRAY_SIZE(cores)];
	struct target_request requests[ARRAY_SIZE(cores)];
	struct target_io io;
	struct tpmi_bench bench;
	struct channel channel;

	(void)state;
	tpmi_bench_init(&bench, &shape);
	tpmi_bench_open(&bench);
	channel = bench.platform->channel;
	channel.max_commands = 2;
	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		targets[i] = tpmi_target(bench.platform, PLATFORM_TARGET_ASSOCIATION,
					 tpmi_bench_domain(&bench, 0, 0), cores[i]);
		requests[i] = (struct target_request){ .target = &targets[i], .value.number = 2 };
	}
	assert_int_equal(target_io_init(&io, &channel, NULL, ARRAY_SIZE(cores)), 0);
	target_run(&io, requests, ARRAY_SIZE(cores), true);
	target_io_done(&io);
	assert_int_equal(requests[0].error, 0);
	assert_int_equal(requests[1].error, -ENOTTY);
	assert_int_equal(requests[2].error, -ECANCELED);
	assert_int_equal(requests[3].error, -ECANCELED);
	assert_int_equal(fake_tpmi_domain(&bench.tpmi, 0, 0)->assoc[1], 2);
	assert_int_equal(fake_tpmi_domain(&bench.tpmi, 0, 0)->assoc[2], 0);
	assert_int_equal(fake_tpmi_domain(&bench.tpmi, 0, 0)->assoc[3], 0);
	tpmi_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_core_power),
		cmocka_unit_test(reads_associations_by_core),
		cmocka_unit_test(finds_the_association_that_fails),
		cmocka_unit_test(stops_after_the_association_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
