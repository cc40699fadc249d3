/* SPDX-License-Identifier: GPL-2.0-only */
/* Like steps of one place as one group, so that many steps have few names. */
#ifndef CLI_STEP_GROUPS_H
#define CLI_STEP_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cpuset.h"

struct plan;
struct plan_step;

/* Steps of one package, die and power domain that differ in a last number or in their CPU only. */
struct step_group {
	const struct plan_step *first;
	size_t count;
	size_t stem_length; /* of first->what without its last number */
	struct cpuset numbers; /* those numbers */
	struct cpuset cpus; /* of the steps that are of one CPU */
};

struct step_groups {
	struct step_group *list; /* in the order of their first steps */
	size_t count;
};

#define _cleanup_step_groups_ __attribute__((cleanup(step_groups_done)))

/*
 * Groups the steps[0..count-1], those that write nothing left out; by_value: only steps with the
 * same old and new value go together. ret_groups points into the plan. Returns 0 or -ENOMEM.
 */
int step_groups_make(const struct plan_step *const *steps, size_t count, bool by_value,
		     struct step_groups *ret_groups);

/* Frees what the groups hold, and leaves none. */
void step_groups_done(struct step_groups *groups);

/*
 * A new text that names the steps undone[0..count-1] of the plan, given in the order of undoing, in
 * the order of the plan: "CLOS 0 to 3 of package-0 die-0, scaling_max_freq of CPUs 0 to 7 in
 * package-0 die-0". NULL if memory is short.
 */
char *step_groups_name_undone(const struct plan *plan, const size_t *undone, size_t count);

#endif
