/* SPDX-License-Identifier: GPL-2.0-only */
/* A location of the machine, as messages name it. */
#ifndef BASE_LOCATION_H
#define BASE_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#define LOCATION_NO_CPU     UINT32_MAX
#define LOCATION_NO_PACKAGE UINT32_MAX

struct location {
	uint32_t package; /* or LOCATION_NO_PACKAGE: the whole machine */
	uint32_t die;
	bool die_is_io; /* the die is called "die-IO" */
	bool die_is_unknown; /* the die is left out */
	bool has_power_domain;
	uint32_t power_domain;
	uint32_t cpu; /* or LOCATION_NO_CPU */
};

/* Formats it as a new text: "package-0 die-1", "package-0 die-1 powerdomain-2"; "" for the
 * whole machine. NULL: no memory. */
char *location_format(const struct location *location);

/* As location_format(), with the CPU if there is one: "package-0 die-1 cpu-3". */
char *location_format_cpu(const struct location *location);

#endif
