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

	plan_steps(bench->plan, &n_steps);
	assert_int_equal(total, n_steps);
	assert_true(done > bench->n_done);
	bench->n_done = done;
}

void run_bench_open(struct run_bench *bench)
{
	*bench = (struct run_bench){ 0 };
	bank_init(&bench->bank);
	assert_int_equal(plan_new(&bench->plan), 0);
	bench->channel = (struct channel){
		.transport = &bench->bank.transport,
		.max_commands = 64,
		.tries = 1,
	};
	bench->stop = (struct wait_stop){ .fd = -1, .is_asked = is_interrupted, .data = bench };
	bench->environment = (struct run_environment){
		.channel = &bench->channel,
		.files = &bench->bank.files,
		.stop = &bench->stop,
		.announce = announce,
		.progress = progress,
		.data = bench,
	};
}

void run_bench_close(struct run_bench *bench)
{
	plan_free(&bench->plan);
}

struct plan_step run_bench_word(enum plan_kind kind, uint32_t cpu, bool checked)
{
	struct plan_step step = {
		.subject = { .cpu = cpu },
		.what = "word",
		.write = { .kind = kind, .cpu = cpu, .value = 0x40 + cpu },
		.old_value = 0x10 + cpu,
		.old_text = "old",
		.new_text = "new",
	};

	if (kind == PLAN_MAILBOX) {
		step.write.command = BANK_COMMAND;
		step.write.sub_command = BANK_WRITE;
	}
	if (checked) {
		step.check = (struct plan_check){
			.kind = PLAN_CHECK_WORD,
			.read = step.write,
			.mask = 0xff,
			.value = 0x40 + cpu,
			.old_value = 0x10 + cpu,
		};
		step.check.read.sub_command = BANK_READ;
		step.check.read.value = 0;
	}
	return step;
}

void run_bench_add(struct run_bench *bench, struct plan_step step)
{
	assert_int_equal(plan_add(bench->plan, &step), 0);
}

void run_bench_add_words(struct run_bench *bench, enum plan_kind kind, uint32_t first,
			 uint32_t count, bool checked)
{
	uint32_t batch = plan_new_batch(bench->plan);

	for (uint32_t cpu = first; cpu < first + count; cpu++) {
		struct plan_step step = run_bench_word(kind, cpu, checked);

		step.batch = batch;
		run_bench_add(bench, step);
	}
}

struct plan_step run_bench_file(const char *path, const char *old, const char *new,
				enum plan_check_kind check)
{
	return (struct plan_step){
		.subject = { .cpu = PLAN_NO_CPU },
		.what = "file",
		.write = { .kind = PLAN_FILE, .path = path, .text = new },
		.old_text = old,
		.check.kind = check,
	};
}

struct plan_step run_bench_directory(enum plan_kind kind, const char *path)
{
	return (struct plan_step){
		.subject = { .cpu = PLAN_NO_CPU },
		.what = "directory",
		.write = { .kind = kind, .path = path },
	};
}

void run_bench_open_full(struct run_bench *bench)
{
	struct plan_step step = run_bench_word(PLAN_MAILBOX, 0, true);

	run_bench_open(bench);
	bank_set_file(&bench->bank, "/max", "800\n");
	bank_set_file(&bench->bank, "/partition", "member\n");
	bank_make_directory(&bench->bank, "/old");
	bench->before = bench->bank.state;
	step.announce = "first";
	run_bench_add(bench, step);
	run_bench_add_words(bench, PLAN_MMIO, 0, 4, true);
	run_bench_add(bench, run_bench_file("/max", "800", "1000", PLAN_CHECK_NUMBER));
	run_bench_add(bench, run_bench_directory(PLAN_MAKE_DIRECTORY, "/new"));
	run_bench_add(bench, run_bench_file("/partition", "member", "isolated", PLAN_CHECK_TEXT));
	run_bench_add(bench, run_bench_word(PLAN_MSR, 1, false));
	run_bench_add_words(bench, PLAN_MAILBOX, 2, 2, true);
	step = run_bench_directory(PLAN_REMOVE_DIRECTORY, "/old");
	step.announce = "last";
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

void run_bench_run(struct run_bench *bench, struct run_outcome *outcome)
{
	assert_int_equal(run_plan(bench->plan, &bench->environment, outcome), 0);
}

void run_bench_assert_undone(const struct run_outcome *outcome, size_t n_undone)
{
	assert_int_equal(outcome->n_undone, n_undone);
	assert_int_equal(outcome->n_not_undone, 0);
	for (size_t i = 0; i < n_undone; i++)
		assert_int_equal(outcome->undone[i], n_undone - 1 - i);
}
