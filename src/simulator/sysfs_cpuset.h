/* SPDX-License-Identifier: GPL-2.0-only */
/* The cpuset controller: which CPUs a group has, and when a partition holds. */
#ifndef SIMULATOR_SYSFS_CPUSET_H
#define SIMULATOR_SYSFS_CPUSET_H

#include "simulator/sysfs_cgroup_tree.h"

/*
 * Works out granted and effective of every group, from the settings and the CPUs online.
 * Returns 0 or -ENOMEM.
 */
int sysfs_cpuset_update(const struct sim_state *state, struct sysfs_cgroup *root);

/*
 * Sets what is written to a group's cpuset.cpus, and settles what that means for the partitions
 * around. granted and effective must be, and are then, up to date. Returns 0; -EINVAL (no list, or
 * CPUs that are a sibling's exclusive ones), -ERANGE (a CPU that the machine cannot have), -ENOMEM.
 */
int sysfs_cpuset_store_cpus(const struct sim_state *state, struct sysfs_cgroup *group,
			    const char *text);

/* The same for cpuset.cpus.exclusive. */
int sysfs_cpuset_store_exclusive(const struct sim_state *state, struct sysfs_cgroup *group,
				 const char *text);

/* The same for cpuset.cpus.partition; -EINVAL where there is no such partition. */
int sysfs_cpuset_store_partition(const struct sim_state *state, struct sysfs_cgroup *group,
				 const char *text);

/* Forgets the settings of a group that loses the controller. */
void sysfs_cpuset_clear(struct sysfs_cgroup *group);

/* Has a partition with processes lost all its CPUs to hotplug? It then holds again with them. */
bool sysfs_cpuset_is_suspended(const struct sim_state *state, const struct sysfs_cgroup *group);

/* Adds the CPUs of all isolated partitions. Returns 0 or -ENOMEM. */
int sysfs_cpuset_collect_isolated(const struct sysfs_cgroup *root, struct cpuset *set);

#endif
