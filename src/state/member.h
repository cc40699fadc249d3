/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a state document: what each is called, where it applies and which values it takes
 * (docs/spec/state.md, "Document"). Each belongs to a row of the table of settings. */
#ifndef STATE_MEMBER_H
#define STATE_MEMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* In the order of the documents that are exported. */
enum member_id {
	MEMBER_LEVEL,
	MEMBER_BASE_FREQ,
	MEMBER_TURBO_FREQ,
	MEMBER_TRL,
	MEMBER_CORE_POWER,
	MEMBER_PRIORITY,
	MEMBER_CLOS_MIN,
	MEMBER_CLOS_MAX,
	MEMBER_CLOS_DESIRED,
	MEMBER_CLOS_EPP,
	MEMBER_CLOS_WEIGHT,
	MEMBER_ASSOC,
	MEMBER_ONLINE,
	MEMBER_OFFLINE_BY,
	MEMBER_CPUFREQ_MIN,
	MEMBER_CPUFREQ_MAX,
	MEMBER_GOVERNOR,
	MEMBER_EPP,
	MEMBER_EPB,
	MEMBER_TURBO,
	MEMBER_HWP_BOOST,
	MEMBER_MIN_PCT,
	MEMBER_MAX_PCT,
	MEMBER_PSTATE,
	MEMBER_IDLE_STATE,
	MEMBER_QOS_LATENCY,
	MEMBER_IDLE_GOVERNOR,
	MEMBER_C02,
	MEMBER_UMWAIT_MAX_TIME,
	MEMBER_C1_DEMOTION,
	MEMBER_UNCORE_MIN,
	MEMBER_UNCORE_MAX,
	MEMBER_ELC_LOW_THRESHOLD,
	MEMBER_ELC_HIGH_THRESHOLD,
	MEMBER_ELC_HIGH,
	MEMBER_ELC_FLOOR,
	N_MEMBERS
};

/* Kinds of places. A machine has a list of each (state/places.h). */
enum place_kind {
	PLACE_MACHINE,
	PLACE_PACKAGE, /* with an online CPU */
	PLACE_DOMAIN, /* a power domain */
	PLACE_UNCORE, /* a directory of uncore limits */
	PLACE_CORE, /* a PUNIT core */
	PLACE_POLICY, /* of cpufreq */
	PLACE_CPU,
	N_PLACE_KINDS
};

/* What a setting of such places is set for: "each power domain", "the whole machine". */
const char *place_kind_scope(enum place_kind kind);

/* What a member takes, besides its words. */
enum member_type {
	MEMBER_TYPE_BOOLEAN,
	MEMBER_TYPE_NUMBER, /* a whole number, .min to .max */
	MEMBER_TYPE_MHZ, /* up to three decimals; .max in kHz */
	MEMBER_TYPE_HUNDREDS, /* MHz, a multiple of 100 */
	MEMBER_TYPE_WORD, /* only its words */
	MEMBER_TYPE_TEXT, /* 1 to 15 printable bytes without blanks: a governor */
	MEMBER_TYPE_RATIOS /* "0x" and 16 hexadecimal digits */
};

enum member_flag {
	MEMBER_IN_CLOS = 1 << 0, /* one for each CLOS, "0" to "3" */
	MEMBER_IN_IDLE_STATE = 1 << 1, /* one for each name of an idle state */
	MEMBER_ON_DOMAINS = 1 << 2, /* in selectors of domains its words are taken, else booleans */
	MEMBER_OF_SST = 1 << 3 /* a setting of Speed Select: needs its driver */
};

struct member {
	/* The path in an entry, "core-power.clos.N.min-mhz": N and NAME stand for any key. */
	const char *path;
	enum setting_id setting; /* N_SETTINGS: changes of places (online, offline-by) */
	enum place_kind place; /* core-power, on platforms that share CLOS: a package */
	enum member_type type;
	const char *const *words; /* NULL-terminated, or NULL */
	uint64_t min, max; /* of a number */
	unsigned int flags; /* enum member_flag */
	const char *unit; /* "MHz", "us", "percent"; or NULL */
	const char *about; /* one line for the schema and the manual */
	uint32_t step; /* a number is a multiple of it; 0: any */
	const char *reset; /* the value after `state reset`, as in a document; NULL: kept */
};

/* The row of a member. */
const struct member *member_get(enum member_id id);

/* Is name the path of the member, or its beginning: "cpufreq.epp", "cpufreq", "core-power.clos"? */
bool member_is_named(enum member_id id, const char *name);

/* The first name of a list that names no member, or NULL. */
const char *member_find_unknown(const char *const *only);

/* One value of a member, read or wanted. */
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
	bool is_implied; /* the document does not name it, but what it names sets it, too */
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
