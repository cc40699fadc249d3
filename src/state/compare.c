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
#include "host/cpufreq.h"
#include "sst/trl_note.h"

/* Members that must be read beside a member, since they are set or judged together; those of
 * policies, of which there are many, only where the member is to change. */
static const struct {
	enum setting_id setting;
	enum setting_id companion;
} companions[] = {
	{ SETTING_CORE_POWER, SETTING_PRIORITY },     { SETTING_PRIORITY, SETTING_CORE_POWER },
	{ SETTING_TURBO_FREQ, SETTING_CORE_POWER },   { SETTING_TURBO_FREQ, SETTING_PRIORITY },
	{ SETTING_TURBO_FREQ, SETTING_TRL },          { SETTING_CLOS_MIN, SETTING_CLOS_MAX },
	{ SETTING_CLOS_MAX, SETTING_CLOS_MIN },       { SETTING_CPUFREQ_MIN, SETTING_CPUFREQ_MAX },
	{ SETTING_CPUFREQ_MAX, SETTING_CPUFREQ_MIN }, { SETTING_CPUFREQ_MAX, SETTING_TURBO },
	{ SETTING_BASE_FREQ, SETTING_TURBO },         { SETTING_EPP, SETTING_GOVERNOR },
	{ SETTING_UNCORE_MIN, SETTING_UNCORE_MAX },   { SETTING_UNCORE_MAX, SETTING_UNCORE_MIN },
	{ SETTING_MIN_PCT, SETTING_TURBO },
};

static const struct place_list *places_of(const struct comparison *comparison,
					  enum setting_id member)
{
	return state_machine_places(comparison->wanted->state, member);
}

void comparison_report(const struct comparison *comparison, const struct state_row *row,
		       size_t place, enum report_kind kind, const char *format, ...)
{
	const struct wanted_state *wanted = comparison->wanted;
	struct state_value *value = &row->values[place];
	bool is_named = value->kind != STATE_NONE;
	bool is_note = kind == REPORT_UNSUPPORTED && is_named && wanted_is_optional(wanted, value);
	_cleanup_free_ char *name = state_row_format_name(row);
	_cleanup_free_ char *at =
		state_machine_format_place(wanted->state,
					   state_machine_kind(wanted->state, row->setting),
					   &places_of(comparison, row->setting)->list[place]);
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

/* Marks the present value of a place to be read. */
static int ask(struct comparison *comparison, enum setting_id member, uint32_t clos,
	       const char *idle_state, size_t place)
{
	struct state_row *row = state_rows_add(&comparison->present, comparison->wanted->state,
					       member, clos, idle_state);

	if (!row)
		return -ENOMEM;
	if (row->values[place].kind == STATE_NONE)
		row->values[place].kind = STATE_ASKED;
	return 0;
}

size_t comparison_find_place(const struct comparison *comparison, enum setting_id member,
			     const struct place *place)
{
	const struct state_machine *state = comparison->wanted->state;
	enum place_kind kind = state_machine_kind(state, member);
	const struct place_list *list = &state->places[kind];

	if (kind == PLACE_MACHINE)
		return 0;
	if (list->of_cpu)
		return place->cpu == CPUSET_NONE ? PLACE_UNKNOWN : list->of_cpu[place->cpu];
	for (size_t i = 0; i < list->count; i++) {
		if (kind == PLACE_DOMAIN   ? list->list[i].domain == place->domain
		    : kind == PLACE_UNCORE ? list->list[i].uncore == place->uncore
					   : list->list[i].package == place->package)
			return i;
	}
	return PLACE_UNKNOWN;
}

static int ask_companions(struct comparison *comparison, const struct state_row *row, size_t place,
			  bool of_policies)
{
	const struct place *at = &places_of(comparison, row->setting)->list[place];

	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		enum setting_id companion = companions[i].companion;
		bool is_meant = companions[i].setting == row->setting &&
				(setting_get(companion)->place == PLACE_POLICY) == of_policies;
		size_t other =
			is_meant ? comparison_find_place(comparison, companion, at) : PLACE_UNKNOWN;
		int err = other != PLACE_UNKNOWN
				  ? ask(comparison, companion, row->clos, NULL, other)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* A change of level resets these. */
static const enum setting_id reset_members[] = { SETTING_BASE_FREQ, SETTING_TURBO_FREQ,
						 SETTING_TRL };

static int ask_reset(struct comparison *comparison)
{
	const struct place_list *domains = &comparison->wanted->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(reset_members); j++) {
			size_t place = comparison_find_place(comparison, reset_members[j],
							     &domains->list[i]);
			int err;

			if (!comparison->wanted->levels[i].is_changed || place == PLACE_UNKNOWN)
				continue;
			err = ask(comparison, reset_members[j], 0, NULL, place);
			if (err ||
			    !state_rows_add(&comparison->wanted->rows, comparison->wanted->state,
					    reset_members[j], 0, NULL))
				return -ENOMEM;
		}
	}
	return 0;
}

const struct state_row *comparison_find_core_power(const struct comparison *comparison,
						   size_t place)
{
	static const enum setting_id members[] = { SETTING_CORE_POWER, SETTING_PRIORITY };

	for (size_t i = 0; i < ARRAY_SIZE(members) && place != PLACE_UNKNOWN; i++) {
		const struct state_row *row =
			state_rows_find(&comparison->wanted->rows, members[i], 0, NULL);

		if (row && row->values[place].kind != STATE_NONE)
			return row;
	}
	return NULL;
}

/* SST-TF depends on SST-CP: where that is named, in each domain; and what associations do to the
 * highest frequencies depends on SST-TF. */
static int ask_turbo_freq(struct comparison *comparison)
{
	const struct state_rows *rows = &comparison->wanted->rows;
	const struct place_list *domains = places_of(comparison, SETTING_TURBO_FREQ);
	const bool is_needed = state_rows_find(rows, SETTING_ASSOC, 0, NULL) &&
			       (state_rows_find(rows, SETTING_CPUFREQ_MIN, 0, NULL) ||
				state_rows_find(rows, SETTING_CPUFREQ_MAX, 0, NULL));

	for (size_t i = 0; i < domains->count; i++) {
		size_t place =
			comparison_find_place(comparison, SETTING_CORE_POWER, &domains->list[i]);
		int err = is_needed || comparison_find_core_power(comparison, place)
				  ? ask(comparison, SETTING_TURBO_FREQ, 0, NULL, i)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* All parameters of a CLOS are written together. */
static int ask_clos(struct comparison *comparison, const struct state_row *row, size_t place)
{
	for (unsigned int member = SETTING_CLOS_MIN; member <= SETTING_CLOS_WEIGHT; member++) {
		if (ask(comparison, (enum setting_id)member, row->clos, NULL, place))
			return -ENOMEM;
	}
	return 0;
}

/* Does the document change the mode of intel_pstate? */
static bool changes_mode(const struct comparison *comparison)
{
	const struct state_value *wanted =
		state_rows_find_value(&comparison->wanted->rows, SETTING_PSTATE, 0, 0);
	const struct state_value *is =
		state_rows_find_value(&comparison->present, SETTING_PSTATE, 0, 0);

	return wanted && is && wanted->kind == STATE_WORD && is->kind == STATE_WORD &&
	       !state_value_equal(wanted, is);
}

/* Is a setting reset, or does it appear, with the mode that the document changes? */
static bool is_reset_by_mode(const struct comparison *comparison, enum setting_id member)
{
	return setting_get(member)->flags & SETTING_RESET_BY_PSTATE && changes_mode(comparison);
}

/* By cpufreq, SST-BF is made of limits: are those of a domain lost? */
static bool loses_base_freq(const struct comparison *comparison, const struct state_row *row,
			    size_t place)
{
	const struct power_domain *domain = places_of(comparison, row->setting)->list[place].domain;
	const struct wanted_state *wanted = comparison->wanted;

	if (!wanted->state->platform || !wanted->state->platform->base_freq_by_cpufreq ||
	    !row->values[place].number || !comparison->is_planned)
		return false;
	cpuset_foreach (cpu, &domain->cpus) {
		if (cpuset_has(&wanted->coming, cpu))
			return true;
	}
	return comparison->resets_limits;
}

/* Is it a limit of cpufreq at the highest frequency, which moves? Whether the limit moves with it
 * does not show. */
static bool is_at_highest(const struct comparison *comparison, const struct state_row *row,
			  size_t place)
{
	const struct state_value *wanted = &row->values[place];
	uint32_t cpu = places_of(comparison, row->setting)->list[place].cpu, highest;

	if (!comparison->is_planned || !comparison->moves_highest || wanted->kind != STATE_KHZ)
		return false;
	return wanted->is_highest ||
	       (row->setting == SETTING_CPUFREQ_MAX &&
		!state_read_frequency(comparison->wanted->state, cpu, POLICY_HIGHEST, &highest) &&
		wanted->number == highest);
}

/* Is a value that matches altered by an earlier change of the plan? */
static bool is_lost(const struct comparison *comparison, const struct state_row *row, size_t place)
{
	if (row->setting == SETTING_BASE_FREQ)
		return loses_base_freq(comparison, row, place);
	if ((row->setting == SETTING_CPUFREQ_MIN || row->setting == SETTING_CPUFREQ_MAX) &&
	    is_at_highest(comparison, row, place))
		return true;
	return (row->setting == SETTING_CPUFREQ_MAX && comparison->rewrites_limits) ||
	       (comparison->is_planned && is_reset_by_mode(comparison, row->setting));
}

/* Does the document change a setting at any place? */
static bool changes(const struct comparison *comparison, enum setting_id member)
{
	const struct state_row *wanted =
		state_rows_find(&comparison->wanted->rows, member, 0, NULL);
	const struct state_row *present = state_rows_find(&comparison->present, member, 0, NULL);

	for (size_t i = 0; wanted && i < places_of(comparison, member)->count; i++) {
		if (wanted->values[i].kind != STATE_NONE &&
		    !state_value_equal(&wanted->values[i], &present->values[i]))
			return true;
	}
	return false;
}

/* Does a change of the level or of this feature change frequencies: SST-BF base frequencies, SST-TF
 * the highest ones? */
static bool changes_feature(const struct comparison *comparison, enum setting_id member)
{
	const struct wanted_state *wanted = comparison->wanted;
	const struct state_row *features = state_rows_find(&wanted->rows, member, 0, NULL);
	const struct state_row *present = state_rows_find(&comparison->present, member, 0, NULL);

	for (size_t i = 0; i < wanted->state->places[PLACE_DOMAIN].count; i++) {
		if (wanted->levels[i].is_changed)
			return true;
		if (features && features->values[i].kind == STATE_BOOLEAN &&
		    !state_value_equal(&features->values[i], &present->values[i]))
			return true;
	}
	return false;
}

/* SST-TF gives cores of high priority another highest frequency. */
static bool moves_highest(const struct comparison *comparison)
{
	const struct state_row *present =
		state_rows_find(&comparison->present, SETTING_TURBO_FREQ, 0, NULL);
	bool is_on = false;

	if (changes_feature(comparison, SETTING_TURBO_FREQ))
		return true;
	for (size_t i = 0; present && i < places_of(comparison, SETTING_TURBO_FREQ)->count; i++)
		is_on = is_on ||
			(present->values[i].kind == STATE_BOOLEAN && present->values[i].number);
	return is_on &&
	       (changes(comparison, SETTING_ASSOC) || changes(comparison, SETTING_CORE_POWER));
}

/* A reset whose writes are done leaves turbo off if BIOS does not let the kernel switch it on: the
 * transaction has read back all other writes (docs/spec/state.md, "Clean"). */
static void accept_missing_turbo(struct comparison *comparison)
{
	struct state_row *row = state_rows_find(&comparison->wanted->rows, SETTING_TURBO, 0, NULL);
	const struct state_value *is =
		state_rows_find_value(&comparison->present, SETTING_TURBO, 0, 0);

	if (comparison->is_planned || !comparison->wanted->document->is_built_in || !row || !is ||
	    is->kind != STATE_BOOLEAN || row->values[0].kind != STATE_BOOLEAN)
		return;
	comparison->lacks_turbo = !is->number && row->values[0].number;
	if (comparison->lacks_turbo)
		row->values[0].number = 0;
}

/* Finds out what becomes of limits that the kernel lowers while turbo is off. */
static void predict_turbo(struct comparison *comparison)
{
	const struct state_value *is =
		state_rows_find_value(&comparison->present, SETTING_TURBO, 0, 0);
	const struct state_value wanted = comparison_expect(comparison, SETTING_TURBO, 0, 0);

	comparison->resets_limits = comparison->is_planned && changes_mode(comparison);
	if (!comparison->is_planned || !is || is->kind != STATE_BOOLEAN ||
	    wanted.kind != STATE_BOOLEAN)
		return;
	comparison->switches_turbo = is->number != wanted.number;
	comparison->rewrites_limits =
		comparison->switches_turbo ||
		(!is->number && changes_feature(comparison, SETTING_BASE_FREQ));
	comparison->resets_limits = comparison->resets_limits || comparison->rewrites_limits;
}

/* Is the member of a policy to change so that it must be judged or set with its companions? A limit
 * that moves away from the other one is only set with it. */
static bool needs_companions(const struct comparison *comparison, const struct state_row *row,
			     size_t place)
{
	const struct state_value *is =
		state_rows_find_value(&comparison->present, row->setting, row->clos, place);
	const struct state_value *wanted = &row->values[place];
	bool are_khz = is->kind == STATE_KHZ && wanted->kind == STATE_KHZ;

	if (is_reset_by_mode(comparison, row->setting) || is_lost(comparison, row, place))
		return true;
	if (are_khz && !comparison->is_planned)
		return row->setting == SETTING_CPUFREQ_MIN ? wanted->number > is->number
							   : wanted->number < is->number;
	return !state_value_equal(is, wanted);
}

/* Reads what else must be known of the policies that are to change. */
static int read_policies(struct comparison *comparison)
{
	const struct state_rows *rows = &comparison->wanted->rows;
	int err = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count = setting_get(row->setting)->place == PLACE_POLICY
				       ? places_of(comparison, row->setting)->count
				       : 0;

		for (size_t j = 0; j < count && !err; j++) {
			if (row->values[j].kind != STATE_NONE &&
			    needs_companions(comparison, row, j))
				err = ask_companions(comparison, row, j, true);
		}
	}
	return err ?: state_read(comparison->wanted->state, &comparison->present);
}

static int read_present(struct comparison *comparison)
{
	const struct state_rows *rows = &comparison->wanted->rows;
	int err = ask_reset(comparison);

	if (!err)
		err = ask_turbo_freq(comparison);
	for (size_t i = 0; i < rows->count && !err; i++) {
		const struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < places_of(comparison, row->setting)->count && !err; j++) {
			if (row->values[j].kind == STATE_NONE)
				continue;
			err = ask(comparison, row->setting, row->clos, row->idle_state, j);
			if (!err)
				err = ask_companions(comparison, row, j, false);
			if (!err && setting_get(row->setting)->flags & SETTING_IN_CLOS)
				err = ask_clos(comparison, row, j);
		}
	}
	return err ?: state_read(comparison->wanted->state, &comparison->present);
}

struct state_value comparison_expect(const struct comparison *comparison, enum setting_id member,
				     uint32_t clos, size_t place)
{
	const struct state_value *value =
		state_rows_find_value(&comparison->wanted->rows, member, clos, place);

	if (!value || value->kind == STATE_NONE)
		value = state_rows_find_value(&comparison->present, member, clos, place);
	return value ? *value : (struct state_value){ .kind = STATE_NONE };
}

int comparison_read_ratios(const struct comparison *comparison, const struct place *package,
			   uint64_t *ret_ratios)
{
	struct platform *platform = comparison->wanted->state->platform;
	const struct wanted_level *level = wanted_find_level(comparison->wanted, package);

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
	const struct state_rows *rows = &comparison->wanted->rows;
	const struct state_row *wanted = state_rows_find(rows, member, 0, NULL);
	struct difference *added;

	if (!comparison->is_planned || state_value_equal(now, value) ||
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
	struct state_row *row = state_rows_find(&comparison->present, member, 0, NULL);
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
		if (comparison_read_ratios(comparison, &places_of(comparison, member)->list[place],
					   &value.number))
			return 0;
	}
	err = add_reset(comparison, member, place, now, &value);
	if (!err && comparison->is_planned)
		*now = value;
	return err;
}

static int predict(struct comparison *comparison)
{
	const struct place_list *domains = &comparison->wanted->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(reset_members); j++) {
			size_t place = comparison_find_place(comparison, reset_members[j],
							     &domains->list[i]);
			int err = comparison->wanted->levels[i].is_changed && place != PLACE_UNKNOWN
					  ? predict_one(comparison, reset_members[j], place)
					  : 0;

			if (err)
				return err;
		}
	}
	return 0;
}

/* SST-TF opens the turbo-ratio limits, and closes them, unless the document says otherwise. */
static int imply_limits(struct comparison *comparison)
{
	struct wanted_state *wanted = comparison->wanted;
	const struct state_row *row = state_rows_find(&wanted->rows, SETTING_TURBO_FREQ, 0, NULL);
	const struct place_list *places = places_of(comparison, SETTING_TURBO_FREQ);

	for (size_t i = 0; row && i < places->count; i++) {
		struct state_value value = row->values[i];
		const struct state_value *is =
			state_rows_find_value(&comparison->present, SETTING_TURBO_FREQ, 0, i);
		size_t package = comparison_find_place(comparison, SETTING_TRL, &places->list[i]);
		struct state_row *limits;

		if (value.kind != STATE_BOOLEAN || !is || is->kind != STATE_BOOLEAN ||
		    is->number == value.number || package == PLACE_UNKNOWN)
			continue;
		limits = state_rows_add(&wanted->rows, wanted->state, SETTING_TRL, 0, NULL);
		if (!limits)
			return -ENOMEM;
		row = state_rows_find(&wanted->rows, SETTING_TURBO_FREQ, 0, NULL);
		if (limits->values[package].kind != STATE_NONE)
			continue;
		limits->values[package] = (struct state_value){
			.kind = STATE_WORD,
			.text = value.number ? "open" : "level",
			.entry = value.entry,
			.is_implied = true,
		};
	}
	return 0;
}

/* Is turbo off after apply? */
static bool is_turbo_off(const struct comparison *comparison)
{
	const struct state_value turbo = comparison_expect(comparison, SETTING_TURBO, 0, 0);

	return turbo.kind == STATE_BOOLEAN && !turbo.number;
}

/* With turbo off the kernel lowers a limit above the base frequency to that. */
static bool is_clamped(const struct comparison *comparison, const struct place *place,
		       const struct state_value *is, const struct state_value *wanted)
{
	uint64_t base_khz = comparison_find_base_khz(comparison, place);
	uint32_t shown_khz = 0;

	if (is->kind != STATE_KHZ || wanted->kind != STATE_KHZ || !is_turbo_off(comparison) ||
	    comparison->switches_turbo ||
	    (!base_khz &&
	     state_read_frequency(comparison->wanted->state, place->cpu, POLICY_BASE, &shown_khz)))
		return false;
	return is->number >= (base_khz ?: shown_khz) && is->number < wanted->number;
}

/* Does SST-TF of a domain of the package go on, also after a change of its level? The limits of the
 * level, which are in force then, would keep it from having an effect. */
static bool turns_turbo_freq_on(const struct comparison *comparison, uint32_t package)
{
	const struct place_list *domains = places_of(comparison, SETTING_TURBO_FREQ);

	for (size_t i = 0; i < domains->count && comparison->is_planned; i++) {
		const struct state_value *wanted =
			state_rows_find_value(&comparison->wanted->rows, SETTING_TURBO_FREQ, 0, i);
		const struct state_value *is =
			state_rows_find_value(&comparison->present, SETTING_TURBO_FREQ, 0, i);

		if (domains->list[i].package == package && wanted &&
		    wanted->kind == STATE_BOOLEAN && wanted->number &&
		    (comparison->wanted->levels[i].is_changed || !is || !is->number))
			return true;
	}
	return false;
}

/* Does it read as it would be written, or as firmware and the level make that? What was read back
 * after a write of the same value is noted. */
static bool are_ratios_alike(const struct comparison *comparison, const struct place *package,
			     const struct state_value *is, const struct state_value *wanted)
{
	const struct host *host = comparison->wanted->state->machine->host;
	uint64_t level_ratios, written, read_back;

	if (comparison->wanted->document->is_exact)
		return false;
	if (is->kind == STATE_RATIOS && !wanted->is_implied &&
	    !trl_note_read(host->files, host->run_directory, package->package, &written,
			   &read_back) &&
	    wanted->number == written && is->number == read_back)
		return true;
	if (wanted->is_implied || wanted->number != STATE_OPEN_RATIOS || is->kind != STATE_RATIOS ||
	    turns_turbo_freq_on(comparison, package->package) ||
	    (comparison->is_planned && wanted_is_past(comparison->wanted, wanted->entry)) ||
	    comparison_read_ratios(comparison, package, &level_ratios))
		return false;
	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		if (sst_byte(is->number, i) < sst_byte(level_ratios, i))
			return false;
	}
	return true;
}

static bool is_match(const struct comparison *comparison, const struct state_row *row, size_t index,
		     const struct state_value *is)
{
	const struct state_value *wanted = &row->values[index];
	const struct place *place = &places_of(comparison, row->setting)->list[index];
	struct state_value online;
	char left[24], right[24];

	if (state_value_equal(is, wanted))
		return true;
	switch (row->setting) {
	case SETTING_EPP:
		return (is->kind == STATE_WORD || is->kind == STATE_NUMBER) &&
		       strcmp(comparison_find_epp_name(is, left),
			      comparison_find_epp_name(wanted, right)) == 0;
	case SETTING_CPUFREQ_MAX:
		return is_clamped(comparison, place, is, wanted);
	case SETTING_TRL:
		return are_ratios_alike(comparison, place, is, wanted);
	case SETTING_OFFLINE_BY: /* how, of CPUs that are online then, does not matter */
		online = comparison_expect(comparison, SETTING_ONLINE, 0, index);
		return online.kind != STATE_BOOLEAN || online.number;
	default:
		return false;
	}
}

/* Is the CPU of the place, or all of its policy, offline now, and to come online? */
static bool is_coming(const struct comparison *comparison, enum setting_id member,
		      const struct place *place)
{
	return setting_get(member)->place >= PLACE_CORE && member != SETTING_ONLINE &&
	       cpuset_has(&comparison->wanted->coming, place->cpu);
}

/* Does the level lack SST-BF or SST-TF? */
static bool lacks_feature(const struct comparison *comparison, const struct state_row *row,
			  size_t place)
{
	const struct wanted_level *level = &comparison->wanted->levels[place];

	if (row->setting != SETTING_BASE_FREQ && row->setting != SETTING_TURBO_FREQ)
		return false;
	return !comparison->wanted->state->platform->base_freq_by_cpufreq && !level->info_error &&
	       !(row->setting == SETTING_BASE_FREQ ? level->info.base_freq_supported
						   : level->info.turbo_freq_supported);
}

/* Reports a setting that the places of an entry lack: once, at the first of them. */
static void report_lacking(const struct comparison *comparison, const struct state_row *row,
			   size_t index)
{
	const struct state_row *present =
		state_rows_find(&comparison->present, row->setting, row->clos, row->idle_state);
	size_t count = places_of(comparison, row->setting)->count, others = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == index || present->values[i].kind != STATE_LACKING ||
		    row->values[i].entry != row->values[index].entry)
			continue;
		if (i < index && row->values[i].kind == STATE_LACKING)
			return;
		others += row->values[i].kind != STATE_NONE;
	}
	comparison_report(comparison, row, index, REPORT_UNSUPPORTED,
			  "this machine does not have it%s",
			  others ? ", nor have other places of the entry" : "");
}

/* Judges one value: what the place lacks or cannot be read is reported, and not compared. */
static bool can_compare(const struct comparison *comparison, const struct state_row *row,
			size_t index, struct state_value *is)
{
	const struct place *place = &places_of(comparison, row->setting)->list[index];
	const struct platform *platform = comparison->wanted->state->platform;
	bool is_sst = setting_get(row->setting)->flags & SETTING_OF_SST;
	bool is_ignored = is_sst && place->domain && cpuset_is_empty(&place->domain->cpus);

	if (is_coming(comparison, row->setting, place)) {
		is->kind = STATE_NONE;
		return true;
	}
	/* what cannot be read before is planned in the second stage */
	if (comparison->is_planned &&
	    (is_sst || setting_get(row->setting)->place == PLACE_UNCORE) &&
	    wanted_brings_online(comparison->wanted, place)) {
		is->kind = STATE_NONE;
		return false;
	}
	if (lacks_feature(comparison, row, index)) {
		if (row->values[index].number && !is_ignored)
			comparison_report(comparison, row, index, REPORT_UNSUPPORTED,
					  "level %u does not have it",
					  comparison->wanted->levels[index].number);
		return false;
	}
	/* the files of a mode of intel_pstate appear with it */
	if (is->kind == STATE_LACKING && is_reset_by_mode(comparison, row->setting)) {
		is->kind = STATE_NONE;
		return true;
	}
	if (is->kind == STATE_LACKING && row->setting == SETTING_OFFLINE_BY)
		return true;
	if (is->kind == STATE_LACKING && !is_ignored)
		report_lacking(comparison, row, index);
	if (is->kind == STATE_UNREADABLE)
		comparison_report(comparison, row, index,
				  comparison->wanted->document->is_exact ? REPORT_NOTE
				  : is_sst ? wanted_kind_of_unread(comparison->wanted, row->setting,
								   is->error)
					   : report_kind_of(is->error),
				  "it cannot be read: %s",
				  is_sst ? platform_find_cause(platform, is->error).text
					 : strerror(-is->error));
	return is->kind != STATE_LACKING && is->kind != STATE_UNREADABLE;
}

/* The kernel keeps EPP at "performance" under that governor: another past value is of the time
 * before. */
static bool is_held_by_governor(const struct comparison *comparison, const struct state_row *row,
				size_t index)
{
	struct state_value governor;

	if (row->setting != SETTING_EPP ||
	    !wanted_is_past(comparison->wanted, row->values[index].entry))
		return false;
	governor = comparison_expect(comparison, SETTING_GOVERNOR, 0, index);
	return governor.kind == STATE_WORD && strcmp(governor.text, "performance") == 0;
}

static int compare_rows(struct comparison *comparison)
{
	struct state_rows *rows = &comparison->wanted->rows;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];
		const struct state_row *present = state_rows_find(
			&comparison->present, row->setting, row->clos, row->idle_state);

		for (size_t j = 0; j < places_of(comparison, row->setting)->count; j++) {
			struct state_value *wanted = &row->values[j], is;
			struct difference *added;
			bool is_alike;

			if (is_held_by_governor(comparison, row, j))
				wanted->kind = STATE_NONE;
			if (wanted->kind == STATE_NONE)
				continue;
			is = present->values[j];
			if (!can_compare(comparison, row, j, &is)) {
				wanted->kind =
					is.kind == STATE_LACKING ||
							(is.kind == STATE_UNREADABLE &&
							 comparison->wanted->document->is_exact)
						? is.kind
						: STATE_NONE;
				continue;
			}
			is_alike = is_match(comparison, row, j, &is);
			if (is_alike && !is_lost(comparison, row, j))
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
	int err;

	*comparison = (struct comparison){ .wanted = wanted, .is_planned = is_planned };
	err = read_present(comparison);
	if (!err)
		err = predict(comparison);
	if (!err)
		err = imply_limits(comparison);
	comparison->moves_highest = !err && moves_highest(comparison);
	if (!err)
		err = comparison_resolve_words(comparison);
	if (err)
		return err;
	accept_missing_turbo(comparison);
	predict_turbo(comparison);
	err = read_policies(comparison);
	if (err)
		return err;
	comparison_check(comparison);
	return compare_rows(comparison);
}

void comparison_done(struct comparison *comparison)
{
	state_rows_done(&comparison->present);
	journal_fold_done(&comparison->journal);
	free(comparison->list);
	*comparison = (struct comparison){ 0 };
}
