// SPDX-License-Identifier: GPL-2.0-only
/* Reads performance levels of mailbox parts (hardware.md, section 3), for all domains and levels of
 * a command at once, in rounds of batches: GET_TDP_CONTROL; all other words; the uncore fallback;
 * the MSRs of the turbo limits. On the Skylake generation without SST-PP most words are not asked;
 * MSRs and cpufreq have the figures instead. */
#include "sst/mailbox/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "sst/limits.h"
#include "sst/mailbox/words.h"

/* A level that is being read. */
struct task {
	struct platform_level_query *query;
	struct level_draft draft;
	unsigned int parts; /* to read, as far as the level has them */
	bool by_msr; /* the Skylake generation without SST-PP */
	const struct msr_read *msrs; /* the core counts; with by_msr the limits follow */
};

/* A request for a word of a level. */
struct request {
	struct task *task;
	const struct level_word *word;
	unsigned int row;
	unsigned int half;
};

struct round {
	struct request *requests;
	size_t count;
	size_t size;
};

static void round_done(struct round *round)
{
	free(round->requests);
}

static int round_add(struct round *round, struct request request)
{
	if (round->count == round->size) {
		size_t size = round->size ? round->size * 2 : 64;
		struct request *requests = reallocarray(round->requests, size, sizeof(*requests));

		if (!requests)
			return -ENOMEM;
		round->requests = requests;
		round->size = size;
	}
	round->requests[round->count++] = request;
	return 0;
}

/* Adds the requests that a word takes. */
static int round_add_word(struct round *round, const struct platform *platform, struct task *task,
			  const struct level_word *word)
{
	bool two_halves = word->span == WORD_BUCKETS || word->span == WORD_RATIOS ||
			  (word->span == WORD_CORES && task->query->domain->highest_core >= 32);
	unsigned int n_halves = two_halves ? 2 : 1;
	unsigned int n_rows = word->span == WORD_RATIOS ? platform->n_trl_levels : 1;

	for (unsigned int i = 0; i < n_rows * n_halves; i++) {
		int err = round_add(round, (struct request){ .task = task,
							     .word = word,
							     .row = i / n_halves,
							     .half = i % n_halves });

		if (err)
			return err;
	}
	return 0;
}

static struct isst_if_mbox_cmd encode_request(const struct request *request)
{
	const struct platform_level_query *query = request->task->query;
	uint32_t data = query->level | request->word->data | WORD_TRL_LEVEL(request->row);

	if (request->half)
		data |= WORD_UPPER_HALF;
	return mailbox_command(query->domain->cpu, WORD_CONFIG_TDP, request->word->sub_command, 0,
			       data);
}

static void fail_query(struct platform_level_query *query, const char *what, int err)
{
	if (query->error)
		return;
	query->error = err;
	query->failed = what;
}

/* Some words may be refused, depending on the part. */
static void take_refusal(const struct request *request, int err)
{
	const struct level_word *word = request->word;
	struct platform_level_query *query = request->task->query;

	switch (word->need) {
	case WORD_EXISTENCE:
		if (err == -ENXIO) {
			fail_query(query, NULL, -ENOENT);
			return;
		}
		break;
	case WORD_REQUIRED:
		break;
	case WORD_FIRST_ROW:
		if (request->row > 0 && err == -ENXIO)
			return;
		break;
	case WORD_OPTIONAL:
		if (err != -ENXIO && err != -EINVAL)
			break;
		if (word == &level_word_uncore_fallback || word->data & WORD_UNCORE)
			request->task->draft.level.uncore_error = err;
		return;
	}
	fail_query(query, word->name, err);
}

/* Sends the requests of a round and decodes the answers into the drafts. */
static int round_run(const struct round *round, const struct platform *platform)
{
	_cleanup_free_ struct mailbox_word *words = calloc(round->count ?: 1, sizeof(*words));
	int err;

	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < round->count; i++)
		words[i].command = encode_request(&round->requests[i]);
	err = mailbox_read_words(platform, words, round->count);
	if (err)
		return err;
	for (size_t i = 0; i < round->count; i++) {
		const struct request *request = &round->requests[i];
		const struct level_answer answer = { words[i].answer, request->row, request->half };

		if (words[i].error)
			take_refusal(request, words[i].error);
		else
			level_word_decode(request->word, &answer, &request->task->draft);
	}
	return 0;
}

/* Does the level exist, and what does it have? */
static int ask_control(const struct platform *platform, unsigned int parts, struct task *tasks,
		       size_t count)
{
	_cleanup_(round_done) struct round round = { 0 };
	int err;

	for (size_t i = 0; i < count; i++) {
		err = round_add_word(&round, platform, &tasks[i], &level_word_control);
		if (err)
			return err;
	}
	err = round_run(&round, platform);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct task *task = &tasks[i];

		task->parts = task->query->error ? 0 : parts;
		if (!task->draft.level.base_freq_supported)
			task->parts &= ~(unsigned int)PLATFORM_BASE_FREQ;
		if (!task->draft.level.turbo_freq_supported)
			task->parts &= ~(unsigned int)PLATFORM_TURBO_FREQ;
	}
	return 0;
}

/* Every word of the parts that the level has. */
static int ask_words(const struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_(round_done) struct round round = { 0 };

	for (size_t i = 0; i < count * n_level_words; i++) {
		struct task *task = &tasks[i / n_level_words];
		const struct level_word *word = &level_words[i % n_level_words];
		int err = 0;

		if (word->part & task->parts && !(task->by_msr && word->part & PLATFORM_LEVEL))
			err = round_add_word(&round, platform, task, word);
		if (err)
			return err;
	}
	return round_run(&round, platform);
}

/* Uncore P0 and P1 of levels whose GET_RATIO_INFO was refused. */
static int ask_uncore_fallback(const struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_(round_done) struct round round = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct task *task = &tasks[i];
		int err = 0;

		if (task->parts & PLATFORM_LEVEL && !task->by_msr && !task->query->error &&
		    !task->draft.has_ratio_info)
			err = round_add_word(&round, platform, task, &level_word_uncore_fallback);
		if (err)
			return err;
	}
	return round_run(&round, platform);
}

static void take_msrs(struct task *task)
{
	const struct msr_read *counts = &task->msrs[0], *limits = &task->msrs[1];
	struct sst_turbo *turbo = &task->draft.level.turbo;

	if (counts->error)
		fail_query(task->query, "MSR 0x1AE", counts->error);
	word_decode_bucket_counts(counts->value, turbo->core_counts);
	if (!task->by_msr)
		return;
	if (limits->error)
		fail_query(task->query, "MSR 0x1AD", limits->error);
	word_decode_bucket_ratios(limits->value, turbo->mhz[0]);
}

/* The core counts of the turbo limits, and the limits too if no word has them. Levels of one domain
 * in a row share the reads. */
static int ask_msrs(const struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_free_ struct msr_read *reads = calloc(2 * count ?: 1, sizeof(*reads));
	const struct task *last = NULL;
	size_t n_reads = 0;
	int err;

	if (!reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct task *task = &tasks[i];
		const struct power_domain *domain = task->query->domain;

		if (!(task->parts & PLATFORM_LEVEL))
			continue;
		if (last && last->query->domain == domain && last->by_msr == task->by_msr) {
			task->msrs = last->msrs;
			continue;
		}
		task->msrs = &reads[n_reads];
		reads[n_reads++] = (struct msr_read){ .domain = domain,
						      .msr = SST_MSR_TURBO_RATIO_LIMIT_CORES };
		if (task->by_msr)
			reads[n_reads++] = (struct msr_read){ .domain = domain,
							      .msr = SST_MSR_TURBO_RATIO_LIMIT };
		last = task;
	}
	err = limits_read_msrs(platform, reads, n_reads);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (tasks[i].msrs)
			take_msrs(&tasks[i]);
	}
	return 0;
}

static enum word_memory_code memory_code(enum generation generation)
{
	if (generation == GENERATION_ICE_LAKE)
		return WORD_MEMORY_ICE_LAKE;
	if (generation == GENERATION_SAPPHIRE_RAPIDS || generation == GENERATION_EMERALD_RAPIDS)
		return WORD_MEMORY_200_MHZ;
	return WORD_MEMORY_UNKNOWN;
}

/* Makes the level from its draft: masks become CPUs, and substitutes replace what was refused. */
static int finish_task(const struct platform *platform, struct task *task)
{
	const struct topology *topology = &platform->machine->topology;
	const struct power_domain *domain = task->query->domain;
	struct level_draft *draft = &task->draft;
	struct sst_level *level = &task->query->info;

	if (task->query->error)
		return 0;
	*level = draft->level;
	if (task->parts & (PLATFORM_LEVEL | PLATFORM_CPUS) && !task->by_msr) {
		int err =
			domains_add_cores(domain, topology, draft->core_mask, &level->enabled_cpus);

		if (err)
			return err;
		level->has_enabled_cpus = true;
	}
	if (task->parts & PLATFORM_LEVEL && !task->by_msr) {
		enum generation generation = platform->machine->identity.generation;

		if (!draft->has_p1_info)
			level->base_mhz = sst_ratio_mhz(level->tdp_ratio);
		if (draft->has_memory)
			level->memory_mhz =
				word_decode_memory(memory_code(generation), draft->memory_answer);
	}
	if (task->parts & PLATFORM_BASE_FREQ)
		return domains_add_cores(domain, topology, draft->base_freq_core_mask,
					 &level->base_freq.high_cpus);
	return 0;
}

int mailbox_read_levels(struct platform *platform, unsigned int parts,
			struct platform_level_query *queries, size_t count)
{
	_cleanup_free_ struct task *tasks = calloc(count ?: 1, sizeof(*tasks));
	int err;

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		tasks[i].query = &queries[i];
		tasks[i].by_msr = mailbox_is_skylake(platform) && !queries[i].pp_enabled;
	}
	err = ask_control(platform, parts, tasks, count);
	if (err)
		return err;
	err = ask_words(platform, tasks, count);
	if (err)
		return err;
	err = ask_uncore_fallback(platform, tasks, count);
	if (err)
		return err;
	err = ask_msrs(platform, tasks, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		err = finish_task(platform, &tasks[i]);
		if (err)
			return err;
	}
	return 0;
}

/* On the Skylake generation without SST-PP, base frequency and TDP ratio come from cpufreq. */
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
	query->info.base_mhz = sst_ratio_mhz(ratio);
	return 0;
}
