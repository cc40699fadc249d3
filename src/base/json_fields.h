/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts JSON objects to structures and back, with tables of fields. A reader keeps the first
 * problem and the path to its member. After a problem it reads nothing and returns zero, so that
 * callers check once, at the end. */
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

/* The state of reading one text. */
struct json_reader {
	const char *file_name;
	char path[192]; /* to the value that is being read; cut if it is longer */
	bool ignores_others; /* accepts members that the tables do not have */
	size_t each; /* the index of the element that is read in lists of n_each values */
	size_t n_each;
	int err; /* 0, -EINVAL or -ENOMEM */
	char *message; /* with -EINVAL: "FILE: MEMBER: what is wrong" */
};

/* Reads value, which is not NULL, into *to, or checks a value that was read. */
typedef void json_read(struct json_reader *reader, json_t *value, void *to);

enum json_kind {
	JSON_PART, /* an object; its table or function reads it, if the field has one */
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
	JSON_BITS, /* a list of different numbers of the kind JSON_BIT */
	JSON_WORDS, /* a list of some words, for the bits of a uint32_t by their index */
	JSON_LIST, /* min to max elements; an array is written up to its first empty element */
	/* Kinds of results. A figure that is absent stays FIGURE_NONE. */
	JSON_COUNT, /* a whole number, for a uint64_t */
	JSON_NUMBER, /* any number, for a double */
	JSON_FIGURE, /* a number with NAME-source, or null with NAME-reason, for a struct figure */
	JSON_NAMED, /* members with this beginning, for an array of struct named_figure */
	JSON_COUNTS, /* an object: each word with a number above 0, for an array of uint64_t */
	JSON_NUMBERS, /* a list of numbers, for a struct cpuset */
	JSON_TEXTS, /* a list of texts, for a struct texts */
	JSON_ROWS, /* a list of objects, for a pointer to structures; count: their number */
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
	/* May be null. Without "has", null sets a JSON_U32, or the first member of a part, to the
	 * number "null" of its field. */
	bool is_nullable;
	uint32_t null;
	bool is_each; /* may be a list of reader->n_each values; only reader->each is read */
	size_t has; /* offset of a bool, which is set if the member exists and is not null; or 0 */
	size_t offset; /* in the structure */
	uint32_t min;
	uint32_t max;
	uint32_t step; /* a number must be a multiple of it; in messages with the unit: " kHz" */
	const char *unit;
	const char *not_above; /* another member of the object, with a number */
	size_t element_size; /* of a list */
	size_t count; /* offset of the number of elements, a uint8_t (of rows: a size_t); or 0 */
	const struct json_field *element; /* of a list */
	const char *label; /* the heading of its column in a report; NULL: its name */
	const char *unit_label; /* "us": follows the label; or NULL */
	int decimals; /* of its cells in a report and on a screen */
	const char *column; /* the heading of its column on a screen; NULL: it has none */
	unsigned int rank; /* of that column, as in struct screen_column */
	bool is_signed; /* a figure may be below 0 */
	bool is_compared; /* saved results are compared by this figure */
	const char *const *words; /* NULL-terminated */
	const struct json_name *names; /* the last one has no name */
	const struct json_field *fields; /* of an object */
	/* Reads a part, or checks it after its fields. For another kind, checks the value and gets
	 * the structure. */
	json_read *read;
	unsigned int marks; /* for the caller */
};

/* An array of structures, with the table of their members. */
struct json_rows {
	const void *list;
	size_t count, size; /* size: of a structure */
	const struct json_field *fields;
};

/* The name, the offset and the kind of a member; the type of the field gives the kind. */
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
/* A list: its elements go to an array of the structure, or to a function with the structure. */
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

/* Describes why json_loadb() or json_loadf() refused a file: a new text with the file and the line.
 * NULL: no memory. */
char *json_describe_error(const char *file, const json_error_t *error);

/* Parses the text. Returns the value; or NULL with reader->err, and the line in the message. */
json_t *json_reader_load(struct json_reader *reader, const char *text, size_t length);

/* Ends reading: moves the message, if there is one, to *ret_message. Returns the error, or 0. */
int json_reader_finish(struct json_reader *reader, char **ret_message);

/* Keeps the problem of a member, unless there was a problem before. member is a path from the value
 * that is being read; NULL: the value itself. */
void json_refuse(struct json_reader *reader, const char *member, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps -ENOMEM, unless there was a problem before. */
void json_refuse_memory(struct json_reader *reader);

/* Calls json_refuse_memory() if is_short. Returns is_short. */
static inline bool json_lacks_memory(struct json_reader *reader, bool is_short)
{
	if (is_short)
		json_refuse_memory(reader);
	return is_short;
}

/* Refuses a number of the member that is outside min to max. Returns whether it is inside. */
bool json_check_range(struct json_reader *reader, const char *member, int64_t number, uint32_t min,
		      uint32_t max);

/* Reads an object into the structure at to. Refuses members that the table does not have, and
 * objects that lack a member of the table. */
void json_read_fields(struct json_reader *reader, json_t *object, const struct json_field *fields,
		      void *to);

/* Reads one member as the field says. */
void json_read_field(struct json_reader *reader, json_t *object, const struct json_field *field,
		     void *to);

/* Reads a value as the field says. The field needs no name. */
void json_read_value(struct json_reader *reader, json_t *value, const struct json_field *field,
		     void *structure);

/* Makes an object of a structure, without members whose "has" is false. A NULL pointer becomes null
 * if the member is nullable, else it is left out (rows only if they need elements). NULL: no
 * memory. */
json_t *json_write_fields(const struct json_field *fields, const void *from);

/* Sets the members of the fields in an object. If memory is short, members are missing. */
void json_write_to(json_t *object, const struct json_field *fields, const void *from);

/* Finds the field of the member at this offset of a structure; or NULL. */
const struct json_field *json_find_field(const struct json_field *fields, size_t offset);

/* Lists the names of the figures of the tables, each once, with blanks between. tables ends with
 * NULL. Returns a new text; NULL: no memory. */
char *json_list_figures(const struct json_field *const *tables);

/* Frees the lists and sets of a structure that was read or made, and empties it. */
void json_free_fields(const struct json_field *fields, void *structure);

/* Reads a text without control characters. Returns the value's own string; NULL if it is
 * refused. */
const char *json_read_text(struct json_reader *reader, json_t *value);

/* Returns a list of CPUs as a JSON string, "0-3,8". NULL: no memory. */
json_t *json_cpu_list(const struct cpuset *cpus);

/* Returns the text of a member; NULL if there is none. */
static inline const char *json_get_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

#endif
