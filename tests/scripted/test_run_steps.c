// SPDX-License-Identifier: GPL-2.0-only
/* What single steps may ask of a run: to be optional, to be left, to go in a batch, to be waited
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "run_bench.h"

/* An optional step that is refused is a note; the rest of its batch is sent. */
static void test_optional(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 4; n++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		uint32_t batch;

		run_bench_open(&bench);
		batch = change_list_new_batch(&bench.plan);
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			struct change step = run_bench_word(BANK_MMIO, cpu, true);

			step.batch = batch;
			step.is_optional = cpu == n - 1;
			run_bench_add(&bench, step);
		}
		bench.bank.faults[0] = (struct bank_fault){ n, n, n == 4 ? 0 : -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_false(outcome.failed);
		assert_int_equal(outcome.n_notes, 1);
		assert_int_equal(outcome.notes[0].change, n - 1);
		assert_int_equal(outcome.notes[0].error, n == 4 ? -EIO : -ENXIO);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			assert_int_equal(bench.bank.state.words[BANK_MMIO][cpu],
					 (cpu == n - 1 ? 0x10 : 0x40) + cpu);
		assert_int_equal(bench.n_done, 4);
	}
}

/* What goes wrong later takes an optional step that was done back, too, and none that was not. */
static void test_optional_undone(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_word(BANK_MAILBOX, 0, true);

		run_bench_open(&bench);
		bench.before = bench.bank.state;
		step.is_optional = true;
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(BANK_MAILBOX, 1, true));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		if (fails)
			bench.bank.faults[1] = (struct bank_fault){ 1, 1, -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, -EPERM);
		assert_int_equal(outcome.n_notes, fails);
		run_bench_assert_undone(&outcome, fails ? 0 : 1);
		assert_true(run_bench_is_as_before(&bench));
	}
}

/* Changes that cannot be undone are reported with the reason. */
static void test_not_undoable(void **state)
{
	static const struct {
		bool not_undoable;
		int error;
		const char *reason;
	} cases[] = {
		{ true, -ENOTSUP, "it cannot be undone" },
		{ false, -ENODATA, "what was there before is unknown" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = i & 1 ? run_bench_file("/max", NULL, "5", FILE_NUMBER)
					   : run_bench_word(BANK_MSR, 0, false);

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "4");
		step.has_old_value = false;
		step.not_undoable = cases[i / 2].not_undoable;
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(BANK_MSR, 1, false));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_not_rolled_back, 1);
		assert_int_equal(outcome.not_rolled_back[0].error, cases[i / 2].error);
		assert_string_equal(outcome.not_rolled_back[0].reason, cases[i / 2].reason);
	}
}

/* A change can need several writes to undo; all must succeed, even if it reads as before. */
static void test_undo_list(void **state)
{
	(void)state;
	for (size_t failing = 0; failing < 3; failing++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_word(BANK_MAILBOX, 0, true);
		const struct change_undo undo[] = {
			{ .target = step.target, .value = { .number = 0x10 } },
			{ .target = run_bench_word(BANK_MSR, 3, false).target,
			  .value = { .number = 0x77 } },
		};

		step.undo = undo;
		step.n_undo = ARRAY_SIZE(undo);
		run_bench_open(&bench);
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(BANK_MSR, 1, false));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		if (failing)
			bench.bank.faults[1] =
				(struct bank_fault){ 2 + failing, 2 + 2 * failing, -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_not_rolled_back, failing ? 1 : 0);
		assert_int_equal(outcome.n_rolled_back, failing ? 0 : 1);
		assert_int_equal(bench.bank.state.words[BANK_MAILBOX][0],
				 failing == 1 ? 0x40 : 0x10);
		assert_int_equal(bench.bank.state.words[BANK_MSR][3], failing ? 0x13 : 0x77);
	}
}

/* Batches: neighbours of one number and kind; neither files nor other kinds are mixed in. */
static void test_batches(void **state)
{
	static const struct {
		enum bank_kind kinds[4];
		uint32_t batches[4];
		size_t n_requests;
	} cases[] = {
		{ { BANK_MMIO, BANK_MMIO, BANK_MMIO, BANK_MMIO }, { 1, 1, 1, 1 }, 1 },
		{ { BANK_MMIO, BANK_MMIO, BANK_MMIO, BANK_MMIO }, { 0, 0, 0, 0 }, 4 },
		{ { BANK_MMIO, BANK_MMIO, BANK_MMIO, BANK_MMIO }, { 1, 1, 2, 2 }, 2 },
		{ { BANK_MMIO, BANK_MMIO, BANK_MMIO, BANK_MMIO }, { 1, 2, 1, 1 }, 3 },
		{ { BANK_MAILBOX, BANK_MAILBOX, BANK_MMIO, BANK_MMIO }, { 1, 1, 1, 1 }, 2 },
		{ { BANK_MSR, BANK_MAILBOX, BANK_MMIO, BANK_MSR }, { 1, 1, 1, 1 }, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;

		run_bench_open(&bench);
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			struct change step = run_bench_word(cases[i].kinds[cpu], cpu, false);

			step.batch = cases[i].batches[cpu];
			run_bench_add(&bench, step);
		}
		run_bench_run(&bench, &outcome);
		assert_false(outcome.failed);
		assert_int_equal(bench.bank.n_requests, cases[i].n_requests);
		assert_int_equal(bench.n_asked, cases[i].n_requests);
	}
}

static void test_empty(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open(&bench);
	bench.stop_at = 1;
	run_bench_run(&bench, &outcome);
	assert_false(outcome.failed);
	assert_int_equal(bench.bank.n_requests, 0);
}

/* Without callbacks, and without a device: files need none. */
static void test_without_device(void **state)
{
	(void)state;
	for (int has_word = 0; has_word < 2; has_word++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct transaction_environment environment = { .files = &bench.bank.files };
		struct change step = run_bench_file("/max", "800", "900", FILE_NUMBER);

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "800");
		step.announcement = "nobody hears it";
		run_bench_add(&bench, step);
		if (has_word)
			run_bench_add(&bench, run_bench_word(BANK_MAILBOX, 0, true));
		assert_int_equal(transaction_run(&bench.plan, &environment, &outcome), 0);
		assert_int_equal(outcome.failed, has_word);
		assert_int_equal(outcome.failure.error, has_word ? -ENODEV : 0);
		assert_string_equal(bank_text(&bench.bank, "/max"), has_word ? "800" : "900");
	}
}

/* What depends on other changes is undone after them, though it was made before; a CPU that came
 * online goes offline last. */
static void test_undone_last(void **state)
{
	(void)state;
	for (int takes_offline = 0; takes_offline < 2; takes_offline++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change first = run_bench_word(BANK_MAILBOX, 0, true);
		struct change second = run_bench_word(BANK_MSR, 1, true);
		size_t last = takes_offline ? 0 : 1;

		run_bench_open(&bench);
		bench.before = bench.bank.state;
		first.undo_turn = takes_offline ? CHANGE_UNDONE_LAST : CHANGE_UNDONE_FIRST;
		second.undo_turn = CHANGE_UNDONE_AFTER;
		run_bench_add(&bench, first);
		run_bench_add(&bench, second);
		run_bench_add(&bench, run_bench_word(BANK_MSR, 2, true));
		/* Undoing: MSR 2 is the fourth write, the last one the sixth, lost twice. */
		bench.bank.faults[0] = (struct bank_fault){ 3, 3, -EIO, true };
		bench.bank.faults[1] = (struct bank_fault){ 6, 7, 0, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_rolled_back, 2);
		assert_int_equal(outcome.rolled_back[0], 2);
		assert_int_equal(outcome.rolled_back[1], 1 - last);
		assert_int_equal(outcome.n_not_rolled_back, 1);
		assert_int_equal(outcome.not_rolled_back[0].change, last);
	}
}

/* An announcement takes no write and no undoing, and comes after the changes before it. */
static void test_announcements(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open(&bench);
	assert_int_equal(change_list_announce(&bench.plan, "online cpu 1"), 0);
	run_bench_add(&bench, run_bench_word(BANK_MSR, 1, false));
	assert_int_equal(change_list_announce(&bench.plan, "online cpu 2"), 0);
	bench.bank.faults[0] = (struct bank_fault){ 1, 1, -ENXIO, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.failure.change, 0);
	run_bench_assert_undone(&outcome, 0);
	assert_string_equal(bench.said, "online cpu 1;");
}

/* Announcements that are held back, and what /max was when they were put out. */
struct held {
	struct run_bench *bench;
	bool any;
	char said[128];
};

static void hold(void *data, const char *text)
{
	struct held *held = data;
	size_t used = strlen(held->said);

	held->any = true;
	snprintf(held->said + used, sizeof(held->said) - used, "%s ", text);
}

static void put_held(void *data)
{
	struct held *held = data;
	size_t used = strlen(held->said);

	if (held->any)
		snprintf(held->said + used, sizeof(held->said) - used, "(%s) ",
			 bank_text(&held->bench->bank, "/max"));
	held->any = false;
}

/* Nothing is held back while something is written, nor of a step that wrote, nor at the end. */
static void test_holding(void **state)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;
	struct held held = { .bench = &bench };
	struct change step = run_bench_file("/max", "800", "900", FILE_NUMBER);

	(void)state;
	run_bench_open(&bench);
	bank_set_file(&bench.bank, "/max", "800");
	bench.environment.announce = hold;
	bench.environment.flush = put_held;
	bench.environment.stop = NULL;
	bench.environment.progress = NULL;
	bench.environment.data = &held;
	assert_int_equal(change_list_announce(&bench.plan, "a"), 0);
	assert_int_equal(change_list_announce(&bench.plan, "b"), 0);
	step.announcement = "c";
	run_bench_add(&bench, step);
	assert_int_equal(change_list_announce(&bench.plan, "d"), 0);
	assert_int_equal(transaction_run(&bench.plan, &bench.environment, &outcome), 0);
	assert_false(outcome.failed);
	assert_string_equal(held.said, "a b (800) c (900) d (900) ");
}

/* A text that the kernel does not know is followed by the older one, which is then expected. */
static void test_fallback(void **state)
{
	static const int errors[] = { -EINVAL, -EBUSY };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct change step = run_bench_file("/partition", "member", "isolated", FILE_TEXT);

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/partition", "member\n");
		step.fallback_text = "root";
		run_bench_add(&bench, step);
		bench.bank.faults[0] = (struct bank_fault){ 1, 1, errors[i], false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.failure.error, i ? -EBUSY : 0);
		assert_string_equal(bank_text(&bench.bank, "/partition"), i ? "member\n" : "root");
	}
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The machine gets its time after a step, and after its undoing; a batch waits once, the
 * longest. */
static void test_settling(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		double begin, took;

		run_bench_open(&bench);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			struct change step = run_bench_word(BANK_MSR, cpu, false);

			step.batch = 1;
			step.settle_us = cpu == 0 ? 40000 : 10000;
			run_bench_add(&bench, step);
		}
		run_bench_add(&bench, run_bench_word(BANK_MSR, 2, false));
		if (fails)
			bench.bank.faults[0] = (struct bank_fault){ 3, 3, -EPERM, false };
		begin = now_ms();
		run_bench_run(&bench, &outcome);
		took = now_ms() - begin;
		assert_int_equal(outcome.n_rolled_back, fails ? 2 : 0);
		assert_true(took >= (fails ? 40 + 10 + 40 : 40));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optional),       cmocka_unit_test(test_optional_undone),
		cmocka_unit_test(test_not_undoable),   cmocka_unit_test(test_undo_list),
		cmocka_unit_test(test_batches),        cmocka_unit_test(test_empty),
		cmocka_unit_test(test_without_device), cmocka_unit_test(test_undone_last),
		cmocka_unit_test(test_announcements),  cmocka_unit_test(test_holding),
		cmocka_unit_test(test_fallback),       cmocka_unit_test(test_settling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
