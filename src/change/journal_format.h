/* SPDX-License-Identifier: GPL-2.0-only */
/* What the reader and the writer of the change journal share (docs/spec/journal.md, "Format"). */
#ifndef CHANGE_JOURNAL_FORMAT_H
#define CHANGE_JOURNAL_FORMAT_H

#include "base/buffer.h"
#include "change/journal.h"

#define JOURNAL_FORMAT  "intel-speed-select-journal"
#define JOURNAL_VERSION 1

/* Makes the text of a compacted journal, with all that is whole: transactions that are dropped
 * become transaction 0. Returns 0; -EAGAIN if the last one has not ended; or a negative errno of
 * reading. */
int journal_compact(struct journal_reader *reader, struct buffer *to);

/* Appends the next line as it is to a text, and goes on to the one after it. Returns 0; -EBADMSG if
 * there is none, or another negative errno. */
int journal_reader_copy(struct journal_reader *reader, struct buffer *to);

#endif
