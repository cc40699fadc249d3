// SPDX-License-Identifier: GPL-2.0-only
/* state: a node's settings as one document: exported, compared, applied as one transaction,
 * restored (docs/spec/state.md). */
#include "features/features.h"
#include "features/state.h"
#include "features/state_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/output.h"
#include "run/carry_out.h"
#include "run/setting.h"
#include "run/writer.h"
#include "host/run_directory.h"
#include "settings/families.h"
#include "state/apply.h"
#include "state/export.h"

#define MAX_WAIT_S 3600

static void job_done(void *data)
{
	struct state_job *job = data;

	document_done(&job->document);
	json_decref(job->changes);
	cpuset_done(&job->before);
	cpuset_done(&job->unread);
	buffer_done(&job->lines);
	if (job->zones)
		power_zones_done(job->zones);
	free(job->zones);
}

/* The job of the command, new at its first attempt; NULL: no memory. */
static struct state_job *open_job(struct context *context)
{
	if (!context->plan.data) {
		context->plan.data = calloc(1, sizeof(struct state_job));
		context->plan.data_done = job_done;
	}
	return context->plan.data;
}

int state_read_document(struct context *context, const char *file, struct document *ret_document)
{
	bool is_stdin = strcmp(file, "-") == 0;
	const char *name = is_stdin ? "standard input" : file;
	_cleanup_free_ char *problem = NULL;
	int err = is_stdin ? document_read(stdin, name, ret_document, &problem)
			   : document_read_file(file, ret_document, &problem);

	if (!err || err == -ENOMEM)
		return err;
	context->attempt.is_wrong = true;
	if (problem)
		context_refuse_usage(context, "%s", problem);
	else
		context_refuse_usage(context, "%s cannot be read: %s", name, strerror(-err));
	return 0;
}

/* Reads the document of the command line, once. */
static int read_document(struct context *context, struct state_job *job)
{
	const struct state_arguments *arguments = context->request->arguments;

	return job->document.json ? 0
				  : state_read_document(context, arguments->file, &job->document);
}

const char *state_find_missing_sst(const struct context *context)
{
	if (!identity_has_sst(&context->machine->identity))
		return NULL;
	return context->platform ? context->platform->unserved : context->lacks_platform;
}

/* Does the command wait for missing devices? */
static bool is_waiting(const struct context *context)
{
	size_t offset = context->request->command->wait_offset;
	const char *arguments = context->request->arguments;

	return offset && ((const struct option_number *)(const void *)(arguments + offset))->given;
}

void state_report_no_platform(struct context *context, const char *what)
{
	int err = context->platform ? -ENOTSUP : context->platform_error;
	enum report_kind kind = err == -ENOTSUP ? REPORT_UNSUPPORTED : report_kind_of(err);

	context->attempt.lacks_driver = kind != REPORT_NOT_PERMITTED;
	if (state_find_missing_sst(context) && !(err == -ENOTSUP && is_waiting(context)))
		kind = REPORT_REFUSED;
	context_report(context, NULL, kind, "%s: %s", what,
		       state_find_missing_sst(context) ?: context->lacks_platform
							 ?: "this machine has no Speed Select");
}

bool state_has_platform(struct context *context, const struct document *document)
{
	_cleanup_free_ char *what = NULL, *path = NULL;

	if (state_find_missing_sst(context) ? !document->names_sst
					    : context->platform || !document->has_sst)
		return true;
	path = document_path(document,
			     &document->entries[document->sst_entry].values[document->sst_value]);
	what = text_format("%s: %s is a setting of Speed Select", document->file,
			   path ?: "a setting");
	state_report_no_platform(context, what ?: "the document");
	return false;
}

/* Notes settings that an export could not read. */
static void note_incomplete(struct context *context, const struct document *document)
{
	const json_t *list = json_object_get(document->json, "incomplete"), *text;
	size_t i;

	json_array_foreach (list, i, text)
		context_note(context, NULL, "%s is incomplete: %s", document->file,
			     json_string_value(text));
}

static int put(struct context *context, const char *flag, bool value, const char *name,
	       json_t *differences, const char *lines)
{
	output_json_member(context->output, flag, json_boolean(value));
	output_json_member(context->output, name, differences);
	output_text(context->output, lines);
	return 0;
}

/* Adds a note if another instance is writing. */
static bool note_writer(struct context *context)
{
	_cleanup_free_ char *holder = NULL;

	if (!lock_is_held(context->request->host->run_directory, &holder))
		return false;
	context_note(context, NULL,
		     "another instance is setting this machine (%s): the result may be transient",
		     holder ?: "another process");
	return true;
}

/* Notes the levels that the document has set, so that the daemon does not follow them. */
static int note_levels(struct context *context, const struct state_job *job,
		       const struct wanted_state *wanted)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	const struct state_row *row = state_rows_find(&wanted->rows, level_row.setting, 0, NULL);
	_cleanup_free_ struct follow_domain *set = calloc(domains->count ?: 1, sizeof(*set));
	size_t n_set = 0;

	if (!set)
		return -ENOMEM;
	for (size_t i = 0; row && i < domains->count; i++) {
		if (row->values[i].kind == STATE_NUMBER &&
		    !cpuset_is_empty(&domains->list[i].domain->cpus))
			set[n_set++] = (struct follow_domain){
				.domain = domains->list[i].domain,
				.level_number = wanted->levels[i].number,
			};
	}
	return n_set ? setting_note_levels(context, set, n_set, &job->before) : 0;
}

/* Removes turbo from the settings that were changed; it has one line. */
static void drop_turbo(struct state_job *job)
{
	json_t *machine = json_object_get(job->changes, "machine");
	char *line = job->lines.data ? strstr(job->lines.data, "machine cpufreq.turbo: ") : NULL;
	const char *next;

	json_object_del(machine, "cpufreq.turbo");
	if (json_object_size(machine) == 0)
		json_object_del(job->changes, "machine");
	job->has_changes = json_object_size(job->changes);
	if (!line)
		return;
	next = strchr(line, '\n') + 1;
	memmove(line, next, strlen(next) + 1);
	job->lines.length -= (size_t)(next - line);
}

/* Ends a successful apply: notes levels for the daemon, and shows what was changed. */
static int finish(struct context *context, struct state_job *job,
		  const struct comparison *comparison)
{
	int err = note_levels(context, job, comparison->wanted);

	if (err)
		return err;
	if (comparison->view.lacks_turbo)
		drop_turbo(job);
	return put(context, "changed", job->has_changes, "changes", json_incref(job->changes),
		   buffer_text(&job->lines));
}

/* Finds packages that cannot be queried before the first stage brings their CPUs online. */
static int find_unread(struct state_job *job, const struct wanted_state *wanted)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		const struct place *domain = &domains->list[i];

		if (wanted_brings_online(wanted, domain) &&
		    cpuset_add(&job->unread, domain->package))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the changes in these packages to the list, except those of cores, policies and CPUs. */
static int add_late_changes(struct state_job *job, const struct comparison *comparison)
{
	struct comparison late = *comparison;
	_cleanup_free_ struct difference *list = calloc(comparison->count ?: 1, sizeof(*list));
	_cleanup_json_ json_t *changes = NULL;
	json_t *settings;
	const char *place;

	if (!list)
		return -ENOMEM;
	late.list = list;
	late.count = 0;
	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];
		enum place_kind kind = comparison_row(comparison, difference)->places->kind;

		if (kind > PLACE_MACHINE && kind < PLACE_CORE &&
		    cpuset_has(&job->unread, comparison_place(comparison, difference)->package))
			list[late.count++] = *difference;
	}
	job->has_changes = job->has_changes || late.count;
	changes = comparison_to_json(&late, "was", "now");
	json_object_foreach (changes, place, settings) {
		/* locations may share objects */
		_cleanup_json_ json_t *all = json_copy(json_object_get(job->changes, place));

		if ((all && json_object_update_missing(all, settings)) ||
		    json_object_set(job->changes, place, all ?: settings))
			return -ENOMEM;
	}
	return changes ? comparison_write(&late, " -> ", &job->lines) : -ENOMEM;
}

/* Lists what a stage changes, before it is planned. */
static int list_changes(void *data, const struct comparison *comparison)
{
	struct context *context = data;
	struct state_job *job = context->plan.data;
	int err;

	if (context->plan.execution.transaction)
		return add_late_changes(job, comparison);
	json_decref(job->changes);
	buffer_done(&job->lines);
	err = cpuset_copy(&job->before, &context->machine->topology.online);
	job->has_changes = comparison->count;
	job->changes = comparison_to_json(comparison, "was", "now");
	if (!err)
		err = comparison_write_demoted(comparison, &job->lines);
	if (!err)
		err = comparison_write(comparison, " -> ", &job->lines);
	return err ?: find_unread(job, comparison->wanted);
}

/* Uses the machine of the command, and reads it again after changes. */
static int open_machine(struct state_apply *apply)
{
	struct context *context = apply->data;
	int err = apply->machine ? context_reopen(context) : 0;

	apply->machine = context->machine;
	apply->platform = context->platform;
	return err;
}

/* Carries out what was added to the plan. Returns 0, -ENOMEM, or -ECANCELED after it reported that
 * all was undone. */
static int carry_out(struct context *context, bool is_last)
{
	const struct transaction_outcome *outcome;
	int err = carry_out_plan(context, is_last, &outcome);

	if (!err && outcome->failed)
		err = -ECANCELED;
	return err;
}

/* Carries out a stage, as a part of the command's transaction. */
static int make_changes(struct state_apply *apply)
{
	struct context *context = apply->data;

	if (context_is_stopped(context) || !carry_out_can_begin(context) ||
	    !setting_keep_map(context))
		return -ECANCELED;
	return carry_out(context, false);
}

static struct state_apply open_apply(struct context *context, struct state_job *job)
{
	context->targets.has_reported_cpus = true;
	return (struct state_apply){
		.document = &job->document,
		.report = &context->report,
		.plan = &context->plan.changes,
		.notes_unplaced = true,
		.zones = steal(job->zones),
		.open = open_machine,
		.make = make_changes,
		.before = list_changes,
		.data = context,
	};
}

static int check(struct context *context)
{
	_cleanup_state_apply_ struct state_apply apply = { 0 };
	const struct comparison *comparison = &apply.comparing.comparison;
	_cleanup_buffer_ struct buffer lines = { 0 };
	struct state_job *job = open_job(context);
	int err = job ? read_document(context, job) : -ENOMEM;
	bool is_noted;

	if (err || report_has_problem(&context->report) ||
	    !state_has_platform(context, &job->document))
		return err;
	note_incomplete(context, &job->document);
	is_noted = note_writer(context);
	apply = open_apply(context, job);
	err = state_apply_compare(&apply, false);
	if (!err && !is_noted)
		note_writer(context);
	if (err || report_has(&context->report, REPORT_USAGE) ||
	    report_has(&context->report, REPORT_UNSUPPORTED))
		return err;
	err = comparison_write(comparison, ", wanted ", &lines);
	if (err)
		return err;
	context->report.has_differences = comparison->count;
	return put(context, "equal",
		   comparison->count == 0 && !report_has_problem(&context->report), "differences",
		   comparison_to_json(comparison, "is", "wanted"), buffer_text(&lines));
}

/* Plans all changes of a dry run. */
static int plan(struct context *context, struct state_job *job, struct comparison *comparison)
{
	int err = list_changes(context, comparison);

	if (!err)
		err = cpuset_copy(&context->machine->topology.pending,
				  &comparison->wanted->pending);
	if (!err)
		err = comparison_plan(comparison, STAGE_ALL, &context->plan.changes);
	/* JSON has the changes by location and setting, beside the writes */
	if (!err && !report_has_problem(&context->report) && writer_knows_state(context))
		err = put(context, "changed", job->has_changes, "changes",
			  json_incref(job->changes), "");
	return err;
}

/* Ends the transaction of the command, if it has one. Returns 0, -ENOMEM, or -ECANCELED after it
 * reported that all was undone, since the end could not be recorded. */
static int commit(struct context *context)
{
	return context->plan.execution.transaction ? carry_out(context, true) : 0;
}

int state_apply_document(struct context *context,
			 int (*make)(struct context *context, struct state_job *job))
{
	_cleanup_state_apply_ struct state_apply apply = { 0 };
	struct comparison *comparison = &apply.comparing.comparison;
	struct state_job *job = open_job(context);
	int err = !job ? -ENOMEM : job->document.json ? 0 : make(context, job);

	if (err || report_has_problem(&context->report) ||
	    !state_has_platform(context, &job->document))
		return err;
	note_incomplete(context, &job->document);
	apply = open_apply(context, job);
	err = state_apply_compare(&apply, true);
	if (err || report_has_problem(&context->report)) {
		context->attempt.is_wrong = apply.comparing.wanted.is_of_another ||
					    report_has(&context->report, REPORT_USAGE);
		return err;
	}
	if (context->request->globals->dry_run)
		return plan(context, job, comparison);
	err = state_apply_carry_out(&apply) ?: commit(context);
	if (!err)
		err = finish(context, job, comparison);
	return err == -ECANCELED ? 0 : err;
}

static int read_and_prepend(struct context *context, struct state_job *job)
{
	const struct state_arguments *arguments = context->request->arguments;
	int err = read_document(context, job);

	if (!err && arguments->exact && !report_has_problem(&context->report))
		err = state_prepend_past(context, job, NULL);
	return err;
}

static int apply(struct context *context)
{
	return state_apply_document(context, read_and_prepend);
}

/* Splits the value of --only at commas. Returns a new array of texts within *text, NULL-terminated;
 * or NULL: no memory. */
static const char **split_names(char *text)
{
	const char **names = calloc(strlen(text) / 2 + 2, sizeof(*names));
	size_t count = 0;
	char *rest;

	for (char *word = strtok_r(text, ",", &rest); word && names;
	     word = strtok_r(NULL, ",", &rest))
		names[count++] = word;
	return names;
}

static int export_document(struct context *context)
{
	const struct state_arguments *arguments = context->request->arguments;
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_free_ char *only = strdup(arguments->only ?: ""), *text = NULL;
	_cleanup_free_ const char **names = only ? split_names(only) : NULL;
	const struct export_options options = {
		.only = arguments->only ? names : NULL,
		.is_portable = arguments->portable,
		.cpus = context->targets.requested_cpus ? context->targets.cpus : NULL,
		.lacks_platform = state_find_missing_sst(context),
	};
	const char *unknown = names ? setting_find_unknown(names) : NULL;
	int err;

	if (!names)
		return -ENOMEM;
	if (unknown || (arguments->only && !names[0])) {
		context_refuse_usage(context,
				     "--only %s: no setting has this name; give features or "
				     "members, such as cpufreq,core-power.clos",
				     unknown ?: "");
		return 0;
	}
	err = state_machine_init(&state, context->machine, context->platform, true);
	if (!err)
		err = export_make(&state, &options, &text, &remarks);
	for (size_t i = 0; i < remarks.count && !err; i++) {
		const struct export_remark *remark = &remarks.list[i];

		if (remark->error)
			context_fail_unread(context, remark->text, remark->error);
		else
			context_note(context, NULL, "%s", remark->text);
	}
	if (!err && export_is_incomplete(&options))
		report_add(&context->report, REPORT_REFUSED,
			   "settings of Speed Select are missing from the document: %s",
			   options.lacks_platform);
	if (!err)
		output_document(context->output, text);
	return err;
}

static int schema(struct context *context)
{
	_cleanup_json_ json_t *object = document_schema();
	_cleanup_free_ char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	_cleanup_free_ char *line = text ? text_format("%s\n", text) : NULL;

	if (!line)
		return -ENOMEM;
	output_document(context->output, line);
	return 0;
}

#define FILE_OPTION                                                                    \
	{                                                                              \
		0, "file", "FILE", "The state document, or - for standard input",      \
			OPTION_TEXT(struct state_arguments, file),                     \
			.required = true, .positional = true, .path = OPTION_PATH_FILE \
	}

static const char *setting_name(size_t index)
{
	return index < N_SETTINGS ? setting_get((enum setting_id)index)->path : NULL;
}

static const struct option export_options[] = {
	{ 0, "only", "NAME,...", "Only these features or members",
	  OPTION_TEXT(struct state_arguments, only), .list = true, .dotted_name = setting_name },
	{ 0, "portable", NULL,
	  "For machines of the same kind: names instead of CPU numbers; \"require\" only if CPU "
	  "numbers remain",
	  OPTION_FLAG(struct state_arguments, portable) },
	{ 0 },
};

static const char *const to_words[] = { "boot", "previous", "clean", NULL };

static const struct option restore_options[] = {
	{ 0, "to", "boot|previous|ID|clean",
	  "State to restore: before the first change of this boot, before the last change, after change ID of state history, or clean (default boot)",
	  OPTION_TEXT(struct state_arguments, to), .words = to_words },
	{ 0, "level", "N", "With --to clean: change to this performance level first",
	  OPTION_NUMBER(struct state_arguments, level, 0, SST_MAX_LEVEL) },
	{ 0 },
};

static const struct option history_options[] = {
	{ 0, "last", "N", "Only the last N changes (default all)",
	  OPTION_NUMBER(struct state_arguments, last, 1, INT32_MAX) },
	{ 0, "id", "N", "The settings of change N, with their values before and after",
	  OPTION_NUMBER(struct state_arguments, id, 0, INT64_MAX - 1) },
	{ 0 },
};

static const struct option check_options[] = { FILE_OPTION, { 0 } };

static const struct option apply_options[] = {
	FILE_OPTION,
	{ 0, "wait", "TIME",
	  "Longest time to wait for files and devices that the document names, and for another "
	  "instance to end",
	  OPTION_SECONDS(struct state_arguments, wait_s, 0, MAX_WAIT_S) },
	{ 0, "exact", NULL,
	  "Also restore settings that were changed in this boot and are not in the document",
	  OPTION_FLAG(struct state_arguments, exact) },
	{ 0 },
};

#define STATE_FLAGS (COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW)

#define SETTING_FLAGS (STATE_FLAGS | COMMAND_WRITES | COMMAND_NOT_OF_CPUS)

const struct command state_commands[] = {
	{ "export", "Write the present settings as a state document", STATE_FLAGS, export_options,
	  sizeof(struct state_arguments), .run = export_document },
	{ "check", "Show what differs from a state document", STATE_FLAGS | COMMAND_NOT_OF_CPUS,
	  check_options, sizeof(struct state_arguments),
	  .about = "Exit status 6 means that something differs, and that all was read.",
	  .run = check },
	{ "apply", "Apply a state document, all or nothing", SETTING_FLAGS, apply_options,
	  sizeof(struct state_arguments),
	  .about = "Settings that match are not written. All settings are read again at the end; "
		   "if one differs, all are undone.",
	  .run = apply, .wait_offset = offsetof(struct state_arguments, wait_s) },
	{ "restore", "Restore settings: of the boot, before the last change, of a change, or clean",
	  SETTING_FLAGS, restore_options, sizeof(struct state_arguments),
	  .about = "Restores the settings that this program changed in this boot; other settings "
		   "are kept. --to clean: features off, limits open, idle states as at boot, the "
		   "CPUs of the level online.",
	  .run = state_restore },
	{ "history", "Show what was changed in this boot, and by whom",
	  COMMAND_NO_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, history_options,
	  sizeof(struct state_arguments), .run = state_history },
	{ "schema", "Print the JSON Schema of state documents", STATE_FLAGS | COMMAND_NOT_OF_CPUS,
	  .run = schema },
	{ 0 },
};
