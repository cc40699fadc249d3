// SPDX-License-Identifier: GPL-2.0-only
/* Reads, writes and locks files of the run directory. Only its owner can change the directory, so
 * files are opened by name. The lock file is never removed, because two processes could then lock
 * two files with one name. If another program removes it, the new file is locked. Its text is only
 * for users. */
#include "host/run_directory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/units.h"

#define BOOT_ID        "/proc/sys/kernel/random/boot_id"
#define FILE_VERSION   1 /* of each JSON file */
#define LOCK_NAME      "lock"
#define START_BYTES    512
#define MAX_BYTES      (16U << 20) /* of a JSON file */
#define MAX_HOLDER     64 /* length of the lock file's text, in bytes */
#define PID_WAIT_MS    100 /* a process that ends may still remove its files */
#define UNKNOWN_HOLDER "another process"
#define WAIT_STEP_US   20000

int run_directory_make(const char *path)
{
	struct stat about;

	if (lstat(path, &about) < 0) {
		int err = errno == ENOENT ? fileio_make_directories(path, 0755) : -errno;

		if (err)
			return err;
		if (lstat(path, &about) < 0)
			return -errno;
	}
	if (S_ISLNK(about.st_mode))
		return -ELOOP;
	if (!S_ISDIR(about.st_mode))
		return -ENOTDIR;
	return trust_is_exclusive(&about) ? 0 : -EPERM;
}

const char *run_directory_problem(int err)
{
	switch (err) {
	case -ELOOP:
		return "it is a link, and no link is followed there";
	case -EINVAL:
		return "a file in it should be a regular file and is not; remove it";
	case -EBADMSG:
		return "it is damaged, or no file of this program";
	case -EPERM:
		return "it is another user's, or others may write to it";
	}
	return strerror(-err);
}

int boot_id_read(struct files *files, char **ret_id)
{
	return files_read_line(files, BOOT_ID, ret_id);
}

static char *path_of(const char *run_directory, const char *name)
{
	return text_format("%s/%s", run_directory, name);
}

static const char *boot_member(const struct run_file *file)
{
	return file->boot_member ?: "boot";
}

/* The boot id is near the beginning of a file, and the file's first own member follows it. */
bool run_file_is_current(struct files *files, const char *run_directory,
			 const struct run_file *file, const char *first)
{
	_cleanup_free_ char *path = path_of(run_directory, file->name), *boot = NULL, *text = NULL;
	_cleanup_free_ char *members = NULL;
	size_t length;

	if (!path || boot_id_read(files, &boot) ||
	    fileio_read_trusted_start(path, START_BYTES, &text, &length))
		return false;
	members = text_format("\"%s\":\"%s\"%s%s", boot_member(file), boot, first ? "," : "",
			      first ?: "");
	return members && strstr(text, members);
}

int run_file_write(struct files *files, const char *run_directory, const struct run_file *file,
		   json_t *members)
{
	_cleanup_free_ char *path = path_of(run_directory, file->name), *boot = NULL, *text = NULL;
	_cleanup_json_ json_t *owned = members, *root = NULL;
	int err = boot_id_read(files, &boot);

	if (err)
		return err;
	root = json_pack("{s:s, s:i, s:s}", "format", file->format, "version", FILE_VERSION,
			 boot_member(file), boot);
	if (json_object_update(root, owned) == 0)
		text = json_dumps(root, JSON_COMPACT);
	if (!path || !text)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	if (err)
		return err;
	return fileio_replace(path, file->is_private ? 0600 : 0644, text, strlen(text));
}

int run_file_parse(struct files *files, const struct run_file *file, const char *text,
		   size_t length, json_t **ret_members)
{
	_cleanup_free_ char *boot = NULL;
	_cleanup_json_ json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	const char *format, *file_boot;
	json_int_t version;
	int err;

	if (!root ||
	    json_unpack(root, "{s:s, s:I, s:s}", "format", &format, "version", &version,
			boot_member(file), &file_boot) < 0 ||
	    strcmp(format, file->format) != 0 || version != FILE_VERSION)
		return -EBADMSG;
	err = boot_id_read(files, &boot);
	if (err)
		return err;
	if (strcmp(boot, file_boot) != 0)
		return -ESTALE;
	json_object_del(root, "format");
	json_object_del(root, "version");
	json_object_del(root, boot_member(file));
	*ret_members = steal(root);
	return 0;
}

int run_file_read(struct files *files, const char *run_directory, const struct run_file *file,
		  json_t **ret_members)
{
	_cleanup_free_ char *path = path_of(run_directory, file->name), *text = NULL;
	size_t length;
	int err;

	if (!path)
		return -ENOMEM;
	err = fileio_read_trusted(path, MAX_BYTES, &text, &length);
	return err ?: run_file_parse(files, file, text, length, ret_members);
}

struct lock {
	int fd;
	char *path;
	char *pid_path; /* removed together with path on release; or NULL */
};

/* Returns true if the locked file is still the file in the directory. */
static bool is_current(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

/* Tries once. Returns 0 with a descriptor in *ret_fd; -EAGAIN, also with a descriptor, if another
 * process holds the lock; -ESTALE if the file was removed meanwhile; another negative errno. */
static int try_lock(const char *path, mode_t mode, int *ret_fd)
{
	struct stat about;
	_cleanup_close_ int fd = fileio_open_sole(path, O_RDWR | O_CREAT, mode, &about);
	int err = 0;

	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return -errno;
		err = -EAGAIN;
	} else if (!is_current(fd, path)) {
		return -ESTALE;
	}
	*ret_fd = steal_fd(&fd);
	return err;
}

/* Cuts the text at its first byte that is not printable, and at max_length. */
static void keep_printable(char *text, size_t max_length)
{
	size_t length = 0;

	while (length < max_length && isprint((unsigned char)text[length]))
		length++;
	text[length] = '\0';
}

/* Returns the text in a lock file about the holder of the lock, as a new text, or NULL. */
static char *read_lock(int fd)
{
	char text[MAX_HOLDER + 1];
	ssize_t length = pread(fd, text, MAX_HOLDER, 0);

	text[length < 0 ? 0 : length] = '\0';
	keep_printable(text, MAX_HOLDER);
	return strdup(*text ? text : UNKNOWN_HOLDER);
}

/* Locks the file with this name, and tries for wait_ms. Errors as lock_take(). */
static int take_file(const char *run_directory, const char *name, mode_t mode, unsigned int wait_ms,
		     const struct wait_stop *stop, struct lock **ret_lock, char **ret_holder)
{
	_cleanup_lock_ struct lock *lock = calloc(1, sizeof(*lock));
	uint64_t deadline_us;
	bool is_late;
	int err;

	if (!lock)
		return -ENOMEM;
	lock->fd = -1;
	lock->path = path_of(run_directory, name);
	if (!lock->path)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	if (err)
		return err;
	deadline_us = wait_now_us() + wait_ms * US_PER_MS;
	for (;;) {
		err = try_lock(lock->path, mode, &lock->fd);
		is_late = wait_now_us() >= deadline_us;
		if (is_late || (err != -EAGAIN && err != -ESTALE))
			break;
		cleanup_close(&lock->fd);
		lock->fd = -1;
		if (wait_us_or_stop(stop, WAIT_STEP_US))
			return -EINTR;
	}
	if (err == -EAGAIN) {
		*ret_holder = read_lock(lock->fd);
		return *ret_holder ? -EBUSY : -ENOMEM;
	}
	if (!err)
		*ret_lock = steal(lock);
	return err;
}

static int write_lock(const struct lock *lock, const char *text)
{
	if (ftruncate(lock->fd, 0) < 0 || lseek(lock->fd, 0, SEEK_SET) < 0)
		return -errno;
	return fileio_write_fd(lock->fd, text, strlen(text));
}

int lock_take(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
	      struct lock **ret_lock, char **ret_holder)
{
	char text[MAX_HOLDER + 1];
	int err = take_file(run_directory, LOCK_NAME, 0600, wait_ms, stop, ret_lock, ret_holder);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%.32s, process %ld\n", program_invocation_short_name,
		 (long)getpid());
	write_lock(*ret_lock, text); /* if this fails, messages do not name the process */
	return 0;
}

int lock_take_pid_file(const char *run_directory, const char *name, struct lock **ret_lock,
		       pid_t *ret_pid)
{
	_cleanup_free_ char *lock_name = text_format("%s.lock", name);
	_cleanup_free_ char *pid_name = text_format("%s.pid", name), *holder = NULL;
	_cleanup_lock_ struct lock *lock = NULL;
	uint64_t pid = 0;
	char text[24];
	int err;

	if (!lock_name || !pid_name)
		return -ENOMEM;
	err = take_file(run_directory, lock_name, 0600, PID_WAIT_MS, NULL, &lock, &holder);

	if (err == -EBUSY) {
		number_parse(holder, 0, INT32_MAX, &pid);
		*ret_pid = (pid_t)pid;
	}
	if (err)
		return err;
	snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	lock->pid_path = path_of(run_directory, pid_name);
	err = lock->pid_path ? write_lock(lock, text) : -ENOMEM;
	if (!err)
		err = fileio_replace(lock->pid_path, 0644, text, strlen(text));
	if (err)
		return err;
	*ret_lock = steal(lock);
	return 0;
}

void lock_release(struct lock **lock)
{
	if (!*lock)
		return;
	if ((*lock)->pid_path) {
		unlink((*lock)->pid_path);
		unlink((*lock)->path);
	}
	free((*lock)->pid_path);
	free((*lock)->path);
	cleanup_close(&(*lock)->fd);
	free(*lock);
	*lock = NULL;
}

char *lock_problem(const char *run_directory, int err)
{
	_cleanup_free_ char *path = path_of(run_directory, LOCK_NAME);
	static const struct {
		mode_t type;
		const char *name;
	} kinds[] = {
		{ S_IFDIR, "directory" }, { S_IFIFO, "FIFO" },   { S_IFSOCK, "socket" },
		{ S_IFCHR, "device" },    { S_IFBLK, "device" },
	};
	struct stat about;

	if (!path)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && lstat(path, &about) == 0; i++) {
		if ((about.st_mode & S_IFMT) == kinds[i].type)
			return text_format("the file %s in it is a %s and should be a regular "
					   "file; remove it",
					   LOCK_NAME, kinds[i].name);
	}
	return strdup(run_directory_problem(err));
}

/* Opens the lock file and takes a shared lock. This keeps writers out; they try again a moment
 * later. Returns 0 with a descriptor, or a negative errno; -EWOULDBLOCK, also with a descriptor, if
 * a process holds the lock. */
static int share_lock(const char *run_directory, int *ret_fd)
{
	_cleanup_free_ char *path = path_of(run_directory, LOCK_NAME);

	*ret_fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	if (!path)
		return -ENOMEM;
	return *ret_fd < 0 || flock(*ret_fd, LOCK_SH | LOCK_NB) < 0 ? -errno : 0;
}

int lock_is_held(const char *run_directory, char **ret_holder)
{
	_cleanup_close_ int fd = -1;
	int err = share_lock(run_directory, &fd);

	*ret_holder = NULL;
	if (err == -EACCES)
		return err;
	if (err != -EWOULDBLOCK)
		return 0;
	*ret_holder = read_lock(fd);
	return 1;
}
