// SPDX-License-Identifier: GPL-2.0-only
/* Shows the settings of measurements. Those that differ come first (measure.md, "report"). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/run_directory.h"
#include "report/parts.h"

/* One setting, "core-power.clos.3.weight", in each of the states. */
struct setting {
	char *name;
	struct buffer *values; /* for each state: "0 on cpu 12-13; 3 on cpu 0-11" */
};

struct settings {
	struct setting *list;
	size_t count;
	size_t n_states, most_states;
	char **headings; /* of most_states; or NULL */
	bool has_failed; /* there was no memory */
};

static void settings_done(struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		for (size_t j = 0; settings->list[i].values && j < settings->most_states; j++)
			buffer_done(&settings->list[i].values[j]);
		free(settings->list[i].values);
		free(settings->list[i].name);
	}
	for (size_t i = 0; settings->headings && i < settings->n_states; i++)
		free(settings->headings[i]);
	free(settings->headings);
	free(settings->list);
}

/* The setting of that name, which may be a new one. NULL: no memory. */
static struct setting *find_setting(struct settings *settings, const char *name)
{
	struct setting *setting;

	for (size_t i = 0; i < settings->count; i++) {
		if (strcmp(settings->list[i].name, name) == 0)
			return &settings->list[i];
	}
	setting = array_add(&settings->list, &settings->count, sizeof(*setting));
	if (!setting)
		return NULL;
	setting->name = strdup(name);
	setting->values = calloc(settings->most_states, sizeof(*setting->values));
	if (setting->name && setting->values)
		return setting;
	free(setting->name);
	free(setting->values);
	settings->count--;
	return NULL;
}

/* Appends a value as JSON; a text without its quotes. */
static void append_value(struct buffer *to, const json_t *value)
{
	_cleanup_free_ char *text = NULL;

	if (!json_is_string(value))
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
	buffer_append_string(to, json_string_value(value) ?: text ?: "");
}

static bool is_everywhere(const json_t *on)
{
	const char *text = json_string_value(on);

	return text && (strcmp(text, "all") == 0 || strcmp(text, "machine") == 0);
}

static void add_value(struct settings *settings, const char *name, const json_t *on,
		      const json_t *value, size_t state)
{
	struct setting *setting = find_setting(settings, name);
	struct buffer *to = setting ? &setting->values[state] : NULL;

	if (!to) {
		settings->has_failed = true;
		return;
	}
	if (to->length)
		buffer_append_string(to, "; ");
	append_value(to, value);
	if (!on || is_everywhere(on))
		return;
	buffer_append_string(to, " on ");
	append_value(to, on);
}

/* Adds the members of an object below a name. Its depth is that of a valid document. */
static void add_members(struct settings *settings, const char *before, const json_t *on,
			const json_t *object, size_t state)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
		_cleanup_free_ char *name = text_format("%s%s%s", before, *before ? "." : "", key);

		if (!name || (!*before && strcmp(key, "for") == 0))
			settings->has_failed |= !name;
		else if (json_is_object(value))
			add_members(settings, name, on, value, state);
		else
			add_value(settings, name, on, value, state);
	}
}

/* Adds a state. There is room for it. */
static void add_state(struct settings *settings, const json_t *document)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (saved_settings(document), i, entry)
		add_members(settings, "", json_object_get(entry, "for"), entry, settings->n_states);
	settings->n_states++;
}

static bool differs(const struct settings *settings, const struct setting *setting)
{
	for (size_t i = 1; i < settings->n_states; i++) {
		if (strcmp(buffer_text(&setting->values[0]), buffer_text(&setting->values[i])) != 0)
			return true;
	}
	return false;
}

/* Puts a table of settings that differ, with a column for each state, or of others, with one
 * column. */
static void put_table(struct page *page, const struct settings *settings, const char *caption,
		      const char *const *headings, bool of_differences)
{
	_cleanup_free_ struct html_column *columns =
		calloc(settings->n_states + 2, sizeof(*columns));
	const size_t n_values = of_differences ? settings->n_states : 1;
	struct html_table table;

	if (!columns) {
		page->text.has_failed = true;
		return;
	}
	columns[0].heading = "setting";
	for (size_t i = 0; i < n_values; i++)
		columns[i + 1] = (struct html_column){ .heading = headings[i], .kind = HTML_WIDE };
	table = html_begin_table(&page->text, caption, columns, n_values + 1);
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];

		if (differs(settings, setting) != of_differences)
			continue;
		html_put_cell(&table, "%s", setting->name);
		for (size_t j = 0; j < n_values; j++)
			html_put_cell(&table, "%s",
				      setting->values[j].length ? buffer_text(&setting->values[j])
								: HTML_NONE);
	}
	html_end_table(&table);
}

static size_t count_different(const struct settings *settings)
{
	size_t count = 0;

	for (size_t i = 0; i < settings->count; i++)
		count += differs(settings, &settings->list[i]);
	return count;
}

/* Reads the states of the measurements of one processor, each once. Other processors have other
 * settings. The headings are the labels of the measurements. */
static void read_states(struct page *page, size_t run, struct settings *settings)
{
	settings->most_states = page->n_runs;
	settings->headings = calloc(page->n_runs, sizeof(*settings->headings));
	if (!settings->headings) {
		page->text.has_failed = true;
		return;
	}
	for (size_t i = 0; i < page->n_runs; i++) {
		if (!page_is_equal(page, run, i, "processor") || page_repeats(page, i, SAVED_STATE))
			continue;
		settings->headings[settings->n_states] = page_find_labels(page, i, SAVED_STATE);
		add_state(settings, page->runs[i].state);
	}
	page->text.has_failed |= settings->has_failed;
}

static const char *name_processor(const struct page *page, size_t run)
{
	return page->runs[run].about.processor ?: "unknown processor";
}

/* Puts the document that measure try applied. */
static void put_document(struct page *page, size_t run)
{
	static const char *const values[] = { "value" };
	_cleanup_(settings_done) struct settings settings = { .most_states = 1 };

	add_state(&settings, page->runs[run].document);
	page->text.has_failed |= settings.has_failed;
	page_begin_figure(page, false, "Tried in %s", page->labels[run]);
	put_table(page, &settings, "Settings of the document that was tried", values, false);
	page_end_figure(page);
}

void page_put_differences(struct page *page)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_(settings_done) struct settings settings = { 0 };

		if (page_repeats(page, i, "processor"))
			continue;
		read_states(page, i, &settings);
		if (count_different(&settings) == 0)
			continue;
		page_begin_figure(page, true, "%s", name_processor(page, i));
		put_table(page, &settings, "Settings that differ between the measurements",
			  (const char *const *)settings.headings, true);
		page_end_figure(page);
	}
	for (size_t i = 0; i < page->n_runs; i++) {
		if (page->runs[i].document)
			put_document(page, i);
	}
}

void page_put_settings(struct page *page, size_t run)
{
	static const char *const values[] = { "value" };
	_cleanup_(settings_done) struct settings settings = { 0 };

	if (page_repeats(page, run, "processor"))
		return;
	read_states(page, run, &settings);
	if (count_different(&settings) == settings.count)
		return;
	page_begin_figure(page, false, "%s", name_processor(page, run));
	put_table(page, &settings, "Settings of the machine", values, false);
	page_end_figure(page);
}
