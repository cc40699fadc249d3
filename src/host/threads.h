/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of processes: how long each has run, where it ran last, and where it may run
 * (proc(5)). */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include "base/cpuset.h"
#include "host/files.h"

struct thread {
	uint32_t id;
	uint32_t cpu; /* that it ran on last */
	uint64_t run_ns; /* CPU time so far */
	bool has_run; /* the caller's: since it began to watch */
};

struct threads {
	struct thread *list; /* by id */
	size_t count;
};

#define _cleanup_threads_ __attribute__((cleanup(threads_done)))

void threads_done(struct threads *threads);

/* Adds the threads of a process. Those that end meanwhile are left out. Returns 0; -ENOENT: there
 * is no such process; another negative errno of reading; -EINVAL for nonsense; -ENOMEM. */
int threads_add(struct files *files, uint32_t process, struct threads *threads);

/* Adds those of all processes in a control group (a path below /sys/fs/cgroup) and the groups in
 * it. Returns as above; -ENOENT: there is no such group. */
int threads_add_group(struct files *files, const char *path, struct threads *threads);

/* Sorts them by id; to be called before threads_find(). */
void threads_sort(struct threads *threads);

/* The thread of that id, or NULL. */
const struct thread *threads_find(const struct threads *threads, uint32_t id);

/* Adds the CPUs on which a thread may run. Returns as threads_add(). */
int threads_read_allowed(struct files *files, uint32_t id, struct cpuset *cpus);

#endif
