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

/* An optional step that is refused is a note; its batch goes on behind it. */
static void test_optional(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 4; n++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		uint32_t batch;

		run_bench_open(&bench);
		batch = plan_new_batch(bench.plan);
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			struct plan_step step = run_bench_word(PLAN_MMIO, cpu, true);

			step.batch = batch;
			step.optional = cpu == n - 1;
			run_bench_add(&bench, step);
		}
		bench.bank.faults[0] = (struct bank_fault){ n, n, n == 4 ? 0 : -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_false(outcome.failed);
		assert_int_equal(outcome.n_notes, 1);
		assert_int_equal(outcome.notes[0].step, n - 1);
		assert_int_equal(outcome.notes[0].error, n == 4 ? -EIO : -ENXIO);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			assert_int_equal(bench.bank.state.words[PLAN_MMIO][cpu],
					 (cpu == n - 1 ? 0x10 : 0x40) + cpu);
		assert_int_equal(bench.n_done, 4);
	}
}

/* What goes wrong later takes an optional step that was done back, too, and none that was not. */
static void test_optional_undone(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct plan_step step = run_bench_word(PLAN_MAILBOX, 0, true);

		run_bench_open(&bench);
		bench.before = bench.bank.state;
		step.optional = true;
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(PLAN_MAILBOX, 1, true));
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

/* Steps that cannot be taken back are named with why. */
static void test_not_undoable(void **state)
{
	static const struct {
		bool not_undoable;
		int error;
		const char *reason;
	} cases[] = {
		{ true, -ENOTSUP, "it cannot be undone" },
		{ false, -ENODATA, "what was there before is not known" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct plan_step step = i & 1 ? run_bench_file("/max", NULL, "5", PLAN_CHECK_NUMBER)
					      : run_bench_word(PLAN_MSR, 0, false);

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "4");
		step.old_text = NULL;
		step.not_undoable = cases[i / 2].not_undoable;
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(PLAN_MSR, 1, false));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_not_undone, 1);
		assert_int_equal(outcome.not_undone[0].error, cases[i / 2].error);
		assert_string_equal(outcome.not_undone[0].reason, cases[i / 2].reason);
	}
}

/* A step may take several writes to undo; all must go well, whatever reads as before. */
static void test_undo_list(void **state)
{
	(void)state;
	for (size_t failing = 0; failing < 3; failing++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct plan_step step = run_bench_word(PLAN_MAILBOX, 0, true);
		struct plan_write undo[] = { step.write, run_bench_word(PLAN_MSR, 3, false).write };

		undo[0].value = 0x10;
		undo[1].value = 0x77;
		step.undo = undo;
		step.n_undo = ARRAY_SIZE(undo);
		run_bench_open(&bench);
		run_bench_add(&bench, step);
		run_bench_add(&bench, run_bench_word(PLAN_MSR, 1, false));
		bench.bank.faults[0] = (struct bank_fault){ 2, 2, -EPERM, false };
		if (failing)
			bench.bank.faults[1] =
				(struct bank_fault){ 2 + failing, 2 + failing, -ENXIO, false };
		run_bench_run(&bench, &outcome);
		assert_int_equal(outcome.n_not_undone, failing ? 1 : 0);
		assert_int_equal(outcome.n_undone, failing ? 0 : 1);
		assert_int_equal(bench.bank.state.words[PLAN_MAILBOX][0],
				 failing == 1 ? 0x40 : 0x10);
		assert_int_equal(bench.bank.state.words[PLAN_MSR][3], failing ? 0x13 : 0x77);
	}
}

/* Batches: neighbours of one number and kind; neither files nor other kinds are mixed in. */
static void test_batches(void **state)
{
	static const struct {
		enum plan_kind kinds[4];
		uint32_t batches[4];
		size_t n_requests;
	} cases[] = {
		{ { PLAN_MMIO, PLAN_MMIO, PLAN_MMIO, PLAN_MMIO }, { 1, 1, 1, 1 }, 1 },
		{ { PLAN_MMIO, PLAN_MMIO, PLAN_MMIO, PLAN_MMIO }, { 0, 0, 0, 0 }, 4 },
		{ { PLAN_MMIO, PLAN_MMIO, PLAN_MMIO, PLAN_MMIO }, { 1, 1, 2, 2 }, 2 },
		{ { PLAN_MMIO, PLAN_MMIO, PLAN_MMIO, PLAN_MMIO }, { 1, 2, 1, 1 }, 3 },
		{ { PLAN_MAILBOX, PLAN_MAILBOX, PLAN_MMIO, PLAN_MMIO }, { 1, 1, 1, 1 }, 2 },
		{ { PLAN_MSR, PLAN_MAILBOX, PLAN_MMIO, PLAN_MSR }, { 1, 1, 1, 1 }, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;

		run_bench_open(&bench);
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			struct plan_step step = run_bench_word(cases[i].kinds[cpu], cpu, false);

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
	_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
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
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct run_environment environment = { .files = &bench.bank.files };
		struct plan_step step = run_bench_file("/max", "800", "900", PLAN_CHECK_NUMBER);

		run_bench_open(&bench);
		bank_set_file(&bench.bank, "/max", "800");
		step.announce = "nobody hears it";
		run_bench_add(&bench, step);
		if (has_word)
			run_bench_add(&bench, run_bench_word(PLAN_MAILBOX, 0, true));
		assert_int_equal(run_plan(bench.plan, &environment, &outcome), 0);
		assert_int_equal(outcome.failed, has_word);
		assert_int_equal(outcome.failure.error, has_word ? -ENODEV : 0);
		assert_string_equal(bank_text(&bench.bank, "/max"), has_word ? "800" : "900");
	}
}

/* What is only said takes no write and no undoing. */
static void test_saying(void **state)
{
	_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;

	(void)state;
	run_bench_open(&bench);
	run_bench_add(&bench, (struct plan_step){ .what = "online",
						  .write.kind = PLAN_SAY,
						  .announce = "online cpu 1" });
	run_bench_add(&bench, run_bench_word(PLAN_MSR, 1, false));
	bench.bank.faults[0] = (struct bank_fault){ 1, 1, -ENXIO, false };
	run_bench_run(&bench, &outcome);
	assert_int_equal(outcome.failure.step, 1);
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

static void add_saying(struct run_bench *bench, const char *text)
{
	run_bench_add(bench, (struct plan_step){
				     .what = "online", .write.kind = PLAN_SAY, .announce = text });
}

/* Nothing is held back while something is written, nor of a step that wrote, nor at the end. */
static void test_holding(void **state)
{
	_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
	_cleanup_run_bench_ struct run_bench bench;
	struct held held = { .bench = &bench };
	struct plan_step step = run_bench_file("/max", "800", "900", PLAN_CHECK_NUMBER);

	(void)state;
	run_bench_open(&bench);
	bank_set_file(&bench.bank, "/max", "800");
	bench.environment.announce = hold;
	bench.environment.flush = put_held;
	bench.environment.stop = NULL;
	bench.environment.progress = NULL;
	bench.environment.data = &held;
	add_saying(&bench, "a");
	add_saying(&bench, "b");
	step.announce = "c";
	run_bench_add(&bench, step);
	add_saying(&bench, "d");
	assert_int_equal(run_plan(bench.plan, &bench.environment, &outcome), 0);
	assert_false(outcome.failed);
	assert_string_equal(held.said, "a b (800) c (900) d (900) ");
}

/* A word that the kernel does not know is followed by the older one, which is then expected. */
static void test_fallback(void **state)
{
	static const int errors[] = { -EINVAL, -EBUSY };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		struct plan_step step =
			run_bench_file("/partition", "member", "isolated", PLAN_CHECK_TEXT);

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

/* The machine gets its time after a step, and after its undoing; a batch waits once, the longest.
 */
static void test_settling(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
		_cleanup_run_bench_ struct run_bench bench;
		double begin, took;

		run_bench_open(&bench);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			struct plan_step step = run_bench_word(PLAN_MSR, cpu, false);

			step.batch = 1;
			step.settle_us = cpu == 0 ? 40000 : 10000;
			run_bench_add(&bench, step);
		}
		run_bench_add(&bench, run_bench_word(PLAN_MSR, 2, false));
		if (fails)
			bench.bank.faults[0] = (struct bank_fault){ 3, 3, -EPERM, false };
		begin = now_ms();
		run_bench_run(&bench, &outcome);
		took = now_ms() - begin;
		assert_int_equal(outcome.n_undone, fails ? 2 : 0);
		assert_true(took >= (fails ? 40 + 10 + 40 : 40));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optional),       cmocka_unit_test(test_optional_undone),
		cmocka_unit_test(test_not_undoable),   cmocka_unit_test(test_undo_list),
		cmocka_unit_test(test_batches),        cmocka_unit_test(test_empty),
		cmocka_unit_test(test_without_device), cmocka_unit_test(test_saying),
		cmocka_unit_test(test_holding),        cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_settling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
