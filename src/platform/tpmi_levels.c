// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance levels of TPMI parts (hardware.md, section 4). PERF_LEVELS tells which exist and what
 * they have; of a level that does not, nothing is asked. Figures beyond the counts that an answer
 * gives are not used.
 */
#include "platform/tpmi.h"

#include <errno.h>

#include "platform/words.h"

#define REVISION_WITH_FABRICS 2 /* SST-PP */
#define SECOND_FABRIC         1
#define REVISION_WITH_MODULES 2 /* SST-PP; no request has that of SST-TF, which comes with it */
#define MODULE_BUCKETS        3 /* the most that counts of modules use */

/* A level on its way: what is asked, and of whom. */
struct task {
	const struct platform *platform;
	const struct power_domain *domain;
	uint32_t level;
};

/* A count that an answer gives; drivers that know none leave 0. */
static unsigned int known(uint16_t count, unsigned int most)
{
	return count == 0 || count > most ? most : count;
}

static void take_turbo(const __u16 core_counts[ISST_BUCKETS],
		       const __u16 mhz[ISST_TRL_LEVELS][ISST_BUCKETS], unsigned int n_buckets,
		       unsigned int n_trl_levels, struct sst_turbo *turbo)
{
	for (unsigned int bucket = 0; bucket < n_buckets; bucket++) {
		turbo->core_counts[bucket] = core_counts[bucket];
		for (unsigned int i = 0; i < n_trl_levels; i++)
			turbo->mhz[i][bucket] = mhz[i][bucket];
	}
}

static int ask_info(const struct task *task, struct isst_perf_level_info *info)
{
	*info = (struct isst_perf_level_info){
		.socket_id = (__u8)task->domain->package,
		.power_domain_id = (__u8)task->domain->id,
		.level = (__u16)task->level,
	};
	return tpmi_request(task->platform, task->domain, ISST_GET_PERF_LEVEL_INFO, info);
}

static int read_figures(const struct task *task, struct sst_level *level)
{
	struct isst_perf_level_info info;
	int err = ask_info(task, &info);

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
		   known(info.max_buckets, ISST_BUCKETS),
		   known(info.max_trl_levels, ISST_TRL_LEVELS), &level->turbo);
	return 0;
}

/* Adds the CPUs of a mask, GET_PERF_LEVEL_CPU_MASK's or GET_BASE_FREQ_CPU_MASK's. */
static int read_cpus(const struct task *task, uint32_t request, struct cpuset *cpus)
{
	struct isst_perf_level_cpu_mask mask = {
		.socket_id = (__u8)task->domain->package,
		.power_domain_id = (__u8)task->domain->id,
		.level = (__u8)task->level,
		.punit_cpu_map = 1,
	};
	int err = tpmi_request(task->platform, task->domain, request, &mask);

	return err
		       ?: domains_add_cores(task->domain, &task->platform->machine->topology,
					    mask.mask, cpus);
}

/* Kernels before 6.16 do not answer it, which is no failure. */
static void read_second_fabric(const struct task *task, struct sst_level *level)
{
	struct isst_perf_level_fabric_info info = {
		.socket_id = (__u8)task->domain->package,
		.power_domain_id = (__u8)task->domain->id,
		.level = (__u16)task->level,
	};
	int err =
		tpmi_request(task->platform, task->domain, ISST_GET_PERF_LEVEL_FABRIC_INFO, &info);

	if (err || info.max_fabrics <= SECOND_FABRIC)
		return;
	level->uncore1 = (struct sst_fabric){
		.min_mhz = info.pm_fabric_freq_mhz[SECOND_FABRIC],
		.max_mhz = info.p0_fabric_freq_mhz[SECOND_FABRIC],
		.base_mhz = info.p1_fabric_freq_mhz[SECOND_FABRIC],
	};
}

static int read_base_freq(const struct task *task, struct sst_base_freq *base_freq)
{
	struct isst_base_freq_info info = {
		.socket_id = (__u8)task->domain->package,
		.power_domain_id = (__u8)task->domain->id,
		.level = (__u16)task->level,
	};
	int err = tpmi_request(task->platform, task->domain, ISST_GET_BASE_FREQ_INFO, &info);

	if (err)
		return err;
	base_freq->high_mhz = info.high_base_freq_mhz;
	base_freq->low_mhz = info.low_base_freq_mhz;
	base_freq->tjunction_c = info.tjunction_max_c;
	base_freq->tdp_w = info.thermal_design_power_w;
	base_freq->has_thermals = true;
	return 0;
}

/* If more buckets are used, they count cores (hardware.md, section 4). */
static bool counts_modules(const struct sst_turbo *buckets, uint8_t revision)
{
	return revision >= REVISION_WITH_MODULES && buckets->core_counts[MODULE_BUCKETS] == 0;
}

static int read_turbo_freq(const struct task *task, uint8_t revision,
			   struct sst_turbo_freq *turbo_freq)
{
	struct isst_turbo_freq_info info = {
		.socket_id = (__u8)task->domain->package,
		.power_domain_id = (__u8)task->domain->id,
		.level = (__u16)task->level,
	};
	int err = tpmi_request(task->platform, task->domain, ISST_GET_TURBO_FREQ_INFO, &info);

	if (err)
		return err;
	take_turbo(info.bucket_core_counts, info.trl_freq_mhz,
		   known(info.max_buckets, ISST_BUCKETS),
		   known(info.max_trl_levels, ISST_TRL_LEVELS), &turbo_freq->buckets);
	turbo_freq->counts_modules = counts_modules(&turbo_freq->buckets, revision);
	for (unsigned int i = 0; i < known(info.max_clip_freqs, ISST_TRL_LEVELS); i++)
		turbo_freq->clip_mhz[i] = info.lp_clip_freq_mhz[i];
	return 0;
}

static int fail(struct platform_level_query *query, const char *what, int err)
{
	if (err == -ENOMEM)
		return err;
	query->error = err;
	query->failed = what;
	return 0;
}

/* The CPUs that the level enables. Returns 0 or -ENOMEM, as the three below. */
static int fill_cpus(const struct task *task, struct platform_level_query *query)
{
	struct sst_level *level = &query->info;
	int err = 0;

	level->has_enabled_cpus = !cpuset_is_empty(&task->domain->cpus);
	if (level->has_enabled_cpus)
		err = read_cpus(task, ISST_GET_PERF_LEVEL_CPU_MASK, &level->enabled_cpus);
	return err ? fail(query, "GET_PERF_LEVEL_CPU_MASK", err) : 0;
}

/* The level's own figures. */
static int fill_level(const struct task *task, uint8_t revision, struct platform_level_query *query)
{
	struct sst_level *level = &query->info;
	int err = read_figures(task, level);

	if (err)
		return fail(query, "GET_PERF_LEVEL_INFO", err);
	if (revision >= REVISION_WITH_FABRICS)
		read_second_fabric(task, level);
	return 0;
}

static int fill_base_freq(const struct task *task, struct platform_level_query *query)
{
	struct sst_base_freq *base_freq = &query->info.base_freq;
	int err = read_base_freq(task, base_freq);

	if (err)
		return fail(query, "GET_BASE_FREQ_INFO", err);
	if (!cpuset_is_empty(&task->domain->cpus))
		err = read_cpus(task, ISST_GET_BASE_FREQ_CPU_MASK, &base_freq->high_cpus);
	return err ? fail(query, "GET_BASE_FREQ_CPU_MASK", err) : 0;
}

static int fill_turbo_freq(const struct task *task, uint8_t revision,
			   struct platform_level_query *query)
{
	int err = read_turbo_freq(task, revision, &query->info.turbo_freq);

	return err ? fail(query, "GET_TURBO_FREQ_INFO", err) : 0;
}

/* A feature that is on shows so at every level. */
static int read_level(struct platform *platform, unsigned int parts,
		      struct platform_level_query *query)
{
	const struct tpmi_levels *answer = tpmi_read_levels_of(platform, query->domain, false);
	const struct isst_perf_levels *levels = &answer->levels;
	struct sst_level *level = &query->info;
	const struct task task = { platform, query->domain, query->level };
	int err = 0;

	if (answer->error)
		return fail(query, "PERF_LEVELS", answer->error);
	if (!tpmi_has_level(levels, query->level))
		return fail(query, NULL, -ENOENT);
	level->base_freq_supported =
		tpmi_has_feature(platform, levels, query->level, ISST_FEATURE_BF);
	level->turbo_freq_supported =
		tpmi_has_feature(platform, levels, query->level, ISST_FEATURE_TF);
	level->base_freq_on = levels->feature_state & ISST_FEATURE_BF;
	level->turbo_freq_on = levels->feature_state & ISST_FEATURE_TF;
	if (parts & (PLATFORM_LEVEL | PLATFORM_CPUS))
		err = fill_cpus(&task, query);
	if (!err && !query->error && parts & PLATFORM_LEVEL)
		err = fill_level(&task, levels->feature_rev, query);
	if (!err && !query->error && parts & PLATFORM_BASE_FREQ && level->base_freq_supported)
		err = fill_base_freq(&task, query);
	if (!err && !query->error && parts & PLATFORM_TURBO_FREQ && level->turbo_freq_supported)
		err = fill_turbo_freq(&task, levels->feature_rev, query);
	return err;
}

int tpmi_read_levels(struct platform *platform, unsigned int parts,
		     struct platform_level_query *queries, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (!queries[i].error)
			err = read_level(platform, parts, &queries[i]);
	}
	return err;
}

int tpmi_read_level_trl(struct platform *platform, const struct power_domain *domain,
			uint32_t level, uint64_t *ret_trl)
{
	const struct task task = { platform, domain, level };
	struct isst_perf_level_info info;
	uint64_t trl = 0;
	int err = ask_info(&task, &info);

	for (unsigned int i = 0; i < ISST_BUCKETS && !err; i++)
		trl |= (uint64_t)(info.trl_freq_mhz[0][i] / word_ratio_mhz(1) & 0xff) << (8 * i);
	if (!err)
		*ret_trl = trl;
	return err;
}
