/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files: read, and written whole or not at all. */
#ifndef BASE_FILEIO_H
#define BASE_FILEIO_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Reads fd to its end, or up to limit bytes where limit is not 0, into a new zero-terminated
 * string. Returns 0, a negative errno of read(), or -ENOMEM.
 */
int fileio_read_fd(int fd, size_t limit, char **ret_text, size_t *ret_length);

/*
 * Reads an attribute of sysfs from its start, wherever fd is, into a new zero-terminated string:
 * one read(), and more only while each gives a whole page. Not for files of procfs, which may give
 * less before their end. Returns 0, a negative errno of pread(), or -ENOMEM.
 */
int fileio_read_attribute(int fd, char **ret_text, size_t *ret_length);

/* As fileio_read_fd, of a path (opened read-only). Also returns the negative errno of open(). */
int fileio_read(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* Reads fd to its end, or nothing: -EFBIG where that is more than limit bytes. Else as
 * fileio_read_fd. */
int fileio_read_whole(int fd, size_t limit, char **ret_text, size_t *ret_length);

/*
 * As fileio_read_whole of a path, if only root or we can have written it: -ELOOP where it is a
 * link, -EPERM where it is no regular file, may be written by others, or belongs to somebody else.
 */
int fileio_read_trusted(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/*
 * Makes sure that no file opened later becomes stdin, stdout or stderr: where one of them is
 * closed, it becomes one that cannot be written, so that writing still fails. Returns 0 or a
 * negative errno.
 */
int fileio_guard_streams(void);

/* Writes all of it, waiting where there is no room. Returns 0 or a negative errno of write(). */
int fileio_write_fd(int fd, const char *data, size_t length);

/*
 * Replaces the file of that name in a directory, or makes it: a new file beside it is written,
 * synced and renamed over it, so that a reader sees the old or the new one, whole. A new file is as
 * the umask wants it, but never for everybody to write; an existing regular file keeps its mode,
 * without set-id, and, where allowed, its owner. Returns 0 or a negative errno, and then the old
 * file is as it was.
 */
int fileio_replace_at(int directory_fd, const char *name, const char *data, size_t length);

/*
 * The same by a path, links on the way followed; a new file has exactly that mode. For files that
 * hold for one boot, below /run: they are not synced, as a process that is killed takes nothing of
 * a rename back, and a machine that stops starts without them.
 */
int fileio_replace(const char *path, mode_t mode, const char *data, size_t length);

/* Makes a directory and those above it, with exactly that mode. Returns 0 (also where it exists) or
 * a negative errno. */
int fileio_make_directories(const char *path, mode_t mode);

#endif
