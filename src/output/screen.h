/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for one screen, made of the JSON of a result: labelled lines that fold at its width, and
 * tables that leave out columns where there is no room (output.md, "Screens"). */
#ifndef OUTPUT_SCREEN_H
#define OUTPUT_SCREEN_H

#include <jansson.h>

#include "base/buffer.h"
#include "base/json_fields.h"
#include "output/output.h"

#define SCREEN_WIDTH     80
#define SCREEN_MIN_WIDTH 40 /* narrower terminals fold the lines */
#define SCREEN_BAR_TEXT  32 /* bytes of a text of a bar, with its zero */

struct screen {
	struct buffer text; /* has_failed: memory was short */
	unsigned int width; /* columns; a word that is longer than a line is not cut */
	bool is_flush; /* no room for labels, which are left out: text begins at the left */
	unsigned int list_lines; /* of a list in a table, which then ends in "..."; 0: all */
};

/* A column of a table, whose rows are JSON objects or structures. */
struct screen_column {
	const char *heading; /* NULL: the label or the name of the member of structures */
	const char *key; /* the member that it shows; one that is null in all rows is left out */
	bool is_member; /* offset is of the member of structures that it shows */
	size_t offset;
	/* For a member that is a figure: makes a new text, or NULL for none. NULL: the field's
	 * form. */
	char *(*format_figure)(const struct figure *figure);
	/* Makes a new text of the row instead of a member, or NULL for none. Needs no key. */
	char *(*format)(const json_t *row);
	char *(*format_row)(const void *row); /* the same of a structure */
	unsigned int rank; /* 0: always shown; of the others the highest is left out first */
	const char *instead_of; /* shown only if the column of this heading is left out; or NULL */
	bool is_list; /* a list with commas, of the last column: it folds */
};

/* The width of the terminal that the results of output go to, SCREEN_MIN_WIDTH or more;
 * SCREEN_WIDTH if that is none. */
unsigned int screen_find_width(const struct output *output);

/* Appends a paragraph: label (NULL: none) and text, folded at blanks and after commas. */
void screen_put(struct screen *screen, const char *label, const char *text);

/* Appends a line that is not folded: label (NULL: none), heading ("Remedy: ", or ""), and a
 * command, which can be pasted. */
void screen_put_command(struct screen *screen, const char *label, const char *heading,
			const char *command);

/* The same in printf form. */
void screen_put_format(struct screen *screen, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends a table: a line of headings after the label, and a line for each row. Below 60 columns
 * the label has a line of its own. */
void screen_put_table(struct screen *screen, const char *label, const json_t *rows,
		      const struct screen_column *columns, size_t n_columns);

#define SCREEN_MEMBER(type, field) .is_member = true, .offset = offsetof(type, field)

/* The same of an array of structures, with the table of their members. */
void screen_put_rows(struct screen *screen, const char *label, const struct json_rows *rows,
		     const struct screen_column *columns, size_t n_columns);

/* A bar of a picture. */
struct screen_bar {
	char label[SCREEN_BAR_TEXT]; /* at the left of its line */
	char text[SCREEN_BAR_TEXT]; /* its value, as it is shown; "": it is not */
	double value; /* 0 or more */
	bool has_mark;
	double mark; /* where a mark is in its line, in the unit of value */
};

/* Appends bars of '#', one in a line, the longest value as wide as there is room, and a mark as
 * '|'. A value above 0 has one '#' at least. Without marks, empty bars at both ends are left out,
 * and of several in a row between others one line with dots is left. The label is as that of a
 * table. */
void screen_put_bars(struct screen *screen, const char *label, const struct screen_bar *bars,
		     size_t n_bars);

/* Puts the text into the results, if these are text. Returns 0 or -ENOMEM. */
int screen_output(const struct screen *screen, struct output *output);

/* Frees the text. */
void screen_done(struct screen *screen);

#define _cleanup_screen_ __attribute__((cleanup(screen_done)))

/* A value as text: "on" or "off", a number, a text, the texts of an array with ", " between; NULL
 * for null and for no value (NULL). A new text. */
char *screen_format_value(const json_t *value);

#endif
