/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of /proc/cmdline. A recording keeps the words that set up the machine for latency and
 * throughput. Other words can contain names of hosts, disks and networks. */
#ifndef HOST_BOOT_WORDS_H
#define HOST_BOOT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the first word at or after `at` in a command line. Blanks in quotes do not end a word.
 * NULL: no word is left, or the rest, after "--", is for init. */
const char *boot_words_next(const char *at, size_t *ret_length);

/* Returns true if a word is the parameter `name`, with or without a value. The kernel treats dashes
 * as underscores. */
bool boot_words_is_named(const char *word, size_t length, const char *name);

/* Returns a new text: the words of a command line that a recording keeps, with their values,
 * separated by blanks. NULL: no memory. */
char *boot_words_keep(const char *command_line);

#endif
