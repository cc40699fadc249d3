/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the differences between two recordings (docs/spec/record.md, "diff"). */
#ifndef RECORD_DIFF_H
#define RECORD_DIFF_H

#include "base/buffer.h"
#include "record/items.h"

/* Compares two recordings. *ret_differences is a new object of pairs {"a", "b"} by place and name;
 * null: absent. Returns 0 or -ENOMEM. */
int diff_make(const struct items *a, const struct items *b, json_t **ret_differences);

/* Appends a line for each difference. Returns how many there are. */
size_t diff_append_lines(const json_t *differences, struct buffer *to);

#endif
