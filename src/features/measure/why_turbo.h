/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain --measure: what to change for CPUs that limits of turbo limit, which depend on
 * other cores of the package, or turbo that is off. There is one change for a package, so that no
 * two undo each other, and its price for others is known (measure.md, "jitter, ladder, explain").
 */
#ifndef FEATURES_MEASURE_WHY_TURBO_H
#define FEATURES_MEASURE_WHY_TURBO_H

#include "features/measure/common.h"
#include "measure/why.h"

/* CPUs of a window, explained. */
struct explanation {
	const struct measurement *measurement;
	struct why_cpu *cpus;
	size_t n_cpus;
	struct why_limits *limits; /* by CPU of it */
	struct cpuset active;
};

/* Changes of packages that are the same; one command makes them. */
struct turbo_change {
	char *command;
	/* CPUs that it lowers, and what they can have at most, now and then; none: empty, 0. */
	struct cpuset lowered;
	uint32_t now_khz, then_khz;
	struct cpuset packages; /* numbers */
};

struct turbo_changes {
	struct turbo_change *list;
	size_t count;
};

void turbo_changes_done(struct turbo_changes *changes);
#define _cleanup_turbo_changes_ __attribute__((cleanup(turbo_changes_done)))

/* Finds the changes that let CPUs have more that a limit of turbo limits, and none of them less; or
 * turbo on, if it lets some of them have more.
 * Returns 0 or -ENOMEM. */
int turbo_changes_find(const struct explanation *explanation, struct turbo_changes *ret_changes);

/* Is it a limit of turbo, by numbers of cores of the package ("limited-by")? */
bool turbo_limits(const char *limited_by);

/* The change for a CPU of that package that is limited by that, or NULL. */
const struct turbo_change *turbo_changes_get(const struct turbo_changes *changes,
					     const char *limited_by, uint32_t package);

#endif
