/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of /proc/cmdline. A recording keeps those that say how the machine is set up for
 * latency and throughput; the others can hold names of hosts, disks and networks. */
#ifndef HOST_BOOT_WORDS_H
#define HOST_BOOT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The first word at or after a place in a command line; quotes hold blanks together. NULL: there is
 * none, or the rest, after "--", is for init. */
const char *boot_words_next(const char *at, size_t *ret_length);

/* Is a word the parameter of that name, with or without a value? The kernel treats dashes as
 * underscores. */
bool boot_words_is_named(const char *word, size_t length, const char *name);

/* The words of a command line that a recording keeps, with their values, blanks between, as a new
 * text. NULL: no memory. */
char *boot_words_keep(const char *command_line);

#endif
