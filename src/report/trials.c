// SPDX-License-Identifier: GPL-2.0-only
/* Shows what a state document changed, by measure try: the change of each figure with its interval
 * (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define THICK 4

static const char *const bounds[] = { "change-percent", "low-percent", "high-percent" };

/* The lowest and the highest change, with none between them. */
static void survey(const json_t *figures, double *low, double *high)
{
	const json_t *figure;
	size_t i;

	json_array_foreach (figures, i, figure) {
		for (size_t j = 0; j < ARRAY_SIZE(bounds); j++) {
			const double value = page_number(figure, bounds[j]);

			*low = value < *low ? value : *low;
			*high = value > *high ? value : *high;
		}
	}
	if (*low >= *high)
		*high = 1;
}

static void put_figure(struct strips *strips, const json_t *figure)
{
	const double change = page_number(figure, "change-percent");
	const bool differs = strcmp(page_text(figure, "result"), "no difference") != 0;
	_cleanup_free_ char *right =
		text_format("%+.2f %%: %s", change, page_text(figure, "result"));

	strips_next(strips, page_text(figure, "figure"), right ?: "");
	strips_put_mark(strips, "e", SVG_BAR, 0);
	strips_put_range(strips, differs ? "range a" : "range e",
			 page_number(figure, "low-percent"), page_number(figure, "high-percent"),
			 THICK);
	strips_put_mark(strips, differs ? "a" : "e", differs ? SVG_DOT : SVG_RING, change);
}

static void put_picture(struct page *page, const json_t *figures)
{
	static const struct svg_legend legend[] = {
		{ SVG_DOT, "a", "change" },        { SVG_RING, "e", "no difference" },
		{ SVG_BOX, "e", "95 % interval" }, { SVG_BAR, "e", "0" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = "What the document changed",
		.description = "For each figure a mark at the change in percent, on a line that is "
			       "the 95 % interval, and a bar at zero; the table below has the "
			       "figures",
		.unit = "change in %",
		.legend = legend,
		.n_strips = json_array_size(figures),
	};
	struct strips strips;
	const json_t *figure;
	size_t i;

	survey(figures, &about.low, &about.high);
	strips = strips_begin(page, &about);
	json_array_foreach (figures, i, figure)
		put_figure(&strips, figure);
	strips_end(&strips);
}

/* "3, 8": runs that are far off. */
static void put_far_off(struct html_table *table, const json_t *figure)
{
	const json_t *runs = json_object_get(figure, "far-off-runs"), *run;
	_cleanup_buffer_ struct buffer text = { 0 };
	size_t i;

	json_array_foreach (runs, i, run) {
		_cleanup_free_ char *one =
			text_format("%s%.0f", i ? ", " : "", json_number_value(run));

		buffer_append_string(&text, one ?: "");
	}
	html_put_cell(table, "%s", text.length ? buffer_text(&text) : "none");
}

/* At least four digits. */
static void put_mean(struct html_table *table, double value)
{
	html_put_cell(table, "%.*f", value < 10 ? 3 : value < 1000 ? 1 : 0, value);
}

static void put_table(struct page *page, const json_t *figures)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("figure", HTML_TEXT),          HTML_COLUMN("without", HTML_NUMBER),
		HTML_COLUMN("with", HTML_NUMBER),          HTML_COLUMN("change %", HTML_NUMBER),
		HTML_COLUMN("95 % interval", HTML_NUMBER), HTML_COLUMN("result", HTML_TEXT),
		HTML_COLUMN("drift", HTML_TEXT),           HTML_COLUMN("runs far off", HTML_TEXT),
	};
	struct html_table table =
		html_begin_table(&page->text,
				 "Geometric means without and with the document, and the change",
				 columns, ARRAY_SIZE(columns));
	const json_t *figure;
	size_t i;

	json_array_foreach (figures, i, figure) {
		html_put_member(&table, figure, "figure", 0);
		put_mean(&table, page_number(figure, "without"));
		put_mean(&table, page_number(figure, "with"));
		html_put_member(&table, figure, "change-percent", 2);
		html_put_cell(&table, "%+.2f to %+.2f", page_number(figure, "low-percent"),
			      page_number(figure, "high-percent"));
		html_put_member(&table, figure, "result", 0);
		html_put_member(&table, figure, "drifts", 0);
		put_far_off(&table, figure);
	}
	html_end_table(&table);
}

static void put_requirements(struct page *page, const json_t *list)
{
	static const struct html_column columns[] = { HTML_COLUMN("requirement", HTML_TEXT),
						      HTML_COLUMN("met", HTML_TEXT) };
	struct html_table table;
	const json_t *one;
	size_t i;

	if (!json_array_size(list))
		return;
	table = html_begin_table(&page->text, "Requirements", columns, ARRAY_SIZE(columns));
	json_array_foreach (list, i, one) {
		html_put_member(&table, one, "requirement", 0);
		html_put_member(&table, one, "met", 0);
	}
	html_end_table(&table);
}

void page_put_trials(struct page *page)
{
	if (page_count(page, SAVED_RUN_TRY) == 0)
		return;
	page_begin_section(page, "What a document changed",
			   "Runs without and with a state document in turn, so that a drift does "
			   "not count. A change is one if its 95 % interval does not have 0 in "
			   "it; of many figures, 1 in 20 misleads.");
	for (size_t i = 0; i < page->n_runs; i++) {
		const json_t *json = page->runs[i].json;

		if (page->runs[i].kind != SAVED_RUN_TRY)
			continue;
		page_begin_figure(page, false, "%s: %.0f runs of each side, with %s",
				  page->labels[i], page_number(json, "runs"),
				  page_text(json, "document-file"));
		if (json_array_size(json_object_get(json, "figures")))
			put_picture(page, json_object_get(json, "figures"));
		put_table(page, json_object_get(json, "figures"));
		put_requirements(page, json_object_get(json, "requirements"));
		page_end_figure(page);
	}
	page_end_section(page);
}
