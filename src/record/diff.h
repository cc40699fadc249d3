/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between two recordings (docs/spec/record.md, "diff"). */
#ifndef RECORD_DIFF_H
#define RECORD_DIFF_H

#include "base/buffer.h"
#include "host/run_directory.h"

/* Reads a recording. Returns 0 and a new value; or a negative errno with *ret_message a new
 * sentence (NULL: no memory): -EINVAL for what is not a recording, others of opening and reading.
 */
int diff_read(const char *path, json_t **ret_recording, char **ret_message);

/* Compares two recordings: *ret_differences is a new object by place and name, of pairs {"a", "b"};
 * null is absent. with_varying: what changes by itself, too. Returns 0 or -ENOMEM. */
int diff_make(const json_t *left, const json_t *right, bool with_varying, json_t **ret_differences);

/* Appends a line for each difference. Returns how many there are. */
size_t diff_append_lines(const json_t *differences, struct buffer *to);

#endif
