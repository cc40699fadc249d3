// SPDX-License-Identifier: GPL-2.0-only
/* turbo-freq, SST-TF: higher turbo frequencies for some cores (commands.md, "turbo-freq"). */
#include "features/features.h"

#include "base/cleanup.h"
#include "features/bucket_note.h"
#include "features/levels.h"
#include "features/records.h"
#include "features/turbo_freq_set.h"

struct info_arguments {
	struct option_number level;
	struct option_number bucket;
	struct option_word trl_level;
};

/* The first three have two names each. */
static const char *const trl_words[] = { "sse",     "avx2",    "avx512",  "level-0", "level-1",
					 "level-2", "level-3", "level-4", "level-5", NULL };
#define N_INSTRUCTION_SET_WORDS 3

static uint32_t trl_level_of(const struct option_word *word)
{
	if (!word->given)
		return RECORDS_ALL;
	if (word->index < N_INSTRUCTION_SET_WORDS)
		return (uint32_t)word->index;
	return (uint32_t)word->index - N_INSTRUCTION_SET_WORDS;
}

static uint32_t bucket_of(const struct info_arguments *arguments)
{
	return arguments->bucket.given ? (uint32_t)arguments->bucket.value : RECORDS_ALL;
}

/* Has the bucket cores? The first without any ends the buckets. */
static bool has_bucket(const struct sst_turbo_freq *turbo_freq, uint32_t bucket)
{
	for (uint32_t i = 0; i <= bucket; i++) {
		if (turbo_freq->buckets.core_counts[i] == 0)
			return false;
	}
	return true;
}

/* An IO die has no buckets, and shows its clip frequencies all the same. */
static bool has_cpus(const struct context *context, const struct target *target)
{
	return !cpuset_is_empty(&context->domains[target->domain]->cpus);
}

static void show(struct context *context, const struct target *target,
		 const struct platform_level_query *query, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	struct output_place place = context_place(context, target);
	const struct sst_turbo_freq *turbo_freq = &query->info.turbo_freq;
	uint32_t bucket = bucket_of(arguments);

	if (!query->info.turbo_freq_supported) {
		context_lack(context, target, "turbo-freq is not supported at level %u",
			     query->level);
		return;
	}
	if (bucket != RECORDS_ALL && has_cpus(context, target) && !has_bucket(turbo_freq, bucket)) {
		context_lack(context, target, "bucket %u of level %u has no cores", bucket,
			     query->level);
		return;
	}
	_cleanup_scope_ struct output_scope scope = output_enter_place(context->output, &place);

	records_put_turbo_freq(context->output, context->platform, turbo_freq, bucket,
			       trl_level_of(&arguments->trl_level));
	/* What an IO die shows is no answer to the question for a bucket. */
	if (bucket == RECORDS_ALL || has_cpus(context, target))
		context_count_done(context);
}

/* Has this part the turbo-ratio level that was asked for? */
static bool check_trl_level(struct context *context, const struct option_word *word)
{
	const struct platform *platform = context->platform;

	if (!word->given || trl_level_of(word) < platform->n_trl_levels)
		return true;
	context_lack(context, NULL, "-r %s: this machine's turbo-ratio levels are %s to %s",
		     trl_words[word->index], platform->trl_names[0].name,
		     platform->trl_names[platform->n_trl_levels - 1].name);
	return false;
}

static int info(struct context *context, const void *arguments_pointer)
{
	const struct info_arguments *arguments = arguments_pointer;
	uint32_t level = (uint32_t)arguments->level.value;
	_cleanup_levels_ struct levels levels = { 0 };
	int err;

	if (!check_trl_level(context, &arguments->trl_level))
		return 0;
	err = levels_read(context, level, PLATFORM_TURBO_FREQ | PLATFORM_CPUS, &levels);
	if (err || context->tally.usage)
		return err;
	levels_put(context, &levels, show, arguments);
	return bucket_note_put(context, &levels, level, bucket_of(arguments));
}

static const struct option info_options[] = {
	{ LEVELS_OPTION(struct info_arguments) },
	{ .letter = 'b',
	  .name = "bucket",
	  .value = "BUCKET",
	  .historic = true,
	  .help = "Only this bucket, 0 to 7",
	  OPTION_NUMBER(struct info_arguments, bucket, 0, SST_BUCKETS - 1) },
	{ .letter = 'r',
	  .name = "trl-type",
	  .value = "TYPE",
	  .historic = true,
	  .help = "Only one turbo-ratio level: sse, avx2, avx512, or level-0 to level-5",
	  OPTION_WORD(struct info_arguments, trl_level, trl_words) },
	OPTIONS_END,
};

static const struct option set_options[] = {
	{ .letter = 't',
	  .name = "trl",
	  .value = "TRL",
	  .historic = true,
	  .help = "The turbo-ratio limits to set: 0x and 16 hex digits",
	  OPTION_HEX(struct turbo_freq_set_arguments, trl) },
	{ .letter = 'a',
	  .name = "auto",
	  .historic = true,
	  .help = "Set priorities to match: high for --cpu, low for the others",
	  OPTION_FLAG(struct turbo_freq_set_arguments, automatic) },
	OPTIONS_END,
};

static const struct command commands[] = {
	{ .name = "info",
	  .summary = "Show buckets of high-priority cores, their frequencies and the clips",
	  .options = info_options,
	  .arguments_size = sizeof(struct info_arguments),
	  .run = info },
	{ .name = "enable",
	  .summary = "Give high-priority cores the higher turbo frequencies",
	  .flags = COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct turbo_freq_set_arguments),
	  .run = turbo_freq_set_enable },
	{ .name = "disable",
	  .summary = "Give all cores the same turbo frequencies",
	  .flags = COMMAND_WRITES,
	  .options = set_options,
	  .arguments_size = sizeof(struct turbo_freq_set_arguments),
	  .run = turbo_freq_set_disable },
};

const struct feature turbo_freq_feature = {
	.name = "turbo-freq",
	.title = "Intel(R) SST-TF: higher turbo frequencies for some cores",
	.commands = commands,
	.n_commands = ARRAY_SIZE(commands),
};
