/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that isolate CPUs in a cgroup v2 cpuset partition, and release them (hardware.md, section
 * 6; sysfs.md, "cgroup v2 cpuset"). Each power domain (the owner) has a group below /sys/fs/cgroup
 * named PACKAGE-DIE-POWER_DOMAIN. With --cpu0-workaround, group 0-0-0 isolates only CPU 0. */
#ifndef SETTINGS_CGROUP_H
#define SETTINGS_CGROUP_H

#include "host/machine.h"
#include "change/change.h"

/* Checks if cgroup v2 can isolate CPUs here. Returns 0; -ENOTSUP if not, with a sentence for the
 * message in *ret_problem (static text); or another negative errno of reading. */
int cgroup_check(struct files *files, const char **ret_problem);

/* Returns 1 if this program has a group, 0 if not, or a negative errno of reading. */
int cgroup_has_groups(struct files *files);

/* Finds a CPU of cpus that is in a valid partition of another program, directly below
 * /sys/fs/cgroup. If a group of this program lists such a CPU, that partition becomes invalid and
 * stays invalid (seen with 6.12). Groups with names as above belong to this program. Returns 0,
 * with *ret_cpu the first such CPU or CPUSET_NONE; -ENOMEM; or a negative errno of reading. */
int cgroup_find_taken(struct files *files, const struct cpuset *cpus, uint32_t *ret_cpu);

/* Adds to cpus the CPUs that this program's groups isolate, in valid partitions. Returns 0,
 * -ENOMEM, or a negative errno of reading. */
int cgroup_read_isolated(struct files *files, struct cpuset *cpus);

/* Adds the changes that make cpus the isolated partition of the group; none if it is that already.
 * If cpus is empty, works like cgroup_plan_release(). A kernel that does not know "isolated" gets
 * "root". A partition that the kernel accepts but calls invalid fails when it is read back. Call
 * this only if cgroup_check() returns 0. Returns 0, -ENOMEM, or a negative errno of reading, then
 * without a change added. */
int cgroup_plan_isolate(struct change_list *changes, const struct machine *machine,
			const struct location *owner, const struct cpuset *cpus);

/* Adds the changes that release the CPUs of the group and remove the group; none if it does not
 * exist. The command does not fail if the group cannot be removed because it has processes or
 * groups. Returns the same as cgroup_plan_isolate(). */
int cgroup_plan_release(struct change_list *changes, const struct machine *machine,
			const struct location *owner);

#endif
