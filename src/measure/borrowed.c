// SPDX-License-Identifier: GPL-2.0-only
/* Keeps borrowed.json: {"command", "process", "until-s" (of the clock since boot), "settings":
 * [{"file", "found", "set": [every value that is written]}]}, and of a document that is tried
 * "found" and "set", two state documents of the same settings. A value of "set" may be somebody
 * else's, too: then it is put back all the same, since nothing tells the two apart. */
#include "measure/borrowed.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

#define ALLOWED_FILES "/sys/"
#define MOST_PATH     256 /* in bytes */
#define MOST_VALUE    256
#define CPU_FILES     FILES_CPUS "/" /* left out of what is shown */

static const struct run_file borrowed_file = {
	.name = "borrowed.json",
	.format = "intel-speed-select borrowed settings",
};

void borrowed_done(struct borrowed *borrowed)
{
	json_decref(borrowed->settings);
	lent_done(&borrowed->lent);
	*borrowed = (struct borrowed){ 0 };
}

void borrowed_outcome_done(struct borrowed_outcome *outcome)
{
	free(outcome->owner);
	free(outcome->put_back);
	free(outcome->changed);
	free(outcome->gone);
	free(outcome->failed);
	*outcome = (struct borrowed_outcome){ 0 };
}

int borrowed_add(struct borrowed *borrowed, const char *path, const char *found,
		 const char *const *set)
{
	json_t *values = json_array();
	int err = 0;

	if (!borrowed->settings)
		borrowed->settings = json_array();
	for (size_t i = 0; set[i]; i++)
		err = err || json_array_append_new(values, json_string(set[i]));
	err = err ||
	      json_array_append_new(borrowed->settings, json_pack("{s:s, s:s, s:O}", "file", path,
								  "found", found, "set", values));
	json_decref(values);
	return err ? -ENOMEM : 0;
}

size_t borrowed_count(const struct borrowed *borrowed)
{
	return json_array_size(borrowed->settings) +
	       json_array_size(json_object_get(borrowed->lent.found, "settings"));
}

/* Seconds since boot, of a clock that a suspended machine does not stop. */
static uint64_t uptime_s(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec;
}

static int write_file(const struct host *host, const char *command, json_int_t process,
		      json_int_t until_s, const struct borrowed *borrowed)
{
	_cleanup_json_ json_t *none = json_array();
	json_t *members =
		json_pack("{s:s, s:I, s:I, s:O, s:O*, s:O*}", "command", command, "process",
			  process, "until-s", until_s, "settings", borrowed->settings ?: none,
			  "found", borrowed->lent.found, "set", borrowed->lent.set);

	return run_file_write(host->files, host->run_directory, &borrowed_file, members);
}

int borrowed_begin(const struct host *host, const struct borrowed *borrowed, const char *command,
		   uint64_t seconds)
{
	return write_file(host, command, (json_int_t)getpid(), (json_int_t)(uptime_s() + seconds),
			  borrowed);
}

int borrowed_forget(const struct host *host)
{
	_cleanup_free_ char *path = text_format("%s/%s", host->run_directory, borrowed_file.name);

	if (!path)
		return -ENOMEM;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

/* Is it a value of a file, or the beginning of a message: short, and printable? */
static bool is_plain(const char *text, size_t most)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~')
			return false;
	}
	return length < most;
}

/* Can it be a setting? Nothing outside /sys is written. */
static bool is_setting(json_t *setting)
{
	const char *path, *found;
	json_t *set, *value;
	size_t i;

	if (json_unpack(setting, "{s:s, s:s, s:o !}", "file", &path, "found", &found, "set",
			&set) ||
	    !json_is_array(set))
		return false;
	json_array_foreach (set, i, value) {
		if (!json_is_string(value) || !is_plain(json_string_value(value), MOST_VALUE))
			return false;
	}
	return is_plain(path, MOST_PATH) && is_plain(found, MOST_VALUE) &&
	       strncmp(path, ALLOWED_FILES, strlen(ALLOWED_FILES)) == 0 && !strstr(path, "/../");
}

/* A file that was read. */
struct contents {
	json_t *members; /* what the others are parts of */
	const char *command;
	json_int_t process, until_s;
	struct borrowed borrowed; /* parts of members */
};

/* Reads the file. Returns as run_file_read(). */
static int read_file(const struct host *host, struct contents *ret_contents)
{
	_cleanup_json_ json_t *members = NULL;
	struct contents contents = { 0 };
	json_t *setting, *settings;
	size_t i;
	int err = run_file_read(host->files, host->run_directory, &borrowed_file, &members);

	if (err)
		return err;
	if (json_unpack(members, "{s:s, s:I, s:I, s:o, s?o, s?o !}", "command", &contents.command,
			"process", &contents.process, "until-s", &contents.until_s, "settings",
			&settings, "found", &contents.borrowed.lent.found, "set",
			&contents.borrowed.lent.set) ||
	    !json_is_array(settings) || !is_plain(contents.command, MOST_VALUE) ||
	    !contents.borrowed.lent.found != !contents.borrowed.lent.set)
		return -EBADMSG;
	if (contents.borrowed.lent.found &&
	    !lent_is_sound(contents.borrowed.lent.found, contents.borrowed.lent.set))
		return -EBADMSG;
	contents.borrowed.settings = settings;
	json_array_foreach (settings, i, setting) {
		if (!is_setting(setting))
			return -EBADMSG;
	}
	contents.members = steal(members);
	*ret_contents = contents;
	return 0;
}

static void contents_done(struct contents *contents)
{
	json_decref(contents->members);
}

/* Adds to a list, in printf form. */
static void add_text(struct buffer *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_text(struct buffer *list, const char *format, ...)
{
	va_list args;

	if (list->length)
		buffer_append_string(list, ", ");
	va_start(args, format);
	buffer_append_format(list, format, args);
	va_end(args);
}

/* The path as it is shown. */
static const char *shorten(const char *path)
{
	size_t length = strlen(CPU_FILES);

	return strncmp(path, CPU_FILES, length) == 0 ? path + length : path;
}

/* Was this value written by the measurement? */
static bool was_written(const json_t *set, const char *value)
{
	for (size_t i = 0; i < json_array_size(set); i++) {
		if (strcmp(json_string_value(json_array_get(set, i)), value) == 0)
			return true;
	}
	return false;
}

/* What putting back has come to. */
struct lists {
	struct buffer put_back, changed, gone, failed;
	json_t *left; /* the settings that failed */
	int error; /* of the first one that failed */
};

/* Writes what a file held, and reads it back. Returns 0 or a negative errno, -EIO if it holds
 * something else then. */
static int write_back(struct files *files, const char *path, const char *found)
{
	_cleanup_free_ char *now = NULL;
	int err = files_write(files, path, found);

	if (!err)
		err = files_read_line(files, path, &now);
	return err ?: strcmp(now, found) != 0 ? -EIO : 0;
}

static void put_back_one(struct files *files, json_t *setting, struct lists *lists)
{
	const char *path = json_string_value(json_object_get(setting, "file"));
	const char *found = json_string_value(json_object_get(setting, "found"));
	_cleanup_free_ char *now = NULL;
	int err = files_read_line(files, path, &now);

	if (!err && strcmp(now, found) == 0)
		return;
	if (!err && !was_written(json_object_get(setting, "set"), now)) {
		add_text(&lists->changed, "%s (now %.32s)", shorten(path), now);
		return;
	}
	if (!err)
		err = write_back(files, path, found);
	if (err == -ENOENT || err == -ENODEV) {
		add_text(&lists->gone, "%s", shorten(path));
		return;
	}
	if (!err) {
		add_text(&lists->put_back, "%s", shorten(path));
		return;
	}
	add_text(&lists->failed, "%s (%s)", shorten(path), strerror(-err));
	lists->error = lists->error ?: err;
	json_array_append(lists->left, setting);
}

/* A list as an outcome has it. */
static char *take_list(struct buffer *list)
{
	char *text;

	printable_clean(list->data, list->length);
	text = buffer_steal(list, NULL);
	if (text && !*text)
		free(steal(text));
	return text;
}

static void lists_done(struct lists *lists)
{
	buffer_done(&lists->put_back);
	buffer_done(&lists->changed);
	buffer_done(&lists->gone);
	buffer_done(&lists->failed);
	json_decref(lists->left);
}

int borrowed_put_back(const struct host *host, const struct borrowed *borrowed)
{
	_cleanup_(lists_done) struct lists lists = { .left = json_array() };

	for (size_t i = json_array_size(borrowed->settings); i > 0; i--)
		put_back_one(host->files, json_array_get(borrowed->settings, i - 1), &lists);
	return lists.error;
}

/* Puts back what a document has set. Returns whether borrowed.json still has to have it. */
static bool put_back_lent(struct host *host, const struct lent *lent, struct lists *lists)
{
	_cleanup_lent_outcome_ struct lent_outcome outcome = { 0 };
	int err = lent->found ? lent_put_back(host, lent->found, lent->set, &outcome) : 0;

	if (outcome.put_back)
		add_text(&lists->put_back, "%s", outcome.put_back);
	if (outcome.changed)
		add_text(&lists->changed, "%s", outcome.changed);
	if (err)
		add_text(&lists->failed, "%s", outcome.failed ?: strerror(-err));
	lists->error = lists->error ?: err;
	return err;
}

/* Puts back the settings, in reverse order, and removes the file, or leaves in it those that
 * failed. */
static int put_back(struct host *host, const struct contents *contents,
		    struct borrowed_outcome *ret_outcome)
{
	struct lists lists = { .left = json_array() };
	const json_t *settings = contents->borrowed.settings;
	struct borrowed left = { .settings = lists.left };
	int err = 0, kept;

	if (put_back_lent(host, &contents->borrowed.lent, &lists))
		left.lent = contents->borrowed.lent;
	for (size_t i = json_array_size(settings); i > 0; i--)
		put_back_one(host->files, json_array_get(settings, i - 1), &lists);
	if (!lists.error)
		kept = borrowed_forget(host);
	else
		kept = write_file(host, contents->command, contents->process, contents->until_s,
				  &left);
	if (lists.put_back.has_failed || lists.changed.has_failed || lists.gone.has_failed ||
	    lists.failed.has_failed)
		err = -ENOMEM;
	*ret_outcome = (struct borrowed_outcome){
		.owner = text_format("%s, process %" JSON_INTEGER_FORMAT, contents->command,
				     contents->process),
		.put_back = take_list(&lists.put_back),
		.changed = take_list(&lists.changed),
		.gone = take_list(&lists.gone),
		.failed = take_list(&lists.failed),
	};
	json_decref(lists.left);
	return err ?: lists.error ?: kept;
}

int borrowed_end(struct host *host, const struct borrowed *borrowed,
		 struct borrowed_outcome *ret_outcome)
{
	_cleanup_(contents_done) struct contents contents = { 0 };
	int err = read_file(host, &contents);

	/* Whatever became of the file: what was borrowed is known here. */
	if (err)
		contents.command = "a measurement";
	contents.borrowed = *borrowed;
	return put_back(host, &contents, ret_outcome);
}

int borrowed_mend(struct host *host, struct borrowed_outcome *ret_outcome)
{
	_cleanup_(contents_done) struct contents contents = { 0 };
	int err = read_file(host, &contents);

	if (err)
		return err == -ENOENT || err == -ESTALE ? 0 : err;
	return put_back(host, &contents, ret_outcome);
}

/* Seconds until it is expected to end. */
static uint64_t seconds_left(const struct contents *contents)
{
	uint64_t now_s = uptime_s();

	return contents->until_s > 0 && (uint64_t)contents->until_s > now_s
		       ? (uint64_t)contents->until_s - now_s
		       : 0;
}

/* Does the text of a lock's holder, "isst, process 12", name the owner? */
static bool is_owner(const struct contents *contents, const char *holder)
{
	_cleanup_free_ char *end =
		text_format(", process %" JSON_INTEGER_FORMAT, contents->process);
	const char *at = end && holder ? strstr(holder, end) : NULL;

	return at && strcmp(at, end) == 0;
}

char *borrowed_describe_holder(const struct host *host, const char *holder)
{
	_cleanup_(contents_done) struct contents contents = { 0 };

	if (read_file(host, &contents) || !is_owner(&contents, holder))
		return NULL;
	return text_format("%s, %" PRIu64 " s left", contents.command, seconds_left(&contents));
}

char *borrowed_describe(const struct host *host)
{
	_cleanup_(contents_done) struct contents contents = { 0 };
	_cleanup_free_ char *holder = NULL;
	int err = read_file(host, &contents);

	if (err == -ENOENT || err == -ESTALE)
		return NULL;
	if (err)
		return text_format("%s/%s cannot be used (%s): whether an interrupted measurement "
				   "left settings changed is not known",
				   host->run_directory, borrowed_file.name,
				   run_directory_problem(err));
	if (lock_is_held(host->run_directory, &holder) && is_owner(&contents, holder))
		return text_format("%s, process %" JSON_INTEGER_FORMAT
				   ", has changed %zu settings for a while, %" PRIu64 " s left",
				   contents.command, contents.process,
				   borrowed_count(&contents.borrowed), seconds_left(&contents));
	return text_format("%s, process %" JSON_INTEGER_FORMAT
			   ", ended before it put back what it had changed (%zu settings at most): "
			   "the next setting command does it, or measure restore",
			   contents.command, contents.process, borrowed_count(&contents.borrowed));
}
