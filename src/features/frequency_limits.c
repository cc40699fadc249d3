// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which limit of a CPU's frequency binds (hardware.md, sections 3 and 4; sysfs.md, "cpufreq policy"
 * and "intel_pstate"). Pure: nothing is read here. Without turbo the base frequency is the limit:
 * that of SST-BF where it is on, else of cpufreq, else of the level.
 */
#include "features/frequency_limits.h"

#include "base/cleanup.h"

static uint32_t base_of(const struct frequency_facts *facts)
{
	return facts->base_freq_khz ?: facts->base_khz ?: facts->level_base_khz;
}

static uint32_t percent_of(const struct frequency_facts *facts, uint32_t percent)
{
	return (uint32_t)((uint64_t)facts->highest_khz * percent / 100);
}

size_t frequency_limits_collect(const struct frequency_facts *facts,
				struct frequency_limit limits[FREQUENCY_LIMITS])
{
	const struct frequency_limit all[] = {
		{ "highest-possible", FREQUENCY_UPPER, facts->highest_khz },
		{ "turbo-ratio-limit", FREQUENCY_UPPER, facts->turbo_limit_khz },
		{ "turbo-freq-bucket", FREQUENCY_UPPER, facts->turbo_freq_khz },
		{ "turbo-freq-clip", FREQUENCY_UPPER, facts->clip_khz },
		{ "clos-max", FREQUENCY_UPPER, facts->clos_max_khz },
		{ "no_turbo", FREQUENCY_UPPER, facts->turbo_off ? base_of(facts) : 0 },
		{ "max_perf_pct", FREQUENCY_UPPER, percent_of(facts, facts->max_percent) },
		{ "scaling-maximum", FREQUENCY_UPPER, facts->max_khz },
		{ "lowest-possible", FREQUENCY_LOWER, facts->lowest_khz },
		{ "clos-min", FREQUENCY_LOWER, facts->clos_min_khz },
		{ "min_perf_pct", FREQUENCY_LOWER, percent_of(facts, facts->min_percent) },
		{ "scaling-minimum", FREQUENCY_LOWER, facts->min_khz },
		{ "level-base", FREQUENCY_GUARANTEED, facts->level_base_khz },
		{ "base-freq-base", FREQUENCY_GUARANTEED, facts->base_freq_khz },
		{ "cpufreq-base", FREQUENCY_GUARANTEED, facts->base_khz },
	};
	size_t count = 0;

	_Static_assert(ARRAY_SIZE(all) <= FREQUENCY_LIMITS, "room for all of them");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].khz)
			limits[count++] = all[i];
	}
	return count;
}

static bool is_tighter(const struct frequency_limit *limit, const struct frequency_limit *other)
{
	return limit->kind == FREQUENCY_LOWER ? limit->khz > other->khz : limit->khz < other->khz;
}

const struct frequency_limit *frequency_limits_binding(const struct frequency_limit *limits,
						       size_t count, enum frequency_kind kind)
{
	const struct frequency_limit *binding = NULL;

	for (size_t i = 0; i < count; i++) {
		if (limits[i].kind == kind && (!binding || is_tighter(&limits[i], binding)))
			binding = &limits[i];
	}
	return binding;
}

uint32_t frequency_limits_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores,
				   bool beyond)
{
	uint32_t last_mhz = 0;

	for (size_t i = 0; i < SST_BUCKETS && core_counts[i]; i++) {
		last_mhz = mhz[i];
		if (core_counts[i] >= cores)
			return mhz[i] * 1000;
	}
	return beyond ? last_mhz * 1000 : 0;
}
