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
}
