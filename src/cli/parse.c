// SPDX-License-Identifier: GPL-2.0-only
/* Parses the command line from left to right, in three places: before the feature, before the
 * command, after it. Each place accepts some options. The first mistake is kept, and the rest is
 * read as well as possible. Follows commands.md, "Options before the feature". */
#include "cli/parse.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"

struct parser {
	const struct parse_tables *tables;
	int argc;
	char **argv;
	int next; /* index of the next word */
	bool options_ended; /* "--" was read at this place */
	int err; /* -ENOMEM once memory is short: nothing more is read */
	struct parse_result result;
};

/* What options mean at one place of the command line. */
struct place {
	struct option_scope scope;
	void *values; /* NULL: options have no effect */
	enum parse_help help;
	const char *name; /* for messages: "core-power config", or NULL */
	const struct place *elsewhere; /* where an option unknown here may belong, or NULL */
	const char *hint; /* where that is, in words */
	bool takes_long; /* long names of elsewhere are accepted here */
	bool takes_letters; /* and letters of elsewhere that are marked after_command */
};

const struct feature *command_find_feature(const struct feature_list *list, const char *name)
{
	for (size_t i = 0; i < list->n_features; i++) {
		if (strcmp(list->features[i]->name, name) == 0)
			return list->features[i];
	}
	return NULL;
}

const struct command *command_find(const struct feature *feature, const char *name)
{
	for (size_t i = 0; i < feature->n_commands; i++) {
		if (strcmp(feature->commands[i].name, name) == 0)
			return &feature->commands[i];
	}
	return NULL;
}

/* Appends a line and returns it, or NULL if memory is short. */
__attribute__((format(printf, 3, 0))) static const char *append_list(struct parser *parser,
								     struct parse_lines *lines,
								     const char *format,
								     va_list arguments)
{
	char **longer = reallocarray(lines->list, lines->count + 1, sizeof(*longer));

	if (longer)
		lines->list = longer;
	if (!longer || vasprintf(&longer[lines->count], format, arguments) < 0) {
		parser->err = -ENOMEM;
		return NULL;
	}
	return longer[lines->count++];
}

__attribute__((format(printf, 3, 4))) static const char *append(struct parser *parser,
								struct parse_lines *lines,
								const char *format, ...)
{
	va_list arguments;
	const char *line;

	va_start(arguments, format);
	line = append_list(parser, lines, format, arguments);
	va_end(arguments);
	return line;
}

__attribute__((format(printf, 2, 3))) static void mistake(struct parser *parser, const char *format,
							  ...)
{
	va_list arguments;

	if (parser->result.mistake || parser->result.help != PARSE_HELP_NONE || parser->err)
		return;
	va_start(arguments, format);
	parser->result.mistake = append_list(parser, &parser->result.texts, format, arguments);
	va_end(arguments);
}

/* A word for a message; of an option without its value. */
static struct option_quote quote(const char *word)
{
	return option_quote(word, strlen(word));
}

static struct option_quote quote_option(const char *word)
{
	return option_quote(word, strcspn(word, "="));
}

/* The next word, whatever it is, or NULL. */
static const char *take_word(struct parser *parser)
{
	return parser->next < parser->argc ? parser->argv[parser->next++] : NULL;
}

/* An option of another command has no effect here. The user learns that, mainly for -c. */
static void ignore_other(struct parser *parser, const struct place *place, const char *shown)
{
	const struct option *there = NULL;
	struct parse_lines *notes = &parser->result.notes;
	bool other;

	if (!place->values)
		return;
	if (shown[1] != '-')
		there = option_find_letter(&place->elsewhere->scope, shown[1], &other);
	if (there)
		append(parser, notes, "%s means nothing to %s (before the feature it is --%s)",
		       shown, place->name, there->name);
	else
		append(parser, notes, "%s means nothing to %s", shown, place->name);
}

/* Stores a value. word is the whole word of the option. */
static void store(struct parser *parser, const struct place *place, const struct option *option,
		  const char *shown, const char *text, const char *word)
{
	bool is_letter = shown[1] != '-' && word[1] == shown[1] && text == word + 2;
	char problem[OPTION_PROBLEM_SIZE];
	const char *nearest;
	int err = option_read(option, shown, text, place->values, problem);

	if (err == -ENOMEM)
		parser->err = err;
	if (err != -EINVAL)
		return;
	nearest = is_letter ? option_nearest_name(&place->scope, word) : NULL;
	if (nearest)
		mistake(parser, "%s: unknown option; did you mean --%s?", quote_option(word).text,
			nearest);
	else
		mistake(parser, "%s %s: %s", shown, quote(text).text, problem);
}

/* An option as it was found: shown is its name as typed, value what is in the same word or NULL. */
struct found {
	const struct option *option;
	const char *shown;
	const char *value;
	const char *word;
	bool other; /* it is an option of another command */
};

/* Applies one option. */
static void apply(struct parser *parser, const struct place *place, const struct found *found)
{
	const struct option *option = found->option;
	const char *value = found->value, *shown = found->shown;
	bool is_before_option =
		parser->next < parser->argc && option_is_word(parser->argv[parser->next]);

	if (!option_takes_value(option) && value) {
		mistake(parser, "%s takes no value", shown);
		return;
	}
	if (option == &option_help) {
		if (!parser->result.mistake && parser->result.help == PARSE_HELP_NONE)
			parser->result.help = place->help;
		return;
	}
	/* An option without effect does not take an option for its value: that one has an effect.
	 */
	if (option_takes_value(option) && !value && !(found->other && is_before_option))
		value = take_word(parser);
	if (option_takes_value(option) && !value) {
		if (found->other && !parser->tables->strict && place->values)
			append(parser, &parser->result.warnings,
			       "%s means nothing to %s, and has no value: it is ignored", shown,
			       place->name);
		else
			mistake(parser, "%s needs a value (%s)", shown,
				option->value ?: option->name);
	} else if (found->other) {
		ignore_other(parser, place, shown);
	} else if (place->values) {
		store(parser, place, option, shown, value, found->word);
	}
}

static void read_letters(struct parser *parser, const struct place *place, const char *word)
{
	for (const char *letter = word + 1; *letter != '\0' && !parser->err; letter++) {
		struct found found = { .word = word };

		found.option = option_find_letter(&place->scope, *letter, &found.other);
		if (!found.option) {
			mistake(parser, "%s: unknown option -%s", quote(word).text,
				option_quote(letter, 1).text);
			return;
		}
		if (option_takes_value(found.option) && letter[1] != '\0')
			found.value = letter + 1;
		found.shown = append(parser, &parser->result.texts, "-%c", *letter);
		if (found.shown)
			apply(parser, place, &found);
		if (option_takes_value(found.option))
			return;
	}
}

static void read_long(struct parser *parser, const struct place *place, const char *word,
		      const struct option_match *match)
{
	const struct found found = {
		.option = match->option,
		.shown = append(parser, &parser->result.texts, "--%s", match->name),
		.value = match->value,
		.word = word,
		.other = match->other,
	};

	if (found.shown)
		apply(parser, place, &found);
}

static void refuse_unknown(struct parser *parser, const struct place *place, const char *word)
{
	const char *nearest =
		option_nearest_name(&(struct option_scope){ .own = place->scope.own }, word);

	if (!nearest && place->elsewhere)
		nearest = option_nearest_name(&place->elsewhere->scope, word);
	if (nearest)
		mistake(parser, "%s: unknown option; did you mean --%s?", quote_option(word).text,
			nearest);
	else if (place->name)
		mistake(parser, "%s: %s has no such option", quote_option(word).text, place->name);
	else
		mistake(parser, "%s: unknown option", quote_option(word).text);
}

static void read_misplaced(struct parser *parser, const struct place *place, const char *word);

/* Is it the letter of a global option that is accepted here? It is no prefix of a name then. */
static bool is_allowed_letter(const struct place *place, const char *word)
{
	const struct option *option;
	bool other;

	if (!place->takes_letters || word[1] == '-' || word[2] != '\0' ||
	    option_find_letter(&place->scope, word[1], &other))
		return false;
	option = option_find_letter(&place->elsewhere->scope, word[1], &other);
	return option && option->after_command;
}

/* Has the word an effect only as a name of elsewhere? match is what it is at the place. */
static bool is_name_of_elsewhere(const struct place *place, const char *word,
				 const struct option_match *match)
{
	struct option_match there;
	bool other = match->kind == OPTION_MATCH_LONG && match->other;

	if (!place->takes_long || word[2] == '\0')
		return false;
	if (match->kind == OPTION_MATCH_LETTERS)
		option_find_letter(&place->scope, word[1], &other);
	there = option_match(&place->elsewhere->scope, word);
	return other && (there.kind == OPTION_MATCH_LONG || there.kind == OPTION_MATCH_AMBIGUOUS);
}

static void read_option(struct parser *parser, const struct place *place, const char *word)
{
	char candidates[OPTION_PROBLEM_SIZE];
	struct option_match match;

	if (is_allowed_letter(place, word))
		place = place->elsewhere;
	match = option_match(&place->scope, word);
	if (is_name_of_elsewhere(place, word, &match)) {
		place = place->elsewhere;
		match = option_match(&place->scope, word);
	}
	switch (match.kind) {
	case OPTION_MATCH_LONG:
		read_long(parser, place, word, &match);
		break;
	case OPTION_MATCH_LETTERS:
		read_letters(parser, place, word);
		break;
	case OPTION_MATCH_AMBIGUOUS:
		option_format_candidates(&place->scope, word, candidates);
		mistake(parser, "%s: ambiguous; could be %s", quote_option(word).text, candidates);
		break;
	case OPTION_MATCH_NONE:
		read_misplaced(parser, place, word);
		break;
	}
}

/* Is an option of another place of the command line accepted here too? */
static bool is_allowed(const struct place *place, const char *word,
		       const struct option_match *match)
{
	const struct option *option;
	bool other;

	if (match->kind == OPTION_MATCH_LONG)
		return place->takes_long && word[2] != '\0'; /* "-l" could be a letter */
	option = option_find_letter(&place->elsewhere->scope, word[1], &other);
	return place->takes_letters && option && option->after_command;
}

/* An option that belongs elsewhere is read there, so that its value is not taken for a word of its
 * own. */
static void read_misplaced(struct parser *parser, const struct place *place, const char *word)
{
	const struct place *elsewhere = place->elsewhere;
	struct option_match match = { .kind = OPTION_MATCH_NONE };

	if (elsewhere)
		match = option_match(&elsewhere->scope, word);
	if (match.kind == OPTION_MATCH_LONG || match.kind == OPTION_MATCH_LETTERS) {
		if (!is_allowed(place, word, &match))
			mistake(parser, "%s belongs %s", quote_option(word).text, place->hint);
		read_option(parser, elsewhere, word);
	} else if (elsewhere && elsewhere->elsewhere) {
		read_misplaced(parser, elsewhere, word);
	} else {
		refuse_unknown(parser, place, word);
	}
}

/* Reads options up to the next word that is none; returns that, or NULL at the end. */
static const char *read_options(struct parser *parser, const struct place *place)
{
	const char *word;

	while (!parser->err && (word = take_word(parser))) {
		if (parser->options_ended || !option_is_word(word))
			return word;
		if (strcmp(word, "--") == 0)
			parser->options_ended = true;
		else
			read_option(parser, place, word);
	}
	return NULL;
}

static const char *const typographic_dash =
	"it begins with a typographic dash, and options begin with hyphens";

/* En and em dash, which word processors make of two hyphens. */
static bool has_typographic_dash(const char *word)
{
	return strncmp(word, "\xe2\x80\x93", 3) == 0 || strncmp(word, "\xe2\x80\x94", 3) == 0;
}

/* A dry run that is misspelt is not ignored: the command would write. */
static bool asks_for_dry_run(const char *word)
{
	if (has_typographic_dash(word))
		word += 3;
	word += strspn(word, "-");
	return strncmp(word, "dry", 3) == 0;
}

/* The name of a feature or, if feature is not NULL, of one of its commands; NULL after the last. */
static const char *name_at(const struct parser *parser, const struct feature *feature, size_t i)
{
	const struct feature_list *list = parser->tables->list;

	if (feature)
		return i < feature->n_commands ? feature->commands[i].name : NULL;
	return i < list->n_features ? list->features[i]->name : NULL;
}

/* "info, enable, disable" */
static const char *list_names(struct parser *parser, const struct feature *feature)
{
	const char *names = "", *name;

	for (size_t i = 0; names && (name = name_at(parser, feature, i)); i++)
		names = append(parser, &parser->result.texts, "%s%s%s", names, i ? ", " : "", name);
	return names ?: "";
}

/* Refuses a word in place of a feature or, if feature is not NULL, of one of its commands. */
static void refuse_name(struct parser *parser, const struct feature *feature, const char *word)
{
	struct option_nearest nearest = option_nearest_start(word);
	const struct option_quote quoted = quote(word);
	const char *name;

	for (size_t i = 0; (name = name_at(parser, feature, i)); i++)
		option_nearest_try(&nearest, name);
	if (!feature) {
		option_nearest_try(&nearest, "version");
		option_nearest_try(&nearest, "help");
	}
	if (has_typographic_dash(word))
		mistake(parser, "%s: %s", quoted.text, typographic_dash);
	else if (option_is_word(word) && !parser->options_ended)
		mistake(parser, "%s: unknown option", quoted.text);
	else if (nearest.name && feature)
		mistake(parser, "%s: unknown command of %s; did you mean %s?", quoted.text,
			feature->name, nearest.name);
	else if (nearest.name)
		mistake(parser, "%s: unknown feature; did you mean %s?", quoted.text, nearest.name);
	else if (feature)
		mistake(parser, "%s: unknown command; %s has %s", quoted.text, feature->name,
			list_names(parser, feature));
	else
		mistake(parser, "%s: unknown feature; the features are %s", quoted.text,
			list_names(parser, NULL));
}

/* "help", and perhaps a feature and a command, or "all". */
static void read_help_words(struct parser *parser)
{
	struct parse_result *result = &parser->result;
	const char *word = take_word(parser);

	result->help = PARSE_HELP_TOP;
	if (!word)
		return;
	if (strcmp(word, "all") == 0) {
		result->help = PARSE_HELP_ALL;
		return;
	}
	result->help = PARSE_HELP_NONE;
	result->feature = command_find_feature(parser->tables->list, word);
	if (!result->feature) {
		refuse_name(parser, NULL, word);
		return;
	}
	word = take_word(parser);
	result->command = word ? command_find(result->feature, word) : NULL;
	if (word && !result->command)
		refuse_name(parser, result->feature, word);
	else
		result->help = word ? PARSE_HELP_COMMAND : PARSE_HELP_FEATURE;
}

/* Reads a word that is a whole command line of its own in place of a feature. Was it one? */
static bool read_lone_word(struct parser *parser, const struct place *place, const char *word)
{
	if (parser->result.help == PARSE_HELP_TOP && strcmp(word, "all") == 0)
		parser->result.help = PARSE_HELP_ALL;
	else if (strcmp(word, "help") == 0)
		read_help_words(parser);
	else if (strcmp(word, "version") == 0)
		read_option(parser, place, "--version");
	else
		return false;
	return true;
}

/* After a mistake the search for the feature goes on: a word may be the value of an option. */
static void read_feature(struct parser *parser, const struct place *place)
{
	const char *word;

	while (!parser->result.feature && (word = read_options(parser, place))) {
		if (!parser->result.mistake && read_lone_word(parser, place, word))
			continue;
		parser->result.feature = command_find_feature(parser->tables->list, word);
		if (parser->result.feature || parser->result.mistake)
			continue;
		refuse_name(parser, NULL, word);
		return;
	}
}

/* The command, after global options by their long names. */
static void read_command(struct parser *parser, const struct place *before)
{
	const struct place place = {
		.help = PARSE_HELP_FEATURE,
		.elsewhere = before,
		.hint = "before the feature or after the command",
		.takes_long = true,
	};
	const struct feature *feature = parser->result.feature;
	const char *word;

	parser->options_ended = false;
	word = read_options(parser, &place);
	if (parser->err || parser->result.help != PARSE_HELP_NONE)
		return;
	if (!word) {
		mistake(parser, "%s needs a command: %s", feature->name,
			list_names(parser, feature));
		return;
	}
	parser->result.command = command_find(feature, word);
	if (!parser->result.command && strcmp(word, "help") == 0)
		parser->result.help = PARSE_HELP_FEATURE;
	else if (!parser->result.command)
		refuse_name(parser, feature, word);
}

static void check_required(struct parser *parser, const struct place *place)
{
	for (const struct option *option = place->scope.own; option && option->name; option++) {
		if (option->required && !option_is_given(option, place->values))
			mistake(parser, "%s needs --%s %s", place->name, option->name,
				option->value ?: option->name);
	}
}

/* A word after the options of the command: the kernel tree's tool ignores it. */
static void refuse_rest(struct parser *parser, const char *word)
{
	const char *dash = has_typographic_dash(word) ? typographic_dash : NULL;

	if (parser->tables->strict || parser->result.command->flags & COMMAND_ANY_MACHINE ||
	    asks_for_dry_run(word))
		mistake(parser, "%s: %s", quote(word).text, dash ?: "unexpected word");
	else
		append(parser, &parser->result.warnings,
		       "Garbage at the end of command: ignore %s%s%s", quote(word).text,
		       dash ? "; " : "", dash ?: "");
}

static void read_arguments(struct parser *parser, const struct place *before)
{
	struct parse_result *result = &parser->result;
	const struct command *command = result->command;
	bool from_upstream = !(command->flags & COMMAND_ANY_MACHINE);
	const struct place place = {
		.scope = { .own = command->options,
			   .others = from_upstream ? parser->tables->list : NULL,
			   .first = from_upstream ? result->feature : NULL },
		.values = result->arguments = calloc(1, command->arguments_size ?: 1),
		.help = PARSE_HELP_COMMAND,
		.name = append(parser, &result->texts, "%s %s", result->feature->name,
			       command->name),
		.elsewhere = before,
		.hint = "before the feature",
		.takes_long = true,
		.takes_letters = !from_upstream,
	};
	const char *word;

	if (!place.name || !place.values) {
		parser->err = -ENOMEM;
		return;
	}
	parser->options_ended = false;
	while ((word = read_options(parser, &place)))
		refuse_rest(parser, word);
	check_required(parser, &place);
}

int parse_command_line(const struct parse_tables *tables, void *global_values, int argc,
		       char **argv, struct parse_result *ret_result)
{
	struct place after = { .scope = { .others = tables->list } };
	struct place before = {
		.scope = { .own = tables->global },
		.values = global_values,
		.help = PARSE_HELP_TOP,
		.elsewhere = &after,
		.hint = "after the command",
	};
	struct parser parser = { .tables = tables, .argc = argc, .argv = argv, .next = 1 };

	read_feature(&parser, &before);
	after.scope.first = parser.result.feature;
	if (parser.result.feature && parser.result.help == PARSE_HELP_NONE && !parser.err)
		read_command(&parser, &before);
	before.elsewhere = NULL; /* options of commands are accepted from here on */
	if (parser.result.command && parser.result.help == PARSE_HELP_NONE && !parser.err)
		read_arguments(&parser, &before);
	if (parser.err) {
		parse_result_done(&parser.result);
		return parser.err;
	}
	*ret_result = parser.result;
	return 0;
}

static void free_lines(struct parse_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->list[i]);
	free(lines->list);
}

void parse_result_done(struct parse_result *result)
{
	if (result->command && result->arguments)
		parse_free_values(result->command->options, result->arguments);
	free(result->arguments);
	free_lines(&result->notes);
	free_lines(&result->warnings);
	free_lines(&result->texts);
	*result = (struct parse_result){ 0 };
}

void parse_free_values(const struct option *options, void *values)
{
	for (; options && options->name; options++)
		option_done(options, values);
}
