// SPDX-License-Identifier: GPL-2.0-only
/* The state directory: its default path, its checks, and how it is emptied. Its path may not end in
 * a link, and may not go through a link of another user, or through a directory that another user
 * may have made in a shared directory. Only the owner may be able to change the content. Entries
 * are removed by the descriptor of the directory. The default is
 * .local/state/intel-speed-select/NAME in the home directory of the user database. Root uses
 * nothing of the environment, because a user who sets HOME would choose where root writes. */
#include "simulator/state.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"

#define PROGRAM   "intel-speed-select"
#define MOST_OPEN 8

/* What the simulator makes there: the settings, /run, the cgroup file system, and that of the start
 * of a recorded machine. */
static const char *const made_by_us[] = { "state", "state.new", "run", "cgroup", STATE_START_NAME };

int state_complain(char **ret_message, int err, const char *directory, const char *name,
		   const char *problem)
{
	char *message = text_format("%s%s%s: %s", directory, name ? "/" : "", name ? name : "",
				    problem ? problem : strerror(-err));

	if (!message)
		return -ENOMEM;
	*ret_message = message;
	return err;
}

int state_directory_open(const char *path, char **ret_path, int *ret_fd, char **ret_message)
{
	_cleanup_free_ char *stripped = strdup(path);
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE;
	_cleanup_close_ int fd = -1;
	const char *problem = NULL;
	struct stat status;
	int err;

	if (!stripped)
		return -ENOMEM;
	for (size_t length = strlen(stripped); length > 1 && stripped[length - 1] == '/'; length--)
		stripped[length - 1] = '\0';
	/* A link is refused before anything is made through it. */
	err = walk_path(stripped, WALK_REFUSE_LAST_LINK | WALK_REFUSE_PLANTED | WALK_MAKE, &end);
	if (!err && mkdirat(end.directory_fd, end.name, 0700) < 0 && errno != EEXIST)
		err = -errno;
	if (!err) {
		fd = openat(end.directory_fd, end.name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		err = fd < 0 ? -errno : 0;
	}
	if (err == -ELOOP)
		problem = "is a link";
	else if (err == -EPERM)
		problem = "another user may have put a link or a directory in its place";
	else if (!err && fstat(fd, &status) < 0)
		problem = strerror(errno);
	else if (!err && status.st_uid != geteuid())
		problem = "belongs to another user";
	else if (!err && status.st_mode & (S_IWGRP | S_IWOTH))
		problem = "may be written by other users";
	if (err || problem)
		return state_complain(ret_message, problem ? -EPERM : err, stripped, NULL, problem);
	*ret_path = steal(stripped);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path) < 0 && errno != ENOENT ? -errno : 0;
}

int state_directory_remove(int directory_fd, const char *name)
{
	_cleanup_free_ char *path = text_format("/proc/self/fd/%d/%s", directory_fd, name);
	int result;

	if (!path)
		return -ENOMEM;
	if (unlinkat(directory_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	result = nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
	return result == -1 ? -errno : result;
}

int state_directory_empty(int directory_fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(made_by_us); i++) {
		int err = state_directory_remove(directory_fd, made_by_us[i]);

		if (err)
			return err;
	}
	return 0;
}

#ifdef IS_STATIC
/* A static program reads only /etc/passwd. Other sources of users are shared libraries of one
 * version of the C library, and the system may have another version. */
static struct passwd *find_user(uid_t uid)
{
	_cleanup_fclose_ FILE *users = fopen("/etc/passwd", "re");
	struct passwd *user = NULL;

	while (users && (user = fgetpwent(users)) && user->pw_uid != uid)
		;
	return users ? user : NULL;
}
#else
static struct passwd *find_user(uid_t uid)
{
	return getpwuid(uid);
}
#endif

/* The directory in which programs of this user keep state. */
static int find_base(char **ret_base)
{
	const char *given = geteuid() ? secure_getenv("XDG_STATE_HOME") : NULL;
	const struct passwd *user;

	if (given && *given == '/') {
		*ret_base = strdup(given);
	} else {
		user = find_user(geteuid());
		if (!user || user->pw_dir[0] != '/')
			return -ENOENT;
		*ret_base = text_format("%s/.local/state", user->pw_dir);
	}
	return *ret_base ? 0 : -ENOMEM;
}

/* The last part of the path is the name. For a platform file, digits made of its path follow, so
 * that files with the same name have different directories. */
int state_directory_find(const char *platform, const char *name, char **ret_path)
{
	_cleanup_free_ char *base = NULL, *real = NULL, *last = strdup(name);
	const char *dot = strrchr(platform, '.');
	int err = find_base(&base);
	char digits[16] = "";

	if (err || !last)
		return err ? err : -ENOMEM;
	for (char *character = last; *character; character++) {
		if (!isalnum((unsigned char)*character) && !strchr("-_", *character) &&
		    (*character != '.' || character == last))
			*character = '_';
	}
	/* A path, not a name: as in the catalog. */
	if (strchr(platform, '/') || (dot && strcmp(dot, ".json") == 0)) {
		real = realpath(platform, NULL);
		if (!real)
			return -errno;
		snprintf(digits, sizeof(digits), "-%08" PRIx32,
			 (uint32_t)(digest_bytes(real, strlen(real)) >> 32));
	}
	*ret_path = text_format("%s/" PROGRAM "/%s%s", base, last, digits);
	return *ret_path ? 0 : -ENOMEM;
}
