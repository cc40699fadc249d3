// SPDX-License-Identifier: GPL-2.0-only
/* perf-profile, SST-PP: performance levels (commands.md, "perf-profile"). */
#include "features/features.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "features/perf_profile_compare.h"
#include "output/output.h"
#include "settings/follow.h"
#include "sst/level_fields.h"

/* The options; each command has some of them. */
struct arguments {
	struct option_number level;
	bool online;
};

/* The figures of SST-PP with a command of their own, selected by its variant. The kernel's tool
 * writes the underscore. */
enum figure { LOCK_STATUS, CONFIG_LEVELS, CONFIG_VERSION, CONFIG_ENABLED, CURRENT_LEVEL };

static int get_figure(struct context *context)
{
	_cleanup_free_ struct platform_pp_query *queries = NULL;
	int err = levels_read_pp(context, &queries);

	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_pp_query *query = &queries[target->domain];
		const struct sst_pp *pp = &query->pp;

		if (levels_report_pp(context, target, query))
			continue;
		_cleanup_scope_ struct output_scope scope = context_enter(context, target, NULL);
		const struct {
			const char *name, *word;
			uint32_t number; /* if word is NULL */
		} figures[] = {
			[LOCK_STATUS] = { "get-lock-status", pp->locked ? "locked" : "unlocked", 0 },
			[CONFIG_LEVELS] = { "get-config-levels", NULL, pp->highest_level },
			[CONFIG_VERSION] = { "get-config-version", NULL, pp->version },
			[CONFIG_ENABLED] = { "get-config-enabled",
					     pp->enabled ? "enabled" : "disabled", 0 },
			[CURRENT_LEVEL] = { "get-config-current_level", NULL, pp->current_level },
		}, *figure = &figures[context->request->command->variant];

		output_known_text(context->output, figure->name, figure->word);
		if (!figure->word)
			output_number(context->output, figure->name, figure->number, "");
	}
	return err;
}

static const char *feature_word(bool supported, bool on)
{
	return !supported ? "unsupported" : on ? "enabled" : "disabled";
}

static void put_turbo_limits(struct output *output, const struct platform *platform,
			     const struct sst_turbo *turbo, unsigned int trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "turbo-ratio-limits-%s", platform->trl_names[trl_level]);

	for (unsigned int bucket = 0; bucket < SST_BUCKETS; bucket++) {
		_cleanup_scope_ struct output_scope inner =
			output_enter(output, "bucket-%u", bucket);

		output_value(output, "core-count", "%u", turbo->core_counts[bucket]);
		output_value(output, "max-turbo-frequency(MHz)", "%u",
			     turbo->mhz[trl_level][bucket]);
	}
}

/* Puts a number, but leaves out 0. */
static void put_known(struct output *output, const char *name, uint32_t number)
{
	if (number)
		output_number(output, name, number, "");
}

/* Puts the fields that have a place from first to before end. */
static void put_fields(struct output *output, const struct sst_level *level, unsigned int first,
		       unsigned int end)
{
	for (unsigned int place = first; place < end; place++) {
		level_fields_foreach (field, LEVEL_ANY) {
			if (field->place == place)
				put_known(output, field->name, level_field_get(field, level));
		}
	}
}

static void put_level(struct output *output, const struct platform *platform,
		      const struct platform_level_query *query,
		      const struct sst_core_power *core_power)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "perf-profile-level-%u", query->level);
	const struct sst_level *level = &query->info;

	put_known(output, "cpu-count", (uint32_t)cpuset_count(&query->domain->cpus));
	if (level->has_enabled_cpus) {
		put_known(output, "enable-cpu-count", (uint32_t)cpuset_count(&level->enabled_cpus));
		output_cpu_mask(output, "enable-cpu-mask", &level->enabled_cpus);
		output_cpu_list(output, "enable-cpu-list", &level->enabled_cpus);
	}
	output_number(output, "thermal-design-power-ratio", level->tdp_ratio, "");
	output_number(output, "base-frequency(MHz)", level->base_mhz, "");
	put_fields(output, level, 1, LEVEL_AFTER_FEATURES);
	if (level->has_cooling_type)
		output_number(output, "cooling_type", level->cooling_type, "");
	output_known_text(output, "speed-select-turbo-freq",
			  feature_word(level->turbo_freq_supported, level->turbo_freq_on));
	output_known_text(output, "speed-select-base-freq",
			  feature_word(level->base_freq_supported, level->base_freq_on));
	output_known_text(output, "speed-select-core-power",
			  feature_word(core_power->supported, core_power->enabled));
	put_fields(output, level, LEVEL_AFTER_FEATURES, LEVEL_PLACES);
	for (unsigned int i = 0; i < platform->n_trl_levels; i++) {
		if (level->turbo.mhz[i][0] > 0)
			put_turbo_limits(output, platform, &level->turbo, i);
	}
	if (level->base_freq_supported)
		levels_put_base_freq(output, &level->base_freq);
	if (level->turbo_freq_supported)
		levels_put_turbo_freq(output, platform, &level->turbo_freq, LEVELS_ALL, LEVELS_ALL);
}

/* Reports the levels of a target that cannot be shown. If all levels are requested, ignores levels
 * that do not exist. Returns true if any can be shown. */
static bool report_levels(struct context *context, const struct target *target,
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
	return shown > 0;
}

/* Reads the figures that differ by CPU on this platform. */
static int refine_levels(struct context *context, const struct target *target,
			 const struct levels *levels)
{
	struct platform *platform = context->platform;
	int err = 0;

	for (size_t i = levels->first[target->domain];
	     !err && platform->ops->refine_level && i < levels->first[target->domain + 1]; i++)
		if (!levels->queries[i].error)
			err = platform->ops->refine_level(platform, &levels->queries[i],
							  target->cpu);
	return err;
}

static void show_levels(struct context *context, const struct target *target,
			const struct levels *levels, const struct sst_core_power *core_power)
{
	int err = refine_levels(context, target, levels);

	if (err) {
		context_fail(context, target, err, "base_frequency of cpufreq");
		return;
	}
	_cleanup_scope_ struct output_scope scope = context_enter(context, target, NULL);

	for (size_t i = levels->first[target->domain]; i < levels->first[target->domain + 1]; i++) {
		const struct platform_level_query *query = &levels->queries[i];

		if (!query->error)
			put_level(context->output, context->platform, query, core_power);
	}
}

/* Shows the levels of a target; without SST-PP, for each of its CPUs, since these may differ. */
static void show_target(struct context *context, const struct target *target,
			const struct levels *levels, const struct sst_core_power *core_power)
{
	bool has_pp = levels->pp[target->domain].pp.enabled;

	if (!has_pp)
		output_information(
			context->output,
			"perf-profile feature is not supported, just base-config level 0 is valid");
	if (has_pp || cpuset_is_empty(&target->cpus)) {
		show_levels(context, target, levels, core_power);
		return;
	}
	cpuset_foreach (cpu, &target->cpus)
		show_levels(context, &(struct target){ .cpu = cpu, .domain = target->domain },
			    levels, core_power);
}

static int info(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	bool all = !arguments->level.given;
	int err = levels_read(context, &arguments->level,
			      PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ, &levels);

	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	err = core_power_read(context, false, &core_power);
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		int core_power_error = core_power[target->domain].error;

		if (levels_report_pp(context, target, &levels.pp[target->domain]))
			continue;
		/* Firmware without SST-CP refuses the request; another error is a failure. */
		if (core_power_error && core_power_error != -ENXIO) {
			context_fail(context, target, core_power_error, "core-power status");
			continue;
		}
		if (report_levels(context, target, &levels, all))
			show_target(context, target, &levels,
				    &core_power[target->domain].core_power);
	}
	return err;
}

static void check_domains(struct context *context, const struct levels *levels, uint32_t level)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct target *target =
			context_find_target(context, context->targets.domains[i]);
		const struct platform_pp_query *query = &levels->pp[i];

		if (levels_report_pp(context, target, query))
			continue;
		if (!query->pp.enabled)
			context_lack(context, target, "perf-profile is not supported");
		else if (query->pp.locked && query->pp.current_level != level)
			context_refuse(context, target, "the performance level is locked by BIOS");
		else
			levels_report(context, target, levels_of_domain(levels, i));
	}
}

/* The data that the requests point to. */
struct set_data {
	struct levels levels;
	struct follow follow;
};

static void set_data_done(void *pointer)
{
	struct set_data *data = pointer;

	follow_domains_done(data->follow.domains, data->follow.count);
	free(data->follow.domains);
	levels_done(&data->levels);
}

static int set_config_level(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	struct set_data *data = context_keep(context, sizeof(*data), set_data_done);
	struct follow *follow;
	int err = -ENOMEM;

	if (data)
		err = levels_read(context, &arguments->level,
				  arguments->online ? PLATFORM_LEVEL : PLATFORM_SUPPORT,
				  &data->levels);
	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	check_domains(context, &data->levels, (uint32_t)arguments->level.value);
	if (report_has_problem(&context->report))
		return 0;
	context->plan.wanted.leaf = "set_tdp_level";
	levels_request(context, &data->levels, "perf-profile.level",
		       .value.number = arguments->level.value);
	if (!arguments->online)
		return 0;
	/* Linux follows the level, in the domains that have CPUs. */
	follow = &data->follow;
	follow->parts = FOLLOW_ALL;
	follow->domains = calloc(context->targets.n_domains ?: 1, sizeof(*follow->domains));
	if (!follow->domains)
		return -ENOMEM;
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(&data->levels, i);

		if (!cpuset_is_empty(&context->targets.domains[i]->cpus))
			follow->domains[follow->count++] = (struct follow_domain){
				.domain = query->domain,
				.level = &query->info,
				.level_number = query->level,
				.cpu = CPUSET_NONE,
			};
	}
	context->plan.wanted.follow = follow;
	return 0;
}

static const struct option info_options[] = {
	{ 'l', "level", "LEVEL", "Performance level, 0 to 7 (default: all)",
	  OPTION_NUMBER(struct arguments, level, 0, SST_MAX_LEVEL), .from_upstream = true },
	{ 0 },
};

static const struct option set_options[] = {
	{ LEVELS_OPTION(struct arguments) },
	{ 'o', "online", NULL, "Bring the CPUs of the level online, take the others offline",
	  OPTION_FLAG(struct arguments, online), .from_upstream = true },
	{ 0 },
};

static const struct option compare_options[] = {
	{ 'l', "levels", "LEVEL,...", "Performance levels (default: all)",
	  OPTION_TEXT(struct perf_profile_compare_arguments, levels) },
	{ 0 },
};

const struct command perf_profile_commands[] = {
	{ "info", "Show everything about one performance level or all",
	  COMMAND_WITHOUT_DRIVER | COMMAND_SHOWS_CPUS, info_options, sizeof(struct arguments),
	  .run = info },
	{ "compare", "Show the performance levels side by side, with what each feature gives",
	  COMMAND_WITHOUT_DRIVER | COMMAND_SHOWS_CPUS | COMMAND_NOT_FOR_IO | COMMAND_IS_NEW,
	  compare_options, sizeof(struct perf_profile_compare_arguments),
	  .about = "Equal packages share a table. Values that all levels share are below it. The "
		   "cores of SST-TF buckets are counted per package.",
	  .run = perf_profile_compare },
	{ "get-lock-status", "Show whether the level can be changed: unlocked or locked",
	  .run = get_figure, .variant = LOCK_STATUS },
	{ "get-config-levels", "Show the number of the highest performance level",
	  .run = get_figure, .variant = CONFIG_LEVELS },
	{ "get-config-version", "Show the version of SST-PP", .run = get_figure,
	  .variant = CONFIG_VERSION },
	{ "get-config-enabled", "Show whether SST-PP is enabled", .run = get_figure,
	  .variant = CONFIG_ENABLED },
	{ "get-config-current-level", "Show the current performance level", .run = get_figure,
	  .variant = CURRENT_LEVEL },
	{ "set-config-level", "Switch to another performance level", COMMAND_WRITES, set_options,
	  sizeof(struct arguments), .run = set_config_level },
	{ 0 },
};
