// SPDX-License-Identifier: GPL-2.0-only
/* A plan keeps what it was given, in order, and nothing of the caller's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "change/change.h"
#include "host/target.h"

/* Adds a step all of whose texts lie in one buffer, which is overwritten afterwards. */
static void add_numbered(struct change_list *plan, unsigned int number)
{
	char text[32] = "";
	struct change_undo undo[2] = {
		{ .target = file_target(text, FILE_TEXT), .value = { .text = text } },
		{ .value = { .number = number } },
	};
	struct change step = {
		.location = { .package = 1, .die = 2, .cpu = number },
		.what = text,
		.target = file_target(text, FILE_TEXT),
		.value = { .text = text },
		.fallback_text = text,
		.old_value = { .text = text, .number = number },
		.new_text = text,
		.other_text = text,
		.undo = undo,
		.n_undo = number % 3,
		.tries = 5,
		.is_optional = number % 2,
		.not_undoable = number % 5 == 0,
		.settle_us = number,
		.batch = number,
		.announcement = text,
	};

	snprintf(text, sizeof(text), "step %u", number);
	assert_int_equal(change_list_add(plan, &step), 0);
	memset(text, 'x', sizeof(text) - 1);
	memset(undo, 0, sizeof(undo));
}

static void check_texts(const struct change *step, const char *text)
{
	const char *const texts[] = {
		step->what,           step->target.path, step->value.text,   step->fallback_text,
		step->old_value.text, step->new_text,    step->announcement, step->other_text,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_string_equal(texts[i], text);
}

static void check_numbered(const struct change *step, unsigned int number)
{
	char text[32];

	snprintf(text, sizeof(text), "step %u", number);
	check_texts(step, text);
	assert_int_equal(step->location.cpu, number);
	assert_int_equal(step->location.package, 1);
	assert_int_equal(step->location.die, 2);
	assert_int_equal(step->old_value.number, number);
	assert_int_equal(step->tries, 5);
	assert_int_equal(step->is_optional, number % 2);
	assert_int_equal(step->not_undoable, number % 5 == 0);
	assert_int_equal(step->settle_us, number);
	assert_int_equal(step->batch, number);
	assert_int_equal(step->n_undo, number % 3);
	if (number % 3 == 0) {
		assert_null(step->undo);
		return;
	}
	assert_string_equal(step->undo[0].target.path, text);
	assert_string_equal(step->undo[0].value.text, text);
	if (number % 3 == 2)
		assert_int_equal(step->undo[1].value.number, number);
}

static void test_many(void **state)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	const struct change *steps;
	size_t count;

	(void)state;
	for (unsigned int i = 0; i < 2000; i++)
		add_numbered(&plan, i);
	steps = plan.changes;
	count = plan.n_changes;
	assert_int_equal(count, 2000);
	for (unsigned int i = 0; i < count; i++)
		check_numbered(&steps[i], i);
}

static void test_absent_texts(void **state)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	const struct change *steps;
	size_t count;

	(void)state;
	assert_int_equal(change_list_add(&plan, &(struct change){ .what = "w" }), 0);
	steps = plan.changes;
	count = plan.n_changes;
	assert_int_equal(count, 1);
	assert_null(steps->old_value.text);
	assert_null(steps->new_text);
	assert_null(steps->announcement);
	assert_null(steps->fallback_text);
	assert_null(steps->target.path);
	assert_null(steps->undo);
}

static void test_empty(void **state)
{
	struct change_list plan = { 0 };

	(void)state;
	change_list_done(&plan);
	assert_int_equal(plan.n_changes, 0);
	assert_null(plan.changes);
}

/* Announcements keep their places among the changes, and nothing of the caller's memory. */
static void test_announcements(void **state)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	const struct change_announcement *announcements;
	size_t count;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		char text[64];

		snprintf(text, sizeof(text), "an announcement that is longer than most: %u", i);
		assert_int_equal(change_list_announce(&plan, text), 0);
		memset(text, 'x', sizeof(text) - 1);
		add_numbered(&plan, i);
	}
	announcements = plan.announcements;
	count = plan.n_announcements;
	assert_int_equal(count, 100);
	assert_int_equal(announcements[99].n_before, 99);
	assert_string_equal(announcements[99].text, "an announcement that is longer than most: 99");
}

static void test_batches(void **state)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	uint32_t last = 0;

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		uint32_t batch = change_list_new_batch(&plan);

		assert_true(batch > last);
		last = batch;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),    cmocka_unit_test(test_absent_texts),
		cmocka_unit_test(test_empty),   cmocka_unit_test(test_announcements),
		cmocka_unit_test(test_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
