// SPDX-License-Identifier: GPL-2.0-only
/* Compares a machine with the resolved values of a state document: reads the present values,
 * resolves words for the state after apply, and checks that the result is possible. */
#include "state/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "settings/families.h"

static __attribute__((format(printf, 5, 6))) void report_value(const struct setting_view *view,
							       const struct state_row *row,
							       size_t place, enum report_kind kind,
							       const char *format, ...)
{
	const struct comparison *comparison = view->data;
	struct wanted_state *wanted = comparison->wanted;
	const struct state_value *value = &row->values[place];
	_cleanup_free_ char *name = state_row_format_name(row);
	_cleanup_free_ char *at = state_row_format_place(wanted->state, row, place);
	_cleanup_free_ char *text = NULL;
	const char *option =
		wanted->document->name_option ? wanted->document->name_option(row->setting) : NULL;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	if (value->kind == STATE_NONE)
		report_add(wanted->report, kind, "%s: %s: %s: %s", wanted->document->file,
			   at ?: "a place", name ?: "a setting", text ?: "out of memory");
	else
		wanted_report(wanted, value->entry, kind, "%s: %s: %s", at ?: "a place",
			      option ?: name ?: "a setting", text ?: "out of memory");
}

/* Returns true if other is read beside the setting: it is of the same group, or in the list. */
static bool is_beside(const struct setting *setting, enum setting_id id, enum setting_id other)
{
	if (id == other || (setting->group && setting->group == setting_get(other)->group))
		return id != other;
	for (const enum setting_id *at = setting->beside; at && *at != N_SETTINGS; at++) {
		if (*at == other)
			return true;
	}
	return false;
}

/* Requests the settings that are read beside a row. Settings of policies are many: the caller
 * requests them (of_policies) only if the row is to change. */
static int ask_companions(struct setting_view *view, const struct state_row *row, size_t place,
			  bool of_policies)
{
	const struct setting *setting = setting_get(row->setting);
	const struct place *at = &row->places->list[place];

	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		size_t other;

		if ((setting_get(id)->place == PLACE_POLICY) != of_policies ||
		    !is_beside(setting, row->setting, id))
			continue;
		other = view_find_place(view, id, at);
		if (other != PLACE_UNKNOWN && view_ask(view, id, row->clos, NULL, other))
			return -ENOMEM;
	}
	return 0;
}

/* Requests a setting in each domain whose change of the level resets it. */
static int ask_reset(struct setting_view *view, enum setting_id id)
{
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		size_t place = view_find_place(view, id, &domains->list[i]);

		if (view->levels[i].is_changed && place != PLACE_UNKNOWN &&
		    (view_ask(view, id, 0, NULL, place) ||
		     !state_rows_add(view->wanted, view->state, id, 0, NULL)))
			return -ENOMEM;
	}
	return 0;
}

/* Returns true if the document sets a new mode of intel_pstate, which resets or adds the
 * setting. */
static bool is_reset_by_mode(const struct setting_view *view, enum setting_id member)
{
	return setting_get(member)->flags & SETTING_RESET_BY_PSTATE && pstate_is_changed(view);
}

/* Returns true if an earlier change of the plan alters a value that matches now. */
static bool is_lost(const struct setting_view *view, const struct state_row *row, size_t place)
{
	const struct setting *setting = setting_get(row->setting);

	return (setting->is_lost && setting->is_lost(view, row, place)) ||
	       (view->is_planned && is_reset_by_mode(view, row->setting));
}

/* Returns true if a setting of a policy changes so that its companions must be known. Without a
 * plan, a limit that moves away from the other one needs no check. */
static bool needs_companions(const struct setting_view *view, const struct state_row *row,
			     size_t place)
{
	const struct state_value *is =
		state_rows_find_value(&view->present, row->setting, row->clos, place);
	const struct state_value *wanted = &row->values[place];
	bool are_khz = is->kind == STATE_KHZ && wanted->kind == STATE_KHZ;

	if (is_reset_by_mode(view, row->setting) || is_lost(view, row, place))
		return true;
	if (are_khz && !view->is_planned)
		return setting_get(row->setting)->upper ? wanted->number > is->number
							: wanted->number < is->number;
	return !state_value_equal(is, wanted);
}

/* Reads the companions of policy settings that are to change. */
static int read_policies(struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;
	int err = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count =
			setting_get(row->setting)->place == PLACE_POLICY ? row->places->count : 0;

		for (size_t j = 0; j < count && !err; j++) {
			if (row->values[j].kind != STATE_NONE && needs_companions(view, row, j))
				err = ask_companions(view, row, j, true);
		}
	}
	return err ?: state_read(view->state, &view->present);
}

static int read_present(struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;
	int err = 0;

	for (enum setting_id id = 0; id < N_SETTINGS && !err; id++)
		err = setting_get(id)->flags & SETTING_RESET_BY_LEVEL ? ask_reset(view, id) : 0;
	if (!err)
		err = sst_ask_turbo_freq(view);
	for (size_t i = 0; i < rows->count && !err; i++) {
		const struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < row->places->count && !err; j++) {
			if (row->values[j].kind == STATE_NONE)
				continue;
			err = view_ask(view, row->setting, row->clos, row->idle_state, j);
			if (!err)
				err = ask_companions(view, row, j, false);
		}
	}
	return err ?: state_read(view->state, &view->present);
}

/* Adds a difference if the level resets a setting that the document does not name. */
static int add_reset(struct comparison *comparison, enum setting_id member, size_t place,
		     const struct state_value *now, const struct state_value *value)
{
	struct setting_view *view = &comparison->view;
	const struct state_rows *rows = view->wanted;
	const struct state_row *wanted = state_rows_find(rows, member, 0, NULL);
	struct difference *added;

	if (!view->is_planned || state_value_equal(now, value) ||
	    wanted->values[place].kind != STATE_NONE)
		return 0;
	added = array_add(&comparison->list, &comparison->count, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = (struct difference){
		.row = (size_t)(wanted - rows->list),
		.place = place,
		.is = *now,
		.wanted = *value,
		.is_reset = true,
	};
	return 0;
}

/* Predicts the value of a setting that a change of the level resets. */
static int predict_one(struct comparison *comparison, enum setting_id member, size_t place)
{
	struct setting_view *view = &comparison->view;
	struct state_row *row = state_rows_find(&view->present, member, 0, NULL);
	struct state_value *now = &row->values[place];
	bool is_ratios = setting_get(member)->type == SETTING_TYPE_RATIOS;
	struct state_value value = { .kind = STATE_BOOLEAN };
	int err;

	/* the present level may lack a feature that the new one has */
	if (now->kind == STATE_LACKING && !is_ratios)
		*now = value;
	if (now->kind < STATE_BOOLEAN)
		return 0;
	if (is_ratios) {
		value.kind = STATE_RATIOS;
		if (sst_read_ratios(view, &view_places(view, member)->list[place], &value.number))
			return 0;
	}
	err = add_reset(comparison, member, place, now, &value);
	if (!err && view->is_planned)
		*now = value;
	return err;
}

static int predict(struct comparison *comparison)
{
	struct setting_view *view = &comparison->view;
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		for (enum setting_id id = 0; id < N_SETTINGS && view->levels[i].is_changed; id++) {
			size_t place = setting_get(id)->flags & SETTING_RESET_BY_LEVEL
					       ? view_find_place(view, id, &domains->list[i])
					       : PLACE_UNKNOWN;

			if (place != PLACE_UNKNOWN && predict_one(comparison, id, place))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Resolves a word to the value that it means here. Words of files, and words of CPUs that are still
 * offline, stay. Returns 0 or a negative errno; -ENODATA: nothing reports such a value. */
static int resolve(struct setting_view *view, const struct state_row *row, size_t place,
		   struct state_value *value)
{
	const struct setting *setting = setting_get(row->setting);
	struct state_value resolved = *value;
	int err = setting->resolve ? setting->resolve(view, row, place, &resolved) : 0;

	if (err)
		return err;
	resolved.entry = value->entry;
	resolved.is_implied = value->is_implied;
	resolved.is_past = value->is_past;
	*value = resolved;
	return 0;
}

/* Resolves the words of all wanted values with resolve(), for the state after apply. Words whose
 * value is unknown are reported. Returns 0 or -ENOMEM. */
static int resolve_words(struct setting_view *view)
{
	struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < row->places->count; j++) {
			struct state_value *value = &row->values[j];
			const char *word = value->kind == STATE_WORD ? value->text : NULL;
			int err = value->kind == STATE_NONE ? 0 : resolve(view, row, j, value);
			bool is_missing = err == -ENODATA || err == -ENOENT || err == -ENOTSUP;

			if (err == -ENOMEM)
				return err;
			if (!err)
				continue;
			view->report_value(
				view, row, j, is_missing ? REPORT_UNSUPPORTED : report_kind_of(err),
				"\"%s\" is unknown here: %s", word,
				is_missing ? "nothing reports such a value" : strerror(-err));
			value->kind = STATE_NONE;
		}
	}
	return 0;
}

static bool is_named(const struct setting_view *view, enum setting_id member, uint32_t clos,
		     size_t place)
{
	const struct state_value *value = state_rows_find_value(view->wanted, member, clos, place);

	return value && value->kind != STATE_NONE;
}

/* Returns true if the row names a limit, and the lower limit is above the upper one after apply. */
static bool is_conflict(const struct state_row *row, size_t place, const struct state_value *low,
			const struct state_value *high)
{
	return row->values[place].kind == STATE_KHZ && low->kind == STATE_KHZ &&
	       high->kind == STATE_KHZ && !high->is_highest && low->number > high->number;
}

/* Checks that a lower limit is not above the upper one after apply. Without a plan, this is only a
 * note if the document names one limit: the document itself is correct. */
static void check_limits(const struct setting_view *view, enum setting_id min, enum setting_id max)
{
	const struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		enum setting_id other = row->setting == min ? max : min;
		bool is_noted = false;

		if (row->setting != min && row->setting != max)
			continue;
		for (size_t j = 0; j < view_places(view, min)->count; j++) {
			const struct state_value low = view_expect(view, min, row->clos, j);
			const struct state_value high = view_expect(view, max, row->clos, j);
			bool is_whole = is_named(view, other, row->clos, j);
			bool is_note = !is_whole && !view->is_planned;

			if ((is_note && is_noted) || !is_conflict(row, j, &low, &high))
				continue;
			view->report_value(
				view, row, j, is_note ? REPORT_NOTE : REPORT_USAGE,
				"%sthe lower limit, %" PRIu64
				" MHz, would be above the upper one, %" PRIu64 " MHz%s%s%s",
				is_note ? "state apply refuses it as the machine is: " : "",
				low.number / KHZ_PER_MHZ, high.number / KHZ_PER_MHZ,
				is_whole ? "" : "; name ",
				is_whole ? "" : strrchr(setting_get(other)->path, '.') + 1,
				is_whole ? "" : " too");
			if (!is_note)
				return;
			is_noted = true;
		}
	}
}

/* Checks the state after apply: limits, and what settings check. Problems are reported. */
static void check(const struct setting_view *view)
{
	if (view->is_past)
		return;
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (setting_get(id)->upper)
			check_limits(view, id, setting_get(id)->upper);
	}
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (setting_get(id)->check)
			setting_get(id)->check(view);
	}
}

static bool is_match(const struct setting_view *view, const struct state_row *row, size_t place,
		     const struct state_value *is)
{
	const struct setting *setting = setting_get(row->setting);

	return state_value_equal(is, &row->values[place]) ||
	       (setting->match && setting->match(view, row, place, is));
}

/* Returns true if the CPU or all CPUs of the policy are offline now and will come online. */
static bool is_pending(const struct setting_view *view, enum setting_id member,
		       const struct place *place)
{
	return setting_get(member)->place >= PLACE_CORE && !setting_is_about_online(member) &&
	       cpuset_has(view->pending, place->cpu);
}

/* Does the level of a domain lack the setting? */
static bool lacks_feature(const struct setting_view *view, const struct state_row *row,
			  size_t place)
{
	const struct setting *setting = setting_get(row->setting);

	return setting->is_of_level && view->state->platform->has_levels &&
	       !view->levels[place].info_error && !setting->is_of_level(&view->levels[place].info);
}

/* Reports once, at the first location, that locations of an entry lack a setting. */
static void report_lacking(const struct setting_view *view, const struct state_row *row,
			   size_t index)
{
	const struct state_row *present =
		state_rows_find(&view->present, row->setting, row->clos, row->idle_state);
	size_t count = row->places->count, others = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == index || present->values[i].kind != STATE_LACKING ||
		    row->values[i].entry != row->values[index].entry)
			continue;
		if (i < index && row->values[i].kind == STATE_LACKING)
			return;
		others += row->values[i].kind != STATE_NONE;
	}
	view->report_value(view, row, index, REPORT_UNSUPPORTED, "this machine does not have it%s",
			   others ? ", nor do other locations of the entry" : "");
}

/* Returns true if a value can be compared. Reports a setting that is missing or unreadable. */
static bool can_compare(const struct comparison *comparison, const struct state_row *row,
			size_t index, struct state_value *is)
{
	const struct setting_view *view = &comparison->view;
	const struct place *place = &row->places->list[index];
	const struct platform *platform = view->state->platform;
	bool is_sst = setting_get(row->setting)->flags & SETTING_OF_SST;
	bool is_ignored = is_sst && place->domain && cpuset_is_empty(&place->domain->cpus);

	if (is_pending(view, row->setting, place)) {
		is->kind = STATE_NONE;
		return true;
	}
	/* settings that need these CPUs online are planned in the second stage */
	if (view->is_planned && (is_sst || setting_get(row->setting)->place == PLACE_UNCORE) &&
	    wanted_brings_online(comparison->wanted, place)) {
		is->kind = STATE_NONE;
		return false;
	}
	if (lacks_feature(view, row, index)) {
		if (row->values[index].number && !is_ignored)
			view->report_value(view, row, index, REPORT_UNSUPPORTED,
					   "level %u does not have it", view->levels[index].number);
		return false;
	}
	/* the files of an intel_pstate mode appear with it */
	if (is->kind == STATE_LACKING && is_reset_by_mode(view, row->setting)) {
		is->kind = STATE_NONE;
		return true;
	}
	if (is->kind == STATE_LACKING && !is_ignored)
		report_lacking(view, row, index);
	if (is->kind == STATE_UNREADABLE)
		view->report_value(view, row, index,
				   view->is_exact ? REPORT_NOTE
				   : is_sst       ? wanted_kind_of_unread(comparison->wanted,
									  row->setting, is->error)
						  : report_kind_of(is->error),
				   "it cannot be read: %s",
				   is_sst ? platform_find_cause(platform, is->error).text
					  : strerror(-is->error));
	return is->kind != STATE_LACKING && is->kind != STATE_UNREADABLE;
}

static int compare_rows(struct comparison *comparison)
{
	struct setting_view *view = &comparison->view;
	struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];
		const struct setting *setting = setting_get(row->setting);
		const struct state_row *present =
			state_rows_find(&view->present, row->setting, row->clos, row->idle_state);

		for (size_t j = 0; j < row->places->count; j++) {
			struct state_value *wanted = &row->values[j], is;
			struct difference *added;
			bool is_equal;

			if (setting->is_ignored && setting->is_ignored(view, row, j))
				wanted->kind = STATE_NONE;
			if (wanted->kind == STATE_NONE)
				continue;
			is = present->values[j];
			if (!can_compare(comparison, row, j, &is)) {
				wanted->kind =
					is.kind == STATE_LACKING || (is.kind == STATE_UNREADABLE &&
								     view->is_exact)
						? is.kind
						: STATE_NONE;
				continue;
			}
			is_equal = is_match(view, row, j, &is);
			if (is_equal && !is_lost(view, row, j))
				continue;
			added = array_add(&comparison->list, &comparison->count, sizeof(*added));
			if (!added)
				return -ENOMEM;
			*added = (struct difference){ i, j, is, *wanted, false, is_equal };
		}
	}
	return 0;
}

int comparison_make(struct wanted_state *wanted, bool is_planned, struct comparison *comparison)
{
	struct setting_view *view = &comparison->view;
	int err;

	if (report_has(wanted->report, REPORT_USAGE) ||
	    report_has(wanted->report, REPORT_UNSUPPORTED))
		return 0;
	*comparison = (struct comparison){
		.wanted = wanted,
		.view = {
			.state = wanted->state,
			.wanted = &wanted->rows,
			.levels = wanted->levels,
			.online = &wanted->online,
			.pending = &wanted->pending,
			.is_planned = is_planned,
			.is_built_in = wanted->document->is_built_in,
			.is_past = wanted->document->is_past,
			.is_exact = wanted->document->is_exact,
			.report = wanted->report,
			.file = wanted->document->file,
			.report_value = report_value,
			.data = comparison,
		},
	};
	err = read_present(view);
	if (!err)
		err = predict(comparison);
	if (!err)
		err = sst_imply_limits(view);
	view->moves_highest = !err && sst_moves_highest(view);
	if (!err)
		err = resolve_words(view);
	if (err)
		return err;
	cpufreq_predict_turbo(view);
	err = read_policies(view);
	if (err)
		return err;
	check(view);
	return compare_rows(comparison);
}

void comparison_done(struct comparison *comparison)
{
	state_rows_done(&comparison->view.present);
	journal_fold_done(&comparison->view.journal);
	free(comparison->list);
	*comparison = (struct comparison){ 0 };
}

const struct state_row *comparison_row(const struct comparison *comparison,
				       const struct difference *difference)
{
	return &comparison->wanted->rows.list[difference->row];
}

const struct place *comparison_place(const struct comparison *comparison,
				     const struct difference *difference)
{
	return &comparison_row(comparison, difference)->places->list[difference->place];
}
