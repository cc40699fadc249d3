/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a machine as they are, as a document wants them, and what its plan changes
 * besides: what the operations of the table work on. */
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
	struct sst_level info; /* of that level, after its change: features are off then */
	int info_error; /* why that is unknown */
};

struct setting_view {
	struct state_machine *state;
	struct state_rows *wanted; /* STATE_NONE: not named; words are resolved to values */
	struct state_rows present; /* of the same members and companions, as read */
	const struct wanted_level *levels; /* by place of PLACE_DOMAIN */
	const struct cpuset *online; /* after apply */
	const struct cpuset *pending; /* of these, offline now */
	struct journal_fold journal; /* what was set in this boot, if a word needs it */
	int journal_error; /* why it is unknown, a negative errno */
	bool has_journal; /* it was read */
	bool is_planned; /* values count as changes of the level and of intel_pstate leave them */
	bool is_built_in, is_past, is_exact; /* of the document (state/document.h) */
	bool switches_turbo; /* the plan does */
	/* after a reset turbo is off, as BIOS does not let the kernel switch it on: that is
	 * accepted */
	bool lacks_turbo;
	/* what limits of cpufreq read as is not what was requested: the plan switches turbo, or it
	 * is off and the plan changes base frequencies */
	bool rewrites_limits;
	bool resets_limits; /* or the plan changes the mode of intel_pstate */
	/* what the document changes (levels, SST-TF, with SST-TF priorities) moves the highest
	 * frequencies of CPUs, which only the kernel knows then */
	bool moves_highest;
	struct report *report;
	const char *file; /* the document's name for messages */
	/* Reports a problem of a value; if the machine has no such setting and the entry is
	 * optional, it is a note.
	 */
	void (*report_value)(const struct setting_view *view, const struct state_row *row,
			     size_t place, enum report_kind kind, const char *format, ...)
		__attribute__((format(printf, 5, 6)));
	const void *data; /* of report_value */
};

/* A value that is read: one of a row at a place. */
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
	struct platform_level_query *levels; /* the current ones, by index of the domain */
	bool is_portable;
	const struct cpuset *not_asked; /* CPUs whose frequencies were not read; or NULL */
	/* Set by the operations: a limit was read that the kernel shows lower while turbo is off;
	 * and a new text for the user, or NULL. */
	bool is_clamped;
	char *note;
};

/* A value that was read; NULL: it was not. */
const struct state_value *export_find(const struct setting_export *export, enum setting_id id,
				      uint32_t clos, size_t place);

/* Finds the keyword (min, max) of a limit of a range; 0: the limit is unknown. */
void export_use_words(struct state_value *value, uint64_t min_khz, uint64_t max_khz);

/* The places of a member. */
const struct place_list *view_places(const struct setting_view *view, enum setting_id member);

/* A value of a member as it is, or as it is wanted; NULL: it is not in the view. */
const struct state_value *view_find_present(const struct setting_view *view, enum setting_id member,
					    size_t place);
const struct state_value *view_find_wanted(const struct setting_view *view, enum setting_id member,
					   size_t place);

/* The state as it will be of a member at a place: wanted, or as it is now, or as a change of the
 * level makes it; of kind STATE_NONE if it was not read. */
struct state_value view_expect(const struct setting_view *view, enum setting_id member,
			       uint32_t clos, size_t place);

/* Its number; 0 if it has none. */
uint64_t view_expect_number(const struct setting_view *view, enum setting_id member, uint32_t clos,
			    size_t place);

/* Marks the present value of a place to be read. Returns 0 or -ENOMEM. */
int view_ask(struct setting_view *view, enum setting_id member, uint32_t clos,
	     const char *idle_state, size_t place);

/* The place of another member that a place is in, by a CPU or a domain of it; PLACE_UNKNOWN: none.
 */
size_t view_find_place(const struct setting_view *view, enum setting_id member,
		       const struct place *place);

/* The level of the domain that a place is in, or of a package's first domain with a CPU; NULL: the
 * place is in none, or nothing is known of levels. */
const struct wanted_level *view_find_level(const struct setting_view *view,
					   const struct place *place);

/* The base frequency of the CPU of a place after apply, in kHz; 0: Speed Select reports none. */
uint64_t view_find_base_khz(const struct setting_view *view, const struct place *place);

/* Does a change of the level or of this feature change frequencies: SST-BF base frequencies, SST-TF
 * the highest ones? */
bool view_changes_feature(const struct setting_view *view, enum setting_id member);

#endif
