// SPDX-License-Identifier: GPL-2.0-only
/* Shows what a command of isst set, from its records in the change journal: one line for each
 * setting, value and old value, with all its CPUs, domains and packages. Follows output.md, "Terse
 * results". */
#include "run/result.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "run/context.h"
#include "settings/journaled.h"
#include "settings/settings.h"

/* A package, and its dies or power domains; or the machine. */
struct unit_list {
	char name[24]; /* "package-0", "machine" */
	char kind[16]; /* "die", "powerdomain", "" */
	struct cpuset ids; /* of that kind */
};

/* A line of the result. */
struct line {
	char *setting; /* path, with blanks in place of dots */
	char *was, *now;
	struct cpuset cpus;
	struct unit_list *units;
	size_t n_units;
};

struct lines {
	struct line *list;
	size_t count;
	struct cpuset demoted; /* CPUs that leave CLOS 0 or 1 */
};

static void lines_done(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->list[i];

		free(line->setting);
		free(line->was);
		free(line->now);
		cpuset_done(&line->cpus);
		for (size_t j = 0; j < line->n_units; j++)
			cpuset_done(&line->units[j].ids);
		free(line->units);
	}
	free(lines->list);
	cpuset_done(&lines->demoted);
}

/* Formats a value as in documents, or returns its word; a new text, NULL: no memory. */
static char *format_value(const char *json, const char *word)
{
	if (word)
		return strdup(word);
	if (*json == '"')
		return strndup(json + 1, strlen(json) - 2);
	return strdup(strcmp(json, "null") == 0 ? "unknown" : json);
}

/* Makes "core-power clos 1 weight" of "core-power.clos.1.weight". A part of a setting has the
 * setting's name, unless it is a limit of cpufreq (Cascade Lake-N). */
static char *format_setting(const char *text)
{
	struct journaled_name name;

	if (!journaled_split(text, &name))
		return strdup(text);
	if (name.part) {
		_cleanup_free_ char *limit = text_format("cpufreq.%s", name.part);

		if (limit && setting_find(limit) < N_SETTINGS)
			return text_format("cpufreq %s", name.part);
	}
	for (char *dot = name.path; (dot = strchr(dot, '.'));)
		*dot = ' ';
	return strdup(name.path);
}

/* Returns the line of a setting with these values, which may be a new line. Takes ownership of the
 * texts. NULL: no memory. */
static struct line *find_line(struct lines *lines, char *setting, char *was, char *now)
{
	_cleanup_free_ char *own_setting = setting, *own_was = was, *own_now = now;
	struct line *line;

	if (!setting || !was || !now)
		return NULL;
	for (size_t i = 0; i < lines->count; i++) {
		line = &lines->list[i];
		if (strcmp(line->setting, setting) == 0 && strcmp(line->was, was) == 0 &&
		    strcmp(line->now, now) == 0)
			return line;
	}
	line = array_add(&lines->list, &lines->count, sizeof(*line));
	if (line)
		*line = (struct line){ .setting = steal(own_setting),
				       .was = steal(own_was),
				       .now = steal(own_now) };
	return line;
}

/* Adds "package-0 die-1", "package-0" or "machine". */
static int add_unit(struct line *line, const char *place)
{
	struct unit_list unit = { .kind = "" }, *known;
	uint32_t id = 0;
	int count = sscanf(place, "%23s %15[a-z]-%" SCNu32, unit.name, unit.kind, &id);

	for (size_t i = 0; i < line->n_units; i++) {
		known = &line->units[i];
		if (strcmp(known->name, unit.name) == 0 && strcmp(known->kind, unit.kind) == 0)
			return count == 3 ? cpuset_add(&known->ids, id) : 0;
	}
	known = array_add(&line->units, &line->n_units, sizeof(*known));
	if (!known)
		return -ENOMEM;
	*known = unit;
	return count == 3 ? cpuset_add(&known->ids, id) : 0;
}

/* Returns true if the change moves cores out of CLOS 0 and 1. */
static bool is_demotion(const struct journal_entry *entry)
{
	return strcmp(entry->texts[ENTRY_SETTING], setting_get(SETTING_ASSOC)->path) == 0 &&
	       sst_loses_priority(strtoul(entry->texts[ENTRY_WAS], NULL, 10),
				  strtoul(entry->texts[ENTRY_NOW], NULL, 10));
}

/* Adds a change. Leaves out what another change reset, since it has no new value, and the note why
 * a CPU is offline, since it is not a setting. */
static int add_entry(struct lines *lines, const struct journal_entry *entry)
{
	char *const *texts = entry->texts;
	struct line *line;

	if (strcmp(texts[ENTRY_NOW], "null") == 0 ||
	    journaled_is(texts[ENTRY_SETTING], SETTING_OFFLINE_BY, NULL))
		return 0;
	line = find_line(lines, format_setting(texts[ENTRY_SETTING]),
			 format_value(texts[ENTRY_WAS], texts[ENTRY_WAS_WORD]),
			 format_value(texts[ENTRY_NOW], texts[ENTRY_NOW_WORD]));
	if (!line || (is_demotion(entry) && cpuset_add_all(&lines->demoted, &entry->cpus)))
		return -ENOMEM;
	return texts[ENTRY_PLACE] ? add_unit(line, texts[ENTRY_PLACE])
				  : cpuset_add_all(&line->cpus, &entry->cpus);
}

static int add_entries(struct lines *lines, const struct journal_entries *entries)
{
	int err = 0;

	for (size_t i = 0; i < entries->count && !err; i++)
		err = add_entry(lines, &entries->list[i]);
	return err;
}

/* "package-0 die 0-1, package-1 die 0" */
static void write_units(const struct line *line, FILE *to)
{
	for (size_t i = 0; i < line->n_units; i++) {
		const struct unit_list *unit = &line->units[i];

		fprintf(to, "%s%s", i ? ", " : "", unit->name);
		if (cpuset_is_empty(&unit->ids))
			continue;
		fprintf(to, " %s ", unit->kind);
		cpuset_write_ranges(&unit->ids, to);
	}
}

/* "core-power assoc 0: CPUs 0-63,128-191 (was 3)" */
static void write_line(const struct line *line, FILE *to)
{
	fprintf(to, "%s %s: ", line->setting, line->now);
	if (!cpuset_is_empty(&line->cpus)) {
		fputs(cpuset_count(&line->cpus) == 1 ? "CPU " : "CPUs ", to);
		cpuset_write_ranges(&line->cpus, to);
		fputs(line->n_units ? ", " : "", to);
	}
	write_units(line, to);
	fprintf(to, " (was %s)\n", line->was);
}

static void write_lines(const struct context *context, const struct lines *lines, FILE *to)
{
	const char *name = context->request->name;

	if (!cpuset_is_empty(&lines->demoted)) {
		fprintf(to, "%.*s: no longer high priority: CPUs ",
			(int)(strchrnul(name, ' ') - name), name);
		cpuset_write_ranges(&lines->demoted, to);
		fputc('\n', to);
	}
	for (size_t i = 0; i < lines->count; i++)
		write_line(&lines->list[i], to);
	if (lines->count == 0)
		fprintf(to, "%s: nothing to change\n", name);
}

int result_put(struct context *context)
{
	const struct journaled *journaled = &context->plan.execution.journaled;
	_cleanup_(lines_done) struct lines lines = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to;
	int err = 0;

	for (size_t i = 0; i < journaled->n_stages && !err; i++)
		err = add_entries(&lines, &journaled->stages[i]);
	if (err)
		return err;
	to = open_memstream(&text, &length);
	if (!to)
		return -ENOMEM;
	write_lines(context, &lines, to);
	if (fclose(to))
		return -ENOMEM;
	output_text(context->output, text);
	context->report.n_results++;
	return 0;
}
