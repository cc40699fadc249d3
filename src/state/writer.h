/* SPDX-License-Identifier: GPL-2.0-only */
/* A document that is made value by value, and its text (docs/spec/state.md, "Document"). */
#ifndef STATE_WRITER_H
#define STATE_WRITER_H

#include "settings/locations.h"

struct writer_entry;

struct writer {
	struct writer_entry *entries;
	const char *lacks_platform; /* why Speed Select is missing, or NULL */
	size_t n_entries;
	size_t first; /* of the entries that values are added to */
};

/* Can a document have the name of an idle state? It must be UTF-8. */
bool writer_can_have_key(const char *name);

/* From now on values go into new entries. */
void writer_start_feature(struct writer *writer);

/* Adds the value of a row to the entry for a selector, which is made if there is none since
 * writer_start_feature(). Takes ownership of on, a new text; NULL is no memory. Returns 0 or
 * -ENOMEM.
 */
int writer_add(struct writer *writer, char *on, const struct state_row *row,
	       const struct state_value *value);

/* Puts a value, which is taken over (NULL: no memory), into an entry of a document, at the path of
 * its name, "core-power.clos.1.weight". Returns 0 or -ENOMEM. */
int writer_put(json_t *entry, const char *name, json_t *value);

/* The same of a row. */
int writer_put_value(json_t *entry, const struct state_row *row, const struct state_value *value);

/* What a document requires of the machine that it is applied to. */
enum writer_require {
	WRITER_REQUIRES_NOTHING,
	WRITER_REQUIRES_CPUS, /* as many packages and CPUs, whose numbers it has */
	WRITER_REQUIRES_ALL
};

/* The document as a new text. NULL: no memory. */
char *writer_format(const struct writer *writer, const struct machine *machine,
		    enum writer_require require);

void writer_done(struct writer *writer);

#endif
