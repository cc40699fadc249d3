/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes text for one screen from the JSON of a result: labelled lines that fold at its width, and
 * tables that leave out columns if there is no room (output.md, "Screens"). */
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
	bool is_flush; /* no room for labels, which are left out: text begins at column 0 */
	unsigned int list_lines; /* of a list in a table; a longer list ends in "..."; 0: all */
};

/* A column of a table, whose rows are JSON objects or structures. */
struct screen_column {
	const char *heading; /* NULL: the label or the name of the structures' member */
	const char *key; /* the member to show; the column is left out if it is null in all rows */
	bool is_member; /* shows the member of structures at offset */
	size_t offset;
	/* For a member that is a figure: returns a new text, or NULL for none. NULL: the form of
	 * the field. */
	char *(*format_figure)(const struct figure *figure);
	/* Returns a new text of the row in place of a member, or NULL for none. Needs no key. */
	char *(*format)(const json_t *row);
	char *(*format_row)(const void *row); /* the same for a structure */
	unsigned int rank; /* 0: always shown; the highest rank is left out first */
	const char *instead_of; /* shown only if the column of this heading is left out; or NULL */
	bool is_list; /* a list with commas, of the last column: it folds */
};

/* Returns the width of the terminal that shows the results, at least SCREEN_MIN_WIDTH; SCREEN_WIDTH
 * if no terminal shows them. */
unsigned int screen_find_width(const struct output *output);

/* Appends a paragraph: label (NULL: none) and text, folded at blanks and after commas. */
void screen_put(struct screen *screen, const char *label, const char *text);

/* Appends a line that is not folded: label (NULL: none), heading ("Remedy: ", or ""), and a
 * command, which can be pasted. */
void screen_put_command(struct screen *screen, const char *label, const char *heading,
			const char *command);

/* As screen_put(), with the text in printf form. */
void screen_put_format(struct screen *screen, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends a table: a line of headings after the label, and a line for each row. Below 60 columns
 * the label has a line of its own. */
void screen_put_table(struct screen *screen, const char *label, const json_t *rows,
		      const struct screen_column *columns, size_t n_columns);

#define SCREEN_MEMBER(type, field) .is_member = true, .offset = offsetof(type, field)

/* As screen_put_table(), for an array of structures with the table of their members. */
void screen_put_rows(struct screen *screen, const char *label, const struct json_rows *rows,
		     const struct screen_column *columns, size_t n_columns);

/* A bar of a picture. */
struct screen_bar {
	char label[SCREEN_BAR_TEXT]; /* at the left of its line */
	char text[SCREEN_BAR_TEXT]; /* its value, as it is shown; "": none is shown */
	double value; /* 0 or more */
	bool has_mark;
	double mark; /* the position of the mark, in the unit of value */
};

/* Appends bars of '#', one in each line. The longest value fills the room. A mark is a '|'. A value
 * above 0 has at least one '#'. Without marks, leaves out empty bars at both ends, and shows more
 * than two in a row between others as one line with dots. Puts the label as that of a table. */
void screen_put_bars(struct screen *screen, const char *label, const struct screen_bar *bars,
		     size_t n_bars);

/* Puts the text into the results, if these are text. Returns 0 or -ENOMEM. */
int screen_output(const struct screen *screen, struct output *output);

/* Frees the text. */
void screen_done(struct screen *screen);

#define _cleanup_screen_ __attribute__((cleanup(screen_done)))

/* Formats a value as a new text: "on" or "off", a number, a text, the texts of an array with ", "
 * between. Returns NULL for null and for no value (NULL). */
char *screen_format_value(const json_t *value);

#endif
