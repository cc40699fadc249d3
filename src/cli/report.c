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
#include "cli/undone.h"
#include "plan/hotplug.h"
#include "plan/subject.h"

static bool is_file(const struct plan_step *step)
{
	return step->write.kind == PLAN_FILE || step->write.kind == PLAN_MAKE_DIRECTORY ||
	       step->write.kind == PLAN_REMOVE_DIRECTORY;
}

/* Is it a CPU that the kernel was to take online or offline? */
static bool is_hotplug(const struct plan_step *step)
{
	const char *name = step->write.kind == PLAN_FILE ? strrchr(step->write.path, '/') : NULL;

	return name && strcmp(name, "/online") == 0;
}

/* Why a step failed: what was found, or what its errno means, or else what is likely. */
static struct platform_cause find_cause(const struct context *context, const struct plan_step *step,
					const struct run_failure *failure)
{
	struct platform_cause cause = { .error = failure->error, .text = failure->reason };

	if (cause.text)
		return cause;
	if (is_hotplug(step))
		cause.text = hotplug_error_text(failure->error);
	else if (is_file(step))
		cause.text = strerror(-failure->error);
	else
		cause = platform_find_cause(context->platform, &step->write, failure->error);
	cause.text = cause.text ?: channel_error_text(failure->error);
	return cause;
}

/* "package-0 die-0 cpu-5: scaling_max_freq", of what applies; NULL where memory is short. */
static char *name_step(const struct plan_step *step)
{
	const struct plan_subject *subject = &step->subject;
	_cleanup_free_ char *place = subject_name_place(subject), *cpu = NULL;
	bool has_place = place && *place, has_cpu = subject->cpu != PLAN_NO_CPU;
	char *name;

	if (has_cpu && asprintf(&cpu, "%scpu-%" PRIu32, has_place ? " " : "", subject->cpu) < 0)
		cpu = NULL;
	if (asprintf(&name, "%s%s%s%s", place ?: "", cpu ?: "", has_place || has_cpu ? ": " : "",
		     step->what) < 0)
		return NULL;
	return name;
}

/* Puts the failure out and counts it; what is left changed counts as refused. */
static void put_failure(struct context *context, const struct plan_step *steps,
			const struct run_outcome *outcome)
{
	const struct run_failure *failure = &outcome->failure;
	const struct plan_step *step = &steps[failure->step];
	struct platform_cause cause = find_cause(context, step, failure);
	_cleanup_free_ char *name = name_step(step);

	output_error(context->output, "%s: %s", name ?: step->what, cause.text);
	context_count_error(context, outcome->n_not_undone ? -EIO : cause.error);
}

static void put_note(const struct context *context, const struct plan_step *steps,
		     const struct run_failure *failure)
{
	const struct plan_step *step = &steps[failure->step];
	_cleanup_free_ char *name = name_step(step);

	output_note(context->output, "%s: %s; going on without it", name ?: step->what,
		    find_cause(context, step, failure).text);
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
	const char *cause = find_cause(context, step, failure).text;
	_cleanup_free_ char *name = name_step(step);
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
	names = undone_names(plan, outcome->undone, outcome->n_undone);
	output_note(output, "undone: %zu write%s%s%s", outcome->n_undone,
		    outcome->n_undone == 1 ? "" : "s", names ? ": " : "", names ?: "");
}

void report_outcome(struct context *context, const struct plan *plan,
		    const struct run_outcome *outcome)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < outcome->n_notes; i++)
		put_note(context, steps, &outcome->notes[i]);
	if (!outcome->failed)
		return;
	put_failure(context, steps, outcome);
	put_undone(context->output, plan, outcome);
	for (size_t i = 0; i < outcome->n_not_undone; i++)
		put_not_undone(context, steps, &outcome->not_undone[i]);
}
