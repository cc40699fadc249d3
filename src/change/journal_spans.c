// SPDX-License-Identifier: GPL-2.0-only
/* Finds the transactions of the change journal (docs/spec/journal.md, "Restore and history"). */
#include "change/journal_spans.h"

#include <errno.h>
#include <string.h>

#include "host/run_directory.h"

void journal_spans_done(struct journal_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		free(spans->list[i].time);
		json_decref(spans->list[i].left);
	}
	free(spans->list);
	json_decref(spans->first);
	*spans = (struct journal_spans){ 0 };
}

/* Adds a line to the last transaction, or to a new one. */
static int add_line(struct journal_spans *spans, const struct journal_line *line, int64_t start)
{
	struct journal_span *span = spans->count ? &spans->list[spans->count - 1] : NULL;
	const char *outcome = json_string_value(json_object_get(line->members, "outcome"));
	json_t *left = json_object_get(line->members, "left");

	if (!span || span->id != line->id) {
		if (line->kind == JOURNAL_END)
			return -EBADMSG;
		span = array_add(&spans->list, &spans->count, sizeof(*span));
		if (!span)
			return -ENOMEM;
		span->id = line->id;
		span->start = start;
		span->is_temporary = json_is_true(json_object_get(line->members, "temporary"));
		span->counts = !span->is_temporary;
		span->time = strdup(json_string_value(json_object_get(line->members, "time")));
		if (!span->time)
			return -ENOMEM;
	}
	span->end = start + (int64_t)line->n_bytes;
	span->has_ended = outcome;
	if (outcome) {
		bool is_mixed = strcmp(outcome, JOURNAL_MIXED) == 0;

		span->is_done = span->counts && strcmp(outcome, JOURNAL_DONE) == 0;
		span->counts = is_mixed ? span->counts || left
					: span->counts && strcmp(outcome, JOURNAL_UNDONE) != 0;
		/* without a list, all changes may be left in force */
		if (is_mixed && !span->left && left)
			span->left = json_incref(left);
	}
	return 0;
}

int journal_spans_list(struct journal_reader *reader, struct journal_spans *ret_spans)
{
	struct journal_spans spans = { .has_ended = true };
	struct journal_line line;
	int64_t start = 0;
	int err;

	while ((err = journal_reader_next(reader, &line)) > 0) {
		spans.has_ended = line.kind != JOURNAL_BEGIN;
		if (line.kind == JOURNAL_FIRST)
			spans.first = json_incref(line.members);
		else
			err = add_line(&spans, &line, start);
		if (err < 0)
			break;
		start = journal_reader_tell(reader);
	}
	if (err)
		journal_spans_done(&spans);
	else
		*ret_spans = spans;
	return err;
}

int journal_span_fold(struct journal_reader *reader, const struct journal_span *span,
		      struct journal_fold *folded)
{
	int err = journal_reader_seek(reader, span->start);

	while (!err && journal_reader_tell(reader) < span->end) {
		struct journal_line line;

		err = journal_reader_next(reader, &line);
		if (err <= 0)
			return err ?: -EBADMSG;
		err = line.kind == JOURNAL_BEGIN
			      ? journal_fold_changes(folded, &line, span->left)
			      : journal_fold_read(folded, json_object_get(line.members, "read"));
	}
	return err;
}

int journal_spans_fold(struct files *files, const char *run_directory, uint64_t first,
		       uint64_t last, struct journal_fold *folded)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	_cleanup_journal_spans_ struct journal_spans spans = { 0 };
	int err = journal_reader_open(files, run_directory, &reader);

	if (err)
		return err == -ENOENT || err == -ESTALE ? 0 : err;
	err = journal_spans_list(reader, &spans);
	for (size_t i = 0; i < spans.count && !err; i++) {
		const struct journal_span *span = &spans.list[i];

		if (span->counts && span->id >= first && span->id <= last)
			err = journal_span_fold(reader, span, folded);
	}
	return err;
}
