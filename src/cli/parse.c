// SPDX-License-Identifier: GPL-2.0-only
/* Parses the command line from left to right, in three places: before the feature, before the
 * command, and after the command. Each place accepts some options. The first mistake is kept, and
 * the rest is read as well as possible. Follows commands.md, "Options before the feature". */
#include "cli/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "cli/names.h"

struct parser {
	const struct parse_tables *tables;
	int n_words;
	char **words;
	int next; /* index of the next word */
	int after_cpus; /* index of the word after a list of CPUs that ends with a number, or 0 */
	int err; /* -ENOMEM once memory is short: nothing more is read */
	struct parse_result result;
};

/* What options mean at one place of the command line. */
struct place {
	struct option_scope scope;
	void *values; /* NULL: options have no effect */
	enum parse_help help;
	const char *name; /* for messages: "core-power config", or NULL */
	const struct place *elsewhere; /* the place for options unknown here, or NULL */
	const char *hint; /* names that place in words */
	bool takes_long; /* long names of elsewhere are accepted here */
	bool takes_letters; /* letters of elsewhere that are marked after_command, too */
	bool takes_cpus; /* the letter of --cpu, too */
};

/* Appends a new text (NULL: memory is short), takes ownership of it, and returns it. */
static const char *append(struct parser *parser, struct parse_lines *lines, char *text)
{
	char **line = text ? array_add(&lines->list, &lines->count, sizeof(*line)) : NULL;

	if (!line) {
		free(text);
		parser->err = -ENOMEM;
		return NULL;
	}
	*line = text;
	return text;
}

__attribute__((format(printf, 2, 3))) static void mistake(struct parser *parser, const char *format,
							  ...)
{
	va_list arguments;

	if (parser->result.mistake || parser->result.help != PARSE_HELP_NONE || parser->err)
		return;
	va_start(arguments, format);
	parser->result.mistake =
		append(parser, &parser->result.texts, text_format_list(format, arguments));
	va_end(arguments);
}

/* Quote a word for a message: all of it, or an option without its value. */
static struct option_text quote(const char *word)
{
	return option_quote(word, strlen(word));
}

static struct option_text quote_option(const char *word)
{
	return option_quote(word, strcspn(word, "="));
}

/* Returns the next word of any kind, or NULL. */
static const char *take_word(struct parser *parser)
{
	return parser->next < parser->n_words ? parser->words[parser->next++] : NULL;
}

/* Copies a list without blanks around its members and without one comma at its end, as the kernel
 * tree's tool reads it. Returns a new string, or NULL: memory is short. */
static char *trim_list(const char *list)
{
	static const char blanks[] = " \t";
	char *trimmed = strdup(list), *to = trimmed;

	if (!trimmed)
		return NULL;
	for (; *list; list++) {
		char next = list[strspn(list, blanks)];
		bool is_edge = to == trimmed || to[-1] == ',' || next == ',' || next == '\0';

		if (!is_edge || !strchr(blanks, *list))
			*to++ = *list;
	}
	if (to > trimmed && to[-1] == ',')
		to--;
	*to = '\0';
	return trimmed;
}

/* Under isst, refuses a list of CPUs that would replace another list, or whose letter means another
 * option under the other name. Returns whether it is a mistake. */
static bool refuse_cpus(struct parser *parser, const struct place *place,
			const struct option *option, const char *shown)
{
	const struct command *command = parser->result.command;
	const struct option *own = command ? command->options : NULL;

	if (option->kind != OPTION_KIND_CPUS || !parser->tables->strict)
		return false;
	while (own && own->name && !(own->upstream_letter && own->letter == shown[1]))
		own++;
	if (own && own->name)
		mistake(parser, "%s after %s %s could be --%s or --%s: write --%s %s, or --%s %s",
			shown, parser->result.feature->name, command->name, own->name, option->name,
			own->name, own->value, option->name, option->value);
	else if (option_is_given(option, place->values))
		mistake(parser, "%s: the CPUs are given twice", shown);
	else
		return false;
	return true;
}

/* Stores a value. word is the whole word of the option. */
static void store(struct parser *parser, const struct place *place, const struct option *option,
		  const char *shown, const char *text, const char *word)
{
	bool is_letter = shown[1] != '-' && word[1] == shown[1] && text == word + 2;
	bool is_trimmed = option->kind == OPTION_KIND_CPUS && !parser->tables->strict;
	_cleanup_free_ char *trimmed = is_trimmed ? trim_list(text) : NULL;
	struct option_text problem;
	const char *nearest, *next;
	int err = -ENOMEM;

	if (refuse_cpus(parser, place, option, shown))
		return;
	/* Before the feature the last value counts, since aliases and wrappers give some options;
	 * for options of the kernel tree's tool the last value always counts. */
	if (place->name && !option->from_upstream &&
	    option_has_other(option, text, place->values)) {
		mistake(parser, "%s %s: --%s has another value already; give one", shown,
			quote(text).text, option->name);
		return;
	}
	if (trimmed || !is_trimmed)
		err = option_read(option, shown, trimmed ?: text, place->values, &problem);
	if (err == -ENOMEM)
		parser->err = err;
	if (!err && option->kind == OPTION_KIND_CPUS &&
	    strchr("0123456789,", text[strlen(text) - 1]))
		parser->after_cpus = parser->next;
	if (err != -EINVAL)
		return;
	nearest = is_letter ? option_nearest_name(&place->scope, word) : NULL;
	next = parser->next < parser->n_words ? parser->words[parser->next] : "";
	if (option->kind == OPTION_KIND_CPUS && text[0] && text[strlen(text) - 1] == ',' &&
	    isdigit((unsigned char)*next))
		mistake(parser, "%s %s: a list has no blanks: write --%s %s%s", shown,
			quote(text).text, option->name, text, next);
	else if (nearest)
		mistake(parser, "%s: unknown option; did you mean --%s?", quote_option(word).text,
			nearest);
	else
		mistake(parser, "%s %s: %s", shown, quote(text).text, problem.text);
}

/* Reports that an option of another command has no effect here, mainly for -c. */
static void ignore_other(struct parser *parser, const struct place *place,
			 const struct option *option, const char *shown)
{
	const struct option *there =
		shown[1] == '-' ? NULL
				: option_match_letter(&place->elsewhere->scope, shown[1]).option;

	/* without an option that has a value, the command could act on more than is meant */
	if (parser->tables->strict && option_takes_value(option)) {
		mistake(parser, "%s has no option %s", place->name, shown);
		return;
	}
	/* without --cpu the command acts on the complete machine */
	append(parser,
	       there && there->kind == OPTION_KIND_CPUS ? &parser->result.warnings
							: &parser->result.notes,
	       text_format("%s has no option %s%s%s%s", place->name, shown,
			   there ? " (before the feature: --" : "", there ? there->name : "",
			   there ? ")" : ""));
}

/* Applies one option of a word. shown is its name as typed, value the value in the same word. */
static void apply(struct parser *parser, const struct place *place,
		  const struct option_match *match, const char *shown, const char *value,
		  const char *word)
{
	const struct option *option = match->option;
	bool takes_value = option_takes_value(option);
	bool is_last = parser->next == parser->n_words;

	if (!shown) /* memory is short */
		return;
	if (!takes_value && value) {
		mistake(parser, "%s takes no value", shown);
		return;
	}
	if (option == &option_help) {
		if (!parser->result.mistake && parser->result.help == PARSE_HELP_NONE)
			parser->result.help = place->help;
		return;
	}
	/* An option without effect takes no option for its value, since that has an effect. */
	if (takes_value && !value &&
	    (!match->other || is_last || !option_is_word(parser->words[parser->next])))
		value = take_word(parser);
	if (takes_value && !value) {
		parser->result.awaiting = is_last ? option : NULL;
		if (match->other && !parser->tables->strict && place->values)
			append(parser, &parser->result.warnings,
			       text_format("%s has no option %s, which has no value: it is ignored",
					   place->name, shown));
		else if (match->other && place->values)
			mistake(parser, "%s has no option %s", place->name, shown);
		else
			mistake(parser, "%s needs a value (%s)", shown,
				option->value ?: option->name);
	} else if (place->values && match->other) {
		ignore_other(parser, place, option, shown);
	} else if (place->values) {
		store(parser, place, option, shown, value, word);
	}
}

static void read_letters(struct parser *parser, const struct place *place, const char *word)
{
	bool takes_value = false;

	for (const char *letter = word + 1; *letter != '\0' && !takes_value && !parser->err;
	     letter++) {
		struct option_match match = option_match_letter(&place->scope, *letter);

		if (!match.option) {
			mistake(parser, "%s: unknown option -%s", quote(word).text,
				option_quote(letter, 1).text);
			return;
		}
		takes_value = option_takes_value(match.option);
		apply(parser, place, &match,
		      append(parser, &parser->result.texts, text_format("-%c", *letter)),
		      takes_value && letter[1] != '\0' ? letter + 1 : NULL, word);
	}
}

/* Keeps a list of names for a message; without memory an empty one. */
static const char *keep_names(struct parser *parser, char *names)
{
	return append(parser, &parser->result.texts, names) ?: "";
}

static void refuse_unknown(struct parser *parser, const struct place *place, const char *word)
{
	const char *nearest =
		option_nearest_name(&(struct option_scope){ .own = place->scope.own }, word);
	const char *own;

	if (!nearest && place->elsewhere)
		nearest = option_nearest_name(&place->elsewhere->scope, word);
	own = nearest || !place->name ? ""
				      : keep_names(parser, option_list_names(place->scope.own));
	if (nearest)
		mistake(parser, "%s: unknown option; did you mean --%s?", quote_option(word).text,
			nearest);
	else if (place->name)
		mistake(parser, "%s: %s has no such option%s%s", quote_option(word).text,
			place->name, *own ? "; it has " : "", own);
	else
		mistake(parser, "%s: unknown option", quote_option(word).text);
}

/* Returns true if a word with this meaning elsewhere is accepted at the place, too. "-l" is a
 * letter there, not the beginning of a name. */
static bool is_accepted(const struct place *place, const char *word,
			const struct option_match *there)
{
	if (there->kind == OPTION_MATCH_LETTERS)
		return (place->takes_letters && there->option->after_command) ||
		       (place->takes_cpus && there->option->kind == OPTION_KIND_CPUS);
	return there->kind != OPTION_MATCH_NONE && place->takes_long && word[2] != '\0';
}

/* Returns true for one letter that begins a long name, as "-l" of --list-platforms. */
static bool is_first_letter(const struct option_match *match, const char *word)
{
	return match->kind == OPTION_MATCH_LONG && word[1] != '-' && word[2] == '\0';
}

/* Returns the meaning of an option. If it belongs elsewhere, replaces *place by that place. The
 * other place comes before a prefix or an option of another command. An option that is not accepted
 * here is a mistake, but is read: its value is not a separate word. */
static struct option_match find_meaning(struct parser *parser, const struct place **place,
					const char *word)
{
	struct option_match here = option_match(&(*place)->scope, word), there;
	const struct place *elsewhere = (*place)->elsewhere;

	/* before the command a letter means an option of a command, not a shortened name */
	if (!(*place)->name && elsewhere && is_first_letter(&here, word) &&
	    option_match_letter(&elsewhere->scope, word[1]).option)
		here = (struct option_match){ .kind = OPTION_MATCH_NONE };
	for (; (elsewhere = (*place)->elsewhere); *place = elsewhere) {
		bool is_meant;

		there = option_match(&elsewhere->scope, word);
		if (here.kind == OPTION_MATCH_NONE)
			is_meant = there.option && there.kind != OPTION_MATCH_AMBIGUOUS &&
				   !is_first_letter(&there, word);
		else if (there.kind == OPTION_MATCH_LETTERS)
			is_meant = here.kind != OPTION_MATCH_LETTERS && word[2] == '\0' &&
				   is_accepted(*place, word, &there);
		else
			is_meant = (here.other || (here.is_prefix && !there.is_prefix)) &&
				   is_accepted(*place, word, &there);
		if (is_meant) {
			if (!is_accepted(*place, word, &there))
				mistake(parser,
					word[1] == '-' ? "%s belongs %s"
						       : "%s is not an option here; %s it is --%s",
					quote_option(word).text, (*place)->hint,
					there.option->name);
			*place = elsewhere;
			return there;
		}
		if (here.kind != OPTION_MATCH_NONE || !elsewhere->elsewhere)
			break;
	}
	return here;
}

static void read_option(struct parser *parser, const struct place *place, const char *word)
{
	const struct option_match match = find_meaning(parser, &place, word);

	switch (match.kind) {
	case OPTION_MATCH_LONG:
		apply(parser, place, &match,
		      append(parser, &parser->result.texts,
			     text_format("--%s", match.option->name)),
		      match.value, word);
		break;
	case OPTION_MATCH_LETTERS:
		read_letters(parser, place, word);
		break;
	case OPTION_MATCH_AMBIGUOUS:
		mistake(parser, "%s: ambiguous; could be %s", quote_option(word).text,
			match.candidates.text);
		break;
	case OPTION_MATCH_NONE:
		refuse_unknown(parser, place, word);
		break;
	}
}

/* Reads options up to the next word that is not an option. Returns that word; NULL at the end. */
static const char *read_options(struct parser *parser, const struct place *place)
{
	const char *word;

	while (!parser->err && (word = take_word(parser))) {
		if (parser->result.options_ended || !option_is_word(word))
			return word;
		if (strcmp(word, "--") == 0)
			parser->result.options_ended = true;
		else
			read_option(parser, place, word);
	}
	return NULL;
}

static const char *const typographic_dash =
	"it begins with a typographic dash, and options begin with hyphens";

/* Finds an en or em dash, which word processors make of two hyphens. */
static bool has_typographic_dash(const char *word)
{
	return strncmp(word, "\xe2\x80\x93", 3) == 0 || strncmp(word, "\xe2\x80\x94", 3) == 0;
}

/* Finds a misspelt --dry-run, which must not be ignored: the command would write. */
static bool asks_for_dry_run(const char *word)
{
	if (has_typographic_dash(word))
		word += 3;
	word += strspn(word, "-");
	return strncmp(word, "dry", 3) == 0;
}

/* Lists the names that a word in place of a feature, or of a command of feature, may mean. */
static const char *list_meant(struct parser *parser, const struct command *feature,
			      const char *word)
{
	static const char *const words[] = { "version", "help", NULL }, *const none[] = { NULL };
	const struct command *features = parser->tables->features;
	const bool has_words = !feature && !parser->result.is_help_word;
	const char *names =
		keep_names(parser, names_list_meant(feature ? feature->commands : features,
						    has_words ? words : none, word));

	return *names || feature ? names : keep_names(parser, names_list_about(features, word));
}

/* Refuses a word in place of a feature or, if feature is not NULL, of one of its commands. */
static void refuse_name(struct parser *parser, const struct command *feature, const char *word)
{
	const struct option_text quoted = quote(word);
	const char *meant = list_meant(parser, feature, word);
	const bool is_one = !strchr(meant, ',');
	const char *owners =
		feature ? ""
			: keep_names(parser, names_list_owners(parser->tables->features, word));

	parser->result.is_lost = true;
	if (has_typographic_dash(word))
		mistake(parser, "%s: %s", quoted.text, typographic_dash);
	else if (option_is_word(word) && !parser->result.options_ended)
		mistake(parser, "%s: unknown option", quoted.text);
	else if (!feature && isdigit((unsigned char)*word) &&
		 parser->after_cpus == parser->next - 1)
		mistake(parser,
			"%s: unknown feature; a list has commas and no blanks, as in --cpu 0,2-5",
			quoted.text);
	else if (*owners)
		mistake(parser, "%s: unknown feature; it is a command of %s", quoted.text, owners);
	else if (*meant && feature)
		mistake(parser, "%s: unknown command of %s; %s %s%s", quoted.text, feature->name,
			is_one ? "did you mean" : "could be", meant, is_one ? "?" : "");
	else if (*meant)
		mistake(parser, "%s: unknown feature; %s %s%s", quoted.text,
			is_one ? "did you mean" : "could be", meant, is_one ? "?" : "");
	else if (feature)
		mistake(parser, "%s: unknown command; %s has %s", quoted.text, feature->name,
			keep_names(parser, names_list(feature->commands)));
	else
		mistake(parser, "%s: unknown feature; the features are %s", quoted.text,
			keep_names(parser, names_list(parser->tables->features)));
}

/* "help COMMAND" without the feature: finds it, or refuses a name that several features have. */
static void find_feature_of(struct parser *parser, const char *word)
{
	struct parse_result *result = &parser->result;
	const char *found = NULL;
	size_t n_found = 0;

	for (const struct command *feature = parser->tables->features; feature->name; feature++) {
		const struct command *command = names_find(feature->commands, word);

		if (!command)
			continue;
		result->feature = feature;
		result->command = command;
		found = append(parser, &result->texts,
			       text_format("%s%shelp %s %s", found ?: "", found ? ", " : "",
					   feature->name, word));
		n_found++;
	}
	if (n_found == 1) {
		result->help = PARSE_HELP_COMMAND;
		return;
	}
	result->feature = result->command = NULL;
	if (n_found == 0)
		refuse_name(parser, NULL, word);
	else
		mistake(parser, "several features have the command %s: %s", word, found ?: "");
}

/* Reads the words after "help": a feature and a command, only a command, or "all". */
static void read_help_topic(struct parser *parser)
{
	struct parse_result *result = &parser->result;
	const char *word = take_word(parser);

	while (word && strcmp(word, "help") == 0)
		word = take_word(parser);
	result->is_lost = result->is_help_word = true;
	result->help = PARSE_HELP_TOP;
	if (!word)
		return;
	if (strcmp(word, "all") == 0) {
		result->help = PARSE_HELP_ALL;
		return;
	}
	result->help = PARSE_HELP_NONE;
	result->feature = names_find(parser->tables->features, word);
	if (!result->feature) {
		find_feature_of(parser, word);
		return;
	}
	word = take_word(parser);
	if (word)
		result->command = names_find(result->feature->commands, word);
	else if (result->feature->commands->flags & COMMAND_IS_IMPLIED)
		result->command = result->feature->commands;
	if (word && !result->command)
		refuse_name(parser, result->feature, word);
	else
		result->help = result->command ? PARSE_HELP_COMMAND : PARSE_HELP_FEATURE;
}

static void read_help_words(struct parser *parser)
{
	const char *word;

	read_help_topic(parser);
	word = parser->result.help == PARSE_HELP_NONE ? NULL : take_word(parser);
	if (!word || option_is_word(word))
		return;
	parser->result.help = PARSE_HELP_NONE;
	mistake(parser, "%s: unexpected word; help takes a feature and a command, or all",
		quote(word).text);
}

/* After a mistake the search for the feature goes on: a word may be the value of an option. */
static void read_feature(struct parser *parser, const struct place *place)
{
	struct parse_result *result = &parser->result;
	const char *word;

	while (!result->feature && (word = read_options(parser, place))) {
		if (!result->mistake && result->help == PARSE_HELP_TOP &&
		    strcmp(word, "all") == 0) {
			result->help = PARSE_HELP_ALL;
		} else if (!result->mistake && strcmp(word, "help") == 0) {
			read_help_words(parser);
		} else if (!result->mistake && strcmp(word, "version") == 0) {
			result->is_lost = true;
			read_option(parser, place, "--version");
		} else {
			result->feature = names_find(parser->tables->features, word);
			if (!result->feature && !result->mistake) {
				refuse_name(parser, NULL, word);
				return;
			}
		}
	}
}

/* Returns true if the only command of the feature is left out. */
static bool is_implied(const struct parser *parser, const struct command *feature)
{
	const char *word = parser->next < parser->n_words ? parser->words[parser->next] : "";

	return feature->commands->flags & COMMAND_IS_IMPLIED && strcmp(word, "help") != 0 &&
	       strcmp(word, feature->commands->name) != 0;
}

/* Reads the command, and global options by their long names before it. */
static void read_command(struct parser *parser, const struct place *before)
{
	const struct place place = {
		.help = PARSE_HELP_FEATURE,
		.elsewhere = before,
		.hint = "before the feature or after the command",
		.takes_long = true,
		.takes_cpus = parser->tables->strict,
	};
	const struct command *feature = parser->result.feature;
	const char *word;

	parser->result.options_ended = false;
	if (is_implied(parser, feature)) {
		parser->result.command = feature->commands;
		return;
	}
	word = read_options(parser, &place);
	parser->result.is_lost = parser->result.help != PARSE_HELP_NONE && word;
	if (parser->err || parser->result.help != PARSE_HELP_NONE)
		return;
	if (!word) {
		mistake(parser, "%s needs a command: %s", feature->name,
			keep_names(parser, names_list(feature->commands)));
		return;
	}
	parser->result.command = names_find(feature->commands, word);
	parser->result.is_lost = !parser->result.command;
	if (parser->result.is_lost && strcmp(word, "help") == 0 && !parser->result.mistake)
		parser->result.help = PARSE_HELP_FEATURE;
	else if (parser->result.is_lost)
		refuse_name(parser, feature, word);
}

struct option_scope parse_command_scope(const struct parse_tables *tables,
					const struct command *feature,
					const struct command *command)
{
	if (command_is_ours(command))
		return (struct option_scope){ .own = command->options };
	return (struct option_scope){
		.own = command->options,
		.others = tables->features,
		.first = feature,
		.strict = tables->strict,
	};
}

static bool takes_word(const struct option *option, const char *word)
{
	const char *const *one = option->words;

	while (one && *one && strcmp(*one, word) != 0)
		one++;
	return one && *one;
}

/* Guesses the option that a word without dashes means: the option of this name, a required one that
 * is not given, or the only one that accepts the word. NULL: none. */
static const struct option *guess_option(const struct parser *parser, const struct place *place,
					 const char *word)
{
	const struct option *needed = NULL, *taking = NULL;
	size_t n_taking = 0;

	for (const struct option *option = option_first(parser->result.command->options); option;
	     option = option_next(option)) {
		if (option->positional)
			continue;
		if (strcmp(option->name, word) == 0)
			return option;
		if (!needed && option->required && !option_is_given(option, place->values))
			needed = option;
		if (takes_word(option, word)) {
			taking = option;
			n_taking++;
		}
	}
	return needed ?: n_taking == 1 ? taking : NULL;
}

/* Refuses a word after the options of the command. The kernel tree's tool ignores it. */
static void refuse_rest(struct parser *parser, const struct place *place, const char *word)
{
	const char *dash = has_typographic_dash(word) ? typographic_dash : NULL;
	const struct option *meant = guess_option(parser, place, word);
	const struct option_text quoted = quote(word);
	const char *own = keep_names(parser, option_list_names(place->scope.own));

	if (!parser->tables->strict && !command_is_ours(parser->result.command) &&
	    !asks_for_dry_run(word))
		append(parser, &parser->result.warnings,
		       text_format("Garbage at the end of command: ignore %s%s%s", quoted.text,
				   dash ? "; " : "", dash ?: ""));
	else if (dash)
		mistake(parser, "%s: %s", quoted.text, dash);
	else if (!meant)
		mistake(parser, "%s: unexpected word%s%s%s%s", quoted.text, *own ? "; " : "",
			*own ? place->name : "", *own ? " has " : "", own);
	else if (strcmp(meant->name, word) == 0)
		mistake(parser, "%s: unexpected word; did you mean --%s?", quoted.text,
			meant->name);
	else
		mistake(parser, "%s: unexpected word; did you mean --%s %s?", quoted.text,
			meant->name, quoted.text);
}

const struct option *parse_next_positional(const struct command *command, const void *values)
{
	for (const struct option *option = command->options; option && option->name; option++) {
		if (option->positional &&
		    (option->kind == OPTION_KIND_TEXTS || !option_is_given(option, values)))
			return option;
	}
	return NULL;
}

/* Takes the word that was read last and all that follow. */
static void take_rest(struct parser *parser, const struct place *place, const struct option *option)
{
	struct option_rest *rest = (void *)((char *)place->values + option->offset);

	rest->words = &parser->words[parser->next - 1];
	parser->next = parser->n_words;
	parser->result.has_rest = true;
}

/* Reads a word after the options as the next positional one, if there is one left. */
static void read_positional(struct parser *parser, const struct place *place, const char *word)
{
	const struct option *option = parse_next_positional(parser->result.command, place->values);
	struct option_text problem;
	int err;

	if (option && option->kind == OPTION_KIND_REST) {
		if (parser->result.options_ended)
			take_rest(parser, place, option);
		else
			mistake(parser, "%s: unexpected word; a command follows --",
				quote(word).text);
		return;
	}
	err = option ? option_read(option, option->value, word, place->values, &problem) : 0;

	if (!option)
		refuse_rest(parser, place, word);
	else if (err == -EINVAL)
		mistake(parser, "%s %s: %s", option->value, quote(word).text, problem.text);
	else if (err)
		parser->err = err;
}

static void read_arguments(struct parser *parser, const struct place *before)
{
	struct parse_result *result = &parser->result;
	const struct command *command = result->command;
	const struct place place = {
		.scope = parse_command_scope(parser->tables, result->feature, command),
		.values = result->arguments = calloc(1, command->arguments_size ?: 1),
		.help = PARSE_HELP_COMMAND,
		.name = append(parser, &result->texts,
			       text_format("%s %s", result->feature->name, command->name)),
		.elsewhere = before,
		.hint = "before the feature",
		.takes_long = true,
		.takes_letters = command_is_ours(command),
		.takes_cpus = parser->tables->strict,
	};
	const char *word;

	if (!place.name || !place.values) {
		parser->err = -ENOMEM;
		return;
	}
	parser->result.options_ended = false;
	while ((word = read_options(parser, &place)))
		read_positional(parser, &place, word);
	for (const struct option *option = command->options; option && option->name; option++) {
		if (option_is_given(option, place.values))
			continue;
		if (option->kind == OPTION_KIND_REST && result->options_ended)
			mistake(parser, "%s: no %s follows --", place.name, option->name);
		else if (option->required && option->positional)
			mistake(parser, "%s needs %s: %s", place.name, option->value, option->help);
		else if (option->required)
			mistake(parser, "%s needs --%s %s", place.name, option->name,
				option->value ?: option->name);
	}
}

int parse_command_line(const struct parse_tables *tables, void *global_values, int n_words,
		       char **words, struct parse_result *ret_result)
{
	struct place after = { .scope = { .others = tables->features } };
	struct place before = {
		.scope = { .own = tables->global },
		.values = global_values,
		.help = PARSE_HELP_TOP,
		.elsewhere = &after,
		.hint = "after the command",
	};
	struct parser parser = { .tables = tables, .n_words = n_words, .words = words };

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
