/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds platform files by name: `guide`, which is part of the program, or a file in a directory.
 * The first directory that has the name is used. */
#ifndef SIMULATOR_CATALOG_H
#define SIMULATOR_CATALOG_H

#include <stddef.h>

#include "host/host.h"

/* The text of platforms/guide.json, embedded at build time. */
extern const unsigned char catalog_guide_text[];
extern const size_t catalog_guide_length;

/* The path of the platforms in a build tree, for fileio_find_near_program(). */
#define CATALOG_BUILD_TREE "../platforms"

/* Reads the text of a platform file. name is a path if it has a slash or ends in .json, else the
 * name of a platform in directories, a NULL-terminated list. *ret_file_name is the file's name for
 * messages, *ret_text a new zero-terminated string. Returns 0; or a negative errno, and
 * *ret_message is one new line (NULL: no memory for it): -ENOENT for an unknown name or path,
 * -EFBIG for a file of more than 16 MiB, others from the file system, -ENOMEM. */
int catalog_find_in(const char *const *directories, const char *name, char **ret_file_name,
		    char **ret_text, size_t *ret_length, char **ret_message);

/* Lists the platforms of the catalog by name, in ascending order. A platform that cannot be read
 * has the error as its description. With brief, files are not checked, and a description that is
 * not plain text is NULL. A missing directory is skipped. Free the list with host_choices_done().
 * Returns 0, -ENOMEM, or the negative errno of opendir(). */
int catalog_list(const char *const *directories, bool brief, struct host_choices *ret_choices);

#endif
