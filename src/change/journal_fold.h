/* SPDX-License-Identifier: GPL-2.0-only */
/* What several transactions of the change journal changed together: of each place the first value
 * before, and the last after. */
#ifndef CHANGE_JOURNAL_FOLD_H
#define CHANGE_JOURNAL_FOLD_H

#include "base/buffer.h"
#include "change/journal.h"

/* A setting, and places that had and have the same values. */
struct journal_places {
	char *setting;
	char *place; /* of "for", if it is not CPUs */
	struct cpuset cpus;
	json_t *was; /* objects: "was", "was-word" */
	json_t *now; /* "now", "now-word" */
	json_t *read; /* what it reads as since then; or NULL */
};

/* All zero bytes: nothing was changed. */
struct journal_fold {
	struct journal_places *list;
	size_t count;
	json_t *first_mode, *mode; /* of intel_pstate, before the first change and after the last */
};

/* Frees all, and leaves nothing. */
void journal_fold_done(struct journal_fold *fold);

/* Adds the changes of a begin line; if left is not NULL, only those in that array of changes. To be
 * called in the order of the journal. Returns 0, -EBADMSG or -ENOMEM. */
int journal_fold_changes(struct journal_fold *fold, struct journal_line *line, json_t *left);

/* Adds the array `read` of an end line, which may be NULL. Returns the same. */
int journal_fold_read(struct journal_fold *fold, json_t *read);

/* Appends all as a JSON array of changes, and what is read as one as of end lines. Returns 0 or
 * -ENOMEM. */
int journal_fold_append(struct journal_fold *fold, struct buffer *changes, struct buffer *read);

#endif
