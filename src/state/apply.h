/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps that apply a document (docs/spec/state.md, "Apply"), for commands that keep the result
 * and for code that undoes it. */
#ifndef STATE_APPLY_H
#define STATE_APPLY_H

#include "change/transaction.h"
#include "state/compare.h"

struct kept_device;

/* A machine, the values that a document wants on it, and the differences. */
struct comparing {
	struct state_machine state;
	struct wanted_state wanted;
	struct comparison comparison;
};

void comparing_done(struct comparing *comparing);

/* Reports what still differs after all writes, each difference on a line of its own. Returns 0 or
 * -ENOMEM. */
int comparison_refuse(const struct comparison *comparison, struct report *report);

/* The caller sets the members up to report_outcome; all others start as zero bytes. */
struct state_apply {
	struct host *host; /* needed if open is NULL */
	const struct document *document;
	struct report *report; /* gets all problems */
	/* files and channel are ignored: those of the opened machine are used. stop may be NULL. */
	struct transaction_environment environment;
	struct change_list *plan; /* gets the changes; outlives the transaction */
	bool notes_unplaced; /* notes offline CPUs at unknown locations */
	struct power_zones *zones; /* read before, with details; ownership moves here; or NULL */
	/* Sets machine and platform, which the caller owns. It is called again after changes. NULL:
	 * they are opened here, so that the caller's trace and counts do not include them. */
	int (*open)(struct state_apply *apply);
	/* Makes the changes that were added to the plan. NULL: they are made in a transaction that
	 * state_apply_undo() can undo. */
	int (*make)(struct state_apply *apply);
	/* Gets the differences before each stage is planned. May be NULL. An error of open, make or
	 * before ends the apply; -ECANCELED: the reason is already reported. */
	int (*before)(void *data, const struct comparison *comparison);
	void *data;
	/* Reports a failed outcome and what was undone (run/carry_out.h). NULL: only the failure is
	 * reported. */
	void (*report_outcome)(struct report *report, struct platform *platform,
			       const struct change_list *plan,
			       const struct transaction_outcome *outcome);
	/* The machine as it was read last. */
	struct machine *machine;
	struct platform *platform; /* NULL: no Speed Select */
	struct kept_device *device; /* set by the first comparison */
	struct comparing comparing; /* freed before any write */
	bool is_compared; /* a comparison has shown its notes */
	struct transaction *transaction; /* changes that were made, and not undone */
};

#define _cleanup_state_apply_ __attribute__((cleanup(state_apply_done)))

/* Reads the machine, compares it with the document, and leaves the result in apply->comparing.
 * is_planned: writes follow. Reports problems, and notes only the first time. Returns 0, also after
 * a problem; -ENOMEM; or another negative errno of open. */
int state_apply_compare(struct state_apply *apply, bool is_planned);

/* Makes the changes that remove the differences, in one or two stages, as one transaction. With
 * environment.keeps_changes, a change that fails is skipped. comparing stays only if nothing needs
 * a change. Returns 0; -ECANCELED with the problem reported; or as state_apply_compare(). */
int state_apply_make(struct state_apply *apply);

/* Calls state_apply_make(), and then reads all again into comparing. A setting that still differs
 * is a problem. The caller undoes the changes. Returns as state_apply_make(). */
int state_apply_carry_out(struct state_apply *apply);

/* Undoes the transaction without interruption; a failed transaction is already undone. Reports
 * changes that could not be undone. */
void state_apply_undo(struct state_apply *apply);

/* Frees everything, but undoes nothing. */
void state_apply_done(struct state_apply *apply);

#endif
