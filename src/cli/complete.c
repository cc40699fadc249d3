// SPDX-License-Identifier: GPL-2.0-only
/* Shell completion from the tables: the words before the last are read as the parser reads them,
 * which gives the candidates for the last. A candidate always begins with that last word.
 * Follows commands.md, "Options before the feature". */
#include "cli/help.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"

#define FEW_NUMBERS 16 /* a longer list of numbers is of no use */

/* The tables, and the place of the last word. */
struct completion {
	const struct feature_list *list;
	const struct option *global;
	int (*list_platforms)(bool brief, struct host_choices *ret_choices);
	FILE *to;
	const struct feature *feature;
	const struct command *command;
	const struct option *awaiting; /* the last word is the value of this one */
	bool options_ended;
	bool is_lost; /* a word before it is no feature or no command */
};

/* Are the letters of global options that have after_command accepted here? */
static bool takes_letters(const struct completion *at)
{
	return at->command && at->command->flags & COMMAND_ANY_MACHINE;
}

static struct option_scope scope_of(const struct completion *at)
{
	if (!at->feature)
		return (struct option_scope){ .own = at->global };
	if (!at->command)
		return (struct option_scope){ 0 };
	return (struct option_scope){
		.own = at->command->options,
		.others = takes_letters(at) ? NULL : at->list,
		.first = at->feature,
	};
}

static void pass_name(struct completion *at, const char *word)
{
	if (!at->feature) {
		at->feature = command_find_feature(at->list, word);
		at->is_lost = !at->feature;
	} else if (!at->command) {
		at->command = command_find(at->feature, word);
		at->is_lost = !at->command;
		at->options_ended = false;
	}
}

/* The option whose value is the word after this one, or NULL. */
static const struct option *find_awaiting(const struct completion *at, const char *word)
{
	const struct option_scope scope = scope_of(at), global = { .own = at->global };
	const struct option *option;

	if (!at->feature || option_match(&scope, word).kind != OPTION_MATCH_NONE)
		return option_find_awaiting(&scope, word);
	option = option_find_awaiting(&global, word);
	if (option_match(&global, word).kind == OPTION_MATCH_LONG)
		return option;
	return option && option->after_command && takes_letters(at) ? option : NULL;
}

static void pass_words(struct completion *at, int n_words, char **words)
{
	for (int i = 0; i < n_words && !at->is_lost; i++) {
		if (at->awaiting)
			at->awaiting = NULL;
		else if (at->options_ended || !option_is_word(words[i]))
			pass_name(at, words[i]);
		else if (strcmp(words[i], "--") == 0)
			at->options_ended = true;
		else
			at->awaiting = find_awaiting(at, words[i]);
	}
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void write_candidate(const struct completion *at, const char *candidate, const char *about)
{
	fprintf(at->to, "%s%s%s\n", candidate, about ? "\t" : "", about ?: "");
}

/* A value that is being typed: it begins at start, in the same word as what is before it. */
struct typed_value {
	const char *word;
	const char *start;
};

static void write_value(const struct completion *at, struct typed_value typed, const char *value,
			const char *about)
{
	if (!starts_with(value, typed.start))
		return;
	fprintf(at->to, "%.*s", (int)(typed.start - typed.word), typed.word);
	write_candidate(at, value, about);
}

static void write_numbers(const struct completion *at, struct typed_value typed,
			  const struct option *option)
{
	char number[24];

	if (option->max - option->min >= FEW_NUMBERS)
		return;
	for (uint64_t value = option->min; value <= option->max; value++) {
		snprintf(number, sizeof(number), "%" PRIu64, value);
		write_value(at, typed, number, NULL);
	}
}

/* Without a list there is no candidate: a shell shows no message here. */
static void write_platforms(const struct completion *at, struct typed_value typed)
{
	_cleanup_host_choices_ struct host_choices platforms = { 0 };

	if (at->list_platforms)
		at->list_platforms(true, &platforms);
	for (size_t i = 0; i < platforms.count; i++)
		write_value(at, typed, platforms.list[i].name, platforms.list[i].description);
}

static void write_values(const struct completion *at, const struct option *option,
			 struct typed_value typed)
{
	for (const char *const *word = option->words; word && *word; word++)
		write_value(at, typed, *word, NULL);
	if (option->kind == OPTION_KIND_NUMBER)
		write_numbers(at, typed, option);
	if (option->platform_name)
		write_platforms(at, typed);
	if (option->path != OPTION_PATH_NONE)
		write_candidate(at, "", option->path == OPTION_PATH_FILE ? "file" : "directory");
}

/* A letter, several of them, or a letter with its value in the same word. */
static void write_letters(const struct completion *at, const struct option_scope *scope,
			  const char *word)
{
	const struct option *option = NULL;
	bool other;

	for (const char *letter = word + 1; *letter != '\0'; letter++) {
		option = option_find_letter(scope, *letter, &other);
		if (!option)
			return;
		if (option_takes_value(option) && letter[1] != '\0') {
			write_values(at, option, (struct typed_value){ word, letter + 1 });
			return;
		}
	}
	if (option)
		write_candidate(at, word, option->help);
}

static void write_name(const struct completion *at, const char *name, const char *word,
		       const char *about)
{
	if (!name || !starts_with(name, word + strspn(word, "-")))
		return;
	fputs("--", at->to);
	write_candidate(at, name, about);
}

static void write_option(const struct completion *at, const struct option *option, const char *word,
			 bool with_letter)
{
	const char letter[] = { '-', option->letter, '\0' };

	if (option->hidden)
		return;
	if (with_letter && option->letter && strcmp(word, "-") == 0)
		write_candidate(at, letter, option->help);
	write_name(at, option->name, word, option->help);
	write_name(at, option->alias, word, option->help);
}

static void write_names(const struct completion *at, const struct option_scope *scope,
			const char *word)
{
	for (const struct option *option = option_first(scope->own); option;
	     option = option_next(option))
		write_option(at, option, word, true);
	if (!at->feature)
		return;
	/* All global options would hide those of the command: they come with their first letter. */
	for (const struct option *option = at->global; option->name; option++) {
		bool with_letter = option->after_command && takes_letters(at);
		bool is_needed = option->kind == OPTION_KIND_CPUS && at->command &&
				 at->command->flags & COMMAND_NEEDS_CPUS;

		if (with_letter || is_needed || word[strspn(word, "-")] != '\0')
			write_option(at, option, word, with_letter);
	}
}

/* "-" and "--" and "--na" become names; "--name=va" becomes that with a value. */
static void write_options(const struct completion *at, const char *word)
{
	const struct option_scope scope = scope_of(at), global = { .own = at->global };
	struct option_match match = { .kind = OPTION_MATCH_NONE };

	if (option_is_word(word) && strcmp(word, "--") != 0) {
		match = option_match(&scope, word);
		if (at->feature && match.kind == OPTION_MATCH_NONE && strchr(word, '='))
			match = option_match(&global, word);
	}
	if (match.kind == OPTION_MATCH_LONG && match.value)
		write_values(at, match.option, (struct typed_value){ word, match.value });
	else if (match.kind == OPTION_MATCH_LETTERS)
		write_letters(at, &scope, word);
	else if (word[0] != '-' || word[1] == '-' || word[1] == '\0')
		write_names(at, &scope, word);
}

static void write_word(const struct completion *at, const char *word, const char *start,
		       const char *about)
{
	if (starts_with(word, start))
		write_candidate(at, word, about);
}

static void write_features(const struct completion *at, const char *start)
{
	for (size_t i = 0; i < at->list->n_features; i++)
		write_word(at, at->list->features[i]->name, start, at->list->features[i]->title);
	write_word(at, "help", start, "Features and options");
	write_word(at, "version", start, "The version");
}

static void write_commands(const struct completion *at, const char *start)
{
	for (size_t i = 0; i < at->feature->n_commands; i++)
		write_word(at, at->feature->commands[i].name, start,
			   at->feature->commands[i].summary);
}

void help_complete(const struct feature_list *list, const struct option *global,
		   int (*list_platforms)(bool brief, struct host_choices *ret_choices), int n_words,
		   char **words, FILE *to)
{
	struct completion at = {
		.list = list, .global = global, .list_platforms = list_platforms, .to = to
	};
	const char *word = n_words > 0 ? words[n_words - 1] : "";

	pass_words(&at, n_words - 1, words);
	if (at.is_lost)
		return;
	if (at.awaiting)
		write_values(&at, at.awaiting, (struct typed_value){ word, word });
	else if (word[0] == '-' && !at.options_ended)
		write_options(&at, word);
	else if (!at.feature)
		write_features(&at, word);
	else if (!at.command)
		write_commands(&at, word);
	else if (word[0] == '\0' && !at.options_ended)
		write_options(&at, word);
}
