// SPDX-License-Identifier: GPL-2.0-only
/* Predicts the frequency of a CPU, and which of its limits binds. */
#include "sst/predict.h"

#include "base/cleanup.h"
#include "base/units.h"

#define OPEN_RATIO_MHZ 25500 /* all ones */

static const struct {
	const char *name;
	enum frequency_kind kind;
	bool is_of_turbo;
} limits[N_FREQUENCY_LIMITS] = {
	[FREQUENCY_HIGHEST_POSSIBLE] = { "highest-possible", FREQUENCY_UPPER, false },
	[FREQUENCY_TURBO_RATIO_LIMIT] = { "turbo-ratio-limit", FREQUENCY_UPPER, true },
	[FREQUENCY_TURBO_FREQ_BUCKET] = { "turbo-freq-bucket", FREQUENCY_UPPER, true },
	[FREQUENCY_TURBO_FREQ_CLIP] = { "turbo-freq-clip", FREQUENCY_UPPER, true },
	[FREQUENCY_CLOS_MAX] = { "clos-max", FREQUENCY_UPPER, false },
	[FREQUENCY_NO_TURBO] = { "no_turbo", FREQUENCY_UPPER, false },
	[FREQUENCY_MAX_PERF_PCT] = { "max_perf_pct", FREQUENCY_UPPER, false },
	[FREQUENCY_SCALING_MAXIMUM] = { "scaling-maximum", FREQUENCY_UPPER, false },
	[FREQUENCY_LOWEST_POSSIBLE] = { "lowest-possible", FREQUENCY_LOWER, false },
	[FREQUENCY_CLOS_MIN] = { "clos-min", FREQUENCY_LOWER, false },
	[FREQUENCY_MIN_PERF_PCT] = { "min_perf_pct", FREQUENCY_LOWER, false },
	[FREQUENCY_SCALING_MINIMUM] = { "scaling-minimum", FREQUENCY_LOWER, false },
	[FREQUENCY_LEVEL_BASE] = { "level-base", FREQUENCY_GUARANTEED, false },
	[FREQUENCY_BASE_FREQ_BASE] = { "base-freq-base", FREQUENCY_GUARANTEED, false },
	[FREQUENCY_CPUFREQ_BASE] = { "cpufreq-base", FREQUENCY_GUARANTEED, false },
};

const char *frequency_limit_name(enum frequency_limit limit)
{
	return limits[limit].name;
}

enum frequency_kind frequency_limit_kind(enum frequency_limit limit)
{
	return limits[limit].kind;
}

unsigned int frequency_dense(const struct sst_level *level)
{
	return level && level->turbo.mhz[FREQUENCY_AVX512_HEAVY][0] ? FREQUENCY_AVX512_HEAVY
								    : FREQUENCY_AVX512;
}

uint32_t frequency_base_mhz(const struct sst_level *level, unsigned int trl_level)
{
	const uint32_t mhz[] = {
		[FREQUENCY_SSE] = level->base_mhz,
		[FREQUENCY_AVX2] = level->base_avx2_mhz,
		[FREQUENCY_AVX512] = level->base_avx512_mhz,
		[FREQUENCY_AVX512_HEAVY] = level->base_avx512_mhz,
		[FREQUENCY_AMX] = level->base_amx_mhz,
	};

	return trl_level < ARRAY_SIZE(mhz) ? mhz[trl_level] : 0;
}

unsigned int frequency_find_bucket(const uint32_t *core_counts, size_t cores)
{
	for (unsigned int i = 0; i < SST_BUCKETS && core_counts[i]; i++) {
		if (core_counts[i] >= cores)
			return i;
	}
	return SST_BUCKETS;
}

uint32_t frequency_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores)
{
	unsigned int bucket = frequency_find_bucket(core_counts, cores);

	if (!core_counts[0])
		return 0;
	if (bucket == SST_BUCKETS) {
		for (bucket = 0; bucket + 1 < SST_BUCKETS && core_counts[bucket + 1];)
			bucket++;
	}
	while (bucket > 0 && !mhz[bucket])
		bucket--;
	return mhz[bucket] < OPEN_RATIO_MHZ ? mhz[bucket] : 0;
}

uint32_t frequency_capacity(const struct sst_turbo *buckets)
{
	uint32_t largest = 0;

	for (unsigned int i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++) {
		if (buckets->core_counts[i] > largest)
			largest = buckets->core_counts[i];
	}
	return largest;
}

uint32_t frequency_capacity_of(const struct sst_turbo *buckets, size_t cores)
{
	const uint32_t *counts = buckets->core_counts, *mhz = buckets->mhz[FREQUENCY_SSE];
	const unsigned int bucket = frequency_find_bucket(counts, cores);
	uint32_t capacity = 0;

	if (bucket == SST_BUCKETS)
		return frequency_capacity(buckets);
	for (unsigned int i = 0; i < SST_BUCKETS && counts[i]; i++) {
		if (mhz[i] >= mhz[bucket] && counts[i] > capacity)
			capacity = counts[i];
	}
	return capacity;
}

uint64_t frequency_trl_of_level(const struct sst_level *level)
{
	uint64_t trl = 0;

	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		trl |= (uint64_t)((level->turbo.mhz[0][i] / 100) & 0xff) << (8 * i);
	return trl;
}

static bool is_high_priority(const struct frequency_inputs *inputs)
{
	return inputs->clos <= FREQUENCY_HIGHEST_CLOS;
}

/* The register has one SSE ratio per bucket. The level has the numbers of units per bucket, and the
 * frequencies for the instruction sets. */
static uint32_t find_turbo_limit(const struct frequency_inputs *inputs, unsigned int trl_level,
				 enum frequency_reading reading, size_t units, unsigned int bucket)
{
	const struct sst_turbo *turbo = &inputs->level->turbo;
	const uint32_t *counts = reading == FREQUENCY_BY_PACKAGE && inputs->package_counts[0]
					 ? inputs->package_counts
					 : turbo->core_counts;
	uint32_t mhz[SST_BUCKETS], limit_mhz, of_level_mhz;

	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = sst_ratio_mhz(sst_byte(inputs->trl, i));
	limit_mhz = frequency_by_cores(counts, mhz, units);
	/* SST-TF has limits of its own, but none for cores beyond its buckets. Without SST-TF, the
	 * limits of the level hold, whatever the register allows: each package has only one
	 * register, and SST-TF in another power domain opens it. */
	if (inputs->turbo_freq_on && !(is_high_priority(inputs) && bucket == SST_BUCKETS))
		return limit_mhz;
	of_level_mhz = frequency_by_cores(counts, turbo->mhz[trl_level], units);
	return !limit_mhz || (of_level_mhz && of_level_mhz < limit_mhz) ? of_level_mhz : limit_mhz;
}

/* Finds the base frequency of the CPU for the instruction set, in kHz. */
static uint32_t find_base_khz(const struct frequency_inputs *inputs, unsigned int trl_level,
			      uint32_t base_freq_khz)
{
	uint32_t of_level_khz = 0, khz;

	if (inputs->level)
		of_level_khz = frequency_base_mhz(inputs->level, trl_level) * KHZ_PER_MHZ;
	khz = base_freq_khz ?: inputs->base_khz;
	if (!khz && inputs->level)
		khz = inputs->level->base_mhz * KHZ_PER_MHZ;
	/* khz is the base frequency for SSE */
	return trl_level > 0 && of_level_khz && of_level_khz < khz ? of_level_khz : khz;
}

/* Finds the highest frequency that Linux knows, or will know: it follows the level and SST-TF. */
static uint32_t find_highest_khz(const struct frequency_inputs *inputs)
{
	uint32_t highest_khz = inputs->highest_khz;
	const struct sst_turbo *const tables[] = {
		&inputs->level->turbo,
		inputs->turbo_freq_on && is_high_priority(inputs)
			? &inputs->level->turbo_freq.buckets
			: NULL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables) && highest_khz && inputs->is_planned; i++) {
		if (tables[i] && tables[i]->mhz[0][0] < OPEN_RATIO_MHZ &&
		    tables[i]->mhz[0][0] * KHZ_PER_MHZ > highest_khz)
			highest_khz = tables[i]->mhz[0][0] * KHZ_PER_MHZ;
	}
	return highest_khz;
}

static void take_cpufreq(const struct frequency_inputs *inputs, bool is_sse, uint32_t *khz)
{
	const uint64_t highest_khz = inputs->level ? find_highest_khz(inputs) : inputs->highest_khz;

	khz[FREQUENCY_HIGHEST_POSSIBLE] = (uint32_t)highest_khz;
	khz[FREQUENCY_MAX_PERF_PCT] = (uint32_t)(highest_khz * inputs->max_percent / 100);
	khz[FREQUENCY_SCALING_MAXIMUM] = inputs->max_khz;
	khz[FREQUENCY_LOWEST_POSSIBLE] = inputs->lowest_khz;
	khz[FREQUENCY_MIN_PERF_PCT] = (uint32_t)(highest_khz * inputs->min_percent / 100);
	khz[FREQUENCY_SCALING_MINIMUM] = inputs->min_khz;
	khz[FREQUENCY_CPUFREQ_BASE] = is_sse ? inputs->base_khz : 0;
}

static void take_turbo_freq(const struct frequency_inputs *inputs, unsigned int trl_level,
			    size_t high_units, struct frequency_prediction *prediction)
{
	const struct sst_turbo_freq *turbo_freq = &inputs->level->turbo_freq;
	const struct sst_turbo *buckets = &turbo_freq->buckets;
	uint32_t *khz = prediction->khz;

	if (!is_high_priority(inputs)) {
		khz[FREQUENCY_TURBO_FREQ_CLIP] = turbo_freq->clip_mhz[trl_level] * KHZ_PER_MHZ;
		return;
	}
	prediction->bucket = frequency_find_bucket(buckets->core_counts, high_units);
	if (prediction->bucket < SST_BUCKETS)
		khz[FREQUENCY_TURBO_FREQ_BUCKET] =
			buckets->mhz[trl_level][prediction->bucket] * KHZ_PER_MHZ;
}

/* Returns true if the limits of the level are unknown: without SST-PP only the register has them,
 * and SST-TF opens the register. */
static bool lacks_limit(const struct frequency_inputs *inputs,
			const struct frequency_prediction *prediction)
{
	const uint32_t *khz = prediction->khz;

	return inputs->level && inputs->level->turbo.mhz[0][0] >= OPEN_RATIO_MHZ &&
	       !khz[FREQUENCY_NO_TURBO] && !khz[FREQUENCY_TURBO_FREQ_BUCKET] &&
	       !khz[FREQUENCY_TURBO_FREQ_CLIP];
}

const char *frequency_find_unknown(const struct frequency_inputs *inputs, unsigned int trl_level,
				   const struct frequency_prediction *prediction)
{
	const bool lacks_table =
		trl_level > 0 && inputs->level && !inputs->level->turbo.mhz[trl_level][0];
	const uint32_t *khz = prediction->khz;

	if (inputs->is_unread)
		return "a limit of cpufreq cannot be read";
	if (inputs->turbo_off && !khz[FREQUENCY_NO_TURBO])
		return "turbo is off, and the base frequency is unknown";
	if (inputs->turbo_off)
		return lacks_table && !khz[FREQUENCY_LEVEL_BASE]
			       ? "the level reports no base frequency of these instructions"
			       : NULL;
	if (lacks_table)
		return "the level reports no turbo-ratio limits of these instructions";
	if (lacks_limit(inputs, prediction))
		return "the turbo-ratio limits are open, and those of the level are unknown";
	/* mailbox parts have clip frequencies for three turbo-ratio levels only */
	if (inputs->level && inputs->turbo_freq_on && !is_high_priority(inputs) &&
	    !khz[FREQUENCY_TURBO_FREQ_CLIP])
		return "the level reports no clip frequency of these instructions";
	return NULL;
}

enum frequency_limit frequency_find_binding(const struct frequency_prediction *prediction,
					    enum frequency_kind kind)
{
	const uint32_t *khz = prediction->khz;
	enum frequency_limit binding = FREQUENCY_NO_LIMIT;

	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++) {
		if (limits[i].kind != kind || !khz[i] ||
		    (limits[i].is_of_turbo && khz[FREQUENCY_NO_TURBO]))
			continue;
		if (binding == FREQUENCY_NO_LIMIT ||
		    (kind == FREQUENCY_UPPER ? khz[i] < khz[binding] : khz[i] > khz[binding]))
			binding = i;
	}
	return binding;
}

/* Finds the limit that binds in each reading of the turbo-ratio limits; the lower limit counts. */
static void take_readings(const struct frequency_inputs *inputs, unsigned int trl_level,
			  const struct frequency_activity *activity,
			  struct frequency_prediction *prediction)
{
	uint32_t *trl_khz = &prediction->khz[FREQUENCY_TURBO_RATIO_LIMIT];
	uint32_t of_reading[N_FREQUENCY_READINGS] = { 0 };

	for (enum frequency_reading i = 0; i < N_FREQUENCY_READINGS; i++) {
		enum frequency_limit cap_by;

		if (inputs->level && inputs->has_trl)
			of_reading[i] = find_turbo_limit(inputs, trl_level, i, activity->units[i],
							 prediction->bucket) *
					KHZ_PER_MHZ;
		*trl_khz = of_reading[i];
		cap_by = frequency_find_binding(prediction, FREQUENCY_UPPER);
		prediction->reading_khz[i] =
			cap_by == FREQUENCY_NO_LIMIT ? 0 : prediction->khz[cap_by];
		if (prediction->reading_khz[i] > prediction->high_khz)
			prediction->high_khz = prediction->reading_khz[i];
		if (of_reading[i] > prediction->high_trl_khz)
			prediction->high_trl_khz = of_reading[i];
	}
	*trl_khz = of_reading[FREQUENCY_BY_DOMAIN] < of_reading[FREQUENCY_BY_PACKAGE]
			   ? of_reading[FREQUENCY_BY_DOMAIN]
			   : of_reading[FREQUENCY_BY_PACKAGE];
	prediction->cap_by = frequency_find_binding(prediction, FREQUENCY_UPPER);
	if (prediction->cap_by != FREQUENCY_NO_LIMIT)
		prediction->cap_khz = prediction->khz[prediction->cap_by];
}

/* Returns the frequency that Speed Select gives above the highest that Linux knows; 0: none. */
static uint32_t find_above_highest(const struct frequency_prediction *prediction)
{
	const uint32_t *khz = prediction->khz;
	uint32_t given_khz = khz[FREQUENCY_TURBO_FREQ_BUCKET];

	if (prediction->cap_by != FREQUENCY_HIGHEST_POSSIBLE)
		return 0;
	if (!given_khz ||
	    (khz[FREQUENCY_TURBO_RATIO_LIMIT] && khz[FREQUENCY_TURBO_RATIO_LIMIT] < given_khz))
		given_khz = khz[FREQUENCY_TURBO_RATIO_LIMIT];
	return given_khz > prediction->cap_khz ? given_khz : 0;
}

struct frequency_prediction frequency_predict(const struct frequency_inputs *inputs,
					      unsigned int trl_level,
					      const struct frequency_activity *activity)
{
	const struct sst_level *level = inputs->level;
	struct frequency_prediction prediction = { .bucket = SST_BUCKETS };
	uint32_t *khz = prediction.khz, base_freq_khz = 0;

	take_cpufreq(inputs, trl_level == 0, khz);
	if (level) {
		khz[FREQUENCY_LEVEL_BASE] = frequency_base_mhz(level, trl_level) * KHZ_PER_MHZ;
		if (inputs->base_freq_on)
			base_freq_khz = (inputs->is_base_freq_core ? level->base_freq.high_mhz
								   : level->base_freq.low_mhz) *
					KHZ_PER_MHZ;
		khz[FREQUENCY_BASE_FREQ_BASE] = trl_level == 0 ? base_freq_khz : 0;
		if (inputs->turbo_freq_on)
			take_turbo_freq(inputs, trl_level, activity->high_units, &prediction);
	}
	if (level && inputs->has_clos) {
		khz[FREQUENCY_CLOS_MIN] = inputs->clos_min_mhz * KHZ_PER_MHZ;
		khz[FREQUENCY_CLOS_MAX] = inputs->clos_max_mhz * KHZ_PER_MHZ;
	}
	if (inputs->turbo_off)
		khz[FREQUENCY_NO_TURBO] = find_base_khz(inputs, trl_level, base_freq_khz);
	take_readings(inputs, trl_level, activity, &prediction);
	if (frequency_find_unknown(inputs, trl_level, &prediction)) {
		prediction.cap_by = FREQUENCY_NO_LIMIT;
		prediction.cap_khz = prediction.high_khz = 0;
	}
	prediction.above_highest_khz = find_above_highest(&prediction);
	prediction.floor_khz = khz[FREQUENCY_LOWEST_POSSIBLE] > khz[FREQUENCY_CLOS_MIN]
				       ? khz[FREQUENCY_LOWEST_POSSIBLE]
				       : khz[FREQUENCY_CLOS_MIN];
	if (prediction.floor_khz > prediction.cap_khz)
		prediction.floor_khz = prediction.cap_khz;
	return prediction;
}
