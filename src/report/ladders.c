// SPDX-License-Identifier: GPL-2.0-only
/* Shows each ladder: what was promised and measured with one busy core, with two, and so on
 * (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define HEIGHT     230
#define TOP        26
#define BOTTOM     (HEIGHT - 32)
#define LEFT       42
#define MOST_TICKS 5

/* A ladder in its frame. */
struct frame {
	struct svg svg;
	struct scale cores, mhz;
};

static const json_t *steps_of(const struct page *page, size_t run)
{
	return page->runs[run].kind == SAVED_RUN_LADDER
		       ? json_object_get(page->runs[run].json, "steps")
		       : NULL;
}

/* The range of all ladders, so that they can be compared. */
static void survey(const struct page *page, double *low, double *high, double *most_cores)
{
	const json_t *step, *group;
	size_t i, j, k;

	for (i = 0; i < page->n_runs; i++) {
		json_array_foreach (steps_of(page, i), j, step) {
			if (page_number(step, "cores") > *most_cores)
				*most_cores = page_number(step, "cores");
			json_array_foreach (json_object_get(step, "groups"), k, group) {
				range_add(low, high, page_number(group, "promised-mhz"));
				range_add(low, high, page_number(group, "measured-mhz"));
			}
		}
	}
}

/* A number at the axis of busy cores. */
static void put_cores(struct frame *frame, double cores)
{
	svg_text(&frame->svg, "tick", "middle", scale_at(&frame->cores, cores), BOTTOM + 13, "%.0f",
		 cores);
}

static void put_frame(struct frame *frame, const struct scale_ticks *mhz,
		      const struct scale_ticks *cores)
{
	struct svg *svg = &frame->svg;

	for (size_t i = 0; i < mhz->count; i++) {
		const double y = scale_at(&frame->mhz, mhz->list[i]);

		svg_line(svg, "grid", LEFT, y, PICTURE_WIDTH - PICTURE_EDGE, y);
		svg_text(svg, "tick", "end", LEFT - 5, y + 4, "%.0f", mhz->list[i]);
	}
	put_cores(frame, 1);
	for (size_t i = 0; i < cores->count; i++) {
		if (cores->list[i] >= 2 && cores->list[i] <= frame->cores.to - cores->list[1] / 4)
			put_cores(frame, cores->list[i]);
	}
	if (frame->cores.to >= 2)
		put_cores(frame, frame->cores.to - 0.5);
	svg_line(svg, "axis", LEFT, BOTTOM, PICTURE_WIDTH - PICTURE_EDGE, BOTTOM);
	svg_text(svg, "tick", "middle", (LEFT + PICTURE_WIDTH) / 2, BOTTOM + 27, "busy cores");
	svg_text(svg, "tick", "start", PICTURE_EDGE, TOP - 2, "MHz");
}

/* The promise as a line below or above its mark, as wide as a step. */
static void put_group(struct frame *frame, const json_t *step, const json_t *group)
{
	const double cores = page_number(step, "cores");
	const double promised = page_number(group, "promised-mhz");
	const double measured = page_number(group, "measured-mhz");
	const char *result = page_text(step, "result");
	const double x = scale_at(&frame->cores, cores);

	if (promised > 0) {
		const double y = scale_at(&frame->mhz, promised);

		svg_line(&frame->svg, "rung b", scale_at(&frame->cores, cores - 0.5), y,
			 scale_at(&frame->cores, cores + 0.5), y);
	}
	if (measured <= 0)
		return;
	if (strcmp(result, "pass") == 0)
		svg_mark(&frame->svg, "a", SVG_DOT, x, scale_at(&frame->mhz, measured));
	else if (strcmp(result, "fail") == 0)
		svg_mark(&frame->svg, "bad", SVG_CROSS, x, scale_at(&frame->mhz, measured));
	else
		svg_mark(&frame->svg, "e", SVG_TRIANGLE, x, scale_at(&frame->mhz, measured));
}

static void put_picture(struct page *page, const json_t *steps, double low, double high,
			double most_cores)
{
	static const struct svg_legend legend[] = {
		{ SVG_DASH, "b", "promised" }, { SVG_DOT, "a", "pass" },
		{ SVG_CROSS, "bad", "fail" },  { SVG_TRIANGLE, "e", "not judged" },
		{ SVG_DOT, NULL, NULL },
	};
	const struct scale_ticks mhz =
		scale_choose_ticks(low - (high - low) / 20, high, MOST_TICKS, false);
	const struct scale_ticks cores = scale_choose_ticks(0, most_cores, MOST_TICKS, false);
	struct frame frame = {
		.svg = svg_begin(&page->text, page->n_pictures++, HEIGHT, "Ladder",
				 "For each number of busy cores a line at the promised frequency, "
				 "and a mark at the frequency of the slowest core; the table below "
				 "has the figures"),
		.cores = { 0.5, most_cores + 0.5, LEFT, PICTURE_WIDTH - PICTURE_EDGE, false },
		.mhz = { mhz.list[0], mhz.list[mhz.count - 1], BOTTOM, TOP + 6, false },
	};
	const json_t *step, *group;
	size_t i, j;

	svg_put_legend(&frame.svg, 12, legend);
	put_frame(&frame, &mhz, &cores);
	json_array_foreach (steps, i, step) {
		json_array_foreach (json_object_get(step, "groups"), j, group)
			put_group(&frame, step, group);
	}
	svg_end(&frame.svg);
}

/* "2600 / 3200": a figure of the groups of a step. */
static char *format_groups(const json_t *step, const char *name)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const json_t *group;
	size_t i;

	json_array_foreach (json_object_get(step, "groups"), i, group) {
		const double mhz = page_number(group, name);
		_cleanup_free_ char *one = mhz > 0 ? text_format("%.0f", mhz) : strdup(HTML_NONE);

		buffer_append_string(&text, i ? " / " : "");
		buffer_append_string(&text, one ?: "");
	}
	return buffer_steal(&text, NULL);
}

/* "150.2 of 205": power and its limit of each package. */
static char *format_watts(const json_t *step)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const json_t *package;
	size_t i;

	json_array_foreach (json_object_get(step, "packages"), i, package) {
		const double watts = page_number(package, "watts");
		const double limit = page_number(package, "limit-watts");
		_cleanup_free_ char *one = watts <= 0  ? strdup(HTML_NONE)
					   : limit > 0 ? text_format("%.1f of %.0f", watts, limit)
						       : text_format("%.1f", watts);

		buffer_append_string(&text, i ? " / " : "");
		buffer_append_string(&text, one ?: "");
	}
	return buffer_steal(&text, NULL);
}

static char *format_reasons(const json_t *step)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const json_t *reason;
	size_t i;

	json_array_foreach (json_object_get(step, "reasons"), i, reason) {
		buffer_append_string(&text, i ? "; " : "");
		buffer_append_string(&text, json_string_value(reason) ?: "");
	}
	return buffer_steal(&text, NULL);
}

/* Do two steps have the same frequencies and the same result? Then they share a row. */
static bool are_alike(const json_t *left, const json_t *right)
{
	static const char *const names[] = { "promised-mhz", "measured-mhz" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *a = format_groups(left, names[i]);
		_cleanup_free_ char *b = format_groups(right, names[i]);

		if (!a || !b || strcmp(a, b) != 0)
			return false;
	}
	return json_equal(json_object_get(left, "result"), json_object_get(right, "result")) &&
	       json_equal(json_object_get(left, "reasons"), json_object_get(right, "reasons"));
}

static void put_row(struct html_table *table, const json_t *first, const json_t *last)
{
	_cleanup_free_ char *promised = format_groups(last, "promised-mhz");
	_cleanup_free_ char *measured = format_groups(last, "measured-mhz");
	_cleanup_free_ char *watts = format_watts(last), *reasons = format_reasons(last);
	const char *result = page_text(last, "result");

	table->marks_row = strcmp(result, "fail") == 0;
	if (first == last)
		html_put_cell(table, "%.0f", page_number(first, "cores"));
	else
		html_put_cell(table, "%.0f to %.0f", page_number(first, "cores"),
			      page_number(last, "cores"));
	html_put_cell(table, "%s", promised ?: "");
	html_put_cell(table, "%s", measured ?: "");
	html_put_cell(table, "%s", watts ?: "");
	html_put_cell(table, "%s%s%s", result, reasons && *reasons ? ": " : "", reasons ?: "");
}

static void put_table(struct page *page, const json_t *steps)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("busy cores", HTML_NUMBER),   HTML_COLUMN("promised MHz", HTML_NUMBER),
		HTML_COLUMN("measured MHz", HTML_NUMBER), HTML_COLUMN("watts", HTML_NUMBER),
		HTML_COLUMN("result", HTML_WIDE),
	};
	struct html_table table =
		html_begin_table(&page->text, "Steps; those that are alike share a row", columns,
				 ARRAY_SIZE(columns));
	const json_t *first = NULL, *last = NULL, *step;
	size_t i;

	json_array_foreach (steps, i, step) {
		if (last && !are_alike(last, step)) {
			put_row(&table, first, last);
			first = NULL;
		}
		first = first ?: step;
		last = step;
	}
	if (last)
		put_row(&table, first, last);
	html_end_table(&table);
}

void page_put_ladders(struct page *page)
{
	double low = 0, high = 0, most_cores = 0;

	if (page_count(page, SAVED_RUN_LADDER) == 0)
		return;
	survey(page, &low, &high, &most_cores);
	page_begin_section(page, "Ladder",
			   "One core busy, then two, and so on: the frequency that the settings "
			   "promise for so many cores, and that of the slowest of them. Groups of "
			   "cores with different promises have a line each.");
	for (size_t i = 0; i < page->n_runs; i++) {
		if (!json_array_size(steps_of(page, i)))
			continue;
		page_begin_figure(page, false, "%s: load %s", page->labels[i],
				  page_text(page->runs[i].json, "load"));
		if (high > 0)
			put_picture(page, steps_of(page, i), low, high, most_cores);
		put_table(page, steps_of(page, i));
		page_end_figure(page);
	}
	page_end_section(page);
}
