/* SPDX-License-Identifier: GPL-2.0-only */
/* Every setting that the program changes is a row of one table: its name in documents, where it
 * applies, its values, what must come before it, and how a change is planned for many locations at
 * once (docs/spec/state.md, "Document"). A command lists requests, in any order; settings_plan()
 * turns them into changes in the order of the table. Writing, reading back and rolling back are the
 * same for all (change/transaction.h). */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "settings/request.h"

struct setting_export;
struct setting_reading;
struct setting_view;
struct state_row;
struct state_value;

/* Kinds of locations that settings apply to. A machine has a list of each kind
 * (settings/locations.h). A request names its location by .domain (packages and domains), .uncore
 * or .cpu (cores, policies, CPUs). */
enum place_kind {
	PLACE_MACHINE,
	PLACE_PACKAGE, /* with an online CPU */
	PLACE_DOMAIN, /* a power domain */
	PLACE_UNCORE, /* a directory of uncore limits */
	PLACE_ZONE, /* a power zone: of a package, or of a die of one */
	PLACE_CORE, /* a PUNIT core */
	PLACE_POLICY, /* of cpufreq */
	PLACE_CPU,
	N_PLACE_KINDS
};

/* Returns the scope of settings of this kind: "each power domain", "the whole machine". */
const char *place_kind_scope(enum place_kind kind);

/* The values of a setting in a document, besides its words. */
enum setting_type {
	SETTING_TYPE_BOOLEAN,
	SETTING_TYPE_NUMBER, /* a whole number, .min to .max */
	SETTING_TYPE_MHZ, /* up to three decimals; .max in kHz */
	SETTING_TYPE_HUNDREDS, /* MHz, a multiple of 100 */
	SETTING_TYPE_DECIMAL, /* up to three decimals of its unit; .min and .max in thousandths */
	SETTING_TYPE_WORD, /* only its words */
	SETTING_TYPE_TEXT, /* 1 to 15 printable bytes without blanks: a governor */
	SETTING_TYPE_RATIOS /* "0x" and 16 hexadecimal digits */
};

enum setting_flag {
	SETTING_IN_CLOS = 1 << 0, /* one for each CLOS, "0" to "3" */
	SETTING_IN_IDLE_STATE = 1 << 1, /* one for each name of an idle state */
	SETTING_ON_DOMAINS =
		1 << 2, /* takes words in selectors of domains, booleans in other selectors */
	SETTING_OF_SST = 1 << 3, /* of Speed Select: needs its driver */
	SETTING_ONLINE_ONLY = 1 << 4, /* the file can be read only while its CPU is online */
	SETTING_RESET_BY_PSTATE = 1 << 5, /* a change of cpufreq.pstate resets it */
	SETTING_RESET_BY_LEVEL = 1 << 6, /* a change of the level resets it */
	SETTING_MOVES_BASE = 1 << 7, /* moves base frequencies */
	SETTING_MOVES_LIMITS = 1 << 8, /* moves or lowers upper limits of cpufreq */
	SETTING_IN_PARTS = 1 << 9, /* has parts that are switched one by one */
	SETTING_ASKS_CPU = 1 << 10, /* reading its file interrupts the CPU */
	SETTING_MOVED_BY_LEVEL = 1 << 11 /* firmware may set it with a change of the level */
};

/* The order in which settings are written. A feature is switched on after the features that it
 * needs, and off before them: SST-TF, the turbo-ratio limits that SST-TF opened, SST-CP. */
enum setting_rank {
	SETTING_RANK_NONE, /* no requests: CPUs that go online and offline */
	SETTING_RANK_LEVEL,
	SETTING_RANK_PSTATE,
	SETTING_RANK_FEATURES_OFF, /* SST-BF and SST-TF */
	SETTING_RANK_CLOS,
	SETTING_RANK_ASSOC,
	SETTING_RANK_CORE_POWER_ON,
	SETTING_RANK_FEATURES_ON,
	SETTING_RANK_TRL,
	SETTING_RANK_CORE_POWER_OFF,
	SETTING_RANK_UNCORE,
	SETTING_RANK_POWER_UP, /* power limits that rise; POWER_DOWN: limits that fall */
	SETTING_RANK_TURBO,
	SETTING_RANK_PERCENT,
	SETTING_RANK_GOVERNOR,
	SETTING_RANK_EPP,
	SETTING_RANK_EPB,
	SETTING_RANK_FREQUENCY_LIMITS,
	SETTING_RANK_POWER_DOWN,
	SETTING_RANK_IDLE_MACHINE,
	SETTING_RANK_IDLE_CPU,
	SETTING_RANK_LAST = SETTING_RANK_IDLE_CPU
};

/* A row of the table. */
struct setting {
	/* The path in a document, "core-power.clos.N.min-mhz": N and NAME stand for any key. */
	const char *path;
	const char *what; /* its name in messages; of a group, the first row's */
	enum place_kind place; /* core-power, on platforms that share CLOS: a package */
	enum setting_type type;
	enum setting_rank rank;
	enum setting_rank rank_off; /* if the rank differs when value.on is false */
	unsigned int flags; /* enum setting_flag */
	/* Settings of one location that share one request have the identifier of the first of them;
	 * 0: no group. */
	enum setting_id group;
	enum setting_id upper; /* of a lower limit: the upper one; else 0 */
	const char *const *words; /* NULL-terminated, or NULL */
	/* Names in the change journal of parts that are written one by one: "pm-config"; ends with
	 * NULL, or NULL. */
	const char *const *parts;
	uint64_t min, max; /* of a number */
	uint32_t step; /* a number is a multiple of it; 0: any */
	const char *unit; /* "MHz", "us", "percent"; or NULL */
	const char *about; /* one line for the schema and the manual */
	const char *reset; /* the clean value, as in a document, or in words; NULL: kept */
	/* Plans requests of this setting, and of neighbours in the order of writing that have the
	 * same function. Returns 0 or -ENOMEM. NULL: plan_one is called for each. */
	int (*plan)(const struct setting_environment *environment, struct setting_request *requests,
		    size_t count);
	/* Plans one request. Returns 0 or the error of the request; -ENOMEM ends planning. NULL:
	 * the setting is the value of .file. */
	int (*plan_one)(const struct setting_environment *environment,
			struct setting_request *request);
	/* for settings that are the value of one file: its path below /sys/devices/system/cpu, cpuN
	 * there, or the directory of an uncore */
	const char *file;
	uint32_t file_units; /* of a decimal: units of its file in a thousandth */

	/* Operations for documents. Each may be NULL. */

	/* Reads the value at a location. A value that stays STATE_ASKED is not available. NULL:
	 * reads .file. Returns 0 or -ENOMEM. */
	int (*read)(const struct setting_reading *at, struct state_value *value);
	/* Converts a text of .file to the text of documents. */
	const char *(*from_file)(const char *text);
	/* The part of the level that its words refer to (enum platform_level_part); 0: none. */
	unsigned int level_part;
	/* Does the level have the setting? NULL: each level does. */
	bool (*is_of_level)(const struct sst_level *level);
	/* beside: settings outside of its group that are read with it, because they are checked or
	 * set together. exported_by: settings that export needs. Both end with N_SETTINGS. */
	const enum setting_id *beside, *exported_by;
	/* Replaces a wanted value, such as a word, by the value that it means at a location after
	 * apply. Returns 0 or a negative errno. -ENODATA: nothing reports the value. */
	int (*resolve)(struct setting_view *view, const struct state_row *row, size_t place,
		       struct state_value *value);
	/* Does a location with another present value match its wanted value? */
	bool (*match)(const struct setting_view *view, const struct state_row *row, size_t place,
		      const struct state_value *is);
	/* Does an earlier change of the plan alter a value that matches now? */
	bool (*is_lost)(const struct setting_view *view, const struct state_row *row, size_t place);
	/* Returns true if a wanted value is impossible at the location now, and ignored. */
	bool (*is_ignored)(const struct setting_view *view, const struct state_row *row,
			   size_t place);
	/* Reports values that are not possible after apply. */
	void (*check)(const struct setting_view *view);
	/* Converts a value that was read to the value in a document. STATE_NONE leaves it out.
	 * Returns 0 or -ENOMEM. */
	int (*export)(struct setting_export *export, const struct state_row *row, size_t place,
		      struct state_value *value);
	/* Adds the requests that give a location its wanted value. request has the setting, the
	 * location and a plain value. NULL: request is added unchanged. */
	void (*request)(struct setting_view *view, const struct state_row *row, size_t place,
			struct setting_request *request, struct setting_list *list);
};

/* The row of a setting. */
const struct setting *setting_get(enum setting_id id);

/* Does the setting apply to power domains or packages? Its requests have .domain. */
static inline bool setting_is_of_domains(const struct setting *setting)
{
	return setting->place == PLACE_PACKAGE || setting->place == PLACE_DOMAIN;
}

/* Is the setting "online" or "offline-by"? They have no requests. */
static inline bool setting_is_about_online(enum setting_id id)
{
	return setting_get(id)->rank == SETTING_RANK_NONE;
}

/* Do packages have the setting, on platforms that share CLOS? */
static inline bool setting_is_shared(enum setting_id id)
{
	return setting_get(id)->place == PLACE_DOMAIN && setting_get(id)->group;
}

/* The identifier of the requests for a setting: its group, or itself. */
enum setting_id setting_group(enum setting_id id);

/* Is name the path of the setting, or the beginning of its path ("cpufreq", "core-power.clos")? */
bool setting_is_named(enum setting_id id, const char *name);

/* Does a change of setting id reset the setting other? */
bool setting_resets(enum setting_id id, enum setting_id other);

/* Returns the first setting with that name; N_SETTINGS: none. */
enum setting_id setting_find(const char *name);

/* Returns the first name of a list that names no setting, or NULL. */
const char *setting_find_unknown(const char *const *only);

/* Is the value written to its file as .text? True for numbers that have keywords. */
static inline bool setting_is_text(const struct setting *setting)
{
	return setting->type == SETTING_TYPE_TEXT || setting->words;
}

/* Returns true if failed (of a request, or of a level that is followed) is a file of the complete
 * machine. Then all requests that need it fail, and it is reported once. NULL: false. */
static inline bool setting_is_machine_file(const char *failed)
{
	return failed && failed[0] == '/';
}

/* The path of the file of a request whose setting has one. */
struct file_path setting_path(const struct setting_request *request);

/* The location of a request, for messages. */
struct location setting_location(const struct setting_request *request,
				 const struct machine *machine);

#endif
