// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buckets count high-priority cores of the whole package (hardware.md, section 4), which may have
 * more power domains than the command was asked for. Nothing is asked twice.
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

/* Adds the cores that the level enables in a domain; false where that is not told. */
static bool add_cores(const struct context *context, const struct platform_level_query *query,
		      size_t *total)
{
	if (!query || query->error || !query->info.has_enabled_cpus)
		return false;
	*total += domains_count_cores(&context->machine->topology, &query->info.enabled_cpus);
	return true;
}

/* Asks the package's domains that are not in the context. Returns 1, 0 (not told) or -ENOMEM. */
static int add_other_cores(struct context *context, uint32_t package, uint32_t level, size_t *total)
{
	const struct domain_list *list = &context->platform->domains;
	int result = 1;

	for (size_t i = 0; i < list->n_domains && result > 0; i++) {
		const struct power_domain *domain = &list->domains[i];
		struct platform_level_query query = {
			.domain = domain,
			.level = level,
			.pp_enabled = true,
		};

		if (domain->package != package || !has_cpus(domain) ||
		    find_in_context(context, domain) < context->n_domains)
			continue;
		result = domain->cpu == CPUSET_NONE
				 ? 0
				 : context->platform->ops->read_levels(context->platform,
								       PLATFORM_CPUS, &query, 1);
		if (result == 0)
			result = add_cores(context, &query, total);
		sst_level_done(&query.info);
	}
	return result;
}

/* The cores of a package that the level enables. Returns 1, 0 (not told) or -ENOMEM. */
static int count_cores(struct context *context, const struct levels *levels, uint32_t package,
		       uint32_t level, size_t *ret_total)
{
	size_t total = 0;
	int result;

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct power_domain *domain = context->domains[i];

		if (domain->package == package && has_cpus(domain) &&
		    (!levels->pp[i].pp.enabled ||
		     !add_cores(context, levels_of_domain(levels, i), &total)))
			return 0;
	}
	result = add_other_cores(context, package, level, &total);
	*ret_total = total;
	return result;
}

static void put_remarks(struct context *context, const struct platform_level_query *query,
			uint32_t bucket, size_t n_cores)
{
	const uint32_t *counts = query->info.turbo_freq.buckets.core_counts;

	for (uint32_t i = 0; i < SST_BUCKETS && counts[i] > 0; i++) {
		if (counts[i] > n_cores && (bucket == RECORDS_ALL || bucket == i))
			output_remark(context->output,
				      "package-%u: bucket %u of level %u asks for %u high-priority "
				      "cores, and the package has %zu enabled",
				      query->domain->package, i, query->level, counts[i], n_cores);
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
		size_t n_cores;
		int result;

		if (!query || query->error || !query->info.turbo_freq.buckets.core_counts[0] ||
		    is_later_of_package(context, levels, i))
			continue;
		result = count_cores(context, levels, query->domain->package, level, &n_cores);
		if (result < 0)
			return result;
		if (result > 0)
			put_remarks(context, query, bucket, n_cores);
	}
	return 0;
}
