/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that are reached by TPMI: API versions 2 and 3 (hardware.md, section 4). */
#ifndef SST_TPMI_TPMI_H
#define SST_TPMI_TPMI_H

#include "sst/platform.h"
#include "sst/values.h"

/* The members that every TPMI structure has, of a domain. */
#define TPMI_DOMAIN(domain) \
	.socket_id = (__u8)(domain)->package, .power_domain_id = (__u8)(domain)->id

/* The last PERF_LEVELS and CORE_POWER_STATE of a domain. */
struct tpmi_domain {
	bool has_levels; /* the request was sent */
	bool has_state;
	int levels_error;
	int state_error;
	struct isst_perf_level_info levels;
	struct isst_core_power state;
};

/* Gives the platform the operations of TPMI parts. */
void tpmi_init(struct platform *platform);

/* Lists the power domains of the CPUs, and the domains without CPUs that the driver counts, with
 * one request per package that has CPUs. Returns 0; -EIO, with *ret_message a new message for the
 * user, if requests could be fatal (tpmi_check_devices()); or -ENOMEM. */
int tpmi_enumerate(struct platform *platform, char **ret_message);

/* Checks that each of the packages has a device bound to the driver, on kernels where
 * COUNT_TPMI_INSTANCES is fatal without one. Returns 0 if that request is safe; -EIO if it is not,
 * for any package, with *ret_message a new message that names the packages (NULL if there is no
 * memory); or -ENOMEM. */
int tpmi_check_devices(const struct machine *machine, const struct cpuset *packages,
		       char **ret_message);

/* Sends a request about a domain. Its structure, size bytes at argument, is zero except for its
 * inputs. Returns 0; -ENODEV if the driver does not serve the domain, with nothing sent; or the
 * driver's negative errno. */
int tpmi_request(const struct platform *platform, const struct power_domain *domain,
		 uint32_t request, void *argument, size_t size);

/* Returns a domain with its PERF_LEVELS. Sends the request if they are unknown or fresh is set. */
const struct tpmi_domain *tpmi_ask_levels(const struct platform *platform,
					  const struct power_domain *domain, bool fresh);

/* Does the domain have that level? */
bool tpmi_has_level(const struct isst_perf_level_info *levels, uint32_t level);

/* Operations of struct platform_ops that have a file of their own. */
int tpmi_read_levels(struct platform *platform, unsigned int parts,
		     struct platform_level_query *queries, size_t count);
int tpmi_read_level_trl(struct platform *platform, const struct power_domain *domain,
			uint32_t level, uint64_t *ret_trl);
struct write_target tpmi_target(const struct platform *platform, enum platform_target what,
				const struct power_domain *domain, uint32_t index);
struct target_cause tpmi_find_cause(int error);

#endif
