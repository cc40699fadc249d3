/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts: values that items of profiles can read besides settings and files. A fact takes several
 * files, or more than a comparison (record.md, "check"). */
#ifndef PROFILE_FACT_H
#define PROFILE_FACT_H

#include "profile/inspection.h"

enum fact_place { FACT_OF_MACHINE, FACT_OF_CPU, FACT_OF_UNCORE };

struct fact {
	const char *name;
	const char *about; /* one line for pages */
	enum fact_place place;
	enum state_kind kind; /* STATE_BOOLEAN, STATE_NUMBER or STATE_WORD */
	const char *unit; /* or NULL */
	/* Reads the fact into readings: one of the machine, one of each checked CPU, or one of each
	 * uncore; skips uncores of packages without checked CPUs. Returns 0 or -ENOMEM. */
	int (*read)(struct inspection *inspection, struct reading *readings);
	/* Instead of read: reads the fact of one CPU. Returns 0 or -ENOMEM. */
	int (*read_cpu)(struct inspection *inspection, uint32_t cpu, struct reading *reading);
	const char *const *needs; /* settings that it uses, NULL-terminated; or NULL */
};

/* All facts; the last row has no name. */
extern const struct fact facts[];

/* Reads the fact "power-below-tdp" (power.c) as .read of a row. */
int fact_read_power_below_tdp(struct inspection *inspection, struct reading *readings);

/* Finds the fact with that name, or returns NULL. */
const struct fact *fact_find(const char *name);

#endif
