// SPDX-License-Identifier: GPL-2.0-only
/* The driver of the measure commands: common options, the run, and the check, saving and showing of
 * results (measure.md). */
#include "features/measure/common.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "host/cpuidle.h"
#include "host/kernel.h"
#include "host/run_directory.h"
#include "measure/saved.h"
#include "run/progress.h"

static const struct measure_arguments *arguments_of(const struct measurement *measurement)
{
	return measurement->context->request->arguments;
}

int measurement_begin(struct measurement *measurement, const struct measure_kind *kind,
		      const char *what)
{
	const struct measure_arguments *arguments = arguments_of(measurement);
	int err;

	measurement->kind = kind;
	measurement_check_named(measurement->context, arguments->all, what);
	measurement_check_save(measurement, arguments->save);
	measurement->requirements.tables = kind->tables;
	err = requirements_read(measurement->context, &arguments->requires, kind->unit,
				&measurement->requirements);
	return err ? err : measurement_find_cpus(measurement);
}

void measurement_check_named(struct context *context, bool all, const char *what)
{
	if (all && context->request->cpus)
		context_refuse_usage(context, "--all and --cpu cannot be used together");
	else if (what && !all && !context->request->cpus)
		context_refuse_usage(context, "%s: --cpu LIST or --all is needed", what);
}

static void find_c1_demotion(const char *text, struct measured_machine *machine)
{
	const bool is_on = text && strcmp(text, "1") == 0;
	const bool is_known = is_on || (text && strcmp(text, "0") == 0);

	machine->c1_demotion = is_known ? json_boolean(is_on) : json_null();
	if (!is_known)
		machine->c1_reason = text ? "intel_c1_demotion is neither 0 nor 1"
					  : "the kernel has no intel_c1_demotion";
}

int measurement_read_machine(struct measurement *measurement)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine idle = { 0 };
	_cleanup_free_ char *kernel = NULL;
	struct files *files = measurement->context->machine->host->files;
	struct measured_machine *machine = &measurement->machine;
	int err = cpuidle_read_machine(files, &idle);

	if (err != -ENOMEM)
		err = files_read_line(files, KERNEL_RELEASE, &kernel);
	if (err == -ENOMEM)
		return err;
	machine->kernel_reason = kernel ? NULL : KERNEL_RELEASE " cannot be read";
	machine->program = VERSION;
	machine->processor = measurement->context->machine->identity.model_name;
	if (kernel)
		machine->kernel = texts_take(&machine->texts, steal(kernel));
	find_c1_demotion(idle.c1_demotion, machine);
	return machine->texts.has_failed ? -ENOMEM : 0;
}

void measurement_end_early(struct measurement *measurement)
{
	struct context *context = measurement->context;

	context->plan.execution.is_over = true; /* this command reports a stop itself */
	if (measurement->job.command)
		measurement->job.stop_before = context->plan.execution.environment.stop;
	else
		measurement->job.stop = context->plan.execution.environment.stop;
	measurement->job.ends_early = true;
}

void measurement_note_end(struct context *context)
{
	if (context_is_stopped(context))
		context_note(context, NULL,
			     "ended early by a signal; what was measured before that is shown");
}

void measurement_announce(const struct context *context, const char *text, char *lines)
{
	const struct transaction_environment *environment = &context->plan.execution.environment;
	const bool dry_run = context->request->globals->dry_run;

	for (const char *line = text; line; line = strsep(&lines, "\n")) {
		_cleanup_free_ char *shown =
			text_format("Information: %s%s", line == text ? "" : " ", line);

		if (!*line)
			continue;
		if (dry_run)
			output_sentence(context->output, " %s", line);
		else if (environment->announce && shown)
			environment->announce(environment->data, shown);
	}
	if (environment->flush && !dry_run)
		environment->flush(environment->data);
}

void measurement_show_progress(const struct context *context, const char *things, uint64_t done,
			       uint64_t total)
{
	const struct transaction_environment *environment = &context->plan.execution.environment;

	if (!environment->progress || done >= total)
		return;
	((struct progress *)environment->data)->things = things;
	environment->progress(environment->data, done, total);
}

static void show_seconds(void *data, uint64_t done_ns)
{
	const struct measurement *measurement = data;

	measurement_show_progress(measurement->context, "seconds",
				  (measurement->waited_ns + done_ns) / NS_PER_S,
				  (measurement->total_ns ?: measurement->job.ns) / NS_PER_S);
}

int measurement_run(struct measurement *measurement, struct run_result *ret_result)
{
	struct context *context = measurement->context;
	struct run_job *job = &measurement->job;
	int err;

	/* on a model no time passes; a command and intervals have their own output */
	if (context->machine->host->workload->runs_commands && !job->command && !job->interval_ns)
		job->progress = show_seconds;
	job->data = measurement;
	job->sources.machine = context->machine;
	job->sources.cpus = &measurement->cpus;
	job->sources.isolated = &measurement->isolated;
	err = run_measure(job, ret_result);
	measurement->waited_ns += job->ns;

	/* the exit status reports an early end */
	if (err || !ret_result->refusal || (job->ends_early && ret_result->error == -EINTR))
		return err;
	context_report(context, NULL,
		       ret_result->error == -EOPNOTSUPP ? REPORT_UNSUPPORTED : REPORT_REFUSED, "%s",
		       ret_result->refusal);
	if (ret_result->command_failed && context->request->passed)
		*context->request->passed = (struct passed_status){
			.is_set = true,
			.status =
				ret_result->error == -ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN,
		};
	return 0;
}

json_t *measurement_make_document(struct measurement *measurement, const void *result)
{
	const struct measure_kind *kind = measurement->kind;
	_cleanup_json_ json_t *document = json_write_fields(kind->fields, result);
	int err = document ? 0 : -ENOMEM;

	if (!err && !measurement->machine.program)
		err = measurement_read_machine(measurement);
	if (!err && kind->has_machine_last)
		err = requirements_add(&measurement->requirements, document);
	if (!err)
		json_write_to(document, measured_machine_fields, &measurement->machine);
	if (!err && !kind->has_machine_last)
		err = requirements_add(&measurement->requirements, document);
	return err ? NULL : steal(document);
}

int measurement_finish(const struct measurement *measurement, json_t *document,
		       const json_t *samples, const void *result)
{
	struct context *context = measurement->context;
	int err = document ? 0 : -ENOMEM;

	if (!err && arguments_of(measurement)->save)
		err = measurement_save(measurement, document, samples);
	if (err)
		return err;
	context->report.n_results++;
	json_object_del(document, SAVED_DOCUMENT);
	if (output_is_json(context->output))
		output_json_members(context->output, document);
	else
		err = measurement->kind->show(measurement, result);
	return err ?: requirements_finish(context, &measurement->requirements);
}
