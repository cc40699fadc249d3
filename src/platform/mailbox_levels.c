// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance levels of mailbox parts (hardware.md, section 3), for all domains and levels of a
 * command at once, in rounds of batches: GET_TDP_CONTROL; all other words and the core counts of
 * the turbo limits; the uncore fallback. On the Skylake generation without SST-PP most words are
 * not asked, and MSRs and cpufreq tell instead.
 */
#include "platform/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "machine/cpufreq.h"
#include "platform/level_words.h"

/* One level on its way, and what is asked about it. */
struct task {
	struct platform_level_query *query;
	struct level_draft draft;
	unsigned int parts;
	bool by_msr; /* the Skylake generation without SST-PP */
};

/* A word that was queued: whose it is and where its answer goes. */
struct slot {
	struct task *task;
	const struct level_word *word;
	unsigned int row;
	unsigned int half;
};

struct queue {
	struct isst_mbox_command *commands;
	struct slot *slots;
	size_t count;
	size_t size;
};

static void queue_done(struct queue *queue)
{
	free(queue->commands);
	free(queue->slots);
}

static int queue_grow(struct queue *queue)
{
	size_t size = queue->size ? queue->size * 2 : 64;
	struct isst_mbox_command *commands;
	struct slot *slots;

	commands = realloc(queue->commands, size * sizeof(*commands));
	if (!commands)
		return -ENOMEM;
	queue->commands = commands;
	slots = realloc(queue->slots, size * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	queue->slots = slots;
	queue->size = size;
	return 0;
}

static int queue_add(struct queue *queue, struct slot slot)
{
	const struct platform_level_query *query = slot.task->query;
	uint32_t data = query->level | slot.word->data | (slot.half ? WORD_UPPER_HALF : 0);
	int err = queue->count == queue->size ? queue_grow(queue) : 0;

	if (err)
		return err;
	if (slot.row)
		data |= WORD_TRL_LEVEL(slot.row);
	queue->commands[queue->count] = mailbox_command(query->domain->cpu, WORD_CONFIG_TDP,
							slot.word->sub_command, 0, data);
	queue->slots[queue->count++] = slot;
	return 0;
}

/* Does a part of this kind answer the word of that row, or may it refuse? */
static bool is_refusal_fine(const struct slot *slot, int err)
{
	switch (slot->word->need) {
	case LEVEL_WORD_REQUIRED:
		return false;
	case LEVEL_WORD_FIRST_ROW_REQUIRED:
		return slot->row > 0 && err == -ENXIO;
	case LEVEL_WORD_OPTIONAL:
		return err == -ENXIO || err == -EINVAL;
	}
	return false;
}

static void fail_query(struct platform_level_query *query, const char *what, int err)
{
	if (query->error)
		return;
	query->error = err;
	query->failed = what;
}

/* Sends what is queued and puts the answers into the drafts. */
static int queue_run(struct queue *queue, const struct channel *channel)
{
	_cleanup_free_ int *errors = calloc(queue->count ?: 1, sizeof(*errors));
	int err;

	if (!errors)
		return -ENOMEM;
	err = channel_mailbox(channel, queue->commands, errors, queue->count);
	if (err)
		return err;
	for (size_t i = 0; i < queue->count; i++) {
		struct slot *slot = &queue->slots[i];

		if (!errors[i])
			slot->word->decode(
				&(struct level_answer){ .word = queue->commands[i].resp_data,
							.row = slot->row,
							.half = slot->half },
				&slot->task->draft);
		else if (!is_refusal_fine(slot, errors[i]))
			fail_query(slot->task->query, slot->word->name, errors[i]);
		else if (slot->word->note_refusal)
			slot->word->note_refusal(errors[i], &slot->task->draft);
	}
	return 0;
}

/* First round: does the level exist, and what does it have? */
static int ask_control(struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands = calloc(count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = mailbox_command(tasks[i].query->domain->cpu, WORD_CONFIG_TDP,
					      WORD_GET_TDP_CONTROL, 0, tasks[i].query->level);
	err = channel_mailbox(&platform->channel, commands, errors, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (!errors[i])
			level_words_decode_control(commands[i].resp_data, &tasks[i].draft.level);
		else if (errors[i] == -ENXIO)
			fail_query(tasks[i].query, NULL, -ENOENT);
		else
			fail_query(tasks[i].query, "GET_TDP_CONTROL", errors[i]);
	}
	return 0;
}

/* What is left to ask about a level, now that its control word is known. */
static unsigned int parts_of(const struct task *task, unsigned int parts)
{
	if (task->query->error)
		return 0;
	if (!task->draft.level.base_freq_supported)
		parts &= ~(unsigned int)PLATFORM_BASE_FREQ;
	if (!task->draft.level.turbo_freq_supported)
		parts &= ~(unsigned int)PLATFORM_TURBO_FREQ;
	return parts;
}

static int queue_word(struct queue *queue, const struct platform *platform, struct task *task,
		      const struct level_word *word)
{
	bool two_halves =
		word->span == LEVEL_WORD_BUCKET_HALVES || word->span == LEVEL_WORD_TRL_HALVES ||
		(word->span == LEVEL_WORD_CORE_HALVES && task->query->domain->highest_core >= 32);
	unsigned int n_rows = word->span == LEVEL_WORD_TRL_HALVES ? platform->n_trl_levels : 1;
	int err = 0;

	for (unsigned int row = 0; row < n_rows; row++) {
		for (unsigned int half = 0; half < (two_halves ? 2 : 1) && !err; half++)
			err = queue_add(queue, (struct slot){ .task = task,
							      .word = word,
							      .row = row,
							      .half = half });
	}
	return err;
}

static int queue_task(struct queue *queue, const struct platform *platform, struct task *task)
{
	int err = 0;

	for (size_t i = 0; i < n_level_words && !err; i++) {
		const struct level_word *word = &level_words[i];

		if (!(word->part & task->parts))
			continue;
		if (task->by_msr && word->part & PLATFORM_LEVEL)
			continue;
		err = queue_word(queue, platform, task, word);
	}
	return err;
}

/* Second round, by mailbox: every word of the parts that are left. */
static int ask_words(struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_(queue_done) struct queue queue = { 0 };
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = queue_task(&queue, platform, &tasks[i]);
	return err ?: queue_run(&queue, &platform->channel);
}

/* Third round: uncore P0 and P1 of levels whose GET_RATIO_INFO was refused. */
static int ask_uncore_fallback(struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_(queue_done) struct queue queue = { 0 };
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct task *task = &tasks[i];

		if (task->parts & PLATFORM_LEVEL && !task->by_msr && !task->query->error &&
		    !task->draft.has_ratio_info)
			err = queue_add(&queue,
					(struct slot){ .task = &tasks[i],
						       .word = &level_word_uncore_fallback });
	}
	return err ?: queue_run(&queue, &platform->channel);
}

/* The MSRs of the domains that are asked for their turbo limits, each domain once. */
struct msr_reads {
	struct isst_msr_command *commands;
	int *errors;
	size_t count;
};

static void msr_reads_done(struct msr_reads *reads)
{
	free(reads->commands);
	free(reads->errors);
}

/* The place of an MSR's read, which is added where it is not there yet. */
static size_t msr_reads_find(struct msr_reads *reads, uint32_t cpu, uint32_t msr)
{
	size_t i = 0;

	while (i < reads->count &&
	       (reads->commands[i].logical_cpu != cpu || reads->commands[i].msr != msr))
		i++;
	if (i == reads->count)
		reads->commands[reads->count++] =
			(struct isst_msr_command){ .logical_cpu = cpu, .msr = msr };
	return i;
}

/* Puts what the MSRs told into a task that asked for it. */
static void take_msrs(struct task *task, struct msr_reads *reads)
{
	uint32_t cpu = task->query->domain->cpu;
	size_t counts = msr_reads_find(reads, cpu, WORD_MSR_TURBO_RATIO_LIMIT_CORES);

	if (reads->errors[counts])
		fail_query(task->query, "MSR 0x1AE", reads->errors[counts]);
	word_decode_bucket_counts(reads->commands[counts].data,
				  task->draft.level.turbo.core_counts);
	if (task->by_msr) {
		size_t limits = msr_reads_find(reads, cpu, WORD_MSR_TURBO_RATIO_LIMIT);

		if (reads->errors[limits])
			fail_query(task->query, "MSR 0x1AD", reads->errors[limits]);
		word_decode_bucket_ratios(reads->commands[limits].data,
					  task->draft.level.turbo.mhz[0]);
	}
}

/* Second round, by MSR: core counts of the turbo limits; the limits where no word tells them. */
static int ask_msrs(struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_(msr_reads_done) struct msr_reads reads = {
		.commands = calloc(2 * count ?: 1, sizeof(*reads.commands)),
		.errors = calloc(2 * count ?: 1, sizeof(*reads.errors)),
	};
	int err;

	if (!reads.commands || !reads.errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!(tasks[i].parts & PLATFORM_LEVEL))
			continue;
		msr_reads_find(&reads, tasks[i].query->domain->cpu,
			       WORD_MSR_TURBO_RATIO_LIMIT_CORES);
		if (tasks[i].by_msr)
			msr_reads_find(&reads, tasks[i].query->domain->cpu,
				       WORD_MSR_TURBO_RATIO_LIMIT);
	}
	err = channel_msr(&platform->channel, reads.commands, reads.errors, reads.count);
	for (size_t i = 0; i < count && !err; i++) {
		if (tasks[i].parts & PLATFORM_LEVEL)
			take_msrs(&tasks[i], &reads);
	}
	return err;
}

static enum word_memory_code memory_code(const struct platform *platform)
{
	switch (platform->machine->identity.generation) {
	case GENERATION_ICE_LAKE:
		return WORD_MEMORY_ICE_LAKE;
	case GENERATION_SAPPHIRE_RAPIDS:
	case GENERATION_EMERALD_RAPIDS:
		return WORD_MEMORY_200_MHZ;
	case GENERATION_UNKNOWN:
	case GENERATION_OTHER_VENDOR:
	case GENERATION_SKYLAKE:
	case GENERATION_CASCADE_LAKE:
	case GENERATION_CASCADE_LAKE_N:
	case GENERATION_TPMI:
		break;
	}
	return WORD_MEMORY_UNKNOWN;
}

/* Makes the level out of its draft: masks become CPUs, what was not reported gets its substitute.
 */
static int finish_task(struct platform *platform, struct task *task)
{
	const struct topology *topology = &platform->machine->topology;
	const struct power_domain *domain = task->query->domain;
	struct level_draft *draft = &task->draft;
	struct sst_level *level = &draft->level;
	int err = 0;

	if (task->query->error)
		return 0;
	if (task->parts & (PLATFORM_LEVEL | PLATFORM_CPUS) && !task->by_msr) {
		level->has_enabled_cpus = true;
		err = domains_add_cores(domain, topology, draft->core_mask, &level->enabled_cpus);
	}
	if (task->parts & PLATFORM_LEVEL && !task->by_msr) {
		if (!draft->has_p1_info)
			level->base_mhz = word_ratio_mhz(level->tdp_ratio);
		if (draft->has_memory)
			level->memory_mhz =
				word_decode_memory(memory_code(platform), draft->memory_answer);
	}
	if (task->parts & PLATFORM_BASE_FREQ)
		err = err
			      ?: domains_add_cores(domain, topology, draft->base_freq_core_mask,
						   &level->base_freq.high_cpus);
	task->query->info = *level;
	return err;
}

static int run_rounds(struct platform *platform, unsigned int parts, struct task *tasks,
		      size_t count)
{
	int err = ask_control(platform, tasks, count);

	for (size_t i = 0; i < count && !err; i++)
		tasks[i].parts = parts_of(&tasks[i], parts);
	err = err ?: ask_words(platform, tasks, count);
	err = err ?: ask_uncore_fallback(platform, tasks, count);
	err = err ?: ask_msrs(platform, tasks, count);
	for (size_t i = 0; i < count && !err; i++)
		err = finish_task(platform, &tasks[i]);
	return err;
}

int mailbox_read_levels(struct platform *platform, unsigned int parts,
			struct platform_level_query *queries, size_t count)
{
	_cleanup_free_ struct task *tasks = calloc(count ?: 1, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		tasks[i].query = &queries[i];
		tasks[i].by_msr = mailbox_is_skylake(platform) && !queries[i].pp_enabled;
	}
	return run_rounds(platform, parts, tasks, count);
}

/* Base frequency and TDP ratio out of cpufreq: the Skylake generation without SST-PP. */
int mailbox_refine_level(struct platform *platform, struct platform_level_query *query,
			 uint32_t cpu)
{
	uint32_t ratio = 0;
	int err;

	if (!mailbox_is_skylake(platform) || query->pp_enabled)
		return 0;
	err = cpufreq_read_base_ratio(platform->machine->host->files, cpu, &ratio);
	if (err && err != -ENOENT) /* absent: 0 */
		return err;
	query->info.tdp_ratio = ratio;
	query->info.base_mhz = word_ratio_mhz(ratio);
	return 0;
}
