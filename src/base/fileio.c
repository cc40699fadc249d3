// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading goes on until read() returns 0: the kernel hands out some of its files a page at a time.
 * A replacement is renamed into place only after every byte of it is on disk.
 */
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define READ_STEP 8192
#define NEW_NAMES 32 /* for the file beside the one to replace */

static ssize_t read_again(int fd, char *to, size_t size)
{
	ssize_t got;

	do
		got = read(fd, to, size);
	while (got < 0 && errno == EINTR);
	return got;
}

int fileio_read_fd(int fd, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, size = 0;
	ssize_t got = 1;

	while (got > 0 && (!limit || length < limit)) {
		if (size - length < 2) {
			char *longer;

			size = size ? size * 2 : READ_STEP;
			longer = realloc(text, size);
			if (!longer)
				return -ENOMEM;
			text = longer;
		}
		got = read_again(fd, text + length,
				 limit && limit - length < size - length - 1 ? limit - length
									     : size - length - 1);
		if (got < 0)
			return -errno;
		length += (size_t)got;
	}
	text[length] = '\0';
	*ret_text = steal_pointer(text);
	*ret_length = length;
	return 0;
}

int fileio_read(const char *path, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fileio_read_fd(fd, limit, ret_text, ret_length);
}

int fileio_read_trusted(const char *path, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode) || (about.st_mode & (S_IWGRP | S_IWOTH)) ||
	    (about.st_uid != 0 && about.st_uid != geteuid()))
		return -EPERM;
	return fileio_read_fd(fd, 0, ret_text, ret_length);
}

int fileio_guard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int fileio_write_fd(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, data, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		data += written;
		length -= (size_t)written;
	}
	return 0;
}

/* Gives the new file the mode and, where allowed, the owner of the regular file that it replaces.
 */
static int copy_ownership(const char *path, int fd)
{
	struct stat old;
	mode_t mode;

	if (lstat(path, &old) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(old.st_mode))
		return 0;
	mode = old.st_mode & 07777;
	if (fchown(fd, old.st_uid, old.st_gid) < 0)
		mode &= 0777; /* not ours to give: never set-id for another owner */
	return fchmod(fd, mode) < 0 ? -errno : 0;
}

static int write_new(const char *path, const char *new_path, int fd, const char *data,
		     size_t length)
{
	int err = copy_ownership(path, fd);

	if (!err)
		err = fileio_write_fd(fd, data, length);
	if (!err && fsync(fd) < 0)
		err = -errno;
	if (!err && rename(new_path, path) < 0)
		err = -errno;
	return err;
}

/* Makes a file beside path. A name may be taken by what a killed process left behind. */
static int open_new(const char *path, mode_t mode, char **ret_new_path, int *ret_fd)
{
	for (unsigned int attempt = 0; attempt < NEW_NAMES; attempt++) {
		_cleanup_free_ char *new_path = NULL;
		int fd;

		if (asprintf(&new_path, "%s.new-%ld-%u", path, (long)getpid(), attempt) < 0) {
			new_path = NULL;
			return -ENOMEM;
		}
		fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0) {
			*ret_new_path = steal_pointer(new_path);
			*ret_fd = fd;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int fileio_replace(const char *path, mode_t mode, const char *data, size_t length)
{
	_cleanup_free_ char *new_path = NULL;
	_cleanup_close_ int fd = -1;
	int err = open_new(path, mode, &new_path, &fd);

	if (err)
		return err;
	err = write_new(path, new_path, fd, data, length);
	if (err)
		unlink(new_path);
	return err;
}

static int make_directory(const char *path, mode_t mode)
{
	struct stat about;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(path, &about) < 0)
		return -errno;
	return S_ISDIR(about.st_mode) ? 0 : -ENOTDIR;
}

int fileio_make_directories(const char *path, mode_t mode)
{
	_cleanup_free_ char *part = strdup(path);
	char *slash;

	if (!part)
		return -ENOMEM;
	for (slash = part + strspn(part, "/"); (slash = strchr(slash, '/')); slash++) {
		int err;

		*slash = '\0';
		err = make_directory(part, mode);
		if (err)
			return err;
		*slash = '/';
	}
	return make_directory(part, mode);
}
