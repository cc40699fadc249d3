// SPDX-License-Identifier: GPL-2.0-only
/* How little planning asks of a large machine: each word of a domain and each MSR of a package
 * once, each core once, in full batches, whatever the number of threads (hardware.md, section
 * 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan_steps.h"
#include "settings/sst.h"

#define PACKAGES  4
#define DIES      2
#define CORES     60
#define DOMAINS   (PACKAGES * DIES)
#define ALL_CORES (DOMAINS * CORES)
#define CPUS      (2 * ALL_CORES)
#define BATCH     64

struct large_machine {
	struct fake_machine fake;
	struct machine *machine;
	struct platform *platform;
	struct change_list plan;
	struct setting_environment environment;
};

/* The firmware: level 0 of 2, everything off, every core in CLOS 1. */
static const struct fake_rule rules[] = {
	{ .request = ISST_IF_MBOX_COMMAND,
	  .command = 0x7f,
	  .sub_command = 0,
	  .answer = 0x80000203 },
	{ .request = ISST_IF_MBOX_COMMAND, .command = 0x7f, .sub_command = 1, .answer = 3 },
	{ .request = ISST_IF_MBOX_COMMAND, .command = 0x94, .sub_command = 3, .answer = 1 },
	{ .request = ISST_IF_MBOX_COMMAND, .command = 0xd0, .sub_command = 2, .answer = 0 },
	{ .request = ISST_IF_MSR_COMMAND, .answer = 0x20 },
	{ .request = ISST_IF_IO_CMD, .answer = 0x10000 },
};

static void large_open(struct large_machine *large)
{
	const struct fake_shape shape = {
		.packages = PACKAGES,
		.dies = DIES,
		.cores = CORES,
		.model = SAPPHIRE_RAPIDS,
		.stepping = 4,
	};
	const struct platform_options options = { .channel.tries = 3 };
	_cleanup_free_ char *message = NULL;

	*large = (struct large_machine){ 0 };
	fake_machine_init(&large->fake, &shape);
	fake_machine_add_rules(&large->fake, rules, ARRAY_SIZE(rules));
	assert_int_equal(machine_open(&large->fake.host, &large->machine, &message), 0);
	assert_int_equal(platform_open(large->machine, &options, &large->platform, &message), 0);
	assert_int_equal(large->platform->domains.n_domains, DOMAINS);
	large->environment =
		(struct setting_environment){ large->platform, large->machine, &large->plan };
	fake_machine_forget(&large->fake);
}

static void large_close(struct large_machine *large)
{
	change_list_done(&large->plan);
	platform_close(&large->platform);
	machine_close(&large->machine);
	fake_machine_done(&large->fake);
}

/* So many entries went out, in as few requests as hold them, and none of them twice. */
static void assert_asked(const struct large_machine *large, uint32_t request, size_t n_entries,
			 size_t n_requests)
{
	const struct record_log *log = &large->fake.log;
	struct entry repeat;

	assert_int_equal(record_log_entries(log, request), n_entries);
	assert_int_equal(record_log_requests(log, request), n_requests);
	assert_false(
		record_log_find_repeat(log, request, fake_machine_domain, &large->fake, &repeat));
}

static size_t step_count(const struct large_machine *large)
{
	size_t count;

	count = large->plan.n_changes;
	return count;
}

/* All 960 CPUs are requested into CLOS 3, which takes one write for each of the 480 cores. */
static void associations(void **state)
{
	struct setting_request requests[CPUS] = { 0 };
	const struct change *steps;
	struct large_machine large;
	size_t count;

	(void)state;
	large_open(&large);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		requests[cpu] = (struct setting_request){ .cpu = cpu, .value.number = 3 };
	assert_int_equal(sst_plan_assoc(&large.environment, requests, CPUS), 0);
	assert_asked(&large, ISST_IF_IO_CMD, ALL_CORES, (ALL_CORES + BATCH - 1) / BATCH);
	steps = large.plan.changes;
	count = large.plan.n_changes;
	assert_int_equal(count, ALL_CORES);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(steps[i].batch, steps[0].batch);
		assert_int_equal(steps[i].target.cpu, i); /* all first threads come first */
		assert_int_equal(steps[i].value.number, 3);
	}
	large_close(&large);
}

/* A core with its requested CPU offline is written by way of its domain's first online CPU. */
static void association_of_offline(void **state)
{
	struct setting_request requests[] = { { .cpu = 61, .value.number = 0 },
					      { .cpu = 61, .value.number = 3 } };
	struct large_machine large;
	const struct change *steps;
	size_t count;

	(void)state;
	large_open(&large);
	cpuset_remove(&large.machine->topology.online, 61);
	assert_int_equal(sst_plan_assoc(&large.environment, requests, 2), 0);
	steps = large.plan.changes;
	count = large.plan.n_changes;
	assert_int_equal(count, 1);
	assert_int_equal(steps[0].target.cpu, 60);
	assert_int_equal(steps[0].target.index, 0x24);
	assert_int_equal(steps[0].value.number, 0);
	assert_int_equal(steps[0].location.cpu, 61);
	large_close(&large);
}

/* Four parameters of each domain; two batches of the plan do not mix. */
static void parameters(void **state)
{
	struct setting_request requests[DOMAINS * SST_CLOS_COUNT] = { 0 };
	struct setting_request assoc = { .cpu = 0, .value.number = 3 };
	const size_t n_requests = ARRAY_SIZE(requests);
	struct large_machine large;
	const struct change *steps;
	size_t count;

	(void)state;
	large_open(&large);
	for (uint32_t i = 0; i < n_requests; i++)
		requests[i] = (struct setting_request){
			.domain = &large.platform->domains.domains[i / SST_CLOS_COUNT],
			.value.clos = { .id = i % SST_CLOS_COUNT,
					.parameters = { .unlimited = true } },
		};
	assert_int_equal(sst_plan_clos(&large.environment, requests, n_requests), 0);
	assert_asked(&large, ISST_IF_IO_CMD, n_requests, 1);
	assert_int_equal(step_count(&large), n_requests);
	assert_int_equal(sst_plan_assoc(&large.environment, &assoc, 1), 0);
	steps = large.plan.changes;
	count = large.plan.n_changes;
	assert_int_equal(count, n_requests + 1);
	assert_int_equal(steps[0].batch, steps[n_requests - 1].batch);
	assert_int_not_equal(steps[0].batch, steps[n_requests].batch);
	large_close(&large);
}

/* Dies share the MSRs of their package; every die gets its step, the limits one a package. */
static void dies_of_packages(void **state)
{
	struct setting_request levels[DOMAINS] = { 0 };
	struct setting_request limits[DOMAINS] = { 0 };
	struct large_machine large;
	const struct change *steps;
	size_t count;

	(void)state;
	large_open(&large);
	for (uint32_t i = 0; i < DOMAINS; i++) {
		levels[i].domain = &large.platform->domains.domains[i];
		levels[i].value.number = 1;
		limits[i].domain = levels[i].domain;
		limits[i].value.trl.ratios = 0x30 + i;
	}
	assert_int_equal(sst_plan_level(&large.environment, levels, DOMAINS), 0);
	assert_asked(&large, ISST_IF_MBOX_COMMAND, 2 * (size_t)DOMAINS, 2);
	assert_asked(&large, ISST_IF_MSR_COMMAND, 2 * (size_t)PACKAGES, 1);
	steps = large.plan.changes;
	count = large.plan.n_changes;
	assert_int_equal(count, DOMAINS);
	assert_int_equal(steps[DOMAINS - 1].location.die, 1);
	assert_int_equal(steps[DOMAINS - 1].undo[1].value.number, 0x20);
	fake_machine_forget(&large.fake);
	assert_int_equal(sst_plan_trl(&large.environment, limits, DOMAINS), 0);
	assert_asked(&large, ISST_IF_MSR_COMMAND, PACKAGES, 1);
	steps = large.plan.changes;
	count = large.plan.n_changes;
	assert_int_equal(count, DOMAINS + PACKAGES);
	for (uint32_t i = 0; i < PACKAGES; i++)
		assert_int_equal(steps[DOMAINS + i].value.number, 0x31 + DIES * i);
	large_close(&large);
}

/* No requests: no request, no step. */
static void nothing(void **state)
{
	struct setting_request assoc;
	struct setting_request limits;
	struct setting_request level;
	struct large_machine large;

	(void)state;
	large_open(&large);
	assert_int_equal(sst_plan_assoc(&large.environment, &assoc, 0), 0);
	assert_int_equal(sst_plan_trl(&large.environment, &limits, 0), 0);
	assert_int_equal(sst_plan_level(&large.environment, &level, 0), 0);
	assert_int_equal(large.fake.log.n_records, 0);
	assert_int_equal(step_count(&large), 0);
	large_close(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(associations), cmocka_unit_test(association_of_offline),
		cmocka_unit_test(parameters),   cmocka_unit_test(dies_of_packages),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
