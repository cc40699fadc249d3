/* SPDX-License-Identifier: GPL-2.0-only */
/* Factors between units. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

#define KHZ_PER_MHZ   1000
#define MHZ_PER_RATIO 100 /* a step of processor frequencies */
#define KHZ_PER_RATIO 100000
#define NS_PER_US     UINT64_C(1000)
#define NS_PER_S      UINT64_C(1000000000)
#define US_PER_S      UINT64_C(1000000)

#endif
