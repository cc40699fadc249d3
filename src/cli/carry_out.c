// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is killed while writing cannot say so: a note in the run directory does, to whoever comes
 * next (commands.md, "Safety of every setting command").
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

int carry_out_plan(struct context *context, const struct plan *plan,
		   const struct run_environment *environment, struct run_outcome *ret_outcome)
{
	const char *directory = context->machine->host->run_directory;
	bool noted = writes(plan) && !unfinished_begin(directory, context->command);
	int err = run_plan(plan, environment, ret_outcome);

	if (!err)
		report_outcome(context, plan, ret_outcome);
	if (noted)
		unfinished_end(directory);
	return err;
}
