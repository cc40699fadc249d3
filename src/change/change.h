/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of changes: every write of a command as data, in order, before the first one is made
 * (commands.md, "Safety of every setting command"). --dry-run shows the list, a transaction carries
 * it out. A write that would change nothing does not become a change. */
#ifndef CHANGE_CHANGE_H
#define CHANGE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/machine.h"
#include "host/target.h"

/* A lower and an upper limit. */
struct khz_range {
	uint32_t min_khz;
	uint32_t max_khz;
};

/* What is changed, for the change journal (settings/journaled.h). */
struct change_subject {
	unsigned int setting; /* a row of the table of settings (enum setting_id), and 1; 0: none */
	/* Which part or kind of it: the number of a CLOS, the name of an idle state, "pm-config";
	 * or NULL. */
	const char *part;
};

/* One of the writes that undo a change. */
struct change_undo {
	struct change_subject subject; /* what the change alters besides itself */
	uint32_t cpu; /* of a subject that has one */
	const char *word; /* of documents, for the value; static, or NULL */
	struct write_target target;
	struct target_value value;
	bool is_checked; /* it is read back, besides the target of the change itself */
};

/* Another setting that a change resets, or may, and that comes back when it is undone. */
struct change_reset {
	struct change_subject subject;
	const char *was, *now; /* texts of its file; NULL: unknown */
	const char *selector; /* its place in documents; NULL: that of the change */
	const struct change_reset *next; /* of change_list_add_reset() */
};

/* When a change is undone: the changes of one turn in reverse order. */
enum __attribute__((packed)) change_turn {
	CHANGE_UNDONE_FIRST,
	CHANGE_UNDONE_AFTER, /* it reads as before only when those of the first turn do */
	CHANGE_UNDONE_LAST, /* it takes a CPU offline, whose files cannot be written then */
};

/* A change as it is added: texts and arrays are copied. Undoing writes old_value to the same
 * target, or, if given, the n_undo writes at undo in order. What is not_undoable, or has no
 * old_value and no undo, stays as it is and counts as not rolled back. Undoing has worked if the
 * target reads as old_value, and each checked write of undo as its own value. There are tens of
 * thousands of changes on a large machine: members are in an order that leaves few gaps. */
struct change {
	struct location location;
	unsigned int tries; /* of reading back, 1 ms apart; 0 is 1; four times as many in undoing,
			       if above 1 */
	/* "CLOS 1", "scaling_max_freq": the same words for like changes but for a last number */
	const char *what;
	struct change_subject subject;
	const char *selector; /* the place in documents, if location does not say it; or NULL */
	const char *word; /* of documents, for a value that is a number: "max"; or NULL */
	const char *old_word; /* the same of old_value */
	struct write_target target;
	/* the text of a file may be NULL: unknown before its CPU is online; such a change can only
	 * be shown */
	struct target_value value;
	struct target_value old_value;
	const char *new_text; /* what is shown in place of value; or NULL */
	/* a file: written in place of value if the kernel does not know that (-EINVAL) */
	const char *fallback_text;
	const char *other_text; /* a file: what it may read as besides value; or NULL */
	const char *announcement; /* "online cpu 5": reported when it is done; or NULL */
	const struct change_reset *reset; /* for the change journal: the last one added, or NULL */
	const struct change_undo *undo;
	size_t n_undo;
	/* a file with a number: the kernel may lower it, and an old value too, to this; or 0 */
	uint32_t lowered;
	uint32_t sufficient; /* of is_read_first; 0: no number is */
	uint32_t settle_us; /* to wait after it, done or undone, before it is read back */
	uint32_t batch; /* equal neighbours with this number, above 0, are written together */
	int ignored_error; /* a negative errno that makes its failure a note; or 0 */
	bool has_old_value;
	/* A file that can be read only when earlier changes are made: it is read just before it is
	 * written, which gives old_value. The change is left out if there is no such file, or its
	 * number is at least sufficient. */
	bool is_read_first;
	bool is_left_if_equal; /* is_read_first, and left out if it reads as value */
	bool is_optional; /* its failure is a note, and not the transaction's */
	bool not_undoable;
	enum change_turn undo_turn;
};

/* A text that is reported when the first n_before changes of a list are done. */
struct change_announcement {
	size_t n_before;
	const char *text;
};

/* An empty list is all zero. */
struct change_list {
	struct change *changes; /* valid until the next is added */
	size_t n_changes;
	struct change_announcement *announcements; /* in the order of n_before */
	size_t n_announcements;
	/* Of change.c. */
	size_t changes_size;
	struct change_chunk *chunks; /* all that changes point to; the newest first */
	const char *recent[8]; /* short texts that were kept lately, or NULL */
	size_t next_recent;
	uint32_t last_batch;
};

#define _cleanup_change_list_ __attribute__((cleanup(change_list_done)))

/* Frees what a list holds, and leaves it empty. */
void change_list_done(struct change_list *list);

/* Adds a change at the end. Returns 0, or -ENOMEM with the list as it was. */
int change_list_add(struct change_list *list, const struct change *change);

/* Notes something that the last change, which has one place, resets. Returns 0 or -ENOMEM. */
int change_list_add_reset(struct change_list *list, const struct change_reset *reset);

/* Adds a text to be reported when the changes so far are done, before the next one is made. Returns
 * 0, or -ENOMEM with the list as it was. */
int change_list_announce(struct change_list *list, const char *text);

/* A number for the batch of changes to be added next, unused so far. */
uint32_t change_list_new_batch(struct change_list *list);

/* Names a change for messages, "package-0 die-0 cpu-5: scaling_max_freq", as a new text; NULL: no
 * memory. */
char *change_format_name(const struct change *change);

/* The value of a change for people, and the one before it, as new texts; NULL: no memory. */
char *change_format_new(const struct change *change);
char *change_format_old(const struct change *change);

#endif
