// SPDX-License-Identifier: GPL-2.0-only
/* The TPMI back end of the simulated driver (hardware.md, section 4): finds the power domain that a
 * request names, makes the checks of the driver, and answers from fuses and state. Members that the
 * driver does not know keep the caller's values. A level without SST-BF or SST-TF answers zeros. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "simulator/activity.h"
#include "simulator/driver.h"
#include "simulator/power.h"

#define RATIO_MHZ    100
#define MAX_RATIO    255
#define MAX_PRIORITY 15
#define MAX_CORE     63
#define FABRIC_REV   2 /* SST-PP revision that has more than one fabric */
#define NO_DOMAIN    UINT32_MAX /* of a request on a package */

/* Fields of a PM_CLOS word. */
#define CLOS_PRIORITY_SHIFT 4
#define CLOS_MIN_SHIFT      8
#define CLOS_MAX_SHIFT      16

/* The power domain that a request names. */
struct tpmi_domain {
	uint32_t request;
	uint32_t package;
	struct punit punit;
	struct punit_fuses fuses; /* changed by the faults */
	struct punit_response response;
	uint16_t api; /* version of the driver */
	const struct punit_level *level; /* that the request names */
};

/* A request on one power domain. */
struct domain_request {
	uint32_t number;
	/* Returns 0 or a negative errno, of which only the sign matters. */
	int (*run)(struct tpmi_domain *domain, void *argument);
	bool sets; /* always; else a request sets if its get_set is not 0 */
	bool has_get_set; /* as its first byte; socket_id and power_domain_id follow */
	bool needs_hwp; /* for requests that set */
	uint8_t value_offset; /* of the first byte of the value to set: faults invert its bits */
	uint8_t level_offset; /* of the number of a level, which must exist */
	uint8_t level_size; /* of that number; 0: none */
};

static __u16 mhz(uint8_t ratio)
{
	return (__u16)(ratio * RATIO_MHZ);
}

static int perf_levels(struct tpmi_domain *domain, void *argument)
{
	struct isst_perf_level_info *info = argument;
	uint8_t base_freq = 0, turbo_freq = 0;

	info->level_mask = 0;
	info->max_level = 0;
	for (size_t i = 0; i < domain->fuses.n_levels; i++) {
		const struct punit_level *level = &domain->fuses.levels[i];
		uint8_t bit = (uint8_t)(1U << level->level);

		info->level_mask |= bit;
		if (level->level > info->max_level)
			info->max_level = level->level;
		base_freq |= level->has_base_freq ? bit : 0;
		turbo_freq |= level->has_turbo_freq ? bit : 0;
	}
	info->feature_rev = domain->fuses.pp_version;
	info->enabled = domain->fuses.pp_enabled;
	info->current_level = domain->punit.state->current_level;
	info->locked = domain->fuses.locked;
	info->feature_state = punit_show_features(&domain->punit);
	info->sst_bf_support = domain->api >= ISST_API_TPMI_MASKS ? base_freq : base_freq != 0;
	info->sst_tf_support = domain->api >= ISST_API_TPMI_MASKS ? turbo_freq : turbo_freq != 0;
	return 0;
}

/* A figure of a level. It has 16 bits in an answer, and 8 or 16 in the fuses. */
struct fuse_figure {
	uint32_t request;
	uint8_t unit; /* answer = fuse x unit */
	uint8_t count;
	uint8_t fuse_size;
	uint16_t offset; /* in the answer */
	uint16_t fuse; /* offset in struct punit_level */
};

#define FIGURE(request, structure, member, unit, fuse, count)                                  \
	{                                                                                      \
		(request), (unit), (count), sizeof(((struct punit_level *)0)->fuse),           \
			offsetof(struct structure, member), offsetof(struct punit_level, fuse) \
	}
#define LEVEL_INFO(member, unit, fuse, count) \
	FIGURE(ISST_IF_GET_PERF_LEVEL_INFO, isst_perf_level_data_info, member, unit, fuse, count)
#define BASE_FREQ(member, unit, fuse) \
	FIGURE(ISST_IF_GET_BASE_FREQ_INFO, isst_base_freq_info, member, unit, base_freq.fuse, 1)
#define TURBO_FREQ(member, unit, fuse, count)                                                    \
	FIGURE(ISST_IF_GET_TURBO_FREQ_INFO, isst_turbo_freq_info, member, unit, turbo_freq.fuse, \
	       count)
#define RATIOS (ISST_TRL_LEVELS * ISST_BUCKETS)

/* If two members have the same fuse, take_figures() keeps the last one. */
static const struct fuse_figure figures[] = {
	LEVEL_INFO(tdp_ratio, 1, base_ratio_sse, 1),
	LEVEL_INFO(p1_freq_mhz, RATIO_MHZ, base_ratio_sse, 1),
	LEVEL_INFO(base_freq_mhz, RATIO_MHZ, base_ratio_sse, 1),
	LEVEL_INFO(base_freq_avx2_mhz, RATIO_MHZ, base_ratio_avx2, 1),
	LEVEL_INFO(base_freq_avx512_mhz, RATIO_MHZ, base_ratio_avx512, 1),
	LEVEL_INFO(base_freq_amx_mhz, RATIO_MHZ, base_ratio_amx, 1),
	LEVEL_INFO(p0_fabric_freq_mhz, RATIO_MHZ, uncore[0].max_ratio, 1),
	LEVEL_INFO(p1_fabric_freq_mhz, RATIO_MHZ, uncore[0].base_ratio, 1),
	LEVEL_INFO(pm_fabric_freq_mhz, RATIO_MHZ, uncore[0].min_ratio, 1),
	LEVEL_INFO(thermal_design_power_w, 1, tdp_w, 1),
	LEVEL_INFO(tjunction_max_c, 1, tjunction_max_c, 1),
	LEVEL_INFO(max_memory_freq_mhz, 1, memory, 1),
	LEVEL_INFO(cooling_type, 1, cooling_type, 1),
	LEVEL_INFO(bucket_core_counts, 1, turbo_core_counts[0], ISST_BUCKETS),
	LEVEL_INFO(p0_freq_mhz, RATIO_MHZ, turbo_ratios[0][0], 1),
	LEVEL_INFO(trl_freq_mhz, RATIO_MHZ, turbo_ratios[0][0], RATIOS),
	BASE_FREQ(high_base_freq_mhz, RATIO_MHZ, high_ratio),
	BASE_FREQ(low_base_freq_mhz, RATIO_MHZ, low_ratio),
	BASE_FREQ(tjunction_max_c, 1, tjunction_c),
	BASE_FREQ(thermal_design_power_w, 1, tdp_w),
	TURBO_FREQ(lp_clip_freq_mhz, RATIO_MHZ, clip_ratios[0], ISST_TRL_LEVELS),
	TURBO_FREQ(bucket_core_counts, 1, core_counts[0], ISST_BUCKETS),
	TURBO_FREQ(trl_freq_mhz, RATIO_MHZ, ratios[0][0], RATIOS),
};

static int put_figures(struct tpmi_domain *domain, void *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct fuse_figure *figure = &figures[i];
		__u16 *numbers = (__u16 *)(void *)((char *)argument + figure->offset);
		const uint8_t *fuse = (const uint8_t *)domain->level + figure->fuse;

		for (size_t j = 0; j < figure->count && figure->request == domain->request; j++) {
			uint16_t value = fuse[j];

			if (figure->fuse_size == sizeof(value))
				memcpy(&value, fuse, sizeof(value));
			numbers[j] = (__u16)(value * figure->unit);
		}
	}
	return 0;
}

static void take_figures(const struct request_item *item, struct punit_level *level)
{
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct fuse_figure *figure = &figures[i];
		uint8_t *fuse = (uint8_t *)level + figure->fuse;

		for (size_t j = 0; j < figure->count && figure->request == item->request; j++) {
			uint16_t value;

			memcpy(&value, item->bytes + figure->offset + j * sizeof(value),
			       sizeof(value));
			value /= figure->unit;
			if (figure->fuse_size == sizeof(value))
				memcpy(fuse, &value, sizeof(value));
			else
				fuse[j] = (uint8_t)(value < UINT8_MAX ? value : UINT8_MAX);
		}
	}
}

void driver_tpmi_take_answer(const struct request_item *item, struct punit_level *level)
{
	struct isst_perf_level_fabric_info fabrics;

	if (item->request == ISST_IF_GET_PERF_LEVEL_CPU_MASK)
		level->core_mask = requests_member(item, "mask");
	else if (item->request == ISST_IF_GET_BASE_FREQ_CPU_MASK)
		level->base_freq.core_mask = requests_member(item, "mask");
	else
		take_figures(item, level);
	if (item->request != ISST_IF_GET_PERF_LEVEL_FABRIC_INFO)
		return;
	memcpy(&fabrics, item->bytes, sizeof(fabrics));
	if (fabrics.max_fabrics < PUNIT_FABRICS)
		return;
	level->uncore[1] = (struct punit_fabric){
		.max_ratio = (uint8_t)(fabrics.p0_fabric_freq_mhz[1] / RATIO_MHZ),
		.base_ratio = (uint8_t)(fabrics.p1_fabric_freq_mhz[1] / RATIO_MHZ),
		.min_ratio = (uint8_t)(fabrics.pm_fabric_freq_mhz[1] / RATIO_MHZ),
	};
}

/* A platform file has no lowest ratio of the cores: Pn and Pm are 0. */
static int level_info(struct tpmi_domain *domain, void *argument)
{
	struct isst_perf_level_data_info *info = argument;

	put_figures(domain, info);
	info->pn_freq_mhz = 0;
	info->pm_freq_mhz = 0;
	info->max_buckets = ISST_BUCKETS;
	info->max_trl_levels = ISST_TRL_LEVELS;
	return 0;
}

/* Answers with all cores of a level, or with the high-priority cores. */
static int cpu_mask(struct tpmi_domain *domain, void *argument)
{
	struct isst_perf_level_cpu_mask *mask = argument;

	if (mask->punit_cpu_map != 1)
		return -EINVAL;
	mask->mask = domain->request == ISST_IF_GET_BASE_FREQ_CPU_MASK
			     ? domain->level->base_freq.core_mask
			     : domain->level->core_mask;
	return 0;
}

/* With SST-TF revision 2, counts of unused buckets keep the caller's values. */
static int turbo_freq_info(struct tpmi_domain *domain, void *argument)
{
	struct isst_turbo_freq_info *info = argument;
	const struct isst_turbo_freq_info before = *info;

	put_figures(domain, info);
	info->max_clip_freqs = ISST_TRL_LEVELS;
	info->max_buckets = ISST_BUCKETS;
	info->max_trl_levels = ISST_TRL_LEVELS;
	for (unsigned int bucket = 0; bucket < ISST_BUCKETS; bucket++) {
		if (!info->bucket_core_counts[bucket] && domain->fuses.pp_version >= FABRIC_REV)
			info->bucket_core_counts[bucket] = before.bucket_core_counts[bucket];
	}
	return 0;
}

static int fabric_info(struct tpmi_domain *domain, void *argument)
{
	struct isst_perf_level_fabric_info *info = argument;
	const struct punit_level *level = domain->level;

	if (domain->fuses.pp_version < FABRIC_REV)
		return -EOPNOTSUPP;
	info->max_fabrics = level->has_uncore1 ? PUNIT_FABRICS : 1;
	for (unsigned int i = 0; i < info->max_fabrics; i++) {
		info->p0_fabric_freq_mhz[i] = mhz(level->uncore[i].max_ratio);
		info->p1_fabric_freq_mhz[i] = mhz(level->uncore[i].base_ratio);
		info->pm_fabric_freq_mhz[i] = mhz(level->uncore[i].min_ratio);
	}
	return 0;
}

/* On parts without SST-CP the driver writes too, but firmware ignores the write. */
static int core_power_state(struct tpmi_domain *domain, void *argument)
{
	struct isst_core_power *state = argument;
	uint8_t shown;

	if (state->get_set) {
		punit_set_core_power(&domain->punit, &domain->response, state->enable,
				     state->priority_type);
		return 0;
	}
	shown = punit_show_core_power(&domain->punit);
	state->supported = domain->fuses.cp_supported;
	state->enable = (shown & PUNIT_CP_ENABLED) != 0;
	state->priority_type = (shown & PUNIT_CP_ORDERED) != 0;
	return 0;
}

/* Returns true if firmware keeps CLOS parameters and associations that are written. */
static bool keeps_clos(const struct tpmi_domain *domain)
{
	return domain->fuses.cp_supported && !domain->response.ignores_writes;
}

static int clos_param(struct tpmi_domain *domain, void *argument)
{
	struct isst_clos_param *param = argument;
	uint32_t *word = &domain->punit.state->clos[param->clos % PUNIT_CLOS_COUNT];
	uint32_t min = param->min_freq_mhz / RATIO_MHZ, max = param->max_freq_mhz / RATIO_MHZ;

	if (param->clos >= PUNIT_CLOS_COUNT)
		return -EINVAL;
	if (!param->get_set) {
		param->prop_prio = *word >> CLOS_PRIORITY_SHIFT & MAX_PRIORITY;
		param->min_freq_mhz = mhz((uint8_t)(*word >> CLOS_MIN_SHIFT));
		param->max_freq_mhz = mhz((uint8_t)(*word >> CLOS_MAX_SHIFT));
		return 0;
	}
	if (min > MAX_RATIO || max > MAX_RATIO || param->prop_prio > MAX_PRIORITY)
		return -EINVAL;
	if (keeps_clos(domain))
		*word = (uint32_t)param->prop_prio << CLOS_PRIORITY_SHIFT | min << CLOS_MIN_SHIFT |
			max << CLOS_MAX_SHIFT;
	return 0;
}

/* Returns -EFAULT if firmware does not change to the level. */
static int set_level(struct tpmi_domain *domain, void *argument)
{
	const struct isst_perf_level_control *wanted = argument;

	if (!(domain->fuses.allowed_level_mask >> wanted->level & 1) ||
	    domain->punit.state->current_level == wanted->level)
		return -EINVAL;
	if (domain->response.ignores_writes || !punit_set_level(&domain->punit, wanted->level))
		return -EFAULT;
	return 0;
}

static int set_feature(struct tpmi_domain *domain, void *argument)
{
	const struct isst_perf_feature_control *wanted = argument;

	punit_set_features(&domain->punit, &domain->response, wanted->feature & ISST_FEATURE_BF,
			   wanted->feature & ISST_FEATURE_TF);
	return 0;
}

#define LEVEL(request)                                   \
	.level_offset = offsetof(struct request, level), \
	.level_size = sizeof(((struct request *)0)->level)

static const struct domain_request domain_requests[] = {
	{ ISST_IF_CORE_POWER_STATE, core_power_state, .has_get_set = true, .needs_hwp = true,
	  .value_offset = offsetof(struct isst_core_power, enable) },
	{ ISST_IF_CLOS_PARAM, clos_param, .has_get_set = true,
	  .value_offset = offsetof(struct isst_clos_param, prop_prio) },
	{ ISST_IF_PERF_LEVELS, .run = perf_levels },
	{ ISST_IF_PERF_SET_LEVEL, set_level, LEVEL(isst_perf_level_control), .sets = true,
	  .needs_hwp = true, .value_offset = offsetof(struct isst_perf_level_control, level) },
	{ ISST_IF_PERF_SET_FEATURE, set_feature, .sets = true, .needs_hwp = true,
	  .value_offset = offsetof(struct isst_perf_feature_control, feature) },
	{ ISST_IF_GET_PERF_LEVEL_INFO, level_info, LEVEL(isst_perf_level_data_info) },
	{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, cpu_mask, LEVEL(isst_perf_level_cpu_mask) },
	{ ISST_IF_GET_BASE_FREQ_INFO, put_figures, LEVEL(isst_base_freq_info) },
	{ ISST_IF_GET_BASE_FREQ_CPU_MASK, cpu_mask, LEVEL(isst_perf_level_cpu_mask) },
	{ ISST_IF_GET_TURBO_FREQ_INFO, turbo_freq_info, LEVEL(isst_turbo_freq_info) },
	{ ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, fabric_info, LEVEL(isst_perf_level_fabric_info) },
};

/* Returns true if this process may set values and this machine allows it. Requests that need HWP
 * cannot set anything while HWP is off; only intel_pstate switches HWP on. */
static bool can_set(const struct driver *driver, bool needs_hwp)
{
	const struct sim_platform *platform = driver->state->platform;
	const struct fault_settings *settings = faults_settings(driver->faults);

	if (settings->missing_capability || settings->blocked_writes)
		return false;
	return !needs_hwp || (!settings->hwp_off && platform->has_cpufreq &&
			      strncmp(platform->cpufreq.driver, "intel_", strlen("intel_")) == 0);
}

static int find_domain(struct driver *driver, const struct sim_fault_event *event,
		       struct tpmi_domain *ret_domain)
{
	const struct sim_platform *platform = driver->state->platform;
	const struct fault_settings *settings = faults_settings(driver->faults);
	const struct sim_domain *domain = platform->domains;
	const struct sim_domain *end = domain + platform->n_domains;

	while (domain < end && (!domain->has_sst || domain->socket != event->parameter ||
				domain->punit != event->data))
		domain++;
	if (domain == end)
		return -EINVAL;
	*ret_domain = (struct tpmi_domain){
		.request = (uint32_t)event->number,
		.package = domain->package,
		.punit = state_punit(driver->state, (size_t)(domain - platform->domains)),
		.fuses = domain->fuses,
		.response = { .slow_reads = settings->slow_status,
			      .ignores_writes = settings->ignored_writes },
		.api = platform->api_version,
	};
	ret_domain->punit.fuses = &ret_domain->fuses;
	ret_domain->fuses.locked = domain->fuses.locked || settings->locked;
	if (settings->has_allowed_levels)
		ret_domain->fuses.allowed_level_mask = settings->allowed_levels;
	return 0;
}

/* Runs a request. If the level changes, firmware may change the power limits too. */
static int run_and_follow(struct driver *driver, const struct domain_request *request,
			  struct tpmi_domain *domain, void *argument)
{
	uint8_t level = domain->punit.state->current_level;
	int err = request->run(domain, argument);

	if (domain->punit.state->current_level != level)
		sim_power_follow_level(driver->state, domain->package,
				       activity_tdp_mw(driver->state, domain->package));
	return err;
}

/* A simulated fault may alter the written value. */
static int run_on_domain(struct driver *driver, const struct domain_request *request,
			 void *argument)
{
	const uint8_t *ids = (const uint8_t *)argument + request->has_get_set;
	uint8_t *value = (uint8_t *)argument + request->value_offset;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_TPMI,
		.number = request->number,
		.parameter = ids[0],
		.data = ids[1],
		.write = request->sets || (request->has_get_set && *(const uint8_t *)argument),
	};
	struct sim_fault_effect effect;
	struct tpmi_domain domain;
	const uint8_t *level = (const uint8_t *)argument + request->level_offset;
	int err;

	if (event.write && !can_set(driver, request->needs_hwp))
		return -EPERM;
	effect = faults_apply(driver->faults, &event);
	err = effect.error ? effect.error : state_lock(driver->state);
	if (err)
		return err;
	err = find_domain(driver, &event, &domain);
	if (!err && !effect.ignored) {
		*value ^= (uint8_t)effect.flip;
		if (request->level_size && (request->level_size == 1 || level[1] == 0))
			domain.level = punit_find_level(&domain.fuses, level[0]);
		if (request->level_size && !domain.level)
			err = -EINVAL;
		else
			err = run_and_follow(driver, request, &domain, argument);
		*value ^= (uint8_t)effect.flip;
	}
	return state_commit(driver->state) ?: err;
}

static int count_instances(const struct driver *driver, struct isst_tpmi_instance_count *instances)
{
	const struct sim_platform *platform = driver->state->platform;
	const struct sim_fault_event event = {
		.point = SIM_FAULT_TPMI,
		.number = ISST_IF_COUNT_TPMI_INSTANCES,
		.parameter = instances->socket_id,
		.data = NO_DOMAIN,
	};
	const struct sim_fault_effect effect = faults_apply(driver->faults, &event);
	uint16_t mask = 0;
	uint8_t count = 0;

	if (effect.error)
		return effect.error;
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (domain->socket != instances->socket_id || !domain->has_sst)
			continue;
		mask = (uint16_t)(mask | 1U << domain->punit);
		if (domain->punit >= count)
			count = (uint8_t)(domain->punit + 1);
	}
	if (!mask)
		return -EINVAL;
	instances->count = count;
	instances->valid_mask = mask;
	return 0;
}

/* Reads or sets one association; the lock is held. */
static int associate(struct driver *driver, const struct sim_fault_event *event,
		     const struct sim_fault_effect *effect, struct isst_if_clos_assoc *assoc)
{
	uint32_t clos = assoc->clos ^ (uint32_t)effect->flip;
	struct tpmi_domain domain;
	uint8_t *association;
	int err = find_domain(driver, event, &domain);

	if (err)
		return err;
	if (assoc->logical_cpu > MAX_CORE || clos >= PUNIT_CLOS_COUNT)
		return -EINVAL;
	if (effect->ignored)
		return 0;
	association = &domain.punit.state->association[assoc->logical_cpu];
	if (!event->write)
		assoc->clos = *association;
	else if (keeps_clos(&domain))
		*association = (uint8_t)clos;
	return 0;
}

static int run_associations(struct driver *driver, struct isst_if_clos_assoc_cmds *assocs)
{
	if (!assocs->cmd_count || assocs->cmd_count > ISST_ENTRIES_PER_CALL ||
	    assocs->punit_cpu_map != 1 || (assocs->get_set && !can_set(driver, false)))
		return -EINVAL;
	for (uint16_t i = 0; i < assocs->cmd_count; i++) {
		struct isst_if_clos_assoc *assoc = &assocs->entries[i];
		const struct sim_fault_event event = {
			.point = SIM_FAULT_TPMI,
			.number = ISST_IF_CLOS_ASSOC,
			.parameter = assoc->socket_id,
			.data = assoc->power_domain_id,
			.write = assocs->get_set,
		};
		const struct sim_fault_effect effect = faults_apply(driver->faults, &event);
		int err = effect.error ? effect.error : state_lock(driver->state);

		if (err)
			return err;
		err = associate(driver, &event, &effect, assoc);
		err = state_end_request(driver->state, !event.write, err);
		if (err)
			return err;
	}
	return 0;
}

int driver_tpmi_request(struct driver *driver, uint32_t number, void *argument)
{
	int err = -ENOTTY;

	if (number == ISST_IF_COUNT_TPMI_INSTANCES)
		err = count_instances(driver, argument);
	else if (number == ISST_IF_CLOS_ASSOC)
		err = run_associations(driver, argument);
	for (size_t i = 0; i < ARRAY_SIZE(domain_requests); i++) {
		if (domain_requests[i].number == number)
			err = run_on_domain(driver, &domain_requests[i], argument);
	}
	return err ? -ENOTTY : 0;
}
