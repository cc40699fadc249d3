// SPDX-License-Identifier: GPL-2.0-only
/* Shows what the performance levels offer: from the base frequency to the turbo frequencies, with
 * power and cores (measure.md, "report"). */
#include <stdlib.h>

#include "report/parts.h"
#include "sst/level_fields.h"

#define THICK        9
#define THIN         3
#define MOST_BUCKETS 8

/* The frequency for SSE. With TPMI, turbo-ratio levels have numbers, and that of SSE is level 0. */
static double find_sse(const json_t *frequencies)
{
	const double mhz = page_number(frequencies, "sse");

	return mhz > 0 ? mhz : page_number(frequencies, "level-0");
}

/* The frequency for SSE of the first or the last bucket. */
static double find_turbo(const json_t *level, bool is_first)
{
	const json_t *buckets = json_object_get(level, "turbo-ratio-limits");
	const size_t n_buckets = json_array_size(buckets);
	const json_t *bucket = json_array_get(buckets, is_first || !n_buckets ? 0 : n_buckets - 1);

	return find_sse(json_object_get(bucket, "mhz"));
}

/* The highest turbo frequency, with or without SST-TF. */
static double find_highest(const json_t *level)
{
	const json_t *turbo_freq = json_object_get(level, "turbo-freq");
	const json_t *bucket = json_array_get(json_object_get(turbo_freq, "buckets"), 0);
	const double mhz = find_sse(json_object_get(bucket, "mhz"));
	const double turbo = find_turbo(level, true);

	return mhz > turbo ? mhz : turbo;
}

static void put_level(struct strips *strips, const json_t *level)
{
	const double base = page_number(level, LEVEL_KEY_BASE), all = find_turbo(level, false);
	const double highest = find_highest(level);
	const double base_freq = page_number(json_object_get(level, "base-freq"), LEVEL_KEY_HIGH);
	_cleanup_free_ char *label =
		text_format("level %.0f%s", page_number(level, "level"),
			    json_is_true(json_object_get(level, "current")) ? ", current" : "");
	_cleanup_free_ char *right =
		text_format("%.0f cores, %.0f W, %.0f to %.0f MHz", page_number(level, "cores"),
			    page_number(level, LEVEL_KEY_TDP), base, highest);

	strips_next(strips, label ?: "", right ?: "");
	if (base > 0 && highest > 0)
		strips_put_range(strips, "range b", base, highest, THIN);
	if (base > 0 && all > 0)
		strips_put_range(strips, "range a", base, all, THICK);
	if (base > 0)
		strips_put_mark(strips, "a", SVG_BAR, base);
	if (base_freq > 0)
		strips_put_mark(strips, "c", SVG_DIAMOND, base_freq);
	if (highest > 0)
		strips_put_mark(strips, "b", SVG_DOT, highest);
}

static void put_picture(struct page *page, const json_t *levels)
{
	static const struct svg_legend legend[] = {
		{ SVG_BAR, "a", "base" },          { SVG_BOX, "a", "to turbo, all cores" },
		{ SVG_DOT, "b", "highest turbo" }, { SVG_DIAMOND, "c", "SST-BF" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = "Performance levels",
		.description = "For each level a bar from the base frequency to the turbo "
			       "frequency of all cores, and a line to the highest turbo frequency; "
			       "the table below has the figures",
		.unit = "MHz, SSE",
		.legend = legend,
		.n_strips = json_array_size(levels),
	};
	struct strips strips;
	const json_t *level;
	size_t i;

	json_array_foreach (levels, i, level) {
		range_add(&about.low, &about.high, page_number(level, LEVEL_KEY_BASE));
		range_add(&about.low, &about.high, find_turbo(level, false));
		range_add(&about.low, &about.high, find_highest(level));
		range_add(&about.low, &about.high,
			  page_number(json_object_get(level, "base-freq"), LEVEL_KEY_HIGH));
	}
	if (about.high <= 0)
		return;
	strips = strips_begin(page, &about);
	json_array_foreach (levels, i, level)
		put_level(&strips, level);
	strips_end(&strips);
}

/* Lists one member of all levels; null for a level without it. */
static json_t *list_parts(struct html_table *table, const json_t *levels, const char *name)
{
	json_t *parts = json_array();
	const json_t *level;
	size_t i;

	json_array_foreach (levels, i, level) {
		json_t *part = json_incref(json_object_get(level, name)) ?: json_null();

		if (json_array_append_new(parts, part))
			table->to->has_failed = true;
	}
	return parts;
}

/* Puts a row for a member, if it is a number in any of the parts. */
static void put_row(struct html_table *table, const json_t *parts, const char *heading,
		    const char *member)
{
	bool is_used = false;
	const json_t *part;
	size_t i;

	json_array_foreach (parts, i, part)
		is_used = is_used || json_is_number(json_object_get(part, member));
	if (!is_used)
		return;
	html_put_cell(table, "%s", heading);
	json_array_foreach (parts, i, part) {
		const json_t *value = json_object_get(part, member);

		if (json_is_number(value))
			html_put_cell(table, "%.0f", json_number_value(value));
		else
			html_put_text(table, json_string_value(value));
	}
}

static void put_fields(struct html_table *table, const json_t *parts, unsigned int groups)
{
	level_fields_foreach (field, groups) {
		if (field->heading)
			put_row(table, parts, field->heading, field->key);
	}
}

/* Returns true if the bucket is shown: the next one has a different frequency. */
static bool says_something(const json_t *buckets, size_t at)
{
	const json_t *bucket = json_object_get(json_array_get(buckets, at), "mhz");
	const json_t *next = json_object_get(json_array_get(buckets, at + 1), "mhz");

	return bucket && (!next || find_sse(bucket) != find_sse(next));
}

/* Puts the rows of the buckets that are shown: "3200 (2)". */
static void put_buckets(struct html_table *table, const json_t *lists, const char *heading)
{
	const json_t *buckets;
	size_t i;

	for (size_t at = 0; at < MOST_BUCKETS; at++) {
		bool is_used = false;

		json_array_foreach (lists, i, buckets)
			is_used = is_used || says_something(buckets, at);
		if (!is_used)
			continue;
		html_put_cell(table, "%s", heading);
		json_array_foreach (lists, i, buckets) {
			const json_t *bucket = json_array_get(buckets, at);

			if (says_something(buckets, at))
				html_put_cell(table, "%.0f (%.0f)",
					      find_sse(json_object_get(bucket, "mhz")),
					      page_number(bucket, "cores"));
			else
				html_put_text(table, NULL);
		}
	}
}

static void put_rows(struct html_table *table, const json_t *levels)
{
	_cleanup_json_ json_t *base_freq = list_parts(table, levels, "base-freq");
	_cleanup_json_ json_t *turbo_freq = list_parts(table, levels, "turbo-freq");
	_cleanup_json_ json_t *turbo = list_parts(table, levels, "turbo-ratio-limits");
	_cleanup_json_ json_t *buckets = list_parts(table, turbo_freq, "buckets");
	_cleanup_json_ json_t *clips = list_parts(table, turbo_freq, "clip-mhz");

	put_row(table, levels, "cores", "cores");
	put_fields(table, levels, LEVEL_POWER);
	put_fields(table, levels, LEVEL_FREQUENCY);
	put_row(table, base_freq, "SST-BF high cores", "high-cores");
	put_fields(table, base_freq, LEVEL_BASE_FREQ);
	put_buckets(table, turbo, "turbo (up to cores)");
	put_buckets(table, buckets, "SST-TF (up to cores)");
	put_row(table, clips, "SST-TF, other cores", "sse");
	put_row(table, clips, "SST-TF, other cores", "level-0");
	put_fields(table, levels, LEVEL_TEMPERATURE | LEVEL_FABRIC | LEVEL_MEMORY);
}

static void put_table(struct page *page, const json_t *levels)
{
	_cleanup_free_ struct html_column *columns =
		calloc(json_array_size(levels) + 1, sizeof(*columns));
	static const char *const headings[] = { "level 0", "level 1", "level 2", "level 3",
						"level 4", "level 5", "level 6", "level 7" };
	struct html_table table;
	const json_t *level;
	size_t i;

	if (!columns) {
		page->text.has_failed = true;
		return;
	}
	columns[0].heading = "MHz, SSE, unless named";
	json_array_foreach (levels, i, level) {
		const double number = page_number(level, "level");
		const bool is_known = number >= 0 && number < (double)ARRAY_SIZE(headings);

		columns[i + 1].heading = is_known ? headings[(size_t)number] : "level";
		columns[i + 1].kind = HTML_NUMBER;
	}
	table = html_begin_table(&page->text, "Performance levels", columns,
				 json_array_size(levels) + 1);
	put_rows(&table, levels);
	html_end_table(&table);
}

static void put_group(struct page *page, const json_t *group, const char *labels)
{
	_cleanup_buffer_ struct buffer packages = { 0 };
	const json_t *package;
	size_t i;

	json_array_foreach (json_object_get(group, "packages"), i, package)
		buffer_add_item(&packages, ", ", "%" JSON_INTEGER_FORMAT,
				json_integer_value(package));
	page_begin_figure(page, false, "Packages %s: %s", buffer_text(&packages), labels);
	put_picture(page, json_object_get(group, "levels"));
	put_table(page, json_object_get(group, "levels"));
	page_end_figure(page);
}

void page_put_levels(struct page *page, size_t run)
{
	const json_t *groups = json_object_get(page->runs[run].json, "levels"), *group;
	_cleanup_free_ char *labels = page_find_labels(page, run, "levels");
	size_t i;

	if (page_repeats(page, run, "levels"))
		return;
	json_array_foreach (groups, i, group)
		put_group(page, group, labels ?: "");
}
