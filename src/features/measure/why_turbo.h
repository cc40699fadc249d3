/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain --measure: finds what to change if turbo is off, or if a limit of turbo limits
 * CPUs, which depends on other cores of the package. A package has only one change, so that changes
 * do not undo each other and their price is known (measure.md, "jitter, ladder, explain"). */
#ifndef FEATURES_MEASURE_WHY_TURBO_H
#define FEATURES_MEASURE_WHY_TURBO_H

#include "features/measure/common.h"
#include "measure/why.h"

/* CPUs of a window, explained. */
struct explanation {
	const struct measurement *measurement;
	struct why_cpu *cpus;
	size_t n_cpus;
	struct why_limits *limits; /* for each CPU of the window */
	struct cpuset active;
};

/* A change that is the same for some packages. One command makes it. */
struct turbo_change {
	char *command;
	/* CPUs that the change lowers, and their highest frequency before and after it; none:
	 * empty, 0. */
	struct cpuset lowered;
	uint32_t now_khz, then_khz;
	struct cpuset packages; /* numbers of packages */
};

struct turbo_changes {
	struct turbo_change *list;
	size_t count;
};

void turbo_changes_done(struct turbo_changes *changes);
#define _cleanup_turbo_changes_ __attribute__((cleanup(turbo_changes_done)))

/* Finds changes that raise CPUs which a limit of turbo limits, and lower none of them; or turbo on,
 * if this raises some of them. Returns 0 or -ENOMEM. */
int turbo_changes_find(const struct explanation *explanation, struct turbo_changes *ret_changes);

/* Returns true if limited_by is a limit of turbo that depends on numbers of cores. */
bool turbo_limits(const char *limited_by);

/* The change for a CPU of this package with this limited_by, or NULL. */
const struct turbo_change *turbo_changes_get(const struct turbo_changes *changes,
					     const char *limited_by, uint32_t package);

#endif
