/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares SST-CP with other features: its state, and the priorities that --auto sets. */
#ifndef FEATURES_CORE_POWER_H
#define FEATURES_CORE_POWER_H

#include "run/context.h"

/* Reads SST-CP of every domain into a new array; with_clos: also whether CLOS is on. Returns 0 or
 * -ENOMEM. */
int core_power_read(struct context *context, bool with_clos,
		    struct platform_core_power_query **ret_queries);

/* Requests the CLOS of one domain (an index): high_mhz is the lowest frequency of CLOS 0, low_mhz
 * that of CLOS 1 to 3. No CLOS has an upper limit; the desired frequency stays. */
void core_power_request_clos(struct context *context, size_t domain, uint32_t high_mhz,
			     uint32_t low_mhz);

/* Requests that put the cores of the CPUs in high into CLOS 0, and all other cores into CLOS 3.
 * Includes all CPUs of the domains with a known core, also offline ones. With whole_packages, only
 * online CPUs and, if a package shares its CLOS, all its domains. Returns 0 or -ENOMEM. */
int core_power_request_priorities(struct context *context, const struct cpuset *high,
				  bool whole_packages);

#endif
