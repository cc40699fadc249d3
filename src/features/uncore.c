// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncore: limits of uncore frequencies and efficiency latency control, by package and die or power
 * domain (sysfs.md, "uncore"). A die without an online CPU is an error of that die alone.
 */
#include "features/features.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/context.h"
#include "features/cpufreq_set.h"
#include "features/machine_reading.h"
#include "features/uncore_set.h"
#include "plan/file_step.h"

#define MIN_MHZ 100
#define MAX_MHZ 12700 /* 7 bits of 100 MHz */

struct info_arguments {
	struct option_number package;
	struct option_number domain;
};

static void put_mhz(struct output *output, const char *name, uint32_t khz)
{
	char mhz[MACHINE_READING_MHZ_SIZE];

	if (!khz)
		return;
	machine_reading_format_mhz(khz, mhz);
	output_value(output, name, "%s", mhz);
}

static void put_elc(struct output *output, const struct uncore_unit *unit)
{
	static const char *const names[UNCORE_ELC_FILES] = {
		[UNCORE_ELC_LOW_THRESHOLD] = "elc-low-threshold(%)",
		[UNCORE_ELC_HIGH_THRESHOLD] = "elc-high-threshold(%)",
		[UNCORE_ELC_HIGH_ENABLE] = "elc-high-threshold-enabled",
	};
	const struct uncore_number *floor = &unit->elc[UNCORE_ELC_FLOOR];

	for (size_t i = 0; i < UNCORE_ELC_FILES; i++) {
		if (names[i] && unit->elc[i].is_known)
			output_number(output, names[i], unit->elc[i].value, "");
	}
	if (floor->is_known)
		put_mhz(output, "elc-floor-frequency(MHz)", floor->value);
}

static void put_values(struct output *output, const struct uncore_unit *unit)
{
	put_mhz(output, "minimum-frequency(MHz)", unit->min_khz);
	put_mhz(output, "maximum-frequency(MHz)", unit->max_khz);
	put_mhz(output, "initial-minimum-frequency(MHz)", unit->initial_min_khz);
	put_mhz(output, "initial-maximum-frequency(MHz)", unit->initial_max_khz);
	put_mhz(output, "current-frequency(MHz)", unit->current_khz);
	put_elc(output, unit);
	if (unit->agent_types)
		output_value(output, "agent-types", "%s", unit->agent_types);
}

static void put_unit(struct context *context, const struct uncore_unit *unit)
{
	struct output_place place = uncore_place_unit(unit);
	_cleanup_scope_ struct output_scope outer = output_enter_place(context->output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "uncore");

	context_count_done(context);
	if (!unit->is_cluster) {
		put_values(context->output, unit);
		return;
	}
	_cleanup_scope_ struct output_scope cluster =
		output_enter(context->output, "cluster-%" PRIu32, unit->cluster);
	put_values(context->output, unit);
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	const struct uncore_choice choice = { arguments->package, arguments->domain };
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	int err = uncore_choose_units(context, &choice, &units);

	for (size_t i = 0; i < units.count && !err; i++) {
		const struct uncore_unit *unit = &units.units[i];
		struct file_cause cause = file_step_cause(unit->path, unit->error);

		if (unit->error)
			context_refuse(context, NULL, "%s: %s", unit->name,
				       cause.text ?: strerror(-unit->error));
		else
			put_unit(context, unit);
	}
	return err;
}

#define CHOICE_OPTIONS(type)                                                         \
	{ .name = "package",                                                         \
	  .value = "N",                                                              \
	  .help = "Only this package",                                               \
	  OPTION_NUMBER(type, package, 0, UINT32_MAX) },                             \
	{                                                                            \
		.name = "domain", .value = "N",                                      \
		.help = "Only this power domain or, where there are none, this die", \
		OPTION_NUMBER(type, domain, 0, UINT32_MAX)                           \
	}

static const struct option info_options[] = {
	CHOICE_OPTIONS(struct info_arguments),
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ .name = "min",
	  .value = "MHZ",
	  .help = "Lower limit, in steps of 100 MHz",
	  OPTION_MHZ(struct uncore_set_arguments, min_mhz, MIN_MHZ, MAX_MHZ) },
	{ .name = "max",
	  .value = "MHZ",
	  .help = "Upper limit, in steps of 100 MHz",
	  OPTION_MHZ(struct uncore_set_arguments, max_mhz, MIN_MHZ, MAX_MHZ) },
	{ .name = "elc-low-threshold",
	  .value = "PERCENT",
	  .help = "Below this load efficiency latency control goes to its floor",
	  OPTION_NUMBER(struct uncore_set_arguments, elc_low_percent, 0, 100) },
	{ .name = "elc-high-threshold",
	  .value = "PERCENT",
	  .help = "Above this load it raises the frequency",
	  OPTION_NUMBER(struct uncore_set_arguments, elc_high_percent, 0, 100) },
	{ .name = "elc-high",
	  .value = "on|off",
	  .help = "Whether it looks at the high threshold",
	  OPTION_WORD(struct uncore_set_arguments, elc_high, cpufreq_set_switch_words) },
	{ .name = "elc-floor",
	  .value = "MHZ",
	  .help = "Its floor, in steps of 100 MHz; without effect below the lower limit",
	  OPTION_MHZ(struct uncore_set_arguments, elc_floor_mhz, MIN_MHZ, MAX_MHZ) },
	CHOICE_OPTIONS(struct uncore_set_arguments),
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show uncore frequency limits by package and die or power domain",
	  .flags = COMMAND_ANY_MACHINE,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "set",
	  .summary = "Set uncore frequency limits and efficiency latency control",
	  .about =
		  "All or nothing, and read back. --cpu stands for the dies of those CPUs or, on parts with power domains, for their packages.",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct uncore_set_arguments),
	  .run = uncore_set },
};

const struct feature uncore_feature = {
	.name = "uncore",
	.title = "Uncore frequency limits; on any machine that has them",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
