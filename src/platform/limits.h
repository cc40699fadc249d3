/* SPDX-License-Identifier: GPL-2.0-only */
/* The turbo-ratio-limit MSR, and reading MSRs of packages (hardware.md, section 2). */
#ifndef PLATFORM_LIMITS_H
#define PLATFORM_LIMITS_H

#include "plan/plan.h"
#include "platform/platform.h"

/* The writing of a whole MSR of the package that cpu is in. */
struct plan_write limits_write_msr(uint32_t cpu, uint32_t msr, uint64_t value);

/* One MSR of a package, to be read by its domain. */
struct msr_read {
	const struct power_domain *domain;
	uint32_t msr;
	uint64_t value;
	int error; /* a negative errno of channel.h, or 0 */
};

/* Reads all of them in batches. Returns 0 or -ENOMEM. */
int limits_read_msrs(const struct platform *platform, struct msr_read *reads, size_t count);

/* The operations of struct platform_ops on the limits; domains need an online CPU. */
int limits_read(struct platform *platform, struct platform_trl_query *queries, size_t count);
int limits_plan(struct platform *platform, struct plan *plan, struct platform_trl_wish *wishes,
		size_t count);

#endif
