/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting that signals do not shorten. */
#ifndef BASE_WAIT_H
#define BASE_WAIT_H

#include <stdint.h>

/* Waits at least that many microseconds, whatever signals come. */
void wait_us(uint64_t us);

#endif
