/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed reading of JSON members. The first thing that is wrong is kept, with file, line and member,
 * and from then on every read does nothing and gives zero: callers look once, at the end.
 */
#ifndef SIMULATOR_MEMBER_H
#define SIMULATOR_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/cpuset.h"

/* One text that is being read. */
struct member_reader {
	const char *file_name;
	const char *text;
	size_t length;
	int err; /* 0, -EINVAL or -ENOMEM */
	char *message; /* with -EINVAL: "FILE:LINE: MEMBER: what is wrong" */
};

/* A value and the way to it. The parent must stay where it is while the child is used. */
struct member {
	struct member_reader *reader;
	const struct member *parent;
	const char *name; /* NULL for the outermost value and in an array */
	size_t index; /* in an array */
	json_t *value; /* NULL: not there */
};

/* What a field of a structure is read from. */
enum member_kind {
	MEMBER_U8, /* a whole number */
	MEMBER_U16,
	MEMBER_U32,
	MEMBER_BOOL, /* true or false */
	MEMBER_FLAG, /* 0 or 1, for a bool */
	MEMBER_RATIO, /* MHz, for a uint8_t in units of 100 MHz */
	MEMBER_TEXT, /* a text, not empty; a new string */
	MEMBER_NESTED, /* the caller reads it */
	MEMBER_OPTIONAL /* the caller reads it, and it may be left out */
};

struct member_field {
	const char *name;
	enum member_kind kind;
	uint32_t min;
	uint32_t max;
	size_t offset;
};

/* One entry of a table of fields; the kind comes from the type of the structure's field. */
#define MEMBER_FIELD_(type, field, text, what, low, high)                    \
	{                                                                    \
		.name = (text), .kind = (what), .min = (low), .max = (high), \
		.offset = offsetof(type, field)                              \
	}
#define MEMBER_NUMBER_FIELD(type, field, text, low, high)  \
	MEMBER_FIELD_(type, field, text,                   \
		      _Generic(((type *)0)->field, uint8_t \
			       : MEMBER_U8, uint16_t       \
			       : MEMBER_U16, uint32_t      \
			       : MEMBER_U32),              \
		      low, high)
#define MEMBER_BOOL_FIELD(type, field, text) \
	MEMBER_FIELD_(type, field, text, _Generic(((type *)0)->field, bool : MEMBER_BOOL), 0, 0)
#define MEMBER_FLAG_FIELD(type, field, text) \
	MEMBER_FIELD_(type, field, text, _Generic(((type *)0)->field, bool : MEMBER_FLAG), 0, 1)
#define MEMBER_RATIO_FIELD(type, field, text) \
	MEMBER_FIELD_(type, field, text, _Generic(((type *)0)->field, uint8_t : MEMBER_RATIO), 0, 0)
#define MEMBER_TEXT_FIELD(type, field, text) \
	MEMBER_FIELD_(type, field, text, _Generic(((type *)0)->field, char * : MEMBER_TEXT), 0, 0)
#define MEMBER_NESTED_FIELD(text)                     \
	{                                             \
		.name = (text), .kind = MEMBER_NESTED \
	}
#define MEMBER_OPTIONAL_FIELD(text)                     \
	{                                               \
		.name = (text), .kind = MEMBER_OPTIONAL \
	}

/* The outermost value of the reader's text. */
struct member member_root(struct member_reader *reader, json_t *value);

/* The member of an object; its value is NULL where there is none. */
struct member member_of(const struct member *object, const char *name);

/* The element of an array, from 0; its value is NULL where there is none. */
struct member member_at(const struct member *array, size_t index);

/* Is it there, and something else than null? */
bool member_is_given(const struct member *member);

/* Keeps what is wrong with a member, unless something was wrong before. */
void member_refuse(const struct member *member, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts a question mark in place of each control character: a message is one line. */
void member_replace_controls(char *message);

/* Keeps that memory ran out, unless something was wrong before. */
void member_refuse_memory(const struct member *member);

/*
 * Reads an object: refuses members that the table does not have and the lack of one that it has,
 * and fills the fields of the structure at to (NULL where all are nested). A text belongs to the
 * caller, also after an error.
 */
void member_read_fields(const struct member *object, const struct member_field *fields,
			size_t n_fields, void *to);

/* Reads an array of min to max elements. Returns their number, 0 when refused. */
size_t member_read_list(const struct member *member, size_t min, size_t max);

/* Reads a whole number from min to max. */
uint32_t member_read_number(const struct member *member, uint32_t min, uint32_t max);

/* Reads MHz, a multiple of 100 up to 25500. Returns the ratio. */
uint8_t member_read_ratio(const struct member *member);

/* Reads a text without control characters. Returns the value's own string; NULL when refused. */
const char *member_read_text(const struct member *member);

/* Reads a text that is one of n_words. Returns which, 0 when refused. */
uint32_t member_read_word(const struct member *member, const char *const *words, size_t n_words);

/* Reads a list such as "0-3,8" ("" is empty) of ids up to max into ret_set, which must be empty. */
void member_read_set(const struct member *member, uint32_t max, struct cpuset *ret_set);

#endif
