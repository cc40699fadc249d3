// SPDX-License-Identifier: GPL-2.0-only
/* turbo-mode: sets turbo through the upper frequency limit of each CPU, and the turbo-ratio limits
 * of each package (commands.md, "turbo-mode"). */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "features/levels.h"
#include "sst/limits.h"

static int get_trl(struct context *context)
{
	_cleanup_free_ struct platform_query *queries =
		context_new_queries(context, sizeof(*queries));
	int err;

	if (!queries)
		return -ENOMEM;
	err = limits_read(context->platform, queries, context->targets.n_domains);
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_query *query = &queries[target->domain];

		if (query->error) {
			context_fail(context, target, query->error, "turbo-ratio limits");
			continue;
		}
		_cleanup_scope_ struct output_scope scope =
			context_enter(context, target, "get-trl");

		output_value(context->output, "trl", "0x%" PRIx64, query->value.number);
	}
	return err;
}

/* Sets the upper limit of each target to the value of another cpufreq file. */
static int set_limits(struct context *context)
{
	bool on = context->request->command->variant == VARIANT_ENABLE;
	const enum cpufreq_frequency limit = on ? CPUFREQ_HIGHEST : CPUFREQ_BASE;

	context->plan.wanted.is_planned_anyway = true;
	for (size_t i = 0; i < context->targets.n; i++)
		context_request(context, "cpufreq.min-mhz", .cpu = context->targets.list[i].cpu,
				.value.range.max_from = limit);
	return 0;
}

struct arguments {
	struct option_number trl;
};

static int set_trl(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;

	context->plan.wanted.is_planned_anyway = true;
	levels_request(context, NULL, "turbo-mode.trl", .value.trl.ratios = arguments->trl.value);
	return 0;
}

static const struct option set_trl_options[] = {
	{ 't', "trl", "TRL", "The turbo-ratio limits: 0x and 16 hex digits",
	  OPTION_HEX(struct arguments, trl), .from_upstream = true, .required = true },
	{ 0 },
};

const struct command turbo_mode_commands[] = {
	{ "get-trl", "Show the turbo-ratio limits: eight ratios of 100 MHz, in hex",
	  COMMAND_NOT_FOR_IO, .run = get_trl },
	{ "enable", "Allow turbo: raise the frequency limit of every CPU to the highest",
	  COMMAND_WRITES | COMMAND_EACH_CPU, .run = set_limits, .variant = VARIANT_ENABLE },
	{ "disable", "Forbid turbo: lower the frequency limit of every CPU to its base frequency",
	  COMMAND_WRITES | COMMAND_EACH_CPU, .run = set_limits, .variant = VARIANT_DISABLE },
	{ "set-trl", "Set the turbo-ratio limits", COMMAND_WRITES | COMMAND_NOT_FOR_IO,
	  set_trl_options, sizeof(struct arguments), .run = set_trl },
	{ 0 },
};
