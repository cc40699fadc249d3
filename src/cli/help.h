/* SPDX-License-Identifier: GPL-2.0-only */
/* Output from the tables of features and options for people, shells and programs. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/parse.h"
#include "host/host.h"

/* Writes how to begin, on eight lines. program is the name under which this program was called. */
void help_write_begin(const char *program, FILE *to);

/* Writes the help that was requested: for the program, a feature or a command. */
void help_write(const char *program, const struct parse_tables *tables,
		const struct parse_result *asked, FILE *to);

/* Writes all features, commands and options as JSON, hidden ones too. Keys are in a fixed order. An
 * empty member of a table has no key, except for the marks of a command. Returns 0 or -ENOMEM,
 * -EIO. */
int help_describe(const struct parse_tables *tables, FILE *to);

/* Completes a word of a shell. words are those after the program's name; the last one, which may be
 * empty, is completed. Writes a line for each candidate: the candidate and, if it is known, a tab
 * and its meaning. A line that begins with a tab has no candidate: a "file" or a "directory" is
 * possible as well. list_platforms (may be NULL) lists the simulated platforms, if brief without
 * descriptions that take time to read. It is called only for an option that takes a platform. */
void help_complete(const struct parse_tables *tables,
		   int (*list_platforms)(bool brief, struct host_choices *ret_choices), int n_words,
		   char **words, FILE *to);

#endif
