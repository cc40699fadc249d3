// SPDX-License-Identifier: GPL-2.0-only
/* Requests of a TPMI driver (hardware.md, section 4). The members that a request does not fill in
 * have to come as zero; beyond the counts that answers give there are figures that mean nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fake_tpmi_driver.h"

#define NONSENSE  7777 /* MHz, in places that an answer does not count */
#define N_BUCKETS 2
#define N_LEVELS  2 /* turbo-ratio levels */

struct driver {
	struct transport transport;
	struct fake_tpmi *tpmi;
};

static void record(struct fake_tpmi *tpmi, struct fake_tpmi_record entry)
{
	struct fake_tpmi_record *records =
		realloc(tpmi->records, (tpmi->n_records + 1) * sizeof(*records));

	assert_non_null(records);
	tpmi->records = records;
	records[tpmi->n_records++] = entry;
}

/* The fault that this request meets, or NULL. */
static const struct fake_tpmi_fault *meet_fault(struct fake_tpmi *tpmi, uint32_t request, bool sets)
{
	struct fake_tpmi_fault *fault = &tpmi->fault;

	if (fault->request != request || (fault->sets && !sets))
		return NULL;
	fault->n_seen++;
	return (fault->n_seen >= fault->first && fault->n_seen <= fault->last) ||
			       fault->n_seen == fault->again
		       ? fault
		       : NULL;
}

/* Is the structure zero but for the size bytes at its beginning? */
static void assert_zero_behind(const void *argument, size_t size, size_t whole)
{
	const unsigned char *bytes = argument;

	for (size_t i = size; i < whole; i++)
		assert_int_equal(bytes[i], 0);
}

#define ASSERT_ZERO_BEHIND(pointer, member)                                                  \
	assert_zero_behind(pointer,                                                          \
			   offsetof(typeof(*(pointer)), member) + sizeof((pointer)->member), \
			   sizeof(*(pointer)))

static int count_instances(struct fake_tpmi *tpmi, struct isst_tpmi_instance_count *instances)
{
	ASSERT_ZERO_BEHIND(instances, socket_id);
	record(tpmi, (struct fake_tpmi_record){ .request = ISST_IF_COUNT_TPMI_INSTANCES,
						.package = instances->socket_id });
	if (tpmi->unserved & 1U << instances->socket_id)
		return -ENOTTY;
	for (size_t i = 0; i < tpmi->n_domains; i++) {
		if (tpmi->domains[i].package == instances->socket_id) {
			instances->valid_mask |= (__u16)(1U << tpmi->domains[i].id);
			instances->count = (__u8)(tpmi->domains[i].id + 1);
		}
	}
	return instances->valid_mask ? 0 : -ENOTTY;
}

static int phy_ids(struct fake_tpmi *tpmi, struct isst_if_cpu_maps *ids)
{
	const struct fake_tpmi_shape *shape = &tpmi->shape;
	uint32_t half = fake_machine_cpus(&tpmi->machine) / 2;

	for (uint32_t i = 0; i < ids->cmd_count; i++) {
		struct isst_if_cpu_map *id =
			(struct isst_if_cpu_map *)((char *)ids + sizeof(__u32)) + i;
		uint32_t cpu = id->logical_cpu, core = cpu % half % shape->cores;
		uint32_t domain = cpu % half / shape->cores % shape->n_compute;
		uint32_t in_module = shape->cores_of_module ?: 1;

		id->physical_cpu = shape->ids[domain] << 11 | core / in_module << 3 |
				   (core % in_module * 2 + cpu / half);
	}
	return (int)ids->cmd_count;
}

static int msrs(struct fake_tpmi *tpmi, struct isst_if_msr_cmds *commands)
{
	uint32_t half = fake_machine_cpus(&tpmi->machine) / 2;
	struct isst_if_msr_cmd *entries =
		(struct isst_if_msr_cmd *)((char *)commands +
					   offsetof(struct isst_if_msr_cmds, entries));

	for (uint32_t i = 0; i < commands->cmd_count; i++) {
		uint32_t package = entries[i].logical_cpu % half / (half / tpmi->shape.packages);

		assert_int_equal(entries[i].msr, 0x1ad);
		if (entries[i].read_write)
			tpmi->limits[package] = entries[i].data;
		else
			entries[i].data = tpmi->limits[package];
		record(tpmi, (struct fake_tpmi_record){ .request = ISST_IF_MSR_COMMAND,
							.package = package,
							.detail = 0x1ad,
							.sets = entries[i].read_write });
	}
	return (int)commands->cmd_count;
}

/* What was set is not to be seen for a while. */
static bool is_slow(struct fake_tpmi *tpmi)
{
	if (tpmi->n_slow == 0)
		return false;
	tpmi->n_slow--;
	return true;
}

static int core_power(struct fake_tpmi *tpmi, struct isst_core_power *state)
{
	struct fake_tpmi_domain *domain =
		fake_tpmi_domain(tpmi, state->socket_id, state->power_domain_id);
	const struct fake_tpmi_fault *fault =
		meet_fault(tpmi, ISST_IF_CORE_POWER_STATE, state->get_set);

	record(tpmi, (struct fake_tpmi_record){ .request = ISST_IF_CORE_POWER_STATE,
						.package = state->socket_id,
						.id = state->power_domain_id,
						.sets = state->get_set });
	if (!domain || (fault && !fault->takes_effect && !fault->is_lost))
		return -ENOTTY;
	assert_int_equal(state->supported, 0);
	if (state->get_set && !(fault && fault->is_lost)) {
		domain->state.enable = state->enable;
		domain->state.priority_type = state->priority_type;
		tpmi->n_slow = tpmi->slow_reads;
	} else if (!state->get_set) {
		ASSERT_ZERO_BEHIND(state, power_domain_id);
		state->supported = domain->state.supported;
		state->enable = domain->state.enable ^ is_slow(tpmi);
		state->priority_type = domain->state.priority_type;
	}
	return fault && !fault->is_lost ? -ENOTTY : 0;
}

static int clos_param(struct fake_tpmi *tpmi, struct isst_clos_param *param)
{
	struct fake_tpmi_domain *domain =
		fake_tpmi_domain(tpmi, param->socket_id, param->power_domain_id);
	const struct fake_tpmi_fault *fault = meet_fault(tpmi, ISST_IF_CLOS_PARAM, param->get_set);

	record(tpmi, (struct fake_tpmi_record){ .request = ISST_IF_CLOS_PARAM,
						.package = param->socket_id,
						.id = param->power_domain_id,
						.detail = param->clos,
						.sets = param->get_set });
	if (!domain || fault || param->clos >= ISST_CLOS_COUNT)
		return -ENOTTY;
	if (param->get_set) {
		assert_int_equal(param->min_freq_mhz % 100, 0);
		domain->clos[param->clos] = *param;
	} else {
		ASSERT_ZERO_BEHIND(param, clos);
		param->min_freq_mhz = domain->clos[param->clos].min_freq_mhz;
		param->max_freq_mhz = domain->clos[param->clos].max_freq_mhz;
		param->prop_prio = domain->clos[param->clos].prop_prio;
	}
	return 0;
}

static int clos_assoc(struct fake_tpmi *tpmi, struct isst_if_clos_assoc_cmds *assocs)
{
	struct isst_if_clos_assoc *entries =
		(struct isst_if_clos_assoc *)((char *)assocs +
					      offsetof(struct isst_if_clos_assoc_cmds, entries));

	tpmi->n_assoc_requests++;
	assert_int_equal(assocs->punit_cpu_map, 1);
	assert_in_range(assocs->cmd_count, 1, 64);
	for (size_t i = 0; i < assocs->cmd_count; i++) {
		struct fake_tpmi_domain *domain =
			fake_tpmi_domain(tpmi, entries[i].socket_id, entries[i].power_domain_id);

		record(tpmi, (struct fake_tpmi_record){ .request = ISST_IF_CLOS_ASSOC,
							.package = entries[i].socket_id,
							.id = entries[i].power_domain_id,
							.detail = entries[i].logical_cpu,
							.sets = assocs->get_set });
		if (!domain || meet_fault(tpmi, ISST_IF_CLOS_ASSOC, assocs->get_set) ||
		    entries[i].logical_cpu >= FAKE_TPMI_CORES)
			return -ENOTTY;
		if (assocs->get_set)
			domain->assoc[entries[i].logical_cpu] = entries[i].clos;
		else
			entries[i].clos = domain->assoc[entries[i].logical_cpu];
	}
	return 0;
}

static int perf_levels(struct fake_tpmi *tpmi, const struct fake_tpmi_domain *domain,
		       struct isst_perf_level_info *levels)
{
	__u8 socket_id = levels->socket_id, power_domain_id = levels->power_domain_id;

	ASSERT_ZERO_BEHIND(levels, power_domain_id);
	*levels = domain->levels;
	levels->socket_id = socket_id;
	levels->power_domain_id = power_domain_id;
	if (is_slow(tpmi))
		levels->feature_state ^= ISST_FEATURE_BF;
	return 0;
}

static int set_level(struct fake_tpmi *tpmi, struct fake_tpmi_domain *domain, __u8 level)
{
	if (!(domain->levels.level_mask & tpmi->allowed_levels & 1U << level) ||
	    level == domain->levels.current_level || domain->levels.locked)
		return -ENOTTY;
	domain->levels.current_level = level;
	domain->levels.feature_state = 0;
	tpmi->limits[domain->package] = 0x2020202020202020 + level;
	return 0;
}

static void fill_turbo(__u16 counts[ISST_BUCKETS], __u16 mhz[ISST_TRL_LEVELS][ISST_BUCKETS],
		       bool has_cpus)
{
	for (size_t bucket = 0; bucket < ISST_BUCKETS; bucket++) {
		counts[bucket] = bucket >= N_BUCKETS ? 99
				 : has_cpus          ? (__u16)(4 * (bucket + 1))
						     : 0;
		for (size_t i = 0; i < ISST_TRL_LEVELS; i++)
			mhz[i][bucket] = bucket < N_BUCKETS && i < N_LEVELS
						 ? (__u16)(4000 - 100 * i - 200 * bucket)
						 : NONSENSE;
	}
}

static int level_info(const struct fake_tpmi_domain *domain, struct isst_perf_level_data_info *info)
{
	__u16 more = (__u16)(100 * info->level);

	ASSERT_ZERO_BEHIND(info, level);
	info->tdp_ratio = (__u16)(20 + info->level);
	info->base_freq_mhz = 2000 + more;
	info->base_freq_avx2_mhz = 1800 + more;
	info->thermal_design_power_w = 350;
	info->tjunction_max_c = 100;
	info->max_memory_freq_mhz = 6400;
	info->cooling_type = 1;
	info->p0_freq_mhz = 3900;
	info->p0_fabric_freq_mhz = 2500;
	info->p1_fabric_freq_mhz = 1400;
	info->pm_fabric_freq_mhz = 800;
	info->max_buckets = N_BUCKETS;
	info->max_trl_levels = N_LEVELS;
	fill_turbo(info->bucket_core_counts, info->trl_freq_mhz, domain->core_mask);
	return 0;
}

static int cpu_mask(struct isst_perf_level_cpu_mask *mask, uint64_t answer)
{
	assert_int_equal(mask->punit_cpu_map, 1);
	assert_int_equal(mask->cpu_buffer_size, 0);
	mask->mask = answer;
	return 0;
}

static int base_freq_info(struct isst_base_freq_info *info)
{
	ASSERT_ZERO_BEHIND(info, level);
	info->high_base_freq_mhz = 2400;
	info->low_base_freq_mhz = 1900;
	info->tjunction_max_c = 95;
	info->thermal_design_power_w = 340;
	return 0;
}

static int turbo_freq_info(const struct fake_tpmi_domain *domain, struct isst_turbo_freq_info *info)
{
	ASSERT_ZERO_BEHIND(info, level);
	info->max_clip_freqs = 1;
	info->max_buckets = N_BUCKETS;
	info->max_trl_levels = N_LEVELS;
	for (size_t i = 0; i < ISST_TRL_LEVELS; i++)
		info->lp_clip_freq_mhz[i] = i ? NONSENSE : 2100;
	fill_turbo(info->bucket_core_counts, info->trl_freq_mhz, domain->core_mask);
	return 0;
}

static int fabric_info(const struct fake_tpmi *tpmi, struct isst_perf_level_fabric_info *info)
{
	if (!tpmi->has_fabrics)
		return -ENOTTY;
	ASSERT_ZERO_BEHIND(info, level);
	info->max_fabrics = 2;
	for (size_t i = 0; i < ISST_FABRICS; i++) {
		info->p0_fabric_freq_mhz[i] = (__u16)(2600 + i);
		info->p1_fabric_freq_mhz[i] = (__u16)(1500 + i);
		info->pm_fabric_freq_mhz[i] = (__u16)(900 + i);
	}
	return 0;
}

/* The requests that begin with package and domain; many have a level after them. */
static int answer_domain(struct fake_tpmi *tpmi, struct fake_tpmi_domain *domain, uint32_t request,
			 void *argument)
{
	switch (request) {
	case ISST_IF_PERF_LEVELS:
		return perf_levels(tpmi, domain, argument);
	case ISST_IF_PERF_SET_LEVEL:
		return set_level(tpmi, domain, ((struct isst_perf_level_control *)argument)->level);
	case ISST_IF_PERF_SET_FEATURE:
		domain->levels.feature_state =
			((struct isst_perf_feature_control *)argument)->feature;
		tpmi->n_slow = tpmi->slow_reads;
		return 0;
	case ISST_IF_GET_PERF_LEVEL_INFO:
		return level_info(domain, argument);
	case ISST_IF_GET_PERF_LEVEL_CPU_MASK:
		return cpu_mask(argument, domain->core_mask);
	case ISST_IF_GET_BASE_FREQ_INFO:
		return base_freq_info(argument);
	case ISST_IF_GET_BASE_FREQ_CPU_MASK:
		return cpu_mask(argument, domain->high_mask);
	case ISST_IF_GET_TURBO_FREQ_INFO:
		return turbo_freq_info(domain, argument);
	case ISST_IF_GET_PERF_LEVEL_FABRIC_INFO:
		return fabric_info(tpmi, argument);
	}
	fail_msg("request 0x%x", request);
	return -ENOTTY;
}

static uint32_t level_of(uint32_t request, const void *argument)
{
	switch (request) {
	case ISST_IF_PERF_SET_LEVEL:
	case ISST_IF_GET_PERF_LEVEL_CPU_MASK:
	case ISST_IF_GET_BASE_FREQ_CPU_MASK:
		return ((const struct isst_perf_level_control *)argument)->level;
	case ISST_IF_GET_PERF_LEVEL_INFO:
	case ISST_IF_GET_BASE_FREQ_INFO:
	case ISST_IF_GET_TURBO_FREQ_INFO:
	case ISST_IF_GET_PERF_LEVEL_FABRIC_INFO:
		return ((const struct isst_perf_level_data_info *)argument)->level;
	}
	return 0;
}

static int ask_domain(struct fake_tpmi *tpmi, uint32_t request, void *argument)
{
	const struct isst_perf_level_control *head = argument;
	struct fake_tpmi_domain *domain =
		fake_tpmi_domain(tpmi, head->socket_id, head->power_domain_id);
	bool sets = request == ISST_IF_PERF_SET_LEVEL || request == ISST_IF_PERF_SET_FEATURE;
	const struct fake_tpmi_fault *fault = meet_fault(tpmi, request, sets);

	record(tpmi, (struct fake_tpmi_record){ .request = request,
						.package = head->socket_id,
						.id = head->power_domain_id,
						.detail = level_of(request, argument),
						.sets = sets });
	if (fault && fault->is_lost)
		return 0;
	if (!domain || (fault && !fault->takes_effect))
		return -ENOTTY;
	return answer_domain(tpmi, domain, request, argument) ?: fault ? -ENOTTY : 0;
}

static int driver_request(struct transport *transport, uint32_t request, void *argument)
{
	struct fake_tpmi *tpmi = ((struct driver *)transport)->tpmi;

	switch (request) {
	case ISST_IF_GET_PLATFORM_INFO:
		memcpy(argument, &tpmi->machine.info, sizeof(tpmi->machine.info));
		return 0;
	case ISST_IF_GET_PHY_ID:
		return phy_ids(tpmi, argument);
	case ISST_IF_MSR_COMMAND:
		return msrs(tpmi, argument);
	case ISST_IF_COUNT_TPMI_INSTANCES:
		return count_instances(tpmi, argument);
	case ISST_IF_CORE_POWER_STATE:
		return core_power(tpmi, argument);
	case ISST_IF_CLOS_PARAM:
		return clos_param(tpmi, argument);
	case ISST_IF_CLOS_ASSOC:
		return clos_assoc(tpmi, argument);
	}
	return ask_domain(tpmi, request, argument);
}

static void driver_close(struct transport *transport)
{
	free(transport);
}

struct transport *fake_tpmi_driver_open(struct fake_tpmi *tpmi)
{
	static const struct transport_ops ops = {
		.request = driver_request,
		.close = driver_close,
	};
	struct driver *driver = calloc(1, sizeof(*driver));

	assert_non_null(driver);
	driver->transport.ops = &ops;
	driver->tpmi = tpmi;
	return &driver->transport;
}
