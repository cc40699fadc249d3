// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpufreq: drivers, governors, frequency limits and energy hints of any machine (sysfs.md, "cpufreq
 * policy", "intel_pstate", "EPB"). A CPU whose policy goes away while it is read is an error of
 * that CPU alone.
 */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/context.h"
#include "features/cpu_groups.h"
#include "features/cpufreq_explain.h"
#include "features/cpufreq_set.h"
#include "features/machine_reading.h"
#include "machine/cpufreq.h"
#include "output/fields.h"

struct info_arguments {
	bool each;
};

/* A policy as it is shown. */
struct shown {
	const char *driver;
	const char *governor;
	const char *governors;
	const char *min, *max, *lowest, *highest, *base;
	const char *current;
	const char *epp;
	const char *epps;
	const char *epb;
};

#define SHOWN_WORD(label, member)                                                       \
	{                                                                               \
		.name = (label), .omit_zero = true, FIELD_AS_WORD(struct shown, member) \
	}

static const struct field policy_fields[] = {
	SHOWN_WORD("driver", driver),
	SHOWN_WORD("governor", governor),
	SHOWN_WORD("available-governors", governors),
	SHOWN_WORD("minimum-frequency(MHz)", min),
	SHOWN_WORD("maximum-frequency(MHz)", max),
	SHOWN_WORD("lowest-possible-frequency(MHz)", lowest),
	SHOWN_WORD("highest-possible-frequency(MHz)", highest),
	SHOWN_WORD("base-frequency(MHz)", base),
	SHOWN_WORD("current-frequency(MHz)", current),
	SHOWN_WORD("energy-performance-preference", epp),
	SHOWN_WORD("available-energy-performance-preferences", epps),
	SHOWN_WORD("energy-performance-bias", epb),
};

#define MACHINE_WORD(label, member)                                                             \
	{                                                                                       \
		.name = (label), .omit_zero = true, FIELD_AS_WORD(struct machine_shown, member) \
	}

struct machine_shown {
	const char *status, *no_turbo, *min_pct, *max_pct, *dynamic_boost, *boost;
};

static const struct field machine_fields[] = {
	MACHINE_WORD("intel_pstate-status", status),
	MACHINE_WORD("no_turbo", no_turbo),
	MACHINE_WORD("min_perf_pct", min_pct),
	MACHINE_WORD("max_perf_pct", max_pct),
	MACHINE_WORD("hwp_dynamic_boost", dynamic_boost),
	MACHINE_WORD("boost", boost),
};

static bool are_equal(const void *left, const void *right)
{
	return cpufreq_policy_equal(left, right);
}

/* A frequency in MHz, in a text of its own place; NULL where it is not known. */
static const char *format_known(uint32_t khz, char text[MACHINE_READING_MHZ_SIZE])
{
	if (!khz)
		return NULL;
	machine_reading_format_mhz(khz, text);
	return text;
}

/*
 * The current frequency of the CPUs of a group: "800", or "800-3200" if they differ. policies is by
 * CPU. A new text; NULL if it is not known, or memory is short.
 */
static char *format_current(const struct cpu_group *group,
			    const struct cpufreq_policy *const *policies)
{
	char lowest[MACHINE_READING_MHZ_SIZE], highest[MACHINE_READING_MHZ_SIZE];
	uint32_t lowest_khz = policies[group->cpu]->current_khz, highest_khz = lowest_khz;
	char *text;

	cpuset_foreach (cpu, &group->cpus) {
		uint32_t khz = policies[cpu]->current_khz;

		lowest_khz = khz < lowest_khz ? khz : lowest_khz;
		highest_khz = khz > highest_khz ? khz : highest_khz;
	}
	if (!lowest_khz)
		return NULL;
	machine_reading_format_mhz(lowest_khz, lowest);
	machine_reading_format_mhz(highest_khz, highest);
	if (lowest_khz == highest_khz)
		return strdup(lowest);
	return asprintf(&text, "%s-%s", lowest, highest) < 0 ? NULL : text;
}

static void put_group(struct output *output, const struct cpu_group *group,
		      const struct cpufreq_policy *const *policies)
{
	const struct cpufreq_policy *policy = group->record;
	_cleanup_free_ char *current = format_current(group, policies);
	char min[MACHINE_READING_MHZ_SIZE], max[MACHINE_READING_MHZ_SIZE];
	char lowest[MACHINE_READING_MHZ_SIZE], highest[MACHINE_READING_MHZ_SIZE];
	char base[MACHINE_READING_MHZ_SIZE];
	const struct shown shown = {
		.driver = policy->driver,
		.governor = policy->governor,
		.governors = policy->governors,
		.min = format_known(policy->min_khz, min),
		.max = format_known(policy->max_khz, max),
		.lowest = format_known(policy->lowest_khz, lowest),
		.highest = format_known(policy->highest_khz, highest),
		.base = format_known(policy->base_khz, base),
		.current = current,
		.epp = policy->epp,
		.epps = policy->epps,
		.epb = policy->epb,
	};
	struct output_place place = cpu_groups_place(group);
	_cleanup_scope_ struct output_scope outer = output_enter_place(output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(output, "cpufreq");

	fields_put(output, policy_fields, ARRAY_SIZE(policy_fields), &shown);
}

static int put_machine(struct context *context)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	int err = cpufreq_read_machine(context->machine->host->files, &machine);
	const struct machine_shown shown = {
		machine.status,       machine.no_turbo,          machine.min_perf_pct,
		machine.max_perf_pct, machine.hwp_dynamic_boost, machine.boost,
	};

	if (err == -ENOMEM)
		return err;
	if (err) {
		context_fail(context, NULL, err, "cpufreq of the whole machine");
		return 0;
	}
	if (!shown.status && !shown.no_turbo && !shown.boost)
		return 0;
	_cleanup_scope_ struct output_scope outer = output_enter(context->output, "machine");
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "cpufreq");
	fields_put(context->output, machine_fields, ARRAY_SIZE(machine_fields), &shown);
	return 0;
}

static int put_policies(struct context *context, const struct machine_reading *reading, bool each)
{
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	_cleanup_free_ const struct cpufreq_policy **policies = NULL;
	size_t position = 0;
	int err;

	if (cpuset_is_empty(context->cpus))
		return 0;
	policies = calloc((size_t)cpuset_last(context->cpus) + 1, sizeof(*policies));
	if (!policies)
		return -ENOMEM;
	cpuset_foreach (cpu, context->cpus)
		policies[cpu] = reading->records[position++];
	err = cpu_groups_make(&context->machine->topology, context->cpus, reading->records,
			      each ? NULL : are_equal, &groups);
	for (size_t i = 0; i < groups.count && !err; i++) {
		put_group(context->output, &groups.groups[i], policies);
		context_count_done(context);
	}
	return err;
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	_cleanup_machine_reading_ struct machine_reading reading = { 0 };
	int err = machine_reading_policies(context, &reading);

	if (!err && context_status(context) != STATUS_UNSUPPORTED)
		err = put_machine(context);
	return err ?: put_policies(context, &reading, arguments->each);
}

static const struct option info_options[] = {
	{ .name = "each",
	  .help = "Show every CPU on its own, also those that are alike",
	  OPTION_FLAG(struct info_arguments, each) },
	OPTIONS_END,
};

/* For completion, which does not ask the machine: what kernels have. */
static const char *const limit_words[] = { "min", "base", "max", NULL };
static const char *const governor_words[] = { "performance", "powersave", "schedutil",
					      "ondemand",    "userspace", "conservative",
					      NULL };
static const char *const epp_words[] = { "default",       "performance", "balance_performance",
					 "balance_power", "power",       NULL };
static const char *const epb_words[] = { "performance", "balance-performance",
					 "normal",      "balance-power",
					 "power",       NULL };

static const struct option set_options[] = {
	{ .name = "min",
	  .value = "MHZ|min|base|max",
	  .words = limit_words,
	  .help = "Lower frequency limit",
	  OPTION_TEXT(struct cpufreq_set_arguments, min) },
	{ .name = "max",
	  .value = "MHZ|min|base|max",
	  .words = limit_words,
	  .help = "Upper frequency limit",
	  OPTION_TEXT(struct cpufreq_set_arguments, max) },
	{ .name = "lock",
	  .value = "MHZ|min|base|max",
	  .words = limit_words,
	  .help = "Both limits at once",
	  OPTION_TEXT(struct cpufreq_set_arguments, lock) },
	{ .name = "governor",
	  .value = "NAME",
	  .words = governor_words,
	  .help = "Governor",
	  OPTION_TEXT(struct cpufreq_set_arguments, governor) },
	{ .name = "epp",
	  .value = "NAME|0-255",
	  .words = epp_words,
	  .help = "Energy performance preference",
	  OPTION_TEXT(struct cpufreq_set_arguments, epp) },
	{ .name = "epb",
	  .value = "NAME|0-15",
	  .words = epb_words,
	  .help = "Energy performance bias",
	  OPTION_TEXT(struct cpufreq_set_arguments, epb) },
	{ .name = "turbo",
	  .value = "on|off",
	  .help = "Turbo, of the whole machine",
	  OPTION_WORD(struct cpufreq_set_arguments, turbo, cpufreq_set_switch_words) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show driver, governor, frequency limits and energy hints of CPUs",
	  .about =
		  "CPUs of a die that are alike are shown together. Without --cpu: all CPUs that are online.",
	  .flags = COMMAND_ANY_MACHINE,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "set",
	  .summary = "Set governor, frequency limits, energy hints, turbo",
	  .about =
		  "All or nothing, in an order that is safe, and read back. Without --cpu: all CPUs that are online.",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct cpufreq_set_arguments),
	  .run = cpufreq_set },
	{ .name = "explain",
	  .summary =
		  "List every limit of the frequency of the CPUs of --cpu, and name those that bind",
	  .about =
		  "Limits by a number of cores are those that hold when all cores that are online are active.",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_NEEDS_CPUS,
	  .run = cpufreq_explain },
};

const struct feature cpufreq_feature = {
	.name = "cpufreq",
	.title = "Frequency limits, governors, energy hints; on any machine",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
