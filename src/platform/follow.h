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
	/* Answered: a negative errno of reading, of what (static text) and, perhaps, of a CPU. */
	int error;
	const char *what;
	uint32_t cpu; /* or CPUSET_NONE */
};

struct follow_options {
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

/* Fills the empty ret_set with the CPUs of those domains that their levels do not enable. */
int follow_find_disabled(const struct follow_domain *domains, size_t count, struct cpuset *ret_set);

#endif
