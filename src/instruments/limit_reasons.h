/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows why the hardware limits frequencies. TPMI machines have a debugfs file for each power
 * domain, in which reasons stay until a program clears them (measure.md, "Sources, rights, traps").
 * Reading a file sends a request for each CPU. */
#ifndef INSTRUMENTS_LIMIT_REASONS_H
#define INSTRUMENTS_LIMIT_REASONS_H

#include <stddef.h>
#include <stdint.h>

#include "host/files.h"

#define LIMIT_REASONS_DIRECTORY "/sys/kernel/debug"

/* A line: the reasons of a CPU, or of the complete power domain. */
struct limit_line {
	uint32_t cpu; /* CPUSET_NONE: the complete power domain */
	char *reasons; /* words separated by blanks, "" for none */
};

struct limit_reasons {
	struct limit_line *list;
	size_t count;
};

#define _cleanup_limit_reasons_ __attribute__((cleanup(limit_reasons_done)))

/* Lists the files in a new NULL-terminated array, which is empty if the kernel has none;
 * files_free_names() frees it. Returns 0; a negative errno of listing LIMIT_REASONS_DIRECTORY;
 * -ENOMEM. */
int limit_reasons_find(struct files *files, char ***ret_paths);

/* Clears the reasons of a file, for all programs. Returns 0 or a negative errno: -EACCES unless
 * root, -EPERM under lockdown. */
int limit_reasons_clear(struct files *files, const char *path);

/* Reads a file. Ignores lines that are not about CPUs, and accepts any word as a reason. Returns 0;
 * -EINVAL if no line is about CPUs; a negative errno of reading; -ENOMEM. */
int limit_reasons_read(struct files *files, const char *path, struct limit_reasons *ret_reasons);
void limit_reasons_done(struct limit_reasons *reasons);

#endif
