/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan carried out and reported, and noted in the run directory while it lasts. */
#ifndef CLI_CARRY_OUT_H
#define CLI_CARRY_OUT_H

#include "cli/context.h"
#include "plan/run.h"

/*
 * Runs the plan as run_plan(), and puts out what became of it as report_outcome(). Returns 0 with
 * *ret_outcome filled, failed or not; or -ENOMEM before the first write.
 */
int carry_out_plan(struct context *context, const struct plan *plan,
		   const struct run_environment *environment, struct run_outcome *ret_outcome);

#endif
