// SPDX-License-Identifier: GPL-2.0-only
/* The bench of run_bench.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_bench.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

static bool is_interrupted(void *data)
{
	struct run_bench *bench = data;

	bench->n_asked++;
	return bench->stop_at && bench->n_asked >= bench->stop_at;
}

static void announce(void *data, const char *text)
{
	struct run_bench *bench = data;
	size_t used = strlen(bench->said);

	snprintf(bench->said + used, sizeof(bench->said) - used, "%s;", text);
}

static void progress(void *data, size_t done, size_t total)
{
	struct run_bench *bench = data;
	size_t n_steps;

	n_steps = bench->plan.n_changes;
	assert_int_equal(total, n_steps);
	assert_true(done > bench->n_done);
	bench->n_done = done;
}

void run_bench_open(struct run_bench *bench)
{
	*bench = (struct run_bench){ 0 };
	bank_init(&bench->bank);
	bench->channel = (struct channel){
		.transport = &bench->bank.transport,
		.max_commands = 64,
		.tries = 1,
	};
	bench->stop = (struct wait_stop){ .fd = -1, .is_asked = is_interrupted, .data = bench };
	bench->environment = (struct transaction_environment){
		.channel = &bench->channel,
		.files = &bench->bank.files,
		.stop = &bench->stop,
		.announce = announce,
		.shows_changes = true,
		.progress = progress,
		.data = bench,
	};
}

void run_bench_close(struct run_bench *bench)
{
	change_list_done(&bench->plan);
}

struct target_value run_bench_value(enum bank_kind kind, uint64_t word)
{
	if (kind == BANK_MMIO)
		return word_decode(&word_clos, (uint32_t)word);
	return (struct target_value){ .number = word };
}

/* A level, the parameters of a CLOS, or the turbo-ratio limits. */
static struct write_target make_target(enum bank_kind kind, uint32_t cpu)
{
	if (kind == BANK_MAILBOX)
		return mailbox_target(false, PLATFORM_TARGET_LEVEL, cpu, 0);
	return kind == BANK_MMIO ? mailbox_target(false, PLATFORM_TARGET_CLOS, cpu, 0)
				 : limits_target(cpu, 0);
}

struct change run_bench_word(enum bank_kind kind, uint32_t cpu, bool checked)
{
	struct change step = {
		.location = { .cpu = cpu },
		.what = "word",
		.target = make_target(kind, cpu),
		.value = run_bench_value(kind, 0x40 + cpu),
		.old_value = run_bench_value(kind, 0x10 + cpu),
		.has_old_value = true,
	};

	step.target.is_not_read_back = !checked;
	return step;
}

void run_bench_add(struct run_bench *bench, struct change step)
{
	assert_int_equal(change_list_add(&bench->plan, &step), 0);
}

void run_bench_add_words(struct run_bench *bench, enum bank_kind kind, uint32_t first,
			 uint32_t count, bool checked)
{
	uint32_t batch = change_list_new_batch(&bench->plan);

	for (uint32_t cpu = first; cpu < first + count; cpu++) {
		struct change step = run_bench_word(kind, cpu, checked);

		step.batch = batch;
		run_bench_add(bench, step);
	}
}

struct change run_bench_file(const char *path, const char *old, const char *new,
			     enum file_content content)
{
	return (struct change){
		.location = { .cpu = LOCATION_NO_CPU },
		.what = "file",
		.target = file_target(path, content),
		.value = { .text = new },
		.old_value = { .text = old },
		.has_old_value = old,
	};
}

struct change run_bench_directory(const char *path, bool makes)
{
	return (struct change){
		.location = { .cpu = LOCATION_NO_CPU },
		.what = "directory",
		.target = directory_target(path),
		.value = { .number = makes },
		.old_value = { .number = !makes },
		.has_old_value = true,
	};
}

void run_bench_open_full(struct run_bench *bench)
{
	struct change step = run_bench_word(BANK_MAILBOX, 0, true);

	run_bench_open(bench);
	bank_set_file(&bench->bank, "/max", "800\n");
	bank_set_file(&bench->bank, "/partition", "member\n");
	bank_make_directory(&bench->bank, "/old");
	bench->before = bench->bank.state;
	step.announcement = "first";
	run_bench_add(bench, step);
	run_bench_add_words(bench, BANK_MMIO, 0, 4, true);
	run_bench_add(bench, run_bench_file("/max", "800", "1000", FILE_NUMBER));
	run_bench_add(bench, run_bench_directory("/new", true));
	run_bench_add(bench, run_bench_file("/partition", "member", "isolated", FILE_TEXT));
	run_bench_add(bench, run_bench_word(BANK_MSR, 1, false));
	run_bench_add_words(bench, BANK_MAILBOX, 2, 2, true);
	step = run_bench_directory("/old", false);
	step.announcement = "last";
	run_bench_add(bench, step);
}

bool run_bench_is_as_before(const struct run_bench *bench)
{
	const struct bank_state *before = &bench->before, *now = &bench->bank.state;

	if (memcmp(before->words, now->words, sizeof(now->words)) != 0)
		return false;
	for (size_t i = 0; i < BANK_FILES; i++) {
		const char *text = bank_text(&bench->bank, before->files[i].path);
		size_t length = strcspn(before->files[i].text, "\n");

		if (*before->files[i].path &&
		    (!text || strncmp(text, before->files[i].text, length) != 0))
			return false;
	}
	return !bank_text(&bench->bank, "/new");
}

void run_bench_run(struct run_bench *bench, struct transaction_outcome *outcome)
{
	assert_int_equal(transaction_run(&bench->plan, &bench->environment, outcome), 0);
}

void run_bench_assert_undone(const struct transaction_outcome *outcome, size_t n_rolled_back)
{
	assert_int_equal(outcome->n_rolled_back, n_rolled_back);
	assert_int_equal(outcome->n_not_rolled_back, 0);
	for (size_t i = 0; i < n_rolled_back; i++)
		assert_int_equal(outcome->rolled_back[i], n_rolled_back - 1 - i);
}
