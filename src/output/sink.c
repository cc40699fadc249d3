// SPDX-License-Identifier: GPL-2.0-only
/* A file by name is replaced by rename, links followed; its mode is kept (commands.md, option -o).
 */
#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"

#define MAX_LINKS 40 /* as the kernel follows */

struct sink sink_choose(const char *path, bool to_stdout)
{
	if (path && strcmp(path, "-") != 0)
		return (struct sink){ .kind = SINK_PATH, .path = path };
	return (struct sink){ .kind = path || to_stdout ? SINK_STDOUT : SINK_STDERR };
}

static int stat_sink(const struct sink *sink, struct stat *ret_stat)
{
	switch (sink->kind) {
	case SINK_STDOUT:
		return fstat(STDOUT_FILENO, ret_stat);
	case SINK_STDERR:
		return fstat(STDERR_FILENO, ret_stat);
	case SINK_PATH:
		return stat(sink->path, ret_stat);
	}
	return -1;
}

bool sink_is_stream(const struct sink *sink, FILE *stream)
{
	struct stat ours, theirs;

	if (stat_sink(sink, &ours) < 0 || fstat(fileno(stream), &theirs) < 0)
		return false;
	return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static int write_direct(const char *path, const char *data, size_t length)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fileio_write_fd(fd, data, length);
}

/* Where a link leads: -EINVAL where path is no link, else a negative errno of readlink(). */
static int follow_link(const char *path, char **ret_path)
{
	_cleanup_free_ char *linked = malloc(PATH_MAX);
	const char *slash = strrchr(path, '/');
	ssize_t length;
	char *joined;

	if (!linked)
		return -ENOMEM;
	length = readlink(path, linked, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	linked[length] = '\0';
	if (linked[0] == '/' || !slash) {
		*ret_path = steal_pointer(linked);
		return 0;
	}
	if (asprintf(&joined, "%.*s/%s", (int)(slash - path), path, linked) < 0)
		return -ENOMEM;
	*ret_path = joined;
	return 0;
}

/* Where links end whose end does not exist yet. */
static int resolve_new(const char *path, char **ret_path)
{
	_cleanup_free_ char *end = strdup(path);

	for (unsigned int links = 0; end && links <= MAX_LINKS; links++) {
		char *next = NULL;
		int err = follow_link(end, &next);

		if (err == -EINVAL || err == -ENOENT) {
			*ret_path = steal_pointer(end);
			return 0;
		}
		if (err)
			return err;
		free(end);
		end = next;
	}
	return end ? -ELOOP : -ENOMEM;
}

/* What writing to path replaces; NULL where it is no regular file and is written directly. */
static int find_target(const char *path, char **ret_target)
{
	_cleanup_free_ char *target = NULL;
	struct stat old;
	int err;

	if (stat(path, &old) < 0) {
		err = errno == ENOENT ? resolve_new(path, &target) : -errno;
	} else {
		target = realpath(path, NULL);
		err = target || errno == ENOENT ? 0 : -errno;
		/* What /dev/stdout leads to may have no path. */
		if (!S_ISREG(old.st_mode)) {
			free(target);
			target = NULL;
		}
	}
	if (!err)
		*ret_target = steal_pointer(target);
	return err;
}

/* A file is replaced, so its directory is what must be writable. */
static int check_path(const char *path)
{
	_cleanup_free_ char *target = NULL;
	char *slash;
	int err = find_target(path, &target);

	if (err)
		return err;
	if (!target)
		return access(path, W_OK) < 0 ? -errno : 0;
	slash = strrchr(target, '/');
	if (slash)
		slash[slash == target] = '\0';
	return access(slash ? target : ".", W_OK | X_OK) < 0 ? -errno : 0;
}

static int write_path(const char *path, const char *data, size_t length)
{
	_cleanup_free_ char *target = NULL;
	int err = find_target(path, &target);

	if (err)
		return err;
	return target ? fileio_replace(target, 0666, data, length)
		      : write_direct(path, data, length);
}

int sink_check(const struct sink *sink)
{
	int fd = sink->kind == SINK_STDOUT ? STDOUT_FILENO : STDERR_FILENO;
	int flags;

	if (sink->kind == SINK_PATH)
		return check_path(sink->path);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return -errno;
	return (flags & O_ACCMODE) == O_RDONLY ? -EBADF : 0;
}

int sink_write(const struct sink *sink, const char *data, size_t length)
{
	switch (sink->kind) {
	case SINK_STDOUT:
		if (fflush(stdout))
			return -errno;
		return fileio_write_fd(STDOUT_FILENO, data, length);
	case SINK_STDERR:
		return fileio_write_fd(STDERR_FILENO, data, length);
	case SINK_PATH:
		return write_path(sink->path, data, length);
	}
	return -EINVAL;
}
