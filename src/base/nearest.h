/* SPDX-License-Identifier: GPL-2.0-only */
/* Searches a list for the name that is nearest to a misspelt word. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The search for the name that differs least from a word, by two letters at most. */
struct nearest {
	const char *word;
	size_t length; /* of the word, up to a "=" */
	int budget; /* letters by which the next name may differ */
	const char *name; /* the nearest so far, or NULL */
};

/* Starts a search; the word may begin with dashes. */
struct nearest nearest_start(const char *word);

/* Keeps the name if it is nearer than those before. */
void nearest_try(struct nearest *nearest, const char *name);

/* Finds the nearest word of a list with blanks or commas between. The call splits the list. Returns
 * a word of the list, or NULL: none is near. */
const char *nearest_of_words(char *words, const char *wrong);

#endif
