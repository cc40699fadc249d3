// SPDX-License-Identifier: GPL-2.0-only
/* Writes results. Replaces a named file by a rename, and follows links; the file keeps its mode
 * (commands.md, option -o). Does not follow or write what another user may have put there: the walk
 * along the path uses descriptors, and each check is of the descriptor that is used. */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"

struct sink sink_choose(const char *path, bool to_stdout)
{
	if (path && strcmp(path, "-") != 0)
		return (struct sink){ .kind = SINK_PATH, .path = path };
	return (struct sink){ .kind = path || to_stdout ? SINK_STDOUT : SINK_STDERR };
}

bool sink_is_stream(const struct sink *sink, FILE *stream)
{
	struct stat ours, theirs;
	int err = sink->kind == SINK_PATH ? stat(sink->path, &ours) : fstat((int)sink->kind, &ours);

	return !err && fstat(fileno(stream), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* The destination of results for a path. */
struct destination {
	struct walk_end end;
	struct stat about; /* the file there, with links of procfs followed */
	bool exists;
	bool is_direct; /* not a regular file: it is written, not replaced */
};

/* Returns true for a directory of a kernel file system, which allows no new files. */
static bool is_of_kernel(int directory_fd)
{
	static const unsigned long types[] = {
		PROC_SUPER_MAGIC,    SYSFS_MAGIC,   CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
	};
	struct statfs about;

	if (fstatfs(directory_fd, &about) < 0)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if ((unsigned long)about.f_type == types[i])
			return true;
	}
	return false;
}

static int examine(struct destination *to)
{
	struct stat *about = &to->about, directory;
	bool is_magic = to->end.is_magic, is_planted, is_irreplaceable;

	if (fstat(to->end.directory_fd, &directory) < 0)
		return -errno;
	if (fstatat(to->end.directory_fd, to->end.name, about, is_magic ? 0 : AT_SYMLINK_NOFOLLOW) <
	    0)
		return errno == ENOENT ? 0 : -errno;
	to->exists = true;
	to->is_direct = is_magic || !S_ISREG(about->st_mode);
	/* Another user may have put the file there. The reader of a pipe could delay us and
	 * read. */
	is_planted = !is_magic && !trust_user(about->st_uid) &&
		     (S_ISFIFO(about->st_mode) ||
		      (directory.st_mode & S_IWOTH && about->st_uid != directory.st_uid));
	/* In a sticky directory only root and the owners of file and directory may replace a
	 * file. */
	is_irreplaceable = !to->is_direct && directory.st_mode & S_ISVTX && geteuid() != 0 &&
			   about->st_uid != geteuid() && directory.st_uid != geteuid();
	return is_planted || is_irreplaceable ? -EPERM : 0;
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
	end = WALK_END_NONE;
	return examine(to);
}

static void destination_done(struct destination *to)
{
	walk_end_done(&to->end);
}

static int find_destination(const char *path, struct destination *to)
{
	int err = walk_path(path, 0, &to->end);

	if (!err)
		err = examine(to);
	if (!err && to->end.is_magic && to->exists && S_ISREG(to->about.st_mode))
		err = find_real_name(to);
	if (!err && !to->is_direct && is_of_kernel(to->end.directory_fd))
		return -EOPNOTSUPP;
	return err;
}

/* Writes to the file that was examined and to no other. Follows only a link of procfs. */
static int write_direct(const struct destination *to, const char *data, size_t length)
{
	_cleanup_close_ int fd =
		openat(to->end.directory_fd, to->end.name,
		       O_WRONLY | O_NOCTTY | O_CLOEXEC | (to->end.is_magic ? 0 : O_NOFOLLOW));
	struct stat about;

	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (about.st_ino != to->about.st_ino || about.st_dev != to->about.st_dev)
		return -EPERM;
	return fileio_write_fd(fd, data, length);
}

const char *sink_problem(const struct sink *sink, int err)
{
	if (sink->kind == SINK_PATH && err == -EPERM)
		return "a link or file of another user is in the way";
	if (sink->kind == SINK_PATH && err == -ENOENT)
		return "its directory does not exist";
	if (sink->kind == SINK_PATH && err == -EOPNOTSUPP)
		return "the kernel's file systems take no new files; name a file elsewhere";
	return strerror(-err);
}

int sink_check(const struct sink *sink)
{
	_cleanup_(destination_done) struct destination to = { .end = WALK_END_NONE };
	int err, flags;

	if (sink->kind != SINK_PATH) {
		flags = fcntl((int)sink->kind, F_GETFL);
		if (flags < 0)
			return -errno;
		return (flags & O_ACCMODE) == O_RDONLY ? -EBADF : 0;
	}
	err = find_destination(sink->path, &to);
	if (err)
		return err;
	if (S_ISDIR(to.about.st_mode) && to.exists)
		return -EISDIR;
	/* The directory must be writable, since a file is replaced. */
	if (faccessat(to.end.directory_fd, to.is_direct ? to.end.name : ".",
		      to.is_direct ? W_OK : W_OK | X_OK, AT_EACCESS) < 0)
		return -errno;
	return 0;
}

bool sink_is_file(const struct sink *sink, const char *path)
{
	struct stat ours, theirs;

	return sink->kind == SINK_PATH && stat(sink->path, &ours) == 0 && S_ISREG(ours.st_mode) &&
	       stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

int sink_write(const struct sink *sink, const char *data, size_t length)
{
	_cleanup_(destination_done) struct destination to = { .end = WALK_END_NONE };
	int err;

	if (sink->kind != SINK_PATH) {
		/* Writing nothing always succeeds, but a closed stream is a failure. */
		if (!length)
			return sink_check(sink);
		if (sink->kind == SINK_STDOUT && fflush(stdout))
			return -errno;
		return fileio_write_fd((int)sink->kind, data, length);
	}
	err = find_destination(sink->path, &to);
	if (err)
		return err;
	return to.is_direct ? write_direct(&to, data, length)
			    : fileio_replace_at(to.end.directory_fd, to.end.name, 0, data, length);
}
