// SPDX-License-Identifier: GPL-2.0-only
/* Finds the name that is nearest to a misspelt word. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Capitals equal small letters, and "_" equals "-". */
static int fold(char letter)
{
	return letter == '_' ? '-' : tolower((unsigned char)letter);
}

/* Returns true if inserting, dropping or changing up to budget letters turns the first length
 * letters of a into b. */
static bool is_within(const char *a, size_t length, const char *b, int budget)
{
	while (length > 0 && fold(*a) == fold(*b)) {
		a++;
		b++;
		length--;
	}
	if (length == 0 && *b == '\0')
		return true;
	if (budget == 0)
		return false;
	budget--;
	return (length > 0 && *b != '\0' && is_within(a + 1, length - 1, b + 1, budget)) ||
	       (length > 0 && is_within(a + 1, length - 1, b, budget)) ||
	       (*b != '\0' && is_within(a, length, b + 1, budget));
}

struct nearest nearest_start(const char *word)
{
	const char *start = word + strspn(word, "-");
	size_t length = strcspn(start, "=");

	/* Two changes turn any word of three letters into any other of nearly that length. */
	return (struct nearest){
		.word = start,
		.length = length,
		.budget = length > 3   ? 2
			  : length > 1 ? 1
				       : 0,
	};
}

void nearest_try(struct nearest *nearest, const char *name)
{
	if (nearest->length > 1 && is_within(nearest->word, nearest->length, name, 0)) {
		nearest->name = name;
		nearest->budget = 0;
	}
	/* The beginning of a name is as near as a complete name with two changes. */
	if (!nearest->name && nearest->length > 3 &&
	    strncmp(nearest->word, name, nearest->length) == 0) {
		nearest->name = name;
		nearest->budget = 1;
	}
	/* Two changes are half of a word of four letters: the first letter must be right then. A
	 * name of three letters has one change at most. */
	if (nearest->budget == 2 &&
	    ((nearest->length == 4 && fold(nearest->word[0]) != fold(name[0])) ||
	     strlen(name) <= 3) &&
	    !is_within(nearest->word, nearest->length, name, 1))
		return;
	while (nearest->budget > 0 &&
	       is_within(nearest->word, nearest->length, name, nearest->budget)) {
		nearest->name = name;
		nearest->budget--;
	}
}

const char *nearest_of_words(char *words, const char *wrong)
{
	struct nearest nearest = nearest_start(wrong);
	const char *separators = strchr(words, ',') ? "," : " \t\n";
	char *word;

	while ((word = strsep(&words, separators))) {
		word += strspn(word, " ");
		if (!*word || !*wrong)
			continue;
		if (nearest.length > 2 ||
		    strcasecmp(word, wrong) == 0) /* two letters are near to any other two */
			nearest_try(&nearest, word);
	}
	return nearest.name;
}
