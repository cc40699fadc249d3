/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of one control group as files in its directory. Inside the simulator only. */
#ifndef SIMULATOR_SYSFS_CGROUP_FILES_H
#define SIMULATOR_SYSFS_CGROUP_FILES_H

#include "simulator/sysfs_cgroup_tree.h"

/*
 * Reads what there is in the directory fd; what is not keeps its value. Processes that have ended
 * are left out. Returns 0, -EINVAL for a file that we did not write, or another negative errno.
 */
int sysfs_cgroup_files_load(int fd, struct sysfs_cgroup *group);

/* Writes all settings. Returns 0 or a negative errno. */
int sysfs_cgroup_files_save(int fd, const struct sysfs_cgroup *group);

/* Removes the files. Returns 0 or a negative errno. */
int sysfs_cgroup_files_remove(int fd);

/*
 * Writes what cpuset.cpus.partition shows of a partition: its name and, where it does not hold,
 * "invalid" and why.
 */
void sysfs_cgroup_files_write_partition(enum sysfs_partition partition,
					enum sysfs_partition_fault fault, FILE *to);

/* Reads that back. Returns 0 or -EINVAL. */
int sysfs_cgroup_files_parse_partition(const char *text, enum sysfs_partition *ret_partition,
				       enum sysfs_partition_fault *ret_fault);

#endif
