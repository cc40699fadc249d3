/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries in lines of the change journal (docs/spec/journal.md, "Format"): a setting, its
 * location and its values. CPUs with the same change share an entry. */
#ifndef SETTINGS_ENTRIES_H
#define SETTINGS_ENTRIES_H

#include <stddef.h>

#include "base/cpuset.h"

/* The texts of an entry, in the order of the line. All except the setting may be NULL. */
enum entry_text {
	ENTRY_PLACE, /* "package-0 die-1"; NULL: CPUs */
	ENTRY_SETTING, /* with its part: "core-power.enabled.clos" */
	ENTRY_WAS, /* JSON */
	ENTRY_WAS_WORD,
	ENTRY_NOW, /* JSON */
	ENTRY_NOW_WORD,
	ENTRY_READ, /* JSON */
	N_ENTRY_TEXTS
};

struct journal_entry {
	char *texts[N_ENTRY_TEXTS];
	struct cpuset cpus; /* if ENTRY_PLACE is NULL */
};

/* Zero bytes: an empty list. */
struct journal_entries {
	struct journal_entry *list;
	size_t count;
};

#define _cleanup_journal_entries_ __attribute__((cleanup(journal_entries_done)))

/* Frees all entries and leaves the list empty. */
void journal_entries_done(struct journal_entries *entries);

/* Adds an entry with copies of the texts, unless one of the latest entries is equal. If ENTRY_PLACE
 * is NULL, adds cpu to the entry. Returns 0 or -ENOMEM. */
int journal_entries_add(struct journal_entries *entries, const char *const texts[N_ENTRY_TEXTS],
			uint32_t cpu);

/* Formats the JSON array of a line as a new text; NULL: no memory. */
char *journal_entries_format(const struct journal_entries *entries);

#endif
