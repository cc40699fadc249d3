/* SPDX-License-Identifier: GPL-2.0-only */
/* One daemon at a time: a locked file in the run directory that has its process id. */
#ifndef DAEMON_PID_FILE_H
#define DAEMON_PID_FILE_H

#include <sys/types.h>

struct pid_file;

#define _cleanup_pid_file_ __attribute__((cleanup(pid_file_release)))

/*
 * Takes the file, making the run directory as needed, and writes this process's id into it. Returns
 * 0; -EBUSY with *ret_pid the process that has it (0: it does not say); -ELOOP, -EPERM where the
 * file cannot be trusted; another negative errno of the file system; -ENOMEM.
 */
int pid_file_take(const char *run_directory, struct pid_file **ret_file, pid_t *ret_pid);

/* Removes the file and lets go of it. *file may be NULL; leaves NULL. */
void pid_file_release(struct pid_file **file);

#endif
