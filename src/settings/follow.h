/* SPDX-License-Identifier: GPL-2.0-only */
/* How Linux follows power domains to a performance level (commands.md, "perf-profile (SST-PP)"):
 * their uncore ranges, their CPUs online before the others go offline or are isolated, frequency
 * limits opened. Used by set-config-level and by the daemon. */
#ifndef SETTINGS_FOLLOW_H
#define SETTINGS_FOLLOW_H

#include "change/change.h"
#include "sst/platform.h"

/* A power domain that has CPUs, the level that it is at or will be, and the answers. */
struct follow_domain {
	const struct power_domain *domain;
	const struct sst_level *level; /* read with PLATFORM_LEVEL */
	uint32_t level_number;

	int error; /* 0, or the first negative errno of reading */
	const char *what; /* static: what could not be read */
	uint32_t cpu; /* of which CPU, or CPUSET_NONE */
	const char *uncore_note; /* static: why its uncore range is not set or not whole; or NULL */
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
	struct change_list *changes; /* where changes are added */
	struct follow_domain *domains;
	size_t count;
	unsigned int parts; /* enum follow_part */
	bool cgroup; /* isolate CPUs instead of taking them offline */
	bool cpu0_workaround; /* isolate CPU 0, take the others offline */
	const struct cpuset *returning; /* only these may come online; NULL: all */
	/* answer, static: with -ENOTSUP of follow_plan() why, with another error the path that it
	 * is of, or NULL */
	const char *problem;
};

/* Adds the changes. What could not be read is in the domains. Returns 0; -ENOMEM; -ENOTSUP if CPUs
 * cannot be isolated; or another negative errno of reading which CPUs can be moved. */
int follow_plan(struct follow *follow);

/* Frees what the answers hold. */
void follow_domains_done(struct follow_domain *domains, size_t count);

/* Adds to cpus the CPUs of a domain that its level does not enable: not those whose core is
 * unknown. Returns 0 or -ENOMEM. */
int follow_add_disabled(const struct platform *platform, const struct power_domain *domain,
			const struct sst_level *level, struct cpuset *cpus);

/* Why a CPU of .kept stays online, and the remedy, as a new text; NULL if memory is short. */
char *follow_describe_kept(const struct platform *platform, uint32_t cpu, uint32_t level);

#endif
