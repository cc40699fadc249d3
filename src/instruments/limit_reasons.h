/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the hardware limits frequencies: a debugfs file for each power domain of TPMI parts, in which
 * reasons stay until somebody clears them (measure.md, "Sources, rights, traps"). Reading one sends
 * a request for each CPU. */
#ifndef INSTRUMENTS_LIMIT_REASONS_H
#define INSTRUMENTS_LIMIT_REASONS_H

#include <stddef.h>
#include <stdint.h>

#include "host/files.h"

#define LIMIT_REASONS_DIRECTORY "/sys/kernel/debug"

/* A line: the reasons of a CPU, or of the power domain as a whole. */
struct limit_line {
	uint32_t cpu; /* CPUSET_NONE: of the whole power domain */
	char *reasons; /* words with blanks between, "" for none */
};

struct limit_reasons {
	struct limit_line *list;
	size_t count;
};

#define _cleanup_limit_reasons_ __attribute__((cleanup(limit_reasons_done)))

/* Lists the files: a new NULL-terminated array, empty if the kernel has none, to be freed with
 * files_free_names(). Returns 0; a negative errno of listing LIMIT_REASONS_DIRECTORY; -ENOMEM. */
int limit_reasons_find(struct files *files, char ***ret_paths);

/* Clears the reasons of a file, for everybody. Returns 0 or a negative errno: -EACCES unless root,
 * -EPERM under lockdown. */
int limit_reasons_clear(struct files *files, const char *path);

/* Reads a file; lines that are not of CPUs are left out, and any word is a reason. Returns 0;
 * -EINVAL if no line is of CPUs; a negative errno of reading; -ENOMEM. */
int limit_reasons_read(struct files *files, const char *path, struct limit_reasons *ret_reasons);
void limit_reasons_done(struct limit_reasons *reasons);

#endif
