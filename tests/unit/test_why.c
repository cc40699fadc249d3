// SPDX-License-Identifier: GPL-2.0-only
/* What measure why concludes (measure.md, "jitter, ladder, explain"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "figures.h"
#include "measure/why.h"

#define WINDOW(cpu, package)                                                              \
	"{\"cpus\": [{\"cpu\": 3, \"package\": 0, \"predicted-mhz\": 3000.0, " cpu "}], " \
	"\"packages\": [{\"package\": 0, " package "}]}"
#define BUSY(mhz) "\"busy-percent\": 100.0, \"mhz\": " mhz
#define WATTS     "\"watts\": 50.0"

static const struct row {
	const char *name, *window, *limited_by, *conclusion;
	size_t n_evidence;
} rows[] = {
	{ "what the settings allow", WINDOW(BUSY("2990.0"), WATTS), "clos-max",
	  "the maximum of its CLOS limits it", 0 },
	{ "hardly busy", WINDOW("\"busy-percent\": 12.3, \"mhz\": 1000.0", WATTS), "not-checked",
	  "not busy enough to judge (12 %)", 0 },
	{ "no frequency", WINDOW("\"mhz\": null, \"mhz-reason\": \"no PMU\"", WATTS), "not-checked",
	  "not checked: no frequency: no PMU", 0 },
	{ "nothing explains it", WINDOW(BUSY("2000.0"), WATTS), "unknown",
	  "nothing that was seen explains it", 0 },
	{ "what was set before explains nothing",
	  WINDOW(BUSY("2000.0") ", \"limits\": [], \"limits-earlier\": [\"POWER_PKG_PL1\"]", WATTS),
	  "unknown", "nothing that was seen explains it", 0 },
	{ "power by watts", WINDOW(BUSY("2000.0"), "\"watts\": 99.0"), "power",
	  "power of the package is at its limit", 1 },
	{ "power by PLR, said twice",
	  WINDOW(BUSY("2000.0") ", \"limits\": [\"POWER_PKG_PL1\"]",
		 WATTS ", \"limits\": [\"POWER_PKG_PL1\"]"),
	  "power", "power of the package is at its limit", 2 },
	{ "another reason", WINDOW(BUSY("2000.0") ", \"limits\": [\"PLATFORM\"]", WATTS),
	  "hardware", "the hardware limited it, with the reasons above", 1 },
	{ "throttled", WINDOW(BUSY("2000.0"), WATTS ", \"throttle-ms\": 7"), "throttling",
	  "it was throttled for its temperature", 1 },
	{ "interrupted", WINDOW(BUSY("2000.0") ", \"smi-count\": 2", WATTS), "smi",
	  "the firmware interrupted it", 1 },
	{ "stolen", WINDOW(BUSY("2000.0") ", \"stolen-percent\": 3.0", WATTS), "stolen",
	  "a hypervisor took time", 1 },
	{ "evidence, and no gap", WINDOW(BUSY("3000.0"), WATTS ", \"throttle-ms\": 7"), "clos-max",
	  "the maximum of its CLOS limits it", 1 },
};

static json_t *explain(const char *text, const struct why_limits *limits)
{
	static struct ladder_limit limit = { .package = 0, .watts = 100, .source = "TDP" };
	const struct ladder_rules rules = { .limits = &limit, .n_limits = 1 };
	_cleanup_json_ json_t *object = json_loads(text, 0, NULL);
	_cleanup_run_window_ struct run_window window = { 0 };
	struct why_cpu cpu = { 0 };
	json_t *result;

	assert_true(window_read(object, &window));
	assert_int_equal(why_explain(&window, window.cpus, limits, &rules, &cpu), 0);
	result = json_write_fields(why_cpu_fields, &cpu);
	assert_non_null(result);
	why_cpu_done(&cpu);
	return result;
}

static void test_conclusions(void **test)
{
	struct why_limits limits = { .prediction.cap_by = FREQUENCY_CLOS_MAX };

	(void)test;
	limits.prediction.khz[FREQUENCY_CLOS_MAX] = 3000000;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		_cleanup_json_ json_t *result = explain(row->window, &limits);
		const char *by = json_string_value(json_object_get(result, "limited-by"));
		const char *text = json_string_value(json_object_get(result, "conclusion"));
		size_t n_evidence = json_array_size(json_object_get(result, "evidence"));

		if (strcmp(by, row->limited_by) != 0 || strcmp(text, row->conclusion) != 0)
			fail_msg("%s: %s, %s", row->name, by, text);
		if (n_evidence != row->n_evidence)
			fail_msg("%s: %zu", row->name, n_evidence);
	}
}

static void test_settings_as_evidence(void **test)
{
	static const struct sst_level level = { .turbo_freq.buckets.core_counts = { 2, 4 } };
	struct why_limits limits = {
		.prediction.cap_by = FREQUENCY_CLOS_MAX,
		.inputs = { .level = &level, .turbo_freq_on = true, .clos = 1 },
		.activity.high_units = 5,
	};
	_cleanup_json_ json_t *result = NULL;
	const json_t *evidence;

	(void)test;
	limits.prediction.khz[FREQUENCY_CLOS_MAX] = 1000000;
	limits.prediction.khz[FREQUENCY_LEVEL_BASE] = 2000000;
	limits.prediction.khz[FREQUENCY_HIGHEST_POSSIBLE] = 3000000;
	limits.prediction.khz[FREQUENCY_SCALING_MAXIMUM] = 2900000;
	result = explain(WINDOW(BUSY("3000.0"), WATTS), &limits);
	evidence = json_object_get(result, "evidence");
	assert_int_equal(json_array_size(evidence), 3);
	assert_string_equal(
		json_string_value(json_array_get(evidence, 0)),
		"the maximum of CLOS 1, 1000 MHz, is below the base frequency, 2000 MHz");
	assert_string_equal(json_string_value(json_array_get(evidence, 1)),
			    "the scaling maximum is 2900 MHz");
	assert_string_equal(
		json_string_value(json_array_get(evidence, 2)),
		"5 active cores have high priority; the largest bucket of SST-TF has 4");
}

/* A busy CPU below the minimum of its CLOS, or below what else limits it, if that is lower. */
static void test_minimum(void **test)
{
	static const struct {
		const char *cpu;
		bool has_clos;
		uint32_t min_mhz, cap_khz;
		int expected; /* -1: not there */
	} vectors[] = {
		{ "{\"mhz\": 1900.0, \"busy-percent\": 100.0}", true, 2000, 3000000, 1 },
		{ "{\"mhz\": 1960.0, \"busy-percent\": 100.0}", true, 2000, 3000000, 0 },
		{ "{\"mhz\": 1900.0, \"busy-percent\": 49.0}", true, 2000, 3000000, 0 },
		{ "{\"mhz\": 1900.0}", true, 2000, 3000000, 1 },
		{ "{\"mhz\": 1900.0, \"busy-percent\": 100.0}", true, 2000, 1900000, 0 },
		{ "{\"mhz\": 1900.0, \"busy-percent\": 100.0}", true, 0, 3000000, -1 },
		{ "{\"mhz\": 1900.0, \"busy-percent\": 100.0}", false, 2000, 3000000, -1 },
		{ "{\"mhz\": null, \"busy-percent\": 100.0}", true, 2000, 3000000, -1 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct why_limits limits = { .inputs = { .has_clos = vectors[i].has_clos,
							 .clos_min_mhz = vectors[i].min_mhz },
					     .prediction = { .cap_khz = vectors[i].cap_khz } };
		_cleanup_free_ char *text = text_format("{\"cpus\": [%s]}", vectors[i].cpu);
		_cleanup_json_ json_t *object = json_loads(text, 0, NULL);
		_cleanup_run_window_ struct run_window window = { 0 };

		print_message("row %zu\n", i);
		assert_true(window_read(object, &window));
		why_check_minimum(window.cpus, &limits);
		assert_int_equal(window.cpus->knows_minimum ? window.cpus->is_below_minimum : -1,
				 vectors[i].expected);
	}
}

/* 1800 MHz is all that a limit of 1875 MHz gives; 1700 MHz is not. */
static void test_steps(void **test)
{
	static const char text[] =
		"{\"cpus\": [{\"cpu\": 3, \"package\": 0, \"predicted-mhz\": 1875.0, "
		"\"busy-percent\": 100.0, \"mhz\": %s}], \"packages\": []}";
	struct why_limits limits = { .prediction.cap_by = FREQUENCY_MAX_PERF_PCT };
	char at_step[256], below[256];
	_cleanup_json_ json_t *result = NULL, *other = NULL;

	(void)test;
	snprintf(at_step, sizeof(at_step), text, "1800.0");
	snprintf(below, sizeof(below), text, "1700.0");
	result = explain(at_step, &limits);
	other = explain(below, &limits);
	assert_string_equal(json_string_value(json_object_get(result, "limited-by")),
			    "max_perf_pct");
	assert_string_equal(json_string_value(json_object_get(other, "limited-by")), "unknown");
}

/* A frequency between the two readings of the turbo-ratio limits is no gap; no setting gives more
 * than the highest possible one. */
static void test_range(void **test)
{
	static const struct {
		const char *mhz, *by;
		double gap;
	} vectors[] = {
		{ "3200.0", "turbo-ratio-limit", 0 }, { "3500.0", "turbo-ratio-limit", 0 },
		{ "3840.0", "turbo-ratio-limit", 0 }, { "3860.0", "highest-possible", 0 },
		{ "3900.0", "highest-possible", 0 },  { "2880.0", "unknown", 10 },
	};
	struct why_limits limits = {
		.prediction = { .cap_by = FREQUENCY_TURBO_RATIO_LIMIT,
				.khz = { [FREQUENCY_HIGHEST_POSSIBLE] = 3900000 } },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *text =
			text_format("{\"cpus\": [{\"cpu\": 3, \"package\": 0, \"predicted-mhz\": "
				    "3200.0, \"predicted-high-mhz\": 3900.0, \"busy-percent\": "
				    "100.0, \"mhz\": %s}], \"packages\": []}",
				    vectors[i].mhz);
		_cleanup_json_ json_t *result = explain(text, &limits);

		print_message("row %zu\n", i);
		assert_string_equal(json_string_value(json_object_get(result, "limited-by")),
				    vectors[i].by);
		assert_true(json_number_value(json_object_get(result, "gap-percent")) ==
			    vectors[i].gap);
	}
}

/* The highest frequency binds, and the hardware has more. */
static void test_not_taken_over(void **test)
{
	struct why_limits limits = {
		.prediction = { .cap_by = FREQUENCY_HIGHEST_POSSIBLE,
				.above_highest_khz = 4600000 },
	};
	_cleanup_json_ json_t *behind = explain(WINDOW(BUSY("3000.0"), WATTS), &limits);
	_cleanup_json_ json_t *highest = NULL;

	(void)test;
	assert_string_equal(json_string_value(json_object_get(behind, "limited-by")),
			    "not-taken-over");
	limits.prediction.above_highest_khz = 0;
	highest = explain(WINDOW(BUSY("3000.0"), WATTS), &limits);
	assert_string_equal(json_string_value(json_object_get(highest, "limited-by")),
			    "highest-possible");
}

/* Each limit that can bind has a command, or advice. */
static void test_settings(void **test)
{
	static const struct {
		const char *limited_by, *command, *advice;
	} settings[] = {
		{ "scaling-maximum", "isst -c 3-4 cpufreq set --max max", NULL },
		{ "no_turbo", NULL, "turbo gives no more, by its own limits" },
		{ "max_perf_pct", "isst cpufreq set --max-pct 100", NULL },
		{ "clos-max", "isst -c 3-4 core-power config --clos 2 -m max -w 7 -n 900", NULL },
		{ "turbo-ratio-limit", NULL, "fewer busy cores" },
		{ "turbo-freq-clip", NULL,
		  "the buckets of SST-TF are full: "
		  "fewer cores in CLOS 0 and 1 first" },
		{ "turbo-freq-bucket", NULL, "no setting gives more" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const struct why_limits limits = {
			.inputs = { .has_clos = true, .clos = 2 },
			.clos = { .weight = 7, .min_mhz = 900, .max_mhz = 1000 },
		};
		_cleanup_free_ char *command = NULL;
		const char *advice;

		assert_int_equal(why_find_setting(settings[i].limited_by, &limits, "3-4", &command,
						  &advice),
				 0);
		if (strcmp(command ?: "", settings[i].command ?: "") != 0 ||
		    strcmp(advice ?: "", settings[i].advice ?: "") != 0)
			fail_msg("%zu, %s: %s, %s", i, settings[i].limited_by, command, advice);
	}
	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++) {
		const struct why_limits limits = { .prediction.cap_by = i };
		_cleanup_free_ char *command = NULL;
		const char *advice;

		assert_int_equal(why_find_setting(frequency_limit_name(i), &limits, "3-4", &command,
						  &advice),
				 0);
		if (frequency_limit_kind(i) == FREQUENCY_UPPER)
			assert_true(!command != !advice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conclusions),    cmocka_unit_test(test_settings_as_evidence),
		cmocka_unit_test(test_steps),          cmocka_unit_test(test_settings),
		cmocka_unit_test(test_minimum),        cmocka_unit_test(test_range),
		cmocka_unit_test(test_not_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
