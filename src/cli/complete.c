// SPDX-License-Identifier: GPL-2.0-only
/* Completes words of a shell from the tables: the parser reads the words before the last one, and
 * its result gives the candidates for the last one. Each candidate begins with the last word.
 * Follows commands.md, "Options before the feature". */
#include "cli/help.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "cli/names.h"
#include "cli/parse.h"

#define FEW_NUMBERS 16 /* a longer list of numbers is of no use */

/* The tables, the result for the words before the last, and the part of the last to complete. */
struct completion {
	const struct parse_tables *tables;
	int (*list_platforms)(bool brief, struct host_choices *ret_choices);
	FILE *to;
	const struct parse_result *before;
	struct option_scope scope; /* of the options */
	const char *start; /* n_start bytes of it are written before each candidate */
	int n_start;
	const char *typed; /* the beginning of each candidate, after start */
};

/* Writes a candidate (NULL: none) if it begins with what was typed. */
static void offer(const struct completion *at, const char *candidate, const char *about)
{
	if (candidate && strncmp(candidate, at->typed, strlen(at->typed)) == 0)
		fprintf(at->to, "%.*s%s%s%s\n", at->n_start, at->start, candidate,
			about ? "\t" : "", about ?: "");
}

/* Returns the part of a list that is completed: its last member, without ! or ^. */
static const char *last_member(const char *list)
{
	const char *comma = strrchr(list, ',');
	const char *member = comma ? comma + 1 : list;

	return member + (*member == '!' || *member == '^');
}

static void offer_figures(const struct completion *at, const struct json_field *const *tables)
{
	_cleanup_free_ char *names = json_list_figures(tables);
	char *rest = names;

	for (const char *name; (name = strsep(&rest, " "));)
		offer(at, name, NULL);
}

/* Offers the names up to the next dot after the typed text, each once. */
static void offer_dotted(const struct completion *at, const char *(*name_of)(size_t index))
{
	const size_t n_typed = strlen(at->typed);
	_cleanup_free_ char *last = NULL;
	const char *name;

	for (size_t i = 0; (name = name_of(i)); i++) {
		const size_t length = strlen(name) <= n_typed
					      ? strlen(name)
					      : n_typed + strcspn(name + n_typed, ".");
		char *part = strndup(name, length);

		if (part && (!last || strcmp(part, last) != 0))
			offer(at, part, NULL);
		free(last);
		last = part;
	}
}

/* Offers the values of an option; typed is the part of the word that is the value. Offers no
 * platforms if they cannot be listed: a shell shows no message here. */
static void offer_values(struct completion *at, const struct option *option, const char *word,
			 const char *typed)
{
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	char number[24];

	if (option->kind == OPTION_KIND_CPUS || option->list)
		typed = last_member(typed);
	at->start = word;
	at->n_start = (int)(typed - word);
	at->typed = typed;
	for (const char *const *value = option->words; value && *value; value++) {
		/* after "node:" only the number is missing */
		if (strcmp(*value, typed) != 0 || !strchr(typed, ':'))
			offer(at, *value, NULL);
	}
	if (option->kind == OPTION_KIND_NUMBER && option->max - option->min < FEW_NUMBERS) {
		for (uint64_t value = option->min; value <= option->max; value++) {
			snprintf(number, sizeof(number), "%" PRIu64, value);
			offer(at, number, NULL);
		}
	}
	if (option->figures)
		offer_figures(at, option->figures);
	if (option->dotted_name)
		offer_dotted(at, option->dotted_name);
	if (option->platform_name && at->list_platforms)
		at->list_platforms(true, &platforms);
	for (size_t i = 0; i < platforms.count; i++)
		offer(at, platforms.list[i].name, platforms.list[i].description);
	if (option->path != OPTION_PATH_NONE)
		fprintf(at->to, "\t%s\n", option->path == OPTION_PATH_FILE ? "file" : "directory");
}

/* Offers a letter, several letters, or a letter with its value in the same word. */
static void offer_letters(struct completion *at, const char *word)
{
	const struct option *option = NULL;

	for (const char *letter = word + 1; *letter != '\0'; letter++) {
		option = option_match_letter(&at->scope, *letter).option;
		if (!option)
			return;
		if (option_takes_value(option) && letter[1] != '\0') {
			offer_values(at, option, word, letter + 1);
			return;
		}
	}
	if (option)
		fprintf(at->to, "%s\t%s\n", word, option->help);
}

static void offer_option(const struct completion *at, const struct option *option, bool with_letter)
{
	if (option->hidden || option->positional)
		return;
	if (with_letter && option->letter)
		fprintf(at->to, "-%c\t%s\n", option->letter, option->help);
	offer(at, option->name, option->help);
}

static void offer_names(struct completion *at, const char *word)
{
	const struct command *command = at->before->command;
	bool is_dash = strcmp(word, "-") == 0;

	at->start = "--";
	at->n_start = 2;
	at->typed = word + strspn(word, "-");
	for (const struct option *option = option_first(at->scope.own); option;
	     option = option_next(option))
		offer_option(at, option, is_dash);
	if (!at->before->feature)
		return;
	/* Global options are offered after a typed letter: all would hide those of the command. */
	for (const struct option *option = at->tables->global; option->name; option++) {
		bool takes_letter = command && command_is_ours(command) && option->after_command;
		bool is_refused = command && command->flags & COMMAND_NOT_OF_CPUS &&
				  option->kind == OPTION_KIND_CPUS;
		bool is_needed = command && command->flags & COMMAND_NEEDS_CPUS &&
				 option->kind == OPTION_KIND_CPUS;

		if (is_refused)
			continue;
		if (takes_letter || is_needed || at->typed[0] != '\0')
			offer_option(at, option, takes_letter && is_dash);
	}
}

/* Offers names for "-", "--" and "--na"; offers names with values for "--name=va". */
static void offer_options(struct completion *at, const char *word)
{
	const struct option_scope global = { .own = at->tables->global };
	struct option_match match = { .kind = OPTION_MATCH_NONE };

	if (option_is_word(word) && strcmp(word, "--") != 0) {
		match = option_match(&at->scope, word);
		if (match.kind == OPTION_MATCH_NONE && strchr(word, '='))
			match = option_match(&global, word);
	}
	if (match.kind == OPTION_MATCH_LONG && match.value)
		offer_values(at, match.option, word, match.value);
	else if (match.kind == OPTION_MATCH_LETTERS)
		offer_letters(at, word);
	else if (word[0] != '-' || word[1] == '-' || word[1] == '\0')
		offer_names(at, word);
}

/* Offers the features, or the commands of the feature that was read. */
static void offer_commands(struct completion *at, const char *word)
{
	const struct command *feature = at->before->feature;

	at->typed = word;
	for (const struct command *table = feature ? feature->commands : at->tables->features;
	     table->name; table++)
		offer(at, table->name, table->summary);
}

/* Returns true if only one feature has the command. Help then finds it by the command's name. */
static bool has_one_owner(const struct command *features, const char *name)
{
	size_t n_owners = 0;

	for (const struct command *feature = features; feature->name; feature++)
		n_owners += names_find(feature->commands, name) != NULL;
	return n_owners == 1;
}

/* After "help", offers the features and, once a word has begun, commands that need no feature. */
static void offer_topics(struct completion *at, const char *word)
{
	offer_commands(at, word);
	if (at->before->feature || word[0] == '\0')
		return;
	for (const struct command *feature = at->tables->features; feature->name; feature++) {
		for (const struct command *command = feature->commands; command->name; command++) {
			if (has_one_owner(at->tables->features, command->name))
				offer(at, command->name, command->summary);
		}
	}
}

/* Returns true if the command needs a word, which is offered before its options. */
static bool needs_word(const struct parse_result *before)
{
	const struct option *option =
		before->command ? parse_next_positional(before->command, before->arguments) : NULL;

	return option && option->required;
}

static void complete(struct completion *at, const char *word)
{
	const struct parse_result *before = at->before;
	bool takes_options = !before->options_ended && (word[0] != '\0' || !needs_word(before));

	if (before->is_help_word && !before->mistake && !before->command)
		offer_topics(at, word);
	if (before->is_lost)
		return;
	if (before->awaiting) {
		offer_values(at, before->awaiting, word, word);
		return;
	}
	if (takes_options && (word[0] == '-' || (before->command && word[0] == '\0'))) {
		offer_options(at, word);
		return;
	}
	if (before->command) {
		const struct option *option =
			parse_next_positional(before->command, before->arguments);

		if (option)
			offer_values(at, option, word, word);
		return;
	}
	offer_commands(at, word);
	if (before->feature)
		return;
	offer(at, "help", "Features and options");
	offer(at, "version", "The version");
}

void help_complete(const struct parse_tables *tables,
		   int (*list_platforms)(bool brief, struct host_choices *ret_choices), int n_words,
		   char **words, FILE *to)
{
	struct parse_result before;
	struct completion at = {
		.tables = tables,
		.list_platforms = list_platforms,
		.to = to,
		.before = &before,
		.start = "",
	};

	if (parse_command_line(tables, NULL, n_words - 1, words, &before))
		return;
	if (!before.feature)
		at.scope.own = tables->global;
	else if (before.command)
		at.scope = parse_command_scope(tables, before.feature, before.command);
	complete(&at, n_words > 0 ? words[n_words - 1] : "");
	parse_result_done(&before);
}
