/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of features and commands: finds one, and lists those that a misspelled word could mean. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "cli/command.h"

/* Returns the feature or command of that name; NULL: the table has none. */
const struct command *names_find(const struct command *table, const char *name);

/* Lists the names of a table, "info, enable, disable". Each list here is a new text, which is empty
 * if there is no name; NULL: no memory. */
char *names_list(const struct command *table);

/* Lists the features that have a command of this name. */
char *names_list_owners(const struct command *features, const char *name);

/* Lists the names that a wrong word may mean: names that begin with it, or else the nearest name of
 * table and others (NULL-terminated). */
char *names_list_meant(const struct command *table, const char *const *others, const char *word);

/* Lists the features whose summary has the word, such as "sst-tf", in any case; none for a word of
 * three letters or fewer, which too many summaries have. */
char *names_list_about(const struct command *features, const char *word);

#endif
