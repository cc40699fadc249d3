// SPDX-License-Identifier: GPL-2.0-only
/* Shows each ladder: what was promised and measured with one busy core, with two, and so on
 * (measure.md, "report"). */
#include <math.h>
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

/* Finds the range of all ladders, so that they have the same scale. */
static void survey(const struct page *page, double *low, double *high, double *most_cores)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct ladder_result *ladder = &page->runs[i].ladder;

		for (size_t j = 0; j < ladder->n_steps; j++) {
			const struct ladder_step *step = &ladder->steps[j];

			*most_cores = fmax(*most_cores, page_figure(step->cores.value));
			for (size_t k = 0; k < step->n_groups; k++) {
				const struct ladder_group *group = &step->groups[k];

				range_add(low, high, page_figure(group->promised_mhz.value));
				range_add(low, high, page_figure(group->measured_mhz.value));
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

/* Draws the promise as a line that is as wide as a step, and the measured frequency as a mark. */
static void put_group(struct frame *frame, const struct ladder_step *step,
		      const struct ladder_group *group)
{
	const double cores = page_figure(step->cores.value);
	const double promised = page_figure(group->promised_mhz.value);
	const double measured = page_figure(group->measured_mhz.value);
	const char *result = step->result ?: "";
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

static void put_picture(struct page *page, const struct ladder_result *ladder, double low,
			double high, double most_cores)
{
	static const struct svg_legend legend[] = {
		{ SVG_DASH, "b", "predicted" }, { SVG_DOT, "a", "pass" },
		{ SVG_CROSS, "bad", "fail" },   { SVG_TRIANGLE, "e", "not checked" },
		{ SVG_DOT, NULL, NULL },
	};
	const struct scale_ticks mhz =
		scale_choose_ticks(low - (high - low) / 20, high, MOST_TICKS, false);
	const struct scale_ticks cores = scale_choose_ticks(0, most_cores, MOST_TICKS, false);
	struct frame frame = {
		.svg = svg_begin(&page->text, page->n_pictures++, HEIGHT, "Ladder",
				 "For each number of busy cores a line at the predicted frequency, "
				 "and a mark at the frequency of the slowest core; the table below "
				 "has the figures"),
		.cores = { 0.5, most_cores + 0.5, LEFT, PICTURE_WIDTH - PICTURE_EDGE, false },
		.mhz = { mhz.list[0], mhz.list[mhz.count - 1], BOTTOM, TOP + 6, false },
	};

	svg_put_legend(&frame.svg, 12, legend);
	put_frame(&frame, &mhz, &cores);
	for (size_t i = 0; i < ladder->n_steps; i++) {
		for (size_t j = 0; j < ladder->steps[i].n_groups; j++)
			put_group(&frame, &ladder->steps[i], &ladder->steps[i].groups[j]);
	}
	svg_end(&frame.svg);
}

static void append_mhz(struct buffer *to, const struct figure *mhz)
{
	if (page_figure(mhz->value) > 0)
		buffer_add_item(to, " / ", "%.0f", mhz->value);
	else
		buffer_add_item(to, " / ", HTML_NONE);
}

/* "2600 / 3200": promised and measured frequencies of the groups of a step. */
static void format_groups(const struct ladder_step *step, struct buffer *promised,
			  struct buffer *measured)
{
	for (size_t i = 0; i < step->n_groups; i++) {
		append_mhz(promised, &step->groups[i].promised_mhz);
		append_mhz(measured, &step->groups[i].measured_mhz);
	}
}

/* "150.2 of 205": power and its limit of each package. */
static char *format_watts(const struct ladder_step *step)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	for (size_t i = 0; i < step->n_packages; i++) {
		const double watts = page_figure(step->packages[i].watts.value);
		const double limit = page_figure(step->packages[i].limit_watts.value);

		if (watts <= 0)
			buffer_add_item(&text, " / ", HTML_NONE);
		else if (limit > 0)
			buffer_add_item(&text, " / ", "%.1f of %.0f", watts, limit);
		else
			buffer_add_item(&text, " / ", "%.1f", watts);
	}
	return buffer_steal(&text, NULL);
}

/* Returns true if two steps have the same frequencies and the same result, and so share a row. */
static bool are_equal(const struct ladder_step *left, const struct ladder_step *right)
{
	struct buffer promised[2] = { 0 }, measured[2] = { 0 };
	bool is_equal;

	format_groups(left, &promised[0], &measured[0]);
	format_groups(right, &promised[1], &measured[1]);
	is_equal = strcmp(buffer_text(&promised[0]), buffer_text(&promised[1])) == 0 &&
		   strcmp(buffer_text(&measured[0]), buffer_text(&measured[1])) == 0 &&
		   strcmp(left->result ?: "", right->result ?: "") == 0 &&
		   texts_are_equal(&left->reasons, &right->reasons);
	for (int i = 0; i < 2; i++) {
		buffer_done(&promised[i]);
		buffer_done(&measured[i]);
	}
	return is_equal;
}

static void put_row(struct html_table *table, const struct ladder_step *first,
		    const struct ladder_step *last)
{
	_cleanup_buffer_ struct buffer promised = { 0 }, measured = { 0 };
	_cleanup_free_ char *watts = format_watts(last),
			    *reasons = texts_join(&last->reasons, "; ");
	const char *result = last->result ?: "";

	format_groups(last, &promised, &measured);
	table->marks_row = strcmp(result, "fail") == 0;
	if (first == last)
		html_put_cell(table, "%.0f", first->cores.value);
	else
		html_put_cell(table, "%.0f to %.0f", first->cores.value, last->cores.value);
	html_put_cell(table, "%s", buffer_text(&promised));
	html_put_cell(table, "%s", buffer_text(&measured));
	html_put_cell(table, "%s", watts ?: "");
	html_put_cell(table, "%s%s%s", result, reasons && *reasons ? ": " : "", reasons ?: "");
}

static void put_table(struct page *page, const struct ladder_result *ladder)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("busy cores", HTML_NUMBER),   HTML_COLUMN("predicted MHz", HTML_NUMBER),
		HTML_COLUMN("measured MHz", HTML_NUMBER), HTML_COLUMN("watts", HTML_NUMBER),
		HTML_COLUMN("result", HTML_WIDE),
	};
	struct html_table table = html_begin_table(&page->text, "Steps; equal ones share a row",
						   columns, ARRAY_SIZE(columns));
	size_t first = 0;

	for (size_t i = 0; i < ladder->n_steps; i++) {
		const bool is_last = i + 1 == ladder->n_steps ||
				     !are_equal(&ladder->steps[i], &ladder->steps[i + 1]);

		if (!is_last)
			continue;
		put_row(&table, &ladder->steps[first], &ladder->steps[i]);
		first = i + 1;
	}
	html_end_table(&table);
}

void page_put_ladders(struct page *page)
{
	double low = 0, high = 0, most_cores = 0;

	if (!page_has(page, SAVED_RUN_LADDER))
		return;
	survey(page, &low, &high, &most_cores);
	page_open_section(page);
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct ladder_result *ladder = &page->runs[i].ladder;

		if (ladder->n_steps == 0)
			continue;
		page_begin_figure(page, false, "%s: load %s", page->labels[i], ladder->load ?: "");
		if (high > 0)
			put_picture(page, ladder, low, high, most_cores);
		put_table(page, ladder);
		page_end_figure(page);
	}
}
