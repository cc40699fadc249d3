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
		STATE_LACKING, /* the place has no such setting */
		STATE_UNREADABLE, /* error says why */
		STATE_BOOLEAN, /* number: 0 or 1 */
		STATE_NUMBER,
		STATE_KHZ, /* a frequency */
		STATE_DECIMAL, /* in thousandths of the unit of its setting */
		STATE_RATIOS, /* turbo-ratio limits */
		STATE_WORD /* text */
	} kind : 8;
	bool is_past : 1; /* a wanted value: places had it; no document has to make sense of it */
	bool is_implied : 1; /* the document does not name it, but what it names sets it, too */
	bool is_highest : 1; /* a frequency: the highest one once it is set; number is that of now
			      */
	int16_t error; /* a negative errno */
	uint32_t entry; /* of a wanted value: the index of the document's entry */
	union {
		uint64_t number;
		const char *text; /* valid as long as what it was read into */
	};
};

#define STATE_UNLIMITED_KHZ (SST_RATIO_UNLIMITED * 100000u) /* an upper limit of a CLOS */
#define STATE_MAX_TEXT      15 /* the longest name in a document, of a governor */
#define STATE_OPEN_RATIOS   UINT64_MAX

/* A value whose parts differ is one of these words: domains of a package that should share it, and
 * SST-CP without CLOS or the other way. */
#define STATE_PARTLY         "partly"
#define STATE_PM_CONFIG_ONLY "pm-config only"
#define STATE_CLOS_ONLY      "clos only"

/* What a document of past values has for one part of SST-CP: the other one stays. */
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

/* Is it a switch that is on, or that is off, or this word? NULL is none of these. */
static inline bool value_is_on(const struct state_value *value)
{
	return value && value->kind == STATE_BOOLEAN && value->number;
}

static inline bool value_is_off(const struct state_value *value)
{
	return value && value->kind == STATE_BOOLEAN && !value->number;
}

bool value_is_word(const struct state_value *value, const char *word);

/* A file that does not exist, or whose driver has no value, is a setting that the place lacks. */
struct state_value value_of_file_error(int err);

/* The value of a setting whose file holds the text; one that is not a number is a word, in the
 * text.
 */
struct state_value value_of_text(enum setting_id id, const char *text);

/* Can a document give the setting the value, which is one of its kind? Kinds that are no values
 * can. */
bool state_value_is_possible(enum setting_id id, const struct state_value *value);

/* Is it a word for parts that differ? */
bool state_is_partly(const struct state_value *value);

/* One value for several parts of a place, STATE_ASKED at first. Parts that differ are
 * STATE_PARTLY. */
void state_value_merge(struct state_value *value, struct state_value part);

/* Are two values the same, of kind and content? */
bool state_value_equal(const struct state_value *left, const struct state_value *right);

/* The value as a new text, as a document writes it ("2100", "true", "ordered"); "-" if it has none.
 * NULL: no memory. */
char *state_value_format(const struct state_value *value);

/* The value as JSON of its type; null if it has none. A new reference; NULL: no memory. */
json_t *state_value_to_json(const struct state_value *value);

#endif
