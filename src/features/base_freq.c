// SPDX-License-Identifier: GPL-2.0-only
/* base-freq, SST-BF: a higher base frequency for some cores (commands.md, "base-freq"). */
#include "features/features.h"

#include "base/cleanup.h"
#include "features/base_freq_set.h"
#include "features/levels.h"
#include "features/records.h"

struct info_arguments {
	struct option_number level;
};

static void show(struct context *context, const struct target *target,
		 const struct platform_level_query *query, const void *arguments)
{
	struct output_place place = context_place(context, target);

	(void)arguments;
	if (!query->info.base_freq_supported) {
		context_lack(context, target, "base-freq is not supported at level %u",
			     query->level);
		return;
	}
	_cleanup_scope_ struct output_scope scope = output_enter_place(context->output, &place);

	records_put_base_freq(context->output, &query->info.base_freq);
	context_count_done(context);
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;

	return levels_show(context, (uint32_t)arguments->level.value, PLATFORM_BASE_FREQ, show,
			   arguments);
}

static const struct option info_options[] = {
	{ LEVELS_OPTION(struct info_arguments) },
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ .letter = 'a',
	  .name = "auto",
	  .historic = true,
	  .help = "Set priorities and frequency limits to match",
	  OPTION_FLAG(struct base_freq_set_arguments, automatic) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show the frequencies and the high-priority CPUs of a level",
	  .flags = COMMAND_ON_BIOS_FIXED | COMMAND_SHOWS_CPUS,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "enable",
	  .summary = "Give the high-priority CPUs the higher base frequency",
	  .flags = COMMAND_WRITES | COMMAND_ON_BIOS_FIXED,
	  .options = set_options,
	  .arguments_size = sizeof(struct base_freq_set_arguments),
	  .run = base_freq_set_enable },
	{ .name = "disable",
	  .summary = "Give all CPUs the same base frequency",
	  .flags = COMMAND_WRITES | COMMAND_ON_BIOS_FIXED,
	  .options = set_options,
	  .arguments_size = sizeof(struct base_freq_set_arguments),
	  .run = base_freq_set_disable },
};

const struct feature base_freq_feature = {
	.name = "base-freq",
	.title = "Intel(R) SST-BF: higher base frequency for some cores",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
