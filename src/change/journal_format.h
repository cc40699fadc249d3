/* SPDX-License-Identifier: GPL-2.0-only */
/* What the reader and the writer of the change journal share (docs/spec/journal.md, "Format"). */
#ifndef CHANGE_JOURNAL_FORMAT_H
#define CHANGE_JOURNAL_FORMAT_H

#include "base/buffer.h"
#include "change/journal.h"

#define JOURNAL_FORMAT  "intel-speed-select-journal"
#define JOURNAL_VERSION 1

/* Makes the text of a compacted journal from its complete lines. Transactions that are dropped
 * become transaction 0. Returns 0; -EAGAIN if the last transaction has not ended; or a negative
 * errno of reading. */
int journal_compact(struct journal_reader *reader, struct buffer *to);

/* Formats a JSON value as a line, a new text; NULL: no memory. */
char *journal_format_line(const json_t *value);

/* Format the begin line of a stage from these members and the changes of journal_begin(); and the
 * end line of a transaction. Return new texts; NULL: no memory. */
char *journal_format_begin(const json_t *members, const char *changes);
char *journal_format_end(uint64_t id, const struct journal_outcome *outcome);

/* Appends the next line unchanged to a text, and moves to the line after it. Returns 0; -EBADMSG if
 * there is none, or another negative errno. */
int journal_reader_copy(struct journal_reader *reader, struct buffer *to);

#endif
