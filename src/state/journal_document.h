/* SPDX-License-Identifier: GPL-2.0-only */
/* What the change journal has of places, as state documents: so the way back is planned and carried
 * out as every other document (docs/spec/journal.md, "Recovery", "Restore and history"). */
#ifndef STATE_JOURNAL_DOCUMENT_H
#define STATE_JOURNAL_DOCUMENT_H

#include "change/journal_fold.h"

/* Which values the document has. */
enum journal_side {
	JOURNAL_WAS, /* those before the first change, as numbers */
	JOURNAL_WAS_WORDS, /* the same; words for numbers that have one */
	JOURNAL_NOW, /* those after the last change; none for what is unknown */
	JOURNAL_NOW_WORDS
};

/* Makes a document of all places, an entry each, which is optional: of a place that is gone nothing
 * is set. of_packages: SST-CP and CLOS are named for packages if power domains share them, as in
 * documents of users, with which it is joined. Values that are null are left out, and the first
 * such setting is *ret_unknown, a new text, or NULL. *ret_place_of, a new array, has the index in
 * fold of each entry. Returns 0, -EBADMSG if fold has what the journal of this program has not, or
 * -ENOMEM. */
int journal_document_make(const struct journal_fold *fold, enum journal_side side, bool of_packages,
			  json_t **ret_document, size_t **ret_place_of, char **ret_unknown);

#endif
