/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache of kernel files, so that a command reads a file only once. For dry runs, it shows files
 * as they would be after writes, which are not carried out. */
#ifndef HOST_KEPT_FILES_H
#define HOST_KEPT_FILES_H

#include "host/files.h"

/* Opens files that read from inner, and cache each file with one of the names until something is
 * written. names: file names without directories, separated by blanks (static text); "*": all
 * files. Free *ret_files with kept_files_close(), before inner. Returns 0 or -ENOMEM. */
int kept_files_open(struct files *inner, const char *names, struct files **ret_files);
void kept_files_close(struct files *files);

/* Opens files for a dry run: reads return what was written, or else read from inner. Nothing is
 * written to inner. Returns as kept_files_open(). Free them in the same way. */
int kept_files_assume(struct files *inner, struct files **ret_files);

/* For files of kept_files_assume(): a write changed other files, whose contents are now unknown
 * until they are written. names: names of files, separated by blanks, or one path. Returns 0 or
 * -ENOMEM. */
int kept_files_forget(struct files *files, const char *names);

/* Returns the path of the first file that was read although it is unknown; NULL: none was. */
const char *kept_files_unknown(struct files *files);

#endif
