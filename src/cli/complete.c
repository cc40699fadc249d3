// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shell completion out of the tables: the words before the last are walked through as the parser
 * would, which tells what the last one may become. A candidate always starts with that last word.
 * Follows commands.md, "Options before the feature".
 */
#include "cli/complete.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/resolve.h"

#define FEW_NUMBERS 16 /* more than this, and a list of them helps nobody */

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
	int (*list_platforms)(bool brief, struct host_choices *ret_choices);
	FILE *to;
};

/* The value of an option that is being typed. */
struct typed_value {
	const struct option *option;
	const char *before; /* what stands in the same word before the value, length bytes */
	size_t length;
	const char *start; /* of the value */
};

/* Are the letters of global options that have after_command understood here? */
static bool takes_letters(const struct position *position)
{
	return position->command && position->command->flags & COMMAND_ANY_MACHINE;
}

static struct resolve_scope scope_at(const struct candidates *from, const struct position *position)
{
	if (position->command)
		return (struct resolve_scope){ .own = position->command->options,
					       .others =
						       takes_letters(position) ? NULL : from->list,
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

/* The option whose value is the word behind this one, or NULL. */
static const struct option *find_awaited(const struct candidates *from,
					 const struct position *position, const char *word)
{
	const struct resolve_scope scope = scope_at(from, position);
	const struct resolve_scope global = { .own = from->global };
	struct resolve_result found;
	const struct option *option;

	if (!position->feature || resolve_word(&scope, word).kind != RESOLVE_UNKNOWN)
		return resolve_awaited(&scope, word);
	found = resolve_word(&global, word);
	option = resolve_awaited(&global, word);
	if (found.kind == RESOLVE_LONG)
		return option;
	return option && option->after_command && takes_letters(position) ? option : NULL;
}

static struct position walk(const struct candidates *from, int n_words, char **words)
{
	struct position position = { 0 };

	for (int i = 0; i < n_words && !position.lost; i++) {
		if (position.awaiting)
			position.awaiting = NULL;
		else if (position.options_ended || !resolve_is_option(words[i]))
			pass_name(from, &position, words[i]);
		else if (strcmp(words[i], "--") == 0)
			position.options_ended = true;
		else
			position.awaiting = find_awaited(from, &position, words[i]);
	}
	return position;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void write_candidate(const struct candidates *from, const char *candidate, const char *about)
{
	fprintf(from->to, "%s%s%s\n", candidate, about ? "\t" : "", about ?: "");
}

static void write_value(const struct candidates *from, const struct typed_value *typed,
			const char *value, const char *about)
{
	if (!starts_with(value, typed->start))
		return;
	fprintf(from->to, "%.*s", (int)typed->length, typed->before);
	write_candidate(from, value, about);
}

static void write_numbers(const struct candidates *from, const struct typed_value *typed)
{
	const struct option *option = typed->option;
	char number[24];

	if (option->max - option->min >= FEW_NUMBERS)
		return;
	for (uint64_t value = option->min; value <= option->max; value++) {
		snprintf(number, sizeof(number), "%" PRIu64, value);
		write_value(from, typed, number, NULL);
	}
}

/* A line without a candidate tells what else may stand there. */
static void write_path(const struct candidates *from, enum option_path path)
{
	switch (path) {
	case OPTION_PATH_NONE:
		break;
	case OPTION_PATH_FILE:
		write_candidate(from, "", "file");
		break;
	case OPTION_PATH_DIRECTORY:
		write_candidate(from, "", "directory");
		break;
	}
}

/* If they cannot be listed there is no candidate: a shell shows no message here. */
static void write_platforms(const struct candidates *from, const struct typed_value *typed)
{
	_cleanup_host_choices_ struct host_choices platforms = { 0 };

	if (from->list_platforms)
		from->list_platforms(true, &platforms);
	for (size_t i = 0; i < platforms.count; i++)
		write_value(from, typed, platforms.list[i].name, platforms.list[i].description);
}

static void write_values(const struct candidates *from, const struct typed_value *typed)
{
	const struct option *option = typed->option;

	for (const char *const *word = option->words; word && *word; word++)
		write_value(from, typed, *word, NULL);
	if (option->kind == OPTION_KIND_NUMBER)
		write_numbers(from, typed);
	if (option->platform_name)
		write_platforms(from, typed);
	write_path(from, option->path);
}

/* A letter, a bundle of them, or a letter with its value in the same word. */
static void write_letters(const struct candidates *from, const struct resolve_scope *scope,
			  const char *word)
{
	const struct option *option = NULL;
	bool other;

	for (const char *letter = word + 1; *letter != '\0'; letter++) {
		option = resolve_letter(scope, *letter, &other);
		if (!option)
			return;
		if (option_takes_value(option) && letter[1] != '\0') {
			write_values(from, &(struct typed_value){
						   .option = option,
						   .before = word,
						   .length = (size_t)(letter + 1 - word),
						   .start = letter + 1,
					   });
			return;
		}
	}
	if (option)
		write_candidate(from, word, option->help);
}

static void write_name(const struct candidates *from, const char *name, const char *word,
		       const char *about)
{
	if (!name || !starts_with(name, word + strspn(word, "-")))
		return;
	fputs("--", from->to);
	write_candidate(from, name, about);
}

static void write_option(const struct candidates *from, const struct option *option,
			 const char *word, bool with_letter)
{
	const char letter[] = { '-', option->letter, '\0' };

	if (option->hidden)
		return;
	if (with_letter && option->letter && strcmp(word, "-") == 0)
		write_candidate(from, letter, option->help);
	write_name(from, option->name, word, option->help);
	write_name(from, option->alias, word, option->help);
}

static void write_names(const struct candidates *from, const struct position *position,
			const char *word)
{
	const struct resolve_scope scope = scope_at(from, position);

	for (const struct option *option = option_first(scope.own); option;
	     option = option_next(option))
		write_option(from, option, word, true);
	if (!position->feature)
		return;
	/* All global options would hide those of the command: they come with their first letter. */
	for (const struct option *option = from->global; option->name; option++) {
		bool with_letter = option->after_command && takes_letters(position);
		bool is_needed = option->kind == OPTION_KIND_CPUS && position->command &&
				 position->command->flags & COMMAND_NEEDS_CPUS;

		if (with_letter || is_needed || word[strspn(word, "-")] != '\0')
			write_option(from, option, word, with_letter);
	}
}

/* "-" and "--" and "--na" become names; "--name=va" becomes that with a value. */
static void write_options(const struct candidates *from, const struct position *position,
			  const char *word)
{
	const struct resolve_scope scope = scope_at(from, position);
	const struct resolve_scope global = { .own = from->global };
	struct resolve_result found = { .kind = RESOLVE_UNKNOWN };

	if (resolve_is_option(word) && strcmp(word, "--") != 0) {
		found = resolve_word(&scope, word);
		if (position->feature && found.kind == RESOLVE_UNKNOWN && strchr(word, '='))
			found = resolve_word(&global, word);
	}
	if (found.kind == RESOLVE_LONG && found.value)
		write_values(from, &(struct typed_value){ .option = found.option,
							  .before = word,
							  .length = (size_t)(found.value - word),
							  .start = found.value });
	else if (found.kind == RESOLVE_LETTERS)
		write_letters(from, &scope, word);
	else if (word[0] != '-' || word[1] == '-' || word[1] == '\0')
		write_names(from, position, word);
}

static void write_features(const struct candidates *from, const char *word)
{
	static const char *const lone_words[][2] = {
		{ "help", "Features and options" },
		{ "version", "The version" },
	};

	for (size_t i = 0; i < from->list->n_features; i++)
		if (starts_with(from->list->features[i]->name, word))
			write_candidate(from, from->list->features[i]->name,
					from->list->features[i]->title);
	for (size_t i = 0; i < ARRAY_SIZE(lone_words); i++)
		if (starts_with(lone_words[i][0], word))
			write_candidate(from, lone_words[i][0], lone_words[i][1]);
}

static void write_commands(const struct candidates *from, const struct feature *feature,
			   const char *word)
{
	for (size_t i = 0; i < feature->n_commands; i++)
		if (starts_with(feature->commands[i].name, word))
			write_candidate(from, feature->commands[i].name,
					feature->commands[i].summary);
}

void complete_write(const struct feature_list *list, const struct option *global,
		    int (*list_platforms)(bool brief, struct host_choices *ret_choices),
		    int n_words, char **words, FILE *to)
{
	const struct candidates from = {
		.list = list, .global = global, .list_platforms = list_platforms, .to = to
	};
	const struct position position = walk(&from, n_words - 1, words);
	const char *word = n_words > 0 ? words[n_words - 1] : "";

	if (position.lost)
		return;
	if (position.awaiting)
		write_values(&from, &(struct typed_value){ .option = position.awaiting,
							   .before = "",
							   .start = word });
	else if (word[0] == '-' && !position.options_ended)
		write_options(&from, &position, word);
	else if (!position.feature)
		write_features(&from, word);
	else if (!position.command)
		write_commands(&from, position.feature, word);
	else if (word[0] == '\0' && !position.options_ended)
		write_options(&from, &position, word);
}
