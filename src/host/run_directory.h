/* SPDX-License-Identifier: GPL-2.0-only */
/* The run directory (commands.md, "Safety of every setting command"): the lock of those who write,
 * and files that are valid for one boot. */
#ifndef HOST_RUN_DIRECTORY_H
#define HOST_RUN_DIRECTORY_H

#include <jansson.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/wait.h"
#include "host/files.h"

#define LOCK_WAIT_MS 2000 /* how long a command waits for another one */
#define DAEMON_NAME  "oob" /* of lock_take_pid_file() */

struct lock;

#define _cleanup_lock_ _cleanup_(lock_release)

/* Makes the directory (mode 0755, those above it too) if it is missing. Returns 0; -ELOOP if it is
 * a link; -EPERM if it belongs to another user or others may write to it; -ENOTDIR; or the errno of
 * mkdir(). */
int run_directory_make(const char *path);

/* What such an error means, or one of a file in the directory: a text that needs no release. */
const char *run_directory_problem(int err);

/* Reads the identifier of this boot as a new text. Returns 0 or a negative errno of reading. */
int boot_id_read(struct files *files, char **ret_id);

/* A JSON file of the run directory, valid for one boot: an object with the members "format",
 * "version" and "boot", the boot id; and others of its own. */
struct run_file {
	const char *name;
	const char *format;
	bool is_private; /* mode 0600 */
	const char *boot_member; /* the name of the member with the boot id; NULL: "boot" */
};

/* Writes the file, mode 0644 or 0600, whole or not at all: members (an object, of which this call
 * takes ownership; NULL: memory is short) and those above. Makes the run directory if needed.
 * Returns 0, a negative errno of the file system or of reading the boot id, or -ENOMEM. */
int run_file_write(struct files *files, const char *run_directory, const struct run_file *file,
		   json_t *members);

/* Reads the file: *ret_members is a new object with the members of its own. Returns 0; -ENOENT;
 * -ESTALE if it is of another boot; -EBADMSG if it is not such a file; -EPERM if others may have
 * written it; -ELOOP; another negative errno of reading; -ENOMEM. */
int run_file_read(struct files *files, const char *run_directory, const struct run_file *file,
		  json_t **ret_members);

/* The same of a text that was read. Returns 0; -ESTALE; -EBADMSG; a negative errno of reading the
 * boot id; -ENOMEM. */
int run_file_parse(struct files *files, const struct run_file *file, const char *text,
		   size_t length, json_t **ret_members);

/* Is there such a file of this boot, whose first own member is written so ("\"known\":8,"; NULL:
 * any)? Reads its beginning only. */
bool run_file_is_current(struct files *files, const char *run_directory,
			 const struct run_file *file, const char *first);

/* Takes the machine's lock, making the run directory if needed. Waits up to wait_ms for another
 * holder, and no longer if the program is asked to stop (stop may be NULL). The kernel releases the
 * lock however the process ends. Returns 0; -EBUSY with *ret_holder a new text that names the
 * holder ("intel-speed-select, process 1234"); -EINTR if asked to stop; -ELOOP if the file is a
 * link; -EINVAL, -EISDIR or -ENXIO if it is not a regular file; -EPERM if it has a second name, is
 * writable by others, or belongs to neither root nor us; another negative errno of the file system;
 * -ENOMEM. */
int lock_take(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
	      struct lock **ret_lock, char **ret_holder);

/* Does another process hold the lock? Never waits. Returns 1, with *ret_holder a new text that
 * names it, or NULL if memory is short; 0; or -EACCES: this process may not see that. */
int lock_is_held(const char *run_directory, char **ret_holder);

/* What an error of lock_take() means: a new text that names the cause and the remedy, to be put
 * after the name of the directory; NULL if memory is short. */
char *lock_problem(const char *run_directory, int err);

/* Takes the lock of a process that may run once, NAME.lock, and writes its id to NAME.pid. Only the
 * latter can be read by others: who can read a file can lock it. Both are removed when the lock is
 * released. Errors as lock_take(); -EBUSY with *ret_pid the holder, 0: unknown. */
int lock_take_pid_file(const char *run_directory, const char *name, struct lock **ret_lock,
		       pid_t *ret_pid);

/* Releases *lock, which may be NULL, and leaves NULL. */
void lock_release(struct lock **lock);

#endif
