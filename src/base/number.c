// SPDX-License-Identifier: GPL-2.0-only
/* Strict number parsing (commands.md, "Options before the feature": no trailing letters, no
 * sign). */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/units.h"

int number_parse_digits(const char **text, int base, uint64_t *ret_value)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	const char *start = *text;
	uint64_t value;

	*text += strspn(start, digits);
	if (*text == start)
		return -EINVAL;
	errno = 0;
	value = strtoull(start, NULL, base);
	if (errno)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

static bool has_hex_prefix(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* Parses digits of that base, then any number of the characters in `after`, and nothing else. */
static int parse_whole(const char *text, int base, const char *after, uint64_t *ret_value)
{
	uint64_t value;
	int err = number_parse_digits(&text, base, &value);

	if (text[strspn(text, after)] != '\0')
		return -EINVAL;
	if (!err)
		*ret_value = value;
	return err;
}

int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	uint64_t value;
	int err = parse_whole(text, 10, "", &value);

	if (err)
		return err;
	if (value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int number_parse_fraction(const char **text, uint64_t one, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *start = *text + 1;

	if (**text == '.') {
		for (*text = start; isdigit((unsigned char)**text); (*text)++) {
			one /= 10;
			if (one == 0 && **text != '0')
				return -EINVAL;
			value += (uint64_t)(**text - '0') * one;
		}
		if (*text == start)
			return -EINVAL;
	}
	*ret_value = value;
	return 0;
}

static const struct {
	const char *name;
	uint64_t us;
} time_units[] = { { "us", 1 }, { "ms", US_PER_MS }, { "s", US_PER_S } };

int number_parse_time(const char *text, bool has_default, uint64_t min_us, uint64_t max_us,
		      uint64_t *ret_us)
{
	uint64_t whole, fraction, unit = 0;
	const char *point;
	int err = number_parse_digits(&text, 10, &whole);

	if (err)
		return err;
	point = text;
	text += *text == '.' ? 1 + strspn(text + 1, "0123456789") : 0;
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++) {
		if (strcmp(text, time_units[i].name) == 0)
			unit = time_units[i].us;
	}
	if (*text == '\0' && (has_default || (whole == 0 && point == text)))
		unit = US_PER_S;
	if (!unit || number_parse_fraction(&point, unit, &fraction) || point != text)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, fraction, &whole) || whole < min_us || whole > max_us)
		return -ERANGE;
	*ret_us = whole;
	return 0;
}

void number_format_time(uint64_t us, char text[NUMBER_TIME_SIZE])
{
	size_t unit = ARRAY_SIZE(time_units) - 1;

	while (us % time_units[unit].us)
		unit--;
	snprintf(text, NUMBER_TIME_SIZE, "%" PRIu64 "%s", us / time_units[unit].us,
		 us ? time_units[unit].name : "");
}

int number_parse_mhz(const char *text, uint64_t min, uint64_t max, uint64_t *ret_mhz)
{
	uint64_t mhz, thousandths;
	bool has_point;
	int err = number_parse_digits(&text, 10, &mhz);

	if (err)
		return err;
	has_point = *text == '.';
	err = number_parse_fraction(&text, 1000, &thousandths);
	if (err)
		return err;
	if (strcasecmp(text, "GHz") == 0) {
		if (__builtin_mul_overflow(mhz, KHZ_PER_MHZ, &mhz) ||
		    __builtin_add_overflow(mhz, thousandths, &mhz))
			return -ERANGE;
	} else if (has_point || (*text != '\0' && strcasecmp(text, "MHz") != 0)) {
		return -EINVAL;
	}
	if (mhz < min || mhz > max)
		return -ERANGE;
	*ret_mhz = mhz;
	return 0;
}

void number_format_mhz(uint32_t khz, char text[NUMBER_MHZ_SIZE])
{
	size_t length;

	if (khz % KHZ_PER_MHZ == 0) {
		snprintf(text, NUMBER_MHZ_SIZE, "%" PRIu32, khz / KHZ_PER_MHZ);
		return;
	}
	snprintf(text, NUMBER_MHZ_SIZE, "%" PRIu32 ".%03" PRIu32, khz / KHZ_PER_MHZ,
		 khz % KHZ_PER_MHZ);
	for (length = strlen(text); text[length - 1] == '0'; length--)
		text[length - 1] = '\0';
}

int number_parse_hex(const char *text, uint64_t *ret_value)
{
	return has_hex_prefix(text) ? parse_whole(text + 2, 16, "", ret_value) : -EINVAL;
}

int number_parse_file(const char *text, uint64_t *ret_value)
{
	bool is_hex = has_hex_prefix(text);

	return parse_whole(is_hex ? text + 2 : text, is_hex ? 16 : 10, " \t\n\v\f\r", ret_value);
}
