// SPDX-License-Identifier: GPL-2.0-only
/* Lists the power domains of TPMI parts and reads their SST-PP and SST-CP (hardware.md,
 * section 4), and holds their table of operations. GET_PHY_ID gives the domain of a CPU,
 * COUNT_TPMI_INSTANCES the domains of a package, with holes; dies are only labels. Every structure
 * is zero before it is sent, and a request is not repeated. */
#include "sst/tpmi/tpmi.h"

#include <errno.h>

#include "base/cleanup.h"

/* Returns the domains of a package that the driver serves; 0: no instance for the package. */
static uint32_t ask_instances(const struct platform *platform, uint32_t package)
{
	struct isst_tpmi_instance_count instances = { .socket_id = (__u8)package };

	if (package > UINT8_MAX || channel_request(&platform->channel, ISST_IF_COUNT_TPMI_INSTANCES,
						   &instances, sizeof(instances)))
		return 0;
	return instances.valid_mask;
}

/* Names the packages with CPUs for which the driver has no instance. Returns 0 or -ENOMEM. */
static int find_unserved(struct platform *platform, struct cpuset *packages)
{
	const struct domain_list *list = &platform->domains;
	_cleanup_free_ char *names = NULL;

	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].is_served)
			cpuset_remove(packages, list->domains[i].package);
	}
	if (cpuset_is_empty(packages))
		return 0;
	names = cpuset_format_ranges(packages);
	platform->unserved =
		names ? text_format("package %s has no TPMI device that is bound to the driver "
				    "isst_tpmi; bind it in "
				    "/sys/bus/auxiliary/drivers/isst_tpmi/bind",
				    names)
		      : NULL;
	return platform->unserved ? 0 : -ENOMEM;
}

int tpmi_enumerate(struct platform *platform, char **ret_message)
{
	const struct topology *topology = &platform->machine->topology;
	struct domain_list *list = &platform->domains;
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	int err = domains_init(topology, true, list);

	if (err)
		return err;
	err = topology_find_packages(topology, &packages);
	if (err)
		return err;
	err = tpmi_check_devices(platform->machine, &packages, ret_message);
	if (err)
		return err;
	cpuset_foreach (package, &packages) {
		err = domains_add_instances(list, package, ask_instances(platform, package));
		if (err)
			return err;
	}
	domains_finish(list, topology);
	platform->tpmi = calloc(list->n_domains ?: 1, sizeof(*platform->tpmi));
	return platform->tpmi ? find_unserved(platform, &packages) : -ENOMEM;
}

int tpmi_request(const struct platform *platform, const struct power_domain *domain,
		 uint32_t request, void *argument, size_t size)
{
	if (!domain->is_served)
		return -ENODEV;
	return channel_request(&platform->channel, request, argument, size);
}

const struct tpmi_domain *tpmi_ask_levels(const struct platform *platform,
					  const struct power_domain *domain, bool fresh)
{
	struct tpmi_domain *asked = &platform->tpmi[domain - platform->domains.domains];
	const struct target_value *assumed;

	if (asked->has_levels && !fresh)
		return asked;
	asked->has_levels = true;
	asked->levels = (struct isst_perf_level_info){ TPMI_DOMAIN(domain) };
	asked->levels_error = tpmi_request(platform, domain, ISST_IF_PERF_LEVELS, &asked->levels,
					   sizeof(asked->levels));
	assumed = platform_find_assumed(platform, PLATFORM_TARGET_FEATURES, domain,
					asked->levels.current_level);
	if (assumed)
		asked->levels.feature_state =
			(assumed->numbers[VALUE_BASE_FREQ] ? ISST_FEATURE_BF : 0) |
			(assumed->numbers[VALUE_TURBO_FREQ] ? ISST_FEATURE_TF : 0);
	return asked;
}

/* Does the same as tpmi_ask_levels() for CORE_POWER_STATE. */
static const struct tpmi_domain *ask_state(const struct platform *platform,
					   const struct power_domain *domain, bool fresh)
{
	struct tpmi_domain *asked = &platform->tpmi[domain - platform->domains.domains];
	const struct target_value *assumed;

	if (asked->has_state && !fresh)
		return asked;
	asked->has_state = true;
	asked->state = (struct isst_core_power){ TPMI_DOMAIN(domain) };
	asked->state_error = tpmi_request(platform, domain, ISST_IF_CORE_POWER_STATE, &asked->state,
					  sizeof(asked->state));
	assumed = platform_find_assumed(platform, PLATFORM_TARGET_CORE_POWER, domain, 0);
	if (assumed) {
		asked->state.enable = assumed->numbers[VALUE_ENABLED] != 0;
		asked->state.priority_type = assumed->numbers[VALUE_ORDERED] != 0;
	}
	return asked;
}

/* Other programs can change SST-PP at any time, so each read sends a request. */
static int read_pp(struct platform *platform, struct platform_pp_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tpmi_domain *asked =
			tpmi_ask_levels(platform, queries[i].domain, true);
		const struct isst_perf_level_info *levels = &asked->levels;

		queries[i].error = asked->levels_error;
		if (asked->levels_error)
			continue;
		queries[i].pp = (struct sst_pp){
			.enabled = levels->enabled,
			.locked = levels->locked,
			.version = levels->feature_rev,
			.highest_level = levels->max_level,
			.current_level = levels->current_level,
		};
	}
	return 0;
}

static int read_core_power(struct platform *platform, enum platform_core_power_part part,
			   struct platform_core_power_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct platform_core_power_query *query = &queries[i];
		const struct tpmi_domain *asked =
			ask_state(platform, query->domain, part != PLATFORM_SWITCHES);
		const struct isst_core_power *state = &asked->state;

		query->error = asked->state_error;
		if (query->error)
			continue;
		query->core_power = (struct sst_core_power){
			.supported = state->supported,
			.enabled = state->enable,
			.clos_enabled = state->enable,
			.ordered = state->priority_type,
		};
		query->switches[0] = value_of_core_power(state->enable, state->priority_type);
	}
	return 0;
}

static int read_features(struct platform *platform, struct platform_level_query *queries,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tpmi_domain *asked =
			tpmi_ask_levels(platform, queries[i].domain, false);

		queries[i].error = asked->levels_error;
		queries[i].info.base_freq_on = asked->levels.feature_state & ISST_FEATURE_BF;
		queries[i].info.turbo_freq_on = asked->levels.feature_state & ISST_FEATURE_TF;
	}
	return 0;
}

static const struct platform_ops tpmi_ops = {
	.read_pp = read_pp,
	.read_levels = tpmi_read_levels,
	.read_core_power = read_core_power,
	.read_level_trl = tpmi_read_level_trl,
	.read_features = read_features,
	.target = tpmi_target,
	.find_cause = tpmi_find_cause,
};

void tpmi_init(struct platform *platform)
{
	platform->ops = &tpmi_ops;
	platform->has_levels = true;
	platform->has_clos = true;
	platform->shows_power_domains = true;
	platform->lacks_clos_epp = true;
	platform->shares_clos = true;
	platform->trl_names = platform_trl_numbers;
	platform->n_trl_levels = ARRAY_SIZE(platform_trl_numbers);
}
