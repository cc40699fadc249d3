/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that isolate CPUs in a cgroup v2 cpuset partition, and release them (hardware.md, section
 * 6; sysfs.md, "cgroup v2 cpuset"). Each power domain, the owner, has a group below /sys/fs/cgroup,
 * whose name is PACKAGE-DIE-POWER_DOMAIN; 0-0-0 is also that of CPU 0 alone (--cpu0-workaround). */
#ifndef SETTINGS_CGROUP_H
#define SETTINGS_CGROUP_H

#include "host/machine.h"
#include "change/change.h"

/* Can cgroup v2 isolate CPUs here? Returns 0; -ENOTSUP if it cannot, with *ret_problem a sentence
 * for the message (static text); or another negative errno of reading. */
int cgroup_check(struct files *files, const char **ret_problem);

/* Is there a group of ours? Returns 1, 0 or a negative errno of reading. */
int cgroup_has_groups(struct files *files);

/* Finds a CPU that another control group has for itself, in a valid partition directly below
 * /sys/fs/cgroup. To list such a CPU in a group of ours would make that partition invalid, and it
 * would stay so (seen with 6.12). Groups with names like ours are ours. Returns 0 with *ret_cpu the
 * first of cpus that is taken, or CPUSET_NONE; -ENOMEM; or a negative errno of reading. */
int cgroup_find_taken(struct files *files, const struct cpuset *cpus, uint32_t *ret_cpu);

/* Adds to cpus the CPUs that groups of ours isolate, in valid partitions. Returns 0, -ENOMEM, or a
 * negative errno of reading. */
int cgroup_read_isolated(struct files *files, struct cpuset *cpus);

/* Adds the changes that make cpus the isolated partition of the group; none if they are. No CPU at
 * all: as cgroup_plan_release(). A kernel that does not know "isolated" gets "root"; a partition
 * that it accepts but calls invalid fails when it is read back. To be called if cgroup_check()
 * returns 0. Returns 0, -ENOMEM, or a negative errno of reading, then without a change added. */
int cgroup_plan_isolate(struct change_list *changes, const struct machine *machine,
			const struct location *owner, const struct cpuset *cpus);

/* Adds the changes that release the CPUs of the group and remove it; none without such a group. If
 * it cannot be removed, because it has processes or groups, the command does not fail. Returns as
 * cgroup_plan_isolate(). */
int cgroup_plan_release(struct change_list *changes, const struct machine *machine,
			const struct location *owner);

#endif
