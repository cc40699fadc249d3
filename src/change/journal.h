/* SPDX-License-Identifier: GPL-2.0-only */
/* The change journal (docs/spec/journal.md): a file of the run directory with a line for the
 * beginning of each transaction, its changes with their old and new values, and a line for its end.
 * It is only appended to, but for compaction, and holds for one boot. */
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

/* Opens the journal of this boot, and makes it if there is none, or one of another boot: mode 0644
 * whatever the umask, its first line with these CPUs online (NULL: it is not made, but -ENOENT or
 * -ESTALE is returned). Cuts off a torn last line, and compacts the journal when it has grown
 * enough. Needs the machine's lock. Returns 0; -EBADMSG if a line other than the last is damaged;
 * -ELOOP if it is a link; -EINVAL if it is not a regular file; -EPERM if it belongs to another
 * user, others may write to it, or it has a second name; another negative errno of the file system,
 * or of reading the boot id; -ENOMEM. */
int journal_open(struct files *files, const char *run_directory, const struct cpuset *online,
		 struct journal **ret_journal);

/* Closes and frees *journal, which may be NULL, and leaves NULL. */
void journal_close(struct journal **journal);

/* What a transaction is. */
struct journal_transaction {
	int argc; /* the command line as it was typed */
	char *const *argv;
	bool temporary; /* settings of a measurement, restored when it ends */
	bool forward; /* of the daemon: never undone */
};

/* Appends the line that a stage of a transaction begins: the first, with the next identifier, or,
 * after a begin line of this struct journal without an end line, the next stage of the same one.
 * changes: the text of a JSON array of changes, {"for", "setting", "was", "now"} and, beside a
 * number that a document has as a word, "was-word" and "now-word". First reserves room for the end
 * line, even if that lists all changes. Returns 0, or a negative errno with the journal as it was:
 * nothing may be written to the machine then. */
int journal_begin(struct journal *journal, struct files *files,
		  const struct journal_transaction *transaction, const char *changes);

/* What became of a transaction. */
struct journal_outcome {
	const char *outcome; /* JOURNAL_DONE, ... */
	/* texts of JSON arrays, or NULL: changes that could not be undone, {"for", "setting"}; and
	 * values that hardware reads back otherwise than written, {"for", "setting", "read"} */
	const char *left;
	const char *read;
	bool recovered; /* this process ends a transaction of another one */
};

/* Appends the line that the transaction ended. Returns as journal_begin(). */
int journal_end(struct journal *journal, const struct journal_outcome *outcome);

/* Is a transaction begun by this struct journal, and not ended? */
bool journal_has_begun(const struct journal *journal);

/* The identifier of the last transaction; 0: there is none. */
uint64_t journal_last_id(const struct journal *journal);

enum journal_kind { JOURNAL_FIRST, JOURNAL_BEGIN, JOURNAL_END };

/* A line that was read. */
struct journal_line {
	enum journal_kind kind;
	uint64_t id;
	json_t *members; /* all but changes; the reader's */
	const char *changes; /* of journal_line_next(): what is left of them */
	size_t n_bytes; /* of the line */
};

/* A journal that is read line by line. */
struct journal_reader;

#define _cleanup_journal_reader_ _cleanup_(journal_reader_close)

/* Opens the journal of this boot for reading; the first line is the next one then. Needs no lock.
 * Returns 0; -ENOENT if there is none; -ESTALE if it is of another boot; else as journal_open(). */
int journal_reader_open(struct files *files, const char *run_directory,
			struct journal_reader **ret_reader);

/* Closes and frees *reader, which may be NULL, and leaves NULL. */
void journal_reader_close(struct journal_reader **reader);

/* Reads the next line, valid until the one after it is read. Returns 1; 0 at the end, a damaged
 * last line included; -EBADMSG if the line is damaged and not the last; another negative errno. */
int journal_reader_next(struct journal_reader *reader, struct journal_line *ret_line);

/* The same without members and changes, of which only the beginning and the end are checked. */
int journal_reader_skim(struct journal_reader *reader, struct journal_line *ret_line);

/* Where the next line is; and goes there. */
int64_t journal_reader_tell(const struct journal_reader *reader);
int journal_reader_seek(struct journal_reader *reader, int64_t offset);

/* Reads the next change of a begin line: a new object. Returns 1; 0 after the last; -EBADMSG if it
 * is damaged; -ENOMEM. */
int journal_line_next(struct journal_line *line, json_t **ret_change);

/* The words of the command of a begin line, whose members these are, with blanks between, without
 * the directory of the program: a new text. NULL: no memory. */
char *journal_format_command(const json_t *members);

/* The last transaction of a journal. */
struct journal_last {
	bool is_found; /* there is one; else all but has_ended and end is zero */
	uint64_t id;
	int64_t offset; /* where its first line begins */
	int64_t end; /* of the whole lines of the journal */
	bool has_ended; /* or there is none */
	/* of one that has not ended: */
	bool temporary, forward; /* as in struct journal_transaction */
	char *command; /* its words, with blanks between, without the directory of the program */
	int64_t process;
	char *time; /* when it began */
};

#define _cleanup_journal_last_ _cleanup_(journal_last_done)

void journal_last_done(struct journal_last *last);

/* Finds out what the last transaction is, from lines that a reader has before it: all but the first
 * one. Returns 0, or as journal_reader_next(). */
int journal_find_last(struct journal_reader *reader, struct journal_last *ret_last);

/* The same of the journal. Needs no lock. Returns 0; or as journal_reader_open(). */
int journal_read_last(struct files *files, const char *run_directory,
		      struct journal_last *ret_last);

/* The last transaction as it was when the journal was opened. */
const struct journal_last *journal_get_last(const struct journal *journal);

/* What an error of these functions means: a text that needs no release, "it is damaged". */
const char *journal_problem(int err);

#endif
