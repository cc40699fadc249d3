/* SPDX-License-Identifier: GPL-2.0-only */
/* Output from the tables of features and options for people, shells and programs. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/parse.h"
#include "host/host.h"

/* How to begin, on six lines. program is the name that we were called by. */
void help_write_begin(const char *program, FILE *to);

/* The help that was requested: of the program, a feature or a command. */
void help_write(const char *program, const struct parse_tables *tables,
		const struct parse_result *asked, FILE *to);

/* All features, commands and options as JSON, hidden ones too. Keys are in a fixed order; an empty
 * member of a table has no key, except for the marks of a command. Returns 0 or -ENOMEM, -EIO. */
int help_describe(const struct parse_tables *tables, FILE *to);

/* Shell completion: words are those after the program's name so far, the last one (perhaps empty)
 * the one to complete. Writes a line for each candidate: the candidate and, if it is known, a tab
 * and what it means. A line that begins with a tab has no candidate: a "file" or a "directory" is
 * possible as well. list_platforms (may be NULL) lists the simulated platforms, without
 * descriptions that take time to read if brief; it is called only for an option that takes one. */
void help_complete(const struct parse_tables *tables,
		   int (*list_platforms)(bool brief, struct host_choices *ret_choices), int n_words,
		   char **words, FILE *to);

#endif
