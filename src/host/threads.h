/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of processes: how long each thread has run, on which CPU it ran last, and on which CPUs
 * it may run (proc(5)). */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include "base/cpuset.h"
#include "host/files.h"

struct thread {
	uint32_t id;
	uint32_t cpu; /* the CPU that it ran on last */
	uint64_t run_ns; /* CPU time so far */
	bool has_run; /* the caller sets it: the thread ran since the caller began to watch */
};

struct threads {
	struct thread *list; /* sorted by id after threads_sort() */
	size_t count;
};

#define _cleanup_threads_ __attribute__((cleanup(threads_done)))

void threads_done(struct threads *threads);

/* Adds the threads of a process, without threads that end meanwhile. Returns 0; -ENOENT: there is
 * no such process; another negative errno of reading; -EINVAL for invalid content; -ENOMEM. */
int threads_add(struct files *files, uint32_t process, struct threads *threads);

/* Adds the threads of all processes in a control group (a path below /sys/fs/cgroup) and its
 * subgroups. Returns as threads_add(); -ENOENT: there is no such group. */
int threads_add_group(struct files *files, const char *path, struct threads *threads);

/* Sorts the threads by id; must be called before threads_find(). */
void threads_sort(struct threads *threads);

/* Returns the thread with this id, or NULL. */
const struct thread *threads_find(const struct threads *threads, uint32_t id);

/* Adds the CPUs on which a thread may run. Returns as threads_add(). */
int threads_read_allowed(struct files *files, uint32_t id, struct cpuset *cpus);

#endif
