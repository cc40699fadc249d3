// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a word to an option. A whole name always wins; a prefix is looked for in three rounds, so
 * that one which the kernel tree's tool accepts keeps its meaning whatever options are added.
 * Follows commands.md, "Options before the feature".
 */
#include "cli/resolve.h"

#include <string.h>

/* What to look for: a letter, or a name with its length; the other is 0. */
struct query {
	char letter;
	const char *name;
	size_t length;
};

/* The rounds of a search by prefix, each wider than the one before. */
enum round { ROUND_HISTORIC_NAMES, ROUND_HISTORIC, ROUND_ALL };

static struct query name_query(const char *word)
{
	const char *name = word + (word[1] == '-' ? 2 : 1);

	return (struct query){ .name = name, .length = strcspn(name, "=") };
}

static bool is_name(const char *name, const struct query *query)
{
	return name && query->name && strncmp(name, query->name, query->length) == 0 &&
	       name[query->length] == '\0';
}

static bool is_prefixed(const char *name, const struct query *query)
{
	return name && query->length > 0 && strncmp(name, query->name, query->length) == 0;
}

static bool answers(const struct option *option, const struct query *query)
{
	if (query->letter)
		return option->letter == query->letter;
	return is_name(option->name, query) || is_name(option->alias, query);
}

static const struct option *find_own(const struct option *own, const struct query *query)
{
	for (const struct option *option = option_first(own); option; option = option_next(option))
		if (answers(option, query))
			return option;
	return NULL;
}

static const struct option *find_in_feature(const struct feature *feature,
					    const struct query *query)
{
	for (size_t i = 0; i < feature->n_commands; i++) {
		const struct option *option = feature->commands[i].options;

		for (; option && option->name; option++)
			if (answers(option, query))
				return option;
	}
	return NULL;
}

static const struct option *find_other(const struct resolve_scope *scope, const struct query *query)
{
	const struct option *found = NULL;

	if (scope->first)
		found = find_in_feature(scope->first, query);
	for (size_t i = 0; scope->others && !found && i < scope->others->n_features; i++)
		found = find_in_feature(scope->others->features[i], query);
	return found;
}

static bool fits(const struct option *option, const struct query *query, enum round round)
{
	if (option->hidden || (round != ROUND_ALL && !option->historic))
		return false;
	if (is_prefixed(option->name, query))
		return true;
	return round != ROUND_HISTORIC_NAMES && is_prefixed(option->alias, query);
}

/* Counts the options that fit in the first round that has any; *ret_option is one of them. */
static size_t find_prefixed(const struct option *own, const struct query *query,
			    enum round *ret_round, const struct option **ret_option)
{
	size_t n = 0;

	for (int round = ROUND_HISTORIC_NAMES; round <= ROUND_ALL && n == 0; round++) {
		*ret_round = (enum round)round;
		for (const struct option *option = option_first(own); option;
		     option = option_next(option)) {
			if (!fits(option, query, *ret_round))
				continue;
			*ret_option = option;
			n++;
		}
	}
	return n;
}

static struct resolve_result found_long(const struct option *option, const struct query *query,
					bool other)
{
	return (struct resolve_result){
		.kind = RESOLVE_LONG,
		.option = option,
		.name = is_prefixed(option->name, query) ? option->name : option->alias,
		.other = other,
		.value = query->name[query->length] == '=' ? query->name + query->length + 1 : NULL,
	};
}

bool resolve_is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

const struct option *resolve_letter(const struct resolve_scope *scope, char letter, bool *ret_other)
{
	const struct query query = { .letter = letter };
	const struct option *found = find_own(scope->own, &query);

	*ret_other = !found;
	return found ?: find_other(scope, &query);
}

struct resolve_result resolve_word(const struct resolve_scope *scope, const char *word)
{
	const struct resolve_result letters = { .kind = RESOLVE_LETTERS, .letters = word + 1 };
	const struct query query = name_query(word);
	const struct option *option = NULL;
	enum round round;
	bool other, is_letters;
	size_t n;

	is_letters = word[1] != '-' && resolve_letter(scope, word[1], &other);
	if (is_letters && word[2] == '\0')
		return letters;
	option = find_own(scope->own, &query);
	if (option)
		return found_long(option, &query, false);
	option = find_other(scope, &query);
	if (option)
		return found_long(option, &query, true);
	n = find_prefixed(scope->own, &query, &round, &option);
	if (n == 1)
		return found_long(option, &query, false);
	if (n > 1)
		return (struct resolve_result){ .kind = RESOLVE_AMBIGUOUS };
	return is_letters ? letters : (struct resolve_result){ .kind = RESOLVE_UNKNOWN };
}

void resolve_write_candidates(const struct resolve_scope *scope, const char *word, FILE *to)
{
	const struct query query = name_query(word);
	const struct option *last = NULL;
	const char *separator = "";
	enum round round;

	if (find_prefixed(scope->own, &query, &round, &last) == 0)
		return;
	for (const struct option *option = option_first(scope->own); option;
	     option = option_next(option)) {
		if (!fits(option, &query, round))
			continue;
		fprintf(to, "%s--%s", separator, found_long(option, &query, false).name);
		separator = ", ";
	}
}

/* Whether inserting, dropping or changing up to budget letters makes a of length letters into b. */
static bool is_within(const char *a, size_t length, const char *b, int budget)
{
	while (length > 0 && *a == *b) {
		a++;
		b++;
		length--;
	}
	if (length == 0 && *b == '\0')
		return true;
	if (budget == 0)
		return false;
	budget--;
	return (length > 0 && *b != '\0' && is_within(a + 1, length - 1, b + 1, budget)) ||
	       (length > 0 && is_within(a + 1, length - 1, b, budget)) ||
	       (*b != '\0' && is_within(a, length, b + 1, budget));
}

struct resolve_nearest resolve_nearest_start(const char *word)
{
	const char *start = word + strspn(word, "-");
	size_t length = strcspn(start, "=");

	/* Two changes make any word of three letters into any other of nearly that length. */
	return (struct resolve_nearest){
		.word = start,
		.length = length,
		.budget = length > 3   ? 2
			  : length > 1 ? 1
				       : 0,
	};
}

void resolve_nearest_try(struct resolve_nearest *nearest, const char *name)
{
	/* The beginning of a name is as good as the whole with two slips. */
	if (name && !nearest->name && nearest->length > 3 &&
	    strncmp(nearest->word, name, nearest->length) == 0) {
		nearest->name = name;
		nearest->budget = 1;
	}
	while (name && nearest->budget > 0 &&
	       is_within(nearest->word, nearest->length, name, nearest->budget)) {
		nearest->name = name;
		nearest->budget--;
	}
}

const char *resolve_nearest_option(const struct resolve_scope *scope, const char *word)
{
	struct resolve_nearest nearest = resolve_nearest_start(word);

	for (const struct option *option = option_first(scope->own); option;
	     option = option_next(option)) {
		if (option->hidden)
			continue;
		resolve_nearest_try(&nearest, option->name);
		resolve_nearest_try(&nearest, option->alias);
	}
	return nearest.name;
}

static const struct option *awaited_by_letters(const struct resolve_scope *scope,
					       const char *letters)
{
	for (; *letters != '\0'; letters++) {
		bool other;
		const struct option *option = resolve_letter(scope, *letters, &other);

		if (!option)
			return NULL;
		if (option_takes_value(option))
			return letters[1] == '\0' ? option : NULL;
	}
	return NULL;
}

const struct option *resolve_awaited(const struct resolve_scope *scope, const char *word)
{
	const struct resolve_result found = resolve_word(scope, word);

	if (found.kind == RESOLVE_LETTERS)
		return awaited_by_letters(scope, found.letters);
	if (found.kind == RESOLVE_LONG && !found.value && option_takes_value(found.option))
		return found.option;
	return NULL;
}
