// SPDX-License-Identifier: GPL-2.0-only
/* The settings of Speed Select: their rows, and their operations for documents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "settings/families.h"
#include "settings/scaling.h"
#include "settings/sst.h"
#include "sst/trl_note.h"
#include "sst/values.h"

/* Plans SST-BF and SST-TF. With base_freq_by_cpufreq, SST-BF consists of frequency limits. */
static int plan_feature(const struct setting_environment *environment,
			struct setting_request *requests, size_t count)
{
	return environment->platform->base_freq_by_cpufreq
		       ? settings_plan_each(environment, requests, count)
		       : sst_plan_feature(environment, requests, count);
}

/* With base_freq_by_cpufreq, SST-BF is on if both limits of each CPU are its base frequency.
 * lower_only: compares only the lower limits. */
static int read_held_limits(const struct state_machine *state, const struct state_rows *rows,
			    const struct power_domain *domain, bool lower_only,
			    struct state_value *value)
{
	static const enum setting_id limits[] = { SETTING_CPUFREQ_MIN, SETTING_CPUFREQ_MAX };
	size_t n_limits = lower_only ? 1 : ARRAY_SIZE(limits);
	struct sst_base_freq base_freq = { 0 };
	int err = platform_read_base_freq_by_cpufreq(state->machine, &domain->cpus, &base_freq);
	bool is_on = !cpuset_is_empty(&base_freq.high_cpus);
	struct state_value wrong = { 0 };

	cpuset_foreach (cpu, &domain->cpus) {
		bool is_high = cpuset_has(&base_freq.high_cpus, cpu);
		uint64_t mhz = is_high ? base_freq.high_mhz : base_freq.low_mhz;
		const struct state_value wanted = value_of(STATE_KHZ, mhz * KHZ_PER_MHZ);

		for (size_t i = 0; i < n_limits && !err && is_on; i++) {
			struct state_value found;

			if (!topology_can_ask(&state->machine->topology, cpu))
				continue;
			found = cpufreq_read_limit(state, rows, limits[i], cpu);
			is_on = state_value_equal(&found, &wanted);
			if (found.kind != STATE_KHZ)
				wrong = found;
		}
	}
	cpuset_done(&base_freq.high_cpus);
	*value = err          ? value_of_file_error(err)
		 : wrong.kind ? wrong
			      : value_of(STATE_BOOLEAN, is_on);
	return err == -ENOMEM ? err : 0;
}

/* Other platforms read SST-BF with the other values of Speed Select. */
static int read_base_freq(const struct setting_reading *at, struct state_value *value)
{
	return at->state->platform->base_freq_by_cpufreq
		       ? read_held_limits(at->state, at->rows, at->place->domain, false, value)
		       : 0;
}

int sst_read_ratios(const struct setting_view *view, const struct place *package,
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

/* Returns the row that names SST-CP or its priority type at a location, or NULL. */
static const struct state_row *find_core_power(const struct setting_view *view, size_t place)
{
	static const enum setting_id members[] = { SETTING_CORE_POWER, SETTING_PRIORITY };

	for (size_t i = 0; i < ARRAY_SIZE(members) && place != PLACE_UNKNOWN; i++) {
		const struct state_row *row = state_rows_find(view->wanted, members[i], 0, NULL);

		if (row && row->values[place].kind != STATE_NONE)
			return row;
	}
	return NULL;
}

int sst_ask_turbo_freq(struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;
	const struct place_list *domains = view_places(view, SETTING_TURBO_FREQ);
	const bool is_needed = state_rows_find(rows, SETTING_ASSOC, 0, NULL) &&
			       (state_rows_find(rows, SETTING_CPUFREQ_MIN, 0, NULL) ||
				state_rows_find(rows, SETTING_CPUFREQ_MAX, 0, NULL));

	for (size_t i = 0; i < domains->count; i++) {
		size_t place = view_find_place(view, SETTING_CORE_POWER, &domains->list[i]);
		int err = is_needed || find_core_power(view, place)
				  ? view_ask(view, SETTING_TURBO_FREQ, 0, NULL, i)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* Does the document change a setting at any location? */
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

bool sst_moves_highest(const struct setting_view *view)
{
	const struct state_row *present =
		state_rows_find(&view->present, SETTING_TURBO_FREQ, 0, NULL);
	bool is_on = false;

	if (view_changes_feature(view, SETTING_TURBO_FREQ))
		return true;
	for (size_t i = 0; present && i < view_places(view, SETTING_TURBO_FREQ)->count; i++)
		is_on = is_on || value_is_on(&present->values[i]);
	return is_on && (changes(view, SETTING_ASSOC) || changes(view, SETTING_CORE_POWER));
}

/* With base_freq_by_cpufreq, SST-BF consists of limits. Drops past limits of CPUs for which the
 * document switches SST-BF on. */
static void drop_past_limits(struct setting_view *view, enum setting_id limit)
{
	const struct state_row *base_freq =
		state_rows_find(view->wanted, SETTING_BASE_FREQ, 0, NULL);
	const struct place_list *domains = view_places(view, SETTING_BASE_FREQ);
	const struct place_list *places = view_places(view, limit);
	struct state_row *limits = state_rows_find(view->wanted, limit, 0, NULL);

	for (size_t i = 0; base_freq && limits && i < domains->count; i++) {
		const struct state_value *is_on = &base_freq->values[i];

		if (!value_is_on(is_on) || is_on->is_past)
			continue;
		cpuset_foreach (cpu, &domains->list[i].domain->cpus) {
			uint32_t place = places->of_cpu[cpu];

			if (place != PLACE_UNKNOWN && limits->values[place].is_past)
				limits->values[place].kind = STATE_NONE;
		}
	}
}

int sst_imply_limits(struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
	const struct place_list *places = view_places(view, SETTING_TURBO_FREQ);

	if (view->state->platform && view->state->platform->base_freq_by_cpufreq) {
		drop_past_limits(view, SETTING_CPUFREQ_MIN);
		drop_past_limits(view, SETTING_CPUFREQ_MAX);
	}
	for (size_t i = 0; row && i < places->count; i++) {
		struct state_value value = row->values[i];
		const struct state_value *is = view_find_present(view, SETTING_TURBO_FREQ, i);
		size_t package = view_find_place(view, SETTING_TRL, &places->list[i]);
		bool is_changed = is && is->number != value.number, is_free, is_replaced;
		struct state_row *limits;

		if (value.kind != STATE_BOOLEAN || !is || is->kind != STATE_BOOLEAN ||
		    package == PLACE_UNKNOWN)
			continue;
		limits = is_changed
				 ? state_rows_add(view->wanted, view->state, SETTING_TRL, 0, NULL)
				 : state_rows_find(view->wanted, SETTING_TRL, 0, NULL);
		if (!limits && is_changed)
			return -ENOMEM;
		row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
		if (!limits)
			continue;
		/* SST-TF that a document switches on needs open limits, not past ones */
		is_replaced = limits->values[package].is_past && !value.is_past && value.number;
		is_free = is_changed && limits->values[package].kind == STATE_NONE;
		if (!is_free && !is_replaced)
			continue;
		limits->values[package] = (struct state_value){
			.kind = STATE_WORD,
			.text = value.number ? "open" : "level",
			.entry = value.entry,
			.is_past = value.is_past,
			.is_implied = is_changed,
		};
	}
	return 0;
}

/* If turbo goes off, the kernel lowers upper limits to the base frequency. Returns true if the
 * lower limits are the base frequency, too: this is SST-BF. */
static bool becomes_base_freq(const struct setting_view *view, const struct power_domain *domain)
{
	const struct state_value turbo = view_expect(view, SETTING_TURBO, 0, 0);
	struct state_value is_held = { 0 };

	return view->switches_turbo && value_is_off(&turbo) &&
	       !read_held_limits(view->state, &view->present, domain, true, &is_held) &&
	       value_is_on(&is_held);
}

/* With base_freq_by_cpufreq: do earlier changes of the plan change the limits that make SST-BF? */
static bool loses_base_freq(const struct setting_view *view, const struct state_row *row,
			    size_t place)
{
	const struct power_domain *domain = row->places->list[place].domain;

	if (!view->state->platform || !view->state->platform->base_freq_by_cpufreq ||
	    !view->is_planned)
		return false;
	if (!row->values[place].number)
		return becomes_base_freq(view, domain);
	cpuset_foreach (cpu, &domain->cpus) {
		if (cpuset_has(view->pending, cpu))
			return true;
	}
	return view->resets_limits;
}

static int resolve_clos(struct setting_view *view, const struct state_row *row, size_t place,
			struct state_value *value)
{
	const struct wanted_level *level = view_find_level(view, &row->places->list[place]);
	bool is_known = level && !level->info_error;
	uint32_t mhz;
	int err;

	if (value->kind != STATE_WORD)
		return 0;
	err = value_find_clos_limit(value->text, row->setting == SETTING_CLOS_MAX,
				    is_known ? &level->info : NULL, &mhz);
	if (err)
		return level && level->info_error ? level->info_error : err;
	*value = value_of(STATE_KHZ, mhz * KHZ_PER_MHZ);
	return 0;
}

static int resolve_ratios(struct setting_view *view, const struct state_row *row, size_t place,
			  struct state_value *value)
{
	bool is_open = value_is_word(value, "open");

	if (value->kind != STATE_WORD)
		return 0;
	*value = value_of(STATE_RATIOS, STATE_OPEN_RATIOS);
	return is_open ? 0 : sst_read_ratios(view, &row->places->list[place], &value->number);
}

/* Resolves a word for one part of SST-CP, which only documents of past values can have. The other
 * part keeps its present state. */
static int resolve_core_power(struct setting_view *view, const struct state_row *row, size_t place,
			      struct state_value *value)
{
	const struct state_value *is = view_find_present(view, SETTING_CORE_POWER, place);
	bool has_pm_config = value_is_on(is) || value_is_word(is, STATE_PM_CONFIG_ONLY);
	bool has_clos = value_is_on(is) || value_is_word(is, STATE_CLOS_ONLY);

	(void)row;
	if (value_is_word(value, STATE_PM_CONFIG_ON) || value_is_word(value, STATE_PM_CONFIG_OFF))
		has_pm_config = value_is_word(value, STATE_PM_CONFIG_ON);
	else if (value_is_word(value, STATE_CLOS_ON) || value_is_word(value, STATE_CLOS_OFF))
		has_clos = value_is_word(value, STATE_CLOS_ON);
	else
		return 0;
	*value = has_pm_config == has_clos
			 ? value_of(STATE_BOOLEAN, has_clos)
			 : value_of_word(has_clos ? STATE_CLOS_ONLY : STATE_PM_CONFIG_ONLY);
	return 0;
}

/* Does the plan switch SST-TF on in a domain of the package, also after a change of its level? The
 * limits of the level, which are in force then, would make it ineffective. */
static bool turns_turbo_freq_on(const struct setting_view *view, uint32_t package)
{
	const struct place_list *domains = view_places(view, SETTING_TURBO_FREQ);

	for (size_t i = 0; i < domains->count && view->is_planned; i++) {
		const struct state_value *wanted = view_find_wanted(view, SETTING_TURBO_FREQ, i);
		const struct state_value *is = view_find_present(view, SETTING_TURBO_FREQ, i);

		if (domains->list[i].package == package && value_is_on(wanted) &&
		    (view->levels[i].is_changed || !is || !is->number))
			return true;
	}
	return false;
}

/* Returns true if the limits read as they did after a noted write of the same value, or if open
 * limits are at or above those of the level. */
static bool match_ratios(const struct setting_view *view, const struct state_row *row, size_t place,
			 const struct state_value *is)
{
	const struct state_value *wanted = &row->values[place];
	const struct place *package = &row->places->list[place];
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
	    sst_read_ratios(view, package, &level_ratios))
		return false;
	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		if (sst_byte(is->number, i) < sst_byte(level_ratios, i))
			return false;
	}
	return true;
}

/* A CLOS needs an upper limit. */
static void check_clos(const struct setting_view *view)
{
	const struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		const struct state_row *row = &rows->list[i];
		size_t count = row->setting == SETTING_CLOS_MAX ? row->places->count : 0;

		for (size_t j = 0; j < count; j++) {
			if (row->values[j].kind != STATE_KHZ || row->values[j].number)
				continue;
			view->report_value(view, row, j, REPORT_USAGE,
					   "an upper limit of 0 is not possible");
			return;
		}
	}
}

/* Returns true if SST-TF will be on in a domain, but SST-CP will be off or not ordered. */
static bool lacks_core_power(const struct setting_view *view, size_t domain, size_t place)
{
	const struct state_value fast = view_expect(view, SETTING_TURBO_FREQ, 0, domain);
	struct state_value on, type;

	if (!value_is_on(&fast) || place == PLACE_UNKNOWN)
		return false;
	on = view_expect(view, SETTING_CORE_POWER, 0, place);
	type = view_expect(view, SETTING_PRIORITY, 0, place);
	return !value_is_on(&on) || !value_is_word(&type, "ordered");
}

/* SST-TF works only with SST-CP on and ordered. */
static void check_turbo_freq(const struct setting_view *view)
{
	const struct state_row *row = state_rows_find(view->wanted, SETTING_TURBO_FREQ, 0, NULL);
	const struct place_list *places = view_places(view, SETTING_TURBO_FREQ);

	for (size_t i = 0; i < places->count; i++) {
		bool is_named = row && row->values[i].kind != STATE_NONE;
		size_t place = view_find_place(view, SETTING_CORE_POWER, &places->list[i]);
		const struct state_row *core_power = find_core_power(view, place);

		if (!lacks_core_power(view, i, place))
			continue;
		if (is_named) {
			view->report_value(
				view, row, i, REPORT_USAGE,
				"it needs core-power with ordered priority: add \"core-power\": "
				"{ \"enabled\": true, \"priority\": \"ordered\" }");
			return;
		}
		/* state check shows the difference in any case; a change of the level switches
		 * SST-TF off */
		if (!core_power || !view->is_planned || view->levels[i].is_changed)
			continue;
		view->report_value(view, core_power, place, REPORT_USAGE,
				   "turbo-freq is on, and needs core-power with ordered priority: "
				   "add \"turbo-freq\": { \"enabled\": false }");
		return;
	}
}

const char *sst_find_clos_word(enum setting_id id, const struct state_value *value)
{
	if (value->kind != STATE_KHZ)
		return NULL;
	if (id == SETTING_CLOS_MIN && value->number == 0)
		return "min";
	return id == SETTING_CLOS_MAX && value->number == STATE_UNLIMITED_KHZ ? "max" : NULL;
}

/* Exports a parameter of a CLOS. Leaves out limits in the wrong order, which apply refuses. */
static int export_clos(struct setting_export *export, const struct state_row *row, size_t place,
		       struct state_value *value)
{
	const struct state_value *min = export_find(export, SETTING_CLOS_MIN, row->clos, place);
	const struct state_value *max = export_find(export, SETTING_CLOS_MAX, row->clos, place);
	_cleanup_free_ char *name = NULL;
	const char *word;

	if (value->kind != STATE_KHZ)
		return 0;
	if (min && max && min->kind == STATE_KHZ && max->kind == STATE_KHZ && max->number &&
	    min->number > max->number) {
		value->kind = STATE_NONE;
		if (row->setting == SETTING_CLOS_MIN) /* the note is for both limits */
			return 0;
		name = state_row_format_place(export->state, row, place);
		export->note = name ? text_format("%s: the lower limit of CLOS %u is above the "
						  "upper one; both are left out",
						  name, row->clos)
				    : NULL;
		return export->note ? 0 : -ENOMEM;
	}
	word = sst_find_clos_word(row->setting, value);
	if (word)
		*value = value_of_word(word);
	return 0;
}

/* Exports limits as "open" if all bits are set; as "level" if the package has one level, and they
 * are its limits. */
static int export_ratios(struct setting_export *export, const struct state_row *row, size_t place,
			 struct state_value *value)
{
	const struct state_machine *state = export->state;
	const struct place *package = &row->places->list[place];
	const struct place_list *domains = &state->places[PLACE_DOMAIN];
	const struct state_value *level = NULL;
	uint64_t trl;
	int err;

	if (value->kind != STATE_RATIOS)
		return 0;
	if (value->number == UINT64_MAX) {
		*value = value_of_word("open");
		return 0;
	}
	for (size_t i = 0; i < domains->count; i++) {
		const struct state_value *found = export_find(export, SETTING_LEVEL, 0, i);

		if (domains->list[i].package != package->package ||
		    domains->list[i].cpu == CPUSET_NONE)
			continue;
		if (!found || (level && !state_value_equal(found, level)))
			return 0;
		level = found;
	}
	if (!level || level->kind == STATE_UNREADABLE)
		return 0;
	/* without SST-PP there is only level 0 */
	err = state->platform->ops->read_level_trl(
		state->platform, package->domain,
		level->kind == STATE_NUMBER ? (uint32_t)level->number : 0, &trl);
	if (!err && trl == value->number)
		*value = value_of_word("level");
	return err == -ENOMEM ? err : 0;
}

int sst_export_levels(struct setting_export *export, unsigned int parts)
{
	const struct state_machine *state = export->state;
	const struct place_list *domains = &state->places[PLACE_DOMAIN];
	_cleanup_free_ struct platform_level_query *queries =
		calloc(domains->count ?: 1, sizeof(*queries));
	size_t n_queries = 0;
	int err = 0;

	export->levels = calloc(domains->count ?: 1, sizeof(*export->levels));
	if (!queries || !export->levels)
		return -ENOMEM;
	for (size_t i = 0; i < domains->count && parts && state->platform->has_levels; i++) {
		const struct state_value *level = export_find(export, SETTING_LEVEL, 0, i);

		if (level && level->kind == STATE_NUMBER)
			queries[n_queries++] = (struct platform_level_query){
				.domain = domains->list[i].domain,
				.level = (uint32_t)level->number,
				.pp_enabled = true,
			};
	}
	if (n_queries)
		err = state->platform->ops->read_levels(state->platform, parts, queries, n_queries);
	for (size_t i = 0; i < n_queries; i++)
		export->levels[queries[i].domain - state->platform->domains.domains] = queries[i];
	return err;
}

static void request_level(struct setting_view *view, const struct state_row *row, size_t place,
			  struct setting_request *request, struct setting_list *list)
{
	(void)row;
	request->pp = &view->levels[place].pp;
	setting_list_add(list, request);
}

static void request_feature(struct setting_view *view, const struct state_row *row, size_t place,
			    struct setting_request *request, struct setting_list *list)
{
	const struct wanted_level *level = &view->levels[place];
	bool by_cpufreq = view->state->platform->base_freq_by_cpufreq;

	(void)row;
	request->pp = by_cpufreq ? NULL : &level->pp_after;
	request->current = by_cpufreq ? NULL : &level->info;
	request->always = by_cpufreq && view->resets_limits;
	setting_list_add(list, request);
}

static void request_ratios(struct setting_view *view, const struct state_row *row, size_t place,
			   struct setting_request *request, struct setting_list *list)
{
	const struct wanted_level *level = view_find_level(view, &row->places->list[place]);

	request->value.trl.is_of_level = false;
	request->value.trl.ratios = row->values[place].number;
	request->pp = level ? &level->pp_after : NULL;
	request->always = level && level->is_changed;
	setting_list_add(list, request);
}

static void request_core_power(struct setting_view *view, const struct state_row *row, size_t place,
			       struct setting_request *request, struct setting_list *list)
{
	const struct state_value type = view_expect(view, SETTING_PRIORITY, 0, place);
	const struct state_value on = view_expect(view, SETTING_CORE_POWER, 0, place);
	bool is_split = on.kind == STATE_WORD && strcmp(on.text, STATE_PARTLY) != 0;

	(void)row;
	request->is_alone = view->state->is_past;
	request->value = (union setting_value){
		.core_power = {
			.on = value_is_on(&on) || value_is_word(&on, STATE_PM_CONFIG_ONLY),
			.clos_differs = is_split,
			.ordered = value_is_word(&type, "ordered"),
			.force = true,
		},
	};
	setting_list_add(list, request);
}

static uint32_t expect(const struct setting_view *view, enum setting_id id, uint32_t clos,
		       size_t place)
{
	return (uint32_t)view_expect_number(view, id, clos, place);
}

static void request_clos(struct setting_view *view, const struct state_row *row, size_t place,
			 struct setting_request *request, struct setting_list *list)
{
	uint32_t max_khz = expect(view, SETTING_CLOS_MAX, row->clos, place);

	request->is_alone = view->state->is_past;
	request->value = (union setting_value){
		.clos = {
			.id = row->clos,
			.parameters = {
				.epp = expect(view, SETTING_CLOS_EPP, row->clos, place),
				.weight = expect(view, SETTING_CLOS_WEIGHT, row->clos, place),
				.min_mhz = expect(view, SETTING_CLOS_MIN, row->clos, place) / KHZ_PER_MHZ,
				.max_mhz = max_khz / KHZ_PER_MHZ,
				.unlimited = max_khz == STATE_UNLIMITED_KHZ,
				.desired_mhz = expect(view, SETTING_CLOS_DESIRED, row->clos, place) / KHZ_PER_MHZ,
			},
		},
	};
	setting_list_add(list, request);
}

static void request_assoc(struct setting_view *view, const struct state_row *row, size_t place,
			  struct setting_request *request, struct setting_list *list)
{
	(void)row;
	(void)place;
	request->is_pending = cpuset_has(view->pending, request->cpu);
	setting_list_add(list, request);
}

static bool has_base_freq(const struct sst_level *level)
{
	return level->base_freq_supported;
}

static bool has_turbo_freq(const struct sst_level *level)
{
	return level->turbo_freq_supported;
}

static const char *const trl_words[] = { "level", "open", NULL };
static const char *const base_freq_parts[] = { SETTING_PART_MIN, SETTING_PART_MAX, NULL };
static const char *const core_power_parts[] = { SETTING_PART_PM_CONFIG, SETTING_PART_CLOS, NULL };
static const char *const priority_words[] = { "proportional", "ordered", NULL };
static const char *const limit_words[] = { "min", "base", "max", NULL };
static const enum setting_id turbo[] = { SETTING_TURBO, N_SETTINGS };
static const enum setting_id level[] = { SETTING_LEVEL, N_SETTINGS };
static const enum setting_id needs[] = { SETTING_CORE_POWER, SETTING_PRIORITY, SETTING_TRL,
					 N_SETTINGS };

#define CLOS_ROW(id, name, kind, most, text, clean, ...)    \
	[id] = { name,                                      \
		 "parameters of the CLOS",                  \
		 PLACE_DOMAIN,                              \
		 kind,                                      \
		 SETTING_RANK_CLOS,                         \
		 .group = SETTING_CLOS,                     \
		 .max = most,                               \
		 .flags = SETTING_OF_SST | SETTING_IN_CLOS, \
		 .about = text,                             \
		 .reset = clean,                            \
		 .plan = sst_plan_clos,                     \
		 .request = request_clos,                   \
		 ##__VA_ARGS__ }

const struct setting sst_settings[] = {
	[SETTING_LEVEL] = { "perf-profile.level", "performance level", PLACE_DOMAIN,
			    SETTING_TYPE_NUMBER, SETTING_RANK_LEVEL, .max = SST_MAX_LEVEL,
			    .flags = SETTING_MOVES_BASE | SETTING_MOVES_LIMITS | SETTING_OF_SST,
			    .about = "performance level", .plan = sst_plan_level,
			    .request = request_level },
	[SETTING_BASE_FREQ] = { "base-freq.enabled", "base-freq", PLACE_DOMAIN,
				SETTING_TYPE_BOOLEAN, SETTING_RANK_FEATURES_ON,
				.rank_off = SETTING_RANK_FEATURES_OFF,
				.flags = SETTING_RESET_BY_LEVEL | SETTING_MOVES_BASE |
					 SETTING_MOVES_LIMITS | SETTING_OF_SST,
				.about = "SST-BF: some cores have a higher base frequency",
				.reset = "false", .plan = plan_feature,
				.plan_one = scaling_plan_fixed_base_freq,
				.is_of_level = has_base_freq, .read = read_base_freq,
				.is_lost = loses_base_freq, .request = request_feature,
				.beside = turbo, .parts = base_freq_parts },
	[SETTING_TURBO_FREQ] = { "turbo-freq.enabled", "turbo-freq", PLACE_DOMAIN,
				 SETTING_TYPE_BOOLEAN, SETTING_RANK_FEATURES_ON,
				 .rank_off = SETTING_RANK_FEATURES_OFF,
				 .flags = SETTING_RESET_BY_LEVEL | SETTING_MOVES_LIMITS |
					  SETTING_OF_SST,
				 .about = "SST-TF: some cores have a higher turbo frequency",
				 .reset = "false", .plan = plan_feature,
				 .is_of_level = has_turbo_freq, .check = check_turbo_freq,
				 .request = request_feature, .beside = needs },
	[SETTING_TRL] = { "turbo-mode.trl", "turbo-ratio limits", PLACE_PACKAGE,
			  SETTING_TYPE_RATIOS, SETTING_RANK_TRL, .words = trl_words,
			  .flags = SETTING_RESET_BY_LEVEL | SETTING_OF_SST,
			  .about =
				  "turbo-ratio limits: of the level, none, or eight bytes of 100 MHz",
			  .reset = "\"level\"", .plan = sst_plan_trl, .resolve = resolve_ratios,
			  .match = match_ratios, .export = export_ratios, .request = request_ratios,
			  .exported_by = level },
	[SETTING_CORE_POWER] = { "core-power.enabled", "core-power status", PLACE_DOMAIN,
				 SETTING_TYPE_BOOLEAN, SETTING_RANK_CORE_POWER_ON,
				 .rank_off = SETTING_RANK_CORE_POWER_OFF,
				 .group = SETTING_CORE_POWER,
				 .flags = SETTING_IN_PARTS | SETTING_OF_SST,
				 .about = "SST-CP: priorities of cores by CLOS", .reset = "false",
				 .plan = sst_plan_core_power, .resolve = resolve_core_power,
				 .request = request_core_power, .parts = core_power_parts },
	[SETTING_PRIORITY] = { "core-power.priority", NULL, PLACE_DOMAIN, SETTING_TYPE_WORD,
			       SETTING_RANK_CORE_POWER_ON, .group = SETTING_CORE_POWER,
			       .words = priority_words, .flags = SETTING_OF_SST,
			       .about = "how CLOS share power", .reset = "\"proportional\"",
			       .request = request_core_power },
	CLOS_ROW(SETTING_CLOS_MIN, "core-power.clos.N.min-mhz", SETTING_TYPE_HUNDREDS,
		 STATE_UNLIMITED_KHZ, "lower frequency limit of the CLOS", "\"min\"",
		 .words = limit_words, .unit = "MHz", .upper = SETTING_CLOS_MAX,
		 .resolve = resolve_clos, .export = export_clos),
	CLOS_ROW(SETTING_CLOS_MAX, "core-power.clos.N.max-mhz", SETTING_TYPE_HUNDREDS,
		 STATE_UNLIMITED_KHZ, "upper frequency limit of the CLOS", "\"max\"",
		 .words = limit_words, .min = KHZ_PER_RATIO, .unit = "MHz", .resolve = resolve_clos,
		 .check = check_clos, .export = export_clos),
	CLOS_ROW(SETTING_CLOS_DESIRED, "core-power.clos.N.desired-mhz", SETTING_TYPE_HUNDREDS,
		 STATE_UNLIMITED_KHZ, "desired frequency of the CLOS", "0", .unit = "MHz"),
	CLOS_ROW(SETTING_CLOS_EPP, "core-power.clos.N.epp", SETTING_TYPE_NUMBER, 15,
		 "energy performance preference of the CLOS", "0"),
	CLOS_ROW(SETTING_CLOS_WEIGHT, "core-power.clos.N.weight", SETTING_TYPE_NUMBER, 15,
		 "weight of the CLOS with proportional priority", "0"),
	[SETTING_ASSOC] = { "core-power.assoc", "association to a CLOS", PLACE_CORE,
			    SETTING_TYPE_NUMBER, SETTING_RANK_ASSOC, .max = SST_CLOS_COUNT - 1,
			    .flags = SETTING_OF_SST, .about = "the CLOS of the core", .reset = "0",
			    .plan = sst_plan_assoc, .request = request_assoc },
};

const struct state_row level_row = { .setting = SETTING_LEVEL };
