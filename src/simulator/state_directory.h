/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory in which a simulated machine is kept: found, judged and emptied. */
#ifndef SIMULATOR_STATE_DIRECTORY_H
#define SIMULATOR_STATE_DIRECTORY_H

/*
 * Opens the directory at path, made (mode 0700, those above it too) where it is missing.
 * *ret_path is a new string, the path without slashes at its end. Returns 0; or a negative errno
 * with *ret_message a new line: -EPERM for one that is a link, belongs to another user or may be
 * written by others, or to which a link of another user leads or, in a directory that everybody may
 * write to, a directory of one; those of mkdir() and open().
 */
int state_directory_open(const char *path, char **ret_path, int *ret_fd, char **ret_message);

/*
 * Removes all that the simulator made in the directory, and nothing else: the user's faults.json
 * stays. Follows no link. Returns 0 or a negative errno.
 */
int state_directory_empty(int directory_fd);

/*
 * Makes the message "DIRECTORY/NAME: PROBLEM" (name may be NULL). Returns err, or -ENOMEM with
 * *ret_message untouched.
 */
int state_directory_complain(char **ret_message, int err, const char *directory, const char *name,
			     const char *problem);

#endif
