// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own readers of written text, with their quirks (sysfs.md, "General"): overflow
 * counts before junk behind the number, one newline is allowed, a truth value is judged by its
 * start.
 */
#include "simulator/sysfs_parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/number.h"

int sysfs_parse_bool(const char *text, bool *ret_value)
{
	int first = tolower((unsigned char)text[0]);
	int second = first == '\0' ? '\0' : tolower((unsigned char)text[1]);

	if (first == 'y' || first == 't' || first == '1' || (first == 'o' && second == 'n'))
		*ret_value = true;
	else if (first == 'n' || first == 'f' || first == '0' || (first == 'o' && second == 'f'))
		*ret_value = false;
	else
		return -EINVAL;
	return 0;
}

static unsigned int digit_value(char character)
{
	if (isdigit((unsigned char)character))
		return (unsigned int)(character - '0');
	if (isxdigit((unsigned char)character))
		return (unsigned int)(tolower((unsigned char)character) - 'a') + 10;
	return UINT32_MAX;
}

/* Settles base 0 and steps over the prefix of a hex number. */
static unsigned int find_base(const char **text, unsigned int base)
{
	bool has_prefix = (*text)[0] == '0' && tolower((unsigned char)(*text)[1]) == 'x' &&
			  digit_value((*text)[2]) < 16;

	if (base == 0)
		base = has_prefix ? 16 : (*text)[0] == '0' ? 8 : 10;
	if (base == 16 && has_prefix)
		*text += 2;
	return base;
}

/* The number after the sign. */
static int parse_magnitude(const char *text, unsigned int base, uint64_t max, uint64_t *ret_value)
{
	bool overflow = false;
	uint64_t value = 0;
	const char *start;

	base = find_base(&text, base);
	for (start = text; digit_value(*text) < base; text++) {
		overflow |= __builtin_mul_overflow(value, base, &value);
		overflow |= __builtin_add_overflow(value, digit_value(*text), &value);
	}
	if (overflow)
		return -ERANGE;
	if (text == start)
		return -EINVAL;
	if (*text == '\n')
		text++;
	if (*text != '\0')
		return -EINVAL;
	if (value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int sysfs_parse_unsigned(const char *text, unsigned int base, uint64_t max, uint64_t *ret_value)
{
	if (*text == '+')
		text++;
	return parse_magnitude(text, base, max, ret_value);
}

int sysfs_parse_signed(const char *text, int32_t *ret_value)
{
	bool negative = *text == '-';
	uint64_t magnitude;
	int err;

	if (*text == '+' || *text == '-')
		text++;
	err = parse_magnitude(text, 0, (uint64_t)INT32_MAX + negative, &magnitude);
	if (err)
		return err;
	*ret_value = (int32_t)(negative ? -(int64_t)magnitude : (int64_t)magnitude);
	return 0;
}

int sysfs_parse_prefix(const char *text, uint32_t *ret_value)
{
	uint32_t value = 0;

	while (isspace((unsigned char)*text))
		text++;
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	for (; isdigit((unsigned char)*text); text++)
		value = value * 10 + digit_value(*text); /* scanf rules: what is too large wraps */
	*ret_value = value;
	return 0;
}

int sysfs_parse_word(const char *text, unsigned int max_length, char ret_word[SYSFS_WORD_SIZE])
{
	size_t length = 0;

	while (isspace((unsigned char)*text))
		text++;
	while (length < max_length && text[length] && !isspace((unsigned char)text[length]))
		length++;
	if (length == 0)
		return -EINVAL;
	memcpy(ret_word, text, length);
	ret_word[length] = '\0';
	return 0;
}

bool sysfs_parse_is(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) == 0 &&
	       (text[length] == '\0' || strcmp(text + length, "\n") == 0);
}

bool sysfs_parse_numbered(const char *name, const char *prefix, uint32_t *ret_number)
{
	size_t length = strlen(prefix);
	uint64_t number;

	if (strncmp(name, prefix, length) != 0 ||
	    number_parse(name + length, 0, UINT32_MAX, &number) < 0)
		return false;
	if (name[length] == '0' && name[length + 1] != '\0')
		return false;
	*ret_number = (uint32_t)number;
	return true;
}
