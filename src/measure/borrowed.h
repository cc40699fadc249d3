/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that a measurement changes for a while (measure.md, "Borrowed settings"): what they were
 * is in borrowed.json of the run directory from before the first write until all of it is
 * back, so that another command can put it back if the measurement is killed. Its owner holds the
 * lock all the time. */
#ifndef MEASURE_BORROWED_H
#define MEASURE_BORROWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "host/host.h"
#include "state/lent.h"

/* What a measurement changes; all zero bytes: nothing. */
struct borrowed {
	json_t *settings; /* an array of {"file", "found", "set"}; NULL: empty */
	struct lent lent; /* what a document changes */
};

/* What became of borrowed settings. Texts are lists with ", " between, or NULL. */
struct borrowed_outcome {
	char *owner; /* "measure wake, process 12", who borrowed them */
	/* "cpu3/cpuidle/state1/disable", "package-0 base-freq.enabled: true -> false" */
	char *put_back;
	char *changed; /* the same with "(now 7)": not what was written; they are left */
	char *gone; /* the file is no more, as of a driver that was removed */
	char *failed; /* with the reason: not put back */
};

#define _cleanup_borrowed_         __attribute__((cleanup(borrowed_done)))
#define _cleanup_borrowed_outcome_ __attribute__((cleanup(borrowed_outcome_done)))

void borrowed_done(struct borrowed *borrowed);
void borrowed_outcome_done(struct borrowed_outcome *outcome);

/* Adds a file below /sys: what it holds, and all the values (NULL-terminated) that will be written
 * to it. Returns 0 or -ENOMEM. */
int borrowed_add(struct borrowed *borrowed, const char *path, const char *found,
		 const char *const *set);

/* How many settings there are. */
size_t borrowed_count(const struct borrowed *borrowed);

/* Writes borrowed.json: from now on the files may be written. command: "measure wake"; seconds: how
 * long it is expected to take. Needs the lock. Returns as run_file_write(). */
int borrowed_begin(const struct host *host, const struct borrowed *borrowed, const char *command,
		   uint64_t seconds);

/* Puts back these files as borrowed_end() does, and leaves borrowed.json as it is: they will be
 * written again. Returns 0, or the negative errno of the first that could not be put back. */
int borrowed_put_back(const struct host *host, const struct borrowed *borrowed);

/* Puts back each file that holds one of the values that are written to it, and not what it held
 * before, and each setting of the document that is as set, and removes borrowed.json; after a
 * failure, those that failed stay in it. Needs the lock. Returns 0; the negative errno of the first
 * file that could not be put back; or -ENOMEM. */
int borrowed_end(struct host *host, const struct borrowed *borrowed,
		 struct borrowed_outcome *ret_outcome);

/* The same of what a process that is dead has borrowed in this boot. Needs the lock. Returns 0,
 * also if there is nothing; as borrowed_end(), with the owner in the outcome; or, without an owner,
 * why borrowed.json cannot be used: -EBADMSG, -EPERM or -ELOOP if it is not one, or others may have
 * written it; another negative errno of reading. */
int borrowed_mend(struct host *host, struct borrowed_outcome *ret_outcome);

/* For readers: a new text that says who has borrowed settings, or left them changed; NULL: nobody,
 * or no memory. Never waits. */
char *borrowed_describe(const struct host *host);

/* For commands that need the lock: a new text "measure wake, 12 s left" if its holder (of
 * lock_take()) has borrowed settings; else NULL. */
char *borrowed_describe_holder(const struct host *host, const char *holder);

/* Removes borrowed.json, whatever it is. Returns 0, also if there is none, or a negative errno. */
int borrowed_forget(const struct host *host);

#endif
