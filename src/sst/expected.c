// SPDX-License-Identifier: GPL-2.0-only
/* Reads the present limits of turbo frequencies, and collects those of one CPU. */
#include "sst/expected.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/cpufreq.h"
#include "sst/limits.h"
#include "sst/values.h"

/* Counts the domains and their siblings. */
static size_t count_all(const struct expected *expected)
{
	return expected->n_domains + expected->n_siblings;
}

void expected_done(struct expected *expected)
{
	for (size_t i = 0; i < count_all(expected) && expected->levels; i++)
		sst_level_done(&expected->levels[i].info);
	free(expected->pp);
	for (size_t i = 0; i < expected->n_others; i++)
		sst_level_done(&expected->others[i].info);
	free(expected->levels);
	free(expected->others);
	free(expected->core_power);
	free(expected->trl);
	free(expected->trl_counts);
	free(expected->clos);
	free(expected->assocs);
	free(expected->counts);
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
	return platform_read_assoc(expected->platform, expected->assocs, expected->n_assocs);
}

/* Lists queries of the levels of a domain, including its current level. Returns their number. */
static size_t list_levels(const struct platform_pp_query *pp, bool with_others,
			  struct platform_level_query *queries)
{
	uint32_t current = pp->pp.current_level;
	uint32_t highest = pp->pp.enabled ? pp->pp.highest_level : current;
	size_t count = 0;

	if (highest > SST_MAX_LEVEL)
		highest = SST_MAX_LEVEL;
	for (uint32_t level = 0; level <= (highest > current ? highest : current); level++) {
		if ((with_others && level <= SST_MAX_LEVEL) || level == current)
			queries[count++] = (struct platform_level_query){
				.domain = pp->domain,
				.level = level,
				.pp_enabled = pp->pp.enabled,
			};
	}
	return count;
}

/* Reads the current level of each domain whose SST-PP could be read; with_others: all levels. */
static int read_levels(struct expected *expected, struct platform *platform, bool with_others)
{
	/* a wrong answer may name a current level above SST_MAX_LEVEL */
	size_t room = count_all(expected) * (SST_MAX_LEVEL + 2) ?: 1, count = 0;
	_cleanup_free_ struct platform_level_query *queries = calloc(room, sizeof(*queries));
	int err;

	expected->others = calloc(with_others ? room : 1, sizeof(*expected->others));
	if (!queries || !expected->others)
		return -ENOMEM;
	for (size_t i = 0; i < count_all(expected); i++) {
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
	for (size_t i = 0, at = 0; i < count_all(expected); i++) {
		for (; at < count && queries[at].domain == expected->pp[i].domain; at++) {
			if (queries[at].level == expected->pp[i].pp.current_level)
				expected->levels[i] = queries[at];
			else
				expected->others[expected->n_others++] = queries[at];
		}
	}
	return err;
}

/* Counts the cores with a CPU in active, in a domain and in its package. */
static int count_package(const struct expected *expected, size_t domain,
			 const struct cpuset *active, const struct cpuset *high,
			 struct expected_counts *ret_counts)
{
	const struct domain_list *list = &expected->platform->domains;
	const struct topology *topology = &expected->platform->machine->topology;
	const struct power_domain *own = expected->pp[domain].domain;
	const bool counts_modules = expected->levels[domain].info.turbo_freq.counts_modules;
	struct expected_counts counts = { 0 };
	size_t *units = counts.activity.units;

	for (size_t i = 0; i < list->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		size_t of_domain;

		if (list->domains[i].package != own->package)
			continue;
		if (cpuset_copy(&cpus, &list->domains[i].cpus))
			return -ENOMEM;
		cpuset_keep(&cpus, active);
		counts.cores += domains_count_cores(topology, &cpus, false);
		of_domain = domains_count_cores(topology, &cpus, true);
		units[FREQUENCY_BY_PACKAGE] += of_domain;
		if (&list->domains[i] == own)
			units[FREQUENCY_BY_DOMAIN] = of_domain;
		cpuset_keep(&cpus, high);
		counts.high_cores += domains_count_cores(topology, &cpus, false);
		counts.activity.high_units += domains_count_cores(topology, &cpus, counts_modules);
	}
	if (!list->by_id) /* mailbox parts count the package */
		units[FREQUENCY_BY_DOMAIN] = units[FREQUENCY_BY_PACKAGE];
	*ret_counts = counts;
	return 0;
}

int expected_add_associated(const struct expected *expected, uint32_t first, uint32_t last,
			    struct cpuset *cpus)
{
	for (size_t i = 0; i < expected->n_assocs; i++) {
		const struct platform_query *assoc = &expected->assocs[i];

		if (!assoc->error && assoc->value.number >= first && assoc->value.number <= last &&
		    cpuset_add(cpus, assoc->cpu))
			return -ENOMEM;
	}
	return 0;
}

int expected_count_active(const struct expected *expected, size_t domain,
			  const struct cpuset *active, struct frequency_activity *ret_activity)
{
	_cleanup_cpuset_ struct cpuset high = { 0 };
	struct expected_counts counts = { 0 };
	int err = expected_add_associated(expected, 0, FREQUENCY_HIGHEST_CLOS, &high);

	if (!err)
		err = count_package(expected, domain, active, &high, &counts);
	if (!err)
		*ret_activity = counts.activity;
	return err;
}

const struct platform_level_query *expected_find_level(const struct expected *expected,
						       size_t domain, uint32_t level)
{
	if (level == EXPECTED_CURRENT || expected->levels[domain].level == level)
		return &expected->levels[domain];
	for (size_t i = 0; i < expected->n_others; i++) {
		if (expected->others[i].domain == expected->pp[domain].domain &&
		    expected->others[i].level == level)
			return &expected->others[i];
	}
	return NULL;
}

int expected_sum_counts(const struct expected *expected, size_t domain, uint32_t level,
			uint32_t ret_counts[SST_BUCKETS])
{
	const bool is_sum = expected->platform->domains.by_id;
	uint32_t counts[SST_BUCKETS] = { 0 };

	for (size_t i = 0; i < count_all(expected); i++) {
		const struct platform_level_query *query;

		if (is_sum ? expected->pp[i].domain->package != expected->pp[domain].domain->package
			   : i != domain)
			continue;
		query = expected_find_level(expected, i, level);
		if (!query || query->error)
			return query ? query->error : -ENOENT;
		for (unsigned int j = 0; j < SST_BUCKETS; j++)
			counts[j] += query->info.turbo.core_counts[j];
	}
	memcpy(ret_counts, counts, sizeof(counts));
	return 0;
}

bool expected_sum_differs(const struct expected *expected, size_t domain)
{
	const struct platform_query *query = &expected->trl_counts[domain];
	const struct expected_counts *counts = &expected->counts[domain];

	for (unsigned int i = 0; i < SST_BUCKETS && !query->error && !counts->package_error; i++) {
		if ((counts->package_counts[i] & 0xff) != sst_byte(query->value.number, i))
			return true;
	}
	return false;
}

int expected_count(struct expected *expected)
{
	const struct cpuset *online = &expected->platform->machine->topology.online;
	_cleanup_cpuset_ struct cpuset high = { 0 };

	if (expected_add_associated(expected, 0, FREQUENCY_HIGHEST_CLOS, &high))
		return -ENOMEM;
	for (size_t i = 0; i < expected->n_domains; i++) {
		struct expected_counts *counts = &expected->counts[i];
		int err = count_package(expected, i, online, &high, counts);

		if (err)
			return err;
		counts->package_error =
			expected_sum_counts(expected, i, EXPECTED_CURRENT, counts->package_counts);
	}
	return 0;
}

/* Lists the domains, then the other domains of their packages: on TPMI parts the sums include
 * those. */
static void list_domains(struct expected *expected, const struct power_domain *const *domains)
{
	const struct domain_list *list = &expected->platform->domains;

	for (size_t i = 0; i < expected->n_domains; i++) {
		expected->pp[i].domain = domains[i];
		expected->core_power[i].domain = domains[i];
		expected->trl[i].domain = domains[i];
	}
	for (size_t i = 0; i < list->n_domains && list->by_id; i++) {
		const struct power_domain *other = &list->domains[i];
		bool is_new = other->is_served && !cpuset_is_empty(&other->cpus), shares = false;

		for (size_t j = 0; j < expected->n_domains; j++) {
			is_new = is_new && domains[j] != other;
			shares = shares || domains[j]->package == other->package;
		}
		if (is_new && shares)
			expected->pp[expected->n_domains + expected->n_siblings++].domain = other;
	}
}

/* Reads MSR 0x1AE on TPMI parts, where it can confirm the sums of the turbo-ratio counts. */
static int read_trl_counts(struct expected *expected)
{
	for (size_t i = 0; i < expected->n_domains; i++) {
		struct platform_query *query = &expected->trl_counts[i];
		const struct power_domain *domain = expected->pp[i].domain;

		*query = limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT_CORES);
		query->same = limits_find_package(expected->trl_counts, i, domain->package);
		if (!expected->platform->domains.by_id)
			query->error = -ENODATA;
	}
	return expected->platform->domains.by_id
		       ? platform_read(expected->platform, expected->trl_counts,
				       expected->n_domains)
		       : 0;
}

/* Makes the arrays. Returns 0 or -ENOMEM. */
static int allocate(struct expected *expected)
{
	const size_t room = expected->n_domains ?: 1;
	const size_t room_all = room + expected->platform->domains.n_domains;

	expected->pp = calloc(room_all, sizeof(*expected->pp));
	expected->levels = calloc(room_all, sizeof(*expected->levels));
	expected->core_power = calloc(room, sizeof(*expected->core_power));
	expected->trl = calloc(room, sizeof(*expected->trl));
	expected->trl_counts = calloc(room, sizeof(*expected->trl_counts));
	expected->clos = calloc(room * SST_CLOS_COUNT, sizeof(*expected->clos));
	expected->counts = calloc(room, sizeof(*expected->counts));
	return expected->pp && expected->levels && expected->core_power && expected->trl &&
			       expected->trl_counts && expected->clos && expected->counts
		       ? 0
		       : -ENOMEM;
}

int expected_read(struct platform *platform, const struct power_domain *const *domains,
		  size_t n_domains, bool with_others, struct expected *ret_expected)
{
	struct expected *expected = ret_expected;
	int err;

	*expected = (struct expected){ .platform = platform, .n_domains = n_domains };
	err = allocate(expected);
	if (err)
		return err;
	list_domains(expected, domains);
	err = platform->ops->read_pp(platform, expected->pp, count_all(expected));
	if (err)
		return err;
	err = read_levels(expected, platform, with_others);
	if (!err && platform->ops->read_core_power) /* else no domain has SST-CP */
		err = platform->ops->read_core_power(platform, PLATFORM_CLOS, expected->core_power,
						     n_domains);
	if (!err)
		err = limits_read(platform, expected->trl, n_domains);
	if (!err)
		err = read_trl_counts(expected);
	if (!err)
		err = read_clos(expected);
	if (!err)
		err = read_assocs(expected);
	return err ?: expected_count(expected);
}

int expected_read_online(struct platform *platform, bool with_others, struct expected *ret_expected)
{
	const struct domain_list *list = &platform->domains;
	_cleanup_free_ const struct power_domain **domains =
		calloc(list->n_domains ?: 1, sizeof(*domains));
	size_t count = 0;

	if (!domains)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].cpu != CPUSET_NONE)
			domains[count++] = &list->domains[i];
	}
	return expected_read(platform, domains, count, with_others, ret_expected);
}

int expected_check(const struct expected *expected, size_t domain, const char **ret_what)
{
	const struct platform_level_query *level = &expected->levels[domain];
	const int core_power_error = expected->core_power[domain].error;

	*ret_what = "SST-PP status";
	if (expected->pp[domain].error)
		return expected->pp[domain].error;
	*ret_what = level->failed ?: "its performance level";
	if (level->error)
		return level->error;
	*ret_what = "core-power status";
	if (core_power_error && core_power_error != -ENXIO)
		return core_power_error;
	*ret_what = "turbo-ratio limits";
	return expected->trl[domain].error;
}

static int compare_cpu(const void *key, const void *entry)
{
	return number_compare(*(const uint32_t *)key, ((const struct platform_query *)entry)->cpu);
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
	facts->inputs.has_clos = true;
	facts->inputs.clos = (uint32_t)assoc->value.number;
	query = &expected->clos[domain * SST_CLOS_COUNT + facts->inputs.clos % SST_CLOS_COUNT];
	facts->clos_error = query->error;
	if (query->error)
		return;
	clos = value_to_clos(&query->value);
	facts->inputs.clos_min_mhz = clos.min_mhz;
	facts->inputs.clos_max_mhz = clos.unlimited ? 0 : clos.max_mhz;
}

struct expected_cpu expected_of_cpu(const struct expected *expected, size_t domain, uint32_t cpu)
{
	const struct platform_level_query *query = &expected->levels[domain];
	const struct platform_query *trl = &expected->trl[domain];
	const struct sst_level *level = &query->info;
	struct expected_cpu facts = {
		.counts = expected->counts[domain],
		.level_number = query->level,
		.trl_error = trl->error ?: expected->counts[domain].package_error,
		.core_power_error = expected->core_power[domain].error,
	};

	facts.inputs.has_trl = !facts.trl_error;
	facts.inputs.trl = facts.trl_error ? 0 : trl->value.number;
	memcpy(facts.inputs.package_counts, facts.counts.package_counts,
	       sizeof(facts.inputs.package_counts));
	if (has_clos(expected, domain))
		take_clos(expected, domain, cpu, &facts);
	if (query->error)
		return facts;
	facts.inputs.level = level;
	facts.inputs.base_freq_on = level->base_freq_on;
	facts.inputs.is_base_freq_core =
		level->base_freq_on && cpuset_has(&level->base_freq.high_cpus, cpu);
	facts.inputs.turbo_freq_on = level->turbo_freq_on && facts.inputs.has_clos;
	return facts;
}

void expected_check_highest(struct files *files, uint32_t cpu,
			    struct frequency_prediction *prediction)
{
	uint64_t ratio, khz;

	if (!prediction->above_highest_khz ||
	    files_read_number(files, files_cpu_path(cpu, CPUFREQ_HIGHEST_PERF).text, &ratio) ||
	    ratio == 0 || ratio > UINT8_MAX)
		return;
	khz = ratio * KHZ_PER_RATIO;
	if (khz <= prediction->cap_khz)
		prediction->above_highest_khz = 0;
	else if (khz < prediction->above_highest_khz)
		prediction->above_highest_khz = (uint32_t)khz;
}
