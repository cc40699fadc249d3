// SPDX-License-Identifier: GPL-2.0-only
/* Adds Speed Select to machine summary. Power domains with an online CPU have their levels, what is
 * switched on, and the CLOS of cores. Other power domains (IO dies) have only what differs from
 * their package. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/machine/summary.h"
#include "sst/level_fields.h"
#include "sst/values.h"

int summary_read_sst(struct summary *summary)
{
	struct context *context = summary->context;
	int err = context_choose_targets(context, NULL, false);

	return err
		       ?: expected_read(context->platform, context->targets.domains,
					context->targets.n_domains, true, &summary->expected);
}

/* Returns the place of a domain: its index among all domains of the platform. */
static uint32_t place_of(const struct summary *summary, const struct power_domain *domain)
{
	return (uint32_t)(domain - summary->context->platform->domains.domains);
}

/* Counts the cores of CPUs of one domain, offline cores too if they are known. */
static size_t count_cores(const struct summary *summary, const struct cpuset *cpus)
{
	size_t count = 0;

	if (summary->context->platform->transport)
		return domains_count_cores(&summary->context->machine->topology, cpus, false);
	cpuset_foreach (cpu, cpus)
		count += cpuset_has(&summary->cores, cpu);
	return count;
}

/* What to count for a level of a power domain. */
enum counted { ENABLED_CORES, ENABLED_UNITS, BASE_FREQ_CORES };

static size_t count_in_domain(const struct summary *summary,
			      const struct platform_level_query *query, enum counted counted)
{
	const struct sst_level *level = &query->info;

	if (counted == ENABLED_UNITS)
		return domains_count_cores(&summary->context->machine->topology,
					   &level->enabled_cpus, true);
	return count_cores(summary, counted == BASE_FREQ_CORES ? &level->base_freq.high_cpus
							       : &level->enabled_cpus);
}

/* Does the same as count_in_domain() for all domains of its package that have the level. */
static size_t count_in_package(const struct summary *summary,
			       const struct platform_level_query *query, enum counted counted)
{
	const struct expected *expected = &summary->expected;
	const size_t n_levels = expected->n_domains + expected->n_siblings;
	size_t count = 0;

	for (size_t i = 0; i < n_levels + expected->n_others; i++) {
		const struct platform_level_query *other =
			i < n_levels ? &expected->levels[i] : &expected->others[i - n_levels];

		if (!other->error && other->level == query->level &&
		    other->domain->package == query->domain->package)
			count += count_in_domain(summary, other, counted);
	}
	return count;
}

/* Returns the turbo frequency with all cores of the level busy, from the lower reading of the
 * limits. *ret_high: from the other reading if it is higher, else 0. */
static uint32_t find_all_core(const struct summary *summary,
			      const struct platform_level_query *query, uint32_t *ret_high)
{
	const struct expected *expected = &summary->expected;
	const struct sst_turbo *turbo = &query->info.turbo;
	const size_t of_package = count_in_package(summary, query, ENABLED_UNITS);
	uint32_t counts[SST_BUCKETS], by_domain, by_package;
	size_t domain = 0;

	*ret_high = 0;
	if (!of_package) /* without SST-PP a level does not name its cores */
		return 0;
	if (!summary->context->platform->domains.by_id)
		return frequency_by_cores(turbo->core_counts, turbo->mhz[0], of_package);
	while (expected->pp[domain].domain != query->domain)
		domain++;
	if (expected_sum_counts(expected, domain, query->level, counts))
		return 0;
	by_domain = frequency_by_cores(turbo->core_counts, turbo->mhz[0],
				       count_in_domain(summary, query, ENABLED_UNITS));
	by_package = frequency_by_cores(counts, turbo->mhz[0], of_package);
	if (by_domain != by_package)
		*ret_high = by_domain > by_package ? by_domain : by_package;
	return by_domain < by_package ? by_domain : by_package;
}

/* Adds the fields of some groups. */
static void add_fields(json_t *object, const struct sst_level *level, unsigned int groups)
{
	level_fields_foreach (field, groups) {
		if (field->heading)
			json_object_set_new(object, field->summary_key ?: field->key,
					    summary_number(level_field_get(field, level)));
	}
}

static json_t *base_freq_to_json(const struct summary *summary,
				 const struct platform_level_query *query)
{
	json_t *object;

	if (!query->info.base_freq_supported)
		return json_null();
	object = json_pack("{s:o}", "high-priority-cores",
			   summary_number(count_in_package(summary, query, BASE_FREQ_CORES)));
	add_fields(object, &query->info, LEVEL_BASE_FREQ);
	return object;
}

static json_t *turbo_freq_to_json(const struct sst_level *level)
{
	const struct sst_turbo_freq *turbo_freq = &level->turbo_freq;
	const struct sst_turbo *buckets = &turbo_freq->buckets;
	json_t *list;

	if (!level->turbo_freq_supported)
		return json_null();
	list = json_array();
	for (size_t i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++)
		json_array_append_new(list,
				      json_pack("{s:i, s:i}", "cores", buckets->core_counts[i],
						"mhz", buckets->mhz[0][i]));
	return json_pack("{s:o, s:b, s:o}", "buckets", list, "counts-modules",
			 turbo_freq->counts_modules, "low-priority-mhz",
			 summary_number(turbo_freq->clip_mhz[0]));
}

static json_t *level_to_json(const struct summary *summary,
			     const struct platform_level_query *query, bool is_now)
{
	const struct sst_level *level = &query->info;
	const struct sst_turbo *turbo = &level->turbo;
	uint32_t high_mhz, all_core_mhz = find_all_core(summary, query, &high_mhz);
	uint32_t turbo_mhz = frequency_by_cores(turbo->core_counts, turbo->mhz[0], 1);
	json_t *row = json_pack("{s:i, s:b, s:s, s:o}", "level", query->level, "now", is_now,
				"counted", "per package", "cores",
				summary_number(count_in_package(summary, query, ENABLED_CORES)));

	add_fields(row, level, LEVEL_FREQUENCY);
	json_object_set_new(row, "turbo-mhz", summary_number(turbo_mhz));
	json_object_set_new(row, "all-core-turbo-mhz", summary_number(all_core_mhz));
	json_object_set_new(row, "all-core-turbo-high-mhz", summary_number(high_mhz));
	add_fields(row, level, LEVEL_POWER | LEVEL_TEMPERATURE);
	add_fields(row, level, LEVEL_MEMORY);
	add_fields(row, level, LEVEL_FABRIC);
	json_object_set_new(row, "base-freq", base_freq_to_json(summary, query));
	json_object_set_new(row, "turbo-freq", turbo_freq_to_json(level));
	return row;
}

static int add_level(struct summary *summary, struct summary_rows *rows,
		     const struct platform_level_query *query, bool is_now)
{
	if (query->error == -ENOENT)
		return 0;
	if (!query->error)
		return summary_add_row(rows, place_of(summary, query->domain),
				       level_to_json(summary, query, is_now));
	summary_add_unread(summary, query->error, "performance level %u", query->level);
	return 0;
}

/* Adds the levels of the domains, ascending. */
static int collect_levels(struct summary *summary, struct summary_rows *rows)
{
	const struct expected *expected = &summary->expected;
	int err = 0;

	for (size_t i = 0, at = 0; i < expected->n_domains && !err; i++) {
		const struct platform_level_query *current = &expected->levels[i], *other;
		bool is_done = expected->pp[i].error;

		for (; at < expected->n_others && !err; at++) {
			other = &expected->others[at];
			if (other->domain != current->domain)
				break;
			if (!is_done && other->level > current->level) {
				err = add_level(summary, rows, current, true);
				is_done = true;
			}
			err = err ?: add_level(summary, rows, other, false);
		}
		if (!is_done && !err)
			err = add_level(summary, rows, current, true);
	}
	return err;
}

/* Sorts by level; rows of one level are in the order of their first places. */
static int compare_levels(const void *left, const void *right)
{
	const struct summary_row *left_row = left, *right_row = right;
	json_int_t difference = json_integer_value(json_object_get(left_row->members, "level")) -
				json_integer_value(json_object_get(right_row->members, "level"));

	if (difference)
		return difference < 0 ? -1 : 1;
	return number_compare(cpuset_next(&left_row->of, 0), cpuset_next(&right_row->of, 0));
}

static int add_levels(struct summary *summary, struct summary_rows *rows)
{
	int err = collect_levels(summary, rows);

	if (!err && rows->count)
		qsort(rows->list, rows->count, sizeof(*rows->list), compare_levels);
	return err;
}

/* Returns the turbo-ratio register: "level", "open", or its value in hexadecimal. */
static json_t *ratios_to_json(struct summary *summary, size_t domain)
{
	const struct platform_query *trl = &summary->expected.trl[domain];
	const struct platform_level_query *level = &summary->expected.levels[domain];
	_cleanup_free_ char *text = NULL;
	bool is_level = !level->error;

	if (!summary->context->platform->has_levels)
		return json_null();
	if (trl->error) {
		summary_add_unread(summary, trl->error, "turbo-ratio limits");
		return json_null();
	}
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		is_level = is_level && sst_ratio_mhz(sst_byte(trl->value.number, i)) ==
					       level->info.turbo.mhz[0][i];
	/* without SST-PP the limits of the level are those of the register */
	if (trl->value.number == FREQUENCY_TRL_OPEN)
		return json_string("open");
	if (is_level)
		return json_string("level");
	text = text_format("0x%016llx", (unsigned long long)trl->value.number);
	return json_string(text ?: "");
}

static json_t *switches_to_json(const struct sst_pp *pp, const struct sst_level *level,
				const struct sst_core_power *power, json_t *ratios)
{
	json_t *row =
		json_pack("{s:i, s:b, s:n, s:n, s:n, s:n, s:n, s:o}", "level", pp->current_level,
			  "locked", pp->enabled && pp->locked, "base-freq", "turbo-freq",
			  "core-power", "clos", "priority", "turbo-ratio-limits", ratios);

	if (level && level->base_freq_supported)
		json_object_set_new(row, "base-freq", json_boolean(level->base_freq_on));
	if (level && level->turbo_freq_supported)
		json_object_set_new(row, "turbo-freq", json_boolean(level->turbo_freq_on));
	if (!power || !power->supported)
		return row;
	json_object_set_new(row, "core-power", json_boolean(power->enabled));
	json_object_set_new(row, "clos", json_boolean(power->clos_enabled));
	json_object_set_new(row, "priority",
			    json_string(power->ordered ? "ordered" : "proportional"));
	return row;
}

static int add_compute_domains(struct summary *summary, struct summary_rows *rows)
{
	const struct expected *expected = &summary->expected;
	int err = 0;

	for (size_t i = 0; i < expected->n_domains && !err; i++) {
		const struct platform_pp_query *pp = &expected->pp[i];
		const struct platform_core_power_query *power = &expected->core_power[i];
		const struct platform_level_query *level = &expected->levels[i];

		if (pp->error)
			summary_add_unread(summary, pp->error, "SST-PP");
		if (power->error)
			summary_add_unread(summary, power->error, "SST-CP");
		if (!pp->error)
			err = summary_add_row(
				rows, place_of(summary, pp->domain),
				switches_to_json(&pp->pp, level->error ? NULL : &level->info,
						 power->error ? NULL : &power->core_power,
						 ratios_to_json(summary, i)));
	}
	return err;
}

/* Returns true if all domains of the package with an online CPU have the same level and SST-CP. */
static bool is_like_package(const struct expected *expected, const struct platform_pp_query *pp,
			    const struct sst_core_power *power)
{
	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_pp_query *other_pp = &expected->pp[i];
		const struct sst_core_power *other = &expected->core_power[i].core_power;

		if (other_pp->domain->package == pp->domain->package &&
		    (other_pp->pp.current_level != pp->pp.current_level ||
		     other->enabled != power->enabled || other->ordered != power->ordered))
			return false;
	}
	return true;
}

/* Adds a domain without an online CPU if it differs from its package. */
static int add_io_domain(struct summary *summary, struct summary_rows *rows,
			 const struct power_domain *domain)
{
	struct platform *platform = summary->context->platform;
	struct platform_pp_query pp = { .domain = domain };
	struct platform_core_power_query power = { .domain = domain };
	int err = platform->ops->read_pp(platform, &pp, 1);

	if (!err && !pp.error)
		err = platform->ops->read_core_power(platform, PLATFORM_CLOS, &power, 1);
	if (err)
		return err;
	if (pp.error || power.error) {
		summary_add_unread(summary, pp.error ?: power.error, "%s of power domain %u",
				   pp.error ? "SST-PP" : "SST-CP", domain->id);
		return 0;
	}
	if (is_like_package(&summary->expected, &pp, &power.core_power))
		return 0;
	return summary_add_row(rows, place_of(summary, domain),
			       switches_to_json(&pp.pp, NULL, &power.core_power, json_null()));
}

static int add_io_domains(struct summary *summary, struct summary_rows *rows)
{
	const struct platform *platform = summary->context->platform;
	const struct domain_list *list = &platform->domains;
	int err = 0;

	for (size_t i = 0; platform->shows_power_domains && i < list->n_domains && !err; i++) {
		if (list->domains[i].cpu == CPUSET_NONE)
			err = add_io_domain(summary, rows, &list->domains[i]);
	}
	return err;
}

/* Adds what is switched on in each domain. */
static int add_switches(struct summary *summary, struct summary_rows *rows)
{
	int err = add_compute_domains(summary, rows);

	return err ?: add_io_domains(summary, rows);
}

static json_t *clos_to_json(const struct platform *platform, const struct platform_query *query,
			    size_t cores)
{
	const struct sst_clos clos = value_to_clos(&query->value);
	json_t *row = json_pack("{s:i, s:I, s:i, s:o, s:i}", "clos", query->index, "cores",
				(json_int_t)cores, "min-mhz", clos.min_mhz, "max-mhz",
				clos.unlimited ? json_null() : json_integer(clos.max_mhz), "weight",
				clos.weight);

	if (!platform->lacks_clos_epp) {
		json_object_set_new(row, "epp", json_integer(clos.epp));
		json_object_set_new(row, "desired-mhz", summary_number(clos.desired_mhz));
	}
	return row;
}

/* Counts the cores with an online CPU of a domain that are in a CLOS. */
static int count_clos(struct summary *summary, size_t domain, uint32_t clos, size_t *ret_count)
{
	const struct expected *expected = &summary->expected;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	for (size_t i = 0; i < expected->n_assocs; i++) {
		const struct platform_query *assoc = &expected->assocs[i];

		if (!cpuset_has(&expected->pp[domain].domain->cpus, assoc->cpu))
			continue;
		if (assoc->error)
			summary_add_unread(summary, assoc->error, "association to a CLOS");
		else if (assoc->value.number == clos && cpuset_add(&cpus, assoc->cpu))
			return -ENOMEM;
	}
	*ret_count = count_cores(summary, &cpus);
	return 0;
}

/* Adds the CLOS of domains in which CLOS is on. */
static int add_clos(struct summary *summary, struct summary_rows *rows)
{
	const struct expected *expected = &summary->expected;
	int err = 0;

	for (size_t i = 0; i < expected->n_domains && !err; i++) {
		const struct platform_core_power_query *power = &expected->core_power[i];

		if (power->error || !power->core_power.clos_enabled)
			continue;
		for (uint32_t clos = 0; clos < SST_CLOS_COUNT && !err; clos++) {
			const struct platform_query *query =
				&expected->clos[i * SST_CLOS_COUNT + clos];
			size_t cores = 0;

			err = count_clos(summary, i, clos, &cores);
			if (query->error)
				summary_add_unread(summary, query->error, "parameters of CLOS %u",
						   clos);
			else if (!err)
				err = summary_add_row(rows, place_of(summary, power->domain),
						      clos_to_json(summary->context->platform,
								   query, cores));
		}
	}
	return err;
}

/* Lists the domains as the places of a table. */
static int add_places(const struct summary *summary, struct summary_rows *rows)
{
	const struct domain_list *list = &summary->context->platform->domains;
	int err = 0;

	for (size_t i = 0; i < list->n_domains && !err; i++) {
		struct location location = domains_location(&list->domains[i]);

		location.die_is_unknown = list->domains[i].has_id;
		err = summary_add_place(rows, list->domains[i].package, location_format(&location));
		if (!err)
			rows->places[i].is_optional = list->domains[i].cpu == CPUSET_NONE;
	}
	return err;
}

int summary_add_sst(struct summary *summary)
{
	const struct {
		const char *name;
		int (*add)(struct summary *summary, struct summary_rows *rows);
	} tables[] = {
		{ "speed-select", add_switches },
		{ "levels", add_levels },
		{ "clos", add_clos },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables) && !err; i++) {
		_cleanup_summary_rows_ struct summary_rows rows = { 0 };

		if (summary->context->platform)
			err = tables[i].add(summary, &rows) ?: add_places(summary, &rows);
		json_object_set_new(summary->tree, tables[i].name,
				    err ? json_array() : summary_rows_to_json(&rows));
	}
	return err;
}
