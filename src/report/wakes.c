// SPDX-License-Identifier: GPL-2.0-only
/* Shows wake-up latencies: quantiles for each idle state and gap, of each CPU, or of many CPUs
 * together (measure.md, "report"). */
#include <stdlib.h>
#include <string.h>

#include "host/run_directory.h"
#include "report/parts.h"

#define THICK      9
#define THIN       3
#define MOST_SHOWN 4 /* CPUs that have pictures of their own; more are shown together */

/* Three digits, and all before the point. */
static char *format_us(double us)
{
	return us > 0 ? text_format("%.*f", us < 10 ? 2 : us < 100 ? 1 : 0, us) : strdup(HTML_NONE);
}

static char *format_quantiles(double p50, double p99, double max)
{
	_cleanup_free_ char *low = format_us(p50), *high = format_us(p99), *worst = format_us(max);

	return text_format("p50 %s, p99 %s, worst %s us", low ?: "", high ?: "", worst ?: "");
}

static void put_strip(struct strips *strips, const json_t *row)
{
	const double p50 = page_number(row, "p50-us"), p99 = page_number(row, "p99-us");
	const double max = page_number(row, "max-us"), exit = page_number(row, "exit-latency-us");
	_cleanup_free_ char *label =
		text_format("%s, gap %.0f us", page_text(row, "state"), page_number(row, "gap-us"));
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

static void put_wake_picture(struct page *page, const json_t *rows)
{
	static const struct svg_legend legend[] = {
		{ SVG_BAR, "a", "p50" },    { SVG_BOX, "a", "to p99" },
		{ SVG_RING, "e", "worst" }, { SVG_DIAMOND, "b", "exit latency claimed" },
		{ SVG_DOT, NULL, NULL },
	};
	static const char *const names[] = { "p50-us", "p99-us", "max-us", "exit-latency-us" };
	struct strips_about about = {
		.title = "Wake-up latency",
		.description = "For each idle state and gap, on a logarithmic scale, a bar from "
			       "the median to the 99th percentile, a ring at the worst case and a "
			       "diamond at the exit latency that the driver claims; the table "
			       "below has the figures",
		.unit = "us, logarithmic",
		.legend = legend,
		.n_strips = json_array_size(rows),
		.is_log = true,
	};
	struct strips strips;
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			range_add(&about.low, &about.high, page_number(row, names[j]));
	}
	if (about.high <= 0)
		return;
	strips = strips_begin(page, &about);
	json_array_foreach (rows, i, row)
		put_strip(&strips, row);
	strips_end(&strips);
}

/* "not-idle 3, lost 1" */
static void put_excluded(struct html_table *table, const json_t *row)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const char *kind;
	json_t *count;

	json_object_foreach (json_object_get(row, "excluded"), kind, count) {
		_cleanup_free_ char *one = text_format("%s%s %.0f", text.length ? ", " : "", kind,
						       json_number_value(count));

		buffer_append_string(&text, one ?: "");
	}
	html_put_cell(table, "%s", text.length ? buffer_text(&text) : HTML_NONE);
}

static void put_interval(struct html_table *table, const json_t *row, const char *low,
			 const char *high)
{
	if (json_is_number(json_object_get(row, low)) && json_is_number(json_object_get(row, high)))
		html_put_cell(table, "%.2f to %.2f", page_number(row, low), page_number(row, high));
	else
		html_put_cell(table, "%s", HTML_NONE);
}

static void put_wake_table(struct page *page, const json_t *rows)
{
	static const struct html_column columns[] = {
		{ "state", HTML_TEXT },
		{ "gap us", HTML_NUMBER },
		{ "rounds", HTML_NUMBER },
		{ "p50 us", HTML_NUMBER },
		{ "95 % interval", HTML_NUMBER },
		{ "p99 us", HTML_NUMBER },
		{ "95 % interval", HTML_NUMBER },
		{ "p99.9 us", HTML_NUMBER },
		{ "worst us", HTML_NUMBER },
		{ "exit us", HTML_NUMBER },
		{ "slow", HTML_TEXT },
		{ "excluded rounds", HTML_WIDE },
	};
	struct html_table table =
		html_begin_table(&page->text,
				 "Wake-up latency; slow: p50 above twice the exit latency", columns,
				 ARRAY_SIZE(columns));
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		html_put_member(&table, row, "state", 0);
		html_put_member(&table, row, "gap-us", 0);
		html_put_member(&table, row, "rounds", 0);
		html_put_member(&table, row, "p50-us", 2);
		put_interval(&table, row, "p50-low-us", "p50-high-us");
		html_put_member(&table, row, "p99-us", 2);
		put_interval(&table, row, "p99-low-us", "p99-high-us");
		html_put_member(&table, row, "p99.9-us", 2);
		html_put_member(&table, row, "max-us", 2);
		html_put_member(&table, row, "exit-latency-us", 0);
		html_put_member(&table, row, "slow", 0);
		put_excluded(&table, row);
	}
	html_end_table(&table);
}

/* Of more CPUs: a row for each state and gap, as a row of a single CPU, but p50-us is the mean of
 * p50, p50-low-us and p50-high-us are the lowest and the highest, and p99-us and max-us the
 * highest, the latter on worst-cpu; cpus is how many have it. */

/* The row of the same state and gap as another one; a new one if there is none. */
static json_t *find_row(json_t *rows, const json_t *like)
{
	static const char *const names[] = { "state", "gap-us", "exit-latency-us" };
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		bool is_same = true;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			is_same = is_same &&
				  page_number(row, names[j]) == page_number(like, names[j]);
		if (is_same && strcmp(page_text(row, "state"), page_text(like, "state")) == 0)
			return row;
	}
	row = json_object();
	for (size_t j = 0; j < ARRAY_SIZE(names); j++)
		json_object_set(row, names[j], json_object_get(like, names[j]));
	json_array_append_new(rows, row);
	return row;
}

static void add_row(json_t *rows, const json_t *cpu, const json_t *row)
{
	const double p50 = page_number(row, "p50-us"), p99 = page_number(row, "p99-us");
	const double max = page_number(row, "max-us");
	json_t *sum = find_row(rows, row);
	const double n_cpus = page_number(sum, "cpus");
	double low = page_number(sum, "p50-low-us"), high = page_number(sum, "p50-high-us");

	if (p50 <= 0)
		return;
	range_add(&low, &high, p50);
	json_object_set_new(sum, "cpus", json_real(n_cpus + 1));
	json_object_set_new(sum, "p50-low-us", json_real(low));
	json_object_set_new(sum, "p50-high-us", json_real(high));
	json_object_set_new(sum, "p50-us",
			    json_real((page_number(sum, "p50-us") * n_cpus + p50) / (n_cpus + 1)));
	if (p99 > page_number(sum, "p99-us"))
		json_object_set_new(sum, "p99-us", json_real(p99));
	if (max <= page_number(sum, "max-us"))
		return;
	json_object_set_new(sum, "max-us", json_real(max));
	json_object_set(sum, "worst-cpu", json_object_get(cpu, "cpu"));
}

static json_t *add_cpus(const json_t *cpus)
{
	json_t *rows = json_array();
	const json_t *cpu, *row;
	size_t i, j;

	json_array_foreach (cpus, i, cpu) {
		json_array_foreach (json_object_get(cpu, "rows"), j, row)
			add_row(rows, cpu, row);
	}
	return rows;
}

static void put_many_table(struct page *page, const json_t *rows)
{
	static const struct html_column columns[] = {
		{ "state", HTML_TEXT },
		{ "gap us", HTML_NUMBER },
		{ "CPUs", HTML_NUMBER },
		{ "p50 us, mean", HTML_NUMBER },
		{ "lowest to highest", HTML_NUMBER },
		{ "highest p99 us", HTML_NUMBER },
		{ "worst us", HTML_NUMBER },
		{ "on CPU", HTML_NUMBER },
		{ "exit us", HTML_NUMBER },
	};
	struct html_table table = html_begin_table(&page->text, "Wake-up latency of many CPUs",
						   columns, ARRAY_SIZE(columns));
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		html_put_member(&table, row, "state", 0);
		html_put_member(&table, row, "gap-us", 0);
		html_put_member(&table, row, "cpus", 0);
		html_put_member(&table, row, "p50-us", 2);
		put_interval(&table, row, "p50-low-us", "p50-high-us");
		html_put_member(&table, row, "p99-us", 2);
		html_put_member(&table, row, "max-us", 2);
		html_put_member(&table, row, "worst-cpu", 0);
		html_put_member(&table, row, "exit-latency-us", 0);
	}
	html_end_table(&table);
}

static void put_wake(struct page *page, size_t run)
{
	const json_t *json = page->runs[run].json, *cpu;
	const json_t *cpus = json_object_get(json, "cpus");
	_cleanup_json_ json_t *all = NULL;
	size_t i;

	if (json_array_size(cpus) > MOST_SHOWN) {
		all = add_cpus(cpus);
		page_begin_figure(page, false, "%s: %zu CPUs together, woken by %s",
				  page->labels[run], json_array_size(cpus), page_text(json, "by"));
		put_wake_picture(page, all);
		put_many_table(page, all);
		page_end_figure(page);
		return;
	}
	json_array_foreach (cpus, i, cpu) {
		const json_t *rows = json_object_get(cpu, "rows");

		page_begin_figure(page, false, "%s: CPU %.0f, woken by %s", page->labels[run],
				  page_number(cpu, "cpu"), page_text(json, "by"));
		put_wake_picture(page, rows);
		put_wake_table(page, rows);
		page_end_figure(page);
	}
}

void page_put_wakes(struct page *page)
{
	if (page_count(page, SAVED_RUN_WAKE) == 0)
		return;
	page_begin_section(page, "Wake-up latency",
			   "The time from when a CPU was to wake until its process ran, after it "
			   "slept in an idle state for a gap. The time of the kernel and of the "
			   "scheduler is in it.");
	for (size_t i = 0; i < page->n_runs; i++) {
		if (page->runs[i].kind == SAVED_RUN_WAKE)
			put_wake(page, i);
	}
	page_end_section(page);
}
