/* SPDX-License-Identifier: GPL-2.0-only */
/* A driver that fails, stalls and lies on purpose. */
#ifndef STANDIN_TRICK_H
#define STANDIN_TRICK_H

#include <stdbool.h>

#include "host/transport.h"

/* Carries a request out as requests_carry_out(), but plays a trick on some of those that write:
 * trick is "KIND@N", on the N-th, or "KIND@NxTIMES", from the N-th on; with "/NUMBER" after it
 * only those of that number count (4: MSR_COMMAND); NULL: none. Kinds are
 *
 * EBUSY EINTR ENXIO EPERM EIO ENOTTY: it fails so, and nothing is done
 * late:  it fails with EINTR although it is done
 * drop:  nothing is done, and success is told
 * other: something else is written than what was asked, and success is told
 * short: only the first half of the entries is done, and told
 * stall: it takes 300 ms
 * lost:  nothing is done, and no request is answered until the device is opened again */
int trick_carry_out(struct transport *transport, uint32_t request, void *argument,
		    const char *trick, const char *log_file);

/* The device was opened. */
void trick_open(void);

/* Was the trick played by now? */
bool trick_was_played(void);

#endif
