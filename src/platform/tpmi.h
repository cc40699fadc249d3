/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that are reached by TPMI: API versions 2 and 3 (hardware.md, section 4). */
#ifndef PLATFORM_TPMI_H
#define PLATFORM_TPMI_H

#include "platform/platform.h"

/* PERF_LEVELS and CORE_POWER_STATE of a domain, as they were told last. */
struct tpmi_levels {
	bool known;
	int error;
	struct isst_perf_levels levels;
};

struct tpmi_state {
	bool known;
	int error;
	struct isst_core_power_state state;
};

/* What is not asked for twice, by index in the list of domains. */
struct tpmi_memory {
	struct tpmi_levels *levels;
	struct tpmi_state *states;
};

/* Gives the platform the operations of TPMI parts. */
void tpmi_init(struct platform *platform);

/*
 * Lists the power domains: those of the CPUs, and those that the driver counts beside them, asked
 * once for each package that has CPUs. Returns 0; -EIO, with *ret_message a new sentence for the
 * user, if this kernel must not be asked (tpmi_devices.h); or -ENOMEM.
 */
int tpmi_enumerate(struct platform *platform, char **ret_message);
/* Frees *memory, which may be NULL, and leaves NULL. */
void tpmi_forget(struct tpmi_memory **memory);

/*
 * Sends a request about a domain whose structure, zero but for what is asked, is at argument.
 * Returns 0; -ENODEV where the driver does not serve the domain, and nothing is sent; or the
 * driver's negative errno.
 */
int tpmi_request(const struct platform *platform, const struct power_domain *domain,
		 uint32_t request, void *argument);

/* What a domain tells: asked where it is not known, or again where fresh. */
const struct tpmi_levels *tpmi_read_levels_of(struct platform *platform,
					      const struct power_domain *domain, bool fresh);
const struct tpmi_state *tpmi_read_state_of(struct platform *platform,
					    const struct power_domain *domain, bool fresh);

/* Does the domain have that level; and SST-BF or SST-TF (ISST_FEATURE_*) at it? */
bool tpmi_has_level(const struct isst_perf_levels *levels, uint32_t level);
bool tpmi_has_feature(const struct platform *platform, const struct isst_perf_levels *levels,
		      uint32_t level, uint8_t feature);

/* CLOS_PARAM of a domain. Returns as tpmi_request(). */
int tpmi_read_param(const struct platform *platform, const struct power_domain *domain,
		    uint32_t clos, struct isst_clos_param *ret_param);

/* Operations of the table that have a file of their own; see struct platform_ops. */
int tpmi_read_levels(struct platform *platform, unsigned int parts,
		     struct platform_level_query *queries, size_t count);
int tpmi_read_level_trl(struct platform *platform, const struct power_domain *domain,
			uint32_t level, uint64_t *ret_trl);
int tpmi_read_assoc(struct platform *platform, struct platform_assoc_query *queries, size_t count);
int tpmi_plan_level(struct platform *platform, struct plan *plan,
		    struct platform_level_wish *wishes, size_t count);
int tpmi_plan_features(struct platform *platform, struct plan *plan,
		       struct platform_feature_wish *wishes, size_t count);
int tpmi_plan_core_power(struct platform *platform, struct plan *plan,
			 struct platform_core_power_wish *wishes, size_t count);
int tpmi_plan_clos(struct platform *platform, struct plan *plan, struct platform_clos_wish *wishes,
		   size_t count);
int tpmi_plan_assoc(struct platform *platform, struct plan *plan,
		    struct platform_assoc_wish *wishes, size_t count);
struct platform_cause tpmi_find_cause(struct platform *platform, const struct plan_write *write,
				      int error);

#endif
