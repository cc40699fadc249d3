// SPDX-License-Identifier: GPL-2.0-only
/* Shows wake-up latencies: quantiles for each idle state and gap, of each CPU, or of many CPUs
 * together (measure.md, "report"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

#define THICK      9
#define THIN       3
#define MOST_SHOWN 4 /* CPUs that have pictures of their own; more are shown together */

/* Three digits, but all digits before the point. */
static char *format_us(double us)
{
	return us > 0 ? text_format("%.*f", us < 10 ? 2 : us < 100 ? 1 : 0, us) : strdup(HTML_NONE);
}

static char *format_quantiles(double p50, double p99, double max)
{
	_cleanup_free_ char *low = format_us(p50), *high = format_us(p99), *worst = format_us(max);

	return text_format("p50 %s, p99 %s, worst %s us", low ?: "", high ?: "", worst ?: "");
}

static void put_strip(struct strips *strips, const struct wake_row *row)
{
	const double p50 = page_figure(row->p50_us.value), p99 = page_figure(row->p99_us.value);
	const double max = page_figure(row->max_us.value);
	const double exit = page_figure(row->exit_latency_us.value);
	_cleanup_free_ char *label =
		text_format("%s, gap %.0f us", row->state, page_figure(row->gap_us.value));
	_cleanup_free_ char *right = format_quantiles(p50, p99, max);

	strips_next(strips, label ?: "", right ?: "");
	if (p50 > 0 && max > 0)
		strips_put_range(strips, "range e", p50, max, THIN);
	if (p50 > 0 && p99 > 0)
		strips_put_range(strips, "range a", p50, p99, THICK);
	if (exit > 0)
		strips_put_mark(strips, "b", SVG_DIAMOND, exit);
	if (p50 > 0)
		strips_put_mark(strips, "a", SVG_BAR, p50);
	if (max > 0)
		strips_put_mark(strips, "e", SVG_RING, max);
}

static const struct wake_row *row_at(const struct json_rows *rows, size_t at)
{
	return (const void *)((const char *)rows->list + at * rows->size);
}

static void put_wake_picture(struct page *page, const struct json_rows *rows)
{
	static const struct svg_legend legend[] = {
		{ SVG_BAR, "a", "p50" },    { SVG_BOX, "a", "to p99" },
		{ SVG_RING, "e", "worst" }, { SVG_DIAMOND, "b", "exit latency claimed" },
		{ SVG_DOT, NULL, NULL },
	};
	struct strips_about about = {
		.title = "Wake-up latency",
		.description = "For each idle state and gap, on a logarithmic scale, a bar from "
			       "the median to the 99th percentile, a ring at the worst case and a "
			       "diamond at the exit latency that the driver claims; the table "
			       "below has the figures",
		.unit = "us, logarithmic",
		.legend = legend,
		.n_strips = rows->count,
		.is_log = true,
	};
	struct strips strips;

	for (size_t i = 0; i < rows->count; i++) {
		const struct wake_row *row = row_at(rows, i);

		range_add(&about.low, &about.high, page_figure(row->p50_us.value));
		range_add(&about.low, &about.high, page_figure(row->p99_us.value));
		range_add(&about.low, &about.high, page_figure(row->max_us.value));
		range_add(&about.low, &about.high, page_figure(row->exit_latency_us.value));
	}
	if (about.high <= 0)
		return;
	strips = strips_begin(page, &about);
	for (size_t i = 0; i < rows->count; i++)
		put_strip(&strips, row_at(rows, i));
	strips_end(&strips);
}

/* "not-idle 3, lost 1" */
static char *format_excluded(const void *row)
{
	const struct wake_row *of = row;
	_cleanup_buffer_ struct buffer text = { 0 };

	for (enum wake_kind kind = 0; kind < WAKE_KINDS; kind++) {
		if (of->excluded[kind])
			buffer_add_item(&text, ", ", "%s %" PRIu64, wake_kind_names[kind],
					of->excluded[kind]);
	}
	return text.length ? buffer_steal(&text, NULL) : NULL;
}

static char *format_interval(const struct figure *low, const struct figure *high)
{
	return figure_is_known(low) && figure_is_known(high)
		       ? text_format("%.2f to %.2f", low->value, high->value)
		       : NULL;
}

static char *format_p50_interval(const void *row)
{
	const struct wake_row *of = row;

	return format_interval(&of->p50_low_us, &of->p50_high_us);
}

static char *format_p99_interval(const void *row)
{
	const struct wake_row *of = row;

	return format_interval(&of->p99_low_us, &of->p99_high_us);
}

static void put_wake_table(struct page *page, const struct json_rows *rows)
{
	static const struct html_column columns[] = {
		{ HTML_MEMBER(struct wake_row, state) },
		{ HTML_FIGURE(struct wake_row, gap_us) },
		{ HTML_FIGURE(struct wake_row, rounds) },
		{ HTML_FIGURE(struct wake_row, p50_us) },
		{ .heading = "95 % interval", .kind = HTML_NUMBER, .format = format_p50_interval },
		{ HTML_FIGURE(struct wake_row, p99_us) },
		{ .heading = "95 % interval", .kind = HTML_NUMBER, .format = format_p99_interval },
		{ HTML_FIGURE(struct wake_row, p999_us) },
		{ HTML_FIGURE(struct wake_row, max_us) },
		{ HTML_FIGURE(struct wake_row, exit_latency_us) },
		{ HTML_MEMBER(struct wake_row, is_slow) },
		{ .heading = "excluded rounds", .kind = HTML_WIDE, .format = format_excluded },
	};

	html_put_rows(&page->text, "Wake-up latency; slow: p50 above twice the exit latency",
		      columns, ARRAY_SIZE(columns), rows);
}

/* One row for each state and gap of many CPUs. p50_us is the mean of their p50, p50_low_us the
 * lowest and p50_high_us the highest. */
struct many_row {
	struct wake_row row;
	size_t n_cpus; /* CPUs with this state and gap */
	uint32_t worst_cpu;
};

struct many {
	struct many_row *list;
	size_t count;
};

/* Finds the row with the state and gap of like, or adds a new one. */
static struct many_row *find_row(struct many *many, const struct wake_row *like)
{
	struct many_row *to;

	for (size_t i = 0; i < many->count; i++) {
		const struct wake_row *row = &many->list[i].row;

		if (row->gap_us.value == like->gap_us.value &&
		    row->exit_latency_us.value == like->exit_latency_us.value &&
		    strcmp(row->state, like->state) == 0)
			return &many->list[i];
	}
	to = array_add(&many->list, &many->count, sizeof(*to));
	if (to)
		*to = (struct many_row){
			.row = { .state = like->state,
				 .gap_us = like->gap_us,
				 .exit_latency_us = like->exit_latency_us },
		};
	return to;
}

static int add_row(struct many *many, uint32_t cpu, const struct wake_row *row)
{
	const double p50 = page_figure(row->p50_us.value);
	struct many_row *to = find_row(many, row);
	struct wake_row *sum = to ? &to->row : NULL;
	double low, high;

	if (!to)
		return -ENOMEM;
	if (p50 <= 0)
		return 0;
	low = sum->p50_low_us.value;
	high = sum->p50_high_us.value;
	range_add(&low, &high, p50);
	sum->p50_low_us = figure_make_exact(low);
	sum->p50_high_us = figure_make_exact(high);
	sum->p50_us = figure_make_exact((sum->p50_us.value * (double)to->n_cpus + p50) /
					(double)(to->n_cpus + 1));
	to->n_cpus++;
	if (page_figure(row->p99_us.value) > sum->p99_us.value)
		sum->p99_us = figure_make_exact(row->p99_us.value);
	if (page_figure(row->max_us.value) <= sum->max_us.value)
		return 0;
	sum->max_us = figure_make_exact(row->max_us.value);
	to->worst_cpu = cpu;
	return 0;
}

static char *format_cpus(const void *row)
{
	const struct many_row *of = row;

	return of->n_cpus ? text_format("%zu", of->n_cpus) : NULL;
}

static char *format_worst_cpu(const void *row)
{
	const struct many_row *of = row;

	return figure_is_known(&of->row.max_us) ? text_format("%u", of->worst_cpu) : NULL;
}

static void put_many_table(struct page *page, const struct json_rows *rows)
{
	static const struct html_column columns[] = {
		{ HTML_MEMBER(struct wake_row, state) },
		{ HTML_FIGURE(struct wake_row, gap_us) },
		{ .heading = "CPUs", .kind = HTML_NUMBER, .format = format_cpus },
		{ .heading = "p50 us, mean", HTML_FIGURE(struct wake_row, p50_us) },
		{ .heading = "lowest to highest",
		  .kind = HTML_NUMBER,
		  .format = format_p50_interval },
		{ .heading = "highest p99 us", HTML_FIGURE(struct wake_row, p99_us) },
		{ HTML_FIGURE(struct wake_row, max_us) },
		{ .heading = "on CPU", .kind = HTML_NUMBER, .format = format_worst_cpu },
		{ HTML_FIGURE(struct wake_row, exit_latency_us) },
	};

	html_put_rows(&page->text, "Wake-up latency of many CPUs", columns, ARRAY_SIZE(columns),
		      rows);
}

/* Puts CPUs that are too many for their own pictures. */
static void put_many(struct page *page, size_t run)
{
	const struct wake_result *result = &page->runs[run].wake;
	struct many many = { 0 };
	struct json_rows rows;

	for (size_t i = 0; i < result->n_cpus; i++) {
		for (size_t j = 0; j < result->cpus[i].n_rows; j++)
			page->text.has_failed |=
				add_row(&many, result->cpus[i].cpu, &result->cpus[i].rows[j]) < 0;
	}
	rows = (struct json_rows){ many.list, many.count, sizeof(*many.list), wake_row_fields };
	page_begin_figure(page, false, "%s: %zu CPUs together, woken by %s", page->labels[run],
			  result->n_cpus, result->by ?: "");
	put_wake_picture(page, &rows);
	put_many_table(page, &rows);
	page_end_figure(page);
	free(many.list);
}

void page_put_wakes(struct page *page, size_t run)
{
	const struct wake_result *result = &page->runs[run].wake;

	if (page->runs[run].kind != SAVED_RUN_WAKE)
		return;
	page_open_section(page);
	if (result->n_cpus > MOST_SHOWN) {
		put_many(page, run);
		return;
	}
	for (size_t i = 0; i < result->n_cpus; i++) {
		const struct wake_cpu *cpu = &result->cpus[i];
		const struct json_rows rows = { cpu->rows, cpu->n_rows, sizeof(*cpu->rows),
						wake_row_fields };

		page_begin_figure(page, false, "%s: CPU %u, woken by %s", page->labels[run],
				  cpu->cpu, result->by ?: "");
		put_wake_picture(page, &rows);
		put_wake_table(page, &rows);
		page_end_figure(page);
	}
}
