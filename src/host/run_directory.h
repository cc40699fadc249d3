/* SPDX-License-Identifier: GPL-2.0-only */
/* The run directory (commands.md, "Safety of every setting command"): the lock for programs that
 * write, and files that are valid for one boot. */
#ifndef HOST_RUN_DIRECTORY_H
#define HOST_RUN_DIRECTORY_H

#include <jansson.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/wait.h"
#include "host/files.h"

#define LOCK_WAIT_MS 2000 /* how long a command waits for another command */
#define DAEMON_NAME  "oob" /* for lock_take_pid_file() */

struct lock;

#define _cleanup_lock_ _cleanup_(lock_release)

/* Makes the directory and its parents (mode 0755) if they are missing. Returns 0; -ELOOP if path is
 * a link; -EPERM if it belongs to another user or others may write to it; -ENOTDIR; or the errno of
 * mkdir(). */
int run_directory_make(const char *path);

/* Returns the meaning of an error of run_directory_make(), or of a file in the directory: a text
 * that needs no release. */
const char *run_directory_problem(int err);

/* Reads the identifier of this boot as a new text. Returns 0 or a negative errno of reading. */
int boot_id_read(struct files *files, char **ret_id);

/* A JSON file of the run directory, valid for one boot. It is an object with the members "format",
 * "version", "boot" (the boot id), and the file's own members. */
struct run_file {
	const char *name;
	const char *format;
	bool is_private; /* mode 0600 */
	const char *boot_member; /* the name of the member with the boot id; NULL: "boot" */
};

/* Writes the file atomically, with mode 0644 or 0600. members is an object with the file's own
 * members (NULL: memory is short); this call takes ownership of it. Makes the run directory if
 * needed. Returns 0, a negative errno of the file system or of reading the boot id, or -ENOMEM. */
int run_file_write(struct files *files, const char *run_directory, const struct run_file *file,
		   json_t *members);

/* Reads the file: *ret_members is a new object with the file's own members. Returns 0; -ENOENT;
 * -ESTALE if it is from another boot; -EBADMSG if it is no file of this kind; -EPERM if others may
 * have written it; -ELOOP; another negative errno of reading; -ENOMEM. */
int run_file_read(struct files *files, const char *run_directory, const struct run_file *file,
		  json_t **ret_members);

/* Works as run_file_read() on the text of a file. Returns 0; -ESTALE; -EBADMSG; a negative errno of
 * reading the boot id; -ENOMEM. */
int run_file_parse(struct files *files, const struct run_file *file, const char *text,
		   size_t length, json_t **ret_members);

/* Returns true if the file is from this boot and its first own member is `first` ("\"known\":8,";
 * NULL: any). Reads only the beginning of the file. */
bool run_file_is_current(struct files *files, const char *run_directory,
			 const struct run_file *file, const char *first);

/* Takes the machine's lock, and makes the run directory if needed. Waits up to wait_ms for another
 * holder, or until stop is set (stop may be NULL). The kernel releases the lock when the process
 * ends in any way. Returns 0; -EBUSY with *ret_holder a new text that names the holder
 * ("intel-speed-select, process 1234"); -EINTR if stop is set; -ELOOP if the file is a link;
 * -EINVAL, -EISDIR or -ENXIO if it is not a regular file; -EPERM if it has a second name, is
 * writable by others, or belongs neither to root nor to this user; another negative errno of the
 * file system; -ENOMEM. */
int lock_take(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
	      struct lock **ret_lock, char **ret_holder);

/* Checks without waiting whether another process holds the lock. Returns 1, with *ret_holder a new
 * text that names the process, or NULL if memory is short; 0; or -EACCES if this process may not
 * read the lock. */
int lock_is_held(const char *run_directory, char **ret_holder);

/* Returns the meaning of an error of lock_take(): a new text with the cause and the remedy, to
 * follow the name of the directory; NULL if memory is short. */
char *lock_problem(const char *run_directory, int err);

/* Takes NAME.lock, the lock of a process that may run only once, and writes its id to NAME.pid.
 * Other users can read only NAME.pid, because a user who can read a file can lock it.
 * lock_release() removes both files. Errors as lock_take(); -EBUSY: *ret_pid is the holder, 0:
 * unknown. */
int lock_take_pid_file(const char *run_directory, const char *name, struct lock **ret_lock,
		       pid_t *ret_pid);

/* Releases *lock, which may be NULL, and sets it to NULL. */
void lock_release(struct lock **lock);

#endif
