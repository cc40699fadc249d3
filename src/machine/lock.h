/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One writer at a time: a file in the run directory is locked by whoever sets something. The kernel
 * lets go of it however the process ends.
 */
#ifndef MACHINE_LOCK_H
#define MACHINE_LOCK_H

#include "base/wait.h"

#define LOCK_NAME "lock" /* of the file in the run directory */

struct lock;

#define _cleanup_lock_ __attribute__((cleanup(lock_release)))

/*
 * Takes the lock, making the run directory as needed; waits at most two seconds for another holder,
 * and not when the program is asked to stop (stop may be NULL: it never is). Returns 0; -EBUSY with
 * *ret_holder a new text that names the holder ("intel-speed-select, process 1234"); -EINTR when it
 * was asked to stop; -ELOOP if the file is a link; -EINVAL, -EISDIR or -ENXIO if it is not a
 * regular file; -EPERM if it has a second name, is writable by everybody, or belongs to somebody
 * else than root and us; -EACCES if we may not make it; another negative errno of the file system;
 * -ENOMEM.
 */
int lock_take(const char *run_directory, const struct wait_stop *stop, struct lock **ret_lock,
	      char **ret_holder);

/* The same, waiting at most wait_ms. */
int lock_take_within(const char *run_directory, unsigned int wait_ms, const struct wait_stop *stop,
		     struct lock **ret_lock, char **ret_holder);

/*
 * Why lock_take() returned err: a new text that names the cause and the remedy, to be put after the
 * name of the directory; NULL if memory is short.
 */
char *lock_problem(const char *run_directory, int err);

/* Gives *lock, which may be NULL, back and leaves NULL. The file stays. */
void lock_release(struct lock **lock);

#endif
