// SPDX-License-Identifier: GPL-2.0-only
/* Finds values, locations and levels in struct setting_view. */
#include "settings/view.h"

#include <errno.h>

#include "base/units.h"

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
	return state_machine_find_place(view->state, member, place);
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

bool view_changes_feature(const struct setting_view *view, enum setting_id member)
{
	const struct state_row *features = state_rows_find(view->wanted, member, 0, NULL);
	const struct state_row *present = state_rows_find(&view->present, member, 0, NULL);

	for (size_t i = 0; i < view->state->places[PLACE_DOMAIN].count; i++) {
		if (view->levels[i].is_changed)
			return true;
		/* a level that lacks the feature does not turn it on */
		if (features && features->values[i].kind == STATE_BOOLEAN &&
		    present->values[i].kind != STATE_LACKING &&
		    !state_value_equal(&features->values[i], &present->values[i]))
			return true;
	}
	return false;
}

uint64_t view_find_base_khz(const struct setting_view *view, const struct place *place)
{
	const struct wanted_level *level = view_find_level(view, place);
	const struct platform *platform = view->state->platform;
	const struct power_domain *domain =
		level ? domains_find(&platform->domains, place->cpu) : NULL;
	const struct sst_base_freq *base_freq;
	const struct state_value *wanted;
	bool is_on;

	if (!level || level->info_error || !domain || platform->base_freq_by_cpufreq)
		return 0;
	wanted = state_rows_find_value(view->wanted, SETTING_BASE_FREQ, 0,
				       (size_t)(level - view->levels));
	is_on = wanted && wanted->kind == STATE_BOOLEAN
			? wanted->number
			: !level->is_changed && level->info.base_freq_on;
	base_freq = &level->info.base_freq;
	if (is_on && level->info.base_freq_supported)
		return (cpuset_has(&base_freq->high_cpus, place->cpu) ? base_freq->high_mhz
								      : base_freq->low_mhz) *
		       KHZ_PER_MHZ;
	return level->info.base_mhz * KHZ_PER_MHZ;
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
