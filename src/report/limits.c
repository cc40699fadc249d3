// SPDX-License-Identifier: GPL-2.0-only
/* Shows the limits that lower the frequency of CPUs, step by step from the highest possible one
 * (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define THICK 9

static bool is_highest(const struct described_limit *step)
{
	return strcmp(step->limit ?: "", "highest-possible") == 0;
}

/* The lowest of the limits before this one; 0: there is none. */
static double find_lowest(const struct described_limits *cpu, size_t before)
{
	double lowest = 0;

	for (size_t i = 0; i < before; i++) {
		const double mhz = page_figure(cpu->steps[i].mhz.value);

		lowest = mhz > 0 && (lowest <= 0 || mhz < lowest) ? mhz : lowest;
	}
	return lowest;
}

/* Puts a strip for a limit: the frequency that is left, and the part that the limit takes. */
static void put_step(struct strips *strips, const struct described_limits *cpu, size_t at)
{
	const struct described_limit *step = &cpu->steps[at];
	const double mhz = page_figure(step->mhz.value), before = find_lowest(cpu, at);
	const bool takes = before > 0 && mhz > 0 && mhz < before;
	const double left = takes || before <= 0 ? mhz : before;
	_cleanup_free_ char *right = takes ? text_format("%.0f MHz: takes %.0f", mhz, before - mhz)
				     : is_highest(step)
					     ? text_format("%.0f MHz", mhz)
					     : text_format("%.0f MHz: removes nothing", mhz);

	strips_next(strips, step->limit ?: "", right ?: "");
	if (mhz <= 0)
		return;
	strips_put_range(strips, "range a", strips->scale.from, left, THICK);
	if (takes)
		strips_put_range(strips, "range bad", left, before, THICK);
	strips_put_mark(strips, takes ? "bad" : "e", SVG_BAR, mhz);
}

static void put_picture(struct page *page, const struct described_limits *cpu)
{
	static const struct svg_legend legend[] = {
		{ SVG_BOX, "a", "left" },
		{ SVG_BOX, "bad", "removed by this limit" },
		{ SVG_BAR, "e", "the limit" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = "Limits of a CPU",
		.description =
			"From the highest possible frequency down: for each limit a bar of the "
			"remaining frequency, and the part that the limit removes; the table below "
			"has the figures",
		.unit = "MHz, SSE, all cores active",
		.legend = legend,
		.n_strips = cpu->n_steps + 1,
	};
	_cleanup_free_ char *mhz = figure_range(&cpu->mhz, &cpu->high_mhz);
	_cleanup_free_ char *right =
		text_format("%s MHz, by %s", mhz ?: HTML_NONE, cpu->bound_by ?: "");
	struct strips strips;

	for (size_t i = 0; i < cpu->n_steps; i++)
		range_add(&about.low, &about.high, page_figure(cpu->steps[i].mhz.value));
	if (cpu->n_guaranteed)
		range_add(&about.low, &about.high, page_figure(cpu->guaranteed[0].mhz.value));
	if (about.high <= 0)
		return;
	about.low = 0;
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < cpu->n_steps; i++)
		put_step(&strips, cpu, i);
	strips_next(&strips, "effective", right ?: "");
	strips_put_range(&strips, "range c", strips.scale.from, page_figure(cpu->mhz.value), THICK);
	strips_end(&strips);
}

/* Puts a frequency, or its range for the two readings of the turbo-ratio limits. */
static void put_mhz(struct html_table *table, const struct figure *low, const struct figure *high)
{
	_cleanup_free_ char *mhz = figure_range(low, high);

	html_put_text(table, mhz);
}

static void put_table(struct page *page, const struct described_limits *cpu)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("limit", HTML_TEXT),
		HTML_COLUMN("MHz", HTML_NUMBER),
		HTML_COLUMN("takes MHz", HTML_NUMBER),
		HTML_COLUMN("left MHz", HTML_NUMBER),
	};
	struct html_table table =
		html_begin_table(&page->text, "Limits, and what is guaranteed with all cores busy",
				 columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < cpu->n_steps; i++) {
		const struct described_limit *step = &cpu->steps[i];
		const double mhz = page_figure(step->mhz.value), before = find_lowest(cpu, i);
		const bool takes = before > 0 && mhz > 0 && mhz < before;

		html_put_cell(&table, "%s", step->limit ?: HTML_NONE);
		put_mhz(&table, &step->mhz, &step->high_mhz);
		html_put_cell(&table, "%.0f", takes ? before - mhz : 0);
		html_put_cell(&table, "%.0f", takes || before <= 0 ? mhz : before);
	}
	html_put_cell(&table, "effective, by %s", cpu->bound_by ?: "");
	put_mhz(&table, &cpu->mhz, &cpu->high_mhz);
	html_put_cell(&table, "%s", HTML_NONE);
	html_put_figure(&table, &cpu->mhz, 0);
	for (size_t i = 0; i < cpu->n_guaranteed; i++) {
		html_put_cell(&table, "guaranteed: %s", cpu->guaranteed[i].limit ?: "");
		html_put_figure(&table, &cpu->guaranteed[i].mhz, 0);
		html_put_cell(&table, "%s", HTML_NONE);
		html_put_cell(&table, "%s", HTML_NONE);
	}
	html_end_table(&table);
}

/* Returns true if a CPU of an earlier run has the same limits. */
static bool was_shown(const struct page *page, size_t run, const struct described_limits *cpu)
{
	_cleanup_json_ json_t *wanted = json_write_fields(described_limits_fields, cpu);

	for (size_t i = 0; i < run; i++) {
		const struct described_machine *machine = &page->runs[i].machine;

		for (size_t j = 0; j < machine->n_limits; j++) {
			_cleanup_json_ json_t *other =
				json_write_fields(described_limits_fields, &machine->limits[j]);

			if (json_equal(other, wanted))
				return true;
		}
	}
	return false;
}

void page_put_limits(struct page *page, size_t run)
{
	const struct described_machine *machine = &page->runs[run].machine;

	for (size_t i = 0; i < machine->n_limits; i++) {
		const struct described_limits *cpu = &machine->limits[i];

		if (was_shown(page, run, cpu))
			continue;
		page_begin_figure(page, false, "%s: CPU %u of package %u, %s", page->labels[run],
				  cpu->cpu, cpu->package, cpu->class ?: "");
		put_picture(page, cpu);
		put_table(page, cpu);
		page_end_figure(page);
	}
}
