// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the list of changes. The list owns what its changes point to, and does not use the caller's
 * memory after a change was added (commands.md, "Safety of every setting command"). */
#include "change/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define CHUNK_SIZE  16384
#define MOST_RECENT 32 /* bytes: longer texts are paths, which hardly repeat */

/* A piece of memory for many copies: the list of a large machine has tens of thousands of changes.
 * Most of their texts are the same. */
struct change_chunk {
	struct change_chunk *older;
	size_t used;
	size_t size;
	max_align_t data[];
};

/* Keeps a copy of length bytes at a multiple of alignment. NULL: no memory. */
static void *keep(struct change_list *list, const void *data, size_t length, size_t alignment)
{
	struct change_chunk *chunk = list->chunks;
	size_t start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;

	if (!chunk || start > chunk->size || length > chunk->size - start) {
		size_t size = length > CHUNK_SIZE ? length : CHUNK_SIZE;

		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct change_chunk){ .older = list->chunks, .size = size };
		list->chunks = chunk;
		start = 0;
	}
	chunk->used = start + length;
	return memcpy((char *)chunk->data + start, data, length);
}

/* Replaces *text, which may be NULL, by a copy that the list owns. Returns 0 or -ENOMEM. */
static int keep_text(struct change_list *list, const char **text)
{
	size_t size = *text ? strlen(*text) + 1 : 0;

	if (!*text)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(list->recent); i++) {
		if (list->recent[i] && strcmp(list->recent[i], *text) == 0) {
			*text = list->recent[i];
			return 0;
		}
	}
	*text = keep(list, *text, size, 1);
	if (*text && size <= MOST_RECENT)
		list->recent[list->next_recent++ % ARRAY_SIZE(list->recent)] = *text;
	return *text ? 0 : -ENOMEM;
}

void change_list_done(struct change_list *list)
{
	for (struct change_chunk *chunk = list->chunks, *older; chunk; chunk = older) {
		older = chunk->older;
		free(chunk);
	}
	free(list->changes);
	free(list->announcements);
	*list = (struct change_list){ 0 };
}

int change_list_add(struct change_list *list, const struct change *change)
{
	struct change kept = *change;
	const char **texts[] = { &kept.what,           &kept.target.path,  &kept.value.text,
				 &kept.old_value.text, &kept.new_text,     &kept.fallback_text,
				 &kept.other_text,     &kept.announcement, &kept.subject.part,
				 &kept.selector,       &kept.word,         &kept.old_word };
	struct change_undo *undo = NULL;

	if (list->n_changes == list->changes_size) {
		size_t size =
			list->changes_size + list->changes_size / 16 + 32; /* a change is large */
		struct change *larger = reallocarray(list->changes, size, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		list->changes = larger;
		list->changes_size = size;
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (keep_text(list, texts[i]))
			return -ENOMEM;
	}
	if (change->n_undo)
		undo = keep(list, change->undo, change->n_undo * sizeof(*undo),
			    _Alignof(max_align_t));
	if (change->n_undo && !undo)
		return -ENOMEM;
	for (size_t i = 0; i < change->n_undo; i++) {
		if (keep_text(list, &undo[i].target.path) || keep_text(list, &undo[i].value.text) ||
		    keep_text(list, &undo[i].subject.part))
			return -ENOMEM;
	}
	kept.undo = undo;
	list->changes[list->n_changes++] = kept;
	return 0;
}

int change_list_add_reset(struct change_list *list, const struct change_reset *reset)
{
	struct change *change = &list->changes[list->n_changes - 1];
	struct change_reset kept = *reset;

	if (keep_text(list, &kept.was) || keep_text(list, &kept.now) ||
	    keep_text(list, &kept.selector))
		return -ENOMEM;
	kept.next = change->reset;
	change->reset = keep(list, &kept, sizeof(kept), _Alignof(max_align_t));
	return change->reset ? 0 : -ENOMEM;
}

int change_list_announce(struct change_list *list, const char *text)
{
	struct change_announcement *added;

	if (keep_text(list, &text))
		return -ENOMEM;
	added = array_add(&list->announcements, &list->n_announcements, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = (struct change_announcement){ list->n_changes, text };
	return 0;
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
	_cleanup_free_ char *place = location_format_cpu(&change->location);

	return text_format("%s%s%s", place ?: "", place && *place ? ": " : "", change->what);
}
