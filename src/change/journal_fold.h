/* SPDX-License-Identifier: GPL-2.0-only */
/* The combined changes of several transactions of the change journal: for each location the first
 * old value and the last new value. */
#ifndef CHANGE_JOURNAL_FOLD_H
#define CHANGE_JOURNAL_FOLD_H

#include "base/buffer.h"
#include "change/journal.h"

/* A setting, and locations with the same old and new values. */
struct journal_places {
	char *setting;
	char *place; /* the text of "for", if it is not CPUs */
	struct cpuset cpus;
	json_t *was; /* objects: "was", "was-word" */
	json_t *now; /* "now", "now-word" */
	json_t *read; /* the value that was read after the change; or NULL */
};

/* All zero bytes: nothing was changed. */
struct journal_fold {
	struct journal_places *list;
	size_t count;
	json_t *first_mode, *mode; /* of intel_pstate: before the first change, after the last */
};

/* Frees all changes and leaves none. */
void journal_fold_done(struct journal_fold *fold);

/* Adds the changes of a begin line; if left is not NULL, only those in that array of changes. Call
 * it for lines in the order of the journal. Returns 0, -EBADMSG or -ENOMEM. */
int journal_fold_changes(struct journal_fold *fold, struct journal_line *line, json_t *left);

/* Adds the array `read` of an end line, which may be NULL. Returns 0, -EBADMSG or -ENOMEM. */
int journal_fold_read(struct journal_fold *fold, json_t *read);

/* Appends all changes as a JSON array, and all values that were read as an array `read` of end
 * lines. Returns 0 or -ENOMEM. */
int journal_fold_append(struct journal_fold *fold, struct buffer *changes, struct buffer *read);

#endif
