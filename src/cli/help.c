// SPDX-License-Identifier: GPL-2.0-only
/* Writes help, and the description of the command line as JSON, from the tables that the parser
 * reads. No line is longer than 80 columns unless a single word is. Follows commands.md, "Options
 * before the feature" and "Exit status". */
#include "cli/help.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <jansson.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define LINE_COLUMNS 80
/* A longer left part has its text on the next line. */
#define LEFT_COLUMNS 30

/* A line being filled; words that do not fit go to the next one, below the first word. */
struct line {
	FILE *to;
	int indent;
	int column;
};

static struct line line_start(FILE *to, int column)
{
	return (struct line){ .to = to, .indent = column, .column = column };
}

/* Puts a formatted text after a blank, or on a line of its own if it does not fit. */
__attribute__((format(printf, 2, 3))) static void line_put(struct line *line, const char *format,
							   ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (line->column > line->indent && line->column + 1 + length > LINE_COLUMNS) {
		fprintf(line->to, "\n%*s", line->indent, "");
		line->column = line->indent;
	} else if (line->column > line->indent) {
		line->column += fprintf(line->to, " ");
	}
	va_start(arguments, format);
	line->column += vfprintf(line->to, format, arguments);
	va_end(arguments);
}

/* Puts each word of a text. */
static void line_put_text(struct line *line, const char *text)
{
	for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
		const size_t length = strcspn(text, " \n");

		line_put(line, "%.*s", (int)length, text);
		text += length;
	}
}

/* Writes a paragraph after an empty line. */
static void write_paragraph(const char *text, FILE *to)
{
	struct line line = line_start(to, 0);

	fputs("\n", to);
	line_put_text(&line, text);
	fputs("\n", to);
}

/* Writes an entry of a list: its left part and, at a column, its meaning. */
static void write_entry(const char *left, int column, const char *text, const char *more, FILE *to)
{
	const int width = fprintf(to, "  %s", left);
	struct line line = line_start(to, column);

	if (width + 2 > column)
		fprintf(to, "\n%*s", column, "");
	else
		fprintf(to, "%*s", column - width, "");
	line_put_text(&line, text);
	line_put_text(&line, more);
	fputs("\n", to);
}

/* Returns column, or more if two blanks, a left part and two blanks need more. */
static int widen(int column, const char *left)
{
	const int width = (int)strlen(left) + 4;

	return width > column ? width : column;
}

/* Formats the left part of an option's entry, a new text: "-w, --delay SECONDS". */
static char *format_left(const struct option *option)
{
	const char letter[] = { '-', option->letter, ',', '\0' };
	bool has_letter = option->letter && !option->upstream_letter;

	if (option->positional)
		return strdup(option->value);
	return text_format("%3s --%s%s%s", has_letter ? letter : "", option->name,
			   option->value ? " " : "", option->value ?: "");
}

static void write_option(const struct option *option, const char *text, int column, FILE *to)
{
	_cleanup_free_ char *left = format_left(option);

	write_entry(left ?: option->name, column, text, option->required ? "(required)" : "", to);
}

static void write_options(const struct option *table, FILE *to)
{
	int column = 0;

	for (const struct option *option = option_first(table); option;
	     option = option_next(option)) {
		_cleanup_free_ char *left = format_left(option);

		if (!option->hidden && left && widen(0, left) <= LEFT_COLUMNS)
			column = widen(column, left);
	}
	for (const struct option *option = option_first(table); option;
	     option = option_next(option)) {
		if (!option->hidden)
			write_option(option, option->help, column, to);
	}
}

/* Writes the features, or the commands of one feature. */
static void write_names(const struct command *table, FILE *to)
{
	int column = 0;

	for (const struct command *command = table; command->name; command++)
		column = widen(column, command->name);
	for (const struct command *command = table; command->name; command++)
		write_entry(command->name, column, command->summary, "", to);
}

static void write_usage(const char *program, FILE *to)
{
	fprintf(to, "Usage: %s [OPTIONS] FEATURE COMMAND [COMMAND OPTIONS]\n", program);
}

void help_write_begin(const char *program, FILE *to)
{
	write_usage(program, to);
	fprintf(to,
		"\nTo begin:\n"
		"  %1$s --info                    what this machine supports\n"
		"  %1$s perf-profile info         its performance levels\n"
		"  %1$s cpufreq info              frequency limits; on any machine\n"
		"  %1$s --simulate guide --info   the same for a simulated machine\n"
		"  %1$s help                      features and options\n",
		program);
}

/* Writes features and common options, in 24 lines with the prompt. */
static void write_top(const char *program, const struct parse_tables *tables, FILE *to)
{
	write_usage(program, to);
	fprintf(to, "\nFeatures (%s help FEATURE lists its commands):\n", program);
	write_names(tables->features, to);
	fprintf(to, "\nOptions used most (%s --help all lists all):\n", program);
	for (const struct option *option = tables->global; option->name; option++) {
		if (option->brief)
			write_option(option, option->brief, LEFT_COLUMNS, to);
	}
}

/* Writes all features, all global options, and the exit statuses. */
static void write_all(const char *program, const struct parse_tables *tables, FILE *to)
{
	write_usage(program, to);
	fprintf(to, "\nFeatures:\n");
	write_names(tables->features, to);
	write_paragraph("FEATURE -h lists the commands of a feature, FEATURE COMMAND -h the "
			"options of a command.",
			to);
	fprintf(to, "\nOptions, before the feature, or after the command by their long names:\n");
	write_options(tables->global, to);
	write_paragraph("Exit status: 0 done; 1 refused by hardware or kernel; 2 usage; 3 not "
			"supported here; 4 not permitted; 5 another instance is setting the "
			"machine; 6 a check found a difference; 125 measure itself failed, not its "
			"command; 126 the command of measure cannot be executed; 127 the command "
			"of measure is not found.",
			to);
}

static void write_feature(const char *program, const struct command *feature, FILE *to)
{
	fprintf(to, "Usage: %s [OPTIONS] %s COMMAND [COMMAND OPTIONS]\n", program, feature->name);
	write_paragraph(feature->summary, to);
	fprintf(to, "\nCommands:\n");
	write_names(feature->commands, to);
	write_paragraph("COMMAND -h shows the options of a command.", to);
}

static void put_option(struct line *line, const struct option *option)
{
	const char letter[] = { '-', option->letter, '\0' };
	bool has_letter = option->letter && !option->upstream_letter;

	if (option->positional) {
		line_put(line, option->required ? "%s" : "[%s]", option->value);
		return;
	}
	line_put(line, "%s%s%s%s%s%s", option->required ? "" : "[", has_letter ? letter : "--",
		 has_letter ? "" : option->name, option->value ? " " : "", option->value ?: "",
		 option->required ? "" : "]");
}

static void write_command(const char *program, const struct command *feature,
			  const struct command *command, FILE *to)
{
	struct line line = line_start(to, fprintf(to, "Usage: "));

	line_put(&line, "%s [OPTIONS]", program);
	/* Shows the long name, since -c may be a CLOS after the command. */
	if (command->flags & COMMAND_NEEDS_CPUS)
		line_put(&line, "--cpu LIST");
	line_put(&line, command->flags & COMMAND_IS_IMPLIED ? "%s [%s]" : "%s %s", feature->name,
		 command->name);
	for (const struct option *option = command->options; option && option->name; option++) {
		if (!option->hidden)
			put_option(&line, option);
	}
	fputs("\n", to);
	write_paragraph(command->summary, to);
	if (command->about)
		write_paragraph(command->about, to);
	if (command->flags & COMMAND_WRITES)
		write_paragraph("Changes the machine and needs the capability CAP_SYS_ADMIN.", to);
	fprintf(to, "\nOptions:\n");
	write_options(command->options, to);
}

void help_write(const char *program, const struct parse_tables *tables,
		const struct parse_result *asked, FILE *to)
{
	if (asked->help == PARSE_HELP_TOP)
		write_top(program, tables, to);
	else if (asked->help == PARSE_HELP_ALL)
		write_all(program, tables, to);
	else if (asked->help == PARSE_HELP_FEATURE)
		write_feature(program, asked->feature, to);
	else
		write_command(program, asked->feature, asked->command, to);
}

static const char *const kind_names[] = {
	[OPTION_KIND_FLAG] = "flag",       [OPTION_KIND_CHOICE] = "choice",
	[OPTION_KIND_NUMBER] = "number",   [OPTION_KIND_MHZ] = "mhz",
	[OPTION_KIND_DECIMAL] = "decimal", [OPTION_KIND_TIME] = "time",
	[OPTION_KIND_HEX] = "hex",         [OPTION_KIND_WORD] = "word",
	[OPTION_KIND_TEXT] = "text",       [OPTION_KIND_CPUS] = "cpus",
	[OPTION_KIND_TEXTS] = "texts",     [OPTION_KIND_REST] = "rest",
};

/* Appends to an array, which becomes and stays NULL if memory is short. */
static void append(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value) == 0)
		return;
	json_decref(*array);
	*array = NULL;
}

static json_t *true_or_null(bool is_true)
{
	return is_true ? json_true() : NULL;
}

/* Returns a limit of a number, or NULL; leaves out limits that no reader of JSON could hold. */
static json_t *limit_or_null(const struct option *option, uint64_t limit)
{
	bool has_limits = option->kind == OPTION_KIND_NUMBER || option->kind == OPTION_KIND_MHZ;

	return has_limits && limit <= INT64_MAX ? json_integer((json_int_t)limit) : NULL;
}

static json_t *describe_option(const struct option *option)
{
	const char letter[] = { option->letter, '\0' };
	bool has_words =
		option->kind == OPTION_KIND_WORD ||
		((option->kind == OPTION_KIND_MHZ || option->kind == OPTION_KIND_DECIMAL) &&
		 option->words);
	json_t *words = has_words ? json_array() : NULL;

	for (size_t i = 0; has_words && option->words[i]; i++)
		append(&words, json_string(option->words[i]));
	if (has_words && !words)
		return NULL;
	return json_pack("{s:s*, s:s, s:s*, s:s, s:s, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, "
			 "s:o*, s:o*}",
			 "letter", option->letter ? letter : NULL, "name", option->name, "value",
			 option->value, "help", option->help, "kind", kind_names[option->kind],
			 "words", words, "min", limit_or_null(option, option->min), "max",
			 limit_or_null(option, option->max), "required",
			 true_or_null(option->required), "from_upstream",
			 true_or_null(option->from_upstream), "platform-name",
			 true_or_null(option->platform_name), "hidden",
			 true_or_null(option->hidden), "positional",
			 true_or_null(option->positional));
}

static json_t *describe_options(const struct option *table)
{
	json_t *options = json_array();

	for (; table && table->name; table++)
		append(&options, describe_option(table));
	return options;
}

static json_t *describe_feature(const struct command *feature)
{
	json_t *commands = json_array();

	for (const struct command *command = feature->commands; command->name; command++) {
		const unsigned int flags = command->flags;

		append(&commands, json_pack("{s:s, s:s, s:s*, s:b, s:b, s:b, s:o*, s:o}", "name",
					    command->name, "summary", command->summary, "about",
					    command->about, "writes", (flags & COMMAND_WRITES) != 0,
					    "needs-cpus", (flags & COMMAND_NEEDS_CPUS) != 0,
					    "on-bios-fixed", (flags & COMMAND_WITHOUT_DRIVER) != 0,
					    "implied", true_or_null(flags & COMMAND_IS_IMPLIED),
					    "options", describe_options(command->options)));
	}
	return json_pack("{s:s, s:s, s:o}", "name", feature->name, "title", feature->summary,
			 "commands", commands);
}

int help_describe(const struct parse_tables *tables, FILE *to)
{
	json_t *features = json_array(), *root;
	bool failed;

	for (const struct command *feature = tables->features; feature->name; feature++)
		append(&features, describe_feature(feature));
	root = json_pack("{s:o, s:o}", "options", describe_options(tables->global), "features",
			 features);
	if (!root)
		return -ENOMEM;
	failed = json_dumpf(root, to, JSON_INDENT(2)) < 0 || fputs("\n", to) == EOF ||
		 fflush(to) != 0;
	json_decref(root);
	return failed ? -EIO : 0;
}
