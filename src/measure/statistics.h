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
	uint64_t low, high; /* it is between them with a probability of at least 95 % */
};

/* Sorts samples in ascending order. */
void statistics_sort(uint64_t *samples, size_t count);

/* The quantile of a permille (1 to 999) of sorted samples, by nearest rank: the smallest sample
 * that at least that part of them does not exceed. It is known if at least 10 samples' worth, count
 * x (1 - permille / 1000), lies above it. */
struct quantile statistics_find(const uint64_t *sorted, size_t count, unsigned int permille);

/* The ranks (1 to count) of the samples between which a quantile is with a probability of at least
 * 95 %, at most 2.5 % beyond each. Returns whether there are such samples. */
bool statistics_find_ranks(size_t count, unsigned int permille, size_t *ret_low, size_t *ret_high);

#endif
