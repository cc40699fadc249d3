/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that show the same, together: how cpufreq and cpuidle are read on large machines. */
#ifndef FEATURES_CPU_GROUPS_H
#define FEATURES_CPU_GROUPS_H

#include "cli/context.h"

/* CPUs of one die that are alike; one at least. */
struct cpu_group {
	uint32_t package;
	uint32_t die;
	uint32_t cpu; /* the first */
	struct cpuset cpus; /* all; empty if there is one: a set takes room for all CPUs below */
	const void *record; /* of its first CPU; the caller's */
};

struct cpu_groups {
	struct cpu_group *groups; /* by package, die, first CPU */
	size_t count;
};

#define _cleanup_cpu_groups_ __attribute__((cleanup(cpu_groups_done)))

/*
 * Groups the CPUs, of which records has one pointer each, ascending; NULL leaves a CPU out. equal
 * tells whether two records show the same; NULL: none do. Returns 0 or -ENOMEM.
 */
int cpu_groups_make(const struct topology *topology, const struct cpuset *cpus,
		    const void *const *records, bool (*equal)(const void *, const void *),
		    struct cpu_groups *ret_groups);
void cpu_groups_done(struct cpu_groups *groups);

/* Where a group belongs in the output; valid as long as the group. */
struct output_place cpu_groups_place(const struct cpu_group *group);

#endif
