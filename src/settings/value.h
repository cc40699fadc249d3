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
		STATE_NONE, /* not requested; the document does not name it */
		STATE_ASKED, /* to be read */
		STATE_LACKING, /* the location has no such setting */
		STATE_UNREADABLE, /* error: the reason */
		STATE_BOOLEAN, /* number: 0 or 1 */
		STATE_NUMBER,
		STATE_KHZ, /* a frequency */
		STATE_DECIMAL, /* in thousandths of the unit of its setting */
		STATE_RATIOS, /* turbo-ratio limits */
		STATE_WORD /* text */
	} kind : 8;
	bool is_past : 1; /* a wanted value of the past, which need not be valid in documents */
	bool is_implied : 1; /* not in the document, but implied by a setting that is */
	bool is_highest : 1; /* a frequency, the highest one after apply; number: the one now */
	int16_t error; /* a negative errno */
	uint32_t entry; /* of a wanted value: the index of the document's entry */
	union {
		uint64_t number;
		const char *text; /* valid as long as the object that it was read into */
	};
};

#define STATE_UNLIMITED_KHZ (SST_RATIO_UNLIMITED * 100000u) /* an upper limit of a CLOS */
#define STATE_MAX_TEXT      15 /* the longest name in a document, of a governor */
#define STATE_OPEN_RATIOS   UINT64_MAX

/* Words for a value whose parts differ: domains of a package that should share it, or SST-CP
 * without CLOS, or CLOS without SST-CP. */
#define STATE_PARTLY         "partly"
#define STATE_PM_CONFIG_ONLY "pm-config only"
#define STATE_CLOS_ONLY      "clos only"

/* Words for one part of SST-CP, which only documents of past values can have. The other part keeps
 * its present state. */
#define STATE_PM_CONFIG_ON  "pm-config on"
#define STATE_PM_CONFIG_OFF "pm-config off"
#define STATE_CLOS_ON       "clos on"
#define STATE_CLOS_OFF      "clos off"

/* Values that were read. */
static inline struct state_value value_of(enum state_kind kind, uint64_t number)
{
	return (struct state_value){ .kind = kind, .number = number };
}

static inline struct state_value value_of_word(const char *word)
{
	return (struct state_value){ .kind = STATE_WORD, .text = word };
}

static inline struct state_value value_of_error(int err)
{
	return (struct state_value){ .kind = STATE_UNREADABLE, .error = (int16_t)err };
}

/* Return true if the value is a switch that is on, one that is off, or this word. NULL: false. */
static inline bool value_is_on(const struct state_value *value)
{
	return value && value->kind == STATE_BOOLEAN && value->number;
}

static inline bool value_is_off(const struct state_value *value)
{
	return value && value->kind == STATE_BOOLEAN && !value->number;
}

bool value_is_word(const struct state_value *value, const char *word);

/* Converts the errno of a file: STATE_LACKING if the file does not exist or its driver has no
 * value, else STATE_UNREADABLE. */
struct state_value value_of_file_error(int err);

/* Converts the text of a setting's file. A text that is not a number becomes a word, which points
 * to it. */
struct state_value value_of_text(enum setting_id id, const char *text);

/* Returns true if a document can give the setting this value, whose kind must fit. Kinds without a
 * value: true. */
bool state_value_is_possible(enum setting_id id, const struct state_value *value);

/* Returns true if the value is a word for parts that differ. */
bool state_is_partly(const struct state_value *value);

/* Merges the value of a part into the value for all parts, which is STATE_ASKED at first. Parts
 * that differ give STATE_PARTLY; an unreadable part gives STATE_UNREADABLE. */
void state_value_merge(struct state_value *value, struct state_value part);

/* Returns true if two values have the same kind and content. */
bool state_value_equal(const struct state_value *left, const struct state_value *right);

/* Formats the value as a document writes it ("2100", "true", "ordered"), as a new text; "-" if it
 * has none. NULL: no memory. */
char *state_value_format(const struct state_value *value);

/* Returns a new reference to the value as JSON, or JSON null if it has none. NULL: no memory. */
json_t *state_value_to_json(const struct state_value *value);

#endif
