// SPDX-License-Identifier: GPL-2.0-only
/* Makes the page of measure report: its head, its sections, and the measurements as JSON
 * (measure.md, "report"). */
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/host.h"
#include "host/run_directory.h"
#include "report/parts.h"

/* The page cannot use the network: it can only use its own style, and JSON that is not executed. */
#define SECURITY_POLICY                                                               \
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; " \
	"img-src data:"
/* Figures of machines are between these limits. Only files that somebody made can have others. */
#define LEAST_FIGURE 1e-9
#define MOST_FIGURE  1e12
#define SUFFIX       ".json"
/* Words of the work that are shown. */
#define MOST_WORDS 64
/* Measurements are left out of the data of the page if the page would be longer. */
#define MOST_BYTES (480u << 10)

double page_figure(double value)
{
	return fabs(value) >= LEAST_FIGURE && fabs(value) <= MOST_FIGURE ? value : 0;
}

double page_number(const json_t *object, const char *name)
{
	return page_figure(json_number_value(json_object_get(object, name)));
}

bool page_has(const struct page *page, enum saved_run_kind kind)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		if (page->runs[i].kind == kind)
			return true;
	}
	return false;
}

static const json_t *member_of(const struct page *page, size_t run, const char *member)
{
	return json_object_get(page->runs[run].json, member);
}

bool page_is_equal(const struct page *page, size_t run, size_t other, const char *member)
{
	const json_t *left = member_of(page, run, member), *right = member_of(page, other, member);

	return left == right || json_equal(left, right);
}

bool page_repeats(const struct page *page, size_t run, const char *member)
{
	for (size_t i = 0; i < run; i++) {
		if (page_is_equal(page, i, run, member))
			return true;
	}
	return false;
}

char *page_find_labels(const struct page *page, size_t run, const char *member)
{
	_cleanup_buffer_ struct buffer labels = { 0 };
	size_t n_labels = 0;

	for (size_t i = 0; i < page->n_runs; i++) {
		if (!page_is_equal(page, i, run, member))
			continue;
		n_labels++;
		buffer_add_item(&labels, ", ", "%s", page->labels[i]);
	}
	if (n_labels > 1 && n_labels == page->n_runs)
		return strdup("all measurements");
	return buffer_steal(&labels, NULL);
}

void page_open_section(struct page *page)
{
	const size_t at = page->n_headings;

	if (page->is_open)
		return;
	page->is_open = true;
	page->headings[page->n_headings++] = page->section->heading;
	html_put(&page->text,
		 "<section aria-labelledby=\"s%zu\"><h2 id=\"s%zu\">%s</h2>\n"
		 "<p class=\"about\">%s</p>\n<div class=\"figures\">\n",
		 at, at, page->section->heading, page->section->about);
}

/* Puts a section, unless it has nothing to show. */
static void put_section(struct page *page, const struct page_section *section)
{
	page->section = section;
	page->is_open = false;
	if (section->put)
		section->put(page);
	for (size_t i = 0; i < page->n_runs && section->put_run; i++)
		section->put_run(page, i);
	if (page->is_open)
		buffer_append_string(&page->text, "</div></section>\n");
}

void page_begin_figure(struct page *page, bool is_wide, const char *format, ...)
{
	_cleanup_free_ char *heading = NULL;
	va_list args;

	page_open_section(page);
	va_start(args, format);
	heading = text_format_list(format, args);
	va_end(args);
	html_put(&page->text, "<figure class=\"%s\"><h3>%s</h3>\n", is_wide ? "wide" : "", heading);
}

void page_end_figure(struct page *page)
{
	buffer_append_string(&page->text, "</figure>\n");
}

/* The last part of the name of a file, without its ending: a new text, or NULL. */
static char *shorten(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name);

	if (length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0)
		length -= strlen(SUFFIX);
	return strndup(name, length);
}

/* Names the runs after their files: short names, or complete ones if short names are equal. */
static int make_labels(struct page *page)
{
	page->labels = calloc(page->n_runs, sizeof(*page->labels));
	for (size_t i = 0; page->labels && i < page->n_runs; i++) {
		_cleanup_free_ char *own = shorten(page->runs[i].file);
		bool is_shared = false;

		for (size_t j = 0; j < page->n_runs && own; j++) {
			_cleanup_free_ char *other = shorten(page->runs[j].file);

			is_shared = is_shared || (j != i && strcmp(other ?: "", own) == 0);
		}
		page->labels[i] = is_shared ? strdup(page->runs[i].file) : steal(own);
		if (!page->labels[i])
			return -ENOMEM;
	}
	return page->labels ? 0 : -ENOMEM;
}

static void page_done(struct page *page)
{
	for (size_t i = 0; page->labels && i < page->n_runs; i++)
		free(page->labels[i]);
	free(page->labels);
	for (size_t i = 0; i < ARRAY_SIZE(page->comparisons); i++)
		json_free_fields(compare_result_fields, &page->comparisons[i]);
	texts_done(&page->names);
	buffer_done(&page->text);
}

/* Puts the measurements as JSON, without their samples and intervals. */
static void put_data(struct page *page)
{
	_cleanup_buffer_ struct buffer all = { 0 }, left_out = { 0 };

	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_json_ json_t *run = json_copy(page->runs[i].json);
		_cleanup_buffer_ struct buffer text = { 0 };

		json_object_del(run, RESULT_SAMPLES);
		json_object_del(run, RESULT_INTERVALS);
		if (json_object_set_new(run, "label", json_string(page->labels[i])))
			page->text.has_failed = true;
		html_put_json(&text, run);
		if (page->text.length + all.length + text.length > MOST_BYTES) {
			html_put(&left_out, "%s%s", left_out.length ? ", " : "", page->labels[i]);
			continue;
		}
		buffer_append_string(&all, all.length ? ",\n" : "");
		buffer_append_string(&all, buffer_text(&text));
	}
	page->text.has_failed |= all.has_failed || left_out.has_failed;
	if (left_out.length) {
		html_put(&page->text, "<p>Too large to be in the data of this page: ");
		buffer_append_string(&page->text, buffer_text(&left_out));
		buffer_append_string(&page->text, "</p>\n");
	}
	buffer_append_string(&page->text, "<script type=\"application/json\" id=\"data\">\n[");
	buffer_append_string(&page->text, buffer_text(&all));
	buffer_append_string(&page->text, "]\n</script>\n");
}

/* Compares the groups of measurements of each command. measure try has compared its own sides. */
static int compare(struct page *page)
{
	_cleanup_free_ struct saved_run *runs = calloc(page->n_runs, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	for (int kind = 0; kind < SAVED_RUN_KINDS; kind++) {
		_cleanup_free_ char *problem = NULL; /* unused: the files are of one command */
		size_t count = 0;
		int err = 0;

		for (size_t i = 0; i < page->n_runs && kind != SAVED_RUN_TRY; i++) {
			if ((int)page->runs[i].kind == kind)
				runs[count++] = page->runs[i];
		}
		if (count > 1)
			err = compare_runs(runs, count, &page->names, &page->comparisons[kind],
					   &problem);
		if (err)
			return err;
	}
	return 0;
}

/* Describes the machine and work of a measurement in markup: a new text, or NULL. */
static char *describe(const struct saved_run *run)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const json_t *work = run->given_work;

	html_put(&text, "%s", run->about.processor ?: "unknown processor");
	if (run->model)
		html_put(&text, ", %s%s", saved_model_prefix(run->model), run->model);
	if (run->host)
		html_put(&text, ", host %s", run->host);
	for (size_t i = 0; i < json_array_size(work) && i <= MOST_WORDS; i++)
		html_put(&text, "%s%s", i ? " " : ", ",
			 i < MOST_WORDS ? json_string_value(json_array_get(work, i)) : "...");
	return buffer_steal(&text, NULL);
}

/* Puts the machine, day and work of the measurements; equal ones share a line. */
static void put_machines(struct page *page)
{
	char **abouts = calloc(page->n_runs, sizeof(*abouts));

	for (size_t i = 0; abouts && i < page->n_runs; i++)
		abouts[i] = describe(&page->runs[i]);
	for (size_t i = 0; abouts && i < page->n_runs; i++) {
		const char *first = page->runs[i].time, *last = first, *about = abouts[i];
		size_t j = 0;

		while (j < i && strcmp(abouts[j] ?: "", about ?: "") != 0)
			j++;
		if (j < i)
			continue;
		html_put(&page->text, "<p>");
		for (; j < page->n_runs; j++) {
			if (strcmp(abouts[j] ?: "", about ?: "") != 0)
				continue;
			html_put(&page->text, "%s%s", j == i ? "" : ", ", page->labels[j]);
			last = page->runs[j].time ?: last;
		}
		buffer_append_string(&page->text, ": ");
		buffer_append_string(&page->text, about ?: "");
		html_put(&page->text, "%s%s", first ? ", " : "", first ?: "");
		if (first && strcmp(first, last) != 0)
			html_put(&page->text, " to %s", last);
		html_put(&page->text, "</p>\n");
	}
	for (size_t i = 0; abouts && i < page->n_runs; i++)
		free(abouts[i]);
	page->text.has_failed |= !abouts;
	free(abouts);
}

static void put_head(struct page *page)
{
	html_put(&page->text,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"");
	buffer_append_string(&page->text, SECURITY_POLICY);
	html_put(&page->text,
		 "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<title>Measurements: %s</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n",
		 page->runs[0].about.processor ?: page->labels[0]);
	for (size_t i = 0; page_style[i]; i++) {
		buffer_append_string(&page->text, page_style[i]);
		buffer_append_char(&page->text, '\n');
	}
	html_put(&page->text, "</style>\n</head>\n<body>\n<header>\n<h1>Measurement report</h1>\n");
	page_put_answers(page);
	put_machines(page);
}

static void put_contents(struct page *page)
{
	html_put(&page->text, "<nav aria-label=\"Sections\"><ul>\n");
	for (size_t i = 0; i < page->n_headings; i++)
		html_put(&page->text, "<li><a href=\"#s%zu\">%s</a></li>\n", i, page->headings[i]);
	html_put(&page->text, "</ul></nav>\n</header>\n<main>\n");
}

static const struct page_section sections[] = {
	{ "What a document changed",
	  "Runs without and with a state document take turns, so that a drift does not count. A figure "
	  "changed if its 95 % interval does not contain 0; by chance, 1 in 20 figures that did not "
	  "change has such an interval.",
	  .put_run = page_put_trial },
	{ "What changed",
	  "Measurements of one command with the same machine, kernel, settings and work are runs of one "
	  "group, as for measure compare; each group is compared with that of the first file. With 3 "
	  "runs of each a change has an interval.",
	  .put = page_put_comparisons },
	{ "What was measured",
	  "In the order of the files. Below, each measurement has the name of its file.",
	  .put = page_put_runs },
	{ "Cores by class",
	  "Each box is a core with the number of its lowest CPU, in the order of core numbers, which is "
	  "not where they are on the chip. Cores of one letter are of one class: SST-BF and CLOS treat "
	  "them equally.",
	  .put = page_put_map },
	{ "Settings that differ",
	  "Members are those of state documents. A value that applies only to some locations names them. "
	  "The other settings are at the end.",
	  .put = page_put_differences },
	{ "Performance levels",
	  "What each level of the processor offers, as perf-profile compare shows it: more cores or "
	  "higher frequencies.",
	  .put_run = page_put_levels },
	{ "Frequencies and power",
	  "What CPUs did while they were measured, beside what the settings allow with as many active "
	  "cores as there were. Frequencies are those while CPUs ran.",
	  .put = page_put_frequencies },
	{ "Ladder",
	  "One core busy, then two, and so on: the frequency that the settings predict for this number "
	  "of cores, and that of the slowest of them. Groups of cores with different predictions have a "
	  "line each.",
	  .put = page_put_ladders },
	{ "Wake-up latency",
	  "The time from when a CPU was to wake until its process ran, after it slept in an idle state "
	  "for a gap. The time of the kernel and of the scheduler is in it.",
	  .put_run = page_put_wakes },
	{ "Jitter", "How late a thread ran that sleeps until each multiple of an interval.",
	  .put_run = page_put_jitter },
	{ "Limits",
	  "Why a CPU cannot be faster, as cpufreq explain shows it, for one CPU of each class and "
	  "package. Limits that are the same in several measurements are shown once.",
	  .put_run = page_put_limits },
	{ "Settings",
	  "As state export writes them, when the measurement ended, without those that differ between "
	  "the measurements.",
	  .put_run = page_put_settings },
};
_Static_assert(ARRAY_SIZE(sections) <= PAGE_SECTIONS, "page.headings has room for each");

int page_make(const struct saved_run *runs, size_t n_runs, char **ret_page)
{
	_cleanup_(page_done) struct page page = { .runs = runs, .n_runs = n_runs };
	_cleanup_buffer_ struct buffer body = { 0 };
	int err = make_labels(&page);

	if (!err)
		err = compare(&page);
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		put_section(&page, &sections[i]);
	body = steal(page.text);
	put_head(&page);
	put_contents(&page);
	buffer_append_string(&page.text, buffer_text(&body));
	html_put(
		&page.text,
		"</main>\n<footer><p>Made by intel-speed-select %s of what measure saved. The page "
		"loads nothing and runs nothing; the data of the pictures, without samples and "
		"intervals, is in it as JSON (id data).</p>\n",
		VERSION);
	put_data(&page);
	html_put(&page.text, "</footer>\n</body>\n</html>\n");
	page.text.has_failed |= body.has_failed;
	*ret_page = buffer_steal(&page.text, NULL);
	return *ret_page ? 0 : -ENOMEM;
}
