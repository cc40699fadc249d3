// SPDX-License-Identifier: GPL-2.0-only
/* Shows jitter: histograms of how late threads ran, and the worst cases (measure.md, "report"). */
#include "report/parts.h"

#define MOST_HISTOGRAMS 4 /* one for each CPU; more CPUs share one histogram */
#define MOST_BINS       64
#define HEIGHT          170
#define TOP             18
#define BOTTOM          (HEIGHT - 32)

struct bins {
	double from[MOST_BINS], to[MOST_BINS], cycles[MOST_BINS]; /* to: 0 if there is no end */
	size_t count, first, last; /* first, last: bins that are not empty */
	double most;
};

/* Adds the histogram of a CPU; all have the same bins. */
static void add_histogram(struct bins *bins, const struct jitter_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_bins && i < MOST_BINS; i++) {
		bins->from[i] = page_figure(cpu->histogram[i].from_us.value);
		bins->to[i] = page_figure(cpu->histogram[i].to_us.value);
		bins->cycles[i] += page_figure(cpu->histogram[i].count.value);
		bins->count = i + 1 > bins->count ? i + 1 : bins->count;
	}
	bins->first = bins->last = bins->count;
	for (size_t i = 0; i < bins->count; i++) {
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
		HTML_COLUMN("us late", HTML_NUMBER),
		HTML_COLUMN("cycles", HTML_NUMBER),
		HTML_COLUMN("as late or later %", HTML_NUMBER),
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

static char *format_at(const void *row)
{
	const struct jitter_cpu *cpu = row;

	return cpu->n_worst ? text_format("%.3f", cpu->worst[0].at_s) : NULL;
}

static char *format_causes(const void *row)
{
	const struct jitter_cpu *cpu = row;
	_cleanup_free_ char *causes =
		cpu->n_worst ? texts_join(&cpu->worst[0].coincided, ", ") : NULL;

	return causes && *causes ? steal(causes) : strdup("nothing seen");
}

static void put_jitter_cpus(struct page *page, const struct jitter_result *result)
{
	static const struct html_column columns[] = {
		{ HTML_FIGURE(struct jitter_cpu, cpu) },
		{ HTML_FIGURE(struct jitter_cpu, cycles) },
		{ HTML_FIGURE(struct jitter_cpu, overruns) },
		{ HTML_FIGURE(struct jitter_cpu, min_us) },
		{ HTML_FIGURE(struct jitter_cpu, mean_us) },
		{ HTML_FIGURE(struct jitter_cpu, p50_us) },
		{ HTML_FIGURE(struct jitter_cpu, p99_us) },
		{ HTML_FIGURE(struct jitter_cpu, p999_us) },
		{ HTML_FIGURE(struct jitter_cpu, p9999_us) },
		{ HTML_FIGURE(struct jitter_cpu, max_us) },
		{ .heading = "after s", .kind = HTML_NUMBER, .format = format_at },
		{ .heading = "coincided with", .kind = HTML_WIDE, .format = format_causes },
		{ HTML_MEMBER(struct jitter_cpu, scheduling) },
	};
	const struct json_rows rows = { result->cpus, result->n_cpus, sizeof(*result->cpus),
					jitter_cpu_fields };

	html_put_rows(&page->text, "Jitter of each CPU, and its worst case", columns,
		      ARRAY_SIZE(columns), &rows);
}

/* Puts a histogram of some CPUs of a run, and its table. */
static void put_jitter_figure(struct page *page, const struct bins *bins)
{
	if (bins->first >= bins->count)
		return;
	put_histogram(page, bins);
	put_bins(page, bins);
}

void page_put_jitter(struct page *page, size_t run)
{
	const struct jitter_result *result = &page->runs[run].jitter;
	_cleanup_free_ char *by = cpuset_format_ranges(&result->disturbers);
	struct bins all = { 0 };

	if (page->runs[run].kind != SAVED_RUN_JITTER)
		return;
	for (size_t i = 0; i < result->n_cpus; i++) {
		struct bins bins = { 0 };

		add_histogram(&all, &result->cpus[i]);
		if (result->n_cpus > MOST_HISTOGRAMS)
			continue;
		add_histogram(&bins, &result->cpus[i]);
		page_begin_figure(page, false, "%s: CPU %u%s%s", page->labels[run],
				  result->cpus[i].cpu, by && *by ? ", disturbed by CPUs " : "",
				  by ?: "");
		put_jitter_figure(page, &bins);
		page_end_figure(page);
	}
	page_begin_figure(page, false, "%s: worst cases", page->labels[run]);
	if (result->n_cpus > MOST_HISTOGRAMS)
		put_jitter_figure(page, &all);
	put_jitter_cpus(page, result);
	page_end_figure(page);
}
