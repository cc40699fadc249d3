// SPDX-License-Identifier: GPL-2.0-only
/* Compacts the change journal: the latest transactions stay, and all earlier ones become
 * transaction 0. For each location, transaction 0 has the first old value and the last new value
 * (docs/spec/journal.md, "Format"). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "change/journal_fold.h"
#include "change/journal_format.h"
#include "change/journal_spans.h"
#include "host/run_directory.h"

#define MOST_KEPT       100 /* transactions */
#define MOST_KEPT_BYTES (512 << 10)
#define LEAST_COMPACTED (1 << 20) /* bytes */

/* Decides which transactions stay. The last one always does, since identifiers continue from it. */
static void choose(struct journal_spans *spans)
{
	int64_t n_bytes = 0;
	size_t n_kept = 0;
	bool is_full = false, has_done = false;

	for (size_t i = spans->count; i-- > 0;) {
		struct journal_span *span = &spans->list[i];

		if (span->id == 0)
			return;
		n_bytes += span->end - span->start;
		is_full = is_full || n_kept == MOST_KEPT || n_bytes > MOST_KEPT_BYTES;
		span->is_kept = !is_full || i == spans->count - 1 || (span->is_done && !has_done);
		has_done = has_done || span->is_done;
		n_kept += span->is_kept;
	}
}

/* Appends the lines of transaction 0. */
static int append_fold(struct buffer *to, struct journal_fold *folded, const char *time)
{
	_cleanup_buffer_ struct buffer changes = { 0 }, read = { 0 };
	_cleanup_json_ json_t *head =
		json_pack("{s:s, s:i, s:i, s:s, s:i, s:[], s:i, s:i, s:n, s:b, s:b}", "line",
			  "begin", "id", 0, "stage", 1, "time", time, "uptime-s", 0, "command",
			  "process", 0, "uid", 0, "login-uid", "temporary", 0, "forward", 0);
	_cleanup_free_ char *begin = NULL, *end = NULL;
	int err = journal_fold_append(folded, &changes, &read);

	if (err)
		return err;
	begin = head ? journal_format_begin(head, buffer_text(&changes)) : NULL;
	end = journal_format_end(0, &(struct journal_outcome){
					    .outcome = JOURNAL_DONE,
					    .read = read.length > strlen("[]") ? read.data : NULL,
				    });
	if (!begin || !end)
		return -ENOMEM;
	buffer_append_string(to, begin);
	buffer_append_string(to, end);
	return to->has_failed ? -ENOMEM : 0;
}

/* Appends the lines of a transaction unchanged. */
static int copy(struct journal_reader *reader, const struct journal_span *span, struct buffer *to)
{
	int err = journal_reader_seek(reader, span->start);

	while (!err && journal_reader_tell(reader) < span->end)
		err = journal_reader_copy(reader, to);
	return err;
}

int journal_compact(struct journal_reader *reader, struct buffer *to)
{
	_cleanup_(journal_fold_done) struct journal_fold folded = { 0 };
	_cleanup_journal_spans_ struct journal_spans spans = { 0 };
	_cleanup_buffer_ struct buffer rest = { 0 };
	_cleanup_free_ char *line = NULL;
	const char *time = NULL;
	int64_t next;
	int err = journal_spans_list(reader, &spans);

	if (!err && (!spans.has_ended || !spans.first))
		err = -EAGAIN;
	if (err)
		return err;
	choose(&spans);
	for (size_t i = 0; i < spans.count && !err; i++) {
		if (spans.list[i].is_kept)
			continue;
		time = spans.list[i].time;
		if (spans.list[i].counts)
			err = journal_span_fold(reader, &spans.list[i], &folded);
	}
	if (!err && time)
		err = append_fold(&rest, &folded, time);
	for (size_t i = 0; i < spans.count && !err; i++) {
		if (spans.list[i].is_kept)
			err = copy(reader, &spans.list[i], &rest);
	}
	if (err)
		return err;
	next = 2 * (int64_t)(rest.length + 1024);
	json_object_set_new(spans.first, "compact-at",
			    json_integer(next > LEAST_COMPACTED ? next : LEAST_COMPACTED));
	line = journal_format_line(spans.first);
	if (!line)
		return -ENOMEM;
	buffer_append_string(to, line);
	buffer_append(to, buffer_text(&rest), rest.length);
	return to->has_failed || rest.has_failed ? -ENOMEM : 0;
}
