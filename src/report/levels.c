// SPDX-License-Identifier: GPL-2.0-only
/* Shows what the performance levels offer: from the base frequency to the turbo frequencies, with
 * power and cores (measure.md, "report"). */
#include <stdlib.h>

#include "report/parts.h"

#define THICK        9
#define THIN         3
#define MOST_BUCKETS 8

/* The frequency for SSE, which is turbo-ratio level 0 where these have numbers (TPMI). */
static double find_sse(const json_t *frequencies)
{
	const double mhz = page_number(frequencies, "sse");

	return mhz > 0 ? mhz : page_number(frequencies, "level-0");
}

/* The frequency for SSE of a bucket; -1 counts as the last one. */
static double find_turbo(const json_t *level, bool is_first)
{
	const json_t *buckets = json_object_get(level, "turbo-ratio-limits");
	const size_t n_buckets = json_array_size(buckets);
	const json_t *bucket = json_array_get(buckets, is_first || !n_buckets ? 0 : n_buckets - 1);

	return find_sse(json_object_get(bucket, "mhz"));
}

/* The highest turbo frequency, also that of SST-TF. */
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
	const double base = page_number(level, "base-mhz"), all = find_turbo(level, false);
	const double highest = find_highest(level);
	const double base_freq = page_number(json_object_get(level, "base-freq"), "high-mhz");
	_cleanup_free_ char *label =
		text_format("level %.0f%s", page_number(level, "level"),
			    json_is_true(json_object_get(level, "current")) ? ", current" : "");
	_cleanup_free_ char *right =
		text_format("%.0f cores, %.0f W, %.0f to %.0f MHz", page_number(level, "cores"),
			    page_number(level, "tdp-w"), base, highest);

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
		range_add(&about.low, &about.high, page_number(level, "base-mhz"));
		range_add(&about.low, &about.high, find_turbo(level, false));
		range_add(&about.low, &about.high, find_highest(level));
		range_add(&about.low, &about.high,
			  page_number(json_object_get(level, "base-freq"), "high-mhz"));
	}
	if (about.high <= 0)
		return;
	strips = strips_begin(page, &about);
	json_array_foreach (levels, i, level)
		put_level(&strips, level);
	strips_end(&strips);
}

/* A row of the table: a member of a level, or of an object in it. */
struct row {
	const char *heading;
	const char *part; /* "base-freq"; NULL: of the level itself */
	const char *inner; /* an object in the part, or NULL */
	const char *member;
	const char *buckets; /* of the bucket at: "2: 3200", and no member */
	size_t at;
};

/* The object of a level that has what the row shows, or NULL. */
static const json_t *find_part(const json_t *level, const struct row *row)
{
	const json_t *part = row->part ? json_object_get(level, row->part) : level;

	return row->inner ? json_object_get(part, row->inner) : part;
}

static const json_t *find_buckets(const json_t *level, const struct row *row)
{
	return row->buckets ? json_object_get(find_part(level, row), row->buckets) : NULL;
}

/* Does the bucket say something, since the next one has another frequency? */
static bool says_something(const json_t *buckets, size_t at)
{
	const json_t *bucket = json_object_get(json_array_get(buckets, at), "mhz");
	const json_t *next = json_object_get(json_array_get(buckets, at + 1), "mhz");

	return bucket && (!next || find_sse(bucket) != find_sse(next));
}

/* Has a level anything for the row? */
static bool is_used(const json_t *levels, const struct row *row)
{
	const json_t *level;
	size_t i;

	json_array_foreach (levels, i, level) {
		const json_t *part = find_part(level, row);

		if (row->buckets ? says_something(find_buckets(level, row), row->at)
				 : json_is_number(json_object_get(part, row->member)))
			return true;
	}
	return false;
}

static void put_row(struct html_table *table, const json_t *levels, const struct row *row)
{
	const json_t *level;
	size_t i;

	if (!is_used(levels, row))
		return;
	html_put_cell(table, "%s", row->heading);
	json_array_foreach (levels, i, level) {
		const json_t *part = find_part(level, row);
		const json_t *buckets = find_buckets(level, row);
		const json_t *bucket = json_array_get(buckets, row->at);

		if (!row->buckets)
			html_put_member(table, part, row->member, 0);
		else if (says_something(buckets, row->at))
			html_put_cell(table, "%.0f (%.0f)",
				      find_sse(json_object_get(bucket, "mhz")),
				      page_number(bucket, "cores"));
		else
			html_put_cell(table, "%s", HTML_NONE);
	}
}

static void put_rows(struct html_table *table, const json_t *levels)
{
	static const struct row first[] = {
		{ .heading = "cores", .member = "cores" },
		{ .heading = "TDP, W", .member = "tdp-w" },
		{ .heading = "base", .member = "base-mhz" },
		{ .heading = "base, AVX2", .member = "base-avx2-mhz" },
		{ .heading = "base, AVX-512", .member = "base-avx512-mhz" },
		{ .heading = "base, AMX", .member = "base-amx-mhz" },
		{ .heading = "SST-BF high cores", .part = "base-freq", .member = "high-cores" },
		{ .heading = "SST-BF high", .part = "base-freq", .member = "high-mhz" },
		{ .heading = "SST-BF low", .part = "base-freq", .member = "low-mhz" },
	};
	static const struct row clips[] = {
		{ .heading = "SST-TF, other cores",
		  .part = "turbo-freq",
		  .inner = "clip-mhz",
		  .member = "sse" },
		{ .heading = "SST-TF, other cores",
		  .part = "turbo-freq",
		  .inner = "clip-mhz",
		  .member = "level-0" },
	};
	static const struct row last[] = {
		{ .heading = "junction, degrees C", .member = "tjunction-c" },
		{ .heading = "uncore minimum", .member = "uncore-min-mhz" },
		{ .heading = "uncore maximum", .member = "uncore-max-mhz" },
		{ .heading = "memory", .member = "memory-mhz" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		put_row(table, levels, &first[i]);
	for (size_t i = 0; i < MOST_BUCKETS; i++)
		put_row(table, levels,
			&(struct row){ .heading = "turbo (up to cores)",
				       .buckets = "turbo-ratio-limits",
				       .at = i });
	for (size_t i = 0; i < MOST_BUCKETS; i++)
		put_row(table, levels,
			&(struct row){ .heading = "SST-TF (up to cores)",
				       .part = "turbo-freq",
				       .buckets = "buckets",
				       .at = i });
	for (size_t i = 0; i < ARRAY_SIZE(clips); i++)
		put_row(table, levels, &clips[i]);
	for (size_t i = 0; i < ARRAY_SIZE(last); i++)
		put_row(table, levels, &last[i]);
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
	columns[0].heading = "MHz, SSE, if not said";
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

	json_array_foreach (json_object_get(group, "packages"), i, package) {
		buffer_append_string(&packages, i ? ", " : "");
		buffer_append_number(&packages, (uint64_t)json_integer_value(package));
	}
	page_begin_figure(page, false, "Packages %s: %s", buffer_text(&packages), labels);
	put_picture(page, json_object_get(group, "levels"));
	put_table(page, json_object_get(group, "levels"));
	page_end_figure(page);
}

void page_put_levels(struct page *page)
{
	bool is_open = false;

	for (size_t i = 0; i < page->n_runs; i++) {
		const json_t *groups = json_object_get(page->runs[i].json, "levels"), *group;
		_cleanup_free_ char *labels = page_find_labels(page, i, "levels");
		size_t j;

		if (!json_array_size(groups) || page_repeats(page, i, "levels"))
			continue;
		page_open_section(page, &is_open, "Performance levels",
				  "What each level of the processor offers, as "
				  "perf-profile compare shows it: more cores or higher "
				  "frequencies.");
		json_array_foreach (groups, j, group)
			put_group(page, group, labels ?: "");
	}
	page_close_section(page, is_open);
}
