// SPDX-License-Identifier: GPL-2.0-only
/*
 * One step for each name of the path, from descriptor to descriptor, no link followed by the kernel
 * but those of procfs. What is still to be walked is a text; a link puts its own in front of it.
 */
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/trust.h"

#define MAX_LINKS 40 /* as the kernel follows */

struct walk {
	unsigned int flags;
	unsigned int n_links;
	int fd; /* the directory that was reached */
	mode_t mode; /* of that */
	char left[PATH_MAX]; /* the way from there */
	char name[NAME_MAX + 1]; /* the name that was taken from it */
	bool is_last;
};

static int enter(struct walk *walk, int fd)
{
	struct stat about;

	if (fstat(fd, &about) < 0)
		return -errno;
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = fd;
	walk->mode = about.st_mode;
	return 0;
}

/* Opens a directory by a name that is no link, or that the kernel may follow, and enters it. */
static int enter_name(struct walk *walk, int at_fd, const char *name)
{
	_cleanup_close_ int fd = openat(at_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : enter(walk, fd);

	if (!err)
		fd = -1;
	return err;
}

/* Takes the text of the way that lies ahead, and starts at its root where it has one. */
static int set_way(struct walk *walk, const char *first, const char *then)
{
	char way[PATH_MAX];
	int length = snprintf(way, sizeof(way), "%s%s%s", first, *then ? "/" : "", then);

	if (length < 0 || (size_t)length >= sizeof(way))
		return -ENAMETOOLONG;
	memcpy(walk->left, way, (size_t)length + 1);
	if (*way == '/')
		return enter_name(walk, AT_FDCWD, "/");
	return walk->fd < 0 ? enter_name(walk, AT_FDCWD, ".") : 0;
}

/* Moves the next name from the way that is left; "." at its end, where it ends in a slash. */
static int take_name(struct walk *walk)
{
	const char *start = walk->left + strspn(walk->left, "/");
	size_t length = strcspn(start, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(walk->name, sizeof(walk->name), "%.*s", length ? (int)length : 1,
		 length ? start : ".");
	walk->is_last = start[length] == '\0';
	memmove(walk->left, start + length, strlen(start + length) + 1);
	return 0;
}

static bool is_of_procfs(int fd)
{
	struct statfs about;

	return fstatfs(fd, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/* Follows the link that fd is. */
static int follow(struct walk *walk, int fd, const struct stat *about)
{
	const char *then = walk->left + strspn(walk->left, "/");
	char target[PATH_MAX];
	ssize_t length;

	if (!trust_user(about->st_uid) || (walk->mode & S_IWOTH && about->st_nlink > 1))
		return -EPERM;
	if (++walk->n_links > MAX_LINKS)
		return -ELOOP;
	if (is_of_procfs(fd))
		return enter_name(walk, walk->fd, walk->name);
	length = readlinkat(fd, "", target, sizeof(target));
	if (length < 0)
		return -errno;
	if ((size_t)length == sizeof(target))
		return -ENAMETOOLONG;
	target[length] = '\0';
	return set_way(walk, target, *then || walk->is_last ? then : ".");
}

/* Opens what the name is, a link itself; makes a directory of it where that is wanted. */
static int open_name(const struct walk *walk, int *ret_fd, struct stat *ret_about)
{
	int fd = openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && !walk->is_last && walk->flags & WALK_MAKE) {
		if (mkdirat(walk->fd, walk->name, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return fstat(fd, ret_about) < 0 ? -errno : 0;
}

/* May everybody take away what is in the directory, even what we make there? */
static bool is_lawless(const struct walk *walk)
{
	return walk->mode & S_IWOTH && !(walk->mode & S_ISVTX);
}

/* May somebody else have put it where it is? */
static bool is_planted(const struct walk *walk, const struct stat *about)
{
	return walk->mode & S_IWOTH && !trust_user(about->st_uid);
}

/* One step. Returns 1 where the end is reached. */
static int step(struct walk *walk, bool *ret_is_magic)
{
	_cleanup_close_ int fd = -1;
	struct stat about = { 0 };
	int err = take_name(walk);

	if (!err && walk->flags & WALK_REFUSE_PLANTED && is_lawless(walk))
		return -EPERM;
	err = err ?: open_name(walk, &fd, &about);
	if (err)
		return err == -ENOENT && walk->is_last ? 1 : err;
	if (S_ISLNK(about.st_mode) && walk->is_last && walk->flags & WALK_REFUSE_LAST_LINK)
		return -ELOOP;
	if (walk->flags & WALK_REFUSE_PLANTED && is_planted(walk, &about))
		return -EPERM;
	*ret_is_magic = S_ISLNK(about.st_mode) && walk->is_last && is_of_procfs(fd) &&
			trust_user(about.st_uid);
	if (*ret_is_magic)
		return 1;
	if (S_ISLNK(about.st_mode))
		return follow(walk, fd, &about);
	if (walk->is_last)
		return 1;
	if (!S_ISDIR(about.st_mode))
		return -ENOTDIR;
	err = enter(walk, fd);
	if (!err)
		fd = -1;
	return err;
}

int walk_path(const char *path, unsigned int flags, struct walk_end *ret_end)
{
	struct walk walk = { .flags = flags, .fd = -1 };
	struct walk_end end = WALK_END_NONE;
	int err = *path ? set_way(&walk, path, "") : -ENOENT;

	while (!err)
		err = step(&walk, &end.is_magic);
	if (err == 1) {
		end.name = strdup(walk.name);
		err = end.name ? 0 : -ENOMEM;
	}
	if (err) {
		if (walk.fd >= 0)
			close(walk.fd);
		return err;
	}
	end.directory_fd = walk.fd;
	*ret_end = end;
	return 0;
}

void walk_end_done(struct walk_end *end)
{
	if (end->directory_fd >= 0)
		close(end->directory_fd);
	free(end->name);
	*end = (struct walk_end)WALK_END_NONE;
}
