/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of settings in state documents (docs/spec/state.md, "Document"). */
#ifndef SETTINGS_VALUE_H
#define SETTINGS_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* One value of a setting, read or wanted. */
struct state_value {
	enum state_kind {
		STATE_NONE, /* not asked for; the document does not name it */
		STATE_ASKED, /* to be read */
		STATE_LACKING, /* the place has no such setting */
		STATE_UNREADABLE, /* error says why */
		STATE_BOOLEAN, /* number: 0 or 1 */
		STATE_NUMBER,
		STATE_KHZ, /* a frequency */
		STATE_RATIOS, /* turbo-ratio limits */
		STATE_WORD /* text */
	} kind;
	int error; /* a negative errno */
	uint32_t entry; /* of a wanted value: the index of the document's entry */
	bool is_past; /* the same: places had it; no document has to make sense of it */
	bool is_implied; /* the document does not name it, but what it names sets it, too */
	bool is_highest; /* a frequency: the highest one once it is set; number is that of now */
	union {
		uint64_t number;
		const char *text; /* valid as long as what it was read into */
	};
};

#define STATE_UNLIMITED_KHZ (SST_RATIO_UNLIMITED * 100000u) /* an upper limit of a CLOS */
#define STATE_OPEN_RATIOS   UINT64_MAX

/* Are two values the same, of kind and content? */
bool state_value_equal(const struct state_value *left, const struct state_value *right);

/* The value as a new text, as a document writes it ("2100", "true", "ordered"); "-" if it has none.
 * NULL: no memory. */
char *state_value_format(const struct state_value *value);

/* The value as JSON of its type; null if it has none. A new reference; NULL: no memory. */
json_t *state_value_to_json(const struct state_value *value);

#endif
