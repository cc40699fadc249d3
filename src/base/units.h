/* SPDX-License-Identifier: GPL-2.0-only */
/* Factors between units. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

#define KHZ_PER_MHZ   1000
#define MHZ_PER_RATIO 100 /* a step of the frequencies of processors and uncores */
#define KHZ_PER_RATIO 100000
#define HZ_PER_KHZ    1e3
#define HZ_PER_MHZ    1e6

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S  UINT64_C(1000000000)
#define US_PER_MS UINT64_C(1000)
#define US_PER_S  UINT64_C(1000000)
#define MS_PER_S  1000

#define UW_PER_MW 1000
#define UW_PER_W  1000000
#define MW_PER_W  1000
#define NJ_PER_UJ 1000
#define NJ_PER_J  1000000000
#define UJ_PER_J  1000000

/* Rounds to the nearest number of milliwatts. */
static inline uint64_t uw_to_mw(uint64_t uw)
{
	return (uw + UW_PER_MW / 2) / UW_PER_MW;
}

#define MILLIDEGREES_PER_DEGREE 1000

#endif
