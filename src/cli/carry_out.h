/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command's plan carried out, in one stage or in two: CPUs online, then the rest, which can be
 * read only then. Both are one transaction, and noted in the run directory while they last.
 */
#ifndef CLI_CARRY_OUT_H
#define CLI_CARRY_OUT_H

#include "cli/context.h"
#include "plan/run.h"

/*
 * Carries out what context->plan has so far, as a stage that others follow. What fails is undone
 * and put out. Returns 0, failed or not (the tally tells); or -ENOMEM before the first write.
 */
int carry_out_stage(struct context *context);

/*
 * Carries out what is left of context->plan and puts out what became of it, as report_outcome().
 * Returns 0 with *ret_outcome (the context's; failed or not), or -ENOMEM before the first write.
 */
int carry_out_plan(struct context *context, const struct run_outcome **ret_outcome);

/*
 * Ends the command. When it fails after its first stage and before its last one, the first is
 * undone, and that is put out. Returns status, or STATUS_REFUSED where something is not undone.
 */
enum status carry_out_end(struct context *context, enum status status);

#endif
