// SPDX-License-Identifier: GPL-2.0-only
/* A plan keeps what it was given, in order, and nothing of the caller's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "plan/plan.h"

/* Adds a step all of whose texts lie in one buffer, which is overwritten afterwards. */
static void add_numbered(struct plan *plan, unsigned int number)
{
	char text[32];
	struct plan_write undo[2] = {
		{ .kind = PLAN_FILE, .path = text, .text = text },
		{ .kind = PLAN_MSR, .address = 0x1ad, .value = number },
	};
	struct plan_step step = {
		.subject = { .package = 1, .die = 2, .cpu = number },
		.what = text,
		.write = { .kind = PLAN_FILE, .path = text, .text = text },
		.fallback_text = text,
		.old_value = number,
		.old_text = text,
		.new_text = text,
		.undo = undo,
		.n_undo = number % 3,
		.check = { .kind = PLAN_CHECK_WORD,
			   .read = { .path = text },
			   .mask = number,
			   .tries = 5 },
		.optional = number % 2,
		.not_undoable = number % 5 == 0,
		.settle_us = number,
		.batch = number,
		.announce = text,
	};

	snprintf(text, sizeof(text), "step %u", number);
	assert_int_equal(plan_add(plan, &step), 0);
	memset(text, 'x', sizeof(text) - 1);
	memset(undo, 0, sizeof(undo));
}

static void check_texts(const struct plan_step *step, const char *text)
{
	const char *const texts[] = {
		step->what,     step->write.path, step->write.text, step->fallback_text,
		step->old_text, step->new_text,   step->announce,   step->check.read.path,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_string_equal(texts[i], text);
}

static void check_numbered(const struct plan_step *step, unsigned int number)
{
	char text[32];

	snprintf(text, sizeof(text), "step %u", number);
	check_texts(step, text);
	assert_int_equal(step->subject.cpu, number);
	assert_int_equal(step->subject.package, 1);
	assert_int_equal(step->subject.die, 2);
	assert_int_equal(step->old_value, number);
	assert_int_equal(step->check.mask, number);
	assert_int_equal(step->check.tries, 5);
	assert_int_equal(step->optional, number % 2);
	assert_int_equal(step->not_undoable, number % 5 == 0);
	assert_int_equal(step->settle_us, number);
	assert_int_equal(step->batch, number);
	assert_int_equal(step->n_undo, number % 3);
	if (number % 3 == 0) {
		assert_null(step->undo);
		return;
	}
	assert_string_equal(step->undo[0].path, text);
	assert_string_equal(step->undo[0].text, text);
	if (number % 3 == 2)
		assert_int_equal(step->undo[1].value, number);
}

static void test_many(void **state)
{
	_cleanup_plan_ struct plan *plan = NULL;
	const struct plan_step *steps;
	size_t count;

	(void)state;
	assert_int_equal(plan_new(&plan), 0);
	for (unsigned int i = 0; i < 2000; i++)
		add_numbered(plan, i);
	steps = plan_steps(plan, &count);
	assert_int_equal(count, 2000);
	for (unsigned int i = 0; i < count; i++)
		check_numbered(&steps[i], i);
}

static void test_absent_texts(void **state)
{
	_cleanup_plan_ struct plan *plan = NULL;
	const struct plan_step *steps;
	size_t count;

	(void)state;
	assert_int_equal(plan_new(&plan), 0);
	assert_int_equal(plan_add(plan, &(struct plan_step){ .what = "w" }), 0);
	steps = plan_steps(plan, &count);
	assert_int_equal(count, 1);
	assert_null(steps->old_text);
	assert_null(steps->new_text);
	assert_null(steps->announce);
	assert_null(steps->fallback_text);
	assert_null(steps->write.path);
	assert_null(steps->undo);
}

static void test_empty(void **state)
{
	struct plan *plan = NULL;
	size_t count = 7;

	(void)state;
	plan_free(&plan);
	assert_int_equal(plan_new(&plan), 0);
	plan_steps(plan, &count);
	assert_int_equal(count, 0);
	plan_free(&plan);
	assert_null(plan);
}

static void test_batches(void **state)
{
	_cleanup_plan_ struct plan *plan = NULL;
	uint32_t last = 0;

	(void)state;
	assert_int_equal(plan_new(&plan), 0);
	for (unsigned int i = 0; i < 10; i++) {
		uint32_t batch = plan_new_batch(plan);

		assert_true(batch > last);
		last = batch;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_absent_texts),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
