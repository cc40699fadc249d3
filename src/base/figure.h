/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of measurements, each with how it was measured or why it is missing (measure.md,
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

/* Of all zero bytes: none. */
struct figure {
	enum figure_state state;
	bool is_count; /* JSON has a whole number */
	double value; /* 0 unless it is known */
	const char *about; /* its source, or the reason why it is missing; or NULL; not its own */
};

/* A figure that was measured, rounded to decimals (0 to 6). A value that is not finite is missing.
 */
struct figure figure_make(double value, int decimals, const char *source);

/* The same, not rounded. */
struct figure figure_make_exact(double value);
struct figure figure_make_us(uint64_t ns);
struct figure figure_make_count(uint64_t count, const char *source);
struct figure figure_make_missing(const char *reason);

static inline bool figure_is_known(const struct figure *figure)
{
	return figure->state == FIGURE_KNOWN;
}

/* Why it is missing, or NULL. */
static inline const char *figure_why(const struct figure *figure)
{
	return figure->state == FIGURE_MISSING ? figure->about : NULL;
}

/* Its value with so many decimals, a new text; NULL: it is not known, or no memory. */
char *figure_format(const struct figure *figure, int decimals);

/* Formats two figures, the second of which may be missing, without decimals: "3600" or "3600-3900".
 * A new text; NULL: the first is missing, or no memory. */
char *figure_range(const struct figure *low, const struct figure *high);

/* A figure whose name is known only when it is measured: "core-c6-percent". */
struct named_figure {
	char name[64];
	struct figure figure;
};

/* Texts, each once. */
struct texts {
	char **list;
	size_t count;
	bool is_null; /* JSON has null in place of the list */
	bool has_failed; /* memory was short */
};

#define _cleanup_texts_ __attribute__((cleanup(texts_done)))
void texts_done(struct texts *texts);

/* Adds a text (takes ownership; NULL: no memory), unless there is an equal one. Returns the one
 * in the list, or NULL without memory. */
const char *texts_take(struct texts *texts, char *text);

bool texts_has(const struct texts *texts, const char *text);

/* Are they the same texts in the same order? */
bool texts_are_equal(const struct texts *left, const struct texts *right);

/* All texts with a separator between them. A new text; NULL: no memory. */
char *texts_join(const struct texts *texts, const char *separator);

#endif
