/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles of measured times, and their confidence intervals (measure.md, "wake", 9). No
 * distribution of the times is assumed. */
#ifndef MEASURE_STATISTICS_H
#define MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quantile {
	bool is_known; /* enough samples are above the quantile */
	uint64_t value;
	bool has_interval;
	uint64_t low, high; /* the 95 % confidence interval */
};

/* Samples in the order of measurement. Each block is much longer than the time over which samples
 * are correlated. */
struct sample_blocks {
	const uint64_t *samples;
	const size_t *ends; /* for each block, the number of samples up to its end; 0: not run */
	size_t count; /* of blocks */
};

/* Sorts samples in ascending order. */
void statistics_sort(uint64_t *samples, size_t count);

/* The quantile of sorted samples for a permille (1 to 999), by nearest rank: the smallest sample
 * for which at least this part of the samples is not larger. The quantile is known if count x (1 -
 * permille / 1000) is at least 10. */
struct quantile statistics_find(const uint64_t *sorted, size_t count, unsigned int permille);

/* The number of samples that are needed to know a quantile of this permille. */
size_t statistics_count_needed(unsigned int permille);

/* Adds the interval to a quantile of all samples, if the quantile is known. Uses Student's
 * distribution and the same quantile of each block that has a sample above it (measure.md, "wake",
 * 9). With fewer than 3 such blocks, or without memory, there is no interval. */
void statistics_find_interval(const struct sample_blocks *blocks, unsigned int permille,
			      struct quantile *quantile);

#endif
