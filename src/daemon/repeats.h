/* SPDX-License-Identifier: GPL-2.0-only */
/* Rate limit for log lines that repeat: a failure that lasts is reported ever less often. */
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
 * Is the line to be written at now_s (seconds of a clock that does not go back)? A new line is; the
 * same one again after a minute, and then after pauses that double up to a day. If memory is short,
 * it is written each time.
 */
bool repeats_is_due(struct repeats *repeats, const char *line, uint64_t now_s);

/* Forgets every line: each is new again. */
void repeats_forget(struct repeats *repeats);

#endif
