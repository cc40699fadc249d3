// SPDX-License-Identifier: GPL-2.0-only
/* The program on TPMI machines: how often it asks, which commands show domains without CPUs
 * (commands.md, "Where a command runs"), and its messages for failures whose errno gives no reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "program_run.h"
#include "sst/tpmi/tpmi.h"
#include "tpmi_bench.h"

/* 5 domains in each of 2 packages, as Granite Rapids with three compute dies. */
static const struct fake_tpmi_shape five_domains = {
	.packages = 2,
	.cores = 4,
	.n_compute = 3,
	.n_io = 2,
	.ids = { 0, 1, 2, 3, 4 },
};

/* 512 CPUs. */
static const struct fake_tpmi_shape large = {
	.packages = 2,
	.cores = 64,
	.n_compute = 2,
	.n_io = 2,
	.ids = { 0, 1, 3, 4 },
};

struct program_vector {
	const char *command;
	int status;
	size_t n_places; /* results, by package nodes */
	size_t n_none; /* of them of no CPU */
	const char *says; /* on stderr; or NULL */
};

static const struct program_vector vectors[] = {
	{ "isst --each perf-profile get-config-levels", 0, 8, 4, NULL },
	{ "isst --each perf-profile info -l 1", 0, 8, 4, NULL },
	{ "isst --each base-freq info -l 1", 0, 8, 4, NULL },
	{ "isst --each turbo-freq info -l 1", 0, 8, 4, NULL },
	{ "isst --each turbo-freq info -l 1 -b 1", 0, 8, 4, NULL },
	{ "isst --each turbo-freq info -l 1 -b 5", 3, 4, 4, "bucket 5 of level 1 has no cores" },
	{ "isst --each turbo-freq info -l 0", 3, 0, 0,
	  "package-0 die-1 powerdomain-1 cpu-2: turbo-freq is not supported at level 0" },
	{ "isst --each core-power info", 0, 8, 4, NULL },
	{ "isst --each core-power get-config --clos 1", 0, 8, 4, NULL },
	{ "isst --each turbo-mode get-trl", 0, 4, 0, NULL },
	{ "isst --each -c 1,3 core-power get-assoc", 0, 2, 0, NULL },
	{ "isst -c 0,1 core-power info", 0, 1, 0, NULL },
	{ "isst -c 0,1 core-power info --each", 0, 2, 0, NULL },
	{ "isst perf-profile info -l 2", 2, 0, 0, "the highest level of this machine is 1" },
	{ "isst --dry-run core-power config --clos 1 -d 2000", 2, 0, 0, "no desired frequency" },
	{ "isst --dry-run core-power config --clos 1 -d 0 -m 2000", 0, 8, 0, NULL },
	{ "isst --dry-run core-power config --clos 1 -e 3 -m 2000", 0, 8, 0, "-e has no effect" },
};

static void shows_domains_without_cpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct program_vector *vector = &vectors[i];
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &tpmi_bench_shape);
		run = program_run(&tpmi.machine, vector->command);
		if (run.status != vector->status)
			fail_msg("%s: status %d: %s%s", vector->command, run.status, run.out,
				 run.err);
		if (program_run_count(run.out, " package-") != vector->n_places ||
		    program_run_count(run.out, "cpu-None") != vector->n_none)
			fail_msg("%s:\n%s", vector->command, run.out);
		if (vector->says)
			program_assert_holds(run.err, vector->says);
		fake_tpmi_assert_once(&tpmi);
		fake_tpmi_done(&tpmi);
	}
}

/* An IO die without the feature is skipped silently. */
static void skips_io_dies(void **state)
{
	static const char *const commands[] = { "isst --each turbo-freq info -l 1",
						"isst --each base-freq info -l 0" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &tpmi_bench_shape);
		for (uint32_t package = 0; package < 2; package++) {
			fake_tpmi_domain(&tpmi, package, 3)->levels.sst_tf_support = 0;
			fake_tpmi_domain(&tpmi, package, 3)->levels.sst_bf_support = 0;
		}
		run = program_run(&tpmi.machine, commands[i]);
		assert_int_equal(run.status, 0);
		program_assert_lacks(run.err, "Error");
		program_assert_lacks(run.err, "powerdomain-3");
		assert_int_equal(program_run_count(run.out, "cpu-None"), 2);
		program_assert_lacks(run.out, "powerdomain-3");
		fake_tpmi_done(&tpmi);
	}
}

/* The die of an IO die is that of the package's CPUs where they have one, else no number. */
static void labels_io_dies(void **state)
{
	(void)state;
	for (int one_die = 0; one_die < 2; one_die++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi_shape shape = tpmi_bench_shape;
		struct fake_tpmi tpmi;

		shape.one_die = one_die;
		fake_tpmi_init(&tpmi, &shape);
		run = program_run(&tpmi.machine, "isst -f json perf-profile get-lock-status");
		assert_int_equal(run.status, 0);
		program_assert_holds(run.out, one_die ? "package-1:die-1:powerdomain-3:cpu-None"
						      : "package-1:die-IO:powerdomain-3:cpu-None");
		program_assert_holds(run.out, one_die ? "package-1:die-1:powerdomain-1:cpu-6"
						      : "package-1:die-1:powerdomain-1:cpu-6");
		json_decref(program_run_json(run.out));
		fake_tpmi_done(&tpmi);
	}
}

static void requests_levels_once(void **state)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &five_domains);
	run = program_run(&tpmi.machine, "isst --each perf-profile get-config-levels");
	assert_int_equal(run.status, 0);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_COUNT_TPMI_INSTANCES, false), 2);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_PERF_LEVELS, false), 10);
	assert_int_equal(tpmi.n_records, 12);
	fake_tpmi_done(&tpmi);
}

/* All levels of all domains: no structure is asked for twice. */
static void requests_everything_once(void **state)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &five_domains);
	run = program_run(&tpmi.machine, "isst --each perf-profile info");
	assert_int_equal(run.status, 0);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_GET_PERF_LEVEL_INFO, false), 20);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_GET_PERF_LEVEL_CPU_MASK, false), 12);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CORE_POWER_STATE, false), 10);
	fake_tpmi_assert_once(&tpmi);
	fake_tpmi_done(&tpmi);
}

static void fill_current_level(struct fake_tpmi *tpmi)
{
	for (size_t i = 0; i < tpmi->n_domains; i++)
		tpmi->domains[i].levels.current_level = 1;
}

/* turbo-freq enable -a with a CPU of each package: what it reads to make its plan, each once. */
static void plans_a_large_machine_once(void **state)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &large);
	fill_current_level(&tpmi);
	run = program_run(&tpmi.machine, "isst --dry-run --each -c 2,130 turbo-freq enable -a");
	if (run.status)
		fail_msg("%s", run.err);
	fake_tpmi_assert_once(&tpmi);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CLOS_ASSOC, false), 256);
	assert_int_equal(tpmi.n_assoc_requests, 4);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CLOS_PARAM, false), 2 * 4 * 4);
	assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CORE_POWER_STATE, false), 2 * 4);
	/* 254 cores to CLOS 3, three CLOS in 8 domains, SST-CP in 8, SST-TF in 2, limits in 2. */
	assert_int_equal(program_run_count(run.out, "ioctl CLOS_ASSOC"), 254);
	assert_int_equal(program_run_count(run.out, "ioctl CLOS_PARAM"), 3 * 8);
	assert_int_equal(program_run_count(run.out, "ioctl CORE_POWER_STATE"), 8);
	assert_int_equal(program_run_count(run.out, "ioctl PERF_SET_FEATURE"), 2);
	assert_int_equal(program_run_count(run.out, "msr 0x1ad"), 2);
	program_assert_holds(run.out, "package-0 powerdomain-3 ioctl CLOS_PARAM CLOS 1: weight:0 "
				      "min:0 MHz max:unlimited -> weight:15 min:0 MHz "
				      "max:unlimited");
	fake_tpmi_done(&tpmi);
}

/* SST-TF of another domain of the package keeps SST-CP on, unless SST-CP itself is switched off. */
static void keeps_core_power_for_others(void **state)
{
	static const struct {
		const char *command;
		const char *says;
		bool goes_off;
	} rows[] = {
		{ "isst --dry-run -c 0 core-power disable",
		  "core-power of package-0 is switched off although turbo-freq is on", true },
		{ "isst --dry-run -c 0 turbo-freq disable -a", "core-power of package-0 stays on",
		  false },
		{ "isst --dry-run core-power disable",
		  "core-power is switched off although turbo-freq is on", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &tpmi_bench_shape);
		fill_current_level(&tpmi);
		for (size_t j = 0; j < tpmi.n_domains; j++)
			tpmi.domains[j].state.enable = 1;
		fake_tpmi_domain(&tpmi, 0, 1)->levels.feature_state = ISST_FEATURE_TF;
		run = program_run(&tpmi.machine, rows[i].command);
		assert_int_equal(run.status, 0);
		program_assert_holds(run.err, rows[i].says);
		if (rows[i].goes_off)
			program_assert_holds(run.out, "CORE_POWER_STATE");
		else
			program_assert_lacks(run.out, "CORE_POWER_STATE");
		fake_tpmi_done(&tpmi);
	}
}

/* A package without an instance: its domains are errors, the others are shown. */
static void reports_unserved_domains(void **state)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &tpmi_bench_shape);
	tpmi.unserved = 0x2;
	run = program_run(&tpmi.machine, "isst --each perf-profile get-config-levels");
	assert_int_equal(run.status, 1);
	assert_int_equal(program_run_count(run.out, " package-0"), 4);
	assert_int_equal(program_run_count(run.out, " package-1"), 0);
	program_assert_holds(run.err, "package-1 die-1 powerdomain-1 cpu-6: SST-PP status: the "
				      "driver has no instance for this power domain");
	fake_tpmi_done(&tpmi);
}

/* An IO die whose SST-CP cannot be read fails commands that set its package, with one message. */
static void needs_to_know_whether_io_dies_have_clos(void **state)
{
	static const struct {
		const char *command;
		size_t failing; /* compute domains are read first */
	} rows[] = {
		{ "isst --dry-run core-power config --clos 1 -m 2000", 5 },
		{ "isst --dry-run -c 1,2 core-power assoc --clos 1", 3 },
		{ "isst --dry-run -c 0 core-power assoc --clos 1", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &tpmi_bench_shape);
		tpmi.fault = (struct fake_tpmi_fault){ .request = ISST_IF_CORE_POWER_STATE,
						       .first = rows[i].failing,
						       .last = rows[i].failing };
		run = program_run(&tpmi.machine, rows[i].command);
		if (run.status != 3)
			fail_msg("%s: status %d: %s%s", rows[i].command, run.status, run.out,
				 run.err);
		program_assert_holds(run.err, "package-0 die-IO powerdomain-3: core-power status");
		assert_int_equal(program_run_count(run.err, "powerdomain-3"), 1);
		assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CLOS_PARAM, true), 0);
		assert_int_equal(fake_tpmi_count(&tpmi, ISST_IF_CLOS_ASSOC, true), 0);
		fake_tpmi_done(&tpmi);
	}
}

/* -d shows each request, and the map of CPUs with the bits of this generation. */
static void traces_requests(void **state)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &tpmi_bench_shape);
	run = program_run(&tpmi.machine, "intel-speed-select -d -c 3 core-power get-assoc");
	assert_int_equal(run.status, 0);
	program_assert_holds(run.out, "map logical_cpu:3 core: 1 die:1 pkg:0 punit:1 punit_cpu:8 "
				      "punit_core:1\n");
	program_assert_holds(run.out, "tpmi instances: socket_id:1 count:5 valid_mask:27\n");
	program_assert_holds(run.out,
			     "tpmi assoc: get_set:0 socket_id:0 power_domain_id:1 core:1 clos:0\n");
	fake_tpmi_done(&tpmi);
}

/* A locked package keeps its level: a success if that is the one that is set, else nothing is
 * written at all. Package 1 is locked; package 0 is at level 0, and has four domains. */
struct lock_vector {
	uint8_t level; /* of package 1 */
	const char *command;
	int status;
	size_t n_writes;
};

static const struct lock_vector locks[] = {
	{ 0, "isst --dry-run perf-profile set-config-level -l 0", 0, 0 },
	{ 0, "isst --dry-run perf-profile set-config-level -l 1", 1, 0 },
	{ 1, "isst --dry-run perf-profile set-config-level -l 0", 1, 0 },
	{ 1, "isst --dry-run perf-profile set-config-level -l 1", 0, 4 },
};

static void keeps_locked_levels(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &tpmi_bench_shape);
		for (size_t j = tpmi.n_domains / 2; j < tpmi.n_domains; j++) {
			tpmi.domains[j].levels.locked = 1;
			tpmi.domains[j].levels.current_level = locks[i].level;
		}
		run = program_run(&tpmi.machine, locks[i].command);
		assert_int_equal(run.status, locks[i].status);
		assert_int_equal(program_run_count(run.err, "package-1"),
				 locks[i].status ? tpmi.n_domains / 2 : 0);
		assert_int_equal(program_run_count(run.err, "is locked by BIOS"),
				 locks[i].status ? tpmi.n_domains / 2 : 0);
		assert_int_equal(program_run_count(run.out, "ioctl PERF_SET_LEVEL"),
				 locks[i].n_writes);
		assert_int_equal(program_run_count(run.out, "package-0"), locks[i].n_writes);
		fake_tpmi_done(&tpmi);
	}
}

struct cause_vector {
	bool is_read;
	enum platform_target what; /* what was written */
	uint64_t value;
	bool lacks_capability;
	const char *pstate; /* NULL: there is none */
	bool lacks_base_frequency;
	bool locked;
	int error;
	const char *says;
};

static const struct cause_vector causes[] = {
	{ .what = PLATFORM_TARGET_LEVEL,
	  .value = 1,
	  .lacks_capability = true,
	  .error = -EPERM,
	  .says = "not permitted: CAP_SYS_ADMIN is not effective" },
	{ .what = PLATFORM_TARGET_LEVEL, .value = 1, .error = -EOPNOTSUPP, .says = "HWP is off" },
	{ .what = PLATFORM_TARGET_FEATURES,
	  .pstate = "off",
	  .error = -EOPNOTSUPP,
	  .says = "HWP is off" },
	{ .what = PLATFORM_TARGET_CORE_POWER,
	  .pstate = "passive",
	  .lacks_base_frequency = true,
	  .error = -EOPNOTSUPP,
	  .says = "no_hwp" },
	{ .what = PLATFORM_TARGET_CLOS, .error = -EIO, .says = "gives no reason" },
	{ .what = PLATFORM_TARGET_LEVEL,
	  .value = 1,
	  .pstate = "active",
	  .locked = true,
	  .error = -EROFS,
	  .says = "locked by BIOS" },
	{ .what = PLATFORM_TARGET_LEVEL,
	  .value = 1,
	  .pstate = "passive",
	  .error = -EOPNOTSUPP,
	  .says = "not allowed" },
	{ .what = PLATFORM_TARGET_LEVEL,
	  .value = 5,
	  .pstate = "active",
	  .error = -ENOENT,
	  .says = "there is no such performance level" },
	{ .what = PLATFORM_TARGET_LEVEL,
	  .value = 0,
	  .pstate = "active",
	  .error = -EALREADY,
	  .says = "the level is current already" },
	{ .is_read = true, .error = -ENOTTY, .says = "too old" },
};

static void finds_causes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		const struct cause_vector *vector = &causes[i];
		const struct target_value value = { .number = vector->value };
		struct target_cause cause;
		struct tpmi_bench bench;

		tpmi_bench_init(&bench, &tpmi_bench_shape);
		bench.tpmi.machine.lacks_capability = vector->lacks_capability;
		fake_machine_set_file(&bench.tpmi.machine,
				      "/sys/devices/system/cpu/intel_pstate/status", vector->pstate,
				      vector->pstate ? 0 : -ENOENT);
		if (vector->lacks_base_frequency)
			fake_machine_set_file(&bench.tpmi.machine,
					      "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
					      NULL, -ENOENT);
		fake_tpmi_domain(&bench.tpmi, 1, 1)->levels.locked = vector->locked;
		tpmi_bench_open(&bench);
		if (!vector->is_read) {
			struct write_target target = tpmi_target(
				bench.platform, vector->what, tpmi_bench_domain(&bench, 1, 1), 0);

			cause = target_find_cause(&target, &value, -ENOTTY, bench.machine->host,
						  &bench.platform->channel);
		} else {
			cause = platform_find_cause(bench.platform, -ENOTTY);
		}
		assert_int_equal(cause.error, vector->error);
		assert_non_null(cause.text);
		program_assert_holds(cause.text, vector->says);
		tpmi_bench_close(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_domains_without_cpus),
		cmocka_unit_test(skips_io_dies),
		cmocka_unit_test(labels_io_dies),
		cmocka_unit_test(requests_levels_once),
		cmocka_unit_test(requests_everything_once),
		cmocka_unit_test(plans_a_large_machine_once),
		cmocka_unit_test(keeps_core_power_for_others),
		cmocka_unit_test(reports_unserved_domains),
		cmocka_unit_test(needs_to_know_whether_io_dies_have_clos),
		cmocka_unit_test(traces_requests),
		cmocka_unit_test(keeps_locked_levels),
		cmocka_unit_test(finds_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
