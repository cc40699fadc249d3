// SPDX-License-Identifier: GPL-2.0-only
/* Finds values, places and levels in what the operations of settings work on. */
#include "settings/view.h"

#include <errno.h>

const struct place_list *view_places(const struct setting_view *view, enum setting_id member)
{
	return state_machine_places(view->state, member);
}

const struct state_value *view_find_present(const struct setting_view *view, enum setting_id member,
					    size_t place)
{
	return state_rows_find_value(&view->present, member, 0, place);
}

const struct state_value *view_find_wanted(const struct setting_view *view, enum setting_id member,
					   size_t place)
{
	return state_rows_find_value(view->wanted, member, 0, place);
}

struct state_value view_expect(const struct setting_view *view, enum setting_id member,
			       uint32_t clos, size_t place)
{
	const struct state_value *value = state_rows_find_value(view->wanted, member, clos, place);

	if (!value || value->kind == STATE_NONE)
		value = state_rows_find_value(&view->present, member, clos, place);
	return value ? *value : (struct state_value){ .kind = STATE_NONE };
}

uint64_t view_expect_number(const struct setting_view *view, enum setting_id member, uint32_t clos,
			    size_t place)
{
	const struct state_value value = view_expect(view, member, clos, place);

	return value.kind >= STATE_BOOLEAN && value.kind < STATE_WORD ? value.number : 0;
}

int view_ask(struct setting_view *view, enum setting_id member, uint32_t clos,
	     const char *idle_state, size_t place)
{
	struct state_row *row =
		state_rows_add(&view->present, view->state, member, clos, idle_state);

	if (!row)
		return -ENOMEM;
	if (row->values[place].kind == STATE_NONE)
		row->values[place].kind = STATE_ASKED;
	return 0;
}

size_t view_find_place(const struct setting_view *view, enum setting_id member,
		       const struct place *place)
{
	const struct state_machine *state = view->state;
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

const struct wanted_level *view_find_level(const struct setting_view *view,
					   const struct place *place)
{
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];
	const struct power_domain *domain = place->domain;

	if (!view->state->platform)
		return NULL;
	if (!domain && place->cpu != CPUSET_NONE)
		domain = domains_find(&view->state->platform->domains, place->cpu);
	for (size_t i = 0; i < domains->count; i++) {
		const struct power_domain *other = domains->list[i].domain;
		const struct uncore_unit *unit = place->uncore;

		if (unit ? other->package == unit->package &&
				    (unit->is_cluster
					     ? other->has_id && uncore_is_of_domain(unit, other->id)
					     : other->die == unit->die)
			 : other == domain)
			return &view->levels[i];
	}
	return NULL;
}

const struct state_value *export_find(const struct setting_export *export, enum setting_id id,
				      uint32_t clos, size_t place)
{
	const struct state_row *row = state_rows_find(&export->rows, id, clos, NULL);

	return row ? &row->values[place] : NULL;
}

void export_use_words(struct state_value *value, uint64_t min_khz, uint64_t max_khz)
{
	if (value->kind == STATE_KHZ && min_khz && value->number == min_khz)
		*value = value_of_word("min");
	else if (value->kind == STATE_KHZ && max_khz && value->number == max_khz)
		*value = value_of_word("max");
}
