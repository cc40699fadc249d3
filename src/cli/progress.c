// SPDX-License-Identifier: GPL-2.0-only
/* The line stands on stderr, is written over in place, and is gone when the work is done. */
#include "cli/progress.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define QUIET_MS 2000

struct progress progress_start(bool wanted)
{
	struct progress progress = { .wanted = wanted && isatty(STDERR_FILENO) };

	clock_gettime(CLOCK_MONOTONIC, &progress.start);
	return progress;
}

static int64_t elapsed_ms(const struct timespec *start, const struct timespec *now)
{
	return (int64_t)(now->tv_sec - start->tv_sec) * 1000 +
	       (now->tv_nsec - start->tv_nsec) / 1000000;
}

bool progress_is_due(const struct progress *progress)
{
	struct timespec now;

	if (!progress->wanted)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return elapsed_ms(&progress->start, &now) >= QUIET_MS;
}

void progress_update(void *progress_pointer, size_t done, size_t total)
{
	struct progress *progress = progress_pointer;

	if (!progress_is_due(progress))
		return;
	fprintf(stderr, "\r%zu of %zu requests\033[K", done, total);
	progress->shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
