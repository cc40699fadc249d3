// SPDX-License-Identifier: GPL-2.0-only
/* base-freq, SST-BF: a higher base frequency for some cores (commands.md, "base-freq"). */
#include "features/features.h"

#include <errno.h>

#include "base/units.h"
#include "features/core_power.h"
#include "features/levels.h"

/* The options; each command has some of them. */
struct arguments {
	struct option_number level;
	bool automatic;
};

static int info(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_levels_ struct levels levels = { 0 };
	int err = levels_read(context, &arguments->level, PLATFORM_BASE_FREQ, &levels);

	if (err || report_has(&context->report, REPORT_USAGE))
		return err;
	for (size_t i = 0; i < context->targets.n; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_level_query *query = levels_get(context, &levels, target);

		if (query && !query->info.base_freq_supported)
			context_lack(context, target, "base-freq is not supported at level %u",
				     query->level);
		if (!query || !query->info.base_freq_supported)
			continue;
		_cleanup_scope_ struct output_scope scope = levels_enter(context, target);

		levels_put_base_freq(context->output, &query->info.base_freq);
	}
	return levels_note_others(context, &levels, "base-freq.enabled");
}

/* Requests frequency limits for every online CPU of a domain. On: raises them to the base frequency
 * of the CPU; off: opens the lower limit. */
static void request_limits(struct context *context, const struct power_domain *domain,
			   const struct sst_base_freq *base_freq, bool on)
{
	cpuset_foreach (cpu, &domain->cpus) {
		bool is_high = cpuset_has(&base_freq->high_cpus, cpu);
		uint32_t base_mhz = is_high ? base_freq->high_mhz : base_freq->low_mhz;

		if (!cpuset_has(&context->machine->topology.online, cpu))
			continue;
		if (on)
			context_request(context, "cpufreq.min-mhz", .cpu = cpu, .is_optional = true,
					.value.range.raises = true,
					.value.range.base_khz = base_mhz * KHZ_PER_MHZ);
		else
			context_request(context, "cpufreq.min-mhz", .cpu = cpu, .is_optional = true,
					.value.range.min_from = CPUFREQ_LOWEST);
	}
}

/* Requests what --auto sets. On: CLOS 0 and the higher base frequency for the high-priority CPUs of
 * the level, and the frequency limits. CLOS stays on while SST-TF needs it. */
static int request_auto(struct context *context, const struct levels *levels, bool on)
{
	_cleanup_cpuset_ struct cpuset high = { 0 };
	bool is_needed = false;

	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(levels, i);
		const struct sst_base_freq *base_freq;

		if (query && query->info.turbo_freq_on)
			is_needed = true;
		if (context->targets.states[i] != DOMAIN_SET)
			continue;
		base_freq = &query->info.base_freq;
		request_limits(context, context->targets.domains[i], base_freq, on);
		if (!on)
			continue;
		core_power_request_clos(context, i, base_freq->high_mhz, base_freq->low_mhz);
		if (cpuset_add_all(&high, &base_freq->high_cpus))
			return -ENOMEM;
	}
	if (!on && is_needed)
		context_note(context, NULL, "core-power stays on: turbo-freq is on and needs it");
	else
		levels_request(context, NULL, "core-power.enabled",
			       .value.core_power = { .on = on, .ordered = true });
	return on ? core_power_request_priorities(context, &high, false) : 0;
}

static int set(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	bool on = context->request->command->variant == VARIANT_ENABLE;
	const struct levels *levels = NULL;
	int err;

	/* In this case BIOS sets levels and priorities, and nothing else is read or set. */
	if (context->platform->base_freq_by_cpufreq) {
		context->plan.wanted.is_planned_anyway = true;
		levels_request(context, NULL, "base-freq.enabled", .value.on = on);
		return 0;
	}
	err = levels_prepare_switch(context, "base-freq.enabled", on, arguments->automatic,
				    PLATFORM_BASE_FREQ, &levels);
	if (err || !levels)
		return err;
	levels_request(context, levels, "base-freq.enabled", .value.on = on);
	return arguments->automatic ? request_auto(context, levels, on) : 0;
}

static const struct option info_options[] = {
	{ LEVELS_OPTION(struct arguments) },
	{ 0 },
};

static const struct option set_options[] = {
	{ 'a', "auto", NULL, "Set priorities and frequency limits to match",
	  OPTION_FLAG(struct arguments, automatic), .from_upstream = true },
	{ 0 },
};

const struct command base_freq_commands[] = {
	{ "info", "Show the frequencies and the high-priority CPUs of a level",
	  COMMAND_WITHOUT_DRIVER | COMMAND_SHOWS_CPUS, info_options, sizeof(struct arguments),
	  .run = info },
	{ "enable", "Give the high-priority CPUs the higher base frequency",
	  COMMAND_WRITES | COMMAND_WITHOUT_DRIVER, set_options, sizeof(struct arguments),
	  .run = set, .variant = VARIANT_ENABLE, .keeps_files = "no_turbo" },
	{ "disable", "Give all CPUs the same base frequency",
	  COMMAND_WRITES | COMMAND_WITHOUT_DRIVER, set_options, sizeof(struct arguments),
	  .run = set, .variant = VARIANT_DISABLE, .keeps_files = "no_turbo" },
	{ 0 },
};
