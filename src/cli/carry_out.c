// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command that is killed while it writes cannot report that: a note in the run directory does, to
 * the next one. It is there from before the first write until the last stage is done or undone
 * (commands.md, "Safety of every setting command").
 */
#include "cli/carry_out.h"

#include "cli/report.h"
#include "machine/unfinished.h"

static bool writes(const struct plan *plan)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < count; i++) {
		if (steps[i].write.kind != PLAN_SAY)
			return true;
	}
	return false;
}

static void begin_note(struct context *context)
{
	if (!context->is_noted && writes(context->plan))
		context->is_noted =
			!unfinished_begin(context->machine->host->run_directory, context->command);
}

static void end_note(struct context *context)
{
	if (context->is_noted)
		unfinished_end(context->machine->host->run_directory);
	context->is_noted = false;
}

static int carry_out(struct context *context)
{
	int err = context->run ? 0 : run_new(context->plan, &context->run);

	if (err)
		return err;
	begin_note(context);
	return run_continue(context->run, &context->environment);
}

int carry_out_stage(struct context *context)
{
	int err = carry_out(context);
	const struct run_outcome *outcome;

	if (err)
		return err;
	outcome = run_get_outcome(context->run);
	context->is_carried_out = outcome->failed;
	if (outcome->failed)
		report_outcome(context, context->plan, outcome);
	return 0;
}

int carry_out_plan(struct context *context, const struct run_outcome **ret_outcome)
{
	int err = carry_out(context);

	if (err)
		return err;
	context->is_carried_out = true;
	*ret_outcome = run_get_outcome(context->run);
	report_outcome(context, context->plan, *ret_outcome);
	end_note(context);
	return 0;
}

enum status carry_out_end(struct context *context, enum status status)
{
	if (context->run && !context->is_carried_out && status != STATUS_DONE) {
		const struct run_outcome *outcome = run_get_outcome(context->run);

		context->environment.channel = NULL; /* only files were written so far */
		run_undo(context->run, &context->environment);
		report_undone(context, context->plan, outcome);
		if (outcome->n_not_undone)
			status = STATUS_REFUSED;
	}
	end_note(context);
	run_free(&context->run);
	return status;
}
