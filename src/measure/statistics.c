// SPDX-License-Identifier: GPL-2.0-only
/* Samples that follow each other are correlated, so that order statistics would give too small
 * intervals. The interval comes from the quantiles of blocks. Its centre is the quantile of all
 * samples, not the mean of the blocks, because a short block has a biased quantile. */
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "measure/trial.h"

#define ONE        1000 /* in permille */
#define FEW_ABOVE  10 /* with fewer samples above it, a quantile is unknown */
#define FEW_BLOCKS 3 /* fewer give no interval */

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

void statistics_sort(uint64_t *samples, size_t count)
{
	if (count > 1)
		qsort(samples, count, sizeof(*samples), compare);
}

/* By nearest rank, from 1. */
static size_t find_rank(size_t count, unsigned int permille)
{
	return (count * permille + ONE - 1) / ONE;
}

size_t statistics_count_needed(unsigned int permille)
{
	return (FEW_ABOVE * ONE + ONE - permille - 1) / (ONE - permille);
}

struct quantile statistics_find(const uint64_t *sorted, size_t count, unsigned int permille)
{
	struct quantile found = { .is_known = count * (ONE - permille) >= FEW_ABOVE * ONE };

	if (found.is_known)
		found.value = sorted[find_rank(count, permille) - 1];
	return found;
}

/* Finds the quantile of a block in scratch. Returns true if a sample is above the quantile. */
static bool find_of_block(const struct sample_blocks *blocks, size_t block, unsigned int permille,
			  uint64_t *scratch, double *ret_value)
{
	const size_t begin = block ? blocks->ends[block - 1] : 0, end = blocks->ends[block];
	const size_t count = end > begin ? end - begin : 0;

	if (count * (ONE - permille) < ONE)
		return false;
	memcpy(scratch, blocks->samples + begin, count * sizeof(*scratch));
	statistics_sort(scratch, count);
	*ret_value = (double)scratch[find_rank(count, permille) - 1];
	return true;
}

void statistics_find_interval(const struct sample_blocks *blocks, unsigned int permille,
			      struct quantile *quantile)
{
	const double centre = (double)quantile->value;
	_cleanup_free_ uint64_t *scratch = NULL;
	double value, squares = 0, half, n = 0;
	size_t most = 0;

	for (size_t i = 0; i < blocks->count; i++)
		most = blocks->ends[i] > most ? blocks->ends[i] : most;
	scratch = quantile->is_known ? calloc(most + 1, sizeof(*scratch)) : NULL;
	for (size_t i = 0; scratch && i < blocks->count; i++) {
		if (!find_of_block(blocks, i, permille, scratch, &value))
			continue;
		squares += (value - centre) * (value - centre);
		n++;
	}
	if (n < FEW_BLOCKS)
		return;
	half = trial_student_limit(n - 1) * sqrt(squares / (n - 1) / n);
	quantile->has_interval = true;
	quantile->low = half < centre ? (uint64_t)(centre - half) : 0;
	quantile->high = (uint64_t)ceil(centre + half);
}
