/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carries out the command's plan in one stage or in two: CPUs come online, then the rest, which can
 * be read only then, is done. Both are one transaction. A note in the run directory names the
 * command meanwhile (commands.md, "Safety of every setting command").
 */
#ifndef CLI_CARRY_OUT_H
#define CLI_CARRY_OUT_H

#include "cli/context.h"
#include "plan/run.h"

/*
 * Carries out the steps of context->plan so far, as a stage before others. If a step fails, all are
 * undone, which is reported and counted in the tally. Returns 0, failed or not; or -ENOMEM before
 * the first write.
 */
int carry_out_stage(struct context *context);

/*
 * Carries out the rest of context->plan and reports the outcome, as report_outcome(). Returns 0
 * with *ret_outcome, which is valid until carry_out_end(), failed or not; or -ENOMEM before the
 * first write.
 */
int carry_out_plan(struct context *context, const struct run_outcome **ret_outcome);

/*
 * Ends the command. If it failed between its first stage and its last one, the first is undone,
 * which is reported. Returns status, or STATUS_REFUSED if something could not be undone.
 */
enum status carry_out_end(struct context *context, enum status status);

#endif
