/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of a report, and what they have in common (measure.md, "report"). A run is an index
 * of page->runs. No function fails: page->text records a lack of memory. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "measure/compare.h"
#include "report/html.h"
#include "report/svg.h"

#define PAGE_SECTIONS 16

struct page;

/* A section. It is left out if no run has something for it. */
struct page_section {
	const char *heading, *about; /* about: a paragraph */
	void (*put)(struct page *page); /* puts the complete section; or NULL */
	void (*put_run)(struct page *page, size_t run); /* called for each run */
};

/* The page that is being made. */
struct page {
	struct buffer text;
	const struct saved_run *runs;
	size_t n_runs;
	char **labels; /* of runs: short names of their files */
	struct compare_result comparisons[SAVED_RUN_KINDS]; /* of each kind except trials */
	struct texts names; /* names of their figures */
	unsigned int n_pictures; /* so far */
	const struct page_section *section; /* the present section */
	bool is_open; /* the section has begun */
	const char *headings[PAGE_SECTIONS]; /* of its sections, static texts */
	size_t n_headings;
};

/* Styles of a page: lines; NULL ends them. */
extern const char *const page_style[];

/* Begins the present section with its heading and its paragraph, if it has not begun yet. */
void page_open_section(struct page *page);

/* Begin and end the part of a picture, with a heading in printf form. The section begins before its
 * first picture. On large screens, pictures that are not wide are side by side. */
void page_begin_figure(struct page *page, bool is_wide, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void page_end_figure(struct page *page);

/* Returns true if a measurement has this kind. */
bool page_has(const struct page *page, enum saved_run_kind kind);

/* Returns true if two runs have the same member. */
bool page_is_equal(const struct page *page, size_t run, size_t other, const char *member);

/* Returns true if an earlier run has the same member as this one. */
bool page_repeats(const struct page *page, size_t run, const char *member);

/* The labels of the runs that have the same member as run, with commas, or "all measurements": a
 * new text, or NULL. */
char *page_find_labels(const struct page *page, size_t run, const char *member);

/* The value; or 0 if its absolute value is outside 1e-9 to 1e12, so that no picture can show it. */
double page_figure(double value);

/* page_figure() of a number of an object; 0 if it is missing or no number. */
double page_number(const json_t *object, const char *name);

/* What was measured, or the result, in one line: a new text, or NULL. */
char *page_summarize(const struct saved_run *run);

/* A chart of horizontal strips: each has a label, a text at its right, and marks on one scale. */
struct strips {
	struct svg svg;
	struct scale scale;
	double y; /* of the track of the present strip */
};

/* What a chart shows. */
struct strips_about {
	const char *title, *description; /* for readers who cannot see it */
	const char *unit; /* of the axis */
	const struct svg_legend *legend; /* or NULL */
	size_t n_strips, n_headings;
	double low, high; /* of all values, in the unit of the axis; low > 0 if is_log */
	bool is_log;
};

/* Begin and end a chart with its axis. The chart is as high as its strips and headings need. */
struct strips strips_begin(struct page *page, const struct strips_about *about);
void strips_end(struct strips *strips);

/* Puts a heading above the strips that follow: one of about->n_headings. */
void strips_put_heading(struct strips *strips, const char *text);

/* Begins the next strip, one of about->n_strips; right, a text, may be "". */
void strips_next(struct strips *strips, const char *label, const char *right);

/* Put a mark, or a range from low to high, into the present strip. Values are in the unit of the
 * axis, thickness is in units of the picture (svg.h). */
void strips_put_mark(struct strips *strips, const char *class, enum svg_mark mark, double value);
void strips_put_range(struct strips *strips, const char *class, double low, double high,
		      double thickness);

/* Widens the range *low to *high (both 0: empty) so that it contains a value above 0. */
void range_add(double *low, double *high, double value);

/* Puts the answer for the head of the page: how the figures of trials and comparisons change. */
void page_put_answers(struct page *page);

/* The functions of the sections. */
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
