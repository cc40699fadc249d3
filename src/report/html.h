/* SPDX-License-Identifier: GPL-2.0-only */
/* Markup of HTML and SVG. Only one function puts texts from files, and it escapes them, so that no
 * text can become markup (measure.md, "report"). */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/json_fields.h"

#define HTML_NONE "\u2013" /* in place of a missing figure */

/* Appends markup in printf form, only with %s, %c, %d, %u, %zu, %f and %.*f. The text of %s is
 * escaped for elements and quoted attributes. Its control characters, and bytes that are not UTF-8,
 * become question marks. NULL is an empty text. */
void html_put(struct buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a JSON value for a script element. "<", ">" and "&" become \u003c and so on, so that the
 * value cannot end the element. */
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
	size_t offset; /* of the member that the column shows */
	/* Makes a new text of the member, a figure. NULL: the field sets the format. */
	char *(*format_figure)(const struct figure *figure);
	/* Instead of a member: makes a new text from a structure. If it returns NULL, a dash is
	 * shown. */
	char *(*format)(const void *row);
	/* Instead of a member: adds the cell itself. */
	void (*put)(struct html_table *table, const void *row);
};

#define HTML_COLUMN(text, how)                 \
	{                                      \
		.heading = (text), .kind = how \
	}
#define HTML_MEMBER(type, field) .offset = offsetof(type, field)
#define HTML_FIGURE(type, field) .kind = HTML_NUMBER, HTML_MEMBER(type, field)

/* Begins a table in a box that scrolls if it is too wide. The caller owns columns. */
struct html_table html_begin_table(struct buffer *to, const char *caption,
				   const struct html_column *columns, size_t n_columns);

/* Like html_begin_table(), but for rows that show structures with these fields. */
struct html_table html_begin_fields(struct buffer *to, const char *caption,
				    const struct html_column *columns, size_t n_columns,
				    const struct json_field *fields);

/* Adds the cells of a structure from the next cell to the end of the present row. */
void html_put_fields(struct html_table *table, const void *row);

/* Makes a table of an array of structures. */
void html_put_rows(struct buffer *to, const char *caption, const struct html_column *columns,
		   size_t n_columns, const struct json_rows *rows);

/* Adds the next cell, in printf form; the first one of a row is its heading. A row begins with its
 * first cell and ends with its last. */
void html_put_cell(struct html_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds the next cell with a text; NULL: a dash. */
void html_put_text(struct html_table *table, const char *text);

/* Adds the next cell with a figure. A missing figure is a dash, with the reason below the table. */
void html_put_figure(struct html_table *table, const struct figure *figure, int decimals);

/* Ends the table, and puts the reasons below it. */
void html_end_table(struct html_table *table);

#endif
