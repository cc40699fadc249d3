// SPDX-License-Identifier: GPL-2.0-only
/* Puts markup of HTML and SVG, and escapes everything that comes from files (measure.md,
 * "report"). */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* For each kind of column. */
static const char *const classes[] = {
	[HTML_TEXT] = "",
	[HTML_WIDE] = "wide",
	[HTML_NUMBER] = "n",
};

#define MOST_NUMBER 400 /* bytes: the largest double has 309 digits */

static void put_escaped(struct buffer *to, const char *text)
{
	_cleanup_free_ char *clean = strdup(text ?: "");

	if (!clean) {
		to->has_failed = true;
		return;
	}
	printable_clean(clean, strlen(clean));
	for (const char *at = clean; *at; at++) {
		switch (*at) {
		case '&':
			buffer_append_string(to, "&amp;");
			break;
		case '<':
			buffer_append_string(to, "&lt;");
			break;
		case '>':
			buffer_append_string(to, "&gt;");
			break;
		case '"':
			buffer_append_string(to, "&quot;");
			break;
		case '\'':
			buffer_append_string(to, "&#39;");
			break;
		default:
			buffer_append_char(to, *at);
		}
	}
}

/* Puts one argument. spec: its "%...", length bytes that end with the conversion. */
static void put_argument(struct buffer *to, const char *spec, size_t length, va_list *args)
{
	char text[MOST_NUMBER] = "";
	int decimals = 6;

	switch (spec[length - 1]) {
	case 's':
		put_escaped(to, va_arg(*args, const char *));
		return;
	case 'c':
		text[0] = (char)va_arg(*args, int);
		put_escaped(to, text);
		return;
	case 'f':
		if (length > 3) /* "%.1f", "%.*f" */
			decimals = spec[2] == '*' ? va_arg(*args, int) : spec[2] - '0';
		snprintf(text, sizeof(text), "%.*f", decimals, va_arg(*args, double));
		break;
	case 'u':
		if (spec[length - 2] == 'z')
			snprintf(text, sizeof(text), "%zu", va_arg(*args, size_t));
		else
			snprintf(text, sizeof(text), "%u", va_arg(*args, unsigned int));
		break;
	default:
		snprintf(text, sizeof(text), "%d", va_arg(*args, int));
	}
	buffer_append_string(to, text);
}

static void put_list(struct buffer *to, const char *format, va_list *args)
{
	while (*format) {
		size_t length = strcspn(format, "%");

		buffer_append(to, format, length);
		format += length;
		if (*format && format[1] == '%') {
			buffer_append_char(to, '%');
			format += 2;
		} else if (*format) {
			length = strcspn(format, "scduf") + 1;
			put_argument(to, format, length, args);
			format += length;
		}
	}
}

void html_put(struct buffer *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_list(to, format, &args);
	va_end(args);
}

void html_put_json(struct buffer *to, const json_t *value)
{
	_cleanup_free_ char *text =
		json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
					  JSON_REAL_PRECISION(12));

	if (!text)
		to->has_failed = true;
	for (const char *at = text; at && *at; at++) {
		char escaped[8];

		snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned char)*at);
		buffer_append(to, strchr("<>&", *at) ? escaped : at, strchr("<>&", *at) ? 6 : 1);
	}
}

static void put_heading(struct buffer *to, const struct html_column *column,
			const struct json_field *fields)
{
	const struct json_field *field =
		column->heading ? NULL : json_find_field(fields, column->offset);

	html_put(to, "%s%s%s", field ? field->label ?: field->name : column->heading,
		 field && field->unit_label ? " " : "", field ? field->unit_label : "");
}

struct html_table html_begin_fields(struct buffer *to, const char *caption,
				    const struct html_column *columns, size_t n_columns,
				    const struct json_field *fields)
{
	/* a box that scrolls needs a name, and access without a mouse */
	html_put(to,
		 "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
		 "<table><caption>%s</caption>\n<thead><tr>",
		 caption, caption);
	for (size_t i = 0; i < n_columns; i++) {
		html_put(to, "<th scope=\"col\" class=\"%s\">", classes[columns[i].kind]);
		put_heading(to, &columns[i], fields);
		buffer_append_string(to, "</th>");
	}
	buffer_append_string(to, "</tr></thead>\n<tbody>\n");
	return (struct html_table){
		.to = to, .columns = columns, .n_columns = n_columns, .fields = fields
	};
}

struct html_table html_begin_table(struct buffer *to, const char *caption,
				   const struct html_column *columns, size_t n_columns)
{
	return html_begin_fields(to, caption, columns, n_columns, NULL);
}

static void begin_cell(struct html_table *table)
{
	const char *class = classes[table->columns[table->at].kind];

	if (table->at == 0)
		html_put(table->to, "<tr class=\"%s\"><th scope=\"row\" class=\"%s\">",
			 table->marks_row ? "differs" : "", class);
	else
		html_put(table->to, *class ? "<td class=\"%s\">" : "<td>", class);
}

static void end_cell(struct html_table *table)
{
	buffer_append_string(table->to, table->at == 0 ? "</th>" : "</td>");
	table->at = (table->at + 1) % table->n_columns;
	if (table->at == 0)
		buffer_append_string(table->to, "</tr>\n");
}

void html_put_cell(struct html_table *table, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	table->to->has_failed |= !text;
	begin_cell(table);
	put_escaped(table->to, text);
	end_cell(table);
}

void html_put_text(struct html_table *table, const char *text)
{
	html_put_cell(table, "%s", text ?: HTML_NONE);
}

/* Stores why a figure of the present column is missing, each reason once. */
static void add_note(struct html_table *table, const char *reason)
{
	_cleanup_buffer_ struct buffer note = { 0 };

	buffer_append_string(&note, "<li>");
	put_heading(&note, &table->columns[table->at], table->fields);
	html_put(&note, ": %s</li>\n", reason);
	if (!strstr(buffer_text(&table->notes), buffer_text(&note)))
		buffer_append_string(&table->notes, buffer_text(&note));
}

void html_put_figure(struct html_table *table, const struct figure *figure, int decimals)
{
	begin_cell(table);
	if (figure_is_known(figure))
		html_put(table->to, "%.*f", decimals, figure->value);
	else
		html_put(table->to, "%s", HTML_NONE);
	if (figure_why(figure))
		add_note(table, figure->about);
	end_cell(table);
}

/* Adds a member. A missing figure is a dash, with the reason below the table. */
static void put_field(struct html_table *table, const struct html_column *column, const char *row)
{
	const struct json_field *field = json_find_field(table->fields, column->offset);
	const void *at = row + field->offset;
	_cleanup_free_ char *text = NULL;

	switch (field->kind) {
	case JSON_FIGURE:
		text = column->format_figure ? column->format_figure(at) : NULL;
		if (column->format_figure)
			html_put_text(table, text);
		else
			html_put_figure(table, at, field->decimals);
		break;
	case JSON_BOOL:
		html_put_cell(table, "%s",
			      field->has && !*(const bool *)(row + field->has) ? HTML_NONE
			      : *(const bool *)at                              ? "yes"
									       : "no");
		break;
	case JSON_TEXTS:
		text = texts_join(at, ", ");
		html_put_text(table, text);
		break;
	case JSON_CPUS:
		text = cpuset_format_ranges(at);
		html_put_text(table, text);
		break;
	case JSON_U32:
		html_put_cell(table, "%u", *(const uint32_t *)at);
		break;
	default:
		html_put_text(table, *(const char *const *)at);
	}
}

void html_put_fields(struct html_table *table, const void *row)
{
	do {
		const struct html_column *column = &table->columns[table->at];
		_cleanup_free_ char *text = column->format ? column->format(row) : NULL;

		if (column->put)
			column->put(table, row);
		else if (column->format)
			html_put_text(table, text);
		else
			put_field(table, column, row);
	} while (table->at);
}

void html_put_rows(struct buffer *to, const char *caption, const struct html_column *columns,
		   size_t n_columns, const struct json_rows *rows)
{
	struct html_table table = html_begin_fields(to, caption, columns, n_columns, rows->fields);

	for (size_t i = 0; i < rows->count; i++)
		html_put_fields(&table, (const char *)rows->list + i * rows->size);
	html_end_table(&table);
}

void html_end_table(struct html_table *table)
{
	buffer_append_string(table->to, "</tbody></table></div>\n");
	if (table->notes.length)
		html_put(table->to, "<ul class=\"notes\" aria-label=\"Missing figures\">\n");
	buffer_append_string(table->to, buffer_text(&table->notes));
	if (table->notes.length)
		buffer_append_string(table->to, "</ul>\n");
	buffer_done(&table->notes);
}
