// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading goes on until read() returns 0: the kernel hands out some of its files a page at a time.
 * Attributes alone end with a read that is shorter than a page (sysfs.md, "Reading and writing an
 * attribute"). A replacement is renamed into place whole; results only after every byte of them is
 * on disk.
 */
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/trust.h"

#define READ_STEP 8192
#define PAGE      4096 /* the most that one read of an attribute gives; larger pages give more */
#define NEW_NAMES 32 /* for the file beside the one to replace */

enum { NEW_NAME_SIZE = 24 };

static ssize_t read_again(int fd, char *to, size_t size)
{
	ssize_t got;

	do
		got = read(fd, to, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Takes over *text and returns it without the unused room after its length. */
static char *shrink(char **text, size_t length)
{
	char *whole = steal_pointer(*text), *exact = realloc(whole, length + 1);

	return exact ?: whole;
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
	*ret_text = shrink(&text, length);
	*ret_length = length;
	return 0;
}

static ssize_t read_page(int fd, char page[PAGE], size_t offset)
{
	ssize_t got;

	do
		got = pread(fd, page, PAGE, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got;
}

int fileio_read_attribute(int fd, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	char page[PAGE], *longer;
	size_t length = 0;
	ssize_t got;

	do {
		got = read_page(fd, page, length);
		if (got < 0)
			return -errno;
		longer = realloc(text, length + (size_t)got + 1);
		if (!longer)
			return -ENOMEM;
		text = longer;
		memcpy(text + length, page, (size_t)got);
		length += (size_t)got;
	} while (got == PAGE);
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

int fileio_read_whole(int fd, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int err = fileio_read_fd(fd, limit + 1, &text, &length);

	if (err)
		return err;
	if (length > limit)
		return -EFBIG;
	*ret_text = steal_pointer(text);
	*ret_length = length;
	return 0;
}

int fileio_read_trusted(const char *path, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode) || !trust_alone(&about))
		return -EPERM;
	return fileio_read_whole(fd, limit, ret_text, ret_length);
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

/* After a write that failed: 0 where it may be tried again, if need be once there is room. */
static int overcome(int fd, int error)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	if (error == EINTR)
		return 0;
	if (error != EAGAIN)
		return -error;
	return poll(&room, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

int fileio_write_fd(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, data, length);
		int err = written < 0 ? overcome(fd, errno) : 0;

		if (err)
			return err;
		if (written > 0) {
			data += written;
			length -= (size_t)written;
		}
	}
	return 0;
}

/* Gives the new file the mode and, where allowed, the owner of the regular file that it replaces.
 */
static int copy_ownership(int directory_fd, const char *name, int fd)
{
	struct stat old;

	if (fstatat(directory_fd, name, &old, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(old.st_mode))
		return 0;
	if (fchown(fd, old.st_uid, old.st_gid) < 0)
		errno = 0; /* not ours to give: then it is ours */
	/* Results are no program: no set-id whatever stood there. */
	return fchmod(fd, old.st_mode & 0777) < 0 ? -errno : 0;
}

static int write_new(int directory_fd, const char *name, const char *new_name, int fd, bool synced,
		     const char *data, size_t length)
{
	int err = copy_ownership(directory_fd, name, fd);

	if (!err)
		err = fileio_write_fd(fd, data, length);
	if (!err && synced && fsync(fd) < 0)
		err = -errno;
	if (!err && renameat(directory_fd, new_name, directory_fd, name) < 0)
		err = -errno;
	return err;
}

/* Makes a file of a name that nobody can foresee: in a shared directory names may be taken. */
static int open_new(int directory_fd, mode_t mode, char ret_new_name[NEW_NAME_SIZE], int *ret_fd)
{
	for (unsigned int attempt = 0; attempt < NEW_NAMES; attempt++) {
		uint64_t number;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -errno;
		snprintf(ret_new_name, NEW_NAME_SIZE, ".isst-%016" PRIx64, number);
		fd = openat(directory_fd, ret_new_name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/*
 * exact_mode: of a file in the run directory, whatever the umask is. 0: of results; the mode is as
 * the umask wants it, and not for everybody to write.
 */
static int replace(int directory_fd, const char *name, mode_t exact_mode, const char *data,
		   size_t length)
{
	char new_name[NEW_NAME_SIZE];
	_cleanup_close_ int fd = -1;
	int err = open_new(directory_fd, exact_mode ?: 0664, new_name, &fd);

	if (err)
		return err;
	if (exact_mode && fchmod(fd, exact_mode) < 0)
		err = -errno;
	err = err ?: write_new(directory_fd, name, new_name, fd, !exact_mode, data, length);
	if (err)
		unlinkat(directory_fd, new_name, 0);
	return err;
}

int fileio_replace_at(int directory_fd, const char *name, const char *data, size_t length)
{
	return replace(directory_fd, name, 0, data, length);
}

int fileio_replace(const char *path, mode_t mode, const char *data, size_t length)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *directory =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	_cleanup_close_ int fd = -1;

	if (!directory)
		return -ENOMEM;
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return replace(fd, name, mode, data, length);
}

static int make_directory(const char *path, mode_t mode)
{
	struct stat about;

	if (mkdir(path, mode) == 0)
		return chmod(path, mode) < 0 ? -errno : 0;
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
