/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of measurements as members of JSON objects: NAME has the value and NAME-source how it was
 * measured; or NAME is null and NAME-reason says why (measure.md, "Sources, rights, traps"). */
#ifndef MEASURE_FIGURE_H
#define MEASURE_FIGURE_H

#include <jansson.h>
#include <stdint.h>

/* Why a CPU without work has no frequency: nothing is wrong. */
#define FIGURE_IDLE "the CPU was idle all the time"

/* What the sources of figures begin with that no hardware gave. */
#define FIGURE_MODEL "model: "

/* Sets a figure that was measured; decimals (0 to 6) are kept. A value that is not finite is set
 * as missing. source NULL: it is not named again. Lack of memory shows in the object, which then
 * has no such member. */
void figure_set(json_t *object, const char *name, double value, int decimals, const char *source);

/* The same for a count. */
void figure_set_count(json_t *object, const char *name, uint64_t count, const char *source);

/* Sets a figure that could not be measured. */
void figure_lack(json_t *object, const char *name, const char *reason);

/* Puts FIGURE_MODEL in front of the sources in an object or array and all below, once. */
void figure_mark_model(json_t *value);

/* The value of a figure of an object (which may be NULL) to *ret_value. Returns 0, or -ENODATA if
 * it is missing. */
int figure_get(const json_t *object, const char *name, double *ret_value);

/* Formats two figures, the second of which may be missing, without decimals: "3600" or "3600-3900".
 * A new text; NULL: the first is missing, or no memory. */
char *figure_format_range(const json_t *object, const char *low_name, const char *high_name);

/* Why it is missing, or NULL. */
const char *figure_reason(const json_t *object, const char *name);

#endif
