// SPDX-License-Identifier: GPL-2.0-only
/* Reads the performance levels of the domains of a command. The hardware reports the highest level;
 * a level below it may not exist (hardware.md, section 3). Without SST-PP there is only level 0. */
#include "features/levels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/output.h"

#define LEVELS_CURRENT (UINT32_MAX - 1)

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

static uint32_t highest_level(const struct platform_pp_query *query)
{
	uint32_t highest = query->pp.enabled ? query->pp.highest_level : 0;

	return highest < SST_MAX_LEVEL ? highest : SST_MAX_LEVEL;
}

/* Refuses a level above the highest of every domain: a usage error. */
static bool refuse_above_all(struct context *context, const struct levels *levels,
			     const struct option_number *level)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < context->n_domains; i++) {
		if (levels->pp[i].error)
			return false;
		if (highest_level(&levels->pp[i]) > highest)
			highest = highest_level(&levels->pp[i]);
	}
	if (level->value <= highest)
		return false;
	context_refuse_usage(context, "%s %" PRIu64 ": the highest level of this machine is %u",
			     level->name, level->value, highest);
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

/* Lists the levels to read: one, if the domain may have it, the current one, or all. */
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
		if (level == LEVELS_CURRENT)
			add_query(levels, i, levels->pp[i].pp.current_level);
		for (uint32_t number = 0; number <= highest; number++) {
			if (level == LEVELS_ALL || number == level)
				add_query(levels, i, number);
		}
	}
	levels->first[context->n_domains] = levels->n_queries;
	return 0;
}

/* Reads a level, or LEVELS_ALL or LEVELS_CURRENT. option: the one that gives a level, or NULL. */
static int read_levels(struct context *context, uint32_t level, const struct option_number *option,
		       unsigned int parts, struct levels *ret_levels)
{
	_cleanup_levels_ struct levels levels = { .are_current = level == LEVELS_CURRENT };
	int err = levels_read_pp(context, &levels.pp);

	if (err)
		return err;
	err = list_queries(context, &levels, level);
	if (err)
		return err;
	if (!option || !refuse_above_all(context, &levels, option))
		err = context->platform->ops->read_levels(context->platform, parts, levels.queries,
							  levels.n_queries);
	if (err)
		return err;
	*ret_levels = levels;
	levels = (struct levels){ 0 };
	return 0;
}

int levels_read(struct context *context, const struct option_number *level, unsigned int parts,
		struct levels *ret_levels)
{
	if (!level || !level->given)
		return read_levels(context, LEVELS_ALL, NULL, parts, ret_levels);
	return read_levels(context, (uint32_t)level->value, level, parts, ret_levels);
}

int levels_read_current(struct context *context, unsigned int parts, struct levels *ret_levels)
{
	int err = read_levels(context, LEVELS_CURRENT, NULL, parts, ret_levels);

	if (err)
		return err;
	for (size_t i = 0; i < context->n_domains; i++)
		levels_get(context, ret_levels, context_find_target(context, i));
	return 0;
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

const struct platform_level_query *levels_get(struct context *context, const struct levels *levels,
					      const struct target *target)
{
	const struct platform_level_query *query = levels_of_domain(levels, target->domain);

	if (levels_report_pp(context, target, &levels->pp[target->domain]) ||
	    levels_report(context, target, query))
		return NULL;
	return query;
}

/* Does the domain's level lack the feature? Not if the level could not be read. */
static bool lacks(const struct platform_level_query *query, enum setting_id feature)
{
	if (!query || query->error)
		return false;
	return feature == SETTING_BASE_FREQ ? !query->info.base_freq_supported
					    : !query->info.turbo_freq_supported;
}

void levels_require(struct context *context, const struct levels *levels, enum setting_id feature)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (lacks(query, feature))
			context_lack(context, context_find_target(context, i),
				     "%s is not supported at level %u", setting_get(feature)->what,
				     query->level);
	}
}

void levels_note_absent(struct context *context, const struct levels *levels,
			enum setting_id feature)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (!lacks(query, feature))
			continue;
		if (cpuset_is_empty(&context->domains[i]->cpus))
			context->domain_states[i] = DOMAIN_IGNORED;
		else
			context_note(context, context_find_target(context, i),
				     "%s is not supported at level %u, so it is off",
				     setting_get(feature)->what, query->level);
		if (context->domain_states[i] == DOMAIN_SET)
			context->domain_states[i] = DOMAIN_UNCHANGED;
	}
}

static const struct field base_freq_fields[] = {
	{ .name = "high-priority-base-frequency(MHz)",
	  FIELD_AS_NUMBER(struct sst_base_freq, high_mhz) },
	{ .name = "high-priority-cpu-mask",
	  FIELD_AS_CPUS(struct sst_base_freq, high_cpus, FIELD_CPU_MASK) },
	{ .name = "high-priority-cpu-list",
	  FIELD_AS_CPUS(struct sst_base_freq, high_cpus, FIELD_CPU_LIST) },
	{ .name = "low-priority-base-frequency(MHz)",
	  FIELD_AS_NUMBER(struct sst_base_freq, low_mhz) },
	{ .name = "tjunction-temperature(C)",
	  FIELD_AS_NUMBER(struct sst_base_freq, tjunction_c),
	  FIELD_IF(struct sst_base_freq, has_thermals) },
	{ .name = "thermal-design-power(W)",
	  FIELD_AS_NUMBER(struct sst_base_freq, tdp_w),
	  FIELD_IF(struct sst_base_freq, has_thermals) },
};

void levels_put_base_freq(struct output *output, const struct sst_base_freq *base_freq)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-base-freq-properties");

	fields_put(output, base_freq_fields, ARRAY_SIZE(base_freq_fields), base_freq);
}

/* "high-priority-max-avx2-frequency(MHz)"; nothing for a frequency of 0. */
static void put_frequency(struct output *output, const char *priority, const char *infix,
			  uint32_t mhz)
{
	char name[64];

	if (mhz == 0)
		return;
	snprintf(name, sizeof(name), "%s-priority-max-%sfrequency(MHz)", priority, infix);
	output_value(output, name, "%u", mhz);
}

static void put_bucket(struct output *output, const struct platform *platform,
		       const struct sst_turbo *buckets, uint32_t bucket, uint32_t trl_level)
{
	_cleanup_scope_ struct output_scope scope = output_enter(output, "bucket-%u", bucket);

	output_value(output, "high-priority-cores-count", "%u", buckets->core_counts[bucket]);
	for (unsigned int i = 0; i < platform->n_trl_levels; i++) {
		if (trl_level == LEVELS_ALL || trl_level == i)
			put_frequency(output, "high", platform->trl_names[i].infix,
				      buckets->mhz[i][bucket]);
	}
}

static void put_clips(struct output *output, const struct platform *platform,
		      const uint32_t clip_mhz[SST_TRL_LEVELS])
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-turbo-freq-clip-frequencies");

	for (unsigned int i = 0; i < platform->n_trl_levels; i++)
		put_frequency(output, "low", platform->trl_names[i].infix, clip_mhz[i]);
}

void levels_put_turbo_freq(struct output *output, const struct platform *platform,
			   const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			   uint32_t trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-turbo-freq-properties");
	const struct sst_turbo *buckets = &turbo_freq->buckets;

	for (uint32_t i = 0; i < SST_BUCKETS && buckets->core_counts[i] > 0; i++) {
		if (bucket == LEVELS_ALL || bucket == i)
			put_bucket(output, platform, buckets, i, trl_level);
	}
	put_clips(output, platform, turbo_freq->clip_mhz);
}
