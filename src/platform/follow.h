/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How Linux follows power domains to a performance level (commands.md, "perf-profile (SST-PP)"):
 * their uncore ranges, their CPUs online before the others go offline or are isolated, frequency
 * limits opened.
 */
#ifndef PLATFORM_FOLLOW_H
#define PLATFORM_FOLLOW_H

#include "plan/plan.h"
#include "platform/platform.h"

/* A power domain that has CPUs, and the level that it is at, or will be. */
struct follow_domain {
	const struct power_domain *domain;
	const struct sst_level *level; /* read with PLATFORM_LEVEL */
	uint32_t level_number;
	/* Answered: a negative errno of reading, of what (static text) and, perhaps, of a CPU. */
	int error;
	const char *what;
	uint32_t cpu; /* or CPUSET_NONE */
	const char *uncore_note; /* what of its uncore range is not set (static text); or NULL */
};

/* What is planned, in this order. */
enum follow_part {
	FOLLOW_UNCORE = 1 << 0,
	FOLLOW_CPUS = 1 << 1,
	FOLLOW_LIMITS = 1 << 2,
	FOLLOW_ALL = FOLLOW_UNCORE | FOLLOW_CPUS | FOLLOW_LIMITS
};

struct follow_options {
	unsigned int parts; /* enum follow_part */
	bool cgroup; /* isolate CPUs instead of taking them offline */
	bool cpu0_workaround; /* the same, for CPU 0 alone */
	const struct cpuset *returning; /* only these may come online; NULL: all */
};

/*
 * Adds the steps to a plan. What could not be read is in domains[].error. Returns 0; -ENOMEM;
 * -ENOTSUP where CPUs cannot be isolated, with *ret_problem why (static text); another negative
 * errno with *ret_problem of what, or NULL: of finding out which CPUs can go.
 */
int follow_plan(const struct platform *platform, struct plan *plan, struct follow_domain *domains,
		size_t count, const struct follow_options *options, const char **ret_problem);

/*
 * Adds to the empty ret_kept the CPUs of one domain that its level does not enable, and that stay
 * online and are not isolated; after follow_plan(). Returns 0, -ENOMEM, or a negative errno of
 * reading cpuN/online.
 */
int follow_find_kept(const struct platform *platform, const struct plan *plan,
		     const struct follow_domain *domain, const struct follow_options *options,
		     struct cpuset *ret_kept);

/* Why such a CPU stays online, and the remedy, as a new text; NULL if memory is short. */
char *follow_describe_kept(const struct platform *platform, uint32_t cpu, uint32_t level);

#endif
