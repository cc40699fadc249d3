// SPDX-License-Identifier: GPL-2.0-only
/*
 * turbo-mode enable, disable and set-trl (commands.md, "turbo-mode"): turbo through the upper
 * frequency limit of each CPU, and the turbo-ratio limits of each package.
 */
#include "features/turbo_mode_set.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/setting.h"
#include "plan/scaling.h"

/* Sets each target's upper limit to what the file of that name says. */
static int set_limits(struct context *context, const char *file, const char *leaf)
{
	const struct setting_result result = { .node = "turbo-mode", .leaf = leaf, .by_cpu = true };
	int err = 0;

	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];
		int failed =
			scaling_plan_max_as(context->plan, context->machine, target->cpu, file);

		if (failed == -ENOMEM)
			err = failed;
		else if (failed == -ENOENT)
			context_lack(context, target, "cpufreq tells no %s", file);
		else if (failed)
			context_fail(context, target, failed, "%s of cpufreq", file);
	}
	return err ?: setting_finish(context, &result);
}

int turbo_mode_set_enable(struct context *context, const void *arguments)
{
	(void)arguments;
	return set_limits(context, "cpuinfo_max_freq", "enable");
}

int turbo_mode_set_disable(struct context *context, const void *arguments)
{
	(void)arguments;
	return set_limits(context, "base_frequency", "disable");
}

int turbo_mode_set_trl(struct context *context, const void *arguments_pointer)
{
	const struct turbo_mode_trl_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "turbo-mode", .leaf = "set-trl" };
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_trl_wish *wishes = NULL;
	int err;

	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++)
		wishes[i].trl = arguments->trl.value;
	err = platform->ops->plan_trl(platform, context->plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, "turbo-ratio limits");
	return err ?: setting_finish(context, &result);
}
