/* SPDX-License-Identifier: GPL-2.0-only */
/* Undoes what a process that was killed left half done, as the change journal has it
 * (docs/spec/journal.md, "Recovery"). */
#ifndef STATE_RECOVERY_H
#define STATE_RECOVERY_H

#include "change/journal.h"
#include "host/host.h"

struct assumption;

/* What became of a transaction that was cut off. Texts are NULL if there is nothing to say. */
struct recovery {
	bool is_found; /* there was one, and it is ended or tried again later */
	bool is_own; /* it is of this process: a measurement ends */
	bool is_forward; /* of the daemon: it is ended as it is, not undone */
	char *owner; /* "intel-speed-select turbo-freq enable, process 12, begun at TIME" */
	char *undone; /* a list: "package-0 base-freq.enabled: true -> false" */
	size_t n_undone;
	char *changed; /* what another program has changed since: it is left as it is */
	char *failed; /* what could not be undone, and why */
	bool is_left; /* the next command tries again */
	/* Of a preview: the identifier of what would be undone, or 0; and a setting whose change
	 * has more effects than can be known before it. */
	uint64_t unended;
	char *unassumed;
};

#define _cleanup_recovery_ __attribute__((cleanup(recovery_done)))

void recovery_done(struct recovery *recovery);

/* Undoes the last transaction of the journal if it has not ended, and appends its end. Needs the
 * lock. *journal, open or NULL, becomes the journal to go on with, NULL if there is none. Returns
 * 0, also with failed; or a negative errno, with *ret_message a new text, or NULL, if the journal
 * cannot be used. */
int recovery_run(struct host *host, struct journal **journal, struct recovery *ret_recovery,
		 char **ret_message);

/* What recovery_run() would undo now, for a dry run: undone, changed, failed, unended and
 * unassumed of *ret_recovery. If nothing failed and the state after it is known, *ret_assumption
 * has it up to assumption_end(). Writes nothing, and needs no lock. */
void recovery_preview(struct host *host, struct recovery *ret_recovery,
		      struct assumption **ret_assumption);

/* What a command that only reads can know of the last transaction. */
enum recovery_state {
	RECOVERY_NONE, /* it has ended, or there is none */
	RECOVERY_RUNNING, /* its process has the lock */
	RECOVERY_TEMPORARY, /* the same, and it is a measurement */
	RECOVERY_CUT_OFF, /* it will be undone */
	RECOVERY_FOLLOWING, /* the daemon was interrupted: what it set stays */
	RECOVERY_UNKNOWN, /* one of the two: the lock may not be looked at */
	RECOVERY_UNUSABLE /* the journal cannot be read */
};

/* In printf form, of the owner. */
#define RECOVERY_FOLLOWING_TEXT                                                                 \
	"the daemon was interrupted while it followed a change (%s): what it had set is kept, " \
	"and when it is started again it follows the present level"

/* In printf form, of the owner and of what was changed. */
#define RECOVERY_CHANGED_TEXT \
	"another program has changed what %s had set, and it is left as it is: %s"

/* A new text that names the command of a transaction that has not ended, or says why the journal
 * cannot be read; NULL: none, or no memory. Never waits. */
char *recovery_describe(const struct host *host, enum recovery_state *ret_state);

#endif
