/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows on stderr what a command does: "online cpu N", and the number of requests done if it takes
 * longer than two seconds. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	uint64_t start_us; /* of wait_now_us() */
	FILE *stream; /* to stderr; NULL: a JSON document goes there (is_quiet) */
	bool is_terminal;
	bool is_shown; /* the line with the count is on the screen */
	const char *things; /* what is counted; NULL: requests */
};

/* Starts the clock. */
struct progress progress_start(bool is_quiet);

/* Callbacks of a transaction; data is a struct progress. They announce a change, write what was
 * announced, and show that done of total requests are sent. */
void progress_announce(void *data, const char *text);
void progress_flush(void *data);
void progress_update(void *data, size_t done, size_t total);

/* Removes the line with the count, if it is shown, and writes what was announced. */
void progress_end(struct progress *progress);

#endif
