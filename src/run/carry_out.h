/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the changes of a command, or shows them for --dry-run (commands.md, "Safety of every
 * setting command"). There may be two stages, which are one transaction: CPUs come online first,
 * since the values for the other changes can be read only then. */
#ifndef RUN_CARRY_OUT_H
#define RUN_CARRY_OUT_H

#include "change/transaction.h"
#include "run/context.h"

/* Shows the writes in order, each with its target, name, old and new value. In JSON each is a
 * member "write-N", N from 0 on. In text each has a line; unless `each` is true, similar writes
 * with the same values share one line. Puts a note if there is no write. Returns 0 or -ENOMEM. */
int carry_out_show(struct output *output, const struct change_list *plan, bool each);

/* Removes the record of fast cores; to be called before the first write. Returns whether writing
 * may begin, and reports the reason if not. */
bool carry_out_withdraw(struct context *context);

/* Calls carry_out_withdraw() if context->plan.changes has changes and this is the first stage; to
 * be called before each stage. */
bool carry_out_can_begin(struct context *context);

/* Carries out the changes of context->plan.changes that were added since the last stage. If one
 * fails, all are undone. Reports the outcome after a failure and after the last stage. Returns 0
 * with *ret_outcome, which is valid until carry_out_end(), also if a change failed; or -ENOMEM
 * before the first write. */
int carry_out_plan(struct context *context, bool is_last,
		   const struct transaction_outcome **ret_outcome);

/* Ends the command. If it failed between its first stage and its last one, undoes the first stage
 * and reports that. Returns status, or STATUS_REFUSED if a change could not be undone. */
enum status carry_out_end(struct context *context, enum status status);

/* Reports the notes of an outcome; if it failed, also the failure and its cause, what was undone,
 * and an error for each change that could not be undone. platform may be NULL. */
void carry_out_report(struct report *report, struct platform *platform,
		      const struct change_list *plan, const struct transaction_outcome *outcome);

/* Publishes which cores are fast, after the last write of a command, undone or not. Does nothing if
 * a record of this boot exists, unless it was removed before the first write. A failure is a
 * note. */
void carry_out_publish(struct context *context, enum status status);

#endif
