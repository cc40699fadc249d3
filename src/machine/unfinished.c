// SPDX-License-Identifier: GPL-2.0-only
/*
 * The note is a file beside the lock (commands.md, "Safety of every setting command"). It is there
 * from before the first write until the last one is done or undone; where it is there and nobody
 * holds the lock, its process was killed in between.
 */
#include "machine/unfinished.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "machine/lock.h"

#define NOTE_NAME "unfinished"
#define MAX_TEXT  128 /* that is shown, in bytes */
#define MAX_BYTES 4096

static char *path_of(const char *run_directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", run_directory, name) < 0 ? NULL : path;
}

int unfinished_begin(const char *run_directory, const char *command)
{
	_cleanup_free_ char *path = path_of(run_directory, NOTE_NAME), *text = NULL;

	if (!path)
		return -ENOMEM;
	if (asprintf(&text, "%.32s, process %ld, %s\n", program_invocation_short_name,
		     (long)getpid(), command) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return fileio_replace(path, 0644, text, strlen(text));
}

int unfinished_end(const char *run_directory)
{
	_cleanup_free_ char *path = path_of(run_directory, NOTE_NAME);

	if (!path)
		return -ENOMEM;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

/* Cuts the text at its first byte that cannot be shown, and where it is too long. */
static void keep_printable(char *text)
{
	size_t length = 0;

	while (length < MAX_TEXT && isprint((unsigned char)text[length]))
		length++;
	text[length] = '\0';
}

int unfinished_read(const char *run_directory, char **ret_text)
{
	_cleanup_free_ char *path = path_of(run_directory, NOTE_NAME), *text = NULL;
	size_t length;
	int err;

	if (!path)
		return -ENOMEM;
	err = fileio_read_trusted(path, MAX_BYTES, &text, &length);
	if (err && err != -ENOENT)
		return err;
	if (!err)
		keep_printable(text);
	*ret_text = steal_pointer(text);
	return 0;
}

int unfinished_find(const char *run_directory, char **ret_text)
{
	_cleanup_free_ char *path = path_of(run_directory, LOCK_NAME);
	_cleanup_close_ int fd = -1;

	*ret_text = NULL;
	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	/* A writer that comes just now tries again a moment later. */
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : -errno;
	return unfinished_read(run_directory, ret_text);
}
