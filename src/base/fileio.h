/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads whole files, replaces files as a whole or not at all, checks their owner, and follows paths
 * through directories of other users. */
#ifndef BASE_FILEIO_H
#define BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Reads fd to its end, or up to limit bytes if limit is not 0, into a new zero-terminated
 * string. Returns 0, a negative errno of read(), or -ENOMEM. */
int fileio_read_fd(int fd, size_t limit, char **ret_text, size_t *ret_length);

/* Reads an attribute of sysfs from its start, wherever fd is, into a new zero-terminated string:
 * one read(), and more only while each gives a whole page. Not for files of procfs, which may give
 * less before their end. Returns 0, a negative errno of pread(), or -ENOMEM. */
int fileio_read_attribute(int fd, char **ret_text, size_t *ret_length);

/* As fileio_read_fd, of a path (opened read-only). Also returns the negative errno of open(). */
int fileio_read(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* Reads fd to its end, or nothing: -EFBIG if that is more than limit bytes. Else as
 * fileio_read_fd. */
int fileio_read_whole(int fd, size_t limit, char **ret_text, size_t *ret_length);

/* Opens a file that a user names for reading. A FIFO is given some seconds until a process writes
 * to it; after that it reads as empty, and never blocks for want of a writer. Returns a descriptor
 * or the negative errno of open(). */
int fileio_open_named(const char *path);

/* As fileio_read_whole of a path, if only root or we can have written it: -ELOOP if it is a
 * link, -EPERM if it is not a regular file, may be written by others, or belongs to another user.
 */
int fileio_read_trusted(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* The same for up to limit bytes of its beginning. */
int fileio_read_trusted_start(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* Opens (or with O_CREAT, makes) a file that only root or we can have written and that has one
 * name. No link is followed, and nothing blocks. Returns a descriptor with *ret_about; -EINVAL if
 * it is not a regular file; -EPERM if it belongs to another user, others may write to it, or it has
 * a second name; or the negative errno of open(): -ELOOP for a link. */
int fileio_open_sole(const char *path, int flags, mode_t mode, struct stat *ret_about);

/* Makes sure that no file opened later becomes stdin, stdout or stderr: one of them that is closed
 * becomes /dev/null, read-only, so that writing still fails. Returns 0 or a
 * negative errno. */
int fileio_guard_streams(void);

/* Writes all of it, waiting while there is no room. Returns 0 or a negative errno of write(). */
int fileio_write_fd(int fd, const char *data, size_t length);

/* Replaces the file of that name in a directory, or makes it: a new file beside it is written and
 * renamed over it, so that a reader sees the old or the new one, whole. It keeps, if allowed, the
 * owner of an existing regular file, and has exactly exact_mode. If that is 0, as for results, an
 * existing file keeps its mode, without set-id; for a new one the umask applies, and it is never
 * world-writable; and it is synced. Files below /run, which hold for one boot, are not: a killed
 * process cannot undo a rename, and a machine that stops starts without them. SIGINT, SIGTERM and
 * SIGHUP wait until it is done, so that no new file is left. Returns 0; or a negative errno, with
 * the old file unchanged. */
int fileio_replace_at(int directory_fd, const char *name, mode_t exact_mode, const char *data,
		      size_t length);

/* The same by a path, links on the way followed. */
int fileio_publish(const char *path, mode_t mode, const char *data, size_t length);

/* As fileio_publish(), but signals are not blocked: for files of programs that catch signals, or in
 * directories that no other program lists. */
int fileio_replace(const char *path, mode_t mode, const char *data, size_t length);

/* Removes new files of ours in the directory of this path that were never renamed, because their
 * process was killed: those of more than ten seconds ago, since another process may write now. For
 * files that are replaced again and again (docs/spec/fleet.md, "Metrics"). What cannot be removed
 * stays. */
void fileio_remove_unfinished(const char *path);

/* Finds a directory by its path from that of the running program ("../../platforms"), for programs
 * that run from their build tree: one of the user's or root's that not everybody may write to.
 * Returns a new path, or NULL if there is none. */
char *fileio_find_near_program(const char *relative);

/* Makes a directory and those above it, with exactly that mode. Returns 0 (also if it exists) or
 * a negative errno. */
int fileio_make_directories(const char *path, mode_t mode);

/* Is it us, or root? In a user namespace files of root may show the overflow user
 * (proc_sys_kernel(5)): then also that one. */
bool trust_user(uid_t user);

/* Does it belong to such a user, and can no other user or group write to it? about is of a
 * descriptor or of a link itself, since a name may mean another file a moment later. */
bool trust_is_exclusive(const struct stat *about);

/* The directory where a path ends is opened, so that what is done in it cannot be led elsewhere. An
 * end of all zero bytes but directory_fd -1 holds nothing. */
struct walk_end {
	int directory_fd;
	char *name; /* without a slash; "." if the path ends in one */
	bool is_magic; /* the name is a link of procfs: only the kernel knows its target */
};

#define WALK_END_NONE ((struct walk_end){ .directory_fd = -1 })

#define _cleanup_walk_end_ __attribute__((cleanup(walk_end_done)))

enum walk_flag {
	WALK_REFUSE_LAST_LINK = 1 << 0, /* the path may not end in a link: -ELOOP */
	/* A world-writable directory must be sticky, whether the name exists or not, and what is in
	 * it must belong to a trusted user: -EPERM */
	WALK_REFUSE_PLANTED = 1 << 1,
	WALK_MAKE = 1 << 2 /* missing directories on the way are made, mode 0700 */
};

/* Walks path (relative: from the current directory) and follows links of trusted users
 * (trust_user()); the name at its end need not exist. Returns 0; -EPERM for a link of another user,
 * or one with several names in a world-writable directory; -ELOOP for more than 40 links;
 * -ENAMETOOLONG; or a negative errno of opening one of the directories. */
int walk_path(const char *path, unsigned int flags, struct walk_end *ret_end);

/* Closes and frees what it holds. */
void walk_end_done(struct walk_end *end);

#endif
