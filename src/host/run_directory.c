// SPDX-License-Identifier: GPL-2.0-only
/* Only its owner can change what is in the run directory, so its files can be found by their names.
 * The lock file is never removed, so that two processes cannot hold two files of one name; if
 * somebody else removes it, the new file is locked instead. Its text is for people only. */
#include "host/run_directory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/number.h"

#define BOOT_ID        "/proc/sys/kernel/random/boot_id"
#define LOCK_NAME      "lock"
#define MAX_BYTES      (16U << 20) /* of a JSON file */
#define MAX_HOLDER     64 /* of the lock, in bytes */
#define MAX_NOTE       128 /* that is shown, in bytes */
#define PID_WAIT_MS    100 /* a process that ends is removing its file */
#define UNKNOWN_HOLDER "another process"
#define US_PER_MS      UINT64_C(1000)
#define WAIT_STEP_US   20000

static const struct run_file note_file = {
	.name = "unfinished",
	.format = "intel-speed-select unfinished command",
	.version = 1,
	.boot_member = "boot",
};

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
	case -EPERM:
		return "it is another user's, or others may write to it";
	}
	return strerror(-err);
}

/* Returns a new path, or NULL. */
static char *path_of(const char *run_directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", run_directory, name) < 0 ? NULL : path;
}

/* Adds what every file has to its members. Returns a new text, or NULL. */
static char *format_file(const struct run_file *file, const char *boot, json_t *members)
{
	_cleanup_json_ json_t *root = json_pack("{s:s, s:i, s:s}", "format", file->format,
						"version", file->version, file->boot_member, boot);

	if (!root || json_object_update(root, members) < 0)
		return NULL;
	return json_dumps(root, JSON_COMPACT);
}

int run_file_write(struct files *files, const char *run_directory, const struct run_file *file,
		   json_t *members)
{
	_cleanup_free_ char *path = path_of(run_directory, file->name), *boot = NULL, *text = NULL;
	_cleanup_json_ json_t *owned = members;
	int err = files_read_line(files, BOOT_ID, &boot);

	if (err)
		return err;
	text = owned ? format_file(file, boot, owned) : NULL;
	if (!path || !text)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	if (err)
		return err;
	return fileio_replace(path, 0644, text, strlen(text));
}

/* Checks what every file has, and removes it from its members. */
static int check_file(struct files *files, const struct run_file *file, json_t *root)
{
	_cleanup_free_ char *boot = NULL;
	const char *format, *file_boot;
	json_int_t version;
	bool is_stale;
	int err;

	if (json_unpack(root, "{s:s, s:I, s:s}", "format", &format, "version", &version,
			file->boot_member, &file_boot) < 0 ||
	    strcmp(format, file->format) != 0 || version != file->version)
		return -EBADMSG;
	err = files_read_line(files, BOOT_ID, &boot);
	if (err)
		return err;
	is_stale = strcmp(boot, file_boot) != 0;
	json_object_del(root, "format");
	json_object_del(root, "version");
	json_object_del(root, file->boot_member);
	return is_stale ? -ESTALE : 0;
}

int run_file_read(struct files *files, const char *run_directory, const struct run_file *file,
		  json_t **ret_members)
{
	_cleanup_free_ char *path = path_of(run_directory, file->name), *text = NULL;
	_cleanup_json_ json_t *root = NULL;
	size_t length;
	int err;

	if (!path)
		return -ENOMEM;
	err = fileio_read_trusted(path, MAX_BYTES, &text, &length);
	if (err)
		return err;
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	if (!root)
		return -EBADMSG;
	err = check_file(files, file, root);
	if (err)
		return err;
	*ret_members = steal_pointer(root);
	return 0;
}

struct lock {
	int fd;
	char *path; /* to remove when it is released, or NULL */
};

static int open_lock(const char *path, mode_t mode, int *ret_fd)
{
	_cleanup_close_ int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	struct stat about;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode))
		return -EINVAL;
	if (about.st_nlink > 1 || !trust_is_exclusive(&about))
		return -EPERM;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* Is the locked file still the one that others find? */
static bool is_current(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

/* One try. Returns 0; -EAGAIN if another process holds it, with its file in *ret_fd too; -ESTALE if
 * the file was removed meanwhile. */
static int try_lock(const char *path, mode_t mode, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int err = open_lock(path, mode, &fd);

	if (err)
		return err;
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

/* Tries for wait_ms. Returns 0; -EINTR; -EBUSY with the holder's file; others. */
static int wait_for_lock(const char *path, mode_t mode, unsigned int wait_ms,
			 const struct wait_stop *stop, int *ret_fd)
{
	uint64_t deadline_us = wait_now_us() + wait_ms * US_PER_MS;

	for (;;) {
		_cleanup_close_ int fd = -1;
		int err = try_lock(path, mode, &fd);
		bool is_late = wait_now_us() >= deadline_us;

		if (!err || (err == -EAGAIN && is_late)) {
			*ret_fd = steal_fd(&fd);
			return err ? -EBUSY : 0;
		}
		if (is_late || (err != -EAGAIN && err != -ESTALE))
			return err;
		if (wait_us_or_stop(stop, WAIT_STEP_US))
			return -EINTR;
	}
}

/* Locks the file of that name. Returns as wait_for_lock(). */
static int take_file(const char *run_directory, const char *name, mode_t mode, unsigned int wait_ms,
		     const struct wait_stop *stop, struct lock *ret_lock)
{
	_cleanup_free_ char *path = path_of(run_directory, name);
	int err;

	if (!path)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	if (err)
		return err;
	err = wait_for_lock(path, mode, wait_ms, stop, &ret_lock->fd);
	if (!err)
		ret_lock->path = steal_pointer(path);
	return err;
}

/* Cuts the text at its first byte that cannot be shown, and at that length. */
static void keep_printable(char *text, size_t max_length)
{
	size_t length = 0;

	while (length < max_length && isprint((unsigned char)text[length]))
		length++;
	text[length] = '\0';
}

/* What the file of a lock says of its holder, as a new text, or NULL. */
static char *read_lock(int fd)
{
	char text[MAX_HOLDER + 1];
	ssize_t length = pread(fd, text, MAX_HOLDER, 0);

	text[length < 0 ? 0 : length] = '\0';
	keep_printable(text, MAX_HOLDER);
	return strdup(*text ? text : UNKNOWN_HOLDER);
}

static int write_lock(int fd, const char *text)
{
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	return fileio_write_fd(fd, text, strlen(text));
}

/* Hands the lock out as a new object, or gives it back. */
static int keep_lock(struct lock *lock, struct lock **ret_lock)
{
	struct lock *kept = malloc(sizeof(*kept));

	if (!kept) {
		close(lock->fd);
		free(lock->path);
		return -ENOMEM;
	}
	*kept = *lock;
	*ret_lock = kept;
	return 0;
}

int lock_take(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
	      struct lock **ret_lock, char **ret_holder)
{
	struct lock lock = { .fd = -1 };
	char text[MAX_HOLDER + 1];
	int err = take_file(run_directory, LOCK_NAME, 0600, wait_ms, stop, &lock);

	if (err == -EBUSY) {
		char *holder = read_lock(lock.fd);

		close(lock.fd);
		if (!holder)
			return -ENOMEM;
		*ret_holder = holder;
	}
	if (err)
		return err;
	free(steal_pointer(lock.path)); /* the file stays */
	snprintf(text, sizeof(text), "%.32s, process %ld\n", program_invocation_short_name,
		 (long)getpid());
	write_lock(lock.fd, text); /* without it a message names no process, nothing worse */
	return keep_lock(&lock, ret_lock);
}

int lock_take_pid_file(const char *run_directory, const char *name, struct lock **ret_lock,
		       pid_t *ret_pid)
{
	struct lock lock = { .fd = -1 };
	char text[24];
	int err = take_file(run_directory, name, 0644, PID_WAIT_MS, NULL, &lock);

	if (err == -EBUSY) {
		_cleanup_free_ char *holder = read_lock(lock.fd);
		uint64_t pid = 0;

		close(lock.fd);
		if (holder)
			number_parse(holder, 0, INT32_MAX, &pid);
		*ret_pid = (pid_t)pid;
	}
	if (err)
		return err;
	snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	err = write_lock(lock.fd, text);
	if (err) {
		close(lock.fd);
		free(lock.path);
		return err;
	}
	return keep_lock(&lock, ret_lock);
}

void lock_release(struct lock **lock)
{
	if (!*lock)
		return;
	if ((*lock)->path)
		unlink((*lock)->path);
	free((*lock)->path);
	close((*lock)->fd);
	free(*lock);
	*lock = NULL;
}

/* What a file is that is not regular; NULL: it is, or is a link. */
static const char *kind_of(const struct stat *about)
{
	switch (about->st_mode & S_IFMT) {
	case S_IFDIR:
		return "directory";
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "socket";
	case S_IFCHR:
	case S_IFBLK:
		return "device";
	}
	return NULL;
}

char *lock_problem(const char *run_directory, int err)
{
	_cleanup_free_ char *path = path_of(run_directory, LOCK_NAME);
	const char *kind = NULL;
	struct stat about;
	char *problem;

	if (!path)
		return NULL;
	if (lstat(path, &about) == 0)
		kind = kind_of(&about);
	if (!kind)
		return strdup(run_directory_problem(err));
	return asprintf(&problem,
			"the file %s in it is a %s and should be a regular file; remove it",
			LOCK_NAME, kind) < 0
		       ? NULL
		       : problem;
}

int run_note_write(struct files *files, const char *run_directory, const char *command)
{
	return run_file_write(files, run_directory, &note_file,
			      json_pack("{s:s, s:I, s:s}", "program", program_invocation_short_name,
					"process", (json_int_t)getpid(), "command", command));
}

int run_note_remove(const char *run_directory)
{
	_cleanup_free_ char *path = path_of(run_directory, note_file.name);

	if (!path)
		return -ENOMEM;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

/* Keeps writers out while a note is read; they try again a moment later. Returns 0; -EWOULDBLOCK if
 * one is writing; -ENOENT if there was none yet; another negative errno. */
static int keep_writers_out(const char *run_directory, int *ret_fd)
{
	_cleanup_free_ char *path = path_of(run_directory, LOCK_NAME);
	_cleanup_close_ int fd = -1;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0)
		return -errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* Puts a note into a new text; one that is damaged is a note all the same. */
static int format_note(json_t *note, char **ret_text)
{
	const char *program, *command;
	json_int_t process;
	char *text;

	if (!note || json_unpack(note, "{s:s, s:I, s:s}", "program", &program, "process", &process,
				 "command", &command) < 0)
		text = strdup(UNKNOWN_HOLDER);
	else if (asprintf(&text, "%.32s, process %" JSON_INTEGER_FORMAT ", %s", program, process,
			  command) < 0)
		text = NULL;
	if (!text)
		return -ENOMEM;
	keep_printable(text, MAX_NOTE);
	*ret_text = text;
	return 0;
}

int run_note_read(struct files *files, const char *run_directory, bool has_lock, char **ret_text)
{
	_cleanup_json_ json_t *note = NULL;
	_cleanup_close_ int fd = -1;
	int err = has_lock ? 0 : keep_writers_out(run_directory, &fd);

	if (!err)
		err = run_file_read(files, run_directory, &note_file, &note);
	if (err == -ENOENT || err == -ESTALE || err == -EWOULDBLOCK) {
		*ret_text = NULL;
		return 0;
	}
	if (err && err != -EBADMSG)
		return err;
	return format_note(note, ret_text);
}
