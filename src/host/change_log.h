/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes who changes settings, when and with which command, for the change journal and syslog.
 * Syslog gets one line for each command, or scan of the daemon, that wrote something (commands.md,
 * "Safety of every setting command"). */
#ifndef HOST_CHANGE_LOG_H
#define HOST_CHANGE_LOG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct files;
struct host;

#define CHANGE_LOG_TIME_SIZE 32

/* Writes the present time in the form of RFC 3339, "2026-01-31T23:59:59Z"; "" if it is unknown. */
void change_log_format_now(char text[CHANGE_LOG_TIME_SIZE]);

/* Writes the time `seconds` from now, in the form of RFC 3339. */
void change_log_format_later(uint32_t seconds, char text[CHANGE_LOG_TIME_SIZE]);

/* Returns the words of a command line as a JSON array. If the command is too long, "..." replaces
 * its last words. NULL: no memory. */
json_t *change_log_pack_command(int argc, char *const *argv);

/* Returns the ID of the user who logged in; JSON null: none, or the kernel does not record it.
 * NULL: no memory. */
json_t *change_log_read_login_user(struct files *files);

/* Sends a line to syslog: what was done (printf form), the users and the command line. */
void change_log_send(struct host *host, int argc, char *const *argv, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
