/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel files of which some are read once: a command that needs one again gets what it was. */
#ifndef HOST_KEPT_FILES_H
#define HOST_KEPT_FILES_H

#include "host/files.h"

/* Files that read from inner, and keep what has one of the names (in any directory, blanks between;
 * static text; "*": everything) until something is written. *ret_files is to be freed with
 * kept_files_close(), before inner. Returns 0 or -ENOMEM. */
int kept_files_open(struct files *inner, const char *names, struct files **ret_files);
void kept_files_close(struct files *files);

#endif
