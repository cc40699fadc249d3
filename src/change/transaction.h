/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out a list of changes, all or none (commands.md, "Safety of every setting command"). */
#ifndef CHANGE_TRANSACTION_H
#define CHANGE_TRANSACTION_H

#include "change/change.h"

/* Records list->changes[first..first+count-1] in the change journal before they are made. found
 * has, by change, the values just read for changes that are read first. A change without a text
 * there is not recorded now, or not made. Returns 0; or a negative errno with *ret_reason, a new
 * text or NULL: then none of these changes is written. */
typedef int transaction_record_function(void *data, const struct change_list *list, size_t first,
					size_t count, const struct target_value *found,
					char **ret_reason);

/* What a transaction works on, and what it calls. */
struct transaction_environment {
	const struct channel *channel; /* NULL: there is no driver */
	struct files *files;
	/* Checked before each write and during waits. Only a second request ends undoing. */
	const struct wait_stop *stop; /* or NULL: no stop is ever requested */
	/* Called with each announcement whose changes are done. It may keep the texts until flush
	 * is called. May be NULL. */
	void (*announce)(void *data, const char *text);
	bool shows_changes; /* the transaction calls announce, too, and not only its caller */
	/* Writes what announce has kept: called before the next write, and at the end. May be
	 * NULL. */
	void (*flush)(void *data);
	/* Called with the number of changes that are done. May be NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *data; /* of the three above */
	transaction_record_function *record; /* NULL: nothing is recorded */
	void *record_data;
	bool keeps_changes; /* the changes made stay if a write fails or a stop is requested */
};

/* A change that failed, or that could not be undone. */
struct transaction_failure {
	uint32_t change; /* its index */
	bool is_of_record; /* the change could not be recorded, and was not written */
	int16_t error; /* negative errno; -EIO: what was read back is not what was written */
	char *reason; /* a part of a sentence with more than error: what was found; or NULL */
};

/* The state of a change. */
enum transaction_state {
	TRANSACTION_NOT_MADE, /* it has not taken effect */
	TRANSACTION_MADE, /* it has, or may have, taken effect */
	TRANSACTION_UNDONE,
	TRANSACTION_NOT_UNDONE, /* undoing it failed */
};

struct transaction_effect {
	enum transaction_state state;
	uint64_t read_back; /* after the change: the number read back, or that of its value */
};

struct transaction_outcome {
	bool failed;
	struct transaction_effect *effects; /* by change */
	size_t n_effects;
	struct transaction_failure failure; /* if failed */
	size_t *rolled_back; /* the changes that were undone, the last one first */
	size_t n_rolled_back;
	struct transaction_failure
		*not_rolled_back; /* changes that are, or may still be, in force */
	size_t n_not_rolled_back;
	/* optional changes that failed; with error 0: changes in force but limited, as reason
	 * says */
	struct transaction_failure *notes;
	size_t n_notes;
};

#define _cleanup_transaction_outcome_ __attribute__((cleanup(transaction_outcome_done)))

/* A transaction in stages. Its list grows after the first changes are made, since the values for
 * the next ones can be read only then. */
struct transaction;

#define _cleanup_transaction_ __attribute__((cleanup(transaction_free)))

/* Makes a transaction of list, which must outlive it. Returns 0 or -ENOMEM. */
int transaction_new(const struct change_list *list, struct transaction **ret_transaction);

/* Makes the changes that were added since the last stage, as transaction_run(). If one fails, the
 * changes of all stages are undone, and this must not be called again. Returns 0, also if a change
 * failed; or -ENOMEM before the first write of this stage, with nothing undone. */
int transaction_continue(struct transaction *transaction,
			 const struct transaction_environment *environment);

/* Undoes the changes of all stages, which have succeeded. The outcome lists what was undone. */
void transaction_undo(struct transaction *transaction,
		      const struct transaction_environment *environment);

/* Undoes the changes as transaction_undo(), since their end could not be recorded. err and reason
 * describe this failure. Takes ownership of reason, a new text or NULL. */
void transaction_reject(struct transaction *transaction,
			const struct transaction_environment *environment, int err, char *reason);

/* Returns the outcome of all stages so far; valid as long as the transaction. */
const struct transaction_outcome *transaction_get_outcome(const struct transaction *transaction);

/* Frees *transaction, which may be NULL, and leaves NULL. */
void transaction_free(struct transaction **transaction);

/* Makes the changes in order and reads each back as it specifies. If one fails, or a stop is
 * requested (-EINTR), the changes made are undone in reverse order and read back, too. Undoing
 * continues after a change that cannot be undone; only a second stop request ends it. A failed
 * write that may have taken effect is undone as well. Returns 0 with *ret_outcome, also if a change
 * failed; or -ENOMEM before the first write. */
int transaction_run(const struct change_list *list,
		    const struct transaction_environment *environment,
		    struct transaction_outcome *ret_outcome);

/* Returns how many changes were made, undone or not. */
size_t transaction_count_made(const struct transaction_outcome *outcome);

/* Frees what an outcome holds and leaves it empty. */
void transaction_outcome_done(struct transaction_outcome *outcome);

/* Returns why a change failed: the value that was read back, the cause that its target finds, or
 * the meaning of its errno. host and channel are for changes of the driver; else NULL. The text is
 * never NULL, and valid as long as the failure. */
struct target_cause transaction_find_cause(const struct change *change,
					   const struct transaction_failure *failure,
					   struct host *host, const struct channel *channel);

#endif
