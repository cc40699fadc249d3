// SPDX-License-Identifier: GPL-2.0-only
/* The list of changes. It owns what they point to: nothing of the caller's memory is used after
 * a change was added (commands.md, "Safety of every setting command"). */
#include "change/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define CHUNK_SIZE  16384
#define N_RECENT    8
#define MOST_RECENT 32 /* bytes: longer texts, which are paths, hardly repeat */

/* A piece of memory that copies are cut from. */
struct chunk {
	struct chunk *older;
	size_t used;
	size_t size;
	max_align_t data[];
};

/* The list of a large machine has tens of thousands of changes, most of whose texts are the same.
 */
struct change_list {
	struct change *changes;
	size_t n_changes;
	size_t changes_size;
	struct change_announcement *announcements;
	size_t n_announcements;
	struct chunk *chunks; /* all that changes point to; the newest first */
	const char *recent[N_RECENT]; /* short texts that were kept lately, or NULL */
	size_t next_recent;
	uint32_t last_batch;
};

/* Makes room for one more change. */
static int grow_changes(struct change_list *list)
{
	size_t wanted = list->changes_size + list->changes_size / 2 + 32;
	struct change *larger;

	if (list->n_changes < list->changes_size)
		return 0;
	larger = reallocarray(list->changes, wanted, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	list->changes = larger;
	list->changes_size = wanted;
	return 0;
}

static int add_chunk(struct change_list *list, size_t length)
{
	size_t size = length > CHUNK_SIZE ? length : CHUNK_SIZE;
	struct chunk *chunk = malloc(sizeof(*chunk) + size);

	if (!chunk)
		return -ENOMEM;
	*chunk = (struct chunk){ .older = list->chunks, .size = size };
	list->chunks = chunk;
	return 0;
}

/* Keeps a copy of length bytes at a multiple of alignment. NULL: no memory. */
static void *keep(struct change_list *list, const void *data, size_t length, size_t alignment)
{
	size_t start =
		list->chunks ? (list->chunks->used + alignment - 1) / alignment * alignment : 0;
	void *copy;

	if (!list->chunks || start > list->chunks->size || length > list->chunks->size - start) {
		if (add_chunk(list, length))
			return NULL;
		start = 0;
	}
	copy = (char *)list->chunks->data + start;
	memcpy(copy, data, length);
	list->chunks->used = start + length;
	return copy;
}

static const char *find_recent(const struct change_list *list, const char *text)
{
	for (size_t i = 0; i < N_RECENT; i++) {
		if (list->recent[i] && strcmp(list->recent[i], text) == 0)
			return list->recent[i];
	}
	return NULL;
}

/* Makes *text, which may be NULL, the list's. */
static int keep_text(struct change_list *list, const char **text)
{
	const char *kept = *text ? find_recent(list, *text) : NULL;
	size_t size;

	if (!*text || kept) {
		*text = kept;
		return 0;
	}
	size = strlen(*text) + 1;
	*text = keep(list, *text, size, 1);
	if (!*text)
		return -ENOMEM;
	if (size <= MOST_RECENT)
		list->recent[list->next_recent++ % N_RECENT] = *text;
	return 0;
}

static int keep_target(struct change_list *list, struct write_target *target,
		       struct target_value *value)
{
	int err = keep_text(list, &target->path);

	return err ? err : keep_text(list, &value->text);
}

static int keep_undo(struct change_list *list, struct change *change)
{
	struct change_undo *undo;
	int err = 0;

	if (change->n_undo == 0) {
		change->undo = NULL;
		return 0;
	}
	undo = keep(list, change->undo, change->n_undo * sizeof(*undo), _Alignof(max_align_t));
	if (!undo)
		return -ENOMEM;
	for (size_t i = 0; i < change->n_undo && !err; i++)
		err = keep_target(list, &undo[i].target, &undo[i].value);
	change->undo = undo;
	return err;
}

static int keep_change(struct change_list *list, struct change *change)
{
	const char **texts[] = { &change->what,       &change->old_value.text,
				 &change->new_text,   &change->fallback_text,
				 &change->other_text, &change->announcement };
	int err = keep_target(list, &change->target, &change->value);

	for (size_t i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = keep_text(list, texts[i]);
	return err ? err : keep_undo(list, change);
}

int change_list_new(struct change_list **ret_list)
{
	struct change_list *list = calloc(1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	*ret_list = list;
	return 0;
}

void change_list_free(struct change_list **list)
{
	if (*list) {
		struct chunk *chunk = (*list)->chunks;

		while (chunk) {
			struct chunk *older = chunk->older;

			free(chunk);
			chunk = older;
		}
		free((*list)->changes);
		free((*list)->announcements);
		free(*list);
	}
	*list = NULL;
}

int change_list_add(struct change_list *list, const struct change *change)
{
	struct change kept = *change;
	int err = grow_changes(list);

	if (!err)
		err = keep_change(list, &kept);
	if (!err)
		list->changes[list->n_changes++] = kept;
	return err;
}

int change_list_announce(struct change_list *list, const char *text)
{
	struct change_announcement *longer = reallocarray(
		list->announcements, list->n_announcements + 1, sizeof(*list->announcements));

	if (!longer)
		return -ENOMEM;
	list->announcements = longer;
	longer += list->n_announcements;
	*longer = (struct change_announcement){ .n_before = list->n_changes, .text = text };
	if (keep_text(list, &longer->text))
		return -ENOMEM;
	list->n_announcements++;
	return 0;
}

void change_list_set_cpu(struct change_list *list, size_t index, uint32_t cpu)
{
	list->changes[index].target.cpu = cpu;
}

const struct change *change_list_get(const struct change_list *list, size_t *ret_count)
{
	*ret_count = list->n_changes;
	return list->changes;
}

const struct change_announcement *change_list_get_announcements(const struct change_list *list,
								size_t *ret_count)
{
	*ret_count = list->n_announcements;
	return list->announcements;
}

void change_list_make_optional(struct change_list *list)
{
	for (size_t i = 0; i < list->n_changes; i++)
		list->changes[i].is_optional = true;
}

uint32_t change_list_new_batch(struct change_list *list)
{
	return ++list->last_batch;
}

char *change_format_new(const struct change *change)
{
	if (change->new_text)
		return strdup(change->new_text);
	return change->target.ops->format(&change->target, &change->value);
}

char *change_format_old(const struct change *change)
{
	if (!change->has_old_value)
		return strdup("unknown");
	return change->target.ops->format(&change->target, &change->old_value);
}

char *change_format_name(const struct change *change)
{
	const struct location *location = &change->location;
	_cleanup_free_ char *place = location_format(location), *cpu = NULL;
	bool has_place = place && *place, has_cpu = location->cpu != LOCATION_NO_CPU;
	char *name;

	if (has_cpu && asprintf(&cpu, "%scpu-%" PRIu32, has_place ? " " : "", location->cpu) < 0)
		cpu = NULL;
	if (asprintf(&name, "%s%s%s%s", place ?: "", cpu ?: "", has_place || has_cpu ? ": " : "",
		     change->what) < 0)
		return NULL;
	return name;
}
