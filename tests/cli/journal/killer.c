// SPDX-License-Identifier: GPL-2.0-only
/* Kills the program at a moment, or fills its disk, loaded by LD_PRELOAD. Moments are the changes
 * of the simulated machine (its state file is exchanged, a file or a directory of its control
 * groups is made or removed) and of the change journal (it is made, and each line that is
 * appended), numbered from 0 in the order of the process. The file that ISST_KILLER_LOG names gets
 * the kind of each, a line each. At number ISST_KILLER_AT, or at each append from number
 * ISST_KILLER_FULL_AT of the appends alone, happens what ISST_KILLER_HOW says: "before" or "after"
 * kills, "full" and "short" write nothing or half and leave no room, "torn" writes half and kills.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(function, type) ((type)dlsym(RTLD_NEXT, #function))

/* Numbers, from the environment; -1: never. */
static struct {
	int is_ready;
	long at, next, full_at, n_appends;
	const char *how, *log;
} killer;

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : -1;
}

static void get_ready(void)
{
	if (killer.is_ready)
		return;
	killer.is_ready = 1;
	killer.at = number_of("ISST_KILLER_AT");
	killer.full_at = number_of("ISST_KILLER_FULL_AT");
	killer.how = getenv("ISST_KILLER_HOW") ?: "";
	killer.log = getenv("ISST_KILLER_LOG");
}

static int is_how(const char *how)
{
	return strcmp(killer.how, how) == 0;
}

static void note(const char *kind)
{
	FILE *file = killer.log ? fopen(killer.log, "ae") : NULL;

	if (!file)
		return;
	fprintf(file, "%s\n", kind);
	fclose(file);
}

/* A moment comes: is it the one? It may be the last thing that happens. */
static int begin(const char *kind)
{
	int is_it;

	get_ready();
	is_it = killer.next++ == killer.at;
	note(kind);
	if (is_it && is_how("before"))
		raise(SIGKILL);
	return is_it;
}

static void end(int is_it)
{
	int err = errno;

	if (is_it && is_how("after"))
		raise(SIGKILL);
	errno = err;
}

/* The path of a file descriptor, and a name below it. */
static const char *path_of(int directory, const char *name, char path[1024])
{
	char link[64];
	ssize_t length;

	if (name && *name == '/') {
		snprintf(path, 1024, "%s", name);
		return path;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
	length = readlink(link, path, 700);
	if (length < 0)
		length = 0;
	snprintf(path + length, 1024 - (size_t)length, "%s%s", name ? "/" : "", name ?: "");
	return path;
}

static int ends_with(const char *path, const char *end)
{
	size_t length = strlen(path);

	return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

/* What a change of the path is: a kind, or NULL. */
static const char *kind_of(const char *path)
{
	if (ends_with(path, "/run/journal"))
		return "make";
	if (ends_with(path, "/state/state"))
		return "write";
	return strstr(path, "/cgroup/") ? "group" : NULL;
}

int renameat2(int old_directory, const char *old_name, int new_directory, const char *new_name,
	      unsigned int flags)
{
	char path[1024];
	const char *kind = kind_of(path_of(new_directory, new_name, path));
	int is_it = kind ? begin(kind) : 0;
	int result = NEXT(renameat2, int (*)(int, const char *, int, const char *, unsigned int))(
		old_directory, old_name, new_directory, new_name, flags);

	end(is_it);
	return result;
}

int renameat(int old_directory, const char *old_name, int new_directory, const char *new_name)
{
	char path[1024];
	const char *kind = kind_of(path_of(new_directory, new_name, path));
	int is_it = kind ? begin(kind) : 0;
	int result = NEXT(renameat, int (*)(int, const char *, int, const char *))(
		old_directory, old_name, new_directory, new_name);

	end(is_it);
	return result;
}

int mkdir(const char *name, mode_t mode)
{
	char path[1024];
	const char *kind = kind_of(path_of(AT_FDCWD, name, path));
	int is_it = kind ? begin(kind) : 0;
	int result = NEXT(mkdir, int (*)(const char *, mode_t))(name, mode);

	end(is_it);
	return result;
}

int remove(const char *name)
{
	char path[1024];
	const char *kind = kind_of(path_of(AT_FDCWD, name, path));
	int is_it = kind ? begin(kind) : 0;
	int result = NEXT(remove, int (*)(const char *))(name);

	end(is_it);
	return result;
}

/* Is the disk full for this append? */
static int is_full(int is_it)
{
	return is_it || (killer.full_at >= 0 && killer.n_appends++ >= killer.full_at);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	ssize_t (*next)(int, const void *, size_t) =
		NEXT(write, ssize_t(*)(int, const void *, size_t));
	char path[1024];
	ssize_t result;
	int is_it;

	if (!ends_with(path_of(fd, NULL, path), "/run/journal"))
		return next(fd, bytes, length);
	is_it = begin("append");
	if (is_how("torn") && is_it) {
		(void)!next(fd, bytes, length / 2);
		raise(SIGKILL);
	}
	if ((is_how("full") || is_how("short")) && is_full(is_it)) {
		errno = ENOSPC;
		return is_how("short") ? next(fd, bytes, length / 2) : -1;
	}
	result = next(fd, bytes, length);
	end(is_it);
	return result;
}
