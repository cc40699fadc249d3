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
#include "plan/cgroup.h"
#include "plan/hotplug.h"
#include "plan/scaling.h"
#include "plan/uncore.h"

#define KHZ_PER_MHZ           1000
#define FAMILY_WITHOUT_UNCORE 19 /* commands.md, "perf-profile (SST-PP)" */

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

static int plan_levels(struct context *context, struct plan *plan, const struct levels *levels,
		       uint32_t level)
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
	err = platform->ops->plan_level(platform, plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, "performance level");
	return err;
}

/* Linux has something to follow a domain with only where that has CPUs. */
static bool has_linux_part(const struct context *context, size_t domain)
{
	return !cpuset_is_empty(&context->domains[domain]->cpus);
}

static int plan_uncore(struct context *context, struct plan *plan, const struct levels *levels)
{
	if (context->machine->identity.family == FAMILY_WITHOUT_UNCORE)
		return 0;
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct power_domain *domain = context->domains[i];
		struct uncore_range range = {
			.package = domain->package,
			.die = domain->die,
			.power_domain = domain->id,
		};
		int err;

		if (!has_linux_part(context, i))
			continue;
		range.min_mhz = levels_of_domain(levels, i)->info.uncore.min_mhz;
		range.max_mhz = levels_of_domain(levels, i)->info.uncore.max_mhz;
		err = uncore_plan_range(plan, context->machine, &range);

		if (err == -ENOMEM)
			return err;
		if (err && err != -ENOENT)
			setting_report_wish(context, i, err, "uncore range");
	}
	return 0;
}

/* What a domain's CPUs are to be: on, and off. */
struct division {
	struct cpuset on;
	struct cpuset off;
};

static void division_done(struct division *division)
{
	cpuset_done(&division->on);
	cpuset_done(&division->off);
}

static int divide(const struct context *context, const struct levels *levels, size_t domain,
		  struct division *division)
{
	const struct sst_level *level = &levels_of_domain(levels, domain)->info;
	int err = cpuset_add_all(&division->on, &level->enabled_cpus);

	err = err ?: cpuset_add_all(&division->off, &context->domains[domain]->cpus);
	cpuset_remove_all(&division->off, &level->enabled_cpus);
	return err;
}

/* CPU 0 cannot go offline on many kernels: -u isolates it, and takes it out of what goes offline.
 */
static int plan_cpu0(struct context *context, struct plan *plan, struct cpuset *off)
{
	const struct cgroup_owner nobody = { 0 };
	_cleanup_cpuset_ struct cpuset cpu0 = { 0 };
	int err;

	if (!cpuset_has(off, 0))
		return cgroup_plan_release(plan, context->machine, &nobody);
	cpuset_remove(off, 0);
	err = cpuset_add(&cpu0, 0);
	return err ?: cgroup_plan_isolate(plan, context->machine, &nobody, &cpu0);
}

static int isolate_domain(struct context *context, struct plan *plan, const struct levels *levels,
			  size_t index)
{
	_cleanup_(division_done) struct division division = { 0 };
	const struct power_domain *domain = context->domains[index];
	const struct cgroup_owner owner = {
		.package = domain->package,
		.die = domain->die,
		.power_domain = domain->id,
	};
	int err = divide(context, levels, index, &division);

	return err ?: cgroup_plan_isolate(plan, context->machine, &owner, &division.off);
}

/* Says whether cgroup v2 can be used; if not, that is refused here. */
static bool check_cgroup(struct context *context)
{
	const char *problem = NULL;
	int err = cgroup_check(context->machine->host->files, &problem);

	if (err == -ENOTSUP)
		context_lack(context, NULL, "%s", problem);
	else if (err)
		context_fail(context, NULL, err, "/sys/fs/cgroup");
	return !err;
}

static int plan_cpus(struct context *context, struct plan *plan, const struct levels *levels)
{
	_cleanup_(division_done) struct division all = { 0 };
	int err = 0;

	for (size_t i = 0; i < context->n_domains && !err; i++)
		err = has_linux_part(context, i) ? divide(context, levels, i, &all) : 0;
	err = err ?: hotplug_plan_online(plan, context->machine, &all.on);
	if (err)
		return err;
	if ((context->cgroup || context->cpu0_workaround) && !check_cgroup(context))
		return 0;
	for (size_t i = 0; i < context->n_domains && context->cgroup && !err; i++)
		err = has_linux_part(context, i) ? isolate_domain(context, plan, levels, i) : 0;
	if (context->cgroup)
		return err;
	if (context->cpu0_workaround)
		err = plan_cpu0(context, plan, &all.off);
	return err ?: hotplug_plan_offline(plan, context->machine, &all.off);
}

/* Opens the upper limits that would hold CPUs below the new base frequency. */
static int plan_limits(struct context *context, struct plan *plan, const struct levels *levels)
{
	const struct machine *machine = context->machine;

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct sst_level *level;
		uint32_t base_khz;

		if (!has_linux_part(context, i))
			continue;
		level = &levels_of_domain(levels, i)->info;
		base_khz = level->base_mhz * KHZ_PER_MHZ;

		cpuset_foreach (cpu, &level->enabled_cpus) {
			bool is_online = cpuset_has(&machine->topology.online, cpu);
			int err = is_online ? scaling_plan_open_max(plan, machine, cpu, base_khz)
					    : scaling_plan_open_max_later(plan, machine, cpu,
									  base_khz);

			if (err == -ENOMEM)
				return err;
			if (err && err != -ENOENT)
				context_fail(context, NULL, err, "scaling_max_freq of cpu-%u", cpu);
		}
	}
	return 0;
}

static int plan_linux(struct context *context, struct plan *plan, const struct levels *levels)
{
	int err = plan_uncore(context, plan, levels);

	err = err ?: plan_cpus(context, plan, levels);
	return err ?: plan_limits(context, plan, levels);
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
	_cleanup_plan_ struct plan *plan = NULL;
	int err = levels_read(context, level, arguments->online ? PLATFORM_LEVEL : PLATFORM_SUPPORT,
			      &levels);

	if (err || context->tally.usage)
		return err;
	check_domains(context, &levels);
	if (setting_is_refused(context))
		return 0;
	err = plan_new(&plan);
	err = err ?: plan_levels(context, plan, &levels, level);
	if (arguments->online)
		err = err ?: plan_linux(context, plan, &levels);
	return err ?: setting_finish(context, plan, &result);
}
