/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a power domain can be asked, whatever the generation: a table of operations for mailbox
 * parts, one for parts that are set in BIOS. Each takes all domains of a command at once, so that
 * requests go out in batches, and notes an error for each.
 */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "machine/machine.h"
#include "platform/channel.h"
#include "platform/domains.h"
#include "platform/sst.h"

/* Which parts of a level are asked for. */
enum platform_part {
	PLATFORM_SUPPORT = 0, /* which of SST-BF and SST-TF it has; always asked */
	PLATFORM_LEVEL = 1 << 0, /* the level's own figures */
	PLATFORM_BASE_FREQ = 1 << 1, /* SST-BF, where supported */
	PLATFORM_TURBO_FREQ = 1 << 2 /* SST-TF, where supported */
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

/* How a turbo-ratio level is called: "avx2", and "avx2-" inside other names. */
struct platform_trl_name {
	const char *name;
	const char *infix;
};

struct platform;

/* All return 0 or -ENOMEM; operations that a platform lacks are NULL. */
struct platform_ops {
	int (*read_pp)(struct platform *platform, struct platform_pp_query *queries, size_t count);
	int (*read_levels)(struct platform *platform, unsigned int parts,
			   struct platform_level_query *queries, size_t count);
	/*
	 * Replaces in query->info what this platform tells by CPU: the base frequency of cpu.
	 * Returns 0 or the negative errno of reading it.
	 */
	int (*refine_level)(struct platform *platform, struct platform_level_query *query,
			    uint32_t cpu);
	int (*read_core_power)(struct platform *platform, bool with_clos,
			       struct platform_core_power_query *queries, size_t count);
	int (*read_clos)(struct platform *platform, struct platform_clos_query *queries,
			 size_t count);
	int (*read_assoc)(struct platform *platform, struct platform_assoc_query *queries,
			  size_t count);
	int (*read_trl)(struct platform *platform, struct platform_trl_query *queries,
			size_t count);
};

struct platform {
	const struct platform_ops *ops;
	bool bios_fixed; /* Cascade Lake-N: no driver, everything is set in BIOS */
	bool shows_power_domains; /* has power-domain ids that belong into a place */
	struct machine *machine;
	struct transport *transport; /* NULL where there is no driver */
	struct channel channel;
	struct isst_platform_info info;
	struct domain_list domains;
	struct cpuset unknown_cores; /* placed CPUs whose core nobody tells; core_error says why */
	const struct platform_trl_name *trl_names; /* n_trl_levels of them */
	unsigned int n_trl_levels;
};

struct platform_options {
	unsigned int tries;
	unsigned int pause_ms;
	FILE *trace; /* or NULL */
	void (*progress)(void *data, size_t done, size_t total); /* as in struct channel */
	void *progress_data;
};

/*
 * Finds out how this machine is reached, opens the device and enumerates the power domains.
 * Returns 0; or a negative errno with *ret_message a new sentence for the user (perhaps NULL):
 * -ENOTSUP (no SST here, a driver missing or too new), -EACCES and -EPERM (the device may not be
 * opened), -ENOMEM, others from reading the machine.
 */
int platform_open(struct machine *machine, const struct platform_options *options,
		  struct platform **ret_platform, char **ret_message);
/* Closes the device and frees *platform, which may be NULL; leaves NULL. */
void platform_close(struct platform **platform);

#endif
