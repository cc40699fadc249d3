// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state directory. It is reached without following a link at its end or one of another user,
 * nor through what another user may have put into a shared directory, and used only where nobody
 * but its owner can change what is in it. What is removed is removed by descriptor, entry by
 * entry.
 */
#include "simulator/state_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/walk.h"

/* What processes that simulate this machine make: the settings, /run, cgroup file systems. */
static const char *const made_by_us[] = { "state", "state.new", "run", "cgroup" };

int state_directory_complain(char **ret_message, int err, const char *directory, const char *name,
			     const char *problem)
{
	char *message;

	if (asprintf(&message, "%s%s%s: %s", directory, name ? "/" : "", name ? name : "",
		     problem) < 0)
		return -ENOMEM;
	*ret_message = message;
	return err;
}

static char *strip_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return strndup(path, length);
}

static const char *judge(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return strerror(errno);
	if (status.st_uid != geteuid())
		return "belongs to another user";
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return "may be written by other users";
	return NULL;
}

/* In words where errno says too little. */
static const char *problem_of(int err)
{
	switch (-err) {
	case ELOOP:
		return "is a link";
	case EPERM:
		return "another user may have put a link or a directory in its place";
	}
	return strerror(-err);
}

/* A link is refused before anything is made behind it. */
static int make_and_open(const char *path, int *ret_fd)
{
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE;
	int err = walk_path(path, WALK_REFUSE_LAST_LINK | WALK_REFUSE_PLANTED | WALK_MAKE, &end);
	int fd;

	if (err)
		return err;
	if (mkdirat(end.directory_fd, end.name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(end.directory_fd, end.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int state_directory_open(const char *path, char **ret_path, int *ret_fd, char **ret_message)
{
	_cleanup_free_ char *stripped = strip_slashes(path);
	_cleanup_close_ int fd = -1;
	const char *problem;
	int err;

	if (!stripped)
		return -ENOMEM;
	err = make_and_open(stripped, &fd);
	problem = err ? problem_of(err) : judge(fd);
	if (problem && (!err || err == -ELOOP))
		err = -EPERM;
	if (err)
		return state_directory_complain(ret_message, err, stripped, NULL, problem);
	*ret_path = steal_pointer(stripped);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static void cleanup_closedir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static int remove_tree(int directory_fd, const char *name);

static int remove_content(int directory_fd, const char *name)
{
	_cleanup_(cleanup_closedir) DIR *directory = NULL;
	_cleanup_close_ int fd =
		openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;
	int err = 0;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory)
		return -errno;
	fd = -1; /* closedir() closes it */
	while (!err && (errno = 0, entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			err = remove_tree(dirfd(directory), entry->d_name);
	}
	return err ? err : -errno;
}

/* Removes a file, a link or a directory with all in it. Nothing there is a success too. */
static int remove_tree(int directory_fd, const char *name)
{
	int err;

	if (unlinkat(directory_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	err = remove_content(directory_fd, name);
	if (!err && unlinkat(directory_fd, name, AT_REMOVEDIR) < 0)
		err = -errno;
	return err;
}

int state_directory_empty(int directory_fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(made_by_us); i++) {
		int err = remove_tree(directory_fd, made_by_us[i]);

		if (err)
			return err;
	}
	return 0;
}
