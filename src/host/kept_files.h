/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel files of which some are read once: a command that needs one again gets what it was. And
 * files as they would be after writes that are not made, for dry runs. */
#ifndef HOST_KEPT_FILES_H
#define HOST_KEPT_FILES_H

#include "host/files.h"

/* Files that read from inner, and keep what has one of the names (in any directory, blanks between;
 * static text; "*": everything) until something is written. *ret_files is to be freed with
 * kept_files_close(), before inner. Returns 0 or -ENOMEM. */
int kept_files_open(struct files *inner, const char *names, struct files **ret_files);
void kept_files_close(struct files *files);

/* Files that read from inner, but what was written to them: nothing is written to inner. Returns as
 * kept_files_open(); freed in the same way. */
int kept_files_assume(struct files *inner, struct files **ret_files);

/* For those: what files have that are written beside others is unknown unless they are written
 * later. names: names of files, blanks between, or one path. Returns 0 or -ENOMEM. */
int kept_files_forget(struct files *files, const char *names);

/* For those: the path of the first file that was read although it is unknown; NULL: none was. */
const char *kept_files_unknown(struct files *files);

#endif
