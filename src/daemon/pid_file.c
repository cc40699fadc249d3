// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock, not the file's being there, says that a daemon runs: it ends with the process however
 * that ends (commands.md, "Daemon"). Who finds that the file was removed meanwhile tries again.
 */
#include "daemon/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/trust.h"
#include "machine/run_directory.h"

#define FILE_NAME  "oob.pid"
#define MOST_TRIES 8

struct pid_file {
	char *path;
	int fd;
};

/* Is what we locked still the file of that name, and nobody else's? */
static int check(int fd, const char *path)
{
	struct stat ours, theirs;

	if (fstat(fd, &ours) < 0)
		return -errno;
	if (!S_ISREG(ours.st_mode) || !trust_alone(&ours))
		return -EPERM;
	if (lstat(path, &theirs) < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev ? 0 : -ESTALE;
}

static pid_t read_pid(int fd)
{
	_cleanup_free_ char *text = NULL;
	uint64_t pid = 0;
	size_t length;

	if (lseek(fd, 0, SEEK_SET) < 0 || fileio_read_fd(fd, 32, &text, &length) ||
	    number_parse_file(text, &pid) || pid > INT32_MAX)
		return 0;
	return (pid_t)pid;
}

static int try_path(const char *path, int *ret_fd, pid_t *ret_pid)
{
	_cleanup_close_ int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
	int err;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		*ret_pid = errno == EWOULDBLOCK ? read_pid(fd) : 0;
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	}
	err = check(fd, path);
	if (!err)
		*ret_fd = steal_fd(&fd);
	return err;
}

static int write_pid(int fd)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return fileio_write_fd(fd, text, (size_t)length);
}

int pid_file_take(const char *run_directory, struct pid_file **ret_file, pid_t *ret_pid)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct pid_file *file;
	int err = -ESTALE;

	if (asprintf(&path, "%s/" FILE_NAME, run_directory) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = run_directory_make(run_directory) ?: err;
	for (int tries = 0; err == -ESTALE && tries < MOST_TRIES; tries++)
		err = try_path(path, &fd, ret_pid);
	err = err ?: write_pid(fd);
	if (err)
		return err;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->path = steal_pointer(path);
	file->fd = steal_fd(&fd);
	*ret_file = file;
	return 0;
}

void pid_file_release(struct pid_file **file)
{
	if (*file) {
		unlink((*file)->path);
		close((*file)->fd);
		free((*file)->path);
		free(*file);
	}
	*file = NULL;
}
