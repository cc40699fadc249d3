// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buckets count high-priority cores, or modules, of the whole package (hardware.md, section 4),
 * which may have more power domains than the command was asked for. Nothing is asked twice.
 */
#include "features/bucket_note.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/records.h"

/* The index of the domain in the context, or the number of its domains. */
static size_t find_in_context(const struct context *context, const struct power_domain *domain)
{
	size_t i = 0;

	while (i < context->n_domains && context->domains[i] != domain)
		i++;
	return i;
}

static bool has_cpus(const struct power_domain *domain)
{
	return !cpuset_is_empty(&domain->cpus);
}

/* What is counted in a package: the level's cores, or modules of cores. */
struct tally_of_package {
	uint32_t package;
	uint32_t level;
	bool counts_modules;
	size_t total;
};

/* Adds what the level enables in a domain; false if that is not known. */
static bool add_domain(const struct context *context, const struct platform_level_query *query,
		       struct tally_of_package *tally)
{
	const struct topology *topology = &context->machine->topology;

	if (!query || query->error || !query->info.has_enabled_cpus)
		return false;
	tally->total += tally->counts_modules
				? domains_count_modules(topology, &query->info.enabled_cpus)
				: domains_count_cores(topology, &query->info.enabled_cpus);
	return true;
}

/* Asks the package's domains that are not in the context. Returns 1, 0 (not known) or -ENOMEM. */
static int add_other_domains(struct context *context, struct tally_of_package *tally)
{
	const struct domain_list *list = &context->platform->domains;
	int result = 1;

	for (size_t i = 0; i < list->n_domains && result > 0; i++) {
		const struct power_domain *domain = &list->domains[i];
		struct platform_level_query query = {
			.domain = domain,
			.level = tally->level,
			.pp_enabled = true,
		};

		if (domain->package != tally->package || !has_cpus(domain) ||
		    find_in_context(context, domain) < context->n_domains)
			continue;
		result = domain->cpu == CPUSET_NONE
				 ? 0
				 : context->platform->ops->read_levels(context->platform,
								       PLATFORM_CPUS, &query, 1);
		if (result == 0)
			result = add_domain(context, &query, tally);
		sst_level_done(&query.info);
	}
	return result;
}

/* Counts the whole package. Returns 1, 0 (not known) or -ENOMEM. */
static int count_package(struct context *context, const struct levels *levels,
			 struct tally_of_package *tally)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct power_domain *domain = context->domains[i];

		if (domain->package == tally->package && has_cpus(domain) &&
		    (!levels->pp[i].pp.enabled ||
		     !add_domain(context, levels_of_domain(levels, i), tally)))
			return 0;
	}
	return add_other_domains(context, tally);
}

static void put_remarks(struct context *context, const struct platform_level_query *query,
			uint32_t bucket, const struct tally_of_package *tally)
{
	const uint32_t *counts = query->info.turbo_freq.buckets.core_counts;

	for (uint32_t i = 0; i < SST_BUCKETS && counts[i] > 0; i++) {
		if (counts[i] > tally->total && (bucket == RECORDS_ALL || bucket == i))
			output_remark(context->output,
				      "package-%u: bucket %u of level %u asks for %u high-priority "
				      "%s, and the package has %zu enabled",
				      query->domain->package, i, query->level, counts[i],
				      tally->counts_modules ? "modules" : "cores", tally->total);
	}
}

/* Has an earlier domain of the context the same package, and buckets? */
static bool is_later_of_package(const struct context *context, const struct levels *levels,
				size_t index)
{
	for (size_t i = 0; i < index; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (context->domains[i]->package == context->domains[index]->package && query &&
		    query->info.turbo_freq.buckets.core_counts[0])
			return true;
	}
	return false;
}

int bucket_note_put(struct context *context, const struct levels *levels, uint32_t level,
		    uint32_t bucket)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);
		struct tally_of_package tally = { .level = level };
		int result;

		if (!query || query->error || !query->info.turbo_freq.buckets.core_counts[0] ||
		    is_later_of_package(context, levels, i))
			continue;
		tally.package = query->domain->package;
		tally.counts_modules = query->info.turbo_freq.counts_modules;
		result = count_package(context, levels, &tally);
		if (result < 0)
			return result;
		if (result > 0)
			put_remarks(context, query, bucket, &tally);
	}
	return 0;
}
