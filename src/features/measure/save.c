// SPDX-License-Identifier: GPL-2.0-only
/* --save of the measure commands: saves the results with the machine, time and settings
 * (measure.md). */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/option.h"
#include "features/measure/measure.h"
#include "host/change_log.h"
#include "measure/saved.h"
#include "run/context.h"
#include "state/export.h"

void measurement_check_save(struct measurement *measurement, const char *file)
{
	const struct sink sink = sink_choose(file, true);
	int err = file ? sink_check(&sink) : 0;

	change_log_format_now(measurement->time);
	if (err)
		context_refuse(measurement->context, NULL, "--save %s: %s", file,
			       sink_problem(&sink, err));
}

/* The work as the user gave it: the words of --load, --pipe and the command. NULL: no memory. */
static json_t *pack_work(const struct measurement *measurement)
{
	const struct measure_work_arguments *work = measurement->work;
	json_t *words = json_array();

	for (size_t i = 0; work && i < work->loads.count; i++) {
		json_array_append_new(words, json_string("--load"));
		json_array_append_new(words, json_string(work->loads.list[i]));
	}
	if (work && work->pipe) {
		json_array_append_new(words, json_string("--pipe"));
		json_array_append_new(words, json_string(work->pipe));
	}
	if (measurement->job.command)
		json_array_append_new(words, json_string("--"));
	for (char *const *word = measurement->job.command; word && *word; word++)
		json_array_append_new(words, json_string(*word) ?: json_string("?"));
	return words;
}

/* The members that identify the machine, date and work of a file. NULL: no memory. */
static json_t *make_head(const struct measurement *measurement)
{
	char host[HOST_NAME_MAX + 1] = "";

	if (gethostname(host, sizeof(host) - 1))
		host[0] = '\0';
	return json_pack("{s:s, s:i, s:s, s:s?, s:s?, s:s, s:o}", "format", SAVED_RUN_FORMAT,
			 "version", SAVED_RUN_VERSION, "command", measurement->kind->command,
			 HOST_MODEL_MEMBER, measurement->context->request->host->model.name, "host",
			 *host ? host : NULL, "time", measurement->time, "given-work",
			 pack_work(measurement));
}

/* Adds the state of the machine as a document, and its description. */
static int add_state(const struct measurement *measurement, json_t *saved)
{
	struct context *context = measurement->context;
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	const char *names[N_SETTINGS + 1] = { NULL };
	const struct export_options options = {
		.only = cpuset_is_empty(&measurement->isolated) ? NULL : names,
		.not_asked = &measurement->isolated,
	};
	_cleanup_free_ char *text = NULL;
	size_t n_names = 0;
	int err;

	/* reading the other settings would interrupt isolated CPUs */
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (!(setting_get(id)->flags & SETTING_ASKS_CPU))
			names[n_names++] = setting_get(id)->path;
	}
	err = state_machine_init(&state, context->machine, context->platform, true);
	if (!err)
		err = export_make(&state, &options, &text, &remarks);
	if (err)
		return err;
	/* while state exists, no request to the driver is repeated */
	err = measurement_describe(measurement, saved);
	if (!err && json_object_set_new(saved, SAVED_STATE, json_loads(text, 0, NULL)))
		err = -ENOMEM;
	return err;
}

int measurement_save(const struct measurement *measurement, const json_t *document,
		     const json_t *samples)
{
	const struct measure_arguments *arguments = measurement->context->request->arguments;
	const char *file = arguments->save;
	const struct sink sink = sink_choose(file, true);
	_cleanup_json_ json_t *saved = make_head(measurement);
	_cleanup_free_ char *text = NULL;
	int err;

	json_object_update(saved, (json_t *)(uintptr_t)document);
	json_object_set(saved, RESULT_SAMPLES, (json_t *)(uintptr_t)samples);
	err = saved ? add_state(measurement, saved) : -ENOMEM;
	if (err)
		return err;
	text = json_dumps(saved, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	if (!text)
		return -ENOMEM;
	err = sink_write(&sink, text, strlen(text));
	if (err)
		context_refuse(measurement->context, NULL, "--save %s: %s", file,
			       sink_problem(&sink, err));
	return 0;
}
