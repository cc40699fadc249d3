/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine in software: a PUNIT per power domain, the driver in front of it and the kernel's
 * files, made from a platform file. It needs no privilege, touches nothing of the real machine, and
 * keeps what is set in a directory of the user's, shared by all processes that name the same one.
 */
#ifndef SIMULATOR_SIMULATOR_H
#define SIMULATOR_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/host.h"

/* A platform file that can be named. */
struct simulator_platform {
	char *name;
	char *description;
	char *path; /* NULL for the one that is embedded */
};

/*
 * Opens a simulated machine. platform is the name of an installed platform file, "guide", or (where
 * it holds a slash or ends in .json) a file's path. state_directory may be NULL: then one per user
 * and platform is used. With reset, what was set before is forgotten first.
 * Returns 0, or a negative errno with *ret_message one new line that says what is wrong (for a
 * platform file with its name, line and member): -ENOENT for an unknown platform, -EINVAL for a bad
 * file or state, other errnos from the file system, -ENOMEM (*ret_message may then be NULL).
 */
int simulator_open(const char *platform, const char *state_directory, bool reset,
		   struct host **ret_host, char **ret_message);

/* Lists the platforms that can be named, by name. Returns 0 or a negative errno. */
int simulator_list_platforms(struct simulator_platform **ret_platforms, size_t *ret_count);
void simulator_free_platforms(struct simulator_platform *platforms, size_t count);

/*
 * The same as one NULL-terminated array: a name, its description, the next name... Free it with
 * files_free_names(). Returns 0 or a negative errno.
 */
int simulator_list_names(char ***ret_names);

#endif
