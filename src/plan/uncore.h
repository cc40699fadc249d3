/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps on the limits of uncore frequencies (hardware.md, section 7; sysfs.md, "uncore"). */
#ifndef PLAN_UNCORE_H
#define PLAN_UNCORE_H

#include "machine/machine.h"
#include "plan/plan.h"

/* The uncore of a power domain and the range that it is to have. */
struct uncore_range {
	uint32_t package;
	uint32_t die; /* as sysfs shows it: names the directory of a mailbox part */
	uint32_t power_domain; /* within the package: finds the directories of a TPMI part */
	uint32_t min_mhz; /* rounded down to 100 MHz; 0: not known */
	uint32_t max_mhz; /* the same */
};

/*
 * Adds the steps that set the range, ordered so that the lower limit never is above the upper one;
 * none for a limit that already matches. If one limit of the range is not known, the other one is
 * set alone; a present lower limit above the new upper one is lowered to it, and a new lower one
 * above the present upper one becomes that. With TPMI every cluster of the domain gets the range;
 * the directory of the package, which would set its other domains too, is left alone. Returns 0; or
 * without a step added: -ENOENT if the kernel has no directory for that uncore, or no limit is
 * known; -ENXIO if no CPU of the die is online; -EINVAL if min is above max, or for nonsense in a
 * file; another negative errno of reading; -ENOMEM.
 */
int uncore_plan_range(struct plan *plan, const struct machine *machine,
		      const struct uncore_range *range);

/* Has the kernel a directory for that uncore? One that cannot be read counts; bounds are unused. */
bool uncore_has_directory(const struct machine *machine, const struct uncore_range *range);

#endif
