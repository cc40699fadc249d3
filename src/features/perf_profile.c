// SPDX-License-Identifier: GPL-2.0-only
/* perf-profile, SST-PP: performance levels (commands.md, "perf-profile"). */
#include "features/features.h"

#include <errno.h>

#include "base/cleanup.h"
#include "features/level_record.h"
#include "features/level_set.h"
#include "features/levels.h"

struct info_arguments {
	struct option_number level;
};

/* One figure of SST-PP a domain: what the get-* commands show. */
static int show_figure(struct context *context,
		       void (*put)(struct output *output, const struct sst_pp *pp))
{
	_cleanup_free_ struct platform_pp_query *queries = NULL;
	int err = levels_read_pp(context, &queries);

	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];
		const struct platform_pp_query *query = &queries[target->domain];
		struct output_place place = context_place(context, target);

		if (levels_report_pp(context, target, query))
			continue;
		_cleanup_scope_ struct output_scope scope =
			output_enter_place(context->output, &place);
		put(context->output, &query->pp);
		context_count_done(context);
	}
	return err;
}

static void put_lock_status(struct output *output, const struct sst_pp *pp)
{
	output_value(output, "get-lock-status", "%s", pp->locked ? "locked" : "unlocked");
}

static void put_levels(struct output *output, const struct sst_pp *pp)
{
	output_value(output, "get-config-levels", "%u", pp->highest_level);
}

static void put_version(struct output *output, const struct sst_pp *pp)
{
	output_value(output, "get-config-version", "%u", pp->version);
}

static void put_enabled(struct output *output, const struct sst_pp *pp)
{
	output_value(output, "get-config-enabled", "%s", pp->enabled ? "enabled" : "disabled");
}

/* The underscore is the kernel tool's. */
static void put_current_level(struct output *output, const struct sst_pp *pp)
{
	output_value(output, "get-config-current_level", "%u", pp->current_level);
}

static int get_lock_status(struct context *context, const void *arguments)
{
	(void)arguments;
	return show_figure(context, put_lock_status);
}

static int get_config_levels(struct context *context, const void *arguments)
{
	(void)arguments;
	return show_figure(context, put_levels);
}

static int get_config_version(struct context *context, const void *arguments)
{
	(void)arguments;
	return show_figure(context, put_version);
}

static int get_config_enabled(struct context *context, const void *arguments)
{
	(void)arguments;
	return show_figure(context, put_enabled);
}

static int get_config_current_level(struct context *context, const void *arguments)
{
	(void)arguments;
	return show_figure(context, put_current_level);
}

/* Firmware that refuses the question has no SST-CP; anything else is a failure. */
static bool report_core_power(struct context *context, const struct target *target,
			      const struct platform_core_power_query *query)
{
	if (query->error && query->error != -ENXIO)
		context_fail(context, target, query->error, "core-power status");
	return query->error && query->error != -ENXIO;
}

/*
 * Reports the levels of a target that cannot be shown. Returns how many can. A level that does not
 * exist is passed over where all are asked for.
 */
static size_t report_levels(struct context *context, const struct target *target,
			    const struct levels *levels, bool all)
{
	size_t first = levels->first[target->domain], end = levels->first[target->domain + 1];
	size_t shown = 0, missing = 0;

	for (size_t i = first; i < end; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (all && query->error == -ENOENT)
			missing++;
		else
			shown += !levels_report(context, target, query);
	}
	if (missing == end - first)
		levels_report(context, target, NULL);
	return shown;
}

/* Has the platform tell what it tells by CPU. Returns whether that failed, which is reported. */
static bool refine_levels(struct context *context, const struct target *target,
			  const struct levels *levels)
{
	struct platform *platform = context->platform;

	for (size_t i = levels->first[target->domain]; i < levels->first[target->domain + 1]; i++) {
		struct platform_level_query *query = &levels->queries[i];
		int err = 0;

		if (!query->error && platform->ops->refine_level)
			err = platform->ops->refine_level(platform, query, target->cpu);
		if (err) {
			context_fail(context, target, err, "base_frequency of cpufreq");
			return true;
		}
	}
	return false;
}

static void show_levels(struct context *context, const struct target *target,
			const struct levels *levels, const struct sst_core_power *core_power)
{
	struct output_place place = context_place(context, target);

	if (!levels->pp[target->domain].pp.enabled)
		output_information(
			context->output,
			"perf-profile feature is not supported, just base-config level 0 is valid");
	_cleanup_scope_ struct output_scope scope = output_enter_place(context->output, &place);

	for (size_t i = levels->first[target->domain]; i < levels->first[target->domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (!query->error)
			level_record_put(context->output, context->platform, query, core_power);
	}
	context_count_done(context);
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	bool all = !arguments->level.given;
	int err = levels_read(context, all ? LEVELS_ALL : (uint32_t)arguments->level.value,
			      PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ, &levels);

	if (err || context->tally.usage)
		return err;
	err = levels_read_core_power(context, &core_power);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];

		if (levels_report_pp(context, target, &levels.pp[target->domain]) ||
		    report_core_power(context, target, &core_power[target->domain]))
			continue;
		if (report_levels(context, target, &levels, all) &&
		    !refine_levels(context, target, &levels))
			show_levels(context, target, &levels,
				    &core_power[target->domain].core_power);
	}
	return err;
}

static const struct option info_options[] = {
	{ .letter = 'l',
	  .name = "level",
	  .value = "LEVEL",
	  .historic = true,
	  .help = "Only this performance level, 0 to 7; without it all levels",
	  OPTION_NUMBER(struct info_arguments, level, 0, SST_MAX_LEVEL) },
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ LEVELS_OPTION(struct level_set_arguments) },
	{ .letter = 'o',
	  .name = "online",
	  .historic = true,
	  .help = "Bring the CPUs of the level online, take the others offline",
	  OPTION_FLAG(struct level_set_arguments, online) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show everything about one performance level or all",
	  .flags = COMMAND_ON_BIOS_FIXED | COMMAND_SHOWS_CPUS,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "get-lock-status",
	  .summary = "Show whether the level can be changed: unlocked or locked",
	  .run = get_lock_status },
	{ .name = "get-config-levels",
	  .summary = "Show the number of the highest performance level",
	  .run = get_config_levels },
	{ .name = "get-config-version",
	  .summary = "Show the version of SST-PP",
	  .run = get_config_version },
	{ .name = "get-config-enabled",
	  .summary = "Show whether SST-PP is enabled",
	  .run = get_config_enabled },
	{ .name = "get-config-current-level",
	  .summary = "Show the performance level that the machine is at",
	  .run = get_config_current_level },
	{ .name = "set-config-level",
	  .summary = "Switch to another performance level",
	  .flags = COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct level_set_arguments),
	  .run = level_set_run },
};

const struct feature perf_profile_feature = {
	.name = "perf-profile",
	.title = "Intel(R) SST-PP: performance levels",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
