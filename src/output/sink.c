// SPDX-License-Identifier: GPL-2.0-only
/* Writes results. A file given by name is replaced by rename, links followed; its mode is kept
 * (commands.md, option -o). What another user may have put there is neither followed nor written:
 * the path is walked by descriptors, and each check is of the descriptor that is used. */
#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"

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

/* Where results for a path go. */
struct destination {
	struct walk_end end;
	struct stat about; /* what is there, links of procfs followed */
	bool exists;
	bool is_direct; /* no regular file: written to, not replaced */
};

/* May another user have put there what exists? The reader of a pipe could delay us, and read. */
static bool is_planted(const struct destination *to, const struct stat *directory)
{
	const struct stat *about = &to->about;

	if (to->end.is_magic || trust_user(about->st_uid))
		return false;
	return S_ISFIFO(about->st_mode) ||
	       (directory->st_mode & S_IWOTH && about->st_uid != directory->st_uid);
}

/* In a sticky directory only the owners of file and directory, and root, may replace a file. */
static bool is_irreplaceable(const struct destination *to, const struct stat *directory)
{
	return !to->is_direct && directory->st_mode & S_ISVTX && geteuid() != 0 &&
	       to->about.st_uid != geteuid() && directory->st_uid != geteuid();
}

static int examine(struct destination *to)
{
	struct stat directory;

	if (fstat(to->end.directory_fd, &directory) < 0)
		return -errno;
	if (fstatat(to->end.directory_fd, to->end.name, &to->about,
		    to->end.is_magic ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	to->exists = true;
	to->is_direct = to->end.is_magic || !S_ISREG(to->about.st_mode);
	return is_planted(to, &directory) || is_irreplaceable(to, &directory) ? -EPERM : 0;
}

/* Finds the name of the file that a link of procfs leads to; without a name, nothing changes. */
static int find_real_name(struct destination *to)
{
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE;
	char path[PATH_MAX];
	struct stat about;
	ssize_t length = readlinkat(to->end.directory_fd, to->end.name, path, sizeof(path) - 1);

	if (length < 0)
		return -errno;
	path[length] = '\0';
	if (path[0] != '/' || walk_path(path, 0, &end) ||
	    fstatat(end.directory_fd, end.name, &about, AT_SYMLINK_NOFOLLOW) < 0 ||
	    about.st_ino != to->about.st_ino || about.st_dev != to->about.st_dev)
		return 0;
	walk_end_done(&to->end);
	to->end = end;
	end = (struct walk_end)WALK_END_NONE;
	return examine(to);
}

static int find_destination(const char *path, struct destination *to)
{
	int err = walk_path(path, 0, &to->end);

	if (err)
		return err;
	err = examine(to);
	if (err)
		return err;
	if (to->end.is_magic && to->exists && S_ISREG(to->about.st_mode))
		return find_real_name(to);
	return 0;
}

static void destination_done(struct destination *to)
{
	walk_end_done(&to->end);
}

#define DESTINATION_NONE             \
	{                            \
		.end = WALK_END_NONE \
	}
#define _cleanup_destination_ _cleanup_(destination_done)

/* A file is replaced, so its directory is what must be writable. */
static int check_path(const char *path)
{
	_cleanup_destination_ struct destination to = DESTINATION_NONE;
	int err = find_destination(path, &to);

	if (err)
		return err;
	if (S_ISDIR(to.about.st_mode) && to.exists)
		return -EISDIR;
	return faccessat(to.end.directory_fd, to.is_direct ? to.end.name : ".",
			 to.is_direct ? W_OK : W_OK | X_OK, AT_EACCESS) < 0
		       ? -errno
		       : 0;
}

/* Opens the file that was examined and no other; only a link of procfs is followed. */
static int write_direct(const struct destination *to, const char *data, size_t length)
{
	_cleanup_close_ int fd =
		openat(to->end.directory_fd, to->end.name,
		       O_WRONLY | O_NOCTTY | O_CLOEXEC | (to->end.is_magic ? 0 : O_NOFOLLOW));
	struct stat about;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0)
		return -errno;
	if (about.st_ino != to->about.st_ino || about.st_dev != to->about.st_dev)
		return -EPERM;
	return fileio_write_fd(fd, data, length);
}

static int write_path(const char *path, const char *data, size_t length)
{
	_cleanup_destination_ struct destination to = DESTINATION_NONE;
	int err = find_destination(path, &to);

	if (err)
		return err;
	return to.is_direct ? write_direct(&to, data, length)
			    : fileio_replace_at(to.end.directory_fd, to.end.name, data, length);
}

const char *sink_problem(const struct sink *sink, int err)
{
	if (sink->kind == SINK_PATH && err == -EPERM)
		return "a link or file of another user is in the way";
	return strerror(-err);
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
	/* Writing nothing always succeeds, but a closed stream is a failure. */
	if (!length && sink->kind != SINK_PATH)
		return sink_check(sink);
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
