/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a machine's state is kept when the user names no directory. */
#ifndef SIMULATOR_STATE_HOME_H
#define SIMULATOR_STATE_HOME_H

/*
 * The directory for a platform: one per user, and per platform name or (where platform is a path)
 * file. platform is what the user gave, name what the file calls itself. *ret_path is a new string.
 * Returns 0; -ENOENT where the user has no home directory; -ENOMEM; or the errno of realpath().
 */
int state_home_find(const char *platform, const char *name, char **ret_path);

#endif
