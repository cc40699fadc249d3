// SPDX-License-Identifier: GPL-2.0-only
/* Compares a machine with the resolved values of a state document: reads both ends, resolves words
 * for the state after apply, and checks that the result is possible. */
#include "state/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "settings/families.h"
#include "sst/trl_note.h"

/* What is read beside some settings, as these are set or judged together. */
static const struct {
	enum setting_id setting;
	enum setting_id companion;
} companions[] = {
	{ SETTING_TURBO_FREQ, SETTING_CORE_POWER },
	{ SETTING_TURBO_FREQ, SETTING_PRIORITY },
	{ SETTING_TURBO_FREQ, SETTING_TRL },
	{ SETTING_BASE_FREQ, SETTING_TURBO },
};

static void report_value(const struct setting_view *view, const struct state_row *row, size_t place,
			 enum report_kind kind, const char *format, ...)
{
	const struct comparison *comparison = view->data;
	const struct wanted_state *wanted = comparison->wanted;
	struct state_value *value = &row->values[place];
	bool is_named = value->kind != STATE_NONE;
	bool is_note = kind == REPORT_UNSUPPORTED && is_named && wanted_is_optional(wanted, value);
	_cleanup_free_ char *name = state_row_format_name(row);
	_cleanup_free_ char *at =
		state_machine_format_place(wanted->state,
					   state_machine_kind(wanted->state, row->setting),
					   &view_places(view, row->setting)->list[place]);
	_cleanup_free_ char *text = NULL;
	struct document_entry_name entry = { "" };
	va_list args;

	if (is_note && wanted->document->is_built_in)
		return;
	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	if (is_named)
		entry = document_name_entry(wanted->document, value->entry);
	report_add(wanted->report, is_note ? REPORT_NOTE : kind, "%s: %s%s: %s: %s%s",
		   wanted->document->file, entry.text, at ?: "a place", name ?: "a setting",
		   text ?: "out of memory", is_note ? "; skipped, as the entry is optional" : "");
}

/* Is a setting read beside another one: of its group, or of its list? */
static bool is_beside(const struct setting *setting, enum setting_id id, enum setting_id other)
{
	if (id == other || (setting->group && setting->group == setting_get(other)->group))
		return id != other;
	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		if (companions[i].setting == id && companions[i].companion == other)
			return true;
	}
	for (const enum setting_id *at = setting->beside; at && *at != N_SETTINGS; at++) {
		if (*at == other)
			return true;
	}
	return false;
}

/* Those of policies, of which there are many, only where the setting is to change. */
static int ask_companions(struct setting_view *view, const struct state_row *row, size_t place,
			  bool of_policies)
{
	const struct setting *setting = setting_get(row->setting);
	const struct place *at = &view_places(view, row->setting)->list[place];

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

/* A change of level resets these. */
static const enum setting_id reset_members[] = { SETTING_BASE_FREQ, SETTING_TURBO_FREQ,
						 SETTING_TRL };

static int ask_reset(struct setting_view *view)
{
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(reset_members); j++) {
			size_t place = view_find_place(view, reset_members[j], &domains->list[i]);
			int err;

			if (!view->levels[i].is_changed || place == PLACE_UNKNOWN)
				continue;
			err = view_ask(view, reset_members[j], 0, NULL, place);
			if (err ||
			    !state_rows_add(view->wanted, view->state, reset_members[j], 0, NULL))
				return -ENOMEM;
		}
	}
	return 0;
}

const struct state_row *comparison_find_core_power(const struct setting_view *view, size_t place)
{
	static const enum setting_id members[] = { SETTING_CORE_POWER, SETTING_PRIORITY };

	for (size_t i = 0; i < ARRAY_SIZE(members) && place != PLACE_UNKNOWN; i++) {
		const struct state_row *row = state_rows_find(view->wanted, members[i], 0, NULL);

		if (row && row->values[place].kind != STATE_NONE)
			return row;
	}
	return NULL;
}

/* SST-TF depends on SST-CP: where that is named, in each domain; and what associations do to the
 * highest frequencies depends on SST-TF. */
static int ask_turbo_freq(struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;
	const struct place_list *domains = view_places(view, SETTING_TURBO_FREQ);
	const bool is_needed = state_rows_find(rows, SETTING_ASSOC, 0, NULL) &&
			       (state_rows_find(rows, SETTING_CPUFREQ_MIN, 0, NULL) ||
				state_rows_find(rows, SETTING_CPUFREQ_MAX, 0, NULL));

	for (size_t i = 0; i < domains->count; i++) {
		size_t place = view_find_place(view, SETTING_CORE_POWER, &domains->list[i]);
		int err = is_needed || comparison_find_core_power(view, place)
				  ? view_ask(view, SETTING_TURBO_FREQ, 0, NULL, i)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* Is a setting reset, or does it appear, with the mode that the document changes? */
static bool is_reset_by_mode(const struct setting_view *view, enum setting_id member)
{
	return setting_get(member)->flags & SETTING_RESET_BY_PSTATE && pstate_is_changed(view);
}

/* By cpufreq, SST-BF is made of limits: are those of a domain lost? */
static bool loses_base_freq(const struct setting_view *view, const struct state_row *row,
			    size_t place)
{
	const struct power_domain *domain = view_places(view, row->setting)->list[place].domain;

	if (!view->state->platform || !view->state->platform->base_freq_by_cpufreq ||
	    !row->values[place].number || !view->is_planned)
		return false;
	cpuset_foreach (cpu, &domain->cpus) {
		if (cpuset_has(view->coming, cpu))
			return true;
	}
	return view->resets_limits;
}

/* Does the document change a setting at any place? */
static bool changes(const struct setting_view *view, enum setting_id member)
{
	const struct state_row *wanted = state_rows_find(view->wanted, member, 0, NULL);
	const struct state_row *present = state_rows_find(&view->present, member, 0, NULL);

	for (size_t i = 0; wanted && i < view_places(view, member)->count; i++) {
		if (wanted->values[i].kind != STATE_NONE &&
		    !state_value_equal(&wanted->values[i], &present->values[i]))
			return true;
	}
	return false;
}

/* SST-TF gives cores of high priority another highest frequency. */
static bool moves_highest(const struct setting_view *view)
{
	const struct state_row *present =
		state_rows_find(&view->present, SETTING_TURBO_FREQ, 0, NULL);
	bool is_on = false;

	if (view_changes_feature(view, SETTING_TURBO_FREQ))
		return true;
	for (size_t i = 0; present && i < view_places(view, SETTING_TURBO_FREQ)->count; i++)
		is_on = is_on ||
			(present->values[i].kind == STATE_BOOLEAN && present->values[i].number);
	return is_on && (changes(view, SETTING_ASSOC) || changes(view, SETTING_CORE_POWER));
}

/* Is a value that matches altered by an earlier change of the plan? */
static bool is_lost(const struct setting_view *view, const struct state_row *row, size_t place)
{
	const struct setting *setting = setting_get(row->setting);

	if (row->setting == SETTING_BASE_FREQ)
		return loses_base_freq(view, row, place);
	return (setting->is_lost && setting->is_lost(view, row, place)) ||
	       (view->is_planned && is_reset_by_mode(view, row->setting));
}

/* Is the member of a policy to change so that it must be judged or set with its companions? A limit
 * that moves away from the other one is only set with it. */
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

/* Reads what else must be known of the policies that are to change. */
static int read_policies(struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;
	int err = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count = setting_get(row->setting)->place == PLACE_POLICY
				       ? view_places(view, row->setting)->count
				       : 0;

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
	int err = ask_reset(view);

	if (!err)
		err = ask_turbo_freq(view);
	for (size_t i = 0; i < rows->count && !err; i++) {
		const struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < view_places(view, row->setting)->count && !err; j++) {
			if (row->values[j].kind == STATE_NONE)
				continue;
			err = view_ask(view, row->setting, row->clos, row->idle_state, j);
			if (!err)
				err = ask_companions(view, row, j, false);
		}
	}
	return err ?: state_read(view->state, &view->present);
}

int comparison_read_ratios(const struct setting_view *view, const struct place *package,
			   uint64_t *ret_ratios)
{
	struct platform *platform = view->state->platform;
	const struct wanted_level *level = view_find_level(view, package);

	if (!level || !platform->ops->read_level_trl)
		return -ENOTSUP;
	if (level->error)
		return level->error;
	return platform->ops->read_level_trl(platform, package->domain, level->number, ret_ratios);
}

/* Lists a setting that the document does not name and the level resets. */
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

/* What a change of the level makes of one setting that it resets. */
static int predict_one(struct comparison *comparison, enum setting_id member, size_t place)
{
	struct setting_view *view = &comparison->view;
	struct state_row *row = state_rows_find(&view->present, member, 0, NULL);
	struct state_value *now = &row->values[place];
	struct state_value value = { .kind = STATE_BOOLEAN };
	int err;

	/* the present level may lack a feature that the new one has */
	if (now->kind == STATE_LACKING && member != SETTING_TRL)
		*now = value;
	if (now->kind < STATE_BOOLEAN)
		return 0;
	if (member == SETTING_TRL) {
		value.kind = STATE_RATIOS;
		if (comparison_read_ratios(view, &view_places(view, member)->list[place],
					   &value.number))
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
		for (size_t j = 0; j < ARRAY_SIZE(reset_members); j++) {
			size_t place = view_find_place(view, reset_members[j], &domains->list[i]);
			int err = view->levels[i].is_changed && place != PLACE_UNKNOWN
					  ? predict_one(comparison, reset_members[j], place)
					  : 0;

			if (err)
				return err;
		}
	}
	return 0;
}

/* SST-TF opens the turbo-ratio limits, and closes them, unless the document says otherwise. */
static int imply_limits(struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
	const struct place_list *places = view_places(view, SETTING_TURBO_FREQ);

	for (size_t i = 0; row && i < places->count; i++) {
		struct state_value value = row->values[i];
		const struct state_value *is = view_find_present(view, SETTING_TURBO_FREQ, i);
		size_t package = view_find_place(view, SETTING_TRL, &places->list[i]);
		struct state_row *limits;

		if (value.kind != STATE_BOOLEAN || !is || is->kind != STATE_BOOLEAN ||
		    is->number == value.number || package == PLACE_UNKNOWN)
			continue;
		limits = state_rows_add(view->wanted, view->state, SETTING_TRL, 0, NULL);
		if (!limits)
			return -ENOMEM;
		row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
		if (limits->values[package].kind != STATE_NONE)
			continue;
		limits->values[package] = (struct state_value){
			.kind = STATE_WORD,
			.text = value.number ? "open" : "level",
			.entry = value.entry,
			.is_past = value.is_past,
			.is_implied = true,
		};
	}
	return 0;
}

/* Does SST-TF of a domain of the package go on, also after a change of its level? The limits of the
 * level, which are in force then, would keep it from having an effect. */
static bool turns_turbo_freq_on(const struct setting_view *view, uint32_t package)
{
	const struct place_list *domains = view_places(view, SETTING_TURBO_FREQ);

	for (size_t i = 0; i < domains->count && view->is_planned; i++) {
		const struct state_value *wanted = view_find_wanted(view, SETTING_TURBO_FREQ, i);
		const struct state_value *is = view_find_present(view, SETTING_TURBO_FREQ, i);

		if (domains->list[i].package == package && wanted &&
		    wanted->kind == STATE_BOOLEAN && wanted->number &&
		    (view->levels[i].is_changed || !is || !is->number))
			return true;
	}
	return false;
}

/* Does it read as it would be written, or as firmware and the level make that? What was read back
 * after a write of the same value is noted. */
static bool are_ratios_alike(const struct setting_view *view, const struct place *package,
			     const struct state_value *is, const struct state_value *wanted)
{
	const struct host *host = view->state->machine->host;
	uint64_t level_ratios, written, read_back;

	if (view->is_exact)
		return false;
	if (is->kind == STATE_RATIOS && !wanted->is_implied &&
	    !trl_note_read(host->files, host->run_directory, package->package, &written,
			   &read_back) &&
	    wanted->number == written && is->number == read_back)
		return true;
	if (wanted->is_implied || wanted->number != STATE_OPEN_RATIOS || is->kind != STATE_RATIOS ||
	    turns_turbo_freq_on(view, package->package) || (view->is_planned && wanted->is_past) ||
	    comparison_read_ratios(view, package, &level_ratios))
		return false;
	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		if (sst_byte(is->number, i) < sst_byte(level_ratios, i))
			return false;
	}
	return true;
}

static bool is_match(const struct setting_view *view, const struct state_row *row, size_t index,
		     const struct state_value *is)
{
	const struct state_value *wanted = &row->values[index];
	const struct place *place = &view_places(view, row->setting)->list[index];

	if (state_value_equal(is, wanted))
		return true;
	if (setting_get(row->setting)->match)
		return setting_get(row->setting)->match(view, row, index, is);
	switch (row->setting) {
	case SETTING_TRL:
		return are_ratios_alike(view, place, is, wanted);
	default:
		return false;
	}
}

/* Is the CPU of the place, or all of its policy, offline now, and to come online? */
static bool is_coming(const struct setting_view *view, enum setting_id member,
		      const struct place *place)
{
	return setting_get(member)->place >= PLACE_CORE && !setting_is_about_online(member) &&
	       cpuset_has(view->coming, place->cpu);
}

/* Does the level lack SST-BF or SST-TF? */
static bool lacks_feature(const struct setting_view *view, const struct state_row *row,
			  size_t place)
{
	const struct wanted_level *level = &view->levels[place];

	if (row->setting != SETTING_BASE_FREQ && row->setting != SETTING_TURBO_FREQ)
		return false;
	return !view->state->platform->base_freq_by_cpufreq && !level->info_error &&
	       !(row->setting == SETTING_BASE_FREQ ? level->info.base_freq_supported
						   : level->info.turbo_freq_supported);
}

/* Reports a setting that the places of an entry lack: once, at the first of them. */
static void report_lacking(const struct setting_view *view, const struct state_row *row,
			   size_t index)
{
	const struct state_row *present =
		state_rows_find(&view->present, row->setting, row->clos, row->idle_state);
	size_t count = view_places(view, row->setting)->count, others = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == index || present->values[i].kind != STATE_LACKING ||
		    row->values[i].entry != row->values[index].entry)
			continue;
		if (i < index && row->values[i].kind == STATE_LACKING)
			return;
		others += row->values[i].kind != STATE_NONE;
	}
	view->report_value(view, row, index, REPORT_UNSUPPORTED, "this machine does not have it%s",
			   others ? ", nor have other places of the entry" : "");
}

/* Judges one value: what the place lacks or cannot be read is reported, and not compared. */
static bool can_compare(const struct comparison *comparison, const struct state_row *row,
			size_t index, struct state_value *is)
{
	const struct setting_view *view = &comparison->view;
	const struct place *place = &view_places(view, row->setting)->list[index];
	const struct platform *platform = view->state->platform;
	bool is_sst = setting_get(row->setting)->flags & SETTING_OF_SST;
	bool is_ignored = is_sst && place->domain && cpuset_is_empty(&place->domain->cpus);

	if (is_coming(view, row->setting, place)) {
		is->kind = STATE_NONE;
		return true;
	}
	/* what cannot be read before is planned in the second stage */
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
	/* the files of a mode of intel_pstate appear with it */
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

		for (size_t j = 0; j < view_places(view, row->setting)->count; j++) {
			struct state_value *wanted = &row->values[j], is;
			struct difference *added;
			bool is_alike;

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
			is_alike = is_match(view, row, j, &is);
			if (is_alike && !is_lost(view, row, j))
				continue;
			added = array_add(&comparison->list, &comparison->count, sizeof(*added));
			if (!added)
				return -ENOMEM;
			*added = (struct difference){ i, j, is, *wanted, false, is_alike };
		}
	}
	return 0;
}

int comparison_make(struct wanted_state *wanted, bool is_planned, struct comparison *comparison)
{
	struct setting_view *view = &comparison->view;
	int err;

	*comparison = (struct comparison){
		.wanted = wanted,
		.view = {
			.state = wanted->state,
			.wanted = &wanted->rows,
			.levels = wanted->levels,
			.online = &wanted->online,
			.coming = &wanted->coming,
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
		err = imply_limits(view);
	view->moves_highest = !err && moves_highest(view);
	if (!err)
		err = comparison_resolve_words(view);
	if (err)
		return err;
	cpufreq_predict_turbo(view);
	err = read_policies(view);
	if (err)
		return err;
	comparison_check(view);
	return compare_rows(comparison);
}

void comparison_done(struct comparison *comparison)
{
	state_rows_done(&comparison->view.present);
	journal_fold_done(&comparison->view.journal);
	free(comparison->list);
	*comparison = (struct comparison){ 0 };
}
