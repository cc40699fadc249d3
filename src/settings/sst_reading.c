// SPDX-License-Identifier: GPL-2.0-only
/* Reads settings of Speed Select: each kind of request in one batch for all locations of the
 * machine. A value that is not found is marked as not available. */
#include "settings/families.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "sst/limits.h"
#include "sst/values.h"

/* Returns the value if it is to be read, or NULL. */
static struct state_value *find_asked(const struct state_rows *rows, enum setting_id member,
				      uint32_t clos, size_t place)
{
	const struct state_row *row = state_rows_find(rows, member, clos, NULL);

	return row && row->values[place].kind == STATE_ASKED ? &row->values[place] : NULL;
}

/* Mailbox parts need an online CPU to read. */
static bool can_ask(const struct platform *platform, const struct power_domain *domain)
{
	return platform->domains.by_id || domain->cpu != CPUSET_NONE;
}

static bool is_feature_asked(const struct state_rows *rows, size_t place)
{
	return find_asked(rows, SETTING_BASE_FREQ, 0, place) ||
	       find_asked(rows, SETTING_TURBO_FREQ, 0, place);
}

static void take_feature(const struct state_rows *rows, enum setting_id member,
			 const struct platform_level_query *query, size_t place)
{
	struct state_value *value = find_asked(rows, member, 0, place);
	bool is_base_freq = member == SETTING_BASE_FREQ;

	if (!value)
		return;
	if (query->error)
		*value = value_of_error(query->error == -ENOENT ? -ENXIO : query->error);
	else if (is_base_freq ? query->info.base_freq_supported : query->info.turbo_freq_supported)
		*value = value_of(STATE_BOOLEAN, is_base_freq ? query->info.base_freq_on
							      : query->info.turbo_freq_on);
}

/* Reads SST-BF and SST-TF of the current levels. pp[i] is the level of location places[i]. */
static int read_features(struct state_machine *state, struct state_rows *rows,
			 const struct platform_pp_query *pp, const size_t *places, size_t count)
{
	_cleanup_free_ struct platform_level_query *queries = calloc(count ?: 1, sizeof(*queries));
	_cleanup_free_ size_t *place_of = calloc(count ?: 1, sizeof(*place_of));
	struct platform *platform = state->platform;
	size_t n_queries = 0;
	int err;

	if (!queries || !place_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct platform_level_query failed = { .error = pp[i].error };

		if (!is_feature_asked(rows, places[i]))
			continue;
		if (pp[i].error) {
			take_feature(rows, SETTING_BASE_FREQ, &failed, places[i]);
			take_feature(rows, SETTING_TURBO_FREQ, &failed, places[i]);
			continue;
		}
		place_of[n_queries] = places[i];
		queries[n_queries++] = (struct platform_level_query){
			.domain = pp[i].domain,
			.level = pp[i].pp.current_level,
			.pp_enabled = pp[i].pp.enabled,
		};
	}
	err = platform->ops->read_levels(platform, PLATFORM_SUPPORT, queries, n_queries);
	for (size_t i = 0; i < n_queries; i++) {
		if (!err) {
			take_feature(rows, SETTING_BASE_FREQ, &queries[i], place_of[i]);
			take_feature(rows, SETTING_TURBO_FREQ, &queries[i], place_of[i]);
		}
		sst_level_done(&queries[i].info);
	}
	return err;
}

/* Reads levels, and the features of the current level. */
static int read_levels(struct state_machine *state, struct state_rows *rows)
{
	const struct place_list *domains = &state->places[PLACE_DOMAIN];
	_cleanup_free_ struct platform_pp_query *queries =
		calloc(domains->count ?: 1, sizeof(*queries));
	_cleanup_free_ size_t *places = calloc(domains->count ?: 1, sizeof(*places));
	size_t n_queries = 0;
	int err;

	if (!queries || !places)
		return -ENOMEM;
	for (size_t i = 0; i < domains->count; i++) {
		if (!can_ask(state->platform, domains->list[i].domain) ||
		    !(find_asked(rows, SETTING_LEVEL, 0, i) || is_feature_asked(rows, i)))
			continue;
		places[n_queries] = i;
		queries[n_queries++].domain = domains->list[i].domain;
	}
	err = state->platform->ops->read_pp(state->platform, queries, n_queries);
	for (size_t i = 0; i < n_queries && !err; i++) {
		struct state_value *value = find_asked(rows, SETTING_LEVEL, 0, places[i]);

		if (value && queries[i].error)
			*value = value_of_error(queries[i].error);
		else if (value && queries[i].pp.enabled)
			*value = value_of(STATE_NUMBER, queries[i].pp.current_level);
	}
	return err ? err : read_features(state, rows, queries, places, n_queries);
}

static int read_trl(struct state_machine *state, struct state_rows *rows)
{
	const struct place_list *packages = &state->places[PLACE_PACKAGE];
	_cleanup_free_ struct platform_query *queries =
		calloc(packages->count ?: 1, sizeof(*queries));
	_cleanup_free_ struct state_value **values = calloc(packages->count ?: 1, sizeof(*values));
	size_t n_queries = 0;
	int err;

	if (!queries || !values)
		return -ENOMEM;
	for (size_t i = 0; i < packages->count; i++) {
		values[n_queries] = find_asked(rows, SETTING_TRL, 0, i);
		if (values[n_queries])
			queries[n_queries++].domain = packages->list[i].domain;
	}
	err = limits_read(state->platform, queries, n_queries);
	for (size_t i = 0; i < n_queries && !err; i++)
		*values[i] = queries[i].error ? value_of_error(queries[i].error)
					      : value_of(STATE_RATIOS, queries[i].value.number);
	return err;
}

/* SST-CP of the domains that have values to be read, by index of the domain. */
struct core_power {
	struct platform_core_power_query *queries; /* a query without a domain was not read */
	struct platform_query *clos; /* of each domain and CLOS that was read */
	size_t n_clos;
};

static void core_power_done(struct core_power *power)
{
	free(power->queries);
	free(power->clos);
}

/* Returns the index of the location that has SST-CP of a domain, or PLACE_UNKNOWN. */
static uint32_t find_power_place(const struct state_machine *state, size_t domain)
{
	return state_machine_find_place(state, SETTING_CORE_POWER,
					&state->places[PLACE_DOMAIN].list[domain]);
}

static bool is_power_asked(const struct state_rows *rows, size_t place)
{
	for (enum setting_id member = SETTING_CORE_POWER; member <= SETTING_CLOS_WEIGHT; member++) {
		for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++) {
			if (find_asked(rows, member, clos, place))
				return true;
		}
	}
	return false;
}

static bool is_assoc_asked(const struct state_machine *state, const struct state_rows *rows,
			   const struct power_domain *domain)
{
	const struct place_list *cores = &state->places[PLACE_CORE];

	for (size_t i = 0; i < cores->count; i++) {
		if (cores->list[i].domain == domain && find_asked(rows, SETTING_ASSOC, 0, i))
			return true;
	}
	return false;
}

/* Does a domain that was read lack SST-CP? */
static bool lacks_power(const struct platform_core_power_query *query)
{
	return !query->error && !query->is_unknown && !query->core_power.supported;
}

/* Reads SST-CP of domains. Not every mailbox part shows whether it has SST-CP. */
static int read_power(struct state_machine *state, const struct state_rows *rows,
		      struct core_power *power)
{
	struct platform *platform = state->platform;
	const struct domain_list *list = &platform->domains;
	_cleanup_free_ struct platform_core_power_query *queries =
		calloc(list->n_domains ?: 1, sizeof(*queries));
	size_t n_queries = 0;
	int err;

	power->queries = calloc(list->n_domains ?: 1, sizeof(*power->queries));
	if (!queries || !power->queries)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];
		uint32_t place = find_power_place(state, i);

		if (can_ask(platform, domain) && (domain->is_served || !platform->shares_clos) &&
		    ((place != PLACE_UNKNOWN && is_power_asked(rows, place)) ||
		     is_assoc_asked(state, rows, domain)))
			queries[n_queries++].domain = domain;
	}
	/* this query repeats no request that was made before */
	err = platform->ops->read_core_power(
		platform, platform->shares_clos ? PLATFORM_CLOS : PLATFORM_SWITCHES, queries,
		n_queries);
	for (size_t i = 0; i < n_queries && !err; i++)
		power->queries[queries[i].domain - list->domains] = queries[i];
	return err;
}

static struct state_value power_value(const struct platform_core_power_query *query,
				      enum setting_id member)
{
	const struct sst_core_power *found = &query->core_power;

	if (query->error)
		return value_of_error(query->error);
	if (member == SETTING_PRIORITY)
		return value_of_word(found->ordered ? "ordered" : "proportional");
	if (!query->is_unknown && found->enabled != found->clos_enabled)
		return value_of_word(found->enabled ? STATE_PM_CONFIG_ONLY : STATE_CLOS_ONLY);
	return value_of(STATE_BOOLEAN, found->clos_enabled);
}

struct state_value sst_value_of_clos(enum setting_id member, const struct target_value *value)
{
	const struct sst_clos clos = value_to_clos(value);

	switch (member) {
	case SETTING_CLOS_MIN:
		return value_of(STATE_KHZ, (uint64_t)clos.min_mhz * KHZ_PER_MHZ);
	case SETTING_CLOS_MAX:
		return value_of(STATE_KHZ, clos.unlimited ? STATE_UNLIMITED_KHZ
							  : (uint64_t)clos.max_mhz * KHZ_PER_MHZ);
	case SETTING_CLOS_DESIRED:
		return value_of(STATE_KHZ, (uint64_t)clos.desired_mhz * KHZ_PER_MHZ);
	case SETTING_CLOS_EPP:
		return value_of(STATE_NUMBER, clos.epp);
	default:
		return value_of(STATE_NUMBER, clos.weight);
	}
}

static struct state_value clos_value(const struct platform *platform,
				     const struct platform_query *query, enum setting_id member)
{
	if (query->error)
		return value_of_error(query->error);
	if (platform->lacks_clos_epp &&
	    (member == SETTING_CLOS_DESIRED || member == SETTING_CLOS_EPP))
		return value_of(STATE_LACKING, 0);
	return sst_value_of_clos(member, &query->value);
}

/* Is a parameter of the CLOS to be read? */
static bool is_clos_asked(const struct state_rows *rows, uint32_t clos, size_t place)
{
	for (enum setting_id member = SETTING_CLOS_MIN; member <= SETTING_CLOS_WEIGHT; member++) {
		if (find_asked(rows, member, clos, place))
			return true;
	}
	return false;
}

static int read_clos(struct state_machine *state, const struct state_rows *rows,
		     struct core_power *power)
{
	size_t n_domains = state->platform->domains.n_domains;

	power->clos = calloc(n_domains * SST_CLOS_COUNT ?: 1, sizeof(*power->clos));
	if (!power->clos)
		return -ENOMEM;
	for (size_t i = 0; i < n_domains; i++) {
		const struct platform_core_power_query *query = &power->queries[i];
		uint32_t place = find_power_place(state, i);

		for (uint32_t clos = 0; clos < SST_CLOS_COUNT && query->domain; clos++) {
			if (place == PLACE_UNKNOWN || lacks_power(query) ||
			    !is_clos_asked(rows, clos, place))
				continue;
			power->clos[power->n_clos++] = (struct platform_query){
				.domain = query->domain,
				.index = clos,
			};
		}
	}
	return platform_read_clos(state->platform, power->clos, power->n_clos);
}

/* Sets the value of a row at a location from all domains of the location. */
static void take_power(const struct state_machine *state, const struct core_power *power,
		       const struct state_row *row, uint32_t place)
{
	const struct domain_list *list = &state->platform->domains;
	struct state_value value = { .kind = STATE_ASKED };

	for (size_t i = 0; i < list->n_domains && row->setting <= SETTING_PRIORITY; i++) {
		const struct platform_core_power_query *query = &power->queries[i];

		if (query->domain && find_power_place(state, i) == place && !lacks_power(query))
			state_value_merge(&value, power_value(query, row->setting));
	}
	for (size_t i = 0; i < power->n_clos && row->setting > SETTING_PRIORITY; i++) {
		const struct platform_query *query = &power->clos[i];
		size_t domain = (size_t)(query->domain - list->domains);

		if (query->index == row->clos && find_power_place(state, domain) == place)
			state_value_merge(&value, clos_value(state->platform, query, row->setting));
	}
	row->values[place] = value;
}

static int read_assoc(struct state_machine *state, const struct state_rows *rows,
		      const struct core_power *power)
{
	const struct place_list *cores = &state->places[PLACE_CORE];
	_cleanup_free_ struct platform_query *queries = calloc(cores->count ?: 1, sizeof(*queries));
	_cleanup_free_ struct state_value **values = calloc(cores->count ?: 1, sizeof(*values));
	size_t n_queries = 0;
	int err;

	if (!queries || !values)
		return -ENOMEM;
	for (size_t i = 0; i < cores->count; i++) {
		const struct place *core = &cores->list[i];
		size_t domain = (size_t)(core->domain - state->platform->domains.domains);

		values[n_queries] = find_asked(rows, SETTING_ASSOC, 0, i);
		if (values[n_queries] && !lacks_power(&power->queries[domain]) &&
		    (state->is_past || topology_can_ask(&state->machine->topology, core->cpu)))
			queries[n_queries++].cpu = core->cpu;
	}
	err = platform_read_assoc(state->platform, queries, n_queries);
	for (size_t i = 0; i < n_queries && !err; i++)
		*values[i] = queries[i].error ? value_of_error(queries[i].error)
					      : value_of(STATE_NUMBER, queries[i].value.number);
	return err;
}

static int read_core_power(struct state_machine *state, struct state_rows *rows)
{
	_cleanup_(core_power_done) struct core_power power = { 0 };
	int err = read_power(state, rows, &power);

	if (!err)
		err = read_clos(state, rows, &power);
	if (!err)
		err = read_assoc(state, rows, &power);
	for (size_t i = 0; i < rows->count && !err; i++) {
		const struct state_row *row = &rows->list[i];

		if (row->setting < SETTING_CORE_POWER || row->setting > SETTING_CLOS_WEIGHT)
			continue;
		for (uint32_t j = 0; j < row->places->count; j++) {
			if (row->values[j].kind == STATE_ASKED)
				take_power(state, &power, row, j);
		}
	}
	return err;
}

int sst_read(struct state_machine *state, struct state_rows *rows)
{
	int err = read_levels(state, rows);

	if (!err)
		err = read_trl(state, rows);
	return err ? err : read_core_power(state, rows);
}
