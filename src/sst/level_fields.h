/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the fields of a performance level in one table for perf-profile info and compare, machine
 * summary, saved files and reports. */
#ifndef SST_LEVEL_FIELDS_H
#define SST_LEVEL_FIELDS_H

#include <stddef.h>

#include "sst/sst.h"

/* The order in the table and perf-profile compare; machine summary and reports use other orders. */
enum level_group {
	LEVEL_FREQUENCY = 1 << 0,
	LEVEL_BASE_FREQ = 1 << 1, /* in JSON an object of its own, "base-freq" */
	LEVEL_POWER = 1 << 2,
	LEVEL_TEMPERATURE = 1 << 3,
	LEVEL_FABRIC = 1 << 4,
	LEVEL_MEMORY = 1 << 5,
	LEVEL_ANY = (1 << 6) - 1
};

struct level_field {
	enum level_group group;
	size_t offset; /* in struct sst_level, of a uint32_t; value 0: not reported */
	const char *key; /* in JSON */
	const char *label; /* of its row in perf-profile compare */
	const char *heading; /* of its row in a report; NULL: not in reports and machine summary */
	const char *summary_key; /* in the JSON of machine summary, if it differs from key */
	const char *column; /* its heading on the screen of machine summary; or NULL */
	unsigned int rank; /* of the column, as in struct screen_column */
	const char *name; /* in perf-profile info */
	unsigned int place; /* sort key in perf-profile info; 0: not shown by this table */
};

#define LEVEL_AFTER_FEATURES 10 /* places from here on follow SST-BF and other features */
#define LEVEL_PLACES         20

/* Keys that pictures and texts use too. */
#define LEVEL_KEY_BASE "base-mhz"
#define LEVEL_KEY_HIGH "high-mhz"
#define LEVEL_KEY_LOW  "low-mhz"
#define LEVEL_KEY_TDP  "tdp-w"

#define LEVEL_MOST_FIELDS 32
extern const struct level_field level_fields[LEVEL_MOST_FIELDS + 1]; /* zero bytes end it */

/* Loops over the fields of some groups. */
#define level_fields_foreach(field, groups)                                         \
	for (const struct level_field *field = level_fields; field->group; field++) \
		if (field->group & (groups))

static inline uint32_t level_field_get(const struct level_field *field,
				       const struct sst_level *level)
{
	return *(const uint32_t *)((const char *)level + field->offset);
}

#endif
