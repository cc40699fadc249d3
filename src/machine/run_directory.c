// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody but its owner can change what is in the run directory, so that its files can be found by
 * their names (commands.md, "Safety of every setting command").
 */
#include "machine/run_directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/trust.h"

int run_directory_make(const char *path)
{
	struct stat about;
	int err;

	if (lstat(path, &about) < 0) {
		err = errno == ENOENT ? fileio_make_directories(path, 0755) : -errno;
		if (err)
			return err;
		if (lstat(path, &about) < 0)
			return -errno;
	}
	if (S_ISLNK(about.st_mode))
		return -ELOOP;
	if (!S_ISDIR(about.st_mode))
		return -ENOTDIR;
	return trust_alone(&about) ? 0 : -EPERM;
}

const char *run_directory_problem(int err)
{
	switch (err) {
	case -ELOOP:
		return "it is a link, and no link is followed there";
	case -EINVAL:
		return "a file in it should be a regular file and is not; remove it";
	case -EPERM:
		return "it is another user's, or others may write to it";
	}
	return strerror(-err);
}
