/* SPDX-License-Identifier: GPL-2.0-only */
/* Options as data: the parser, help, completion and --describe read the same tables. An entry has
 * the offset of its value in a struct of arguments; the compiler checks the type of that member. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "settings/cpu_names.h"

struct command;
struct json_field;

enum option_kind {
	OPTION_KIND_FLAG, /* bool */
	OPTION_KIND_CHOICE, /* struct option_number: a flag for the word at index min */
	OPTION_KIND_NUMBER, /* struct option_number: decimal, min to max */
	OPTION_KIND_MHZ, /* the same, a frequency in MHz, with or without a unit */
	OPTION_KIND_DECIMAL, /* the same, in thousandths: up to three decimals */
	OPTION_KIND_TIME, /* the same, a time in .unit_us, with a unit: "250us", "1ms", "10s" */
	OPTION_KIND_HEX, /* struct option_number: 0x and digits */
	OPTION_KIND_WORD, /* struct option_number: one word of a list */
	OPTION_KIND_TEXT, /* const char *, as given */
	OPTION_KIND_CPUS, /* struct option_cpus */
	OPTION_KIND_TEXTS, /* struct option_texts: may be given several times */
	OPTION_KIND_REST /* struct option_rest: positional, all words after "--" */
};

/* Specifies for completion whether an option's text is a path. */
enum option_path { OPTION_PATH_NONE, OPTION_PATH_FILE, OPTION_PATH_DIRECTORY };

/* Values that can be absent. name is the option as the user typed it, for messages: "-l" or
 * "--level"; it is valid as long as the parse_result. */
struct option_number {
	uint64_t value; /* of a word: its index in the list */
	const char *word; /* OPTION_KIND_MHZ and DECIMAL: one of the option's words, in place of a
			     number */
	bool given;
	const char *name;
};

/* The words of a switch: on and off. */
extern const char *const option_switch_words[];

/* Returns true if the switch was given and is on. */
static inline bool option_switch_is_on(const struct option_number *word)
{
	return word->given && word->value == 0;
}

struct option_cpus {
	struct cpu_names names; /* empty: not given */
	const char *name;
};

/* All values of an option, in the order of the command line. */
struct option_texts {
	const char **list; /* as given */
	size_t count;
};

struct option_rest {
	char *const *words; /* NULL-terminated, at least one; NULL: not given */
};

/* Returns true if the option was given. */
static inline bool option_cpus_is_given(const struct option_cpus *cpus)
{
	return !cpu_names_is_empty(&cpus->names);
}

/* An entry without a name ends a table of options. */
struct option {
	char letter; /* 0: none */
	const char *name;
	const char *value; /* the name of the value in help; NULL for a flag */
	const char *help; /* one line, no full stop */
	/* tables set the members above by position, the members below by name */
	const char *brief; /* help in a few words, for the short help; NULL: left out there */
	/* NULL-terminated. OPTION_KIND_WORD and CHOICE: all words; OPTION_KIND_MHZ and DECIMAL:
	 * words that are accepted in place of a number (NULL: none); OPTION_KIND_TEXT and CPUS:
	 * completion offers them (NULL: none) */
	const char *const *words;
	enum option_kind kind;
	size_t offset;
	uint64_t min, max;
	uint32_t unit_us; /* OPTION_KIND_TIME: the unit of the value, min and max */
	const char *unit; /* NUMBER and DECIMAL: may follow the number; NULL: none */
	bool required;
	bool from_upstream; /* the kernel tree's tool has it: its prefixes keep their meaning */
	bool platform_name; /* completion offers the names of the simulated platforms */
	enum option_path path;
	bool after_command; /* a global option: its letter is accepted after a COMMAND_ANY_MACHINE
			     */
	/* A global option has the same letter, which means this option only under the name of the
	 * kernel tree's tool; help shows only the name */
	bool upstream_letter;
	bool list; /* OPTION_KIND_TEXT: values with commas between, each may be one of words */
	/* OPTION_KIND_TEXT and TEXTS: completion offers the figures of these tables, up to NULL */
	const struct json_field *const *figures;
	/* Also for completion, which offers these names with dots part by part: returns the name of
	 * an index, or NULL after the last. Names with the same first part follow each other. */
	const char *(*dotted_name)(size_t index);
	bool hidden; /* for scripts: not in help and completion, and has no prefixes */
	/* A word of its own after the command, in the order of the table; OPTION_KIND_TEXTS takes
	 * all that are left. Help shows value in place of name. */
	bool positional;
};

/* Every table has "-h, --help" without an entry for it. */
extern const struct option option_help;

/* Returns true if a value follows the option, in the same word or the next one. */
static inline bool option_takes_value(const struct option *option)
{
	return option->kind != OPTION_KIND_FLAG && option->kind != OPTION_KIND_CHOICE;
}

/* Return the first option of a table (NULL: an empty one), and the option after this one.
 * option_help follows the last option of the table; NULL follows option_help. */
const struct option *option_first(const struct option *table);
const struct option *option_next(const struct option *option);

/* A part of a message, in one line. */
struct option_text {
	char text[1024];
};

/* Reads text (ignored for a flag) into the option's member of values, and replaces an earlier
 * value. name is the option as typed. Returns 0; -EINVAL with problem, which has the allowed
 * values, and values unchanged; or -ENOMEM. */
int option_read(const struct option *option, const char *name, const char *text, void *values,
		struct option_text *problem);

/* Returns true if values already has another value of the option. text must be a value that the
 * option accepts. False for an option that may be given several times. */
bool option_has_other(const struct option *option, const char *text, const void *values);

/* Returns true if the option was read into values. */
bool option_is_given(const struct option *option, const void *values);

/* Frees and empties the member of one option in values. */
void option_done(const struct option *option, void *values);

/* Quotes the first length bytes of text. Bytes that are not printable ASCII become \xNN, an empty
 * text becomes two quotes, and a very long one ends in "...". */
struct option_text option_quote(const char *text, size_t length);

/* The options that are accepted in one part of the command line. */
struct option_scope {
	const struct option *own; /* found by letter, name and prefix; NULL: none but -h */
	const struct command *others; /* features: found by letter and complete name; NULL: none */
	const struct command *first; /* the feature that is searched first; NULL: none */
	bool strict; /* ignores letters with upstream_letter */
};

enum option_match_kind {
	OPTION_MATCH_NONE,
	OPTION_MATCH_LONG, /* one option, by its name or a prefix of it */
	OPTION_MATCH_LETTERS, /* one letter, or several in one word */
	OPTION_MATCH_AMBIGUOUS /* a prefix of several names */
};

/* The meaning of a word. */
struct option_match {
	enum option_match_kind kind;
	const struct option *option; /* the option, or that of the first letter */
	bool other; /* it is an option of others */
	bool is_prefix; /* the word is not the complete name */
	const char *value; /* OPTION_MATCH_LONG: what follows "=", or NULL */
	struct option_text candidates; /* OPTION_MATCH_AMBIGUOUS: "--pause, --poll-interval" */
};

/* Returns true if the word begins with a dash and is longer, as "--" is. */
bool option_is_word(const char *word);

/* Returns the meaning of a word, which must be an option_is_word() and not "--". */
struct option_match option_match(const struct option_scope *scope, const char *word);

/* Finds the option of that letter, own ones first: OPTION_MATCH_LETTERS or OPTION_MATCH_NONE. */
struct option_match option_match_letter(const struct option_scope *scope, char letter);

/* Returns the end of a message: "; did you mean powersave?" with the word of a list (with blanks or
 * commas between; NULL: none) that is nearest to the wrong word, or "". */
struct option_text option_suggest(const char *words, const char *wrong);
struct option_text option_suggest_of(const char *const *words, const char *wrong); /* up to NULL */

/* Returns the name of an option that is nearest to the word, or NULL. Searches the own options, and
 * those of scope->first or, without that, of the others. */
const char *option_nearest_name(const struct option_scope *scope, const char *word);

/* Lists the names of the options of a table (NULL: an empty one), "--min, --max", without hidden
 * and positional options. Returns a new text, empty if there are none; NULL: no memory. */
char *option_list_names(const struct option *table);

#define OPTION_VALUE_(kind_, type, member, wanted, ...) \
	.kind = OPTION_KIND_##kind_,                    \
	.offset = _Generic(((type *)0)->member, wanted  \
			   : offsetof(type, member)),   \
	##__VA_ARGS__

#define OPTION_FLAG(type, member)  OPTION_VALUE_(FLAG, type, member, bool)
#define OPTION_TEXT(type, member)  OPTION_VALUE_(TEXT, type, member, const char *)
#define OPTION_TEXTS(type, member) OPTION_VALUE_(TEXTS, type, member, struct option_texts)
#define OPTION_REST(type, member) \
	OPTION_VALUE_(REST, type, member, struct option_rest, .positional = true)
#define OPTION_CPUS(type, member) \
	OPTION_VALUE_(CPUS, type, member, struct option_cpus, .words = cpu_names_words)
#define OPTION_HEX(type, member) \
	OPTION_VALUE_(HEX, type, member, struct option_number, .max = UINT64_MAX)
#define OPTION_NUMBER(type, member, lowest, highest) \
	OPTION_VALUE_(NUMBER, type, member, struct option_number, .min = (lowest), .max = (highest))
#define OPTION_MHZ(type, member, lowest, highest) \
	OPTION_VALUE_(MHZ, type, member, struct option_number, .min = (lowest), .max = (highest))
#define OPTION_MHZ_OR_WORD(type, member, lowest, highest, list)                                   \
	OPTION_VALUE_(MHZ, type, member, struct option_number, .min = (lowest), .max = (highest), \
		      .words = (list))
#define OPTION_DECIMAL(type, member, lowest, highest, list)                         \
	OPTION_VALUE_(DECIMAL, type, member, struct option_number, .min = (lowest), \
		      .max = (highest), .words = (list))
/* Times in whole seconds, where the unit may be missing, and in microseconds. */
#define OPTION_SECONDS(type, member, lowest, highest)                                              \
	OPTION_VALUE_(TIME, type, member, struct option_number, .min = (lowest), .max = (highest), \
		      .unit_us = US_PER_S)
#define OPTION_US(type, member, lowest, highest)                                                   \
	OPTION_VALUE_(TIME, type, member, struct option_number, .min = (lowest), .max = (highest), \
		      .unit_us = 1)
#define OPTION_WORD(type, member, list) \
	OPTION_VALUE_(WORD, type, member, struct option_number, .words = (list))
#define OPTION_CHOICE(type, member, list, index) \
	OPTION_VALUE_(CHOICE, type, member, struct option_number, .words = (list), .min = (index))

#endif
