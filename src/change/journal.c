// SPDX-License-Identifier: GPL-2.0-only
/* Writes the change journal: each line with one write(2) to a descriptor that appends. If only a
 * part of a line was written, that is cut off again, so that no reader takes it for something else
 * (docs/spec/journal.md, "Format"). */
#include "change/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buffer.h"
#include "base/fileio.h"
#include "change/journal_format.h"
#include "host/change_log.h"
#include "host/run_directory.h"

#define JOURNAL_MODE    0644
#define FIRST_COMPACTED (1 << 20) /* bytes at which a journal is first compacted */
#define END_BYTES       512 /* of an end line without its lists of changes */

struct journal {
	int fd;
	int64_t size; /* up to the last complete line */
	int64_t compact_at; /* the size at which to compact it */
	uint64_t last_id;
	struct journal_last last; /* the last transaction when the journal was opened */
	unsigned int stage; /* of the transaction that has begun; 0: none has */
	size_t begun_bytes; /* of its begin lines */
	bool is_broken; /* a part of a line could not be cut off */
};

void journal_close(struct journal **journal)
{
	if (!*journal)
		return;
	cleanup_close(&(*journal)->fd);
	journal_last_done(&(*journal)->last);
	free(*journal);
	*journal = NULL;
}

bool journal_has_begun(const struct journal *journal)
{
	return journal->stage > 0;
}

uint64_t journal_last_id(const struct journal *journal)
{
	return journal->last_id;
}

const struct journal_last *journal_get_last(const struct journal *journal)
{
	return &journal->last;
}

char *journal_format_line(const json_t *value)
{
	_cleanup_free_ char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);

	return text ? text_format("%s\n", text) : NULL;
}

char *journal_format_begin(const json_t *members, const char *changes)
{
	_cleanup_free_ char *head = json_dumps(members, JSON_COMPACT | JSON_ENSURE_ASCII);

	return head ? text_format("%.*s,\"changes\":%s}\n", (int)strlen(head) - 1, head, changes)
		    : NULL;
}

char *journal_format_end(uint64_t id, const struct journal_outcome *outcome)
{
	_cleanup_free_ char *by =
		outcome->recovered ? text_format(",\"by\":%jd", (intmax_t)getpid()) : strdup("");

	return by ? text_format("{\"line\":\"end\",\"id\":%ju,\"outcome\":\"%s\"%s%s%s%s%s}\n",
				(uintmax_t)id, outcome->outcome, outcome->left ? ",\"left\":" : "",
				outcome->left ?: "", outcome->read ? ",\"read\":" : "",
				outcome->read ?: "", by)
		  : NULL;
}

/* Makes a journal with a first line, and replaces an old one. */
static int make(struct files *files, const char *run_directory, const char *path,
		const struct cpuset *online)
{
	_cleanup_free_ char *boot = NULL, *list = cpuset_format_ranges(online), *line = NULL;
	_cleanup_json_ json_t *members = NULL;
	char now[CHANGE_LOG_TIME_SIZE];
	int err = boot_id_read(files, &boot);

	if (err)
		return err;
	change_log_format_now(now);
	members = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s}", "line", "journal", "format",
			    JOURNAL_FORMAT, "version", JOURNAL_VERSION, "boot-id", boot, "time",
			    now, "online", list);
	line = members ? journal_format_line(members) : NULL;
	if (!line)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	return err ?: fileio_replace(path, JOURNAL_MODE, line, strlen(line));
}

/* Finds out where to append, and what was appended last. */
static int skim(struct journal_reader *reader, struct journal *journal)
{
	json_int_t compact_at = FIRST_COMPACTED;
	struct journal_line line;
	int err = journal_reader_next(reader, &line);

	if (err <= 0)
		return err;
	json_unpack(line.members, "{s?I}", "compact-at", &compact_at);
	journal->compact_at = compact_at;
	journal_last_done(&journal->last);
	err = journal_find_last(reader, &journal->last);
	if (err)
		return err;
	journal->size = journal->last.end;
	journal->last_id = journal->last.id;
	return 0;
}

/* Replaces the journal by a compacted one. A failure leaves it unchanged, which does no harm. */
static int compact(struct journal_reader *reader, const char *path)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	int err = journal_reader_seek(reader, 0);

	if (!err)
		err = journal_compact(reader, &text);
	return err ?: fileio_replace(path, JOURNAL_MODE, text.data, text.length);
}

/* Reads a journal of this boot, and finds out where to append. */
static int load(struct files *files, const char *run_directory, const char *path,
		struct journal *journal)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	int err = journal_reader_open(files, run_directory, &reader);

	if (!err)
		err = skim(reader, journal);
	if (err || journal->size < journal->compact_at)
		return err;
	if (compact(reader, path))
		return 0;
	journal_reader_close(&reader);
	err = journal_reader_open(files, run_directory, &reader);
	return err ?: skim(reader, journal);
}

int journal_open(struct files *files, const char *run_directory, const struct cpuset *online,
		 struct journal **ret_journal)
{
	_cleanup_free_ char *path = text_format("%s/" JOURNAL_NAME, run_directory);
	_cleanup_journal_ struct journal *journal = calloc(1, sizeof(*journal));
	struct stat about;
	int err;

	if (!path || !journal)
		return -ENOMEM;
	journal->fd = -1;
	err = load(files, run_directory, path, journal);
	if (online && (err == -ENOENT || err == -ESTALE)) {
		err = make(files, run_directory, path, online);
		err = err ?: load(files, run_directory, path, journal);
	}
	if (err)
		return err;
	journal->fd = fileio_open_sole(path, O_WRONLY | O_APPEND, 0, &about);
	if (journal->fd < 0)
		return journal->fd;
	if (about.st_size > journal->size && ftruncate(journal->fd, journal->size) < 0)
		return -errno;
	*ret_journal = steal(journal);
	return 0;
}

/* Appends a complete line or nothing. */
static int append(struct journal *journal, const char *text, size_t length)
{
	ssize_t written;
	int err;

	if (journal->is_broken)
		return -EIO;
	written = write(journal->fd, text, length);
	if (written == (ssize_t)length) {
		journal->size += (int64_t)length;
		return 0;
	}
	err = written < 0 ? -errno : -ENOSPC;
	journal->is_broken = ftruncate(journal->fd, journal->size) < 0;
	return err;
}

/* Reserves room, without a change of the size, so that the disk cannot be full when the end line is
 * appended. Not every file system can do this. */
static int reserve(const struct journal *journal, size_t length)
{
	if (fallocate(journal->fd, FALLOC_FL_KEEP_SIZE, journal->size, (off_t)length) == 0 ||
	    errno == EOPNOTSUPP || errno == ENOSYS)
		return 0;
	return -errno;
}

/* Returns the members of a begin line, without its changes. NULL: no memory. */
static json_t *pack_begin(struct files *files, const struct journal *journal,
			  const struct journal_transaction *transaction)
{
	_cleanup_json_ json_t *command =
		change_log_pack_command(transaction->argc, transaction->argv);
	_cleanup_json_ json_t *login = change_log_read_login_user(files);
	struct timespec uptime = { 0 };
	char now[CHANGE_LOG_TIME_SIZE];

	change_log_format_now(now);
	clock_gettime(CLOCK_BOOTTIME, &uptime);
	return json_pack("{s:s, s:I, s:i, s:s, s:I, s:O, s:I, s:I, s:O, s:b, s:b}", "line", "begin",
			 "id", (json_int_t)journal->last_id + !journal->stage, "stage",
			 (int)journal->stage + 1, "time", now, "uptime-s",
			 (json_int_t)uptime.tv_sec, "command", command, "process",
			 (json_int_t)getpid(), "uid", (json_int_t)getuid(), "login-uid", login,
			 "temporary", (int)transaction->temporary, "forward",
			 (int)transaction->forward);
}

int journal_begin(struct journal *journal, struct files *files,
		  const struct journal_transaction *transaction, const char *changes)
{
	_cleanup_json_ json_t *members = pack_begin(files, journal, transaction);
	_cleanup_free_ char *line = members ? journal_format_begin(members, changes) : NULL;
	size_t length, begun;
	int err;

	if (!line)
		return -ENOMEM;
	length = strlen(line);
	/* each of the two lists of the end line has at most all changes */
	begun = journal->begun_bytes + length;
	err = reserve(journal, length + 2 * begun + END_BYTES);
	if (!err)
		err = append(journal, line, length);
	if (err)
		return err;
	journal->last_id += !journal->stage;
	journal->stage++;
	journal->begun_bytes = begun;
	return 0;
}

int journal_end(struct journal *journal, const struct journal_outcome *outcome)
{
	_cleanup_free_ char *line = journal_format_end(journal->last_id, outcome);
	int err = line ? append(journal, line, strlen(line)) : -ENOMEM;

	if (!err) {
		journal->stage = 0;
		journal->begun_bytes = 0;
	}
	return err;
}
