// SPDX-License-Identifier: GPL-2.0-only
/* Waiting that signals do not shorten: what is left is waited for after each of them. */
#include "base/wait.h"

#include <errno.h>
#include <time.h>

void wait_us(uint64_t us)
{
	struct timespec left = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}
