/* SPDX-License-Identifier: GPL-2.0-only */
/* Undoes the unfinished changes of a process that was killed, with the change journal
 * (docs/spec/journal.md, "Recovery"). */
#ifndef STATE_RECOVERY_H
#define STATE_RECOVERY_H

#include "change/journal.h"
#include "host/host.h"

struct assumption;

/* The result for an interrupted transaction. Texts are NULL if there is nothing to report. */
struct recovery {
	bool is_found; /* there was one; it has ended now, or is_left is set */
	bool is_own; /* of this process: a measurement ends */
	bool is_forward; /* of the daemon: its changes are kept, not undone */
	char *owner; /* "intel-speed-select turbo-freq enable, process 12, begun at TIME" */
	char *undone; /* a list: "package-0 base-freq.enabled: true -> false" */
	size_t n_undone;
	char *changed; /* what another program has changed since; it is kept */
	char *failed; /* what could not be undone, and why */
	bool is_left; /* the next command tries again */
	/* For a preview: the identifier of the transaction that would be undone, or 0; and the
	 * setting whose change has effects that cannot be known before it, or NULL. */
	uint64_t unended;
	char *unassumed;
};

#define _cleanup_recovery_ __attribute__((cleanup(recovery_done)))

void recovery_done(struct recovery *recovery);

/* Undoes the last transaction of the journal if it has not ended, and appends its end. Needs the
 * lock. *journal (may be NULL) is closed and opened again; NULL: there is no journal. Returns 0,
 * also if failed is set. If the journal cannot be used, returns a negative errno, with *ret_message
 * a new text or NULL. */
int recovery_run(struct host *host, struct journal **journal, struct recovery *ret_recovery,
		 char **ret_message);

/* Finds for a dry run what recovery_run() would undo now. Sets undone, changed, failed, unended and
 * unassumed of *ret_recovery. If nothing failed and the state after recovery is known,
 * *ret_assumption has that state until assumption_end(). Writes nothing, and needs no lock. */
void recovery_preview(struct host *host, struct recovery *ret_recovery,
		      struct assumption **ret_assumption);

/* What a read-only command can find out about the last transaction. */
enum recovery_state {
	RECOVERY_NONE, /* it has ended, or there is none */
	RECOVERY_RUNNING, /* its process has the lock */
	RECOVERY_TEMPORARY, /* the same, for a measurement */
	RECOVERY_CUT_OFF, /* it will be undone */
	RECOVERY_FOLLOWING, /* the daemon was interrupted: what it set stays */
	RECOVERY_UNKNOWN, /* it runs or was interrupted: the lock cannot be checked */
	RECOVERY_UNUSABLE /* the journal cannot be read */
};

/* A printf format for the owner. */
#define RECOVERY_FOLLOWING_TEXT                                                                 \
	"the daemon was interrupted while it followed a change (%s): what it had set is kept, " \
	"and when it is started again it follows the present level"

/* A printf format for the owner and the changed settings. */
#define RECOVERY_CHANGED_TEXT \
	"another program has changed what %s had set, and it is left as it is: %s"

/* Returns a new text: the command of a transaction that has not ended, or why the journal cannot be
 * read. NULL: no such transaction, or no memory. Never waits. */
char *recovery_describe(const struct host *host, enum recovery_state *ret_state);

#endif
