/* SPDX-License-Identifier: GPL-2.0-only */
/* SST-CP for other features: its state, and the priorities that --auto sets. */
#ifndef FEATURES_CORE_POWER_H
#define FEATURES_CORE_POWER_H

#include "run/context.h"

/* Reads SST-CP of every domain into a new array, with_clos: whether CLOS are on, too. Returns 0 or
 * -ENOMEM. */
int core_power_read(struct context *context, bool with_clos,
		    struct platform_core_power_query **ret_queries);

/* Requests for the CLOS of one domain (an index): CLOS 0 with high_mhz as the lowest frequency,
 * CLOS 1 to 3 with low_mhz, none with an upper limit; the desired frequency stays. */
void core_power_request_clos(struct context *context, size_t domain, uint32_t high_mhz,
			     uint32_t low_mhz);

/* Requests that put the cores of the CPUs in high into CLOS 0, and those of all others into CLOS 3:
 * CPUs of the domains, offline ones whose core is known, too; or, with whole_packages, only online
 * ones, and, if a package shares its CLOS, of all its domains. Returns 0 or -ENOMEM. */
int core_power_request_priorities(struct context *context, const struct cpuset *high,
				  bool whole_packages);

#endif
