// SPDX-License-Identifier: GPL-2.0-only
/* Reads what limits turbo frequencies in the present state, and finds the limits of one CPU. Limits
 * by a number of cores are those that hold if every online core is active: how many are active
 * cannot be read. */
#include "sst/expected.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/values.h"

#define OPEN_RATIO_MHZ 25500 /* all ones */

uint32_t expected_base_mhz(const struct sst_level *level, unsigned int trl_level)
{
	const uint32_t mhz[] = { level->base_mhz, level->base_avx2_mhz, level->base_avx512_mhz };

	return trl_level < ARRAY_SIZE(mhz) ? mhz[trl_level] : 0;
}

unsigned int expected_find_bucket(const uint32_t *core_counts, size_t cores)
{
	for (unsigned int i = 0; i < SST_BUCKETS && core_counts[i]; i++) {
		if (core_counts[i] >= cores)
			return i;
	}
	return SST_BUCKETS;
}

uint32_t expected_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores,
			   bool beyond)
{
	unsigned int bucket = expected_find_bucket(core_counts, cores), last = 0;

	if (bucket < SST_BUCKETS)
		return mhz[bucket];
	if (!beyond || !core_counts[0])
		return 0;
	while (last + 1 < SST_BUCKETS && core_counts[last + 1])
		last++;
	return mhz[last];
}

uint32_t expected_capacity(const struct sst_turbo *buckets)
{
	uint32_t largest = 0;

	for (unsigned int i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++) {
		if (buckets->core_counts[i] > largest)
			largest = buckets->core_counts[i];
	}
	return largest;
}

void expected_done(struct expected *expected)
{
	for (size_t i = 0; i < expected->n_domains && expected->levels; i++)
		sst_level_done(&expected->levels[i].info);
	free(expected->pp);
	for (size_t i = 0; i < expected->n_others; i++)
		sst_level_done(&expected->others[i].info);
	free(expected->levels);
	free(expected->others);
	free(expected->core_power);
	free(expected->trl);
	free(expected->clos);
	free(expected->assocs);
	cpuset_done(&expected->high);
	*expected = (struct expected){ 0 };
}

/* Is CLOS on in a domain? */
static bool has_clos(const struct expected *expected, size_t domain)
{
	const struct platform_core_power_query *query = &expected->core_power[domain];

	return !query->error && query->core_power.clos_enabled;
}

static int read_clos(struct expected *expected)
{
	size_t count = expected->n_domains * SST_CLOS_COUNT;

	for (size_t i = 0; i < count; i++) {
		size_t domain = i / SST_CLOS_COUNT;

		expected->clos[i] = (struct platform_query){
			.domain = expected->pp[domain].domain,
			.index = (uint32_t)(i % SST_CLOS_COUNT),
		};
		if (!has_clos(expected, domain))
			expected->clos[i].error = -ENODATA;
	}
	for (size_t i = 0; i < expected->n_domains; i++) {
		int err = has_clos(expected, i)
				  ? platform_read_clos(expected->platform,
						       &expected->clos[i * SST_CLOS_COUNT],
						       SST_CLOS_COUNT)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

/* Adds the online CPUs of packages in which CLOS is on. Returns 0 or -ENOMEM. */
static int list_associated(const struct expected *expected, struct cpuset *cpus)
{
	const struct domain_list *list = &expected->platform->domains;

	for (size_t i = 0; i < expected->n_domains; i++) {
		if (!has_clos(expected, i))
			continue;
		for (size_t j = 0; j < list->n_domains; j++) {
			const struct power_domain *other = &list->domains[j];

			if (other->package == expected->pp[i].domain->package &&
			    cpuset_add_all(cpus, &other->cpus))
				return -ENOMEM;
		}
	}
	cpuset_keep(cpus, &expected->platform->machine->topology.online);
	return 0;
}

static int read_assocs(struct expected *expected)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = list_associated(expected, &cpus);

	if (err)
		return err;
	expected->assocs = calloc(cpuset_count(&cpus) + 1, sizeof(*expected->assocs));
	if (!expected->assocs)
		return -ENOMEM;
	cpuset_foreach (cpu, &cpus)
		expected->assocs[expected->n_assocs++].cpu = cpu;
	err = platform_read_assoc(expected->platform, expected->assocs, expected->n_assocs);
	for (size_t i = 0; i < expected->n_assocs && !err; i++) {
		const struct platform_query *assoc = &expected->assocs[i];

		if (!assoc->error && assoc->value.number <= EXPECTED_HIGHEST_CLOS)
			err = cpuset_add(&expected->high, assoc->cpu);
	}
	return err;
}

/* Lists the queries of the levels of a domain, its current one among them. Returns how many. */
static size_t list_levels(const struct platform_pp_query *pp, bool with_others,
			  struct platform_level_query *queries)
{
	uint32_t current = pp->pp.current_level;
	uint32_t highest = pp->pp.enabled ? pp->pp.highest_level : current;
	size_t count = 0;

	if (highest > SST_MAX_LEVEL)
		highest = SST_MAX_LEVEL;
	for (uint32_t level = 0; level <= (highest > current ? highest : current); level++) {
		if (with_others || level == current)
			queries[count++] = (struct platform_level_query){
				.domain = pp->domain,
				.level = level,
				.pp_enabled = pp->pp.enabled,
			};
	}
	return count;
}

/* Reads the current level of each domain whose SST-PP could be read, and the others if asked for.
 */
static int read_levels(struct expected *expected, struct platform *platform, bool with_others)
{
	size_t room = expected->n_domains * (SST_MAX_LEVEL + 1) ?: 1, count = 0;
	_cleanup_free_ struct platform_level_query *queries = calloc(room, sizeof(*queries));
	int err;

	expected->others = calloc(with_others ? room : 1, sizeof(*expected->others));
	if (!queries || !expected->others)
		return -ENOMEM;
	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_pp_query *pp = &expected->pp[i];

		expected->levels[i] = (struct platform_level_query){
			.domain = pp->domain,
			.error = pp->error,
		};
		if (!pp->error)
			count += list_levels(pp, with_others, &queries[count]);
	}
	err = platform->ops->read_levels(platform,
					 PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ,
					 queries, count);
	for (size_t i = 0, at = 0; i < expected->n_domains; i++) {
		for (; at < count && queries[at].domain == expected->pp[i].domain; at++) {
			if (queries[at].level == expected->pp[i].pp.current_level)
				expected->levels[i] = queries[at];
			else
				expected->others[expected->n_others++] = queries[at];
		}
	}
	return err;
}

int expected_read(struct platform *platform, const struct power_domain *const *domains,
		  size_t n_domains, bool with_others, struct expected *ret_expected)
{
	size_t room = n_domains ?: 1;
	struct expected *expected = ret_expected;
	int err;

	*expected = (struct expected){
		.platform = platform,
		.n_domains = n_domains,
		.pp = calloc(room, sizeof(*expected->pp)),
		.levels = calloc(room, sizeof(*expected->levels)),
		.core_power = calloc(room, sizeof(*expected->core_power)),
		.trl = calloc(room, sizeof(*expected->trl)),
		.clos = calloc(room * SST_CLOS_COUNT, sizeof(*expected->clos)),
	};
	if (!expected->pp || !expected->levels || !expected->core_power || !expected->trl ||
	    !expected->clos)
		return -ENOMEM;
	for (size_t i = 0; i < n_domains; i++) {
		expected->pp[i].domain = domains[i];
		expected->core_power[i].domain = domains[i];
		expected->trl[i].domain = domains[i];
	}
	err = platform->ops->read_pp(platform, expected->pp, n_domains);
	if (err)
		return err;
	err = read_levels(expected, platform, with_others);
	if (!err && platform->ops->read_core_power) /* else no domain has SST-CP */
		err = platform->ops->read_core_power(platform, PLATFORM_CLOS, expected->core_power,
						     n_domains);
	if (!err)
		err = limits_read(platform, expected->trl, n_domains);
	if (!err)
		err = read_clos(expected);
	return err ?: read_assocs(expected);
}

int expected_count_high(const struct expected *expected, uint32_t package, bool modules,
			size_t *ret_count)
{
	const struct domain_list *list = &expected->platform->domains;
	size_t count = 0;

	for (size_t i = 0; i < list->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (list->domains[i].package != package)
			continue;
		if (cpuset_copy(&cpus, &list->domains[i].cpus))
			return -ENOMEM;
		cpuset_keep(&cpus, &expected->high);
		count +=
			domains_count_cores(&expected->platform->machine->topology, &cpus, modules);
	}
	*ret_count = count;
	return 0;
}

static int compare_cpu(const void *key, const void *entry)
{
	uint32_t cpu = *(const uint32_t *)key, other = ((const struct platform_query *)entry)->cpu;

	return cpu < other ? -1 : cpu > other;
}

static void take_clos(const struct expected *expected, size_t domain, uint32_t cpu,
		      struct expected_cpu *facts)
{
	const struct platform_query *assoc =
		bsearch(&cpu, expected->assocs, expected->n_assocs, sizeof(*assoc), compare_cpu);
	const struct platform_query *query;
	struct sst_clos clos;

	facts->assoc_error = assoc ? assoc->error : -ENODATA;
	if (facts->assoc_error)
		return;
	facts->has_clos = true;
	facts->clos = (uint32_t)assoc->value.number;
	query = &expected->clos[domain * SST_CLOS_COUNT + facts->clos % SST_CLOS_COUNT];
	facts->clos_error = query->error;
	if (query->error)
		return;
	clos = value_to_clos(&query->value);
	facts->has_clos_limits = true;
	facts->clos_min_mhz = clos.min_mhz;
	facts->clos_max_mhz = clos.unlimited ? 0 : clos.max_mhz;
}

static int take_turbo_freq(const struct expected *expected, const struct power_domain *domain,
			   const struct sst_level *level, unsigned int trl_level,
			   struct expected_cpu *facts)
{
	const struct sst_turbo_freq *turbo_freq = &level->turbo_freq;
	const struct sst_turbo *buckets = &turbo_freq->buckets;
	int err = expected_count_high(expected, domain->package, false, &facts->high_cores);

	if (!err)
		err = expected_count_high(expected, domain->package, turbo_freq->counts_modules,
					  &facts->high_units);
	if (err)
		return err;
	facts->turbo_freq_on = true;
	if (facts->clos > EXPECTED_HIGHEST_CLOS) {
		facts->clip_mhz = turbo_freq->clip_mhz[trl_level];
		return 0;
	}
	facts->bucket = expected_find_bucket(buckets->core_counts, facts->high_units);
	if (facts->bucket < SST_BUCKETS)
		facts->turbo_freq_mhz = buckets->mhz[trl_level][facts->bucket];
	return 0;
}

/* The register holds a ratio of SSE for each bucket; the level has the numbers of cores of the
 * buckets, and the frequencies of the other instruction sets. */
static void take_turbo_limit(uint64_t trl, const struct sst_turbo *turbo, unsigned int trl_level,
			     struct expected_cpu *facts)
{
	uint32_t mhz[SST_BUCKETS], of_level_mhz;

	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = sst_ratio_mhz(sst_byte(trl, i));
	facts->turbo_limit_mhz =
		expected_by_cores(turbo->core_counts, mhz, facts->active_cores, true);
	if (facts->turbo_limit_mhz >= OPEN_RATIO_MHZ)
		facts->turbo_limit_mhz = 0; /* SST-TF has opened it */
	of_level_mhz = expected_by_cores(turbo->core_counts, turbo->mhz[trl_level],
					 facts->active_cores, true);
	/* SST-TF has limits of its own, but none for cores beyond its buckets. Without it the level
	 * limits, whatever the register allows: that is one a package, and SST-TF in another power
	 * domain opens it. */
	if (facts->turbo_freq_on && !(facts->has_clos && facts->clos <= EXPECTED_HIGHEST_CLOS &&
				      facts->bucket == SST_BUCKETS))
		return;
	if (!facts->turbo_limit_mhz || (of_level_mhz && of_level_mhz < facts->turbo_limit_mhz))
		facts->turbo_limit_mhz = of_level_mhz;
}

int expected_of_cpu(const struct expected *expected, size_t domain, uint32_t cpu,
		    unsigned int trl_level, struct expected_cpu *ret_cpu)
{
	const struct platform_level_query *query = &expected->levels[domain];
	const struct topology *topology = &expected->platform->machine->topology;
	const struct sst_level *level = &query->info;
	const struct sst_base_freq *base_freq = &level->base_freq;
	_cleanup_cpuset_ struct cpuset active = { 0 };
	struct expected_cpu facts = { .bucket = SST_BUCKETS };
	int err = 0;

	if (cpuset_copy(&active, &query->domain->cpus))
		return -ENOMEM;
	cpuset_keep(&active, &topology->online);
	facts.active_cores = domains_count_cores(topology, &active, false);
	facts.trl_error = expected->trl[domain].error;
	facts.core_power_error = expected->core_power[domain].error;
	if (has_clos(expected, domain))
		take_clos(expected, domain, cpu, &facts);
	if (!query->error) {
		facts.has_level = true;
		facts.level = query->level;
		facts.level_base_mhz = expected_base_mhz(level, trl_level);
		facts.base_freq_on = level->base_freq_on;
		facts.is_base_freq_core =
			level->base_freq_on && cpuset_has(&base_freq->high_cpus, cpu);
		if (level->base_freq_on)
			facts.base_freq_mhz =
				facts.is_base_freq_core ? base_freq->high_mhz : base_freq->low_mhz;
		if (level->turbo_freq_on && facts.has_clos)
			err = take_turbo_freq(expected, query->domain, level, trl_level, &facts);
		if (!err && !facts.trl_error)
			take_turbo_limit(expected->trl[domain].value.number, &level->turbo,
					 trl_level, &facts);
	}
	if (!err)
		*ret_cpu = facts;
	return err;
}

uint32_t expected_mhz(const struct expected_cpu *cpu)
{
	const uint32_t limits[] = { cpu->turbo_freq_mhz, cpu->clip_mhz, cpu->turbo_limit_mhz,
				    cpu->clos_max_mhz };
	uint32_t lowest = 0;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		if (limits[i] && (!lowest || limits[i] < lowest))
			lowest = limits[i];
	}
	return lowest;
}
