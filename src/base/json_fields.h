/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON objects to structures and back, by tables of fields. The first problem of reading is kept
 * with the path to its member; from then on reading does nothing and gives zero, so that callers
 * check once, at the end. */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/figure.h"

#define _cleanup_json_ _cleanup_(cleanup_json)

static inline void cleanup_json(json_t **json)
{
	json_decref(*json);
}

/* One text that is being read. */
struct json_reader {
	const char *file_name;
	char path[192]; /* to the value that is being read; cut if it is longer */
	bool ignores_others; /* members of objects that their tables do not have */
	size_t each; /* the element that is read of lists of n_each values */
	size_t n_each;
	int err; /* 0, -EINVAL or -ENOMEM */
	char *message; /* with -EINVAL: "FILE: MEMBER: what is wrong" */
};

/* Reads a value, which is not NULL, to *to, or checks one that was read. */
typedef void json_read(struct json_reader *reader, json_t *value, void *to);

enum json_kind {
	JSON_PART, /* what the table or the function of the field reads; else nothing is read */
	JSON_U8, /* a whole number from min to max */
	JSON_U16,
	JSON_U32,
	JSON_BOOL, /* true or false, for a bool or uint8_t */
	JSON_RATIO, /* MHz, for a uint8_t in units of 100 MHz */
	JSON_TEXT, /* a text, not empty; the value's own string */
	JSON_WORD, /* one of some words, for the index of it in a uint32_t */
	JSON_NAME, /* one of some names, for its value in an int */
	JSON_CPUS, /* a list of ids up to max, for a struct cpuset */
	JSON_BIT, /* a number up to max, for a bit of a uint64_t that is not set yet */
	JSON_BITS, /* a list of such numbers */
	JSON_WORDS, /* a list of some words, for the bits of a uint32_t by their index */
	JSON_LIST, /* min to max elements; JSON is made of those before an empty one */
	/* Results; a figure may be absent, and has no state then. */
	JSON_COUNT, /* a whole number, for a uint64_t */
	JSON_NUMBER, /* any number, for a double */
	JSON_FIGURE, /* a number with NAME-source, or null with NAME-reason, for a struct figure */
	JSON_NAMED, /* members whose names begin so, for an array of struct named_figure */
	JSON_COUNTS, /* an object of the numbers above 0 by words, for as many uint64_t */
	JSON_NUMBERS, /* a list of numbers, for a struct cpuset */
	JSON_TEXTS, /* a list of texts, for a struct texts */
	JSON_ROWS, /* a list of objects, for a pointer to structures; count: of their number */
	JSON_ANY /* any value, for a json_t pointer */
};

struct json_name {
	const char *name;
	int value;
};

/* One member of an object, or each element of a list. A table ends with an entry of zero bytes. */
struct json_field {
	const char *name;
	enum json_kind kind;
	bool is_optional; /* may be missing */
	/* May be null: a JSON_U32 without "has" is the number "null" then, and so is the first
	 * member of a part without "has", which counts for the part. */
	bool is_nullable;
	uint32_t null;
	bool is_each; /* may be a list of reader->n_each such values, of which one counts */
	size_t has; /* offset of a bool: set if it is there and not null; or 0 */
	size_t offset; /* in the structure */
	uint32_t min;
	uint32_t max;
	uint32_t step; /* a number must be a multiple of it, in this unit: " kHz" */
	const char *unit;
	const char *not_above; /* another member of the object, with a number */
	size_t element_size; /* of a list */
	size_t count; /* offset of a uint8_t (of rows a size_t): the number of elements; or 0 */
	const struct json_field *element; /* of a list */
	const char *label; /* heads its column in a report; NULL: its name */
	const char *unit_label; /* "us": follows the label; or NULL */
	int decimals; /* of its cells in a report and on a screen */
	const char *column; /* heads its column on a screen; NULL: it has none */
	unsigned int rank; /* of that column, as in struct screen_column */
	bool is_signed; /* a figure below 0 is sound */
	bool is_compared; /* a figure by which saved results are compared */
	const char *const *words; /* NULL-terminated */
	const struct json_name *names; /* the last one has no name */
	const struct json_field *fields; /* of an object */
	/* Of a part: reads it, or checks it after its fields. Of another kind: checks it; gets the
	 * structure. */
	json_read *read;
	unsigned int marks; /* for the caller */
};

/* An array of structures, with the table of their members. */
struct json_rows {
	const void *list;
	size_t count, size; /* size: of a structure */
	const struct json_field *fields;
};

/* The name, the place and the kind of a member, the kind by the type of the field. */
#define JSON_FIELD(type, field, text) JSON_FIELD_AS(type, field, text, JSON_KIND_(type, field))
#define JSON_FIELD_AS(type, field, text, what) \
	.name = (text), .kind = (what), .offset = offsetof(type, field)
#define JSON_KIND_(type, field) \
	_Generic(((type *)0)->field,    \
		 uint8_t: JSON_U8,      \
		 uint16_t: JSON_U16,    \
		 uint32_t: JSON_U32,    \
		 bool: JSON_BOOL,       \
		 const char *: JSON_TEXT, \
		 struct cpuset: JSON_CPUS, \
		 uint64_t: JSON_COUNT, \
		 double: JSON_NUMBER, \
		 struct figure: JSON_FIGURE, \
		 struct texts: JSON_TEXTS, \
		 json_t *: JSON_ANY)
/* A list: its elements in an array of the structure, or read by a function to the structure. */
#define JSON_ARRAY(type, field, text, low, high, each)                            \
	JSON_FIELD_AS(type, field, text, JSON_LIST), .min = (low), .max = (high), \
						     .element = (each),           \
						     .element_size = sizeof(((type *)0)->field[0])
#define JSON_ELEMENTS(text, low, high, function)                        \
	.name = (text), .kind = JSON_LIST, .min = (low), .max = (high), \
	.element = &(const struct json_field)                           \
	{                                                               \
		.read = (function)                                      \
	}
#define JSON_HAS(type, field) .is_nullable = true, .has = offsetof(type, field)

/* A list of structures, with their number beside it. */
#define JSON_ROWS_OF(type, field, text, n_field, each)                                    \
	JSON_FIELD_AS(type, field, text, JSON_ROWS), .count = offsetof(type, n_field),    \
						     .fields = (each), .max = UINT32_MAX, \
						     .element_size = sizeof(*((type *)0)->field)

#define JSON_NAMED_OF(type, field, prefix, n_field) \
	JSON_FIELD_AS(type, field, prefix, JSON_NAMED), .count = offsetof(type, n_field)

/* What is wrong with a file that json_loadb() or json_loadf() has refused: a new text with the file
 * and the line. NULL: no memory. */
char *json_describe_error(const char *file, const json_error_t *error);

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

/* The same if memory is short. Returns whether it is. */
static inline bool json_lacks_memory(struct json_reader *reader, bool is_short)
{
	if (is_short)
		json_refuse_memory(reader);
	return is_short;
}

/* Refuses a number of the member that is outside min to max. Returns whether it is inside. */
bool json_check_range(struct json_reader *reader, const char *member, int64_t number, uint32_t min,
		      uint32_t max);

/* Reads an object into the structure at to. Refuses members that the table does not have, and the
 * lack of one that it has. */
void json_read_fields(struct json_reader *reader, json_t *object, const struct json_field *fields,
		      void *to);

/* Reads one member as the field says. */
void json_read_field(struct json_reader *reader, json_t *object, const struct json_field *field,
		     void *to);

/* Reads a value as the field says, which needs no name. */
void json_read_value(struct json_reader *reader, json_t *value, const struct json_field *field,
		     void *structure);

/* Makes an object of a structure. A member is left out if "has" says so; a pointer that is NULL is
 * left out (rows only if they need an element), or null if the member is nullable. NULL: no memory.
 */
json_t *json_write_fields(const struct json_field *fields, const void *from);

/* Sets the members of the fields in an object. Lack of memory shows in the object, which then has
 * no such member. */
void json_write_to(json_t *object, const struct json_field *fields, const void *from);

/* The field of a member (its offset) of a structure, or NULL. */
const struct json_field *json_find_field(const struct json_field *fields, size_t offset);

/* The names of the figures of tables, up to NULL, each once, blanks between. A new text; NULL: no
 * memory. */
char *json_list_figures(const struct json_field *const *tables);

/* Frees the lists and sets of a structure that was read or made, and empties it. */
void json_free_fields(const struct json_field *fields, void *structure);

/* Reads a text without control characters. Returns the value's own string; NULL if it is
 * refused. */
const char *json_read_text(struct json_reader *reader, json_t *value);

/* A list of CPUs as a text, "0-3,8". NULL: no memory. */
json_t *json_cpu_list(const struct cpuset *cpus);

/* The text of a member; NULL if there is none. */
static inline const char *json_get_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

#endif
