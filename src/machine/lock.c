// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock file (commands.md, "Safety of every setting command"). It is never removed, so that two
 * processes cannot hold two files of one name; where somebody else removed it, what was locked is
 * let go of and the new file taken. What it holds is a text for people only.
 */
#include "machine/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/trust.h"
#include "machine/run_directory.h"

#define WAIT_MS      2000
#define WAIT_STEP_US 20000
#define US_PER_MS    UINT64_C(1000)
#define MAX_NAME     64 /* of the holder, in bytes */
#define UNKNOWN      "another process"

struct lock {
	int fd;
};

/* Is the file one that only we, or root, can have made? */
static int check_file(const struct stat *about)
{
	if (!S_ISREG(about->st_mode))
		return -EINVAL;
	return about->st_nlink == 1 && trust_alone(about) ? 0 : -EPERM;
}

static int open_file(const char *path, int *ret_fd)
{
	_cleanup_close_ int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat about;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0)
		return -errno;
	err = check_file(&about);
	if (!err)
		*ret_fd = steal_fd(&fd);
	return err;
}

/* Is the locked file still the one that others find? */
static bool is_current(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

/* One try. Returns 0; -EAGAIN where another process holds it, with its file in *ret_fd too. */
static int try_lock(const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int err = open_file(path, &fd);

	if (err)
		return err;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		err = errno == EWOULDBLOCK ? -EAGAIN : -errno;
	else if (!is_current(fd, path))
		return -ESTALE;
	if (!err || err == -EAGAIN)
		*ret_fd = steal_fd(&fd);
	return err;
}

static char *read_holder(int fd)
{
	char name[MAX_NAME + 1];
	ssize_t length = pread(fd, name, MAX_NAME, 0), shown = 0;

	while (shown < length && isprint((unsigned char)name[shown]))
		shown++;
	name[shown] = '\0';
	return strdup(shown ? name : UNKNOWN);
}

/* A text that cannot be written is missing in a message, nothing worse. */
static void write_holder(int fd)
{
	char text[MAX_NAME + 1];
	int length = snprintf(text, sizeof(text), "%.32s, process %ld\n",
			      program_invocation_short_name, (long)getpid());
	ssize_t written = 0;

	if (ftruncate(fd, 0) == 0)
		written = pwrite(fd, text, (size_t)length, 0);
	(void)written;
}

/* Tries until deadline_us. Returns 0; -EINTR; -EBUSY with the holder's file; others. */
static int wait_for(const char *path, uint64_t deadline_us, const struct wait_stop *stop,
		    int *ret_fd)
{
	for (;;) {
		_cleanup_close_ int fd = -1;
		int err = try_lock(path, &fd);
		bool is_late = wait_now_us() >= deadline_us;

		if (err == -EAGAIN && is_late)
			err = -EBUSY;
		if (!err || err == -EBUSY)
			*ret_fd = steal_fd(&fd);
		if (err != -EAGAIN && (err != -ESTALE || is_late))
			return err;
		if (wait_us_or_stop(stop, WAIT_STEP_US))
			return -EINTR;
	}
}

int lock_take(const char *run_directory, const struct wait_stop *stop, struct lock **ret_lock,
	      char **ret_holder)
{
	return lock_take_within(run_directory, WAIT_MS, stop, ret_lock, ret_holder);
}

int lock_take_within(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
		     struct lock **ret_lock, char **ret_holder)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct lock *lock;
	int err;

	if (asprintf(&path, "%s/" LOCK_NAME, run_directory) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = run_directory_make(run_directory);
	err = err ?: wait_for(path, wait_now_us() + wait_ms * US_PER_MS, stop, &fd);
	if (err == -EBUSY) {
		char *holder = read_holder(fd);

		if (!holder)
			return -ENOMEM;
		*ret_holder = holder;
	}
	if (err)
		return err;
	lock = malloc(sizeof(*lock));
	if (!lock)
		return -ENOMEM;
	write_holder(fd);
	lock->fd = steal_fd(&fd);
	*ret_lock = lock;
	return 0;
}

/* What a file is that is not regular; NULL: it is, or is a link. */
static const char *kind_of(const struct stat *about)
{
	switch (about->st_mode & S_IFMT) {
	case S_IFDIR:
		return "directory";
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "socket";
	case S_IFCHR:
	case S_IFBLK:
		return "device";
	}
	return NULL;
}

char *lock_problem(const char *run_directory, int err)
{
	_cleanup_free_ char *path = NULL;
	const char *kind = NULL;
	struct stat about;
	char *problem;

	if (asprintf(&path, "%s/" LOCK_NAME, run_directory) < 0) {
		path = NULL;
		return NULL;
	}
	if (lstat(path, &about) == 0)
		kind = kind_of(&about);
	if (!kind)
		return strdup(run_directory_problem(err));
	return asprintf(&problem,
			"the file %s in it is a %s and should be a regular file; remove it",
			LOCK_NAME, kind) < 0
		       ? NULL
		       : problem;
}

void lock_release(struct lock **lock)
{
	if (!*lock)
		return;
	close((*lock)->fd);
	free(*lock);
	*lock = NULL;
}
