/* SPDX-License-Identifier: GPL-2.0-only */
/* Strict parsing of numbers: the complete text must be a number. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads digits of base 10 or 16, and moves *text past them. Returns 0, -EINVAL if there are none,
 * -ERANGE above 64 bits. */
int number_parse_digits(const char **text, int base, uint64_t *ret_value);

/* Reads a decimal number: digits only, no sign, no blanks.
 * Returns 0, -EINVAL for anything else, -ERANGE outside min to max (or of 64 bits). */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value);

/* Reads a decimal point and digits as a fraction of one (a power of ten), and moves *text past
 * them. Without a point, the value is 0. Returns 0; -EINVAL if no digit follows the point, or if a
 * digit is worth less than 1. */
int number_parse_fraction(const char **text, uint64_t one, uint64_t *ret_value);

/* Reads a time into us: "250us", "1ms", "1.5s"; it must be a whole number of us. A number without a
 * unit is seconds if has_default, else it must be 0. Returns 0, -EINVAL for anything else, -ERANGE
 * outside min to max (in us). */
int number_parse_time(const char *text, bool has_default, uint64_t min_us, uint64_t max_us,
		      uint64_t *ret_us);

/* Formats a time for a message: "50us", "1ms", "10s". */
#define NUMBER_TIME_SIZE 24
void number_format_time(uint64_t us, char text[NUMBER_TIME_SIZE]);

/* Reads a frequency into MHz: "2100", "2100MHz", "2.1GHz", the unit in any case; it must be a whole
 * number of MHz. Returns 0, -EINVAL for anything else, -ERANGE outside min to max (in MHz). */
int number_parse_mhz(const char *text, uint64_t min, uint64_t max, uint64_t *ret_mhz);

/* Returns -1, 0 or 1, for a comparison function of qsort(). */
static inline int number_compare(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

#define NUMBER_MHZ_SIZE 16

/* Formats a frequency in MHz: "2600", "2794.75". */
void number_format_mhz(uint32_t khz, char text[NUMBER_MHZ_SIZE]);

/* Reads "0x" or "0X" and hex digits, with any number of leading zeros. Returns 0, -EINVAL for
 * anything else (the prefix is required), -ERANGE above 64 bits. */
int number_parse_hex(const char *text, uint64_t *ret_value);

/* Reads the decimal or, with 0x, hex number of a kernel file. Only blanks and newlines may follow
 * it. Returns 0, -EINVAL or -ERANGE. */
int number_parse_file(const char *text, uint64_t *ret_value);

#endif
