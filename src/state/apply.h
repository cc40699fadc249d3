/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies a document for a while: the steps of state apply (docs/spec/state.md, "Apply") for those
 * who take all of it back. It opens the machine for itself, so that a trace, and what the caller
 * counts, do not have it. */
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

#define _cleanup_comparing_ __attribute__((cleanup(comparing_done)))

void comparing_done(struct comparing *comparing);

/* Reports what still differs after all writes, each difference on a line of its own. Returns 0 or
 * -ENOMEM. */
int comparison_refuse(const struct comparison *comparison, struct report *report);

/* The caller sets the first members, and the rest to zero bytes. */
struct state_apply {
	struct host *host;
	const struct document *document;
	struct report *report; /* gets all problems */
	/* Without files and channel, which are those of the machine that is opened; stop may be
	 * NULL. */
	struct transaction_environment environment;
	/* Called before the first write of each stage with what differs; an error (which it has
	 * reported) keeps anything from being written, or undoes the earlier stage. May be NULL. */
	int (*before)(void *data, const struct comparison *comparison);
	void *data;
	/* Reports an outcome that failed, with what was undone (run/carry_out.h). NULL: only that
	 * it failed is reported. */
	void (*report_outcome)(struct report *report, struct platform *platform,
			       const struct change_list *plan,
			       const struct transaction_outcome *outcome);
	/* The machine as it was read last, until it is read again; comparing only up to
	 * state_apply_carry_out(). */
	struct machine *machine;
	struct platform *platform; /* NULL: no Speed Select */
	struct kept_device *device; /* from the first comparison on */
	struct comparing comparing;
	struct change_list plan;
	struct transaction *transaction; /* changes that were made, and not undone */
};

#define _cleanup_state_apply_ __attribute__((cleanup(state_apply_done)))

/* Reads the machine, compares it with the document (before writes: is_planned) in apply->comparing,
 * and reports problems. Returns 0, also with problems; or -ENOMEM. */
int state_apply_compare(struct state_apply *apply, bool is_planned);

/* Makes the changes that the comparison asks for, in one stage or two, as one transaction. With
 * environment.keeps_changes one that fails is left out. Returns 0; -ECANCELED with the problem
 * reported; or -ENOMEM. */
int state_apply_make(struct state_apply *apply);

/* Does the same, and reads all again: comparing is done then. If something fails or still differs
 * all is undone. Returns 0; -ECANCELED with the problem reported; or -ENOMEM, with all undone. */
int state_apply_carry_out(struct state_apply *apply);

/* Undoes it, uninterrupted. What could not be undone is reported. Returns 0, or -EIO if there is
 * such a thing. */
int state_apply_undo(struct state_apply *apply);

/* Frees everything, undoing nothing. */
void state_apply_done(struct state_apply *apply);

#endif
