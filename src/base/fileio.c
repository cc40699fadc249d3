// SPDX-License-Identifier: GPL-2.0-only
/* Reads and replaces complete files, and walks paths through directories of other users. Reading
 * ends when read() returns 0, since the kernel returns some files a page at a time. Only attributes
 * end with a read shorter than a page (sysfs.md, "Reading and writing an attribute"). */
#include "base/fileio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define READ_STEP    8192
#define PAGE         4096 /* bytes of each read of an attribute: the smallest page of a kernel */
#define NEW_NAMES    32 /* tries to find a free name for the new file */
#define NEW_NAME     ".isst-"
#define NEW_DIGITS   16
#define UNFINISHED_S 10 /* an older new file was not renamed at once: its process was killed */
#define MAX_LINKS    40 /* as many as the kernel follows */

#define WRITER_WAIT_MS 2000 /* for a process that will soon open a FIFO */

#define OVERFLOW_USER 65534

static int read_text(int fd, size_t limit, bool is_attribute, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, step;
	char *longer;
	ssize_t got;

	do {
		step = is_attribute ? PAGE : length > READ_STEP ? length : READ_STEP;
		if (limit && limit - length < step)
			step = limit - length;
		longer = realloc(text, length + step + 1);
		if (!longer)
			return -ENOMEM;
		text = longer;
		do
			got = is_attribute ? pread(fd, text + length, step, (off_t)length)
					   : read(fd, text + length, step);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return -errno;
		length += (size_t)got;
	} while (is_attribute ? got == PAGE : got > 0 && length != limit);
	text[length] = '\0';
	longer = steal(text);
	*ret_text = realloc(longer, length + 1) ?: longer;
	*ret_length = length;
	return 0;
}

int fileio_read_fd(int fd, size_t limit, char **ret_text, size_t *ret_length)
{
	return read_text(fd, limit, false, ret_text, ret_length);
}

int fileio_read_attribute(int fd, char **ret_text, size_t *ret_length)
{
	return read_text(fd, 0, true, ret_text, ret_length);
}

int fileio_read(const char *path, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fileio_read_fd(fd, limit, ret_text, ret_length);
}

int fileio_read_whole(int fd, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int err = fileio_read_fd(fd, limit + 1, &text, &length);

	if (err)
		return err;
	if (length > limit)
		return -EFBIG;
	*ret_text = steal(text);
	*ret_length = length;
	return 0;
}

int fileio_open_named(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;
	int flags;

	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (S_ISFIFO(about.st_mode))
		poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, WRITER_WAIT_MS);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* Opens a file that only root and the effective user may write. Returns a descriptor or -errno. */
static int open_trusted(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;

	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode) || !trust_is_exclusive(&about))
		return -EPERM;
	return steal_fd(&fd);
}

int fileio_read_trusted(const char *path, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open_trusted(path);

	return fd < 0 ? fd : fileio_read_whole(fd, limit, ret_text, ret_length);
}

int fileio_read_trusted_start(const char *path, size_t limit, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open_trusted(path);

	return fd < 0 ? fd : fileio_read_fd(fd, limit, ret_text, ret_length);
}

int fileio_open_sole(const char *path, int flags, mode_t mode, struct stat *ret_about)
{
	_cleanup_close_ int fd =
		open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);

	if (fd < 0 || fstat(fd, ret_about) < 0)
		return -errno;
	if (!S_ISREG(ret_about->st_mode))
		return -EINVAL;
	if (ret_about->st_nlink > 1 || !trust_is_exclusive(ret_about))
		return -EPERM;
	return steal_fd(&fd);
}

int fileio_guard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int fileio_write_fd(int fd, const char *data, size_t length)
{
	while (length > 0) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		ssize_t written = write(fd, data, length);

		if (written >= 0) {
			data += written;
			length -= (size_t)written;
		} else if (errno != EINTR && errno != EAGAIN) {
			return -errno;
		} else if (errno == EAGAIN && poll(&room, 1, -1) < 0 && errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Gives the new file the owner of the regular file that it replaces, if that is allowed. Copies the
 * mode, too, if with_mode. */
static int copy_ownership(int directory_fd, const char *name, bool with_mode, int fd)
{
	struct stat old;

	if (fstatat(directory_fd, name, &old, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(old.st_mode))
		return 0;
	if (fchown(fd, old.st_uid, old.st_gid) < 0)
		errno = 0; /* not permitted to change the owner: the file remains ours */
	if (!with_mode)
		return 0;
	/* Results are never set-id, since they are not programs. */
	return fchmod(fd, old.st_mode & 0777) < 0 ? -errno : 0;
}

static int replace_at(int directory_fd, const char *name, mode_t exact_mode, const char *data,
		      size_t length)
{
	_cleanup_close_ int fd = -1;
	char new_name[24];
	int err = 0;

	/* In a shared directory, another user can occupy predictable names. */
	for (unsigned int attempt = 0; fd < 0; attempt++) {
		uint64_t number;

		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -errno;
		snprintf(new_name, sizeof(new_name), NEW_NAME "%0*" PRIx64, NEW_DIGITS, number);
		fd = openat(directory_fd, new_name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    exact_mode ?: 0664);
		if (fd < 0 && (errno != EEXIST || attempt + 1 == NEW_NAMES))
			return -errno;
	}
	if (exact_mode && fchmod(fd, exact_mode) < 0)
		err = -errno;
	if (!err)
		err = copy_ownership(directory_fd, name, !exact_mode, fd);
	if (!err)
		err = fileio_write_fd(fd, data, length);
	if (!err && !exact_mode && fsync(fd) < 0)
		err = -errno;
	if (!err && renameat(directory_fd, new_name, directory_fd, name) < 0)
		err = -errno;
	if (err)
		unlinkat(directory_fd, new_name, 0);
	return err;
}

int fileio_replace_at(int directory_fd, const char *name, mode_t exact_mode, const char *data,
		      size_t length)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t held, before;
	int err;

	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&held, numbers[i]);
	err = pthread_sigmask(SIG_BLOCK, &held, &before);
	if (err)
		return -err;
	err = replace_at(directory_fd, name, exact_mode, data, length);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* Returns the directory of a path as a new text; NULL: no memory. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

typedef int (*replace_fn)(int directory_fd, const char *name, mode_t exact_mode, const char *data,
			  size_t length);

static int replace_path(replace_fn replace, const char *path, mode_t mode, const char *data,
			size_t length)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_free_ char *directory = directory_of(path);
	_cleanup_close_ int fd = -1;

	if (!directory)
		return -ENOMEM;
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return replace(fd, name, mode, data, length);
}

int fileio_replace(const char *path, mode_t mode, const char *data, size_t length)
{
	return replace_path(replace_at, path, mode, data, length);
}

int fileio_publish(const char *path, mode_t mode, const char *data, size_t length)
{
	return replace_path(fileio_replace_at, path, mode, data, length);
}

static bool is_new_name(const char *name)
{
	size_t length = strlen(NEW_NAME);

	return strncmp(name, NEW_NAME, length) == 0 &&
	       strspn(name + length, "0123456789abcdef") == NEW_DIGITS &&
	       name[length + NEW_DIGITS] == '\0';
}

void fileio_remove_unfinished(const char *path)
{
	_cleanup_free_ char *name = directory_of(path);
	DIR *directory = name ? opendir(name) : NULL;
	time_t now = time(NULL);
	struct stat about;

	if (!directory)
		return;
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (is_new_name(entry->d_name) &&
		    fstatat(dirfd(directory), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
		    about.st_mtim.tv_sec + UNFINISHED_S < now)
			unlinkat(dirfd(directory), entry->d_name, 0);
	}
	closedir(directory);
}

static int make_directory(const char *path, mode_t mode)
{
	struct stat about;

	if (mkdir(path, mode) == 0)
		return chmod(path, mode) < 0 ? -errno : 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(path, &about) < 0)
		return -errno;
	return S_ISDIR(about.st_mode) ? 0 : -ENOTDIR;
}

int fileio_make_directories(const char *path, mode_t mode)
{
	_cleanup_free_ char *part = strdup(path);
	char *end = part, separator;
	int err;

	if (!part)
		return -ENOMEM;
	do {
		end = strchrnul(end + strspn(end, "/"), '/');
		separator = *end;
		*end = '\0';
		err = make_directory(part, mode);
		*end = separator;
	} while (!err && end[strspn(end, "/")]);
	return err;
}

static bool is_private_directory(const char *path)
{
	struct stat about;

	if (stat(path, &about) < 0 || !S_ISDIR(about.st_mode))
		return false;
	return (about.st_uid == geteuid() || about.st_uid == 0) && !(about.st_mode & S_IWOTH);
}

char *fileio_find_near_program(const char *relative)
{
	_cleanup_free_ char *program = realpath("/proc/self/exe", NULL), *path = NULL;
	char *slash = program ? strrchr(program, '/') : NULL;
	char *resolved;

	if (!slash)
		return NULL;
	path = text_format("%.*s/%s", (int)(slash - program), program, relative);
	resolved = path ? realpath(path, NULL) : NULL;
	if (resolved && is_private_directory(resolved))
		return resolved;
	free(resolved);
	return NULL;
}

/* Returns true in a user namespace, where files of root may show the overflow user. */
static bool is_in_namespace(void)
{
	_cleanup_free_ char *map = NULL;
	unsigned long inside, outside;
	size_t length;
	char *rest;

	if (fileio_read("/proc/self/uid_map", 256, &map, &length))
		return false;
	inside = strtoul(map, &rest, 10);
	outside = strtoul(rest, &rest, 10);
	return inside != 0 || outside != 0 || strtoul(rest, NULL, 10) < OVERFLOW_USER;
}

bool trust_user(uid_t user)
{
	return user == 0 || user == geteuid() || (user == OVERFLOW_USER && is_in_namespace());
}

bool trust_is_exclusive(const struct stat *about)
{
	return trust_user(about->st_uid) && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

/* A walk takes one step for each name of the path, from one directory's descriptor to the next. The
 * kernel follows only links of procfs. For other links, the walk puts the target before the rest of
 * the path. */
struct walk {
	unsigned int flags;
	unsigned int n_links;
	int fd; /* the directory that was reached */
	mode_t mode; /* of that directory */
	char left[PATH_MAX]; /* the rest of the path */
	char name[NAME_MAX + 1]; /* the name of this step */
	bool is_last;
};

/* Opens a directory and enters it. The name may be a link only if the kernel may follow it. */
static int enter_name(struct walk *walk, int at_fd, const char *name)
{
	int fd = openat(at_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -errno;
	cleanup_close(&walk->fd);
	walk->fd = fd;
	if (fstat(fd, &about) < 0)
		return -errno;
	walk->mode = about.st_mode;
	return 0;
}

/* Sets the rest of the path. An absolute one starts at the root. */
static int set_rest(struct walk *walk, const char *first, const char *then)
{
	char rest[PATH_MAX];
	int length = snprintf(rest, sizeof(rest), "%s%s%s", first, *then ? "/" : "", then);

	if (length < 0 || (size_t)length >= sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(walk->left, rest, (size_t)length + 1);
	if (*rest == '/')
		return enter_name(walk, AT_FDCWD, "/");
	return walk->fd < 0 ? enter_name(walk, AT_FDCWD, ".") : 0;
}

/* Removes the next name from the rest of the path; after a slash at the end, the name is ".". Opens
 * that file, or the link itself. With WALK_MAKE, makes a missing directory. */
static int open_next(struct walk *walk, int *ret_fd)
{
	const char *start = walk->left + strspn(walk->left, "/");
	size_t length = strcspn(start, "/");
	int fd;

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(walk->name, sizeof(walk->name), "%.*s", length ? (int)length : 1,
		 length ? start : ".");
	walk->is_last = start[length] == '\0';
	memmove(walk->left, start + length, strlen(start + length) + 1);
	/* Everybody may remove files of such a directory, even ours. */
	if (walk->flags & WALK_REFUSE_PLANTED && walk->mode & S_IWOTH && !(walk->mode & S_ISVTX))
		return -EPERM;
	fd = openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !walk->is_last && walk->flags & WALK_MAKE) {
		if (mkdirat(walk->fd, walk->name, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	*ret_fd = fd;
	return fd < 0 ? -errno : 0;
}

static bool is_of_procfs(int fd)
{
	struct statfs about;

	return fstatfs(fd, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/* Follows the link that fd refers to. */
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
	return set_rest(walk, target, *then || walk->is_last ? then : ".");
}

/* Takes one step of a walk. Returns 1 at the end of the path. */
static int step(struct walk *walk, bool *ret_is_magic)
{
	_cleanup_close_ int fd = -1;
	struct stat about;
	int err = open_next(walk, &fd);

	if (err)
		return err == -ENOENT && walk->is_last ? 1 : err;
	if (fstat(fd, &about) < 0)
		return -errno;
	if (S_ISLNK(about.st_mode) && walk->is_last && walk->flags & WALK_REFUSE_LAST_LINK)
		return -ELOOP;
	/* Another user may have made such a file. */
	if (walk->flags & WALK_REFUSE_PLANTED && walk->mode & S_IWOTH && !trust_user(about.st_uid))
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
	cleanup_close(&walk->fd);
	walk->fd = steal_fd(&fd);
	walk->mode = about.st_mode;
	return 0;
}

int walk_path(const char *path, unsigned int flags, struct walk_end *ret_end)
{
	struct walk walk = { .flags = flags, .fd = -1 };
	bool is_magic = false;
	int err = *path ? set_rest(&walk, path, "") : -ENOENT;
	char *name;

	while (!err)
		err = step(&walk, &is_magic);
	name = err == 1 ? strdup(walk.name) : NULL;
	if (!name) {
		cleanup_close(&walk.fd);
		return err == 1 ? -ENOMEM : err;
	}
	*ret_end = (struct walk_end){ .directory_fd = walk.fd, .name = name, .is_magic = is_magic };
	return 0;
}

void walk_end_done(struct walk_end *end)
{
	cleanup_close(&end->directory_fd);
	free(end->name);
	*end = WALK_END_NONE;
}
