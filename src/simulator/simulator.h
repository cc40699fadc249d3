/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine in software: a PUNIT per power domain, the driver in front of it and the kernel's
 * files, made from a platform file. It needs no privilege, touches nothing of the real machine, and
 * keeps its settings in a directory of the user, shared by all processes that name the same one. */
#ifndef SIMULATOR_SIMULATOR_H
#define SIMULATOR_SIMULATOR_H

#include <stdbool.h>

#include "host/host.h"

/* Opens a simulated machine. platform is the name of an installed platform file, "guide", or (if it
 * has a slash or ends in .json) the path of a file. state_directory may be NULL: then one per user
 * and platform is used. With reset, what was set before is forgotten first.
 * Returns 0, or a negative errno with *ret_message one new line that says what is wrong (for a
 * platform file with its name and the member): -ENOENT for an unknown platform, -EINVAL for a bad
 * file or state, other errnos from the file system, -ENOMEM (*ret_message may then be NULL). */
int simulator_open(const char *platform, const char *state_directory, bool reset,
		   struct host **ret_host, char **ret_message);

/* Lists the platforms that can be named; free the list with host_choices_done(). The description of
 * one that cannot be read is the error; brief: as catalog_list(). Returns 0, -ENOMEM, or the
 * negative errno of opendir(). */
int simulator_list_platforms(bool brief, struct host_choices *ret_choices);

#endif
