// SPDX-License-Identifier: GPL-2.0-only
/* Writes the log of changes: {"entries": [{"time", "uptime-s", "command", "uid", "login-uid",
 * "status", "changes"}]}, the newest last. The command is an array of its words, so that a blank in
 * a word is no separator. */
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
#define MOST_COMMAND                                                                 \
	4096 /* bytes of a command; a word that exceeds them, and the rest, is "..." \
	      */
#define MOST_ENTRIES 100

static const struct run_file log_file = {
	.name = "changes.json",
	.format = "intel-speed-select changes",
	.outlives_boot = true,
};

/* The words of the command, and, joined by blanks, in *line. NULL: no memory. */
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
	time_t then = time(NULL) + (time_t)seconds;
	struct tm fields;

	unsetenv("TZ"); /* else gmtime_r() reads the file that it names */
	unsetenv("TZDIR");
	text[0] = '\0';
	if (gmtime_r(&then, &fields))
		strftime(text, CHANGE_LOG_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &fields);
}

/* The line for syslog: what was done, by whom, and the words of the command, a blank before each.
 * NULL: no memory. */
static char *make_line(const char *what, const json_t *login, const char *words)
{
	_cleanup_free_ char *login_text = json_dumps(login, JSON_ENCODE_ANY);

	return login_text ? text_format("%s, uid %ju, login-uid %s:%s", what, (uintmax_t)getuid(),
					login_text, words)
			  : NULL;
}

/* Makes the entry, and its line for syslog. NULL: no memory. */
static json_t *make_entry(const struct host *host, const struct change_log_entry *entry,
			  char **ret_line)
{
	_cleanup_buffer_ struct buffer words = { 0 };
	_cleanup_json_ json_t *command = pack_command(entry->argc, entry->argv, &words);
	_cleanup_json_ json_t *login = change_log_read_login_user(host->files);
	_cleanup_free_ char *what = text_format("status %d, %zu write%s", entry->status,
						entry->n_changes, entry->n_changes == 1 ? "" : "s");
	struct timespec uptime = { 0 };
	char text[CHANGE_LOG_TIME_SIZE];

	change_log_format_now(text); /* without TZ, syslog() reads no file either */
	clock_gettime(CLOCK_BOOTTIME, &uptime);
	*ret_line = what ? make_line(what, login, buffer_text(&words)) : NULL;
	if (words.has_failed || !*ret_line)
		return NULL;
	return json_pack("{s:s, s:I, s:O, s:I, s:O, s:i, s:I}", "time", text, "uptime-s",
			 (json_int_t)uptime.tv_sec, "command", command, "uid", (json_int_t)getuid(),
			 "login-uid", login, "status", entry->status, "changes",
			 (json_int_t)entry->n_changes);
}

/* Reads the entries so far: none if there is no file. Returns 0; or a negative errno, with none, if
 * the file cannot be used. */
static int read_entries(struct host *host, json_t **ret_entries)
{
	_cleanup_json_ json_t *root = NULL;
	json_t *entries = NULL;
	int err = run_file_read(host->files, host->run_directory, &log_file, &root);

	if (!err && (json_unpack(root, "{s:o !}", "entries", &entries) || !json_is_array(entries)))
		err = -EBADMSG;
	*ret_entries = err ? json_array() : json_incref(entries);
	return err == -ENOENT ? 0 : err;
}

char *change_log_add(struct host *host, const struct change_log_entry *entry)
{
	_cleanup_json_ json_t *entries = NULL, *object = NULL;
	_cleanup_free_ char *line = NULL;
	int read_error, err;

	object = make_entry(host, entry, &line);
	if (line && host->ops->log_change)
		host->ops->log_change(host, line);
	read_error = read_entries(host, &entries);
	while (json_array_size(entries) >= MOST_ENTRIES)
		json_array_remove(entries, 0);
	err = json_array_append(entries, object) ? -ENOMEM : 0;
	if (!err)
		err = run_file_write(host->files, host->run_directory, &log_file,
				     json_pack("{s:O}", "entries", entries));
	if (err)
		return text_format("this change is not recorded in %s/%s: %s", host->run_directory,
				   log_file.name, run_directory_problem(err));
	if (read_error)
		return text_format("%s/%s could not be used (%s): it was replaced, and the changes "
				   "before this one are no longer in it",
				   host->run_directory, log_file.name,
				   run_directory_problem(read_error));
	return NULL;
}

int change_log_read_last(struct host *host, int64_t *ret_time_s, int *ret_status)
{
	_cleanup_json_ json_t *entries = NULL;
	const char *text, *end;
	struct tm fields = { 0 };
	int status, err = read_entries(host, &entries);
	json_t *last = json_array_get(entries, json_array_size(entries) - 1);

	if (err)
		return err;
	if (json_array_size(entries) == 0)
		return -ENOENT;
	if (json_unpack(last, "{s:s, s:i}", "time", &text, "status", &status))
		return -EBADMSG;
	end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &fields);
	if (!end || *end)
		return -EBADMSG;
	*ret_time_s = timegm(&fields);
	*ret_status = status;
	return 0;
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
	change_log_format_now(text); /* without TZ, syslog() reads no file either */
	if (line && host->ops->log_change)
		host->ops->log_change(host, line);
}
