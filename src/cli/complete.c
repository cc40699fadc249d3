// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shell completion out of the tables: the words before the last are walked through as the parser
 * would, which tells what the last one may become. A candidate always starts with that last word.
 * Follows commands.md, "Options before the feature".
 */
#include "cli/complete.h"

#include <string.h>

#include "cli/resolve.h"

/* Where the last word stands, after the words before it. */
struct position {
	const struct feature *feature;
	const struct command *command;
	const struct option *awaiting; /* the last word is the value of this one */
	bool options_ended;
	bool lost; /* a word before it is no feature or no command */
};

/* What candidates are made of. */
struct candidates {
	const struct feature_list *list;
	const struct option *global;
	const char *const *platform_names;
	FILE *to;
};

static struct resolve_scope scope_at(const struct candidates *from, const struct position *position)
{
	if (position->command)
		return (struct resolve_scope){ .own = position->command->options,
					       .others = position->command->flags &
									 COMMAND_ANY_MACHINE
								 ? NULL
								 : from->list,
					       .first = position->feature };
	if (position->feature)
		return (struct resolve_scope){ .own = NULL };
	return (struct resolve_scope){ .own = from->global };
}

static void pass_name(const struct candidates *from, struct position *position, const char *word)
{
	if (!position->feature) {
		position->feature = command_find_feature(from->list, word);
		position->lost = !position->feature;
	} else if (!position->command) {
		position->command = command_find(position->feature, word);
		position->lost = !position->command;
		position->options_ended = false;
	}
}

static struct position walk(const struct candidates *from, int n_words, char **words)
{
	struct position position = { 0 };

	for (int i = 0; i < n_words && !position.lost; i++) {
		const struct resolve_scope scope = scope_at(from, &position);

		if (position.awaiting)
			position.awaiting = NULL;
		else if (position.options_ended || !resolve_is_option(words[i]))
			pass_name(from, &position, words[i]);
		else if (strcmp(words[i], "--") == 0)
			position.options_ended = true;
		else
			position.awaiting = resolve_awaited(&scope, words[i]);
	}
	return position;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Writes the values that start with start, each behind the first length bytes of before. */
static void write_values(const struct candidates *from, const struct option *option,
			 const char *before, size_t length, const char *start)
{
	const char *const *values = option->platform_name ? from->platform_names : NULL;

	if (option->kind == OPTION_KIND_WORD)
		values = option->words;
	for (; values && *values; values++)
		if (starts_with(*values, start))
			fprintf(from->to, "%.*s%s\n", (int)length, before, *values);
}

static void write_name(const struct candidates *from, const char *name, const char *word)
{
	const char *start = word + strspn(word, "-");

	if (name && starts_with(name, start))
		fprintf(from->to, "--%s\n", name);
}

/* "-" and "--" and "--na" become long names; "--name=va" becomes that with a value. */
static void write_options(const struct candidates *from, const struct resolve_scope *scope,
			  const char *word)
{
	struct resolve_result found = { .kind = RESOLVE_UNKNOWN };

	if (strchr(word, '=') && resolve_is_option(word))
		found = resolve_word(scope, word);
	if (found.kind == RESOLVE_LONG && found.value) {
		write_values(from, found.option, word, (size_t)(found.value - word), found.value);
		return;
	}
	if (word[0] == '-' && word[1] != '-' && word[1] != '\0')
		return;
	for (const struct option *option = option_first(scope->own); option;
	     option = option_next(option)) {
		if (option->hidden)
			continue;
		write_name(from, option->name, word);
		write_name(from, option->alias, word);
	}
}

static void write_features(const struct candidates *from, const char *word)
{
	for (size_t i = 0; i < from->list->n_features; i++)
		if (starts_with(from->list->features[i]->name, word))
			fprintf(from->to, "%s\n", from->list->features[i]->name);
}

static void write_commands(const struct candidates *from, const struct feature *feature,
			   const char *word)
{
	for (size_t i = 0; i < feature->n_commands; i++)
		if (starts_with(feature->commands[i].name, word))
			fprintf(from->to, "%s\n", feature->commands[i].name);
}

void complete_write(const struct feature_list *list, const struct option *global,
		    const char *const *platform_names, int n_words, char **words, FILE *to)
{
	const struct candidates from = {
		.list = list, .global = global, .platform_names = platform_names, .to = to
	};
	const struct position position = walk(&from, n_words - 1, words);
	const struct resolve_scope scope = scope_at(&from, &position);
	const char *word = n_words > 0 ? words[n_words - 1] : "";

	if (position.lost)
		return;
	if (position.awaiting)
		write_values(&from, position.awaiting, "", 0, word);
	else if (word[0] == '-' && !position.options_ended)
		write_options(&from, &scope, word);
	else if (!position.feature)
		write_features(&from, word);
	else if (!position.command)
		write_commands(&from, position.feature, word);
	else if (word[0] == '\0' && !position.options_ended)
		write_options(&from, &scope, word);
}
