// SPDX-License-Identifier: GPL-2.0-only
/* Writes log lines, and remembers for each line when it may be repeated (commands.md, "Daemon"). */
#include "daemon/log.h"

#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "base/wait.h"
#include "host/machine.h"

#define FIRST_PAUSE_S 60
#define MOST_PAUSE_S  86400

struct log_repeat {
	char *line;
	uint64_t due_s;
	uint64_t pause_s;
};

bool log_is_due(struct log *log, const char *line, uint64_t now_s)
{
	struct log_repeat *repeat;
	char *copy;

	for (size_t i = 0; i < log->n_repeats; i++) {
		repeat = &log->repeats[i];
		if (strcmp(repeat->line, line) != 0)
			continue;
		if (now_s < repeat->due_s)
			return false;
		repeat->pause_s *= 2;
		if (repeat->pause_s > MOST_PAUSE_S)
			repeat->pause_s = MOST_PAUSE_S;
		repeat->due_s = now_s + repeat->pause_s;
		return true;
	}
	copy = strdup(line);
	repeat = copy ? array_add(&log->repeats, &log->n_repeats, sizeof(*repeat)) : NULL;
	if (repeat)
		*repeat = (struct log_repeat){ copy, now_s + FIRST_PAUSE_S, FIRST_PAUSE_S };
	else
		free(copy);
	return true;
}

void log_forget(struct log *log)
{
	for (size_t i = 0; i < log->n_repeats; i++)
		free(log->repeats[i].line);
	free(steal(log->repeats));
	log->n_repeats = 0;
}

void log_line(struct log *log, int priority, const struct power_domain *domain, const char *format,
	      ...)
{
	_cleanup_free_ char *text = NULL, *place = NULL, *named = NULL;
	const char *line;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	if (domain) {
		const struct location location = domains_location(domain);

		place = location_format(&location);
		named = text_format("%s: %s", place ?: "a power domain", text ?: "out of memory");
	}
	line = (domain ? named : text) ?: "out of memory";
	if (log_is_due(log, line, wait_now_us() / US_PER_S))
		log->write(log->data, priority, line);
}
