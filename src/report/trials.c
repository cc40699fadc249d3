// SPDX-License-Identifier: GPL-2.0-only
/* Shows what a state document changed, by measure try: the change of each figure with its interval
 * (measure.md, "report"). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define THICK 4

/* The lowest and the highest change, with none between them. */
static void survey(const struct trial_result *trial, double *low, double *high)
{
	for (size_t i = 0; i < trial->n_figures; i++) {
		const struct trial_figure *figure = &trial->figures[i];

		*low = fmin(*low, page_figure(figure->low_percent.value));
		*low = fmin(*low, page_figure(figure->change_percent.value));
		*high = fmax(*high, page_figure(figure->high_percent.value));
		*high = fmax(*high, page_figure(figure->change_percent.value));
	}
	if (*low >= *high)
		*high = 1;
}

static void put_figure(struct strips *strips, const struct trial_figure *figure)
{
	const double change = page_figure(figure->change_percent.value);
	const char *result = figure->result ?: "";
	const bool differs = strcmp(result, "no difference") != 0;
	_cleanup_free_ char *right = text_format("%+.2f %%: %s", change, result);

	strips_next(strips, figure->figure ?: "", right ?: "");
	strips_put_mark(strips, "e", SVG_BAR, 0);
	strips_put_range(strips, differs ? "range a" : "range e",
			 page_figure(figure->low_percent.value),
			 page_figure(figure->high_percent.value), THICK);
	strips_put_mark(strips, differs ? "a" : "e", differs ? SVG_DOT : SVG_RING, change);
}

static void put_picture(struct page *page, const struct trial_result *trial)
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
		.n_strips = trial->n_figures,
	};
	struct strips strips;

	survey(trial, &about.low, &about.high);
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < trial->n_figures; i++)
		put_figure(&strips, &trial->figures[i]);
	strips_end(&strips);
}

/* "3, 8": runs that are far off. */
static void put_far_off(struct html_table *table, const void *row)
{
	const struct trial_figure *figure = row;
	_cleanup_buffer_ struct buffer text = { 0 };

	cpuset_foreach (run, &figure->far_off) {
		buffer_append_string(&text, text.length ? ", " : "");
		buffer_append_number(&text, run);
	}
	html_put_cell(table, "%s", text.length ? buffer_text(&text) : "none");
}

/* At least four digits. */
static void put_mean(struct html_table *table, double value)
{
	html_put_cell(table, "%.*f", value < 10 ? 3 : value < 1000 ? 1 : 0, value);
}

static void put_without(struct html_table *table, const void *row)
{
	put_mean(table, page_figure(((const struct trial_figure *)row)->without.value));
}

static void put_with(struct html_table *table, const void *row)
{
	put_mean(table, page_figure(((const struct trial_figure *)row)->with.value));
}

static void put_interval(struct html_table *table, const void *row)
{
	const struct trial_figure *figure = row;

	html_put_cell(table, "%+.2f to %+.2f", page_figure(figure->low_percent.value),
		      page_figure(figure->high_percent.value));
}

static void put_table(struct page *page, const struct trial_result *trial)
{
	static const struct html_column columns[] = {
		{ HTML_MEMBER(struct trial_figure, figure) },
		{ .heading = "without", .kind = HTML_NUMBER, .put = put_without },
		{ .heading = "with", .kind = HTML_NUMBER, .put = put_with },
		{ HTML_FIGURE(struct trial_figure, change_percent) },
		{ .heading = "95 % interval", .kind = HTML_NUMBER, .put = put_interval },
		{ HTML_MEMBER(struct trial_figure, result) },
		{ HTML_MEMBER(struct trial_figure, drifts) },
		{ .heading = "runs far off", .put = put_far_off },
	};
	const struct json_rows rows = { trial->figures, trial->n_figures, sizeof(*trial->figures),
					trial_figure_fields };

	html_put_rows(&page->text, "Geometric means without and with the document, and the change",
		      columns, ARRAY_SIZE(columns), &rows);
}

static void put_requirements(struct page *page, const struct trial_result *trial)
{
	static const struct html_column columns[] = {
		{ HTML_MEMBER(struct trial_requirement, requirement) },
		{ HTML_MEMBER(struct trial_requirement, is_met) },
	};
	const struct json_rows rows = { trial->requirements, trial->n_requirements,
					sizeof(*trial->requirements), trial_requirement_fields };

	if (trial->n_requirements)
		html_put_rows(&page->text, "Requirements", columns, ARRAY_SIZE(columns), &rows);
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
		const struct trial_result *trial = &page->runs[i].trial;

		if (page->runs[i].kind != SAVED_RUN_TRY)
			continue;
		page_begin_figure(page, false, "%s: %.0f runs of each side, with %s",
				  page->labels[i], trial->runs.value, trial->document_file ?: "");
		if (trial->n_figures)
			put_picture(page, trial);
		put_table(page, trial);
		put_requirements(page, trial);
		page_end_figure(page);
	}
	page_end_section(page);
}
