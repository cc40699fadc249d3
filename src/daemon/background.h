/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that goes into the background, and whose parent waits until it is ready. */
#ifndef DAEMON_BACKGROUND_H
#define DAEMON_BACKGROUND_H

/*
 * Forks. Returns 0 in the child, where *ret_fd is for background_ready(); 1 in the parent, once the
 * child is ready or has ended, with *ret_status what the parent is to end with: 0, or what the
 * child ended with (1 where a signal ended it); or a negative errno.
 */
int background_start(int *ret_fd, int *ret_status);

/*
 * Lets the parent end with status 0, and goes on in the root directory and without a terminal: all
 * streams are /dev/null. Nothing of it can fail the daemon.
 */
void background_ready(int fd);

#endif
