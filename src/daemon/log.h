/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's log lines. A failure that continues is logged less and less often. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sst/domains.h"

struct log {
	void (*write)(void *data, int priority, const char *line); /* priority: of syslog(3) */
	void *data;
	struct log_repeat *repeats; /* lines since log_forget() */
	size_t n_repeats;
};

/* Writes one line if log_is_due(), after the name of the power domain (domain may be NULL). */
void log_line(struct log *log, int priority, const struct power_domain *domain, const char *format,
	      ...) __attribute__((format(printf, 4, 5)));

/* Returns true if the line must be written at now_s (seconds of a clock that does not go back). A
 * new line is written; the same line again after a minute, and then after pauses that double up to
 * a day. If memory is short, it is written each time. */
bool log_is_due(struct log *log, const char *line, uint64_t now_s);

/* Forgets every line, so that each line is new again. */
void log_forget(struct log *log);

#endif
