// SPDX-License-Identifier: GPL-2.0-only
/* base-freq, SST-BF: a higher base frequency for some cores (commands.md, "base-freq"). */
#include "features/features.h"

#include "base/cleanup.h"
#include "features/levels.h"
#include "features/records.h"

struct info_arguments {
	struct option_number level;
};

static void show(struct context *context, const struct target *target,
		 const struct platform_level_query *query)
{
	struct output_place place = context_place(context, target);

	if (levels_report(context, target, query))
		return;
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
	_cleanup_levels_ struct levels levels = { 0 };
	int err =
		levels_read(context, (uint32_t)arguments->level.value, PLATFORM_BASE_FREQ, &levels);

	for (size_t i = 0; i < context->n_targets && !err && !context->tally.usage; i++) {
		const struct target *target = &context->targets[i];

		if (!levels_report_pp(context, target, &levels.pp[target->domain]))
			show(context, target, levels_of_target(&levels, target));
	}
	return err;
}

static const struct option info_options[] = {
	{ .letter = 'l',
	  .name = "level",
	  .value = "LEVEL",
	  .required = true,
	  .historic = true,
	  .help = "The performance level, 0 to 7",
	  OPTION_NUMBER(struct info_arguments, level, 0, SST_MAX_LEVEL) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show the frequencies and the high-priority CPUs of a level",
	  .flags = COMMAND_ON_BIOS_FIXED | COMMAND_SHOWS_CPUS,
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
};

const struct feature base_freq_feature = {
	.name = "base-freq",
	.title = "Intel(R) SST-BF: higher base frequency for some cores",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
