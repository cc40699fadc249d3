/* SPDX-License-Identifier: GPL-2.0-only */
/* The view that operations of the table of settings use: the present settings of a machine, the
 * settings that a document wants, and further changes of its plan. */
#ifndef SETTINGS_VIEW_H
#define SETTINGS_VIEW_H

#include "change/journal_fold.h"
#include "output/report.h"
#include "settings/locations.h"

/* The performance level of a power domain, now and as the document wants it. */
struct wanted_level {
	struct sst_pp pp; /* now */
	int error; /* why it is unknown: a negative errno */
	uint32_t number; /* after apply */
	bool is_changed;
	struct sst_pp pp_after;
	struct sst_level info; /* details of the level after apply, with features off */
	int info_error; /* why info is unknown */
};

struct setting_view {
	struct state_machine *state;
	struct state_rows *wanted; /* STATE_NONE: not named; words are resolved to values */
	struct state_rows present; /* as read, also of companion settings */
	const struct wanted_level *levels; /* by index in PLACE_DOMAIN */
	const struct cpuset *online; /* after apply */
	const struct cpuset *pending; /* CPUs of online that are offline now */
	struct journal_fold journal; /* settings of this boot, if a word needs them */
	int journal_error; /* why it is unknown, a negative errno */
	bool has_journal; /* journal was read */
	bool is_planned; /* present has values after changes of the level and of intel_pstate */
	bool is_built_in, is_past, is_exact; /* of the document (state/document.h) */
	bool switches_turbo; /* the plan switches turbo */
	/* a reset left turbo off, because BIOS does not let the kernel switch it on: this is
	 * accepted */
	bool lacks_turbo;
	/* limits of cpufreq do not read as requested: the plan switches turbo, or turbo is off and
	 * the plan changes base frequencies */
	bool rewrites_limits;
	bool resets_limits; /* rewrites_limits, or the mode of intel_pstate changes */
	/* changes of the document (levels, SST-TF, with SST-TF priorities) move the highest
	 * frequencies of CPUs; only the kernel knows the new ones */
	bool moves_highest;
	struct report *report;
	const char *file; /* the document's name for messages */
	/* Reports a problem of a value; as a note if the entry is optional and the machine lacks
	 * the setting. */
	void (*report_value)(const struct setting_view *view, const struct state_row *row,
			     size_t place, enum report_kind kind, const char *format, ...)
		__attribute__((format(printf, 5, 6)));
	const void *data; /* of report_value */
};

/* A value to be read: one location of a row. */
struct setting_reading {
	struct state_machine *state;
	const struct state_rows *rows; /* all that are read together */
	const struct state_row *row;
	const struct place *place;
};

/* The values of a machine that become a document. */
struct setting_export {
	struct state_machine *state;
	struct state_rows rows; /* as read */
	struct platform_level_query *levels; /* of current levels, by index of the domain */
	bool is_portable;
	const struct cpuset *not_asked; /* CPUs whose frequencies were not read; or NULL */
	/* Set by the operations: is_clamped if the kernel shows a limit lower while turbo is off;
	 * note is a new text for the user, or NULL. */
	bool is_clamped;
	char *note;
};

/* Finds a value; NULL: it was not read. */
const struct state_value *export_find(const struct setting_export *export, enum setting_id id,
				      uint32_t clos, size_t place);

/* Replaces a frequency at an end of its range by "min" or "max". 0: this end is unknown. */
void export_use_words(struct state_value *value, uint64_t min_khz, uint64_t max_khz);

/* Returns the locations of a member. */
const struct place_list *view_places(const struct setting_view *view, enum setting_id member);

/* Find the present or the wanted value of a member; NULL: the view does not have it. */
const struct state_value *view_find_present(const struct setting_view *view, enum setting_id member,
					    size_t place);
const struct state_value *view_find_wanted(const struct setting_view *view, enum setting_id member,
					   size_t place);

/* Returns the value of a member after apply: the wanted one, or else the present one, as changes of
 * the level leave it. STATE_NONE: it was not read. */
struct state_value view_expect(const struct setting_view *view, enum setting_id member,
			       uint32_t clos, size_t place);

/* Returns the number of view_expect(), or 0 if there is none. */
uint64_t view_expect_number(const struct setting_view *view, enum setting_id member, uint32_t clos,
			    size_t place);

/* Marks the present value at a location to be read. Returns 0 or -ENOMEM. */
int view_ask(struct setting_view *view, enum setting_id member, uint32_t clos,
	     const char *idle_state, size_t place);

/* Returns the index of the member's location that contains place, by its CPU or domain;
 * PLACE_UNKNOWN: none. */
size_t view_find_place(const struct setting_view *view, enum setting_id member,
		       const struct place *place);

/* Returns the level of the domain that contains place; for a package, of its first domain with a
 * CPU. NULL: there is no such domain, or levels are unknown. */
const struct wanted_level *view_find_level(const struct setting_view *view,
					   const struct place *place);

/* Returns the base frequency of place->cpu after apply, in kHz; 0: Speed Select reports none. */
uint64_t view_find_base_khz(const struct setting_view *view, const struct place *place);

/* Returns true if the document changes a level, or this feature. Both change frequencies: SST-BF
 * base frequencies, SST-TF the highest ones. */
bool view_changes_feature(const struct setting_view *view, enum setting_id member);

#endif
