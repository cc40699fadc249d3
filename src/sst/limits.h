/* SPDX-License-Identifier: GPL-2.0-only */
/* The turbo-ratio-limit MSR, and reading MSRs of packages (hardware.md, section 2). */
#ifndef SST_LIMITS_H
#define SST_LIMITS_H

#include "sst/platform.h"

/* The turbo-ratio-limit MSR of the package that cpu is in, eight ratios of 8 bits. Firmware may
 * limit what is written by the level, whose own ratios are level_limits (0: not known): a lower
 * value is in force then. */
struct write_target limits_target(uint32_t cpu, uint64_t level_limits);

/* One MSR of a package, to be read by its domain. */
struct msr_read {
	const struct power_domain *domain;
	uint32_t msr;
	uint64_t value;
	int error; /* a negative errno of channel.h, or 0 */
};

/* Reads all of them in batches. Returns 0 or -ENOMEM. */
int limits_read_msrs(const struct platform *platform, struct msr_read *reads, size_t count);

/* The first of them that is of the package, or NULL. */
const struct msr_read *limits_find_package(const struct msr_read *reads, size_t count,
					   uint32_t package);

/* The operation of struct platform_ops; domains need an online CPU. */
int limits_read(struct platform *platform, struct platform_trl_query *queries, size_t count);

#endif
