/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on the terminal while work takes longer than two seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	uint64_t start_us; /* of wait_now_us() */
	bool wanted; /* stderr is a terminal, and not the file of a JSON document */
	bool shown;
};

/* Starts the clock. */
struct progress progress_start(bool wanted);

/* Does progress_update() show something now? */
bool progress_is_due(const struct progress *progress);

/* done of total requests are sent; progress is a struct progress. */
void progress_update(void *progress, size_t done, size_t total);

/* Wipes the line, if there is one. */
void progress_end(struct progress *progress);

#endif
