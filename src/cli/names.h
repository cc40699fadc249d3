/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of features and commands: finds one, and lists those that a misspelled word could mean. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "cli/command.h"

/* The feature, or command of one, of that name; NULL: the table has none. */
const struct command *names_find(const struct command *table, const char *name);

/* The names of a table, "info, enable, disable". As all lists here a new text, empty if there is
 * none; NULL: no memory. */
char *names_list(const struct command *table);

/* The features that have a command of this name. */
char *names_list_owners(const struct command *features, const char *name);

/* The names that a wrong word may mean: those that begin with it, or else the nearest one of table
 * and others (NULL-terminated). */
char *names_list_meant(const struct command *table, const char *const *others, const char *word);

/* The features whose summary has the word, such as "sst-tf", in any case. A word of three letters
 * or fewer is in too many. */
char *names_list_about(const struct command *features, const char *word);

#endif
