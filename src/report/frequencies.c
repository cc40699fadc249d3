// SPDX-License-Identifier: GPL-2.0-only
/* Shows what measure run measured: frequencies, what the settings promise, and the power of
 * packages (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "measure/measured_groups.h"
#include "measure/run_figures.h"
#include "report/parts.h"

#define THICK 9
#define THIN  4

#define MOST_COLUMNS 20 /* of packages */

/* Groups the CPUs of measure run; other kinds have no groups. */
static struct measured_groups make_groups(struct page *page, size_t run)
{
	struct measured_groups groups = { 0 };

	if (page->runs[run].kind == SAVED_RUN_RUN &&
	    measured_groups_make(&page->runs[run].run, false, &groups))
		page->text.has_failed = true;
	return groups;
}

/* "package 0, CLOS 3, scalar" */
static char *name_group(const struct measured_group *group)
{
	const char *class = group->first->class ?: "", *load = group->first->load ?: "";

	return text_format("package %u%s%s%s%s", group->first->package, *class ? ", " : "", class,
			   *load ? ", " : "", load);
}

static double find_mhz(const struct measured_group *group)
{
	return group->has_mhz && group->weight > 0 ? page_figure(group->mhz / group->weight) : 0;
}

static void put_group(struct strips *strips, const struct measured_group *group)
{
	const struct run_cpu *cpu = group->first;
	const double mhz = find_mhz(group), predicted = page_figure(cpu->predicted_mhz.value);
	const double high = page_figure(cpu->predicted_high_mhz.value);
	_cleanup_free_ char *range = figure_range(&cpu->predicted_mhz, &cpu->predicted_high_mhz);
	_cleanup_free_ char *label = name_group(group);
	_cleanup_free_ char *measured =
		mhz > 0 ? text_format("%.0f MHz", mhz) : strdup("idle or not measured");
	_cleanup_free_ char *right =
		predicted > 0 ? text_format("%s, predicted %s", measured ?: "", range ?: "")
			      : strdup(measured ?: "");

	strips_next(strips, label ?: "", right ?: "");
	if (mhz > 0 && group->high_mhz > group->low_mhz)
		strips_put_range(strips, "range a", group->low_mhz, group->high_mhz, THIN);
	if (predicted > 0)
		strips_put_mark(strips, "b", SVG_BAR, predicted);
	if (high > predicted)
		strips_put_mark(strips, "b", SVG_BAR, high);
	if (mhz > 0)
		strips_put_mark(strips, "a", SVG_DOT, mhz);
}

/* Finds the counts and the range for the picture. */
static void survey(struct page *page, struct strips_about *about)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_measured_groups_ struct measured_groups groups = make_groups(page, i);

		about->n_headings += groups.count > 0;
		about->n_strips += groups.count;
		for (size_t j = 0; j < groups.count; j++) {
			const struct measured_group *group = &groups.list[j];

			range_add(&about->low, &about->high,
				  page_figure(group->has_mhz ? group->low_mhz : 0));
			range_add(&about->low, &about->high,
				  page_figure(group->has_mhz ? group->high_mhz : 0));
			range_add(&about->low, &about->high,
				  page_figure(group->first->predicted_mhz.value));
			range_add(&about->low, &about->high,
				  page_figure(group->first->predicted_high_mhz.value));
		}
	}
}

static void put_picture(struct page *page)
{
	static const struct svg_legend legend[] = {
		{ SVG_DOT, "a", "measured" },
		{ SVG_BOX, "a", "lowest to highest CPU" },
		{ SVG_BAR, "b", "predicted" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = "Frequencies measured and predicted",
		.description = "For equal CPUs, a dot at the frequency measured while busy, and a "
			       "bar at the predicted one; the table below has the figures",
		.unit = "MHz while busy",
		.legend = legend,
	};
	struct strips strips;

	survey(page, &about);
	if (about.high <= 0)
		return;
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_measured_groups_ struct measured_groups groups = make_groups(page, i);

		if (groups.count)
			strips_put_heading(&strips, page->labels[i]);
		for (size_t j = 0; j < groups.count; j++)
			put_group(&strips, &groups.list[j]);
	}
	strips_end(&strips);
}

static void put_group_mhz(struct html_table *table, const void *row)
{
	const struct measured_group *group = row;

	if (group->has_mhz && group->weight > 0)
		html_put_cell(table, "%.0f", find_mhz(group));
	else
		html_put_figure(table, &group->first->mhz, 0);
}

static void put_group_predicted(struct html_table *table, const void *row)
{
	const struct run_cpu *cpu = ((const struct measured_group *)row)->first;
	_cleanup_free_ char *predicted =
		figure_range(&cpu->predicted_mhz, &cpu->predicted_high_mhz);

	if (predicted)
		html_put_text(table, predicted);
	else
		html_put_figure(table, &cpu->predicted_mhz, 0);
}

static void put_table(struct page *page)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("file", HTML_TEXT),
		{ HTML_FIGURE(struct measured_group, package) },
		{ HTML_MEMBER(struct measured_group, class) },
		{ HTML_MEMBER(struct measured_group, load) },
		{ HTML_FIGURE(struct measured_group, busy_percent) },
		{ .heading = "MHz", .kind = HTML_NUMBER, .put = put_group_mhz },
		{ .heading = "predicted", .kind = HTML_NUMBER, .put = put_group_predicted },
		{ HTML_MEMBER(struct measured_group, top) },
		{ .kind = HTML_WIDE, HTML_MEMBER(struct measured_group, cpus) },
	};
	struct html_table table =
		html_begin_fields(&page->text, "Frequencies of equal CPUs", columns,
				  ARRAY_SIZE(columns), measured_group_fields);

	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_measured_groups_ struct measured_groups groups = make_groups(page, i);

		for (size_t j = 0; j < groups.count; j++) {
			html_put_text(&table, page->labels[i]);
			html_put_fields(&table, &groups.list[j]);
		}
	}
	html_end_table(&table);
}

static bool has_figure(const struct page *page, enum run_figure figure)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct figure found = run_figure_get(&page->runs[i].run, figure);

		if (page->runs[i].kind == SAVED_RUN_RUN && figure_is_known(&found))
			return true;
	}
	return false;
}

/* Puts a table of the figures that are compared between runs. */
static void put_figures(struct page *page)
{
	struct html_column columns[RUN_FIGURES + 1] = { HTML_COLUMN("file", HTML_TEXT) };
	struct html_table table;
	size_t n_shown = 0;

	for (enum run_figure i = 0; i < RUN_FIGURES; i++) {
		if (has_figure(page, i))
			columns[++n_shown] = (struct html_column){ HTML_FIGURE(struct trial_sample,
									       figures[i]) };
	}
	if (n_shown == 0)
		return;
	table = html_begin_fields(&page->text, "Figures of whole measurements", columns,
				  n_shown + 1, trial_sample_fields);
	for (size_t i = 0; i < page->n_runs; i++) {
		struct trial_sample sample = { .run = 0 };

		if (page->runs[i].kind != SAVED_RUN_RUN)
			continue;
		for (enum run_figure j = 0; j < RUN_FIGURES; j++) {
			sample.figures[j] = run_figure_get(&page->runs[i].run, j);
			sample.figures[j].about = NULL; /* omit the reason */
		}
		html_put_text(&table, page->labels[i]);
		html_put_fields(&table, &sample);
	}
	html_end_table(&table);
}

static void put_watts(struct page *page)
{
	struct strips_about about = {
		.title = "Power of packages",
		.description = "A bar for each package and measurement; the table below has the "
			       "figures",
		.unit = "W",
	};
	struct strips strips;

	for (size_t i = 0; i < page->n_runs; i++) {
		const struct run_window *run = &page->runs[i].run;

		about.n_headings += run->n_packages > 0;
		about.n_strips += run->n_packages;
		for (size_t j = 0; j < run->n_packages; j++)
			range_add(&about.low, &about.high,
				  page_figure(run->packages[j].watts.value));
	}
	if (about.high <= 0)
		return;
	about.low = 0; /* the length of a bar is the power */
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct run_window *run = &page->runs[i].run;

		if (run->n_packages)
			strips_put_heading(&strips, page->labels[i]);
		for (size_t j = 0; j < run->n_packages; j++) {
			const double watts = page_figure(run->packages[j].watts.value);
			_cleanup_free_ char *label =
				text_format("package %u", run->packages[j].package);
			_cleanup_free_ char *right = text_format("%.1f W", watts);

			strips_next(&strips, label ?: "", watts > 0 ? right ?: "" : "not measured");
			if (watts > 0)
				strips_put_range(&strips, "range d", 0, watts, THICK);
		}
	}
	strips_end(&strips);
}

static void put_c6(struct html_table *table, const void *row)
{
	const struct run_package *package = row;
	struct figure c6 = { 0 };

	for (size_t i = 0; i < package->n_residencies; i++) {
		if (strcmp(package->residencies[i].name, "package-c6-percent") == 0)
			c6 = package->residencies[i].figure;
	}
	html_put_figure(table, &c6, 1);
}

static void put_packages(struct page *page)
{
	struct html_column columns[MOST_COLUMNS] = {
		HTML_COLUMN("file", HTML_TEXT),
		{ HTML_FIGURE(struct run_package, package) },
	};
	struct html_table table;
	size_t n_columns = 2;

	for (const struct json_field *field = run_package_fields; field->name; field++) {
		if (field->column && n_columns < MOST_COLUMNS - 1)
			columns[n_columns++] = (struct html_column){ .kind = HTML_NUMBER,
								     .offset = field->offset };
	}
	columns[n_columns++] = (struct html_column){ .heading = "package C6 %",
						     .kind = HTML_NUMBER,
						     .put = put_c6 };
	table = html_begin_fields(&page->text, "Packages", columns, n_columns, run_package_fields);
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct run_window *run = &page->runs[i].run;

		for (size_t j = 0; j < run->n_packages; j++) {
			html_put_cell(&table, "%s", page->labels[i]);
			html_put_fields(&table, &run->packages[j]);
		}
	}
	html_end_table(&table);
}

void page_put_frequencies(struct page *page)
{
	if (!page_has(page, SAVED_RUN_RUN))
		return;
	page_begin_figure(page, false, "Frequencies");
	put_picture(page);
	put_table(page);
	page_end_figure(page);
	page_begin_figure(page, false, "Packages");
	put_watts(page);
	put_packages(page);
	put_figures(page);
	page_end_figure(page);
}
