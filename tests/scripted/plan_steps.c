// SPDX-License-Identifier: GPL-2.0-only
/* Comparing a plan with what was expected of it, member by member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan_steps.h"

static void assert_write(const struct plan_write *write, const struct plan_write *wanted)
{
	assert_int_equal(write->kind, wanted->kind);
	assert_int_equal(write->cpu, wanted->cpu);
	assert_int_equal(write->command, wanted->command);
	assert_int_equal(write->sub_command, wanted->sub_command);
	assert_int_equal(write->parameter, wanted->parameter);
	assert_int_equal(write->address, wanted->address);
	assert_int_equal(write->value, wanted->value);
	if (wanted->kind == PLAN_FILE) {
		assert_string_equal(write->path, wanted->path);
		assert_string_equal(write->text, wanted->text);
	}
}

static void assert_check(const struct plan_check *check, const struct plan_check *wanted)
{
	assert_int_equal(check->kind, wanted->kind);
	if (wanted->kind != PLAN_CHECK_WORD && wanted->kind != PLAN_CHECK_LIMITS)
		return;
	assert_write(&check->read, &wanted->read);
	assert_int_equal(check->mask, wanted->mask);
	assert_int_equal(check->value, wanted->value);
	assert_int_equal(check->old_value, wanted->old_value);
	assert_int_equal(check->has_level_limits, wanted->has_level_limits);
	if (wanted->has_level_limits)
		assert_int_equal(check->level_limits, wanted->level_limits);
	assert_int_equal(check->tries ?: 1, wanted->tries ?: 1);
}

static void assert_step(const struct plan_step *step, const struct wanted_step *wanted)
{
	assert_string_equal(step->what, wanted->what);
	assert_int_equal(step->subject.package, wanted->package);
	assert_int_equal(step->subject.cpu, wanted->cpu ? wanted->cpu - 1 : PLAN_NO_CPU);
	assert_write(&step->write, &wanted->write);
	assert_int_equal(step->old_value, wanted->old_value);
	if (wanted->old_text)
		assert_string_equal(step->old_text, wanted->old_text);
	else
		assert_null(step->old_text);
	if (wanted->new_text)
		assert_string_equal(step->new_text, wanted->new_text);
	else
		assert_null(step->new_text);
	assert_int_equal(step->n_undo, wanted->n_undo);
	for (size_t i = 0; i < wanted->n_undo; i++)
		assert_write(&step->undo[i], &wanted->undo[i]);
	assert_int_equal(step->n_undo_checks, wanted->n_undo_checks);
	for (size_t i = 0; i < wanted->n_undo_checks; i++)
		assert_check(&step->undo_checks[i], &wanted->undo_checks[i]);
	assert_check(&step->check, &wanted->check);
	assert_int_equal(step->optional, wanted->optional);
	assert_int_equal(step->not_undoable, wanted->not_undoable);
	assert_int_equal(step->settle_us, wanted->settle_us);
	assert_int_equal(step->batch > 0, wanted->batched);
	assert_null(step->announce);
}

void plan_steps_assert(const struct plan *plan, const struct wanted_step *wanted, size_t count)
{
	size_t n_steps;
	const struct plan_step *steps = plan_steps(plan, &n_steps);

	assert_int_equal(n_steps, count);
	for (size_t i = 0; i < count; i++) {
		assert_step(&steps[i], &wanted[i]);
		if (i > 0 && wanted[i].batched && wanted[i - 1].batched)
			assert_int_equal(steps[i].batch, steps[i - 1].batch);
	}
}

void plan_vector_run(const struct plan_vector *vector, plan_vector_make *make, const void *wishes)
{
	_cleanup_plan_ struct plan *plan = NULL;
	int errors[2] = { 0 };
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, vector->model, vector->core_ids, vector->rules, vector->n_rules);
	assert_int_equal(plan_new(&plan), 0);
	mailbox_bench_expect(&bench, vector->script, vector->n_script);
	make(&bench, plan, wishes, errors);
	mailbox_bench_expect_end(&bench);
	assert_int_equal(errors[0], vector->errors[0]);
	assert_int_equal(errors[1], vector->errors[1]);
	plan_steps_assert(plan, vector->steps, vector->n_steps);
	mailbox_bench_close(&bench);
}
