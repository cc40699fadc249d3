// SPDX-License-Identifier: GPL-2.0-only
/* The rows of machine verify. Packages or CPUs with the same result of a check share a row, so that
 * a machine of many CPUs has a short table. */
#include "record/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

const char *const verify_words[N_VERIFY_RESULTS] = {
	[VERIFY_AGREES] = "agrees",   [VERIFY_READ] = "read",         [VERIFY_UNKNOWN] = "unknown",
	[VERIFY_DIFFERS] = "differs", [VERIFY_NOT_READ] = "not read",
};

static void row_done(struct verify_row *row)
{
	cpuset_done(&row->places);
	free(row->shown);
	free(row->found);
	free(row->reason);
}

void verify_rows_done(struct verify_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		row_done(&rows->list[i]);
	free(rows->list);
	*rows = (struct verify_rows){ 0 };
}

static bool texts_are_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool says_the_same(const struct verify_row *left, const struct verify_row *right)
{
	return left->check == right->check && left->result == right->result &&
	       left->kind == right->kind && texts_are_equal(left->shown, right->shown) &&
	       texts_are_equal(left->found, right->found) &&
	       texts_are_equal(left->source, right->source) &&
	       texts_are_equal(left->reason, right->reason);
}

void verify_add(struct verify_rows *rows, struct verify_row row, uint32_t number)
{
	struct verify_row *to = NULL;
	const bool is_whole = row.reason || row.shown;

	if (!row.reason && row.found)
		row.result = texts_are_equal(row.shown, row.found) ? VERIFY_AGREES : VERIFY_DIFFERS;
	for (size_t i = 0; i < rows->count && !to; i++)
		to = says_the_same(&rows->list[i], &row) ? &rows->list[i] : NULL;
	if (to) {
		row_done(&row);
	} else {
		to = array_add(&rows->list, &rows->count, sizeof(*to));
		if (to)
			*to = row;
		else
			row_done(&row);
	}
	if (!to || !is_whole || (row.kind != VERIFY_MACHINE && cpuset_add(&to->places, number)))
		rows->is_short_of_memory = true;
}

static json_t *row_to_json(const struct verify_row *row)
{
	_cleanup_free_ char *places = cpuset_format_ranges(&row->places);

	if (!places)
		return NULL;
	return json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s}", "check", row->check,
			 "packages", row->kind == VERIFY_PACKAGE ? places : NULL, "cpus",
			 row->kind == VERIFY_CPU ? places : NULL, "shown", row->shown, "found",
			 row->found, "source", row->source, "reason", row->reason, "result",
			 verify_words[row->result]);
}

json_t *verify_rows_to_json(const struct verify_rows *rows)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->count; i++) {
		if (json_array_append_new(list, row_to_json(&rows->list[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
