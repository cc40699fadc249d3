// SPDX-License-Identifier: GPL-2.0-only
/* Setting TPMI parts by plans: the steps, what a run makes of the machine, and that what fails on
 * the way is taken back (hardware.md, section 4; commands.md, "Safety of every setting
 * command"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "tpmi_bench.h"
#include "settings/settings.h"

#define N_DOMAINS 8 /* of tpmi_bench_shape */

static void open_usual(struct tpmi_bench *bench)
{
	tpmi_bench_init(bench, &tpmi_bench_shape);
	tpmi_bench_open(bench);
	fake_tpmi_forget(&bench->tpmi);
}

/* A request for every domain of both packages. */
static void request_levels(struct tpmi_bench *bench, struct setting_request *requests,
			   uint32_t level)
{
	for (size_t i = 0; i < N_DOMAINS; i++)
		requests[i] = (struct setting_request){
			.domain = &bench->platform->domains.domains[i],
			.value.number = level,
		};
	assert_int_equal(sst_plan_level(&bench->environment, requests, N_DOMAINS), 0);
}

static void run_well(struct tpmi_bench *bench)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };

	tpmi_bench_run(bench, &outcome);
	assert_false(outcome.failed);
	assert_int_equal(outcome.n_notes, 0);
}

static void assert_texts(const struct change *change, const char *old, const char *new)
{
	_cleanup_free_ char *old_text = change_format_old(change);
	_cleanup_free_ char *new_text = change_format_new(change);

	assert_string_equal(old_text, old);
	assert_string_equal(new_text, new);
}

static void changes_levels(void **state)
{
	struct setting_request requests[N_DOMAINS];
	const struct change *steps;
	struct tpmi_bench bench;
	size_t count;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	/* One is there already, which the driver would refuse. */
	fake_tpmi_domain(&bench.tpmi, 1, 0)->levels.current_level = 1;
	tpmi_bench_open(&bench);
	request_levels(&bench, requests, 1);
	steps = bench.plan.changes;
	count = bench.plan.n_changes;
	assert_int_equal(count, N_DOMAINS - 1);
	for (size_t i = 0; i < count; i++) {
		assert_texts(&steps[i], "0", "1");
		assert_int_equal(steps[i].settle_us, i + 1 == count ? 10000 : 0);
		assert_int_equal(steps[i].tries, 5);
		assert_true(steps[i].location.has_power_domain);
	}
	fake_tpmi_assert_once(&bench.tpmi);
	run_well(&bench);
	for (size_t i = 0; i < N_DOMAINS; i++)
		assert_int_equal(bench.tpmi.domains[i].levels.current_level, 1);
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_PERF_SET_LEVEL, true), count);
	tpmi_bench_close(&bench);
}

/* A lock, or a domain that cannot be read, is that request's error. */
static void reports_locks_and_unreadable_domains(void **state)
{
	struct setting_request requests[N_DOMAINS];
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &tpmi_bench_shape);
	fake_tpmi_domain(&bench.tpmi, 0, 1)->levels.locked = 1;
	bench.tpmi.unserved = 0x2;
	tpmi_bench_open(&bench);
	for (size_t i = 0; i < 4; i++)
		requests[i] = (struct setting_request){ .value.number = 1 };
	requests[0].domain = tpmi_bench_domain(&bench, 0, 0);
	requests[1].domain = tpmi_bench_domain(&bench, 0, 1);
	requests[2].domain = tpmi_bench_domain(&bench, 1, 0);
	requests[3].domain = tpmi_bench_domain(&bench, 0, 3);
	assert_int_equal(sst_plan_level(&bench.environment, requests, 4), 0);
	assert_int_equal(requests[0].error, 0);
	assert_int_equal(requests[1].error, -EROFS);
	assert_int_equal(requests[2].error, -ENODEV);
	assert_int_equal(requests[3].error, 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 2);
	tpmi_bench_close(&bench);
}

/* Whichever domain refuses: levels, features and limits are as before, and firmware that is not
 * allowed to switch is never asked for the level that it has. */
static void rolls_levels_back(void **state)
{
	(void)state;
	for (size_t failing = 1; failing <= N_DOMAINS; failing++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		struct setting_request requests[N_DOMAINS];
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		for (size_t i = 0; i < N_DOMAINS; i++)
			bench.tpmi.domains[i].levels.feature_state = i % 4;
		bench.tpmi.limits[0] = 0x1111111111111111;
		tpmi_bench_open(&bench);
		request_levels(&bench, requests, 1);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_PERF_SET_LEVEL,
							     .first = failing,
							     .last = failing };
		tpmi_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.change, failing - 1);
		assert_int_equal(outcome.failure.error, -ENOTTY);
		assert_int_equal(outcome.n_rolled_back, failing - 1);
		assert_int_equal(outcome.n_not_rolled_back, 0);
		for (size_t i = 0; i < N_DOMAINS; i++) {
			assert_int_equal(bench.tpmi.domains[i].levels.current_level, 0);
			assert_int_equal(bench.tpmi.domains[i].levels.feature_state, i % 4);
		}
		assert_true(bench.tpmi.limits[0] == 0x1111111111111111);
		assert_true(bench.tpmi.limits[1] == 0x2020202020202020);
		tpmi_bench_close(&bench);
	}
}

/* The driver returns ENOTTY, but the firmware has made the change: reading finds that, and the
 * change is undone. */
static void rolls_back_a_failure_that_took_effect(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	struct setting_request requests[N_DOMAINS];
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	request_levels(&bench, requests, 1);
	bench.tpmi.fault = (struct fake_tpmi_fault){
		.request = ISST_IF_PERF_SET_LEVEL, .first = 3, .last = 3, .takes_effect = true
	};
	tpmi_bench_run(&bench, &outcome);
	assert_true(outcome.failed);
	assert_int_equal(outcome.n_rolled_back, 3);
	assert_int_equal(outcome.n_not_rolled_back, 0);
	for (size_t i = 0; i < N_DOMAINS; i++)
		assert_int_equal(bench.tpmi.domains[i].levels.current_level, 0);
	tpmi_bench_close(&bench);
}

struct feature_vector {
	uint8_t before;
	enum setting_id feature;
	bool on;
	uint8_t after;
	const char *old_text;
	const char *new_text;
};

static const struct feature_vector feature_vectors[] = {
	{ 0, SETTING_BASE_FREQ, true, 1, "SST-BF off, SST-TF off", "SST-BF on, SST-TF off" },
	{ 2, SETTING_BASE_FREQ, true, 3, "SST-BF off, SST-TF on", "SST-BF on, SST-TF on" },
	{ 3, SETTING_TURBO_FREQ, false, 1, "SST-BF on, SST-TF on", "SST-BF on, SST-TF off" },
	{ 3, SETTING_BASE_FREQ, false, 2, "SST-BF on, SST-TF on", "SST-BF off, SST-TF on" },
	{ 1, SETTING_TURBO_FREQ, true, 3, "SST-BF on, SST-TF off", "SST-BF on, SST-TF on" },
	{ 2, SETTING_TURBO_FREQ, true, 2, NULL, NULL },
	{ 0, SETTING_BASE_FREQ, false, 0, NULL, NULL },
};

static void switches_features(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(feature_vectors); i++) {
		const struct feature_vector *vector = &feature_vectors[i];
		struct setting_request request = { vector->feature, .value.on = vector->on };
		const struct change *steps;
		struct tpmi_bench bench;
		size_t count;

		open_usual(&bench);
		fake_tpmi_domain(&bench.tpmi, 1, 1)->levels.feature_state = vector->before;
		bench.tpmi.slow_reads = 4; /* the fifth shows it */
		request.domain = tpmi_bench_domain(&bench, 1, 1);
		assert_int_equal(sst_plan_feature(&bench.environment, &request, 1), 0);
		assert_int_equal(request.error, 0);
		steps = bench.plan.changes;
		count = bench.plan.n_changes;
		assert_int_equal(count, vector->old_text ? 1 : 0);
		if (count) {
			assert_texts(&steps[0], vector->old_text, vector->new_text);
		}
		run_well(&bench);
		assert_int_equal(fake_tpmi_domain(&bench.tpmi, 1, 1)->levels.feature_state,
				 vector->after);
		tpmi_bench_close(&bench);
	}
}

/* Both features of a domain in one plan are one change, whichever request comes first: the second
 * one does not undo the first. One that goes off is written with the other that goes on, after
 * SST-CP; the domain is read once. */
static void switches_both_features_at_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 32; i++) {
		_cleanup_setting_list_ struct setting_list list = { 0 };
		uint8_t before = i & 3, after = i >> 2 & 3;
		bool is_turbo_first = i & 16;
		struct tpmi_bench bench;
		const struct change *steps;
		size_t count;

		open_usual(&bench);
		fake_tpmi_domain(&bench.tpmi, 1, 1)->levels.feature_state = before;
		for (int j = 0; j < 2; j++) {
			bool is_turbo = j != is_turbo_first;

			setting_list_add(&list,
					 &(struct setting_request){
						 is_turbo ? SETTING_TURBO_FREQ : SETTING_BASE_FREQ,
						 .domain = tpmi_bench_domain(&bench, 1, 1),
						 .value.on = after & (is_turbo ? ISST_FEATURE_TF
									       : ISST_FEATURE_BF),
					 });
		}
		setting_list_add(&list, &(struct setting_request){
						SETTING_CORE_POWER,
						.domain = tpmi_bench_domain(&bench, 1, 1),
						.value.core_power.on = true,
					});
		assert_int_equal(settings_plan(&list, &bench.environment), 0);
		for (size_t j = 0; j < list.count; j++)
			assert_int_equal(list.requests[j].error, 0);
		steps = bench.plan.changes;
		count = bench.plan.n_changes;
		/* SST-CP of the four domains of the package, and the features */
		assert_int_equal(count, 4 + (before != after));
		if (before != after)
			assert_string_equal(steps[after ? 4 : 0].what, "SST-BF and SST-TF");
		fake_tpmi_assert_once(&bench.tpmi);
		run_well(&bench);
		assert_int_equal(fake_tpmi_domain(&bench.tpmi, 1, 1)->levels.feature_state, after);
		tpmi_bench_close(&bench);
	}
}

/* A domain that cannot be read fails the requests for both features. */
static void reports_both_features_of_unreadable_domains(void **state)
{
	struct setting_request requests[] = {
		{ SETTING_BASE_FREQ, .value.on = true },
		{ SETTING_TURBO_FREQ, .value.on = true },
	};
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	bench.tpmi.fault =
		(struct fake_tpmi_fault){ .request = ISST_IF_PERF_LEVELS, .first = 1, .last = 1 };
	requests[0].domain = requests[1].domain = tpmi_bench_domain(&bench, 0, 0);
	assert_int_equal(sst_plan_feature(&bench.environment, requests, 2), 0);
	assert_int_equal(requests[0].error, -ENOTTY);
	assert_int_equal(requests[1].error, -ENOTTY);
	assert_int_equal(tpmi_bench_count_steps(&bench), 0);
	tpmi_bench_close(&bench);
}

/* What is missing after the fifth reading has failed, and is taken back. */
static void gives_up_on_features(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	struct setting_request request = { SETTING_BASE_FREQ, .value.on = true };
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	request.domain = tpmi_bench_domain(&bench, 0, 0);
	assert_int_equal(sst_plan_feature(&bench.environment, &request, 1), 0);
	bench.tpmi.fault = (struct fake_tpmi_fault){
		.request = ISST_IF_PERF_SET_FEATURE, .first = 1, .last = 1, .is_lost = true
	};
	fake_tpmi_forget(&bench.tpmi);
	tpmi_bench_run(&bench, &outcome);
	assert_true(outcome.failed);
	assert_int_equal(outcome.failure.error, -EIO);
	assert_string_equal(outcome.failure.reason, "SST-BF is off, expected on");
	assert_int_equal(outcome.n_not_rolled_back, 0);
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_PERF_LEVELS, false), 5 + 1);
	tpmi_bench_close(&bench);
}

/* Firmware that is slower than a step waits for is waited for when the step is taken back. */
static void rolls_back_writes_that_time_out(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	struct setting_request request = { SETTING_BASE_FREQ, .value.on = true };
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	request.domain = tpmi_bench_domain(&bench, 0, 0);
	assert_int_equal(sst_plan_feature(&bench.environment, &request, 1), 0);
	bench.tpmi.slow_reads = 8;
	tpmi_bench_run(&bench, &outcome);
	assert_true(outcome.failed);
	assert_int_equal(outcome.failure.error, -EIO);
	assert_int_equal(outcome.n_rolled_back, 1);
	assert_int_equal(outcome.n_not_rolled_back, 0);
	assert_int_equal(fake_tpmi_domain(&bench.tpmi, 0, 0)->levels.feature_state, 0);
	tpmi_bench_close(&bench);
}

static void request_core_power(struct tpmi_bench *bench, struct setting_request *requests,
			       size_t count, bool on)
{
	for (size_t i = 0; i < count; i++) {
		requests[i].value.core_power.on = on;
		requests[i].value.core_power.ordered = on;
	}
	assert_int_equal(sst_plan_core_power(&bench->environment, requests, count), 0);
}

/* One request for a package sets all its domains that have SST-CP, once; two requests too. */
static void switches_core_power_for_packages(void **state)
{
	(void)state;
	for (size_t n_requests = 1; n_requests <= 2; n_requests++) {
		struct setting_request requests[2] = { 0 };
		struct tpmi_bench bench;

		open_usual(&bench);
		fake_tpmi_domain(&bench.tpmi, 0, 4)->state.supported = 0;
		bench.tpmi.slow_reads = 2;
		requests[0].domain = tpmi_bench_domain(&bench, 0, 0);
		requests[1].domain = tpmi_bench_domain(&bench, 0, 1);
		request_core_power(&bench, requests, n_requests, true);
		assert_false(requests[0].is_absent || requests[0].is_needed);
		assert_int_equal(tpmi_bench_count_steps(&bench), 3);
		fake_tpmi_assert_once(&bench.tpmi);
		run_well(&bench);
		for (size_t i = 0; i < N_DOMAINS; i++) {
			const struct isst_core_power *now = &bench.tpmi.domains[i].state;

			assert_int_equal(now->enable, i < 3);
			assert_int_equal(now->priority_type, i < 3);
		}
		assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_CORE_POWER_STATE, true), 3);
		tpmi_bench_close(&bench);
	}
}

/* A domain that cannot be read fails its package before any write, and an IO die is such a
 * domain. */
static void needs_every_state_of_a_package(void **state)
{
	(void)state;
	for (size_t failing = 1; failing <= 4; failing++) {
		struct setting_request requests[2] = { 0 };
		const struct power_domain *domain;
		struct tpmi_bench bench;

		open_usual(&bench);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_CORE_POWER_STATE,
							     .first = failing,
							     .last = failing };
		requests[0].domain = tpmi_bench_domain(&bench, 0, 0);
		requests[1].domain = tpmi_bench_domain(&bench, 1, 0);
		/* The states of the requests' own domains are read first. */
		domain = failing == 1   ? requests[0].domain
			 : failing == 2 ? requests[1].domain
			 : failing == 3 ? tpmi_bench_domain(&bench, 0, 1)
					: tpmi_bench_domain(&bench, 0, 3);
		request_core_power(&bench, requests, 2, true);
		for (size_t i = 0; i < 2; i++) {
			bool fails = domain->package == i;

			assert_int_equal(requests[i].error, fails ? -ENOTTY : 0);
			assert_ptr_equal(requests[i].failed_domain,
					 fails && domain != requests[i].domain ? domain : NULL);
		}
		assert_int_equal(tpmi_bench_count_steps(&bench), 4);
		tpmi_bench_close(&bench);
	}
}

/* SST-TF needs it in a domain without a request; for a domain with a request the caller knows. */
static void keeps_core_power_that_is_needed(void **state)
{
	(void)state;
	for (uint32_t on_in = 0; on_in < 2; on_in++) {
		struct setting_request request = { 0 };
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		fake_tpmi_domain(&bench.tpmi, 0, on_in)->levels.feature_state = ISST_FEATURE_TF;
		for (size_t i = 0; i < N_DOMAINS; i++)
			bench.tpmi.domains[i].state.enable = 1;
		tpmi_bench_open(&bench);
		request.domain = tpmi_bench_domain(&bench, 0, 0);
		request_core_power(&bench, &request, 1, false);
		assert_int_equal(request.error, 0);
		assert_int_equal(request.is_needed, on_in == 1);
		assert_int_equal(tpmi_bench_count_steps(&bench), on_in == 1 ? 0 : 4);
		tpmi_bench_close(&bench);
	}
}

/* Whether another domain needs SST-CP must be known before it goes off, unless that is forced. */
static void needs_to_know_who_needs_core_power(void **state)
{
	(void)state;
	for (int is_forced = 0; is_forced < 2; is_forced++) {
		struct setting_request request = { .value.core_power.force = is_forced };
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		for (size_t i = 0; i < N_DOMAINS; i++)
			bench.tpmi.domains[i].state.enable = 1;
		tpmi_bench_open(&bench);
		fake_tpmi_forget(&bench.tpmi);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_PERF_LEVELS,
							     .first = 1,
							     .last = 1 };
		request.domain = tpmi_bench_domain(&bench, 0, 0);
		request_core_power(&bench, &request, 1, false);
		assert_int_equal(request.error, is_forced ? 0 : -ENOTTY);
		assert_ptr_equal(request.failed_domain,
				 is_forced ? NULL : tpmi_bench_domain(&bench, 0, 1));
		assert_int_equal(tpmi_bench_count_steps(&bench), is_forced ? 4 : 0);
		tpmi_bench_close(&bench);
	}
}

/* Four domains, all or none. */
static void rolls_core_power_back(void **state)
{
	(void)state;
	for (size_t failing = 1; failing <= 4; failing++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		struct setting_request request = { 0 };
		struct tpmi_bench bench;

		open_usual(&bench);
		request.domain = tpmi_bench_domain(&bench, 0, 0);
		request_core_power(&bench, &request, 1, true);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_CORE_POWER_STATE,
							     .sets = true,
							     .first = failing,
							     .last = failing,
							     .takes_effect = failing % 2 };
		tpmi_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.n_rolled_back, failing - 1 + failing % 2);
		assert_int_equal(outcome.n_not_rolled_back, 0);
		for (size_t i = 0; i < N_DOMAINS; i++)
			assert_int_equal(bench.tpmi.domains[i].state.enable, 0);
		tpmi_bench_close(&bench);
	}
}

/* The last request for a CLOS of a package holds for its domains, IO dies too, each written
 * once. */
static void sets_parameters_for_packages(void **state)
{
	struct setting_request requests[] = {
		{ .value.clos = { .id = 1,
				  .parameters = { .weight = 1,
						  .min_mhz = 500,
						  .unlimited = true } } },
		{ .value.clos = { .id = 1,
				  .parameters = { .weight = 5,
						  .min_mhz = 1250,
						  .max_mhz = 2600 } } },
		{ .value.clos = { .id = 3,
				  .parameters = { .max_mhz = 99999 } } }, /* as it is: no step */
	};
	const struct isst_clos_param *now;
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	fake_tpmi_domain(&bench.tpmi, 0, 4)->state.supported = 0;
	requests[0].domain = tpmi_bench_domain(&bench, 0, 0);
	requests[1].domain = requests[2].domain = tpmi_bench_domain(&bench, 0, 1);
	assert_int_equal(sst_plan_clos(&bench.environment, requests, 3), 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 3);
	assert_texts(bench.plan.changes, "weight:0 min:0 MHz max:unlimited",
		     "weight:5 min:1200 MHz max:2600 MHz");
	fake_tpmi_assert_once(&bench.tpmi);
	run_well(&bench);
	for (size_t i = 0; i < N_DOMAINS; i++) {
		now = &bench.tpmi.domains[i].clos[1];
		assert_int_equal(now->prop_prio, i < 3 ? 5 : 0);
		assert_int_equal(now->min_freq_mhz, i < 3 ? 1200 : 0);
		assert_int_equal(now->max_freq_mhz, i < 3 ? 2600 : 25500);
	}
	assert_int_equal(fake_tpmi_count(&bench.tpmi, ISST_IF_CLOS_PARAM, true), 3);
	tpmi_bench_close(&bench);
}

/* If it is not known whether an IO die has SST-CP, nothing is set in its package. */
static void sets_nothing_in_packages_with_unreadable_io_dies(void **state)
{
	struct setting_request clos[3] = { 0 }, assoc[4] = { 0 };
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_CORE_POWER_STATE,
						     .first = 2,
						     .last = 2 };
	for (uint32_t i = 0; i < 3; i++) {
		clos[i].domain = tpmi_bench_domain(&bench, i / 2, 0);
		clos[i].value.clos.id = i + 1;
		clos[i].value.clos.parameters.weight = 7;
	}
	assert_int_equal(sst_plan_clos(&bench.environment, clos, 3), 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assoc[i].cpu = 4 * (i / 2) + 2 * (i % 2);
		assoc[i].value.number = 1;
	}
	assert_int_equal(sst_plan_assoc(&bench.environment, assoc, 4), 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 4 + 2);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(clos[i].error, i < 2 ? -ENOTTY : 0);
		assert_ptr_equal(clos[i].failed_domain,
				 i < 2 ? tpmi_bench_domain(&bench, 0, 4) : NULL);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(assoc[i].error, i < 2 ? -ENOTTY : 0);
		assert_ptr_equal(assoc[i].failed_domain,
				 i < 2 ? tpmi_bench_domain(&bench, 0, 4) : NULL);
	}
	fake_tpmi_assert_once(&bench.tpmi);
	tpmi_bench_close(&bench);
}

/* 140 cores go out in 3 requests, each core once, whatever its CPUs are requested. */
static void sets_associations_in_batches(void **state)
{
	const struct fake_tpmi_shape shape = {
		.packages = 2,
		.cores = 35,
		.n_compute = 2,
		.ids = { 0, 1 },
	};
	struct setting_request requests[280] = { 0 };
	struct tpmi_bench bench;

	(void)state;
	tpmi_bench_init(&bench, &shape);
	tpmi_bench_open(&bench);
	for (uint32_t i = 0; i < 280; i++)
		requests[i] = (struct setting_request){ .cpu = i, .value.number = i < 140 ? 2 : 3 };
	assert_int_equal(sst_plan_assoc(&bench.environment, requests, 280), 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 140);
	assert_int_equal(bench.tpmi.n_assoc_requests, 3);
	fake_tpmi_assert_once(&bench.tpmi);
	fake_tpmi_forget(&bench.tpmi);
	run_well(&bench);
	assert_int_equal(bench.tpmi.n_assoc_requests, 3 + 3); /* read back as well */
	for (size_t i = 0; i < bench.tpmi.n_domains; i++) {
		for (size_t core = 0; core < 35; core++)
			assert_int_equal(bench.tpmi.domains[i].assoc[core], 2);
	}
	tpmi_bench_close(&bench);
}

/* A request of several that fails is sent entry by entry, up to the one that fails again: the same
 * one, or an earlier one when those after it are done already. All that was done is undone. */
static void rolls_associations_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < 16; i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		struct setting_request requests[8] = { 0 };
		size_t failing = i % 8 + 1, again = i < 8 ? failing : 1;
		struct tpmi_bench bench;

		open_usual(&bench);
		for (uint32_t cpu = 0; cpu < 8; cpu++)
			requests[cpu] = (struct setting_request){ .cpu = cpu, .value.number = 1 };
		assert_int_equal(sst_plan_assoc(&bench.environment, requests, 8), 0);
		bench.tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_CLOS_ASSOC,
							     .sets = true,
							     .first = failing,
							     .last = failing,
							     .again = failing + again };
		tpmi_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.change, again - 1);
		assert_int_equal(outcome.n_rolled_back, failing - 1);
		assert_int_equal(outcome.n_not_rolled_back, 0);
		for (size_t domain = 0; domain < N_DOMAINS; domain++) {
			assert_int_equal(bench.tpmi.domains[domain].assoc[0], 0);
			assert_int_equal(bench.tpmi.domains[domain].assoc[1], 0);
		}
		tpmi_bench_close(&bench);
	}
}

static void plans_limits_where_there_are_cpus(void **state)
{
	struct setting_request requests[N_DOMAINS] = { 0 };
	struct tpmi_bench bench;

	(void)state;
	open_usual(&bench);
	for (size_t i = 0; i < N_DOMAINS; i++)
		requests[i] = (struct setting_request){
			.domain = &bench.platform->domains.domains[i],
			.value.trl.ratios = 0x3030303030303030 + i,
		};
	assert_int_equal(sst_plan_trl(&bench.environment, requests, N_DOMAINS), 0);
	assert_int_equal(tpmi_bench_count_steps(&bench), 2);
	run_well(&bench);
	assert_true(bench.tpmi.limits[0] == 0x3030303030303031);
	assert_true(bench.tpmi.limits[1] == 0x3030303030303035);
	tpmi_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_levels),
		cmocka_unit_test(reports_locks_and_unreadable_domains),
		cmocka_unit_test(rolls_levels_back),
		cmocka_unit_test(rolls_back_a_failure_that_took_effect),
		cmocka_unit_test(switches_features),
		cmocka_unit_test(switches_both_features_at_once),
		cmocka_unit_test(reports_both_features_of_unreadable_domains),
		cmocka_unit_test(gives_up_on_features),
		cmocka_unit_test(rolls_back_writes_that_time_out),
		cmocka_unit_test(switches_core_power_for_packages),
		cmocka_unit_test(needs_every_state_of_a_package),
		cmocka_unit_test(keeps_core_power_that_is_needed),
		cmocka_unit_test(needs_to_know_who_needs_core_power),
		cmocka_unit_test(rolls_core_power_back),
		cmocka_unit_test(sets_parameters_for_packages),
		cmocka_unit_test(sets_nothing_in_packages_with_unreadable_io_dies),
		cmocka_unit_test(sets_associations_in_batches),
		cmocka_unit_test(rolls_associations_back),
		cmocka_unit_test(plans_limits_where_there_are_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
