// SPDX-License-Identifier: GPL-2.0-only
/* core-power, SST-CP: priorities of cores by CLOS (commands.md, "core-power"). */
#include "features/features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/context.h"
#include "features/core_power_set.h"
#include "output/fields.h"

/* core-power of info, in words. */
struct status_record {
	const char *support;
	const char *enable;
	const char *clos_enable;
	const char *priority;
};

static const struct field status_fields[] = {
	{ .name = "support-status", FIELD_AS_WORD(struct status_record, support) },
	{ .name = "enable-status", FIELD_AS_WORD(struct status_record, enable) },
	{ .name = "clos-enable-status", FIELD_AS_WORD(struct status_record, clos_enable) },
	{ .name = "priority-type", FIELD_AS_WORD(struct status_record, priority) },
};

static void put_status(struct context *context, const struct target *target,
		       const struct sst_core_power *core_power)
{
	struct output_place place = context_place(context, target);
	_cleanup_scope_ struct output_scope outer = output_enter_place(context->output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "core-power");
	struct status_record record = {
		.support = core_power->supported ? "supported" : "unsupported",
		.enable = core_power->enabled ? "enabled" : "disabled",
		.clos_enable = core_power->clos_enabled ? "enabled" : "disabled",
		.priority = core_power->ordered ? "ordered" : "proportional",
	};

	fields_put(context->output, status_fields, ARRAY_SIZE(status_fields), &record);
	context_count_done(context);
}

static int info(struct context *context, const void *arguments)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_core_power_query *queries = NULL;
	int err;

	(void)arguments;
	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	err = platform->ops->read_core_power(platform, true, queries, context->n_domains);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];
		const struct platform_core_power_query *query = &queries[target->domain];

		if (query->error)
			context_fail(context, target, query->error, "core-power status");
		else
			put_status(context, target, &query->core_power);
	}
	return err;
}

struct get_assoc_arguments {
	bool ranges;
};

struct get_config_arguments {
	struct option_number clos;
};

/* core-power of get-config. */
struct clos_record {
	struct sst_clos clos;
	uint32_t id;
	const char *unlimited; /* instead of clos-max */
	bool limited;
};

static const struct field clos_fields[] = {
	{ .name = "clos", FIELD_AS_NUMBER(struct clos_record, id) },
	{ .name = "epp", FIELD_AS_NUMBER(struct clos_record, clos.epp) },
	{ .name = "clos-proportional-priority", FIELD_AS_NUMBER(struct clos_record, clos.weight) },
	{ .name = "clos-min", FIELD_AS_MHZ(struct clos_record, clos.min_mhz) },
	{ .name = "clos-max",
	  FIELD_AS_MHZ(struct clos_record, clos.max_mhz),
	  FIELD_IF(struct clos_record, limited) },
	{ .name = "clos-max", .omit_zero = true, FIELD_AS_WORD(struct clos_record, unlimited) },
	{ .name = "clos-desired", FIELD_AS_MHZ(struct clos_record, clos.desired_mhz) },
};

static void put_clos(struct context *context, const struct target *target,
		     const struct platform_clos_query *query)
{
	struct output_place place = context_place(context, target);
	_cleanup_scope_ struct output_scope outer = output_enter_place(context->output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "core-power");
	struct clos_record record = {
		.clos = query->info,
		.id = query->clos,
		.limited = !query->info.unlimited,
		.unlimited = query->info.unlimited ? "Max Turbo frequency" : NULL,
	};

	fields_put(context->output, clos_fields, ARRAY_SIZE(clos_fields), &record);
	context_count_done(context);
}

static int get_config(struct context *context, const void *arguments_pointer)
{
	const struct get_config_arguments *arguments = arguments_pointer;
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_clos_query *queries = NULL;
	int err;

	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++)
		queries[i].clos = (uint32_t)arguments->clos.value;
	err = platform->ops->read_clos(platform, queries, context->n_domains);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];
		const struct platform_clos_query *query = &queries[target->domain];

		if (query->error)
			context_fail(context, target, query->error, "parameters of CLOS %u",
				     query->clos);
		else
			put_clos(context, target, query);
	}
	return err;
}

static void put_assoc(struct context *context, const struct target *target, uint32_t clos)
{
	struct output_place place = context_place(context, target);
	_cleanup_scope_ struct output_scope outer = output_enter_place(context->output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(context->output, "get-assoc");

	output_value(context->output, "clos", "%u", clos);
	context_count_done(context);
}

/* The CPUs of one domain by CLOS, as lists: "clos-0:0-3,32-35". */
static int put_ranges(struct context *context, const struct platform_assoc_query *queries,
		      size_t domain)
{
	struct output_place place = context_place(context, context_find_target(context, domain));
	_cleanup_scope_ struct output_scope outer = { 0 }, inner = { 0 };

	place.cpu = OUTPUT_NOT_SHOWN;
	outer = output_enter_place(context->output, &place);
	inner = output_enter(context->output, "get-assoc");
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *list = NULL;
		const char name[] = { 'c', 'l', 'o', 's', '-', (char)('0' + clos), '\0' };

		for (size_t i = 0; i < context->n_targets; i++) {
			if (context->targets[i].domain == domain && !queries[i].error &&
			    queries[i].clos == clos && cpuset_add(&cpus, queries[i].cpu))
				return -ENOMEM;
		}
		if (cpuset_is_empty(&cpus))
			continue;
		list = cpuset_format_ranges(&cpus);
		output_value(context->output, name, "%s", list ?: "");
	}
	return 0;
}

static int get_assoc(struct context *context, const void *arguments_pointer)
{
	const struct get_assoc_arguments *arguments = arguments_pointer;
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_assoc_query *queries = NULL;
	int err;

	queries = calloc(context->n_targets ?: 1, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_targets; i++)
		queries[i].cpu = context->targets[i].cpu;
	err = platform->ops->read_assoc(platform, queries, context->n_targets);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		const struct target *target = &context->targets[i];

		if (queries[i].error)
			context_fail(context, target, queries[i].error, "association to a CLOS");
		else if (arguments->ranges)
			context_count_done(context);
		else
			put_assoc(context, target, queries[i].clos);
	}
	for (size_t i = 0; i < context->n_domains && arguments->ranges && !err; i++)
		err = put_ranges(context, queries, i);
	return err;
}

static const struct option get_assoc_options[] = {
	{ .name = "ranges",
	  .help = "Show the CPUs of each CLOS as a list",
	  OPTION_FLAG(struct get_assoc_arguments, ranges) },
	OPTIONS_END,
};

static const struct option get_config_options[] = {
	{ .letter = 'c',
	  .name = "clos",
	  .value = "CLOS",
	  .required = true,
	  .historic = true,
	  .help = "The CLOS, 0 to 3",
	  OPTION_NUMBER(struct get_config_arguments, clos, 0, SST_CLOS_COUNT - 1) },
	OPTIONS_END,
};

static const struct option switch_options[] = {
	{ .letter = 'p',
	  .name = "priority",
	  .value = "TYPE",
	  .historic = true,
	  .help = "Priority type: 0 proportional, 1 ordered",
	  OPTION_NUMBER(struct core_power_switch_arguments, priority, 0, 1) },
	OPTIONS_END,
};

static const struct option config_options[] = {
	{ .letter = 'c',
	  .name = "clos",
	  .value = "CLOS",
	  .required = true,
	  .historic = true,
	  .help = "The CLOS, 0 to 3",
	  OPTION_NUMBER(struct core_power_config_arguments, clos, 0, SST_CLOS_COUNT - 1) },
	{ .letter = 'e',
	  .name = "epp",
	  .value = "EPP",
	  .historic = true,
	  .help = "Energy-performance preference, 0 to 15",
	  OPTION_NUMBER(struct core_power_config_arguments, epp, 0, 15) },
	{ .letter = 'w',
	  .name = "weight",
	  .value = "WEIGHT",
	  .historic = true,
	  .help = "Proportional priority, 0 (highest) to 15",
	  OPTION_NUMBER(struct core_power_config_arguments, weight, 0, 15) },
	{ .letter = 'n',
	  .name = "min",
	  .value = "MHZ",
	  .historic = true,
	  .help = "Lowest frequency in MHz",
	  OPTION_MHZ(struct core_power_config_arguments, min_mhz, 0, 25500) },
	{ .letter = 'm',
	  .name = "max",
	  .value = "MHZ",
	  .historic = true,
	  .help = "Highest frequency in MHz; without it there is no limit",
	  OPTION_MHZ(struct core_power_config_arguments, max_mhz, 0, 25500) },
	{ .letter = 'd',
	  .name = "desired",
	  .value = "MHZ",
	  .historic = true,
	  .help = "Desired frequency in MHz",
	  OPTION_MHZ(struct core_power_config_arguments, desired_mhz, 0, 25500) },
	OPTIONS_END,
};

static const struct option assoc_options[] = {
	{ .letter = 'c',
	  .name = "clos",
	  .value = "CLOS",
	  .required = true,
	  .historic = true,
	  .help = "The CLOS, 0 to 3",
	  OPTION_NUMBER(struct core_power_assoc_arguments, clos, 0, SST_CLOS_COUNT - 1) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show whether SST-CP and CLOS are on, and the priority type",
	  .run = info },
	{ .name = "get-config",
	  .summary = "Show the parameters of one CLOS of each power domain",
	  .options = get_config_options,
	  .arguments_size = sizeof(struct get_config_arguments),
	  .run = get_config },
	{ .name = "get-assoc",
	  .summary = "Show the CLOS of each CPU of --cpu",
	  .flags = COMMAND_NEEDS_CPUS,
	  .options = get_assoc_options,
	  .arguments_size = sizeof(struct get_assoc_arguments),
	  .run = get_assoc },
	{ .name = "enable",
	  .summary = "Switch on SST-CP and CLOS",
	  .flags = COMMAND_WRITES,
	  .options = switch_options,
	  .arguments_size = sizeof(struct core_power_switch_arguments),
	  .run = core_power_set_enable },
	{ .name = "disable",
	  .summary = "Switch off SST-CP and CLOS",
	  .flags = COMMAND_WRITES,
	  .options = switch_options,
	  .arguments_size = sizeof(struct core_power_switch_arguments),
	  .run = core_power_set_disable },
	{ .name = "config",
	  .summary = "Set the parameters of one CLOS",
	  .flags = COMMAND_WRITES | COMMAND_NOT_FOR_IO,
	  .options = config_options,
	  .arguments_size = sizeof(struct core_power_config_arguments),
	  .run = core_power_set_config },
	{ .name = "assoc",
	  .summary = "Put the cores of the CPUs of --cpu into a CLOS",
	  .flags = COMMAND_WRITES | COMMAND_NEEDS_CPUS,
	  .options = assoc_options,
	  .arguments_size = sizeof(struct core_power_assoc_arguments),
	  .run = core_power_set_assoc },
};

const struct feature core_power_feature = {
	.name = "core-power",
	.title = "Intel(R) SST-CP: priorities of cores",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
