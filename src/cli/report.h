/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of a plan, in words. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/context.h"
#include "plan/run.h"

/*
 * Reports the notes of a run; and if it failed: what failed and why, what was undone, and an error
 * for each step that could not be undone, with its present value. A failure is counted in the
 * context's tally, by its cause.
 */
void report_outcome(struct context *context, const struct plan *plan,
		    const struct run_outcome *outcome);

/* Reports what was undone of a run that had not failed, and an error for each step that was not. */
void report_undone(struct context *context, const struct plan *plan,
		   const struct run_outcome *outcome);

#endif
