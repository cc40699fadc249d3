/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options: from text into the struct of arguments, checked by kind. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "cli/option.h"

/*
 * Reads text (not looked at for a flag, which becomes true) into the option's place in values, over
 * what an earlier use of the option put there. Returns 0; -EINVAL with *ret_problem a new string
 * that says what would have been allowed, values untouched; or -ENOMEM.
 */
int value_read(const struct option *option, const char *text, void *values, char **ret_problem);

/* Whether the option has been read into values. */
bool value_is_given(const struct option *option, const void *values);

/* Frees what value_read() put there for one option and makes it empty. */
void value_done(const struct option *option, void *values);

/*
 * The first length bytes of text for a message of one line: what is not printable ASCII becomes
 * \xNN, an empty text two quotes, and one that is very long ends in "...". Returns a new string, or
 * NULL where memory is short.
 */
char *value_quote(const char *text, size_t length);

#endif
