// SPDX-License-Identifier: GPL-2.0-only
/* Writes down what a document will change, and puts it back: what is as set becomes what was found,
 * by the same comparison and transaction as state apply. Each setting of a place has an entry of
 * its own in both documents. */
#include "state/lent.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "state/apply.h"
#include "state/writer.h"

void lent_done(struct lent *lent)
{
	json_decref(lent->found);
	json_decref(lent->set);
	json_decref(lent->known);
	*lent = (struct lent){ 0 };
}

void lent_outcome_done(struct lent_outcome *outcome)
{
	free(outcome->put_back);
	free(outcome->changed);
	free(outcome->failed);
	*outcome = (struct lent_outcome){ 0 };
}

static json_t *new_document(void)
{
	return json_pack("{s:s, s:i, s:[]}", "format", DOCUMENT_FORMAT, "version", DOCUMENT_VERSION,
			 "settings");
}

/* Adds an entry with one value. */
static int add_entry(json_t *document, const char *on, const struct state_row *row,
		     const struct state_value *value)
{
	/* what is gone when it is put back is no problem */
	json_t *entry = json_pack("{s:s, s:b}", "for", on, "optional", 1);

	if (!entry || writer_put_value(entry, row, value)) {
		json_decref(entry);
		return -ENOMEM;
	}
	return json_array_append_new(json_object_get(document, "settings"), entry) ? -ENOMEM : 0;
}

/* Marks a setting of a place as known. Returns 1 if it was, 0, or -ENOMEM. */
static int take_name(json_t *known, const char *place, const char *setting)
{
	json_t *settings = json_object_get(known, place);

	if (json_object_get(settings, setting))
		return 1;
	if (!settings) {
		if (json_object_set_new(known, place, json_object()))
			return -ENOMEM;
		settings = json_object_get(known, place);
	}
	return json_object_set_new(settings, setting, json_true()) ? -ENOMEM : 0;
}

/* A value that a document takes: not one that was set in part, nor a CLOS without any frequency. */
static bool can_have(const struct state_row *row, const struct state_value *value)
{
	return value->kind >= STATE_BOOLEAN && writer_can_have(row->setting, value) &&
	       !(row->setting == SETTING_CLOS_MAX && value->number == 0);
}

/* Adds one setting. set: NULL: what it becomes is not known. */
static int add_one(struct lent *lent, const struct state_machine *state,
		   const struct state_row *row, size_t place, const struct state_value *found,
		   const struct state_value *set, char **ret_problem)
{
	enum place_kind kind = state_machine_kind(state, row->setting);
	const struct place *at = &state_machine_places(state, row->setting)->list[place];
	_cleanup_free_ char *name = state_row_format_name(row), *value = NULL;
	_cleanup_free_ char *on = state_machine_format_selector(kind, at);
	_cleanup_free_ char *shown = state_machine_format_place(state, kind, at);
	int err = name && on && shown ? take_name(lent->known, shown, name) : -ENOMEM;

	if (err)
		return err < 0 ? err : 0;
	if (!can_have(row, found)) {
		value = state_value_format(found);
		*ret_problem = text_format("%s %s is %s now, which no document can have, so that "
					   "it could not be put back after a crash; set it first",
					   shown, name, value ?: "?");
		return *ret_problem ? -EINVAL : -ENOMEM;
	}
	err = add_entry(lent->found, on, row, found);
	return !err && set && can_have(row, set) ? add_entry(lent->set, on, row, set) : err;
}

/* Marks a member of a place, or of all (PLACE_UNKNOWN), to be read. */
static int ask(const struct state_machine *state, struct state_rows *rows, enum setting_id member,
	       size_t place)
{
	struct state_row *row = state_rows_add(rows, state, member, 0, NULL);

	for (size_t i = 0; row && i < state_machine_places(state, member)->count; i++) {
		if (i == place || place == PLACE_UNKNOWN)
			row->values[i].kind = STATE_ASKED;
	}
	return row ? 0 : -ENOMEM;
}

/* Marks what is changed with a member that differs, by the kernel or by us. */
static int ask_others(const struct state_machine *state, struct state_rows *rows,
		      enum setting_id member, size_t place)
{
	static const enum setting_id of_policies[] = {
		SETTING_CPUFREQ_MIN,
		SETTING_CPUFREQ_MAX,
		SETTING_GOVERNOR,
		SETTING_EPP,
	};
	int err;

	/* SST-BF of Cascade Lake-N is made of limits: some of them alone do not read as SST-BF */
	if (member == SETTING_BASE_FREQ && state->platform && state->platform->is_clx_n)
		return ask(state, rows, SETTING_CPUFREQ_MIN, PLACE_UNKNOWN)
			       ?: ask(state, rows, SETTING_CPUFREQ_MAX, PLACE_UNKNOWN);
	if (member != SETTING_GOVERNOR && member != SETTING_TURBO && member != SETTING_PSTATE)
		return 0;
	err = ask(state, rows, SETTING_TURBO, PLACE_UNKNOWN);
	for (size_t i = 0; i < ARRAY_SIZE(of_policies) && !err; i++)
		err = ask(state, rows, of_policies[i],
			  member == SETTING_GOVERNOR ? place : PLACE_UNKNOWN);
	/* the mode resets most of them, and is set before the others */
	for (enum setting_id id = SETTING_TURBO; id < SETTING_PSTATE && !err; id++) {
		if (member == SETTING_PSTATE)
			err = ask(state, rows, id, PLACE_UNKNOWN);
	}
	return err;
}

/* Is this what a policy will have again by itself, or what cannot be written? */
static bool is_of_another(const struct state_rows *rows, const struct state_row *row, size_t place)
{
	const struct state_value *governor =
		state_rows_find_value(rows, SETTING_GOVERNOR, 0, place);
	const struct state_value *turbo = state_rows_find_value(rows, SETTING_TURBO, 0, 0);

	if (row->setting == SETTING_EPP)
		return governor && governor->kind == STATE_WORD &&
		       strcmp(governor->text, "performance") == 0;
	/* without turbo it may read lower than it was set */
	return row->setting == SETTING_CPUFREQ_MAX && turbo && turbo->kind == STATE_BOOLEAN &&
	       !turbo->number;
}

/* Adds settings of cpufreq that are changed with those that differ. */
static int add_others(struct lent *lent, const struct comparison *comparison)
{
	struct state_machine *state = comparison->wanted->state;
	_cleanup_state_rows_ struct state_rows rows = { 0 };
	_cleanup_free_ char *ignored = NULL;
	int err = 0;

	for (size_t i = 0; i < comparison->count && !err; i++)
		err = ask_others(state, &rows,
				 comparison->wanted->rows.list[comparison->list[i].row].setting,
				 comparison->list[i].place);
	if (!err)
		err = state_read(state, &rows);
	for (size_t i = 0; i < rows.count && !err; i++) {
		const struct state_row *row = &rows.list[i];

		for (size_t j = 0; j < state_machine_places(state, row->setting)->count; j++) {
			if (!can_have(row, &row->values[j]) || is_of_another(&rows, row, j))
				continue;
			err = add_one(lent, state, row, j, &row->values[j], NULL, &ignored);
			if (err)
				return err;
		}
	}
	return err;
}

int lent_add(struct lent *lent, const struct comparison *comparison, char **ret_problem)
{
	const struct state_machine *state = comparison->wanted->state;
	int err = 0;

	lent->found = lent->found ?: new_document();
	lent->set = lent->set ?: new_document();
	lent->known = lent->known ?: json_object();
	if (!lent->found || !lent->set || !lent->known)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->count && !err; i++) {
		const struct difference *difference = &comparison->list[i];
		const struct state_row *row = &comparison->wanted->rows.list[difference->row];

		/* of a CPU that is offline, or has no such file, nothing is to be put back */
		if (difference->is_lost || difference->is.kind == STATE_NONE ||
		    difference->is.kind == STATE_LACKING)
			continue;
		err = add_one(lent, state, row, difference->place, &difference->is,
			      &difference->wanted, ret_problem);
	}
	return err ? err : add_others(lent, comparison);
}

/* What is being put back. */
struct returning {
	struct host *host;
	struct report report; /* holds what goes wrong */
	json_t *wanted; /* the document that is applied */
	struct buffer put_back, changed;
	size_t n_put_back;
};

static void returning_done(struct returning *returning)
{
	report_done(&returning->report);
	json_decref(returning->wanted);
	buffer_done(&returning->put_back);
	buffer_done(&returning->changed);
}

static int take_document(const json_t *json, const char *name, struct document *document)
{
	_cleanup_free_ char *problem = NULL;
	int err = document_take(json_deep_copy(json), name, document, &problem);

	return err == -EINVAL ? -EBADMSG : err;
}

bool lent_is_sound(const json_t *found, const json_t *set)
{
	_cleanup_document_ struct document as_found = { 0 }, as_set = { 0 };

	return !take_document(found, "borrowed.json", &as_found) &&
	       !take_document(set, "borrowed.json", &as_set);
}

/* The differences of the machine from a document, by place and setting. */
static int find_differences(struct returning *returning, const json_t *json, json_t **ret_names)
{
	_cleanup_document_ struct document document = { 0 };
	struct report ignored = { .is_held = true };
	_cleanup_state_apply_ struct state_apply apply = {
		.host = returning->host,
		.document = &document,
		.report = &ignored,
	};
	int err = take_document(json, "borrowed.json", &document);

	if (!err)
		err = state_apply_compare(&apply, false);
	report_done(&ignored);
	if (err)
		return err;
	*ret_names = apply.comparing.comparison.wanted
			     ? comparison_to_json(&apply.comparing.comparison, "is", "wanted")
			     : json_object();
	return *ret_names ? 0 : -ENOMEM;
}

static void add_text(struct buffer *list, char *text)
{
	if (list->length)
		buffer_append_string(list, ", ");
	buffer_append_clean(list, text ?: "?");
	free(text);
}

/* Sorts one difference from what was found: it is put back, or it was changed by somebody else, and
 * then its entry is dropped. */
static void sort_one(struct returning *returning, const struct comparison *comparison,
		     const struct difference *difference, const json_t *not_as_set, bool *drop)
{
	const struct state_row *row = &comparison->wanted->rows.list[difference->row];
	const struct state_machine *state = comparison->wanted->state;
	_cleanup_free_ char *name = state_row_format_name(row);
	_cleanup_free_ char *place = state_machine_format_place(
		state, state_machine_kind(state, row->setting),
		&state_machine_places(state, row->setting)->list[difference->place]);
	_cleanup_free_ char *is = state_value_format(&difference->is);
	_cleanup_free_ char *found = state_value_format(&difference->wanted);
	const bool is_partly =
		difference->is.kind == STATE_WORD && strcmp(difference->is.text, STATE_PARTLY) == 0;

	if (!name || !place ||
	    (json_object_get(json_object_get(not_as_set, place), name) && !is_partly)) {
		add_text(&returning->changed,
			 text_format("%s %s (now %s)", place ?: "?", name ?: "?", is ?: "?"));
		drop[row->values[difference->place].entry] = true;
		return;
	}
	add_text(&returning->put_back,
		 text_format("%s %s: %s -> %s", place, name, is ?: "?", found ?: "?"));
	returning->n_put_back++;
}

/* Finds what is to be put back, as a document. */
static int sort(struct returning *returning, const json_t *found, const json_t *not_as_set)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_state_apply_ struct state_apply apply = {
		.host = returning->host,
		.document = &document,
		.report = &returning->report,
	};
	const struct comparison *comparison = &apply.comparing.comparison;
	const size_t n_entries = json_array_size(json_object_get(found, "settings"));
	_cleanup_free_ bool *drop = calloc(n_entries + 1, sizeof(*drop));
	int err = drop ? take_document(found, "borrowed.json", &document) : -ENOMEM;

	document.is_exact = true;
	if (!err)
		err = state_apply_compare(&apply, false);
	if (!err && report_has_problem(&returning->report))
		err = -EIO;
	if (err)
		return err;
	for (size_t i = 0; i < comparison->count; i++)
		sort_one(returning, comparison, &comparison->list[i], not_as_set, drop);
	returning->wanted = json_deep_copy(found);
	for (size_t i = n_entries; i > 0; i--) {
		if (drop[i - 1])
			json_array_remove(json_object_get(returning->wanted, "settings"), i - 1);
	}
	return returning->wanted ? 0 : -ENOMEM;
}

static int apply_found(struct returning *returning)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_state_apply_ struct state_apply apply = {
		.host = returning->host,
		.document = &document,
		.report = &returning->report,
	};
	int err = take_document(returning->wanted, "borrowed.json", &document);

	document.is_exact = true;
	if (!err)
		err = state_apply_compare(&apply, true);
	if (!err && report_has_problem(&returning->report))
		err = -ECANCELED;
	if (!err)
		err = state_apply_carry_out(&apply);
	return err == -ECANCELED ? -EIO : err;
}

static char *take_text(struct buffer *list)
{
	return list->length ? buffer_steal(list, NULL) : NULL;
}

int lent_put_back(struct host *host, const json_t *found, const json_t *set,
		  struct lent_outcome *ret_outcome)
{
	_cleanup_(returning_done) struct returning returning = {
		.host = host,
		.report.is_held = true,
	};
	_cleanup_json_ json_t *not_as_set = NULL;
	int err = find_differences(&returning, set, &not_as_set);

	if (!err)
		err = sort(&returning, found, not_as_set);
	if (!err && returning.n_put_back)
		err = apply_found(&returning);
	if (err && err != -EIO)
		return err;
	*ret_outcome = (struct lent_outcome){
		.put_back = err ? NULL : take_text(&returning.put_back),
		.changed = take_text(&returning.changed),
		.failed = err ? strdup(report_first_problem(&returning.report) ?: "unknown") : NULL,
	};
	return err;
}
