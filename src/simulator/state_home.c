// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default state directory: .local/state/intel-speed-select/NAME in the home directory that the
 * user database names. Root takes nothing from the environment: whoever could set HOME there would
 * choose where root writes.
 */
#include "simulator/state_home.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/digest.h"

#define PROGRAM "intel-speed-select"

#ifdef IS_STATIC
/*
 * Other sources of users than the file are shared libraries of one version of the C library, which
 * a static program may meet in another.
 */
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
	int length;

	if (given && *given == '/') {
		length = asprintf(ret_base, "%s", given);
	} else {
		user = find_user(geteuid());
		if (!user || user->pw_dir[0] != '/')
			return -ENOENT;
		length = asprintf(ret_base, "%s/.local/state", user->pw_dir);
	}
	return length < 0 ? -ENOMEM : 0;
}

/* A name from a file, as one that can be given to a directory. */
static void make_harmless(char *name)
{
	for (char *character = name; *character; character++) {
		if (!isalnum((unsigned char)*character) && !strchr("-_", *character) &&
		    (*character != '.' || character == name))
			*character = '_';
	}
}

/* As the catalog tells them apart: is it a file's path and no name? */
static bool is_path(const char *platform)
{
	const char *dot = strrchr(platform, '.');

	return strchr(platform, '/') || (dot && strcmp(dot, ".json") == 0);
}

/* The last part of the path: a name, for a file with some digits that tell its path. */
static int make_name(const char *platform, const char *name, char **ret_name)
{
	_cleanup_free_ char *real = NULL, *harmless = strdup(name);
	int length;

	if (!harmless)
		return -ENOMEM;
	make_harmless(harmless);
	if (!is_path(platform)) {
		*ret_name = steal_pointer(harmless);
		return 0;
	}
	real = realpath(platform, NULL);
	if (!real)
		return -errno;
	length = asprintf(ret_name, "%s-%08" PRIx32, harmless,
			  (uint32_t)(digest_bytes(real, strlen(real)) >> 32));
	return length < 0 ? -ENOMEM : 0;
}

int state_home_find(const char *platform, const char *name, char **ret_path)
{
	_cleanup_free_ char *base = NULL, *last = NULL;
	int err = find_base(&base);

	if (!err)
		err = make_name(platform, name, &last);
	if (err)
		return err;
	return asprintf(ret_path, "%s/" PROGRAM "/%s", base, last) < 0 ? -ENOMEM : 0;
}
