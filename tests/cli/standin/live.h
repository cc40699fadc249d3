/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's files by descriptor, answered by the simulated kernel as they are at the moment. */
#ifndef STANDIN_LIVE_H
#define STANDIN_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/files.h"

/* Opens a file: for reading with what it holds now, for writing with nothing. A descriptor, or
 * -errno. */
int live_open(struct files *files, const char *path, int flags);

/* Is it a file that was opened for writing here? */
bool live_owns(int fd);

/* One write(), as a whole value. Returns length or -errno. */
ssize_t live_write(struct files *files, int fd, const void *data, size_t length);

/* One pread(), of what the file holds now. Returns how much it was, or -errno. */
ssize_t live_read(struct files *files, int fd, void *data, size_t length, off_t offset);

/* The descriptor is about to be closed. */
void live_forget(int fd);

#endif
