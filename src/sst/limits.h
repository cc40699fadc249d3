/* SPDX-License-Identifier: GPL-2.0-only */
/* The turbo-ratio-limit MSR, and reading MSRs of packages (hardware.md, section 2). */
#ifndef SST_LIMITS_H
#define SST_LIMITS_H

#include "sst/platform.h"

/* The turbo-ratio-limit MSR of the package that cpu is in, eight ratios of 8 bits. Firmware may
 * limit what is written by the level, whose own ratios are level_limits (0: unknown): a lower value
 * is in force then. */
struct write_target limits_target(uint32_t cpu, uint64_t level_limits);

/* Is a target that MSR? */
bool limits_is_target(const struct write_target *target);

/* The lower ratio of each bucket. */
uint64_t limits_find_lower(uint64_t left, uint64_t right);

/* The query of an MSR of a package, by its domain. */
struct platform_query limits_query(const struct power_domain *domain, uint32_t msr);

/* The first of them that is of the package, or NULL. */
const struct platform_query *limits_find_package(const struct platform_query *reads, size_t count,
						 uint32_t package);

/* Reads the limits of the package of each query's domain, which needs an online CPU; each package
 * once. Returns 0 or -ENOMEM. */
int limits_read(const struct platform *platform, struct platform_query *queries, size_t count);

#endif
