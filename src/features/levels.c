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
#include "run/setting.h"

#define LEVELS_CURRENT (UINT32_MAX - 1)

/* The first five turbo-ratio levels have two names each. */
const char *const levels_trl_words[] = { "sse",     "avx2",    "avx512",  "avx512-heavy",
					 "amx",     "level-0", "level-1", "level-2",
					 "level-3", "level-4", "level-5", NULL };
#define N_INSTRUCTION_SETS (FREQUENCY_AMX + 1)

uint32_t levels_trl_of(const struct option_number *word, uint32_t without)
{
	if (!word->given)
		return without;
	return (uint32_t)word->value - (word->value < N_INSTRUCTION_SETS ? 0 : N_INSTRUCTION_SETS);
}

static void append_count(struct buffer *text, uint32_t count)
{
	buffer_append_string(text, text->length ? "," : "");
	buffer_append_number(text, count);
}

void levels_note_sums(struct context *context, const struct expected *expected)
{
	for (size_t i = 0; i < expected->n_domains; i++) {
		const uint32_t package = expected->pp[i].domain->package;
		_cleanup_buffer_ struct buffer counted = { 0 }, sums = { 0 };

		if ((i > 0 && expected->pp[i - 1].domain->package == package) ||
		    !expected_sum_differs(expected, i))
			continue;
		for (unsigned int j = 0; j < SST_BUCKETS; j++) {
			append_count(&counted, sst_byte(expected->trl_counts[i].value.number, j));
			append_count(&sums, expected->counts[i].package_counts[j]);
		}
		context_note(context, NULL,
			     "package-%u: MSR 0x1ae counts %s active cores, and the turbo-ratio "
			     "limits of its power domains %s together",
			     package, buffer_text(&counted), buffer_text(&sums));
	}
}

int levels_read_pp(struct context *context, struct platform_pp_query **ret_queries)
{
	_cleanup_free_ struct platform_pp_query *queries = NULL;
	int err;

	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	err = context->platform->ops->read_pp(context->platform, queries,
					      context->targets.n_domains);
	if (!err)
		*ret_queries = steal(queries);
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

	for (size_t i = 0; i < context->targets.n_domains; i++) {
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

/* Lists the levels of a domain to read: one that the domain may have, the current one, or all. */
static void list_queries(struct levels *levels, const struct platform_pp_query *query,
			 uint32_t level)
{
	bool is_current = level == LEVELS_CURRENT, is_one = is_current || level != LEVELS_ALL;
	uint32_t first = is_current ? query->pp.current_level : is_one ? level : 0;
	uint32_t last = is_one ? first : highest_level(query);

	if (query->error || (!is_current && first > highest_level(query)))
		return;
	for (uint32_t number = first; number <= last; number++)
		levels->queries[levels->n_queries++] = (struct platform_level_query){
			.domain = query->domain,
			.level = number,
			.pp_enabled = query->pp.enabled,
		};
}

/* option: for messages; NULL: the user did not choose the level. */
static int read_levels(struct context *context, uint32_t level, const struct option_number *option,
		       unsigned int parts, struct levels *ret_levels)
{
	_cleanup_levels_ struct levels levels = {
		.queries = calloc(context->targets.n_domains * (SST_MAX_LEVEL + 1) + 1,
				  sizeof(*levels.queries)),
		.first = calloc(context->targets.n_domains + 1, sizeof(*levels.first)),
		.are_current = level == LEVELS_CURRENT,
	};
	int err = levels_read_pp(context, &levels.pp);

	if (err || !levels.queries || !levels.first)
		return -ENOMEM;
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		levels.first[i] = levels.n_queries;
		list_queries(&levels, &levels.pp[i], level);
	}
	levels.first[context->targets.n_domains] = levels.n_queries;
	if (!option || !refuse_above_all(context, &levels, option))
		err = context->platform->ops->read_levels(context->platform, parts, levels.queries,
							  levels.n_queries);
	if (err)
		return err;
	*ret_levels = steal(levels);
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
	for (size_t i = 0; i < context->targets.n_domains; i++)
		levels_get(context, ret_levels,
			   context_find_target(context, context->targets.domains[i]));
	return 0;
}

void levels_done(void *data)
{
	struct levels *levels = data;

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

void levels_add_requests(struct context *context, const struct levels *levels,
			 struct setting_request request)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query =
			levels ? levels_of_domain(levels, i) : NULL;

		if (context->targets.states[i] != DOMAIN_SET)
			continue;
		request.domain = context->targets.domains[i];
		request.pp = levels ? &levels->pp[i].pp : NULL;
		request.current = query && levels->are_current ? &query->info : NULL;
		setting_list_add(&context->plan.wanted.settings, &request);
	}
}

/* Finds the levels that have, or lack, a feature on a die with cores. Returns 0 or -ENOMEM. */
static int find_levels(const struct levels *levels, const struct setting *feature, bool has,
		       struct cpuset *numbers)
{
	int err = 0;

	for (size_t i = 0; i < levels->n_queries && !err; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (!query->error && !cpuset_is_empty(&query->domain->cpus) &&
		    feature->is_of_level(&query->info) == has)
			err = cpuset_add(numbers, query->level);
	}
	return err;
}

/* Returns true if all existing levels of all domains could be read. */
static bool are_read(const struct levels *levels, size_t n_domains)
{
	for (size_t i = 0; i < n_domains; i++) {
		if (levels->pp[i].error)
			return false;
	}
	for (size_t i = 0; i < levels->n_queries; i++) {
		if (levels->queries[i].error && levels->queries[i].error != -ENOENT)
			return false;
	}
	return true;
}

int levels_note_others(struct context *context, const struct levels *levels, const char *path)
{
	const struct setting *feature = setting_get(setting_find(path));
	_cleanup_levels_ struct levels all = { 0 };
	_cleanup_cpuset_ struct cpuset lacking = { 0 }, numbers = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = context->request->strict ? find_levels(levels, feature, false, &lacking) : 0;

	if (!err)
		err = find_levels(levels, feature, true, &numbers);
	if (err || cpuset_is_empty(&lacking) || !cpuset_is_empty(&numbers))
		return err;
	err = read_levels(context, LEVELS_ALL, NULL, 0, &all);
	if (!err)
		err = find_levels(&all, feature, true, &numbers);
	if (err)
		return err;
	list = cpuset_format_ranges(&numbers);
	if (!cpuset_is_empty(&numbers))
		context_note(context, NULL, "%s is supported at level %s", feature->what,
			     list ?: "?");
	else if (are_read(&all, context->targets.n_domains))
		context_note(context, NULL, "no level of %s supports %s",
			     context->request->cpus ? "these CPUs" : "this machine", feature->what);
	return 0;
}

struct output_scope levels_enter(struct context *context, const struct target *target)
{
	struct output_place place = context_place(context, target);

	context->report.n_results +=
		!cpuset_is_empty(&context->targets.domains[target->domain]->cpus);
	return output_enter_place(context->output, &place, NULL);
}

int levels_prepare_switch(struct context *context, const char *path, bool on, bool automatic,
			  unsigned int parts, const struct levels **ret_levels)
{
	const struct setting *feature = setting_get(setting_find(path));
	struct levels *levels = context_keep(context, sizeof(*levels), levels_done);
	const char *what = feature->what;
	int err = levels ? levels_read_current(context, parts, levels) : -ENOMEM;

	if (err)
		return err;
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		const struct target *target =
			context_find_target(context, context->targets.domains[i]);

		if (!query || query->error || feature->is_of_level(&query->info))
			continue;
		if (on) {
			context_lack(context, target, "%s is not supported at level %u", what,
				     query->level);
		} else if (cpuset_is_empty(&context->targets.domains[i]->cpus)) {
			context->targets.states[i] = DOMAIN_IGNORED;
		} else {
			context_note(context, target,
				     "%s is not supported at level %u, so it is off", what,
				     query->level);
			if (context->targets.states[i] == DOMAIN_SET)
				context->targets.states[i] = DOMAIN_UNCHANGED;
		}
	}
	if (on)
		err = levels_note_others(context, levels, path);
	if (automatic && !err)
		err = setting_report_unknown_places(
			context,
			"their cores keep their frequency limits and their CLOS, which is 0, the "
			"highest priority, after a start");
	*ret_levels = report_has_problem(&context->report) ? NULL : levels;
	return err;
}

void levels_put_base_freq(struct output *output, const struct sst_base_freq *base_freq)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-base-freq-properties");

	output_number(output, "high-priority-base-frequency(MHz)", base_freq->high_mhz, "");
	output_cpu_mask(output, "high-priority-cpu-mask", &base_freq->high_cpus);
	output_cpu_list(output, "high-priority-cpu-list", &base_freq->high_cpus);
	output_number(output, "low-priority-base-frequency(MHz)", base_freq->low_mhz, "");
	if (!base_freq->has_thermals)
		return;
	output_number(output, "tjunction-temperature(C)", base_freq->tjunction_c, "");
	output_number(output, "thermal-design-power(W)", base_freq->tdp_w, "");
}

/* Puts "high-priority-max-avx2-frequency(MHz)", without the name of the turbo-ratio level for
 * "sse"; nothing for a frequency of 0. */
static void put_frequency(struct output *output, const char *priority, const char *trl_name,
			  uint32_t mhz)
{
	bool is_sse = strcmp(trl_name, "sse") == 0;
	char name[64];

	if (mhz == 0)
		return;
	snprintf(name, sizeof(name), "%s-priority-max-%s%sfrequency(MHz)", priority,
		 is_sse ? "" : trl_name, is_sse ? "" : "-");
	output_value(output, name, "%u", mhz);
}

void levels_put_turbo_freq(struct output *output, const struct platform *platform,
			   const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			   uint32_t trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-turbo-freq-properties");
	const struct sst_turbo *buckets = &turbo_freq->buckets;

	for (uint32_t i = 0; i < SST_BUCKETS && buckets->core_counts[i] > 0; i++) {
		if (bucket != LEVELS_ALL && bucket != i)
			continue;
		_cleanup_scope_ struct output_scope inner = output_enter(output, "bucket-%u", i);

		output_number(output, "high-priority-cores-count", buckets->core_counts[i], "");
		for (unsigned int trl = 0; trl < platform->n_trl_levels; trl++) {
			if (trl_level == LEVELS_ALL || trl_level == trl)
				put_frequency(output, "high", platform->trl_names[trl],
					      buckets->mhz[trl][i]);
		}
	}
	_cleanup_scope_ struct output_scope clips =
		output_enter(output, "speed-select-turbo-freq-clip-frequencies");

	for (unsigned int trl = 0; trl < platform->n_trl_levels; trl++)
		put_frequency(output, "low", platform->trl_names[trl], turbo_freq->clip_mhz[trl]);
}
