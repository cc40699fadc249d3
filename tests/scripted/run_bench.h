/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan on a bank, and the requests and reports of a run of it: what tests of runs share. */
#ifndef SCRIPTED_RUN_BENCH_H
#define SCRIPTED_RUN_BENCH_H

#include "bank.h"
#include "change/transaction.h"
#include "host/target.h"

/* Of the plan of run_bench_open_full(). */
#define N_STEPS  12
#define N_GROUPS 8

struct run_bench {
	struct bank bank;
	struct bank_state before;
	struct change_list plan;
	struct channel channel;
	struct wait_stop stop;
	struct transaction_environment environment;
	size_t n_asked; /* whether a stop was requested */
	size_t stop_at; /* the answer is yes from this question on; 0: never */
	size_t n_done; /* as progress last reported */
	char said[64];
};

#define _cleanup_run_bench_ __attribute__((cleanup(run_bench_close)))

/* An empty plan. A channel of one try, so that every failure of a write is final. */
void run_bench_open(struct run_bench *bench);
void run_bench_close(struct run_bench *bench);

/* 12 steps in 8 groups: of each kind, alone and in batches, with checks and without. */
void run_bench_open_full(struct run_bench *bench);

/* A step that writes 0x40 + CPU over the bank's 0x10 + CPU. */
struct change run_bench_word(enum bank_kind kind, uint32_t cpu, bool checked);
/* The value of such a change for a word. */
struct target_value run_bench_value(enum bank_kind kind, uint64_t word);
struct change run_bench_file(const char *path, const char *old, const char *new,
			     enum file_content content);
struct change run_bench_directory(const char *path, bool makes);

void run_bench_add(struct run_bench *bench, struct change step);
void run_bench_add_words(struct run_bench *bench, enum bank_kind kind, uint32_t first,
			 uint32_t count, bool checked);

/* Runs the plan, which must return 0. */
void run_bench_run(struct run_bench *bench, struct transaction_outcome *outcome);

/* Are words and files as bench->before, but for the newline that undoing does not write? */
bool run_bench_is_as_before(const struct run_bench *bench);

/* The first n_rolled_back steps were undone, from the last to the first, and none was not. */
void run_bench_assert_undone(const struct transaction_outcome *outcome, size_t n_rolled_back);

#endif
