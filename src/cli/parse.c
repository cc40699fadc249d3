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
	const struct parse_tables *tables;
	int argc;
	char **argv;
	int next; /* index of the next word */
	bool options_ended; /* "--" was read at this place */
	size_t n_notes;
	size_t n_warnings;
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
	bool takes_long; /* options of elsewhere are understood here by their long names */
	bool takes_letters; /* and by their letters, if they are marked so */
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

/* Appends a line to a NULL-terminated list. */
__attribute__((format(printf, 4, 0))) static void append(struct parser *parser, char ***list,
							 size_t *count, const char *format,
							 va_list arguments)
{
	char **longer = reallocarray(*list, *count + 2, sizeof(*longer));

	if (!longer) {
		parser->err = -ENOMEM;
		return;
	}
	*list = longer;
	longer[*count] = format_list(parser, format, arguments);
	if (longer[*count])
		(*count)++;
	longer[*count] = NULL;
}

PRINTF_LIKE_ static void note(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	append(parser, &parser->result.notes, &parser->n_notes, format, arguments);
	va_end(arguments);
}

PRINTF_LIKE_ static void warn(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	append(parser, &parser->result.warnings, &parser->n_warnings, format, arguments);
	va_end(arguments);
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

/* An option of another command has no effect here; the user learns so, above all about -c. */
static void ignore_other(struct parser *parser, const struct place *place, const char *shown)
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

/* Does an option follow? */
static bool is_option_next(const struct parser *parser)
{
	return parser->next < parser->argc && resolve_is_option(parser->argv[parser->next]);
}

/* Acts on one option; value is what stands in the same word, or NULL. */
static void apply(struct parser *parser, const struct place *place, const struct option *option,
		  const char *shown, bool other, const char *value)
{
	const bool is_flag = !option_takes_value(option);

	if (is_flag && value) {
		mistake(parser, "%s takes no value", shown);
		return;
	}
	if (option == &option_help) {
		if (!parser->result.mistake && parser->result.help == PARSE_HELP_NONE)
			parser->result.help = place->help;
		return;
	}
	/* An option without effect here takes no option for its value: that one has an effect. */
	if (!is_flag && !value && !(other && is_option_next(parser)))
		value = take_word(parser);
	if (!is_flag && !value && other && !parser->tables->strict && place->values)
		warn(parser, "%s means nothing to %s, and has no value: it is ignored", shown,
		     place->name);
	else if (!is_flag && !value)
		mistake(parser, "%s needs a value (%s)", shown, option->value ?: option->name);
	else if (other)
		ignore_other(parser, place, shown);
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
		if (option_takes_value(option)) {
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
	const char *nearest = resolve_nearest_option(&place->scope, word);

	if (!nearest && place->takes_long)
		nearest = resolve_nearest_option(&place->elsewhere->scope, word);
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

/* Is it the letter of a global option that is allowed here? It is no prefix of a name then. */
static bool is_allowed_letter(const struct place *place, const char *word)
{
	const struct option *option;
	bool other;

	if (!place->takes_letters || word[1] == '-' || word[2] != '\0' ||
	    resolve_letter(&place->scope, word[1], &other))
		return false;
	option = resolve_letter(&place->elsewhere->scope, word[1], &other);
	return option && option->after_command;
}

/* Would the word have an effect only as a name of elsewhere? found is what it is at the place. */
static bool is_name_of_elsewhere(const struct place *place, const char *word,
				 const struct resolve_result *found)
{
	struct resolve_result there;
	bool other;

	if (!place->takes_long || word[2] == '\0')
		return false;
	if (found->kind == RESOLVE_LETTERS)
		resolve_letter(&place->scope, word[1], &other);
	else
		other = found->kind == RESOLVE_LONG && found->other;
	there = resolve_word(&place->elsewhere->scope, word);
	return other && (there.kind == RESOLVE_LONG || there.kind == RESOLVE_AMBIGUOUS);
}

static void read_option(struct parser *parser, const struct place *place, const char *word)
{
	struct resolve_result found;

	if (is_allowed_letter(place, word))
		place = place->elsewhere;
	found = resolve_word(&place->scope, word);
	if (is_name_of_elsewhere(place, word, &found)) {
		place = place->elsewhere;
		found = resolve_word(&place->scope, word);
	}
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

/* Is an option of another place of the command line understood here too? */
static bool is_allowed(const struct place *place, const char *word,
		       const struct resolve_result *found)
{
	const struct option *option;
	bool other;

	if (found->kind == RESOLVE_LONG && word[2] != '\0')
		return place->takes_long;
	if (found->kind == RESOLVE_LONG)
		return false; /* "-l" could be a short option of another place, too */
	option = resolve_letter(&place->elsewhere->scope, word[1], &other);
	return place->takes_letters && option && option->after_command;
}

/* An option that belongs elsewhere may be a mistake; its value is not taken for the next word. */
static void read_misplaced(struct parser *parser, const struct place *place, const char *word)
{
	const struct place *elsewhere = place->elsewhere;
	_cleanup_free_ char *quoted = NULL;
	struct resolve_result found = { .kind = RESOLVE_UNKNOWN };

	if (elsewhere)
		found = resolve_word(&elsewhere->scope, word);
	if (found.kind != RESOLVE_LONG && found.kind != RESOLVE_LETTERS) {
		if (elsewhere && elsewhere->elsewhere)
			read_misplaced(parser, elsewhere, word);
		else
			refuse_unknown(parser, place, word);
		return;
	}
	quoted = quote(parser, word, strcspn(word, "="));
	if (!quoted)
		return;
	if (!is_allowed(place, word, &found))
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

static const char *nearest_feature(const struct feature_list *list, const char *word)
{
	struct resolve_nearest nearest = resolve_nearest_start(word);

	for (size_t i = 0; i < list->n_features; i++)
		resolve_nearest_try(&nearest, list->features[i]->name);
	resolve_nearest_try(&nearest, "version");
	resolve_nearest_try(&nearest, "help");
	return nearest.name;
}

static const char *nearest_command(const struct feature *feature, const char *word)
{
	struct resolve_nearest nearest = resolve_nearest_start(word);

	for (size_t i = 0; i < feature->n_commands; i++)
		resolve_nearest_try(&nearest, feature->commands[i].name);
	return nearest.name;
}

static void refuse_feature(struct parser *parser, const char *word)
{
	const char *nearest = nearest_feature(parser->tables->list, word);
	_cleanup_free_ char *quoted = quote(parser, word, strlen(word));
	_cleanup_free_ char *names = join_features(parser->tables->list, parser);

	if (!quoted || !names)
		return;
	if (has_typographic_dash(word))
		mistake(parser, "%s: %s", quoted, typographic_dash);
	else if (nearest)
		mistake(parser, "%s: unknown feature; did you mean %s?", quoted, nearest);
	else
		mistake(parser, "%s: unknown feature; the features are %s", quoted, names);
}

static void refuse_command(struct parser *parser, const char *word)
{
	const struct feature *feature = parser->result.feature;
	const char *nearest = nearest_command(feature, word);
	_cleanup_free_ char *quoted = quote(parser, word, strlen(word));
	_cleanup_free_ char *names = join_commands(feature, parser);

	if (!quoted || !names)
		return;
	if (nearest)
		mistake(parser, "%s: unknown command of %s; did you mean %s?", quoted,
			feature->name, nearest);
	else
		mistake(parser, "%s: unknown command; %s has %s", quoted, feature->name, names);
}

/* "help", and perhaps a feature and a command, or "all". */
static void read_help_words(struct parser *parser)
{
	const char *word = take_word(parser);

	parser->result.help = PARSE_HELP_TOP;
	if (!word)
		return;
	if (strcmp(word, "all") == 0) {
		parser->result.help = PARSE_HELP_ALL;
		return;
	}
	parser->result.help = PARSE_HELP_NONE;
	parser->result.feature = command_find_feature(parser->tables->list, word);
	if (!parser->result.feature) {
		refuse_feature(parser, word);
		return;
	}
	word = take_word(parser);
	parser->result.command = word ? command_find(parser->result.feature, word) : NULL;
	if (word && !parser->result.command)
		refuse_command(parser, word);
	else
		parser->result.help = word ? PARSE_HELP_COMMAND : PARSE_HELP_FEATURE;
}

/* A word in place of a feature that is a whole command line of its own. Was it one? */
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
		refuse_feature(parser, word);
		return;
	}
}

static void refuse_no_command(struct parser *parser)
{
	_cleanup_free_ char *names = join_commands(parser->result.feature, parser);

	if (names)
		mistake(parser, "%s needs a command: %s", parser->result.feature->name, names);
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
	const char *word;

	parser->options_ended = false;
	word = read_options(parser, &place);
	if (parser->err || parser->result.help != PARSE_HELP_NONE)
		return;
	if (!word) {
		refuse_no_command(parser);
		return;
	}
	parser->result.command = command_find(parser->result.feature, word);
	if (!parser->result.command && strcmp(word, "help") == 0)
		parser->result.help = PARSE_HELP_FEATURE;
	else if (!parser->result.command)
		refuse_command(parser, word);
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

/* A word after the options of the command: the kernel tree's tool ignores it. */
static void refuse_rest(struct parser *parser, const char *word)
{
	_cleanup_free_ char *quoted = quote(parser, word, strlen(word));
	const char *dash = has_typographic_dash(word) ? typographic_dash : NULL;

	if (!quoted)
		return;
	if (parser->tables->strict || parser->result.command->flags & COMMAND_ANY_MACHINE ||
	    asks_for_dry_run(word))
		mistake(parser, "%s: %s", quoted, dash ?: "unexpected word");
	else
		warn(parser, "Garbage at the end of command: ignore %s%s%s", quoted,
		     dash ? "; " : "", dash ?: "");
}

static void read_arguments(struct parser *parser, const struct place *before)
{
	const struct command *command = parser->result.command;
	bool from_upstream = !(command->flags & COMMAND_ANY_MACHINE);
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
			   .others = from_upstream ? parser->tables->list : NULL,
			   .first = from_upstream ? parser->result.feature : NULL },
		.values = parser->result.arguments,
		.help = PARSE_HELP_COMMAND,
		.name = name,
		.elsewhere = before,
		.hint = "before the feature",
		.takes_long = true,
		.takes_letters = !from_upstream,
	};

	parser->options_ended = false;
	while ((word = read_options(parser, &place)))
		refuse_rest(parser, word);
	check_required(parser, &place);
}

int parse_command_line(const struct parse_tables *tables, void *global_values, int argc,
		       char **argv, struct parse_result *ret_result)
{
	const struct place after = { .scope = { .others = tables->list } };
	struct place before = {
		.scope = { .own = tables->global },
		.values = global_values,
		.help = PARSE_HELP_TOP,
		.elsewhere = &after,
		.hint = "after the command",
	};
	struct parser parser = { .tables = tables, .argc = argc, .argv = argv, .next = 1 };

	read_feature(&parser, &before);
	if (parser.result.feature && parser.result.help == PARSE_HELP_NONE && !parser.err)
		read_command(&parser, &before);
	before.elsewhere = NULL; /* from here on it is the place where others belong */
	if (parser.result.command && parser.result.help == PARSE_HELP_NONE && !parser.err)
		read_arguments(&parser, &before);
	if (parser.err) {
		parse_result_done(&parser.result);
		return parser.err;
	}
	*ret_result = parser.result;
	return 0;
}

static void free_lines(char **lines)
{
	for (size_t i = 0; lines && lines[i]; i++)
		free(lines[i]);
	free(lines);
}

void parse_result_done(struct parse_result *result)
{
	free_lines(result->notes);
	free_lines(result->warnings);
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
