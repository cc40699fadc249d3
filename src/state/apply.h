/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of applying a document (docs/spec/state.md, "Apply"), for all who do: setting commands,
 * and those who take all of it back. */
#ifndef STATE_APPLY_H
#define STATE_APPLY_H

#include "change/transaction.h"
#include "state/compare.h"

struct kept_device;

/* A machine and what a document wants of it, in one place to be freed. */
struct comparing {
	struct state_machine state;
	struct wanted_state wanted;
	struct comparison comparison;
};

void comparing_done(struct comparing *comparing);

/* Reports what still differs after all writes, each difference on a line of its own. Returns 0 or
 * -ENOMEM. */
int comparison_refuse(const struct comparison *comparison, struct report *report);

/* The caller sets the first members, and the rest to zero bytes. */
struct state_apply {
	struct host *host; /* of those without open */
	const struct document *document;
	struct report *report; /* gets all problems */
	/* Without files and channel, which are those of the machine that is opened; stop may be
	 * NULL. */
	struct transaction_environment environment;
	struct change_list *plan; /* gets the changes; outlives the transaction */
	bool notes_unplaced; /* offline CPUs that the document may mean are noted */
	struct power_zones *zones; /* with details, if they were read before; taken over; or NULL */
	/* Sets machine and platform, which stay the caller's, also again after changes. NULL: they
	 * are opened here, so that a trace, and what the caller counts, do not have it. */
	int (*open)(struct state_apply *apply);
	/* Makes the changes that were added to the plan. NULL: in a transaction that can be undone
	 * here. */
	int (*make)(struct state_apply *apply);
	/* Called before each stage is planned, with what differs. May be NULL. An error of
	 * open, make or before ends applying; -ECANCELED says that the reason is reported. */
	int (*before)(void *data, const struct comparison *comparison);
	void *data;
	/* Reports an outcome that failed, with what was undone (run/carry_out.h). NULL: only that
	 * it failed is reported. */
	void (*report_outcome)(struct report *report, struct platform *platform,
			       const struct change_list *plan,
			       const struct transaction_outcome *outcome);
	/* The machine as it was read last, until it is read again. */
	struct machine *machine;
	struct platform *platform; /* NULL: no Speed Select */
	struct kept_device *device; /* from the first comparison on */
	struct comparing comparing; /* nothing may be written while it is there */
	bool is_compared; /* once: notes were shown */
	struct transaction *transaction; /* changes that were made, and not undone */
};

#define _cleanup_state_apply_ __attribute__((cleanup(state_apply_done)))

/* Reads the machine, compares it with the document (before writes: is_planned) in apply->comparing,
 * and reports problems; notes only the first time. Returns 0, also with problems; -ENOMEM; or
 * another negative errno of open. */
int state_apply_compare(struct state_apply *apply, bool is_planned);

/* Makes the changes that the comparison asks for, in one stage or two, as one transaction. With
 * environment.keeps_changes one that fails is left out. comparing stays only if there is nothing
 * to change. Returns 0; -ECANCELED with the problem reported; or as state_apply_compare(). */
int state_apply_make(struct state_apply *apply);

/* Does the same, and reads all again, which leaves it in comparing: what still differs is a
 * problem. What was made is the caller's to undo. Returns as state_apply_make(). */
int state_apply_carry_out(struct state_apply *apply);

/* Undoes the transaction, uninterrupted, unless it failed, which undid it. What could not be undone
 * is reported. */
void state_apply_undo(struct state_apply *apply);

/* Frees everything, undoing nothing. */
void state_apply_done(struct state_apply *apply);

#endif
