// SPDX-License-Identifier: GPL-2.0-only
/* measure run: reads what can be predicted, measures, and shows both as a table or as JSON, which
 * it saves with the state of the machine (measure.md, "run"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/measure.h"
#include "features/measure_common.h"
#include "features/measure_show.h"
#include "host/run_directory.h"

#define NS_PER_S        UINT64_C(1000000000)
#define DEFAULT_SECONDS 10
#define MAX_SECONDS     86400

static const struct measure_run_arguments *arguments_of(const struct measurement *measurement)
{
	return measurement->context->options->arguments;
}

/* Reads one --load, "KIND" or "KIND:SET". */
static int parse_load(struct measurement *measurement, const char *text, struct run_load *load)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *word = strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	struct context *context = measurement->context;
	int err;

	if (!word)
		return -ENOMEM;
	if (load_kind_parse(word, &load->kind)) {
		context_refuse_usage(context,
				     "--load %s: scalar, avx2, avx512 or tdp was expected%s", text,
				     option_suggest("scalar avx2 avx512 tdp", word).text);
		return 0;
	}
	if (!colon)
		return cpuset_copy(&load->cpus, &measurement->cpus);
	err = measurement_find_set(context, "--load", colon + 1, &load->cpus);
	if (err || report_has_problem(&context->report))
		return err;
	cpuset_foreach (cpu, &load->cpus) {
		if (cpuset_has(&context->machine->topology.online, cpu))
			continue;
		context_refuse_usage(context, "--load %s: CPU %u is not online", text, cpu);
		return 0;
	}
	return 0;
}

static int parse_loads(struct measurement *measurement)
{
	const struct option_texts *texts = &arguments_of(measurement)->loads;
	int err = 0;

	if (texts->count == 0)
		return 0;
	measurement->loads = calloc(texts->count, sizeof(*measurement->loads));
	if (!measurement->loads)
		return -ENOMEM;
	measurement->job.loads = measurement->loads;
	for (size_t i = 0; i < texts->count && !err; i++) {
		measurement->job.n_loads++;
		err = parse_load(measurement, texts->list[i], &measurement->loads[i]);
	}
	return err;
}

/* Reads --pipe, "A,B". */
static void parse_pipe(struct measurement *measurement)
{
	const char *text = arguments_of(measurement)->pipe, *at = text;
	const struct cpuset *online = &measurement->context->machine->topology.online;
	uint64_t first, second;

	if (!text)
		return;
	if (number_parse_digits(&at, 10, &first) || *at++ != ',' ||
	    number_parse(at, 0, CPUSET_MAX_CPU, &second) || first == second ||
	    first > CPUSET_MAX_CPU) {
		context_refuse_usage(measurement->context,
				     "--pipe %s: two different CPUs were expected, such as 3,4",
				     text);
		return;
	}
	measurement->job.pipe_cpus[0] = (uint32_t)first;
	measurement->job.pipe_cpus[1] = (uint32_t)second;
	measurement->job.has_pipe = true;
	for (size_t i = 0; i < ARRAY_SIZE(measurement->job.pipe_cpus); i++) {
		if (!cpuset_has(online, measurement->job.pipe_cpus[i]))
			context_refuse_usage(measurement->context,
					     "--pipe %s: CPU %u is not online", text,
					     measurement->job.pipe_cpus[i]);
	}
}

static int parse_request(struct measurement *measurement)
{
	const struct measure_run_arguments *arguments = arguments_of(measurement);
	struct context *context = measurement->context;
	int err = measurement_find_cpus(measurement);

	if (!err)
		err = parse_loads(measurement);
	if (err)
		return err;
	parse_pipe(measurement);
	if (arguments->interval_s.given && !arguments->each_interval)
		context_refuse_usage(context, "--interval goes with --each-interval");
	measurement_check_save(context, arguments->save);
	measurement->job.command = arguments->command.words;
	if (measurement->job.command && !context->machine->host->workload->runs_commands) {
		context_lack(context, NULL,
			     "%s: this machine runs no commands; use --load or --pipe",
			     measurement->job.command[0]);
		*context->options->passed =
			(struct passed_status){ .is_set = true, .status = STATUS_UNSUPPORTED };
	}
	measurement->job.ns =
		(arguments->seconds.given ? arguments->seconds.value : DEFAULT_SECONDS) * NS_PER_S;
	if (arguments->each_interval)
		measurement->job.interval_ns =
			(arguments->interval_s.given ? arguments->interval_s.value : 1) * NS_PER_S;
	measurement->job.sources = (struct sources_options){
		.machine = context->machine,
		.cpus = &measurement->cpus,
		.isolated = &measurement->isolated,
		.with_details = arguments->each,
		.with_limits = arguments->each || arguments->limits,
		.with_stolen = measurement->job.n_loads > 0,
	};
	return 0;
}

/* Predicts and shows an interval. */
static int take_window(void *data, json_t *window)
{
	const struct measurement *measurement = data;
	struct context *context = measurement->context;
	int err = measurement_predict(measurement, window, NULL);

	if (err || output_is_json(context->output))
		return err;
	return measure_show_window(context, window, arguments_of(measurement)->each);
}

/* Reports why nothing was measured. */
static void report_refusal(struct context *context, const struct run_result *result)
{
	if (result->error == -EOPNOTSUPP)
		context_lack(context, NULL, "%s", result->refusal);
	else
		context_refuse(context, NULL, "%s", result->refusal);
	if (result->command_failed && context->options->passed)
		*context->options->passed = (struct passed_status){
			.is_set = true,
			.status = result->error == -ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN,
		};
}

static int save(const struct measurement *measurement, const json_t *document)
{
	json_t *intervals = json_object_get(document, "intervals");
	_cleanup_json_ json_t *samples =
		intervals ? json_incref(intervals) : json_pack("[o]", json_deep_copy(document));

	return samples ? measurement_save(measurement, "run", arguments_of(measurement)->save,
					  document, samples)
		       : -ENOMEM;
}

static int show(const struct measurement *measurement, json_t *document)
{
	struct context *context = measurement->context;
	const char *key;
	json_t *value;

	context->report.n_results++;
	if (!output_is_json(context->output))
		return measure_show_run(context, document, arguments_of(measurement)->each);
	json_object_foreach (document, key, value)
		output_json_member(context->output, key, json_incref(value));
	return 0;
}

static int run_request(struct measurement *measurement)
{
	struct context *context = measurement->context;
	_cleanup_run_result_ struct run_result result = { 0 };
	const struct host *host = context->machine->host;
	int err = 0;

	if (!host->perf || !host->workload)
		context_lack(context, NULL, "nothing can be measured on this machine");
	else
		err = parse_request(measurement);
	if (err || report_has_problem(&context->report))
		return err;
	err = measurement_read_limits(measurement);
	measurement->job.take_window = take_window;
	measurement->job.data = measurement;
	if (!err)
		err = run_measure(&measurement->job, &result);
	if (err)
		return err;
	if (result.refusal) {
		report_refusal(context, &result);
		return 0;
	}
	if (measurement->job.command && context->options->passed)
		*context->options->passed =
			(struct passed_status){ .is_set = true, .status = result.command_status };
	err = measurement_predict(measurement, result.document, NULL);
	if (!err)
		err = measurement_add_machine(measurement, result.document);
	if (!err && arguments_of(measurement)->save)
		err = save(measurement, result.document);
	return err ? err : show(measurement, result.document);
}

int measure_run(struct context *context)
{
	_cleanup_measurement_ struct measurement measurement = {
		.context = context,
	};

	return run_request(&measurement);
}

static const char *const load_words[] = { "scalar", "avx2", "avx512", "tdp", NULL };

const struct option measure_run_options[] = {
	{ 0, "seconds", "SECONDS", "Measure for SECONDS seconds; default 10",
	  OPTION_NUMBER(struct measure_run_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "each", NULL, "Show every CPU on its own, with all that is known of it",
	  OPTION_FLAG(struct measure_run_arguments, each) },
	{ 0, "each-interval", NULL, "Show a table for each interval",
	  OPTION_FLAG(struct measure_run_arguments, each_interval) },
	{ 0, "interval", "SECONDS", "The length of an interval; default 1",
	  OPTION_NUMBER(struct measure_run_arguments, interval_s, 1, MAX_SECONDS) },
	{ 0, "load", "KIND[:SET]",
	  "Keep the measured CPUs, or those of SET, busy with scalar, avx2 or avx512 instructions",
	  OPTION_TEXTS(struct measure_run_arguments, loads), .words = load_words },
	{ 0, "pipe", "A,B", "Let two processes on these CPUs wake each other through pipes",
	  OPTION_TEXT(struct measure_run_arguments, pipe) },
	{ 0, "limits", NULL, "Read why the hardware limits frequencies",
	  OPTION_FLAG(struct measure_run_arguments, limits) },
	{ 0, "save", "FILE", "Save what was measured, and the state of the machine, for comparing",
	  OPTION_TEXT(struct measure_run_arguments, save), .path = OPTION_PATH_FILE },
	{ 0, "command", "-- COMMAND...", "Measure while this command runs; its status becomes ours",
	  OPTION_REST(struct measure_run_arguments, command), .path = OPTION_PATH_FILE },
	{ 0 },
};
