// SPDX-License-Identifier: GPL-2.0-only
/* Checks that the state after apply is possible: limits in order, SST-TF with SST-CP, energy
 * preferences that the governor allows, CPUs that can go offline. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "state/compare.h"

static bool is_named(const struct setting_view *view, enum setting_id member, uint32_t clos,
		     size_t place)
{
	const struct state_value *value = state_rows_find_value(view->wanted, member, clos, place);

	return value && value->kind != STATE_NONE;
}

/* Do the limits of a place contradict each other in the state after apply, and does the row name
 * one of them? */
static bool is_conflict(const struct state_row *row, size_t place, const struct state_value *low,
			const struct state_value *high)
{
	return row->values[place].kind == STATE_KHZ && low->kind == STATE_KHZ &&
	       high->kind == STATE_KHZ && !high->is_highest && low->number > high->number;
}

/* Checks that a lower limit is not above the upper one, in the state after apply. A document that
 * names one of them is sound: without a plan the machine only differs from it, with a note. */
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

/* A CLOS needs an upper limit. */
static void check_clos(const struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count = row->setting == SETTING_CLOS_MAX
				       ? view_places(view, row->setting)->count
				       : 0;

		for (size_t j = 0; j < count; j++) {
			if (row->values[j].kind != STATE_KHZ || row->values[j].number)
				continue;
			view->report_value(view, row, j, REPORT_USAGE,
					   "an upper limit of 0 is not possible");
			return;
		}
	}
}

/* Will SST-TF be on in a domain, while SST-CP will not be on and ordered? */
static bool lacks_core_power(const struct setting_view *view, size_t domain, size_t place)
{
	const struct state_value fast = view_expect(view, SETTING_TURBO_FREQ, 0, domain);
	struct state_value on, type;

	if (fast.kind != STATE_BOOLEAN || !fast.number || place == PLACE_UNKNOWN)
		return false;
	on = view_expect(view, SETTING_CORE_POWER, 0, place);
	type = view_expect(view, SETTING_PRIORITY, 0, place);
	return on.kind != STATE_BOOLEAN || !on.number || type.kind != STATE_WORD ||
	       strcmp(type.text, "ordered") != 0;
}

/* SST-TF works only with SST-CP on and ordered. */
static void check_turbo_freq(const struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
	const struct place_list *places = view_places(view, SETTING_TURBO_FREQ);

	for (size_t i = 0; i < places->count; i++) {
		bool is_named = row && row->values[i].kind != STATE_NONE;
		size_t place = view_find_place(view, SETTING_CORE_POWER, &places->list[i]);
		const struct state_row *core_power = comparison_find_core_power(view, place);

		if (!lacks_core_power(view, i, place))
			continue;
		if (is_named) {
			view->report_value(
				view, row, i, REPORT_USAGE,
				"it needs core-power with ordered priority: add \"core-power\": "
				"{ \"enabled\": true, \"priority\": \"ordered\" }");
			return;
		}
		/* which does not keep state check from showing the difference; a change of the
		 * level switches SST-TF off */
		if (!core_power || !view->is_planned || view->levels[i].is_changed)
			continue;
		view->report_value(view, core_power, place, REPORT_USAGE,
				   "turbo-freq is on, and needs core-power with ordered priority: "
				   "add \"turbo-freq\": { \"enabled\": false }");
		return;
	}
}

void comparison_check(const struct setting_view *view)
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
	check_clos(view);
	check_turbo_freq(view);
}
