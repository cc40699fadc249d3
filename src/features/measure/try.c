// SPDX-License-Identifier: GPL-2.0-only
/* measure try: measures runs without and with a state document in turn, restores the settings after
 * each, and estimates what the document changes (measure.md, "try"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/state.h"
#include "host/change_log.h"
#include "measure/run_figures.h"
#include "measure/saved.h"
#include "measure/trial.h"
#include "run/carry_out.h"
#include "run/writer.h"
#include "state/apply.h"

#define DEFAULT_RUNS    6
#define MOST_RUNS       1000
#define DEFAULT_SECONDS 10
#define MAX_SECONDS     86400
#define FAR_RESIDUAL    4 /* standard deviations; a run beyond this is named */
#define UNRECORDED      2 /* runs: one of each side */

struct
try {
	struct measurement measurement;
	const struct measure_try_arguments *arguments;
	size_t runs; /* per side */
	struct requirements requirements;
	struct document document;
	struct journaled journaled; /* one temporary transaction for all runs */
	bool is_recorded; /* all its stages are in the change journal */
	size_t n_settings; /* number of settings that the document changes */
	struct trial_result result;
	struct texts texts; /* of the result */
	bool command_failed;
};

static void try_done(struct try *try)
{
	measurement_done(&try->measurement);
	document_done(&try->document);
	journaled_done(&try->journaled);
	requirements_done(&try->requirements);
	json_free_fields(trial_result_fields, &try->result);
	texts_done(&try->texts);
}

/* What is requested. */

static const struct measure_kind kind = {
	.command = "try",
	.unit = "%",
	.tables = { trial_sample_fields },
	.fields = trial_result_fields,
	.show = measure_try_show,
};

/* Reads what is to run. A mistake is reported. */
static int read_work(struct try *try)
{
	const struct measure_try_arguments *arguments = try->arguments;
	struct measurement *measurement = &try->measurement;
	struct context *context = measurement->context;
	int err = measurement_begin_work(measurement, &kind);

	if (err)
		return err;
	/* this command checks them against complete intervals */
	try->requirements = steal(measurement->requirements);
	if (!!arguments->work.loads.count + !!arguments->work.pipe + !!measurement->job.command !=
	    1)
		context_refuse_usage(context, "one of --load, --pipe and a command after -- is "
					      "expected");
	if (arguments->seconds.given && measurement->job.command)
		context_refuse_usage(context, "--seconds: a command runs as long as it takes");
	return 0;
}

static int read_request(struct try *try)
{
	const struct measure_try_arguments *arguments = try->arguments;
	struct context *context = try->measurement.context;
	const struct sink save = sink_choose(arguments->work.common.save, true);
	int err = read_work(try);

	try->runs = measurement_option(&arguments->runs, DEFAULT_RUNS);
	if (try->runs % 2)
		context_refuse_usage(context,
				     "--runs %zu: an even number is expected, so that a "
				     "drift does not count",
				     try->runs);
	if (arguments->work.common.save && sink_is_file(&save, arguments->file))
		context_refuse_usage(context, "--save %s: it is the document that is tried",
				     arguments->work.common.save);
	if (!err && !report_has_problem(&context->report))
		err = state_read_document(context, arguments->file, &try->document);
	if (!err && !report_has_problem(&context->report))
		state_has_platform(context, &try->document);
	try->measurement.job.ns =
		measurement_option(&arguments->seconds, DEFAULT_SECONDS) * NS_PER_S;
	if (try->measurement.job.command)
		try->measurement.job.ns = NS_PER_S; /* at least; a command is measured to its end */
	return err;
}

/* What will be changed. */

/* Records a stage when it is made for the first time. */
static int record(void *data, const struct change_list *list, size_t first, size_t count,
		  const struct target_value *found, char **ret_reason)
{
	struct try *try = data;

	return try->is_recorded
		       ? 0
		       : journaled_record(&try->journaled, list, first, count, found, ret_reason);
}

/* Removes the published list of fast cores before the first write. */
static int before_writes(void *data, const struct comparison *comparison)
{
	struct try *try = data;
	struct context *context = try->measurement.context;

	if (context->plan.execution.is_withdrawn || comparison->count == 0)
		return 0;
	return carry_out_withdraw(context) ? 0 : -ECANCELED;
}

static struct state_apply open_apply(struct try *try, struct change_list *plan)
{
	struct context *context = try->measurement.context;
	struct transaction_environment environment = context->plan.execution.environment;

	environment.progress = NULL; /* the progress of runs is shown instead */
	environment.record = record;
	environment.record_data = try;
	return (struct state_apply){
		.host = context->request->host,
		.document = &try->document,
		.report = &context->report,
		.plan = plan,
		.environment = environment,
		.before = before_writes,
		.data = try,
		.report_outcome = carry_out_report,
	};
}

static bool is_daemon_running(const struct context *context)
{
	_cleanup_lock_ struct lock *lock = NULL;
	pid_t pid;

	return lock_take_pid_file(context->request->host->run_directory, DAEMON_NAME, &lock,
				  &pid) == -EBUSY;
}

static bool changes_level(const struct wanted_state *wanted)
{
	for (size_t i = 0; i < wanted->state->places[PLACE_DOMAIN].count; i++) {
		if (wanted->levels[i].is_changed)
			return true;
	}
	return false;
}

/* Refuses a document that needs --allow-offline, and work on CPUs that will be offline. Only CPUs
 * that stay online are measured. */
static int check_offline(struct try *try, const struct wanted_state *wanted)
{
	struct measurement *measurement = &try->measurement;
	struct context *context = measurement->context;
	_cleanup_cpuset_ struct cpuset leaving = { 0 };
	int err = cpuset_copy(&leaving, &context->machine->topology.online);

	if (err)
		return err;
	cpuset_remove_all(&leaving, &wanted->online);
	if (!try->arguments->allow_offline) {
		_cleanup_free_ char *list = cpuset_format_ranges(&leaving);

		if (!cpuset_is_empty(&leaving))
			context_refuse_usage(context,
					     "%s takes CPUs %s offline: tasks and interrupts move, "
					     "and might not move back; --allow-offline permits it",
					     try->document.file, list ?: "?");
		else if (changes_level(wanted) && is_daemon_running(context))
			context_refuse_usage(
				context,
				"%s changes the level while the daemon runs, which may "
				"take CPUs offline; --allow-offline permits it",
				try->document.file);
	}
	cpuset_remove_all(&measurement->cpus, &leaving);
	for (size_t i = 0; i < measurement->job.n_loads; i++) {
		cpuset_remove_all(&measurement->job.loads[i].cpus, &leaving);
		if (cpuset_is_empty(&measurement->job.loads[i].cpus))
			context_refuse_usage(context, "--load %s: %s takes all its CPUs offline",
					     try->arguments->work.loads.list[i],
					     try->document.file);
	}
	for (size_t i = 0; i < ARRAY_SIZE(measurement->job.pipe_cpus); i++) {
		if (measurement->job.has_pipe &&
		    cpuset_has(&leaving, measurement->job.pipe_cpus[i]))
			context_refuse_usage(context, "--pipe: %s takes CPU %" PRIu32 " offline",
					     try->document.file, measurement->job.pipe_cpus[i]);
	}
	if (cpuset_is_empty(&measurement->cpus))
		context_refuse_usage(context, "%s takes all measured CPUs offline",
				     try->document.file);
	return 0;
}

/* How long all runs take, in seconds. */
static uint64_t estimate_s(const struct try *try, double run_s)
{
	return (uint64_t)ceil((double)(2 * try->runs + UNRECORDED) * run_s);
}

/* Reports which settings will be changed, and for how long, or shows this in a dry run. */
static int announce(struct try *try, const struct comparison *comparison)
{
	struct context *context = try->measurement.context;
	_cleanup_buffer_ struct buffer text = { 0 };
	_cleanup_free_ char *head = NULL;
	int err = comparison_write(comparison, " -> ", &text);

	if (err)
		return err;
	try->n_settings = comparison->count;
	if (try->measurement.job.command)
		head = text_format("set %zu times while the command runs, and restored after each:",
				   try->runs + 1);
	else
		head = text_format("set %zu times for %" PRIu64 " s each, within about %" PRIu64
				   " s, and restored after each:",
				   try->runs + 1, try->measurement.job.ns / NS_PER_S,
				   estimate_s(try, (double)(try->measurement.job.ns / NS_PER_S)));
	if (comparison->count == 0)
		context_note(
			context, NULL,
			"%s changes nothing on this machine: runs with and without it have the "
			"same settings",
			try->document.file);
	else if (head)
		measurement_announce(context, head, text.data);
	return head ? 0 : -ENOMEM;
}

/* Compares the machine with the document, and refuses what cannot be tried. */
static int prepare(struct try *try)
{
	struct context *context = try->measurement.context;
	_cleanup_state_apply_ struct state_apply apply = open_apply(try, NULL);
	int err = state_apply_compare(&apply, true);

	if (err || report_has_problem(&context->report))
		return err;
	err = check_offline(try, &apply.comparing.wanted);
	if (err || report_has_problem(&context->report))
		return err;
	err = announce(try, &apply.comparing.comparison);
	if (err || context->request->globals->dry_run)
		return err;
	err = before_writes(try, &apply.comparing.comparison);
	return err == -ECANCELED ? 0 : err;
}

/* Runs. */

/* Reports why a run failed. */
static void report_failure(struct try *try, const struct run_result *result)
{
	struct context *context = try->measurement.context;
	int status = COMMAND_FAILED;

	if (result->error == -EOPNOTSUPP)
		context_lack(context, NULL, "%s", result->refusal);
	else if (result->refusal)
		context_refuse(context, NULL, "%s", result->refusal);
	else
		context_refuse(context, NULL, "%s ended with status %d: the trial ends",
			       try->measurement.job.command[0], result->command_status);
	if (result->refusal && !result->command_failed)
		return;
	if (result->command_failed)
		status = result->error == -ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN;
	try->command_failed = true;
	*context->request->passed = (struct passed_status){ .is_set = true, .status = status };
}

/* Measures one run. A failure is reported, and *ret_has_run is false then. */
static int run_work(struct try *try, struct run_result *result, bool *ret_has_run)
{
	struct measurement *measurement = &try->measurement;
	struct context *context = measurement->context;
	int err;

	measurement->job.stop = context->plan.execution.environment.stop;
	measurement->job.sources = (struct sources_options){
		.machine = context->machine,
		.cpus = &measurement->cpus,
		.isolated = &measurement->isolated,
		.with_stolen = measurement->job.n_loads > 0,
	};
	err = run_measure(&measurement->job, result);
	if (err)
		return err;
	*ret_has_run = !result->refusal && !result->command_status;
	if (!*ret_has_run)
		report_failure(try, result);
	return 0;
}

/* Measures a run of a side, and restores the settings that were found. A failure is reported;
 * *ret_has_run stays false then. */
static int run_side(struct try *try, bool is_with, struct run_result *result, bool *ret_has_run)
{
	struct context *context = try->measurement.context;
	_cleanup_change_list_ struct change_list plan = { 0 };
	_cleanup_state_apply_ struct state_apply apply = open_apply(try, &plan);
	int err = 0;

	apply.environment.announce = NULL;
	context->report.drops_notes = true; /* prepare() has shown them */
	if (is_with)
		err = state_apply_compare(&apply, true);
	if (is_with && !err && !report_has_problem(&context->report))
		err = state_apply_carry_out(&apply);
	comparing_done(&apply.comparing); /* freed before the writes of the undo */
	try->is_recorded = try->is_recorded || (is_with && !err);
	if (!err && !report_has_problem(&context->report))
		err = run_work(try, result, ret_has_run);
	state_apply_undo(&apply);
	context->report.drops_notes = false;
	return err == -ECANCELED ? 0 : err;
}

/* Stores the figures of a run. */
static int add_sample(struct try *try, bool is_with, const struct run_window *window)
{
	struct trial_result *result = &try->result;
	struct trial_sample *sample =
		array_add(&result->samples, &result->n_samples, sizeof(*sample));

	if (!sample)
		return -ENOMEM;
	*sample = (struct trial_sample){ .run = (uint32_t)result->n_samples, .is_with = is_with };
	for (enum run_figure i = 0; i < RUN_FIGURES; i++) {
		const struct figure figure = run_figure_get(window, i);

		sample->figures[i] = figure_is_known(&figure)
					     ? figure_make_exact(figure.value)
					     : figure_make_missing(texts_take(
						       &try->texts, strdup(figure.about)));
	}
	return try->texts.has_failed ? -ENOMEM : 0;
}

/* Reports required figures that are missing after the first run. */
static void take_first(struct try *try, const struct run_window *window)
{
	for (size_t i = 0; i < try->requirements.count; i++) {
		const struct requirement *requirement = &try->requirements.list[i];
		const struct figure figure =
			run_figure_get(window, run_figure_find(requirement->figure));

		if (!figure_is_known(&figure))
			context_lack(try->measurement.context, NULL,
				     "--require %s: there is no %s: %s", requirement->text,
				     requirement->figure, figure.about);
	}
}

/* Runs all sides: first one run of each that does not count, then without, with, with, without. */
static int run_all(struct try *try)
{
	struct context *context = try->measurement.context;
	const size_t total = 2 * try->runs + UNRECORDED;

	for (size_t i = 0; i < total; i++) {
		const bool is_with = i < UNRECORDED ? i == 1 : trial_is_with(i - UNRECORDED);
		_cleanup_run_result_ struct run_result result = { 0 };
		bool has_run = false;
		int err = 0;

		measurement_show_progress(context, "runs", i, total);
		if (!context_is_stopped(context))
			err = run_side(try, is_with, &result, &has_run);
		has_run = has_run && !err && !report_has_problem(&context->report);
		if (has_run && i == 0)
			take_first(try, &result.window);
		if (err || !has_run || report_has_problem(&context->report))
			return err;
		if (i >= UNRECORDED)
			err = add_sample(try, is_with, &result.window);
		if (err)
			return err;
	}
	return 0;
}

/* Restores settings that are still changed, ends the transaction, and publishes the fast cores. */
static void finish_changes(struct try *try)
{
	struct context *context = try->measurement.context;

	if (try->journaled.journal) {
		journaled_done(&try->journaled);
		writer_recover(context);
	}
	if (context->plan.execution.is_withdrawn)
		carry_out_publish(context, STATUS_DONE);
}

/* Results. */

/* Returns the values of a figure in all runs; or NULL, and *ret_reason if a run lacks it. */
static double *take_values(const struct try *try, enum run_figure figure, const char **ret_reason)
{
	_cleanup_free_ double *values = calloc(2 * try->runs, sizeof(*values));

	for (size_t i = 0; i < 2 * try->runs && values; i++) {
		const struct figure *of_run = &try->result.samples[i].figures[figure];

		if (!figure_is_known(of_run)) {
			*ret_reason = of_run->about;
			return NULL;
		}
		values[i] = of_run->value;
	}
	return steal(values);
}

static int make_figure(const struct try *try, enum run_figure figure, const double *values,
		       struct trial_figure *to)
{
	_cleanup_free_ double *residuals = calloc(2 * try->runs, sizeof(*residuals));
	struct trial trial;

	if (!residuals || trial_of_runs(values, try->runs, residuals, &trial))
		return -EDOM;
	*to = (struct trial_figure){
		.figure = run_figure_name(figure),
		.without = figure_make_exact(trial.without),
		.with = figure_make_exact(trial.with),
		.change_percent = trial_percent(true, trial.change),
		.low_percent = trial_percent(true, trial.low),
		.high_percent = trial_percent(true, trial.high),
		.result = trial_word(trial.verdict),
		.drifts = trial.drifts,
		.drift_percent = trial_percent(true, trial.drift),
		.deviation_percent = trial_percent(true, expm1(trial.deviation)),
	};
	for (size_t i = 0; i < 2 * try->runs; i++) {
		if (fabs(residuals[i]) > FAR_RESIDUAL &&
		    cpuset_add(&to->far_off, (uint32_t)(i + 1)))
			return -ENOMEM;
	}
	return 0;
}

static int make_figures(struct try *try)
{
	struct trial_result *result = &try->result;

	for (enum run_figure i = 0; i < RUN_FIGURES; i++) {
		const char *reason = NULL;
		_cleanup_free_ double *values = run_figure_find_lack(&try->measurement.job, i)
							? NULL
							: take_values(try, i, &reason);
		struct trial_figure figure;

		if (values && make_figure(try, i, values, &figure) == 0) {
			struct trial_figure *to =
				array_add(&result->figures, &result->n_figures, sizeof(*to));

			if (!to)
				return -ENOMEM;
			*to = figure;
		} else if (reason) {
			struct trial_lack *to =
				array_add(&result->missing, &result->n_missing, sizeof(*to));

			if (!to)
				return -ENOMEM;
			*to = (struct trial_lack){ run_figure_name(i), reason };
		}
	}
	return 0;
}

/* Checks the requirements: the complete interval must be on the required side. */
static int check_requirements(struct try *try)
{
	struct context *context = try->measurement.context;
	struct trial_result *result = &try->result;

	result->requirements = calloc(try->requirements.count + 1, sizeof(*result->requirements));
	if (!result->requirements)
		return -ENOMEM;
	for (size_t i = 0; i < try->requirements.count; i++) {
		const struct requirement *requirement = &try->requirements.list[i];
		bool is_met = false;

		for (size_t j = 0; j < result->n_figures; j++) {
			const struct trial_figure *figure = &result->figures[j];

			if (strcmp(figure->figure, requirement->figure) != 0 ||
			    !figure_is_known(&figure->low_percent) ||
			    !figure_is_known(&figure->high_percent))
				continue;
			is_met = requirement->is_less
					 ? figure->high_percent.value < requirement->number
					 : figure->low_percent.value > requirement->number;
		}
		context->report.has_differences = context->report.has_differences || !is_met;
		result->requirements[result->n_requirements++] =
			(struct trial_requirement){ requirement->text, is_met };
	}
	return 0;
}

/* Lists what ran: the kinds of load, "pipe" or "command". */
static void make_work(const struct run_job *job, struct texts *work)
{
	for (size_t i = 0; i < job->n_loads; i++)
		texts_take(work, strdup(load_kind_name(job->loads[i].kind)));
	if (job->has_pipe)
		texts_take(work, strdup(load_kind_name(LOAD_PIPE)));
	if (job->command)
		texts_take(work, strdup("command"));
}

static int make_result(struct try *try)
{
	struct trial_result *result = &try->result;
	int err = make_figures(try);

	if (!err)
		err = check_requirements(try);
	result->runs = figure_make_count(try->runs, NULL);
	result->document_file = try->document.file;
	make_work(&try->measurement.job, &result->work);
	return err || result->work.has_failed ? -ENOMEM : 0;
}

static int finish(struct try *try)
{
	struct measurement *measurement = &try->measurement;
	_cleanup_json_ json_t *document = NULL, *samples = NULL;
	int err = make_result(try);

	if (err)
		return err;
	document = measurement_make_document(measurement, &try->result);
	samples = json_incref(json_object_get(document, RESULT_SAMPLES));
	json_object_del(document, RESULT_SAMPLES);
	json_object_set(document, SAVED_DOCUMENT, try->document.json);
	return measurement_finish(measurement, document, samples, &try->result);
}

/* Takes the lock, and tries the document. Returns the status of the lock in *ret_status. */
static int try_document(struct try *try, enum status *ret_status)
{
	struct context *context = try->measurement.context;
	const struct globals *globals = context->request->globals;
	_cleanup_lock_ struct lock *lock = NULL;
	int err = 0;

	if (!globals->dry_run)
		*ret_status = writer_begin(context, &lock);
	if (*ret_status != STATUS_DONE)
		return 0;
	err = prepare(try);
	if (!err && !report_has_problem(&context->report) && !globals->dry_run) {
		if (try->n_settings)
			change_log_send(context->request->host, globals->argc, globals->argv,
					"sets %zu settings %zu times for a while", try->n_settings,
					try->runs + 1);
		err = run_all(try);
	}
	finish_changes(try);
	if (globals->dry_run)
		return err;
	if (context_is_stopped(context))
		report_add(&context->report, REPORT_REFUSED, "a stop was requested");
	if (err || report_has_problem(&context->report))
		return err;
	return finish(try);
}

int measure_try(struct context *context)
{
	_cleanup_(try_done) struct try try = {
		.measurement.context = context,
		.arguments = context->request->arguments,
		.journaled = {
			.host = context->request->host,
			.topology = &context->machine->topology,
			.transaction = {
				.argc = context->request->globals->argc,
				.argv = context->request->globals->argv,
				.temporary = true,
			},
		},
	};
	enum status status = STATUS_DONE;
	int err;

	context->plan.execution.is_over = true; /* this command reports a stop itself */
	err = read_request(&try);
	if (!err && !report_has_problem(&context->report))
		err = try_document(&try, &status);
	/* only a failure of the command sets its own exit status */
	if (!err && !try.command_failed && context->request->passed)
		*context->request->passed = (struct passed_status){
			.is_set = true,
			.status = (int)(status != STATUS_DONE ? status
							      : report_status(&context->report)),
		};
	return err;
}

const struct option measure_try_options[] = {
	{ 0, "file", "FILE", "The state document that is tried, or - for standard input",
	  OPTION_TEXT(struct measure_try_arguments, file), .required = true, .positional = true,
	  .path = OPTION_PATH_FILE },
	MEASURE_ALL,
	{ 0, "runs", "N", "Runs of each side, an even number (default 6)",
	  OPTION_NUMBER(struct measure_try_arguments, runs, TRIAL_MIN_RUNS, MOST_RUNS) },
	{ 0, "seconds", "TIME", "Length of a run of --load and --pipe (default 10s)",
	  OPTION_SECONDS(struct measure_try_arguments, seconds, 1, MAX_SECONDS) },
	MEASURE_LOADS,
	MEASURE_REQUIRE(
		"FIGURE<PERCENT%",
		"Exit status 6 unless the whole interval of the change is below (or above, with >) "
		"the number"),
	{ 0, "allow-offline", NULL, "The document may take CPUs offline",
	  OPTION_FLAG(struct measure_try_arguments, allow_offline) },
	MEASURE_SAVE("all runs"),
	MEASURE_COMMAND("Command of each run; if it fails once the trial ends with 125"),
	{ 0 },
};
