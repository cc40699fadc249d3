// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parent waits for a byte from the child, or for its end (commands.md, "Daemon"): a failure
 * before the daemon is ready is its exit status.
 */
#include "daemon/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Waits for the child's word, or its end. Returns the status to end with. */
static int wait_for(pid_t child, int fd)
{
	uint8_t byte;
	int status;

	if (read(fd, &byte, 1) == 1)
		return 0;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int background_start(int *ret_fd, int *ret_status)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (child > 0) {
		close(ends[1]);
		*ret_status = wait_for(child, ends[0]);
		close(ends[0]);
		return 1;
	}
	close(ends[0]);
	setsid();
	*ret_fd = ends[1];
	return 0;
}

void background_ready(int fd)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* until now a relative path of -o is of the user's directory */
	int failed = chdir("/");
	ssize_t written = write(fd, "", 1);

	for (int stream = STDIN_FILENO; null >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(null, stream);
	(void)failed;
	(void)written; /* a parent that is gone waits for nothing */
	close(fd);
}
