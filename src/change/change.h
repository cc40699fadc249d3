/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of changes: data about every write of a command, in order, complete before the first write
 * (commands.md, "Safety of every setting command"). --dry-run shows the list, a transaction carries
 * it out. A write that would change nothing is not in the list. */
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
	unsigned int setting; /* enum setting_id, a row of the table of settings, plus 1; 0: none */
	/* The part or kind of the setting: the number of a CLOS, the name of an idle state,
	 * "pm-config"; or NULL. */
	const char *part;
};

/* One of the writes that undo a change. */
struct change_undo {
	struct change_subject subject; /* a setting that the change alters besides its own */
	uint32_t cpu; /* if the subject has a CPU */
	const char *word; /* the value's word in documents; static, or NULL */
	struct write_target target;
	struct target_value value;
	bool is_checked; /* it is read back, in addition to the target of the change */
};

/* Another setting that a change resets or may reset, and that undoing the change restores. */
struct change_reset {
	struct change_subject subject;
	const char *was, *now; /* texts of the setting's file; NULL: unknown */
	const char *selector; /* its location in documents; NULL: that of the change */
	const struct change_reset *next; /* set by change_list_add_reset() */
};

/* When a change is undone. The changes of one turn are undone in reverse order. */
enum __attribute__((packed)) change_turn {
	CHANGE_UNDONE_FIRST,
	CHANGE_UNDONE_AFTER, /* it reads as before only after the first turn */
	CHANGE_UNDONE_LAST, /* it takes a CPU offline, whose files cannot be written then */
};

/* A change. The list copies its texts and arrays. Undoing writes old_value to the same target; if
 * n_undo is above 0, it makes the writes at undo instead, in order. A change stays in force and
 * counts as not rolled back if it is not_undoable, or has no old_value and no undo. Undoing has
 * worked if the target reads as old_value, and each checked write of undo as its own value. A large
 * machine has tens of thousands of changes: the order of members leaves few gaps. */
struct change {
	struct location location;
	unsigned int tries; /* of reading back, 1 ms apart; 0 means 1. If above 1, undoing has four
			     * times as many */
	/* "CLOS 1", "scaling_max_freq": similar changes differ only in a last number */
	const char *what;
	struct change_subject subject;
	const char *selector; /* the location in documents, if not that of `location`; or NULL */
	const char *word; /* the word in documents for a number in value: "max"; or NULL */
	const char *old_word; /* the same for old_value */
	struct write_target target;
	/* the text of a file is NULL if it is unknown until the CPU is online: then the change can
	 * only be shown */
	struct target_value value;
	struct target_value old_value;
	const char *new_text; /* what is shown in place of value; or NULL */
	/* a file: written in place of a value that the kernel does not know (-EINVAL); or NULL */
	const char *fallback_text;
	const char *other_text; /* a file: another text that it may have after the write; or NULL */
	const char *announcement; /* "online cpu 5": reported after the change; or NULL */
	const struct change_reset *reset; /* for the change journal: the newest reset, or NULL */
	const struct change_undo *undo;
	size_t n_undo;
	/* a file with a number: the kernel may lower value and old_value as far as this; or 0 */
	uint32_t lowered;
	uint32_t sufficient; /* see is_read_first; 0: no number is sufficient */
	uint32_t settle_us; /* wait after the change, or its undoing, before reading back */
	uint32_t batch; /* neighbours with the same number, above 0, are written together */
	int ignored_error; /* a negative errno that makes its failure a note; or 0 */
	bool has_old_value;
	/* The file can be read only after earlier changes. It is read just before it is written,
	 * which gives old_value. The change is left out if the file does not exist, or its number
	 * is at least `sufficient`. */
	bool is_read_first;
	bool is_left_if_equal; /* with is_read_first: left out if the file has value */
	bool is_optional; /* a failure of the change is a note; the transaction goes on */
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
	/* Only for change.c. */
	size_t changes_size;
	struct change_chunk *chunks; /* all that changes point to; the newest first */
	const char *recent[8]; /* short texts that were kept lately, or NULL */
	size_t next_recent;
	uint32_t last_batch;
};

#define _cleanup_change_list_ __attribute__((cleanup(change_list_done)))

/* Frees what a list holds, and leaves it empty. */
void change_list_done(struct change_list *list);

/* Adds a change at the end. Returns 0, or -ENOMEM with the list unchanged. */
int change_list_add(struct change_list *list, const struct change *change);

/* Adds a setting that the last change resets. That change has one location. Returns 0 or
 * -ENOMEM. */
int change_list_add_reset(struct change_list *list, const struct change_reset *reset);

/* Adds a text that is reported after the changes so far, before the next change is made. Returns 0,
 * or -ENOMEM with the list unchanged. */
int change_list_announce(struct change_list *list, const char *text);

/* Returns an unused number for the batch of changes that are added next. */
uint32_t change_list_new_batch(struct change_list *list);

/* Names a change for messages, "package-0 die-0 cpu-5: scaling_max_freq", as a new text; NULL: no
 * memory. */
char *change_format_name(const struct change *change);

/* Format the new and the old value of a change for people, as new texts; NULL: no memory. */
char *change_format_new(const struct change *change);
char *change_format_old(const struct change *change);

#endif
