// SPDX-License-Identifier: GPL-2.0-only
/* Finds the option that a word of the command line means, as getopt_long_only() does, and reads its
 * value. Refuses a prefix of a value's word, a number with trailing characters, and an empty text,
 * since an unset shell variable must not mean "all". Follows commands.md, "Options before the
 * feature". */
#include "cli/option.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/number.h"
#include "cli/command.h"

#define MOST_QUOTED 200 /* bytes of a value that messages show */

const char *const option_switch_words[] = { "on", "off", NULL };

const struct option option_help = {
	.letter = 'h',
	.name = "help",
	.help = "Show this help",
	.kind = OPTION_KIND_FLAG,
	.from_upstream = true,
};

const struct option *option_first(const struct option *table)
{
	return table && table->name ? table : &option_help;
}

const struct option *option_next(const struct option *option)
{
	if (option == &option_help)
		return NULL;
	return option[1].name ? option + 1 : &option_help;
}

/* Appends to a text, and cuts what does not fit. */
__attribute__((format(printf, 2, 3))) static void append(struct option_text *to, const char *format,
							 ...)
{
	size_t length = strlen(to->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(to->text + length, sizeof(to->text) - length, format, arguments);
	va_end(arguments);
}

/* Finds the index of the word. An unknown word gives -EINVAL and the problem: "text or json was
 * expected", "sse, avx2 or avx512 was expected; did you mean avx2?" */
static int read_word(const char *const *words, const char *text, uint64_t *ret_index,
		     struct option_text *problem)
{
	struct nearest nearest = nearest_start(text);

	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*ret_index = i;
			return 0;
		}
		nearest_try(&nearest, words[i]);
		append(problem, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	append(problem, " was expected");
	if (nearest.name)
		append(problem, "; did you mean %s?", nearest.name);
	return -EINVAL;
}

/* Reads a number in thousandths with up to three decimals. Returns 0, -EINVAL or -ERANGE. */
static int read_thousandths(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	uint64_t whole, rest;
	int err = number_parse_digits(&text, 10, &whole);

	if (!err)
		err = number_parse_fraction(&text, 1000, &rest);
	if (err || *text)
		return -EINVAL;
	if (whole > max / 1000 || whole * 1000 + rest < min || whole * 1000 + rest > max)
		return -ERANGE;
	*ret_value = whole * 1000 + rest;
	return 0;
}

static int read_with_decimals(const struct option *option, const char *text,
			      struct option_number *number, struct option_text *problem)
{
	char min[NUMBER_MHZ_SIZE], max[NUMBER_MHZ_SIZE];

	if (option->kind == OPTION_KIND_MHZ &&
	    number_parse_mhz(text, option->min, option->max, &number->value))
		append(problem,
		       "a frequency from %" PRIu64 " to %" PRIu64
		       " MHz was expected, such as 2100, "
		       "2100MHz or 2.1GHz",
		       option->min, option->max);
	if (option->kind == OPTION_KIND_DECIMAL &&
	    read_thousandths(text, option->min, option->max, &number->value)) {
		number_format_mhz((uint32_t)option->min, min);
		number_format_mhz((uint32_t)option->max, max);
		append(problem, "a number from %s to %s %s was expected, with up to three decimals",
		       min, max, option->unit ?: "");
	}
	return *problem->text ? -EINVAL : 0;
}

/* Copies a number without the unit after it, if the option has one. Returns an empty text if it
 * does not fit the buffer: part of a number would be a different number. */
static struct option_text without_unit(const struct option *option, const char *text)
{
	size_t length = strlen(text), unit = option->unit ? strlen(option->unit) : 0;
	bool has_unit = unit && length > unit && strcmp(text + length - unit, option->unit) == 0 &&
			isdigit((unsigned char)text[length - unit - 1]);
	struct option_text number = { .text = "" };

	if (length < sizeof(number.text))
		append(&number, "%.*s", (int)(has_unit ? length - unit : length), text);
	return number;
}

/* Reads a frequency or a number with decimals, or a word that the option accepts in its place. */
static int read_number_or_word(const struct option *option, const char *text,
			       struct option_number *number, struct option_text *problem)
{
	const struct option_text plain = without_unit(option, text);
	struct nearest nearest = nearest_start(plain.text);
	struct option_text expected = { .text = "" };
	const char *const *word = option->words;

	for (; word && *word; word++) {
		if (strcmp(*word, plain.text) == 0) {
			number->word = *word;
			return 0;
		}
		nearest_try(&nearest, *word);
	}
	if (!read_with_decimals(option, plain.text, number, &expected))
		return 0;
	for (word = option->words; word && *word; word++)
		append(problem, "%s%s", *word, word[1] ? ", " : " or ");
	append(problem, "%s", expected.text);
	if (nearest.name)
		append(problem, "; did you mean %s?", nearest.name);
	return -EINVAL;
}

static int read_time(const struct option *option, const char *text, uint64_t *ret_value,
		     struct option_text *problem)
{
	uint64_t min_us = option->min * option->unit_us, max_us = option->max * option->unit_us, us;
	char min[NUMBER_TIME_SIZE], max[NUMBER_TIME_SIZE];

	if (!number_parse_time(text, option->unit_us > 1, min_us, max_us, &us) &&
	    us % option->unit_us == 0) {
		*ret_value = us / option->unit_us;
		return 0;
	}
	number_format_time(min_us, min);
	number_format_time(max_us, max);
	append(problem, "a time from %s to %s was expected, %s", min, max,
	       option->unit_us == 1 ? "with its unit, such as 250us, 1ms or 1s"
				    : "in whole seconds, such as 10 or 10s");
	return -EINVAL;
}

static int read_number(const struct option *option, const char *text, uint64_t *ret_value,
		       struct option_text *problem)
{
	const struct option_text plain = without_unit(option, text);
	uint64_t min = option->min, max = option->max;
	bool is_hex = option->kind == OPTION_KIND_HEX;
	int err = is_hex ? number_parse_hex(plain.text, ret_value)
			 : number_parse(plain.text, min, max, ret_value);

	if (!err)
		return 0;
	if (is_hex)
		append(problem, "0x and 1 to 16 hex digits were expected");
	else if (max == UINT64_MAX)
		append(problem, "a number of %" PRIu64 " or more was expected", min);
	else
		append(problem, "a number from %" PRIu64 " to %" PRIu64 " was expected", min, max);
	return -EINVAL;
}

/* Reads a list of CPUs. If the list has named sets, a problem names the wrong member. */
static int read_cpus(const char *text, struct cpu_names *ret_names, struct option_text *problem)
{
	struct cpu_names_problem found;
	int err = cpu_names_parse(text, ret_names, &found);

	if (!err || err == -ENOMEM)
		return err;
	if (found.member > 0)
		append(problem, "member %zu, %s: ", found.member,
		       option_quote(found.at, found.length).text);
	append(problem, "%s", found.expected);
	if (found.is_unknown) {
		struct option_text wrong = { .text = "" };
		struct nearest nearest;

		append(&wrong, "%.*s", (int)strcspn(found.at, ",:"), found.at);
		nearest = nearest_start(wrong.text);
		for (size_t i = 0; cpu_names_words[i]; i++)
			nearest_try(&nearest, cpu_names_words[i]);
		if (nearest.name)
			append(problem, "; did you mean %s?", nearest.name);
	}
	return -EINVAL;
}

static int add_text(const char *text, struct option_texts *texts, struct option_text *problem)
{
	const char **place;

	if (text[0] == '\0') {
		append(problem, "it may not be empty");
		return -EINVAL;
	}
	place = array_add(&texts->list, &texts->count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = text;
	return 0;
}

int option_read(const struct option *option, const char *name, const char *text, void *values,
		struct option_text *problem)
{
	void *member = (char *)values + option->offset;
	struct option_number number = { .value = option->min, .given = true, .name = name };
	struct option_cpus cpus = { .name = name };
	int err = 0;

	problem->text[0] = '\0';
	switch (option->kind) {
	case OPTION_KIND_FLAG:
		*(bool *)member = true;
		return 0;
	case OPTION_KIND_CHOICE:
		break;
	case OPTION_KIND_WORD:
		err = read_word(option->words, text, &number.value, problem);
		break;
	case OPTION_KIND_MHZ:
	case OPTION_KIND_DECIMAL:
		err = read_number_or_word(option, text, &number, problem);
		break;
	case OPTION_KIND_TIME:
		err = read_time(option, text, &number.value, problem);
		break;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_HEX:
		err = read_number(option, text, &number.value, problem);
		break;
	case OPTION_KIND_TEXT:
		if (text[0] == '\0') {
			append(problem, "it may not be empty");
			return -EINVAL;
		}
		*(const char **)member = text;
		return 0;
	case OPTION_KIND_TEXTS:
		return add_text(text, member, problem);
	case OPTION_KIND_REST: /* the parser reads it */
		return -EINVAL;
	case OPTION_KIND_CPUS:
		err = read_cpus(text, &cpus.names, problem);
		if (err)
			return err;
		option_done(option, values);
		*(struct option_cpus *)member = cpus;
		return 0;
	}
	if (!err)
		*(struct option_number *)member = number;
	return err;
}

bool option_is_given(const struct option *option, const void *values)
{
	const void *member = (const char *)values + option->offset;
	const struct option_number *number = member;

	if (option->kind == OPTION_KIND_FLAG)
		return *(const bool *)member;
	if (option->kind == OPTION_KIND_TEXT)
		return *(const char *const *)member != NULL;
	if (option->kind == OPTION_KIND_CPUS)
		return option_cpus_is_given(member);
	if (option->kind == OPTION_KIND_TEXTS)
		return ((const struct option_texts *)member)->count > 0;
	if (option->kind == OPTION_KIND_REST)
		return ((const struct option_rest *)member)->words != NULL;
	return number->given &&
	       (option->kind != OPTION_KIND_CHOICE || number->value == option->min);
}

bool option_has_other(const struct option *option, const char *text, const void *values)
{
	const struct option_number *given = (const void *)((const char *)values + option->offset);
	struct option at_start = *option;
	struct option_text problem;
	struct option_number number;

	if (!option_is_given(option, values))
		return false;
	switch (option->kind) {
	case OPTION_KIND_TEXT:
		return strcmp(*(const char *const *)(const void *)given, text) != 0;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_MHZ:
	case OPTION_KIND_DECIMAL:
	case OPTION_KIND_TIME:
	case OPTION_KIND_HEX:
	case OPTION_KIND_WORD:
		at_start.offset = 0;
		return !option_read(&at_start, NULL, text, &number, &problem) &&
		       (number.value != given->value || number.word != given->word);
	default:
		return false;
	}
}

void option_done(const struct option *option, void *values)
{
	void *member = (char *)values + option->offset;

	if (option->kind == OPTION_KIND_CPUS)
		cpu_names_done(&((struct option_cpus *)member)->names);
	if (option->kind == OPTION_KIND_TEXTS)
		free(((struct option_texts *)member)->list);
	if (option->kind == OPTION_KIND_TEXTS)
		*(struct option_texts *)member = (struct option_texts){ 0 };
}

struct option_text option_quote(const char *text, size_t length)
{
	struct option_text quote = { .text = "" };

	if (length == 0)
		append(&quote, "\"\"");
	for (size_t i = 0; i < length && i < MOST_QUOTED; i++)
		append(&quote, text[i] >= ' ' && text[i] <= '~' ? "%c" : "\\x%02x",
		       (unsigned char)text[i]);
	if (length > MOST_QUOTED)
		append(&quote, "...");
	return quote;
}

/* The name to search for: a letter, or a name with its length. The unused member is 0. */
struct query {
	char letter;
	bool is_strict;
	const char *name;
	size_t length;
};

static bool has_prefix(const char *name, const struct query *query)
{
	return query->length > 0 && strncmp(name, query->name, query->length) == 0;
}

static bool is_match(const struct option *option, const struct query *query)
{
	if (option->positional)
		return false;
	if (query->letter)
		return option->letter == query->letter &&
		       !(query->is_strict && option->upstream_letter);
	return has_prefix(option->name, query) && !option->name[query->length];
}

static const struct option *find_in_feature(const struct command *feature,
					    const struct query *query)
{
	for (const struct command *command = feature->commands; command->name; command++) {
		const struct option *option = command->options;

		for (; option && option->name; option++) {
			if (is_match(option, query))
				return option;
		}
	}
	return NULL;
}

/* Finds the option of that name or letter, own ones first. *ret_other: it is not an own one. */
static const struct option *find(const struct option_scope *scope, const struct query *query,
				 bool *ret_other)
{
	const struct option *option;

	*ret_other = false;
	for (option = option_first(scope->own); option; option = option_next(option)) {
		if (is_match(option, query))
			return option;
	}
	*ret_other = true;
	option = scope->first ? find_in_feature(scope->first, query) : NULL;
	for (const struct command *feature = scope->others; feature && feature->name && !option;
	     feature++)
		option = find_in_feature(feature, query);
	return option;
}

/* Lists the own options that begin with the query, returns their number, and sets *ret_option to
 * the last one. If options of the kernel tree's tool match, only these count: a prefix that the
 * tool accepts keeps its meaning when options are added. */
static size_t find_prefixed(const struct option_scope *scope, const struct query *query,
			    const struct option **ret_option, struct option_text *candidates)
{
	size_t n = 0;

	candidates->text[0] = '\0';
	for (int all = 0; all <= 1 && n == 0; all++) {
		for (const struct option *option = option_first(scope->own); option;
		     option = option_next(option)) {
			if (option->hidden || option->positional ||
			    !(all || option->from_upstream) || !has_prefix(option->name, query))
				continue;
			append(candidates, "%s--%s", n ? ", " : "", option->name);
			*ret_option = option;
			n++;
		}
	}
	return n;
}

bool option_is_word(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

struct option_match option_match_letter(const struct option_scope *scope, char letter)
{
	struct option_match match = { .kind = OPTION_MATCH_LETTERS };

	match.option = find(scope, &(struct query){ .letter = letter, .is_strict = scope->strict },
			    &match.other);
	return match.option ? match : (struct option_match){ .kind = OPTION_MATCH_NONE };
}

struct option_match option_match(const struct option_scope *scope, const char *word)
{
	const char *name = word + (word[1] == '-' ? 2 : 1);
	const struct query query = { .name = name, .length = strcspn(name, "=") };
	struct option_match match = { .kind = OPTION_MATCH_LONG },
			    letter = { .kind = OPTION_MATCH_NONE };
	size_t n;

	if (word[1] != '-')
		letter = option_match_letter(scope, word[1]);
	if (letter.option && word[2] == '\0')
		return letter;
	match.option = find(scope, &query, &match.other);
	if (!match.option) {
		match.other = false;
		match.is_prefix = true;
		n = find_prefixed(scope, &query, &match.option, &match.candidates);
		if (n > 1)
			match.kind = OPTION_MATCH_AMBIGUOUS;
		else if (n == 0)
			return letter;
	}
	if (name[query.length] == '=')
		match.value = name + query.length + 1;
	return match;
}

struct option_text option_suggest(const char *words, const char *wrong)
{
	_cleanup_free_ char *copy = words ? strdup(words) : NULL;
	const char *nearest = copy ? nearest_of_words(copy, wrong) : NULL;
	struct option_text hint = { .text = "" };

	if (nearest)
		append(&hint, "; did you mean %s?", nearest);
	return hint;
}

struct option_text option_suggest_of(const char *const *words, const char *wrong)
{
	_cleanup_buffer_ struct buffer list = { 0 };

	for (; *words; words++) {
		buffer_append_string(&list, *words);
		buffer_append_char(&list, ',');
	}
	return option_suggest(buffer_text(&list), wrong);
}

static void try_table(struct nearest *nearest, const struct option *table)
{
	for (; table && table->name; table++) {
		if (!table->hidden && !table->positional)
			nearest_try(nearest, table->name);
	}
}

char *option_list_names(const struct option *table)
{
	_cleanup_buffer_ struct buffer names = { 0 };

	for (; table && table->name; table++) {
		if (table->hidden || table->positional)
			continue;
		buffer_append_string(&names, names.length ? ", --" : "--");
		buffer_append_string(&names, table->name);
	}
	return names.length ? buffer_steal(&names, NULL) : strdup("");
}

const char *option_nearest_name(const struct option_scope *scope, const char *word)
{
	struct nearest nearest = nearest_start(word);

	nearest_try(&nearest, option_help.name);
	try_table(&nearest, scope->own);
	for (const struct command *feature = scope->others; feature && feature->name; feature++) {
		const struct command *command = feature->commands;

		for (; (!scope->first || scope->first == feature) && command->name; command++)
			try_table(&nearest, command->options);
	}
	return nearest.name;
}
