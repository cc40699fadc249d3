// SPDX-License-Identifier: GPL-2.0-only
/* Reads the change journal line by line, and the changes of a line one by one: a line may name
 * thousands of CPUs with different values (docs/spec/journal.md, "Format"). */
#include "change/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/fileio.h"
#include "change/journal_format.h"
#include "host/run_directory.h"

#define READ_BYTES (256U << 10) /* of each read() */
#define MOST_BYTES (64 << 20) /* of a journal */
#define CHANGES    ",\"changes\":["

struct journal_reader {
	FILE *stream;
	char *buffer; /* of the stream */
	char *text; /* of the line that was read last */
	size_t size;
	int64_t next; /* where the next line begins */
	struct journal_line
		first; /* with is_first_next: the line that was read when it was opened */
	bool is_first_next;
	json_t *members;
};

static const char *const beginnings[] = {
	[JOURNAL_FIRST] = "{\"line\":\"journal\",",
	[JOURNAL_BEGIN] = "{\"line\":\"begin\",\"id\":",
	[JOURNAL_END] = "{\"line\":\"end\",\"id\":",
};

const char *journal_problem(int err)
{
	switch (err) {
	case -EBADMSG:
		return "a line of it is damaged";
	case -ELOOP:
		return "it is a link";
	case -EINVAL:
		return "it is not a regular file";
	case -EPERM:
		return "it belongs to another user, others may write to it, or it has a second name";
	}
	return strerror(-err);
}

void journal_reader_close(struct journal_reader **reader_pointer)
{
	struct journal_reader *reader = *reader_pointer;

	if (!reader)
		return;
	if (reader->stream)
		fclose(reader->stream);
	json_decref(reader->members);
	free(reader->buffer);
	free(reader->text);
	free(reader);
	*reader_pointer = NULL;
}

int64_t journal_reader_tell(const struct journal_reader *reader)
{
	return reader->next;
}

int journal_reader_seek(struct journal_reader *reader, int64_t offset)
{
	if (fseeko(reader->stream, offset, SEEK_SET) < 0)
		return -errno;
	reader->is_first_next = false;
	reader->next = offset;
	return 0;
}

/* Checks the beginning and the end of a line and finds its kind and identifier. Lines have
 * printable ASCII only. */
static bool read_start(const char *text, size_t length, struct journal_line *line)
{
	const char *digits;
	char *end;

	if (length == 0 || text[length - 1] != '}')
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	for (line->kind = JOURNAL_FIRST; line->kind <= JOURNAL_END; line->kind++) {
		size_t start = strlen(beginnings[line->kind]);

		if (strncmp(text, beginnings[line->kind], start) != 0)
			continue;
		line->id = 0;
		if (line->kind == JOURNAL_FIRST)
			return true;
		digits = text + start;
		if (*digits < '0' || *digits > '9')
			return false;
		errno = 0;
		line->id = strtoull(digits, &end, 10);
		return !errno && line->id < INT64_MAX && *end == ',';
	}
	return false;
}

/* Parses what is before the changes, which come last. Returns 0, -EBADMSG or -ENOMEM. */
static int parse(struct journal_reader *reader, size_t length, struct journal_line *line)
{
	const char *changes = strstr(reader->text, CHANGES);
	_cleanup_buffer_ struct buffer members = { 0 };
	json_error_t error;

	if ((line->kind == JOURNAL_BEGIN) != (changes != NULL))
		return -EBADMSG;
	if (changes) {
		buffer_append(&members, reader->text, (size_t)(changes - reader->text));
		buffer_append_char(&members, '}');
	} else {
		buffer_append(&members, reader->text, length);
	}
	if (members.has_failed)
		return -ENOMEM;
	json_decref(reader->members);
	reader->members = json_loadb(members.data, members.length, JSON_REJECT_DUPLICATES, &error);
	if (!reader->members)
		return json_error_code(&error) == json_error_out_of_memory ? -ENOMEM : -EBADMSG;
	line->members = reader->members;
	line->changes = changes ? changes + strlen(CHANGES) : NULL;
	return 0;
}

/* Returns true if the line has the members of its kind. */
static bool has_members(const struct journal_line *line)
{
	const char *text, *other;
	json_t *command;
	json_int_t number;
	int truth;

	switch (line->kind) {
	case JOURNAL_FIRST:
		return !json_unpack(line->members, "{s:s, s:s, s:I, s:s}", "boot-id", &text,
				    "format", &other, "version", &number, "online", &text) &&
		       strcmp(other, JOURNAL_FORMAT) == 0 && number == JOURNAL_VERSION;
	case JOURNAL_BEGIN:
		return !json_unpack(line->members, "{s:I, s:s, s:I, s:o, s:I, s:I, s:b, s:b}",
				    "stage", &number, "time", &text, "uptime-s", &number, "command",
				    &command, "process", &number, "uid", &number, "temporary",
				    &truth, "forward", &truth) &&
		       json_is_array(command);
	case JOURNAL_END:
		return !json_unpack(line->members, "{s:s}", "outcome", &text) &&
		       (strcmp(text, JOURNAL_DONE) == 0 || strcmp(text, JOURNAL_UNDONE) == 0 ||
			strcmp(text, JOURNAL_MIXED) == 0);
	}
	return false;
}

static bool is_at_end(struct journal_reader *reader)
{
	int next = getc(reader->stream);

	if (next == EOF)
		return true;
	ungetc(next, reader->stream);
	return false;
}

static int read_line(struct journal_reader *reader, bool is_parsed, struct journal_line *ret_line)
{
	struct journal_line line = { 0 };
	ssize_t length;
	int err = -EBADMSG;

	if (reader->is_first_next) {
		reader->is_first_next = false;
		reader->next = (int64_t)reader->first.n_bytes;
		*ret_line = reader->first;
		return 1;
	}
	length = getline(&reader->text, &reader->size, reader->stream);
	if (length < 0)
		return ferror(reader->stream) ? -errno : 0;
	line.n_bytes = (size_t)length;
	if (reader->text[length - 1] != '\n')
		return 0; /* torn */
	reader->text[--length] = '\0';
	if (read_start(reader->text, (size_t)length, &line))
		err = is_parsed ? parse(reader, (size_t)length, &line) : 0;
	if (!err && is_parsed && !has_members(&line))
		err = -EBADMSG;
	if (!err && (line.kind == JOURNAL_FIRST) != (reader->next == 0))
		err = -EBADMSG;
	if (err == -EBADMSG && is_at_end(reader))
		return 0;
	if (err)
		return err;
	reader->next += (int64_t)line.n_bytes;
	*ret_line = line;
	return 1;
}

int journal_reader_next(struct journal_reader *reader, struct journal_line *ret_line)
{
	return read_line(reader, true, ret_line);
}

int journal_reader_skim(struct journal_reader *reader, struct journal_line *ret_line)
{
	return read_line(reader, false, ret_line);
}

int journal_reader_copy(struct journal_reader *reader, struct buffer *to)
{
	struct journal_line line;
	int err = read_line(reader, false, &line);

	if (err <= 0)
		return err ?: -EBADMSG;
	buffer_append(to, reader->text, line.n_bytes - 1);
	buffer_append_char(to, '\n');
	return to->has_failed ? -ENOMEM : 0;
}

/* Returns true if a change has its location, its setting and both values. */
static bool is_change(json_t *change)
{
	const char *place, *setting, *word = NULL;
	json_t *was, *now;

	return !json_unpack(change, "{s:s, s:s, s:o, s:o, s?s, s?s}", "for", &place, "setting",
			    &setting, "was", &was, "now", &now, "was-word", &word, "now-word",
			    &word);
}

int journal_line_next(struct journal_line *line, json_t **ret_change)
{
	_cleanup_json_ json_t *change = NULL;
	json_error_t error;

	if (line->changes[0] == ']')
		return strcmp(line->changes, "]}") == 0 ? 0 : -EBADMSG;
	change = json_loads(line->changes, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
	if (!change)
		return json_error_code(&error) == json_error_out_of_memory ? -ENOMEM : -EBADMSG;
	line->changes += error.position;
	if (!is_change(change) || (line->changes[0] != ',' && line->changes[0] != ']') ||
	    strncmp(line->changes, ",]", 2) == 0)
		return -EBADMSG;
	line->changes += line->changes[0] == ',';
	*ret_change = steal(change);
	return 1;
}

/* Opens the file, which may be of another boot. */
static int open_reader(const char *run_directory, struct journal_reader **ret_reader)
{
	_cleanup_journal_reader_ struct journal_reader *reader = calloc(1, sizeof(*reader));
	_cleanup_free_ char *path = text_format("%s/" JOURNAL_NAME, run_directory);
	_cleanup_close_ int fd = -1;
	struct stat about;

	if (!reader || !path)
		return -ENOMEM;
	fd = fileio_open_sole(path, O_RDONLY, 0, &about);
	if (fd < 0)
		return fd;
	if (about.st_size > MOST_BYTES)
		return -EFBIG;
	reader->stream = fdopen(fd, "r");
	if (!reader->stream)
		return -ENOMEM;
	steal_fd(&fd);
	reader->buffer = malloc(READ_BYTES);
	if (!reader->buffer)
		return -ENOMEM;
	setvbuf(reader->stream, reader->buffer, _IOFBF, READ_BYTES);
	*ret_reader = steal(reader);
	return 0;
}

int journal_reader_open(struct files *files, const char *run_directory,
			struct journal_reader **ret_reader)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	_cleanup_free_ char *boot = NULL;
	struct journal_line line;
	int err = open_reader(run_directory, &reader);

	if (!err)
		err = boot_id_read(files, &boot);
	if (err)
		return err;
	err = journal_reader_next(reader, &line);
	if (err <= 0)
		return err ?: -ENOENT;
	if (strcmp(json_string_value(json_object_get(line.members, "boot-id")), boot) != 0)
		return -ESTALE;
	reader->first = line;
	reader->is_first_next = true;
	reader->next = 0;
	*ret_reader = steal(reader);
	return 0;
}

void journal_last_done(struct journal_last *last)
{
	free(last->command);
	free(last->time);
	*last = (struct journal_last){ 0 };
}

char *journal_format_command(const json_t *members)
{
	const json_t *words = json_object_get(members, "command"), *word;
	_cleanup_buffer_ struct buffer command = { 0 };
	size_t i;

	json_array_foreach (words, i, word) {
		const char *name = json_string_value(word) ?: "?";
		const char *slash = i == 0 ? strrchr(name, '/') : NULL;

		if (i)
			buffer_append_char(&command, ' ');
		buffer_append_clean(&command, slash ? slash + 1 : name);
	}
	return buffer_steal(&command, NULL);
}

/* Copies what *last needs from the first line of a transaction. */
static int take_begin(const json_t *members, struct journal_last *last)
{
	last->temporary = json_is_true(json_object_get(members, "temporary"));
	last->forward = json_is_true(json_object_get(members, "forward"));
	last->process = json_integer_value(json_object_get(members, "process"));
	last->time = strdup(json_string_value(json_object_get(members, "time")));
	last->command = journal_format_command(members);
	return last->time && last->command ? 0 : -ENOMEM;
}

/* Reads the beginnings of the lines that are left. *ret_before is the result without the last line,
 * which may be damaged. */
static int skim_all(struct journal_reader *reader, struct journal_last *ret_before,
		    struct journal_last *ret_last)
{
	struct journal_last last = { .has_ended = true, .end = journal_reader_tell(reader) };
	struct journal_last before = last;
	struct journal_line line;
	int err;

	while ((err = journal_reader_skim(reader, &line)) > 0) {
		before = last;
		if (line.kind == JOURNAL_BEGIN && (last.has_ended || line.id != last.id))
			last.offset = last.end;
		last.id = line.id;
		last.is_found = true;
		last.has_ended = line.kind == JOURNAL_END;
		last.end = journal_reader_tell(reader);
	}
	*ret_before = before;
	*ret_last = last;
	return err;
}

int journal_find_last(struct journal_reader *reader, struct journal_last *ret_last)
{
	_cleanup_journal_last_ struct journal_last last = { 0 };
	struct journal_last before;
	struct journal_line line;
	int err = skim_all(reader, &before, &last);

	if (!err && last.is_found) {
		err = journal_reader_seek(reader, before.end);
		if (!err)
			err = journal_reader_next(reader, &line);
		if (!err)
			last = before;
	}
	if (err < 0)
		return err;
	if (!last.has_ended) {
		err = journal_reader_seek(reader, last.offset);
		if (!err)
			err = journal_reader_next(reader, &line) ?: -EBADMSG;
		if (err > 0)
			err = take_begin(line.members, &last);
		if (err < 0)
			return err;
	}
	*ret_last = steal(last);
	return 0;
}

int journal_read_last(struct files *files, const char *run_directory, struct journal_last *ret_last)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	struct journal_line first;
	int err = journal_reader_open(files, run_directory, &reader);

	if (!err)
		err = journal_reader_next(reader, &first) > 0 ? 0 : -EBADMSG;
	return err ?: journal_find_last(reader, ret_last);
}
