/* SPDX-License-Identifier: GPL-2.0-only */
/* Who changes settings, when and by which command: for the change journal, and a line in syslog for
 * each command, or scan of the daemon, that wrote something (commands.md, "Safety of every setting
 * command"). */
#ifndef HOST_CHANGE_LOG_H
#define HOST_CHANGE_LOG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct files;
struct host;

#define CHANGE_LOG_TIME_SIZE 32

/* The present time as RFC 3339 writes it, "2026-01-31T23:59:59Z"; "" if it is unknown. */
void change_log_format_now(char text[CHANGE_LOG_TIME_SIZE]);

/* The time in so many seconds, in the same form. */
void change_log_format_later(uint32_t seconds, char text[CHANGE_LOG_TIME_SIZE]);

/* The words of a command line as a JSON array; a word that is too long, and the rest, is "...".
 * NULL: no memory. */
json_t *change_log_pack_command(int argc, char *const *argv);

/* The user that logged in, or null: none did, or the kernel does not record it. NULL: no memory. */
json_t *change_log_read_login_user(struct files *files);

/* Sends a line to syslog: what was done (printf form), the users and the command line. */
void change_log_send(struct host *host, int argc, char *const *argv, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
