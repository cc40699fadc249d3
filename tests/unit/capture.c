// SPDX-License-Identifier: GPL-2.0-only
/* Standard streams exchanged under the program, what stdio holds back flushed before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/cleanup.h"
#include "capture.h"

struct capture capture_start_fd(int fd, int to)
{
	struct capture capture = { .fd = fd, .saved = fcntl(fd, F_DUPFD_CLOEXEC, 10) };

	assert_true(capture.saved >= 0);
	fflush(NULL);
	assert_int_equal(dup2(to, fd), fd);
	return capture;
}

struct capture capture_start(int fd, const char *path)
{
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	assert_true(to >= 0);
	return capture_start_fd(fd, to);
}

void capture_stop(struct capture *capture)
{
	fflush(NULL);
	dup2(capture->saved, capture->fd);
	close(capture->saved);
}
