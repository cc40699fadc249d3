// SPDX-License-Identifier: GPL-2.0-only
/* Reads performance levels of mailbox parts (hardware.md, section 3), for all domains and levels of
 * a command at once, in rounds of batches: GET_TDP_CONTROL; all other words; the uncore fallback;
 * the MSRs of the turbo limits. Without SST-PP, the Skylake generation has most figures in MSRs and
 * cpufreq instead. */
#include "sst/mailbox/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "sst/limits.h"
#include "sst/mailbox/words.h"

enum round { ROUND_EXISTENCE, ROUND_WORDS, ROUND_FALLBACK };

/* A level that is being read. */
struct task {
	struct platform_level_query *query;
	struct level_draft draft;
	unsigned int parts; /* to read, if the level has them */
	bool by_msr; /* the Skylake generation without SST-PP */
	const struct platform_query *msrs; /* core counts; with by_msr, the next has the limits */
};

/* A request for a word of a level, and its answer. */
struct request {
	struct task *task;
	const struct level_word *word;
	struct level_answer answer;
};

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
	bool is_optional = word->need == WORD_OPTIONAL || word->need == WORD_FALLBACK;

	if (is_optional && (err == -ENXIO || err == -EINVAL)) {
		if (word->need == WORD_FALLBACK || word->data & WORD_UNCORE)
			request->task->draft.level.uncore_error = err;
	} else if (word->need == WORD_EXISTENCE && err == -ENXIO) {
		fail_query(query, NULL, -ENOENT);
	} else if (word->need != WORD_FIRST_ROW || request->answer.row == 0 || err != -ENXIO) {
		fail_query(query, word->name, err);
	}
}

/* Is a word to be read in this round? */
static bool needs_word(const struct task *task, const struct level_word *word, enum round round)
{
	enum round round_of_word = word->need == WORD_EXISTENCE  ? ROUND_EXISTENCE
				   : word->need == WORD_FALLBACK ? ROUND_FALLBACK
								 : ROUND_WORDS;

	if (round != round_of_word || round == ROUND_EXISTENCE)
		return round == round_of_word;
	if (!(word->part & task->parts) || (task->by_msr && word->part & PLATFORM_LEVEL))
		return false;
	return round != ROUND_FALLBACK ||
	       (!task->query->error && !level_draft_has(&task->draft, WORD_GET_RATIO_INFO));
}

static unsigned int count_halves(const struct task *task, const struct level_word *word)
{
	bool is_split = word->span == WORD_BUCKETS || word->span == WORD_RATIOS ||
			(word->span == WORD_CORES && task->query->domain->highest_core >= 32);

	return is_split ? 2 : 1;
}

/* Reads the words of a round of all levels that need them, and decodes the answers into the drafts.
 */
static int ask(const struct platform *platform, struct task *tasks, size_t count, enum round round)
{
	size_t n_pairs = count * n_level_words, most = 2 * platform->n_trl_levels * n_pairs, n = 0;
	_cleanup_free_ struct isst_if_mbox_cmd *commands = calloc(most ?: 1, sizeof(*commands));
	_cleanup_free_ struct request *requests = calloc(most ?: 1, sizeof(*requests));
	_cleanup_free_ int *errors = calloc(most ?: 1, sizeof(*errors));
	int err;

	if (!commands || !requests || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < n_pairs; i++) {
		struct task *task = &tasks[i / n_level_words];
		const struct level_word *word = &level_words[i % n_level_words];
		unsigned int n_halves = count_halves(task, word);
		unsigned int n_rows = word->span == WORD_RATIOS ? platform->n_trl_levels : 1;

		if (!needs_word(task, word, round))
			continue;
		for (unsigned int j = 0; j < n_rows * n_halves; j++, n++) {
			unsigned int row = j / n_halves, half = j % n_halves;

			requests[n] = (struct request){ task, word, { .row = row, .half = half } };
			commands[n] = mailbox_command(
				task->query->domain->cpu, WORD_CONFIG_TDP, word->sub_command,
				task->query->level | word->data | WORD_TRL_LEVEL(row) |
					(half ? WORD_UPPER_HALF : 0));
		}
	}
	err = channel_send(&platform->channel, ISST_IF_MBOX_COMMAND, commands, errors, n);
	for (size_t i = 0; i < n && !err; i++) {
		struct request *request = &requests[i];

		request->answer.word = commands[i].resp_data;
		if (errors[i])
			take_refusal(request, errors[i]);
		else
			level_word_decode(request->word, &request->answer, &request->task->draft);
	}
	return err;
}

static void take_msrs(struct task *task)
{
	const struct platform_query *counts = &task->msrs[0], *limits = &task->msrs[1];
	struct sst_turbo *turbo = &task->draft.level.turbo;

	if (counts->error)
		fail_query(task->query, "MSR 0x1AE", counts->error);
	word_decode_bytes(counts->value.number, SST_BUCKETS, 1, turbo->core_counts);
	if (!task->by_msr)
		return;
	if (limits->error)
		fail_query(task->query, "MSR 0x1AD", limits->error);
	word_decode_bytes(limits->value.number, SST_BUCKETS, sst_ratio_mhz(1), turbo->mhz[0]);
}

/* Reads the core counts of the turbo limits, and the limits too if no word has them. Consecutive
 * levels of one domain share the reads. */
static int ask_msrs(const struct platform *platform, struct task *tasks, size_t count)
{
	_cleanup_free_ struct platform_query *reads = calloc(2 * count ?: 1, sizeof(*reads));
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
		reads[n_reads++] = limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT_CORES);
		if (task->by_msr)
			reads[n_reads++] = limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT);
		last = task;
	}
	err = platform_read(platform, reads, n_reads);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (tasks[i].msrs)
			take_msrs(&tasks[i]);
	}
	return 0;
}

/* Makes the level from its draft: converts masks to CPUs, and replaces refused figures. */
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

		if (!level_draft_has(draft, WORD_GET_P1_INFO))
			level->base_mhz = sst_ratio_mhz(level->tdp_ratio);
		if (level_draft_has(draft, WORD_GET_MEM_FREQ))
			level->memory_mhz = word_decode_memory(generation, draft->memory_answer);
	}
	if (!(task->parts & PLATFORM_BASE_FREQ))
		return 0;
	level->base_freq.has_thermals = true;
	return domains_add_cores(domain, topology, draft->base_freq_core_mask,
				 &level->base_freq.high_cpus);
}

/* Applies assumed changes of SST-BF and SST-TF at the level. */
static void take_assumed(const struct platform *platform, struct task *task)
{
	struct sst_level *level = &task->draft.level;
	const struct target_value *assumed = platform_find_assumed(
		platform, PLATFORM_TARGET_FEATURES, task->query->domain, task->query->level);

	if (!assumed)
		return;
	level->base_freq_on = assumed->numbers[VALUE_BASE_FREQ];
	level->turbo_freq_on = assumed->numbers[VALUE_TURBO_FREQ];
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
	err = ask(platform, tasks, count, ROUND_EXISTENCE);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct task *task = &tasks[i];

		if (platform->assumed)
			take_assumed(platform, task);
		task->parts = task->query->error ? 0 : parts;
		if (!task->draft.level.base_freq_supported)
			task->parts &= ~(unsigned int)PLATFORM_BASE_FREQ;
		if (!task->draft.level.turbo_freq_supported)
			task->parts &= ~(unsigned int)PLATFORM_TURBO_FREQ;
	}
	err = ask(platform, tasks, count, ROUND_WORDS);
	if (err)
		return err;
	err = ask(platform, tasks, count, ROUND_FALLBACK);
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
