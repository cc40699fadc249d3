/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of the limits of uncore frequencies (hardware.md, section 7; sysfs.md, "uncore"). */
#ifndef SETTINGS_UNCORE_H
#define SETTINGS_UNCORE_H

#include "change/change.h"
#include "host/uncore.h"

/* The uncore of a power domain and the range to set. */
struct uncore_range {
	uint32_t package;
	uint32_t die; /* as sysfs shows it: names the directory of a mailbox part */
	uint32_t power_domain; /* within the package: finds the directories of a TPMI part */
	uint32_t min_mhz; /* rounded down to 100 MHz; 0: unknown */
	uint32_t max_mhz; /* rounded down to 100 MHz; 0: unknown */
};

/* Rounds a limit down to 100 MHz, as the kernel does, and returns it in kHz. */
uint32_t uncore_round_khz(uint64_t mhz);

/* Adds the changes that set the range in every unit of the power domain, or of the die. If one
 * limit of the range is unknown, only the other one is set. If the lower limit is above the upper
 * one then, it becomes equal to the upper one. Returns 0; -ENOMEM; or, without a change added:
 * -ENOENT if there is no such unit or no limit is known; -ENXIO if no CPU of the die is online;
 * -EINVAL if min is above max or a unit has an invalid limit; another negative errno of reading the
 * limits. Always sets *ret_has_unit: true if there is such a unit. read_error: why no unit could be
 * read, or 0. If it is not 0, *ret_has_unit is true, and read_error is returned if a limit is
 * known. */
int uncore_plan_range(struct change_list *changes, const struct uncore_units *units, int read_error,
		      const struct uncore_range *range, bool *ret_has_unit);
#endif
