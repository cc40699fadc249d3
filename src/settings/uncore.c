// SPDX-License-Identifier: GPL-2.0-only
/* The settings of uncores (sysfs.md, "uncore"). The kernel rounds limits down to 100 MHz and does
 * not compare them. This file rounds them and keeps them in order; they are read back. */
#include "settings/uncore.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "change/journal_spans.h"
#include "settings/families.h"

/* Adds the changes that give one unit these limits, in an order that keeps the lower limit at or
 * below the upper one; none for a limit that already matches. Returns 0 or -ENOMEM. */
static int uncore_plan_limits(struct change_list *changes, const struct location *location,
			      const struct uncore_unit *unit, uint32_t min_khz, uint32_t max_khz)
{
	_cleanup_free_ char *selector = uncore_format_selector(unit);
	const struct file_limits limits = {
		.location = *location,
		.subject = subject_of(SETTING_UNCORE_MIN),
		.selector = selector,
		.directory = unit->path,
		.min_name = UNCORE_MIN,
		.max_name = UNCORE_MAX,
	};
	const struct khz_range old = { unit->min_khz, unit->max_khz };
	const struct khz_range wanted = { min_khz, max_khz };

	return selector ? file_change_add_range(changes, &limits, &old, &wanted) : -ENOMEM;
}

uint32_t uncore_round_khz(uint64_t mhz)
{
	return (uint32_t)(mhz / MHZ_PER_RATIO * MHZ_PER_RATIO * KHZ_PER_MHZ);
}

/* Mailbox parts are compared by their die label, TPMI parts by the number of the power domain. */
static bool is_of(const struct uncore_unit *unit, const struct uncore_range *range)
{
	return unit->package == range->package &&
	       (unit->is_cluster ? uncore_is_of_domain(unit, range->power_domain)
				 : unit->die == range->die);
}

int uncore_plan_range(struct change_list *changes, const struct uncore_units *units, int read_error,
		      const struct uncore_range *range, bool *ret_has_unit)
{
	const struct location location = {
		.package = range->package,
		.die = range->die,
		.cpu = LOCATION_NO_CPU,
	};
	bool has_unit = read_error;
	int unit_error = 0;

	for (size_t i = 0; i < units->count; i++) {
		if (!is_of(&units->units[i], range))
			continue;
		has_unit = true;
		unit_error = unit_error ?: units->units[i].error;
	}
	*ret_has_unit = has_unit;
	/* an upper limit below 100 MHz counts as unknown */
	if (uncore_round_khz(range->max_mhz ?: range->min_mhz) == 0)
		return -ENOENT;
	if (read_error)
		return read_error;
	if (range->max_mhz && range->min_mhz > range->max_mhz)
		return -EINVAL;
	if (!has_unit || unit_error)
		return has_unit ? unit_error : -ENOENT;
	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		/* An unknown limit stays as it is, unless a lower limit is above the upper one. */
		uint32_t max_khz = uncore_round_khz(range->max_mhz) ?: unit->max_khz;
		uint32_t min_khz = uncore_round_khz(range->min_mhz) ?: unit->min_khz;

		if (!is_of(unit, range))
			continue;
		if (min_khz > max_khz)
			min_khz = max_khz;
		if (uncore_plan_limits(changes, &location, unit, min_khz, max_khz))
			return -ENOMEM;
	}
	return 0;
}

static int plan_limits(const struct setting_environment *environment,
		       struct setting_request *request)
{
	const struct location location = uncore_location(request->uncore);

	return uncore_plan_limits(environment->changes, &location, request->uncore,
				  request->value.range.min_khz, request->value.range.max_khz);
}

static int read_limit(const struct setting_reading *at, struct state_value *value)
{
	const struct uncore_unit *unit = at->place->uncore;

	*value = unit->error ? value_of_file_error(unit->error)
			     : value_of(STATE_KHZ, at->row->setting == SETTING_UNCORE_MIN
							   ? unit->min_khz
							   : unit->max_khz);
	return 0;
}

static struct state_value value_of_known(enum state_kind kind, const struct file_number *number)
{
	return value_of(number->is_known ? kind : STATE_LACKING, number->value);
}

/* Values that were read with the limits. */
static int read_detail(const struct setting_reading *at, struct state_value *value)
{
	const struct uncore_unit *unit = at->place->uncore;
	const int unread = files_find_unread(&uncore_detail_files, &unit->unread,
					     setting_get(at->row->setting)->file);

	if (unread)
		*value = value_of_file_error(unread);
	else if (at->row->setting == SETTING_ELC_LOW_THRESHOLD)
		*value = value_of_known(STATE_NUMBER, &unit->elc_low_percent);
	else if (at->row->setting == SETTING_ELC_HIGH_THRESHOLD)
		*value = value_of_known(STATE_NUMBER, &unit->elc_high_percent);
	else if (at->row->setting == SETTING_ELC_HIGH)
		*value = value_of_known(STATE_BOOLEAN, &unit->elc_high_enabled);
	else
		*value = value_of_known(STATE_KHZ, &unit->elc_floor_khz);
	return 0;
}

/* Folds the journal of this boot, once. Returns 0, also without a journal; -ENOMEM; or another
 * negative errno of reading the journal. */
static int read_journal(struct setting_view *view)
{
	const struct host *host = view->state->machine->host;

	if (!view->has_journal)
		view->journal_error = journal_spans_fold(host->files, host->run_directory, 0,
							 UINT64_MAX, &view->journal);
	view->has_journal = true;
	return view->journal_error;
}

/* Finds the first limit of an uncore in the journal of this boot. Returns 0, -ENODATA, -ENOMEM, or
 * another negative errno if the journal cannot be read. */
static int find_first_limit(struct setting_view *view, enum setting_id member,
			    const struct uncore_unit *unit, uint64_t *ret_khz)
{
	_cleanup_free_ char *selector = uncore_format_selector(unit);
	int err = selector ? read_journal(view) : -ENOMEM;

	if (err)
		return err;
	for (size_t i = 0; i < view->journal.count; i++) {
		const struct journal_places *places = &view->journal.list[i];
		const json_t *was = json_object_get(places->was, "was");

		if (!places->place || strcmp(places->place, selector) != 0 ||
		    strcmp(places->setting, setting_get(member)->path) != 0 || !json_is_number(was))
			continue;
		*ret_khz = (uint64_t)(json_number_value(was) * KHZ_PER_MHZ);
		return 0;
	}
	return -ENODATA;
}

/* Resolves a word to the value of the level. If the level has none, "min" and "max" are the first
 * limits of this boot, else the limits when the driver was loaded, else the present limits. */
static int resolve_word(struct setting_view *view, const struct place *place,
			struct state_value *value)
{
	const bool is_min = strcmp(value->text, "min") == 0;
	const bool is_base = strcmp(value->text, "base") == 0;
	const struct wanted_level *level = view_find_level(view, place);
	const struct sst_fabric *fabric = level && !level->info_error ? &level->info.uncore : NULL;
	const struct uncore_unit *unit = place->uncore;
	const struct file_number *initial =
		is_min ? &unit->initial_min_khz : &unit->initial_max_khz;
	const int unread = files_find_unread(&uncore_detail_files, &unit->unread,
					     is_min ? UNCORE_INITIAL_MIN : UNCORE_INITIAL_MAX);
	uint64_t khz;
	uint32_t mhz = !fabric   ? 0
		       : is_min  ? fabric->min_mhz
		       : is_base ? fabric->base_mhz
				 : fabric->max_mhz;
	int err = 0;

	if (mhz)
		khz = mhz * KHZ_PER_MHZ / KHZ_PER_RATIO * KHZ_PER_RATIO;
	else if (is_base)
		return -ENODATA;
	else /* the limit that the word names: "max" can also be given for the lower limit */
		err = find_first_limit(view, is_min ? SETTING_UNCORE_MIN : SETTING_UNCORE_MAX, unit,
				       &khz);
	if (err && initial->is_known)
		khz = initial->value / KHZ_PER_RATIO * KHZ_PER_RATIO;
	else if (err && unread)
		return unread;
	else if (err && !unit->error)
		khz = is_min ? unit->min_khz : unit->max_khz;
	else if (err)
		return -ENODATA;
	*value = value_of(STATE_KHZ, khz);
	return err == -ENOMEM ? err : 0;
}

static int resolve_limit(struct setting_view *view, const struct state_row *row, size_t place,
			 struct state_value *value)
{
	return value->kind == STATE_WORD ? resolve_word(view, &row->places->list[place], value) : 0;
}

/* Replaces a limit of the current level, or (portable) an initial limit, by its word. */
static int export_limit(struct setting_export *export, const struct state_row *row, size_t place,
			struct state_value *value)
{
	const struct uncore_unit *unit = row->places->list[place].uncore;
	const struct place_list *domains = &export->state->places[PLACE_DOMAIN];
	const struct sst_fabric *level = NULL; /* NULL: only initial limits get words */
	bool has_initial = export->is_portable && unit->initial_min_khz.is_known &&
			   unit->initial_max_khz.is_known;

	for (size_t i = 0; i < domains->count && !level; i++) {
		const struct power_domain *domain = domains->list[i].domain;
		const struct platform_level_query *query = &export->levels[i];

		if (query->domain && !query->error && domain->package == unit->package &&
		    (unit->is_cluster ? domain->id == unit->domain : domain->die == unit->die))
			level = &query->info.uncore;
	}
	if (level)
		export_use_words(value, (uint64_t)level->min_mhz * KHZ_PER_MHZ,
				 (uint64_t)level->max_mhz * KHZ_PER_MHZ);
	if (has_initial)
		export_use_words(value, level && level->min_mhz ? 0 : unit->initial_min_khz.value,
				 level && level->max_mhz ? 0 : unit->initial_max_khz.value);
	return 0;
}

static void request_limits(struct setting_view *view, const struct state_row *row, size_t place,
			   struct setting_request *request, struct setting_list *list)
{
	(void)row;
	request->value.range.min_khz =
		(uint32_t)view_expect_number(view, SETTING_UNCORE_MIN, 0, place);
	request->value.range.max_khz =
		(uint32_t)view_expect_number(view, SETTING_UNCORE_MAX, 0, place);
	setting_list_add(list, request);
}

static uint32_t find_khz(const struct state_rows *rows, enum setting_id id, size_t place)
{
	const struct state_value *value = state_rows_find_value(rows, id, 0, place);

	return value && value->kind == STATE_KHZ ? (uint32_t)value->number : 0;
}

struct khz_range uncore_wanted_range(const struct state_rows *wanted, size_t place)
{
	return (struct khz_range){ find_khz(wanted, SETTING_UNCORE_MIN, place),
				   find_khz(wanted, SETTING_UNCORE_MAX, place) };
}

static const char *const limit_words[] = { "min", "base", "max", NULL };

static const enum setting_id level_ids[] = { SETTING_LEVEL, N_SETTINGS };

#define ROW(id) [(id)-SETTING_UNCORE_MIN]

#define LIMIT_ROW(id, name, text, end, ...)           \
	ROW(id) = { name,                             \
		    "limits of the uncore frequency", \
		    PLACE_UNCORE,                     \
		    SETTING_TYPE_HUNDREDS,            \
		    SETTING_RANK_UNCORE,              \
		    .group = SETTING_UNCORE_LIMITS,   \
		    .words = limit_words,             \
		    .min = KHZ_PER_RATIO,             \
		    .max = STATE_UNLIMITED_KHZ,       \
		    .unit = "MHz",                    \
		    .about = text,                    \
		    .reset = end,                     \
		    .plan_one = plan_limits,          \
		    .read = read_limit,               \
		    .resolve = resolve_limit,         \
		    .export = export_limit,           \
		    .request = request_limits,        \
		    .level_part = PLATFORM_LEVEL,     \
		    .exported_by = level_ids,         \
		    ##__VA_ARGS__ }

const struct setting uncore_settings[] = {
	LIMIT_ROW(SETTING_UNCORE_MIN, "uncore.min-mhz", "lower limit of the uncore frequency",
		  "\"min\"", .upper = SETTING_UNCORE_MAX),
	LIMIT_ROW(SETTING_UNCORE_MAX, "uncore.max-mhz", "upper limit of the uncore frequency",
		  "\"max\""),
	ROW(SETTING_ELC_LOW_THRESHOLD) = { "uncore.elc-low-threshold", UNCORE_ELC_LOW_THRESHOLD,
					   PLACE_UNCORE, SETTING_TYPE_NUMBER, SETTING_RANK_UNCORE,
					   .max = 100, .unit = "percent",
					   .about = "utilization below which the floor applies",
					   .file = UNCORE_ELC_LOW_THRESHOLD, .read = read_detail },
	ROW(SETTING_ELC_HIGH_THRESHOLD) = { "uncore.elc-high-threshold", UNCORE_ELC_HIGH_THRESHOLD,
					    PLACE_UNCORE, SETTING_TYPE_NUMBER, SETTING_RANK_UNCORE,
					    .max = 100, .unit = "percent",
					    .about =
						    "utilization above which frequency rises at once",
					    .file = UNCORE_ELC_HIGH_THRESHOLD,
					    .read = read_detail },
	ROW(SETTING_ELC_HIGH) = { "uncore.elc-high", UNCORE_ELC_HIGH_ENABLE, PLACE_UNCORE,
				  SETTING_TYPE_BOOLEAN, SETTING_RANK_UNCORE,
				  .about = "use the high threshold", .file = UNCORE_ELC_HIGH_ENABLE,
				  .read = read_detail },
	ROW(SETTING_ELC_FLOOR) = { "uncore.elc-floor-mhz", UNCORE_ELC_FLOOR, PLACE_UNCORE,
				   SETTING_TYPE_HUNDREDS, SETTING_RANK_UNCORE,
				   .max = STATE_UNLIMITED_KHZ, .unit = "MHz",
				   .about = "lowest frequency while utilization is below the low "
					    "threshold",
				   .file = UNCORE_ELC_FLOOR, .read = read_detail },
};
