/* SPDX-License-Identifier: GPL-2.0-only */
/* Markup of HTML and SVG. What comes from files is escaped by the only function that puts it, so
 * that no text can become markup (measure.md, "report"). */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/json_fields.h"

#define HTML_NONE "\u2013" /* in place of a missing figure */

/* Appends markup in printf form, with %s, %c, %d, %u, %zu, %f and %.*f alone. The text of %s is
 * escaped, for elements and for quoted attributes; its control characters, and bytes that are not
 * UTF-8, become question marks. NULL is an empty text. */
void html_put(struct buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a JSON value for a script element: without "<", ">" and "&", which it shows as \u003c and
 * so on, so that nothing in it can end the element. */
void html_put_json(struct buffer *to, const json_t *value);

/* A table that is being made. */
struct html_table {
	struct buffer *to;
	const struct html_column *columns;
	size_t n_columns, at; /* at: the next cell of the row */
	bool marks_row; /* the rows that begin from now on are marked */
	const struct json_field *fields; /* of the structures that rows show; or NULL */
	struct buffer notes; /* why figures are missing */
};

enum html_column_kind {
	HTML_TEXT,
	HTML_WIDE, /* long texts, which are wrapped */
	HTML_NUMBER /* aligned to the right */
};

struct html_column {
	const char *heading; /* NULL: the label, or the name, and the unit of the member */
	enum html_column_kind kind;
	size_t offset; /* of the member of structures that it shows */
	/* The text of that, a figure: a new one. NULL: as its field says. */
	char *(*format_figure)(const struct figure *figure);
	/* In place of a member: the text of the cell of a structure, a new one; NULL: a dash. */
	char *(*format)(const void *row);
	/* The same: adds the cell. */
	void (*put)(struct html_table *table, const void *row);
};

#define HTML_COLUMN(text, how)                 \
	{                                      \
		.heading = (text), .kind = how \
	}
#define HTML_MEMBER(type, field) .offset = offsetof(type, field)
#define HTML_FIGURE(type, field) .kind = HTML_NUMBER, HTML_MEMBER(type, field)

/* Begins a table in a box that scrolls if it is too wide; columns stays the caller's. */
struct html_table html_begin_table(struct buffer *to, const char *caption,
				   const struct html_column *columns, size_t n_columns);

/* The same of a table whose rows show structures. */
struct html_table html_begin_fields(struct buffer *to, const char *caption,
				    const struct html_column *columns, size_t n_columns,
				    const struct json_field *fields);

/* Adds the cells of a structure to the present row, which may have some, up to its end. */
void html_put_fields(struct html_table *table, const void *row);

/* Makes a table of an array of structures. */
void html_put_rows(struct buffer *to, const char *caption, const struct html_column *columns,
		   size_t n_columns, const struct json_rows *rows);

/* Adds the next cell, in printf form; the first one of a row is its heading. A row begins with its
 * first cell and ends with its last. */
void html_put_cell(struct html_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of a text; NULL: a dash. */
void html_put_text(struct html_table *table, const char *text);

/* The same of a figure. Without one the cell has a dash, and the reason is put below the table. */
void html_put_figure(struct html_table *table, const struct figure *figure, int decimals);

/* Ends the table, and puts the reasons below it. */
void html_end_table(struct html_table *table);

#endif
