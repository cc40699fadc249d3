/* SPDX-License-Identifier: GPL-2.0-only */
/* What --auto does to priorities, for SST-BF and SST-TF alike (commands.md). */
#ifndef FEATURES_PRIORITIES_H
#define FEATURES_PRIORITIES_H

#include "cli/context.h"
#include "plan/plan.h"

/*
 * Each adds steps for every domain of the context; what cannot be read becomes an error there.
 * They return 0 or -ENOMEM.
 */

/*
 * PRIORITIES_OFF: CLOS stays on, with a note, if SST-TF in another domain of the package needs it.
 * PRIORITIES_FORCE_OFF: it goes off all the same, with a warning.
 */
enum priorities_switch { PRIORITIES_ON, PRIORITIES_OFF, PRIORITIES_FORCE_OFF };

/* Switches SST-CP and CLOS. */
int priorities_plan_core_power(struct context *context, enum priorities_switch wanted,
			       bool ordered);

/* The lowest frequencies of CLOS 0 and of the others, one pair for each domain. */
struct priorities_floor {
	uint32_t high_mhz;
	uint32_t low_mhz;
};

/* CLOS 0 for important cores, CLOS 1 to 3 for the others, none with an upper limit. */
int priorities_plan_clos(struct context *context, const struct priorities_floor *floors);

/*
 * Puts the cores of the CPUs in high into CLOS 0, all others that are online into CLOS 3: those of
 * the domains, or with whole_packages, where a package shares its CLOS, those of their packages.
 */
int priorities_plan_assoc(struct context *context, const struct cpuset *high, bool whole_packages);

#endif
