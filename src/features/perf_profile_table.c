// SPDX-License-Identifier: GPL-2.0-only
/* Writes the text of perf-profile compare: a table with a column for each level, in blocks if it is
 * wide, and a list of rows that are equal in all levels. For a single level there is only the list,
 * with a line for each item (docs/spec/choose.md, "perf-profile compare"). */
#include "features/perf_profile_compare.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define MOST_WIDTH 80
#define FOLDED     "equal in all levels:"

#define FOLDED_INDENT 2
#define SINGLE_LABEL  24 /* width of "junction temperature (C)" */

struct text {
	char text[48];
};

/* "SSE", "AVX2", "level-3" */
static const char *instruction_set(const struct level_comparison *comparison,
				   unsigned int trl_level)
{
	const char *name = comparison->platform->trl_names[trl_level];

	return strcmp(name, "sse") == 0      ? "SSE"
	       : strcmp(name, "avx2") == 0   ? "AVX2"
	       : strcmp(name, "avx512") == 0 ? "AVX-512"
					     : name;
}

static struct text format_label(const struct level_comparison *comparison,
				const struct level_row *row)
{
	struct text label;

	if (row->kind == LEVEL_ROW_CLIP)
		snprintf(label.text, sizeof(label.text), "SST-TF clip, %s",
			 instruction_set(comparison, row->trl_level));
	else if (row->kind == LEVEL_ROW_TURBO_FREQ || row->kind == LEVEL_ROW_TURBO)
		snprintf(label.text, sizeof(label.text), "%s %s, bucket %u",
			 row->kind == LEVEL_ROW_TURBO ? "turbo" : "SST-TF",
			 instruction_set(comparison, row->trl_level), row->bucket);
	else
		snprintf(label.text, sizeof(label.text), "%s", row->label);
	return label;
}

/* "3200@4", "3000-3100@21-22", "yes", "-" */
static struct text format_cell(const struct level_row *row, const struct level_cell *cell)
{
	struct text text = { "-" };
	int length;

	if (!cell->is_known)
		return text;
	if (row->kind == LEVEL_ROW_ALLOWED || row->kind == LEVEL_ROW_CURRENT) {
		snprintf(text.text, sizeof(text.text), "%s",
			 cell->low != cell->high ? "in part"
			 : cell->low > 1         ? "yes"
						 : "no");
		return text;
	}
	length = snprintf(text.text, sizeof(text.text), "%u", cell->low);
	if (cell->high != cell->low)
		length += snprintf(text.text + length, sizeof(text.text) - (size_t)length, "-%u",
				   cell->high);
	if (cell->cores_high)
		length += snprintf(text.text + length, sizeof(text.text) - (size_t)length, "@%u",
				   cell->cores_low);
	if (cell->cores_high != cell->cores_low)
		snprintf(text.text + length, sizeof(text.text) - (size_t)length, "-%u",
			 cell->cores_high);
	return text;
}

/* Returns true if the cells of all levels are equal, as those of a single level are. */
static bool is_folded(const struct level_package *package, size_t row)
{
	for (size_t i = 1; i < package->n_levels; i++) {
		if (!level_cells_are_equal(&package->columns[0].cells[row],
					   &package->columns[i].cells[row]))
			return false;
	}
	return true;
}

/* Returns true if the row is in the list of equal rows. */
static bool is_listed(const struct level_comparison *comparison,
		      const struct level_package *package, size_t row)
{
	return is_folded(package, row) && !level_row_is_needless(comparison, package, row);
}

static struct text format_level(uint32_t level)
{
	struct text text;

	snprintf(text.text, sizeof(text.text), "level %u", level);
	return text;
}

struct widths {
	size_t label;
	size_t column;
};

static size_t longer(size_t left, size_t right)
{
	return left > right ? left : right;
}

static struct widths find_widths(const struct level_comparison *comparison,
				 const struct level_package *package)
{
	struct widths widths = { .column = strlen(format_level(0).text) };

	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct level_row *row = &comparison->rows[i];

		if (level_row_is_needless(comparison, package, i) || is_folded(package, i))
			continue;
		widths.label = longer(widths.label, strlen(format_label(comparison, row).text));
		for (size_t j = 0; j < package->n_levels; j++) {
			struct text cell = format_cell(row, &package->columns[j].cells[i]);

			widths.column = longer(widths.column, strlen(cell.text));
		}
	}
	return widths;
}

static void append_padded(struct buffer *to, const char *text, size_t width, bool is_right)
{
	size_t length = strlen(text);

	for (size_t i = length; i < width && is_right; i++)
		buffer_append_char(to, ' ');
	buffer_append_string(to, text);
	for (size_t i = length; i < width && !is_right; i++)
		buffer_append_char(to, ' ');
}

/* Appends a part of the table: the levels from first to before end. */
static void append_block(const struct level_comparison *comparison,
			 const struct level_package *package, const struct widths *widths,
			 size_t first, size_t end, struct buffer *to)
{
	append_padded(to, "", widths->label, false);
	for (size_t j = first; j < end; j++)
		append_padded(to, format_level(package->columns[j].level).text, widths->column + 2,
			      true);
	buffer_append_char(to, '\n');
	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct level_row *row = &comparison->rows[i];

		if (level_row_is_needless(comparison, package, i) || is_folded(package, i))
			continue;
		append_padded(to, format_label(comparison, row).text, widths->label, false);
		for (size_t j = first; j < end; j++) {
			struct text cell = format_cell(row, &package->columns[j].cells[i]);

			append_padded(to, cell.text, widths->column + 2, true);
		}
		buffer_append_char(to, '\n');
	}
}

/* Counts the rows from first on that are the buckets of one instruction set; 0 unless all of them
 * are equal in all levels. */
static size_t count_buckets(const struct level_comparison *comparison,
			    const struct level_package *package, size_t first)
{
	const struct level_row *row = &comparison->rows[first];

	if (row->kind != LEVEL_ROW_TURBO_FREQ && row->kind != LEVEL_ROW_TURBO)
		return 0;
	for (size_t i = 0; i < SST_BUCKETS; i++) {
		if (row[i].trl_level != row->trl_level || !is_folded(package, first + i))
			return 0;
	}
	return SST_BUCKETS;
}

/* "3200@2 3100@16": the last of several buckets with one frequency */
static void format_buckets(const struct level_package *package, const struct level_row *row,
			   size_t first, struct buffer *value)
{
	for (size_t i = first; i < first + SST_BUCKETS; i++) {
		const struct level_cell *cell = &package->columns[0].cells[i];
		const struct level_cell *next = i + 1 < first + SST_BUCKETS ? cell + 1 : NULL;

		if (!cell->is_known ||
		    (next && next->is_known && next->low == cell->low && next->high == cell->high))
			continue;
		if (value->length > 0)
			buffer_append_char(value, ' ');
		buffer_append_string(value, format_cell(row, cell).text);
	}
}

/* One entry of the list: the buckets of an instruction set; or rows with the same label up to a
 * comma, "base frequency" and "2600, AVX2 2200". */
struct item {
	struct text label;
	struct buffer value;
};

static void item_done(struct item *item)
{
	buffer_done(&item->value);
}

/* Makes the item that begins with a listed row. Returns the row after it. */
static size_t make_item(const struct level_comparison *comparison,
			const struct level_package *package, size_t first, struct item *item)
{
	const struct level_row *rows = comparison->rows;
	size_t length, end = first + count_buckets(comparison, package, first);

	item->label = format_label(comparison, &rows[first]);
	length = strcspn(item->label.text, ",");
	item->label.text[length] = '\0';
	if (end > first) {
		format_buckets(package, &rows[first], first, &item->value);
		return end;
	}
	for (end = first; end < comparison->n_rows; end++) {
		struct text label = format_label(comparison, &rows[end]);

		if (strncmp(label.text, item->label.text, length) != 0 ||
		    !strchr(",", label.text[length]) || rows[end].kind != rows[first].kind)
			break;
		if (!is_listed(comparison, package, end))
			continue;
		if (item->value.length > 0)
			buffer_append_string(&item->value, ", ");
		if (label.text[length]) {
			buffer_append_string(&item->value, label.text + length + 2);
			buffer_append_char(&item->value, ' ');
		}
		buffer_append_string(&item->value,
				     format_cell(&rows[end], &package->columns[0].cells[end]).text);
	}
	return end;
}

/* Appends words, or texts between commas, with a line break and blanks before one that leaves no
 * room for a semicolon. */
static void append_words(struct buffer *to, size_t *column, size_t indent, const char *words)
{
	bool has_commas = strchr(words, ',');

	while (*words) {
		size_t length = strcspn(words, has_commas ? "," : " ");

		length += words[length] == ',';

		if (*column + 1 + length + 1 > MOST_WIDTH) {
			buffer_append_char(to, '\n');
			append_padded(to, "", indent - 1, false);
			*column = indent - 1;
		}
		buffer_append_char(to, ' ');
		++*column;
		buffer_append(to, words, length);
		*column += length;
		words += length + strspn(words + length, " ");
	}
}

/* Adds an item to the list below a table, in one line if it fits: "TDP (W) 205; memory ..." */
static void append_folded(struct buffer *to, size_t *column, const struct item *item)
{
	size_t length = strlen(item->label.text) + 1 + item->value.length;

	if (*column == 0) {
		buffer_append_string(to, FOLDED);
		*column = strlen(FOLDED);
	} else {
		buffer_append_char(to, ';');
		++*column;
	}
	if (*column + 1 + length + 1 > MOST_WIDTH) {
		buffer_append_string(to, "\n ");
		*column = 1;
	}
	append_words(to, column, FOLDED_INDENT, item->label.text);
	append_words(to, column, FOLDED_INDENT, buffer_text(&item->value));
}

/* Appends the list: below a table, or for a single level (label_width), one line per item. */
static void append_list(const struct level_comparison *comparison,
			const struct level_package *package, size_t label_width, struct buffer *to)
{
	size_t column = 0;

	for (size_t i = 0; i < comparison->n_rows;) {
		_cleanup_(item_done) struct item item = { 0 };

		if (!is_listed(comparison, package, i)) {
			i++;
			continue;
		}
		i = make_item(comparison, package, i, &item);
		to->has_failed = to->has_failed || item.value.has_failed;
		if (!label_width) {
			append_folded(to, &column, &item);
			continue;
		}
		append_padded(to, item.label.text, label_width, false);
		column = label_width;
		append_words(to, &column, label_width + 1, buffer_text(&item.value));
		buffer_append_char(to, '\n');
	}
	if (column && !label_width)
		buffer_append_char(to, '\n');
}

/* Appends " (MHz; 3200@4: up to 4 cores of the package)", or what SST-TF and turbo each count. */
static void append_units(const struct level_comparison *comparison,
			 const struct level_package *package, struct buffer *to)
{
	const char *turbo = level_unit(comparison, package, LEVEL_ROW_TURBO);
	const char *turbo_freq = level_unit(comparison, package, LEVEL_ROW_TURBO_FREQ);
	const bool is_one = strcmp(turbo, turbo_freq) == 0;

	buffer_append_string(to, is_one ? " (MHz; 3200@4: up to 4 " : " (MHz; 3200@4: up to 4,\n");
	if (!is_one) {
		buffer_append_string(to, "  SST-TF: ");
		buffer_append_string(to, turbo_freq);
		buffer_append_string(to, "; turbo: ");
	}
	buffer_append_string(to, turbo);
	buffer_append_string(to, ")\n");
}

void level_table_append(const struct level_comparison *comparison,
			const struct level_package *package, struct buffer *to)
{
	struct widths widths = find_widths(comparison, package);
	size_t room = (MOST_WIDTH - widths.label) / (widths.column + 2);
	size_t step = longer(room, 1);

	buffer_append_string(to, cpuset_count(&package->equal) > 1 ? "packages " : "package ");
	cpuset_append_ranges(&package->equal, to);
	append_units(comparison, package, to);
	if (package->n_levels == 1) {
		append_padded(to, "level", SINGLE_LABEL + 1, false);
		buffer_append_number(to, package->columns[0].level);
		buffer_append_char(to, '\n');
		append_list(comparison, package, SINGLE_LABEL, to);
		return;
	}
	for (size_t first = 0; first < package->n_levels; first += step) {
		size_t end = first + step < package->n_levels ? first + step : package->n_levels;

		append_block(comparison, package, &widths, first, end, to);
	}
	append_list(comparison, package, 0, to);
}
