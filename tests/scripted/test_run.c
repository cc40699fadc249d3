// SPDX-License-Identifier: GPL-2.0-only
/* All or nothing (commands.md, "Safety of every setting command"): a plan of every kind of step
 * runs on a bank whose n-th write fails, is lost, or fails in doubt, for every n; and is asked to
 * stop before every group. Changes that cannot be undone are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "run_bench.h"

static void test_success(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open_full(&bench);
	run_bench_run(&bench, &outcome);
	assert_false(outcome.failed);
	assert_int_equal(outcome.n_rolled_back + outcome.n_not_rolled_back + outcome.n_notes, 0);
	assert_int_equal(bench.n_asked, N_GROUPS);
	assert_int_equal(bench.n_done, N_STEPS);
	assert_int_equal(bench.bank.n_writes, N_STEPS);
	assert_string_equal(bench.said, "first;last;");
	assert_int_equal(bench.bank.n_requests, 4 + 3); /* a read back for all but the MSR */
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		assert_int_equal(bench.bank.state.words[BANK_MMIO][cpu], 0x40 + cpu);
	assert_int_equal(bench.bank.state.words[BANK_MAILBOX][3], 0x43);
	assert_int_equal(bench.bank.state.words[BANK_MSR][1], 0x41);
	assert_string_equal(bank_text(&bench.bank, "/max"), "1000");
	assert_string_equal(bank_text(&bench.bank, "/partition"), "isolated");
	assert_non_null(bank_text(&bench.bank, "/new"));
	assert_null(bank_text(&bench.bank, "/old"));
}

/* A refused write is not made, nothing after it is written, and what was before it is undone. */
static void test_each_write_fails(void **state)
{
	(void)state;
	for (size_t n = 1; n <= N_STEPS; n++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;

		run_bench_open_full(&bench);
		bench.bank.faults[0] = (struct bank_fault){ n, n, -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.change, n - 1);
		assert_int_equal(outcome.failure.error, -ENXIO);
		run_bench_assert_undone(&outcome, n - 1);
		assert_int_equal(bench.bank.n_writes, 2 * n - 1);
		assert_true(run_bench_is_as_before(&bench));
	}
}

/* Steps whose check can fail: all but directories and the MSR. */
static bool is_checked(size_t step)
{
	return step < 6 || step == 7 || step == 9 || step == 10;
}

/* The write is lost without an error: reading back shows it, and that change is undone too. */
static void test_each_write_is_lost(void **state)
{
	(void)state;
	for (size_t n = 1; n <= N_STEPS; n++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench = { 0 };
		bool in_batch = n >= 2 && n <= 5;

		if (!is_checked(n - 1))
			continue;
		run_bench_open_full(&bench);
		bench.bank.faults[0] = (struct bank_fault){ n, n, 0, false };
		run_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.change, n - 1);
		assert_int_equal(outcome.failure.error, -EIO);
		assert_non_null(outcome.failure.reason);
		run_bench_assert_undone(&outcome, in_batch ? 5 : n == 10 ? 11 : n);
		assert_true(run_bench_is_as_before(&bench));
	}
}

/* If it is uncertain, the target is read; if it cannot be read, the change counts as done. */
static void test_each_write_is_uncertain(void **state)
{
	static const int errors[] = { -EINTR, -EBUSY };

	(void)state;
	for (size_t n = 0; n < 4 * N_STEPS; n++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench = { 0 };
		size_t step = n / 4;
		bool takes_effect = n & 1, is_word = step < 5 || (step >= 8 && step <= 10);
		int error = errors[n / 2 % 2];
		bool doubtful = is_word || error == -EINTR;

		if (step == 6 || step == 11 || (takes_effect && !doubtful))
			continue; /* a directory is not checked, and the kernel refuses it as a
				     whole */
		run_bench_open_full(&bench);
		bench.bank.faults[0] =
			(struct bank_fault){ step + 1, step + 1, error, takes_effect };
		run_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.error, error);
		assert_int_equal(outcome.failure.change, step);
		run_bench_assert_undone(&outcome,
					step + (takes_effect || (doubtful && !is_checked(step))));
		assert_true(run_bench_is_as_before(&bench));
	}
}

static void test_interrupted_everywhere(void **state)
{
	static const size_t steps_before[N_GROUPS] = { 0, 1, 5, 6, 7, 8, 9, 11 };

	(void)state;
	for (size_t i = 0; i < N_GROUPS; i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;

		run_bench_open_full(&bench);
		bench.stop_at = i + 1;
		run_bench_run(&bench, &outcome);
		assert_true(outcome.failed);
		assert_int_equal(outcome.failure.error, -EINTR);
		assert_int_equal(outcome.failure.change, steps_before[i]);
		assert_string_equal(outcome.failure.reason, "a stop was requested");
		assert_int_equal(bench.n_asked, i + 1); /* not while undoing */
		run_bench_assert_undone(&outcome, steps_before[i]);
		assert_true(run_bench_is_as_before(&bench));
	}
}

/* The write of the second round if one write of the first round failed. */
#define AGAIN ((size_t)2 * N_STEPS)

/* The last write fails, and then the m-th of undoing, twice: the others are undone all the same. */
static void test_each_undo_fails(void **state)
{
	(void)state;
	for (size_t m = 1; m < N_STEPS; m++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		size_t step = N_STEPS - 1 - m;

		run_bench_open_full(&bench);
		bench.bank.faults[0] = (struct bank_fault){ N_STEPS, N_STEPS, -EPERM, false };
		bench.bank.faults[1] =
			(struct bank_fault){ N_STEPS + m, N_STEPS + m, -ENXIO, false };
		bench.bank.faults[2] = (struct bank_fault){ AGAIN, AGAIN, -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, -EPERM);
		assert_int_equal(outcome.n_not_rolled_back, 1);
		assert_int_equal(outcome.not_rolled_back[0].change, step);
		assert_int_equal(outcome.not_rolled_back[0].error, -ENXIO);
		assert_int_equal(outcome.n_rolled_back, N_STEPS - 2);
		for (size_t i = 0; i < outcome.n_rolled_back; i++)
			assert_int_not_equal(outcome.rolled_back[i], step);
		assert_false(run_bench_is_as_before(&bench));
	}
}

/* A lost write of undoing is found by reading back; one that fails but takes effect is not a
 * failure. */
static void test_undo_is_checked_by_reading(void **state)
{
	(void)state;
	for (size_t step = 0; step < N_STEPS - 1; step++) {
		size_t n = N_STEPS + (N_STEPS - 1 - step);

		for (int takes_effect = 0; takes_effect < 2 && is_checked(step); takes_effect++) {
			_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
			_cleanup_run_bench_ struct run_bench bench;

			run_bench_open_full(&bench);
			bench.bank.faults[0] =
				(struct bank_fault){ N_STEPS, N_STEPS, -EPERM, false };
			bench.bank.faults[1] = (struct bank_fault){ n, n, takes_effect ? -ENXIO : 0,
								    takes_effect };
			if (!takes_effect)
				bench.bank.faults[2] =
					(struct bank_fault){ AGAIN, AGAIN, 0, false };
			run_bench_run(&bench, &outcome);
			assert_int_equal(outcome.n_not_rolled_back, takes_effect ? 0 : 1);
			assert_int_equal(run_bench_is_as_before(&bench), takes_effect);
			if (takes_effect)
				continue;
			assert_int_equal(outcome.not_rolled_back[0].change, step);
			assert_int_equal(outcome.not_rolled_back[0].error, -EIO);
			assert_non_null(outcome.not_rolled_back[0].reason);
		}
	}
}

/* All writes are refused from one on: what was done is named, all of it. */
static void test_all_undo_fails(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open_full(&bench);
	bench.bank.faults[0] = (struct bank_fault){ 9, 1000, -ENXIO, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.failure.change, 8);
	assert_int_equal(outcome.n_rolled_back, 0);
	assert_int_equal(outcome.n_not_rolled_back, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(outcome.not_rolled_back[i].change, 7 - i);
}

/* A signal that comes while undoing costs a try, not the undoing; here more of them than the tries
 * of the channel in both rounds. */
static void test_undo_outlives_signals(void **state)
{
	(void)state;
	for (size_t m = 1; m < N_STEPS; m++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		size_t n = N_STEPS + m;

		run_bench_open_full(&bench);
		bench.bank.faults[0] = (struct bank_fault){ N_STEPS, N_STEPS, -EPERM, false };
		bench.bank.faults[1] = (struct bank_fault){ n, n + 5, -EINTR, false };
		run_bench_run(&bench, &outcome);
		run_bench_assert_undone(&outcome, N_STEPS - 1);
		assert_true(run_bench_is_as_before(&bench));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_success),
		cmocka_unit_test(test_each_write_fails),
		cmocka_unit_test(test_each_write_is_lost),
		cmocka_unit_test(test_each_write_is_uncertain),
		cmocka_unit_test(test_interrupted_everywhere),
		cmocka_unit_test(test_each_undo_fails),
		cmocka_unit_test(test_undo_is_checked_by_reading),
		cmocka_unit_test(test_all_undo_fails),
		cmocka_unit_test(test_undo_outlives_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
