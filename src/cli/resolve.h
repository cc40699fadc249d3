/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which option a word of the command line means, as getopt_long_only() has it: the parser acts on
 * the answer, completion looks only at whether a value follows.
 */
#ifndef CLI_RESOLVE_H
#define CLI_RESOLVE_H

#include <stdio.h>

#include "cli/command.h"

enum resolve_kind {
	RESOLVE_LONG, /* one option, by its name or a prefix of it */
	RESOLVE_LETTERS, /* one letter, or several in a bundle */
	RESOLVE_AMBIGUOUS, /* a prefix of several names */
	RESOLVE_UNKNOWN
};

/* The options that mean something at one place of the command line. */
struct resolve_scope {
	const struct option *own; /* found by letter, name and prefix; NULL: none but -h */
	const struct feature_list *others; /* by letter and whole name; NULL: none */
	const struct feature *first; /* asked first among the others; NULL: none */
};

struct resolve_result {
	enum resolve_kind kind;
	const struct option *option; /* RESOLVE_LONG */
	const char *name; /* RESOLVE_LONG: the whole name that was meant */
	bool other; /* RESOLVE_LONG: one of the others */
	const char *value; /* RESOLVE_LONG: behind "=", or NULL */
	const char *letters; /* RESOLVE_LETTERS: the word without its dash */
};

/* Whether a word opens with a dash and is more than a dash; "--" counts as one. */
bool resolve_is_option(const char *word);

/* Says what a word means for which resolve_is_option() holds and which is not "--". */
struct resolve_result resolve_word(const struct resolve_scope *scope, const char *word);

/* The option of that letter, own ones first, or NULL; *ret_other tells if it is one of the others.
 */
const struct option *resolve_letter(const struct resolve_scope *scope, char letter,
				    bool *ret_other);

/* Writes the names that an ambiguous word may mean: "--pause, --poll-interval". */
void resolve_write_candidates(const struct resolve_scope *scope, const char *word, FILE *to);

/* The search for the name that differs least from a word, by two letters at most. */
struct resolve_nearest {
	const char *word;
	size_t length; /* of the word, up to a "=" */
	int budget; /* letters that the next name may differ by */
	const char *name; /* the nearest so far, or NULL */
};

/* Starts a search; the word may have dashes in front. */
struct resolve_nearest resolve_nearest_start(const char *word);

/* Takes the name if it is nearer than those before. NULL is ignored. */
void resolve_nearest_try(struct resolve_nearest *nearest, const char *name);

/* The own option's name that differs least from the word, by two letters at most, or NULL. */
const char *resolve_nearest_option(const struct resolve_scope *scope, const char *word);

/* The option for which the word after this one is the value, or NULL. Takes what resolve_word()
 * does. */
const struct option *resolve_awaited(const struct resolve_scope *scope, const char *word);

#endif
