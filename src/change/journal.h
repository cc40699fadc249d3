/* SPDX-License-Identifier: GPL-2.0-only */
/* The change journal (docs/spec/journal.md), a file of the run directory. A transaction begins with
 * a line that has its changes with their old and new values, and ends with another line. The file
 * is only appended to, except for compaction, and holds for one boot. */
#ifndef CHANGE_JOURNAL_H
#define CHANGE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "host/files.h"

#define JOURNAL_NAME "journal"

/* How a transaction ended. */
#define JOURNAL_DONE   "done"
#define JOURNAL_UNDONE "undone"
#define JOURNAL_MIXED  "mixed"

/* The journal, open for writing. */
struct journal;

#define _cleanup_journal_ _cleanup_(journal_close)

/* Opens the journal of this boot. Makes it if there is none, or one of another boot: with mode 0644
 * whatever the umask is, and these CPUs online in its first line. If online is NULL, returns
 * -ENOENT or -ESTALE instead. Cuts off a torn last line, and compacts the journal when it has grown
 * enough. Needs the machine's lock. Returns 0; -EBADMSG if a line other than the last is damaged;
 * -ELOOP if it is a link; -EINVAL if it is not a regular file; -EPERM if it belongs to another
 * user, others may write to it, or it has a second name; another negative errno of the file system,
 * or of reading the boot id; -ENOMEM. */
int journal_open(struct files *files, const char *run_directory, const struct cpuset *online,
		 struct journal **ret_journal);

/* Closes and frees *journal, which may be NULL, and leaves NULL. */
void journal_close(struct journal **journal);

/* The properties of a transaction. */
struct journal_transaction {
	int argc; /* the command line as it was typed */
	char *const *argv;
	bool temporary; /* settings of a measurement, restored when it ends */
	bool forward; /* of the daemon: never undone */
};

/* Appends the line that begins a stage of a transaction. After a begin line of this struct journal
 * without an end line, this is the next stage of the same transaction; else the first stage of the
 * next one. changes is the text of a JSON array of changes, {"for", "setting", "was", "now"} and,
 * beside a number that a document has as a word, "was-word" and "now-word". First reserves room for
 * an end line that lists all changes. Returns 0, or a negative errno with the journal unchanged:
 * then nothing may be written to the machine. */
int journal_begin(struct journal *journal, struct files *files,
		  const struct journal_transaction *transaction, const char *changes);

/* The outcome of a transaction. */
struct journal_outcome {
	const char *outcome; /* JOURNAL_DONE, ... */
	/* texts of JSON arrays, or NULL: changes that could not be undone, {"for", "setting"}; and
	 * values that hardware reads back otherwise than written, {"for", "setting", "read"} */
	const char *left;
	const char *read;
	bool recovered; /* this process ends a transaction of another process */
};

/* Appends the end line of the transaction. Returns as journal_begin(). */
int journal_end(struct journal *journal, const struct journal_outcome *outcome);

/* Returns true if this struct journal has begun a transaction and not ended it. */
bool journal_has_begun(const struct journal *journal);

/* Returns the identifier of the last transaction; 0: there is none. */
uint64_t journal_last_id(const struct journal *journal);

enum journal_kind { JOURNAL_FIRST, JOURNAL_BEGIN, JOURNAL_END };

/* A line that was read. */
struct journal_line {
	enum journal_kind kind;
	uint64_t id;
	json_t *members; /* all except changes; the reader owns them */
	const char *changes; /* those that journal_line_next() has not read yet */
	size_t n_bytes; /* of the line */
};

/* A journal that is read line by line. */
struct journal_reader;

#define _cleanup_journal_reader_ _cleanup_(journal_reader_close)

/* Opens the journal of this boot for reading, at its first line. Needs no lock. Returns 0; -ENOENT
 * if there is none; -ESTALE if it is of another boot; else as journal_open(). */
int journal_reader_open(struct files *files, const char *run_directory,
			struct journal_reader **ret_reader);

/* Closes and frees *reader, which may be NULL, and leaves NULL. */
void journal_reader_close(struct journal_reader **reader);

/* Reads the next line, valid until the one after it is read. Returns 1; 0 at the end, a damaged
 * last line included; -EBADMSG if the line is damaged and not the last; another negative errno. */
int journal_reader_next(struct journal_reader *reader, struct journal_line *ret_line);

/* As journal_reader_next(), but returns no members and changes, and checks only the beginning and
 * the end of the line. */
int journal_reader_skim(struct journal_reader *reader, struct journal_line *ret_line);

/* Return the offset of the next line; and make the line at an offset the next one. */
int64_t journal_reader_tell(const struct journal_reader *reader);
int journal_reader_seek(struct journal_reader *reader, int64_t offset);

/* Reads the next change of a begin line: a new object. Returns 1; 0 after the last; -EBADMSG if it
 * is damaged; -ENOMEM. */
int journal_line_next(struct journal_line *line, json_t **ret_change);

/* Formats the command of a begin line with these members: its words with blanks between, without
 * the directory of the program. Returns a new text; NULL: no memory. */
char *journal_format_command(const json_t *members);

/* The last transaction of a journal. */
struct journal_last {
	bool is_found; /* there is one; else all members except has_ended and end are zero */
	uint64_t id;
	int64_t offset; /* where its first line begins */
	int64_t end; /* of the last complete line of the journal */
	bool has_ended; /* also if there is no transaction */
	/* only of a transaction that has not ended: */
	bool temporary, forward; /* as in struct journal_transaction */
	char *command; /* its words, with blanks between, without the directory of the program */
	int64_t process;
	char *time; /* when it began */
};

#define _cleanup_journal_last_ _cleanup_(journal_last_done)

void journal_last_done(struct journal_last *last);

/* Finds the last transaction of a journal of which only the first line was read. Returns 0, or as
 * journal_reader_next(). */
int journal_find_last(struct journal_reader *reader, struct journal_last *ret_last);

/* Opens the journal and finds its last transaction. Needs no lock. Returns 0; or as
 * journal_reader_open(). */
int journal_read_last(struct files *files, const char *run_directory,
		      struct journal_last *ret_last);

/* Returns the last transaction at the time when the journal was opened. */
const struct journal_last *journal_get_last(const struct journal *journal);

/* Describes an error of these functions, "it is a link"; the text needs no release. */
const char *journal_problem(int err);

#endif
