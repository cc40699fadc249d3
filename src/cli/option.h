/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options as data: where each one's value goes in a struct of arguments, checked by type when the
 * program is compiled. The parser, help and completion read the same tables.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"

enum option_kind {
	OPTION_KIND_FLAG, /* bool */
	OPTION_KIND_CHOICE, /* struct option_word: one of a list, always the one at index min */
	OPTION_KIND_NUMBER, /* struct option_number: decimal, min to max */
	OPTION_KIND_MHZ, /* the same, a frequency in MHz, with a unit if one is given */
	OPTION_KIND_HEX, /* struct option_number: 0x and digits */
	OPTION_KIND_WORD, /* struct option_word: one of a list */
	OPTION_KIND_TEXT, /* const char *, as given */
	OPTION_KIND_CPUS /* struct cpuset */
};

/* Whether an option's text is a path, for completion. */
enum option_path { OPTION_PATH_NONE, OPTION_PATH_FILE, OPTION_PATH_DIRECTORY };

/* A number that may be left out. */
struct option_number {
	uint64_t value;
	bool given;
};

/* One of a list of words; index counts from 0 in the order of that list. */
struct option_word {
	size_t index;
	bool given;
};

struct option {
	char letter; /* 0: none */
	const char *name;
	const char *alias; /* another long name, or NULL */
	const char *value; /* how help calls the value; NULL for a flag */
	const char *help; /* one line, no full stop */
	const char *brief; /* the same in a few words, for the short help; NULL: not in it */
	/* NULL-terminated. OPTION_KIND_WORD and CHOICE: all that there are; OPTION_KIND_TEXT:
	 * completion offers them (NULL: none) */
	const char *const *words;
	enum option_kind kind;
	size_t offset;
	uint64_t min, max;
	bool required;
	/* The kernel tree's tool has it: its prefixes keep their meaning (commands.md). */
	bool historic;
	/* Completion: candidates are the platforms' names. */
	bool platform_name;
	enum option_path path;
	/* A global one whose letter is understood after a COMMAND_ANY_MACHINE too. */
	bool after_command;
	/* For scripts: help and completion leave it out, prefixes do not find it. */
	bool hidden;
};

/* "-h, --help", which every table has without listing it. */
extern const struct option option_help;

/* Does a value follow the option, in the same word or the next one? */
static inline bool option_takes_value(const struct option *option)
{
	return option->kind != OPTION_KIND_FLAG && option->kind != OPTION_KIND_CHOICE;
}

/* The first option of a table (NULL: an empty one), -h where there is no other. */
const struct option *option_first(const struct option *table);

/* The option after this one, -h behind the last of the table, NULL behind that. */
const struct option *option_next(const struct option *option);

#define OPTION_OFFSET_(type, member, wanted)                                                   \
	(offsetof(type, member) +                                                              \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted) \
				 ? 1                                                           \
				 : -1]))

#define OPTION_FLAG(type, member) \
	.kind = OPTION_KIND_FLAG, .offset = OPTION_OFFSET_(type, member, bool)
#define OPTION_NUMBER(type, member, lowest, highest)                   \
	.kind = OPTION_KIND_NUMBER, .min = (lowest), .max = (highest), \
	.offset = OPTION_OFFSET_(type, member, struct option_number)
#define OPTION_MHZ(type, member, lowest, highest)                   \
	.kind = OPTION_KIND_MHZ, .min = (lowest), .max = (highest), \
	.offset = OPTION_OFFSET_(type, member, struct option_number)
#define OPTION_HEX(type, member)                    \
	.kind = OPTION_KIND_HEX, .max = UINT64_MAX, \
	.offset = OPTION_OFFSET_(type, member, struct option_number)
#define OPTION_WORD(type, member, list)            \
	.kind = OPTION_KIND_WORD, .words = (list), \
	.offset = OPTION_OFFSET_(type, member, struct option_word)
#define OPTION_CHOICE(type, member, list, index)                     \
	.kind = OPTION_KIND_CHOICE, .words = (list), .min = (index), \
	.offset = OPTION_OFFSET_(type, member, struct option_word)
#define OPTION_TEXT(type, member) \
	.kind = OPTION_KIND_TEXT, .offset = OPTION_OFFSET_(type, member, const char *)
#define OPTION_CPUS(type, member) \
	.kind = OPTION_KIND_CPUS, .offset = OPTION_OFFSET_(type, member, struct cpuset)

/* A table ends with an entry without a name. */
#define OPTIONS_END \
	{           \
		0   \
	}

#endif
