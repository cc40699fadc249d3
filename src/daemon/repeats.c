// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembers the lines that were written since nothing was left to do, each with the time before
 * which it is not written again (commands.md, "Daemon").
 */
#include "daemon/repeats.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PAUSE_S 60
#define MOST_PAUSE_S  86400

struct repeat {
	char *line;
	uint64_t due_s;
	uint64_t pause_s;
};

static struct repeat *find(const struct repeats *repeats, const char *line)
{
	for (size_t i = 0; i < repeats->count; i++) {
		if (strcmp(repeats->items[i].line, line) == 0)
			return &repeats->items[i];
	}
	return NULL;
}

/* A line that cannot be remembered is written each time. */
static void add(struct repeats *repeats, const char *line, uint64_t now_s)
{
	char *copy = strdup(line);
	struct repeat *items =
		reallocarray(repeats->items, repeats->count + 1, sizeof(*repeats->items));

	repeats->items = items ?: repeats->items;
	if (!copy || !items) {
		free(copy);
		return;
	}
	items[repeats->count++] = (struct repeat){
		.line = copy,
		.due_s = now_s + FIRST_PAUSE_S,
		.pause_s = FIRST_PAUSE_S,
	};
}

bool repeats_is_due(struct repeats *repeats, const char *line, uint64_t now_s)
{
	struct repeat *repeat = find(repeats, line);

	if (!repeat) {
		add(repeats, line, now_s);
		return true;
	}
	if (now_s < repeat->due_s)
		return false;
	repeat->pause_s = repeat->pause_s * 2 < MOST_PAUSE_S ? repeat->pause_s * 2 : MOST_PAUSE_S;
	repeat->due_s = now_s + repeat->pause_s;
	return true;
}

void repeats_forget(struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->count; i++)
		free(repeats->items[i].line);
	free(repeats->items);
	*repeats = (struct repeats){ 0 };
}
