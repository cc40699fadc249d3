// SPDX-License-Identifier: GPL-2.0-only
/* Shows the changes between the sides of measure try, and between groups of other measurements as
 * measure compare makes them: the change of each figure with its interval (measure.md,
 * "report"). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/trial.h"
#include "report/parts.h"

#define THICK        4
#define MOST_NAMES   4 /* measurements of a group that are named */
#define MOST_ANSWERS 6 /* figures that the head of the page names; more are only counted */
#define MOST_ROWS    48 /* figures of a table: measure wake has one for each CPU, state and gap */

/* Figures of two sides, and how they are named. */
struct changes {
	const struct trial_figure *figures;
	size_t count;
	const char *title, *caption;
	const struct json_field *fields;
	bool has_runs; /* runs far off and drifts are known */
};

/* Finds the range of the changes, which always contains 0. */
static void survey(const struct changes *changes, double *low, double *high)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct trial_figure *figure = &changes->figures[i];

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

static void put_picture(struct page *page, const struct changes *changes)
{
	static const struct svg_legend legend[] = {
		{ SVG_DOT, "a", "change" },        { SVG_RING, "e", "no difference" },
		{ SVG_BOX, "e", "95 % interval" }, { SVG_BAR, "e", "0" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = changes->title,
		.description = "For each figure a mark at the change in percent, on a line that is "
			       "the 95 % interval, and a bar at zero; the table below has the "
			       "figures",
		.unit = "change in %",
		.legend = legend,
		.n_strips = changes->count,
	};
	struct strips strips;

	survey(changes, &about.low, &about.high);
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < changes->count; i++)
		put_figure(&strips, &changes->figures[i]);
	strips_end(&strips);
}

/* "3, 8": runs that are far off. */
static char *format_far_off(const void *row)
{
	const struct trial_figure *figure = row;
	_cleanup_buffer_ struct buffer text = { 0 };

	cpuset_foreach (run, &figure->far_off)
		buffer_add_item(&text, ", ", "%u", run);
	return text.length ? buffer_steal(&text, NULL) : strdup("none");
}

/* At least three digits. */
static char *format_mean(const struct figure *mean)
{
	const double value = page_figure(mean->value);

	return text_format("%.*f", value < 10 ? 3 : value < 1000 ? 1 : 0, value);
}

static void put_interval(struct html_table *table, const void *row)
{
	const struct trial_figure *figure = row;

	if (figure->result)
		html_put_cell(table, "%+.2f to %+.2f", page_figure(figure->low_percent.value),
			      page_figure(figure->high_percent.value));
	else
		html_put_figure(table, &figure->low_percent, 0);
}

/* Puts a picture, if the figures have results, and a table. */
static void put_changes(struct page *page, struct changes changes)
{
	static const struct html_column columns[] = {
		{ HTML_MEMBER(struct trial_figure, figure) },
		{ HTML_FIGURE(struct trial_figure, without), .format_figure = format_mean },
		{ HTML_FIGURE(struct trial_figure, with), .format_figure = format_mean },
		{ HTML_FIGURE(struct trial_figure, change_percent) },
		{ .heading = "95 % interval", .kind = HTML_NUMBER, .put = put_interval },
		{ HTML_MEMBER(struct trial_figure, result) },
		/* only with has_runs: */
		{ HTML_MEMBER(struct trial_figure, drifts) },
		{ .heading = "runs far off", .format = format_far_off },
	};
	const size_t count = changes.count;
	struct json_rows rows = { changes.figures, 0, sizeof(*changes.figures), changes.fields };

	if (changes.count > MOST_ROWS)
		changes.count = MOST_ROWS;
	rows.count = changes.count;
	if (count && changes.figures[0].result)
		put_picture(page, &changes);
	html_put_rows(&page->text, changes.caption, columns,
		      ARRAY_SIZE(columns) - (changes.has_runs ? 0 : 2), &rows);
	if (count > changes.count)
		html_put(&page->text, "<p>And %zu more figures, which measure compare shows.</p>\n",
			 count - changes.count);
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

static void put_comparison(struct page *page, const struct compare_group *group)
{
	const struct changes changes = {
		.figures = group->figures,
		.count = group->n_figures,
		.title = "What changed",
		.caption = "Geometric means of the runs, and the change",
		.fields = compared_figure_fields,
	};

	if (group->n_figures)
		put_changes(page, changes);
	else
		html_put(&page->text, "<p>They have no figure in common.</p>\n");
	for (size_t i = 0; i < group->warnings.count; i++)
		html_put(&page->text, "<p class=\"notes\">%s</p>\n", group->warnings.list[i]);
	if (group->note)
		html_put(&page->text, "<p class=\"notes\">%s</p>\n", group->note);
}

/* The measurements of a group: "a, b, c and 5 more", a new text, or NULL. */
static char *format_group(const struct page *page, const struct compare_group *group)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const size_t count = json_array_size(group->files);
	size_t shown = 0;

	for (size_t i = 0; i < page->n_runs && shown < MOST_NAMES; i++) {
		const json_t *file;
		size_t j;

		json_array_foreach (group->files, j, file) {
			if (strcmp(json_string_value(file), page->runs[i].file) != 0)
				continue;
			buffer_add_item(&text, ", ", "%s", page->labels[i]);
			shown++;
			break;
		}
	}
	if (count > shown)
		buffer_add_item(&text, " and ", "%zu more", count - shown);
	return buffer_steal(&text, NULL);
}

/* Puts "mhz less, -48.72 % (95 % interval -48.75 to -48.69)". Only the first names the interval. */
static void put_verdict(struct page *page, const struct trial_figure *figure, bool is_first)
{
	const double change = page_figure(figure->change_percent.value);
	_cleanup_free_ char *text =
		figure->result ? text_format("%s, %+.2f %% (%s%+.2f to %+.2f)", figure->result,
					     change, is_first ? "95 % interval " : "",
					     page_figure(figure->low_percent.value),
					     page_figure(figure->high_percent.value))
			       : text_format("%+.2f %%", change);

	html_put(&page->text, "%s %s", figure->figure ?: "", text);
}

/* Puts "8 figures: 3 more, 2 less, 3 no difference", or the range of the changes. */
static void put_verdicts(struct page *page, const struct trial_figure *figures, size_t count)
{
	double low = INFINITY, high = -INFINITY;
	size_t n_more = 0, n_less = 0;

	for (size_t i = 0; i < count; i++) {
		low = fmin(low, page_figure(figures[i].change_percent.value));
		high = fmax(high, page_figure(figures[i].change_percent.value));
		n_more += strcmp(figures[i].result ?: "", trial_word(TRIAL_MORE)) == 0;
		n_less += strcmp(figures[i].result ?: "", trial_word(TRIAL_LESS)) == 0;
	}
	html_put(&page->text, "%zu figures: ", count);
	if (figures[0].result)
		html_put(&page->text, "%zu more, %zu less, %zu no difference", n_more, n_less,
			 count - n_more - n_less);
	else
		html_put(&page->text, "changes of %.2f to %.2f %%", low, high);
}

static void put_answer(struct page *page, const char *what, const struct trial_figure *figures,
		       size_t count)
{
	if (!count)
		return;
	html_put(&page->text, "<p class=\"answer\">%s: ", what);
	for (size_t i = 0; i < count && count <= MOST_ANSWERS; i++) {
		buffer_append_string(&page->text, i ? "; " : "");
		put_verdict(page, &figures[i], i == 0);
	}
	if (count > MOST_ANSWERS)
		put_verdicts(page, figures, count);
	html_put(&page->text, "%s</p>\n",
		 figures[0].result ? "" : "; a verdict needs 3 runs of each");
}

/* Calls put for each compared group and its reference. */
static void put_groups(struct page *page,
		       void (*put)(struct page *page, const struct compare_group *reference,
				   const struct compare_group *group))
{
	for (size_t i = 0; i < ARRAY_SIZE(page->comparisons); i++) {
		const struct compare_result *result = &page->comparisons[i];

		for (size_t j = 0; j < result->n_comparisons; j++)
			put(page, &result->reference, &result->comparisons[j]);
	}
}

static void put_group_answer(struct page *page, const struct compare_group *reference,
			     const struct compare_group *group)
{
	_cleanup_free_ char *left = format_group(page, reference);
	_cleanup_free_ char *right = format_group(page, group);
	_cleanup_free_ char *what = text_format("%s against %s", right ?: "", left ?: "");

	put_answer(page, what, group->figures, group->n_figures);
}

void page_put_answers(struct page *page)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct trial_result *trial = &page->runs[i].trial;
		_cleanup_free_ char *what =
			text_format("%s, with %s", page->labels[i], trial->document_file ?: "");
		_cleanup_free_ char *found = page_summarize(&page->runs[i]);

		if (page->runs[i].kind == SAVED_RUN_TRY)
			put_answer(page, what, trial->figures, trial->n_figures);
		else if (page->runs[i].kind == SAVED_RUN_LADDER)
			html_put(&page->text, "<p class=\"answer\">%s: %s</p>\n", page->labels[i],
				 found ?: "");
	}
	put_groups(page, put_group_answer);
}

static void put_group(struct page *page, const struct compare_group *reference,
		      const struct compare_group *group)
{
	_cleanup_free_ char *left = format_group(page, reference);
	_cleanup_free_ char *right = format_group(page, group);

	page_begin_figure(page, false, "%s (%.0f run%s) against %s (%.0f run%s)", right ?: "",
			  group->runs.value, group->runs.value == 1 ? "" : "s", left ?: "",
			  reference->runs.value, reference->runs.value == 1 ? "" : "s");
	put_comparison(page, group);
	page_end_figure(page);
}

void page_put_trial(struct page *page, size_t run)
{
	const struct trial_result *trial = &page->runs[run].trial;
	const struct changes changes = {
		.figures = trial->figures,
		.count = trial->n_figures,
		.title = "What the document changed",
		.caption = "Geometric means without and with the document, and the change",
		.fields = trial_figure_fields,
		.has_runs = true,
	};

	if (page->runs[run].kind != SAVED_RUN_TRY)
		return;
	page_begin_figure(page, false, "%s: %.0f runs of each side, with %s", page->labels[run],
			  trial->runs.value, trial->document_file ?: "");
	put_changes(page, changes);
	put_requirements(page, trial);
	page_end_figure(page);
}

void page_put_comparisons(struct page *page)
{
	put_groups(page, put_group);
}
