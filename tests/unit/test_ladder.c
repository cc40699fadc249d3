// SPDX-License-Identifier: GPL-2.0-only
/* Judging the steps of measure ladder (measure.md, "jitter, ladder, explain"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "figures.h"
#include "measure/ladder.h"

/* CPUs 0 and 1 are of package 0; CPU 2, of package 1, has no load. */
#define WINDOW(cpu0, cpu1, package)                                                              \
	"{\"cpus\": [{\"cpu\": 0, \"package\": 0, " cpu0 "}, {\"cpu\": 1, \"package\": 0, " cpu1 \
	"}, {\"cpu\": 2, \"package\": 1, \"mhz\": null, \"mhz-reason\": \"idle\"}], "            \
	"\"packages\": [{\"package\": 0, " package "}]}"
#define CPU(promised, mhz, busy)                                      \
	"\"predicted-mhz\": " promised ", \"predicted-mhz-source\": " \
	"\"clos-max\", \"mhz\": " mhz ", \"mhz-source\": \"msr\", \"busy-percent\": " busy
#define GOOD  CPU("3000.0", "3000.0", "100.0")
#define SLOW  CPU("3000.0", "2939.9", "100.0")
#define WATTS "\"watts\": 50.0"

static const struct row {
	const char *name, *window, *result, *reason;
} rows[] = {
	{ "all as promised", WINDOW(GOOD, GOOD, WATTS), "pass", NULL },
	{ "within the tolerance", WINDOW(GOOD, CPU("3000.0", "2940.0", "99.0"), WATTS), "pass",
	  NULL },
	{ "below it", WINDOW(GOOD, SLOW, WATTS), "fail", NULL },
	{ "each against its own promise", WINDOW(GOOD, CPU("2000.0", "2000.0", "100.0"), WATTS),
	  "pass", NULL },
	{ "not busy", WINDOW(GOOD, CPU("3000.0", "2000.0", "98.9"), WATTS), "not-checked",
	  "a load had less than 99 % of its CPU" },
	{ "one not busy, and one too slow", WINDOW(SLOW, CPU("3000.0", "2000.0", "98.9"), WATTS),
	  "fail", "a load had less than 99 % of its CPU" },
	{ "busy is known of the load only",
	  WINDOW(GOOD,
		 "\"predicted-mhz\": 3000.0, \"mhz\": 1000.0, \"busy-percent\": null, "
		 "\"load-cpu-percent\": 90.0",
		 WATTS),
	  "not-checked", "a load had less than 99 % of its CPU" },
	{ "stolen", WINDOW(SLOW ", \"stolen-percent\": 1.1", GOOD, WATTS), "not-checked",
	  "a hypervisor took more than 1 % of a CPU" },
	{ "hardly stolen", WINDOW(SLOW ", \"stolen-percent\": 1.0", GOOD, WATTS), "fail", NULL },
	{ "power at the limit", WINDOW(SLOW, GOOD, "\"watts\": 98.0"), "not-checked",
	  "power of package 0 is at its limit" },
	{ "power below the limit", WINDOW(SLOW, GOOD, "\"watts\": 97.9"), "fail", NULL },
	{ "power limits a CPU", WINDOW(SLOW ", \"limits\": [\"POWER_PKG_PL1\"]", GOOD, WATTS),
	  "not-checked", "power of package 0 is at its limit" },
	{ "power limits the package",
	  WINDOW(SLOW, GOOD, WATTS ", \"limits\": [\"PLATFORM\", \"POWER_PKG_PL1\"]"),
	  "not-checked", "power of package 0 is at its limit" },
	{ "something else limits",
	  WINDOW(SLOW, GOOD, WATTS ", \"limits\": [\"FREQUENCY_PCS_TRL\"]"), "fail", NULL },
	{ "no power", WINDOW(SLOW, GOOD, "\"watts\": null"), "fail", NULL },
	{ "no promise",
	  WINDOW(GOOD,
		 "\"predicted-mhz\": null, \"predicted-mhz-reason\": \"unknown\", \"mhz\": 3000.0",
		 WATTS),
	  "not-checked", "unknown" },
	{ "no frequency",
	  WINDOW(GOOD, "\"predicted-mhz\": 3000.0, \"mhz\": null, \"mhz-reason\": \"no PMU\"",
		 WATTS),
	  "not-checked", "no PMU" },
};

static json_t *check(const char *text)
{
	static struct ladder_limit limit = { .package = 0, .watts = 100, .source = "TDP" };
	const struct ladder_rules rules = {
		.tolerance_percent = 2,
		.limits = &limit,
		.n_limits = 1,
	};
	_cleanup_json_ json_t *object = json_loads(text, 0, NULL);
	_cleanup_run_window_ struct run_window window = { 0 };
	_cleanup_cpuset_ struct cpuset busy = { 0 };
	struct ladder_step found = { 0 };
	json_t *step;

	assert_true(window_read(object, &window));
	assert_int_equal(cpuset_add(&busy, 0), 0);
	assert_int_equal(cpuset_add(&busy, 1), 0);
	assert_int_equal(ladder_check(&window, &busy, &rules, &found), 0);
	step = json_write_fields(ladder_step_fields, &found);
	assert_non_null(step);
	json_free_fields(ladder_step_fields, &found);
	assert_int_equal(json_integer_value(json_object_get(step, "cores")), 2);
	return step;
}

/* What is reached at the limit of power is not lost. */
static void test_notes(void **test)
{
	static const struct {
		const char *name, *window, *result;
		size_t n_notes, n_reasons;
	} vectors[] = {
		{ "all pass", WINDOW(GOOD, GOOD, "\"watts\": 99.0"), "pass", 1, 0 },
		{ "one passes", WINDOW(GOOD, SLOW, "\"watts\": 99.0"), "not-checked", 1, 1 },
		{ "power is not at its limit", WINDOW(GOOD, GOOD, WATTS), "pass", 0, 0 },
		{ "hardly busy", WINDOW(GOOD, CPU("3000.0", "3000.0", "98.0"), "\"watts\": 99.0"),
		  "not-checked", 1, 1 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_json_ json_t *step = check(vectors[i].window);
		const json_t *notes = json_object_get(step, "notes");

		print_message("%s\n", vectors[i].name);
		assert_string_equal(json_string_value(json_object_get(step, "result")),
				    vectors[i].result);
		assert_int_equal(json_array_size(notes), vectors[i].n_notes);
		assert_int_equal(json_array_size(json_object_get(step, "reasons")),
				 vectors[i].n_reasons);
		if (vectors[i].n_notes)
			assert_string_equal(json_string_value(json_array_get(notes, 0)),
					    "power of package 0 is at its limit");
	}
}

static void test_results(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		_cleanup_json_ json_t *step = check(row->window);
		const json_t *reasons = json_object_get(step, "reasons");
		const char *result = json_string_value(json_object_get(step, "result"));

		if (strcmp(result, row->result) != 0)
			fail_msg("%s: %s", row->name, result);
		if (json_array_size(reasons) != (row->reason ? 1 : 0))
			fail_msg("%s: %zu reasons", row->name, json_array_size(reasons));
		if (row->reason)
			assert_string_equal(json_string_value(json_array_get(reasons, 0)),
					    row->reason);
	}
}

static void test_groups(void **test)
{
	_cleanup_json_ json_t *step = check(WINDOW(GOOD, SLOW, WATTS));
	const json_t *groups = json_object_get(step, "groups"), *group = json_array_get(groups, 0);
	const json_t *packages = json_object_get(step, "packages");

	(void)test;
	assert_int_equal(json_array_size(groups), 1);
	assert_int_equal(json_array_size(json_object_get(group, "cpus")), 2);
	assert_int_equal(json_integer_value(json_object_get(group, "slowest-cpu")), 1);
	assert_true(json_real_value(json_object_get(group, "measured-mhz")) == 2939.9);
	assert_string_equal(json_string_value(json_object_get(group, "promised-mhz-source")),
			    "clos-max");
	assert_int_equal(json_array_size(packages), 1);
	assert_true(json_real_value(json_object_get(json_array_get(packages, 0), "limit-watts")) ==
		    100);
}

/* Ranges of 3200 MHz by power domain to 3900 by package, or the other way round; what a frequency
 * proves with a tolerance of 2 %. Half a step above the lower one is noise. */
#define BY_PACKAGE ", \"predicted-high-mhz-source\": \"turbo counts by package\""
#define BY_DOMAIN  ", \"predicted-high-mhz-source\": \"turbo counts by power domain\""
#define RANGE(mhz) CPU("3200.0", mhz, "100.0") ", \"predicted-high-mhz\": 3900.0"

static void test_counts(void **state)
{
	static const struct {
		const char *window;
		size_t by_domain, by_package;
	} vectors[] = {
		{ WINDOW(GOOD, GOOD, WATTS), 0, 0 },
		{ WINDOW(RANGE("3900.0") BY_PACKAGE, GOOD, WATTS), 0, 1 },
		{ WINDOW(RANGE("3900.0") BY_DOMAIN, GOOD, WATTS), 1, 0 },
		{ WINDOW(RANGE("3200.0") BY_PACKAGE, GOOD, WATTS), 1, 0 },
		{ WINDOW(RANGE("3250.0") BY_DOMAIN, RANGE("3137.0") BY_DOMAIN, WATTS), 0, 2 },
		{ WINDOW(RANGE("3300.0") BY_PACKAGE, RANGE("3200.0") BY_PACKAGE, WATTS), 1, 1 },
		{ WINDOW(RANGE("3000.0") BY_PACKAGE, GOOD, WATTS), 0, 0 }, /* too slow for both */
		{ WINDOW(RANGE("3200.0") BY_PACKAGE, GOOD, "\"watts\": 99.0"), 0,
		  0 }, /* by power */
		{ WINDOW(RANGE("3600.0") BY_PACKAGE, GOOD, "\"watts\": 99.0"), 0, 1 },
	};
	static struct ladder_limit limit = { .package = 0, .watts = 100, .source = "TDP" };
	const struct ladder_rules rules = { .tolerance_percent = 2,
					    .limits = &limit,
					    .n_limits = 1 };
	_cleanup_cpuset_ struct cpuset busy = { 0 };

	(void)state;
	assert_int_equal(cpuset_add(&busy, 0) ?: cpuset_add(&busy, 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_json_ json_t *object = json_loads(vectors[i].window, 0, NULL);
		_cleanup_run_window_ struct run_window window = { 0 };
		size_t fits[N_FREQUENCY_READINGS] = { 0 };

		assert_true(window_read(object, &window));
		ladder_find_counts(&window, &busy, &rules, fits);
		if (fits[FREQUENCY_BY_DOMAIN] != vectors[i].by_domain ||
		    fits[FREQUENCY_BY_PACKAGE] != vectors[i].by_package)
			fail_msg("row %zu: %zu, %zu", i, fits[0], fits[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
