/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control groups of a simulated machine, in memory while the state is locked, and kept between
 * times as directories under cgroup/ of the state directory. Inside the simulator only.
 */
#ifndef SIMULATOR_SYSFS_CGROUP_TREE_H
#define SIMULATOR_SYSFS_CGROUP_TREE_H

#include "simulator/state.h"

/* Bits of controllers, in the order in which the kernel names them. */
enum {
	SYSFS_CONTROLLER_CPUSET = 1 << 0,
	SYSFS_CONTROLLER_CPU = 1 << 1,
	SYSFS_CONTROLLER_IO = 1 << 2,
	SYSFS_CONTROLLER_MEMORY = 1 << 3,
	SYSFS_CONTROLLER_HUGETLB = 1 << 4,
	SYSFS_CONTROLLER_PIDS = 1 << 5,
	SYSFS_CONTROLLER_RDMA = 1 << 6,
	SYSFS_CONTROLLER_MISC = 1 << 7,
	SYSFS_CONTROLLERS = (1 << 8) - 1
};

enum sysfs_partition { SYSFS_PARTITION_MEMBER, SYSFS_PARTITION_ROOT, SYSFS_PARTITION_ISOLATED };

/* Why a partition that was asked for does not hold. */
enum sysfs_partition_fault {
	SYSFS_PARTITION_VALID,
	SYSFS_PARTITION_EMPTY,
	SYSFS_PARTITION_NOT_EXCLUSIVE,
	SYSFS_PARTITION_NO_CPU_LEFT,
	SYSFS_PARTITION_BAD_EXCLUSIVE,
	SYSFS_PARTITION_BAD_PARENT
};

struct sysfs_cgroup {
	char *name;
	struct sysfs_cgroup *parent; /* NULL: the root */
	struct sysfs_cgroup *children;
	struct sysfs_cgroup *next; /* of the same parent */
	bool is_changed; /* and has to be saved */
	uint32_t enabled; /* controllers of its children */
	struct cpuset cpus; /* as written */
	struct cpuset exclusive;
	enum sysfs_partition partition;
	enum sysfs_partition_fault fault;
	uint32_t *pids;
	size_t n_pids;
	struct cpuset
		granted; /* its own CPUs, of a valid partition; made by sysfs_cpuset_update() */
	struct cpuset effective; /* made by sysfs_cpuset_update() */
};

#define _cleanup_sysfs_cgroup_ __attribute__((cleanup(sysfs_cgroup_tree_free)))

/* Reads all groups. The lock must be held. Returns 0 and the root, or a negative errno. */
int sysfs_cgroup_tree_load(struct sim_state *state, struct sysfs_cgroup **ret_root);

/* Writes what has changed. Returns 0 or a negative errno. */
int sysfs_cgroup_tree_save(struct sim_state *state, struct sysfs_cgroup *root);

/* Frees all groups below *root, which may be NULL, and leaves NULL. */
void sysfs_cgroup_tree_free(struct sysfs_cgroup **root);

/* The child of that name, which need not end behind length bytes, or NULL. */
struct sysfs_cgroup *sysfs_cgroup_tree_find(struct sysfs_cgroup *parent, const char *name,
					    size_t length);

/* Makes the directory of the group called name in parent. Returns 0 or a negative errno. */
int sysfs_cgroup_tree_make(struct sim_state *state, const struct sysfs_cgroup *parent,
			   const char *name);

/* Removes a group's directory. Returns 0 or a negative errno. */
int sysfs_cgroup_tree_remove(struct sim_state *state, const struct sysfs_cgroup *group);

/* Puts a process into a group, out of where it was. Returns 0 or -ENOMEM. */
int sysfs_cgroup_tree_attach(struct sysfs_cgroup *root, struct sysfs_cgroup *group, uint32_t pid);

/* The controllers that a group has: all, or what its parent enables. */
uint32_t sysfs_cgroup_tree_controllers(const struct sysfs_cgroup *group);

/* The bit of a controller's name, or 0. */
uint32_t sysfs_cgroup_tree_controller(const char *name);

/* Writes the names of bits, a blank between. */
void sysfs_cgroup_tree_write_controllers(uint32_t controllers, FILE *to);

/* "member", "root", "isolated"; an index of enum sysfs_partition. */
extern const char *const sysfs_cgroup_tree_partitions[3];

#endif
