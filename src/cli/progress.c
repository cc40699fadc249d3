// SPDX-License-Identifier: GPL-2.0-only
/* The line stands on stderr, is written over in place, and is gone when the work is done. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/wait.h"

#define QUIET_US 2000000

struct progress progress_start(bool wanted)
{
	return (struct progress){
		.start_us = wait_now_us(),
		.wanted = wanted && isatty(STDERR_FILENO),
	};
}

bool progress_is_due(const struct progress *progress)
{
	return progress->wanted && wait_now_us() - progress->start_us >= QUIET_US;
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
