// SPDX-License-Identifier: GPL-2.0-only
/* What mailbox parts plan, carried out on simulated machines: nothing is left to do afterwards; and
 * interrupted before any of its writes, a plan leaves all as it was (hardware.md, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "change/transaction.h"
#include "sst/platform.h"
#include "simulator/simulator.h"
#include "temporary.h"
#include "settings/sst.h"

static const char *const platforms[] = { "guide", "cpx-5318h-2s", "emr-8592-2s" };

struct bench {
	char *directory;
	struct host *host;
	struct machine *machine;
	struct platform *platform;
	size_t writes_left; /* until the run is asked to stop */
};

static void bench_open(struct bench *bench, const char *name)
{
	const struct platform_options options = { .channel.tries = 3 };
	_cleanup_free_ char *message = NULL;
	char path[4096];

	*bench = (struct bench){ .directory = temporary_make(), .writes_left = SIZE_MAX };
	snprintf(path, sizeof(path), "%s/%s.json", getenv("PLATFORM_FILES"), name);
	assert_int_equal(simulator_open(path, bench->directory, true, &bench->host, &message), 0);
	assert_int_equal(machine_open(bench->host, &bench->machine, &message), 0);
	assert_int_equal(platform_open(bench->machine, &options, &bench->platform, &message), 0);
}

static void bench_close(struct bench *bench)
{
	platform_close(&bench->platform);
	machine_close(&bench->machine);
	bench->host->ops->close(bench->host);
	temporary_remove(bench->directory);
}

static bool is_interrupted(void *data)
{
	struct bench *bench = data;

	return bench->writes_left-- == 0;
}

/* One kind of change to all domains. */
typedef void make_plan(struct bench *bench, struct change_list *plan);

#define FOREACH_DOMAIN(index, bench) \
	for (size_t index = 0; index < (bench)->platform->domains.n_domains; index++)

static const struct power_domain *domain_of(const struct bench *bench, size_t index)
{
	return &bench->platform->domains.domains[index];
}

static void switch_feature(struct bench *bench, struct change_list *plan, enum setting_id feature,
			   bool on)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };

	FOREACH_DOMAIN(i, bench)
	{
		struct setting_request request = { feature, .domain = domain_of(bench, i),
						   .value.on = on };

		assert_int_equal(sst_plan_feature(&environment, &request, 1), 0);
		assert_int_equal(request.error, 0);
	}
}

static void base_freq_on(struct bench *bench, struct change_list *plan)
{
	switch_feature(bench, plan, SETTING_BASE_FREQ, true);
}

static void base_freq_off(struct bench *bench, struct change_list *plan)
{
	switch_feature(bench, plan, SETTING_BASE_FREQ, false);
}

static void turbo_freq_on(struct bench *bench, struct change_list *plan)
{
	switch_feature(bench, plan, SETTING_TURBO_FREQ, true);
}

static void turbo_freq_off(struct bench *bench, struct change_list *plan)
{
	switch_feature(bench, plan, SETTING_TURBO_FREQ, false);
}

static void switch_core_power(struct bench *bench, struct change_list *plan, bool on)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };

	FOREACH_DOMAIN(i, bench)
	{
		struct setting_request request = { .domain = domain_of(bench, i),
						   .value.core_power = { .on = on,
									 .ordered = on } };

		assert_int_equal(sst_plan_core_power(&environment, &request, 1), 0);
		assert_int_equal(request.error, 0);
		assert_false(request.is_absent);
	}
}

static void core_power_on(struct bench *bench, struct change_list *plan)
{
	switch_core_power(bench, plan, true);
}

static void core_power_off(struct bench *bench, struct change_list *plan)
{
	switch_core_power(bench, plan, false);
}

static void parameters(struct bench *bench, struct change_list *plan)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };

	FOREACH_DOMAIN(i, bench)
	{
		struct setting_request requests[] = {
			{ .domain = domain_of(bench, i),
			  .value.clos = { .id = 0,
					  .parameters = { .min_mhz = 2000, .unlimited = true } } },
			{ .domain = domain_of(bench, i),
			  .value.clos = { .id = 3,
					  .parameters = { .epp = 7,
							  .weight = 5,
							  .max_mhz = 1800 } } },
		};

		assert_int_equal(sst_plan_clos(&environment, requests, 2), 0);
		assert_int_equal(requests[0].error | requests[1].error, 0);
	}
}

/* Every third CPU to CLOS 1, the rest to CLOS 2: all CPUs together are requested for. */
static void associations(struct bench *bench, struct change_list *plan)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[1024] = { 0 };
	size_t count = 0;

	cpuset_foreach (cpu, &bench->machine->topology.online) {
		assert_true(count < ARRAY_SIZE(requests));
		requests[count++] =
			(struct setting_request){ .cpu = cpu, .value.number = cpu % 3 ? 2 : 1 };
	}
	assert_int_equal(sst_plan_assoc(&environment, requests, count), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(requests[i].error, 0);
}

static void limits(struct bench *bench, struct change_list *plan)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };

	FOREACH_DOMAIN(i, bench)
	{
		struct setting_request request = { .domain = domain_of(bench, i),
						   .value.trl.ratios = 0x1122334455667788 };

		assert_int_equal(sst_plan_trl(&environment, &request, 1), 0);
		assert_int_equal(request.error, 0);
	}
}

/* The highest level, if there is more than one. */
static void level(struct bench *bench, struct change_list *plan)
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };

	FOREACH_DOMAIN(i, bench)
	{
		struct platform_pp_query query = { .domain = domain_of(bench, i) };
		struct setting_request request = { .domain = query.domain };

		assert_int_equal(bench->platform->ops->read_pp(bench->platform, &query, 1), 0);
		assert_int_equal(query.error, 0);
		request.value.number = query.pp.highest_level;
		request.pp = &query.pp;
		assert_int_equal(sst_plan_level(&environment, &request, 1), 0);
		assert_int_equal(request.error, 0);
	}
}

/* How much is left to do. */
static size_t count_steps(struct bench *bench, make_plan *make)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	size_t count;

	make(bench, &plan);
	count = plan.n_changes;
	return count;
}

static void assert_same_plan(const struct change_list *left, const struct change_list *right)
{
	size_t n_left = left->n_changes, n_right = right->n_changes;
	const struct change *lefts = left->changes;
	const struct change *rights = right->changes;

	assert_int_equal(n_left, n_right);
	for (size_t i = 0; i < n_left; i++) {
		assert_int_equal(lefts[i].has_old_value, rights[i].has_old_value);
		assert_true(target_value_equal(&lefts[i].old_value, &rights[i].old_value));
		assert_int_equal(lefts[i].n_undo, rights[i].n_undo);
		for (size_t j = 0; j < lefts[i].n_undo; j++)
			assert_true(target_value_equal(&lefts[i].undo[j].value,
						       &rights[i].undo[j].value));
	}
}

/* Runs the plan with this many writes allowed. Undoing must leave what the same plan starts from.
 */
static bool run(struct bench *bench, make_plan *make, size_t writes)
{
	const struct wait_stop stop = { .fd = -1, .is_asked = is_interrupted, .data = bench };
	const struct transaction_environment environment = {
		.channel = &bench->platform->channel,
		.files = bench->host->files,
		.stop = &stop,
	};
	_cleanup_change_list_ struct change_list plan = { 0 }, again = { 0 };
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	bool failed;

	make(bench, &plan);
	bench->writes_left = writes;
	assert_int_equal(transaction_run(&plan, &environment, &outcome), 0);
	assert_int_equal(outcome.n_notes + outcome.n_not_rolled_back, 0);
	failed = outcome.failed;
	if (failed) {
		assert_int_equal(outcome.failure.error, -EINTR);
		make(bench, &again);
		assert_same_plan(&plan, &again);
	}
	return !failed;
}

/* Stopped before each of its writes, then let go. */
static void change(struct bench *bench, make_plan *make)
{
	size_t writes = 0;

	while (!run(bench, make, writes))
		writes++;
	assert_int_equal(count_steps(bench, make), 0);
}

static void all_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++) {
		struct bench bench;

		bench_open(&bench, platforms[i]);
		change(&bench, parameters);
		change(&bench, associations);
		change(&bench, core_power_on);
		change(&bench, base_freq_on);
		change(&bench, turbo_freq_on);
		change(&bench, limits);
		change(&bench, level); /* with both features on and limits of our own */
		change(&bench, base_freq_off);
		change(&bench, turbo_freq_off);
		change(&bench, core_power_off);
		bench_close(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
