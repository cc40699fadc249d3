// SPDX-License-Identifier: GPL-2.0-only
/* Undoing that fails: it is tried again after all others, waits together, and ends when the program
 * is asked to stop once more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "run_bench.h"

#define N_UNDONE (BANK_FILES - 1)
#define TRIES    50
#define PATIENCE 4 /* times as many tries in undoing */

static char paths[N_UNDONE][8];

/* Files that are set from 1000 to 2000, and a word whose write fails. */
static void open_bench(struct run_bench *bench)
{
	run_bench_open(bench);
	for (size_t i = 0; i < N_UNDONE; i++) {
		struct change change;

		snprintf(paths[i], sizeof(paths[i]), "/%zu", i);
		bank_set_file(&bench->bank, paths[i], "1000");
		change = run_bench_file(paths[i], "1000", "2000", FILE_NUMBER);
		change.tries = TRIES;
		run_bench_add(bench, change);
	}
	run_bench_add(bench, run_bench_word(BANK_MSR, 1, false));
	bench->before = bench->bank.state;
	bench->bank.faults[0] = (struct bank_fault){ N_UNDONE + 1, N_UNDONE + 1, -EPERM, false };
}

/* Each undoing write in turn fails once. */
static void test_tried_again(void **state)
{
	(void)state;
	for (size_t number = 0; number < N_UNDONE; number++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		size_t write = N_UNDONE + 2 + number;

		open_bench(&bench);
		bench.bank.faults[1] = (struct bank_fault){ write, write, -EBUSY, false };
		run_bench_run(&bench, &outcome);
		run_bench_assert_undone(&outcome, N_UNDONE);
		assert_true(run_bench_is_as_before(&bench));
		assert_int_equal(bench.bank.n_writes, 2 * N_UNDONE + 2);
	}
}

/* All undoing writes are lost: reading back takes not much longer than for one of them. */
static void test_waits_together(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	open_bench(&bench);
	bench.bank.faults[1] = (struct bank_fault){ N_UNDONE + 2, SIZE_MAX, 0, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.n_rolled_back, 0);
	assert_int_equal(outcome.n_not_rolled_back, N_UNDONE);
	assert_in_range(bench.bank.n_reads, 2 * TRIES * PATIENCE, 3 * TRIES * PATIENCE);
}

struct again {
	size_t n_asked;
	size_t at;
};

static bool is_asked(void *data)
{
	(void)data;
	return false;
}

static bool is_asked_again(void *data)
{
	struct again *again = data;

	return ++again->n_asked > again->at;
}

static void test_asked_again(void **state)
{
	(void)state;
	for (size_t at = 0; at < N_UNDONE; at++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct again again = { .at = at };

		open_bench(&bench);
		bench.stop = (struct wait_stop){
			.fd = -1,
			.is_asked = is_asked,
			.is_asked_again = is_asked_again,
			.data = &again,
		};
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_rolled_back, at);
		assert_int_equal(outcome.n_not_rolled_back, N_UNDONE - at);
		for (size_t i = 0; i < N_UNDONE - at; i++) {
			const struct transaction_failure *left = &outcome.not_rolled_back[i];

			assert_int_equal(left->change, N_UNDONE - at - 1 - i);
			assert_int_equal(left->error, -EINTR);
			assert_string_equal(left->reason, "a stop was requested again");
			assert_string_equal(bank_text(&bench.bank, paths[left->change]), "2000");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tried_again),
		cmocka_unit_test(test_waits_together),
		cmocka_unit_test(test_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
