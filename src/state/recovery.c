// SPDX-License-Identifier: GPL-2.0-only
/* Undoes an interrupted transaction with the comparison and the transaction of state apply. A
 * setting gets its old value if it has the value that was set, or an unknown one. A setting with
 * another value was changed by another program, and is kept. */
#include "state/recovery.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "settings/families.h"
#include "change/journal_fold.h"
#include "host/run_directory.h"
#include "settings/cgroup.h"
#include "settings/journaled.h"
#include "state/apply.h"
#include "state/assumption.h"
#include "state/journal_document.h"
#include "state/writer.h"

#define NAME        "the change journal" /* of the documents, for messages */
#define MOST_LISTED 16 /* changes in a message; the journal has all */

void recovery_done(struct recovery *recovery)
{
	free(recovery->owner);
	free(recovery->undone);
	free(recovery->changed);
	free(recovery->failed);
	free(recovery->unassumed);
	*recovery = (struct recovery){ 0 };
}

/* What is being undone. */
struct undoing {
	struct host *host;
	struct report report; /* collects the problems */
	struct journal_fold fold;
	json_t *found; /* the document with the old values; later entries override some */
	json_t *set; /* the document with the new values */
	size_t *place_of; /* the index in fold of each entry of found */
	json_t *not_as_set; /* the differences from set, by place and setting */
	bool *is_left; /* could not be undone; by index in fold */
	struct cpuset offline; /* CPUs that another program took offline */
	struct buffer undone, changed;
	size_t n_undone, n_changed;
	bool moves_groups; /* the transaction changes control groups */
	bool has_groups; /* control groups that are removed when they have no CPUs */
};

static void undoing_done(struct undoing *undoing)
{
	report_done(&undoing->report);
	journal_fold_done(&undoing->fold);
	json_decref(undoing->found);
	json_decref(undoing->set);
	json_decref(undoing->not_as_set);
	free(undoing->place_of);
	free(undoing->is_left);
	cpuset_done(&undoing->offline);
	buffer_done(&undoing->undone);
	buffer_done(&undoing->changed);
}

/* Folds the lines of the last transaction. */
static int read_changes(struct undoing *undoing, const struct journal_last *last)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	struct journal_line line;
	int err = journal_reader_open(undoing->host->files, undoing->host->run_directory, &reader);

	if (!err)
		err = journal_reader_seek(reader, last->offset);
	while (!err && (err = journal_reader_next(reader, &line)) > 0)
		err = line.kind == JOURNAL_BEGIN ? journal_fold_changes(&undoing->fold, &line, NULL)
						 : -EBADMSG;
	return err;
}

static int make_documents(struct undoing *undoing)
{
	_cleanup_free_ char *unknown = NULL, *other = NULL;
	_cleanup_free_ size_t *unused = NULL;
	int err = journal_document_make(&undoing->fold, JOURNAL_WAS, false, &undoing->found,
					&undoing->place_of, &unknown);

	if (!err)
		err = journal_document_make(&undoing->fold, JOURNAL_NOW, false, &undoing->set,
					    &unused, &other);
	for (size_t i = 0; i < undoing->fold.count && !undoing->moves_groups; i++)
		undoing->moves_groups =
			journaled_is(undoing->fold.list[i].setting, SETTING_OFFLINE_BY, NULL);
	undoing->is_left = calloc(undoing->fold.count + 1, sizeof(*undoing->is_left));
	if (!err && unknown)
		report_add(&undoing->report, REPORT_REFUSED, "%s: its value before is unknown",
			   unknown);
	return err ?: undoing->is_left ? 0 : -ENOMEM;
}

/* A document of the journal, and a machine to compare it with. */
struct attempt {
	struct document document;
	struct change_list plan;
	struct state_apply apply;
};

static void attempt_done(struct attempt *attempt)
{
	state_apply_done(&attempt->apply);
	change_list_done(&attempt->plan);
	document_done(&attempt->document);
}

/* Compares the machine with the document. is_planned: writes follow. Problems are reported. */
static int open_attempt(struct attempt *attempt, struct undoing *undoing, const json_t *json,
			bool is_planned, struct report *report)
{
	_cleanup_free_ char *problem = NULL;
	int err = document_take(json_deep_copy(json), NAME, true, &attempt->document, &problem);

	attempt->document.is_exact = true;
	attempt->apply = (struct state_apply){
		.host = undoing->host,
		.document = &attempt->document,
		.report = report,
		.plan = &attempt->plan,
		.environment.keeps_changes = true,
	};
	if (err == -EINVAL && !report_has_problem(report))
		report_add(report, REPORT_REFUSED, "%s", problem);
	if (err)
		return err == -EINVAL ? -EBADMSG : err;
	return state_apply_compare(&attempt->apply, is_planned);
}

/* Finds settings that do not read as they were set. */
static int find_others(struct undoing *undoing)
{
	_cleanup_(report_done) struct report ignored = { .is_held = true };
	_cleanup_(attempt_done) struct attempt attempt = { 0 };
	int err = open_attempt(&attempt, undoing, undoing->set, false, &ignored);

	if (err)
		return err;
	undoing->not_as_set =
		attempt.apply.comparing.comparison.wanted
			? comparison_to_json(&attempt.apply.comparing.comparison, "is", "wanted")
			: json_object();
	return undoing->not_as_set ? 0 : -ENOMEM;
}

/* Appends a text to a list, and counts it. A list shows at most MOST_LISTED texts. */
static void add_text(struct buffer *list, size_t *count, const char *text)
{
	if (++*count > MOST_LISTED)
		return;
	if (list->length)
		buffer_append_string(list, ", ");
	buffer_append_clean(list, text ?: "?");
}

/* Keeps the value that another program has set: adds an entry that overrides the old value. */
static int keep_present(struct undoing *undoing, const struct comparison *comparison,
			const struct difference *difference)
{
	const struct state_row *row = comparison_row(comparison, difference);
	_cleanup_free_ char *selector = state_machine_format_selector(
		row->places->kind, comparison_place(comparison, difference));
	json_t *settings = json_object_get(undoing->found, "settings");
	_cleanup_json_ json_t *entry =
		selector ? json_pack("{s:s, s:b}", "for", selector, "optional", 1) : NULL;

	undoing->place_of[json_array_size(settings)] =
		undoing->place_of[row->values[difference->place].entry];
	if (!entry || writer_put_value(entry, row, &difference->is))
		return -ENOMEM;
	return json_array_append(settings, entry) ? -ENOMEM : 0;
}

/* Does the transaction change the setting somewhere? */
static bool changes(const struct undoing *undoing, enum setting_id id)
{
	for (size_t i = 0; i < undoing->fold.count; i++) {
		if (strcmp(undoing->fold.list[i].setting, setting_get(id)->path) == 0)
			return true;
	}
	return false;
}

/* Returns true if the transaction changes turbo or another setting that moves upper limits. */
static bool moves_limits(const struct undoing *undoing)
{
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (setting_get(id)->flags & SETTING_MOVES_LIMITS && changes(undoing, id))
			return true;
	}
	return false;
}

/* Returns true if a change of the transaction resets the setting, which may then have neither the
 * old value nor the new one. */
static bool is_reset(const struct undoing *undoing, enum setting_id id)
{
	for (enum setting_id by = 0; by < N_SETTINGS; by++) {
		if (setting_resets(by, id) && changes(undoing, by))
			return true;
	}
	return false;
}

/* Returns true if the kernel may have set an upper limit to the base or the highest frequency. */
static bool is_lowered(const struct undoing *undoing, struct state_machine *state, uint32_t cpu,
		       const struct state_value *is)
{
	uint32_t base_khz = 0, highest_khz = 0;

	state_read_frequency(state, cpu, CPUFREQ_BASE, &base_khz);
	state_read_frequency(state, cpu, CPUFREQ_HIGHEST, &highest_khz);
	return moves_limits(undoing) && (is->number == base_khz || is->number == highest_khz);
}

/* Returns true if another program has changed the value that was set. A lower upper limit does not
 * count: the kernel lowers it to the highest frequency, which depends on turbo and on the level. */
static bool is_other(const struct undoing *undoing, const struct state_row *row, const char *place,
		     const char *name, const struct state_value *is)
{
	const json_t *values = json_object_get(json_object_get(undoing->not_as_set, place), name);
	double set_mhz = json_number_value(json_object_get(values, "wanted"));

	if (!values || is->kind < STATE_BOOLEAN || state_is_partly(is) ||
	    is_reset(undoing, row->setting))
		return false;
	/* CPUs may be moving from hotplug to a group, or back */
	if (undoing->moves_groups && setting_is_about_online(row->setting))
		return false;
	return !cpufreq_is_upper_limit(row->setting) || is->kind != STATE_KHZ ||
	       (double)is->number / KHZ_PER_MHZ >= set_mhz;
}

/* Sorts one difference from the old values: it is undone, or kept if another program changed it. */
static int sort_one(struct undoing *undoing, const struct comparison *comparison,
		    const struct difference *difference)
{
	const struct state_row *row = comparison_row(comparison, difference);
	struct state_machine *state = comparison->wanted->state;
	_cleanup_free_ char *name = state_row_format_name(row);
	_cleanup_free_ char *place = state_row_format_place(state, row, difference->place);
	_cleanup_free_ char *is = state_value_format(&difference->is);
	_cleanup_free_ char *found = state_value_format(&difference->wanted);
	_cleanup_free_ char *text = NULL;

	if (difference->is_lost || difference->is_reset)
		return 0;
	if (!name || !place || !is || !found)
		return -ENOMEM;
	if (is_other(undoing, row, place, name, &difference->is) &&
	    !(cpufreq_is_upper_limit(row->setting) &&
	      is_lowered(undoing, state, comparison_place(comparison, difference)->cpu,
			 &difference->is))) {
		text = text_format("%s %s (now %s)", place, name, is);
		add_text(&undoing->changed, &undoing->n_changed, text);
		return keep_present(undoing, comparison, difference);
	}
	text = text_format("%s %s: %s -> %s", place, name, is, found);
	add_text(&undoing->undone, &undoing->n_undone, text);
	return 0;
}

/* Reports settings that cannot be read, and marks them as left. */
static void leave_unreadable(struct undoing *undoing, const struct comparison *comparison)
{
	const struct state_rows *rows = &comparison->wanted->rows;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < row->places->count; j++) {
			_cleanup_free_ char *name = NULL;
			size_t place;

			if (row->values[j].kind != STATE_UNREADABLE)
				continue;
			place = undoing->place_of[row->values[j].entry];
			if (undoing->is_left[place])
				continue;
			undoing->is_left[place] = true;
			name = state_row_format_name(row);
			report_add(&undoing->report, REPORT_REFUSED, "%s cannot be read",
				   name ?: "a setting");
		}
	}
}

/* Can the setting be read only while its CPU is online? */
static bool needs_online(const char *name)
{
	enum setting_id id = setting_find(name);

	return id < N_SETTINGS && (setting_get(id)->place == PLACE_POLICY ||
				   setting_get(id)->flags & SETTING_ONLINE_ONLY);
}

/* Returns true if another program took CPUs of the location offline, which hides the setting. */
static bool is_hidden(const struct undoing *undoing, const struct journal_places *places)
{
	return !places->place && cpuset_intersects(&places->cpus, &undoing->offline) &&
	       needs_online(places->setting);
}

/* Finds CPUs that another program took offline, and reports what cannot be undone there. */
static int find_offline(struct undoing *undoing, const struct topology *topology)
{
	int err = cpuset_copy(&undoing->offline, &topology->present);

	cpuset_remove_all(&undoing->offline, &topology->online);
	for (size_t i = 0; i < undoing->fold.count; i++) {
		const struct journal_places *places = &undoing->fold.list[i];

		if (journaled_is(places->setting, SETTING_ONLINE, NULL))
			cpuset_remove_all(&undoing->offline, &places->cpus);
	}
	for (size_t i = 0; i < undoing->fold.count && !err; i++) {
		const struct journal_places *places = &undoing->fold.list[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *list = NULL;

		if (!is_hidden(undoing, places))
			continue;
		err = cpuset_copy(&cpus, &undoing->offline);
		cpuset_keep(&cpus, &places->cpus);
		list = err ? NULL : cpuset_format_ranges(&cpus);
		report_add(&undoing->report, REPORT_REFUSED,
			   cpuset_count(&cpus) == 1
				   ? "CPU %s is offline: its %s is left as it is"
				   : "CPUs %s are offline: their %s is left as it is",
			   list ?: "?", places->setting);
	}
	return err;
}

/* Checks for control groups of this program that have no CPUs, since settings do not show them. */
static void sort_groups(struct undoing *undoing)
{
	for (size_t i = 0; i < undoing->fold.count; i++) {
		const struct journal_places *places = &undoing->fold.list[i];

		if (journaled_is(places->setting, SETTING_OFFLINE_BY, SETTING_PART_GROUP) &&
		    json_is_false(json_object_get(places->was, "was")))
			undoing->has_groups = cgroup_has_groups(undoing->host->files) > 0;
	}
	if (undoing->has_groups && !undoing->n_undone)
		add_text(&undoing->undone, &undoing->n_undone, "control groups removed");
}

/* Returns true if Speed Select is needed but missing, or a device of it is not bound for now. */
static bool is_device_away(const struct attempt *attempt)
{
	const struct state_apply *apply = &attempt->apply;

	return apply->machine && attempt->document.names_sst &&
	       (!apply->platform || apply->platform->unserved) &&
	       identity_has_sst(&apply->machine->identity);
}

/* Makes room in place_of for count more entries. */
static int grow_places(struct undoing *undoing, size_t count)
{
	size_t n_entries = json_array_size(json_object_get(undoing->found, "settings"));
	size_t *grown = reallocarray(undoing->place_of, n_entries + count + 1, sizeof(*grown));

	undoing->place_of = grown ?: undoing->place_of;
	return grown ? 0 : -ENOMEM;
}

/* Finds what is to be undone. */
static int sort(struct undoing *undoing)
{
	_cleanup_(attempt_done) struct attempt attempt = { 0 };
	const struct comparison *comparison = &attempt.apply.comparing.comparison;
	int err = open_attempt(&attempt, undoing, undoing->found, false, &undoing->report);

	if (!err && is_device_away(&attempt))
		return -ENODEV;
	if (!err && report_has_problem(&undoing->report))
		err = -EIO;
	if (!err)
		err = grow_places(undoing, comparison->count);
	for (size_t i = 0; i < comparison->count && !err; i++)
		err = sort_one(undoing, comparison, &comparison->list[i]);
	if (!err && comparison->wanted)
		leave_unreadable(undoing, comparison);
	if (!err && attempt.apply.machine)
		err = find_offline(undoing, &attempt.apply.machine->topology);
	if (!err)
		sort_groups(undoing);
	return err;
}

/* Writes the old values. Settings that still differ are reported and marked as left. */
static int undo(struct undoing *undoing)
{
	_cleanup_(attempt_done) struct attempt attempt = { 0 };
	const struct comparison *comparison = &attempt.apply.comparing.comparison;
	_cleanup_(report_done) struct report made = { .is_held = true };
	_cleanup_(report_done) struct report checked = { .is_held = true };
	int err = open_attempt(&attempt, undoing, undoing->found, true, &made);

	if (!err && !report_has_problem(&made))
		err = state_apply_make(&attempt.apply);
	/* a comparison stops if its report has a problem */
	attempt.apply.report = &checked;
	if (err != -ENOMEM)
		err = state_apply_compare(&attempt.apply, false);
	if (!err && comparison->count && report_has_problem(&made))
		report_add(&undoing->report, REPORT_REFUSED, "%s",
			   report_first_problem(&made) ?: "unknown");
	report_add_held(&undoing->report, &checked);
	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < comparison->count && !err; i++) {
		const struct difference *difference = &comparison->list[i];
		const struct state_row *row = comparison_row(comparison, difference);

		undoing->is_left[undoing->place_of[row->values[difference->place].entry]] = true;
	}
	return err || !comparison->count ? err : comparison_refuse(comparison, &undoing->report);
}

/* Returns the locations that could not be undone, for the end line; NULL: none, or no memory. */
static char *format_left(const struct undoing *undoing)
{
	_cleanup_json_ json_t *left = json_array();

	for (size_t i = 0; i < undoing->fold.count; i++) {
		const struct journal_places *places = &undoing->fold.list[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *list = NULL, *place = NULL;

		if (!undoing->is_left[i] && !is_hidden(undoing, places))
			continue;
		if (cpuset_copy(&cpus, &places->cpus))
			return NULL;
		if (!undoing->is_left[i])
			cpuset_keep(&cpus, &undoing->offline);
		list = cpuset_format_ranges(&cpus);
		place = text_format("cpu %s", list ?: "");
		json_array_append_new(left, json_pack("{s:s, s:s}", "for",
						      places->place ?: place ?: "machine",
						      "setting", places->setting));
	}
	return json_array_size(left) ? json_dumps(left, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
}

/* Appends the end line. */
static int end_transaction(struct journal *journal, const char *outcome, const char *left)
{
	return journal_end(journal,
			   &(struct journal_outcome){
				   .outcome = outcome,
				   .left = left,
				   .recovered = journal_get_last(journal)->process != getpid(),
			   });
}

static char *take_text(struct buffer *list, size_t count)
{
	_cleanup_free_ char *more =
		count > MOST_LISTED ? text_format(" and %zu more", count - MOST_LISTED) : NULL;

	if (more)
		buffer_append_string(list, more);
	return list->length ? buffer_steal(list, NULL) : NULL;
}

/* Finds which changes of a transaction are to be undone. */
static int find(struct undoing *undoing, const struct journal_last *last)
{
	int err = read_changes(undoing, last);

	if (!err)
		err = make_documents(undoing);
	if (!err)
		err = find_others(undoing);
	return err ?: sort(undoing);
}

/* Returns why some changes could not be undone: a new text; NULL: no memory. */
static char *describe_failure(const struct undoing *undoing, int err)
{
	const char *problem = report_first_problem(&undoing->report);

	return strdup(problem          ? problem
		      : err == -ENODEV ? "the device of Speed Select cannot be opened"
		      : err            ? journal_problem(err)
				       : "unknown");
}

/* Undoes the transaction. If its device cannot be read, the next command tries again. */
static int undo_last(struct host *host, struct journal *journal, struct recovery *recovery)
{
	_cleanup_(undoing_done) struct undoing undoing = { .host = host, .report.is_held = true };
	_cleanup_free_ char *left = NULL;
	int err = find(&undoing, journal_get_last(journal));

	if (!err && undoing.n_undone)
		err = undo(&undoing);
	if (err == -ENODEV || err == -EIO) {
		recovery->failed = describe_failure(&undoing, err);
		recovery->is_left = true;
		return recovery->failed ? 0 : -ENOMEM;
	}
	if (err)
		return err;
	left = format_left(&undoing);
	recovery->undone = take_text(&undoing.undone, undoing.n_undone);
	recovery->n_undone = undoing.n_undone;
	recovery->changed = take_text(&undoing.changed, undoing.n_changed);
	if (report_has_problem(&undoing.report))
		recovery->failed = describe_failure(&undoing, 0);
	return end_transaction(journal, left ? JOURNAL_MIXED : JOURNAL_UNDONE, left);
}

/* Plans the changes that undo the transaction, and assumes their result. */
static int assume(struct undoing *undoing, struct recovery *recovery,
		  struct assumption **assumption)
{
	_cleanup_(attempt_done) struct attempt attempt = { 0 };
	const char *unassumed = undoing->has_groups ? setting_get(SETTING_OFFLINE_BY)->path : NULL;
	int err = open_attempt(&attempt, undoing, undoing->found, true, &undoing->report);

	if (!err && report_has_problem(&undoing->report))
		return 0;
	if (!err && !unassumed)
		err = assumption_make(&attempt.apply, assumption, &unassumed);
	if (!err && unassumed)
		recovery->unassumed = strdup(unassumed);
	return err ?: unassumed && !recovery->unassumed ? -ENOMEM : 0;
}

void recovery_preview(struct host *host, struct recovery *ret_recovery,
		      struct assumption **ret_assumption)
{
	_cleanup_(undoing_done) struct undoing undoing = { .host = host, .report.is_held = true };
	_cleanup_journal_last_ struct journal_last last = { 0 };
	int err = journal_read_last(host->files, host->run_directory, &last);

	if (!err && (last.has_ended || last.forward)) /* there is nothing to undo */
		return;
	ret_recovery->unended = last.id;
	if (!err)
		err = find(&undoing, &last);
	if (!err && undoing.n_undone && !report_has_problem(&undoing.report))
		err = assume(&undoing, ret_recovery, ret_assumption);
	if (err || report_has_problem(&undoing.report))
		ret_recovery->failed = describe_failure(&undoing, err);
	ret_recovery->undone = take_text(&undoing.undone, undoing.n_undone);
	ret_recovery->changed = take_text(&undoing.changed, undoing.n_changed);
}

/* Names the transaction, for messages. NULL: no memory. */
static char *describe_owner(const struct journal_last *last)
{
	return text_format("%s, process %" PRId64 ", begun at %s", last->command, last->process,
			   last->time);
}

int recovery_run(struct host *host, struct journal **journal, struct recovery *ret_recovery,
		 char **ret_message)
{
	const struct journal_last *last;
	int err;

	*ret_message = NULL;
	journal_close(journal);
	err = journal_open(host->files, host->run_directory, NULL, journal);
	if (err == -ENOENT || err == -ESTALE)
		return 0;
	if (!err && !journal_get_last(*journal)->has_ended) {
		last = journal_get_last(*journal);
		ret_recovery->is_found = true;
		ret_recovery->is_own = last->process == getpid();
		ret_recovery->is_forward = last->forward;
		ret_recovery->owner = describe_owner(last);
		err = last->forward ? end_transaction(*journal, JOURNAL_MIXED, NULL)
				    : undo_last(host, *journal, ret_recovery);
	}
	if (err && err != -ENOMEM)
		*ret_message = text_format(
			"the change journal in %s cannot be used (%s), so that what an interrupted "
			"command left is not undone; remove the file to set something anyway: "
			"the changes that it lists then stay, and state restore cannot undo them",
			host->run_directory, journal_problem(err));
	return err;
}

/* Returns true if the text of a lock's holder, "isst, process 12", names the process. NULL: the
 * holder is unknown, which is also true. */
static bool is_holder(const char *holder, int64_t process)
{
	_cleanup_free_ char *end = text_format(", process %" PRId64, process);
	const char *at = end && holder ? strstr(holder, end) : NULL;

	return !holder || (at && strcmp(at, end) == 0);
}

char *recovery_describe(const struct host *host, enum recovery_state *ret_state)
{
	_cleanup_journal_last_ struct journal_last last = { 0 };
	_cleanup_free_ char *holder = NULL;
	int is_held, err = journal_read_last(host->files, host->run_directory, &last);

	*ret_state = RECOVERY_NONE;
	if (err == -ENOENT || err == -ESTALE || (!err && last.has_ended))
		return NULL;
	if (err) {
		*ret_state = RECOVERY_UNUSABLE;
		return text_format("the change journal in %s cannot be used (%s): whether an "
				   "interrupted command left settings changed is unknown",
				   host->run_directory, journal_problem(err));
	}
	is_held = lock_is_held(host->run_directory, &holder);
	if (is_held < 0)
		*ret_state = RECOVERY_UNKNOWN;
	else if (!is_held || !is_holder(holder, last.process))
		*ret_state = last.forward ? RECOVERY_FOLLOWING : RECOVERY_CUT_OFF;
	else
		*ret_state = last.temporary ? RECOVERY_TEMPORARY : RECOVERY_RUNNING;
	return describe_owner(&last);
}
