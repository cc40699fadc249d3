/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the changes of a command in one stage or in two: CPUs come online, then the rest,
 * which can be read only then. Both stages are one transaction. Or shows the changes, for --dry-run
 * (commands.md, "Safety of every setting command"). */
#ifndef RUN_CARRY_OUT_H
#define RUN_CARRY_OUT_H

#include "change/transaction.h"
#include "run/context.h"

/* Shows the writes in order, each with its target, name, old and new value. In JSON each is a
 * member "write-N", N from 0 on. In text each has a line; unless each is true, similar writes with
 * the same values share the line of the first of them. Without any it puts a note. Returns 0 or
 * -ENOMEM. */
int carry_out_show(struct output *output, const struct change_list *plan, bool each);

/* Removes the record of fast cores, before the first write. Returns whether writing may begin; if
 * not, that is reported. */
bool carry_out_withdraw(struct context *context);

/* The same, to be called before each stage of context->plan.changes: if it has changes, and is the
 * first. */
bool carry_out_can_begin(struct context *context);

/* Carries out the changes of context->plan.changes that were added since the last stage. If
 * one fails, all are undone, which is reported; after the last stage so is the rest of the outcome.
 * Returns 0 with *ret_outcome, which is valid until carry_out_end(), failed or not; or -ENOMEM
 * before the first write. */
int carry_out_plan(struct context *context, bool is_last,
		   const struct transaction_outcome **ret_outcome);

/* Ends the command. If it failed between its first stage and its last one, the first is undone,
 * which is reported. Returns status, or STATUS_REFUSED if a change could not be undone. */
enum status carry_out_end(struct context *context, enum status status);

/* Reports the notes of an outcome; if it failed, also the failure and its cause, what was undone,
 * and an error for each change that could not be undone. platform may be NULL. */
void carry_out_report(struct report *report, struct platform *platform,
		      const struct change_list *plan, const struct transaction_outcome *outcome);

/* Publishes which cores are fast, after the last write of a command, undone or not: if its record
 * was removed before the first write, or if there is none of this boot. A failure is a note. */
void carry_out_publish(struct context *context, enum status status);

#endif
