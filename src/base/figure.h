/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of measurements, each with its source or the reason why it is missing (measure.md,
 * "Sources, rights, traps"), and lists of texts. */
#ifndef BASE_FIGURE_H
#define BASE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum figure_state {
	FIGURE_NONE, /* not measured: JSON has no such member */
	FIGURE_MISSING,
	FIGURE_KNOWN
};

/* A figure of all zero bytes is FIGURE_NONE. */
struct figure {
	enum figure_state state;
	bool is_count; /* JSON shows a whole number */
	double value; /* 0 unless it is known */
	const char *about; /* its source, or the reason why it is missing; or NULL; others own the
			    * text */
};

/* Makes a measured figure, rounded to decimals (0 to 6); a missing one if value is not finite. */
struct figure figure_make(double value, int decimals, const char *source);

/* Make unrounded figures; the last function makes a missing one. */
struct figure figure_make_exact(double value);
struct figure figure_make_us(uint64_t ns);
struct figure figure_make_count(uint64_t count, const char *source);
struct figure figure_make_missing(const char *reason);

static inline bool figure_is_known(const struct figure *figure)
{
	return figure->state == FIGURE_KNOWN;
}

/* Returns the reason why the figure is missing, or NULL. */
static inline const char *figure_why(const struct figure *figure)
{
	return figure->state == FIGURE_MISSING ? figure->about : NULL;
}

/* Formats the value with that many decimals as a new text; NULL: it is not known, or no memory. */
char *figure_format(const struct figure *figure, int decimals);

/* Formats two figures without decimals: "3600-3900", or "3600" if the second one is missing.
 * Returns a new text; NULL: the first is missing, or no memory. */
char *figure_range(const struct figure *low, const struct figure *high);

/* A figure whose name is known only when it is measured: "core-c6-percent". */
struct named_figure {
	char name[64];
	struct figure figure;
};

/* A list of texts without duplicates. */
struct texts {
	char **list;
	size_t count;
	bool is_null; /* JSON shows null in place of the list */
	bool has_failed; /* memory was short */
};

#define _cleanup_texts_ __attribute__((cleanup(texts_done)))
void texts_done(struct texts *texts);

/* Adds text and takes its ownership, unless the list has an equal text. Returns the text in the
 * list. NULL: memory is short, or text is NULL. */
const char *texts_take(struct texts *texts, char *text);

bool texts_has(const struct texts *texts, const char *text);

/* Returns true if both have the same texts in the same order. */
bool texts_are_equal(const struct texts *left, const struct texts *right);

/* Joins all texts with a separator between. Returns a new text; NULL: no memory. */
char *texts_join(const struct texts *texts, const char *separator);

#endif
