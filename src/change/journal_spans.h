/* SPDX-License-Identifier: GPL-2.0-only */
/* The transactions of the change journal: the offsets of their lines and their outcome. */
#ifndef CHANGE_JOURNAL_SPANS_H
#define CHANGE_JOURNAL_SPANS_H

#include "change/journal_fold.h"

/* A transaction: its lines follow each other. */
struct journal_span {
	uint64_t id;
	int64_t start;
	int64_t end;
	bool counts; /* it is not undone, and not of a measurement */
	bool is_done;
	bool is_temporary; /* of a measurement */
	bool has_ended;
	bool is_kept; /* of journal_compact.c */
	char *time; /* of its beginning */
	json_t *left; /* of a mixed transaction: the changes that count; else NULL */
};

struct journal_spans {
	struct journal_span *list; /* in the order of the journal; id 0: all older ones */
	size_t count;
	json_t *first; /* the members of the first line */
	bool has_ended; /* the last transaction has ended */
};

#define _cleanup_journal_spans_ _cleanup_(journal_spans_done)

void journal_spans_done(struct journal_spans *spans);

/* Lists the transactions of a journal from its beginning. Returns 0, -ENOMEM, or another negative
 * errno as journal_reader_next(). */
int journal_spans_list(struct journal_reader *reader, struct journal_spans *ret_spans);

/* Adds the changes of one transaction. Returns 0 or a negative errno. */
int journal_span_fold(struct journal_reader *reader, const struct journal_span *span,
		      struct journal_fold *folded);

/* Adds the changes of all transactions from first to last that count: those that are not undone and
 * not of measurements. A transaction that has not ended counts. Returns 0, also if there is no
 * journal of this boot; -ENOMEM; or another negative errno as journal_reader_open(). */
int journal_spans_fold(struct files *files, const char *run_directory, uint64_t first,
		       uint64_t last, struct journal_fold *folded);

#endif
