// SPDX-License-Identifier: GPL-2.0-only
/* state: a node's settings as one document: exported, compared, applied as one transaction,
 * restored (docs/spec/state.md). */
#include "features/features.h"
#include "features/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/cpuidle.h"
#include "output/output.h"
#include "run/context.h"
#include "host/run_directory.h"
#include "settings/cgroup.h"
#include "settings/follow.h"
#include "settings/record.h"
#include "state/apply.h"
#include "state/export.h"
#include "state/saved.h"

#define MAX_WAIT_S 3600

struct arguments {
	const char *file;
	const char *only;
	bool portable;
	struct option_number to;
	struct option_number wait_s;
	struct option_number level;
};

/* What lives over the stages and attempts of a command. */
struct job {
	struct document document;
	bool has_document;
	bool is_kept; /* it becomes applied.json */
	bool has_changes; /* of the first stage, as what follows */
	struct cpuset before; /* online before the first change */
	struct cpuset unread; /* packages that cannot be asked before the first stage */
	json_t *changes;
	struct buffer lines;
};

static void job_done(void *data)
{
	struct job *job = data;

	document_done(&job->document);
	json_decref(job->changes);
	cpuset_done(&job->before);
	cpuset_done(&job->unread);
	buffer_done(&job->lines);
}

/* The job of the command, new at its first stage; NULL: no memory. */
static struct job *open_job(struct context *context)
{
	if (!context->command_data) {
		context->command_data = calloc(1, sizeof(struct job));
		context->command_data_done = job_done;
	}
	return context->command_data;
}

static void refuse_document(struct context *context, const char *file, int err, const char *problem)
{
	context->is_wrong = true;
	if (problem)
		context_refuse_usage(context, "%s", problem);
	else
		context_refuse_usage(context, "%s cannot be read: %s", file, strerror(-err));
}

int state_read_document(struct context *context, const char *file, struct document *ret_document)
{
	bool is_stdin = strcmp(file, "-") == 0;
	const char *name = is_stdin ? "standard input" : file;
	_cleanup_free_ char *problem = NULL;
	int err = is_stdin ? document_read(stdin, name, ret_document, &problem)
			   : document_read_file(file, ret_document, &problem);

	if (err && err != -ENOMEM)
		refuse_document(context, name, err, problem);
	return err == -ENOMEM ? err : 0;
}

/* Reads the document of the command line, once. */
static int read_document(struct context *context, struct job *job)
{
	const struct arguments *arguments = context->options->arguments;
	int err = job->has_document ? 0
				    : state_read_document(context, arguments->file, &job->document);

	job->has_document = !err && job->document.json;
	return err;
}

/* Why Speed Select that the machine has cannot be asked (docs/spec/state.md), or NULL. */
static const char *find_missing_sst(const struct context *context)
{
	if (!identity_has_sst(&context->machine->identity))
		return NULL;
	return context->platform ? context->platform->unserved : context->lacks_platform;
}

/* Is the command to wait for what is missing? */
static bool is_waiting(const struct context *context)
{
	size_t offset = context->options->command->wait_offset;
	const char *arguments = context->options->arguments;

	return offset && ((const struct option_number *)(const void *)(arguments + offset))->given;
}

/* Reports why there is no Speed Select: the machine has none, or it cannot be asked. A wait for it
 * that was in vain has a status of its own. */
static void report_no_platform(struct context *context, const char *what)
{
	int err = context->platform ? -ENOTSUP : context->platform_error;
	enum report_kind kind = err == -ENOTSUP ? REPORT_UNSUPPORTED : report_kind_of(err);

	context->lacks_driver = kind != REPORT_NOT_PERMITTED;
	if (find_missing_sst(context) && !(err == -ENOTSUP && is_waiting(context)))
		kind = REPORT_REFUSED;
	context_report(context, NULL, kind, "%s: %s", what,
		       find_missing_sst(context) ?: context->lacks_platform
							 ?: "this machine has no Speed Select");
}

bool state_has_platform(struct context *context, const struct document *document)
{
	_cleanup_free_ char *what = NULL, *path = NULL;

	if (find_missing_sst(context) ? !document->names_sst
				      : context->platform || !document->has_sst)
		return true;
	path = document_path(&document->entries[document->sst_entry].values[document->sst_value]);
	what = text_format("%s: %s is a setting of Speed Select", document->file,
			   path ?: "a setting");
	report_no_platform(context, what ?: "the document");
	return false;
}

/* Reports what an export could not ask. */
static void report_incomplete(struct context *context, const struct document *document,
			      enum report_kind kind)
{
	const json_t *list = json_object_get(document->json, "incomplete"), *text;
	size_t i;

	json_array_foreach (list, i, text)
		context_report(context, NULL, kind, "%s is incomplete: %s", document->file,
			       json_string_value(text));
}

/* Notes offline CPUs whose places are unknown: entries for "all" and packages do not reach them.
 * The document may say by number that they stay offline. Returns 0 or -ENOMEM. */
static int note_unplaced(struct context *context, const struct wanted_state *wanted)
{
	const struct place_list *cpus = &wanted->state->places[PLACE_CPU];
	const struct state_row *row = state_rows_find(&wanted->rows, SETTING_ONLINE, 0, NULL);
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };

	if (topology_find_unplaced(&context->machine->topology, &unplaced))
		return -ENOMEM;
	for (size_t i = 0; row && i < cpus->count; i++) {
		if (row->values[i].kind != STATE_NONE)
			cpuset_remove(&unplaced, cpus->list[i].cpu);
	}
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &unplaced,
			    " are offline, and no map of this boot has their places: what the "
			    "document says of all, or of a package, does not hold for them, nor "
			    "for a package that has no other CPUs");
	return 0;
}

/* Compares the machine with the document, as it is or, if is_planned, as the first writes will
 * leave it. Problems are reported. */
static int compare(struct context *context, const struct document *document, bool is_planned,
		   struct comparing *comparing)
{
	int err = state_machine_init(&comparing->state, context->machine, context->platform, true);

	if (!err)
		err = wanted_resolve(&comparing->wanted, document, &comparing->state,
				     &context->report);
	if (!err && context->platform && document->has_sst)
		err = note_unplaced(context, &comparing->wanted);
	context->has_reported_cpus = true;
	if (!err && !report_has(&context->report, REPORT_USAGE) &&
	    !report_has(&context->report, REPORT_UNSUPPORTED))
		err = comparison_make(&comparing->wanted, is_planned, &comparing->comparison);
	return err;
}

static int put(struct context *context, const char *flag, bool value, const char *name,
	       json_t *differences, const char *lines)
{
	output_json_member(context->output, flag, json_boolean(value));
	output_json_member(context->output, name, differences);
	output_text(context->output, lines);
	return 0;
}

/* Notes that another instance is writing, if one is. */
static bool note_writer(struct context *context)
{
	_cleanup_free_ char *holder = NULL;

	if (!lock_is_held(context->options->host->run_directory, &holder))
		return false;
	context_note(context, NULL,
		     "another instance is setting this machine (%s): the result may be transient",
		     holder ?: "its name is not known");
	return true;
}

static int check(struct context *context)
{
	_cleanup_comparing_ struct comparing comparing = { 0 };
	_cleanup_buffer_ struct buffer lines = { 0 };
	struct job *job = open_job(context);
	int err = job ? read_document(context, job) : -ENOMEM;
	bool is_noted;

	if (err || report_has_problem(&context->report) ||
	    !state_has_platform(context, &job->document))
		return err;
	report_incomplete(context, &job->document, REPORT_NOTE);
	is_noted = note_writer(context);
	err = compare(context, &job->document, false, &comparing);
	if (!err && !is_noted)
		note_writer(context);
	if (err || report_has(&context->report, REPORT_USAGE) ||
	    report_has(&context->report, REPORT_UNSUPPORTED))
		return err;
	err = comparison_write(&comparing.comparison, ", wanted ", &lines);
	if (err)
		return err;
	context->report.has_differences = comparing.comparison.count;
	return put(context, "equal",
		   comparing.comparison.count == 0 && !report_has_problem(&context->report),
		   "differences", comparison_to_json(&comparing.comparison, "is", "wanted"),
		   buffer_text(&lines));
}

/* The daemon does not follow a level that the document has set. */
static int note_levels(struct context *context, const struct job *job,
		       const struct wanted_state *wanted)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	const struct state_row *row = state_rows_find(&wanted->rows, SETTING_LEVEL, 0, NULL);
	_cleanup_free_ struct follow_domain *set = calloc(domains->count ?: 1, sizeof(*set));
	const struct host *host = context->options->host;
	size_t n_set = 0;
	int err;

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
	err = n_set ? record_note_levels(host->files, host->run_directory, set, n_set, &job->before)
		    : 0;
	if (err && err != -ENOMEM)
		context_note(context, NULL,
			     "the daemon's record in %s cannot be written (%s): a daemon that runs "
			     "follows the level once more",
			     host->run_directory, run_directory_problem(err));
	return err == -ENOMEM ? err : 0;
}

/* The machine is as the document wants it: tells the daemon, keeps the document, shows what was
 * changed. */
static int finish(struct context *context, const struct job *job, const struct wanted_state *wanted)
{
	int err = note_levels(context, job, wanted);

	if (err)
		return err;
	err = job->is_kept ? saved_write_applied(context->options->host, job->document.json) : 0;
	if (err)
		context_note(context, NULL,
			     "the document cannot be kept in %s: %s; state restore --to applied "
			     "does not find it",
			     context->options->host->run_directory, run_directory_problem(err));
	return put(context, "changed", job->has_changes, "changes", json_incref(job->changes),
		   buffer_text(&job->lines));
}

/* Leaves turbo out of what was changed. */
static int drop_turbo(struct job *job)
{
	static const char prefix[] = "machine cpufreq.turbo: ";
	json_t *machine = json_object_get(job->changes, "machine");
	_cleanup_free_ char *text = strdup(buffer_text(&job->lines));
	char *rest;

	if (!text)
		return -ENOMEM;
	json_object_del(machine, "cpufreq.turbo");
	if (json_object_size(machine) == 0)
		json_object_del(job->changes, "machine");
	job->has_changes = json_object_size(job->changes);
	buffer_done(&job->lines);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			continue;
		buffer_append_string(&job->lines, line);
		buffer_append_string(&job->lines, "\n");
	}
	return job->lines.has_failed ? -ENOMEM : 0;
}

/* Reads everything that the document names once more: a difference undoes all. */
static int verify(struct context *context)
{
	_cleanup_comparing_ struct comparing comparing = { 0 };
	int err = context_reopen(context);
	struct job *job = context->command_data;

	context->report.drops_notes = true;
	if (!err)
		err = compare(context, &job->document, false, &comparing);
	context->report.drops_notes = false;
	if (err || report_has_problem(&context->report))
		return err;
	if (comparing.comparison.count)
		return comparison_refuse(&comparing.comparison, &context->report);
	if (comparing.comparison.lacks_turbo)
		err = drop_turbo(job);
	return err ? err : finish(context, job, &comparing.wanted);
}

/* Notes which packages cannot be asked before the first stage brings CPUs of them online. */
static int find_unread(struct job *job, const struct wanted_state *wanted)
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

/* Adds what changes in these packages, beside CPUs, to the changes. */
static int add_late_changes(struct job *job, const struct comparison *comparison)
{
	const struct wanted_state *wanted = comparison->wanted;
	struct comparison late = *comparison;
	_cleanup_free_ struct difference *list = calloc(comparison->count ?: 1, sizeof(*list));
	_cleanup_json_ json_t *changes = NULL;
	json_t *settings, *known;
	const char *place;

	if (!list)
		return -ENOMEM;
	late.list = list;
	late.count = 0;
	for (size_t i = 0; i < comparison->count; i++) {
		enum setting_id member = wanted->rows.list[comparison->list[i].row].setting;
		enum place_kind kind = state_machine_kind(wanted->state, member);
		const struct place *at =
			&wanted->state->places[kind].list[comparison->list[i].place];

		if (kind > PLACE_MACHINE && kind < PLACE_CORE &&
		    cpuset_has(&job->unread, at->package))
			list[late.count++] = comparison->list[i];
	}
	job->has_changes = job->has_changes || late.count;
	changes = comparison_to_json(&late, "was", "now");
	json_object_foreach (changes, place, settings) {
		known = json_object_get(job->changes, place);
		if (known ? json_object_update_missing(known, settings)
			  : json_object_set(job->changes, place, settings))
			return -ENOMEM;
	}
	return changes ? comparison_write(&late, " -> ", &job->lines) : -ENOMEM;
}

/* Plans to apply the document of the job. */
static int apply_document(struct context *context, struct job *job)
{
	_cleanup_comparing_ struct comparing comparing = { 0 };
	struct comparison *comparison = &comparing.comparison;
	bool dry_run = context->options->globals->dry_run, needs_stages;
	int err;

	if (!state_has_platform(context, &job->document))
		return 0;
	context->report.drops_notes = context->execution.transaction;
	report_incomplete(context, &job->document, REPORT_NOTE);
	err = compare(context, &job->document, true, &comparing);
	context->report.drops_notes = false;
	if (err || report_has_problem(&context->report)) {
		context->is_wrong = comparing.wanted.is_of_another ||
				    report_has(&context->report, REPORT_USAGE);
		return err;
	}
	if (!context->execution.transaction) {
		json_decref(job->changes);
		buffer_done(&job->lines);
		err = cpuset_copy(&job->before, &context->machine->topology.online);
		job->has_changes = comparison->count;
		job->changes = comparison_to_json(comparison, "was", "now");
		err = err ?: comparison_write(comparison, " -> ", &job->lines);
		err = err ?: find_unread(job, &comparing.wanted);
	} else {
		err = add_late_changes(job, comparison);
	}
	needs_stages =
		!dry_run && !context->execution.transaction && comparison_needs_stages(comparison);
	if (dry_run)
		err = err
			      ?: cpuset_copy(&context->machine->topology.coming,
					     &comparing.wanted.coming);
	if (!err)
		err = comparison_plan(comparison, needs_stages ? STAGE_CPUS : STAGE_ALL,
				      &context->plan);
	/* what was just read is not read again if nothing is written */
	if (!err && !dry_run && !context->execution.transaction && !comparison->count &&
	    !context->plan.n_changes && !report_has_problem(&context->report))
		return finish(context, job, &comparing.wanted);
	/* programs get what would change by place and setting, beside the writes */
	if (!err && dry_run && !report_has_problem(&context->report))
		err = put(context, "changed", job->has_changes, "changes",
			  json_incref(job->changes), "");
	context->wanted.is_first_stage = needs_stages;
	context->wanted.verify = needs_stages ? NULL : verify;
	return err;
}

static int apply(struct context *context)
{
	struct job *job = open_job(context);
	int err = job ? read_document(context, job) : -ENOMEM;

	if (err || report_has_problem(&context->report))
		return err;
	job->is_kept = true;
	return apply_document(context, job);
}

enum { TO_BOOT, TO_APPLIED };

/* Before what follows the level: offline CPUs whose places are unknown come online, since no level
 * reaches them. They go offline again if their level does not have them. */
static int add_unplaced(struct context *context, json_t *document)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL, *on = NULL;
	json_t *settings = json_object_get(document, "settings");

	if (!context->platform || context->platform->is_clx_n || !json_is_array(settings))
		return 0;
	if (topology_find_unplaced(topology, &unplaced))
		return -ENOMEM;
	if (cpuset_is_empty(&unplaced))
		return 0;
	list = cpuset_format_ranges(&unplaced);
	on = list ? text_format("cpu %s", list) : NULL;
	if (!on ||
	    json_array_insert_new(settings, 0, json_pack("{s:s, s:b}", "for", on, "online", 1)) < 0)
		return -ENOMEM;
	return 0;
}

/* Reads the saved state that the command line names. */
static int read_saved(struct context *context, struct job *job)
{
	const struct arguments *arguments = context->options->arguments;
	struct host *host = context->options->host;
	bool is_applied = arguments->to.given && arguments->to.value == TO_APPLIED;
	const char *name = is_applied ? "applied.json" : "boot-state.json";
	_cleanup_json_ json_t *unreadable = NULL;
	_cleanup_free_ char *problem = NULL;
	json_t *document = NULL, *item;
	size_t i;
	int err = is_applied ? saved_read_applied(host, &document)
			     : saved_read_boot_state(host, &document, &unreadable);

	if (err == -ENOENT || err == -ESTALE) {
		context_lack(context, NULL, "%s/%s: %s", host->run_directory, name,
			     is_applied ? "no document was applied"
					: "nothing has been set in this boot");
		return 0;
	}
	if (err) {
		context_refuse(context, NULL, "%s/%s: %s", host->run_directory, name,
			       run_directory_problem(err));
		return err == -ENOMEM ? err : 0;
	}
	json_array_foreach (unreadable, i, item)
		context_note(context, NULL,
			     "%s could not be read when the state was saved, and is "
			     "not restored",
			     json_string_value(item) ?: "a setting");
	if (!is_applied && add_unplaced(context, document)) {
		json_decref(document);
		return -ENOMEM;
	}
	err = document_take(document, name, &job->document, &problem);
	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s/%s: %s", host->run_directory, name,
			       problem ?: strerror(-err));
	job->has_document = !err;
	return err == -ENOMEM ? err : 0;
}

#define NOT_RESTORED "Speed Select cannot be asked, so that nothing is restored"

static int restore(struct context *context)
{
	struct job *job = open_job(context);
	int err = !job ? -ENOMEM : job->has_document ? 0 : read_saved(context, job);

	if (!err && find_missing_sst(context) && !report_has_problem(&context->report))
		report_no_platform(context, NOT_RESTORED);
	else if (!err && !report_has_problem(&context->report))
		report_incomplete(context, &job->document, REPORT_REFUSED);
	return err || report_has_problem(&context->report) ? err : apply_document(context, job);
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
	const struct arguments *arguments = context->options->arguments;
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_free_ char *only = strdup(arguments->only ?: ""), *text = NULL;
	_cleanup_free_ const char **names = only ? split_names(only) : NULL;
	const struct export_options options = {
		.only = arguments->only ? names : NULL,
		.is_portable = arguments->portable,
		.cpus = context->asked_cpus ? context->cpus : NULL,
		.lacks_platform = find_missing_sst(context),
	};
	const char *unknown = names ? setting_find_unknown(names) : NULL;
	int err;

	if (!names)
		return -ENOMEM;
	if (unknown || (arguments->only && !names[0])) {
		context_refuse_usage(context,
				     "--only %s: no setting has such a name; give feature words or "
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

/* The idle states of the machine as a "states" object: allowed as the driver has them at boot. */
static json_t *default_states(struct context *context)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	uint32_t cpu = cpuset_next(&context->machine->topology.online, 0);
	json_t *states = json_object();

	if (cpuidle_read_cpu(context->machine->host->files, cpu, false, &idle))
		return states;
	for (size_t i = 0; i < idle.n_states; i++) {
		const char *status = idle.states[i].default_status;

		if (status)
			json_object_set_new(states, idle.states[i].name,
					    json_boolean(strcmp(status, "enabled") == 0));
	}
	if (idle.n_states && !idle.states[0].default_status)
		context_note(context, NULL,
			     "idle states are left as they are: this kernel does not show their "
			     "default_status");
	return states;
}

/* Entries about Speed Select of the clean state. */
static void add_sst_entries(struct context *context, json_t *settings)
{
	const struct arguments *arguments = context->options->arguments;
	const struct platform *platform = context->platform;
	bool is_skylake = platform->lacks_proportional;
	json_t *clos = json_object();

	if (arguments->level.given)
		json_array_append_new(settings,
				      json_pack("{s:s, s:{s:I}}", "for", "all", "perf-profile",
						"level", (json_int_t)arguments->level.value));
	json_array_append_new(settings,
			      json_pack("{s:s, s:b, s:{s:b}, s:s}", "for", "all", "optional", 1,
					"base-freq", "enabled", 0, "online", "follow-level"));
	if (platform->is_clx_n) {
		json_decref(clos);
		return;
	}
	for (int id = 0; id < SST_CLOS_COUNT; id++) {
		const char name[] = { (char)('0' + id), '\0' };
		json_t *parameters = json_pack("{s:s, s:s, s:i}", "min-mhz", "min", "max-mhz",
					       "max", "weight", is_skylake ? 15 : 0);

		if (!platform->lacks_clos_epp)
			json_object_update_new(parameters,
					       json_pack("{s:i, s:i}", "epp", is_skylake ? 15 : 0,
							 "desired-mhz", 0));
		json_object_set_new(clos, name, parameters);
	}
	json_array_append_new(settings,
			      json_pack("{s:s, s:b, s:{s:b}, s:{s:s}, s:{s:b, s:s, s:o, s:i}}",
					"for", "all", "optional", 1, "turbo-freq", "enabled", 0,
					"turbo-mode", "trl", "level", "core-power", "enabled", 0,
					"priority", is_skylake ? "ordered" : "proportional", "clos",
					clos, "assoc", 0));
}

/* Without Speed Select no level names the CPUs that are online: those in groups of ours return. */
static void add_isolated_cpus(struct context *context, json_t *settings)
{
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	int err = cgroup_read_isolated(context->machine->host->files, &isolated);
	_cleanup_free_ char *list = err ? NULL : cpuset_format_ranges(&isolated);
	_cleanup_free_ char *on = list ? text_format("cpu %s", list) : NULL;

	if (err)
		context_fail(context, NULL, err, "control groups: %s", strerror(-err));
	else if (on && !cpuset_is_empty(&isolated))
		json_array_append_new(settings, json_pack("{s:s, s:b}", "for", on, "online", 1));
}

static json_t *clean_state(struct context *context)
{
	json_t *settings = json_array();

	if (context->platform)
		add_sst_entries(context, settings);
	else
		add_isolated_cpus(context, settings);
	json_array_append_new(settings,
			      json_pack("{s:s, s:b, s:{s:s, s:s, s:b}, s:{s:o, s:s}, s:{s:s, s:s}}",
					"for", "all", "optional", 1, "cpufreq", "min-mhz", "min",
					"max-mhz", "max", "turbo", 1, "cpuidle", "states",
					default_states(context), "qos-latency-us", "none", "uncore",
					"min-mhz", "min", "max-mhz", "max"));
	return json_pack("{s:s, s:i, s:o}", "format", DOCUMENT_FORMAT, "version", DOCUMENT_VERSION,
			 "settings", settings);
}

static int reset(struct context *context)
{
	const struct arguments *arguments = context->options->arguments;
	struct job *job = open_job(context);
	_cleanup_free_ char *problem = NULL;
	int err = 0;

	if (!job)
		return -ENOMEM;
	if (find_missing_sst(context) || (arguments->level.given && !context->platform)) {
		report_no_platform(context, find_missing_sst(context) ? NOT_RESTORED : "--level");
		return 0;
	}
	if (!job->has_document)
		err = document_take(clean_state(context), "state reset", &job->document, &problem);
	if (err) {
		context_refuse(context, NULL, "%s", problem ?: strerror(-err));
		return 0;
	}
	job->has_document = true;
	job->document.is_built_in = true;
	return apply_document(context, job);
}

static int schema(struct context *context)
{
	json_t *object = document_schema();
	_cleanup_free_ char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	_cleanup_free_ char *line = text ? text_format("%s\n", text) : NULL;

	json_decref(object);
	if (!line)
		return -ENOMEM;
	output_document(context->output, line);
	return 0;
}

#define FILE_OPTION                                                                                \
	{                                                                                          \
		0, "file", "FILE", "The state document, or - for standard input",                  \
			OPTION_TEXT(struct arguments, file), .required = true, .positional = true, \
							     .path = OPTION_PATH_FILE              \
	}

static const char *const saved_words[] = { "boot", "applied", NULL };

static const struct option export_options[] = {
	{ 0, "only", "NAME,...", "Only these features or members",
	  OPTION_TEXT(struct arguments, only) },
	{ 0, "portable", NULL,
	  "For machines of the same kind: names in place of CPU numbers, \"require\" only if some are left",
	  OPTION_FLAG(struct arguments, portable) },
	{ 0 },
};

static const struct option restore_options[] = {
	{ 0, "to", "boot|applied",
	  "The state before this boot's first change, or what was applied last",
	  OPTION_WORD(struct arguments, to, saved_words) },
	{ 0 },
};

static const struct option check_options[] = { FILE_OPTION, { 0 } };

static const struct option apply_options[] = {
	FILE_OPTION,
	{ 0, "wait", "SECONDS",
	  "Wait so long for what the document names to appear, and for another instance",
	  OPTION_NUMBER(struct arguments, wait_s, 0, MAX_WAIT_S) },
	{ 0 },
};

static const struct option reset_options[] = {
	{ 0, "level", "N", "Change to this performance level first",
	  OPTION_NUMBER(struct arguments, level, 0, SST_MAX_LEVEL) },
	{ 0 },
};

#define STATE_FLAGS (COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW)

#define SETTING_FLAGS (STATE_FLAGS | COMMAND_WRITES | COMMAND_NOT_OF_CPUS)

const struct command state_commands[] = {
	{ "export", "Write the present settings as a state document", STATE_FLAGS, export_options,
	  sizeof(struct arguments), .run = export_document },
	{ "check", "Show what differs from a state document", STATE_FLAGS | COMMAND_NOT_OF_CPUS,
	  check_options, sizeof(struct arguments),
	  .about = "Exit status 6 means that something differs, and that all was read.",
	  .run = check },
	{ "apply", "Set what a state document says, all or nothing", SETTING_FLAGS, apply_options,
	  sizeof(struct arguments),
	  .about =
		  "Settings that match are not written. What was set is read again at the end; a difference undoes all.",
	  .run = apply, .wait_offset = offsetof(struct arguments, wait_s) },
	{ "restore", "Return to the state before this boot's first change", SETTING_FLAGS,
	  restore_options, sizeof(struct arguments), .run = restore },
	{ "reset", "Return to a clean state", SETTING_FLAGS, reset_options,
	  sizeof(struct arguments),
	  .about =
		  "Features off, limits open, idle states as at boot, the CPUs of the level online. The performance level stays, unless --level names one.",
	  .run = reset },
	{ "schema", "Print the JSON Schema of state documents", STATE_FLAGS | COMMAND_NOT_OF_CPUS,
	  .run = schema },
	{ 0 },
};
