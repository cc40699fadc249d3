// SPDX-License-Identifier: GPL-2.0-only
/* Waits for a time. Only a request to stop the program ends a wait early. A request between the
 * check and the sleep is not lost: a descriptor stays readable, so that ppoll() returns at once. */
#include "base/wait.h"
#include "base/units.h"

#include <poll.h>
#include <stddef.h>
#include <time.h>

#define SLICE_US 10000 /* between two checks if there is no descriptor */

uint64_t wait_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t wait_now_us(void)
{
	return wait_now_ns() / NS_PER_US;
}

bool wait_is_stopped(const struct wait_stop *stop)
{
	return stop && stop->is_asked(stop->data);
}

bool wait_is_stopped_again(const struct wait_stop *stop)
{
	return stop && stop->is_asked_again && stop->is_asked_again(stop->data);
}

bool wait_us_or_stop(const struct wait_stop *stop, uint64_t us)
{
	/* Adds one, since the clock is rounded down to whole microseconds at both ends. */
	uint64_t end_us = wait_now_us() + us + (us > 0), begin_us;
	struct pollfd end = { .fd = stop ? stop->fd : -1, .events = POLLIN };

	while (!wait_is_stopped(stop) && (begin_us = wait_now_us()) < end_us) {
		uint64_t left_us = end_us - begin_us;
		struct timespec left;

		if (stop && stop->fd < 0 && left_us > SLICE_US)
			left_us = SLICE_US;
		left.tv_sec = (time_t)(left_us / US_PER_S);
		left.tv_nsec = (long)(left_us % US_PER_S * NS_PER_US);
		ppoll(&end, 1, &left, NULL); /* a signal ends it early; the loop checks again */
	}
	return wait_is_stopped(stop);
}
