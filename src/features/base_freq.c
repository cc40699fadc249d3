// SPDX-License-Identifier: GPL-2.0-only
/* base-freq, SST-BF: a higher base frequency for some cores (commands.md, "base-freq"). */
#include "features/features.h"

#include <errno.h>

#include "base/cleanup.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "features/setting.h"

#define KHZ_PER_MHZ 1000

struct info_arguments {
	struct option_number level;
};

struct set_arguments {
	bool automatic;
};

static void show(struct context *context, const struct target *target,
		 const struct platform_level_query *query)
{
	struct output_place place = context_place(context, target);

	if (!query->info.base_freq_supported) {
		context_lack(context, target, "base-freq is not supported at level %u",
			     query->level);
		return;
	}
	_cleanup_scope_ struct output_scope scope = output_enter_place(context->output, &place);

	levels_put_base_freq(context->output, &query->info.base_freq);
	context_count_done(context);
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read(context, &arguments->level, PLATFORM_BASE_FREQ, &levels);

	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	for (size_t i = 0; i < context->n_targets; i++) {
		const struct target *target = &context->targets[i];
		const struct platform_level_query *query = levels_get(context, &levels, target);

		if (query)
			show(context, target, query);
	}
	return 0;
}

/* The frequency limits of every online CPU of the domains: on, raised to the base frequency of the
 * CPU; off, the lower one opened. */
static void add_limits(const struct context *context, const struct levels *levels, bool on,
		       struct setting_list *list)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct sst_base_freq *base_freq;

		if (context_is_left_out(context, i))
			continue;
		base_freq = &levels_of_domain(levels, i)->info.base_freq;
		cpuset_foreach (cpu, &context->domains[i]->cpus) {
			struct setting_request request = {
				SETTING_FREQUENCY_LIMITS,
				.cpu = cpu,
				.is_optional = true,
			};

			if (!cpuset_has(&context->machine->topology.online, cpu))
				continue;
			request.value.range.raises = on;
			if (!on)
				request.value.range.min_file = "cpuinfo_min_freq";
			else if (cpuset_has(&base_freq->high_cpus, cpu))
				request.value.range.base_khz = base_freq->high_mhz * KHZ_PER_MHZ;
			else
				request.value.range.base_khz = base_freq->low_mhz * KHZ_PER_MHZ;
			setting_list_add(list, &request);
		}
	}
}

/* On Cascade Lake-N, where BIOS sets levels and priorities, nothing else is read or set. */
static int set_alone(struct context *context, bool on, const struct setting_result *result)
{
	_cleanup_setting_list_ struct setting_list list = { 0 };
	int err;

	setting_add_domains(context, &list, NULL,
			    (struct setting_request){ SETTING_BASE_FREQ, .value.on = on });
	err = setting_plan(context, &list);
	return err ? err : setting_finish(context, result);
}

/* CLOS 0 and the higher base frequency for the high-priority CPUs of the level. */
static int add_priorities(const struct context *context, const struct levels *levels,
			  struct setting_list *list)
{
	_cleanup_cpuset_ struct cpuset high = { 0 };

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct sst_base_freq *base_freq;

		if (context_is_left_out(context, i))
			continue;
		base_freq = &levels_of_domain(levels, i)->info.base_freq;
		core_power_add_auto_clos(context, list, i, base_freq->high_mhz, base_freq->low_mhz);
		if (cpuset_add_all(&high, &base_freq->high_cpus))
			return -ENOMEM;
	}
	return core_power_add_auto_assoc(context, list, &high, false);
}

static int enable(struct context *context, const void *arguments_pointer)
{
	const struct set_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "base-freq", .leaf = "enable" };
	_cleanup_setting_list_ struct setting_list list = { 0 };
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	if (context->platform->is_clx_n)
		return set_alone(context, true, &result);
	err = levels_read_current(context, PLATFORM_BASE_FREQ, &levels);
	if (err)
		return err;
	levels_require(context, &levels, SETTING_BASE_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	if (arguments->automatic) {
		core_power_add_switch(context, &list, CORE_POWER_ON, true);
		err = add_priorities(context, &levels, &list);
		/* A domain that turns out to have no SST-CP gets no SST-BF either. */
		err = err ? err : setting_plan(context, &list);
	}
	if (err)
		return err;
	setting_add_domains(context, &list, &levels,
			    (struct setting_request){ SETTING_BASE_FREQ, .value.on = true });
	if (arguments->automatic)
		add_limits(context, &levels, true, &list);
	err = setting_plan(context, &list);
	return err ? err : setting_finish(context, &result);
}

/* CLOS stays on while SST-TF needs it. */
static bool needs_clos(struct context *context, const struct levels *levels)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);

		if (query && query->info.turbo_freq_on) {
			context_note(context, NULL,
				     "core-power stays on: turbo-freq is on and needs it");
			return true;
		}
	}
	return false;
}

static int disable(struct context *context, const void *arguments_pointer)
{
	const struct set_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "base-freq", .leaf = "disable" };
	_cleanup_setting_list_ struct setting_list list = { 0 };
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	if (context->platform->is_clx_n)
		return set_alone(context, false, &result);
	err = levels_read_current(context, PLATFORM_BASE_FREQ, &levels);
	if (err)
		return err;
	levels_note_absent(context, &levels, SETTING_BASE_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	setting_add_domains(context, &list, &levels,
			    (struct setting_request){ SETTING_BASE_FREQ, .value.on = false });
	if (arguments->automatic && !needs_clos(context, &levels))
		core_power_add_switch(context, &list, CORE_POWER_OFF, true);
	if (arguments->automatic)
		add_limits(context, &levels, false, &list);
	err = setting_plan(context, &list);
	return err ? err : setting_finish(context, &result);
}

static const struct option info_options[] = {
	{ LEVELS_OPTION(struct info_arguments) },
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ .letter = 'a',
	  .name = "auto",
	  .from_upstream = true,
	  .help = "Set priorities and frequency limits to match",
	  OPTION_FLAG(struct set_arguments, automatic) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show the frequencies and the high-priority CPUs of a level",
	  .flags = COMMAND_ON_CLX_N | COMMAND_SHOWS_CPUS,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "enable",
	  .summary = "Give the high-priority CPUs the higher base frequency",
	  .flags = COMMAND_WRITES | COMMAND_ON_CLX_N,
	  .options = set_options,
	  .arguments_size = sizeof(struct set_arguments),
	  .run = enable },
	{ .name = "disable",
	  .summary = "Give all CPUs the same base frequency",
	  .flags = COMMAND_WRITES | COMMAND_ON_CLX_N,
	  .options = set_options,
	  .arguments_size = sizeof(struct set_arguments),
	  .run = disable },
};

const struct feature base_freq_feature = {
	.name = "base-freq",
	.title = "Intel(R) SST-BF: higher base frequency for some cores",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
