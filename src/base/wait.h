/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits: for a time, or until the program is asked to stop. */
#ifndef BASE_WAIT_H
#define BASE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* How to find out that the program is asked to stop. A NULL pointer to it: it never is. */
struct wait_stop {
	/* Becomes readable when the program is asked to stop, until is_asked() was called; -1: no
	 * descriptor, and a wait calls is_asked() every 10 ms. */
	int fd;
	bool (*is_asked)(void *data);
	/* Was a stop requested again, so that undoing ends, too? NULL: never. */
	bool (*is_asked_again)(void *data);
	void *data;
};

/* The monotonic clock, by which waits are measured. */
uint64_t wait_now_ns(void);
uint64_t wait_now_us(void);

/* Is the program asked to stop? stop may be NULL. */
bool wait_is_stopped(const struct wait_stop *stop);

/* Was a stop requested again, so that undoing ends, too? stop may be NULL. */
bool wait_is_stopped_again(const struct wait_stop *stop);

/* Waits at least that many microseconds, whatever signals come, but ends at once when the program
 * is asked to stop; returns whether it is. */
bool wait_us_or_stop(const struct wait_stop *stop, uint64_t us);

#endif
