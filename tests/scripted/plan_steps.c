// SPDX-License-Identifier: GPL-2.0-only
/* Comparing a plan with what was expected of it, member by member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "plan_steps.h"
#include "script.h"

/* Sends one write, or (value NULL) one read, which must be that request; gives what was read. */
static struct target_value run_request(const struct write_target *target,
				       const struct target_value *value,
				       const struct wanted_request *wanted)
{
	const struct script_step step = {
		.request = wanted->request,
		.result = SCRIPT_ALL,
		.entries = &wanted->entry,
		.n_entries = 1,
	};
	struct channel channel = { .max_commands = 1, .tries = 1 };
	struct target_value found = { 0 };
	struct target_io io;

	channel.transport = script_open(&step, 1);
	assert_int_equal(target_io_init(&io, &channel, NULL, 1), 0);
	assert_int_equal(
		value ? target_write(&io, target, value) : target_read(&io, target, &found), 0);
	target_io_done(&io);
	script_finish(&channel.transport);
	return found;
}

/* Reads the target, which is answered so. */
static struct target_value read_answer(const struct write_target *target,
				       const struct wanted_check *wanted, uint64_t answer)
{
	struct wanted_request read = wanted->read;

	read.entry.answer = answer;
	return run_request(target, NULL, &read);
}

static int compare(const struct write_target *target, const struct target_value *found,
		   const struct target_value *value, const struct target_value *before)
{
	_cleanup_free_ char *reason = NULL;
	int err = target_compare(target, found, value, before, &reason);

	assert_int_equal(err != 0, reason != NULL);
	return err;
}

static void assert_check(const struct write_target *target, const struct target_value *value,
			 const struct wanted_check *wanted)
{
	uint64_t others = wanted->read.request == ISST_IF_MSR_COMMAND ? ~wanted->mask
								      : ~wanted->mask & UINT32_MAX;
	struct target_value found;

	assert_int_equal(target->is_not_read_back, wanted->read.request == 0);
	if (target->is_not_read_back)
		return;
	found = read_answer(target, wanted, wanted->value);
	assert_int_equal(compare(target, &found, value, NULL), 0);
	found = read_answer(target, wanted, wanted->value | others);
	assert_int_equal(compare(target, &found, value, NULL), 0);
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(wanted->mask >> bit & 1))
			continue;
		found = read_answer(target, wanted, wanted->value ^ 1ULL << bit);
		assert_int_equal(compare(target, &found, value, NULL), -EIO);
	}
	assert_int_equal(target->data, wanted->level_limits);
}

static void assert_old_value(const struct change *step, const struct wanted_step *wanted)
{
	_cleanup_free_ char *text = change_format_old(step);
	struct wanted_request undo = wanted->write;
	struct target_value found;

	assert_int_equal(step->has_old_value, wanted->old_text != NULL);
	if (!wanted->old_text)
		return;
	assert_string_equal(text, wanted->old_text);
	undo.entry.data = wanted->old_value;
	run_request(&step->target, &step->old_value, &undo);
	found = read_answer(&step->target, &wanted->check, wanted->check.old_value);
	assert_int_equal(compare(&step->target, &found, &step->old_value, NULL), 0);
}

static void assert_undo(const struct change *step, const struct wanted_step *wanted)
{
	assert_int_equal(step->n_undo, wanted->n_undo);
	for (size_t i = 0; i < wanted->n_undo; i++) {
		const struct change_undo *undo = &step->undo[i];

		run_request(&undo->target, &undo->value, &wanted->undo[i]);
		assert_int_equal(undo->is_checked, i > 0 && i <= wanted->n_undo_checks);
		if (undo->is_checked)
			assert_check(&undo->target, &undo->value, &wanted->undo_checks[i - 1]);
	}
}

static void assert_step(const struct change *step, const struct wanted_step *wanted)
{
	_cleanup_free_ char *text = change_format_new(step);

	assert_string_equal(step->what, wanted->what);
	assert_int_equal(step->location.package, wanted->package);
	assert_int_equal(step->location.cpu, wanted->cpu ? wanted->cpu - 1 : LOCATION_NO_CPU);
	run_request(&step->target, &step->value, &wanted->write);
	assert_string_equal(text, wanted->new_text);
	assert_old_value(step, wanted);
	assert_undo(step, wanted);
	assert_check(&step->target, &step->value, &wanted->check);
	if (wanted->check.read.request)
		assert_int_equal(step->tries ?: 1, wanted->check.tries ?: 1);
	assert_int_equal(step->is_optional, wanted->optional);
	assert_int_equal(step->not_undoable, wanted->not_undoable);
	assert_int_equal(step->undo_turn == CHANGE_UNDONE_AFTER, wanted->undone_last);
	assert_int_equal(step->settle_us, wanted->settle_us);
	assert_int_equal(step->batch > 0, wanted->batched);
	assert_null(step->announcement);
}

void plan_steps_assert(const struct change_list *plan, const struct wanted_step *wanted,
		       size_t count)
{
	size_t n_steps = plan->n_changes;
	const struct change *steps = plan->changes;

	assert_int_equal(n_steps, count);
	for (size_t i = 0; i < count; i++) {
		assert_step(&steps[i], &wanted[i]);
		if (i > 0 && wanted[i].batched && wanted[i - 1].batched)
			assert_int_equal(steps[i].batch, steps[i - 1].batch);
	}
}

void plan_vector_run(const struct plan_vector *vector, plan_vector_make *make, const void *requests)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	int errors[2] = { 0 };
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, vector->model, vector->core_ids, vector->rules, vector->n_rules);
	mailbox_bench_expect(&bench, vector->script, vector->n_script);
	make(&bench, &plan, requests, errors);
	mailbox_bench_expect_end(&bench);
	assert_int_equal(errors[0], vector->errors[0]);
	assert_int_equal(errors[1], vector->errors[1]);
	plan_steps_assert(&plan, vector->steps, vector->n_steps);
	mailbox_bench_close(&bench);
}
