// SPDX-License-Identifier: GPL-2.0-only
/* Finds a feature or command by its name, and lists those that a wrong word may mean. */
#include "cli/names.h"

#include <ctype.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/nearest.h"

#define LEAST_LETTERS 4 /* of a word of a summary */

const struct command *names_find(const struct command *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name ? table : NULL;
}

static bool is_any(const struct command *entry, const char *word)
{
	(void)word;
	return entry->name;
}

static bool begins_with(const struct command *entry, const char *word)
{
	return *word && strncmp(entry->name, word, strlen(word)) == 0;
}

static bool has_command(const struct command *feature, const char *name)
{
	return names_find(feature->commands, name);
}

static bool is_of_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '-';
}

static bool is_about(const struct command *entry, const char *word)
{
	const size_t length = strlen(word);

	if (length < LEAST_LETTERS)
		return false;
	for (const char *at = entry->summary; (at = strcasestr(at, word)); at++) {
		if ((at == entry->summary || !is_of_word(at[-1])) && !is_of_word(at[length]))
			return true;
	}
	return false;
}

/* Lists the entries that the word could mean. */
static char *list(const struct command *table,
		  bool (*is_meant)(const struct command *entry, const char *word), const char *word)
{
	char *names = strdup("");

	for (; names && table->name; table++) {
		_cleanup_free_ char *before = names;

		names = is_meant(table, word)
				? text_format("%s%s%s", before, *before ? ", " : "", table->name)
				: steal(before);
	}
	return names;
}

char *names_list(const struct command *table)
{
	return list(table, is_any, NULL);
}

char *names_list_owners(const struct command *features, const char *name)
{
	return list(features, has_command, name);
}

/* Returns the feature for a command of cpupower, pepc or turbostat, or NULL. */
static const struct command *find_for_other_tool(const struct command *table, const char *word)
{
	static const struct {
		const char *word, *feature;
	} words[] = {
		{ "frequency-info", "cpufreq" }, { "frequency-set", "cpufreq" },
		{ "pstate", "cpufreq" },         { "pstates", "cpufreq" },
		{ "idle-info", "cpuidle" },      { "idle-set", "cpuidle" },
		{ "cstate", "cpuidle" },         { "cstates", "cpuidle" },
		{ "turbostat", "measure" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].word, word) == 0)
			return names_find(table, words[i].feature);
	}
	return NULL;
}

char *names_list_meant(const struct command *table, const char *const *others, const char *word)
{
	struct nearest nearest = nearest_start(word);
	_cleanup_free_ char *names = list(table, begins_with, word);
	const struct command *same = find_for_other_tool(table, word);

	if (same)
		return strdup(same->name);
	if (!names || *names)
		return steal(names);
	for (; table->name; table++)
		nearest_try(&nearest, table->name);
	for (; *others; others++)
		nearest_try(&nearest, *others);
	return strdup(nearest.name ?: "");
}

char *names_list_about(const struct command *features, const char *word)
{
	return list(features, is_about, word);
}
