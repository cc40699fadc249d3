// SPDX-License-Identifier: GPL-2.0-only
/* Shows jitter: how late threads ran, as histograms, and their worst cases (measure.md, "report").
 */
#include "report/parts.h"

#define MOST_HISTOGRAMS 4 /* that are shown for each CPU; of more CPUs there is one of all */
#define MOST_BINS       64
#define HEIGHT          170
#define TOP             18
#define BOTTOM          (HEIGHT - 32)

struct bins {
	double from[MOST_BINS], to[MOST_BINS], cycles[MOST_BINS]; /* to: 0 is open */
	size_t count, first, last; /* those that are not empty */
	double most;
};

/* Adds the histogram of a CPU; all have the same bins. */
static void add_histogram(struct bins *bins, const json_t *histogram)
{
	const json_t *bin;
	size_t i;

	json_array_foreach (histogram, i, bin) {
		if (i >= MOST_BINS)
			break;
		bins->from[i] = page_number(bin, "from-us");
		bins->to[i] = page_number(bin, "to-us");
		bins->cycles[i] += page_number(bin, "cycles") > 0 ? page_number(bin, "cycles") : 0;
		bins->count = i + 1 > bins->count ? i + 1 : bins->count;
	}
	bins->first = bins->last = bins->count;
	for (i = 0; i < bins->count; i++) {
		if (bins->cycles[i] <= 0)
			continue;
		bins->first = bins->first == bins->count ? i : bins->first;
		bins->last = i;
		bins->most = bins->cycles[i] > bins->most ? bins->cycles[i] : bins->most;
	}
}

static void put_histogram(struct page *page, const struct bins *bins)
{
	const double width =
		(PICTURE_WIDTH - 2.0 * PICTURE_EDGE) / (double)(bins->last - bins->first + 1);
	const struct scale cycles = { 0.5, bins->most, BOTTOM, TOP, true };
	struct svg svg =
		svg_begin(&page->text, page->n_pictures++, HEIGHT, "Histogram of jitter",
			  "A column for each range of latencies, its height the logarithm "
			  "of how many cycles were in it; the table below has the figures");

	for (size_t i = bins->first; i <= bins->last; i++) {
		const double x = PICTURE_EDGE + width * (double)(i - bins->first);
		const double top = scale_at(&cycles, bins->cycles[i]);

		if (bins->cycles[i] > 0)
			svg_box(&svg, "range a", x + 1, top, width - 2, BOTTOM - top);
		svg_text(&svg, "small", "middle", x + width / 2,
			 (bins->cycles[i] > 0 ? top : BOTTOM) - 3, "%.0f", bins->cycles[i]);
		svg_text(&svg, "tick", i == bins->first ? "start" : "middle", x, BOTTOM + 13,
			 "%.0f", bins->from[i]);
	}
	if (bins->to[bins->last] > 0)
		svg_text(&svg, "tick", "end", PICTURE_WIDTH - PICTURE_EDGE, BOTTOM + 13, "%.0f",
			 bins->to[bins->last]);
	svg_line(&svg, "axis", PICTURE_EDGE, BOTTOM, PICTURE_WIDTH - PICTURE_EDGE, BOTTOM);
	svg_text(&svg, "tick", "middle", PICTURE_WIDTH / 2.0, BOTTOM + 27,
		 "us late; columns: cycles, logarithmic");
	svg_end(&svg);
}

static void put_bins(struct page *page, const struct bins *bins)
{
	static const struct html_column columns[] = {
		{ "us late", HTML_NUMBER },
		{ "cycles", HTML_NUMBER },
		{ "as late or later %", HTML_NUMBER },
	};
	struct html_table table =
		html_begin_table(&page->text, "Histogram of jitter", columns, ARRAY_SIZE(columns));
	double all = 0, left;

	for (size_t i = 0; i < bins->count; i++)
		all += bins->cycles[i];
	left = all;
	for (size_t i = bins->first; i <= bins->last && i < bins->count; i++) {
		if (bins->to[i] > 0)
			html_put_cell(&table, "%.0f to %.0f", bins->from[i], bins->to[i]);
		else
			html_put_cell(&table, "%.0f and more", bins->from[i]);
		html_put_cell(&table, "%.0f", bins->cycles[i]);
		html_put_cell(&table, "%.4f", 100 * left / all);
		left -= bins->cycles[i];
	}
	html_end_table(&table);
}

static void put_jitter_cpus(struct page *page, const json_t *cpus)
{
	static const struct html_column columns[] = {
		{ "CPU", HTML_NUMBER },      { "cycles", HTML_NUMBER },
		{ "overruns", HTML_NUMBER }, { "least us", HTML_NUMBER },
		{ "mean us", HTML_NUMBER },  { "worst us", HTML_NUMBER },
		{ "after s", HTML_NUMBER },  { "coincided with", HTML_WIDE },
		{ "scheduling", HTML_TEXT },
	};
	struct html_table table =
		html_begin_table(&page->text, "Jitter of each CPU, and its worst case", columns,
				 ARRAY_SIZE(columns));
	const json_t *cpu, *cause;
	size_t i, j;

	json_array_foreach (cpus, i, cpu) {
		const json_t *worst = json_array_get(json_object_get(cpu, "worst"), 0);
		_cleanup_buffer_ struct buffer causes = { 0 };

		json_array_foreach (json_object_get(worst, "coincided"), j, cause) {
			buffer_append_string(&causes, j ? ", " : "");
			buffer_append_string(&causes, json_string_value(cause) ?: "");
		}
		html_put_member(&table, cpu, "cpu", 0);
		html_put_member(&table, cpu, "cycles", 0);
		html_put_member(&table, cpu, "overruns", 0);
		html_put_member(&table, cpu, "min-us", 1);
		html_put_member(&table, cpu, "mean-us", 1);
		html_put_member(&table, cpu, "max-us", 1);
		html_put_member(&table, worst, "at-s", 3);
		html_put_cell(&table, "%s", causes.length ? buffer_text(&causes) : "nothing seen");
		html_put_member(&table, cpu, "scheduling", 0);
	}
	html_end_table(&table);
}

/* A histogram of some CPUs of a run, and its table. */
static void put_jitter_figure(struct page *page, const struct bins *bins)
{
	if (bins->first >= bins->count)
		return;
	put_histogram(page, bins);
	put_bins(page, bins);
}

static void put_jitter_run(struct page *page, size_t run)
{
	const json_t *cpus = json_object_get(page->runs[run].json, "cpus"), *cpu;
	const char *by = page_text(page->runs[run].json, "disturbed-by");
	const size_t n_cpus = json_array_size(cpus);
	struct bins all = { 0 };
	size_t i;

	json_array_foreach (cpus, i, cpu) {
		struct bins bins = { 0 };

		add_histogram(&all, json_object_get(cpu, "histogram"));
		if (n_cpus > MOST_HISTOGRAMS)
			continue;
		add_histogram(&bins, json_object_get(cpu, "histogram"));
		page_begin_figure(page, false, "%s: CPU %.0f%s%s", page->labels[run],
				  page_number(cpu, "cpu"), *by ? ", disturbed by CPUs " : "", by);
		put_jitter_figure(page, &bins);
		page_end_figure(page);
	}
	page_begin_figure(page, false, "%s: worst cases", page->labels[run]);
	if (n_cpus > MOST_HISTOGRAMS)
		put_jitter_figure(page, &all);
	put_jitter_cpus(page, cpus);
	page_end_figure(page);
}

void page_put_jitter(struct page *page)
{
	if (page_count(page, SAVED_RUN_JITTER) == 0)
		return;
	page_begin_section(page, "Jitter",
			   "How late a thread ran that sleeps until each multiple of an interval.");
	for (size_t i = 0; i < page->n_runs; i++) {
		if (page->runs[i].kind == SAVED_RUN_JITTER)
			put_jitter_run(page, i);
	}
	page_end_section(page);
}
