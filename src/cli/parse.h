/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the command line with the tables: global options, FEATURE, COMMAND, its options. Nothing
 * is carried out here. The first mistake is kept and the rest is still read, so that -f and -o at
 * any position apply to its message, too. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "cli/command.h"

enum parse_help {
	PARSE_HELP_NONE,
	PARSE_HELP_TOP,
	PARSE_HELP_ALL, /* all of the top */
	PARSE_HELP_FEATURE,
	PARSE_HELP_COMMAND
};

struct parse_lines {
	char **list; /* each one line without a full stop */
	size_t count;
};

struct parse_result {
	const struct command *feature; /* or NULL */
	const struct command *command; /* or NULL */
	void *arguments; /* command->arguments_size bytes if there is a command, else NULL */
	enum parse_help help;
	const struct option *awaiting; /* an option without its value at the end; or NULL */
	bool options_ended; /* "--" was read in the last part of the command line */
	bool has_rest; /* words after "--" are a command, whose status is passed on */
	bool is_lost; /* a word is not a feature or command, or requests help */
	bool is_help_word; /* the words begin with "help": a feature and a command may follow */
	const char *mistake; /* the first usage error, one line without a full stop; or NULL */
	struct parse_lines notes; /* options without effect */
	struct parse_lines warnings; /* what is ignored so that old scripts work */
	struct parse_lines texts; /* texts that other members point to */
};

/* The tables for parsing a command line. */
struct parse_tables {
	const struct command *features;
	const struct option *global;
	/* A mistake, not only a warning, is what the kernel tree's tool ignores: a word after the
	 * options of the command, an option of another command without its value. */
	bool strict;
};

/* Parses words[0..n_words-1]. Global options of the table global go into the struct at
 * global_values (NULL: nowhere), which the caller zeroes, and frees with parse_free_values().
 *
 * Long options take one dash or two, "=value" or a following word, and unambiguous prefixes;
 * options marked from_upstream are preferred. Single letters may share a word. "--" ends options.
 * "-h" and "--help" are known at every level.
 *
 * An option of another command is accepted with a note, and its value is not checked; but not after
 * a command_is_ours(), which the kernel tree's tool lacks. The long name of a global option is
 * accepted after the feature, and after a command that has no option of that name. Its letter is
 * accepted after a command_is_ours() if it is marked after_command. Other misplaced options are a
 * mistake, but take effect.
 *
 * In place of a feature, "help" means --help for the feature and command after it, and "version"
 * means --version. "all" after --help requests all of the help. After --help nothing is a mistake.
 * A command line without a feature is not a mistake: the caller decides.
 *
 * Returns 0 with *ret_result filled, mistakes included; or -ENOMEM. */
int parse_command_line(const struct parse_tables *tables, void *global_values, int n_words,
		       char **words, struct parse_result *ret_result);

/* Returns the options that are accepted after a command of the feature. */
struct option_scope parse_command_scope(const struct parse_tables *tables,
					const struct command *feature,
					const struct command *command);

/* Returns the first positional option of a command that is not given in values, or NULL. */
const struct option *parse_next_positional(const struct command *command, const void *values);

/* Frees what the result holds, CPU sets among the arguments included. */
void parse_result_done(struct parse_result *result);

/* Frees the CPU sets that options of the table put into values. */
void parse_free_values(const struct option *options, void *values);

#endif
