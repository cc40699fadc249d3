/* SPDX-License-Identifier: GPL-2.0-only */
/* A growing list of names, for directories that are listed. All zero bytes are an empty one. */
#ifndef SIMULATOR_SYSFS_NAMES_H
#define SIMULATOR_SYSFS_NAMES_H

#include <stddef.h>

struct sysfs_names {
	char **names;
	size_t count;
	size_t size;
};

#define _cleanup_sysfs_names_ __attribute__((cleanup(sysfs_names_done)))

/* Frees what the list holds and leaves it empty. */
void sysfs_names_done(struct sysfs_names *names);

/* Adds a copy of name. Returns 0 or -ENOMEM. */
int sysfs_names_add(struct sysfs_names *names, const char *name);

/* As sysfs_names_add, of a name made by printf() rules. */
int sysfs_names_add_format(struct sysfs_names *names, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Hands the names over as a new NULL-terminated array in ascending byte order and leaves the list
 * empty. Returns 0 or -ENOMEM.
 */
int sysfs_names_finish(struct sysfs_names *names, char ***ret_names);

#endif
