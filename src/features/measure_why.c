// SPDX-License-Identifier: GPL-2.0-only
/* measure why: measures CPUs, holds what they have against what the settings allow, and names what
 * limits them (measure.md, "jitter, ladder, why"). */
#include "features/measure_why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/measure_common.h"
#include "host/run_directory.h"
#include "measure/figure.h"
#include "measure/why.h"
#include "output/screen.h"

#define NS_PER_S        UINT64_C(1000000000)
#define DEFAULT_SECONDS 2
#define MAX_SECONDS     3600

/* CPUs that have the same explanation. */
struct alike {
	const json_t *first;
	struct cpuset cpus;
	double busy, low_mhz, high_mhz; /* busy: the lowest */
	bool has_busy, has_mhz;
};

static int prepare(struct measurement *measurement)
{
	struct context *context = measurement->context;
	const struct measure_why_arguments *arguments = context->options->arguments;
	int err = measurement_find_cpus(measurement);

	if (err)
		return err;
	measurement->job = (struct run_job){
		.sources = { .machine = context->machine,
			     .cpus = &measurement->cpus,
			     .isolated = &measurement->isolated,
			     .with_limits = true,
			     .with_stolen = true },
		.ns = (arguments->seconds.given ? arguments->seconds.value : DEFAULT_SECONDS) *
		      NS_PER_S,
	};
	if (!arguments->load.given)
		return 0;
	measurement->loads = calloc(1, sizeof(*measurement->loads));
	if (!measurement->loads)
		return -ENOMEM;
	measurement->job.loads = measurement->loads;
	measurement->job.n_loads = 1;
	measurement->loads[0].kind = (enum load_kind)arguments->load.value;
	return cpuset_copy(&measurement->loads[0].cpus, &measurement->cpus);
}

/* Explains each CPU of a window: a new array. */
static int explain(const struct measurement *measurement, json_t *window, json_t **ret_cpus)
{
	const struct ladder_rules rules = {
		.limits = measurement->power_limits,
		.n_limits = measurement->n_power_limits,
	};
	const json_t *cpus = json_object_get(window, "cpus"), *cpu;
	_cleanup_free_ struct why_limits *limits =
		calloc(json_array_size(cpus) + 1, sizeof(*limits));
	_cleanup_json_ json_t *list = json_array();
	size_t i;
	int err = limits ? measurement_predict(measurement, window, limits) : -ENOMEM;

	if (err)
		return err;
	json_array_foreach (cpus, i, cpu)
		json_array_append_new(list, why_explain(window, cpu, &limits[i], &rules));
	if (json_array_size(list) != json_array_size(cpus))
		return -ENOMEM;
	*ret_cpus = steal(list);
	return 0;
}

static bool are_alike(const json_t *left, const json_t *right)
{
	static const char *const names[] = { "class",    "predicted-mhz",  "upper-limits",
					     "evidence", "limits-earlier", "limited-by",
					     "load" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *a = json_object_get(left, names[i]);
		const json_t *b = json_object_get(right, names[i]);

		if (a != b && !json_equal(a, b))
			return false;
	}
	return true;
}

static int add_alike(struct alike *alike, const json_t *cpu)
{
	double value;

	alike->first = alike->first ?: cpu;
	if (figure_get(cpu, "busy-percent", &value) == 0) {
		alike->busy = alike->has_busy && alike->busy < value ? alike->busy : value;
		alike->has_busy = true;
	}
	if (figure_get(cpu, "mhz", &value) == 0) {
		alike->low_mhz = alike->has_mhz && alike->low_mhz < value ? alike->low_mhz : value;
		alike->high_mhz = alike->high_mhz > value ? alike->high_mhz : value;
		alike->has_mhz = true;
	}
	return cpuset_add(&alike->cpus, (uint32_t)json_integer_value(json_object_get(cpu, "cpu")));
}

static void put_measured(struct screen *screen, const struct alike *alike)
{
	_cleanup_free_ char *busy =
		alike->has_busy ? text_format(", busy %.1f %%", alike->busy) : strdup("");

	if (!alike->has_mhz)
		screen_put_format(screen, "measured", "no frequency: %s%s",
				  figure_reason(alike->first, "mhz"), busy ?: "");
	else if (alike->high_mhz - alike->low_mhz < 1)
		screen_put_format(screen, "measured", "%.0f MHz%s", alike->high_mhz, busy ?: "");
	else
		screen_put_format(screen, "measured", "%.0f to %.0f MHz%s", alike->low_mhz,
				  alike->high_mhz, busy ?: "");
}

static void put_allowed(struct screen *screen, const json_t *cpu)
{
	_cleanup_buffer_ struct buffer buffer = { 0 };
	const json_t *limit;
	const char *name;
	double mhz;

	if (figure_get(cpu, "predicted-mhz", &mhz))
		screen_put(screen, "predicted", figure_reason(cpu, "predicted-mhz"));
	else
		screen_put_format(screen, "predicted", "%.0f MHz, by %s", mhz,
				  json_string_value(json_object_get(cpu, "predicted-mhz-source")));
	json_object_foreach (json_object_get(cpu, "upper-limits"), name, limit) {
		_cleanup_free_ char *text = text_format("%s%.*s %.0f", buffer.length ? ", " : "",
							(int)(strlen(name) - strlen("-mhz")), name,
							json_number_value(limit));

		buffer_append_string(&buffer, text ?: "");
	}
	if (buffer.length)
		screen_put(screen, "limits", buffer_text(&buffer));
}

static void put_texts(struct screen *screen, const char *label, const json_t *texts)
{
	const json_t *text;
	size_t i;

	json_array_foreach (texts, i, text)
		screen_put(screen, i ? NULL : label, json_string_value(text));
}

static int put_alike(struct screen *screen, const struct alike *alike)
{
	const json_t *cpu = alike->first;
	const char *by = json_string_value(json_object_get(cpu, "limited-by"));
	_cleanup_free_ char *list = cpuset_format_ranges(&alike->cpus);
	_cleanup_free_ char *setting = list ? why_format_setting(by, list) : NULL;
	_cleanup_free_ char *earlier = screen_format_value(json_object_get(cpu, "limits-earlier"));

	if (!setting)
		return -ENOMEM;
	screen_put(screen, "CPUs", list);
	put_measured(screen, alike);
	put_allowed(screen, cpu);
	put_texts(screen, "evidence", json_object_get(cpu, "evidence"));
	if (earlier && *earlier)
		screen_put_format(screen, "earlier", "%s: since the last clear, time unknown",
				  earlier);
	screen_put(screen, "conclusion", json_string_value(json_object_get(cpu, "conclusion")));
	screen_put(screen, "setting", setting);
	return 0;
}

static int show_text(struct context *context, const json_t *cpus)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	struct alike *list = NULL;
	size_t count = 0, i;
	const json_t *cpu;
	int err = 0;

	json_array_foreach (cpus, i, cpu) {
		size_t at = 0;

		while (at < count && !are_alike(list[at].first, cpu))
			at++;
		if (at == count && !array_add(&list, &count, sizeof(*list))) {
			err = -ENOMEM;
			break;
		}
		err = add_alike(&list[at], cpu);
		if (err)
			break;
	}
	for (i = 0; i < count; i++) {
		if (!err)
			err = put_alike(&screen, &list[i]);
		cpuset_done(&list[i].cpus);
	}
	free(list);
	if (err || screen.text.has_failed)
		return -ENOMEM;
	output_document(context->output, buffer_text(&screen.text));
	return 0;
}

/* Adds to each CPU what to change. */
static int add_settings(json_t *cpus)
{
	json_t *cpu;
	size_t i;

	json_array_foreach (cpus, i, cpu) {
		char number[16];
		_cleanup_free_ char *setting = NULL;

		snprintf(number, sizeof(number), "%u",
			 (unsigned int)json_integer_value(json_object_get(cpu, "cpu")));
		setting = why_format_setting(json_string_value(json_object_get(cpu, "limited-by")),
					     number);
		if (!setting || json_object_set_new(cpu, "setting", json_string(setting)))
			return -ENOMEM;
	}
	return 0;
}

static int show(const struct measurement *measurement, json_t *window)
{
	struct context *context = measurement->context;
	_cleanup_json_ json_t *cpus = NULL;
	int err = explain(measurement, window, &cpus);

	if (err)
		return err;
	context->report.n_results++;
	if (!output_is_json(context->output))
		return show_text(context, cpus);
	err = add_settings(cpus);
	if (err)
		return err;
	output_json_member(context->output, "seconds",
			   json_incref(json_object_get(window, "seconds")));
	output_json_member(context->output, "cpus", json_incref(cpus));
	output_json_member(context->output, "packages",
			   json_incref(json_object_get(window, "packages")));
	return 0;
}

int measure_why(struct context *context)
{
	_cleanup_measurement_ struct measurement measurement = { .context = context };
	_cleanup_run_result_ struct run_result result = { 0 };
	const struct host *host = context->machine->host;
	int err = 0;

	if (!host->perf || !host->workload)
		context_lack(context, NULL, "nothing can be measured on this machine");
	else
		err = prepare(&measurement);
	if (err || report_has_problem(&context->report) || context->is_trial)
		return err;
	err = measurement_read_limits(&measurement);
	if (!err)
		err = measurement_read_power_limits(&measurement);
	if (!err)
		err = run_measure(&measurement.job, &result);
	if (err)
		return err;
	if (result.refusal) {
		context_report(context, NULL,
			       result.error == -EOPNOTSUPP ? REPORT_UNSUPPORTED : REPORT_REFUSED,
			       "%s", result.refusal);
		return 0;
	}
	return show(&measurement, result.document);
}

static const char *const load_words[] = {
	[LOAD_SCALAR] = "scalar", [LOAD_AVX2] = "avx2",  [LOAD_AVX512] = "avx512",
	[LOAD_TDP] = "tdp",       [LOAD_TDP + 1] = NULL,
};

const struct option measure_why_options[] = {
	{ 0, "seconds", "SECONDS", "Measure for SECONDS seconds; default 2",
	  OPTION_NUMBER(struct measure_why_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "load", "scalar|avx2|avx512|tdp", "Keep the CPUs busy with these instructions",
	  OPTION_WORD(struct measure_why_arguments, load, load_words) },
	{ 0 },
};
