// SPDX-License-Identifier: GPL-2.0-only
/*
 * A setting command writes nothing unless every domain of its targets can be set, and its results
 * are those of the whole plan: all or nothing (commands.md, "Safety of every setting command").
 */
#include "features/setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/carry_out.h"
#include "cli/dry_run.h"
#include "cli/online.h"
#include "features/levels.h"
#include "machine/cpu_map.h"

static int read_current_levels(struct context *context, unsigned int parts, struct setting *setting)
{
	int err;

	setting->levels = context_new_queries(context, sizeof(*setting->levels));
	if (!setting->levels)
		return -ENOMEM;
	setting->n_domains = context->n_domains;
	for (size_t i = 0; i < context->n_domains; i++) {
		setting->levels[i].level = setting->pp[i].pp.current_level;
		setting->levels[i].pp_enabled = setting->pp[i].pp.enabled;
	}
	err = context->platform->ops->read_levels(context->platform, parts, setting->levels,
						  context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++) {
		const struct target *target = context_find_target(context, i);

		if (!levels_report_pp(context, target, &setting->pp[i]))
			levels_report(context, target, &setting->levels[i]);
	}
	return err;
}

int setting_init(struct context *context, unsigned int parts, struct setting *ret_setting)
{
	_cleanup_setting_ struct setting setting = { 0 };
	int err = levels_read_pp(context, &setting.pp);

	err = err ?: read_current_levels(context, parts, &setting);
	if (err)
		return err;
	*ret_setting = setting;
	setting = (struct setting){ 0 };
	return 0;
}

void setting_done(struct setting *setting)
{
	for (size_t i = 0; i < setting->n_domains; i++)
		sst_level_done(&setting->levels[i].info);
	free(setting->levels);
	free(setting->pp);
	*setting = (struct setting){ 0 };
}

bool setting_is_refused(const struct context *context)
{
	const struct tally *tally = &context->tally;

	return tally->usage || tally->refused || tally->unsupported || tally->not_permitted;
}

void *setting_new_wishes(const struct context *context, size_t wish_size)
{
	char *wishes = context_new_queries(context, wish_size);

	for (size_t i = 0; i < context->n_domains && wishes; i++) {
		if (context_is_left_out(context, i))
			memset(wishes + i * wish_size, 0, wish_size);
	}
	return wishes;
}

void setting_report_wish(struct context *context, size_t domain, int err, const char *what)
{
	if (err)
		context_fail(context, context_find_target(context, domain), err, "%s", what);
}

static const char *const feature_names[] = {
	[SETTING_BASE_FREQ] = "base-freq",
	[SETTING_TURBO_FREQ] = "turbo-freq",
};

static bool is_supported(const struct sst_level *level, enum setting_feature feature)
{
	return feature == SETTING_BASE_FREQ ? level->base_freq_supported
					    : level->turbo_freq_supported;
}

void setting_check_feature(struct context *context, const struct setting *setting,
			   enum setting_feature feature)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = &setting->levels[i];

		if (!query->error && !setting->pp[i].error && !is_supported(&query->info, feature))
			context_lack(context, context_find_target(context, i),
				     "%s is not supported at level %u", feature_names[feature],
				     query->level);
	}
}

void setting_note_absent_feature(struct context *context, const struct setting *setting,
				 enum setting_feature feature)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = &setting->levels[i];

		if (query->error || setting->pp[i].error || is_supported(&query->info, feature))
			continue;
		if (cpuset_is_empty(&context->domains[i]->cpus))
			context->is_passed_over[i] = true;
		else
			context_note(context, context_find_target(context, i),
				     "%s is not supported at level %u, so it is off",
				     feature_names[feature], query->level);
		context->is_settled[i] = true;
	}
}

int setting_plan_feature(struct context *context, const struct setting *setting,
			 enum setting_feature feature, enum platform_switch wanted)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_feature_wish *wishes = NULL;
	int err;

	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++) {
		wishes[i].base_freq = feature == SETTING_BASE_FREQ ? wanted : PLATFORM_KEEP;
		wishes[i].turbo_freq = feature == SETTING_TURBO_FREQ ? wanted : PLATFORM_KEEP;
		wishes[i].pp = &setting->pp[i].pp;
		wishes[i].current = &setting->levels[i].info;
	}
	err = platform->ops->plan_features(platform, context->plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, feature_names[feature]);
	return err;
}

/* What a target's result says: the error of the step that failed, where it was of this target. */
static int result_of(const struct context *context, const struct target *target,
		     const struct setting_result *result, const struct run_outcome *outcome)
{
	const struct power_domain *domain = context->domains[target->domain];
	const struct plan_step *steps;
	const struct plan_subject *subject;
	size_t count;

	if (!outcome->failed)
		return 0;
	steps = plan_steps(context->plan, &count);
	subject = &steps[outcome->failure.step].subject;
	if (result->by_cpu && subject->cpu != PLAN_NO_CPU)
		return subject->cpu == target->cpu ? outcome->failure.error : -ECANCELED;
	if (subject->package == domain->package && subject->die == domain->die &&
	    (!subject->has_power_domain || subject->power_domain == domain->id))
		return outcome->failure.error;
	return -ECANCELED; /* undone, because another one failed */
}

static void put_result(struct context *context, const struct output_place *place, const char *node,
		       const char *leaf, int err)
{
	_cleanup_scope_ struct output_scope outer = output_enter_place(context->output, place);
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "%s", node);

	if (err)
		output_value(context->output, leaf, "failed(error %d)", err);
	else
		output_value(context->output, leaf, "success");
}

/* The result of turbo-freq enable --auto is of no CPU in particular (output.md). */
static void put_auto_result(struct context *context, const struct setting_result *result, int err)
{
	const struct output_place nowhere = {
		.package = -1,
		.die = OUTPUT_NO_ID,
		.power_domain =
			context->platform->shows_power_domains ? OUTPUT_NO_ID : OUTPUT_NOT_SHOWN,
		.cpu = OUTPUT_NO_ID,
	};

	put_result(context, &nowhere, result->auto_node, result->leaf, err);
}

static void put_results(struct context *context, const struct setting_result *result,
			const struct run_outcome *outcome)
{
	for (size_t i = 0; i < context->n_targets; i++) {
		const struct target *target = &context->targets[i];
		struct output_place place = context_place(context, target);
		int err;

		if (context_is_passed_over(context, target->domain))
			continue;
		err = result_of(context, target, result, outcome);

		put_result(context, &place, result->node, result->leaf, err);
		if (!err)
			context_count_done(context);
	}
	if (result->auto_node)
		put_auto_result(context, result, outcome->failed ? outcome->failure.error : 0);
}

static int write_map(struct context *context)
{
	const struct host *host = context->machine->host;
	int err = cpu_map_write(host->files, host->run_directory, &context->machine->topology);

	if (err)
		context_fail(context, NULL, err, "the map of CPUs in %s", host->run_directory);
	return err;
}

static int carry_out(struct context *context, const struct setting_result *result)
{
	const struct run_outcome *outcome;
	int err;

	if (result->takes_cpus_offline && write_map(context))
		return 0;
	err = carry_out_plan(context, &outcome);
	if (!err)
		put_results(context, result, outcome);
	return err;
}

bool setting_is_to_be_made(struct context *context)
{
	if (setting_is_refused(context) || context_is_stopped(context))
		return false;
	if (context->dry_run) {
		if (context->rehearses)
			online_name_cpus(context);
		if (dry_run_put(context->output, context->plan, context->each) == 0)
			output_note(context->output, "there is nothing to write");
	}
	return !context->dry_run && !context->rehearses;
}

/* Is the CPU in a package that has a target? A CPU without a core may have no power domain. */
static bool is_concerned(const struct context *context, uint32_t cpu)
{
	const struct topology *topology = &context->machine->topology;

	for (size_t i = 0; i < context->n_domains; i++) {
		if (context->domains[i]->package == topology->places[cpu].package)
			return !cpuset_has(&topology->coming, cpu);
	}
	return false;
}

/*
 * Refuses a command that sets single cores if the core of a CPU is unknown: no level enables that
 * CPU, and no core gets its CLOS. In a rehearsal CPUs that are coming are asked later.
 */
static int refuse_unknown_cores(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = 0;

	cpuset_foreach (cpu, &context->platform->unknown_cores) {
		if (!err && is_concerned(context, cpu))
			err = cpuset_add(&unknown, cpu);
	}
	if (err || cpuset_is_empty(&unknown))
		return err;
	list = cpuset_format_ranges(&unknown);
	context_fail(context, NULL, topology->places[cpuset_next(&unknown, 0)].core_error,
		     "the cores of CPUs %s are not known, so that they cannot be set, and nothing "
		     "is written",
		     list ?: "");
	return 0;
}

int setting_report_unplaced(struct context *context, const char *consequence)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = refuse_unknown_cores(context);

	err = err
		      ?: topology_find_unplaced(context->machine->host->files,
						&context->machine->topology, &unplaced);
	context->has_reported_unplaced = true;
	if (err || cpuset_is_empty(&unplaced))
		return err;
	list = cpuset_format_ranges(&unplaced);
	context_leave_out(context,
			  "CPUs %s are offline, and no map of this boot has their places: %s",
			  list ?: "", consequence);
	return 0;
}

/*
 * Fewer CPUs are no package: no part with Speed Select has so few. Other packages prove nothing,
 * since those of one machine may differ in size.
 */
#define FEWEST_OF_PACKAGE 4

/* A command that sets domains as a whole lacks nothing but, perhaps, a whole package. */
static int report_package(struct context *context)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;
	int err;

	if (context->has_reported_unplaced || context->cpus_given)
		return 0;
	err = topology_find_unplaced(context->machine->host->files, &context->machine->topology,
				     &unplaced);
	if (err || cpuset_is_empty(&unplaced))
		return err;
	list = cpuset_format_ranges(&unplaced);
	if (cpuset_count(&unplaced) >= FEWEST_OF_PACKAGE)
		context_leave_out(
			context,
			"CPUs %s are offline, and no map of this boot has their places: a "
			"package that has no other CPUs is not set, and keeps the "
			"settings that it has",
			list ?: "");
	else
		output_note(context->output,
			    "CPUs %s are offline, and no map of this boot has their places: they "
			    "are not set; --all-cpus-online brings them online first",
			    list ?: "");
	return 0;
}

int setting_finish(struct context *context, const struct setting_result *result)
{
	int err = report_package(context);

	if (err)
		return err;
	return setting_is_to_be_made(context) ? carry_out(context, result) : 0;
}
