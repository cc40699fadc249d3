/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to power domains, for the reading operations of platform.h. */
#ifndef PLATFORM_QUERIES_H
#define PLATFORM_QUERIES_H

#include "platform/domains.h"
#include "platform/sst.h"

/* Which parts of a level are asked for. */
enum platform_part {
	PLATFORM_SUPPORT = 0, /* which of SST-BF and SST-TF it has; always asked */
	PLATFORM_LEVEL = 1 << 0, /* the level's own figures */
	PLATFORM_BASE_FREQ = 1 << 1, /* SST-BF, where supported */
	PLATFORM_TURBO_FREQ = 1 << 2, /* SST-TF, where supported */
	PLATFORM_CPUS = 1 << 3 /* the CPUs that it enables; PLATFORM_LEVEL tells them too */
};

/*
 * Questions, each with room for its answer; error is 0 or a negative errno of channel.h. Those of a
 * domain begin with it.
 */

struct platform_pp_query {
	const struct power_domain *domain;
	struct sst_pp pp;
	int error;
};

struct platform_level_query {
	const struct power_domain *domain;
	uint32_t level;
	bool pp_enabled;
	struct sst_level info;
	int error; /* -ENOENT: there is no such level */
	const char *failed; /* with another error: the request that failed (static text) */
};

struct platform_core_power_query {
	const struct power_domain *domain;
	struct sst_core_power core_power;
	int error;
};

struct platform_clos_query {
	const struct power_domain *domain;
	uint32_t clos; /* 0 to 3 */
	struct sst_clos info;
	int error;
};

struct platform_assoc_query {
	uint32_t cpu;
	uint32_t clos;
	int error; /* also what its core_error says, where its core is not known */
};

struct platform_trl_query {
	const struct power_domain *domain;
	uint64_t trl;
	int error;
};

#endif
