// SPDX-License-Identifier: GPL-2.0-only
/* The number of samples below a quantile q has the binomial distribution of n and q, whatever is
 * measured: its tails say between which order statistics the quantile is. */
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>

#define ONE       1000 /* in permille */
#define MOST_TAIL 0.025 /* beyond each end of an interval */
#define FEW_ABOVE 10 /* samples; with fewer a quantile is not known */
#define FAR       12.0 /* standard deviations; what is beyond them is below 1e-30 */

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

/* log of n! / (k! (n - k)!) q^k (1 - q)^(n - k) */
static double log_binomial(double n, double k, double q)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) +
	       k * log(q) + (n - k) * log1p(-q);
}

bool statistics_find_ranks(size_t count, unsigned int permille, size_t *ret_low, size_t *ret_high)
{
	double n = (double)count, q = permille / (double)ONE;
	double first = floor(n * q - FAR * sqrt(n * q * (1 - q)) - FAR);
	double below = 0; /* the probability that at most k samples are below the quantile */
	size_t low = 0, high = 0;

	if (count == 0)
		return false;
	for (size_t k = first > 0 ? (size_t)first : 0; k < count && !high; k++) {
		below += exp(log_binomial(n, (double)k, q));
		if (below <= MOST_TAIL)
			low = k + 1;
		if (below >= 1 - MOST_TAIL)
			high = k + 1;
	}
	if (low == 0 || high == 0)
		return false;
	*ret_low = low;
	*ret_high = high;
	return true;
}

struct quantile statistics_find(const uint64_t *sorted, size_t count, unsigned int permille)
{
	struct quantile found = { .is_known = count * (ONE - permille) >= FEW_ABOVE * ONE };
	size_t low, high;

	if (!found.is_known)
		return found;
	found.value = sorted[(count * permille + ONE - 1) / ONE - 1];
	found.has_interval = statistics_find_ranks(count, permille, &low, &high);
	if (found.has_interval) {
		found.low = sorted[low - 1];
		found.high = sorted[high - 1];
	}
	return found;
}
