/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine in software: a PUNIT for each power domain, the driver in front of it and the kernel's
 * files, made from a platform file. It needs no privilege, and touches nothing of the real machine.
 * The settings are in a directory of the user; processes that name the same directory share
 * them. */
#ifndef SIMULATOR_SIMULATOR_H
#define SIMULATOR_SIMULATOR_H

#include <stdbool.h>

#include "host/host.h"

/* Opens a simulated machine. platform is the name of an installed platform file, "guide", or (if it
 * has a slash or ends in .json) the path of a file. state_directory NULL: the default for the user
 * and the platform. With reset, earlier settings are removed first.
 * Returns 0; or a negative errno, and *ret_message is one new line that says what is wrong (for a
 * platform file with its name and the member): -ENOENT for an unknown platform, -EINVAL for a bad
 * file or state, other errnos from the file system, -ENOMEM (*ret_message may then be NULL). */
int simulator_open(const char *platform, const char *state_directory, bool reset,
		   struct host **ret_host, char **ret_message);

/* Lists the platforms that can be named; free the list with host_choices_done(). A platform that
 * cannot be read has the error as its description. brief: see catalog_list(). Returns 0, -ENOMEM,
 * or the negative errno of opendir(). */
int simulator_list_platforms(bool brief, struct host_choices *ret_choices);

#endif
