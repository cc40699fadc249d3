// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help at three levels, written out of the same tables that the parser reads: what is not in a
 * table is not in help, and the other way round. No line is longer than 80 columns unless a single
 * word is. Follows commands.md, "Options before the feature" and "Exit status".
 */
#include "cli/help.h"

#include <stdarg.h>
#include <string.h>

#define LINE_COLUMNS 80
/* What is longer on the left has its text on the next line. */
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

/* Puts what the format gives behind a blank, or on a line of its own where it would not fit. */
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

static void write_paragraph(FILE *to, const char *text)
{
	struct line line = line_start(to, 0);

	line_put_text(&line, text);
	fputs("\n", to);
}

/* What stands right of a left part width columns wide. */
static struct line start_right(FILE *to, int width, int column)
{
	if (width + 2 > column)
		fprintf(to, "\n%*s", column, "");
	else
		fprintf(to, "%*s", column - width, "");
	return line_start(to, column);
}

/* The width of what write_left() writes. */
static int left_width(const struct option *option)
{
	size_t width = strlen("  -x, --") + strlen(option->name);

	if (option->alias)
		width += strlen(", --") + strlen(option->alias);
	if (option->value)
		width += strlen(" ") + strlen(option->value);
	return (int)width;
}

/* The left part of an option's entry: "  -w, --poll-interval, --delay SECONDS". */
static void write_left(const struct option *option, FILE *to)
{
	const char letter[] = { '-', option->letter, ',', '\0' };

	fprintf(to, "  %3s --%s%s%s%s%s", option->letter ? letter : "", option->name,
		option->alias ? ", --" : "", option->alias ?: "", option->value ? " " : "",
		option->value ?: "");
}

static void write_option(const struct option *option, const char *text, int column, FILE *to)
{
	struct line line;

	write_left(option, to);
	line = start_right(to, left_width(option), column);
	line_put_text(&line, text);
	if (option->required)
		line_put_text(&line, "(required)");
	fputs("\n", to);
}

static void write_options(const struct option *table, FILE *to)
{
	int column = 0;

	for (const struct option *option = option_first(table); option;
	     option = option_next(option)) {
		const int width = left_width(option) + 2;

		if (!option->hidden && width > column && width <= LEFT_COLUMNS)
			column = width;
	}
	for (const struct option *option = option_first(table); option;
	     option = option_next(option))
		if (!option->hidden)
			write_option(option, option->help, column, to);
}

static void write_entry(const char *name, const char *text, int column, FILE *to)
{
	struct line line = start_right(to, fprintf(to, "  %s", name), column);

	line_put_text(&line, text);
	fputs("\n", to);
}

static void write_features(const struct feature_list *list, FILE *to)
{
	int column = 0;

	for (size_t i = 0; i < list->n_features; i++) {
		const int width = (int)strlen(list->features[i]->name) + 4;

		column = width > column ? width : column;
	}
	for (size_t i = 0; i < list->n_features; i++)
		write_entry(list->features[i]->name, list->features[i]->title, column, to);
}

static void write_commands(const struct feature *feature, FILE *to)
{
	int column = 0;

	for (size_t i = 0; i < feature->n_commands; i++) {
		const int width = (int)strlen(feature->commands[i].name) + 4;

		column = width > column ? width : column;
	}
	for (size_t i = 0; i < feature->n_commands; i++)
		write_entry(feature->commands[i].name, feature->commands[i].summary, column, to);
}

/* Each on one line: what the short help has room for. */
static void write_common_options(const struct option *table, FILE *to)
{
	for (const struct option *option = table; option->name; option++) {
		if (option->brief)
			write_option(option, option->brief, LEFT_COLUMNS, to);
	}
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
		"  %1$s --simulate guide --info   the same of a simulated machine\n"
		"  %1$s help                      features and options\n",
		program);
}

void help_write_top(const char *program, const struct feature_list *list,
		    const struct option *global, FILE *to)
{
	write_usage(program, to);
	fprintf(to, "\nFeatures (%s help FEATURE lists its commands):\n", program);
	write_features(list, to);
	fprintf(to, "\nOptions used most (%s --help all lists all):\n", program);
	write_common_options(global, to);
	fprintf(to,
		"\nExamples:\n"
		"  %1$s --simulate guide perf-profile info --json\n"
		"  %1$s -c 2,3 turbo-freq enable --auto --dry-run\n",
		program);
}

void help_write_all(const char *program, const struct feature_list *list,
		    const struct option *global, FILE *to)
{
	write_usage(program, to);
	fprintf(to, "\nFeatures:\n");
	write_features(list, to);
	fprintf(to, "\n");
	write_paragraph(to, "FEATURE -h lists the commands of a feature, FEATURE COMMAND -h the "
			    "options of a command.");
	fprintf(to, "\nOptions, before the feature, or after the command by their long names:\n");
	write_options(global, to);
	fprintf(to, "\n");
	write_paragraph(to, "Exit status: 0 done; 1 refused by hardware or kernel; 2 usage; 3 not "
			    "supported here; 4 not permitted; 5 another instance holds the "
			    "machine.");
}

void help_write_feature(const char *program, const struct feature *feature, FILE *to)
{
	fprintf(to, "Usage: %s [OPTIONS] %s COMMAND [COMMAND OPTIONS]\n\n", program, feature->name);
	write_paragraph(to, feature->title);
	fprintf(to, "\nCommands:\n");
	write_commands(feature, to);
	fprintf(to, "\n");
	write_paragraph(to, "COMMAND -h shows the options of a command.");
}

static void put_option(struct line *line, const struct option *option)
{
	const char letter[] = { '-', option->letter, '\0' };

	line_put(line, "%s%s%s%s%s%s", option->required ? "" : "[", option->letter ? letter : "--",
		 option->letter ? "" : option->name, option->value ? " " : "", option->value ?: "",
		 option->required ? "" : "]");
}

/* In front of the feature -c is the list of CPUs, behind it perhaps a CLOS: so the long name. */
static void write_command_usage(const char *program, const struct feature *feature,
				const struct command *command, FILE *to)
{
	struct line line = line_start(to, fprintf(to, "Usage: "));

	line_put(&line, "%s [OPTIONS]", program);
	if (command->flags & COMMAND_NEEDS_CPUS)
		line_put(&line, "--cpu LIST");
	line_put(&line, "%s %s", feature->name, command->name);
	for (const struct option *option = command->options; option && option->name; option++)
		if (!option->hidden)
			put_option(&line, option);
	fputs("\n", to);
}

void help_write_command(const char *program, const struct feature *feature,
			const struct command *command, FILE *to)
{
	write_command_usage(program, feature, command, to);
	fprintf(to, "\n");
	write_paragraph(to, command->summary);
	if (command->about) {
		fprintf(to, "\n");
		write_paragraph(to, command->about);
	}
	if (command->flags & COMMAND_WRITES) {
		fprintf(to, "\n");
		write_paragraph(to, "Changes the machine and needs the capability CAP_SYS_ADMIN.");
	}
	fprintf(to, "\nOptions:\n");
	write_options(command->options, to);
}
