// SPDX-License-Identifier: GPL-2.0-only
/* Shows what takes the frequency of CPUs down, step by step from the highest possible to what they
 * can have (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define THICK 9

static bool is_highest(const json_t *step)
{
	return strcmp(page_text(step, "limit"), "highest-possible") == 0;
}

/* The lowest of the limits before this one; 0: there is none. */
static double find_lowest(const json_t *steps, size_t before)
{
	double lowest = 0;

	for (size_t i = 0; i < before; i++) {
		const double mhz = page_number(json_array_get(steps, i), "mhz");

		lowest = mhz > 0 && (lowest <= 0 || mhz < lowest) ? mhz : lowest;
	}
	return lowest;
}

/* A strip for a limit: what is left, and what it takes. */
static void put_step(struct strips *strips, const json_t *steps, size_t at)
{
	const json_t *step = json_array_get(steps, at);
	const double mhz = page_number(step, "mhz"), before = find_lowest(steps, at);
	const bool takes = before > 0 && mhz > 0 && mhz < before;
	const double left = takes || before <= 0 ? mhz : before;
	_cleanup_free_ char *right = takes ? text_format("%.0f MHz: takes %.0f", mhz, before - mhz)
				     : is_highest(step)
					     ? text_format("%.0f MHz", mhz)
					     : text_format("%.0f MHz: takes nothing", mhz);

	strips_next(strips, page_text(step, "limit"), right ?: "");
	if (mhz <= 0)
		return;
	strips_put_range(strips, "range a", strips->scale.from, left, THICK);
	if (takes)
		strips_put_range(strips, "range bad", left, before, THICK);
	strips_put_mark(strips, takes ? "bad" : "e", SVG_BAR, mhz);
}

/* A frequency, or a range of the two readings of the turbo-ratio limits: a new text, or NULL. */
static char *format_mhz(const json_t *object)
{
	const double low = page_number(object, "mhz"), high = page_number(object, "high-mhz");

	if (!json_is_number(json_object_get(object, "mhz")))
		return NULL;
	return high > 0 ? text_format("%.0f-%.0f", low, high) : text_format("%.0f", low);
}

static void put_picture(struct page *page, const json_t *cpu)
{
	static const struct svg_legend legend[] = {
		{ SVG_BOX, "a", "left" },
		{ SVG_BOX, "bad", "taken by this limit" },
		{ SVG_BAR, "e", "the limit" },
		{ SVG_DOT, NULL, NULL },
	};
	const json_t *steps = json_object_get(cpu, "steps");
	const json_t *guaranteed = json_array_get(json_object_get(cpu, "guaranteed"), 0);
	struct strips_about about = {
		.title = "Limits of a CPU",
		.description = "From the highest possible frequency down: for each limit a bar of "
			       "what is left, and what the limit takes; the table below has the "
			       "figures",
		.unit = "MHz, SSE, all cores active",
		.legend = legend,
		.n_strips = json_array_size(steps) + 1,
	};
	_cleanup_free_ char *mhz = format_mhz(cpu);
	_cleanup_free_ char *right =
		text_format("%s MHz, by %s", mhz ?: HTML_NONE, page_text(cpu, "bound-by"));
	struct strips strips;
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step)
		range_add(&about.low, &about.high, page_number(step, "mhz"));
	range_add(&about.low, &about.high, page_number(guaranteed, "mhz"));
	if (about.high <= 0)
		return;
	about.low = 0;
	strips = strips_begin(page, &about);
	json_array_foreach (steps, i, step)
		put_step(&strips, steps, i);
	strips_next(&strips, "effective", right ?: "");
	strips_put_range(&strips, "range c", strips.scale.from, page_number(cpu, "mhz"), THICK);
	strips_end(&strips);
}

static void put_mhz(struct html_table *table, const json_t *object)
{
	_cleanup_free_ char *mhz = format_mhz(object);

	html_put_cell(table, "%s", mhz ?: HTML_NONE);
}

static void put_table(struct page *page, const json_t *cpu)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("limit", HTML_TEXT),
		HTML_COLUMN("MHz", HTML_NUMBER),
		HTML_COLUMN("takes MHz", HTML_NUMBER),
		HTML_COLUMN("left MHz", HTML_NUMBER),
	};
	const json_t *steps = json_object_get(cpu, "steps"), *step;
	struct html_table table =
		html_begin_table(&page->text, "Limits, and what is guaranteed with all cores busy",
				 columns, ARRAY_SIZE(columns));
	size_t i;

	json_array_foreach (steps, i, step) {
		const double mhz = page_number(step, "mhz"), before = find_lowest(steps, i);
		const bool takes = before > 0 && mhz > 0 && mhz < before;

		html_put_member(&table, step, "limit", 0);
		put_mhz(&table, step);
		html_put_cell(&table, "%.0f", takes ? before - mhz : 0);
		html_put_cell(&table, "%.0f", takes || before <= 0 ? mhz : before);
	}
	html_put_cell(&table, "effective, by %s", page_text(cpu, "bound-by"));
	put_mhz(&table, cpu);
	html_put_cell(&table, "%s", HTML_NONE);
	html_put_member(&table, cpu, "mhz", 0);
	json_array_foreach (json_object_get(cpu, "guaranteed"), i, step) {
		html_put_cell(&table, "guaranteed: %s", page_text(step, "limit"));
		html_put_member(&table, step, "mhz", 0);
		html_put_cell(&table, "%s", HTML_NONE);
		html_put_cell(&table, "%s", HTML_NONE);
	}
	html_end_table(&table);
}

/* Is there a CPU of an earlier run with the same limits? */
static bool was_shown(const struct page *page, size_t run, const json_t *cpu)
{
	for (size_t i = 0; i < run; i++) {
		const json_t *other;
		size_t j;

		json_array_foreach (json_object_get(page->runs[i].json, "limits"), j, other) {
			if (json_equal(other, cpu))
				return true;
		}
	}
	return false;
}

void page_put_limits(struct page *page)
{
	bool is_open = false;

	for (size_t i = 0; i < page->n_runs; i++) {
		const json_t *cpu;
		size_t j;

		json_array_foreach (json_object_get(page->runs[i].json, "limits"), j, cpu) {
			if (was_shown(page, i, cpu))
				continue;
			page_open_section(page, &is_open, "Limits",
					  "Why a CPU cannot be faster, as cpufreq explain "
					  "has it, for one CPU of each class and package. "
					  "Limits that are the same in several "
					  "measurements are shown once.");
			page_begin_figure(page, false, "%s: CPU %.0f of package %.0f, %s",
					  page->labels[i], page_number(cpu, "cpu"),
					  page_number(cpu, "package"), page_text(cpu, "class"));
			put_picture(page, cpu);
			put_table(page, cpu);
			page_end_figure(page);
		}
	}
	page_close_section(page, is_open);
}
