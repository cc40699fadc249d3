// SPDX-License-Identifier: GPL-2.0-only
/* Shows on stderr what a command is doing. A large machine has a thousand announcements, so many
 * are written together. The line with the count is overwritten in place. */
#include "run/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/wait.h"

#define QUIET_US 2000000

struct progress progress_start(bool is_quiet)
{
	return (struct progress){
		.start_us = wait_now_us(),
		.is_quiet = is_quiet,
		.is_terminal = isatty(STDERR_FILENO),
	};
}

void progress_flush(void *data)
{
	struct progress *progress = data;

	if (progress->length == 0)
		return;
	progress_end(progress);
	fwrite(progress->lines, 1, progress->length, stderr);
	progress->length = 0;
}

void progress_announce(void *data, const char *text)
{
	struct progress *progress = data;
	size_t length = strlen(text) + 1;

	if (progress->is_quiet)
		return;
	if (progress->length + length > sizeof(progress->lines))
		progress_flush(progress);
	if (length > sizeof(progress->lines)) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	memcpy(progress->lines + progress->length, text, length - 1);
	progress->length += length;
	progress->lines[progress->length - 1] = '\n';
}

void progress_update(void *data, size_t done, size_t total)
{
	struct progress *progress = data;

	if (progress->is_quiet || !progress->is_terminal ||
	    wait_now_us() - progress->start_us < QUIET_US)
		return;
	progress_flush(progress);
	fprintf(stderr, "\r%zu of %zu requests\033[K", done, total);
	progress->is_shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}
