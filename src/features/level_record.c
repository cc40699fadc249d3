// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures of a performance level, in the order and with the omissions of output.md,
 * "perf-profile-level-N".
 */
#include "features/level_record.h"

#include "base/cleanup.h"
#include "features/records.h"
#include "output/fields.h"

/* A level with what else its node shows. */
struct level_record {
	struct sst_level level;
	struct cpuset cpus;
	const char *turbo_freq;
	const char *base_freq;
	const char *core_power;
};

#define LEVEL_NUMBER(member)      FIELD_AS_NUMBER(struct level_record, level.member)
#define LEVEL_CPUS(member, shape) FIELD_AS_CPUS(struct level_record, member, shape)
#define LEVEL_IF(member)          FIELD_IF(struct level_record, level.member)

static const struct field fields[] = {
	{ .name = "cpu-count", .omit_zero = true, LEVEL_CPUS(cpus, FIELD_CPU_COUNT) },
	{ .name = "enable-cpu-count",
	  .omit_zero = true,
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_COUNT),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "enable-cpu-mask",
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_MASK),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "enable-cpu-list",
	  LEVEL_CPUS(level.enabled_cpus, FIELD_CPU_LIST),
	  LEVEL_IF(has_enabled_cpus) },
	{ .name = "thermal-design-power-ratio", LEVEL_NUMBER(tdp_ratio) },
	{ .name = "base-frequency(MHz)", LEVEL_NUMBER(base_mhz) },
	{ .name = "base-frequency-avx2(MHz)", .omit_zero = true, LEVEL_NUMBER(base_avx2_mhz) },
	{ .name = "base-frequency-avx512(MHz)", .omit_zero = true, LEVEL_NUMBER(base_avx512_mhz) },
	{ .name = "uncore-frequency-min(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.min_mhz) },
	{ .name = "uncore-frequency-max(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.max_mhz) },
	{ .name = "base-frequency-amx(MHz)", .omit_zero = true, LEVEL_NUMBER(base_amx_mhz) },
	{ .name = "uncore-frequency-base(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore.base_mhz) },
	{ .name = "uncore-1-frequency-base(MHz)",
	  .omit_zero = true,
	  LEVEL_NUMBER(uncore1.base_mhz) },
	{ .name = "uncore-1-frequency-min(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore1.min_mhz) },
	{ .name = "uncore-1-frequency-max(MHz)", .omit_zero = true, LEVEL_NUMBER(uncore1.max_mhz) },
	{ .name = "max-mem-frequency(MHz)", .omit_zero = true, LEVEL_NUMBER(memory_mhz) },
	{ .name = "cooling_type", LEVEL_NUMBER(cooling_type), LEVEL_IF(has_cooling_type) },
	{ .name = "speed-select-turbo-freq", FIELD_AS_WORD(struct level_record, turbo_freq) },
	{ .name = "speed-select-base-freq", FIELD_AS_WORD(struct level_record, base_freq) },
	{ .name = "speed-select-core-power", FIELD_AS_WORD(struct level_record, core_power) },
	{ .name = "thermal-design-power(W)", .omit_zero = true, LEVEL_NUMBER(tdp_w) },
	{ .name = "tjunction-max(C)", .omit_zero = true, LEVEL_NUMBER(tjunction_max_c) },
};

static const char *feature_word(bool supported, bool on)
{
	return !supported ? "unsupported" : on ? "enabled" : "disabled";
}

static void put_turbo_limits(struct output *output, const struct platform *platform,
			     const struct sst_turbo *turbo, unsigned int trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "turbo-ratio-limits-%s", platform->trl_names[trl_level].name);

	for (unsigned int bucket = 0; bucket < SST_BUCKETS; bucket++) {
		_cleanup_scope_ struct output_scope inner =
			output_enter(output, "bucket-%u", bucket);

		output_value(output, "core-count", "%u", turbo->core_counts[bucket]);
		output_value(output, "max-turbo-frequency(MHz)", "%u",
			     turbo->mhz[trl_level][bucket]);
	}
}

void level_record_put(struct output *output, const struct platform *platform,
		      const struct platform_level_query *query,
		      const struct sst_core_power *core_power)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "perf-profile-level-%u", query->level);
	const struct sst_level *level = &query->info;
	struct level_record record = {
		.level = *level,
		.cpus = query->domain->cpus,
		.turbo_freq = feature_word(level->turbo_freq_supported, level->turbo_freq_on),
		.base_freq = feature_word(level->base_freq_supported, level->base_freq_on),
		.core_power = feature_word(core_power->supported, core_power->enabled),
	};

	fields_put(output, fields, ARRAY_SIZE(fields), &record);
	for (unsigned int i = 0; i < platform->n_trl_levels; i++) {
		if (level->turbo.mhz[i][0] > 0)
			put_turbo_limits(output, platform, &level->turbo, i);
	}
	if (level->base_freq_supported)
		records_put_base_freq(output, &level->base_freq);
	if (level->turbo_freq_supported)
		records_put_turbo_freq(output, platform, &level->turbo_freq, RECORDS_ALL,
				       RECORDS_ALL);
}
