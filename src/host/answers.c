// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the driver's answers in a hash table. The key is the request and the sent bytes. */
#include "host/answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* a power of two, like all later numbers of slots */

struct answers {
	bool is_ended; /* caching has stopped */
	struct answer **slots; /* an answer is in the slot of its hash or in the next free one */
	size_t n_slots, n_kept;
};

struct answer {
	uint64_t hash;
	uint32_t request;
	int error;
	size_t size;
	char content[]; /* the request, size bytes, then the answer, size bytes */
};

struct answers *answers_new(void)
{
	return calloc(1, sizeof(struct answers));
}

void answers_end(struct answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 0; i < answers->n_slots; i++)
		free(answers->slots[i]);
	free(answers->slots);
	*answers = (struct answers){ .is_ended = true };
}

void answers_begin(struct answers *answers)
{
	if (answers)
		answers->is_ended = false;
}

void answers_free(struct answers **answers)
{
	answers_end(*answers);
	free(*answers);
	*answers = NULL;
}

/* Hashes eight bytes at a time: the requests of one machine differ in few bits only. */
static uint64_t hash_of(uint32_t request, const char *asked, size_t size)
{
	uint64_t hash = request ^ (uint64_t)size << 32;

	for (size_t at = 0; at < size; at += sizeof(hash)) {
		uint64_t word = 0;

		memcpy(&word, asked + at, size - at < sizeof(word) ? size - at : sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Returns the slot of the answer, or the free slot where it belongs. A free slot always exists. */
static struct answer **find_slot(const struct answers *answers, uint64_t hash, uint32_t request,
				 const void *asked, size_t size)
{
	for (size_t i = hash;; i++) {
		struct answer **slot = &answers->slots[i & (answers->n_slots - 1)];

		if (!*slot || ((*slot)->hash == hash && (*slot)->request == request &&
			       (*slot)->size == size && memcmp((*slot)->content, asked, size) == 0))
			return slot;
	}
}

bool answers_find(const struct answers *answers, uint32_t request, void *asked, size_t size,
		  int *ret_error)
{
	const struct answer *found;

	if (!answers->n_kept)
		return false;
	found = *find_slot(answers, hash_of(request, asked, size), request, asked, size);
	if (!found)
		return false;
	memcpy(asked, found->content + size, size);
	*ret_error = found->error;
	return true;
}

/* Makes room for one more answer: at most half of the slots are used. False: no memory. */
static bool make_room(struct answers *answers)
{
	struct answers larger = *answers;

	if (answers->n_kept < answers->n_slots / 2)
		return true;
	larger.n_slots = answers->n_slots * 2 ?: FIRST_SLOTS;
	larger.slots = calloc(larger.n_slots, sizeof(struct answer *));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < answers->n_slots; i++) {
		struct answer *answer = answers->slots[i];

		if (answer)
			*find_slot(&larger, answer->hash, answer->request, answer->content,
				   answer->size) = answer;
	}
	free(answers->slots);
	*answers = larger;
	return true;
}

void answers_keep(struct answers *answers, uint32_t request, const void *asked, const void *answer,
		  size_t size, int error)
{
	bool is_passing = error == -EBUSY || error == -EINTR || error == -ECANCELED;
	struct answer **slot, *added;
	uint64_t hash;

	if (is_passing || answers->is_ended || !make_room(answers))
		return;
	hash = hash_of(request, asked, size);
	slot = find_slot(answers, hash, request, asked, size);
	added = *slot ? NULL : malloc(sizeof(*added) + 2 * size);
	if (!added)
		return;
	*added = (struct answer){ .hash = hash, .request = request, .error = error, .size = size };
	memcpy(added->content, asked, size);
	memcpy(added->content + size, answer, size);
	*slot = added;
	answers->n_kept++;
}
