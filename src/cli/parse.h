/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the command line against the tables: global options, FEATURE, COMMAND, its options. Nothing
 * is carried out here. The first mistake is kept and the rest is still read, so that -f and -o
 * apply to its message too, wherever they are. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "cli/command.h"

enum parse_help {
	PARSE_HELP_NONE,
	PARSE_HELP_TOP,
	PARSE_HELP_ALL, /* the top, whole */
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
	const struct option *awaiting; /* its value is missing at the end of the words; or NULL */
	bool options_ended; /* "--" was read where the words end */
	bool has_rest; /* words after "--" are a command, whose status is passed on */
	bool is_lost; /* a word is not a feature or command, or requests help */
	bool is_help_word; /* the words begin with "help": a feature and a command may follow */
	const char *mistake; /* the first usage error, one line without a full stop; or NULL */
	struct parse_lines notes; /* options without effect */
	struct parse_lines warnings; /* what is ignored for the sake of old scripts */
	struct parse_lines texts; /* that other members point to */
};

/* What a command line is read against. */
struct parse_tables {
	const struct command *features;
	const struct option *global;
	/* What the kernel tree's tool ignores is a mistake: a word after the options of the
	 * command, an option of another command without its value. Else it is a warning. */
	bool strict;
};

/* Reads words[0..n_words-1]. Global options of the table global go into the struct at global_values
 * (zeroed by the caller, who also frees it with parse_free_values(); NULL: nowhere).
 *
 * Long options take one dash or two, "=value" or a following word, and unambiguous prefixes;
 * options marked from_upstream are preferred. Single letters may share a word. "--" ends
 * options. "-h" and "--help" are known at every level.
 *
 * An option of some other command is accepted with a note, and its value is not checked;
 * but not after a command_is_ours(), which the kernel tree's tool does not have. A global option
 * is accepted by its long name after the feature and after the command too, if the command has no
 * option of that name; by its letter after a command_is_ours() if it is marked after_command.
 * Other misplaced options are a mistake, but take effect.
 *
 * The words help and version in place of a feature are --help, of the feature and command that
 * follow, and --version. "all" after --help asks for the whole help. After --help nothing is a
 * mistake. A command line without a feature is no mistake: the caller decides.
 *
 * Returns 0 with *ret_result filled, mistakes included; or -ENOMEM. */
int parse_command_line(const struct parse_tables *tables, void *global_values, int n_words,
		       char **words, struct parse_result *ret_result);

/* The options that are accepted after a command of the feature. */
struct option_scope parse_command_scope(const struct parse_tables *tables,
					const struct command *feature,
					const struct command *command);

/* The first positional option of a command that is not given in values, or NULL. */
const struct option *parse_next_positional(const struct command *command, const void *values);

/* Frees what the result holds, CPU sets among the arguments included. */
void parse_result_done(struct parse_result *result);

/* Frees the CPU sets that options of the table put into values. */
void parse_free_values(const struct option *options, void *values);

#endif
