// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a figure when its file is absent, unreadable or garbled, and when counters go
 * back or cannot be read. */
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

/* A file, a figure that hangs on it, and what its reason says; NULL: something else takes its
 * place. */
static const struct {
	const char *path, *object, *figure, *absent, *denied, *garbled;
} damaged[] = {
	{ PMUS "msr/type", "cpus", "mhz", "the kernel has no PMU msr", "root only",
	  "msr is garbled" },
	{ PMUS "msr/events/tsc", "cpus", "busy-percent", "PMU msr has no event tsc", "root only",
	  "msr is garbled" },
	{ PMUS "msr/events/aperf", "cpus", "mhz", "PMU msr has no event aperf", "root only",
	  "msr is garbled" },
	{ PMUS "msr/events/mperf", "cpus", "busy-percent", "PMU msr has no event mperf",
	  "root only", "msr is garbled" },
	{ PMUS "msr/events/smi", "cpus", "smi-count", "PMU msr has no event smi", "root only",
	  "msr is garbled" },
	{ PMUS "msr/format/event", "cpus", "mhz", "msr is garbled", "root only", "msr is garbled" },
	{ PMUS "cstate_core/type", "cpus", "core-idle-percent", "the kernel has no PMU cstate_core",
	  "root only", "is garbled" },
	{ PMUS "cstate_core/cpumask", "cpus", "core-idle-percent", NULL, NULL,
	  "cstate_core/cpumask is garbled" },
	{ PMUS "cstate_pkg/type", "packages", "package-idle-percent",
	  "the kernel has no PMU cstate_pkg", "root only", "is garbled" },
	{ CPU0 "cpuidle/state0/name", "cpus", "idle-states", "the kernel has no idle states",
	  "root only", NULL },
	{ CPU0 "thermal_throttle/core_throttle_count", "cpus", "throttle-count",
	  "the kernel has no thermal_throttle", "root only", "is garbled" },
	{ CPU0 "thermal_throttle/core_throttle_total_time_ms", "cpus", "throttle-ms",
	  "the kernel has no thermal_throttle", "root only", "is garbled" },
	{ CPU0 "thermal_throttle/package_throttle_count", "packages", "throttle-count",
	  "the kernel has no thermal_throttle", "root only", "is garbled" },
	{ HEAT "hwmon2/name", "packages", "degrees-celsius", "no sensor coretemp",
	  "no sensor coretemp", "no sensor coretemp" },
	{ HEAT "hwmon2/temp1_label", "packages", "degrees-celsius", "no sensor coretemp",
	  "no sensor coretemp", "no sensor coretemp" },
	{ HEAT "hwmon2/temp1_input", "packages", "degrees-celsius", "the kernel has no",
	  "root only", "is garbled" },
	{ ZONES "intel-rapl:2/name", "packages", "watts", "intel-rapl:2/name", "root only",
	  "no zone of the package" },
	{ ZONES "intel-rapl:2/energy_uj", "packages", "watts",
	  "the kernel has no /sys/class/powercap/intel-rapl:2/energy_uj", "root only",
	  "energy_uj is garbled" },
	{ ZONES "intel-rapl:2/max_energy_range_uj", "packages", "joules", "the kernel has no",
	  "root only", "is garbled" },
	{ CPU0 "cpuidle/state0/time", "cpus", "top-idle-state", "cpuidle/state*/time", "root only",
	  "cpuidle/state*/time is garbled" },
	{ PMUS "power/events/energy-pkg.scale", "packages", "joules", "has no scale", "root only",
	  "power is garbled" },
	{ PMUS "power/events/energy-pkg.unit", "packages", "joules", NULL, "root only",
	  "power is garbled" },
	{ PMUS "cstate_core/events/c6-residency", "cpus", "core-idle-percent", NULL, "root only",
	  "is garbled" },
	{ UNCORE "package_00_die_00/max_freq_khz", "packages", "uncore", NULL, NULL, NULL },
	{ PLR "domain0/status", "packages", "limits", NULL, "root only", "is garbled" },
};

/* Each file in turn: absent, for root only, garbled. What hangs on it is missing, with a reason
 * that names it, and the other figures stay. */
static void test_damaged(void **state)
{
	for (size_t i = 0; i < 3 * ARRAY_SIZE(damaged); i++) {
		const char *reasons[] = { damaged[i / 3].absent, damaged[i / 3].denied,
					  damaged[i / 3].garbled };
		const char *path = damaged[i / 3].path, *found;
		_cleanup_json_ json_t *window = NULL;
		struct bench *bench = *state;
		const json_t *object;

		if (strncmp(path, ZONES, strlen(ZONES)) == 0)
			fake_files_remove(&bench->files, PMUS "power");
		assert_non_null(fake_files_text(&bench->files, path));
		if (i % 3 == 0)
			fake_files_remove(&bench->files, path);
		else if (i % 3 == 1)
			fake_files_fail(&bench->files, path, -EACCES);
		else
			fake_files_set(&bench->files, "\xff garbage ,\n", "%s", path);
		window = sources_bench_measure(bench, NULL);
		object = json_array_get(json_object_get(window, damaged[i / 3].object), 0);
		found = figure_reason(object, damaged[i / 3].figure);
		if (reasons[i % 3] &&
		    (!json_is_null(json_object_get(object, damaged[i / 3].figure)) || !found ||
		     !strstr(found, reasons[i % 3])))
			fail_msg("%s, way %zu: %s: %s", path, i % 3, damaged[i / 3].figure,
				 found ?: "(not missing)");
		check_figure(window, "seconds", 1);
		sources_bench_teardown(state);
		sources_bench_setup(state);
	}
}

/* What damages the texts of files: a newline that is missing changes nothing. */
static void test_without_newlines(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *whole = sources_bench_measure(bench, NULL), *window = NULL;

	sources_bench_teardown(state);
	sources_bench_setup(state);
	for (size_t i = 0; i < bench->files.n_entries; i++) {
		char *text = bench->files.entries[i].text;
		size_t length = text ? strlen(text) : 0;

		if (length > 0 && text[length - 1] == '\n')
			text[length - 1] = '\0';
	}
	window = sources_bench_measure(bench, NULL);
	assert_true(json_equal(window, whole));
}

/* Counters that go back, that are no counters, or that are read in part. */
static void test_wrong_counters(void **state)
{
	static const struct {
		const char *path, *text, *object, *figure, *reason;
	} rows[] = {
		{ CPU0 "cpuidle/state1/time", "999\n", "cpus", "top-idle-state", "is garbled" },
		{ CPU0 "cpuidle/state1/time", "18446744073709551615\n", "cpus", "top-idle-state",
		  "is garbled" },
		{ CPU0 "thermal_throttle/core_throttle_total_time_ms", "69\n", "cpus",
		  "throttle-ms", "is garbled" },
		{ HEAT "hwmon2/temp1_input", "-5000\n", "packages", "degrees-celsius",
		  "is garbled" },
		{ HEAT "hwmon2/temp1_input", "99999999\n", "packages", "degrees-celsius",
		  "is garbled" },
		{ ZONES "intel-rapl:2/energy_uj", "1000000\n", "packages", "watts", "is garbled" },
		{ PLR "domain0/status", "cpus: POWER\n", "cpus", "limits", "no line" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
		_cleanup_sources_ struct sources *sources = NULL;
		_cleanup_json_ json_t *window = NULL;
		struct bench *bench = *state;
		const struct sources_options options = { .machine = &bench->machine,
							 .cpus = &bench->cpus,
							 .isolated = &bench->isolated,
							 .with_limits = true };
		const json_t *object;

		if (strncmp(rows[i].path, ZONES, strlen(ZONES)) == 0)
			fake_files_remove(&bench->files, PMUS "power");
		assert_int_equal(sources_open(&options, &sources), 0);
		assert_int_equal(sources_read(sources, &before), 0);
		bench->now_ns += SECOND;
		fake_files_set(&bench->files, rows[i].text, "%s", rows[i].path);
		assert_int_equal(sources_read(sources, &after), 0);
		window = sources_bench_compare(sources, before, after);
		object = json_array_get(json_object_get(window, rows[i].object), 0);
		assert_true(json_is_null(json_object_get(object, rows[i].figure)));
		if (!strstr(figure_reason(object, rows[i].figure) ?: "", rows[i].reason))
			fail_msg("%s: %s", rows[i].path, figure_reason(object, rows[i].figure));
		sources_close(&sources);
		sources_bench_teardown(state);
		sources_bench_setup(state);
	}
}

/* Reads of counters that fail, or give another length: no figure, never 0. */
static void test_wrong_reads(void **state)
{
	static const ssize_t answers[] = { 0, 8, 24, -EIO, -EBADF };

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
		_cleanup_sources_ struct sources *sources = NULL;
		_cleanup_json_ json_t *window = NULL;
		struct bench *bench = *state;
		const struct sources_options options = { .machine = &bench->machine,
							 .cpus = &bench->cpus,
							 .isolated = &bench->isolated };

		assert_int_equal(sources_open(&options, &sources), 0);
		assert_int_equal(sources_read(sources, &before), 0);
		bench->now_ns += SECOND;
		bench->answer = answers[i];
		bench->answers_wrongly = true;
		assert_int_equal(sources_read(sources, &after), 0);
		bench->answers_wrongly = false;
		window = sources_bench_compare(sources, before, after);
		assert_true(json_is_null(json_object_get(window, "tsc-mhz")));
		for (size_t j = 0; j < 8; j++) {
			static const char *const figures[] = { "mhz", "busy-percent", "smi-count",
							       "core-c6-percent" };

			for (size_t k = 0; k < ARRAY_SIZE(figures); k++)
				assert_non_null(figure_reason(cpu_of(window, j), figures[k]));
		}
		assert_non_null(figure_reason(package_of(window, 0), "watts"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_newlines, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_wrong_counters, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_wrong_reads, sources_bench_setup,
						sources_bench_teardown),
		cmocka_unit_test_setup_teardown(test_damaged, sources_bench_setup,
						sources_bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
