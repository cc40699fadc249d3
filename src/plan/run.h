/* SPDX-License-Identifier: GPL-2.0-only */
/* Carrying a plan out, all of it or nothing (commands.md, "Safety of every setting command"). */
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include "machine/files.h"
#include "plan/plan.h"
#include "transport/channel.h"

/* What a run works on and whom it tells. */
struct run_environment {
	const struct channel *channel; /* NULL where there is no device */
	struct files *files;
	/* Asked before each write, and while the run waits; ends neither undoing nor its waits. */
	const struct wait_stop *stop; /* or NULL: the program is never asked to stop */
	/*
	 * Called with the announcement of each step that was done. It may keep the texts until
	 * flush is called. May be NULL.
	 */
	void (*announce)(void *data, const char *text);
	/*
	 * Writes what announce has kept: called after the announcement of a step that wrote
	 * something, before the next step that does, and at the end. May be NULL.
	 */
	void (*flush)(void *data);
	/* Told how many steps are done. May be NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *data; /* of the three above */
	bool keeps; /* what is done stays when a write fails or the program is told to stop */
};

/* A step that went wrong, in carrying out or in undoing. */
struct run_failure {
	size_t step;
	int error; /* negative errno; -EIO: what was read back is not what was written */
	char *reason; /* a sentence part that says more than error: what was found; or NULL */
};

struct run_outcome {
	bool failed;
	struct run_failure failure; /* where failed */
	size_t *undone; /* the steps that were undone, in the order of undoing */
	size_t n_undone;
	struct run_failure
		*not_undone; /* steps that took, or may have taken, effect and still do */
	size_t n_not_undone;
	/* optional steps that failed; with error 0: steps that firmware limits, as reason says */
	struct run_failure *notes;
	size_t n_notes;
};

#define _cleanup_run_outcome_ __attribute__((cleanup(run_outcome_done)))

/*
 * A run in stages: of a plan that grows after its first steps were carried out, since what comes
 * next can be read only then. All stages are one transaction.
 */
struct run;

#define _cleanup_run_ __attribute__((cleanup(run_free)))

/* A run of the plan, which must outlive it. Returns 0 or -ENOMEM. */
int run_new(const struct plan *plan, struct run **ret_run);

/*
 * Carries out the steps that the plan got since the last stage, as run_plan(); when one fails,
 * those of all stages are undone. Not to be called after a failure. Returns 0, failed or not; or
 * -ENOMEM before the first write of this stage, with nothing undone.
 */
int run_continue(struct run *run, const struct run_environment *environment);

/* Undoes the steps of all stages, which have succeeded. The outcome lists what was undone. */
void run_undo(struct run *run, const struct run_environment *environment);

/* The outcome of all stages so far; valid as long as the run. */
const struct run_outcome *run_get_outcome(const struct run *run);

/* Frees *run, which may be NULL, and leaves NULL. */
void run_free(struct run **run);

/*
 * Makes the writes in order, each read back as its check says. Where one fails, or the program is
 * told to stop (-EINTR), those done are undone in reverse order and read back too; undoing goes on
 * past what cannot be undone, and is not interrupted. A write that failed is undone as well where
 * it may have taken effect all the same. Returns 0 with *ret_outcome filled, failed or not; or
 * -ENOMEM before the first write.
 */
int run_plan(const struct plan *plan, const struct run_environment *environment,
	     struct run_outcome *ret_outcome);

/* Frees what an outcome holds and leaves it empty. */
void run_outcome_done(struct run_outcome *outcome);

#endif
