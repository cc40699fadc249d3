/* SPDX-License-Identifier: GPL-2.0-only */
/* Carrying out a list of changes, all of it or nothing (commands.md, "Safety of every setting
 * command"). */
#ifndef CHANGE_TRANSACTION_H
#define CHANGE_TRANSACTION_H

#include "change/change.h"

/* Records list->changes[first..first+count-1], which are about to be made, in the change journal.
 * found: by change, of those that are read first, what was read just before; those without a text
 * are not recorded now, or not made. Returns 0; or a
 * negative errno, with which nothing of them is written, and *ret_reason a new text, or NULL. */
typedef int transaction_record_function(void *data, const struct change_list *list, size_t first,
					size_t count, const struct target_value *found,
					char **ret_reason);

/* What a transaction works on, and what it calls. */
struct transaction_environment {
	const struct channel *channel; /* NULL: there is no driver */
	struct files *files;
	/* Asked before each write, and during waits; ends neither undoing nor its waits. */
	const struct wait_stop *stop; /* or NULL: the program is never asked to stop */
	/* Called with each announcement whose changes are done. It may keep the texts until flush
	 * is called. May be NULL. */
	void (*announce)(void *data, const char *text);
	bool shows_changes; /* changes are announced, and not only what a caller announces itself */
	/* Writes what announce has kept: called before the next write, and at the end. May be
	 * NULL. */
	void (*flush)(void *data);
	/* Called with the number of changes that are done. May be NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *data; /* of the three above */
	transaction_record_function *record; /* NULL: nothing is recorded */
	void *record_data;
	bool keeps_changes; /* what is done stays if a write fails or the program is asked to stop
			     */
};

/* A change that failed, in carrying out or in undoing. */
struct transaction_failure {
	uint32_t change; /* its index */
	bool is_of_record; /* the change could not be recorded, and was not written */
	int16_t error; /* negative errno; -EIO: what was read back is not what was written */
	char *reason; /* a part of a sentence that says more than error: what was found; or NULL */
};

/* What became of a change. */
enum transaction_state {
	TRANSACTION_NOT_MADE, /* it has not taken effect */
	TRANSACTION_MADE, /* it has, or may have, taken effect */
	TRANSACTION_UNDONE,
	TRANSACTION_NOT_UNDONE, /* undoing it failed */
};

struct transaction_effect {
	enum transaction_state state;
	uint64_t read_back; /* of a change that was made: the number that was read back, or its
			       value's if none was */
};

struct transaction_outcome {
	bool failed;
	struct transaction_effect *effects; /* by change */
	size_t n_effects;
	struct transaction_failure failure; /* if failed */
	size_t *rolled_back; /* the changes that were undone, the last one first */
	size_t n_rolled_back;
	struct transaction_failure
		*not_rolled_back; /* changes that took, or may have taken, effect and still do */
	size_t n_not_rolled_back;
	/* optional changes that failed; with error 0: changes in force but limited, as reason
	 * says */
	struct transaction_failure *notes;
	size_t n_notes;
};

#define _cleanup_transaction_outcome_ __attribute__((cleanup(transaction_outcome_done)))

/* A transaction in stages: of a list that grows after its first changes were made, since what comes
 * next can be read only then. */
struct transaction;

#define _cleanup_transaction_ __attribute__((cleanup(transaction_free)))

/* A transaction of the list, which must outlive it. Returns 0 or -ENOMEM. */
int transaction_new(const struct change_list *list, struct transaction **ret_transaction);

/* Makes the changes that were added since the last stage, as transaction_run(); when one fails,
 * those of all stages are undone. Not to be called after a failure. Returns 0, failed or not; or
 * -ENOMEM before the first write of this stage, with nothing undone. */
int transaction_continue(struct transaction *transaction,
			 const struct transaction_environment *environment);

/* Undoes the changes of all stages, which have succeeded. The outcome lists what was undone. */
void transaction_undo(struct transaction *transaction,
		      const struct transaction_environment *environment);

/* That all is done could not be recorded: as transaction_undo(), with this failure. reason, a new
 * text or NULL, is taken over. */
void transaction_reject(struct transaction *transaction,
			const struct transaction_environment *environment, int err, char *reason);

/* The outcome of all stages so far; valid as long as the transaction. */
const struct transaction_outcome *transaction_get_outcome(const struct transaction *transaction);

/* Frees *transaction, which may be NULL, and leaves NULL. */
void transaction_free(struct transaction **transaction);

/* Makes the changes in order, each read back as it says. If one fails, or the program is asked to
 * stop (-EINTR), those done are undone in reverse order and read back too; undoing goes on after
 * what cannot be undone, and is not interrupted. A write that failed is undone as well if it may
 * have taken effect nevertheless. Returns 0 with *ret_outcome filled, failed or not; or -ENOMEM
 * before the first write. */
int transaction_run(const struct change_list *list,
		    const struct transaction_environment *environment,
		    struct transaction_outcome *ret_outcome);

/* How many changes were made, undone or not. */
size_t transaction_count_made(const struct transaction_outcome *outcome);

/* Frees what an outcome holds and leaves it empty. */
void transaction_outcome_done(struct transaction_outcome *outcome);

/* Why a change failed: what was read back, or the cause that its target finds, or what its errno
 * means. host and channel are for changes of the driver; else NULL. The text is never NULL, and
 * valid as long as the failure. */
struct target_cause transaction_find_cause(const struct change *change,
					   const struct transaction_failure *failure,
					   struct host *host, const struct channel *channel);

#endif
