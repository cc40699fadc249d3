// SPDX-License-Identifier: GPL-2.0-only
/* The settings of cpufreq and of intel_pstate (sysfs.md, "cpufreq policy", "intel_pstate"). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "host/core_types.h"
#include "host/cpufreq.h"
#include "settings/families.h"
#include "settings/pstate.h"
#include "settings/scaling.h"

/* Plans a file of a policy or of its CPU; request->policy has its value if it was read. */
static int plan_policy_file(const struct setting_environment *environment,
			    struct setting_request *request)
{
	const struct cpufreq_policy *policy = request->policy;
	const char *old_text = !policy                                ? NULL
			       : request->setting == SETTING_GOVERNOR ? policy->governor
			       : request->setting == SETTING_EPP      ? policy->epp
								      : policy->epb;
	struct change change = { .old_value = { .text = old_text }, .has_old_value = old_text };
	bool is_epp = request->setting == SETTING_EPP;
	enum file_content content = request->setting == SETTING_EPB ? FILE_NUMBER : FILE_TEXT;

	if (is_epp)
		change.other_text = cpufreq_find_epp_name(request->value.text);
	if (is_epp && strcmp(request->value.text, "default") == 0)
		content = FILE_ANY;
	return setting_plan_file(environment, request, content, &change);
}

static int plan_governor(const struct setting_environment *environment,
			 struct setting_request *request)
{
	const size_t first = environment->changes->n_changes;
	int err = plan_policy_file(environment, request);

	if (err || environment->changes->n_changes == first ||
	    cpuset_has(&environment->machine->topology.pending, request->cpu) ||
	    pstate_is_pending(environment->machine, environment->changes))
		return err;
	return pstate_note_preference(environment, request);
}

/* Switches turbo through intel_pstate or, with other drivers, through boost. */
static int plan_turbo(const struct setting_environment *environment,
		      struct setting_request *request)
{
	struct change change = {
		.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
		.what = "no_turbo",
		.subject = subject_of(SETTING_TURBO),
		.target = file_target(CPUFREQ_NO_TURBO, FILE_NUMBER),
		.value = { .text = request->value.on ? "0" : "1" },
		.ignored_error = request->is_optional ? -EPERM : 0,
	};
	int err = setting_add_file(environment, request, change);

	if (err == -ENOENT) {
		change.what = "boost";
		change.target = file_target(CPUFREQ_BOOST, FILE_NUMBER);
		change.value.text = request->value.on ? "1" : "0";
		err = setting_add_file(environment, request, change);
	}
	request->failed = change.what;
	return err;
}

struct state_value cpufreq_read_limit(const struct state_machine *state,
				      const struct state_rows *rows, enum setting_id id,
				      uint32_t cpu)
{
	const struct state_row *row = state_rows_find(rows, id, 0, NULL);
	const char *name = id == SETTING_CPUFREQ_MIN ? SCALING_MIN : SCALING_MAX;
	uint32_t policy = state->places[PLACE_POLICY].of_cpu[cpu], khz;
	int err;

	if (row && policy != PLACE_UNKNOWN && row->values[policy].kind > STATE_ASKED)
		return row->values[policy];
	err = cpufreq_read_khz(state->machine->host->files, cpu, name, &khz);
	return err ? value_of_file_error(err) : value_of(STATE_KHZ, khz);
}

bool cpufreq_is_upper_limit(enum setting_id id)
{
	return id == SETTING_CPUFREQ_MAX;
}

static int read_limit(const struct setting_reading *at, struct state_value *value)
{
	*value = cpufreq_read_limit(at->state, at->rows, at->row->setting, at->place->cpu);
	return 0;
}

static int read_turbo(const struct setting_reading *at, struct state_value *value)
{
	struct files *files = at->state->machine->host->files;
	uint64_t number = 0;
	int err = files_read_number(files, CPUFREQ_NO_TURBO, &number);

	*value = value_of(STATE_BOOLEAN, number == 0);
	if (err == -ENOENT) {
		err = files_read_number(files, CPUFREQ_BOOST, &number);
		*value = value_of(STATE_BOOLEAN, number != 0);
	}
	if (err)
		*value = value_of_file_error(err);
	return 0;
}

int state_read_frequency(struct state_machine *state, uint32_t cpu, enum cpufreq_frequency which,
			 uint32_t *ret_khz)
{
	struct policy_figure *figure = &state->figures[cpu * N_CPUFREQ_FREQUENCIES + which];

	if (!figure->is_read)
		figure->error =
			(int16_t)cpufreq_read_khz(state->machine->host->files, cpu,
						  cpufreq_frequency_file(which), &figure->khz);
	figure->is_read = figure->error != -ENOMEM;
	if (!figure->error)
		*ret_khz = figure->khz;
	return figure->error;
}

uint32_t state_known_frequency(const struct state_machine *state, uint32_t cpu,
			       enum cpufreq_frequency which)
{
	return state->figures[cpu * N_CPUFREQ_FREQUENCIES + which].khz;
}

/* Do two CPUs have the same package, core type and highest frequency? */
static bool is_alike(struct state_machine *state, uint32_t cpu, uint32_t other)
{
	const struct topology *topology = &state->machine->topology;
	uint32_t highest, other_highest;

	return cpuset_has(&topology->placed, cpu) && cpuset_has(&topology->placed, other) &&
	       topology->places[cpu].package == topology->places[other].package &&
	       core_types_name(state->types, cpu) == core_types_name(state->types, other) &&
	       !state_read_frequency(state, cpu, CPUFREQ_HIGHEST, &highest) &&
	       !state_read_frequency(state, other, CPUFREQ_HIGHEST, &other_highest) &&
	       highest == other_highest;
}

/* Finds the lowest frequency of a CPU with a lower number and the same kind of core, if it was
 * read; or NULL. */
static const struct policy_figure *find_lowest_like(struct state_machine *state, uint32_t cpu)
{
	for (uint32_t other = cpu; other-- > 0;) {
		const struct policy_figure *figure =
			&state->figures[other * N_CPUFREQ_FREQUENCIES + CPUFREQ_LOWEST];

		if (figure->is_read && !figure->error && is_alike(state, cpu, other))
			return figure;
	}
	return NULL;
}

int state_read_lowest(struct state_machine *state, uint32_t cpu, uint32_t *ret_khz)
{
	struct policy_figure *figure =
		&state->figures[cpu * N_CPUFREQ_FREQUENCIES + CPUFREQ_LOWEST];
	const struct policy_figure *like;

	if (!state->types) {
		state->types = calloc(1, sizeof(*state->types));
		if (!state->types)
			return -ENOMEM;
		state->types_error = core_types_read(state->machine->host->files, state->types);
	}
	like = figure->is_read || state->types_error ? NULL : find_lowest_like(state, cpu);
	if (like)
		*figure = *like;
	return state_read_frequency(state, cpu, CPUFREQ_LOWEST, ret_khz);
}

/* Resolves the word of a limit. Words stand for files, except "base" if Speed Select reports it. */
static int resolve_word(struct setting_view *view, const struct state_row *row, size_t index,
			const char *word, struct state_value *ret_value)
{
	const struct place *place = &row->places->list[index];
	const struct state_value *is = view_find_present(view, row->setting, index);
	enum cpufreq_frequency which = cpufreq_find_frequency(word);
	uint64_t base_khz = which == CPUFREQ_BASE ? view_find_base_khz(view, place) : 0;
	uint32_t number = 0;
	int err = 0;

	if (which == CPUFREQ_LOWEST && is && is->kind == STATE_KHZ)
		err = state_read_lowest(view->state, place->cpu, &number);
	else if (!base_khz)
		err = state_read_frequency(view->state, place->cpu, which, &number);
	if (!err)
		*ret_value = value_of(STATE_KHZ, base_khz ?: number);
	return err;
}

static int resolve_limit(struct setting_view *view, const struct state_row *row, size_t index,
			 struct state_value *value)
{
	const struct place *place = &row->places->list[index];
	const char *word = value->text;
	bool is_pending = cpuset_has(view->pending, place->cpu);
	int err = 0;

	if (value->kind != STATE_WORD)
		return 0;
	if (!is_pending || strcmp(word, "base") == 0)
		err = resolve_word(view, row, index, word, value);
	value->is_highest =
		view->moves_highest && value->kind == STATE_KHZ && strcmp(word, "max") == 0;
	return is_pending ? 0 : err;
}

/* The kernel raises a lower limit in percent to at least the ratio of the lowest to the highest
 * frequency. The ratio differs between machines, and is unknown while turbo is off. */
static int resolve_percent(struct setting_view *view, const struct state_row *row, size_t place,
			   struct state_value *value)
{
	struct state_machine *state = view->state;
	uint32_t cpu = cpuset_next(&state->machine->topology.online, 0), lowest, highest;
	const struct state_value *turbo = view_find_present(view, SETTING_TURBO, 0);

	(void)row;
	(void)place;
	if (value->kind == STATE_NUMBER && value_is_on(turbo) &&
	    !state_read_frequency(state, cpu, CPUFREQ_LOWEST, &lowest) &&
	    !state_read_frequency(state, cpu, CPUFREQ_HIGHEST, &highest) && highest &&
	    value->number < (uint64_t)lowest * 100 / highest)
		value->number = (uint64_t)lowest * 100 / highest;
	return 0;
}

/* Returns the name of an energy preference; without a name, its text or its number, in number. */
static const char *find_epp_name(const struct state_value *value, char number[24])
{
	if (value->kind == STATE_WORD)
		return cpufreq_find_epp_name(value->text) ?: value->text;
	snprintf(number, 24, "%" PRIu64, value->number);
	return cpufreq_find_epp_name(number) ?: number;
}

static bool match_preference(const struct setting_view *view, const struct state_row *row,
			     size_t place, const struct state_value *is)
{
	char left[24], right[24];

	(void)view;
	return (is->kind == STATE_WORD || is->kind == STATE_NUMBER) &&
	       strcmp(find_epp_name(is, left), find_epp_name(&row->values[place], right)) == 0;
}

/* Is the limit at a highest frequency that moves? Reading does not show if the limit moves. */
static bool is_at_highest(const struct setting_view *view, const struct state_row *row,
			  size_t place)
{
	const struct state_value *wanted = &row->values[place];
	uint32_t cpu = row->places->list[place].cpu, highest;

	if (!view->is_planned || !view->moves_highest || wanted->kind != STATE_KHZ)
		return false;
	return wanted->is_highest ||
	       (row->setting == SETTING_CPUFREQ_MAX &&
		!state_read_frequency(view->state, cpu, CPUFREQ_HIGHEST, &highest) &&
		wanted->number == highest);
}

static bool loses_limit(const struct setting_view *view, const struct state_row *row, size_t place)
{
	return is_at_highest(view, row, place) ||
	       (row->setting == SETTING_CPUFREQ_MAX && view->rewrites_limits);
}

static void accept_missing_turbo(struct setting_view *view)
{
	struct state_row *row = state_rows_find(view->wanted, SETTING_TURBO, 0, NULL);
	const struct state_value *is = view_find_present(view, SETTING_TURBO, 0);

	if (view->is_planned || !view->is_built_in || !row || !is || is->kind != STATE_BOOLEAN ||
	    row->values[0].kind != STATE_BOOLEAN)
		return;
	view->lacks_turbo = !is->number && row->values[0].number;
	if (view->lacks_turbo)
		row->values[0].number = 0;
}

void cpufreq_predict_turbo(struct setting_view *view)
{
	const struct state_value *is = view_find_present(view, SETTING_TURBO, 0);
	struct state_value wanted;

	accept_missing_turbo(view);
	wanted = view_expect(view, SETTING_TURBO, 0, 0);
	view->resets_limits = view->is_planned && pstate_is_changed(view);
	if (!view->is_planned || !is || is->kind != STATE_BOOLEAN || wanted.kind != STATE_BOOLEAN)
		return;
	view->switches_turbo = is->number != wanted.number;
	view->rewrites_limits = view->switches_turbo ||
				(!is->number && view_changes_feature(view, SETTING_BASE_FREQ));
	view->resets_limits = view->resets_limits || view->rewrites_limits;
}

/* Is turbo off after apply? */
static bool is_turbo_off(const struct setting_view *view)
{
	const struct state_value turbo = view_expect(view, SETTING_TURBO, 0, 0);

	return value_is_off(&turbo);
}

/* While turbo is off, the kernel lowers a limit above the base frequency to it. Then the lower
 * value matches; for lower limits, only if the wanted value is a past one. */
static bool match_limit(const struct setting_view *view, const struct state_row *row, size_t index,
			const struct state_value *is)
{
	const struct state_value *wanted = &row->values[index];
	const struct place *place = &row->places->list[index];
	uint64_t base_khz = view_find_base_khz(view, place);
	uint32_t shown_khz = 0;

	if (row->setting == SETTING_CPUFREQ_MIN && !wanted->is_past)
		return false;
	if (is->kind != STATE_KHZ || wanted->kind != STATE_KHZ || !is_turbo_off(view) ||
	    view->switches_turbo ||
	    (!base_khz && state_read_frequency(view->state, place->cpu, CPUFREQ_BASE, &shown_khz)))
		return false;
	return is->number >= (base_khz ?: shown_khz) && is->number < wanted->number;
}

/* Will the governor of a policy, by its index, keep the energy preference at performance? */
static bool holds_preference(const struct setting_view *view, size_t policy)
{
	const struct place *place = &view->state->places[PLACE_POLICY].list[policy];
	const struct state_value governor = view_expect(view, SETTING_GOVERNOR, 0, policy);
	const struct state_value *mode = state_rows_find_value(view->wanted, SETTING_PSTATE, 0, 0);
	_cleanup_free_ char *driver = NULL;

	if (!value_is_word(&governor, "performance"))
		return false;
	if (mode && mode->kind == STATE_WORD)
		return strcmp(mode->text, "active") == 0;
	return !files_read_line(view->state->machine->host->files,
				files_cpu_path(place->cpu, "cpufreq/scaling_driver").text,
				&driver) &&
	       strcmp(driver, "intel_pstate") == 0;
}

/* Will a change from the performance governor change the preference of a policy? */
static bool loses_preference(const struct setting_view *view, const struct state_row *row,
			     size_t policy)
{
	const struct state_value *now = view_find_present(view, SETTING_GOVERNOR, policy);
	const struct state_value then = view_expect(view, SETTING_GOVERNOR, 0, policy);

	(void)row;
	return view->is_planned && value_is_word(now, "performance") &&
	       !state_value_equal(now, &then);
}

/* The performance governor keeps EPP at "performance": another past value is from before that
 * governor. */
static bool is_held_by_governor(const struct setting_view *view, const struct state_row *row,
				size_t index)
{
	return row->values[index].kind != STATE_NONE && row->values[index].is_past &&
	       holds_preference(view, index);
}

/* Is a limit between the present limits of a policy? Then it is in the range of the hardware, and
 * that range need not be read. */
static bool is_between_limits(const struct setting_view *view, size_t index, uint64_t khz)
{
	const struct state_value *low = view_find_present(view, SETTING_CPUFREQ_MIN, index);
	const struct state_value *high = view_find_present(view, SETTING_CPUFREQ_MAX, index);

	return low && high && low->kind == STATE_KHZ && high->kind == STATE_KHZ &&
	       khz >= low->number && khz <= high->number;
}

/* Reports a limit of a policy outside of the hardware's range. Returns true if it is outside. */
static bool check_range(const struct setting_view *view, const struct state_row *row, size_t index)
{
	struct state_machine *state = view->state;
	const struct state_value *value = &row->values[index];
	const struct state_value *is =
		state_rows_find_value(&view->present, row->setting, 0, index);
	uint32_t cpu = row->places->list[index].cpu, lowest, highest;

	if (value->kind != STATE_KHZ || !is || state_value_equal(is, value) ||
	    cpuset_has(view->pending, cpu) || is_between_limits(view, index, value->number) ||
	    state_read_frequency(state, cpu, CPUFREQ_LOWEST, &lowest) ||
	    state_read_frequency(state, cpu, CPUFREQ_HIGHEST, &highest) ||
	    (value->number >= lowest && value->number <= highest))
		return false;
	view->report_value(view, row, index, REPORT_USAGE,
			   "%" PRIu64 " MHz is outside of its range, %" PRIu32 " to %" PRIu32
			   " MHz",
			   value->number / KHZ_PER_MHZ, lowest / KHZ_PER_MHZ,
			   highest / KHZ_PER_MHZ);
	return true;
}

/* Does the machine have the wanted value, and if it is a switch, is it on? */
static bool is_steady(const struct setting_view *view, enum setting_id member)
{
	const struct state_value *is = view_find_present(view, member, 0);
	const struct state_value wanted = view_expect(view, member, 0, 0);

	return !is || (state_value_equal(is, &wanted) && (is->kind != STATE_BOOLEAN || is->number));
}

/* The kernel accepts any limit of cpufreq, and changes it to the nearest one of the hardware. The
 * range is unknown while turbo is off, or the mode of intel_pstate or the highest frequency
 * changes. */
static void check_ranges(const struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;

	if (!is_steady(view, SETTING_TURBO) || !is_steady(view, SETTING_PSTATE) ||
	    view->moves_highest)
		return;
	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count = row->places->count;

		if (row->setting != SETTING_CPUFREQ_MIN && row->setting != SETTING_CPUFREQ_MAX)
			continue;
		for (size_t j = 0; j < count && !check_range(view, row, j); j++)
			;
	}
}

/* The passive mode of intel_pstate, if a document sets it, does not have the file of HWP boost. */
static void check_hwp_boost(const struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_HWP_BOOST, 0, NULL);
	const struct state_value *mode = state_rows_find_value(view->wanted, SETTING_PSTATE, 0, 0);

	if (row && row->values[0].kind == STATE_BOOLEAN && !row->values[0].is_past &&
	    value_is_word(mode, "passive") && !mode->is_past)
		view->report_value(view, row, 0, REPORT_UNSUPPORTED,
				   "it needs the active mode of intel_pstate");
}

/* The performance governor keeps the preference at performance. A past preference is from before
 * that governor, and is ignored. */
static void check_preference(const struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_EPP, 0, NULL);
	const struct state_row *governors =
		state_rows_find(view->wanted, SETTING_GOVERNOR, 0, NULL);
	const struct place_list *places = view_places(view, SETTING_EPP);

	for (size_t i = 0; row && i < places->count; i++) {
		bool is_named = governors && governors->values[i].kind == STATE_WORD;
		char number[24];

		if (row->values[i].kind == STATE_NONE || row->values[i].is_past ||
		    strcmp(find_epp_name(&row->values[i], number), "performance") == 0 ||
		    !holds_preference(view, i))
			continue;
		view->report_value(
			view, row, i, is_named ? REPORT_USAGE : REPORT_REFUSED,
			"under the performance governor the kernel keeps it at performance; %s",
			is_named ? "name another governor, or leave the preference out"
				 : "set \"governor\": \"powersave\" too");
		return;
	}
}

/* Returns the frequency for a limit whose value is known only when its CPU is online. */
static enum cpufreq_frequency find_limit_frequency(const struct state_value *value)
{
	return value->kind == STATE_WORD ? cpufreq_find_frequency(value->text)
					 : CPUFREQ_NO_FREQUENCY;
}

/* Returns a limit as it was read; 0: it was not read. */
static uint32_t find_present_khz(const struct setting_view *view, enum setting_id id, size_t index)
{
	const struct state_value *is = view_find_present(view, id, index);

	return is && is->kind == STATE_KHZ ? (uint32_t)is->number : 0;
}

static uint32_t limit_of(const struct state_value *value, uint32_t unknown)
{
	if (value->is_highest)
		return LIMIT_NONE_KHZ;
	return value->kind == STATE_KHZ ? (uint32_t)value->number : unknown;
}

static void request_limits(struct setting_view *view, const struct state_row *row, size_t index,
			   struct setting_request *request, struct setting_list *list)
{
	static const struct cpufreq_policy unknown;
	const struct place *place = &row->places->list[index];
	const struct state_value min = view_expect(view, SETTING_CPUFREQ_MIN, 0, index);
	const struct state_value max = view_expect(view, SETTING_CPUFREQ_MAX, 0, index);
	const struct state_value *named = view_find_wanted(view, SETTING_CPUFREQ_MAX, index);
	struct state_machine *state = view->state;
	uint32_t highest_khz = state_known_frequency(state, place->cpu, CPUFREQ_HIGHEST);

	if (view->moves_highest &&
	    state_read_frequency(state, place->cpu, CPUFREQ_HIGHEST, &highest_khz))
		highest_khz = 0;
	if (cpuset_has(view->pending, place->cpu))
		request->policy = &unknown;
	/* a limit that is not named may be lowered now: a write would keep it low */
	request->always = named && named->kind != STATE_NONE &&
			  (view->rewrites_limits || (view->moves_highest && !max.is_highest));
	request->value.range.min_khz = limit_of(&min, 0);
	request->value.range.max_khz = limit_of(&max, UINT32_MAX);
	request->value.range.min_from = find_limit_frequency(&min);
	request->value.range.max_from = find_limit_frequency(&max);
	request->value.range.present = (struct khz_range){
		find_present_khz(view, SETTING_CPUFREQ_MIN, index),
		find_present_khz(view, SETTING_CPUFREQ_MAX, index),
	};
	request->value.range.moves = view->moves_highest;
	request->value.range.base_khz = (uint32_t)view_find_base_khz(view, place);
	request->value.range.ends = (struct khz_range){
		state_known_frequency(state, place->cpu, CPUFREQ_LOWEST),
		highest_khz,
	};
	setting_list_add(list, request);
}

/* The performance governor of intel_pstate sets the energy preference itself, and each change of
 * the governor changes the preference. */
static void request_preference(struct setting_view *view, const struct state_row *row, size_t place,
			       struct setting_request *request, struct setting_list *list)
{
	(void)row;
	if (!holds_preference(view, place))
		setting_list_add(list, request);
}

static void request_turbo(struct setting_view *view, const struct state_row *row, size_t place,
			  struct setting_request *request, struct setting_list *list)
{
	(void)row;
	(void)place;
	request->is_optional = view->is_built_in;
	setting_list_add(list, request);
}

/* While turbo is off, the kernel shows at most the base frequency as the upper limit. */
static int export_limit(struct setting_export *export, const struct state_row *row, size_t place,
			struct state_value *value)
{
	const struct place *policy = &row->places->list[place];
	struct state_machine *state = export->state;
	bool is_turbo_off = row->setting == SETTING_CPUFREQ_MAX &&
			    value_is_off(export_find(export, SETTING_TURBO, 0, 0));
	uint32_t khz;

	if (value->kind != STATE_KHZ)
		return 0;
	if (is_turbo_off && export->not_asked && cpuset_has(export->not_asked, policy->cpu)) {
		value->kind = STATE_NONE; /* the limit may be lower than the one that was set */
		return 0;
	}
	if (is_turbo_off && !state_read_frequency(state, policy->cpu, CPUFREQ_BASE, &khz) && khz &&
	    value->number >= khz) {
		*value = value_of_word("max");
		export->is_clamped = true;
		return 0;
	}
	if (!state_read_lowest(state, policy->cpu, &khz))
		export_use_words(value, khz, 0);
	if (value->kind == STATE_KHZ &&
	    !state_read_frequency(state, policy->cpu, CPUFREQ_HIGHEST, &khz))
		export_use_words(value, 0, khz);
	return 0;
}

/* The kernel keeps the preference under the performance governor of intel_pstate. */
static int export_preference(struct setting_export *export, const struct state_row *row,
			     size_t place, struct state_value *value)
{
	(void)row;
	if (value_is_word(export_find(export, SETTING_GOVERNOR, 0, place), "performance") &&
	    value_is_word(export_find(export, SETTING_PSTATE, 0, 0), "active"))
		value->kind = STATE_NONE;
	return 0;
}

static const enum setting_id turbo[] = { SETTING_TURBO, N_SETTINGS };
static const enum setting_id governor[] = { SETTING_GOVERNOR, N_SETTINGS };
static const enum setting_id governor_and_mode[] = { SETTING_GOVERNOR, SETTING_PSTATE, N_SETTINGS };
static const char *const limit_words[] = { "min", "base", "max", NULL };
static const char *const epp_words[] = { "performance", "balance_performance", "balance_power",
					 "power", NULL };
static const char *const pstate_words[] = { "active", "passive", NULL };

#define FILE_FLAGS (SETTING_ONLINE_ONLY | SETTING_RESET_BY_PSTATE)
#define ROW(id)    [(id)-SETTING_CPUFREQ_MIN]

#define LIMIT_ROW(id, name, text, end, ...)            \
	ROW(id) = { name,                              \
		    "limits of cpufreq",               \
		    PLACE_POLICY,                      \
		    SETTING_TYPE_MHZ,                  \
		    SETTING_RANK_FREQUENCY_LIMITS,     \
		    .group = SETTING_FREQUENCY_LIMITS, \
		    .words = limit_words,              \
		    .min = 1,                          \
		    .max = UINT32_MAX,                 \
		    .flags = SETTING_RESET_BY_PSTATE,  \
		    .unit = "MHz",                     \
		    .about = text,                     \
		    .reset = end,                      \
		    .plan = scaling_plan_requests,     \
		    .read = read_limit,                \
		    .resolve = resolve_limit,          \
		    .match = match_limit,              \
		    .is_lost = loses_limit,            \
		    .export = export_limit,            \
		    .request = request_limits,         \
		    __VA_ARGS__ }

const struct setting cpufreq_settings[] = {
	LIMIT_ROW(SETTING_CPUFREQ_MIN, "cpufreq.min-mhz", "lower frequency limit of the policy",
		  "\"min\"", .upper = SETTING_CPUFREQ_MAX, .check = check_ranges),
	LIMIT_ROW(SETTING_CPUFREQ_MAX, "cpufreq.max-mhz", "upper frequency limit of the policy",
		  "\"max\"", .beside = turbo, .exported_by = turbo),
	ROW(SETTING_GOVERNOR) = { "cpufreq.governor", "scaling_governor", PLACE_POLICY,
				  SETTING_TYPE_TEXT, SETTING_RANK_GOVERNOR, .flags = FILE_FLAGS,
				  .about = "governor of the policy", .plan_one = plan_governor,
				  .file = "cpufreq/scaling_governor" },
	ROW(SETTING_EPP) = { "cpufreq.epp", "energy_performance_preference", PLACE_POLICY,
			     SETTING_TYPE_NUMBER, SETTING_RANK_EPP, .words = epp_words, .max = 255,
			     .flags = SETTING_ASKS_CPU | FILE_FLAGS,
			     .about = "energy performance preference of the policy",
			     .file = "cpufreq/energy_performance_preference",
			     .plan_one = plan_policy_file, .match = match_preference,
			     .is_lost = loses_preference, .is_ignored = is_held_by_governor,
			     .check = check_preference, .export = export_preference,
			     .request = request_preference, .beside = governor,
			     .exported_by = governor_and_mode },
	ROW(SETTING_EPB) = { "cpufreq.epb", "energy_perf_bias", PLACE_CPU, SETTING_TYPE_NUMBER,
			     SETTING_RANK_EPB, .max = 15,
			     .flags = SETTING_ASKS_CPU | SETTING_ONLINE_ONLY,
			     .about = "energy performance bias of the CPU",
			     .file = "power/energy_perf_bias", .plan_one = plan_policy_file },
	ROW(SETTING_TURBO) = { "cpufreq.turbo", "turbo", PLACE_MACHINE, SETTING_TYPE_BOOLEAN,
			       SETTING_RANK_TURBO,
			       .flags = SETTING_RESET_BY_PSTATE | SETTING_MOVES_LIMITS,
			       .about = "turbo of the whole machine", .reset = "true",
			       .plan_one = plan_turbo, .read = read_turbo,
			       .request = request_turbo },
	ROW(SETTING_HWP_BOOST) = { "cpufreq.hwp-boost", "hwp_dynamic_boost", PLACE_MACHINE,
				   SETTING_TYPE_BOOLEAN, SETTING_RANK_TURBO,
				   .flags = SETTING_RESET_BY_PSTATE,
				   .about =
					   "intel_pstate: raise the frequency of CPUs that waited for "
					   "input or output",
				   .file = "intel_pstate/hwp_dynamic_boost",
				   .check = check_hwp_boost },
	ROW(SETTING_MIN_PCT) = { "cpufreq.min-pct", "min_perf_pct", PLACE_MACHINE,
				 SETTING_TYPE_NUMBER, SETTING_RANK_PERCENT, .max = 100,
				 .flags = SETTING_RESET_BY_PSTATE, .unit = "percent",
				 .about = "intel_pstate: lower limit of all CPUs, of the highest "
					  "frequency",
				 .plan = pstate_plan_percents, .file = "intel_pstate/min_perf_pct",
				 .resolve = resolve_percent, .beside = turbo },
	ROW(SETTING_MAX_PCT) = { "cpufreq.max-pct", "max_perf_pct", PLACE_MACHINE,
				 SETTING_TYPE_NUMBER, SETTING_RANK_PERCENT, .max = 100,
				 .flags = SETTING_RESET_BY_PSTATE, .unit = "percent",
				 .about = "intel_pstate: upper limit of all CPUs, of the highest "
					  "frequency",
				 .plan = pstate_plan_percents,
				 .file = "intel_pstate/max_perf_pct" },
	ROW(SETTING_PSTATE) = { "cpufreq.pstate", "intel_pstate status", PLACE_MACHINE,
				SETTING_TYPE_WORD, SETTING_RANK_PSTATE, .words = pstate_words,
				.about = "mode of intel_pstate", .plan = pstate_plan_mode,
				.file = "intel_pstate/status", .flags = SETTING_MOVES_LIMITS },
};
