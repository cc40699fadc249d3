// SPDX-License-Identifier: GPL-2.0-only
/* Describes who changes settings. The command is stored as an array of words, because a word can
 * contain blanks. */
#include "host/change_log.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "host/host.h"
#include "host/run_directory.h"

#define LOGIN_UID "/proc/self/loginuid"
#define MOST_COMMAND \
	4096 /* bytes of a command; "..." replaces words from the one that exceeds them */

/* Returns the words of the command, and appends them to *line, a blank before each. NULL: no
 * memory. */
static json_t *pack_command(int argc, char *const *argv, struct buffer *line)
{
	json_t *words = json_array();
	bool is_cut = false;

	for (int i = 0; i < argc && !is_cut; i++) {
		_cleanup_buffer_ struct buffer word = { 0 };

		is_cut = line->length + strlen(argv[i]) > MOST_COMMAND;
		buffer_append_clean(&word, is_cut ? "..." : argv[i]);
		buffer_append_char(line, ' ');
		buffer_append_string(line, buffer_text(&word));
		json_array_append_new(words, json_string(buffer_text(&word)));
		if (word.has_failed)
			line->has_failed = true;
	}
	return words;
}

json_t *change_log_pack_command(int argc, char *const *argv)
{
	_cleanup_buffer_ struct buffer line = { 0 };
	_cleanup_json_ json_t *words = pack_command(argc, argv, &line);

	return line.has_failed ? NULL : steal(words);
}

json_t *change_log_read_login_user(struct files *files)
{
	_cleanup_free_ char *text = NULL;
	uint64_t number;

	if (files_read_line(files, LOGIN_UID, &text) ||
	    number_parse(text, 0, UINT32_MAX - 1, &number))
		return json_null();
	return json_integer((json_int_t)number);
}

void change_log_format_now(char text[CHANGE_LOG_TIME_SIZE])
{
	change_log_format_later(0, text);
}

void change_log_format_later(uint32_t seconds, char text[CHANGE_LOG_TIME_SIZE])
{
	struct timespec now = { 0 };
	struct tm fields;
	time_t then;

	clock_gettime(CLOCK_REALTIME, &now); /* time() may be late by a tick */
	then = now.tv_sec + (time_t)seconds;
	unsetenv("TZ"); /* else gmtime_r() reads the file that TZ names */
	unsetenv("TZDIR");
	text[0] = '\0';
	if (gmtime_r(&then, &fields))
		strftime(text, CHANGE_LOG_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &fields);
}

/* Returns the line for syslog: what was done, the users, and the words of the command, with a blank
 * before each. NULL: no memory. */
static char *make_line(const char *what, const json_t *login, const char *words)
{
	_cleanup_free_ char *login_text = json_dumps(login, JSON_ENCODE_ANY);

	return login_text ? text_format("%s, uid %ju, login-uid %s:%s", what, (uintmax_t)getuid(),
					login_text, words)
			  : NULL;
}

void change_log_send(struct host *host, int argc, char *const *argv, const char *format, ...)
{
	_cleanup_buffer_ struct buffer words = { 0 };
	_cleanup_json_ json_t *command = pack_command(argc, argv, &words);
	_cleanup_json_ json_t *login = change_log_read_login_user(host->files);
	_cleanup_free_ char *what = NULL, *line = NULL;
	char text[CHANGE_LOG_TIME_SIZE];
	va_list args;

	va_start(args, format);
	what = text_format_list(format, args);
	va_end(args);
	line = what && command ? make_line(what, login, buffer_text(&words)) : NULL;
	change_log_format_now(text); /* unsets TZ, so that syslog() reads no file */
	if (line && host->ops->log_change)
		host->ops->log_change(host, line);
}
