/* SPDX-License-Identifier: GPL-2.0-only */
/* Text written to a kernel file, read as the kernel reads it (sysfs.md, "General"). */
#ifndef SIMULATOR_SYSFS_PARSE_H
#define SIMULATOR_SYSFS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* The longest word that sysfs_parse_word() takes, without its end. */
#define SYSFS_WORD_SIZE 32

/* y, t, 1, on / n, f, 0, off in any case; only what decides is looked at. Returns 0 or -EINVAL. */
int sysfs_parse_bool(const char *text, bool *ret_value);

/*
 * Reads a number up to max: an optional +, digits of base (0: by a prefix 0x or 0), an optional
 * newline. Returns 0, -EINVAL for anything else, -ERANGE above max.
 */
int sysfs_parse_unsigned(const char *text, unsigned int base, uint64_t max, uint64_t *ret_value);

/* As sysfs_parse_unsigned, base 0, of a 32-bit number with an optional sign. */
int sysfs_parse_signed(const char *text, int32_t *ret_value);

/* The decimal number at the text's start, after blanks; what follows is ignored. 0 or -EINVAL. */
int sysfs_parse_prefix(const char *text, uint32_t *ret_value);

/*
 * Copies the text's first word, cut after max_length characters (under SYSFS_WORD_SIZE), to
 * ret_word. Returns 0, or -EINVAL where there is none.
 */
int sysfs_parse_word(const char *text, unsigned int max_length, char ret_word[SYSFS_WORD_SIZE]);

/* Is text the word, alone or with one newline? */
bool sysfs_parse_is(const char *text, const char *word);

/* Is name the prefix and a number without needless zeros, as in "cpu12"? */
bool sysfs_parse_numbered(const char *name, const char *prefix, uint32_t *ret_number);

#endif
