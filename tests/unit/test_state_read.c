// SPDX-License-Identifier: GPL-2.0-only
/* Values of members as they are read from simulated machines, and what is asked for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "sst/values.h"
#include "state_bench.h"

struct expected {
	enum setting_id setting;
	const char *texts;
	uint32_t clos;
	const char *idle_state;
};

static const char *const idle_states[] = { "C1", "C6", "no such state", NULL };

static void check(const char *platform, const struct expected *expected, size_t count)
{
	struct state_bench bench;

	state_bench_open(&bench, platform, NULL);
	state_bench_read_all(&bench, idle_states);
	for (size_t i = 0; i < count; i++)
		state_bench_assert(&bench, expected[i].setting, expected[i].clos,
				   expected[i].idle_state, expected[i].texts);
	state_bench_close(&bench);
}

static void defaults_of_mailbox(void **state)
{
	static const struct expected expected[] = {
		{ .setting = SETTING_LEVEL, .texts = "2x0" },
		{ .setting = SETTING_BASE_FREQ, .texts = "2xfalse" },
		{ .setting = SETTING_TURBO_FREQ, .texts = "2xfalse" },
		{ .setting = SETTING_TRL, .texts = "2x0x1f1f1f1f1f1f1f20" },
		{ .setting = SETTING_CORE_POWER, .texts = "2xfalse" },
		{ .setting = SETTING_PRIORITY, .texts = "2xproportional" },
		{ .setting = SETTING_CLOS_MIN, .texts = "2x0", .clos = 1 },
		{ .setting = SETTING_CLOS_MAX, .texts = "2x25500", .clos = 3 },
		{ .setting = SETTING_CLOS_DESIRED, .texts = "2x0" },
		{ .setting = SETTING_CLOS_EPP, .texts = "2x0" },
		{ .setting = SETTING_CLOS_WEIGHT, .texts = "2x0" },
		{ .setting = SETTING_ASSOC, .texts = "28x0" },
		{ .setting = SETTING_ONLINE, .texts = "56xtrue" },
		{ .setting = SETTING_OFFLINE_BY, .texts = "56xhotplug" },
		{ .setting = SETTING_CPUFREQ_MIN, .texts = "56x800" },
		{ .setting = SETTING_CPUFREQ_MAX, .texts = "56x3200" },
		{ .setting = SETTING_GOVERNOR, .texts = "56xpowersave" },
		{ .setting = SETTING_EPP, .texts = "56xbalance_performance" },
		{ .setting = SETTING_EPB, .texts = "56x6" },
		{ .setting = SETTING_TURBO, .texts = "1xtrue" },
		{ .setting = SETTING_IDLE_STATE, .texts = "56xtrue", .idle_state = "C1" },
		{ .setting = SETTING_IDLE_STATE,
		  .texts = "56xlacking",
		  .idle_state = "no such state" },
		{ .setting = SETTING_QOS_LATENCY, .texts = "56xnone" },
		{ .setting = SETTING_IDLE_GOVERNOR, .texts = "1xmenu" },
		{ .setting = SETTING_C02, .texts = "1xtrue" },
		{ .setting = SETTING_UMWAIT_MAX_TIME, .texts = "1x100000" },
		{ .setting = SETTING_UNCORE_MIN, .texts = "2x800" },
		{ .setting = SETTING_UNCORE_MAX, .texts = "2x2400" },
		{ .setting = SETTING_ELC_FLOOR, .texts = "2xlacking" },
	};

	(void)state;
	check("guide", expected, ARRAY_SIZE(expected));
}

/* SST-CP is of packages; IO dies have a level; ELC. */
static void defaults_of_tpmi(void **state)
{
	static const struct expected expected[] = {
		{ .setting = SETTING_LEVEL, .texts = "8x0" },
		{ .setting = SETTING_BASE_FREQ, .texts = "2xlacking, 2xfalse, 2xlacking, 2xfalse" },
		{ .setting = SETTING_TURBO_FREQ, .texts = "8xfalse" },
		{ .setting = SETTING_TRL, .texts = "2x0x2020212223242627" },
		{ .setting = SETTING_CORE_POWER, .texts = "2xfalse" },
		{ .setting = SETTING_CLOS_MAX, .texts = "2x25500" },
		{ .setting = SETTING_CLOS_EPP, .texts = "2xlacking" },
		{ .setting = SETTING_CLOS_DESIRED, .texts = "2xlacking" },
		{ .setting = SETTING_ASSOC, .texts = "128x0" },
		{ .setting = SETTING_C02, .texts = "1xtrue" },
		{ .setting = SETTING_UNCORE_MAX, .texts = "2x2200, 2x2500, 2x2200, 2x2500" },
		{ .setting = SETTING_ELC_HIGH, .texts = "8xfalse" },
		{ .setting = SETTING_ELC_FLOOR, .texts = "8x800" },
	};

	(void)state;
	check("gnr-6776p-2s", expected, ARRAY_SIZE(expected));
}

static void domains_without_core_power(void **state)
{
	static const struct expected expected[] = {
		{ .setting = SETTING_LEVEL, .texts = "6x0" },
		{ .setting = SETTING_BASE_FREQ, .texts = "6xlacking" },
		{ .setting = SETTING_CORE_POWER, .texts = "2xlacking" },
		{ .setting = SETTING_CLOS_MIN, .texts = "2xlacking" },
		{ .setting = SETTING_ASSOC, .texts = "56xlacking" },
		{ .setting = SETTING_TRL, .texts = "2x0x1b1b1b1b1b1b1b1b" },
	};

	(void)state;
	check("srf-6746e-2s", expected, ARRAY_SIZE(expected));
}

/* Cascade Lake-N has SST-BF, which is a matter of the frequency limits, and nothing else. */
static void cascade_lake(void **state)
{
	static const struct expected expected[] = {
		{ .setting = SETTING_LEVEL, .texts = "2xlacking" },
		{ .setting = SETTING_BASE_FREQ, .texts = "2xfalse" },
		{ .setting = SETTING_TRL, .texts = "2xlacking" },
		{ .setting = SETTING_CORE_POWER, .texts = "2xlacking" },
		{ .setting = SETTING_CPUFREQ_MIN, .texts = "80x1000" },
		{ .setting = SETTING_C02, .texts = "1xlacking" },
	};
	struct setting_request request = { SETTING_BASE_FREQ, .value.on = true };
	struct state_bench bench;

	(void)state;
	check("clx-6230n-2s", expected, ARRAY_SIZE(expected));
	state_bench_open(&bench, "clx-6230n-2s", NULL);
	request.domain = &bench.platform->domains.domains[1];
	state_bench_set(&bench, &request, 1);
	state_bench_ask(&bench, SETTING_BASE_FREQ, 0, NULL);
	assert_int_equal(state_read(&bench.state, &bench.rows), 0);
	state_bench_assert(&bench, SETTING_BASE_FREQ, 0, NULL, "1xfalse, 1xtrue");
	state_bench_close(&bench);
}

/* What was set is read, at the places that it was set at. */
static void changed_values(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "icx-8360y-2s", NULL);
	const struct power_domain *domain = &bench.platform->domains.domains[1];
	const struct setting_request requests[] = {
		{ SETTING_LEVEL, domain, .value.number = 3 },
		{ SETTING_CLOS, domain,
		  .value.clos = { .id = 2,
				  .parameters = { .min_mhz = 1200,
						  .max_mhz = 2000,
						  .epp = 7,
						  .weight = 5,
						  .desired_mhz = 1500 } } },
		{ SETTING_CORE_POWER, domain, .value.core_power = { .on = true, .ordered = true } },
		{ SETTING_ASSOC, .cpu = 36, .value.number = 2 },
		{ SETTING_TRL, domain, .value.trl.ratios = UINT64_MAX },
	};
	state_bench_set(&bench, requests, ARRAY_SIZE(requests));
	state_bench_write(&bench, "cpu2/cpufreq/scaling_governor", "performance");
	state_bench_write(&bench, "cpu2/cpufreq/scaling_min_freq", "2000000");
	state_bench_write(&bench, "cpu3/power/energy_perf_bias", "15");
	state_bench_write(&bench, "cpu1/power/pm_qos_resume_latency_us", "n/a");
	state_bench_write(&bench, "cpu2/power/pm_qos_resume_latency_us", "20");
	state_bench_write(&bench, "cpu0/cpuidle/state3/disable", "1");
	state_bench_write(&bench, "intel_pstate/no_turbo", "1");
	state_bench_write(&bench, "cpu143/online", "0");
	state_bench_renew(&bench);
	state_bench_read_all(&bench, idle_states);
	static const struct expected expected[] = {
		{ .setting = SETTING_LEVEL, .texts = "1x0, 1x3" },
		{ .setting = SETTING_CLOS_MIN, .texts = "1x0, 1x1200", .clos = 2 },
		{ .setting = SETTING_CLOS_MAX, .texts = "1x25500, 1x2000", .clos = 2 },
		{ .setting = SETTING_CLOS_DESIRED, .texts = "1x0, 1x1500", .clos = 2 },
		{ .setting = SETTING_CLOS_EPP, .texts = "1x0, 1x7", .clos = 2 },
		{ .setting = SETTING_CLOS_WEIGHT, .texts = "1x0, 1x5", .clos = 2 },
		{ .setting = SETTING_CORE_POWER, .texts = "1xfalse, 1xtrue" },
		{ .setting = SETTING_PRIORITY, .texts = "1xproportional, 1xordered" },
		{ .setting = SETTING_ASSOC, .texts = "36x0, 1x2, 35x0" },
		{ .setting = SETTING_ONLINE, .texts = "143xtrue, 1xfalse" },
		{ .setting = SETTING_GOVERNOR,
		  .texts = "2xpowersave, 1xperformance, 140xpowersave" },
		{ .setting = SETTING_CPUFREQ_MIN, .texts = "2x800, 1x2000, 140x800" },
		{ .setting = SETTING_EPB, .texts = "3x6, 1x15, 139x6, 1xlacking" },
		{ .setting = SETTING_QOS_LATENCY, .texts = "1xnone, 1x0, 1x20, 141xnone" },
		{ .setting = SETTING_IDLE_STATE, .texts = "1xfalse, 143xtrue", .idle_state = "C6" },
		{ .setting = SETTING_TURBO, .texts = "1xfalse" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		state_bench_assert(&bench, expected[i].setting, expected[i].clos,
				   expected[i].idle_state, expected[i].texts);
	state_bench_close(&bench);
}

/* SST-CP without CLOS, as other programs can leave it, is neither on nor off. */
static void partly(void **state)
{
	struct state_bench bench;
	struct target_io io;
	struct target_request request = { .value.numbers = { 1 } };
	struct write_target target;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	target = bench.platform->ops->target(bench.platform, PLATFORM_TARGET_CORE_POWER,
					     &bench.platform->domains.domains[0], 0);
	request.target = &target;
	assert_int_equal(target_io_init(&io, &bench.platform->channel, NULL, 1), 0);
	target_run(&io, &request, 1, true);
	target_io_done(&io);
	assert_int_equal(request.error, 0);
	state_bench_read_all(&bench, NULL);
	state_bench_assert(&bench, SETTING_CORE_POWER, 0, NULL,
			   "1x" STATE_PM_CONFIG_ONLY ", 1xfalse");
	state_bench_close(&bench);
}

/* Domains of a package that should share the parameters of a CLOS, and do not. */
static void domains_that_differ(void **state)
{
	const struct sst_clos clos = { .min_mhz = 900, .unlimited = true, .weight = 3 };
	struct state_bench bench;
	struct target_io io;
	struct target_request request = { .value = value_of_clos(&clos) };
	struct write_target target;

	(void)state;
	state_bench_open(&bench, "gnr-6776p-2s", NULL);
	target = bench.platform->ops->target(bench.platform, PLATFORM_TARGET_CLOS,
					     &bench.platform->domains.domains[1], 3);
	request.target = &target;
	assert_int_equal(target_io_init(&io, &bench.platform->channel, NULL, 1), 0);
	target_run(&io, &request, 1, true);
	target_io_done(&io);
	assert_int_equal(request.error, 0);
	state_bench_read_all(&bench, NULL);
	state_bench_assert(&bench, SETTING_CLOS_MIN, 3, NULL, "1x" STATE_PARTLY ", 1x0");
	state_bench_assert(&bench, SETTING_CLOS_MAX, 3, NULL, "2x25500");
	state_bench_assert(&bench, SETTING_CLOS_MIN, 2, NULL, "2x0");
	state_bench_close(&bench);
}

/* Without a platform, members of Speed Select have no place but CPUs have all of theirs. */
static void without_speed_select(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	state_machine_done(&bench.state);
	platform_close(&bench.platform);
	assert_int_equal(state_machine_init(&bench.state, bench.machine, NULL, true), 0);
	state_bench_read_all(&bench, idle_states);
	state_bench_assert(&bench, SETTING_LEVEL, 0, NULL, "");
	state_bench_assert(&bench, SETTING_ASSOC, 0, NULL, "");
	state_bench_assert(&bench, SETTING_ONLINE, 0, NULL, "56xtrue");
	state_bench_assert(&bench, SETTING_GOVERNOR, 0, NULL, "56xpowersave");
	state_bench_close(&bench);
}

/* CPUs that a group of ours isolates are offline for the user. */
static void isolated_cpus(void **state)
{
	struct state_bench bench;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	state_bench_write(&bench, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	assert_int_equal(files_change_directory(bench.host->files, "/sys/fs/cgroup/0-0-0", true),
			 0);
	state_bench_write(&bench, "/sys/fs/cgroup/0-0-0/cpuset.cpus", "2-3");
	state_bench_write(&bench, "/sys/fs/cgroup/0-0-0/cpuset.cpus.partition", "isolated");
	state_bench_read_all(&bench, NULL);
	state_bench_assert(&bench, SETTING_ONLINE, 0, NULL, "2xtrue, 2xfalse, 52xtrue");
	state_bench_assert(&bench, SETTING_OFFLINE_BY, 0, NULL, "2xhotplug, 2xcgroup, 52xhotplug");
	state_bench_close(&bench);
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Counts the lines of a text; none may be there twice. */
static size_t count_lines(char *text)
{
	_cleanup_free_ char **lines = NULL;
	size_t count = 0;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char **added = array_add(&lines, &count, sizeof(*lines));

		assert_non_null(added);
		*added = line;
	}
	if (count)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(lines[i - 1], lines[i]) == 0)
			fail_msg("twice: %s", lines[i]);
	}
	return count;
}

/* Each request and each file once, and no more than these. */
static void counts(void **state)
{
	static const struct {
		const char *platform;
		size_t requests, files;
	} expected[] = {
		{ "guide", 46, 462 },
		{ "gnr-6776p-2s", 178, 2319 },
		{ "clx-6230n-2s", 0, 734 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		_cleanup_free_ char *paths = NULL;
		struct state_bench bench;
		size_t length, before, requests, files;

		state_bench_open(&bench, expected[i].platform, NULL);
		fflush(bench.trace);
		before = bench.trace_length;
		bench.recorded.log = open_memstream(&paths, &length);
		state_bench_read_all(&bench, idle_states);
		fclose(bench.recorded.log);
		bench.recorded.log = NULL;
		fflush(bench.trace);
		requests = count_lines(bench.trace_text + before);
		files = count_lines(paths);
		if (requests > expected[i].requests || files > expected[i].files)
			fail_msg("%s: %zu requests and %zu files, not at most %zu and %zu",
				 expected[i].platform, requests, files, expected[i].requests,
				 expected[i].files);
		state_bench_close(&bench);
	}
}

/* One row is asked for: nothing else is read. */
static void one_row(void **state)
{
	_cleanup_free_ char *paths = NULL;
	struct state_bench bench;
	size_t length, before;

	(void)state;
	state_bench_open(&bench, "guide", NULL);
	fflush(bench.trace);
	before = bench.trace_length;
	bench.recorded.log = open_memstream(&paths, &length);
	state_bench_ask(&bench, SETTING_EPB, 0, NULL);
	assert_int_equal(state_read(&bench.state, &bench.rows), 0);
	fclose(bench.recorded.log);
	bench.recorded.log = NULL;
	fflush(bench.trace);
	assert_int_equal(bench.trace_length, before);
	assert_int_equal(count_lines(paths), 56);
	state_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_of_mailbox),
		cmocka_unit_test(defaults_of_tpmi),
		cmocka_unit_test(domains_without_core_power),
		cmocka_unit_test(cascade_lake),
		cmocka_unit_test(changed_values),
		cmocka_unit_test(partly),
		cmocka_unit_test(domains_that_differ),
		cmocka_unit_test(without_speed_select),
		cmocka_unit_test(isolated_cpus),
		cmocka_unit_test(counts),
		cmocka_unit_test(one_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
