// SPDX-License-Identifier: GPL-2.0-only
/* A file that is read is a piece of memory with its text; one that is written is an empty piece of
 * memory, whose writes go to the simulated kernel, as the kernel takes each write(), and which is
 * read back as the simulated kernel shows the file then (sysfs.md). */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MOST_OPEN 16 /* files open for writing at a time */

static struct {
	int fd; /* plus 1; 0: free */
	char *path;
} written[MOST_OPEN];

static int open_text(const char *text, size_t length)
{
	int fd = memfd_create("kernel-file", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (syscall(SYS_write, fd, text, length) != (long)length || lseek(fd, 0, SEEK_SET) < 0) {
		syscall(SYS_close, fd);
		return -EIO;
	}
	return fd;
}

static int open_for_reading(struct files *files, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = files->ops->read(files, path, 0, &text, &length);

	return err ?: open_text(text, length);
}

static int open_for_writing(const char *path)
{
	for (size_t i = 0; i < MOST_OPEN; i++) {
		int fd;

		if (written[i].fd)
			continue;
		fd = open_text("", 0);
		if (fd < 0)
			return fd;
		written[i].fd = fd + 1;
		written[i].path = strdup(path);
		return fd;
	}
	return -EMFILE;
}

int live_open(struct files *files, const char *path, int flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY)
		return open_for_reading(files, path);
	return open_for_writing(path);
}

static size_t index_of(int fd)
{
	size_t i = 0;

	while (i < MOST_OPEN && written[i].fd != fd + 1)
		i++;
	return i;
}

bool live_owns(int fd)
{
	return fd >= 0 && index_of(fd) < MOST_OPEN;
}

ssize_t live_write(struct files *files, int fd, const void *data, size_t length)
{
	_cleanup_free_ char *text = strndup(data, length);
	int err = text ? files->ops->write(files, written[index_of(fd)].path, text) : -ENOMEM;

	return err ?: (ssize_t)length;
}

ssize_t live_read(struct files *files, int fd, void *data, size_t length, off_t offset)
{
	_cleanup_free_ char *text = NULL;
	size_t text_length, start = (size_t)offset;
	int err = files->ops->read(files, written[index_of(fd)].path, 0, &text, &text_length);

	if (err)
		return err;
	if (start >= text_length)
		return 0;
	if (length > text_length - start)
		length = text_length - start;
	memcpy(data, text + start, length);
	return (ssize_t)length;
}

void live_forget(int fd)
{
	size_t i = index_of(fd);

	if (i == MOST_OPEN)
		return;
	written[i].fd = 0;
	free(written[i].path);
	written[i].path = NULL;
}
