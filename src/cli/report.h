/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of a plan, in words. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/context.h"
#include "plan/run.h"

/*
 * Puts the notes of a run out; and of one that failed: what failed and why, what was undone, and an
 * error for each step that could not be undone, with what it is now. A failure is counted in the
 * context's tally, by its cause.
 */
void report_outcome(struct context *context, const struct plan *plan,
		    const struct run_outcome *outcome);

/* Puts out what became of undoing a run that had not failed, with an error for what remains. */
void report_undone(struct context *context, const struct plan *plan,
		   const struct run_outcome *outcome);

#endif
