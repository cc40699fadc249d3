// SPDX-License-Identifier: GPL-2.0-only
/* The settings of power limits (docs/spec/power.md): limits and windows of the powercap zones of
 * packages, of their DRAM and of the whole machine. The hardware rounds them to units of its own,
 * so a rounded value counts as the wanted one. */
#include "settings/families.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/powercap.h"
#include "settings/file_change.h"

#define MW_MAX        4294967u /* what 32 bits of uW hold */
#define PACKAGE_MW    (10 * MW_PER_W) /* no package or machine works with less */
#define SMALLEST_UNIT 125 /* mW: limits of common hardware are multiples of it */
#define TEXT_SIZE     24
#define IF_MOVED      " if the level moves it"

/* The zone and the limit of a row. */
static const struct part {
	enum power_domain_kind zone;
	enum power_constraint_kind limit;
	bool is_window;
} parts[] = {
	[SETTING_PL1 - SETTING_PL1] = { POWER_PACKAGE, POWER_LONG_TERM, false },
	[SETTING_PL1_WINDOW - SETTING_PL1] = { POWER_PACKAGE, POWER_LONG_TERM, true },
	[SETTING_PL2 - SETTING_PL1] = { POWER_PACKAGE, POWER_SHORT_TERM, false },
	[SETTING_PL2_WINDOW - SETTING_PL1] = { POWER_PACKAGE, POWER_SHORT_TERM, true },
	[SETTING_POWER_ENABLED - SETTING_PL1] = { POWER_PACKAGE, 0, false },
	[SETTING_DRAM_PL1 - SETTING_PL1] = { POWER_DRAM, POWER_LONG_TERM, false },
	[SETTING_PSYS_PL1 - SETTING_PL1] = { POWER_PSYS, POWER_LONG_TERM, false },
};

static const struct part *part_of(enum setting_id id)
{
	return &parts[id - SETTING_PL1];
}

/* Reads the zones, once. Adds no locations: rows may exist for the present ones. */
static int read_zones(struct state_machine *state)
{
	if (state->zones)
		return 0;
	state->zones = calloc(1, sizeof(*state->zones));
	if (!state->zones)
		return -ENOMEM;
	state->power_error = power_zones_read(state->machine->host->files, true, state->zones);
	return state->power_error == -ENOMEM ? -ENOMEM : 0;
}

int state_read_zones(struct state_machine *state)
{
	struct place_list *places = &state->places[PLACE_ZONE];
	int err = read_zones(state);

	/* an unreadable zone may be of any package: then none is added */
	for (size_t i = 0;
	     !err && !state->power_error && !state->has_zones && i < state->zones->count; i++) {
		const struct power_zone *zone = &state->zones->list[i];
		struct place *place;

		if (zone->kind != POWER_PACKAGE || zone->is_other)
			continue;
		place = array_add(&places->list, &places->count, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = (struct place){ .package = zone->package,
					 .cpu = CPUSET_NONE,
					 .zone = zone };
	}
	state->has_zones = true;
	return err;
}

/* Returns the zone of a setting at a location, or NULL. */
static const struct power_zone *find_zone(struct state_machine *state, enum setting_id id,
					  const struct place *place)
{
	if (!state->zones)
		return NULL;
	return place->zone && part_of(id)->zone == POWER_PACKAGE
		       ? place->zone
		       : power_zones_find(state->zones, part_of(id)->zone, place->zone);
}

/* Returns the value for a file with an error, or (0) for a missing file. */
static struct state_value value_of_missing(int error)
{
	return error ? value_of_file_error(error) : value_of(STATE_LACKING, 0);
}

static struct state_value value_of_limit(const struct power_zone *zone,
					 enum power_constraint_kind kind, bool is_window)
{
	const struct power_constraint *limit = &zone->constraints[kind];

	if (!limit->exists)
		return value_of_missing(zone->limits_error);
	if (is_window && !limit->window_us)
		return value_of_missing(limit->window_error);
	if (is_window)
		return value_of(STATE_DECIMAL, limit->window_us);
	return limit->error ? value_of_file_error(limit->error)
			    : value_of(STATE_DECIMAL, uw_to_mw(limit->limit_uw));
}

static int read_limit(const struct setting_reading *at, struct state_value *value)
{
	enum setting_id id = at->row->setting;
	int err = read_zones(at->state);
	const struct power_zone *zone = err ? NULL : find_zone(at->state, id, at->place);

	if (zone)
		*value = value_of_limit(zone, part_of(id)->limit, part_of(id)->is_window);
	else if (at->state->power_error)
		*value = value_of_file_error(at->state->power_error);
	return err;
}

static int read_enabled(const struct setting_reading *at, struct state_value *value)
{
	const struct power_zone *zone = at->place->zone;

	*value = zone->enabled.is_known ? value_of(STATE_BOOLEAN, zone->enabled.value)
					: value_of_missing(zone->enabled_error);
	return 0;
}

/* Finds the largest TDP of the levels of a package's domains after apply. */
static int find_tdp(const struct setting_view *view, uint32_t package, uint64_t *ret_mw)
{
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];
	uint64_t most_mw = 0;

	for (size_t i = 0; i < domains->count; i++) {
		const struct wanted_level *level = &view->levels[i];

		if (domains->list[i].package != package || level->error == -ENOENT)
			continue;
		if (level->error || level->info_error)
			return level->error ?: level->info_error;
		if (level->info.tdp_w * (uint64_t)MW_PER_W > most_mw)
			most_mw = level->info.tdp_w * (uint64_t)MW_PER_W;
	}
	*ret_mw = most_mw;
	return most_mw ? 0 : -ENODATA;
}

static int resolve_limit(struct setting_view *view, const struct state_row *row, size_t index,
			 struct state_value *value)
{
	const struct place *place = &row->places->list[index];
	const struct power_zone *zone = find_zone(view->state, row->setting, place);
	uint64_t mw = 0;
	int err;

	if (value->kind != STATE_WORD)
		return 0;
	if (strcmp(value->text, "tdp") == 0) {
		err = find_tdp(view, place->package, &mw);
	} else {
		mw = zone ? uw_to_mw(zone->constraints[part_of(row->setting)->limit].max_uw) : 0;
		err = mw ? 0 : -ENODATA;
	}
	if (!err)
		*value = value_of(STATE_DECIMAL, mw);
	return err;
}

/* Returns true if a value is the wanted one after rounding to some unit of hardware. */
static bool is_rounded(const struct setting_view *view, const struct state_row *row, size_t place,
		       const struct state_value *is)
{
	const struct state_value *wanted = &row->values[place];

	(void)view;
	if (is->kind != STATE_DECIMAL || wanted->kind != STATE_DECIMAL)
		return false;
	return part_of(row->setting)->is_window
		       ? power_window_is_rounded(is->number, wanted->number)
		       : power_limit_is_rounded(is->number * UW_PER_MW, wanted->number * UW_PER_MW);
}

/* Can firmware set this limit, because an earlier change of the plan changes the level? */
static bool is_moved(const struct setting_view *view, enum setting_id id, size_t place)
{
	const struct place *at = &view_places(view, id)->list[place];
	const struct place_list *domains = &view->state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count; i++) {
		if (setting_get(id)->flags & SETTING_MOVED_BY_LEVEL && view->is_planned &&
		    view->levels[i].is_changed && domains->list[i].package == at->package)
			return true;
	}
	return false;
}

/* Can common hardware hold a value nearer to the wanted one? Then the wanted value is written. */
static bool can_be_nearer(const struct setting_view *view, const struct state_row *row,
			  size_t place)
{
	const struct state_value *is = view_find_present(view, row->setting, place);
	const struct state_value *wanted = &row->values[place];
	uint64_t distance, step;

	if (!view->is_planned || !is || is->kind != STATE_DECIMAL || wanted->kind != STATE_DECIMAL)
		return false;
	distance = is->number > wanted->number ? is->number - wanted->number
					       : wanted->number - is->number;
	step = part_of(row->setting)->is_window ? wanted->number / 8 : SMALLEST_UNIT;
	return distance && distance >= step;
}

static bool is_lost(const struct setting_view *view, const struct state_row *row, size_t place)
{
	return is_moved(view, row->setting, place) || can_be_nearer(view, row, place);
}

static bool is_named(const struct setting_view *view, enum setting_id id, size_t place)
{
	const struct state_value *value = view_find_wanted(view, id, place);

	return value && value->kind == STATE_DECIMAL;
}

/* Checks that the long-term limit is at most the short-term one after apply. */
static void check_order(const struct setting_view *view, size_t place)
{
	const struct state_value first = view_expect(view, SETTING_PL1, 0, place);
	const struct state_value second = view_expect(view, SETTING_PL2, 0, place);
	bool names_first = is_named(view, SETTING_PL1, place);
	bool names_second = is_named(view, SETTING_PL2, place);
	const char *other = view->is_built_in ? names_first ? "give --pl2" : "give --pl1"
			    : names_first     ? "name pl2-w"
					      : "name pl1-w";
	_cleanup_free_ char *first_w = NULL, *second_w = NULL;

	if (first.kind != STATE_DECIMAL || second.kind != STATE_DECIMAL ||
	    first.number <= second.number || !(names_first || names_second) ||
	    !(view->is_planned || (names_first && names_second)))
		return;
	first_w = state_value_format(&first);
	second_w = state_value_format(&second);
	view->report_value(view,
			   state_rows_find(view->wanted, names_first ? SETTING_PL1 : SETTING_PL2, 0,
					   NULL),
			   place, REPORT_USAGE,
			   "the long-term limit, %s W, would be above the short-term one, %s "
			   "W%s%s%s",
			   first_w ?: "?", second_w ?: "?", names_first && names_second ? "" : "; ",
			   names_first && names_second ? "" : other,
			   names_first && names_second ? "" : " too");
}

/* Checks that the limit is in the range of the zone. */
static void check_range(const struct setting_view *view, const struct state_row *row, size_t place)
{
	const struct part *part = part_of(row->setting);
	const struct power_zone *zone =
		find_zone(view->state, row->setting, &row->places->list[place]);
	const struct power_constraint *limit = zone ? &zone->constraints[part->limit] : NULL;
	uint64_t wanted_mw = row->values[place].number, least_mw, most_mw;
	char least[NUMBER_MHZ_SIZE], wanted[NUMBER_MHZ_SIZE], most[NUMBER_MHZ_SIZE];

	if (!limit || part->is_window || row->values[place].kind != STATE_DECIMAL)
		return;
	least_mw = limit->min_uw              ? uw_to_mw(limit->min_uw)
		   : part->zone == POWER_DRAM ? 0
					      : PACKAGE_MW;
	most_mw = uw_to_mw(limit->max_uw);
	number_format_mhz((uint32_t)wanted_mw, wanted);
	number_format_mhz((uint32_t)least_mw, least);
	number_format_mhz((uint32_t)most_mw, most);
	if (wanted_mw < least_mw)
		view->report_value(view, row, place, REPORT_USAGE,
				   "%s W is below the lowest limit, %s W", wanted, least);
	else if (most_mw && wanted_mw > most_mw)
		view->report_value(view, row, place, REPORT_NOTE,
				   "%s W is above the highest limit that the kernel shows, %s W",
				   wanted, most);
}

/* Reports a lower limit of another control type, which binds first. */
static void check_others(const struct setting_view *view, size_t place)
{
	const struct power_zone *zone = view_places(view, SETTING_PL1)->list[place].zone;
	const struct state_row *row = state_rows_find(view->wanted, SETTING_PL1, 0, NULL);

	for (size_t i = 0; row && i < view->state->zones->count; i++) {
		const struct power_zone *other = &view->state->zones->list[i];
		uint64_t mw = uw_to_mw(power_zone_long_term_uw(other));
		char text[NUMBER_MHZ_SIZE];

		if (!other->is_other || other->kind != POWER_PACKAGE ||
		    other->package != zone->package || other->die != zone->die || !mw ||
		    row->values[place].kind != STATE_DECIMAL || mw >= row->values[place].number)
			continue;
		number_format_mhz((uint32_t)mw, text);
		view->report_value(view, row, place, REPORT_NOTE,
				   "%s limits it to %s W, which binds first", other->zone, text);
	}
}

static void check_limits(const struct setting_view *view)
{
	for (enum setting_id id = SETTING_PL1; id <= SETTING_PSYS_PL1; id++) {
		const struct state_row *row = state_rows_find(view->wanted, id, 0, NULL);

		for (size_t i = 0; row && i < view_places(view, id)->count; i++)
			check_range(view, row, i);
	}
	for (size_t i = 0; i < view_places(view, SETTING_PL1)->count; i++) {
		check_order(view, i);
		check_others(view, i);
	}
}

/* Leaves out the switch of all limits of a zone: it may be a lock, and restoring is not exact. */
static int leave_out(struct setting_export *export, const struct state_row *row, size_t place,
		     struct state_value *value)
{
	(void)export;
	(void)row;
	(void)place;
	value->kind = STATE_NONE;
	return 0;
}

static void request_enabled(struct setting_view *view, const struct state_row *row, size_t place,
			    struct setting_request *request, struct setting_list *list)
{
	/* one note is for all zones */
	if (!list->count || list->requests[list->count - 1].setting != SETTING_POWER_ENABLED)
		view->report_value(view, row, place, REPORT_NOTE,
				   "this switches all limits of the zone and their clamping, which "
				   "the kernel does not show: it cannot be undone exactly");
	setting_list_add(list, request);
}

/* Limits are raised before other changes, and lowered after them. */
static void request_limit(struct setting_view *view, const struct state_row *row, size_t place,
			  struct setting_request *request, struct setting_list *list)
{
	const struct state_value *is = view_find_present(view, row->setting, place);

	request->zone = find_zone(view->state, row->setting, &row->places->list[place]);
	request->value.number = row->values[place].number;
	request->is_raised =
		is && is->kind == STATE_DECIMAL && row->values[place].number > is->number;
	request->always = is_moved(view, row->setting, place);
	setting_list_add(list, request);
}

static int plan_power(const struct setting_environment *environment,
		      struct setting_request *request)
{
	const struct part *part = part_of(request->setting);
	const struct power_zone *zone = request->zone;
	const struct power_constraint *limit = zone ? &zone->constraints[part->limit] : NULL;
	bool is_switch = request->setting == SETTING_POWER_ENABLED;
	_cleanup_free_ char *selector = NULL, *switch_path = NULL;
	struct file_path path;
	char text[TEXT_SIZE], old_text[TEXT_SIZE], shown[TEXT_SIZE + sizeof(IF_MOVED)];
	struct change change;
	enum file_content content = part->is_window ? FILE_POWER_WINDOW
				    : is_switch     ? FILE_LOCKED_NUMBER
						    : FILE_POWER_LIMIT;

	if (!zone)
		return -ENOENT;
	selector = power_zone_format_selector(zone);
	switch_path = power_zone_path(zone->zone, "enabled");
	if (!selector || !switch_path)
		return -ENOMEM;
	path = power_constraint_path(zone, part->limit,
				     part->is_window ? "time_window_us" : "power_limit_uw");
	if (is_switch)
		snprintf(path.text, sizeof(path.text), "%s", switch_path);
	snprintf(text, sizeof(text), "%" PRIu64,
		 is_switch         ? (uint64_t)request->value.on
		 : part->is_window ? request->value.number
				   : request->value.number * UW_PER_MW);
	snprintf(old_text, sizeof(old_text), "%" PRIu64,
		 is_switch         ? (uint64_t)zone->enabled.value
		 : part->is_window ? limit->window_us
				   : limit->limit_uw);
	snprintf(shown, sizeof(shown), "%s" IF_MOVED, text);
	change = (struct change){
		.location = setting_location(request, environment->machine),
		.what = setting_get(request->setting)->what,
		.subject = subject_of(request->setting),
		.selector = zone->kind == POWER_PSYS ? NULL : selector,
		.target = file_target(path.text, content),
		.value = { .text = text },
		.old_value = { .text = old_text },
		.has_old_value = true,
		.new_text = request->always && strcmp(text, old_text) == 0 ? shown : NULL,
		/* firmware may have changed it with the level */
		.is_read_first = request->always,
		.is_left_if_equal = true,
	};
	return setting_add_file(environment, request, change);
}

int power_note_level(const struct setting_environment *environment,
		     const struct power_domain *domain, const struct power_zones *zones)
{
	static const enum setting_id ids[] = { SETTING_PL1, SETTING_PL2 };

	for (size_t i = 0; i < zones->count * ARRAY_SIZE(ids); i++) {
		const struct power_zone *zone = &zones->list[i / ARRAY_SIZE(ids)];
		enum setting_id id = ids[i % ARRAY_SIZE(ids)];
		const struct power_constraint *limit = &zone->constraints[part_of(id)->limit];
		_cleanup_free_ char *selector = NULL;
		char text[TEXT_SIZE];

		if (zone->kind != POWER_PACKAGE || zone->is_other ||
		    !power_zone_is_of(zone, domain->package, domain->die) || !limit->limit_uw)
			continue;
		selector = power_zone_format_selector(zone);
		snprintf(text, sizeof(text), "%" PRIu64, limit->limit_uw);
		if (!selector ||
		    change_list_add_reset(environment->changes,
					  &(struct change_reset){ .subject = subject_of(id),
								  .was = text,
								  .selector = selector }))
			return -ENOMEM;
	}
	return 0;
}

static const char *const limit_words[] = { "tdp", "max", NULL };
static const char *const max_words[] = { "max", NULL };
static const enum setting_id limit_ids[] = { SETTING_PL1, SETTING_PL2, N_SETTINGS };

#define ROW(id) [id - SETTING_PL1]

/* Power limits have no clean value of their own. */
#define FIRST_VALUE "the first value that the change journal has of this boot, else kept"

#define LIMIT_ROW(id, name, kind, text, takes, ...) \
	ROW(id) = { name,                           \
		    text,                           \
		    kind,                           \
		    SETTING_TYPE_DECIMAL,           \
		    SETTING_RANK_POWER_DOWN,        \
		    .words = takes,                 \
		    .min = 1,                       \
		    .max = MW_MAX,                  \
		    .unit = "W",                    \
		    .about = text,                  \
		    .file_units = UW_PER_MW,        \
		    .plan_one = plan_power,         \
		    .read = read_limit,             \
		    .resolve = resolve_limit,       \
		    .reset = FIRST_VALUE,           \
		    .match = is_rounded,            \
		    .is_lost = is_lost,             \
		    .request = request_limit,       \
		    .level_part = PLATFORM_LEVEL,   \
		    ##__VA_ARGS__ }

#define WINDOW_ROW(id, name, text)            \
	ROW(id) = { name,                     \
		    text,                     \
		    PLACE_ZONE,               \
		    SETTING_TYPE_DECIMAL,     \
		    SETTING_RANK_POWER_DOWN,  \
		    .min = 1,                 \
		    .max = UINT32_MAX,        \
		    .unit = "ms",             \
		    .about = text,            \
		    .file_units = 1,          \
		    .plan_one = plan_power,   \
		    .read = read_limit,       \
		    .reset = FIRST_VALUE,     \
		    .match = is_rounded,      \
		    .is_lost = can_be_nearer, \
		    .request = request_limit }

const struct setting power_settings[] = {
	LIMIT_ROW(SETTING_PL1, "power.pl1-w", PLACE_ZONE, "long-term power limit (PL1)",
		  limit_words, .flags = SETTING_MOVED_BY_LEVEL, .beside = limit_ids,
		  .check = check_limits),
	WINDOW_ROW(SETTING_PL1_WINDOW, "power.pl1-window-ms", "averaging window of PL1"),
	LIMIT_ROW(SETTING_PL2, "power.pl2-w", PLACE_ZONE, "short-term power limit (PL2)",
		  limit_words, .flags = SETTING_MOVED_BY_LEVEL, .beside = limit_ids),
	WINDOW_ROW(SETTING_PL2_WINDOW, "power.pl2-window-ms", "averaging window of PL2"),
	ROW(SETTING_POWER_ENABLED) = { "power.enabled", "power limits of the zone", PLACE_ZONE,
				       SETTING_TYPE_BOOLEAN, SETTING_RANK_POWER_DOWN,
				       .about = "whether the power limits of the zone are enabled",
				       .reset = FIRST_VALUE, .plan_one = plan_power,
				       .read = read_enabled, .export = leave_out,
				       .request = request_enabled },
	LIMIT_ROW(SETTING_DRAM_PL1, "power.dram.pl1-w", PLACE_ZONE, "power limit of DRAM",
		  max_words),
	LIMIT_ROW(SETTING_PSYS_PL1, "power.psys.pl1-w", PLACE_MACHINE,
		  "power limit of the whole machine (psys)", max_words),
};
