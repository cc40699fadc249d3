// SPDX-License-Identifier: GPL-2.0-only
/* perf-profile, SST-PP: performance levels (commands.md, "perf-profile"). */
#include "features/features.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "features/setting.h"
#include "host/location.h"
#include "output/output.h"
#include "settings/follow.h"

struct info_arguments {
	struct option_number level;
};

/* Shows one figure of SST-PP of each domain, for the get-* commands. */
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

/* The kernel's tool writes the underscore. */
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

/* A level, and the other values of its node. */
struct level_record {
	struct sst_level level;
	struct cpuset cpus;
	const char *turbo_freq;
	const char *base_freq;
	const char *core_power;
};

#define LEVEL_NUMBER(member)      FIELD_AS_NUMBER(struct level_record, level.member)
#define LEVEL_CPUS(member, shape) FIELD_AS_CPUS(struct level_record, member, shape)
#define LEVEL_IF(member)          FIELD_IF(struct level_record, level.member)

static const struct field level_fields[] = {
	{ .name = "cpu-count", .omit_zero = true, LEVEL_CPUS(cpus, FIELD_CPU_COUNT) },
	{ .name = "enable-cpu-count",
	  .omit_zero = true,
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_COUNT),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "enable-cpu-mask",
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_MASK),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "enable-cpu-list",
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_LIST),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "thermal-design-power-ratio", LEVEL_NUMBER(tdp_ratio) },
	{ .name = "base-frequency(MHz)", LEVEL_NUMBER(base_mhz) },
	{ .name = "base-frequency-avx2(MHz)", .omit_zero = true, LEVEL_NUMBER(base_avx2_mhz) },
	{ .name = "base-frequency-avx512(MHz)", .omit_zero = true, LEVEL_NUMBER(base_avx512_mhz) },
	{ .name = "uncore-frequency-min(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.min_mhz) },
	{ .name = "uncore-frequency-max(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.max_mhz) },
	{ .name = "base-frequency-amx(MHz)", .omit_zero = true, LEVEL_NUMBER(base_amx_mhz) },
	{ .name = "uncore-frequency-base(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.base_mhz) },
	{ .name = "uncore-1-frequency-base(MHz)",
	  .omit_zero = true,
	  LEVEL_NUMBER(uncore1.base_mhz) },
	{ .name = "uncore-1-frequency-min(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore1.min_mhz) },
	{ .name = "uncore-1-frequency-max(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore1.max_mhz) },
	{ .name = "max-mem-frequency(MHz)", .omit_zero = true, LEVEL_NUMBER(memory_mhz) },
	{ .name = "cooling_type", LEVEL_NUMBER(cooling_type), LEVEL_IF(has_cooling_type) },
	{ .name = "speed-select-turbo-freq", FIELD_AS_WORD(struct level_record, turbo_freq) },
	{ .name = "speed-select-base-freq", FIELD_AS_WORD(struct level_record, base_freq) },
	{ .name = "speed-select-core-power", FIELD_AS_WORD(struct level_record, core_power) },
	{ .name = "thermal-design-power(W)", .omit_zero = true, LEVEL_NUMBER(tdp_w) },
	{ .name = "tjunction-max(C)", .omit_zero = true, LEVEL_NUMBER(tjunction_max_c) },
};

static const char *feature_word(bool supported, bool on)
{
	return !supported ? "unsupported" : on ? "enabled" : "disabled";
}

static void put_turbo_limits(struct output *output, const struct platform *platform,
			     const struct sst_turbo *turbo, unsigned int trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "turbo-ratio-limits-%s", platform->trl_names[trl_level].name);

	for (unsigned int bucket = 0; bucket < SST_BUCKETS; bucket++) {
		_cleanup_scope_ struct output_scope inner =
			output_enter(output, "bucket-%u", bucket);

		output_value(output, "core-count", "%u", turbo->core_counts[bucket]);
		output_value(output, "max-turbo-frequency(MHz)", "%u",
			     turbo->mhz[trl_level][bucket]);
	}
}

static void put_level(struct output *output, const struct platform *platform,
		      const struct platform_level_query *query,
		      const struct sst_core_power *core_power)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "perf-profile-level-%u", query->level);
	const struct sst_level *level = &query->info;
	struct level_record record = {
		.level = *level,
		.cpus = query->domain->cpus,
		.turbo_freq = feature_word(level->turbo_freq_supported, level->turbo_freq_on),
		.base_freq = feature_word(level->base_freq_supported, level->base_freq_on),
		.core_power = feature_word(core_power->supported, core_power->enabled),
	};

	fields_put(output, level_fields, ARRAY_SIZE(level_fields), &record);
	for (unsigned int i = 0; i < platform->n_trl_levels; i++) {
		if (level->turbo.mhz[i][0] > 0)
			put_turbo_limits(output, platform, &level->turbo, i);
	}
	if (level->base_freq_supported)
		levels_put_base_freq(output, &level->base_freq);
	if (level->turbo_freq_supported)
		levels_put_turbo_freq(output, platform, &level->turbo_freq, LEVELS_ALL, LEVELS_ALL);
}

/* Firmware that refuses the request (-ENXIO) has no SST-CP; another error is a failure. */
static bool report_core_power(struct context *context, const struct target *target,
			      const struct platform_core_power_query *query)
{
	if (query->error && query->error != -ENXIO)
		context_fail(context, target, query->error, "core-power status");
	return query->error && query->error != -ENXIO;
}

/* Reports the levels of a target that cannot be shown. Returns how many can be. If all levels are
 * wanted, one that does not exist is ignored. */
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

/* Reads the figures that differ by CPU on this platform. Returns whether that failed, which is
 * reported. */
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
			put_level(context->output, context->platform, query, core_power);
	}
	context_count_done(context);
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	_cleanup_free_ struct platform_core_power_query *core_power = NULL;
	_cleanup_levels_ struct levels levels = { 0 };
	bool all = !arguments->level.given;
	int err = levels_read(context, &arguments->level,
			      PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ, &levels);

	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	err = core_power_read(context, false, &core_power);
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

struct set_arguments {
	struct option_number level;
	bool online;
};

/* Refuses domains whose level cannot be set. */
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

/* Lists the domains that have CPUs: Linux has nothing to do for the others. */
static void list_domains(const struct context *context, const struct levels *levels,
			 struct follow *follow)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (!cpuset_is_empty(&context->domains[i]->cpus))
			follow->domains[follow->count++] = (struct follow_domain){
				.domain = query->domain,
				.level = &query->info,
				.level_number = query->level,
				.cpu = CPUSET_NONE,
			};
	}
}

/* Reports what one domain cannot follow. CPUs that would stay online although the level does not
 * enable them are known before any write: the command is refused, as the level's frequencies hold
 * for its own CPUs only. */
static void report_domain(struct context *context, const struct follow_domain *domain)
{
	const struct location location = domains_location(domain->domain);
	_cleanup_free_ char *place = location_format(&location);
	const struct target *target;
	size_t index = 0;

	while (context->domains[index] != domain->domain)
		index++;
	target = context_find_target(context, index);
	if (domain->uncore_note)
		context_note(context, NULL, "%s: performance level %u: %s",
			     place ?: "a power domain", domain->level_number, domain->uncore_note);
	if (domain->error && domain->cpu != CPUSET_NONE)
		context_fail(context, NULL, domain->error, "%s of cpu-%u", domain->what,
			     domain->cpu);
	else if (domain->error)
		context_fail(context, target, domain->error, "%s", domain->what);
	cpuset_foreach (cpu, &domain->kept) {
		_cleanup_free_ char *text =
			follow_describe_kept(context->platform, cpu, domain->level_number);

		context_refuse(context, target, "%s", text ?: "out of memory");
	}
}

/* Has Linux follow the level. */
static int plan_follow(struct context *context, const struct levels *levels)
{
	_cleanup_free_ struct follow_domain *domains =
		calloc(context->n_domains ?: 1, sizeof(*domains));
	struct follow follow = {
		.platform = context->platform,
		.changes = context->plan,
		.domains = domains,
		.parts = FOLLOW_ALL,
		.cgroup = context->options->cgroup,
		.cpu0_workaround = context->options->cpu0_workaround,
	};
	int err;

	if (!domains)
		return -ENOMEM;
	list_domains(context, levels, &follow);
	err = follow_plan(&follow);
	if (err == -ENOTSUP)
		context_lack(context, NULL, "%s", follow.problem);
	else if (err && err != -ENOMEM)
		context_fail(context, NULL, err, "%s", follow.problem ?: "online files of CPUs");
	for (size_t i = 0; i < follow.count && err != -ENOMEM; i++)
		report_domain(context, &domains[i]);
	follow_domains_done(domains, follow.count);
	return err == -ENOMEM ? err : 0;
}

static int set_config_level(struct context *context, const void *arguments_pointer)
{
	const struct set_arguments *arguments = arguments_pointer;
	const struct setting_result result = {
		.node = "perf-profile",
		.leaf = "set_tdp_level",
		.takes_cpus_offline = arguments->online,
	};
	_cleanup_setting_list_ struct setting_list list = { 0 };
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read(context, &arguments->level,
			      arguments->online ? PLATFORM_LEVEL : PLATFORM_SUPPORT, &levels);

	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	check_domains(context, &levels);
	if (setting_is_refused(context))
		return 0;
	if (arguments->online)
		err = setting_report_unplaced(
			context, "they stay offline, also those that the level enables");
	if (err)
		return err;
	setting_add_domains(context, &list, &levels,
			    (struct setting_request){ SETTING_LEVEL,
						      .value.number = arguments->level.value });
	err = setting_plan(context, &list);
	if (!err && arguments->online)
		err = plan_follow(context, &levels);
	return err ? err : setting_finish(context, &result);
}

static const struct option info_options[] = {
	{ .letter = 'l',
	  .name = "level",
	  .value = "LEVEL",
	  .from_upstream = true,
	  .help = "Only this performance level, 0 to 7; without it all levels",
	  OPTION_NUMBER(struct info_arguments, level, 0, SST_MAX_LEVEL) },
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ LEVELS_OPTION(struct set_arguments) },
	{ .letter = 'o',
	  .name = "online",
	  .from_upstream = true,
	  .help = "Bring the CPUs of the level online, take the others offline",
	  OPTION_FLAG(struct set_arguments, online) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show everything about one performance level or all",
	  .flags = COMMAND_ON_CLX_N | COMMAND_SHOWS_CPUS,
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
	  .arguments_size = sizeof(struct set_arguments),
	  .run = set_config_level },
};

const struct feature perf_profile_feature = {
	.name = "perf-profile",
	.title = "Intel(R) SST-PP: performance levels",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
