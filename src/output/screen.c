// SPDX-License-Identifier: GPL-2.0-only
/* Lays labelled lines and tables out for a screen of a given width. */
#include "output/screen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"

#define LABEL_WIDTH 13 /* of the labels at the left, with the blanks after them */
#define GAP         2 /* between the columns of a table */
#define DOTS        "..." /* ends a list that is cut */
#define FLUSH       4 /* indent of later lines of a paragraph without room for labels */
#define NARROW      60 /* screens of fewer columns have the label above a table */
#define LIST_WIDTH  28 /* a list with less room in its row goes below the row */
#define MOST_BAR    50 /* the longest bar, even on a wider screen */
#define LEAST_BAR   5
#define EMPTY_BARS  2 /* shown one by one; more in a row are one line with dots */

unsigned int screen_find_width(const struct output *output)
{
	const struct sink *sink = output_sink(output);
	struct winsize size;

	if (sink->kind == SINK_PATH || ioctl((int)sink->kind, TIOCGWINSZ, &size) < 0 ||
	    size.ws_col == 0)
		return SCREEN_WIDTH;
	return size.ws_col < SCREEN_MIN_WIDTH ? SCREEN_MIN_WIDTH : size.ws_col;
}

int screen_output(const struct screen *screen, struct output *output)
{
	if (screen->text.has_failed)
		return -ENOMEM;
	output_text(output, buffer_text(&screen->text));
	return 0;
}

void screen_done(struct screen *screen)
{
	buffer_done(&screen->text);
}

static void append_blanks(struct buffer *text, size_t count)
{
	while (count-- > 0)
		buffer_append_char(text, ' ');
}

/* Returns the length of a piece that is not folded: up to a blank, or up to and with a comma. */
static size_t piece_length(const char *text)
{
	size_t length = strcspn(text, " ,");

	return text[length] == ',' ? length + 1 : length;
}

/* Appends text from column at on, folded at the width. Later lines begin at column indent. Cuts the
 * text after most_lines lines (0: never). Does not end the last line. */
static void append_folded(struct screen *screen, const char *text, size_t at, size_t indent,
			  unsigned int most_lines)
{
	struct buffer *to = &screen->text;
	unsigned int n_lines = 1;
	size_t start = at;

	while (*text) {
		size_t blanks = strspn(text, " "), length = piece_length(text + blanks);

		/* the last line has room for the dots */
		if (n_lines == most_lines && text[blanks + length] &&
		    at + blanks + length + strlen(DOTS) > screen->width) {
			buffer_append_string(to, DOTS);
			return;
		}
		if (at > start && at + blanks + length > screen->width) {
			n_lines++;
			buffer_append_char(to, '\n');
			append_blanks(to, indent);
			at = start = indent;
			blanks = 0;
			text += strspn(text, " ");
		}
		buffer_append(to, text, blanks + length);
		at += blanks + length;
		text += blanks + length;
	}
}

/* Appends the label (NULL: none), and blanks up to width, one at least. 0: appends nothing. */
static void append_label(struct buffer *text, const char *label, size_t width)
{
	size_t length = strlen(label ?: "");

	if (width == 0)
		return;
	buffer_append_string(text, label ?: "");
	append_blanks(text, length < width ? width - length : 1);
}

void screen_put(struct screen *screen, const char *label, const char *text)
{
	_cleanup_free_ char *clean = strdup(text);
	size_t width = screen->is_flush ? 0 : LABEL_WIDTH;

	if (!clean) {
		screen->text.has_failed = true;
		return;
	}
	printable_clean(clean, strlen(clean));
	append_label(&screen->text, label, width);
	append_folded(screen, clean, width, screen->is_flush ? FLUSH : LABEL_WIDTH, 0);
	buffer_append_char(&screen->text, '\n');
}

void screen_put_command(struct screen *screen, const char *label, const char *heading,
			const char *command)
{
	append_label(&screen->text, label, screen->is_flush ? 0 : LABEL_WIDTH);
	buffer_append_string(&screen->text, heading);
	buffer_append_clean(&screen->text, command);
	buffer_append_char(&screen->text, '\n');
}

void screen_put_format(struct screen *screen, const char *label, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	if (text)
		screen_put(screen, label, text);
	else
		screen->text.has_failed = true;
}

char *screen_format_value(const json_t *value)
{
	struct buffer text = { 0 };
	const json_t *item;
	size_t i;

	if (!value)
		return NULL;
	switch (json_typeof(value)) {
	case JSON_STRING:
		buffer_append_clean(&text, json_string_value(value));
		break;
	case JSON_INTEGER:
		return text_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	case JSON_REAL:
		return text_format("%g", json_real_value(value));
	case JSON_TRUE:
	case JSON_FALSE:
		return strdup(json_is_true(value) ? "on" : "off");
	case JSON_ARRAY:
		json_array_foreach (value, i, item) {
			_cleanup_free_ char *part = screen_format_value(item);

			buffer_append_string(&text, i ? ", " : "");
			buffer_append_string(&text, part ?: "");
		}
		break;
	default:
		return NULL;
	}
	return buffer_steal(&text, NULL);
}

/* A table while it is laid out: texts by row and column. */
struct table {
	const struct screen_column *columns;
	const json_t *objects; /* the rows; NULL: rows has them */
	const struct json_rows *rows;
	size_t n_columns, n_rows;
	char **cells; /* by row, then column; NULL: none */
	size_t *widths; /* by column; 0: it has no value */
	bool *is_left_out; /* by column */
};

static void table_done(struct table *table)
{
	for (size_t i = 0; table->cells && i < table->n_rows * table->n_columns; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->widths);
	free(table->is_left_out);
}

static const char *cell_of(const struct table *table, size_t row, size_t column)
{
	return table->cells[row * table->n_columns + column] ?: "-";
}

static const char *heading_of(const struct table *table, const struct screen_column *column)
{
	const struct json_field *field =
		column->heading ? NULL : json_find_field(table->rows->fields, column->offset);

	return field ? field->label ?: field->name : column->heading;
}

/* Formats a member of a structure as text; NULL: it has none. */
static char *format_member(const struct json_field *fields, const struct screen_column *column,
			   const char *row)
{
	const struct json_field *field = json_find_field(fields, column->offset);
	const struct json_field one[] = { *field, { 0 } };
	const struct figure *figure = (const void *)(row + column->offset);
	_cleanup_json_ json_t *value = NULL;

	if (column->format_figure)
		return column->format_figure(figure);
	if (field->kind == JSON_FIGURE)
		return figure_format(figure, field->decimals);
	value = json_write_fields(one, row);
	return screen_format_value(json_object_get(value, field->name));
}

static char *format_cell(const struct table *table, const struct screen_column *column, size_t row)
{
	const json_t *object = json_array_get(table->objects, row);
	const char *structure =
		table->rows ? (const char *)table->rows->list + row * table->rows->size : NULL;

	if (column->format_row)
		return column->format_row(structure);
	if (column->is_member)
		return format_member(table->rows->fields, column, structure);
	return column->format ? column->format(object)
			      : screen_format_value(
					column->key ? json_object_get(object, column->key) : NULL);
}

/* Fills the cells, and the widths of the columns that have a value. */
static bool fill_table(struct table *table)
{
	table->cells = calloc(table->n_rows * table->n_columns + 1, sizeof(*table->cells));
	table->widths = calloc(table->n_columns + 1, sizeof(*table->widths));
	table->is_left_out = calloc(table->n_columns + 1, sizeof(*table->is_left_out));
	if (!table->cells || !table->widths || !table->is_left_out)
		return false;
	for (size_t column = 0; column < table->n_columns; column++) {
		const struct screen_column *about = &table->columns[column];
		size_t width = strlen(heading_of(table, about));
		bool has_any = false;

		for (size_t row = 0; row < table->n_rows; row++) {
			char *cell = format_cell(table, about, row);

			table->cells[row * table->n_columns + column] = cell;
			has_any = has_any || cell;
			if (strlen(cell ?: "-") > width)
				width = strlen(cell ?: "-");
		}
		table->widths[column] = has_any ? width : 0;
	}
	return true;
}

/* Returns true if the lines show the column. */
static bool is_shown(const struct table *table, size_t column)
{
	const char *other = table->columns[column].instead_of;

	for (size_t i = 0; i < table->n_columns && other; i++) {
		if (strcmp(heading_of(table, &table->columns[i]), other) == 0 &&
		    !table->is_left_out[i])
			return false;
	}
	return table->widths[column] && !table->is_left_out[column];
}

/* Returns the column of the screen in which a table begins. */
static size_t find_indent(const struct screen *screen)
{
	if (screen->is_flush)
		return 0;
	return screen->width < NARROW ? GAP : LABEL_WIDTH;
}

/* Returns the width of a line. A list counts for nothing, since it can go below the line. */
static size_t table_width(const struct table *table, size_t indent)
{
	size_t width = indent;

	for (size_t i = 0; i < table->n_columns; i++) {
		if (is_shown(table, i) && !table->columns[i].is_list)
			width += table->widths[i] + GAP;
	}
	return width ? width - GAP : 0;
}

/* Leaves out columns until a line fits. */
static void fit_table(struct table *table, const struct screen *screen)
{
	while (table_width(table, find_indent(screen)) > screen->width) {
		size_t found = table->n_columns;

		for (size_t i = 0; i < table->n_columns; i++) {
			if (is_shown(table, i) && table->columns[i].rank &&
			    (found == table->n_columns ||
			     table->columns[i].rank > table->columns[found].rank))
				found = i;
		}
		if (found == table->n_columns)
			return;
		table->is_left_out[found] = true;
	}
}

/* Appends a cell that is not a list, with the blanks after it: numbers at the right. */
static void append_cell(struct buffer *to, const char *text, size_t width, bool is_last)
{
	bool is_number = *text && strspn(text, "0123456789.-") == strlen(text);

	if (is_number)
		append_blanks(to, width - strlen(text));
	buffer_append_string(to, text);
	if (!is_last)
		append_blanks(to, GAP + (is_number ? 0 : width - strlen(text)));
}

static size_t last_column(const struct table *table)
{
	size_t last = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		if (is_shown(table, i))
			last = i;
	}
	return last;
}

/* Ends a line without blanks at its end. */
static void end_line(struct screen *screen)
{
	struct buffer *text = &screen->text;

	while (text->length && text->data[text->length - 1] == ' ')
		text->data[--text->length] = '\0';
	buffer_append_char(text, '\n');
}

/* Appends a row, or the headings if row is n_rows, after a label (NULL: none). */
static void append_row(struct screen *screen, const struct table *table, size_t row,
		       const char *label)
{
	size_t at = find_indent(screen), last = last_column(table);

	append_label(&screen->text, label, at);

	for (size_t i = 0; i < table->n_columns; i++) {
		const struct screen_column *column = &table->columns[i];
		const char *text =
			row == table->n_rows ? heading_of(table, column) : cell_of(table, row, i);
		size_t room = screen->width > at ? screen->width - at : 0;

		if (!is_shown(table, i))
			continue;
		if (!column->is_list) {
			append_cell(&screen->text, text, table->widths[i], i == last);
			at += table->widths[i] + GAP;
			continue;
		}
		if (room < LIST_WIDTH && table->widths[i] > room) {
			if (row == table->n_rows)
				continue;
			end_line(screen);
			at = find_indent(screen) + GAP;
			append_blanks(&screen->text, at);
		}
		append_folded(screen, text, at, at, screen->list_lines);
	}
	end_line(screen);
}

/* Lays a table out, and appends it. */
static void put_table(struct screen *screen, const char *label, struct table *table)
{
	if (!table->n_rows)
		return;
	if (!fill_table(table)) {
		screen->text.has_failed = true;
		return;
	}
	fit_table(table, screen);
	if (label && screen->width < NARROW) {
		buffer_append_string(&screen->text, label);
		buffer_append_char(&screen->text, '\n');
		label = NULL;
	}
	append_row(screen, table, table->n_rows, label);
	for (size_t row = 0; row < table->n_rows; row++)
		append_row(screen, table, row, NULL);
}

void screen_put_table(struct screen *screen, const char *label, const json_t *rows,
		      const struct screen_column *columns, size_t n_columns)
{
	_cleanup_(table_done) struct table table = {
		.columns = columns,
		.n_columns = n_columns,
		.n_rows = json_array_size(rows),
		.objects = rows,
	};

	put_table(screen, label, &table);
}

void screen_put_rows(struct screen *screen, const char *label, const struct json_rows *rows,
		     const struct screen_column *columns, size_t n_columns)
{
	_cleanup_(table_done) struct table table = {
		.columns = columns,
		.n_columns = n_columns,
		.n_rows = rows->count,
		.rows = rows,
	};

	put_table(screen, label, &table);
}

/* The widths of the parts of a picture, in columns. */
struct picture {
	size_t indent, label, text, room; /* room: of the longest bar and the mark */
	double most; /* the value of the longest bar, or of the last mark */
	bool has_marks;
};

static struct picture lay_out(const struct screen *screen, const struct screen_bar *bars,
			      size_t n_bars)
{
	struct picture picture = { .indent = find_indent(screen), .room = MOST_BAR };
	size_t left;

	for (size_t i = 0; i < n_bars; i++) {
		const double reach = bars[i].has_mark && bars[i].mark > bars[i].value
					     ? bars[i].mark
					     : bars[i].value;

		if (strlen(bars[i].label) > picture.label)
			picture.label = strlen(bars[i].label);
		if (strlen(bars[i].text) > picture.text)
			picture.text = strlen(bars[i].text);
		if (reach > picture.most)
			picture.most = reach;
		picture.has_marks = picture.has_marks || bars[i].has_mark;
	}
	left = picture.indent + picture.label + GAP + (picture.text ? picture.text + GAP : 0);
	if (screen->width < left + picture.room)
		picture.room = screen->width > left + LEAST_BAR ? screen->width - left : LEAST_BAR;
	return picture;
}

/* Returns how many columns the bar of a value has. With marks, the last column is for a mark. */
static size_t bar_length(const struct picture *picture, double value)
{
	const size_t room = picture->room - picture->has_marks;
	size_t length;

	if (value <= 0 || picture->most <= 0)
		return 0;
	length = (size_t)(value / picture->most * (double)room + 0.5);
	return length ? length : 1;
}

static void append_bar(struct screen *screen, const struct picture *picture,
		       const struct screen_bar *bar)
{
	struct buffer *to = &screen->text;
	const size_t length = bar_length(picture, bar->value);
	const size_t mark = bar->has_mark ? bar_length(picture, bar->mark) : SIZE_MAX;

	append_blanks(to, picture->label - strlen(bar->label));
	buffer_append_string(to, bar->label);
	append_blanks(to, GAP + picture->text - strlen(bar->text));
	buffer_append_string(to, bar->text);
	append_blanks(to, picture->text ? GAP : 0);
	for (size_t i = 0; i < length || (bar->has_mark && i <= mark); i++)
		buffer_append_char(to, i == mark ? '|' : i < length ? '#' : ' ');
	end_line(screen);
}

void screen_put_bars(struct screen *screen, const char *label, const struct screen_bar *bars,
		     size_t n_bars)
{
	const struct picture picture = lay_out(screen, bars, n_bars);
	size_t first = 0, end = n_bars;

	while (!picture.has_marks && first < end && bars[first].value <= 0)
		first++;
	while (!picture.has_marks && end > first && bars[end - 1].value <= 0)
		end--;
	if (label && first < end && screen->width < NARROW) {
		buffer_append_string(&screen->text, label);
		buffer_append_char(&screen->text, '\n');
		label = NULL;
	}
	for (size_t i = first; i < end; i++) {
		size_t n_empty = 0; /* the count from here on; the last bar is not empty */

		while (!picture.has_marks && bars[i + n_empty].value <= 0)
			n_empty++;
		append_label(&screen->text, i == first ? label : NULL, picture.indent);
		if (n_empty > EMPTY_BARS) {
			append_blanks(&screen->text, picture.label > strlen(DOTS)
							     ? picture.label - strlen(DOTS)
							     : 0);
			buffer_append_string(&screen->text, DOTS "\n");
			i += n_empty - 1;
			continue;
		}
		append_bar(screen, &picture, &bars[i]);
	}
}
