// SPDX-License-Identifier: GPL-2.0-only
/* state restore: restores the settings of the boot, those before the last change, those after a
 * transaction of the change journal, or a clean state (docs/spec/journal.md, "Restore and history";
 * state.md, "Clean"). */
#include "features/state_job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "change/journal_spans.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "host/run_directory.h"
#include "settings/cgroup.h"
#include "sst/values.h"
#include "state/journal_document.h"

#define NAME "state restore" /* of the document, in messages */

/* The state to restore. */
struct destination {
	bool is_clean;
	bool is_previous;
	uint64_t id; /* otherwise the transaction to restore; 0: the boot */
};

static bool parse_destination(const char *text, struct destination *ret_to)
{
	*ret_to = (struct destination){ 0 };
	if (!text || strcmp(text, "boot") == 0)
		return true;
	ret_to->is_clean = strcmp(text, "clean") == 0;
	ret_to->is_previous = strcmp(text, "previous") == 0;
	return ret_to->is_clean || ret_to->is_previous ||
	       number_parse(text, 0, INT64_MAX - 1, &ret_to->id) == 0;
}

/* Adds the settings that transactions from first to last changed to *document, a new one if it is
 * NULL. Settings that cannot be restored are reported as problems. */
static int add_past(struct context *context, uint64_t first, uint64_t last, enum journal_side side,
		    bool of_packages, json_t **document)
{
	const struct host *host = context->request->host;
	_cleanup_(journal_fold_done) struct journal_fold fold = { 0 };
	_cleanup_free_ size_t *place_of = NULL;
	_cleanup_free_ char *unknown = NULL;
	const uint64_t unended = context->plan.execution.unended;
	_cleanup_json_ json_t *added = NULL;
	int err;

	/* the interrupted transaction is undone before */
	if (unended && last >= unended)
		last = unended - 1;
	err = journal_spans_fold(host->files, host->run_directory, first, last, &fold);

	if (!err)
		err = journal_document_make(&fold, side, of_packages, &added, &place_of, &unknown);
	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s/" JOURNAL_NAME ": %s", host->run_directory,
			       journal_problem(err));
	if (err)
		return err == -ENOMEM ? err : 0;
	if (unknown && (side == JOURNAL_WAS || side == JOURNAL_WAS_WORDS))
		context_refuse(context, NULL, "%s cannot be restored: its value before is unknown",
			       unknown);
	if (*document)
		return json_array_extend(json_object_get(*document, "settings"),
					 json_object_get(added, "settings"))
			       ? -ENOMEM
			       : 0;
	*document = steal(added);
	return 0;
}

/* The identifiers of the journal, "3 to 12". */
static char *format_kept(const struct journal_spans *spans)
{
	const struct journal_span *first = spans->list, *last = &spans->list[spans->count - 1];

	if (spans->count > 1 && first->id == 0)
		first++;
	return first == last ? text_format("%" PRIu64, first->id)
			     : text_format("%" PRIu64 " to %" PRIu64, first->id, last->id);
}

static const struct journal_span *find_span(const struct journal_spans *spans, uint64_t id)
{
	for (size_t i = 0; i < spans->count; i++) {
		if (spans->list[i].id == id)
			return &spans->list[i];
	}
	return NULL;
}

/* The last transaction that was done, or NULL. */
static const struct journal_span *find_last_done(const struct journal_spans *spans)
{
	for (size_t i = spans->count; i-- > 0;) {
		if (spans->list[i].is_done && spans->list[i].id > 0)
			return &spans->list[i];
	}
	return NULL;
}

/* Reports CPUs that were online at boot and are to be restored, but no longer exist. */
static int refuse_gone(struct context *context, const json_t *first, const json_t *document)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset online = { 0 }, gone = { 0 };
	const json_t *settings = json_object_get(document, "settings"), *entry;
	size_t i;

	if (!first || cpulist_parse(json_get_text(first, "online"), &online))
		return 0;
	json_array_foreach (settings, i, entry) {
		const char *place = json_get_text(entry, "for");
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (json_is_true(json_object_get(entry, "online")) &&
		    strncmp(place, "cpu ", strlen("cpu ")) == 0 &&
		    (cpulist_parse(place + strlen("cpu "), &cpus) || cpuset_add_all(&gone, &cpus)))
			return -ENOMEM;
	}
	cpuset_keep(&gone, &online);
	cpuset_remove_all(&gone, &topology->present);
	context_report_cpus(context, REPORT_REFUSED, "CPUs ", &gone,
			    " were online at boot, and this machine does not have them any more");
	return 0;
}

/* Makes the document of the settings to restore: of transactions that are kept, and of those that
 * are undone. Reports a transaction that the journal does not have. */
static int read_past(struct context *context, const struct destination *to,
		     const struct journal_spans *spans, json_t **ret_document)
{
	const struct journal_span *span;
	_cleanup_free_ char *kept = NULL;
	int err;

	/* undoing the interrupted command already restores the state before it */
	if (to->is_previous && context->plan.execution.has_recovered) {
		*ret_document = json_pack("{s:s, s:i, s:[]}", "format", DOCUMENT_FORMAT, "version",
					  DOCUMENT_VERSION, "settings");
		return *ret_document ? 0 : -ENOMEM;
	}
	if (to->is_previous) {
		span = find_last_done(spans);
		if (span)
			return add_past(context, span->id, span->id, JOURNAL_WAS_WORDS, false,
					ret_document);
		context_lack(context, NULL, "--to previous: nothing was changed in this boot");
		return 0;
	}
	if (to->id > 0 && !find_span(spans, to->id)) {
		kept = spans->count ? format_kept(spans) : NULL;
		context_lack(context, NULL, "--to %" PRIu64 ": there is no such change%s%s", to->id,
			     kept ? "; there are " : " in this boot: nothing was changed",
			     kept ?: "");
		return 0;
	}
	/* old values of later changes, then new values of earlier ones, which override them */
	err = add_past(context, to->id + (to->id > 0), UINT64_MAX, JOURNAL_WAS_WORDS, false,
		       ret_document);
	if (err)
		return err;
	return to->id ? add_past(context, 0, to->id, JOURNAL_NOW_WORDS, false, ret_document)
		      : refuse_gone(context, spans->first, *ret_document);
}

/* Lists the transactions of this boot: none if there is no journal. */
static int list_spans(struct context *context, struct journal_spans *ret_spans)
{
	const struct host *host = context->request->host;
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	int err = journal_reader_open(host->files, host->run_directory, &reader);

	if (!err)
		err = journal_spans_list(reader, ret_spans);
	if (err == -ENOENT || err == -ESTALE || !err || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	context_refuse(context, NULL, "%s/" JOURNAL_NAME ": %s", host->run_directory,
		       journal_problem(err));
	return 0;
}

/* Reads a document that was made from the journal. Takes ownership of json. A problem is reported.
 * Returns 0 or -ENOMEM. */
static int read_past_document(struct context *context, json_t *json, struct document *ret_document)
{
	_cleanup_free_ char *problem = NULL;
	int err = document_take(json, NAME, true, ret_document, &problem);

	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "the change journal: %s", problem ?: strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Makes the document of the job from the journal. */
static int take_past(struct context *context, const struct destination *to, struct state_job *job)
{
	_cleanup_journal_spans_ struct journal_spans spans = { 0 };
	_cleanup_json_ json_t *document = NULL;
	int err = list_spans(context, &spans);

	if (!err && !report_has_problem(&context->report))
		err = read_past(context, to, &spans, &document);
	if (err || report_has_problem(&context->report))
		return err;
	err = read_past_document(context, steal(document), &job->document);
	if (spans.count == 0 && job->document.json)
		context_note(context, NULL, STATE_NOTHING_CHANGED);
	return err;
}

/* Leaves only the settings of a feature in a document. */
static void keep_feature(json_t *document, const char *feature)
{
	json_t *settings = json_object_get(document, "settings");

	for (size_t i = json_array_size(settings); i-- > 0;) {
		json_t *entry = json_array_get(settings, i), *kept;

		kept = json_object_get(entry, feature)
			       ? json_pack("{s:O, s:O}", "for", json_object_get(entry, "for"),
					   feature, json_object_get(entry, feature))
			       : NULL;
		if (kept)
			json_array_set_new(settings, i, kept);
		else
			json_array_remove(settings, i);
	}
}

/* The mode of intel_pstate that a document sets, or NULL. */
static const char *find_mode(const struct document *document)
{
	for (size_t i = 0; i < document->n_entries; i++) {
		const struct document_entry *entry = &document->entries[i];

		for (size_t j = 0; j < entry->n_values; j++) {
			if (entry->values[j].setting == SETTING_PSTATE)
				return entry->values[j].value.text;
		}
	}
	return NULL;
}

/* If the document changes the mode of intel_pstate, drops the governors and preferences of the
 * other mode: the new mode has its own. */
static void drop_other_mode(struct files *files, json_t *past, const struct document *document)
{
	_cleanup_free_ char *present = NULL;
	json_t *settings = json_object_get(past, "settings"), *entry;
	const char *mode = find_mode(document), *was = NULL;
	size_t i;

	json_array_foreach (settings, i, entry)
		was = json_string_value(
			      json_object_get(json_object_get(entry, "cpufreq"), "pstate"))
			      ?: was;
	if (mode && !was) {
		files_read_line(files, CPUFREQ_PSTATE_STATUS, &present);
		was = present;
	}
	if (!mode || !was || strcmp(mode, was) == 0)
		return;
	json_array_foreach (settings, i, entry) {
		json_t *cpufreq = json_object_get(entry, "cpufreq");

		json_object_del(cpufreq, "governor");
		json_object_del(cpufreq, "epp");
	}
}

int state_prepend_past(struct context *context, struct state_job *job, const char *feature)
{
	_cleanup_document_ struct document past = { 0 };
	json_t *json = NULL;
	int err = add_past(context, 0, UINT64_MAX, JOURNAL_WAS_WORDS, true, &json);

	if (err || !json)
		return err;
	if (feature)
		keep_feature(json, feature);
	drop_other_mode(context->machine->host->files, json, &job->document);
	err = read_past_document(context, json, &past);
	return past.json ? document_prepend(&job->document, &past) : err;
}

/* Returns the idle states as a "states" object, enabled or disabled as by default. */
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

/* Adds the entries of the clean state for Speed Select. */
static void add_sst_entries(struct context *context, json_t *settings)
{
	const struct state_arguments *arguments = context->request->arguments;
	const struct platform *platform = context->platform;
	bool is_skylake = platform->lacks_proportional;
	_cleanup_json_ json_t *clos = json_object();

	if (arguments->level.given)
		json_array_append_new(settings,
				      json_pack("{s:s, s:{s:I}}", "for", "all", "perf-profile",
						"level", (json_int_t)arguments->level.value));
	json_array_append_new(settings,
			      json_pack("{s:s, s:b, s:{s:b}, s:s}", "for", "all", "optional", 1,
					"base-freq", "enabled", 0, "online", "follow-level"));
	if (!platform->has_clos)
		return;
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
			      json_pack("{s:s, s:b, s:{s:b}, s:{s:s}, s:{s:b, s:s, s:O, s:i}}",
					"for", "all", "optional", 1, "turbo-freq", "enabled", 0,
					"turbo-mode", "trl", "level", "core-power", "enabled", 0,
					"priority", is_skylake ? "ordered" : "proportional", "clos",
					clos, "assoc", 0));
}

/* Brings isolated CPUs back online: without Speed Select, no level names the online CPUs. */
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

#define NOT_RESTORED "Speed Select cannot be reached, so that nothing is restored"

/* Makes the document of the clean state. */
static int take_clean(struct context *context, struct state_job *job)
{
	const struct state_arguments *arguments = context->request->arguments;
	_cleanup_free_ char *problem = NULL;
	int err;

	if (arguments->level.given && !context->platform) {
		state_report_no_platform(context, "--level");
		return 0;
	}
	err = document_take(clean_state(context), NAME, false, &job->document, &problem);
	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s", problem ?: strerror(-err));
	if (err)
		return err == -ENOMEM ? err : 0;
	job->document.is_built_in = true;
	/* the clean value of a power limit is its first value of this boot */
	return state_prepend_past(context, job, "power");
}

static int make_document(struct context *context, struct state_job *job)
{
	const struct state_arguments *arguments = context->request->arguments;
	struct destination to;

	if (!parse_destination(arguments->to, &to)) {
		context_refuse_usage(
			context,
			"--to %s: boot, previous, clean or the number of a change (state "
			"history) is expected",
			arguments->to);
		return 0;
	}
	if (arguments->level.given && !to.is_clean) {
		context_refuse_usage(context, "--level needs --to clean");
		return 0;
	}
	if (state_find_missing_sst(context)) {
		state_report_no_platform(context, NOT_RESTORED);
		return 0;
	}
	return to.is_clean ? take_clean(context, job) : take_past(context, &to, job);
}

int state_restore(struct context *context)
{
	return state_apply_document(context, make_document);
}
