/* SPDX-License-Identifier: GPL-2.0-only */
/* stdout or stderr sent to a file for a while. Check results only after capture_stop(). */
#ifndef UNIT_CAPTURE_H
#define UNIT_CAPTURE_H

struct capture {
	int fd;
	int saved;
};

/* Sends what is written to fd (1 or 2) after the end of the file at path. */
struct capture capture_start(int fd, const char *path);

/* Sends what is written to fd (1 or 2) to another descriptor, which stays the caller's. */
struct capture capture_start_fd(int fd, int to);

void capture_stop(struct capture *capture);

#endif
