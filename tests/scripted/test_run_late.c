// SPDX-License-Identifier: GPL-2.0-only
/* Steps whose file can be read only when earlier ones are done, and undoing that is read back in
 * more than one place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "run_bench.h"

/* Brings a file's directory about, then writes the file where it is below 2000. */
struct read_first_case {
	const char *name;
	const char *found; /* NULL: there is no such file */
	uint32_t sufficient;
	bool written;
	int error;
};

static const struct read_first_case read_first_cases[] = {
	{ "below", "1999", 2000, true, 0 },
	{ "just sufficient", "2000", 2000, false, 0 },
	{ "above", "3000", 2000, false, 0 },
	{ "no number is sufficient", "3000", 0, true, 0 },
	{ "no such file", NULL, 2000, false, 0 },
	{ "no number", "<unsupported>", 2000, false, -EINVAL },
};

static struct change read_first_change(uint32_t sufficient)
{
	struct change step = run_bench_file("/max", NULL, "9999", FILE_ANY);

	step.is_read_first = true;
	step.sufficient = sufficient;
	return step;
}

/* Runs one case; where fails, the write after it is refused. */
static void run_read_first(const struct read_first_case *row, bool fails)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;
	size_t n_done = row->written ? 2 : 1;

	run_bench_open(&bench);
	if (row->found)
		bank_set_file(&bench.bank, "/max", row->found);
	bench.before = bench.bank.state;
	run_bench_add(&bench, run_bench_word(BANK_MAILBOX, 0, true));
	run_bench_add(&bench, read_first_change(row->sufficient));
	run_bench_add(&bench, run_bench_word(BANK_MSR, 1, false));
	if (fails)
		bench.bank.faults[0] = (struct bank_fault){ n_done + 1, n_done + 1, -EPERM, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.failure.error, row->error ?: fails ? -EPERM : 0);
	assert_int_equal(outcome.n_not_rolled_back, 0);
	if (outcome.failed) {
		assert_int_equal(outcome.n_rolled_back, n_done);
		assert_true(run_bench_is_as_before(&bench));
	} else if (row->found) {
		assert_string_equal(bank_text(&bench.bank, "/max"),
				    row->written ? "9999" : row->found);
	}
}

static void test_read_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(read_first_cases); i++) {
		print_message("%s\n", read_first_cases[i].name);
		run_read_first(&read_first_cases[i], false);
		if (!read_first_cases[i].error)
			run_read_first(&read_first_cases[i], true);
	}
}

/* A file that shows what is new only after a while (sysfs.md, "cpufreq policy"). */
static void test_slow_file(void **state)
{
	static const struct {
		size_t reads;
		int error;
	} cases[] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 4, -EIO } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_file("/max", "1999", "9999", FILE_NUMBER);

		step.tries = 4;
		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "1999");
		bench.bank.lag = (struct bank_lag){ "/max", cases[i].reads };
		run_bench_add(&bench, step);
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, cases[i].error);
		assert_int_equal(outcome.n_not_rolled_back, 0);
		assert_string_equal(bank_text(&bench.bank, "/max"),
				    cases[i].error ? "1999" : "9999");
	}
}

/* What undoing writes besides must read so too; if not, the step is not undone. */
static void test_undo_checks(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_word(BANK_MAILBOX, 0, true);
		const struct change_undo undo[] = {
			{ .target = step.target, .value = { .number = 0x10 } },
			{ .target = run_bench_word(BANK_MSR, 3, true).target,
			  .value = { .number = 0x77 },
			  .is_checked = true },
		};

		step.undo = undo;
		step.n_undo = ARRAY_SIZE(undo);
		run_bench_open(&bench);
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(BANK_MSR, 1, false));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		if (lost)
			bench.bank.faults[1] = (struct bank_fault){ 4, 6, 0, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_rolled_back, !lost);
		assert_int_equal(outcome.n_not_rolled_back, lost);
		if (lost) {
			assert_int_equal(outcome.not_rolled_back[0].error, -EIO);
			assert_string_equal(outcome.not_rolled_back[0].reason,
					    "reads 0x13, expected 0x77");
		}
	}
}

/* The first write back is refused since the step never took effect; the second is made all the
 * same. */
static void test_undo_of_nothing(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;
	struct change step = run_bench_word(BANK_MAILBOX, 0, true);
	const struct change_undo undo[] = {
		{ .target = step.target, .value = { .number = 0x10 } },
		{ .target = run_bench_word(BANK_MSR, 3, false).target,
		  .value = { .number = 0x77 } },
	};

	(void)state;
	step.undo = undo;
	step.n_undo = ARRAY_SIZE(undo);
	run_bench_open(&bench);
	run_bench_add(&bench, step);
	bench.bank.faults[0] = (struct bank_fault){ 1, 1, 0, false };
	bench.bank.faults[1] = (struct bank_fault){ 2, 2, -ENOTTY, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.failure.error, -EIO);
	run_bench_assert_undone(&outcome, 1);
	assert_int_equal(bench.bank.state.words[BANK_MAILBOX][0], 0x10);
	assert_int_equal(bench.bank.state.words[BANK_MSR][3], 0x77);
}

/* A run that keeps what is done: a failure is one, a stop too, and nothing is undone. */
static void test_keeps_changes(void **state)
{
	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;

		run_bench_open(&bench);
		bench.environment.keeps_changes = true;
		for (uint32_t cpu = 0; cpu < 3; cpu++)
			run_bench_add(&bench, run_bench_word(BANK_MSR, cpu, false));
		if (stops)
			bench.stop_at = 3;
		else
			bench.bank.faults[0] = (struct bank_fault){ 3, 3, -EPERM, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, stops ? -EINTR : -EPERM);
		run_bench_assert_undone(&outcome, 0);
		assert_int_equal(bench.bank.state.words[BANK_MSR][1], 0x41);
		assert_int_equal(bench.bank.state.words[BANK_MSR][2], 0x12);
	}
}

/* Asked to stop while a step settles, or is read back again and again: it is undone with the
 * others. */
static void test_stopped_waiting(void **state)
{
	(void)state;
	for (int reads_back = 0; reads_back < 2; reads_back++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_word(BANK_MAILBOX, 1, true);

		run_bench_open(&bench);
		bench.before = bench.bank.state;
		run_bench_add(&bench, run_bench_word(BANK_MAILBOX, 0, true));
		if (reads_back) {
			bench.bank.faults[0] = (struct bank_fault){ 2, 2, 0, false }; /* lost */
			step.tries = 60000;
		} else {
			step.settle_us = 200000;
		}
		run_bench_add(&bench, step);
		bench.stop_at = 4; /* before each step, and twice in the wait */
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, -EINTR);
		assert_int_equal(outcome.failure.change, 1);
		assert_string_equal(outcome.failure.reason, "a stop was requested");
		run_bench_assert_undone(&outcome, 2);
		assert_true(run_bench_is_as_before(&bench));
	}
}

/* A plan that grows: what a later stage does, and what fails there, undoes all stages. */
static void test_stages(void **state)
{
	(void)state;
	for (int fails = 0; fails < 3; fails++) {
		_cleanup_run_bench_ struct run_bench bench;
		_cleanup_transaction_ struct transaction *run = NULL;
		const struct transaction_outcome *outcome;

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "800\n");
		bench.before = bench.bank.state;
		bench.environment.progress = NULL;
		run_bench_add(&bench, run_bench_file("/max", "800", "1000", FILE_NUMBER));
		assert_int_equal(transaction_new(&bench.plan, &run), 0);
		assert_int_equal(transaction_continue(run, &bench.environment), 0);
		outcome = transaction_get_outcome(run);
		assert_false(outcome->failed);
		assert_int_equal(bench.bank.n_writes, 1);
		/* So many that the plan's memory moves. */
		for (uint32_t i = 0; i < 40; i++)
			run_bench_add_words(&bench, BANK_MMIO, 0, 4, false);
		if (fails == 1)
			bench.bank.faults[0] = (struct bank_fault){ 100, 100, -EPERM, false };
		if (fails < 2)
			assert_int_equal(transaction_continue(run, &bench.environment), 0);
		else
			transaction_undo(run, &bench.environment);
		assert_int_equal(outcome->failed, fails == 1);
		assert_int_equal(outcome->n_rolled_back, fails == 0 ? 0 : fails == 1 ? 99 : 1);
		assert_int_equal(outcome->n_not_rolled_back, 0);
		assert_int_equal(run_bench_is_as_before(&bench), fails != 0);
		if (fails)
			assert_int_equal(outcome->rolled_back[outcome->n_rolled_back - 1], 0);
	}
}

/* Steps that may fail alone: the others are done. */
static void test_make_optional(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open(&bench);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		run_bench_add(&bench, run_bench_word(BANK_MSR, cpu, true));
	for (size_t i = 0; i < bench.plan.n_changes; i++)
		bench.plan.changes[i].is_optional = true;
	bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
	run_bench_run(&bench, &outcome);
	assert_false(outcome.failed);
	assert_int_equal(outcome.n_notes, 1);
	assert_int_equal(outcome.notes[0].change, 1);
	assert_int_equal(bench.bank.state.words[BANK_MSR][2], 0x42);
}

/* A directory that could not be made, or removed, in doubt: it is as before, whatever happened. */
static void test_uncertain_directory(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		bool makes = i & 2, takes_effect = i & 1;

		run_bench_open(&bench);
		if (!makes)
			bank_make_directory(&bench.bank, "/dir");
		run_bench_add(&bench, run_bench_directory("/dir", makes));
		bench.bank.faults[0] = (struct bank_fault){ 1, 1, -EIO, takes_effect };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, -EIO);
		assert_int_equal(outcome.n_not_rolled_back, 0);
		assert_int_equal(bank_text(&bench.bank, "/dir") != NULL, !makes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_first),
		cmocka_unit_test(test_slow_file),
		cmocka_unit_test(test_undo_checks),
		cmocka_unit_test(test_undo_of_nothing),
		cmocka_unit_test(test_keeps_changes),
		cmocka_unit_test(test_stopped_waiting),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_make_optional),
		cmocka_unit_test(test_uncertain_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
