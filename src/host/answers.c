// SPDX-License-Identifier: GPL-2.0-only
/* Keeps answers of the driver in a tree, by request and by the bytes that were sent. */
#include "host/answers.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct answers {
	bool is_ended; /* nothing is kept */
	void *tree; /* of struct answer */
};

struct answer {
	uint32_t request;
	int error;
	size_t size;
	const char *asked; /* size bytes; the answer, as many, follows in content */
	char content[];
};

struct answers *answers_new(void)
{
	return calloc(1, sizeof(struct answers));
}

void answers_end(struct answers *answers)
{
	if (!answers)
		return;
	tdestroy(answers->tree, free);
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

static int compare(const void *left, const void *right)
{
	const struct answer *a = left, *b = right;

	if (a->request != b->request)
		return a->request < b->request ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->asked, b->asked, a->size);
}

bool answers_find(const struct answers *answers, uint32_t request, void *asked, size_t size,
		  int *ret_error)
{
	const struct answer key = { .request = request, .size = size, .asked = asked };
	const struct answer *const *found = tfind(&key, &answers->tree, compare);

	if (!found)
		return false;
	memcpy(asked, (*found)->content + size, size);
	*ret_error = (*found)->error;
	return true;
}

void answers_keep(struct answers *answers, uint32_t request, const void *asked, const void *answer,
		  size_t size, int error)
{
	bool is_passing = error == -EBUSY || error == -EINTR || error == -ECANCELED;
	struct answer *added =
		is_passing || answers->is_ended ? NULL : malloc(sizeof(*added) + 2 * size);
	struct answer *const *kept;

	if (!added)
		return;
	*added = (struct answer){ .request = request, .error = error, .size = size };
	memcpy(added->content, asked, size);
	memcpy(added->content + size, answer, size);
	added->asked = added->content;
	kept = tsearch(added, &answers->tree, compare);
	if (!kept || *kept != added)
		free(added);
}
