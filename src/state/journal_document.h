/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes state documents from the change journal, so that undoing is planned and carried out like
 * any other document (docs/spec/journal.md, "Recovery", "Restore and history"). */
#ifndef STATE_JOURNAL_DOCUMENT_H
#define STATE_JOURNAL_DOCUMENT_H

#include "change/journal_fold.h"

/* Which values the document has. */
enum journal_side {
	JOURNAL_WAS, /* those before the first change, as numbers */
	JOURNAL_WAS_WORDS, /* the same; words for numbers that have one */
	JOURNAL_NOW, /* those after the last change; unknown values are left out */
	JOURNAL_NOW_WORDS
};

/* Makes a document with an optional entry for each location of fold; locations that are gone are
 * skipped. of_packages: SST-CP and CLOS are settings of packages, as in documents of users that are
 * joined with it. Values that are null are left out: *ret_unknown names the first of these settings
 * in a new text, or is NULL. *ret_place_of, a new array, has the index in fold of each entry.
 * Returns 0; -EBADMSG if fold has a setting that this program does not write; or -ENOMEM. */
int journal_document_make(const struct journal_fold *fold, enum journal_side side, bool of_packages,
			  json_t **ret_document, size_t **ret_place_of, char **ret_unknown);

#endif
