// SPDX-License-Identifier: GPL-2.0-only
/* Shows on stderr what a command is doing. A large machine has a thousand announcements, so many
 * are written together. The line with the count is overwritten in place. */
#include "run/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/wait.h"

#define QUIET_US    2000000
#define BUFFER_SIZE 4096

struct progress progress_start(bool is_quiet)
{
	int fd = is_quiet ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	struct progress progress = {
		.start_us = wait_now_us(),
		.is_terminal = isatty(STDERR_FILENO),
		.stream = fd >= 0 ? fdopen(fd, "w") : NULL,
	};

	if (progress.stream)
		setvbuf(progress.stream, NULL, _IOFBF, BUFFER_SIZE);
	else if (fd >= 0)
		close(fd);
	return progress;
}

static void remove_count(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", progress->stream);
	progress->is_shown = false;
}

void progress_flush(void *data)
{
	struct progress *progress = data;

	if (progress->stream)
		fflush(progress->stream);
}

void progress_announce(void *data, const char *text)
{
	struct progress *progress = data;

	if (!progress->stream)
		return;
	remove_count(progress);
	fprintf(progress->stream, "%s\n", text);
}

void progress_update(void *data, size_t done, size_t total)
{
	struct progress *progress = data;

	if (!progress->stream || !progress->is_terminal ||
	    wait_now_us() - progress->start_us < QUIET_US)
		return;
	fprintf(progress->stream, "\r%zu of %zu %s\033[K", done, total,
		progress->things ?: "requests");
	progress->is_shown = true;
	fflush(progress->stream);
}

void progress_end(struct progress *progress)
{
	if (!progress->stream)
		return;
	remove_count(progress);
	fclose(progress->stream);
	progress->stream = NULL;
}
