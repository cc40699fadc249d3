// SPDX-License-Identifier: GPL-2.0-only
/* The structures of TPMI requests member by member, as tables (hardware.md, section 4). */
#include "transport/trace_tpmi.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"

/* A member of a structure: a number, or several of 16 bits in a row. */
struct member {
	const char *name;
	size_t offset;
	size_t size; /* 1, 2 or 8 bytes */
	size_t count;
};

#define MEMBER(type, field)                                              \
	{                                                                \
		.name = #field, .offset = offsetof(struct type, field),  \
		.size = sizeof(((struct type *)NULL)->field), .count = 1 \
	}
#define MEMBER_ROW(type, field)                                                                \
	{                                                                                      \
		.name = #field, .offset = offsetof(struct type, field), .size = sizeof(__u16), \
		.count = sizeof(((struct type *)NULL)->field) / sizeof(__u16)                  \
	}

static const struct member instances[] = {
	MEMBER(isst_tpmi_instances, socket_id),
	MEMBER(isst_tpmi_instances, count),
	MEMBER(isst_tpmi_instances, valid_mask),
};

static const struct member core_power_state[] = {
	MEMBER(isst_core_power_state, get_set),
	MEMBER(isst_core_power_state, socket_id),
	MEMBER(isst_core_power_state, power_domain_id),
	MEMBER(isst_core_power_state, enable),
	MEMBER(isst_core_power_state, supported),
	MEMBER(isst_core_power_state, priority_type),
};

static const struct member clos_param[] = {
	MEMBER(isst_clos_param, get_set),         MEMBER(isst_clos_param, socket_id),
	MEMBER(isst_clos_param, power_domain_id), MEMBER(isst_clos_param, clos),
	MEMBER(isst_clos_param, min_freq_mhz),    MEMBER(isst_clos_param, max_freq_mhz),
	MEMBER(isst_clos_param, prop_prio),
};

static const struct member perf_levels[] = {
	MEMBER(isst_perf_levels, socket_id),      MEMBER(isst_perf_levels, power_domain_id),
	MEMBER(isst_perf_levels, max_level),      MEMBER(isst_perf_levels, feature_rev),
	MEMBER(isst_perf_levels, level_mask),     MEMBER(isst_perf_levels, current_level),
	MEMBER(isst_perf_levels, feature_state),  MEMBER(isst_perf_levels, locked),
	MEMBER(isst_perf_levels, enabled),        MEMBER(isst_perf_levels, sst_tf_support),
	MEMBER(isst_perf_levels, sst_bf_support),
};

static const struct member set_level[] = {
	MEMBER(isst_perf_set_level, socket_id),
	MEMBER(isst_perf_set_level, power_domain_id),
	MEMBER(isst_perf_set_level, level),
};

static const struct member set_feature[] = {
	MEMBER(isst_perf_set_feature, socket_id),
	MEMBER(isst_perf_set_feature, power_domain_id),
	MEMBER(isst_perf_set_feature, feature),
};

static const struct member level_info[] = {
	MEMBER(isst_perf_level_info, socket_id),
	MEMBER(isst_perf_level_info, power_domain_id),
	MEMBER(isst_perf_level_info, level),
	MEMBER(isst_perf_level_info, tdp_ratio),
	MEMBER(isst_perf_level_info, base_freq_mhz),
	MEMBER(isst_perf_level_info, base_freq_avx2_mhz),
	MEMBER(isst_perf_level_info, base_freq_avx512_mhz),
	MEMBER(isst_perf_level_info, base_freq_amx_mhz),
	MEMBER(isst_perf_level_info, thermal_design_power_w),
	MEMBER(isst_perf_level_info, tjunction_max_c),
	MEMBER(isst_perf_level_info, max_memory_freq_mhz),
	MEMBER(isst_perf_level_info, cooling_type),
	MEMBER(isst_perf_level_info, p0_freq_mhz),
	MEMBER(isst_perf_level_info, p1_freq_mhz),
	MEMBER(isst_perf_level_info, pn_freq_mhz),
	MEMBER(isst_perf_level_info, pm_freq_mhz),
	MEMBER(isst_perf_level_info, p0_fabric_freq_mhz),
	MEMBER(isst_perf_level_info, p1_fabric_freq_mhz),
	MEMBER(isst_perf_level_info, pn_fabric_freq_mhz),
	MEMBER(isst_perf_level_info, pm_fabric_freq_mhz),
	MEMBER(isst_perf_level_info, max_buckets),
	MEMBER(isst_perf_level_info, max_trl_levels),
	MEMBER_ROW(isst_perf_level_info, bucket_core_counts),
	MEMBER_ROW(isst_perf_level_info, trl_freq_mhz),
};

static const struct member cpu_mask[] = {
	MEMBER(isst_perf_level_cpu_mask, socket_id),
	MEMBER(isst_perf_level_cpu_mask, power_domain_id),
	MEMBER(isst_perf_level_cpu_mask, level),
	MEMBER(isst_perf_level_cpu_mask, mask),
};

static const struct member base_freq_info[] = {
	MEMBER(isst_base_freq_info, socket_id),
	MEMBER(isst_base_freq_info, power_domain_id),
	MEMBER(isst_base_freq_info, level),
	MEMBER(isst_base_freq_info, high_base_freq_mhz),
	MEMBER(isst_base_freq_info, low_base_freq_mhz),
	MEMBER(isst_base_freq_info, tjunction_max_c),
	MEMBER(isst_base_freq_info, thermal_design_power_w),
};

static const struct member turbo_freq_info[] = {
	MEMBER(isst_turbo_freq_info, socket_id),
	MEMBER(isst_turbo_freq_info, power_domain_id),
	MEMBER(isst_turbo_freq_info, level),
	MEMBER(isst_turbo_freq_info, max_clip_freqs),
	MEMBER(isst_turbo_freq_info, max_buckets),
	MEMBER(isst_turbo_freq_info, max_trl_levels),
	MEMBER_ROW(isst_turbo_freq_info, lp_clip_freq_mhz),
	MEMBER_ROW(isst_turbo_freq_info, bucket_core_counts),
	MEMBER_ROW(isst_turbo_freq_info, trl_freq_mhz),
};

static const struct member fabric_info[] = {
	MEMBER(isst_perf_level_fabric_info, socket_id),
	MEMBER(isst_perf_level_fabric_info, power_domain_id),
	MEMBER(isst_perf_level_fabric_info, level),
	MEMBER(isst_perf_level_fabric_info, max_fabrics),
	MEMBER_ROW(isst_perf_level_fabric_info, p0_fabric_freq_mhz),
	MEMBER_ROW(isst_perf_level_fabric_info, p1_fabric_freq_mhz),
	MEMBER_ROW(isst_perf_level_fabric_info, pm_fabric_freq_mhz),
};

static const struct {
	uint32_t request;
	const char *name;
	const struct member *members;
	size_t n_members;
} structures[] = {
	{ ISST_COUNT_TPMI_INSTANCES, "instances", instances, ARRAY_SIZE(instances) },
	{ ISST_CORE_POWER_STATE, "core-power state", core_power_state,
	  ARRAY_SIZE(core_power_state) },
	{ ISST_CLOS_PARAM, "clos", clos_param, ARRAY_SIZE(clos_param) },
	{ ISST_PERF_LEVELS, "levels", perf_levels, ARRAY_SIZE(perf_levels) },
	{ ISST_PERF_SET_LEVEL, "set level", set_level, ARRAY_SIZE(set_level) },
	{ ISST_PERF_SET_FEATURE, "set feature", set_feature, ARRAY_SIZE(set_feature) },
	{ ISST_GET_PERF_LEVEL_INFO, "level", level_info, ARRAY_SIZE(level_info) },
	{ ISST_GET_PERF_LEVEL_CPU_MASK, "level cores", cpu_mask, ARRAY_SIZE(cpu_mask) },
	{ ISST_GET_BASE_FREQ_INFO, "base-freq", base_freq_info, ARRAY_SIZE(base_freq_info) },
	{ ISST_GET_BASE_FREQ_CPU_MASK, "base-freq cores", cpu_mask, ARRAY_SIZE(cpu_mask) },
	{ ISST_GET_TURBO_FREQ_INFO, "turbo-freq", turbo_freq_info, ARRAY_SIZE(turbo_freq_info) },
	{ ISST_GET_PERF_LEVEL_FABRIC_INFO, "fabrics", fabric_info, ARRAY_SIZE(fabric_info) },
};

static uint64_t read_number(const struct member *member, const char *place)
{
	__u8 small;
	__u16 medium;
	__u64 large;

	switch (member->size) {
	case sizeof(small):
		memcpy(&small, place, sizeof(small));
		return small;
	case sizeof(medium):
		memcpy(&medium, place, sizeof(medium));
		return medium;
	}
	memcpy(&large, place, sizeof(large));
	return large;
}

static void trace_member(FILE *to, const struct member *member, const char *structure)
{
	fprintf(to, " %s", member->name);
	for (size_t i = 0; i < member->count; i++)
		fprintf(to, "%s%" PRIu64, i ? "," : ":",
			read_number(member, structure + member->offset + i * member->size));
}

static void trace_assocs(FILE *to, const struct isst_clos_assocs *assocs)
{
	const char *entries = (const char *)assocs + offsetof(struct isst_clos_assocs, entries);

	for (size_t i = 0; i < assocs->cmd_count; i++) {
		struct isst_clos_assoc entry;

		memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		fprintf(to,
			"tpmi assoc: get_set:%u socket_id:%u power_domain_id:%u core:%u clos:%u\n",
			assocs->get_set, entry.socket_id, entry.power_domain_id, entry.logical_cpu,
			entry.clos);
	}
}

bool trace_tpmi_request(FILE *to, uint32_t request, const void *argument)
{
	if (request == ISST_CLOS_ASSOC) {
		trace_assocs(to, argument);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++) {
		if (structures[i].request != request)
			continue;
		fprintf(to, "tpmi %s:", structures[i].name);
		for (size_t j = 0; j < structures[i].n_members; j++)
			trace_member(to, &structures[i].members[j], argument);
		fputc('\n', to);
		return true;
	}
	return false;
}
