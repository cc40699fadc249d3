// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report on a run (commands.md, "Safety of every setting command"): what failed, what was
 * undone, what could not be. The last is told step by step, so that nothing that is left changed
 * goes without a line.
 */
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/step_groups.h"
#include "platform/describe.h"

/* Puts the failure out and counts it; what is left changed counts as refused. */
static void put_failure(struct context *context, const struct plan_step *steps,
			const struct run_outcome *outcome)
{
	const struct run_failure *failure = &outcome->failure;
	const struct plan_step *step = &steps[failure->step];
	struct platform_cause cause = describe_cause(context->platform, step, failure);
	_cleanup_free_ char *name = describe_step(step);

	output_error(context->output, "%s: %s", name ?: step->what, cause.text);
	context_count_error(context, outcome->n_not_undone ? -EIO : cause.error);
}

static void put_note(const struct context *context, const struct plan_step *steps,
		     const struct run_failure *failure)
{
	const struct plan_step *step = &steps[failure->step];
	_cleanup_free_ char *name = describe_step(step);

	output_note(context->output, "%s: %s%s", name ?: step->what,
		    describe_cause(context->platform, step, failure).text,
		    failure->error ? "; going on without it" : "");
}

static const char *wanted_text(const struct plan_step *step)
{
	switch (step->write.kind) {
	case PLAN_MAKE_DIRECTORY:
		return "present";
	case PLAN_REMOVE_DIRECTORY:
		return "absent";
	case PLAN_MAILBOX:
	case PLAN_MMIO:
	case PLAN_MSR:
	case PLAN_TPMI:
	case PLAN_FILE:
	case PLAN_SAY:
		break;
	}
	return step->new_text ?: step->write.text ?: "changed";
}

static void put_not_undone(const struct context *context, const struct plan_step *steps,
			   const struct run_failure *failure)
{
	const struct plan_step *step = &steps[failure->step];
	const char *cause = describe_cause(context->platform, step, failure).text;
	_cleanup_free_ char *name = describe_step(step);
	const char *shown = name ?: step->what;

	if (step->old_text)
		output_error(context->output, "%s: not undone: %s; it was %s, and %s was written",
			     shown, cause, step->old_text, wanted_text(step));
	else
		output_error(context->output, "%s: not undone: %s; %s was written", shown, cause,
			     wanted_text(step));
}

static void put_undone(struct output *output, const struct plan *plan,
		       const struct run_outcome *outcome)
{
	_cleanup_free_ char *names = NULL;

	if (outcome->n_undone == 0 && outcome->n_not_undone == 0) {
		output_note(output, "nothing had been changed before that");
		return;
	}
	if (outcome->n_undone == 0)
		return;
	names = step_groups_name_undone(plan, outcome->undone, outcome->n_undone);
	output_note(output, "undone: %zu write%s%s%s", outcome->n_undone,
		    outcome->n_undone == 1 ? "" : "s", names ? ": " : "", names ?: "");
}

void report_undone(struct context *context, const struct plan *plan,
		   const struct run_outcome *outcome)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	put_undone(context->output, plan, outcome);
	for (size_t i = 0; i < outcome->n_not_undone; i++)
		put_not_undone(context, steps, &outcome->not_undone[i]);
}

void report_outcome(struct context *context, const struct plan *plan,
		    const struct run_outcome *outcome)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++) {
		/* What was done with a limit is undone with the rest. */
		if (outcome->notes[i].error || !outcome->failed)
			put_note(context, steps, &outcome->notes[i]);
	}
	if (!outcome->failed)
		return;
	put_failure(context, steps, outcome);
	report_undone(context, plan, outcome);
}
