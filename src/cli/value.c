// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader for each kind of value. A value is taken whole or refused: no prefix of a word, no
 * number with something behind it, nothing empty (an unset shell variable must not mean "all").
 * Follows commands.md, "Options before the feature".
 */
#include "cli/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "base/number.h"

#define MOST_QUOTED 200 /* bytes of a value that messages show */

__attribute__((format(printf, 2, 3))) static int refuse(char **ret_problem, const char *format, ...)
{
	char *problem = NULL;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vasprintf(&problem, format, arguments);
	va_end(arguments);
	if (n < 0)
		return -ENOMEM;
	*ret_problem = problem;
	return -EINVAL;
}

static int read_mhz(const struct option *option, const char *text, struct option_number *number,
		    char **ret_problem)
{
	uint64_t mhz;

	if (number_parse_mhz(text, option->min, option->max, &mhz))
		return refuse(ret_problem,
			      "a frequency from %" PRIu64 " to %" PRIu64
			      " MHz was expected, such as 2100, 2100MHz or 2.1GHz",
			      option->min, option->max);
	*number = (struct option_number){ .value = mhz, .given = true };
	return 0;
}

static int read_number(const struct option *option, const char *text, struct option_number *number,
		       char **ret_problem)
{
	uint64_t value;

	if (number_parse(text, option->min, option->max, &value) == 0) {
		*number = (struct option_number){ .value = value, .given = true };
		return 0;
	}
	if (option->max == UINT64_MAX)
		return refuse(ret_problem, "a number of %" PRIu64 " or more was expected",
			      option->min);
	return refuse(ret_problem, "a number from %" PRIu64 " to %" PRIu64 " was expected",
		      option->min, option->max);
}

static int read_hex(const char *text, struct option_number *number, char **ret_problem)
{
	uint64_t value;

	if (number_parse_hex(text, &value) < 0)
		return refuse(ret_problem, "0x and 1 to 16 hex digits were expected");
	*number = (struct option_number){ .value = value, .given = true };
	return 0;
}

/* "text or json was expected", "sse, avx2 or avx512 was expected" */
static int refuse_word(const char *const *words, char **ret_problem)
{
	_cleanup_free_ char *list = NULL;
	size_t size;
	FILE *to = open_memstream(&list, &size);
	bool failed;

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; words[i]; i++)
		fprintf(to, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	failed = ferror(to) != 0;
	if (fclose(to) != 0 || failed)
		return -ENOMEM;
	return refuse(ret_problem, "%s was expected", list);
}

static int read_word(const struct option *option, const char *text, struct option_word *word,
		     char **ret_problem)
{
	for (size_t i = 0; option->words[i]; i++) {
		if (strcmp(option->words[i], text) == 0) {
			*word = (struct option_word){ .index = i, .given = true };
			return 0;
		}
	}
	return refuse_word(option->words, ret_problem);
}

static int read_text(const char *text, const char **ret_text, char **ret_problem)
{
	if (text[0] == '\0')
		return refuse(ret_problem, "it may not be empty");
	*ret_text = text;
	return 0;
}

static int read_cpus(const char *text, struct cpuset *set, char **ret_problem)
{
	struct cpuset read = { 0 };
	const char *problem;
	int err;

	err = cpulist_parse_user(text, &read, &problem);
	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(ret_problem, "%s", problem);
	cpuset_done(set);
	*set = read;
	return 0;
}

int value_read(const struct option *option, const char *text, void *values, char **ret_problem)
{
	void *place = (char *)values + option->offset;

	switch (option->kind) {
	case OPTION_KIND_FLAG:
		*(bool *)place = true;
		return 0;
	case OPTION_KIND_CHOICE:
		*(struct option_word *)place =
			(struct option_word){ .index = option->min, .given = true };
		return 0;
	case OPTION_KIND_NUMBER:
		return read_number(option, text, place, ret_problem);
	case OPTION_KIND_MHZ:
		return read_mhz(option, text, place, ret_problem);
	case OPTION_KIND_HEX:
		return read_hex(text, place, ret_problem);
	case OPTION_KIND_WORD:
		return read_word(option, text, place, ret_problem);
	case OPTION_KIND_TEXT:
		return read_text(text, place, ret_problem);
	case OPTION_KIND_CPUS:
		return read_cpus(text, place, ret_problem);
	}
	__builtin_unreachable();
}

bool value_is_given(const struct option *option, const void *values)
{
	const void *place = (const char *)values + option->offset;

	switch (option->kind) {
	case OPTION_KIND_FLAG:
		return *(const bool *)place;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_MHZ:
	case OPTION_KIND_HEX:
		return ((const struct option_number *)place)->given;
	case OPTION_KIND_WORD:
		return ((const struct option_word *)place)->given;
	case OPTION_KIND_CHOICE:
		return ((const struct option_word *)place)->given &&
		       ((const struct option_word *)place)->index == option->min;
	case OPTION_KIND_TEXT:
		return *(const char *const *)place != NULL;
	case OPTION_KIND_CPUS:
		return !cpuset_is_empty(place);
	}
	__builtin_unreachable();
}

void value_done(const struct option *option, void *values)
{
	if (option->kind == OPTION_KIND_CPUS)
		cpuset_done((void *)((char *)values + option->offset));
}

char *value_quote(const char *text, size_t length)
{
	char *quoted = NULL;
	size_t size;
	FILE *to = open_memstream(&quoted, &size);
	bool failed;

	if (!to)
		return NULL;
	if (length == 0)
		fputs("\"\"", to);
	for (size_t i = 0; i < length && i < MOST_QUOTED; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			putc(text[i], to);
		else
			fprintf(to, "\\x%02x", (unsigned int)(unsigned char)text[i]);
	}
	if (length > MOST_QUOTED)
		fputs("...", to);
	failed = ferror(to) != 0;
	if (fclose(to) != 0 || failed) {
		free(quoted);
		return NULL;
	}
	return quoted;
}
