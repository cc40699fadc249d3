// SPDX-License-Identifier: GPL-2.0-only
/* The sources of a measurement on a machine of files and counters in memory: what each figure is
 * made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "figures.h"
#include "sources_bench.h"

static void check_lack(const json_t *object, const char *name, const char *reason)
{
	if (!json_is_null(json_object_get(object, name)))
		fail_msg("%s is not missing", name);
	assert_string_equal(figure_reason(object, name), reason);
}

static void pass_second(struct fake_files *files)
{
	fake_files_set(files, "51000\n", CPU "cpuidle/state1/time", 0);
	fake_files_set(files, "1005\n", CPU "cpuidle/state1/usage", 0);
	fake_files_set(files, "401000\n", CPU "cpuidle/state2/time", 0);
	fake_files_set(files, "1003\n", CPU "cpuidle/state2/rejected", 0);
	fake_files_set(files, "9\n", CPU "thermal_throttle/core_throttle_count", 0);
	fake_files_set(files, "85\n", CPU "thermal_throttle/core_throttle_total_time_ms", 0);
	fake_files_set(files, "33\n", CPU "thermal_throttle/package_throttle_total_time_ms", 4);
	fake_files_set(files, "cpus: POWER FREQUENCY\ncpu0: POWER_PKG_PL1\ncpu2: none\n",
		       PLR "domain0/status");
}

/* Sources of a model say so; reasons do not. */
static void test_model(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = NULL;
	const json_t *cpu;

	bench->host.model.name = "model";
	window = sources_bench_measure(bench, pass_second);
	cpu = cpu_of(window, 0);
	assert_string_equal(json_string_value(json_object_get(cpu, "mhz-source")),
			    "model: PMU msr: tsc x aperf/mperf");
	assert_string_equal(json_string_value(json_object_get(cpu, "idle-states-source")),
			    "model: cpuidle");
	assert_string_equal(json_string_value(json_object_get(cpu, "limits-source")), "model: PLR");
	assert_string_equal(
		json_string_value(json_object_get(package_of(window, 0), "watts-source")),
		"model: PMU power");
	assert_null(strstr(figure_reason(cpu_of(window, 2), "throttle-count") ?: "", "model"));
}

static void test_all(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = sources_bench_measure(bench, pass_second);
	const json_t *cpu = cpu_of(window, 0), *idle, *package = package_of(window, 0);

	check_figure(window, "tsc-mhz", 2600);
	assert_int_equal(json_array_size(json_object_get(window, "cpus")), 8);
	check_figure(cpu, "busy-percent", 50);
	check_figure(cpu, "mhz", 3000);
	check_figure(cpu, "smi-count", 1);
	check_figure(cpu, "core-c6-percent", 25);
	check_figure(cpu_of(window, 3), "core-c6-percent", 25);
	check_figure(cpu, "throttle-count", 2);
	check_figure(cpu, "throttle-ms", 15);
	check_figure(cpu_of(window, 1), "throttle-ms", 0);
	assert_string_equal(json_string_value(json_object_get(cpu, "top-idle-state")), "C6");
	assert_string_equal(json_string_value(json_object_get(cpu, "mhz-source")),
			    "PMU msr: tsc x aperf/mperf");
	idle = json_array_get(json_object_get(cpu, "idle-states"), 1);
	check_figure(idle, "time-percent", 5);
	check_figure(idle, "entered", 5);
	check_figure(json_array_get(json_object_get(cpu, "idle-states"), 2), "rejected", 3);
	check_figure(package, "watts", 140.5);
	check_figure(package, "joules", 140.5);
	check_figure(package, "dram-watts", 11.25);
	check_figure(package, "package-c6-percent", 10);
	check_figure(package, "degrees-celsius", 45.5);
	check_figure(package_of(window, 1), "degrees-celsius", 71);
	check_figure(package_of(window, 1), "throttle-ms", 3);
	check_figure(json_array_get(json_object_get(package_of(window, 1), "uncore"), 0), "mhz",
		     1800);
	assert_null(json_object_get(cpu, "c01-percent")); /* no umwait */
}

/* What appeared during the window, and what was set before, which somebody has to clear. */
static void test_limits(void **state)
{
	_cleanup_json_ json_t *window = sources_bench_measure(*state, pass_second);
	_cleanup_json_ json_t *new_ones = json_pack("[s]", "FREQUENCY"),
			      *old_ones = json_pack("[s]", "POWER"),
			      *of_cpu = json_pack("[s]", "POWER_PKG_PL1"), *none = json_array();
	const json_t *package = package_of(window, 0), *cpu = cpu_of(window, 0);

	assert_true(json_equal(json_object_get(package, "limits"), new_ones));
	assert_true(json_equal(json_object_get(package, "limits-earlier"), old_ones));
	assert_true(json_equal(json_object_get(cpu, "limits"), of_cpu));
	assert_true(json_equal(json_object_get(cpu_of(window, 2), "limits"), none));
}

static bool has_words(const json_t *object, const char *name, const char *words)
{
	_cleanup_json_ json_t *list = json_array();
	_cleanup_free_ char *text = strdup(words);
	char *rest = text;

	for (char *word; (word = strsep(&rest, " "));) {
		if (*word)
			json_array_append_new(list, json_string(word));
	}
	return json_equal(json_object_get(object, name), list);
}

/* What is set after reasons were cleared has appeared since, also what was set again before the
 * window began: the first reading would take it for older. */
static void test_limits_cleared(void **state)
{
	struct bench *bench = *state;
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *middle = NULL,
							 *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	_cleanup_json_ json_t *first = NULL, *second = NULL;
	const struct sources_options options = { .machine = &bench->machine,
						 .cpus = &bench->cpus,
						 .isolated = &bench->isolated,
						 .with_limits = true,
						 .limits_are_clear = true };

	assert_int_equal(sources_open(&options, &sources), 0);
	assert_int_equal(sources_read(sources, &before), 0); /* POWER is set again by now */
	bench->now_ns += SECOND;
	assert_int_equal(sources_read(sources, &middle), 0);
	first = sources_bench_compare(sources, before, middle);
	assert_true(has_words(package_of(first, 0), "limits", "POWER"));
	assert_true(has_words(package_of(first, 0), "limits-earlier", ""));
	assert_true(has_words(cpu_of(first, 0), "limits", ""));
	bench->now_ns += SECOND;
	pass_second(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	second = sources_bench_compare(sources, middle, after);
	assert_true(has_words(package_of(second, 0), "limits", "FREQUENCY"));
	assert_true(has_words(package_of(second, 0), "limits-earlier", "POWER"));
}

/* A power domain that cannot be read leaves the CPUs of others their reasons. */
static void test_limits_of_others(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = NULL;

	fake_files_set(&bench->files, "\xff", PLR "domain1/status");
	window = sources_bench_measure(bench, pass_second);
	assert_true(has_words(cpu_of(window, 0), "limits", "POWER_PKG_PL1"));
	assert_true(json_is_null(json_object_get(cpu_of(window, 5), "limits")));
	assert_non_null(strstr(figure_reason(cpu_of(window, 5), "limits"), "domain1"));
	assert_true(json_is_null(json_object_get(package_of(window, 0), "limits")));
	assert_non_null(strstr(figure_reason(package_of(window, 0), "limits"), "domain1"));
}

static void test_attributes(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = sources_bench_measure(bench, NULL);
	struct perf_event_attr expected = {
		.size = sizeof(expected),
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int n_leaders = 0;

	assert_non_null(window);
	for (int i = 0; i < bench->n_open; i++) {
		const struct opened *event = &bench->list[i];

		expected.type = event->attr.type;
		expected.config = event->attr.config;
		assert_memory_equal(&event->attr, &expected, sizeof(expected));
		n_leaders += event->group < 0;
		if (event->attr.type == TYPE_MSR && event->group < 0)
			assert_int_equal(event->attr.config, 0); /* tsc leads */
		if (event->attr.type == TYPE_POWER)
			assert_true(event->cpu == 0 || event->cpu == 4);
	}
	/* of each CPU; of 4 cores; of 2 packages, idle states and power */
	assert_int_equal(n_leaders, 8 + 4 + 2 + 2);
}

static void test_user_idle(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	fake_files_set(&bench->files, "1\n", "/sys/devices/system/cpu/umwait_control/enable_c02");
	window = sources_bench_measure(bench, NULL);
	check_figure(cpu_of(window, 5), "c01-percent", 10);
	check_figure(cpu_of(window, 5), "c02-percent", 20);
	json_decref(window);
}

static void wrap_zones(struct fake_files *files)
{
	fake_files_set(files, "399999\n", ZONES "intel-rapl:1/energy_uj");
	fake_files_set(files, "25000\n", ZONES "intel-rapl:1:1/energy_uj");
	fake_files_set(files, "350000\n", ZONES "intel-rapl:2/energy_uj");
}

/* Without the PMU; the second control type counts the same again. */
static void test_powercap(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	fake_files_remove(&bench->files, PMUS "power");
	window = sources_bench_measure(bench, wrap_zones);
	check_figure(package_of(window, 0), "watts", 0.25);
	check_figure(package_of(window, 1), "watts", 0.5); /* 399999 - 900000 + 1000000 */
	check_figure(package_of(window, 1), "dram-watts", 0.02);
	assert_null(json_object_get(package_of(window, 0), "dram-watts"));
	json_decref(window);
	/* the PMU's events are open, and rest */
	window = sources_bench_measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move");
	json_decref(window);
	fake_files_remove(&bench->files, ZONES "intel-rapl:");
	window = sources_bench_measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move"); /* of -mmio */
	check_lack(package_of(window, 1), "watts",
		   "/sys/class/powercap has no zone of the package");
	json_decref(window);
}

static struct sources *open_all(struct bench *bench)
{
	const struct sources_options options = {
		.machine = &bench->machine,
		.cpus = &bench->cpus,
		.isolated = &bench->isolated,
	};
	struct sources *sources = NULL;

	assert_int_equal(sources_open(&options, &sources), 0);
	return sources;
}

/* A counter that wraps more than once between the borders is kept up with. */
static void test_keep_up(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	json_t *window;

	fake_files_remove(&bench->files, PMUS "power");
	sources = open_all(bench);
	assert_int_equal(sources_read(sources, &before), 0);
	for (int i = 0; i < 4000; i++) {
		fake_files_set(&bench->files, "900000\n", ZONES "intel-rapl:2/energy_uj");
		sources_keep_up(sources);
		fake_files_set(&bench->files, "100000\n", ZONES "intel-rapl:2/energy_uj");
		sources_keep_up(sources);
	}
	bench->now_ns += SECOND;
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_bench_compare(sources, before, after);
	check_figure(package_of(window, 0), "joules", 4000);
	json_decref(window);
}

/* A pause of the machine between the counters of CPUs and the zones is part of their time. */
static void test_powercap_after_a_pause(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = NULL;

	fake_files_remove(&bench->files, PMUS "power");
	sources = open_all(bench);
	assert_int_equal(sources_read(sources, &before), 0);
	bench->now_ns += SECOND;
	bench->pause_ns = SECOND / 4;
	wrap_zones(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_bench_compare(sources, before, after);
	check_figure(package_of(window, 0), "joules", 0.25);
	check_figure(package_of(window, 0), "watts", 0.2);
	check_figure(package_of(window, 1), "watts", 0.4);
	check_figure(package_of(window, 1), "dram-watts", 0.016);
}

static void move_zone(struct fake_files *files)
{
	fake_files_set(files, "350000\n", ZONES "intel-rapl:2/energy_uj");
}

/* A kernel that loses what the hardware's counter had when that went on at 0: powercap has it. */
static void test_lost_power(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->lost_at_ns = bench->now_ns + SECOND;
	window = sources_bench_measure(bench, move_zone);
	check_figure(package_of(window, 0), "watts", 0.25);
	assert_string_equal(
		json_string_value(json_object_get(package_of(window, 0), "watts-source")),
		"powercap");
	json_decref(window);
	/* before the first reading it does not matter */
	window = sources_bench_measure(bench, NULL);
	check_figure(package_of(window, 0), "watts", 140.5);
	json_decref(window);
	bench->lost_at_ns = bench->now_ns + SECOND;
	fake_files_fail(&bench->files, ZONES "intel-rapl:2/energy_uj", -EACCES);
	window = sources_bench_measure(bench, move_zone);
	check_lack(package_of(window, 0), "watts",
		   "the count of PMU power decreased: the kernel does not handle a counter that "
		   "starts again at 0");
	json_decref(window);
}

/* The same between the borders of a long time, after which the count is higher again. */
static void test_lost_power_later(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = NULL;

	sources = open_all(bench);
	assert_int_equal(sources_read(sources, &before), 0);
	bench->lost_at_ns = bench->now_ns + SECOND;
	bench->now_ns += SECOND;
	sources_keep_up(sources);
	bench->now_ns += 3600 * SECOND;
	move_zone(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_bench_compare(sources, before, after);
	check_figure(package_of(window, 0), "joules", 0.25);
}

static void test_still(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->counts_nothing = true;
	window = sources_bench_measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move");
	check_lack(cpu_of(window, 0), "busy-percent", "PMU msr: tsc does not move");
	check_lack(cpu_of(window, 0), "mhz", "the CPU was idle all the time");
	json_decref(window);
}

static size_t count_reads(struct bench *bench, struct sources *sources,
			  struct sources_reading **ret_reading)
{
	const size_t before = bench->files.n_reads;

	sources_reading_free(ret_reading);
	bench->now_ns += SECOND;
	assert_int_equal(sources_read(sources, ret_reading), 0);
	return bench->files.n_reads - before;
}

/* The time of an idle state that is not in use is read again when the state was entered. */
static void test_unused_states(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = NULL;
	const json_t *idle;
	size_t all;

	sources = open_all(bench);
	all = count_reads(bench, sources, &before);
	fake_files_set(&bench->files, "2000\n", CPU0 "cpuidle/state2/time");
	assert_int_equal(count_reads(bench, sources, &before), all);
	/* of three states of eight CPUs only one was in use */
	assert_int_equal(count_reads(bench, sources, &before), all - 23);
	fake_files_set(&bench->files, "51000\n", CPU0 "cpuidle/state1/time");
	fake_files_set(&bench->files, "1005\n", CPU0 "cpuidle/state1/usage");
	assert_int_equal(count_reads(bench, sources, &after), all - 23);
	window = sources_bench_compare(sources, before, after);
	idle = json_array_get(json_object_get(cpu_of(window, 0), "idle-states"), 1);
	check_figure(idle, "time-percent", 5);
	check_figure(idle, "entered", 5);
	idle = json_array_get(json_object_get(cpu_of(window, 1), "idle-states"), 1);
	check_figure(idle, "time-percent", 0);
}

static void test_rights(void **state)
{
	static const char *const texts[] = {
		"perf_event_paranoid is 3: counters of a CPU need CAP_PERFMON, or sysctl "
		"kernel.perf_event_paranoid=0",
		"perf_event_open is refused, although perf_event_paranoid is -1: lockdown or a "
		"container",
	};
	struct bench *bench = *state;

	bench->refusal = -EACCES;
	for (int i = 0; i < 2; i++) {
		_cleanup_json_ json_t *window = NULL;

		assert_non_null(
			fake_files_text(&bench->files, "/proc/sys/kernel/perf_event_paranoid"));
		fake_files_set(&bench->files, i ? "-1\n" : "3\n",
			       "/proc/sys/kernel/perf_event_paranoid");
		window = sources_bench_measure(bench, pass_second);
		check_lack(cpu_of(window, 0), "mhz", texts[i]);
		check_lack(cpu_of(window, 7), "busy-percent", texts[i]);
		assert_non_null(json_object_get(cpu_of(window, 0), "idle-states-source"));
	}
}

/* Either of two rights would do for the power: both are named. */
static void test_rights_of_power(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->refusal = -EACCES;
	fake_files_set(&bench->files, "3\n", "/proc/sys/kernel/perf_event_paranoid");
	window = sources_bench_measure(bench, move_zone);
	check_figure(package_of(window, 0), "watts", 0.25);
	json_decref(window);
	fake_files_fail(&bench->files, ZONES "intel-rapl:2/energy_uj", -EACCES);
	window = sources_bench_measure(bench, NULL);
	check_lack(package_of(window, 0), "watts",
		   "perf_event_paranoid is 3: counters of a CPU need CAP_PERFMON, or sysctl "
		   "kernel.perf_event_paranoid=0; " ZONES
		   "intel-rapl:2/energy_uj may be read by root only");
	json_decref(window);
}

/* The first CPUs are measured. */
static void test_limit_of_files(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->most_open = 6 + 5 + 5; /* of the packages, and of two CPUs with their cores */
	window = sources_bench_measure(bench, NULL);
	check_figure(cpu_of(window, 0), "mhz", 3000);
	check_figure(cpu_of(window, 1), "mhz", 3000);
	check_lack(cpu_of(window, 2), "mhz",
		   "more files would have to be open than the limit allows: raise it (ulimit -Hn)");
	json_decref(window);
}

/* Isolated CPUs are measured by themselves (fake_read() checks that), and nothing of theirs is
 * asked from elsewhere; the others of the machine are measured from anywhere. */
static void test_isolated(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	assert_int_equal(cpuset_add_range(&bench->isolated, 4, 5), 0);
	cpuset_done(&bench->cpus);
	assert_int_equal(cpuset_add(&bench->cpus, 0), 0);
	assert_int_equal(cpuset_add(&bench->cpus, 5), 0);
	window = sources_bench_measure(bench, NULL);
	check_figure(cpu_of(window, 1), "mhz", 3000);
	check_figure(cpu_of(window, 1), "core-c6-percent", 25);
	assert_true(json_is_true(json_object_get(cpu_of(window, 1), "isolated")));
	assert_null(json_object_get(cpu_of(window, 0), "isolated"));
	check_figure(package_of(window, 0), "watts", 140.5);
	check_lack(package_of(window, 1), "watts",
		   "PMU power counts on CPU 4, which is isolated and not in --cpu");
	check_lack(package_of(window, 1), "degrees-celsius",
		   "CPU 4, which is isolated, would be interrupted");
	check_lack(package_of(window, 0), "uncore",
		   "CPU 4, which is isolated, would be interrupted");
	for (int i = 0; i < bench->n_open; i++)
		assert_int_equal(bench->list[i].by, bench->list[i].cpu == 5 ? 5U : CPUSET_NONE);
	json_decref(window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_limits_cleared, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_limits_of_others, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_limits, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_attributes, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_unused_states, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_user_idle, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_powercap, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_powercap_after_a_pause, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_keep_up, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_lost_power, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_lost_power_later, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_still, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_model, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_rights, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_rights_of_power, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_limit_of_files, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_isolated, sources_bench_setup,
						sources_bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
