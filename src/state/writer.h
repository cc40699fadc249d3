/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a document value by value, and formats its text (docs/spec/state.md, "Document"). */
#ifndef STATE_WRITER_H
#define STATE_WRITER_H

#include "settings/locations.h"

struct writer_entry;

struct writer {
	struct writer_entry *entries;
	const char *lacks_platform; /* why Speed Select is missing, or NULL */
	size_t n_entries;
	size_t first; /* index of the first entry that values are added to */
};

/* Returns true if a document can have this name of an idle state: UTF-8, and not empty. */
bool writer_can_have_key(const char *name);

/* Values that are added after this go into new entries. */
void writer_start_feature(struct writer *writer);

/* Adds the value of a row to the entry for the selector on; adds the entry if there is none since
 * writer_start_feature(). Takes ownership of on, a new text; NULL means no memory. Returns 0 or
 * -ENOMEM. */
int writer_add(struct writer *writer, char *on, const struct state_row *row,
	       const struct state_value *value);

/* Puts a value into an entry of a document, at the path of its name, "core-power.clos.1.weight".
 * Takes ownership of value; NULL means no memory. Returns 0 or -ENOMEM. */
int writer_put(json_t *entry, const char *name, json_t *value);

/* Puts the value of a row into an entry, as writer_put(). */
int writer_put_value(json_t *entry, const struct state_row *row, const struct state_value *value);

/* What a document requires of the machine that it is applied to. */
enum writer_require {
	WRITER_REQUIRES_NOTHING,
	WRITER_REQUIRES_CPUS, /* the numbers of packages and CPUs */
	WRITER_REQUIRES_ALL
};

/* Formats the document as a new text. NULL: no memory. */
char *writer_format(const struct writer *writer, const struct machine *machine,
		    enum writer_require require);

void writer_done(struct writer *writer);

#endif
