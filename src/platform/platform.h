/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a power domain can be asked, whatever the generation: a table of operations for mailbox
 * parts, one for TPMI parts, one for parts that are set in BIOS. Each takes all domains of a
 * command at once, so that requests go out in batches, and notes an error for each.
 */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "machine/machine.h"
#include "transport/channel.h"
#include "platform/queries.h"
#include "platform/wishes.h"

/* How a turbo-ratio level is called: "avx2", and "avx2-" inside other names. */
struct platform_trl_name {
	const char *name;
	const char *infix;
};

struct plan;
struct plan_write;
struct platform;
struct tpmi_memory;

/* Why a request probably failed: text is static, NULL where nothing more is known than error. */
struct platform_cause {
	int error; /* a negative errno that says more than the driver's, or the driver's */
	const char *text;
};

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
	/*
	 * The turbo ratios of a level (turbo-ratio level 0), as the turbo-ratio-limit MSR holds
	 * them. Also returns a negative errno of channel.h.
	 */
	int (*read_level_trl)(struct platform *platform, const struct power_domain *domain,
			      uint32_t level, uint64_t *ret_trl);
	/* Planning: 0 or -ENOMEM; the wishes tell what could not be read. */
	int (*plan_level)(struct platform *platform, struct plan *plan,
			  struct platform_level_wish *wishes, size_t count);
	int (*plan_features)(struct platform *platform, struct plan *plan,
			     struct platform_feature_wish *wishes, size_t count);
	int (*plan_core_power)(struct platform *platform, struct plan *plan,
			       struct platform_core_power_wish *wishes, size_t count);
	int (*plan_clos)(struct platform *platform, struct plan *plan,
			 struct platform_clos_wish *wishes, size_t count);
	int (*plan_assoc)(struct platform *platform, struct plan *plan,
			  struct platform_assoc_wish *wishes, size_t count);
	int (*plan_trl)(struct platform *platform, struct plan *plan,
			struct platform_trl_wish *wishes, size_t count);
	/*
	 * Where all is set in BIOS: gives the online CPUs of the domains their own base frequency
	 * as scaling limits, or the whole range. errors[i]: what domains[i] lacks or why it could
	 * not be read; the plan is then of no use.
	 */
	int (*plan_fixed_base_freq)(struct platform *platform, struct plan *plan,
				    const struct power_domain *const *domains, size_t count,
				    bool enable, int *errors);
	/*
	 * Looks for the likely cause of a request that failed with error, where errno does not tell
	 * it: the one that write describes, or (NULL) a reading one.
	 */
	struct platform_cause (*find_cause)(struct platform *platform,
					    const struct plan_write *write, int error);
};

struct platform {
	const struct platform_ops *ops;
	bool bios_fixed; /* Cascade Lake-N: no driver, everything is set in BIOS */
	bool only_ordered; /* the Skylake generation: CLOS knows only ordered priorities */
	bool shows_power_domains; /* has power-domain ids that belong into a place */
	bool guards_core_power; /* SST-CP cannot go off while SST-TF is on */
	bool has_only_weights; /* CLOS knows no EPP and no desired frequency */
	bool shares_clos; /* CLOS, its parameters and SST-CP are set for a package, not a domain */
	struct machine *machine;
	struct transport *transport; /* NULL where there is no driver */
	struct channel channel;
	struct isst_platform_info info;
	struct domain_list domains;
	struct cpuset unknown_cores; /* placed CPUs whose core nobody tells; core_error says why */
	const struct platform_trl_name *trl_names; /* n_trl_levels of them */
	unsigned int n_trl_levels;
	struct tpmi_memory *tpmi; /* of tpmi.h: what a TPMI driver has told so far; or NULL */
};

struct platform_options {
	unsigned int tries;
	unsigned int pause_ms;
	FILE *trace; /* or NULL */
	void (*progress)(void *data, size_t done, size_t total); /* as in struct channel */
	void *progress_data;
	const struct wait_stop *stop; /* as in struct channel */
};

/*
 * Finds out how this machine is reached, opens the device and enumerates the power domains.
 * Returns 0; or a negative errno with *ret_message a new sentence for the user (perhaps NULL):
 * -ENOTSUP (no SST here, a driver missing or too new), -EACCES and -EPERM (the device may not be
 * opened), -EIO (this kernel must not be asked; tpmi_devices.h), -ENOMEM, others from reading the
 * machine.
 */
int platform_open(struct machine *machine, const struct platform_options *options,
		  struct platform **ret_platform, char **ret_message);
/* As ops->find_cause, for any platform (NULL: none is open). */
struct platform_cause platform_find_cause(struct platform *platform, const struct plan_write *write,
					  int error);

/* Closes the device and frees *platform, which may be NULL; leaves NULL. */
void platform_close(struct platform **platform);

#endif
