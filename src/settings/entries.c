// SPDX-License-Identifier: GPL-2.0-only
/* Collects entries for the change journal, and formats them as JSON. */
#include "settings/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

/* A command may have thousands of entries: only the latest are compared with a new one. */
#define MOST_COMPARED 64

static void entry_done(struct journal_entry *entry)
{
	for (size_t i = 0; i < N_ENTRY_TEXTS; i++)
		free(entry->texts[i]);
	cpuset_done(&entry->cpus);
}

void journal_entries_done(struct journal_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		entry_done(&entries->list[i]);
	free(entries->list);
	*entries = (struct journal_entries){ 0 };
}

static bool is_equal(const struct journal_entry *entry, const char *const texts[N_ENTRY_TEXTS])
{
	for (size_t i = 0; i < N_ENTRY_TEXTS; i++) {
		if (!entry->texts[i] != !texts[i] ||
		    (texts[i] && strcmp(entry->texts[i], texts[i]) != 0))
			return false;
	}
	return true;
}

static struct journal_entry *add_new(struct journal_entries *entries,
				     const char *const texts[N_ENTRY_TEXTS])
{
	struct journal_entry entry = { 0 }, *added;
	bool is_short = false;

	for (size_t i = 0; i < N_ENTRY_TEXTS; i++) {
		entry.texts[i] = texts[i] ? strdup(texts[i]) : NULL;
		is_short = is_short || !entry.texts[i] != !texts[i];
	}
	added = is_short ? NULL : array_add(&entries->list, &entries->count, sizeof(*added));
	if (added)
		*added = entry;
	else
		entry_done(&entry);
	return added;
}

int journal_entries_add(struct journal_entries *entries, const char *const texts[N_ENTRY_TEXTS],
			uint32_t cpu)
{
	size_t first = entries->count > MOST_COMPARED ? entries->count - MOST_COMPARED : 0;
	struct journal_entry *entry = NULL;

	for (size_t i = entries->count; i > first && !entry; i--) {
		if (is_equal(&entries->list[i - 1], texts))
			entry = &entries->list[i - 1];
	}
	entry = entry ?: add_new(entries, texts);
	if (!entry)
		return -ENOMEM;
	return texts[ENTRY_PLACE] ? 0 : cpuset_add(&entry->cpus, cpu);
}

/* A member of a JSON object: the texts before and after its value. */
static const struct {
	const char *before, *after;
} members[N_ENTRY_TEXTS] = {
	[ENTRY_SETTING] = { "\",\"setting\":\"", "\"" }, [ENTRY_WAS] = { ",\"was\":", "" },
	[ENTRY_WAS_WORD] = { ",\"was-word\":\"", "\"" }, [ENTRY_NOW] = { ",\"now\":", "" },
	[ENTRY_NOW_WORD] = { ",\"now-word\":\"", "\"" }, [ENTRY_READ] = { ",\"read\":", "" },
};

char *journal_entries_format(const struct journal_entries *entries)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	buffer_append_char(&text, '[');
	for (size_t i = 0; i < entries->count; i++) {
		const struct journal_entry *entry = &entries->list[i];

		buffer_append_string(&text, i ? ",{\"for\":\"" : "{\"for\":\"");
		buffer_append_string(&text, entry->texts[ENTRY_PLACE] ?: "cpu ");
		cpuset_append_ranges(&entry->cpus, &text);
		for (size_t j = ENTRY_SETTING; j < N_ENTRY_TEXTS; j++) {
			if (!entry->texts[j])
				continue;
			buffer_append_string(&text, members[j].before);
			buffer_append_string(&text, entry->texts[j]);
			buffer_append_string(&text, members[j].after);
		}
		buffer_append_char(&text, '}');
	}
	buffer_append_char(&text, ']');
	return buffer_steal(&text, NULL);
}
