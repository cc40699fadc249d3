// SPDX-License-Identifier: GPL-2.0-only
/* measure run: reads the limits for the prediction, measures, and shows both as a table or as JSON,
 * which is saved with the state of the machine (measure.md, "run"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "features/measure/measure.h"
#include "host/run_directory.h"
#include "measure/run_figures.h"

#define DEFAULT_SECONDS 10
#define MAX_SECONDS     86400

static const struct measure_run_arguments *arguments_of(const struct measurement *measurement)
{
	return measurement->context->request->arguments;
}

static const struct measure_kind kind = {
	.command = "run",
	.unit = "",
	.tables = { trial_sample_fields },
	.fields = run_window_fields,
	.show = measure_run_show,
};

static int parse_request(struct measurement *measurement)
{
	const struct measure_run_arguments *arguments = arguments_of(measurement);
	const bool each = measurement->context->request->globals->each;
	int err = measurement_begin_work(measurement, &kind);

	if (arguments->interval_s.given && !arguments->each_interval)
		context_refuse_usage(measurement->context, "--interval needs --each-interval");
	measurement->job.ns = measurement_option(&arguments->seconds, DEFAULT_SECONDS) * NS_PER_S;
	if (arguments->each_interval)
		measurement->job.interval_ns =
			measurement_option(&arguments->interval_s, 1) * NS_PER_S;
	measurement->job.sources = (struct sources_options){
		.with_details = each,
		.with_limits = each || arguments->limits || arguments->clear_limits,
		.with_stolen = measurement->job.n_loads > 0,
		.keeps_files = measurement->job.interval_ns > 0,
	};
	return err;
}

/* Predicts and shows an interval. */
static int take_window(void *data, struct run_window *window)
{
	const struct measurement *measurement = data;
	struct context *context = measurement->context;
	int err = measurement_predict(measurement, window, NULL);

	if (err || output_is_json(context->output))
		return err;
	return measure_show_window(context, window);
}

/* Compares the figures of the complete run with the requirements. */
static void check_requirements(struct measurement *measurement, const struct run_window *window)
{
	struct trial_sample sample = { 0 };
	const struct json_rows rows = { &sample, 1, sizeof(sample), trial_sample_fields };

	for (enum run_figure i = 0; i < RUN_FIGURES; i++)
		sample.figures[i] = run_figure_get(window, i);
	requirements_take(&measurement->requirements, &rows);
}

/* If a command succeeded but a requirement is not met, the exit status shows this. */
static void pass_difference(const struct context *context)
{
	struct passed_status *passed = context->request->passed;

	if (passed && passed->is_set && passed->status == 0 && context->report.has_differences)
		passed->status = STATUS_DIFFERS;
}

/* Saves and shows what was measured. */
static int finish(struct measurement *measurement, const struct run_window *window)
{
	_cleanup_json_ json_t *document = NULL, *samples = NULL;
	int err;

	check_requirements(measurement, window);
	document = measurement_make_document(measurement, window);
	samples = json_incref(json_object_get(document, RESULT_INTERVALS));
	if (document && !samples)
		samples = json_pack("[o]", json_deep_copy(document));
	err = measurement_finish(measurement, document, samples, window);
	pass_difference(measurement->context);
	return err;
}

static int run_request(struct measurement *measurement)
{
	struct context *context = measurement->context;
	_cleanup_run_result_ struct run_result result = { 0 };
	int err = parse_request(measurement);

	if (err || report_has_problem(&context->report))
		return err;
	err = measurement_read_limits(measurement);
	measurement_end_early(measurement);
	measurement->job.take_window = take_window;
	if (!err && arguments_of(measurement)->clear_limits)
		err = measurement_clear_limits(measurement, true);
	if (err || report_has_problem(&context->report))
		return err;
	err = measurement_run(measurement, &result);
	if (err || result.refusal)
		return err;
	if (measurement->job.command && context->request->passed)
		*context->request->passed =
			(struct passed_status){ .is_set = true, .status = result.command_status };
	measurement_note_end(context);
	err = measurement_predict(measurement, &result.window, NULL);
	return err ? err : finish(measurement, &result.window);
}

int measure_run(struct context *context)
{
	_cleanup_measurement_ struct measurement measurement = { .context = context };

	return run_request(&measurement);
}

const struct option measure_run_options[] = {
	MEASURE_ALL,
	{ 0, "seconds", "TIME", "Duration (default 10s)",
	  OPTION_SECONDS(struct measure_run_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "each-interval", NULL, "Show a table for each interval",
	  OPTION_FLAG(struct measure_run_arguments, each_interval) },
	{ 0, "interval", "TIME", "The length of an interval (default 1s)",
	  OPTION_SECONDS(struct measure_run_arguments, interval_s, 1, MAX_SECONDS) },
	MEASURE_LOADS,
	{ 0, "limits", NULL,
	  "Read why the hardware limits frequencies (the global option --each does this, too)",
	  OPTION_FLAG(struct measure_run_arguments, limits) },
	{ 0, "clear-limits", NULL,
	  "First clear the limit reasons, also for other programs, and read those that appear",
	  OPTION_FLAG(struct measure_run_arguments, clear_limits) },
	MEASURE_REQUIRE_NUMBER,
	MEASURE_SAVE("what was measured"),
	MEASURE_COMMAND("Measure while this command runs; its exit status is passed on"),
	{ 0 },
};
