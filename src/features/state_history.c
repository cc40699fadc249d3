// SPDX-License-Identifier: GPL-2.0-only
/* state history: what was changed in this boot, when, by whom and by which command, from the change
 * journal (docs/spec/journal.md, "Restore and history"). */
#include "features/state_job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "change/journal.h"
#include "host/run_directory.h"
#include "output/screen.h"

/* Returns the number of locations of a change. */
static json_int_t count_places(const json_t *change)
{
	const char *place = json_get_text(change, "for") ?: "";
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	if (strncmp(place, "cpu ", strlen("cpu ")) != 0 ||
	    cpulist_parse(place + strlen("cpu "), &cpus))
		return 1;
	return (json_int_t)cpuset_count(&cpus);
}

/* Adds the changes of a begin line to a transaction. */
static int add_changes(json_t *transaction, struct journal_line *line)
{
	json_t *changes = json_object_get(transaction, "changes"), *change;
	json_int_t count = json_integer_value(json_object_get(transaction, "count"));
	int err;

	while ((err = journal_line_next(line, &change)) > 0) {
		count += count_places(change);
		if (json_array_append_new(changes, change))
			return -ENOMEM;
	}
	return err ?: json_object_set_new(transaction, "count", json_integer(count)) ? -ENOMEM : 0;
}

/* Adds a begin line to the last transaction, or as a new one. */
static int add_begin(json_t *list, struct journal_line *line)
{
	json_t *last = json_array_get(list, json_array_size(list) - 1);

	if (!last || (uint64_t)json_integer_value(json_object_get(last, "id")) != line->id) {
		last = json_copy(line->members);
		json_object_del(last, "line");
		json_object_del(last, "stage");
		if (!last || json_array_append_new(list, last) ||
		    json_object_set_new(last, "outcome", json_null()) ||
		    json_object_set_new(last, "changes", json_array()))
			return -ENOMEM;
	}
	return add_changes(last, line);
}

static int add_end(json_t *list, const struct journal_line *line)
{
	json_t *last = json_array_get(list, json_array_size(list) - 1), *value;
	const char *key;

	json_object_foreach (line->members, key, value) {
		if (strcmp(key, "line") != 0 && strcmp(key, "id") != 0 &&
		    json_object_set(last, key, value))
			return -ENOMEM;
	}
	return 0;
}

/* Is the line part of a requested transaction? --id requests only one. */
static bool is_wanted(const struct state_arguments *arguments, const struct journal_line *line)
{
	return line->kind != JOURNAL_FIRST &&
	       (!arguments->id.given || arguments->id.value == line->id);
}

/* Reads the transactions, the newest last. Returns 0, also without a journal; -ENOMEM; or another
 * negative errno. */
static int read_list(const struct host *host, const struct state_arguments *arguments, json_t *list)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	struct journal_line line;
	int err = journal_reader_open(host->files, host->run_directory, &reader);

	if (err)
		return err == -ENOENT || err == -ESTALE ? 0 : err;
	while ((err = journal_reader_next(reader, &line)) > 0) {
		if (!is_wanted(arguments, &line))
			continue;
		err = line.kind == JOURNAL_BEGIN ? add_begin(list, &line) : add_end(list, &line);
		if (err)
			return err;
		while (arguments->last.given && json_array_size(list) > arguments->last.value)
			json_array_remove(list, 0);
	}
	return err;
}

/* Formats the user, "uid 0", and the login user if it is another one. */
static char *format_who(const json_t *transaction)
{
	const json_t *login = json_object_get(transaction, "login-uid");
	json_int_t uid = json_integer_value(json_object_get(transaction, "uid"));

	if (json_is_integer(login) && json_integer_value(login) != uid)
		return text_format("uid %" JSON_INTEGER_FORMAT " (login %" JSON_INTEGER_FORMAT ")",
				   uid, json_integer_value(login));
	return text_format("uid %" JSON_INTEGER_FORMAT, uid);
}

/* Appends the line of a transaction. Commands are long, and not cut. who_width: columns of the
 * user. Returns 0 or -ENOMEM. */
static int put_transaction(struct buffer *to, const json_t *transaction, int who_width)
{
	json_int_t id = json_integer_value(json_object_get(transaction, "id"));
	json_int_t count = json_integer_value(json_object_get(transaction, "count"));
	const char *outcome = json_get_text(transaction, "outcome");
	bool is_temporary = json_is_true(json_object_get(transaction, "temporary"));
	_cleanup_free_ char *who = format_who(transaction);
	_cleanup_free_ char *command = journal_format_command(transaction);
	/* settings of a measurement are undone when it ends */
	const char *end = !outcome ? "not ended" : is_temporary ? "temporary" : outcome;
	_cleanup_free_ char *line =
		who && command ? text_format("%4" JSON_INTEGER_FORMAT
					     "  %-20s  %-*s  %-9s  %7" JSON_INTEGER_FORMAT "  %s\n",
					     id, json_get_text(transaction, "time"), who_width, who,
					     end, count, id ? command : "(earlier changes)")
			       : NULL;

	if (!line)
		return -ENOMEM;
	buffer_append_string(to, line);
	return 0;
}

static int put_transactions(struct buffer *to, const json_t *list)
{
	_cleanup_free_ char *heading = NULL;
	const json_t *transaction;
	size_t who_width = strlen("uid 10"), i;

	json_array_foreach (list, i, transaction) {
		_cleanup_free_ char *who = format_who(transaction);

		if (who && strlen(who) > who_width)
			who_width = strlen(who);
	}
	heading = text_format("  id  time                  %-*s  outcome    changes  command\n",
			      (int)who_width, "who");
	if (!heading)
		return -ENOMEM;
	buffer_append_string(to, heading);
	json_array_foreach (list, i, transaction) {
		if (put_transaction(to, transaction, (int)who_width))
			return -ENOMEM;
	}
	return 0;
}

/* Formats a value, and its word if it has one. */
static char *format_value(const json_t *row, const char *key, const char *word_key)
{
	const json_t *value = json_object_get(row, key), *word = json_object_get(row, word_key);
	_cleanup_free_ char *text = screen_format_value(value);

	if (json_is_boolean(value))
		return strdup(json_is_true(value) ? "true" : "false");
	if (word)
		return text_format("%s (%s)", text ?: "?", json_string_value(word) ?: "?");
	return text ? steal(text) : strdup("unknown");
}

static char *format_was(const json_t *row)
{
	return format_value(row, "was", "was-word");
}

static char *format_now(const json_t *row)
{
	return format_value(row, "now", "now-word");
}

static void put_changes(struct screen *screen, const json_t *changes)
{
	static const struct screen_column columns[] = {
		{ .heading = "for", .key = "for" },
		{ .heading = "setting", .key = "setting" },
		{ .heading = "was", .format = format_was },
		{ .heading = "now", .format = format_now },
	};

	screen_put_table(screen, NULL, changes, columns, ARRAY_SIZE(columns));
}

static int show(struct context *context, json_t *list)
{
	const struct state_arguments *arguments = context->request->arguments;
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	int err;

	if (output_is_json(context->output)) {
		output_json_member(context->output, "transactions", json_incref(list));
		return 0;
	}
	if (json_array_size(list) == 0) {
		context_note(context, NULL, STATE_NOTHING_CHANGED);
		return 0;
	}
	screen.is_flush = true;
	err = put_transactions(&screen.text, list);
	if (arguments->id.given)
		put_changes(&screen, json_object_get(json_array_get(list, 0), "changes"));
	if (err || screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	return 0;
}

int state_history(struct context *context)
{
	const struct state_arguments *arguments = context->request->arguments;
	const struct host *host = context->request->host;
	_cleanup_json_ json_t *list = json_array();
	int err;

	if (arguments->id.given && arguments->last.given) {
		context_refuse_usage(context, "--last and --id exclude each other");
		return 0;
	}
	err = list ? read_list(host, arguments, list) : -ENOMEM;
	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s/" JOURNAL_NAME ": %s", host->run_directory,
			       journal_problem(err));
	else if (!err && arguments->id.given && json_array_size(list) == 0)
		context_lack(context, NULL,
			     "--id %" PRIu64 ": there is no such change in this boot",
			     arguments->id.value);
	else if (!err)
		err = show(context, list);
	return err == -ENOMEM ? err : 0;
}
