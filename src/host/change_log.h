/* SPDX-License-Identifier: GPL-2.0-only */
/* The log of changes (commands.md, "Safety of every setting command"): changes.json in the run
 * directory and a line in syslog for each command, or scan of the daemon, that wrote something. */
#ifndef HOST_CHANGE_LOG_H
#define HOST_CHANGE_LOG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct files;
struct host;

#define CHANGE_LOG_TIME_SIZE 32

/* The present time as RFC 3339 writes it, "2026-01-31T23:59:59Z"; "" if it is not known. */
void change_log_format_now(char text[CHANGE_LOG_TIME_SIZE]);

/* The time in so many seconds, in the same form. */
void change_log_format_later(uint32_t seconds, char text[CHANGE_LOG_TIME_SIZE]);

/* The words of a command line as a JSON array; a word that is too long, and the rest, is "...".
 * NULL: no memory. */
json_t *change_log_pack_command(int argc, char *const *argv);

/* The user that logged in, or null: none did, or the kernel does not record it. NULL: no memory. */
json_t *change_log_read_login_user(struct files *files);

struct change_log_entry {
	int argc; /* the command line as it was typed */
	char *const *argv;
	int status; /* the exit status */
	size_t n_changes; /* how many writes were made, those that were undone too */
};

/* Sends a line to syslog alone, of a command that changes settings for a while: what it does
 * (printf form), the users and the command line. */
void change_log_send(struct host *host, int argc, char *const *argv, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds an entry with the present time, the real user and the login user, and sends the line. The
 * 100 newest entries are kept. A file that is damaged, or that others may have written, is
 * replaced. Needs the lock. Returns NULL; or a new text for a note if the file was replaced or
 * could not be written. */
char *change_log_add(struct host *host, const struct change_log_entry *entry);

/* Reads the newest entry: when it was added, in seconds since 1970, and its exit status. Needs no
 * lock. Returns 0; -ENOENT if there is none; -EBADMSG if the file is damaged; another negative
 * errno as run_file_read(). */
int change_log_read_last(struct host *host, int64_t *ret_time_s, int *ret_status);

#endif
