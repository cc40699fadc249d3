// SPDX-License-Identifier: GPL-2.0-only
/*
 * Levels as the hardware numbers them: GET_LEVELS_INFO gives the highest, and a level in between
 * may not exist (hardware.md, section 3). Where SST-PP is not enabled, level 0 is all there is.
 */
#include "features/levels.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

int levels_read_pp(struct context *context, struct platform_pp_query **ret_queries)
{
	_cleanup_free_ struct platform_pp_query *queries = NULL;
	int err;

	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	err = context->platform->ops->read_pp(context->platform, queries, context->n_domains);
	if (!err)
		*ret_queries = steal_pointer(queries);
	return err;
}

int levels_read_core_power(struct context *context, struct platform_core_power_query **ret_queries)
{
	_cleanup_free_ struct platform_core_power_query *queries = NULL;
	int err;

	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	err = context->platform->ops->read_core_power(context->platform, false, queries,
						      context->n_domains);
	if (!err)
		*ret_queries = steal_pointer(queries);
	return err;
}

static uint32_t highest_level(const struct platform_pp_query *query)
{
	uint32_t highest = query->pp.enabled ? query->pp.highest_level : 0;

	return highest < SST_MAX_LEVEL ? highest : SST_MAX_LEVEL;
}

/* Refuses a level above the highest of every domain: that is a mistake of the user's. */
static bool refuse_above_all(struct context *context, const struct levels *levels, uint32_t level)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < context->n_domains; i++) {
		if (levels->pp[i].error)
			return false;
		if (highest_level(&levels->pp[i]) > highest)
			highest = highest_level(&levels->pp[i]);
	}
	if (level <= highest)
		return false;
	context_refuse_usage(context, "-l %u: the highest level of this machine is %u", level,
			     highest);
	return true;
}

static void add_query(struct levels *levels, size_t domain, uint32_t level)
{
	const struct platform_pp_query *pp = &levels->pp[domain];

	levels->queries[levels->n_queries++] = (struct platform_level_query){
		.domain = pp->domain,
		.level = level,
		.pp_enabled = pp->pp.enabled,
	};
}

/* Lists the levels to read: the one asked for wherever it may exist, or all. */
static int list_queries(struct context *context, struct levels *levels, uint32_t level)
{
	levels->queries =
		calloc(context->n_domains * (SST_MAX_LEVEL + 1) + 1, sizeof(*levels->queries));
	levels->first = calloc(context->n_domains + 1, sizeof(*levels->first));
	if (!levels->queries || !levels->first)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++) {
		uint32_t highest = highest_level(&levels->pp[i]);

		levels->first[i] = levels->n_queries;
		if (levels->pp[i].error)
			continue;
		for (uint32_t number = 0; number <= highest; number++) {
			if (level == LEVELS_ALL || number == level)
				add_query(levels, i, number);
		}
	}
	levels->first[context->n_domains] = levels->n_queries;
	return 0;
}

int levels_read(struct context *context, uint32_t level, unsigned int parts,
		struct levels *ret_levels)
{
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read_pp(context, &levels.pp);

	if (!err)
		err = list_queries(context, &levels, level);
	if (err)
		return err;
	if (level == LEVELS_ALL || !refuse_above_all(context, &levels, level))
		err = context->platform->ops->read_levels(context->platform, parts, levels.queries,
							  levels.n_queries);
	if (!err) {
		*ret_levels = levels;
		levels = (struct levels){ 0 };
	}
	return err;
}

void levels_done(struct levels *levels)
{
	for (size_t i = 0; i < levels->n_queries; i++)
		sst_level_done(&levels->queries[i].info);
	free(levels->pp);
	free(levels->queries);
	free(levels->first);
	*levels = (struct levels){ 0 };
}

bool levels_report_pp(struct context *context, const struct target *target,
		      const struct platform_pp_query *query)
{
	if (query->error)
		context_fail(context, target, query->error, "SST-PP status");
	return query->error;
}

bool levels_report(struct context *context, const struct target *target,
		   const struct platform_level_query *query)
{
	if (!query)
		context_lack(context, target,
			     "no such performance level here; get-config-levels shows the highest");
	else if (query->error == -ENOENT)
		context_lack(context, target, "performance level %u does not exist here",
			     query->level);
	else if (query->error)
		context_fail(context, target, query->error, "performance level %u: %s",
			     query->level, query->failed);
	return !query || query->error;
}

const struct platform_level_query *levels_of_domain(const struct levels *levels, size_t domain)
{
	size_t first = levels->first[domain];

	return first < levels->first[domain + 1] ? &levels->queries[first] : NULL;
}

void levels_put(struct context *context, const struct levels *levels,
		void (*show)(struct context *context, const struct target *target,
			     const struct platform_level_query *query, const void *arguments),
		const void *arguments)
{
	for (size_t i = 0; i < context->n_targets && !context->tally.usage; i++) {
		const struct target *target = &context->targets[i];
		const struct platform_level_query *query = levels_of_domain(levels, target->domain);

		if (!levels_report_pp(context, target, &levels->pp[target->domain]) &&
		    !levels_report(context, target, query))
			show(context, target, query, arguments);
	}
}

int levels_show(struct context *context, uint32_t level, unsigned int parts,
		void (*show)(struct context *context, const struct target *target,
			     const struct platform_level_query *query, const void *arguments),
		const void *arguments)
{
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read(context, level, parts, &levels);

	if (!err)
		levels_put(context, &levels, show, arguments);
	return err;
}
