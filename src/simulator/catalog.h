/* SPDX-License-Identifier: GPL-2.0-only */
/* Platform files by name: `guide`, which is part of the program, and those in directories. The
 * first place that has a name is used. */
#ifndef SIMULATOR_CATALOG_H
#define SIMULATOR_CATALOG_H

#include <stddef.h>

#include "host/host.h"

/* The text of platforms/guide.json, embedded at build time. */
extern const unsigned char catalog_guide_text[];
extern const size_t catalog_guide_length;

/* The platforms of the build tree that the program runs from, for fileio_find_near_program(). */
#define CATALOG_BUILD_TREE "../platforms"

/* Reads the text of a platform file. name is a path if it has a slash or ends in .json, else a
 * platform of the directories, a NULL-terminated list. *ret_file_name is the file's name for
 * messages, *ret_text a new zero-terminated string. Returns 0, or a negative errno with
 * *ret_message one new line (NULL when memory ran out for it): -ENOENT for an unknown name or path,
 * -EFBIG for a file of more than 16 MiB, others from the file system, -ENOMEM. */
int catalog_find_in(const char *const *directories, const char *name, char **ret_file_name,
		    char **ret_text, size_t *ret_length, char **ret_message);

/* Lists the platforms of the catalog by name, in ascending order. The description of one that
 * cannot be read is the error; brief: files are not checked, and a description that is not plain
 * text is NULL. A missing directory has none. Free the list with host_choices_done(). Returns
 * 0, -ENOMEM, or the negative errno of opendir(). */
int catalog_list(const char *const *directories, bool brief, struct host_choices *ret_choices);

#endif
