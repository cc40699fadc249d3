/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that results go to (commands.md, option -o). */
#ifndef OUTPUT_SINK_H
#define OUTPUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum sink_kind { SINK_PATH, SINK_STDOUT = STDOUT_FILENO, SINK_STDERR = STDERR_FILENO };

struct sink {
	enum sink_kind kind;
	const char *path; /* with SINK_PATH; the caller's */
};

/* path as given to -o, "-" for stdout; NULL: stdout or stderr. */
struct sink sink_choose(const char *path, bool to_stdout);

/* Is this sink the same file as stream? */
bool sink_is_stream(const struct sink *sink, FILE *stream);

/* The meaning of an error of sink_check() or sink_write(): static text, or that of
 * strerror(). */
const char *sink_problem(const struct sink *sink, int err);

/* Checks whether sink_write() can be expected to work, without changing anything. Returns 0 or the
 * negative errno that it would fail with. */
int sink_check(const struct sink *sink);

/* Writes all of data: a regular file or a new name is replaced whole or not at all, anything else
 * (a device, a pipe) written directly. Returns 0; -EPERM if the path leads through a link of
 * another user (not of root), or ends at a pipe or, in a world-writable directory, at a file
 * of one; or another negative errno. */
int sink_write(const struct sink *sink, const char *data, size_t length);

#endif
