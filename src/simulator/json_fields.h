/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON objects to structures, by tables of fields. The first problem is kept with the path
 * to its member; from then on reading does nothing and gives zero, so that callers check once, at
 * the end. */
#ifndef SIMULATOR_JSON_FIELDS_H
#define SIMULATOR_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/cpuset.h"

/* One text that is being read. */
struct json_reader {
	const char *file_name;
	char path[192]; /* to the value that is being read; cut if it is longer */
	int err; /* 0, -EINVAL or -ENOMEM */
	char *message; /* with -EINVAL: "FILE: MEMBER: what is wrong" */
};

/* Reads a value to *to, of the type that the function is for. */
typedef void json_read(struct json_reader *reader, json_t *value, void *to);

enum json_kind {
	JSON_U8, /* a whole number from min to max */
	JSON_U16,
	JSON_U32,
	JSON_YES, /* true or false */
	JSON_FLAG, /* 0 or 1, for a bool */
	JSON_RATIO, /* MHz, for a uint8_t in units of 100 MHz */
	JSON_TEXT, /* a text, not empty; a new string */
	JSON_WORD, /* one of some words, for the index of it */
	JSON_NESTED, /* an object with fields of its own */
	JSON_CALL, /* whatever a function reads */
	JSON_SKIP /* the caller reads it */
};

/* One member of an object. A table ends with an entry of all zero bytes. */
struct json_field {
	const char *name;
	enum json_kind kind;
	bool is_optional;
	uint32_t min;
	uint32_t max;
	size_t offset; /* in the structure */
	const char *const *words; /* NULL-terminated */
	const struct json_field *fields;
	json_read *read;
};

#define JSON_FIELD_(type, field, text, what) \
	.name = (text), .kind = (what), .offset = offsetof(type, field)
#define JSON_KIND_(type, field) \
	_Generic(((type *)0)->field, uint8_t               \
		 : JSON_U8, uint16_t                       \
		 : JSON_U16, uint32_t                      \
		 : JSON_U32, bool \
		 : JSON_YES, char *                        \
		 : JSON_TEXT)
#define JSON_NUMBER(type, field, text, low, high)                                      \
	{                                                                              \
		JSON_FIELD_(type, field, text, JSON_KIND_(type, field)), .min = (low), \
									 .max = (high) \
	}
/* A bool or a text, by the type of the field. */
#define JSON_VALUE(type, field, text)                                   \
	{                                                               \
		JSON_FIELD_(type, field, text, JSON_KIND_(type, field)) \
	}
#define JSON_VALUE_AS(type, field, text, what, limit)                \
	{                                                            \
		JSON_FIELD_(type, field, text, what), .max = (limit) \
	}
#define JSON_CHOICE(type, field, text, list)                      \
	{                                                         \
		JSON_FIELD_(type, field, text,                    \
			    _Generic(((type *)0)->field, uint32_t \
				     : JSON_WORD)),               \
			.words = (list)                           \
	}
#define JSON_OBJECT(text, table)                                       \
	{                                                              \
		.name = (text), .kind = JSON_NESTED, .fields = (table) \
	}
#define JSON_BY(type, field, text, function)                                  \
	{                                                                     \
		JSON_FIELD_(type, field, text, JSON_CALL), .read = (function) \
	}
/* A member whose function gets the structure itself. */
#define JSON_PART(text, function)                                     \
	{                                                             \
		.name = (text), .kind = JSON_CALL, .read = (function) \
	}
#define JSON_MAYBE_PART(text, function)                                                    \
	{                                                                                  \
		.name = (text), .kind = JSON_CALL, .is_optional = true, .read = (function) \
	}
/* A member that may be missing: a bool, or a number up to 255. */
#define JSON_MAYBE(type, field, text)                                                         \
	{                                                                                     \
		JSON_FIELD_(type, field, text, JSON_KIND_(type, field)), .is_optional = true, \
									 .max = UINT8_MAX     \
	}
#define JSON_IGNORED(text)                        \
	{                                         \
		.name = (text), .kind = JSON_SKIP \
	}
/* Parses the text. Returns the value; NULL with reader->err, and the line in the message. */
json_t *json_reader_load(struct json_reader *reader, const char *text, size_t length);

/* Ends reading: hands the message, if there is one, to *ret_message. Returns the error, or 0. */
int json_reader_finish(struct json_reader *reader, char **ret_message);

/* Keeps what is wrong with a member of the value that is being read (path relative to it; NULL: the
 * value itself), unless there was a problem before. */
void json_refuse(struct json_reader *reader, const char *member, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps that memory ran out, unless there was a problem before. */
void json_refuse_memory(struct json_reader *reader);

/* Refuses a number of the member that is outside min to max. Returns whether it is inside. */
bool json_check_range(struct json_reader *reader, const char *member, int64_t number, uint32_t min,
		      uint32_t max);

/* Refuses a number of the member that is above the limit. */
void json_check_limit(struct json_reader *reader, const char *member, uint32_t value,
		      const char *limit_name, uint32_t limit);

/* Reads an object into the structure at to. Refuses members that the table does not have, and the
 * lack of one that it has. Texts belong to the caller, also after an error. */
void json_read_fields(struct json_reader *reader, json_t *object, const struct json_field *fields,
		      void *to);

/* Reads one member as the field says. */
void json_read_field(struct json_reader *reader, json_t *object, const struct json_field *field,
		     void *to);

/* Reads one member with a function. */
void json_read_member(struct json_reader *reader, json_t *object, const char *name, json_read *read,
		      void *to);

/* Reads an array of min to max elements, each with the function, into an array of elements of that
 * size. Returns their number, 0 if it is refused. */
size_t json_read_list(struct json_reader *reader, json_t *list, size_t min, size_t max,
		      json_read *read, void *to, size_t element_size);

/* Reads a whole number from min to max. */
uint32_t json_read_number(struct json_reader *reader, json_t *value, uint32_t min, uint32_t max);

/* Reads a text without control characters. Returns the value's own string; NULL if it is
 * refused. */
const char *json_read_text(struct json_reader *reader, json_t *value);

/* Reads one of the words. Returns its index, 0 if it is refused. */
uint32_t json_read_word(struct json_reader *reader, json_t *value, const char *const *words);

/* Reads a list such as "0-3,8" ("" is empty) of ids up to max into ret_set, which must be empty. */
void json_read_set(struct json_reader *reader, json_t *value, uint32_t max, struct cpuset *ret_set);

/* json_read functions for a uint8_t: a count, and a ratio from MHz. */
json_read json_read_count, json_read_ratio;

#endif
