/* SPDX-License-Identifier: GPL-2.0-only */
/* A place of the machine: package, die, power domain, CPU. */
#ifndef HOST_LOCATION_H
#define HOST_LOCATION_H

#include "host/machine.h"

#define LOCATION_NO_CPU UINT32_MAX

#define LOCATION_NO_PACKAGE UINT32_MAX

struct location {
	uint32_t package; /* or LOCATION_NO_PACKAGE: the whole machine */
	uint32_t die;
	bool die_is_io; /* it is called "die-IO" */
	bool die_is_unknown; /* it is left out */
	bool has_power_domain;
	uint32_t power_domain;
	uint32_t cpu; /* or LOCATION_NO_CPU */
};

/* The location of one CPU, with its package and die if the topology has them. */
struct location location_of_cpu(const struct machine *machine, uint32_t cpu);

/* Formats the place as a new text: "package-0 die-1", "package-0 die-1 powerdomain-2"; "" for the
 * whole machine. NULL: no memory. */
char *location_format(const struct location *location);

#endif
