/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of a report, and what they have in common (measure.md, "report"). Runs are given by
 * their index in page->runs. No function fails: lack of memory is remembered in page->text. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "measure/compare.h"
#include "report/html.h"
#include "report/svg.h"

#define PAGE_SECTIONS 16

struct page;

/* A section: nothing if no run has what it shows. */
struct page_section {
	const char *heading, *about; /* about: a paragraph */
	void (*put)(struct page *page); /* puts all of it; or NULL: */
	void (*put_run)(struct page *page, size_t run); /* of one run after the other */
};

/* The page that is being made. */
struct page {
	struct buffer text;
	const struct saved_run *runs;
	size_t n_runs;
	char **labels; /* of runs: short names of their files */
	struct compare_result comparisons[SAVED_RUN_KINDS]; /* of each kind, but trials */
	struct texts names; /* of their figures */
	unsigned int n_pictures; /* so far */
	const struct page_section *section; /* that is being made */
	bool is_open; /* it has begun */
	const char *headings[PAGE_SECTIONS]; /* of its sections, static texts */
	size_t n_headings;
};

/* Styles of a page: lines up to NULL. */
extern const char *const page_style[];

/* Begins the present section with its heading and its paragraph, unless it has begun. */
void page_open_section(struct page *page);

/* Begins what belongs to one picture, with a heading in printf form, and ends it; the section
 * begins before its first one. On large screens figures are beside each other if they are not wide.
 */
void page_begin_figure(struct page *page, bool is_wide, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void page_end_figure(struct page *page);

/* Has a measurement this kind? */
bool page_has(const struct page *page, enum saved_run_kind kind);

/* Have two runs the same member? */
bool page_is_equal(const struct page *page, size_t run, size_t other, const char *member);

/* Has an earlier run the same member as this one? */
bool page_repeats(const struct page *page, size_t run, const char *member);

/* The labels of the runs whose member is that of run, with commas, or that it is all of them: a new
 * text, or NULL. */
char *page_find_labels(const struct page *page, size_t run, const char *member);

/* The value, or 0 if it is none that a picture can show: from 1e-9 to 1e12, or below zero. */
double page_figure(double value);

/* The number of an object, as page_figure() gives it; of another type or missing: 0. */
double page_number(const json_t *object, const char *name);

/* What was measured, or what came out, in one line: a new text, or NULL. */
char *page_summarize(const struct saved_run *run);

/* A chart of horizontal strips: each has a label, a text at its right, and marks on one scale. */
struct strips {
	struct svg svg;
	struct scale scale;
	double y; /* of the track of the present strip */
};

/* What a chart shows. */
struct strips_about {
	const char *title, *description; /* for those who cannot see it */
	const char *unit; /* of the axis */
	const struct svg_legend *legend; /* or NULL */
	size_t n_strips, n_headings;
	double low, high; /* of all values, in the unit of the axis; low > 0 if is_log */
	bool is_log;
};

/* Begins a chart, as high as its strips and headings need, with its axis; and ends it. */
struct strips strips_begin(struct page *page, const struct strips_about *about);
void strips_end(struct strips *strips);

/* Puts a heading above the strips that follow: one of about->n_headings. */
void strips_put_heading(struct strips *strips, const char *text);

/* Begins the next strip, one of about->n_strips; right, a text, may be "". */
void strips_next(struct strips *strips, const char *label, const char *right);

/* Puts a mark, or a range from low to high, into the present strip; these are in the unit of the
 * axis, thickness in units of the picture (svg.h). */
void strips_put_mark(struct strips *strips, const char *class, enum svg_mark mark, double value);
void strips_put_range(struct strips *strips, const char *class, double low, double high,
		      double thickness);

/* Widens the range *low to *high (both 0: empty) to a value, if that is above 0. */
void range_add(double *low, double *high, double value);

/* The answer, for the head of the page: what the figures of trials and comparisons do. */
void page_put_answers(struct page *page);

/* What sections put. */
void page_put_trial(struct page *page, size_t run);
void page_put_comparisons(struct page *page);
void page_put_runs(struct page *page);
void page_put_map(struct page *page);
void page_put_differences(struct page *page);
void page_put_settings(struct page *page, size_t run);
void page_put_levels(struct page *page, size_t run);
void page_put_frequencies(struct page *page);
void page_put_ladders(struct page *page);
void page_put_wakes(struct page *page, size_t run);
void page_put_jitter(struct page *page, size_t run);
void page_put_limits(struct page *page, size_t run);

#endif
