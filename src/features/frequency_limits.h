/* SPDX-License-Identifier: GPL-2.0-only */
/* Every limit of a CPU's frequency that is known, and the one that binds. */
#ifndef FEATURES_FREQUENCY_LIMITS_H
#define FEATURES_FREQUENCY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/sst.h"

/* What is known of a CPU. Frequencies in kHz; 0 where a thing is not known or does not hold. */
struct frequency_facts {
	uint32_t lowest_khz; /* what the CPU can do */
	uint32_t highest_khz;
	uint32_t min_khz; /* scaling limits */
	uint32_t max_khz;
	uint32_t base_khz; /* as cpufreq tells it */
	uint32_t min_percent; /* of highest_khz; 0: there is no such limit */
	uint32_t max_percent;
	bool turbo_off;
	uint32_t level_base_khz; /* of the performance level */
	uint32_t base_freq_khz; /* SST-BF is on: the CPU's base frequency there */
	uint32_t clos_min_khz; /* SST-CP is on: of the CPU's class */
	uint32_t clos_max_khz; /* 0: no limit */
	uint32_t turbo_limit_khz; /* by the number of active cores */
	uint32_t turbo_freq_khz; /* SST-TF is on: of a high-priority core, by their number */
	uint32_t clip_khz; /* SST-TF is on: of a low-priority core */
};

enum frequency_kind {
	FREQUENCY_UPPER, /* it cannot go above */
	FREQUENCY_LOWER, /* it is not asked to go below */
	FREQUENCY_GUARANTEED /* what it can keep up with all cores busy */
};

struct frequency_limit {
	const char *name; /* "scaling-maximum"; static text */
	enum frequency_kind kind;
	uint32_t khz;
};

#define FREQUENCY_LIMITS 16

/* Fills limits with those that hold, those of the hardware first, and returns how many. */
size_t frequency_limits_collect(const struct frequency_facts *facts,
				struct frequency_limit limits[FREQUENCY_LIMITS]);

/*
 * The limit of that kind that binds: the lowest upper one, the highest lower one; of equal ones the
 * first. NULL: there is none.
 */
const struct frequency_limit *frequency_limits_binding(const struct frequency_limit *limits,
						       size_t count, enum frequency_kind kind);

/*
 * The frequency in kHz of the first bucket with at least that many cores; of the last one where
 * there are more (beyond: 0); 0 where there are no buckets. mhz[i] is that of core_counts[i].
 */
uint32_t frequency_limits_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores,
				   bool beyond);

#endif
