/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses the turbo-ratio-limit MSR, and reads MSRs of packages (hardware.md, section 2). */
#ifndef SST_LIMITS_H
#define SST_LIMITS_H

#include "sst/platform.h"

/* Returns the turbo-ratio-limit MSR of the package of cpu as a target: eight ratios of 8 bits.
 * Firmware may limit a written value to the level's ratios, level_limits (0: unknown); then a lower
 * value is in force. */
struct write_target limits_target(uint32_t cpu, uint64_t level_limits);

/* Returns true if a target is the turbo-ratio-limit MSR. */
bool limits_is_target(const struct write_target *target);

/* Returns the lower ratio of each bucket. */
uint64_t limits_find_lower(uint64_t left, uint64_t right);

/* Returns the query of an MSR of the domain's package. */
struct platform_query limits_query(const struct power_domain *domain, uint32_t msr);

/* Returns the first query of the package, or NULL. */
const struct platform_query *limits_find_package(const struct platform_query *reads, size_t count,
						 uint32_t package);

/* Reads the limits of the package of each query's domain, once per package. Each domain needs an
 * online CPU. Returns 0 or -ENOMEM. */
int limits_read(const struct platform *platform, struct platform_query *queries, size_t count);

#endif
