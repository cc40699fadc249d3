/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/fs/cgroup of a simulated machine. path is what follows that in all functions; the lock of
 * the state must be held. Inside the simulator only.
 */
#ifndef SIMULATOR_SYSFS_CGROUP_H
#define SIMULATOR_SYSFS_CGROUP_H

#include "simulator/state.h"
#include "simulator/sysfs_names.h"

/*
 * Returns what follows /sys/fs/cgroup in an absolute path ("" for the directory itself), or NULL
 * for a path that is elsewhere.
 */
const char *sysfs_cgroup_path(const char *path);

/* Reads a file. Returns 0, -ENOENT, -EISDIR, or another negative errno of the state directory. */
int sysfs_cgroup_read(struct sim_state *state, const char *path, FILE *to);

/*
 * Writes to a file. Returns 0; -ENOENT, -EISDIR; -EINVAL for one that is only read and for what the
 * file does not understand; what the file says (sysfs.md, "cgroup v2 cpuset").
 */
int sysfs_cgroup_write(struct sim_state *state, const char *path, const char *text);

/* Lists a group's files and groups. Returns 0, -ENOENT, -ENOTDIR, -ENOMEM... */
int sysfs_cgroup_list(struct sim_state *state, const char *path, struct sysfs_names *names);

/* Makes a group. Returns 0; -EEXIST, -ENOENT, -ENOTDIR, -EINVAL (a newline in the name)... */
int sysfs_cgroup_make(struct sim_state *state, const char *path);

/* Removes one. Returns 0; -EBUSY with processes or groups in it, or the root; -ENOENT, -ENOTDIR. */
int sysfs_cgroup_remove(struct sim_state *state, const char *path);

#endif
