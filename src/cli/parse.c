// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line from left to right, in three places: before the feature, before the command,
 * behind it. At each place some options mean something; the first mistake is kept, and whatever
 * can still be understood behind it is read. No state outlives a call.
 * Follows commands.md, "Options before the feature".
 */
#include "cli/parse.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/resolve.h"
#include "cli/value.h"

#define PRINTF_LIKE_ __attribute__((format(printf, 2, 3)))

struct parser {
	int argc;
	char **argv;
	int next; /* index of the next word */
	bool options_ended; /* "--" was read at this place */
	size_t n_notes;
	int err; /* -ENOMEM once memory ran short: nothing more is read */
	struct parse_result result;
};

/* What options mean at one place of the command line. */
struct place {
	struct resolve_scope scope;
	void *values; /* NULL: options are passed over */
	enum parse_help help;
	const char *name; /* for messages: "core-power config", or NULL */
	const struct place *elsewhere; /* where an option unknown here may belong, or NULL */
	const char *hint; /* and in words where that is */
	bool takes_wanderers; /* options that are marked so may stand here as well */
};

__attribute__((format(printf, 2, 0))) static char *format_list(struct parser *parser,
							       const char *format,
							       va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) >= 0)
		return text;
	parser->err = -ENOMEM;
	return NULL;
}

PRINTF_LIKE_ static char *make_text(struct parser *parser, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = format_list(parser, format, arguments);
	va_end(arguments);
	return text;
}

PRINTF_LIKE_ static void mistake(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	if (parser->result.mistake || parser->result.help != PARSE_HELP_NONE || parser->err)
		return;
	va_start(arguments, format);
	parser->result.mistake = format_list(parser, format, arguments);
	va_end(arguments);
}

PRINTF_LIKE_ static void note(struct parser *parser, const char *format, ...)
{
	char **notes = reallocarray(parser->result.notes, parser->n_notes + 2, sizeof(*notes));
	va_list arguments;

	if (!notes) {
		parser->err = -ENOMEM;
		return;
	}
	parser->result.notes = notes;
	va_start(arguments, format);
	notes[parser->n_notes] = format_list(parser, format, arguments);
	va_end(arguments);
	if (notes[parser->n_notes])
		parser->n_notes++;
	notes[parser->n_notes] = NULL;
}

static char *quote(struct parser *parser, const char *text, size_t length)
{
	char *quoted = value_quote(text, length);

	if (!quoted)
		parser->err = -ENOMEM;
	return quoted;
}

/* The next word, whatever it is, or NULL. */
static const char *take_word(struct parser *parser)
{
	return parser->next < parser->argc ? parser->argv[parser->next++] : NULL;
}

static void store(struct parser *parser, const struct place *place, const struct option *option,
		  const char *shown, const char *text)
{
	_cleanup_free_ char *problem = NULL;
	_cleanup_free_ char *quoted = NULL;
	int err;

	err = value_read(option, text, place->values, &problem);
	if (err == -ENOMEM)
		parser->err = err;
	if (err != -EINVAL)
		return;
	quoted = quote(parser, text, strlen(text));
	if (quoted)
		mistake(parser, "%s %s: %s", shown, quoted, problem);
}

/* An option of another command: no harm, but the user should know, above all about -c. */
static void pass_over(struct parser *parser, const struct place *place, const char *shown)
{
	const struct option *there = NULL;
	bool other;

	if (!place->values)
		return;
	if (shown[1] != '-')
		there = resolve_letter(&place->elsewhere->scope, shown[1], &other);
	if (there)
		note(parser, "%s means nothing to %s (before the feature it is --%s)", shown,
		     place->name, there->name);
	else
		note(parser, "%s means nothing to %s", shown, place->name);
}

/* Acts on one option; value is what stands in the same word, or NULL. */
static void apply(struct parser *parser, const struct place *place, const struct option *option,
		  const char *shown, bool other, const char *value)
{
	const bool is_flag = option->kind == OPTION_KIND_FLAG;

	if (is_flag && value) {
		mistake(parser, "%s takes no value", shown);
		return;
	}
	if (option == &option_help) {
		if (!parser->result.mistake && parser->result.help == PARSE_HELP_NONE)
			parser->result.help = place->help;
		return;
	}
	if (!is_flag && !value)
		value = take_word(parser);
	if (!is_flag && !value)
		mistake(parser, "%s needs a value (%s)", shown, option->value ?: option->name);
	else if (other)
		pass_over(parser, place, shown);
	else if (place->values)
		store(parser, place, option, shown, value);
}

static void read_letters(struct parser *parser, const struct place *place, const char *letters)
{
	for (const char *letter = letters; *letter != '\0' && !parser->err; letter++) {
		const char shown[] = { '-', *letter, '\0' };
		const struct option *option;
		bool other;

		option = resolve_letter(&place->scope, *letter, &other);
		if (!option) {
			_cleanup_free_ char *quoted = quote(parser, letters, strlen(letters));

			if (quoted)
				mistake(parser, "-%s: %s is no option", quoted, shown);
			return;
		}
		if (option->kind != OPTION_KIND_FLAG) {
			apply(parser, place, option, shown, other,
			      letter[1] != '\0' ? letter + 1 : NULL);
			return;
		}
		apply(parser, place, option, shown, other, NULL);
	}
}

static void read_long(struct parser *parser, const struct place *place,
		      const struct resolve_result *found)
{
	_cleanup_free_ char *shown = make_text(parser, "--%s", found->name);

	if (shown)
		apply(parser, place, found->option, shown, found->other, found->value);
}

static void refuse_ambiguous(struct parser *parser, const struct place *place, const char *word)
{
	_cleanup_free_ char *quoted = quote(parser, word, strcspn(word, "="));
	_cleanup_free_ char *candidates = NULL;
	size_t size;
	FILE *to = open_memstream(&candidates, &size);

	if (!to) {
		parser->err = -ENOMEM;
		return;
	}
	resolve_write_candidates(&place->scope, word, to);
	if (fclose(to) != 0)
		parser->err = -ENOMEM;
	if (quoted)
		mistake(parser, "%s: this may be %s", quoted, candidates);
}

static void refuse_unknown(struct parser *parser, const struct place *place, const char *word)
{
	_cleanup_free_ char *quoted = quote(parser, word, strcspn(word, "="));
	const char *nearest = resolve_nearest(&place->scope, word);

	if (!quoted)
		return;
	if (nearest)
		mistake(parser, "%s: unknown option; did you mean --%s?", quoted, nearest);
	else if (place->name)
		mistake(parser, "%s: %s has no such option", quoted, place->name);
	else
		mistake(parser, "%s: unknown option", quoted);
}

static void read_misplaced(struct parser *parser, const struct place *place, const char *word);

/* Is it the letter of an option that may stand here too? It is no prefix of a name then. */
static bool is_wandering_letter(const struct place *place, const char *word)
{
	const struct option *option;
	bool other;

	if (!place->takes_wanderers || word[1] == '-' || word[2] != '\0' ||
	    resolve_letter(&place->scope, word[1], &other))
		return false;
	option = resolve_letter(&place->elsewhere->scope, word[1], &other);
	return option && option->wanders;
}

static void read_option(struct parser *parser, const struct place *place, const char *word)
{
	struct resolve_result found;

	if (is_wandering_letter(place, word))
		place = place->elsewhere;
	found = resolve_word(&place->scope, word);
	switch (found.kind) {
	case RESOLVE_LONG:
		read_long(parser, place, &found);
		break;
	case RESOLVE_LETTERS:
		read_letters(parser, place, found.letters);
		break;
	case RESOLVE_AMBIGUOUS:
		refuse_ambiguous(parser, place, word);
		break;
	case RESOLVE_UNKNOWN:
		read_misplaced(parser, place, word);
		break;
	}
}

/* May what belongs elsewhere stand here all the same? */
static bool is_wanderer(const struct place *place, const char *word,
			const struct resolve_result *found)
{
	const struct option *option = found->option;
	bool other;

	if (found->kind == RESOLVE_LETTERS)
		option = resolve_letter(&place->elsewhere->scope, word[1], &other);
	return place->takes_wanderers && option && option->wanders;
}

/* An option that belongs elsewhere is a mistake, but its value is not taken for the next word. */
static void read_misplaced(struct parser *parser, const struct place *place, const char *word)
{
	const struct place *elsewhere = place->elsewhere;
	_cleanup_free_ char *quoted = NULL;
	struct resolve_result found = { .kind = RESOLVE_UNKNOWN };

	if (elsewhere)
		found = resolve_word(&elsewhere->scope, word);
	if (found.kind != RESOLVE_LONG && found.kind != RESOLVE_LETTERS) {
		refuse_unknown(parser, place, word);
		return;
	}
	quoted = quote(parser, word, strcspn(word, "="));
	if (!quoted)
		return;
	if (!is_wanderer(place, word, &found))
		mistake(parser, "%s belongs %s", quoted, place->hint);
	read_option(parser, elsewhere, word);
}

/* Reads options up to the next word that is none; returns that, or NULL at the end. */
static const char *read_options(struct parser *parser, const struct place *place)
{
	const char *word;

	while (!parser->err && (word = take_word(parser))) {
		if (parser->options_ended || !resolve_is_option(word))
			return word;
		if (strcmp(word, "--") == 0)
			parser->options_ended = true;
		else
			read_option(parser, place, word);
	}
	return NULL;
}

/* Appends a name to a list of names, which may be NULL; takes the list over. */
static char *join(struct parser *parser, char *list, const char *name)
{
	_cleanup_free_ char *before = list;

	return make_text(parser, "%s%s%s", before ?: "", before ? ", " : "", name);
}

static char *join_features(const struct feature_list *list, struct parser *parser)
{
	char *names = NULL;

	for (size_t i = 0; i < list->n_features && !parser->err; i++)
		names = join(parser, names, list->features[i]->name);
	return names;
}

static char *join_commands(const struct feature *feature, struct parser *parser)
{
	char *names = NULL;

	for (size_t i = 0; i < feature->n_commands && !parser->err; i++)
		names = join(parser, names, feature->commands[i].name);
	return names;
}

/* Behind a mistake the feature is looked for further on, since a stray word may be a value. */
static void read_feature(struct parser *parser, const struct feature_list *list,
			 const struct place *place)
{
	const char *word;

	while (!parser->result.feature && (word = read_options(parser, place))) {
		_cleanup_free_ char *quoted = NULL, *names = NULL;

		parser->result.feature = command_find_feature(list, word);
		if (parser->result.feature || parser->result.mistake)
			continue;
		quoted = quote(parser, word, strlen(word));
		names = join_features(list, parser);
		if (quoted && names)
			mistake(parser, "%s: unknown feature; the features are %s", quoted, names);
		return;
	}
}

static void read_command(struct parser *parser)
{
	static const struct resolve_scope help_only = { .own = NULL };
	const struct feature *feature = parser->result.feature;
	_cleanup_free_ char *quoted = NULL, *names = NULL;
	const char *word = take_word(parser);

	if (word && resolve_is_option(word) && strcmp(word, "--") != 0 &&
	    resolve_word(&help_only, word).kind != RESOLVE_UNKNOWN) {
		const struct place place = { .scope = help_only, .help = PARSE_HELP_FEATURE };

		read_option(parser, &place, word);
		return;
	}
	parser->result.command = word ? command_find(feature, word) : NULL;
	if (parser->result.command)
		return;
	quoted = word ? quote(parser, word, strlen(word)) : NULL;
	names = join_commands(feature, parser);
	if (!names || parser->err)
		return;
	if (quoted)
		mistake(parser, "%s: unknown command; %s has %s", quoted, feature->name, names);
	else
		mistake(parser, "%s needs a command: %s", feature->name, names);
}

static void check_required(struct parser *parser, const struct place *place)
{
	const struct option *option = place->scope.own;

	for (; option && option->name; option++) {
		if (!option->required || value_is_given(option, place->values))
			continue;
		if (option->letter)
			mistake(parser, "%s needs -%c %s", place->name, option->letter,
				option->value ?: option->name);
		else
			mistake(parser, "%s needs --%s %s", place->name, option->name,
				option->value ?: option->name);
	}
}

static void read_arguments(struct parser *parser, const struct feature_list *list,
			   const struct place *before)
{
	const struct command *command = parser->result.command;
	bool has_no_past = command->flags & COMMAND_ANY_MACHINE;
	_cleanup_free_ char *name = NULL;
	const char *word;

	name = make_text(parser, "%s %s", parser->result.feature->name, command->name);
	parser->result.arguments = calloc(1, command->arguments_size ?: 1);
	if (!name || !parser->result.arguments) {
		parser->err = -ENOMEM;
		return;
	}

	const struct place place = {
		.scope = { .own = command->options,
			   .others = has_no_past ? NULL : list,
			   .first = has_no_past ? NULL : parser->result.feature },
		.values = parser->result.arguments,
		.help = PARSE_HELP_COMMAND,
		.name = name,
		.elsewhere = before,
		.hint = "before the feature",
		.takes_wanderers = has_no_past,
	};

	parser->options_ended = false;
	while ((word = read_options(parser, &place))) {
		_cleanup_free_ char *quoted = quote(parser, word, strlen(word));

		if (quoted)
			mistake(parser, "%s: no further word was expected", quoted);
	}
	check_required(parser, &place);
}

int parse_command_line(const struct feature_list *list, const struct option *global,
		       void *global_values, int argc, char **argv, struct parse_result *ret_result)
{
	const struct place behind = { .scope = { .others = list } };
	struct place before = {
		.scope = { .own = global },
		.values = global_values,
		.help = PARSE_HELP_TOP,
		.elsewhere = &behind,
		.hint = "behind the command",
	};
	struct parser parser = { .argc = argc, .argv = argv, .next = 1 };

	read_feature(&parser, list, &before);
	if (parser.result.feature && !parser.err)
		read_command(&parser);
	before.elsewhere = NULL; /* from here on it is where others belong */
	if (parser.result.command && !parser.err)
		read_arguments(&parser, list, &before);
	if (parser.err) {
		parse_result_done(&parser.result);
		return parser.err;
	}
	*ret_result = parser.result;
	return 0;
}

void parse_result_done(struct parse_result *result)
{
	for (size_t i = 0; result->notes && result->notes[i]; i++)
		free(result->notes[i]);
	free(result->notes);
	if (result->command && result->arguments)
		parse_free_values(result->command->options, result->arguments);
	free(result->arguments);
	free(result->mistake);
	*result = (struct parse_result){ 0 };
}

void parse_free_values(const struct option *options, void *values)
{
	for (; options && options->name; options++)
		value_done(options, values);
}
