/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps that isolate CPUs in a cgroup v2 cpuset partition, and that give them back (hardware.md,
 * section 6; sysfs.md, "cgroup v2 cpuset"). Each power domain has a group of its own below
 * /sys/fs/cgroup.
 */
#ifndef PLAN_CGROUP_H
#define PLAN_CGROUP_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Whose group it is: it is named PACKAGE-DIE-POWER_DOMAIN. All 0: CPU 0 alone (--cpu0-workaround).
 */
struct cgroup_owner {
	uint32_t package;
	uint32_t die;
	uint32_t power_domain;
};

/*
 * Can cgroup v2 isolate CPUs here? Returns 0; -ENOTSUP where it cannot, with *ret_problem a
 * sentence for the message (static text); or another negative errno of reading.
 */
int cgroup_check(struct files *files, const char **ret_problem);

/* Is there a group of ours? Returns 1, 0 or a negative errno of reading. */
int cgroup_has_groups(struct files *files);

/*
 * Finds a CPU that another control group has for itself, in a valid partition directly below
 * /sys/fs/cgroup. To list such a CPU in a group of ours would make that partition invalid, and it
 * would stay so (seen with 6.12). Groups named like ours are ours. Returns 0 with *ret_cpu the
 * first of cpus that is taken, or CPUSET_NONE; -ENOMEM; or a negative errno of reading.
 */
int cgroup_find_taken(struct files *files, const struct cpuset *cpus, uint32_t *ret_cpu);

/*
 * Adds the steps after which cpus, a list of any length, are the group's isolated partition; none
 * where they are already. No CPU at all: as cgroup_plan_release(). A kernel that does not know the
 * word "isolated" is given "root"; a partition that it takes but calls invalid fails when it is
 * read back. To be called where cgroup_check() says yes. Returns 0, -ENOMEM, or a negative errno of
 * reading, then without a step added.
 */
int cgroup_plan_isolate(struct plan *plan, const struct machine *machine,
			const struct cgroup_owner *owner, const struct cpuset *cpus);

/*
 * Adds the steps that give the CPUs of the group back and remove it; none without such a group.
 * That it cannot be removed, because of processes or groups in it, is no failure of the plan.
 * Returns as cgroup_plan_isolate().
 */
int cgroup_plan_release(struct plan *plan, const struct machine *machine,
			const struct cgroup_owner *owner);

#endif
