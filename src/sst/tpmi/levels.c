// SPDX-License-Identifier: GPL-2.0-only
/* Reads performance levels of TPMI parts (hardware.md, section 4). PERF_LEVELS shows which levels
 * exist and what they have; no request is about others. Figures beyond the counts of an answer are
 * not used. */
#include "sst/tpmi/tpmi.h"

#include <errno.h>

#define REVISION_WITH_FABRICS 2 /* SST-PP */
#define SECOND_FABRIC         1
#define REVISION_WITH_MODULES 2 /* of SST-PP; comes with that of SST-TF, which no request has */
#define MODULE_BUCKETS        3 /* at most so many buckets count modules */

/* Returns a count of an answer, limited to most. Drivers that do not know the count leave 0. */
static unsigned int limit_count(uint16_t count, unsigned int most)
{
	return count == 0 || count > most ? most : count;
}

static void take_turbo(const __u16 core_counts[ISST_BUCKETS],
		       const __u16 mhz[ISST_TRL_LEVELS][ISST_BUCKETS], unsigned int max_buckets,
		       unsigned int max_trl_levels, struct sst_turbo *turbo)
{
	for (unsigned int bucket = 0; bucket < max_buckets; bucket++) {
		turbo->core_counts[bucket] = core_counts[bucket];
		for (unsigned int i = 0; i < max_trl_levels; i++)
			turbo->mhz[i][bucket] = mhz[i][bucket];
	}
}

bool tpmi_has_level(const struct isst_perf_level_info *levels, uint32_t level)
{
	if (!levels->enabled)
		return level == 0;
	return level <= SST_MAX_LEVEL && levels->level_mask & 1U << level;
}

/* Returns true if the level has the feature, as the support member of PERF_LEVELS shows. */
static bool has_feature(const struct platform *platform, uint8_t support, uint32_t level)
{
	if (platform->info.api_version < ISST_API_TPMI_MASKS)
		return support;
	return level <= SST_MAX_LEVEL && support & 1U << level;
}

static int request_info(const struct platform *platform, const struct power_domain *domain,
			uint32_t level, struct isst_perf_level_data_info *info)
{
	*info = (struct isst_perf_level_data_info){ TPMI_DOMAIN(domain), .level = (__u16)level };
	return tpmi_request(platform, domain, ISST_IF_GET_PERF_LEVEL_INFO, info, sizeof(*info));
}

/* Kernels before 6.16 do not know the request, which is not an error. */
static void read_second_fabric(const struct platform *platform, struct platform_level_query *query)
{
	struct isst_perf_level_fabric_info info = { TPMI_DOMAIN(query->domain),
						    .level = (__u16)query->level };

	if (tpmi_request(platform, query->domain, ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, &info,
			 sizeof(info)) ||
	    info.max_fabrics <= SECOND_FABRIC)
		return;
	query->info.uncore1 = (struct sst_fabric){
		.min_mhz = info.pm_fabric_freq_mhz[SECOND_FABRIC],
		.max_mhz = info.p0_fabric_freq_mhz[SECOND_FABRIC],
		.base_mhz = info.p1_fabric_freq_mhz[SECOND_FABRIC],
	};
}

static int read_figures(const struct platform *platform, uint8_t revision,
			struct platform_level_query *query)
{
	struct sst_level *level = &query->info;
	struct isst_perf_level_data_info info;
	int err = request_info(platform, query->domain, query->level, &info);

	query->failed = "GET_PERF_LEVEL_INFO";
	if (err)
		return err;
	level->tdp_ratio = info.tdp_ratio;
	level->base_mhz = info.base_freq_mhz;
	level->base_avx2_mhz = info.base_freq_avx2_mhz;
	level->base_avx512_mhz = info.base_freq_avx512_mhz;
	level->base_amx_mhz = info.base_freq_amx_mhz;
	level->tdp_w = info.thermal_design_power_w;
	level->tjunction_max_c = info.tjunction_max_c;
	level->memory_mhz = info.max_memory_freq_mhz;
	level->has_cooling_type = true;
	level->cooling_type = info.cooling_type;
	level->uncore = (struct sst_fabric){
		.min_mhz = info.pm_fabric_freq_mhz,
		.max_mhz = info.p0_fabric_freq_mhz,
		.base_mhz = info.p1_fabric_freq_mhz,
	};
	take_turbo(info.bucket_core_counts, info.trl_freq_mhz,
		   limit_count(info.max_buckets, ISST_BUCKETS),
		   limit_count(info.max_trl_levels, ISST_TRL_LEVELS), &level->turbo);
	if (revision >= REVISION_WITH_FABRICS)
		read_second_fabric(platform, query);
	return 0;
}

/* Adds the CPUs of the mask of GET_PERF_LEVEL_CPU_MASK or GET_BASE_FREQ_CPU_MASK. */
static int read_cpus(const struct platform *platform, struct platform_level_query *query,
		     uint32_t request, struct cpuset *cpus)
{
	struct isst_perf_level_cpu_mask mask = { TPMI_DOMAIN(query->domain),
						 .level = (__u8)query->level, .punit_cpu_map = 1 };
	int err;

	if (cpuset_is_empty(&query->domain->cpus))
		return 0;
	query->failed = request == ISST_IF_GET_PERF_LEVEL_CPU_MASK ? "GET_PERF_LEVEL_CPU_MASK"
								   : "GET_BASE_FREQ_CPU_MASK";
	err = tpmi_request(platform, query->domain, request, &mask, sizeof(mask));
	if (err)
		return err;
	return domains_add_cores(query->domain, &platform->machine->topology, mask.mask, cpus);
}

static int read_base_freq(const struct platform *platform, struct platform_level_query *query)
{
	struct isst_base_freq_info info = { TPMI_DOMAIN(query->domain),
					    .level = (__u16)query->level };
	struct sst_base_freq *base_freq = &query->info.base_freq;
	int err = tpmi_request(platform, query->domain, ISST_IF_GET_BASE_FREQ_INFO, &info,
			       sizeof(info));

	query->failed = "GET_BASE_FREQ_INFO";
	if (err)
		return err;
	base_freq->high_mhz = info.high_base_freq_mhz;
	base_freq->low_mhz = info.low_base_freq_mhz;
	base_freq->tjunction_c = info.tjunction_max_c;
	base_freq->tdp_w = info.thermal_design_power_w;
	base_freq->has_thermals = true;
	return read_cpus(platform, query, ISST_IF_GET_BASE_FREQ_CPU_MASK, &base_freq->high_cpus);
}

static int read_turbo_freq(const struct platform *platform, uint8_t revision,
			   struct platform_level_query *query)
{
	struct isst_turbo_freq_info info = { TPMI_DOMAIN(query->domain),
					     .level = (__u16)query->level };
	struct sst_turbo_freq *turbo_freq = &query->info.turbo_freq;
	int err = tpmi_request(platform, query->domain, ISST_IF_GET_TURBO_FREQ_INFO, &info,
			       sizeof(info));

	query->failed = "GET_TURBO_FREQ_INFO";
	if (err)
		return err;
	take_turbo(info.bucket_core_counts, info.trl_freq_mhz,
		   limit_count(info.max_buckets, ISST_BUCKETS),
		   limit_count(info.max_trl_levels, ISST_TRL_LEVELS), &turbo_freq->buckets);
	/* If more buckets are used, they count cores (hardware.md, section 4). */
	turbo_freq->counts_modules = revision >= REVISION_WITH_MODULES &&
				     turbo_freq->buckets.core_counts[MODULE_BUCKETS] == 0;
	for (unsigned int i = 0; i < limit_count(info.max_clip_freqs, ISST_TRL_LEVELS); i++)
		turbo_freq->clip_mhz[i] = info.lp_clip_freq_mhz[i];
	return 0;
}

/* Reads a level. query->failed is the last request that was sent. */
static int read_level(struct platform *platform, unsigned int parts,
		      struct platform_level_query *query)
{
	const struct tpmi_domain *asked = tpmi_ask_levels(platform, query->domain, false);
	const struct isst_perf_level_info *levels = &asked->levels;
	struct sst_level *level = &query->info;
	int err = asked->levels_error;

	query->failed = "PERF_LEVELS";
	if (err)
		return err;
	if (!tpmi_has_level(levels, query->level))
		return -ENOENT;
	level->base_freq_supported = has_feature(platform, levels->sst_bf_support, query->level);
	level->turbo_freq_supported = has_feature(platform, levels->sst_tf_support, query->level);
	/* A feature that is on is reported as on at every level. */
	level->base_freq_on = levels->feature_state & ISST_FEATURE_BF;
	level->turbo_freq_on = levels->feature_state & ISST_FEATURE_TF;
	if (parts & (PLATFORM_LEVEL | PLATFORM_CPUS)) {
		level->has_enabled_cpus = !cpuset_is_empty(&query->domain->cpus);
		err = read_cpus(platform, query, ISST_IF_GET_PERF_LEVEL_CPU_MASK,
				&level->enabled_cpus);
	}
	if (!err && parts & PLATFORM_LEVEL)
		err = read_figures(platform, levels->feature_rev, query);
	if (!err && parts & PLATFORM_BASE_FREQ && level->base_freq_supported)
		err = read_base_freq(platform, query);
	if (!err && parts & PLATFORM_TURBO_FREQ && level->turbo_freq_supported)
		err = read_turbo_freq(platform, levels->feature_rev, query);
	return err;
}

int tpmi_read_levels(struct platform *platform, unsigned int parts,
		     struct platform_level_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (queries[i].error)
			continue;
		queries[i].error = read_level(platform, parts, &queries[i]);
		if (queries[i].error == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int tpmi_read_level_trl(struct platform *platform, const struct power_domain *domain,
			uint32_t level, uint64_t *ret_trl)
{
	struct isst_perf_level_data_info info;
	int err = request_info(platform, domain, level, &info);
	uint64_t trl = 0;

	if (err)
		return err;
	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		trl |= (uint64_t)(info.trl_freq_mhz[0][i] / sst_ratio_mhz(1) & 0xff) << (8 * i);
	*ret_trl = trl;
	return 0;
}
