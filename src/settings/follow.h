/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans how Linux follows power domains to a performance level (commands.md, "perf-profile
 * (SST-PP)"): sets uncore ranges, brings CPUs online, then takes others offline or isolates them,
 * and opens frequency limits. Used by set-config-level and by the daemon. */
#ifndef SETTINGS_FOLLOW_H
#define SETTINGS_FOLLOW_H

#include "change/change.h"
#include "sst/platform.h"

/* A power domain that has CPUs, its present or future level, and the results. */
struct follow_domain {
	const struct power_domain *domain;
	const struct sst_level *level; /* read with PLATFORM_LEVEL */
	uint32_t level_number;

	int error; /* 0, or the first negative errno of reading */
	const char *what; /* static: what could not be read */
	uint32_t cpu; /* the CPU that failed, or CPUSET_NONE */
	const char *uncore_note; /* static: why a part of its uncore range is not set; or NULL */
	struct cpuset kept; /* CPUs that the level does not enable, and that stay online */
};

/* What is planned, in this order. */
enum follow_part {
	FOLLOW_UNCORE = 1 << 0,
	FOLLOW_CPUS = 1 << 1,
	FOLLOW_LIMITS = 1 << 2,
	FOLLOW_ALL = FOLLOW_UNCORE | FOLLOW_CPUS | FOLLOW_LIMITS
};

struct follow {
	struct platform *platform;
	struct change_list *changes; /* changes are added to this list */
	struct follow_domain *domains;
	size_t count;
	unsigned int parts; /* enum follow_part */
	bool cgroup; /* isolate CPUs instead of taking them offline */
	bool cpu0_workaround; /* isolate CPU 0, take the others offline */
	const struct cpuset *returning; /* only these may come online; NULL: all */
	/* result of follow_plan(), static: the reason of -ENOTSUP; for another error, its path or
	 * NULL */
	const char *problem;
};

/* Adds the changes. The domains have the errors of reading. Returns 0; -ENOMEM; -ENOTSUP if CPUs
 * cannot be isolated; or another negative errno of reading which CPUs can be moved. */
int follow_plan(struct follow *follow);

/* Frees the results. */
void follow_domains_done(struct follow_domain *domains, size_t count);

/* Adds to cpus the CPUs of a domain that its level does not enable, except CPUs whose core is
 * unknown. Returns 0 or -ENOMEM. */
int follow_add_disabled(const struct platform *platform, const struct power_domain *domain,
			const struct sst_level *level, struct cpuset *cpus);

/* Describes why a CPU of .kept stays online, and the remedy, as a new text; NULL: no memory. */
char *follow_describe_kept(const struct platform *platform, uint32_t cpu, uint32_t level);

#endif
