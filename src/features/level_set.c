// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-profile set-config-level (commands.md, "perf-profile (SST-PP)"). With -o Linux follows the
 * level: its uncore range, its CPUs online before the others go offline, frequency limits opened.
 */
#include "features/level_set.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/levels.h"
#include "features/setting.h"
#include "plan/subject.h"
#include "platform/follow.h"

/* Refuses domains whose level cannot be set at all. */
static void check_domains(struct context *context, const struct levels *levels)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct target *target = context_find_target(context, i);
		const struct platform_pp_query *query = &levels->pp[i];

		if (levels_report_pp(context, target, query))
			continue;
		if (!query->pp.enabled)
			context_lack(context, target, "perf-profile is not supported");
		else if (query->pp.locked)
			context_refuse(context, target, "the performance level is locked by BIOS");
		else
			levels_report(context, target, levels_of_domain(levels, i));
	}
}

static int plan_levels(struct context *context, const struct levels *levels, uint32_t level)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_level_wish *wishes = NULL;
	int err;

	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++) {
		wishes[i].level = level;
		wishes[i].pp = &levels->pp[i].pp;
	}
	err = platform->ops->plan_level(platform, context->plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, "performance level");
	return err;
}

/* Lists the domains that have CPUs: Linux has nothing to follow the others with. */
static size_t list_domains(const struct context *context, const struct levels *levels,
			   struct follow_domain *domains)
{
	size_t count = 0;

	for (size_t i = 0; i < context->n_domains; i++) {
		if (!cpuset_is_empty(&context->domains[i]->cpus))
			domains[count++] = (struct follow_domain){
				.domain = context->domains[i],
				.level = &levels_of_domain(levels, i)->info,
				.level_number = levels_of_domain(levels, i)->level,
				.cpu = CPUSET_NONE,
			};
	}
	return count;
}

static void report_uncore(struct context *context, const struct follow_domain *follow)
{
	const struct plan_subject subject = domains_subject(follow->domain);
	_cleanup_free_ char *place = subject_name_place(&subject);

	output_note(context->output, "%s: performance level %u: %s", place ?: "a power domain",
		    follow->level_number, follow->uncore_note);
}

/*
 * CPUs that would stay online although the level lacks them are known before any write: the command
 * is refused, as the level's frequencies hold for its own CPUs only.
 */
static int report_kept(struct context *context, const struct plan *plan, size_t index,
		       const struct follow_domain *follow, const struct follow_options *options)
{
	_cleanup_cpuset_ struct cpuset kept = { 0 };
	int err = follow_find_kept(context->platform, plan, follow, options, &kept);

	if (err == -ENOMEM)
		return err;
	if (err)
		context_fail(context, context_find_target(context, index), err,
			     "online files of CPUs");
	cpuset_foreach (cpu, &kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(context->platform, cpu, follow->level_number);

		context_refuse(context, context_find_target(context, index), "%s",
			       text ?: "out of memory");
	}
	return 0;
}

static int report_follow(struct context *context, const struct plan *plan,
			 const struct follow_domain *follow, const struct follow_options *options)
{
	size_t index = 0;

	while (context->domains[index] != follow->domain)
		index++;
	if (follow->uncore_note)
		report_uncore(context, follow);
	if (follow->error && follow->cpu != CPUSET_NONE)
		context_fail(context, NULL, follow->error, "%s of cpu-%u", follow->what,
			     follow->cpu);
	else if (follow->error)
		setting_report_wish(context, index, follow->error, follow->what);
	return report_kept(context, plan, index, follow, options);
}

static int plan_linux(struct context *context, const struct levels *levels)
{
	const struct follow_options options = {
		.parts = FOLLOW_ALL,
		.cgroup = context->cgroup,
		.cpu0_workaround = context->cpu0_workaround,
	};
	_cleanup_free_ struct follow_domain *domains =
		calloc(context->n_domains ?: 1, sizeof(*domains));
	const char *problem = NULL;
	size_t count;
	int err;

	if (!domains)
		return -ENOMEM;
	count = list_domains(context, levels, domains);
	err = follow_plan(context->platform, context->plan, domains, count, &options, &problem);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOTSUP)
		context_lack(context, NULL, "%s", problem);
	else if (err)
		context_fail(context, NULL, err, "%s", problem ?: "online files of CPUs");
	for (size_t i = 0; i < count; i++) {
		int failed = report_follow(context, context->plan, &domains[i], &options);

		if (failed)
			return failed;
	}
	return 0;
}

int level_set_run(struct context *context, const void *arguments_pointer)
{
	const struct level_set_arguments *arguments = arguments_pointer;
	const struct setting_result result = {
		.node = "perf-profile",
		.leaf = "set_tdp_level",
		.takes_cpus_offline = arguments->online,
	};
	uint32_t level = (uint32_t)arguments->level.value;
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read(context, level, arguments->online ? PLATFORM_LEVEL : PLATFORM_SUPPORT,
			      &levels);

	if (err || context->tally.usage)
		return err;
	check_domains(context, &levels);
	if (setting_is_refused(context))
		return 0;
	if (arguments->online)
		err = setting_report_unplaced(
			context, "they stay offline, also those that the level enables");
	err = err ?: plan_levels(context, &levels, level);
	if (arguments->online)
		err = err ?: plan_linux(context, &levels);
	return err ?: setting_finish(context, &result);
}
