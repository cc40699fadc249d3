/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for a time, or until a stop of the program is requested. */
#ifndef BASE_WAIT_H
#define BASE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Reports requests to stop the program. A NULL pointer to this structure: there are none. */
struct wait_stop {
	/* Readable from the request until is_asked() is called; -1: there is no descriptor, and a
	 * wait calls is_asked() every 10 ms. */
	int fd;
	bool (*is_asked)(void *data);
	/* Returns true after a second request, which ends undoing, too. NULL: never. */
	bool (*is_asked_again)(void *data);
	void *data;
};

/* Return the time of the monotonic clock, which measures the waits. */
uint64_t wait_now_ns(void);
uint64_t wait_now_us(void);

/* Returns true if a stop was requested. stop may be NULL. */
bool wait_is_stopped(const struct wait_stop *stop);

/* Returns true after a second request, which ends undoing, too. stop may be NULL. */
bool wait_is_stopped_again(const struct wait_stop *stop);

/* Waits at least us microseconds, whatever signals arrive, but ends at once when a stop is
 * requested. Returns whether a stop was requested. */
bool wait_us_or_stop(const struct wait_stop *stop, uint64_t us);

#endif
