/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles of measured times, and how sure they are (measure.md, "wake", 9): nothing is assumed of
 * their distribution. */
#ifndef MEASURE_STATISTICS_H
#define MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quantile {
	bool is_known; /* enough samples are above it to show it */
	uint64_t value;
	bool has_interval;
	uint64_t low, high; /* it is between them with a probability of 95 % */
};

/* Samples in the order in which they were measured, in blocks that are long beside what correlates
 * them. */
struct sample_blocks {
	const uint64_t *samples;
	const size_t *ends; /* by block: the number of samples up to its end; 0: it was not run */
	size_t count; /* of blocks */
};

/* Sorts samples in ascending order. */
void statistics_sort(uint64_t *samples, size_t count);

/* The quantile of a permille (1 to 999) of sorted samples, by nearest rank: the smallest sample
 * that at least that part of them does not exceed. It is known if at least 10 samples' worth, count
 * x (1 - permille / 1000), lies above it. */
struct quantile statistics_find(const uint64_t *sorted, size_t count, unsigned int permille);

/* How many samples a quantile of that permille needs to be known. */
size_t statistics_count_needed(unsigned int permille);

/* Adds the interval to a quantile of all samples, if that is known: by the same quantile of each
 * block that has a sample above it, with Student's distribution (measure.md, "wake", 9). With fewer
 * than 3 such blocks, or without memory, there is none. */
void statistics_find_interval(const struct sample_blocks *blocks, unsigned int permille,
			      struct quantile *quantile);

#endif
