/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine's kernel files as a table in memory: what each path holds or which error it gives.
 * Reads are counted, and files can vanish between two of them. */
#ifndef UNIT_FAKE_FILES_H
#define UNIT_FAKE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/files.h"

struct fake_file {
	char *path;
	char *text;
	int err; /* a negative errno that reading and writing it gives, or 0 */
	char *next_text; /* what it holds from the second reading on, or NULL */
	char *vanishing; /* when it has been read, all paths that begin with this are gone */
};

struct fake_files {
	struct files files; /* give &fake.files to what is tested */
	struct fake_file *entries;
	size_t n_entries;
	size_t size;
	bool sorted;
	size_t n_reads; /* since fake_files_init(), failed ones too */
	size_t last_limit; /* of the latest read */
};

void fake_files_init(struct fake_files *fake);
void fake_files_done(struct fake_files *fake);

/* Makes the file at a path (printf form) or replaces what it holds. */
void fake_files_set(struct fake_files *fake, const char *text, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/* Changes what the file at path holds once it has been read. */
void fake_files_set_next(struct fake_files *fake, const char *path, const char *text);

/* Lets every use of the file, which need not be there, end in this negative errno. */
void fake_files_fail(struct fake_files *fake, const char *path, int err);

/* Removes all files whose paths begin with this. */
void fake_files_remove(struct fake_files *fake, const char *beginning);

/* The same, right after the file at path has been read once. */
void fake_files_remove_after(struct fake_files *fake, const char *path, const char *beginning);

/* What a file holds, or NULL. */
const char *fake_files_text(struct fake_files *fake, const char *path);

#endif
