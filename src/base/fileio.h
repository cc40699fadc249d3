/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads complete files, replaces files completely or not at all, checks their owner, and follows
 * paths through directories of other users. */
#ifndef BASE_FILEIO_H
#define BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Reads fd to its end, or up to limit bytes if limit is not 0, into a new zero-terminated
 * string. Returns 0, a negative errno of read(), or -ENOMEM. */
int fileio_read_fd(int fd, size_t limit, char **ret_text, size_t *ret_length);

/* Reads an attribute of sysfs from its start, at any offset of fd, into a new zero-terminated
 * string. Reads again only after a full page. Not for files of procfs, where a short read is not
 * always the end. Returns 0, a negative errno of pread(), or -ENOMEM. */
int fileio_read_attribute(int fd, char **ret_text, size_t *ret_length);

/* Opens path read-only and reads it as fileio_read_fd(). Also returns the negative errno of
 * open(). */
int fileio_read(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* Reads fd to its end as fileio_read_fd(), but returns -EFBIG if it has more than limit bytes. */
int fileio_read_whole(int fd, size_t limit, char **ret_text, size_t *ret_length);

/* Opens a file that a user names for reading. Waits up to two seconds for a process that writes to
 * a FIFO. Without a writer, a FIFO reads as empty and does not block. Returns a descriptor or the
 * negative errno of open(). */
int fileio_open_named(const char *path);

/* Reads a file as fileio_read_whole() if only root and the effective user can write to it. Also
 * returns -ELOOP for a link; -EPERM if it is not a regular file, may be written by others, or
 * belongs to another user. */
int fileio_read_trusted(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* As fileio_read_trusted(), but reads only the first limit bytes. */
int fileio_read_trusted_start(const char *path, size_t limit, char **ret_text, size_t *ret_length);

/* Opens (with O_CREAT, makes) a file that only root and the effective user can write to and that
 * has one name. Follows no link and does not block. Returns a descriptor with *ret_about; -EINVAL
 * if it is not a regular file; -EPERM if it belongs to another user, others may write to it, or it
 * has a second name; or the negative errno of open(): -ELOOP for a link. */
int fileio_open_sole(const char *path, int flags, mode_t mode, struct stat *ret_about);

/* Opens /dev/null in place of a closed stdin, stdout or stderr, so that no later file becomes one
 * of them. It is read-only, so that writing still fails. Returns 0 or a negative errno. */
int fileio_guard_streams(void);

/* Writes all bytes, and waits while there is no room. Returns 0 or a negative errno of write(). */
int fileio_write_fd(int fd, const char *data, size_t length);

/* Replaces the file of that name in a directory, or makes it. Writes a new file beside it and
 * renames that, so that a reader sees the complete old or new file. The new file gets the owner of
 * an existing regular file, if that is allowed, and exactly exact_mode. If exact_mode is 0, as for
 * results, an existing file keeps its mode, without set-id; the umask applies to a new file, which
 * is never world-writable; and the file is synced. Files below /run hold for one boot and are not
 * synced: a killed process cannot undo a rename, and after a crash the machine starts without them.
 * SIGINT, SIGTERM and SIGHUP are blocked meanwhile, so that no new file is left. Returns 0; or a
 * negative errno, with the old file unchanged. */
int fileio_replace_at(int directory_fd, const char *name, mode_t exact_mode, const char *data,
		      size_t length);

/* As fileio_replace_at() for a path; follows links on the way. */
int fileio_publish(const char *path, mode_t mode, const char *data, size_t length);

/* As fileio_publish(), but does not block signals: for programs that catch signals, or for
 * directories that no other program lists. */
int fileio_replace(const char *path, mode_t mode, const char *data, size_t length);

/* Removes new files of the effective user, which killed processes did not rename, from the
 * directory of path. Leaves files of the last ten seconds, which another process may be writing.
 * For files that are replaced again and again (docs/spec/fleet.md, "Metrics"). Ignores files that
 * cannot be removed. */
void fileio_remove_unfinished(const char *path);

/* Finds a directory by its path relative to the running program ("../../platforms"), for programs
 * that run from their build tree. The directory must belong to the user or root, and not everybody
 * may write to it. Returns a new path, or NULL if there is none. */
char *fileio_find_near_program(const char *relative);

/* Makes a directory and the missing ones above it, with exactly that mode. Returns 0 (also if it
 * exists) or a negative errno. */
int fileio_make_directories(const char *path, mode_t mode);

/* Returns true for root and the effective user. In a user namespace, files of root may show the
 * overflow user (proc_sys_kernel(5)), which is trusted there, too. */
bool trust_user(uid_t user);

/* Returns true if the file belongs to a trusted user and no other user or group can write to it.
 * about must be of a descriptor or of a link itself: a name may mean another file a moment
 * later. */
bool trust_is_exclusive(const struct stat *about);

/* The end of a path. Its directory is open, so that no change of the path leads elsewhere. An end
 * of all zero bytes but directory_fd -1 holds nothing. */
struct walk_end {
	int directory_fd;
	char *name; /* without a slash; "." if the path ends in one */
	bool is_magic; /* the name is a link of procfs: only the kernel knows its target */
};

#define WALK_END_NONE ((struct walk_end){ .directory_fd = -1 })

#define _cleanup_walk_end_ __attribute__((cleanup(walk_end_done)))

enum walk_flag {
	WALK_REFUSE_LAST_LINK = 1 << 0, /* the path may not end in a link: -ELOOP */
	/* A world-writable directory must be sticky, whether the name exists or not, and its files
	 * must belong to trusted users: -EPERM */
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
