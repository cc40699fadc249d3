/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines of a log repeat: a failure that lasts is reported once, and then ever less often. */
#ifndef DAEMON_REPEATS_H
#define DAEMON_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repeats {
	struct repeat *items;
	size_t count;
};

/*
 * Is the line to be written at now_s (seconds of a clock that does not go back)? A new one is; the
 * same one again after a minute, and after pauses that double up to a day. Where memory is short it
 * is.
 */
bool repeats_is_due(struct repeats *repeats, const char *line, uint64_t now_s);

/* Forgets every line: each is new again. */
void repeats_forget(struct repeats *repeats);

#endif
